// SPDX-License-Identifier: GPL-2.0
/* Execution of waves, one instruction at a time. */
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "toy.h"

struct toy_wave *toy_wave_find(struct toy_gpu *gpu, u64 id)
{
	unsigned int i;

	lockdep_assert_held(&gpu->lock);
	for (i = 0; id && i < TOY_WAVES; i++)
		if (gpu->wave[i].id == id)
			return &gpu->wave[i];
	return NULL;
}
EXPORT_SYMBOL_GPL(toy_wave_find);

/* the hold that stops this wave */
struct toy_hold *toy_wave_hold(struct toy_wave *wave)
{
	if (toy_fault(TOY_FAULT_SCOPE))
		return &wave->hold;
	switch (wave->ctx->gpu->desc.caps.stops) {
	case GPUBP_STOPS_UNIT:
		return &wave->ctx->gpu->sm[wave->sm];
	case GPUBP_STOPS_QUEUE:
	case GPUBP_STOPS_CTX:
		return &wave->ctx->hold;
	default:
		return &wave->hold;
	}
}

bool toy_wave_stopped(struct toy_wave *wave)
{
	struct toy_hold *hold = toy_wave_hold(wave);

	return hold->halts || hold->hit;
}
EXPORT_SYMBOL_GPL(toy_wave_stopped);

static bool has_untrapped(struct toy_ctx *ctx)
{
	struct toy_gpu *gpu = ctx->gpu;
	unsigned int i;

	for (i = 0; i < TOY_WAVES; i++)
		if (gpu->wave[i].id && !gpu->wave[i].ended &&
		    gpu->wave[i].ctx == ctx && gpu->wave[i].launched_untrapped)
			return true;
	return false;
}

/* after a commit: true if waves run without traps */
bool toy_ctx_pending(struct toy_ctx *ctx, u64 seq)
{
	lockdep_assert_held(&ctx->gpu->lock);
	ctx->pending = ctx->prog.watch_traps && has_untrapped(ctx) ? seq : 0;
	return ctx->pending;
}
EXPORT_SYMBOL_GPL(toy_ctx_pending);

static bool others_share(struct toy_wave *wave)
{
	struct toy_gpu *gpu = wave->ctx->gpu;
	unsigned int i;

	for (i = 0; i < TOY_WAVES; i++) {
		struct toy_wave *other = &gpu->wave[i];

		if (other != wave && other->id && !other->ended &&
		    toy_wave_hold(other) == toy_wave_hold(wave))
			return true;
	}
	return false;
}

/* resumes the other waves that only this wave held */
void toy_wave_end(struct toy_wave *wave)
{
	struct toy_gpu *gpu = wave->ctx->gpu;
	struct toy_hold *hold = toy_wave_hold(wave);

	lockdep_assert_held(&gpu->lock);
	if (!wave->ended)
		wave->ctx->nr_waves--;
	wave->ended = true;
	if (hold->wave == wave->id)
		hold->hit = false;
	if (!others_share(wave))
		memset(hold, 0, sizeof(*hold));
	if (wave->ctx->pending && !has_untrapped(wave->ctx)) {
		gpubp_ctx_settled(wave->ctx->core, wave->ctx->pending);
		wave->ctx->pending = 0;
	}
	if (!wave->hit_pending || toy_fault(TOY_FAULT_FORGETS_OWED))
		wave->id = 0;
	toy_gpu_wake(gpu);
}

static struct toy_wave *free_wave(struct toy_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < TOY_WAVES; i++)
		if (!gpu->wave[i].id)
			return &gpu->wave[i];
	return NULL;
}

u64 toy_wave_save_va(const struct toy_wave *wave)
{
	return TOY_SAVE + (wave - wave->ctx->gpu->wave) * sizeof(wave->file);
}
EXPORT_SYMBOL_GPL(toy_wave_save_va);

static void init_regs(struct toy_wave *wave)
{
	size_t len = sizeof(wave->file);

	wave->reg = wave->file;
	if (wave->ctx->gpu->regs_in_memory)
		wave->reg = (u32 *)toy_ctx_mem(wave->ctx,
					       toy_wave_save_va(wave), &len,
					       NULL);
	memset(wave->reg, 0, sizeof(wave->file));
	wave->reg[0] = lower_32_bits(TOY_DATA);
	wave->reg[1] = upper_32_bits(TOY_DATA);
	wave->ctl[TOY_CTL_TRAPS] = !wave->launched_untrapped;
}

/* s[0:1] is the data address; two multiprocessors per context. 0: no room */
u64 toy_wave_start(struct toy_ctx *ctx, u64 pc)
{
	struct toy_gpu *gpu = ctx->gpu;
	struct toy_wave *wave;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	wave = free_wave(gpu);
	if (!wave)
		return 0;
	*wave = (struct toy_wave) {
		.id = ++gpu->last_id,
		.ctx = ctx,
		.pc = pc,
		.launched_untrapped = gpu->traps_at_launch &&
				      !ctx->prog.watch_traps,
		.sm = (ctx->nr * 2 + (ctx->nr_waves & 1)) % TOY_SMS,
	};
	init_regs(wave);
	ctx->nr_waves++;
	toy_gpu_wake(gpu);
	return wave->id;
}
EXPORT_SYMBOL_GPL(toy_wave_start);

static bool runnable(struct toy_wave *wave)
{
	return wave->id && !wave->ended && !toy_wave_stopped(wave) &&
	       (!wave->ctx->suspended || toy_fault(TOY_FAULT_SUSPENDED_RUN));
}

static struct toy_wave *next_wave(struct toy_gpu *gpu)
{
	unsigned int i;

