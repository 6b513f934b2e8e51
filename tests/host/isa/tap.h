/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TESTS_HOST_ISA_TAP_H
#define _TESTS_HOST_ISA_TAP_H

#include <stdbool.h>
#include <stdio.h>

static unsigned int tap_nr, tap_failed;

static inline bool tap(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++tap_nr, name);
	tap_failed += !ok;
	return ok;
}

/* the last line of a program: the plan, and its exit status */
static inline int tap_done(void)
{
	printf("1..%u\n", tap_nr);
	return tap_failed ? 1 : 0;
}

#endif /* _TESTS_HOST_ISA_TAP_H */
