// SPDX-License-Identifier: GPL-2.0
/*
 * idle - exit status 0 if the statistics balance and nothing is left behind: no
 * event, no watch, no cell. Run after each test; prints how long that took.
 */
#include <stdio.h>
#include "books.h"
#include "event.h"

#define PATIENCE	30	/* s; emulated machines are slow */

int main(void)
{
	uint64_t start = now_ns();
	bool idle = books_idle(PATIENCE);

	printf("# %s after %.0f ms\n", idle ? "idle" : "not idle",
	       (now_ns() - start) / 1e6);
	if (idle)
		return 0;
	books_print();
	return 1;
}
