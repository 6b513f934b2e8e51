/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's list of events, debugfs gpubp/events, for people.
 */
#ifndef PERF_GPUBP_EVENTS_H
#define PERF_GPUBP_EVENTS_H

#include <stdio.h>

/**
 * events_show() - a line for each event
 * @in: as the kernel writes it; names that are not known are skipped, what is
 *	missing is 0
 * @out: where to
 *
 * Return: how many events.
 */
unsigned int events_show(FILE *in, FILE *out);

#endif /* PERF_GPUBP_EVENTS_H */
