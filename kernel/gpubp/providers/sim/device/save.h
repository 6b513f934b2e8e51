/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Saved workgroups: registers, LDS and barrier state, in memory that was
 * allocated before the launch.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_SAVE_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_SAVE_H

#include <linux/list.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include "cu.h"

struct sim_ctx;
struct sim_device;
struct sim_dispatch;
struct sim_queue;

/* size of the state in struct sim_wave */
#define SIM_WAVE_STATE		offsetof(struct sim_wave, work)

/**
 * struct sim_saved_wave - a saved wave
 * @node: in sim_device.saved_waves by @stop_id; under sim_device.sq_lock, as
 *	all that follows
 * @id_node: in sim_device.saved_ids by @wave_id
 * @ctx_node: in sim_ctx.saved_waves
 * @save: its workgroup
 * @wave_id: sim_slot.wave_id
 * @halts: sim_slot.halts
 * @stop_id: sim_slot.stop_id
 * @reported: sim_slot.reported
 * @stepped: sim_slot.stepped
 * @hit_pending: sim_slot.hit_pending
 * @can_run: it would execute if restored: not halted, not at a barrier
 * @state: first SIM_WAVE_STATE bytes of struct sim_wave; its vector registers
 *	are in @save, too: use sim_saved_wave()
 */
struct sim_saved_wave {
	struct hlist_node node;
	struct hlist_node id_node;
	struct list_head ctx_node;
	struct sim_save_area *save;
	u64 wave_id;
	unsigned int halts;
	u64 stop_id;
	unsigned int reported;
	bool stepped;
	bool hit_pending;
	bool can_run;
	u8 state[SIM_WAVE_STATE] __aligned(8);
};

/**
 * struct sim_save_area - memory to save one workgroup
 * @pool_node: in sim_queue.save_areas; under sim_device.lock, as all but @waves
 * @size: bytes of @data
 * @used: claimed by a workgroup, on the GPU or saved
 * @node: in sim_ctx.saved while the workgroup is off the GPU
 * @group: the workgroup
 * @group_node: in sim_ctx.groups while @used
 * @traps: SPI_GDBG_PER_VMID_CNTL at its launch: trap causes in addition to
 *	those of the program; 0 if there was no handler
 * @waves: its waves, sim_group.nr_waves of them, in @data
 * @lds: its LDS, in @data
 * @data: memory for @waves, vector registers and @lds
 */
struct sim_save_area {
	struct list_head pool_node;
	size_t size;
	bool used;
	struct list_head node;
	struct sim_group group;
	struct list_head group_node;
	u32 traps;
	struct sim_saved_wave *waves;
	void *lds;
	u8 data[] __aligned(8);
};

/*
 * sim_saved_wave() - the wave; without its member "work", which is not saved
 */
static inline struct sim_wave *sim_saved_wave(struct sim_saved_wave *saved)
{
	return (struct sim_wave *)saved->state;
}

/* save_area.c; all but the first two under sim_device.lock */
int sim_save_area_reserve(struct sim_queue *queue,
			  const struct sim_dispatch *dispatch);
void sim_save_area_free_all(struct sim_queue *queue);
struct sim_save_area *sim_save_area_claim(struct sim_queue *queue,
					  const struct sim_dispatch *dispatch);
void sim_save_area_release(struct sim_save_area *save);
void sim_save_area_release_scratch(struct sim_group *group);
void sim_save_area_group_ended(struct sim_group *group);
void sim_save_area_drop(struct sim_queue *queue);
size_t sim_save_area_vgpr_bytes(const struct sim_dispatch *dispatch);
size_t sim_save_area_lds_bytes(const struct sim_dispatch *dispatch);

/* saved.c; under sim_device.sq_lock but for the last two */
void sim_saved_link(struct sim_device *dev, struct sim_saved_wave *saved);
void sim_saved_unlink(struct sim_device *dev, struct sim_saved_wave *saved);
void sim_saved_written(struct sim_device *dev, struct sim_saved_wave *saved);
unsigned int sim_saved_recount(struct sim_ctx *ctx);
struct sim_saved_wave *sim_saved_find_stop(struct sim_device *dev, u64 stop_id);
struct sim_saved_wave *sim_saved_find(struct sim_device *dev, u64 wave_id);
/* under sim_device.lock */
bool sim_saved_can_run(const struct sim_ctx *ctx);
bool sim_saved_has_pending_hits(struct sim_device *dev);

/* save.c; by a compute unit's thread */
bool sim_save_groups(struct sim_cu *cu);
void sim_save_restore(struct sim_group *group);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_SAVE_H */
