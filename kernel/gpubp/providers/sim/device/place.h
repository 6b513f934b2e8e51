/* SPDX-License-Identifier: GPL-2.0 */
/* Places of waves: on a compute unit, or saved. Under sim_device.sq_lock. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_PLACE_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_PLACE_H

#include <linux/bits.h>
#include <linux/types.h>

/* set in ids of waves, clear in ids of stops */
#define SIM_WAVE_ID		BIT_ULL(63)

struct sim_device;
struct sim_group;
struct sim_queue;
struct sim_saved_wave;
struct sim_slot;
struct sim_wave;

/**
 * struct sim_place - place of a wave; valid while sim_device.sq_lock is held
 * @slot: wave slot if on the GPU, or NULL
 * @saved: saved wave, or NULL
 */
struct sim_place {
	struct sim_slot *slot;
	struct sim_saved_wave *saved;
};

static inline bool sim_place_exists(const struct sim_place *p)
{
	return p->slot || p->saved;
}

struct sim_place sim_place_find(struct sim_device *dev, u64 id);
bool sim_place_find_stopped(struct sim_device *dev, u64 id, struct sim_place *p);
struct sim_wave *sim_place_wave(const struct sim_place *p);
struct sim_group *sim_place_group(const struct sim_place *p);
struct sim_queue *sim_place_queue(const struct sim_place *p);
unsigned int *sim_place_halts(const struct sim_place *p);
bool *sim_place_stepped(const struct sim_place *p);
bool sim_place_must_stop(const struct sim_place *p);
bool sim_place_is_stopped(const struct sim_place *p);
void sim_place_set_halt(struct sim_device *dev, const struct sim_place *p,
			bool halt);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_PLACE_H */
