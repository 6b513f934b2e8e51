// SPDX-License-Identifier: GPL-2.0
/*
 * Stopped waves as a driver handles them: it reads the interrupt's cookie and
 * the wave's registers, and addresses both by position.
 *
 * A position is reused by one wave after another, a wave changes its position
 * when it is saved and restored, and it may stop many times. A stop id names
 * one stop and is never reused. It is saved and restored with the wave. It
 * changes when the wave is resumed and when it ends; the end of a wave waits
 * for pending interrupts.
 */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/gpubp.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include "../../../isa/gfx9/trap.h"
#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "ih.h"
#include "queue.h"
#include "record.h"
#include "save.h"
#include "sq.h"
#include "stop.h"

/* longest time from the handler's message to its end */
#define HALT_TIMEOUT		(2 * HZ)

/*
 * Stop id: position[15:0] of the wave when the id was allocated, then a number.
 */
#define ID_POSITION_BITS	16
#define ID_POSITION(id)		((id) & GENMASK_ULL(ID_POSITION_BITS - 1, 0))
#define ID_NO_POSITION		GENMASK(ID_POSITION_BITS - 1, 0)

static u64 next_stop_id(struct sim_device *dev, unsigned int position)
{
	lockdep_assert_held(&dev->sq_lock);
	return ++dev->nr_stops << ID_POSITION_BITS | position;
}

/* the stop ended, or moved with the wave */
static void renew_stop_id(struct sim_slot *slot)
{
	slot->stop_id = next_stop_id(slot->cu->dev, sim_slot_index(slot));
	slot->reported = 0;
}

/* slow path: the wave moved since the id was allocated */
static struct sim_slot *search_stop(struct sim_device *dev, u64 id)
{
	unsigned int i;

	for (i = 0; i < sim_device_nr_slots(dev); i++)
		if (sim_slot_at(dev, i)->stop_id == id)
			return sim_slot_at(dev, i);
	return NULL;
}

/* slot whose wave is in stop @id, or NULL */
static struct sim_slot *find_stop(struct sim_device *dev, u64 id)
{
	struct sim_slot *slot;

	lockdep_assert_held(&dev->sq_lock);
	slot = sim_slot_at(dev, ID_POSITION(id));
	return slot && slot->stop_id == id ? slot : search_stop(dev, id);
}

/** sim_stop_init() - allocate stop ids for all positions */
void sim_stop_init(struct sim_device *dev)
{
	unsigned int i;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	for (i = 0; i < sim_device_nr_slots(dev); i++)
		renew_stop_id(sim_slot_at(dev, i));
}

/*
 * SQ registers of one wave
 */

static void select_cu(struct sim_slot *slot)
{
	lockdep_assert_held(&slot->cu->dev->sq_lock);
	sim_wreg(slot->cu->dev, regGRBM_GFX_INDEX, slot->cu->nr);
}

static void select_all(struct sim_device *dev)
{
	sim_wreg(dev, regGRBM_GFX_INDEX, GFX_INDEX_BROADCAST);
}

static void set_index(struct sim_slot *slot, u32 index, u32 lane)
{
	sim_wreg(slot->cu->dev, regSQ_IND_INDEX,
		 slot->nr | slot->simd << SQ_IND_SIMD_SHIFT |
		 lane << SQ_IND_THREAD_SHIFT | SQ_IND_AUTO_INCR |
		 index << SQ_IND_INDEX_SHIFT);
}

static u32 read_control(struct sim_slot *slot, u32 index)
{
	u32 value;

	select_cu(slot);
	set_index(slot, index, 0);
	value = sim_rreg(slot->cu->dev, regSQ_IND_DATA);
	select_all(slot->cu->dev);
	return value;
}

static u64 pc_in_program(const struct sim_ctx *ctx, const struct sim_wave *wave,
			 u64 pc)
{
	const struct gpubp_isa *isa = sim_config_isa(&ctx->dev->config);

	return isa->park_offset && gfx9_is_parked(sim_bank_tba(&ctx->bank), pc) ?
	       gfx9_parked_pc(&wave->s[GFX9_PARK_REG], false) : pc;
}

static u64 read_pc(struct sim_slot *slot)
{
	u64 pc = read_control(slot, SQ_WAVE_PC_LO) |
		 (u64)read_control(slot, SQ_WAVE_PC_HI) << 32;

	return pc_in_program(slot->ctx, &slot->wave, pc);
}

