/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A note: what a wave is about to access, taken where it stood before the access,
 * for when the comparator's hit comes. One for each wave, and only while it is on
 * its way through the buffer of an escalation.
 */
#ifndef _GPUBP_TRAP_PENDING_ACCESS_H
#define _GPUBP_TRAP_PENDING_ACCESS_H

#include <linux/types.h>

#include "../lib/lane_filter.h"

#define GPUBP_MAX_PENDING	128	/* of a context; each about 560 bytes */

struct gpubp_ctx;
struct gpubp_queue;

/**
 * struct gpubp_wave_key - what tells a wave from all others of its context
 * @queue: of the wave; only compared
 * @dispatch: packet number in the queue, as many low bits as the device tells
 * @wg: workgroup coordinates
 * @in_group: number of the wave in its workgroup
 *
 * A provider's id may be that of a stop, and the wave's place is another one when its
 * context was off the GPU meanwhile. This is what the dispatcher told the wave.
 */
struct gpubp_wave_key {
	const struct gpubp_queue *queue;
	u32 dispatch;
	u32 wg[3];
	u32 in_group;
};

/**
 * struct gpubp_pending_access - what a wave is about to access
 * @wave: whose it is
 * @pc: of the instruction
 * @reported: its hit came
 * @access: what it accesses, exactly
 */
struct gpubp_pending_access {
	struct gpubp_wave_key wave;
	u64 pc;
	bool reported;
	struct gpubp_access access;
};

/**
 * struct gpubp_pending_accesses - of a context; under the device lock
 * @nr: valid entries of @entry, which come first
 * @entry: GPUBP_MAX_PENDING of them; NULL: none was needed yet
 */
struct gpubp_pending_accesses {
	unsigned int nr;
	struct gpubp_pending_access *entry;
};

int gpubp_pending_accesses_init(struct gpubp_ctx *ctx);
void gpubp_pending_accesses_exit(struct gpubp_ctx *ctx);
bool gpubp_pending_access_add(struct gpubp_ctx *ctx,
			      const struct gpubp_wave_key *wave, u64 pc,
			      const struct gpubp_access *access);
struct gpubp_pending_access *
gpubp_pending_access_find(const struct gpubp_ctx *ctx,
			  const struct gpubp_wave_key *wave);
void gpubp_pending_access_drop(struct gpubp_ctx *ctx,
			       const struct gpubp_wave_key *wave);
void gpubp_pending_accesses_drop_queue(struct gpubp_ctx *ctx,
				       const struct gpubp_queue *queue);
void gpubp_pending_accesses_drop_all(struct gpubp_ctx *ctx);

#endif /* _GPUBP_TRAP_PENDING_ACCESS_H */
