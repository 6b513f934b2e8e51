// SPDX-License-Identifier: GPL-2.0
/*
 * Places: a wave is on a compute unit, where SQ_CMD halts it, or saved, where
 * its saved STATUS has the halt bit.
 */
#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "place.h"
#include "queue.h"
#include "save.h"
#include "stop.h"

static bool slot_has_id(const struct sim_slot *slot, u64 id)
{
	return id & SIM_WAVE_ID ? slot->wave_id == id :
				  slot->wave_id && slot->stop_id == id;
}

/**
 * sim_place_find() - find a wave
 * @dev: device
 * @id: id of the wave, or of its current stop
 */
struct sim_place sim_place_find(struct sim_device *dev, u64 id)
{
	unsigned int i;

	lockdep_assert_held(&dev->sq_lock);
	for (i = 0; i < sim_device_nr_slots(dev); i++) {
		struct sim_slot *slot = sim_slot_at(dev, i);

		if (slot_has_id(slot, id))
			return (struct sim_place) { .slot = slot };
	}
	return (struct sim_place) {
		.saved = id & SIM_WAVE_ID ? sim_saved_find(dev, id) :
					    sim_saved_find_stop(dev, id),
	};
}

/** sim_place_find_stopped() - likewise; false: there is none, or it is not stopped */
bool sim_place_find_stopped(struct sim_device *dev, u64 id, struct sim_place *p)
{
	*p = sim_place_find(dev, id);
	return sim_place_exists(p) && sim_place_is_stopped(p);
}

/** sim_place_wave() - the wave at a place */
struct sim_wave *sim_place_wave(const struct sim_place *p)
{
	return p->slot ? &p->slot->wave : sim_saved_wave(p->saved);
}

/** sim_place_group() - the wave's workgroup, on its compute unit or saved */
struct sim_group *sim_place_group(const struct sim_place *p)
{
	return p->slot ? p->slot->group : &p->saved->save->group;
}

/** sim_place_queue() - the wave's queue */
struct sim_queue *sim_place_queue(const struct sim_place *p)
{
	return sim_place_group(p)->queue;
}

/** sim_place_halts() - number of halts of the wave that were not resumed */
unsigned int *sim_place_halts(const struct sim_place *p)
{
	return p->slot ? &p->slot->halts : &p->saved->halts;
}

/*
 * sim_place_stepped() - flag: sim_step() waits for the end of a step of the
 * wave
 */
bool *sim_place_stepped(const struct sim_place *p)
{
	return p->slot ? &p->slot->stepped : &p->saved->stepped;
}

/** sim_place_must_stop() - does a halt, or a hit not done, keep it stopped? */
bool sim_place_must_stop(const struct sim_place *p)
{
	unsigned int hits = p->slot ? p->slot->reported : p->saved->reported;

	return *sim_place_halts(p) || hits;
}

/** sim_place_is_stopped() - does the wave execute nothing until resumed? */
bool sim_place_is_stopped(const struct sim_place *p)
{
	if (p->slot)
		return sim_stop_is_halted(p->slot);
	return (sim_place_wave(p)->status & STATUS_HALT) ||
	       READ_ONCE(sim_place_queue(p)->ctx->suspended);
}

/**
 * sim_place_set_halt() - set or clear STATUS.HALT
 * @dev: device
 * @p: place of the wave
 * @halt: set
 */
void sim_place_set_halt(struct sim_device *dev, const struct sim_place *p,
			bool halt)
{
	struct sim_wave *wave = sim_place_wave(p);

	lockdep_assert_held(&dev->sq_lock);
	if (p->slot) {
		sim_stop_command(p->slot, halt);
		return;
	}
	wave->status = (wave->status & ~STATUS_HALT) | (halt ? STATUS_HALT : 0);
	sim_saved_written(dev, p->saved);
	if (!halt)
		sim_cu_kick_all(dev);
}