/** sim_stop_pc() - pc of a wave of @ctx in its program, also if it is parked */
u64 sim_stop_pc(const struct sim_ctx *ctx, const struct sim_wave *wave)
{
	return pc_in_program(ctx, wave, READ_ONCE(wave->pc));
}

/* the pc among registers that were read, of a wave that does not execute */
static void read_show_pc(const struct sim_ctx *ctx,
			 const struct sim_wave *wave,
			 const struct gpubp_reg_req *req, u32 *out)
{
	u64 pc = sim_stop_pc(ctx, wave);
	unsigned int reg;

	if (req->file != GPUBP_REG_CONTROL)
		return;
	for (reg = 0; reg < req->count; reg++) {
		if (req->first + reg == HWREG_PC_LO)
			out[reg] = lower_32_bits(pc);
		if (req->first + reg == HWREG_PC_HI)
			out[reg] = upper_32_bits(pc);
	}
}

/*
 * sim_stop_is_halted() - halted outside the handler? sim_device.sq_lock is held
 */
bool sim_stop_is_halted(struct sim_slot *slot)
{
	u32 status = read_control(slot, SQ_WAVE_STATUS);

	return (status & (STATUS_HALT | STATUS_PRIV)) == STATUS_HALT;
}

/**
 * sim_stop_command() - set or clear STATUS.HALT through SQ_CMD
 * @slot: the wave; sim_device.sq_lock is held
 * @halt: set
 */
void sim_stop_command(struct sim_slot *slot, bool halt)
{
	struct sim_device *dev = slot->cu->dev;

	select_cu(slot);
	sim_wreg(dev, regSQ_CMD,
		 SQ_CMD_SETHALT | halt << SQ_CMD_DATA_SHIFT |
		 slot->nr << SQ_CMD_WAVE_SHIFT |
		 slot->simd << SQ_CMD_SIMD_SHIFT);
	select_all(dev);
}

/* the wave stays halted for other halts and other hits of the same stop */
static void resume_slot(struct sim_slot *slot)
{
	if (slot->reported > 1) {
		slot->reported--;
		return;
	}
	renew_stop_id(slot);
	if (!slot->halts)
		sim_stop_command(slot, false);
}

static bool is_saved_halted(struct sim_saved_wave *saved)
{
	return sim_saved_wave(saved)->status & STATUS_HALT;
}

/* clear HALT in the save area, as a driver that owns that memory can */
static void resume_saved(struct sim_device *dev, struct sim_saved_wave *saved)
{
	struct sim_wave *wave = sim_saved_wave(saved);

	if (saved->reported > 1) {
		saved->reported--;
		return;
	}
	hash_del(&saved->node);
	saved->stop_id = next_stop_id(dev, ID_NO_POSITION);
	saved->reported = 0;
	hash_add(dev->saved_waves, &saved->node, saved->stop_id);
	if (saved->halts)
		return;
	wave->status &= ~STATUS_HALT;
	sim_saved_written(dev, saved);
	sim_cu_kick_all(dev);
}

/**
 * sim_stop_resume() - resume a stopped wave
 * @dev: device
 * @id: the stop; no effect if it ended already
 *
 * Any context.
 */
void sim_stop_resume(struct sim_device *dev, u64 id)
{
	struct sim_saved_wave *saved;
	struct sim_slot *slot;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	saved = sim_saved_find_stop(dev, id);
	slot = saved ? NULL : find_stop(dev, id);
	if (saved)
		resume_saved(dev, saved);
	else if (slot)
		resume_slot(slot);
}

static void resume_all_saved(struct sim_device *dev)
{
	struct sim_saved_wave *saved;
	struct hlist_node *tmp;
	int i;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	hash_for_each_safe(dev->saved_waves, i, tmp, saved, node) {
		saved->halts = 0;
		saved->reported = 0;
		if (is_saved_halted(saved))
			resume_saved(dev, saved);
	}
}

/**
 * sim_stop_resume_all() - resume all halted waves
 * @dev: device; no further message halts a wave
 *
 * Saved waves are scanned twice, before and after the slots, since a wave may
 * be saved or restored during the scan.
 */
void sim_stop_resume_all(struct sim_device *dev)
{
	unsigned int i;

	resume_all_saved(dev);
	for (i = 0; i < sim_device_nr_slots(dev); i++) {
		struct sim_slot *slot = sim_slot_at(dev, i);

		guard(raw_spinlock_irqsave)(&dev->sq_lock);
		slot->halts = 0;
		slot->reported = 0;
		sim_record_set_seen(slot);
		if (sim_stop_is_halted(slot))
			resume_slot(slot);
	}
	resume_all_saved(dev);
}

