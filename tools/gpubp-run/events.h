/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gpubp-run --event, --break, --exception.
 */
#ifndef GRUN_EVENTS_H
#define GRUN_EVENTS_H

#include "script.h"

#define EVENTS_MAX	32

/**
 * struct events - what is to be printed
 * @list: expressions: a watch ('e'), breaks ('b') or exceptions ('x')
 * @nr: entries of @list
 */
struct events {
	struct {
		int option;
		const char *text;
	} list[EVENTS_MAX];
	unsigned int nr;
};

/**
 * events_print() - print them for stock perf's -e, a line each
 * @events: events
 * @script: that declares the buffers, NULL none
 * @code: code object of the breaks, NULL none
 * @name: that it is published as
 * @err: error
 *
 * If one of them is wrong, nothing is printed.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int events_print(const struct events *events, const struct script *script,
		 const struct grun_code *code, const char *name,
		 struct grun_err *err);

#endif /* GRUN_EVENTS_H */
