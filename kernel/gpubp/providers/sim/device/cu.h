/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A compute unit: wave slots, vector registers, LDS, and the thread that
 * executes the waves.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_CU_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_CU_H

#include <linux/bitmap.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "../wave/wave.h"
#include "device.h"
#include "vm.h"

struct task_struct;
struct sim_dispatch;
struct sim_queue;
struct sim_save_area;

/* timeout for the end of a slice, on the slowest machine */
#define SIM_SLICE_TIMEOUT	(10 * HZ)

#define SIM_GROUP_WAVES		16	/* at most, of a workgroup */

/**
 * enum sim_slot_state - state of a wave slot
 * @SIM_SLOT_FREE: no wave
 * @SIM_SLOT_READY: waits for a slice
 * @SIM_SLOT_RUNNING: the thread executes the wave
 * @SIM_SLOT_HALTED: STATUS.HALT, outside the trap handler
 * @SIM_SLOT_BARRIER: waits at the barrier of its group
 */
enum sim_slot_state {
	SIM_SLOT_FREE,
	SIM_SLOT_READY,
	SIM_SLOT_RUNNING,
	SIM_SLOT_HALTED,
	SIM_SLOT_BARRIER,
};

/**
 * struct sim_slot - a wave slot of a SIMD
 * @wave: the wave; thread only while @state is RUNNING, else under sim_cu.lock
 * @cu: compute unit; constant
 * @simd: SIMD in @cu; constant
 * @nr: slot in @simd; constant
 * @state: enum sim_slot_state; under sim_cu.lock
 * @msg_sent: in the trap handler after a privileged message; under sim_cu.lock
 * @unhalt_pending: a command to clear STATUS.HALT arrived while @msg_sent,
 *	before the handler set the bit; under sim_cu.lock
 * @halted_at: time when @state became HALTED, ns of CLOCK_MONOTONIC; under
 *	sim_cu.lock
 * @halt_pending: a command to set STATUS.HALT arrived while RUNNING; under
 *	sim_cu.lock
 * @wave_id: id of the wave for its lifetime, in a slot or saved; 0 none; under
 *	sim_device.sq_lock
 * @halts: halts of the wave that were not resumed; under sim_device.sq_lock
 * @stop_id: id of the current or next stop of this slot, never reused; under
 *	sim_device.sq_lock
 * @reported: hits of that stop that were reported and are not done: more than
 *	one if the wave was stepped in between; under sim_device.sq_lock
 * @stepped: sim_step() waits for the end of a single step; under
 *	sim_device.sq_lock
 * @ctx: context of the wave, NULL if there is no wave; under sim_device.sq_lock
 * @doorbell: doorbell of its queue; under sim_device.sq_lock
 * @seen_seq: sequence number of the handler's record of this slot that was
 *	accounted last; under sim_device.sq_lock
 * @group: its workgroup; thread only
 * @vgpr_block: first of its register blocks; thread only
 * @nr_vgpr_blocks: number of register blocks; thread only
 * @seen_insts: instructions accounted; thread only
 * @page_failed_inst: instruction (sim_wave.nr_insts) whose page could not be
 *	faulted in, 0 none; thread only
 * @hit_pending: a hit for which the wave had not trapped when its slice ended
 */
struct sim_slot {
	struct sim_wave wave;
	struct sim_cu *cu;
	u8 simd;
	u8 nr;
	enum sim_slot_state state;
	bool msg_sent;
	bool unhalt_pending;
	u64 halted_at;
	bool halt_pending;
	u64 wave_id;
	unsigned int halts;
	u64 stop_id;
	unsigned int reported;
	bool stepped;
	struct sim_ctx *ctx;
	u32 doorbell;
	u32 seen_seq;
	struct sim_group *group;
	u16 vgpr_block;
	u16 nr_vgpr_blocks;
	u64 seen_insts;
	u64 page_failed_inst;
	bool hit_pending;
};

/**
 * struct sim_group - a workgroup on a compute unit; thread only
 * @cu: its compute unit
 * @dispatch: its dispatch; NULL if this entry is free
 * @queue: the dispatch's queue
 * @wg: coordinates in the grid
 * @save: its save area
 * @scratch: scratch memory indices in its queue, one for each wave launched
 * @nr_scratch: entries of @scratch
 * @nr_waves: waves that have not ended
 * @nr_waiting: of these, the waves that wait at the barrier
 * @lds_block: first of its LDS blocks
 * @lds_size: bytes of LDS
 * @bank: banked registers at its launch
 */
