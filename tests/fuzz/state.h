/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory shared by all processes of the fuzzer: logs, programs, figures,
 * coverage.
 */
#ifndef FUZZ_STATE_H
#define FUZZ_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "syntax.h"

#define MAX_WORKERS	16	/* also the limit of replayed processes */
#define MAX_WORDS	56	/* choices of a call */
#define MAX_PROG	24	/* calls of a program */
#define MAX_LIFE	1024	/* calls of a process before it is replaced */
#define KEPT		2	/* processes of a worker whose calls are kept */
#define MAX_CORPUS	512
#define MAX_SIGNALS	65536

/**
 * struct step - a call and the choices that its arguments are generated from
 */
struct step {
	uint32_t call;
	uint32_t nr;
	uint64_t words[MAX_WORDS];
};

/** struct prog - a sequence of calls */
struct prog {
	uint32_t nr;
	struct step steps[MAX_PROG];
};

/**
 * struct life - a process and its calls
 * @uid: its user
 * @nr: number of its calls
 * @steps: its calls
 */
struct life {
	uid_t uid;
	uint32_t nr;
	struct step steps[MAX_LIFE];
};

/**
 * struct worker - a sequence of processes that make calls
 * @pid: of the current process
 * @nr_lives: number of processes so far
 * @calls: number of calls so far
 * @errors: number of calls that failed
 * @stuck: number of processes that had to be killed
 * @undead: a process did not die
 * @lives: the last processes, indexed by number modulo KEPT
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
 * struct kind - statistics of a call
 * @made: number of calls so far
 * @done: number of calls that returned no error
 * @took: their total duration in ns
 */
struct kind {
	uint64_t made;
	uint64_t done;
	uint64_t took;
};

/**
 * struct state - the shared memory
 * @stop: workers have to stop
 * @nr_workers: entries of @workers in use
 * @workers: workers
 * @nr_corpus: number of programs added to @corpus so far
 * @corpus: the last programs; an entry is valid if @ready
 * @nr_signals: number of edges and blocks reached
 * @nr_blocks: number of blocks reached
 * @signals: bitmap of edges and blocks, hashed
 * @blocks: bitmap of blocks, hashed
 * @kinds: by call
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

/** state_init() - before the first fork; false if there is no memory */
bool state_init(void);

#endif /* FUZZ_STATE_H */
