/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rig of suites about what the trap handler decides by itself: a device whose
 * waves have atomics, and the handler's memory. On top of the mock.
 */
#ifndef _GPUBP_KUNIT_HANDLER_RIG_H
#define _GPUBP_KUNIT_HANDLER_RIG_H

#include "mock.h"

int handler_rig_init(struct kunit *test);

/* what was asked for is programmed */
void handler_rig_settle(struct mock_ctx *c);

/* counts and strays of the handler are with their events */
void handler_rig_collect(struct kunit *test, struct mock_ctx *c);

/* false: it did not within a minute, as the worker and its retries have nothing to do */
bool handler_rig_wait(struct mock_ctx *c, bool (*has)(struct mock_ctx *c));

/* more watches than slots, which take turns; commits are not drained at once */
void handler_rig_turns(struct kunit *test, struct mock_ctx *c);

/* in how many of @nr turns it has */
unsigned int handler_rig_turns_with(struct mock_ctx *c, unsigned int nr,
				    bool (*has)(struct mock_ctx *c));

void *handler_rig_memory(struct mock_ctx *c, u32 offset);

/* of the only slot that compares the byte at @addr */
u32 handler_rig_slot(struct kunit *test, struct mock_ctx *c, u64 addr);

struct gpubp_handler_filter *handler_rig_filter(struct mock_ctx *c, u32 slot);

#endif /* _GPUBP_KUNIT_HANDLER_RIG_H */
