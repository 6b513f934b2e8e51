// SPDX-License-Identifier: GPL-2.0
/*
 * Background: what the machine executes in a second in which no task runs, while
 * a sleeping task without a GPU has enabled events, and others have contexts.
 */
#include <stdio.h>
#include <unistd.h>
#include "others.h"

static uint64_t run_background(enum subject subject, const struct figure *fig)
{
	struct scene scene = *(const struct scene *)fig->arg;
	uint64_t ns;

	scene_start(&scene, subject);
	sleep(2);
	bench_begin();
	sleep(1);
	ns = bench_end();
	scene_end(&scene);
	return ns;
}

void bench_background(void)
{
	static const unsigned int nr_events[] = { 200, 1000, 10000 };
	static const unsigned int nr_contexts[] = { 1, 16, 32 };
	unsigned int i;
	char name[64];

	for (i = 0; i < 9; i++) {
		struct scene scene = {
			.nr_events = nr_events[i % 3],
			.nr_contexts = nr_contexts[i / 3],
		};
		struct figure fig = {
			.name = name,
			/* what contexts alone cost does not depend on events */
			.subjects = ONLY(WATCH) | (i % 3 ? 0 : ONLY(NOTHING)),
			.ops = 1,
			.run = run_background,
			.arg = &scene,
		};

		snprintf(name, sizeof(name), "a second at rest, %u events, %u contexts",
			 scene.nr_events, scene.nr_contexts);
		bench_compare_times(&fig, 1);
	}
}
