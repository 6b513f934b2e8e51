// SPDX-License-Identifier: GPL-2.0
/* Commits that take the queues off the GPU, and what is compared then. */
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

static void apply_slots(struct slow *s, const struct gpubp_program *prog,
			struct gpubp_commit_result *res)
{
	unsigned int n;

	for (n = 0; n < SLOW_SLOTS; n++) {
		if (!(prog->changed_slots & BIT(n)))
			continue;
		s->toy.slot[n] = prog->slot[n];
		if (prog->slot[n].used)
			res->slot_err[n] = slow_try_slot(s, n);
	}
}

/* a slot that failed compares nothing, whosever it is */
static void note_pending(const struct gpubp_program *prog,
			 struct gpubp_commit_result *res)
{
	unsigned int i;

	for (i = 0; i < prog->nr_ctxs; i++)
		if (toy_ctx_pending(prog->ctxs[i].ctx, prog->seq))
			res->pending |= BIT_ULL(i);
}

static void apply_parts(struct slow *s, const struct gpubp_program *prog,
			const struct gpubp_commit_result *res)
{
	struct toy_ctx *ctx;
	unsigned int i, n;

	for (i = 0; i < prog->nr_ctxs; i++) {
		ctx = prog->ctxs[i].ctx;
		ctx->prog = prog->ctxs[i];
		ctx->valid = ctx->prog.valid & ~s->lost;
	}
	list_for_each_entry(ctx, &s->toy.ctxs, node)
		for (n = 0; n < SLOW_SLOTS; n++)
			if (res->slot_err[n])
				ctx->valid &= ~BIT(n);
}

/* gpubp_ops.commit */
void slow_commit(void *priv, const struct gpubp_program *prog,
		 struct gpubp_commit_result *res)
{
	struct slow *s = container_of(priv, struct slow, toy);

	toy_check_op(&s->toy, "commit");
	if (atomic_xchg(&s->committing, 1))
		toy_complain(&s->toy, "two commits at once");
	scoped_guard(mutex, &s->toy.run) {
		evict(&s->toy, true);
		msleep(slow_commit_ms);
		scoped_guard(raw_spinlock_irqsave, &s->toy.lock) {
			toy_check_program(&s->toy, prog);
			s->toy.forgot = false;
			apply_slots(s, prog, res);
			apply_parts(s, prog, res);
			note_pending(prog, res);
		}
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
		return access != GPUBP_ACCESS_LOAD;
	case GPUBP_MODE_ATOMIC:
		return access == GPUBP_ACCESS_ATOMIC;
	}
	return true;
}

static u64 compared_bits(u64 mask)
{
	return toy_fault(TOY_FAULT_HOLES) ? -(mask & -mask) : mask;
}

/* an access is shorter than a granule: its ends tell */
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

/* toy_gpu.matches */
u32 slow_matches(struct toy_ctx *ctx, u64 va, const struct toy_insn *insn)
{
	u32 slots = 0;
	unsigned int n;

	for (n = 0; n < SLOW_SLOTS; n++)
		if ((ctx->valid & BIT(n)) && slot_matches(ctx, n, va, insn))
			slots |= BIT(n);
	return slots;
}
