// SPDX-License-Identifier: GPL-2.0
/*
 * Single step: a halted wave resumes, and MODE.DEBUG_EN makes it enter the trap
 * handler after its next instruction; the handler halts it again. A record that
 * shows only the step is consumed here (stop.c); anything else that happened in
 * the instruction is reported as usual.
 *
 * Instructions that the ISA marks as such are simulated: s_setreg of MODE could
 * clear DEBUG_EN, and the wave would not stop.
 */
#include <linux/delay.h>
#include <linux/gpubp.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include "../wave/wave.h"
#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "ids.h"
#include "ih.h"
#include "place.h"
#include "queue.h"
#include "save.h"
#include "stop.h"
#include "wavectl.h"

/* a context may have to wait for a VMID, and an instruction for pages */
#define STEP_TIMEOUT		(60 * HZ)

/* longest instruction of the software GPU, bytes */
#define INSN_BYTES		8

static bool ctx_has_handler(struct sim_ctx *ctx)
{
	return sim_bank_tba(&ctx->bank);
}

/* ---- begin --------------------------------------------------------------- */

static int step_check_one(const struct sim_ids *ids, const struct sim_place *p)
{
	if (!sim_place_exists(p))
		return ids->all ? 0 : -ESRCH;
	if (!sim_place_is_stopped(p) || !sim_place_must_stop(p))
		return -ESRCH;
	return *sim_place_stepped(p) ? -EBUSY : 0;
}

static int step_check_all(const struct sim_ids *ids)
{
	unsigned int i;
	int err = 0;

	if (READ_ONCE(ids->ctx->suspended))
		return -EBUSY;
	for (i = 0; i < ids->nr && !err; i++) {
		struct sim_place p = sim_ids_find(ids, i);

		err = step_check_one(ids, &p);
	}
	return err;
}

/* mark all waves as stepped, or none */
static int step_begin(const struct sim_ids *ids)
{
	unsigned int i;
	int err;

	guard(raw_spinlock_irqsave)(&ids->ctx->dev->sq_lock);
	if (!ctx_has_handler(ids->ctx))
		return -EOPNOTSUPP;
	err = step_check_all(ids);
	for (i = 0; i < ids->nr && !err; i++) {
		struct sim_place p = sim_ids_find(ids, i);

		if (sim_place_exists(&p))
			*sim_place_stepped(&p) = true;
	}
	return err;
}

/* ---- start --------------------------------------------------------------- */

/* tell the handler that the program does not step itself */
static void step_set_mark(const struct gpubp_isa *isa, struct sim_wave *wave,
			  bool on)
{
	u32 value;

	sim_stop_copy_regs(wave, &isa->step_reg, &value);
	value = on ? value | isa->step_bits : value & ~isa->step_bits;
	sim_wavectl_write(wave, &isa->step_reg, &value);
}

/* edit STATUS and MODE of a stopped wave */
static void step_edit_wave(struct sim_ctx *ctx, struct sim_wave *wave, bool on)
{
	const struct gpubp_isa *isa = sim_config_isa(&ctx->dev->config);
	u32 regs[GPUBP_MAX_TRAP_REGS];

	sim_stop_copy_regs(wave, &isa->trap_regs, regs);
	isa->step_edit(regs, on);
	sim_wavectl_write(wave, &isa->trap_regs, regs);
	step_set_mark(isa, wave, on);
}

static u64 step_wave_pc(const struct sim_ids *ids, unsigned int i)
{
	struct sim_place p;

	guard(raw_spinlock_irqsave)(&ids->ctx->dev->sq_lock);
	p = sim_ids_find(ids, i);
	return sim_place_exists(&p) ? READ_ONCE(sim_place_wave(&p)->pc) : 0;
}

/* false if not to be simulated, or not readable; may sleep */
static bool is_simulated(struct sim_ctx *ctx, u64 pc, struct gpubp_insn *insn)
{
	const struct gpubp_isa *isa = sim_config_isa(&ctx->dev->config);
	u8 code[INSN_BYTES];
	size_t len = sim_vm_access(&ctx->vm, NULL, pc, code, sizeof(code),
				   SIM_ACCESS_PRIV);

	return !isa->decode(code, len, insn) &&
	       insn->step == GPUBP_STEP_SIMULATED;
}

static void step_read_regs(const struct sim_wave *wave,
			   const struct gpubp_insn *insn, u32 *regs)
{
	unsigned int n;

	for (n = 0; n < insn->nr_step_regs; n++) {
		sim_stop_copy_regs(wave, &insn->step_regs[n], regs);
		regs += insn->step_regs[n].count;
	}
}

