// SPDX-License-Identifier: GPL-2.0
/*
 * Commit: program the comparators as the core requests, in the order that
 * silicon needs: invalidate in every VMID, report old hits, write addresses,
 * make valid. On gfx900 a comparator is valid for one VMID; the core gives it
 * to one context, and it is valid while that context is resident.
 */
#include <linux/delay.h>
#include <linux/gpubp.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/log2.h>

#include "../../../isa/gfx9/excp.h"
#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "provider.h"
#include "slice.h"
#include "sweep.h"

/* a slice may wait for a page of a process; do not stall the device for it */
#define DRAIN_TIMEOUT	(HZ / 10)
#define LATE_HITS_NS	(5 * NSEC_PER_SEC)
#define SLOW_MS		20

#define for_each_vmid(vmid) \
	for ((vmid) = 1; (vmid) < SIM_NR_VMIDS; (vmid)++)

static unsigned int mask_shift(const struct sim_device *dev)
{
	return ilog2(dev->config.granule);
}

static void invalidate_vmid(struct sim_device *dev, u32 vmid, u32 slots)
{
	unsigned long bits = slots;
	unsigned int n;
	u32 reg;

	guard(sim_banks)(dev);
	sim_select_vmid(dev, vmid);
	for_each_set_bit(n, &bits, dev->config.nr_watch) {
		reg = sim_reg_watch_cntl(n);
		sim_wreg(dev, reg, sim_rreg(dev, reg) & ~TCP_WATCH_CNTL_VALID);
	}
}

static u64 watch_address(struct sim_device *dev, unsigned int n)
{
	guard(sim_banks)(dev);
	return (u64)sim_rreg(dev, sim_reg_watch_addr_h(n)) << 32 |
	       sim_rreg(dev, sim_reg_watch_addr_l(n));
}

static u32 changed_addresses(struct sim_device *dev,
			     const struct gpubp_program *prog)
{
	unsigned long slots = prog->changed_slots;
	unsigned int n;
	u32 changed = 0;

	for_each_set_bit(n, &slots, dev->config.nr_watch)
		if (watch_address(dev, n) != prog->slot[n].value)
			changed |= BIT(n);
	return changed;
}

/*
 * A comparator whose address does not change stays valid in the contexts that
 * keep it, also when other contexts start or stop to share it.
 */
static void invalidate_banks(struct sim_device *dev,
			     const struct gpubp_program *prog)
{
	u32 vmid, i, slots = changed_addresses(dev, prog);

	for_each_vmid(vmid)
		invalidate_vmid(dev, vmid, slots);
	for (i = 0; i < prog->nr_ctxs; i++) {
		struct sim_ctx *ctx = prog->ctxs[i].ctx;

		if (ctx->vmid)
			invalidate_vmid(dev, ctx->vmid, prog->changed_slots);
	}
}

static void invalidate_slots(struct sim_device *dev,
			     const struct gpubp_program *prog)
{
	if (sim_config_banked(&dev->config))
		invalidate_banks(dev, prog);
	else	/* one control word for all VMIDs */
		invalidate_vmid(dev, 0, prog->changed_slots);
}

static bool drain_hits(struct sim_device *dev)
{
	return !sim_fault(dev, SIM_FAULT_UNDRAINED) &&
	       sim_cu_drain(dev, DRAIN_TIMEOUT) &&
	       !sim_slice_has_pending_hits(dev) && sim_ih_flush(dev);
}

static void drain_device(struct sim_device *dev,
			 struct gpubp_commit_result *res)
{
	res->drained = drain_hits(dev);
	sim_sweep(dev);
	if (res->drained)
		return;
	res->window_end = ktime_get_ns() + LATE_HITS_NS;
	sim_stat_inc(dev, SIM_STAT_UNDRAINED);
}

static int write_address(struct sim_device *dev, unsigned int n, u64 value)
{
	if (value & ~GENMASK_ULL(SIM_VA_BITS - 1, mask_shift(dev)))
		return -EINVAL;
	if (sim_fault(dev, SIM_FAULT_PROGRAM))
		return -EIO;
	guard(sim_banks)(dev);
	sim_wreg(dev, sim_reg_watch_addr_h(n), upper_32_bits(value));
	sim_wreg(dev, sim_reg_watch_addr_l(n), lower_32_bits(value));
	return 0;
}

static void write_addresses(struct sim_device *dev,
			    const struct gpubp_program *prog,
			    struct gpubp_commit_result *res)
{
	unsigned long slots = prog->changed_slots;
	unsigned int n;

	for_each_set_bit(n, &slots, dev->config.nr_watch)
		res->slot_err[n] = write_address(dev, n, prog->slot[n].value);
}

