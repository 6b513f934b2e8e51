/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that all processes of the fuzzer share: logs, programs, figures, coverage. */
#ifndef FUZZ_STATE_H
#define FUZZ_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "syntax.h"

#define MAX_WORKERS	16	/* and processes that are replayed */
#define MAX_WORDS	56	/* choices of one call */
#define MAX_PROG	24	/* calls of one program */
#define MAX_LIFE	1024	/* calls of a process until another one takes its place */
#define KEPT		2	/* processes of a worker whose calls are known */
#define MAX_CORPUS	512
#define MAX_SIGNALS	65536

/**
 * struct step - a call and the choices that its arguments are made from
 * @call: its number
 * @nr: words in use
 * @words: the choices
 */
struct step {
	uint32_t call;
	uint32_t nr;
	uint64_t words[MAX_WORDS];
};

/** struct prog - calls one after another */
struct prog {
	uint32_t nr;
	struct step steps[MAX_PROG];
};

/**
 * struct life - a process, and what it did
 * @uid: its user
 * @nr: of its calls
 * @steps: the same
 */
struct life {
	uid_t uid;
	uint32_t nr;
	struct step steps[MAX_LIFE];
};

/**
 * struct worker - one of the processes that make calls, and those after it
 * @pid: of it
 * @nr_lives: processes so far
 * @calls: calls so far
 * @errors: of them, failed
 * @stuck: processes that had to be killed
 * @undead: one of them did not die
 * @lives: the last of them; which one, the number modulo KEPT says
 */
struct worker {
	pid_t pid;
	uint64_t nr_lives;
	uint64_t calls;
	uint64_t errors;
	uint64_t stuck;
	bool undead;
	struct life lives[KEPT];
};

/**
 * struct kind - a kind of calls
 * @made: of them so far
 * @done: those that returned no error
 * @took: all of them together, ns
 */
struct kind {
	uint64_t made;
	uint64_t done;
	uint64_t took;
};

/**
 * struct state - the memory
 * @stop: come to an end
 * @nr_workers: in use
 * @workers: so many
 * @nr_corpus: programs that were put into @corpus so far
 * @corpus: the last of them; an entry is valid if @ready
 * @nr_signals: of the edges and blocks reached
 * @nr_blocks: of the blocks
 * @signals: hashed, a bit each
 * @blocks: likewise
 * @kinds: of calls
 * @published: values of resources that other processes may try
 */
struct state {
	bool stop;
	unsigned int nr_workers;
	struct worker workers[MAX_WORKERS];
	uint32_t nr_corpus;
	struct {
		bool ready;
		struct prog prog;
	} corpus[MAX_CORPUS];
	uint32_t nr_signals;
	uint32_t nr_blocks;
	uint8_t signals[MAX_SIGNALS];
	uint8_t blocks[MAX_SIGNALS];
	struct kind kinds[MAX_CALLS];
	uint64_t published[MAX_RESOURCES];
};

extern struct state *state;

/** state_init() - before the first fork; false: no memory */
bool state_init(void);

#endif /* FUZZ_STATE_H */
