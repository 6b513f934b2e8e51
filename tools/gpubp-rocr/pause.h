/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pause: the agent gives the GPU to a debugger that a user asked it to give way to, and takes
 * it back when that is gone. Requests come to a socket, see agent_wire.h. All functions are
 * called by one thread at a time.
 */
#ifndef GPUBP_ROCR_PAUSE_H
#define GPUBP_ROCR_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

struct wanted;

/**
 * enum pause_state - how far it is
 * @PAUSE_NONE: there is none
 * @PAUSE_BEGINS: the asker knows, and is to want nothing
 * @PAUSE_LASTS: there is no session: a debugger can have one
 */
enum pause_state {
	PAUSE_NONE,
	PAUSE_BEGINS,
	PAUSE_LASTS,
};

/**
 * struct pause - it
 * @file: readable when there is a request, -1: none can be made
 * @state: how far it is
 * @who: connection of who waits for its begin, -1 none
 * @was_traced: a debugger has come
 * @seconds: how long it may take to come
 * @until: when that is over; ms of CLOCK_MONOTONIC, as the next
 * @next: when to look again
 * @backoff: how long to wait until then, ms
 */
struct pause {
	int file;
	enum pause_state state;
	int who;
	bool was_traced;
	uint32_t seconds;
	uint64_t until;
	uint64_t next;
	unsigned int backoff;
};

/** pause_open() - let users ask for it */
void pause_open(struct pause *p);

/** pause_close() - no longer; who waits for it hears nothing any more */
void pause_close(struct pause *p);

/** pause_take() - take a request, if there is one */
void pause_take(struct pause *p, struct wanted *w);

/** pause_go_on() - do what is to be done now, after each program, and from time to time */
void pause_go_on(struct pause *p, struct wanted *w);

#endif /* GPUBP_ROCR_PAUSE_H */
