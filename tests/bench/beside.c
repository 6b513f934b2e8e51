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

struct scene {
	unsigned int events;
	unsigned int contexts;
};

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
	const struct scene *scene = fig->arg;
	struct tasks contexts, sleeper;
	struct events events;
	uint64_t ns;

	tasks_contexts(&contexts, scene->contexts);
	tasks_sleep(&sleeper, 1);
	events_open(&events, subject == NOTHING ? 0 : scene->events, subject, 0,
		    sleeper.pid[0]);
	ns = dispatch(fig->ops);
	events_close(&events);
	tasks_end(&sleeper);
	tasks_end(&contexts);
	return ns;
}

void bench_beside(void)
{
	static const struct scene scenes[] = {
		{ 1000, 0 }, { 1000, 32 }, { 10000, 32 },
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
			 scenes[i].events, scenes[i].contexts);
		bench_compare_times(&fig, 2);
	}
}
