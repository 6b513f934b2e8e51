// SPDX-License-Identifier: GPL-2.0
/* Commits, which preempt all queues, and matching of accesses. */
#include <linux/delay.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "slow.h"

static void evict(struct toy_gpu *gpu, bool out)
{
	struct toy_ctx *ctx;

	list_for_each_entry(ctx, &gpu->ctxs, node) {
		if (!ctx->alive || ctx->going || !ctx->core)
			continue;
		if (out)
			gpubp_ctx_evicted(ctx->core);
		else
			gpubp_ctx_resident(ctx->core, toy_ctx_vmid(ctx));
	}
}

static bool keeps_value(const struct slow *s, const struct gpubp_program *prog,
			unsigned int n)
{
	if (toy_fault(TOY_FAULT_STALE_VALUE))
		return s->toy.slot[n].used;
	return toy_fault(TOY_FAULT_LINGERS) && !prog->slot[n].used;
}

static void apply_slots(struct slow *s, const struct gpubp_program *prog,
			struct gpubp_commit_result *res)
{
	unsigned int n;

	for (n = 0; n < SLOW_SLOTS; n++) {
		if (!(prog->changed_slots & BIT(n)) || keeps_value(s, prog, n))
			continue;
		s->toy.slot[n] = prog->slot[n];
		s->nr_matched[n] = 0;
		if (prog->slot[n].used)
			res->slot_err[n] = slow_try_slot(s, n);
	}
}

/* reports contexts with waves that run without traps */
static void report_pending(const struct gpubp_program *prog,
			   struct gpubp_commit_result *res)
{
	unsigned int i;

	for (i = 0; i < prog->nr_ctxs; i++)
		if (toy_ctx_pending(prog->ctxs[i].ctx, prog->seq))
			res->pending |= BIT_ULL(i);
}

static u32 compared_slots(struct toy_ctx *ctx)
{
	u32 valid = ctx->prog.valid;

	if (toy_fault(TOY_FAULT_ONE_SLOT))
		return valid & -valid;
	if (!toy_fault(TOY_FAULT_SPENT))
		return valid;
	ctx->spent |= ctx->valid && !valid;
	return ctx->spent ? 0 : valid;
}

static void apply_part(struct slow *s, const struct gpubp_ctx_prog *part)
{
	struct toy_ctx *ctx = part->ctx;

	if (toy_fault(TOY_FAULT_LINGERS) && (ctx->valid & ~part->valid))
		return;
	ctx->prog = *part;
	ctx->valid = compared_slots(ctx) & ~slow_lost(s);
}

static void apply_parts(struct slow *s, const struct gpubp_program *prog,
			const struct gpubp_commit_result *res)
{
	struct toy_ctx *ctx;
	unsigned int i, n;

	for (i = 0; i < prog->nr_ctxs; i++)
		apply_part(s, &prog->ctxs[i]);
	list_for_each_entry(ctx, &s->toy.ctxs, node)
		for (n = 0; n < SLOW_SLOTS; n++)
			if (res->slot_err[n])
				ctx->valid &= ~BIT(n);
}

static void hide_errors(struct gpubp_commit_result *res)
{
	memset(res->slot_err, 0, sizeof(res->slot_err));
}

static void apply(struct slow *s, const struct gpubp_program *prog,
		  struct gpubp_commit_result *res)
{
	bool forgot = s->toy.forgot;

	lockdep_assert_held(&s->toy.lock);
	toy_check_program(&s->toy, prog);
	s->toy.forgot = false;
	if (forgot && toy_fault(TOY_FAULT_FIRST_COMMIT))
		return;
	apply_slots(s, prog, res);
	apply_parts(s, prog, res);
	report_pending(prog, res);
	if (toy_fault(TOY_FAULT_FAIL_UNTOLD))
		hide_errors(res);
}

/* gpubp_ops.commit */
void slow_commit(void *priv, const struct gpubp_program *prog,
		 struct gpubp_commit_result *res)
{
	struct slow *s = container_of(priv, struct slow, toy);

	toy_check_op(&s->toy, "commit");
	if (atomic_xchg(&s->committing, 1))
		toy_complain(&s->toy, "concurrent commits");
	scoped_guard(mutex, &s->toy.run) {
		evict(&s->toy, true);
		msleep(slow_commit_ms);
		scoped_guard(raw_spinlock_irqsave, &s->toy.lock)
			apply(s, prog, res);
		evict(&s->toy, false);
	}
	res->drained = true;
	atomic_set(&s->committing, 0);
}

static bool mode_matches(u8 mode, u8 access)
{
	switch (mode) {
	case GPUBP_MODE_READ:
		return access == GPUBP_ACCESS_LOAD;
	case GPUBP_MODE_NONREAD:
		return access == GPUBP_ACCESS_STORE ||
		       (access == GPUBP_ACCESS_ATOMIC &&
			!toy_fault(TOY_FAULT_ATOMICS));
	case GPUBP_MODE_ATOMIC:
		return access == GPUBP_ACCESS_ATOMIC;
	}
	return true;
}

static u64 compared_bits(u64 mask)
{
	if (toy_fault(TOY_FAULT_COARSE))
		return mask & (mask - 1);
	return toy_fault(TOY_FAULT_HOLES) ? -(mask & -mask) : mask;
}

/* an access is shorter than a granule: checking both ends is sufficient */
static bool slot_matches(const struct toy_ctx *ctx, unsigned int n, u64 va,
			 const struct toy_insn *insn)
{
	u64 value = ctx->gpu->slot[n].value;
	u64 mask = compared_bits(ctx->prog.mask[n]);

	return mode_matches(ctx->prog.mode[n], insn->access) &&
	       ((va & mask) == value ||
		(!toy_fault(TOY_FAULT_END) &&
		 ((va + insn->width - 1) & mask) == value));
}

static bool is_tired(struct toy_gpu *gpu, unsigned int n)
{
	struct slow *s = container_of(gpu, struct slow, toy);

	return toy_fault(TOY_FAULT_TIRED) && s->nr_matched[n]++ >= 3;
}

/* toy_gpu.matches */
u32 slow_matches(struct toy_ctx *ctx, u64 va, const struct toy_insn *insn)
{
	u32 slots = 0;
	unsigned int n;

	if (toy_fault(TOY_FAULT_UNALIGNED) && (va & (insn->width - 1)))
		return 0;
	for (n = 0; n < SLOW_SLOTS; n++)
		if ((ctx->valid & BIT(n)) && slot_matches(ctx, n, va, insn) &&
		    !is_tired(ctx->gpu, n))
			slots |= BIT(n);
	return slots;
}
