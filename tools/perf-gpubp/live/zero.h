/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event without hits, explained.
 */
#ifndef PERF_GPUBP_ZERO_H
#define PERF_GPUBP_ZERO_H

#include <linux/perf_event.h>
#include <time.h>
#include "symmap.h"
#include "why.h"

/**
 * struct zero - what is known of it
 * @text: the event as the user called it
 * @why: its figures
 * @attr: the event
 * @name: of the buffer that it watches, "" none
 * @names: that its targets published
 */
struct zero {
	const char *text;
	struct why why;
	const struct perf_event_attr *attr;
	const char *name;
	struct symmap names;
};

/** zero_print() - a paragraph */
void zero_print(const struct zero *zero, FILE *out);

/**
 * zero_names() - the names that processes published
 * @names: out, to be freed
 * @since: in perf maps that were written since then
 */
void zero_names(struct symmap *names, time_t since);

#endif /* PERF_GPUBP_ZERO_H */
