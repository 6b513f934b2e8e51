// SPDX-License-Identifier: GPL-2.0
/*
 * Wave control: halt and resume waves; read and write their registers.
 *
 * Halt requests are counted here; a hit that was reported and is not done keeps
 * the wave stopped, too (stop.c). The wave resumes when neither is left, or for
 * one instruction in a single step (step.c).
 */
#include <linux/delay.h>
#include <linux/gpubp.h>
#include <linux/jiffies.h>

#include "../wave/wave.h"
#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "ids.h"
#include "ih.h"
#include "place.h"
#include "queue.h"
#include "save.h"
#include "sq.h"
#include "stop.h"
#include "wavectl.h"

/* bits that hardware derives, and those that stop and resume waves */
#define STATUS_FIXED		(STATUS_PRIV | STATUS_EXECZ | STATUS_VCCZ | \
				 STATUS_IN_TG | STATUS_IN_BARRIER | \
				 STATUS_HALT | STATUS_VALID)

/* ---- registers ----------------------------------------------------------- */

static int check_requests(const struct sim_wave *wave,
			  const struct gpubp_reg_req *req, unsigned int nr)
{
	u32 index;
	int err = 0;

	for (; !err && nr; nr--, req++)
		err = sim_stop_reg_index(wave, req, &index);
	return err;
}

/* write half of the pc, which is dword aligned and has 48 bits */
static void write_pc(struct sim_wave *wave, unsigned int id, u32 value)
{
	u64 old = wave->pc, pc;

	if (id == HWREG_PC_LO)
		pc = (old & ~0xffffffffull) | (value & ~3u);
	else
		pc = lower_32_bits(old) | (u64)(value & 0xffff) << 32;
	sim_set_pc(wave, pc);
}

static void write_control(struct sim_wave *wave, unsigned int id, u32 value)
{
	switch (id) {
	case HWREG_MODE:
		wave->mode = value;
		/* without DEBUG_EN no step is pending */
		if (!(value & MODE_DEBUG_EN))
			wave->pending &= ~SIM_PENDING_STEP;
		break;
	case HWREG_PC_LO:
	case HWREG_PC_HI:
		write_pc(wave, id, value);
		break;
	case HWREG_STATUS:
		wave->status = (wave->status & STATUS_FIXED) |
			       (value & ~STATUS_FIXED);
		break;
	case HWREG_TRAPSTS:
		wave->trapsts = value;
		/* an exception that was cleared is not taken any more */
		wave->pending &= value | SIM_PENDING_STEP;
		break;
	case HWREG_IB_STS:
		wave->ib_sts = value;
		break;
	}
}

static void write_reg(struct sim_wave *wave, enum gpubp_regfile file,
		      unsigned int reg, unsigned int lane, u32 value)
{
	if (file == GPUBP_REG_SCALAR)
		wave->s[reg] = value;
	else if (file == GPUBP_REG_VECTOR)
		wave->v[reg][lane] = value;
	else
		write_control(wave, reg, value);
}

/**
 * sim_wavectl_write() - write registers of a wave that does not execute
 * @wave: wave; sq_lock is held
 * @req: registers, checked to exist
 * @in: values
 */
void sim_wavectl_write(struct sim_wave *wave, const struct gpubp_reg_req *req,
		       const u32 *in)
{
	unsigned int reg, lane, lanes = sim_stop_nr_lanes(req);

	for (reg = 0; reg < req->count; reg++)
		for (lane = 0; lane < lanes; lane++)
			write_reg(wave, req->file, req->first + reg, lane,
				  *in++);
}

/* the wave stays stopped while sq_lock is held: resuming needs the lock */
static int find_stopped_wave(struct sim_device *dev, u64 id,
			     const struct gpubp_reg_req *req, unsigned int nr,
			     struct sim_place *p)
{
	if (!sim_place_find_stopped(dev, id, p))
		return -ESRCH;
	return check_requests(sim_place_wave(p), req, nr);
}

static int read_wave(struct sim_device *dev, u64 id,
		     const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	struct sim_place p;
	int err;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	err = find_stopped_wave(dev, id, req, nr, &p);
	for (; !err && nr; nr--, req++) {
		sim_stop_read_regs(sim_place_queue(&p)->ctx,
				   sim_place_wave(&p), req, out);
		out += req->count * sim_stop_nr_lanes(req);
	}
	return err;
}

/**
 * sim_read_wave() - gpubp_ops.read_wave
 * @priv: device
 * @wave: wave id or stop id
 * @req: which registers
 * @nr: entries of @req
 * @out: values
 */
int sim_read_wave(void *priv, u64 wave, const struct gpubp_reg_req *req,
		  unsigned int nr, u32 *out)
{
	struct sim_device *dev = priv;

	if (sim_fault(dev, SIM_FAULT_READ))
		return -ESRCH;
	/* the message of a stop is sent some instructions before the halt */
	if (!(wave & SIM_WAVE_ID))
		return sim_stop_read(dev, wave, req, nr, out);
	return read_wave(dev, wave, req, nr, out);
}

static void write_wave(const struct sim_place *p,
		       const struct gpubp_reg_req *req, unsigned int nr,
		       const u32 *in)
{
	const struct sim_ctx *ctx = sim_place_queue(p)->ctx;
	struct sim_wave *wave = sim_place_wave(p);
	u64 old = sim_stop_pc(ctx, wave);

	for (; nr; nr--, req++) {
		sim_wavectl_write(wave, req, in);
		in += req->count * sim_stop_nr_lanes(req);
	}
	/* the pc of a pending fatal exception moves along */
	wave->fatal_pc += sim_stop_pc(ctx, wave) - old;
}