static unsigned int count_saved(struct sim_device *dev)
{
	struct sim_saved_wave *saved;
	unsigned int n = 0;
	int i;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	hash_for_each(dev->saved_waves, i, saved, node)
		n += is_saved_halted(saved);
	return n;
}

/** sim_stop_count() - number of halted waves */
unsigned int sim_stop_count(struct sim_device *dev)
{
	unsigned int i, n = count_saved(dev);

	for (i = 0; i < sim_device_nr_slots(dev); i++) {
		guard(raw_spinlock_irqsave)(&dev->sq_lock);
		n += sim_stop_is_halted(sim_slot_at(dev, i));
	}
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(sim_stop_count);

/**
 * sim_stop_attach() - attach a wave to @slot
 * @slot: slot of the calling thread's compute unit; sim_device.sq_lock is held
 * @queue: the wave's queue
 */
void sim_stop_attach(struct sim_slot *slot, struct sim_queue *queue)
{
	lockdep_assert_held(&slot->cu->dev->sq_lock);
	slot->ctx = queue->ctx;
	slot->doorbell = queue->doorbell;
	sim_record_set_seen(slot);
}

/**
 * sim_stop_detach() - detach the wave in @slot, which is saved or ended
 * @slot: slot of the calling thread's compute unit; sim_device.sq_lock is held
 */
void sim_stop_detach(struct sim_slot *slot)
{
	lockdep_assert_held(&slot->cu->dev->sq_lock);
	renew_stop_id(slot);
	slot->wave_id = 0;
	slot->halts = 0;
	slot->stepped = false;
	slot->ctx = NULL;
}

/**
 * sim_stop_begin() - a wave starts in @slot
 * @slot: slot of the calling thread's compute unit
 * @queue: the wave's queue
 */
void sim_stop_begin(struct sim_slot *slot, struct sim_queue *queue)
{
	guard(raw_spinlock_irqsave)(&slot->cu->dev->sq_lock);
	sim_stop_attach(slot, queue);
}

/**
 * sim_stop_end() - the wave in @slot ends
 * @slot: slot of the calling thread's compute unit
 *
 * Pending messages are reported before the position is reused, so that none is
 * attributed to the next wave.
 */
void sim_stop_end(struct sim_slot *slot)
{
	struct sim_device *dev = slot->cu->dev;

	sim_ih_flush(dev);
	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	sim_stop_detach(slot);
}

/**
 * sim_stop_end_step() - mark the record of a finished step as seen
 * @slot: slot; sim_device.sq_lock is held, and the wave has stopped
 *
 * If the record shows anything else than a step, it is left for the core, even
 * if the message was lost.
 */
void sim_stop_end_step(struct sim_slot *slot)
{
	struct gpubp_trap_record record;

	lockdep_assert_held(&slot->cu->dev->sq_lock);
	if (sim_record_read(slot, &record) && sim_record_is_step(slot, &record))
		slot->seen_seq = record.seq;
}

/*
 * Interrupts
 */

static u32 ih_payload(const u32 *entry)
{
	return (entry[4] & SQ_CTX0_DATA) |
	       (entry[4] >> SQ_CTX0_DATA_HI_SHIFT) << 12 |
	       (entry[5] & 0xff) << 16;
}

static bool is_sq_message(const u32 *entry)
{
	return IH_DW0_CLIENT(entry[0]) == IH_CLIENT_SE0SH &&
	       IH_DW0_SOURCE(entry[0]) == IH_SRC_SQ &&
	       ((entry[4] >> SQ_CTX0_ENC_SHIFT) & 3) == SQ_ENC_INST;
}

/* the core can map a VMID to a context only if residency is reported */
static u32 valid_fields(const struct sim_device *dev)
{
	return GPUBP_HITF_PASID | GPUBP_HITF_DOORBELL | GPUBP_HITF_POSITION |
	       GPUBP_HITF_TIME |
	       (dev->config.residency == GPUBP_RESIDENCY_REPORTED ?
		GPUBP_HITF_VMID : 0);
}

static void parse_entry(const struct sim_device *dev, const u32 *entry,
			struct gpubp_hit *hit)
{
	u32 ctx0 = entry[4];

	*hit = (struct gpubp_hit){
		.valid = valid_fields(dev) | GPUBP_HITF_CODE,
		.vmid = IH_DW0_VMID(entry[0]),
		.pasid = IH_DW3_PASID(entry[3]),
		.doorbell = ih_payload(entry) & DBG_PAYLOAD_DOORBELL,
		.se = (ctx0 >> SQ_CTX0_SE_SHIFT) & 0x3,
		.sh = (ctx0 >> SQ_CTX0_SH_SHIFT) & 0x1,
		.cu = (ctx0 >> SQ_CTX0_CU_SHIFT) & 0xf,
		.simd = (ctx0 >> SQ_CTX0_SIMD_SHIFT) & 0x3,
		.wave_slot = (ctx0 >> SQ_CTX0_WAVE_SHIFT) & 0xf,
		.code = ih_payload(entry) >> DBG_PAYLOAD_CODE_SHIFT,
		.gpu_time = sim_ih_time_ns(entry),
		.stopped = GPUBP_STOPS_WAVE,
	};
}

/* false if there is nothing to report */
static bool take_stop_id(struct sim_device *dev, struct gpubp_hit *hit)
{
	struct sim_slot *slot = sim_cu_slot(dev, hit->cu, hit->simd,
					    hit->wave_slot);

	if (!slot || sim_record_sent_step(slot))
		return false;
	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	sim_record_set_seen(slot);
	slot->reported++;
	hit->wave = slot->stop_id;
	hit->listed = slot->wave_id;
	return true;
}

static void report_hit(struct sim_device *dev, const struct gpubp_hit *hit)
{
	if (!READ_ONCE(dev->quiet)) {
		if (gpubp_report(dev->core, hit) == GPUBP_TAKEN)
			return;
		sim_stat_inc(dev, SIM_STAT_RELEASED);
	}
	sim_stop_resume(dev, hit->wave);
}

/* a reset empties the ring and ends the waves */
static bool lost_in_reset(struct sim_device *dev, const struct gpubp_hit *hit)
{
	if (!READ_ONCE(dev->resetting))
		return false;
	if (hit->code & DBG_CODE_WAVE_TRAP)
		sim_stat_inc(dev, SIM_STAT_LOST);
	return true;
}

static void report_entry(struct sim_device *dev, const u32 *entry)
{
	struct gpubp_hit hit;

	parse_entry(dev, entry, &hit);
	if (hit.code == DBG_CODE_RECORDED) {
		if (!READ_ONCE(dev->quiet))
			gpubp_recorded(dev->core);
		return;
	}
	if (lost_in_reset(dev, &hit) || !take_stop_id(dev, &hit))
		return;
	if (hit.code & DBG_CODE_WAVE_TRAP) {
		report_hit(dev, &hit);
		if (sim_fault(dev, SIM_FAULT_RESET))
			schedule_work(&dev->reset);
		return;
	}
	sim_stat_inc(dev, SIM_STAT_OTHER_MSGS);
	sim_stop_resume(dev, hit.wave);
}

/**
 * sim_stop_interrupt() - handle an entry of the interrupt ring
 * @dev: device
 * @entry: SIM_IH_DWORDS
 *
 * Hard interrupt.
 */
void sim_stop_interrupt(struct sim_device *dev, const u32 *entry)
{
	if (!is_sq_message(entry))
		return;
	if (entry[4] & SQ_CTX0_PRIV)
		report_entry(dev, entry);
	else
		sim_stat_inc(dev, SIM_STAT_USER_MSGS);
}

/*
 * Lost messages: a wave is halted and its stop was not reported.
 *
 * A debugger, or root through SQ_CMD, halts waves, too. The handler's record
 * distinguishes the two: it counts the stops at the wave's position, and holds
 * the pc at which the wave resumes.
 */

static bool is_lost(struct sim_slot *slot)
{
	struct gpubp_trap_record record;

	if (!slot->ctx || !sim_stop_is_halted(slot))
		return false;
	return sim_record_read(slot, &record) && record.seq != slot->seen_seq &&
	       record.pc == read_pc(slot) && !sim_record_is_step(slot, &record);
}

static u64 lost_stop_id(struct sim_slot *slot)
{
	guard(raw_spinlock_irqsave)(&slot->cu->dev->sq_lock);
	return is_lost(slot) ? slot->stop_id : 0;
}

/*
 * Build the hit that the interrupt would have reported. HW_ID has the position
 * and the VMID; a register of IH has the PASID of that VMID. The doorbell is a
 * register (CP_HQD_PQ_DOORBELL_CONTROL) of the hardware queue that HW_ID names.
 * The time is now: the comparators have not changed since the stop, as each
 * commit sweeps before it changes them.
 */
static void fill_lost(struct sim_slot *slot, struct gpubp_hit *hit)
{
	u32 hw_id = read_control(slot, SQ_WAVE_HW_ID);

	*hit = (struct gpubp_hit){
		.valid = valid_fields(slot->cu->dev),
		.vmid = HW_ID_VMID(hw_id),
		.pasid = slot->ctx->pasid,
		.doorbell = slot->doorbell,
		.se = HW_ID_SE(hw_id),
		.sh = HW_ID_SH(hw_id),
		.cu = HW_ID_CU(hw_id),
		.simd = HW_ID_SIMD(hw_id),
		.wave_slot = HW_ID_WAVE(hw_id),
		.wave = slot->stop_id,
		.listed = slot->wave_id,
		.gpu_time = ktime_get_ns(),
	};
}

static bool take_lost(struct sim_slot *slot, u64 id, struct gpubp_hit *hit)
{
	guard(raw_spinlock_irqsave)(&slot->cu->dev->sq_lock);
	if (slot->stop_id != id || !is_lost(slot))
		return false;
	fill_lost(slot, hit);
	sim_record_set_seen(slot);
	slot->reported++;
	return true;
}

/**
 * sim_stop_sweep_slot() - report the stop in @slot if its message was lost
 * @slot: slot
 *
 * May sleep.
 */
void sim_stop_sweep_slot(struct sim_slot *slot)
{
	struct sim_device *dev = slot->cu->dev;
	u64 id = lost_stop_id(slot);
	struct gpubp_hit hit;

	if (!id)
		return;
	/* let a pending message report it first */
	sim_ih_flush(dev);
	if (!take_lost(slot, id, &hit))
		return;
	sim_stat_inc(dev, SIM_STAT_SWEPT);
	report_hit(dev, &hit);
}

/**
 * sim_stop_sweep() - report the stops whose messages were lost
 * @dev: device
 *
 * Covers all waves that were halted at the call. May sleep.
 */
void sim_stop_sweep(struct sim_device *dev)
{
	unsigned int i;

	/* handle entries whose interrupt was lost */
	sim_ih_flush(dev);
	for (i = 0; i < sim_device_nr_slots(dev); i++)
		sim_stop_sweep_slot(sim_slot_at(dev, i));
}

/** sim_stop_possible() - does any wave have a trap handler? */
bool sim_stop_possible(struct sim_device *dev)
{
	unsigned int i;

	for (i = 0; i < sim_device_nr_slots(dev); i++) {
		struct sim_slot *slot = sim_slot_at(dev, i);

		guard(raw_spinlock_irqsave)(&dev->sq_lock);
		if (slot->ctx && sim_bank_tba(&slot->ctx->bank))
			return true;
	}
	return false;
}

/*
 * Registers
 */

static bool is_over_or_halted(struct sim_device *dev, u64 id)
{
	struct sim_slot *slot;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	slot = find_stop(dev, id);
	return !slot || sim_stop_is_halted(slot);
}

static struct sim_slot *stop_slot(struct sim_device *dev, u64 id)
{
	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	return find_stop(dev, id);
}

/**
 * sim_stop_wait_halted() - wait until a reported wave has halted
 * @dev: device
 * @id: the stop
 *
 * The message is sent some instructions before the wave halts. The wave is not
 * saved before it halts. May sleep.
 *
 * Return: 0, or -ESRCH if the wave does not leave the handler.
 */
int sim_stop_wait_halted(struct sim_device *dev, u64 id)
{
	struct sim_slot *slot = stop_slot(dev, id);

	if (slot && !wait_event_timeout(slot->cu->wait,
					is_over_or_halted(dev, id),
					HALT_TIMEOUT))
		return -ESRCH;
	return 0;
}

/**
 * sim_stop_reg_index() - SQ_IND index of a request's registers
 * @wave: wave
 * @req: request
 * @index: (out) index of the first register
 *
 * Return: 0, or -EINVAL if the wave does not have them.
 */
int sim_stop_reg_index(const struct sim_wave *wave,
		       const struct gpubp_reg_req *req, u32 *index)
{
	unsigned int end = req->first + req->count;

	if (req->file == GPUBP_REG_SCALAR && end <= ARRAY_SIZE(wave->s))
		*index = SQ_WAVE_SCALAR0 + req->first;
	else if (req->file == GPUBP_REG_VECTOR && end <= wave->nr_vgprs)
		*index = SQ_WAVE_VGPR0 + req->first;
	else if (req->file == GPUBP_REG_CONTROL && req->first >= HWREG_MODE &&
		 end <= HWREG_PC_HI + 1)
		*index = SQ_WAVE_MODE + req->first - HWREG_MODE;
	else
		return -EINVAL;
	return 0;
}

/* lane by lane: SQ_IND auto-increments the register, not the lane */
static void read_slot_regs(struct sim_slot *slot,
			   const struct gpubp_reg_req *req, u32 index, u32 *out)
{
	unsigned int lane, reg, lanes = sim_stop_nr_lanes(req);
	u64 left = GENMASK_ULL(lanes - 1, 0);

	if (req->file == GPUBP_REG_VECTOR && req->lanes)
		left = req->lanes;
	memset(out, 0, req->count * lanes * sizeof(*out));
	select_cu(slot);
	for (; left; left &= left - 1) {
		lane = __ffs64(left);
		set_index(slot, index, lane);
		for (reg = 0; reg < req->count; reg++)
			out[reg * lanes + lane] = sim_rreg(slot->cu->dev,
							   regSQ_IND_DATA);
	}
	select_all(slot->cu->dev);
}

/**
 * sim_stop_copy_regs() - read a request's registers of a wave that does not
 *	execute
 * @wave: wave that does not execute
 * @req: request
 * @out: values
 *
 * Return: 0, or -EINVAL if the wave does not have them.
 */
int sim_stop_copy_regs(const struct sim_wave *wave,
		       const struct gpubp_reg_req *req, u32 *out)
{
	unsigned int lane, reg, lanes = sim_stop_nr_lanes(req);
	u32 index;
	int err = sim_stop_reg_index(wave, req, &index);

	for (reg = 0; !err && reg < req->count; reg++)
		for (lane = 0; lane < lanes; lane++)
			*out++ = sim_sq_wave_reg(wave, index + reg, lane);
	return err;
}

/**
 * sim_stop_read_regs() - the same, but the pc is that in its program
 * @ctx: context
 * @wave: its wave, which does not execute; sim_device.sq_lock is held
 * @req: request
 * @out: values
 *
 * Return: 0, or -EINVAL if the wave does not have them.
 */
int sim_stop_read_regs(const struct sim_ctx *ctx, const struct sim_wave *wave,
		       const struct gpubp_reg_req *req, u32 *out)
{
	int err = sim_stop_copy_regs(wave, req, out);

	if (!err)
		read_show_pc(ctx, wave, req, out);
	return err;
}

static int read_slot_request(struct sim_slot *slot,
			     const struct gpubp_reg_req *req, u32 *out)
{
	u32 index;
	int err;

	if (!slot || !sim_stop_is_halted(slot))
		return -ESRCH;
	err = sim_stop_reg_index(&slot->wave, req, &index);
	if (err)
		return err;
	read_slot_regs(slot, req, index, out);
	read_show_pc(slot->ctx, &slot->wave, req, out);
	return 0;
}

static int read_saved_request(struct sim_saved_wave *saved,
			      const struct gpubp_reg_req *req, u32 *out)
{
	if (!is_saved_halted(saved))
		return -ESRCH;
	return sim_stop_read_regs(saved->save->group.queue->ctx,
				  sim_saved_wave(saved), req, out);
}

static int read_request(struct sim_device *dev, u64 id,
			const struct gpubp_reg_req *req, u32 *out)
{
	struct sim_saved_wave *saved;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	saved = sim_saved_find_stop(dev, id);
	if (saved)
		return read_saved_request(saved, req, out);
	return read_slot_request(find_stop(dev, id), req, out);
}

/**
 * sim_stop_read() - read registers of a stopped wave
 * @dev: device
 * @id: the stop
 * @req: which registers
 * @nr: entries of @req
 * @out: values, laid out as struct gpubp_reg_req specifies
 *
 * May sleep.
 *
 * Return: 0, -ESRCH, -EINVAL.
 */
int sim_stop_read(struct sim_device *dev, u64 id,
		  const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	int err = sim_stop_wait_halted(dev, id);

	for (; !err && nr; nr--, req++) {
		err = read_request(dev, id, req, out);
		out += req->count * sim_stop_nr_lanes(req);
	}
	return err;
}
