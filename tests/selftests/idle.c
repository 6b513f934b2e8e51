// SPDX-License-Identifier: GPL-2.0
/*
 * idle - exit status 0 if the statistics balance and nothing is left behind: no
 * event, no watch, no cell. Run after each test; prints how long that took.
 */
#include <stdio.h>
#include <time.h>
#include "books.h"

#define PATIENCE	30	/* s; emulated machines are slow */

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int main(void)
{
	long start = now_ms();
	bool idle = books_idle(PATIENCE);

	printf("# %s after %ld ms\n", idle ? "idle" : "not idle", now_ms() - start);
	if (idle)
		return 0;
	books_print();
	return 1;
}
