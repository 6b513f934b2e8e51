/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where waves are: on a compute unit, or saved. Under sim_device.sq_lock, but
 * for what collects ids.
 */
#ifndef _GPUBP_SIM_PLACE_H
#define _GPUBP_SIM_PLACE_H

#include <linux/bits.h>
#include <linux/types.h>

/* of ids of waves, not of stops */
#define SIM_WAVE_ID		BIT_ULL(63)

struct gpubp_waves;
struct sim_ctx;
struct sim_device;
struct sim_queue;
struct sim_saved_wave;
struct sim_slot;
struct sim_wave;

/**
 * struct sim_place - where a wave is; sim_device.sq_lock is held meanwhile
 * @slot: on the GPU, or NULL
 * @saved: saved, or NULL
 */
struct sim_place {
	struct sim_slot *slot;
	struct sim_saved_wave *saved;
};

/**
 * struct sim_ids - waves that a call concerns
 * @ctx: their context
 * @id: ids
 * @nr: entries of @id
 * @all: whatever there is of the context: that one ends is no failure
 */
struct sim_ids {
	struct sim_ctx *ctx;
	u64 *id;
	unsigned int nr;
	bool all;
};

static inline bool sim_place_exists(const struct sim_place *p)
{
	return p->slot || p->saved;
}

struct sim_place sim_place_find(struct sim_device *dev, u64 id);
struct sim_wave *sim_place_wave(const struct sim_place *p);
struct sim_queue *sim_place_queue(const struct sim_place *p);
unsigned int *sim_place_halts(const struct sim_place *p);
bool *sim_place_stepped(const struct sim_place *p);
bool sim_place_is_held(const struct sim_place *p);
bool sim_place_is_stopped(const struct sim_place *p);
void sim_place_set_halt(struct sim_device *dev, const struct sim_place *p,
			bool halt);

int sim_ids_collect(struct sim_ids *ids, const struct gpubp_waves *waves);
struct sim_place sim_ids_find(const struct sim_ids *ids, unsigned int i);

#endif /* _GPUBP_SIM_PLACE_H */
