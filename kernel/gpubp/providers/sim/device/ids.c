// SPDX-License-Identifier: GPL-2.0
/* Waves of a context: the list of all, and those that a call names. */
#include <linux/gpubp.h>
#include <linux/mm.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "ids.h"
#include "place.h"
#include "queue.h"
#include "save.h"
#include "stop.h"

struct list {
	struct sim_ctx *ctx;
	struct gpubp_wave_info *out;
	unsigned int max;
	unsigned int nr;
};

static void ids_list_add(struct list *list, const struct sim_place *p, u64 id)
{
	struct sim_queue *queue = sim_place_queue(p);

	if (queue->ctx != list->ctx)
		return;
	if (list->nr < list->max)
		list->out[list->nr] = (struct gpubp_wave_info) {
			.wave = id,
			.stopped = sim_place_is_stopped(p),
			.doorbell = queue->doorbell,
			.pc = sim_stop_pc(queue->ctx, sim_place_wave(p)),
		};
	list->nr++;
}

/**
 * sim_list_waves() - gpubp_ops.list_waves
 * @priv: context
 * @out: result
 * @max: entries of @out
 */
int sim_list_waves(void *priv, struct gpubp_wave_info *out, unsigned int max)
{
	struct list list = { .ctx = priv, .out = out, .max = max };
	struct sim_device *dev = list.ctx->dev;
	struct sim_saved_wave *saved;
	unsigned int i;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	for (i = 0; i < sim_device_nr_slots(dev); i++) {
		struct sim_place p = { .slot = sim_slot_at(dev, i) };

		if (p.slot->wave_id)
			ids_list_add(&list, &p, p.slot->wave_id);
	}
	list_for_each_entry(saved, &list.ctx->saved_waves, ctx_node) {
		struct sim_place p = { .saved = saved };

		ids_list_add(&list, &p, saved->wave_id);
	}
	return list.nr;
}

/* the core's resolver halts one wave, and is not to wait for memory */
static u64 *ids_alloc(struct sim_ids *ids, unsigned int nr)
{
	return nr == 1 ? &ids->one :
			 kvmalloc_array(nr, sizeof(*ids->id),
					GFP_KERNEL_ACCOUNT);
}

/** sim_ids_free() - after sim_ids_collect(), also if that failed */
void sim_ids_free(struct sim_ids *ids)
{
	if (ids->id != &ids->one)
		kvfree(ids->id);
}

static int ids_copy(struct sim_ids *ids, const struct gpubp_waves *waves)
{
	ids->id = ids_alloc(ids, waves->nr);
	if (!ids->id)
		return -ENOMEM;
	memcpy(ids->id, waves->wave, waves->nr * sizeof(*ids->id));
	ids->nr = waves->nr;
	return 0;
}

static int ids_copy_all(struct sim_ids *ids)
{
	struct gpubp_wave_info *info;
	int i, n, max = sim_list_waves(ids->ctx, NULL, 0);

	ids->all = true;
	info = kvmalloc_array(max, sizeof(*info), GFP_KERNEL_ACCOUNT);
	ids->id = kvmalloc_array(max, sizeof(*ids->id), GFP_KERNEL_ACCOUNT);
	if (max && (!info || !ids->id)) {
		kvfree(info);
		return -ENOMEM;
	}
	n = sim_list_waves(ids->ctx, info, max);
	for (i = 0; i < min(n, max); i++)
		ids->id[ids->nr++] = info[i].wave;
	kvfree(info);
	return 0;
}

/**
 * sim_ids_collect() - collect the waves that a call names
 * @ids: result; the caller frees it, also on error
 * @waves: argument of the call
 *
 * Return: 0 or -ENOMEM.
 */
int sim_ids_collect(struct sim_ids *ids, const struct gpubp_waves *waves)
{
	*ids = (struct sim_ids) { .ctx = waves->ctx };
	return waves->nr ? ids_copy(ids, waves) : ids_copy_all(ids);
}

/**
 * sim_ids_find() - find one of the waves
 * @ids: waves
 * @i: index
 *
 * An empty place if the wave belongs to another context, or if the id is that
 * of a stop: a stop id is not a stable name, it changes when the stop ends.
 */
struct sim_place sim_ids_find(const struct sim_ids *ids, unsigned int i)
{
	struct sim_place p = {};

	if (!(ids->id[i] & SIM_WAVE_ID))
		return p;
	p = sim_place_find(ids->ctx->dev, ids->id[i]);
	return sim_place_exists(&p) && sim_place_queue(&p)->ctx == ids->ctx ?
		p : (struct sim_place) {};
}
