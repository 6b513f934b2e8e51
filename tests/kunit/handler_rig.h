/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rig of suites about what the trap handler decides by itself: a device whose
 * waves have atomics, and the handler's memory; and waves that record their hits in
 * the ring of their context. On top of the mock.
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

/* ---- recorded hits ------------------------------------------------------- */

#define RIG_WAVES	64	/* places of the ring that are left for them */

/**
 * struct handler_rig_place - a place of the ring, as the handler of gfx90a fills it
 * @seq: what makes it the place of one number
 * @doorbell: of the queue
 * @pc_lo: pc after the access
 * @pc_hi: upper half of the pc, kind and size of the access, and the comparator
 * @unused: nothing
 * @time: by the device's clock
 * @exec: active lanes
 * @hw_id: where the wave is
 * @ttmp6: what the dispatcher says of the wave, as is @ttmp
 * @ttmp: ttmp8 to ttmp11
 * @base: scalar registers of the address
 * @xnack_mask: that register
 * @code: the access
 * @pad: nothing
 * @addr: vector registers of the address
 * @data: of the data
 * @old: what an atomic returned
 * @v0: the handler's own
 */
struct handler_rig_place {
	u32 seq;
	u32 doorbell;
	u32 unused[2];
	u32 pc_lo;
	u32 pc_hi;
	u64 time;
	u64 exec;
	u32 hw_id;
	u32 ttmp6;
	u32 ttmp[4];
	u32 base[2];
	u32 xnack_mask[2];
	u32 code[2];
	u32 pad[42];
	u32 addr[2][GPUBP_MAX_LANES];
	u32 data[2][GPUBP_MAX_LANES];
	u32 old[2][GPUBP_MAX_LANES];
	u32 v0[GPUBP_MAX_LANES];
};

/* in pc_hi */
#define RIG_KINDS_SHIFT		16
#define RIG_COMPARATOR_SHIFT	26

/* .init of a suite: the waves of the device record hits */
int handler_rig_init_records(struct kunit *test);

struct gpubp_handler_ring *handler_rig_ring(struct mock_ctx *c);
struct handler_rig_place *handler_rig_place(struct mock_ctx *c, u32 number);

/* a wave in the handler takes a place; returns its number */
u32 handler_rig_take(struct kunit *test, struct mock_ctx *c);

/* lane 0 stored the number of the place at @addr, and comparator @slot matched */
struct handler_rig_place *handler_rig_fill(struct mock_ctx *c, u32 number,
					   u32 slot, u64 addr);

/* it did something else */
void handler_rig_access(struct handler_rig_place *p, u32 word0, u32 word1);

void handler_rig_publish(struct mock_ctx *c, u32 number);

/* all of it, whether hits of @slot are to be recorded or not; returns the number */
u32 handler_rig_record(struct kunit *test, struct mock_ctx *c, u32 slot,
		       u64 addr);

/* lane 0 stores at @addr, and hits of the slot that compares it are recorded */
u32 handler_rig_store(struct kunit *test, struct mock_ctx *c, u64 addr);

/* from now on the resolver looks at rings only if it is asked to */
void handler_rig_stop_poll(struct mock *m);

#endif /* _GPUBP_KUNIT_HANDLER_RIG_H */