/* false if the instruction is illegal: the wave takes that exception itself */
static bool step_simulate(struct sim_ctx *ctx, struct sim_wave *wave,
			  const struct gpubp_insn *insn)
{
	const struct gpubp_isa *isa = sim_config_isa(&ctx->dev->config);
	u32 regs[GPUBP_MAX_STEP_VALUES], pc[2];
	struct gpubp_step_effect effect;
	const u32 *value = effect.value;
	u64 old = wave->pc;
	unsigned int n;

	step_read_regs(wave, insn, regs);
	if (isa->simulate(insn, wave->pc, regs, &effect))
		return false;
	for (n = 0; n < effect.nr; n++) {
		sim_wavectl_write(wave, &effect.reg[n], value);
		value += effect.reg[n].count;
	}
	pc[0] = lower_32_bits(effect.pc);
	pc[1] = upper_32_bits(effect.pc);
	sim_wavectl_write(wave, &isa->pc_reg, pc);
	wave->fatal_pc += wave->pc - old;
	return true;
}

/* a pending trap is taken before the instruction at the pc */
static void step_start_wave(const struct sim_ids *ids, unsigned int i)
{
	struct sim_ctx *ctx = ids->ctx;
	u64 pc = step_wave_pc(ids, i);
	struct gpubp_insn insn;
	bool simulated = is_simulated(ctx, pc, &insn);
	struct sim_wave *wave;
	struct sim_place p;

	guard(raw_spinlock_irqsave)(&ctx->dev->sq_lock);
	p = sim_ids_find(ids, i);
	if (!sim_place_exists(&p))
		return;
	/* it was resumed in between: more than one instruction ran */
	if (!sim_place_is_stopped(&p)) {
		sim_place_set_halt(ctx->dev, &p, true);
		return;
	}
	wave = sim_place_wave(&p);
	if (simulated && wave->pc == pc && !wave->pending &&
	    !wave->in_barrier && step_simulate(ctx, wave, &insn))
		return;
	step_edit_wave(ctx, wave, true);
	sim_place_set_halt(ctx->dev, &p, false);
}

/* ---- end ----------------------------------------------------------------- */

/* it has executed s_barrier, and cannot trap while it waits there */
static bool waits_at_barrier(const struct sim_place *p)
{
	if (p->saved)
		return sim_place_wave(p)->in_barrier;
	guard(raw_spinlock)(&p->slot->cu->lock);
	return p->slot->state == SIM_SLOT_BARRIER;
}

static bool place_is_halted(const struct sim_place *p)
{
	return p->slot ? sim_stop_is_halted(p->slot) :
			 sim_place_wave(p)->status & STATUS_HALT;
}

/* 0: stopped; -ESRCH: ended; -EBUSY: not yet stopped */
static int step_poll(const struct sim_ids *ids, unsigned int i, bool give_up)
{
	struct sim_device *dev = ids->ctx->dev;
	struct sim_place p;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	p = sim_ids_find(ids, i);
	if (!sim_place_exists(&p))
		return -ESRCH;
	if (give_up || waits_at_barrier(&p))
		sim_place_set_halt(dev, &p, true);
	return place_is_halted(&p) ? 0 : -EBUSY;
}

static int step_poll_until(const struct sim_ids *ids, unsigned int i,
			   unsigned long end, bool give_up)
{
	int err;

	while ((err = step_poll(ids, i, give_up)) == -EBUSY) {
		if (time_after(jiffies, end) ||
		    (!give_up && fatal_signal_pending(current)))
			break;
		usleep_range(50, 200);
	}
	return err;
}

static void step_end_wave(const struct sim_ids *ids, unsigned int i)
{
	struct sim_device *dev = ids->ctx->dev;
	struct sim_place p;

	/* consume the message of the step */
	sim_ih_flush(dev);
	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	p = sim_ids_find(ids, i);
	if (!sim_place_exists(&p))
		return;
	if (sim_place_is_stopped(&p))
		step_edit_wave(ids->ctx, sim_place_wave(&p), false);
	if (p.slot)
		sim_stop_end_step(p.slot);
	*sim_place_stepped(&p) = false;
	/* the last halt was resumed during the step */
	if (!sim_place_must_stop(&p))
		sim_place_set_halt(dev, &p, false);
}

static int step_wait_wave(const struct sim_ids *ids, unsigned int i)
{
	int err = step_poll_until(ids, i, jiffies + STEP_TIMEOUT, false);

	if (err == -EBUSY)
		step_poll_until(ids, i, jiffies + SIM_SLICE_TIMEOUT, true);
	step_end_wave(ids, i);
	return err;
}

static int step_waves(const struct sim_ids *ids)
{
	unsigned int i;
	int err = step_begin(ids), one;

	if (err)
		return err;
	for (i = 0; i < ids->nr; i++)
		step_start_wave(ids, i);
	for (i = 0; i < ids->nr; i++) {
		one = step_wait_wave(ids, i);
		err = err ?: one;
	}
	return err;
}

/**
 * sim_step() - gpubp_ops.step
 * @priv: device
 * @waves: waves
 *
 * Return: 0, -ENOMEM; -ESRCH: a wave has ended, was not halted, or ended in the
 * step; -EBUSY: suspended, stepped by another caller, or timeout; -EOPNOTSUPP:
 * there is no trap handler.
 */
int sim_step(void *priv, const struct gpubp_waves *waves)
{
	struct sim_ids ids;
	int err = sim_ids_collect(&ids, waves) ?: step_waves(&ids);

	sim_ids_free(&ids);
	return err;
}
