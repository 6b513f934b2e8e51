// SPDX-License-Identifier: GPL-2.0
/*
 * SQ, the sequencer of a compute unit, as a driver sees it: registers of a wave
 * by position (SQ_IND), commands to waves (SQ_CMD), messages of waves.
 */
#include <linux/timekeeping.h>

#include "ctx.h"
#include "cu.h"
#include "queue.h"
#include "record.h"
#include "sq.h"

/* value of registers that do not exist */
#define NO_DATA		0xbebebeef

static struct sim_slot *selected_slot(struct sim_device *dev, u32 simd, u32 nr)
{
	u32 index = dev->regs.gfx_index;

	lockdep_assert_held(&dev->sq_lock);
	if ((index & GFX_INDEX_BROADCAST) || GFX_INDEX_SE(index) ||
	    GFX_INDEX_SH(index))
		return NULL;
	return sim_cu_slot(dev, GFX_INDEX_INSTANCE(index), simd, nr);
}

static u32 control_reg(const struct sim_wave *wave, u32 index)
{
	switch (index) {
	case SQ_WAVE_MODE:
		return wave->mode;
	case SQ_WAVE_STATUS:
		return wave->status;
	case SQ_WAVE_TRAPSTS:
		return wave->trapsts;
	case SQ_WAVE_HW_ID:
		return wave->hw_id;
	case SQ_WAVE_GPR_ALLOC:
		return wave->gpr_alloc;
	case SQ_WAVE_LDS_ALLOC:
		return wave->lds_alloc;
	case SQ_WAVE_IB_STS:
		return wave->ib_sts;
	case SQ_WAVE_PC_LO:
		return lower_32_bits(wave->pc);
	case SQ_WAVE_PC_HI:
		return upper_32_bits(wave->pc);
	default:
		return NO_DATA;
	}
}

/**
 * sim_sq_wave_reg() - read a register of a wave by its SQ_IND index
 * @wave: wave that does not execute
 * @index: register
 * @lane: lane, for vector registers
 */
u32 sim_sq_wave_reg(const struct sim_wave *wave, u32 index, u32 lane)
{
	if (index < SQ_WAVE_SCALAR0)
		return control_reg(wave, index);
	if (index < SQ_WAVE_SCALAR0 + ARRAY_SIZE(wave->s))
		return wave->s[index - SQ_WAVE_SCALAR0];
	if (index >= SQ_WAVE_VGPR0 && index - SQ_WAVE_VGPR0 < wave->nr_vgprs)
		return wave->v[index - SQ_WAVE_VGPR0][lane];
	return NO_DATA;
}

/*
 * Registers of a wave that executes are not readable: only its status is, as
 * valid and not halted.
 */
static u32 slot_reg(struct sim_slot *slot, u32 index, u32 lane)
{
	guard(raw_spinlock_irqsave)(&slot->cu->lock);
	if (slot->state == SIM_SLOT_FREE)
		return index == SQ_WAVE_STATUS ? 0 : NO_DATA;
	if (slot->state == SIM_SLOT_RUNNING)
		return index == SQ_WAVE_STATUS ? STATUS_VALID : NO_DATA;
	return sim_sq_wave_reg(&slot->wave, index, lane);
}

/**
 * sim_sq_ind_read() - SQ_IND_DATA
 * @dev: device
 *
 * Return: the register that GRBM_GFX_INDEX and SQ_IND_INDEX select.
 */
u32 sim_sq_ind_read(struct sim_device *dev)
{
	struct sim_regs *regs = &dev->regs;
	u32 ind = regs->ind_index;
	struct sim_slot *slot = selected_slot(dev, SQ_IND_SIMD(ind),
					      SQ_IND_WAVE(ind));

	if (ind & SQ_IND_AUTO_INCR)
		regs->ind_index += 1 << SQ_IND_INDEX_SHIFT;
	if (!slot)
		return NO_DATA;
	return slot_reg(slot, ind >> SQ_IND_INDEX_SHIFT, SQ_IND_THREAD(ind));
}

/* update the longest stop, for debugfs */
static void note_stop_time(struct sim_slot *slot)
{
	atomic64_t *longest = &slot->cu->dev->longest_stop;
	s64 ns = ktime_get_mono_fast_ns() - slot->halted_at;
	s64 old = atomic64_read(longest);

	lockdep_assert_held(&slot->cu->lock);
	while (ns > old && !atomic64_try_cmpxchg(longest, &old, ns))
		;
}

