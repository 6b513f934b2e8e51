// SPDX-License-Identifier: GPL-2.0
/*
 * hold - keep a perf event of its own open until killed.
 *
 * When the last task event is closed, perf patches its static branches in the
 * scheduler back, a second later; with the next event it patches them again.
 * QEMU before 8.1 may translate the breakpoint that is there for a moment and
 * run it later ("Oops: int3"). Tests open and close events all the time, so
 * this program keeps one event open. With one CPU the problem does not occur,
 * and no event is kept: the branches are patched as they are elsewhere.
 *
 * environment:
 *	GPUBP_HOLD	1: hold, 0: do not; default: if there is more than one CPU
 */
#include <stdio.h>
#include <unistd.h>
#include "event.h"

static int wanted(void)
{
	return env_number("GPUBP_HOLD", sysconf(_SC_NPROCESSORS_ONLN) > 1);
}

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.exclude_kernel = 1,
	};

	if (!wanted())
		return 0;
	if (event_open(&attr, 0, -1) < 0)
		perror("hold: perf_event_open");
	for (;;)
		pause();
}
