// SPDX-License-Identifier: GPL-2.0
/*
 * A dispatch of a task without events, beside a sleeping task with many enabled
 * ones, and beside contexts of others.
 */
#include <stdio.h>
#include <unistd.h>
#include "gpu.h"
#include "others.h"

#define DISPATCHES	100

static uint64_t dispatch(unsigned int times)
{
	struct grun_mem out;
	struct gpu gpu;
	uint64_t ns;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, 256, 0))
		die("gpu");
	usleep(100000);
	bench_begin();
	while (times--)
		if (gpu_run(&gpu, "repeat", 1, GPU_ARGS(out.va, 1)))
			die("gpu_run");
	ns = bench_end();
	gpu_close(&gpu);
	return ns;
}

static uint64_t run_beside(enum subject subject, const struct figure *fig)
{
	struct scene scene = *(const struct scene *)fig->arg;
	uint64_t ns;

	scene_start(&scene, subject);
	ns = dispatch(fig->ops);
	scene_end(&scene);
	return ns;
}

void bench_beside(void)
{
	static const struct scene scenes[] = {
		{ .nr_events = 1000 },
		{ .nr_events = 1000, .nr_contexts = 32 },
		{ .nr_events = 10000, .nr_contexts = 32 },
	};
	unsigned int i;
	char name[64];

	for (i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		struct figure fig = {
			name, ONLY(NOTHING) | ONLY(DUMMY) | ONLY(WATCH),
			DISPATCHES, run_beside, &scenes[i],
		};

		snprintf(name, sizeof(name),
			 "dispatch, %u events, %u contexts of others",
			 scenes[i].nr_events, scenes[i].nr_contexts);
		bench_compare_times(&fig, 2);
	}
}