struct sim_group {
	struct sim_cu *cu;
	struct sim_dispatch *dispatch;
	struct sim_queue *queue;
	u32 wg[3];
	struct sim_save_area *save;
	u16 scratch[SIM_GROUP_WAVES];
	u8 nr_scratch;
	unsigned int nr_waves;
	unsigned int nr_waiting;
	u16 lds_block;
	u32 lds_size;
	struct sim_bank bank;
};

/**
 * struct sim_cu - a compute unit
 * @dev: device
 * @nr: index in the device
 * @thread: runs the waves
 * @kicked: there may be work
 * @try_place: a workgroup may fit
 * @place_tried_at: time of the last attempt, jiffies; thread only
 * @lock: see sim_slot
 * @slot: wave slots, SIMD by SIMD
 * @group: workgroups
 * @vgprs: register file, SIMD by SIMD
 * @vgpr_map: used blocks of each SIMD
 * @lds: local data share
 * @lds_map: used blocks
 * @tlb: cached translations
 * @icache: cached instructions; thread only
 * @decoded: instructions decoded, SIM_NR_DECODED; thread only
 * @slices: number of slice begins and ends: odd while a slice runs
 * @wait: waiters for the end of a slice
 * @nr_insts: instructions executed; written by the thread only
 * @paging: a wave waits for a page; thread only
 */
struct sim_cu {
	struct sim_device *dev;
	unsigned int nr;
	struct task_struct *thread;
	bool kicked;
	bool try_place;
	unsigned long place_tried_at;
	raw_spinlock_t lock;
	struct sim_slot slot[SIM_CU_SLOTS];
	struct sim_group group[SIM_CU_SLOTS];
	u32 (*vgprs)[SIM_LANES];
	DECLARE_BITMAP(vgpr_map[SIM_NR_SIMDS], SIM_SIMD_BLOCKS);
	void *lds;
	DECLARE_BITMAP(lds_map, SIM_LDS_BLOCKS);
	struct sim_tlb tlb;
	struct sim_fetch_cache *icache;
	struct sim_decoded *decoded;
	u64 slices;
	wait_queue_head_t wait;
	u64 nr_insts;
	bool paging;
};

struct sim_cu *sim_cu_create(struct sim_device *dev, unsigned int nr,
			     int (*run)(void *cu));
void sim_cu_destroy(struct sim_cu *cu);
void sim_cu_place_soon(struct sim_cu *cu);
void sim_cu_kick(struct sim_cu *cu);
void sim_cu_kick_all(struct sim_device *dev);
bool sim_cu_drain(struct sim_device *dev, unsigned long timeout);
struct sim_slot *sim_cu_slot(struct sim_device *dev, unsigned int cu,
			     unsigned int simd, unsigned int nr);

/** sim_slot_index() - number of a wave slot in the device */
static inline unsigned int sim_slot_index(const struct sim_slot *slot)
{
	return slot->cu->nr * SIM_CU_SLOTS + (slot - slot->cu->slot);
}

/** sim_slot_vgprs() - vector registers of the wave in a slot */
static inline u32 (*sim_slot_vgprs(const struct sim_slot *slot))[SIM_LANES]
{
	return slot->cu->vgprs + slot->simd * SIM_NR_VGPRS +
	       slot->vgpr_block * SIM_VGPR_BLOCK;
}

/** sim_slot_at() - wave slot @index of the device, NULL if out of range */
static inline struct sim_slot *sim_slot_at(struct sim_device *dev,
					   unsigned int index)
{
	if (index >= sim_device_nr_slots(dev))
		return NULL;
	return &dev->cu[index / SIM_CU_SLOTS]->slot[index % SIM_CU_SLOTS];
}

/** sim_wave_in_trap() - in the trap handler, or about to enter it */
static inline bool sim_wave_in_trap(const struct sim_wave *wave)
{
	return wave->pending || (wave->status & STATUS_PRIV);
}

/** sim_group_lds() - the group's LDS */
static inline void *sim_group_lds(const struct sim_group *group)
{
	return group->cu->lds + group->lds_block * SIM_LDS_BLOCK;
}

static inline struct sim_slot *sim_slot_of(struct sim_wave *wave)
{
	return container_of(wave, struct sim_slot, wave);
}

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_CU_H */
