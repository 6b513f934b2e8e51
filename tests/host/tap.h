/* SPDX-License-Identifier: GPL-2.0 */
/* Test Anything Protocol for the programs of tests/host. */
#ifndef _TAP_H
#define _TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* per program, counted in any of its files; hence weak */
__attribute__((weak)) int tap_run, tap_failed, tap_planned;

static inline void tap_plan(int n)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	tap_planned = n;
	printf("TAP version 13\n1..%d\n", n);
}

__attribute__((format(printf, 1, 2)))
static inline void tap_note(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

__attribute__((format(printf, 2, 3)))
static inline bool tap_ok(bool ok, const char *fmt, ...)
{
	va_list ap;

	tap_failed += !ok;
	printf("%sok %d - ", ok ? "" : "not ", ++tap_run);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	return ok;
}

/* the exit status of main() */
static inline int tap_status(void)
{
	return tap_failed || tap_run != tap_planned;
}

/* xorshift64*: the same numbers in every run */
static inline unsigned long long tap_random(unsigned long long *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

#endif /* _TAP_H */
