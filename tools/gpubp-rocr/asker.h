/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who asks the agent: a tool at the other end of a socket (asker_socket.c), or the kernel
 * (asker_kernel.c).
 */
#ifndef GPUBP_ROCR_ASKER_H
#define GPUBP_ROCR_ASKER_H

#include <stdbool.h>

#include "agent_wire.h"

struct session;

/**
 * struct asker - an asker
 * @open: find it, by what GPUBP_AGENT says; a file that is readable when there is a program,
 *	or -1: there is none
 * @hello: say which GPU; @session is NULL if @hello->err; false: it is gone
 * @program: get the next program; wait for it (@wait) if there must be one before the process
 *	goes on. 1, 0: there is none, -1: it is gone
 * @ack: a program is done; the slots of a bitmap are set anew, and count from 0; false: it
 *	is gone
 * @counts: what was counted up to now, when there is nothing else to say; likewise; NULL: it
 *	does not ask for that
 * @hits: hits that were read from the ring; likewise
 * @freed: memory is another buffer's from now on, behind these hits; likewise; NULL: as @counts
 * @paused: nothing can be armed, or can again, by another session; likewise
 * @bye: the process ends, by itself
 * @close: forget it
 * @updates: slots of which only the ranges change go on comparing
 *
 * Called by one thread at a time.
 */
struct asker {
	int (*open)(const char *name);
	bool (*hello)(const struct agent_hello *hello, struct session *session);
	int (*program)(struct agent_program *program, bool wait);
	bool (*ack)(const struct agent_ack *ack, uint32_t anew);
	bool (*counts)(const struct agent_counts counts[AGENT_SLOTS]);
	bool (*hits)(const struct agent_hits *hits, const unsigned char (*places)[AGENT_PLACE]);
	bool (*freed)(uint64_t at, uint64_t size);
	bool (*paused)(bool on, struct session *session);
	void (*bye)(const struct agent_ack *ack);
	void (*close)(void);
	bool updates;
};

/** asker_connect() - connect to a socket, "@NAME", of the same user or of root; -1: that failed */
int asker_connect(const char *name);

extern const struct asker asker_socket, asker_kernel;

#endif /* GPUBP_ROCR_ASKER_H */
