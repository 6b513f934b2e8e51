/* SPDX-License-Identifier: GPL-2.0 */
/* Watch sets with many members, of different granules. */
#ifndef WATCH_SET_H
#define WATCH_SET_H

#include <stdint.h>
#include "session.h"

#define PATIENCE	600	/* s */

/**
 * struct watch_set - a set, and an event of the caller for it
 * @session: its session
 * @id: of the set
 * @event: -1 if there are no members
 */
struct watch_set {
	int session;
	uint32_t id;
	int event;
};

/** watch_set_fill() - create a set of @nr members, which no event wants */
void watch_set_fill(struct watch_set *set, unsigned int nr);

/** watch_set_arm() - open the event, and wait until all that fit are armed */
void watch_set_arm(struct watch_set *set);

/** watch_set_open() - both; nothing but a session if @nr is 0 */
void watch_set_open(struct watch_set *set, unsigned int nr);

void watch_set_close(struct watch_set *set);

/** watch_sets_gone() - wait until no event and no watch is left */
void watch_sets_gone(void);

#endif /* WATCH_SET_H */
