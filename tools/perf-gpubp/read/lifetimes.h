/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /tmp/gpubp-PID.names: names of kernels and buffers of a process, with the times
 * between which they are valid. tools/gpubp-run/perfmap.c has the format.
 */
#ifndef PERF_GPUBP_LIFETIMES_H
#define PERF_GPUBP_LIFETIMES_H

#include <stdio.h>
#include "symmap.h"

/* of a file that another user may have made: bytes of a line, and lines that are read */
#define NAME_LINE_MAX		4096
#define NAME_RECORDS_MAX	(1 << 21)

/**
 * struct lifetime - a name of a range
 * @sym: both
 * @context: number of the GPU context that has it, 0 all
 * @from: when it was named, ns of CLOCK_MONOTONIC
 * @until: when the name was withdrawn, UINT64_MAX never
 * @named_at: where the program named it, as grun_callsite() says, "" unknown
 * @withdrawn_at: where it withdrew the name, likewise
 */
struct lifetime {
	struct sym sym;
	uint32_t context;
	uint64_t from;
	uint64_t until;
	const char *named_at;
	const char *withdrawn_at;
};

/**
 * struct lifetimes - those of a process
 * @list: by context, by first address, the longest first, then by @from
 * @parts: of parts of @list, see lifetimes_index.h
 * @nr: entries of @list
 * @by_context: some are of one context
 * @is_cut: the file has more than NAME_RECORDS_MAX lines, and the rest is not read
 * @missing_from: earliest time in the rest: nothing is known from then on
 */
struct lifetimes {
	struct lifetime *list;
	struct lifetimes_part *parts;
	size_t nr;
	bool by_context;
	bool is_cut;
	uint64_t missing_from;
};

/**
 * lifetimes_read() - read a file of names
 * @lives: out
 * @file: it; lines that make no sense are skipped
 * @err: error
 *
 * Return: 0, 1 (another format), -1 with an error.
 */
int lifetimes_read(struct lifetimes *lives, FILE *file, struct grun_err *err);

/**
 * lifetimes_rest() - read a file of names to its end
 * @file: it, from its present line on
 * @line: out: the line with the earliest time
 *
 * Return: that time; UINT64_MAX without a line that makes sense.
 */
uint64_t lifetimes_rest(FILE *file, char line[NAME_LINE_MAX]);

/** lifetimes_free() - undo lifetimes_read() */
void lifetimes_free(struct lifetimes *lives);

/** enum name_state - what is known of an address at a time */
enum name_state {
	NAME_MISSING,	/* names of that time were not read */
	NAME_NONE,	/* it never has a name */
	NAME_LATER,	/* only later */
	NAME_ENDED,	/* only before */
	NAME_VALID,
};

/** lifetime_state() - a name at a time: NAME_LATER, NAME_ENDED or NAME_VALID */
enum name_state lifetime_state(const struct lifetime *life, uint64_t time);

/**
 * lifetimes_find() - the name of an address at a time
 * @lives: names
 * @context: that had it: of its names, or else of those of all contexts
 * @addr: address
 * @time: ns of CLOCK_MONOTONIC
 * @state: out
 *
 * Return: of those that are valid the one that was given last; else, the one that
 * ended last before; else the first one after; NULL without any, or with NAME_MISSING.
 */
const struct lifetime *lifetimes_find(const struct lifetimes *lives, uint32_t context,
				      uint64_t addr, uint64_t time,
				      enum name_state *state);

/**
 * lifetimes_period() - which of the names of an address was valid
 *
 * Return: a number for each name, and for the time after each when none was valid; 0
 * before the first one, and with NAME_MISSING.
 */
unsigned int lifetimes_period(const struct lifetimes *lives, uint32_t context,
			      uint64_t addr, uint64_t time);

/** lifetimes_ranges() - the last name of each range, whichever context has it; 0, -1 without memory */
int lifetimes_ranges(const struct lifetimes *lives, struct symmap *map);

/** lifetimes_at() - the names of a context that are valid at a time; 0, -1 without memory */
int lifetimes_at(const struct lifetimes *lives, uint32_t context, uint64_t time,
		 struct symmap *map);

#endif /* PERF_GPUBP_LIFETIMES_H */
