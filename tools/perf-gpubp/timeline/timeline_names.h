/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of addresses, of the perf maps among the texts of raw events. All addresses
 * are asked for before the first answer, so that each line is read once.
 */
#ifndef PERF_GPUBP_TIMELINE_NAMES_H
#define PERF_GPUBP_TIMELINE_NAMES_H

#include "timeline.h"

#define TIMELINE_NAME	64	/* bytes of a name */

/**
 * struct timeline_question - an address that may have a name
 * @pid: its process
 * @addr: the address
 * @line: of the perf map that names it, or NULL
 */
struct timeline_question {
	uint32_t pid;
	uint64_t addr;
	const char *line;
};

/**
 * struct timeline_names - the questions
 * @list: sorted by process and address by timeline_names_answer()
 * @nr: entries of @list
 * @nr_looks: entries that were looked at for answers
 */
struct timeline_names {
	struct timeline_question *list;
	size_t nr;
	uint64_t nr_looks;
};

/** timeline_names_ask() - ask for a name; 0 or -1 (memory) */
int timeline_names_ask(struct timeline_names *names, uint32_t pid, uint64_t addr);

/**
 * timeline_names_answer() - find all of them; 0 or -1 (memory)
 * @names: the questions
 * @raw: perf maps. The last line that has an address names it, as it is the newest
 */
int timeline_names_answer(struct timeline_names *names,
			  const struct timeline_raw *raw);

/**
 * timeline_names_get() - the name of an address that was asked for
 * @names: the questions
 * @pid: its process
 * @addr: the address
 * @start: out: where what has the name begins
 * @name: out: the name
 *
 * Return: false: it has no name. The raw events are read again.
 */
bool timeline_names_get(const struct timeline_names *names, uint32_t pid,
			uint64_t addr, uint64_t *start, char name[TIMELINE_NAME]);

/** timeline_names_free() - forget all */
void timeline_names_free(struct timeline_names *names);

#endif /* PERF_GPUBP_TIMELINE_NAMES_H */
