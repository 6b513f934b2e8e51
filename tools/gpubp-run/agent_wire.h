/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages between an agent and who asks it. An agent is the part of libgpubp-rocr.so
 * that sets comparators for its own process, by amdkfd's ioctls.
 *
 * It connects to the socket of GPUBP_AGENT ("@NAME", an abstract one, SOCK_SEQPACKET), when the process's
 * ROCr begins, and sends AGENT_HELLO. If that has no error it gets AGENT_PROGRAM, any
 * number of times, and answers each with AGENT_ACK; until the first one is answered the process
 * waits. Hits are sent as they come, those of a program before the answer to the next one.
 * AGENT_BYE is the last message of a process that ends by itself. After AGENT_PAUSED it gets a
 * program without a slot, and one with some when it is not paused any more.
 *
 * While there is an agent, others can ask it to give way to a debugger of the GPU, at the socket
 * AGENT_PAUSE_SOCKET: each connection has one struct agent_request, and its struct agent_answer.
 */
#ifndef GPUBP_AGENT_WIRE_H
#define GPUBP_AGENT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define AGENT_VERSION	2
#define AGENT_SLOTS	4
#define AGENT_RANGES	8
#define AGENT_PLACE	2048	/* bytes: a place of the trap handler's ring */
#define AGENT_BATCH	16	/* places in a message */
#define AGENT_TEXT	256

#define ATTACH_THREAD	"gpubp-attach"	/* begins an agent that is attached, and ends */

/* in agent_range.last: GPUBP_ACCESS_* above the address */
#define AGENT_KINDS_SHIFT	48

enum agent_type {
	AGENT_HELLO = 1,
	AGENT_PROGRAM,
	AGENT_ACK,
	AGENT_HITS,
	AGENT_BYE,
	AGENT_PAUSED,
	AGENT_YIELD,
	AGENT_RETURN,
	AGENT_STATE,
	AGENT_ANSWER,
};

#define AGENT_PAUSE_SOCKET	"@gpubp-pause-%d"	/* of the process with that number */

/**
 * agent_address() - the address of an abstract socket
 * @address: (out) it
 * @name: "@NAME", shorter than its path
 *
 * Return: its length.
 */
static inline socklen_t agent_address(struct sockaddr_un *address, const char *name)
{
	const size_t len = strlen(name);

	*address = (struct sockaddr_un) { .sun_family = AF_UNIX };
	memcpy(address->sun_path + 1, name + 1, len - 1);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
}

/** agent_pause_address() - likewise, of AGENT_PAUSE_SOCKET of a process */
static inline socklen_t agent_pause_address(struct sockaddr_un *address, int pid)
{
	char name[sizeof(address->sun_path)];

	snprintf(name, sizeof(name), AGENT_PAUSE_SOCKET, pid);
	return agent_address(address, name);
}

/**
 * struct agent_hello - a process, and its GPU
 * @type: AGENT_HELLO
 * @version: AGENT_VERSION
 * @err: 0, or why nothing can be watched, a negative errno
 * @pid: the process
 * @gfx: version of the GPU as in KFD's topology: 90010 for gfx90a
 * @granule: smallest block of a comparator, bytes
 * @largest: largest one
 * @text: with @err, why, as a sentence
 */
struct agent_hello {
	uint32_t type;
	uint32_t version;
	int32_t err;
	uint32_t pid;
	uint32_t gfx;
	uint32_t granule;
	uint64_t largest;
	char text[AGENT_TEXT];
};

/**
 * struct agent_range - bytes that are watched
 * @first: first byte
 * @last: last byte; from AGENT_KINDS_SHIFT on GPUBP_ACCESS_*
 */
struct agent_range {
	uint64_t first;
	uint64_t last;
};

/**
 * struct agent_slot - a comparator
 * @on: 0: it is not used
 * @mode: KFD_DBG_TRAP_ADDRESS_WATCH_MODE_*
 * @value: address that it compares with
 * @mask: bits that it compares
 * @nr: ranges
 * @counts: hits need not be sent, as far as they are counted
 * @range: what is watched in its block
 */
struct agent_slot {
	uint32_t on;
	uint32_t mode;
	uint64_t value;
	uint64_t mask;
	uint32_t nr;
	uint32_t counts;
	struct agent_range range[AGENT_RANGES];
};

/** agent_block_last() - last address that a comparator hits */
static inline uint64_t agent_block_last(uint64_t value, uint64_t mask)
{
	return value + (mask & -mask) - 1;
}

/** agent_same_block() - do the comparators of two slots, which are on, compare the same? */
static inline bool agent_same_block(const struct agent_slot *a, const struct agent_slot *b)
{
	return a->value == b->value && a->mask == b->mask && a->mode == b->mode;
}

/**
 * struct agent_program - what is wanted from now on
 * @type: AGENT_PROGRAM
 * @seq: its number
 * @slot: those that are what they were stay armed, and count on
 */
struct agent_program {
	uint32_t type;
	uint32_t seq;
	struct agent_slot slot[AGENT_SLOTS];
};

/**
 * struct agent_counts - what became of a slot's hits
 * @counted: accessed watched bytes
 * @strays: did not
 * @undecided: may have, or not
 * @lost: of @undecided, and of @counted unless agent_slot.counts, those that are not among
 *	the hits that were sent
 */
struct agent_counts {
	uint64_t counted;
	uint64_t strays;
	uint64_t undecided;
	uint64_t lost;
};

/**
 * struct agent_ack - it is done
 * @type: AGENT_ACK or AGENT_BYE
 * @seq: of the program; of AGENT_BYE that of the last one
 * @err: of each slot: 0, or why it is not armed, a negative errno
 * @counts: of each slot, up to this message, since it was armed with what it had before the
 *	program
 */
struct agent_ack {
	uint32_t type;
	uint32_t seq;
	int32_t err[AGENT_SLOTS];
	struct agent_counts counts[AGENT_SLOTS];
};

/**
 * struct agent_hits - hits, in the order in which places were taken
 * @type: AGENT_HITS
 * @nr: places that follow, of AGENT_PLACE bytes
 * @first: number of the first one; the others have the numbers behind
 * @slot: of the comparator of each number, as places have it, the slot
 * @counts: of each slot, as in struct agent_ack, of a time behind these hits: those of a
 *	process that ends without AGENT_BYE
 */
struct agent_hits {
	uint32_t type;
	uint32_t nr;
	uint32_t first;
	uint8_t slot[AGENT_SLOTS];
	struct agent_counts counts[AGENT_SLOTS];
};

/**
 * struct agent_paused - no slot can be armed, or can again
 * @type: AGENT_PAUSED
 * @on: a debugger is to have the GPU
 */
struct agent_paused {
	uint32_t type;
	uint32_t on;
};

/**
 * struct agent_request - of a user who wants to debug the process
 * @type: AGENT_YIELD: give way to a debugger; AGENT_RETURN: do so no longer; AGENT_STATE
 * @seconds: of AGENT_YIELD, how long to wait for one that does not come
 */
struct agent_request {
	uint32_t type;
	uint32_t seconds;
};

/**
 * struct agent_answer - what became of it
 * @type: AGENT_ANSWER
 * @err: 0 or a negative errno. With AGENT_YIELD 0: a debugger can have the GPU now
 * @paused: it gives way
 * @is_traced: to a debugger that is there
 */
struct agent_answer {
	uint32_t type;
	int32_t err;
	uint32_t paused;
	uint32_t is_traced;
};

#endif /* GPUBP_AGENT_WIRE_H */
