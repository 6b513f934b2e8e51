/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which bytes are watched without the kernel, and by which comparators: from watches in
 * words and the buffers of a process to what its agent is asked for (agent_wire.h).
 */
#ifndef PERF_GPUBP_ASK_H
#define PERF_GPUBP_ASK_H

#include <stdbool.h>
#include "agent_wire.h"
#include "gpubp_expr.h"

/**
 * struct ask_watch - a watch, which has the slot of its number
 * @text: as the user has it
 * @e: the same
 * @bound: its bytes are known: @first to @last
 * @first: first byte
 * @last: last byte
 * @buffer: first byte of the buffer that has them; of one by address 0
 * @was_bound: ever
 * @missed: further buffers that had its name while it was bound
 * @small: buffers that had its name, and not its bytes
 * @err: why it is not armed, the last time, 0 or a negative errno
 * @total: of what it was armed for before
 * @now: of what it is armed for
 */
struct ask_watch {
	const char *text;
	struct gexpr e;
	bool bound;
	uint64_t first;
	uint64_t last;
	uint64_t buffer;
	bool was_bound;
	unsigned int missed;
	unsigned int small;
	int err;
	struct agent_counts total;
	struct agent_counts now;
};

/**
 * struct ask - all watches of a command line
 * @watch: watches
 * @nr: how many
 * @granule: smallest block of a comparator, bytes
 * @largest: largest one
 * @program: what the agent has
 * @is_paused: it gives way to a debugger
 * @paused_since: since when, ns
 * @paused_ns: for how long it did before
 */
struct ask {
	struct ask_watch watch[AGENT_SLOTS];
	unsigned int nr;
	uint64_t granule;
	uint64_t largest;
	struct agent_program program;
	bool is_paused;
	uint64_t paused_since;
	uint64_t paused_ns;
};

/** ask_add() - one more watch, in words; 0 or a negative errno */
int ask_add(struct ask *ask, const char *text, struct grun_err *err);

/** ask_begin() - a process, with its GPU; watches by address are bound */
void ask_begin(struct ask *ask, const struct agent_hello *hello);

/** ask_buffer() - a buffer came; @size 0: it went */
void ask_buffer(struct ask *ask, uint64_t va, uint64_t size, const char *name);

/**
 * ask_program() - what is to be sent now
 * @ask: watches
 * @next: out: a program of a new number, also if nothing changed
 */
void ask_program(struct ask *ask, struct agent_program *next);

/**
 * ask_paused() - the agent gives way to a debugger, or does so no longer
 * @ask: watches
 * @on: it does
 * @now: ns
 *
 * While it does ask_program() wants nothing.
 */
void ask_paused(struct ask *ask, bool on, uint64_t now);

/** ask_nothing() - let ask_program() want nothing any more */
void ask_nothing(struct ask *ask);

/**
 * ask_answered() - what was sent is done
 * @ask: watches
 * @next: it
 * @ack: the answer
 */
void ask_answered(struct ask *ask, const struct agent_program *next,
		  const struct agent_ack *ack);

/** ask_counted() - counts of what it has now, up to some time */
void ask_counted(struct ask *ask, const struct agent_counts counts[AGENT_SLOTS]);

/** ask_ended() - the process did; @bye: its last message, NULL if there was none; @now: ns */
void ask_ended(struct ask *ask, const struct agent_ack *bye, uint64_t now);

#endif /* PERF_GPUBP_ASK_H */