	if (gpu->suspended || gpu->preempted)
		return NULL;
	for (i = 0; i < TOY_WAVES; i++) {
		struct toy_wave *wave = &gpu->wave[(gpu->next + i) % TOY_WAVES];

		if (runnable(wave))
			return wave;
	}
	return NULL;
}

bool toy_gpu_runnable(struct toy_gpu *gpu)
{
	guard(raw_spinlock_irqsave)(&gpu->lock);
	return next_wave(gpu);
}

static bool fetch(struct toy_wave *wave, struct toy_insn *insn)
{
	size_t len = sizeof(*insn);
	u8 *at = toy_ctx_mem(wave->ctx, wave->pc, &len, NULL);

	if (!at || len < sizeof(*insn))
		return false;
	memcpy(insn, at, sizeof(*insn));
	return true;
}

static u64 address(const struct toy_wave *wave, const struct toy_insn *insn)
{
	u32 base = insn->base % (TOY_REGS - 1);

	return (wave->reg[base] | (u64)wave->reg[base + 1] << 32) +
	       insn->offset;
}

/* stores write the wave's id, so that every store changes the memory */
static bool access(struct toy_wave *wave, u64 va, const struct toy_insn *insn)
{
	size_t len = insn->width;
	u8 *at = toy_ctx_mem(wave->ctx, va, &len, NULL);

	if (!at || len < insn->width ||
	    (insn->access == GPUBP_ACCESS_ATOMIC && (va & 3)))
		return false;
	switch (insn->access) {
	case GPUBP_ACCESS_LOAD:
		wave->reg[TOY_REGS - 1] = *at;
		break;
	case GPUBP_ACCESS_ATOMIC:
		++*(u32 *)at;
		break;
	default:
		memset(at, wave->id, len);
	}
	return true;
}

static struct gpubp_hit hit_of(struct toy_wave *wave)
{
	struct toy_ctx *ctx = wave->ctx;

	return (struct gpubp_hit) {
		.valid = ctx->gpu->desc.caps.hit_fields,
		.vmid = toy_ctx_vmid(ctx),
		.doorbell = toy_ctx_doorbell(ctx),
		.wave = wave->id,
		.gpu_time = ktime_get_ns(),
		.stopped = ctx->gpu->desc.caps.stops,
		.ctx = ctx->core,
		.pc = wave->pc,
		.exec = 1,
	};
}

static void stop(struct toy_wave *wave, struct gpubp_hit *hit)
{
	struct toy_hold *hold = toy_wave_hold(wave);

	hold->hit = true;
	hold->wave = wave->id;
	wave->hit_pending = true;
	*hit = hit_of(wave);
}

static bool stops_for(struct toy_wave *wave, u32 slots)
{
	if (wave->ctx->gpu->quiet)
		return false;
	if (toy_fault(TOY_FAULT_SPURIOUS))
		return true;
	if (toy_fault(TOY_FAULT_STEP_MISSES) && toy_wave_hold(wave)->halts)
		return false;
	return slots && wave->ctl[TOY_CTL_TRAPS];
}

static bool execute_access(struct toy_wave *wave, const struct toy_insn *insn,
			   struct gpubp_hit *hit)
{
	struct toy_gpu *gpu = wave->ctx->gpu;
	u64 va = address(wave, insn);
	u32 slots = gpu->matches ? gpu->matches(wave->ctx, va, insn) : 0;

	if (!access(wave, va, insn)) {
		toy_wave_end(wave);
		return false;
	}
	wave->pc += sizeof(*insn);
	wave->ctl[TOY_CTL_MATCHED] |= slots;
	if (!stops_for(wave, slots))
		return false;
	stop(wave, hit);
	hit->slots = wave->ctl[TOY_CTL_MATCHED];
	wave->ctl[TOY_CTL_MATCHED] = 0;
	hit->addr = va;
	hit->width = insn->width;
	hit->access = insn->access;
	return true;
}

/* returns true if the wave stopped */
static bool execute(struct toy_wave *wave, struct gpubp_hit *hit)
{
	struct toy_insn insn;

	if (!fetch(wave, &insn))
		insn.op = TOY_OP_END;
	switch (insn.op) {
	case TOY_OP_ACCESS:
		return execute_access(wave, &insn, hit);
	case TOY_OP_JUMP:
		wave->pc += insn.offset;
		return false;
	case TOY_OP_NOP:
		wave->pc += sizeof(insn);
		return false;
	case TOY_OP_BREAK:
		wave->pc += sizeof(insn);
		if (wave->ctx->gpu->quiet || wave->ctx->fenced ||
		    toy_fault(TOY_FAULT_BREAK))
			return false;
		stop(wave, hit);
		return true;
	}
	toy_wave_end(wave);
	return false;
}

/* executes one instruction of a wave and reports a hit */
void toy_wave_execute(struct toy_wave *wave)
{
	struct toy_gpu *gpu = wave->ctx->gpu;
	struct gpubp_hit hit;
	unsigned long flags;
	bool stopped;

	lockdep_assert_held(&gpu->run);
	raw_spin_lock_irqsave(&gpu->lock, flags);
	stopped = execute(wave, &hit);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (stopped)
		gpu->stopped(gpu, &hit);
}

void toy_gpu_run_one(struct toy_gpu *gpu)
{
	struct toy_wave *wave;

	guard(mutex)(&gpu->run);
	scoped_guard(raw_spinlock_irqsave, &gpu->lock) {
		wave = next_wave(gpu);
		if (wave)
			gpu->next = wave - gpu->wave + 1;
	}
	if (wave)
		toy_wave_execute(wave);
}
