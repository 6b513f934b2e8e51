/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the asker wants of the session: programs are done, and hits and counts are said. All
 * functions are called by one thread at a time.
 */
#ifndef GPUBP_ROCR_WANTED_H
#define GPUBP_ROCR_WANTED_H

#include <stdbool.h>
#include <stdint.h>

#include "agent_wire.h"

/* while a place is being filled; how often it is looked at */
#define FILL_MS		1
#define FILL_TRIES	2000

struct asker;
struct session;

/**
 * struct wanted - it
 * @asker: who asks
 * @session: on the node; NULL: none now, and nothing is armed
 * @program: what is wanted
 * @err: of each slot
 * @gone: the asker is
 */
struct wanted {
	const struct asker *asker;
	struct session *session;
	struct agent_program program;
	int32_t err[AGENT_SLOTS];
	bool gone;
};

/** wanted_hits() - say hits that were recorded; false: there are none that are complete */
bool wanted_hits(struct wanted *w);

/** wanted_counts() - say what was counted, to an asker that wants it now and then */
void wanted_counts(struct wanted *w);

/** wanted_drain() - say all hits that there are now; more may come */
void wanted_drain(struct wanted *w);

/** wanted_program() - do what is wanted next; @wait: wait until something is */
void wanted_program(struct wanted *w, bool wait);

/** wanted_is_nothing() - is no slot on? */
bool wanted_is_nothing(const struct wanted *w);

/** wanted_end() - the process ends, by itself */
void wanted_end(struct wanted *w);

#endif /* GPUBP_ROCR_WANTED_H */
