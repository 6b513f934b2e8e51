/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the options -w, -e and -W of a verb pick: a list of events.
 */
#ifndef PERF_GPUBP_PICKS_H
#define PERF_GPUBP_PICKS_H

#include <linux/perf_event.h>
#include <subcmd/parse-options.h>
#include "gpubp_expr.h"
#include "symmap.h"

/**
 * struct pick_arg - an option
 * @letter: 'w', 'b', 'X', 'W', 'e', and 'c' for a code object
 * @text: its argument
 */
struct pick_arg {
	char letter;
	const char *text;
};

/**
 * struct pick - an event
 * @text: argument of its option
 * @place: where, if there are several events of a line or a kernel: "loop.elf+0x2950"; else ""
 * @event: for stock perf's -e
 * @attr: for live_prepare()
 * @name: of the buffer that it watches, "" none
 */
struct pick {
	const char *text;
	char place[GPUBP_NAME_MAX + 24];
	char event[GEXPR_EVENT_MAX];
	struct perf_event_attr attr;
	char name[GPUBP_NAME_MAX];
};

/**
 * struct picks - all events of a command line
 * @args: options in order
 * @nr_args: entries of @args
 * @list: events in order; a line of source can be several
 * @nr: entries of @list
 * @command: whose arguments may be code objects, ending with NULL; NULL none
 * @session: of watch sets and conditions, -1 none; they exist until it is closed
 */
struct picks {
	struct pick_arg *args;
	unsigned int nr_args;
	struct pick *list;
	unsigned int nr;
	const char **command;
	int session;
};

/** pick_option() - callback of the options */
int pick_option(const struct option *option, const char *arg, int unset);

/** pick_add() - as if there were such an option; 0, -1 without memory */
int pick_add(struct picks *picks, char letter, const char *text);

#define PICK_OPTION(letter, name, picks, arg, help)	\
	OPT_CALLBACK(letter, name, picks, arg, help, pick_option)

/*
 * Their rows in the table of a verb's options. An option of perf that has the same
 * letter takes that of code objects; 0 is none.
 */
#define PICK_OPTIONS(picks, code_letter)				\
	PICK_OPTION('w', "watch", picks, "WATCH",			\
		    "accesses to e.g. 'grid[4..7]:w', '0x1000/8'"),	\
	PICK_OPTION('b', "break", picks, "BREAK",			\
		    "execution of e.g. 'stencil+0x4c', stencil.cl:17"),	\
	PICK_OPTION('X', "exception", picks, "CLASS",	\
		    "exceptions, e.g. mem_viol"),			\
	PICK_OPTION('W', "watch-file", picks, "FILE",			\
		    "a watch set: a watch by address in each line of a file"), \
	PICK_OPTION('e', "event", picks, "EVENT",			\
		    "an event of gpubp as perf takes it"),		\
	PICK_OPTION(code_letter, "code", picks, "CODE.elf",		\
		    "code object in which -b looks for kernels and lines; default: those that are arguments of the command")

/**
 * picks_resolve() - understand the arguments, once all options are known
 * @picks: list
 * @names: of the running target, NULL unknown
 * @err: error
 *
 * Return: 0 or a negative errno.
 */
int picks_resolve(struct picks *picks, const struct symmap *names,
		  struct grun_err *err);

/** picks_is_same() - is event @i of the same option as the one before? */
bool picks_is_same(const struct picks *picks, unsigned int i);

/** picks_code() - the first code object, NULL none */
const char *picks_code(const struct picks *picks);

/** picks_attrs() - an array of the attrs, to be freed; NULL: no memory */
struct perf_event_attr *picks_attrs(const struct picks *picks);

/** picks_free() - free the list; sets cease to exist */
void picks_free(struct picks *picks);

#endif /* PERF_GPUBP_PICKS_H */