/**
 * sim_write_wave() - gpubp_ops.write_wave
 * @priv: device
 * @wave: wave id or stop id
 * @req: which registers
 * @nr: entries of @req
 * @in: values
 *
 * As a driver can in a save area: privileged registers are written, too. Bits
 * that hardware derives do not change, nor do STATUS.PRIV and HALT. A trap that
 * the wave has yet to take (it skids, or was halted before the trap) is taken
 * at the new pc.
 */
int sim_write_wave(void *priv, u64 wave, const struct gpubp_reg_req *req,
		   unsigned int nr, const u32 *in)
{
	struct sim_device *dev = priv;
	struct sim_place p;
	int err = 0;

	if (!(wave & SIM_WAVE_ID))
		err = sim_stop_wait_halted(dev, wave);
	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	err = err ?: find_stopped_wave(dev, wave, req, nr, &p);
	if (err)
		return err;
	write_wave(&p, req, nr, in);
	if (p.saved)
		sim_saved_written(dev, p.saved);
	return 0;
}

/* ---- halts --------------------------------------------------------------- */

typedef bool (*place_fn)(struct sim_device *dev, const struct sim_place *p);

/*
 * False if a wave does not exist or @fn fails; takes the lock per wave: there
 * may be many.
 */
static bool place_call_all(const struct sim_ids *ids, place_fn fn)
{
	struct sim_device *dev = ids->ctx->dev;
	bool all = true;
	unsigned int i;

	for (i = 0; i < ids->nr; i++) {
		guard(raw_spinlock_irqsave)(&dev->sq_lock);
		struct sim_place p = sim_ids_find(ids, i);

		all &= sim_place_exists(&p) && fn(dev, &p);
	}
	return all;
}

static bool place_is_valid(struct sim_device *dev, const struct sim_place *p)
{
	return true;
}

static bool place_has_halt(struct sim_device *dev, const struct sim_place *p)
{
	return *sim_place_halts(p);
}

static bool place_add_halt(struct sim_device *dev, const struct sim_place *p)
{
	++*sim_place_halts(p);
	/* it stops at the end of the step anyway */
	if (!*sim_place_stepped(p))
		sim_place_set_halt(dev, p, true);
	return true;
}

/* a hit that is not done keeps the wave stopped */
static bool place_drop_halt(struct sim_device *dev, const struct sim_place *p)
{
	if (!*sim_place_halts(p))
		return false;
	--*sim_place_halts(p);
	if (!sim_place_must_stop(p))
		sim_place_set_halt(dev, p, false);
	return true;
}

/* a wave that ends from now on is detected by halts_wait() */
static int halts_add(const struct sim_ids *ids)
{
	if (!ids->all && !place_call_all(ids, place_is_valid))
		return -ESRCH;
	place_call_all(ids, place_add_halt);
	return 0;
}

static int halts_drop(const struct sim_ids *ids)
{
	/* afterwards all hits that halted waves are reported */
	sim_ih_flush(ids->ctx->dev);
	if (!ids->all && !place_call_all(ids, place_has_halt))
		return -ESRCH;
	place_call_all(ids, place_drop_halt);
	return 0;
}

/* 0: halted; -ESRCH: ended; -EBUSY: not yet halted */
static int halt_poll(const struct sim_ids *ids, unsigned int i)
{
	struct sim_device *dev = ids->ctx->dev;
	struct sim_place p;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	p = sim_ids_find(ids, i);
	if (!sim_place_exists(&p))
		return ids->all ? 0 : -ESRCH;
	if (*sim_place_stepped(&p))
		return -EBUSY;
	if (p.saved || sim_stop_is_halted(p.slot))
		return 0;
	/* it may have been restored to a slot in between */
	sim_place_set_halt(dev, &p, true);
	return -EBUSY;
}

static int halts_wait(const struct sim_ids *ids)
{
	unsigned long end = jiffies + SIM_SLICE_TIMEOUT;
	unsigned int i = 0;
	int err = 0;

	while (i < ids->nr) {
		err = halt_poll(ids, i);
		i += !err;
		if (err && (err != -EBUSY || time_after(jiffies, end)))
			return err;
		if (err)
			usleep_range(50, 200);
	}
	return 0;
}

/* -ESRCH: the wave ended, nothing to roll back */
static void halts_undo(struct sim_ids *ids)
{
	ids->all = true;
	halts_drop(ids);
}

/**
 * sim_halt() - gpubp_ops.halt
 * @priv: device
 * @waves: waves
 *
 * Return: 0, -ESRCH, -ENOMEM, or -EBUSY if a wave does not leave the trap
 * handler.
 */
int sim_halt(void *priv, const struct gpubp_waves *waves)
{
	struct sim_ids ids;
	int err = sim_ids_collect(&ids, waves) ?: halts_add(&ids);

	if (!err) {
		err = halts_wait(&ids);
		if (err)
			halts_undo(&ids);
		/* hits that stopped waves before are reported now */
		sim_ih_flush(ids.ctx->dev);
	}
	sim_ids_free(&ids);
	return err;
}

/**
 * sim_unhalt() - gpubp_ops.resume
 * @priv: device
 * @waves: waves
 *
 * Return: 0, -ENOMEM, or -ESRCH if a wave has ended or was not halted.
 */
int sim_unhalt(void *priv, const struct gpubp_waves *waves)
{
	struct sim_ids ids;
	int err = sim_ids_collect(&ids, waves) ?: halts_drop(&ids);

	sim_ids_free(&ids);
	return err;
}