/* inside the handler the bit takes effect when the wave leaves it */
static void slot_set_halt(struct sim_slot *slot)
{
	slot->unhalt_pending = false;
	if (slot->state == SIM_SLOT_RUNNING)
		slot->halt_pending = true;
	else if (slot->state != SIM_SLOT_FREE)
		slot->wave.status |= STATUS_HALT;
	if (slot->state == SIM_SLOT_READY &&
	    !(slot->wave.status & STATUS_PRIV)) {
		slot->state = SIM_SLOT_HALTED;
		slot->halted_at = ktime_get_mono_fast_ns();
	}
}

static void slot_clear_halt(struct sim_slot *slot)
{
	slot->halt_pending = false;
	if (slot->state == SIM_SLOT_HALTED) {
		slot->wave.status &= ~STATUS_HALT;
		slot->state = SIM_SLOT_READY;
		note_stop_time(slot);
	} else if (slot->state == SIM_SLOT_BARRIER) {
		slot->wave.status &= ~STATUS_HALT;
	} else if (slot->msg_sent) {
		slot->unhalt_pending = true;
	} else if (slot->state == SIM_SLOT_READY) {
		slot->wave.status &= ~STATUS_HALT;
	}
}

static void command_halt(struct sim_slot *slot, bool halt)
{
	struct sim_cu *cu = slot->cu;

	scoped_guard(raw_spinlock_irqsave, &cu->lock) {
		if (halt)
			slot_set_halt(slot);
		else
			slot_clear_halt(slot);
	}
	sim_cu_kick(cu);
}

/**
 * sim_sq_command() - SQ_CMD
 * @dev: device
 * @cmd: value written; only SETHALT of a single wave is supported
 */
void sim_sq_command(struct sim_device *dev, u32 cmd)
{
	struct sim_slot *slot = selected_slot(dev, SQ_CMD_SIMD(cmd),
					      SQ_CMD_WAVE(cmd));

	if (slot && SQ_CMD_CMD(cmd) == SQ_CMD_SETHALT && !SQ_CMD_MODE(cmd))
		command_halt(slot, SQ_CMD_DATA(cmd));
}

static u32 cookie_ctx0(u32 hw_id, u32 payload, bool priv)
{
	return (payload & SQ_CTX0_DATA) |
	       HW_ID_SH(hw_id) << SQ_CTX0_SH_SHIFT |
	       (priv ? SQ_CTX0_PRIV : 0) |
	       HW_ID_WAVE(hw_id) << SQ_CTX0_WAVE_SHIFT |
	       HW_ID_SIMD(hw_id) << SQ_CTX0_SIMD_SHIFT |
	       HW_ID_CU(hw_id) << SQ_CTX0_CU_SHIFT |
	       HW_ID_SE(hw_id) << SQ_CTX0_SE_SHIFT |
	       SQ_ENC_INST << SQ_CTX0_ENC_SHIFT |
	       ((payload >> 12) & 0xf) << SQ_CTX0_DATA_HI_SHIFT;
}

static bool is_wave_trap(u32 payload)
{
	return (payload >> DBG_PAYLOAD_CODE_SHIFT) & DBG_CODE_WAVE_TRAP;
}

/* it is about to go on, and not to halt */
static bool is_notice(u32 payload)
{
	return payload >> DBG_PAYLOAD_CODE_SHIFT == DBG_CODE_RECORDED;
}

static void note_sent(struct sim_slot *slot)
{
	guard(raw_spinlock_irqsave)(&slot->cu->lock);
	slot->msg_sent = true;
}

/* counter of the message, or SIM_NR_STATS if it is not counted */
static enum sim_stat message_stat(struct sim_slot *slot, u32 payload, bool priv)
{
	if (!priv || !is_wave_trap(payload))
		return SIM_NR_STATS;
	return sim_record_sent_step(slot) ? SIM_STAT_STEPS : SIM_STAT_RAISED;
}

/**
 * sim_sq_message() - send MSG_INTERRUPT of a running wave
 * @slot: the wave
 * @payload: 24 bits, from m0
 */
void sim_sq_message(struct sim_slot *slot, u32 payload)
{
	struct sim_wave *wave = &slot->wave;
	struct sim_device *dev = slot->cu->dev;
	bool priv = wave->status & STATUS_PRIV;
	enum sim_stat stat = message_stat(slot, payload, priv);
	bool done;

	if (priv && !is_notice(payload))
		note_sent(slot);
	if (stat != SIM_NR_STATS)
		sim_stat_inc(dev, stat);
	done = sim_ih_raise(dev, HW_ID_VMID(wave->hw_id),
			    slot->group->queue->ctx->pasid,
			    cookie_ctx0(wave->hw_id, payload, priv),
			    (payload >> 16) & 0xff);
	if (!done && stat == SIM_STAT_RAISED)
		sim_stat_inc(dev, SIM_STAT_LOST);
}