/* the VMID is added when the word is loaded (gfx900) */
static int control_word(const struct sim_device *dev,
			const struct gpubp_ctx_prog *part, unsigned int n,
			u32 *word)
{
	u64 field = (u64)TCP_WATCH_CNTL_MASK << mask_shift(dev);
	u64 fixed = GENMASK_ULL(SIM_VA_BITS - 1, mask_shift(dev)) & ~field;
	u64 mask = part->mask[n];

	*word = 0;
	if (!(part->valid & BIT(n)))
		return 0;
	if ((mask & fixed) != fixed || part->mode[n] > GPUBP_MODE_ALL)
		return -EINVAL;
	*word = TCP_WATCH_CNTL_VALID |
		part->mode[n] << TCP_WATCH_CNTL_MODE_SHIFT |
		(mask & field) >> mask_shift(dev);
	return 0;
}

/* in addition to the exceptions that a wave's own program enables */
static u32 trap_control(const struct gpubp_ctx_prog *part)
{
	u32 excp_en = gfx9_excp_en(part->exceptions) |
		      (part->watch_traps ? TRAPSTS_WATCH0 : 0);

	if (!part->watch_traps && !part->exceptions)
		return 0;
	return PER_VMID_CNTL_TRAP_EN | excp_en << PER_VMID_CNTL_EXCP_EN_SHIFT;
}

/* store the context's part, which is loaded whenever it is resident */
static void store_part(struct sim_ctx *ctx, const struct gpubp_ctx_prog *part,
		       struct gpubp_commit_result *res)
{
	struct sim_bank *bank = &ctx->bank;
	unsigned int n;
	int err;

	for (n = 0; n < ctx->dev->config.nr_watch; n++) {
		err = control_word(ctx->dev, part, n, &bank->watch_cntl[n]);
		if (err)
			res->slot_err[n] = err;
	}
	bank->debug = part->precise ? SQ_DEBUG_SINGLE_MEMOP : 0;
	bank->per_vmid_cntl = trap_control(part);
}

/* a slot that failed is invalid in all contexts */
static void quarantine_slots(struct sim_ctx *ctx,
			     const struct gpubp_commit_result *res)
{
	unsigned int n;

	for (n = 0; n < ctx->dev->config.nr_watch; n++)
		if (res->slot_err[n])
			ctx->bank.watch_cntl[n] = 0;
}

static bool update_pending(struct sim_ctx *ctx,
			   const struct gpubp_ctx_prog *part, u64 seq)
{
	ctx->pending = (part->watch_traps || part->exceptions) &&
		       sim_ctx_has_untrapped_group(ctx) ? seq : 0;
	return ctx->pending;
}

static void store_parts(const struct gpubp_program *prog,
			struct gpubp_commit_result *res)
{
	u32 i;

	for (i = 0; i < prog->nr_ctxs; i++)
		store_part(prog->ctxs[i].ctx, &prog->ctxs[i], res);
	for (i = 0; i < prog->nr_ctxs; i++) {
		quarantine_slots(prog->ctxs[i].ctx, res);
		if (update_pending(prog->ctxs[i].ctx, &prog->ctxs[i],
				   prog->seq) && i < 64)
			res->pending |= BIT_ULL(i);
	}
}

/*
 * All resident contexts: those that share a changed slot were invalidated, too.
 */
static void validate_slots(struct sim_device *dev)
{
	u32 vmid;

	for_each_vmid(vmid)
		if (dev->vmid_owner[vmid])
			sim_vmid_load(dev->vmid_owner[vmid]);
}

/*
 * Evict contexts that may not keep their VMID since they have become watched or
 * unwatched. They do not run any more once the current slices end, and are
 * watched when they become resident again.
 */
static void evict_misplaced(struct sim_device *dev,
			    const struct gpubp_program *prog)
{
	bool any = false;
	u32 i;

	for (i = 0; i < prog->nr_ctxs; i++) {
		struct sim_ctx *ctx = prog->ctxs[i].ctx;

		if (sim_vmid_is_allowed(ctx))
			continue;
		sim_vmid_evict(ctx, dev->config.preempt_ms);
		any = true;
	}
	if (any)
		sim_cu_drain(dev, DRAIN_TIMEOUT);
}

/**
 * sim_commit() - gpubp_ops.commit
 * @priv: device
 * @prog: the new program
 * @res: result
 */
void sim_commit(void *priv, const struct gpubp_program *prog,
		struct gpubp_commit_result *res)
{
	struct sim_device *dev = priv;

	/*
	 * No context becomes resident and no wave is launched during the
	 * commit.
	 */
	guard(mutex)(&dev->lock);
	sim_stat_inc(dev, SIM_STAT_COMMITS);
	invalidate_slots(dev, prog);
	if (sim_fault(dev, SIM_FAULT_SLOW))
		msleep(SLOW_MS);
	drain_device(dev, res);
	write_addresses(dev, prog, res);
	store_parts(prog, res);
	evict_misplaced(dev, prog);
	validate_slots(dev);
}
