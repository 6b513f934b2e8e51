/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pending accesses: what a wave that stopped at a precise point is about to
 * access, read before the access. The hit that its comparator reports
 * afterwards takes address and lanes from here. One for each wave, and only
 * while the wave executes the access in the XOL buffer of the point.
 */
#ifndef _GPUBP_TRAP_PENDING_ACCESS_H
#define _GPUBP_TRAP_PENDING_ACCESS_H

#include <linux/types.h>

#include "../lib/lane_filter.h"

/* of a context; an entry has about 730 bytes */
#define GPUBP_MAX_PENDING	128

struct gpubp_ctx;
struct gpubp_queue;

/**
 * struct gpubp_wave_key - identifies a wave among all waves of its context
 * @queue: queue of the wave; compared only
 * @dispatch: packet number in the queue, with as many low bits as the device
 *	reports
 * @wg: workgroup coordinates
 * @in_group: number of the wave in its workgroup
 *
 * A provider's id may be valid for one stop only, and a wave may be in another
 * hardware slot after its context was suspended and resumed. These values come
 * from the dispatcher and stay the same for the life of the wave.
 */
struct gpubp_wave_key {
	const struct gpubp_queue *queue;
	u32 dispatch;
	u32 wg[3];
	u32 in_group;
};

/**
 * struct gpubp_pending_access - what one wave is about to access
 * @wave: the wave
 * @pc: address of the instruction
 * @reported: the comparator's hit was reported and took its data from here
 * @insn: the instruction
 * @access: the access, exactly
 */
struct gpubp_pending_access {
	struct gpubp_wave_key wave;
	u64 pc;
	bool reported;
	struct gpubp_insn insn;
	struct gpubp_access access;
};

/**
 * struct gpubp_pending_accesses - of a context; under the device lock
 * @nr: entries of @entry in use, at its beginning
 * @entry: GPUBP_MAX_PENDING entries; NULL: none was needed yet
 */
struct gpubp_pending_accesses {
	unsigned int nr;
	struct gpubp_pending_access *entry;
};

int gpubp_pending_accesses_init(struct gpubp_ctx *ctx);
void gpubp_pending_accesses_exit(struct gpubp_ctx *ctx);
bool gpubp_pending_access_add(struct gpubp_ctx *ctx,
			      const struct gpubp_wave_key *wave, u64 pc,
			      const struct gpubp_insn *insn,
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
