// SPDX-License-Identifier: GPL-2.0
/*
 * Opens: events opened disabled on a sleeping task, and closed, while others
 * are open on that task or on another one.
 */
#include <unistd.h>
#include "others.h"

#define PAIRS		3400	/* per round */

/**
 * struct live - other events that stay open
 * @nr: number of events
 * @elsewhere: they are on another task
 */
struct live {
	unsigned int nr;
	bool elsewhere;
};

static uint64_t run_opens(enum subject subject, const struct figure *fig)
{
	const struct live *live = fig->arg;
	struct events others;
	struct tasks tasks;
	unsigned int i;
	uint64_t ns;

	tasks_sleep(&tasks, 2);
	events_open(&others, live->nr, subject, BENCH_DISABLED,
		    tasks.pid[live->elsewhere]);
	usleep(100000);
	bench_begin();
	for (i = 0; i < fig->ops; i++)
		bench_close(bench_event(subject, events_address(i),
					BENCH_DISABLED, tasks.pid[0]));
	ns = bench_end();
	events_close(&others);
	tasks_end(&tasks);
	return ns;
}

void bench_opens(void)
{
	static const struct live few = { 10, false }, many = { 10000, false },
				 far = { 10000, true };
	static const struct figure figures[] = {
		{ "opened and closed, 10 more on the task",
		  ONLY(DUMMY) | ONLY(WATCH), PAIRS, run_opens, &few },
		{ "opened and closed, 10000 more on the task",
		  ONLY(DUMMY) | ONLY(WATCH), PAIRS, run_opens, &many },
		{ "opened and closed, 10000 on another task",
		  ONLY(DUMMY) | ONLY(WATCH), PAIRS, run_opens, &far },
	};
	unsigned int i;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		bench_compare(&figures[i]);
}
