// SPDX-License-Identifier: GPL-2.0
/*
 * Waves of a context: listing them, and halting them one by one.
 *
 * As a debugger does it, the context is taken off the GPU for that: then each of its
 * waves has a record in memory, in which it gets its name, and is halted.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mm.h>

#include "amdgpu.h"
#include "kfd_priv.h"

#include "wave.h"

/* for hits that stopped a wave before it was halted: until they are reported */
#define HALT_TIMEOUT	(10 * HZ)

/* the first of gpubp_isa.park_regs, of gfx9 */
#define PARK_TTMP	7

/* ---- listing ------------------------------------------------------------- */

/**
 * struct lister - a call of list_waves
 * @ctx: context
 * @call: its number
 * @off: the context was off the GPU before
 * @out: waves
 * @max: entries of @out
 * @nr: number of waves
 */
struct lister {
	struct gpubp_amd_ctx *ctx;
	u64 call;
	bool off;
	struct gpubp_wave_info *out;
	unsigned int max;
	unsigned int nr;
};

static u64 lister_call(struct gpubp_amd_node *n)
{
	guard(spinlock)(&n->stop_lock);
	return ++n->last_call;
}

static struct gpubp_amd_wave *lister_find(const struct lister *l,
					  const struct gpubp_amd_mark *mark, bool halted)
{
	struct gpubp_amd_node *n = l->ctx->node;
	struct gpubp_amd_wave *w = NULL;

	if (halted)
		w = gpubp_amd_wave_find_stopped(n, l->ctx, mark);
	return w ?: gpubp_amd_wave_find_listed(n, l->ctx, mark);
}

/**
 * struct listed - a wave of a list
 * @id: its id
 * @stopped: by itself
 * @has_name: in its record
 */
struct listed {
	u64 id;
	bool stopped;
	bool has_name;
};

/* each once, even if the process has copied a record */
static bool lister_known(const struct lister *l, const struct gpubp_amd_saved_wave *saved,
			 const struct gpubp_amd_mark *mark, bool halted,
			 struct listed *listed)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&l->ctx->node->stop_lock);
	w = lister_find(l, mark, halted);
	if (!w || w->call == l->call)
		return false;
	w->call = l->call;
	w->rec = saved->rec;
	w->rec_seq = l->ctx->off_seq;
	w->at.mark.doorbell = saved->doorbell;
	*listed = (struct listed){
		.id = w->id, .stopped = gpubp_amd_wave_is_stopped(w),
		.has_name = w->is_listed,
	};
	return true;
}

static int lister_name(const struct lister *l, const struct gpubp_amd_record *rec,
		       const struct listed *listed)
{
	struct gpubp_amd_node *n = l->ctx->node;
	struct gpubp_amd_wave *w;
	int err = gpubp_amd_saved_name(l->ctx, rec, listed->id);

	if (err)
		return err;
	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find(n, listed->id);
	if (w) {
		w->at.mark.name = lower_32_bits(listed->id);
		gpubp_amd_wave_set_key(n, w);
		w->is_listed = true;
	}
	return 0;
}

static int lister_identify(const struct lister *l,
			   const struct gpubp_amd_saved_wave *saved,
			   const struct gpubp_amd_mark *mark, bool halted,
			   struct listed *listed)
{
	*listed = (struct listed){ };
	if (!lister_known(l, saved, mark, halted, listed))
		listed->id = gpubp_amd_wave_list(l->ctx->node, l->ctx, mark, l->call);
	if (!listed->id)
		return -ENOMEM;
	return listed->has_name ? 0 : lister_name(l, &saved->rec, listed);
}

static int lister_add(struct lister *l, const struct gpubp_amd_saved_wave *saved)
{
	struct gpubp_amd_tail tail;
	struct gpubp_amd_mark mark;
	struct listed listed;
	int err = gpubp_amd_saved_tail(l->ctx, &saved->rec, &tail);

	if (err)
		return err;
	mark = gpubp_amd_tail_mark(l->ctx->node, &tail, saved->doorbell);
	err = lister_identify(l, saved, &mark, gpubp_amd_tail_is_halted(&tail), &listed);
	if (err)
		return err;
	if (l->nr < l->max)
		l->out[l->nr] = (struct gpubp_wave_info){
			.wave = listed.id,
			.stopped = l->off || listed.stopped,
			.doorbell = saved->doorbell,
			.pc = gpubp_amd_pc_in_program(l->ctx,
						      gpubp_amd_tail_pc(&tail),
						      &tail.ttmp[PARK_TTMP]),
		};
	l->nr++;
	return 0;
}

/* those that have ended; what is stopped may be on its way into memory */
static void lister_forget(struct lister *l)
{
	struct gpubp_amd_node *n = l->ctx->node;
	struct gpubp_amd_wave *w, *next;

	guard(spinlock)(&n->stop_lock);
	list_for_each_entry_safe(w, next, &n->listed, link) {
		if (w->ctx != l->ctx || w->call >= l->call || w->stepping)
			continue;
		gpubp_amd_wave_free(w);
	}
}

/* Return: as ops->list_waves. */
static int lister_add_all(struct lister *l)
{
	struct gpubp_amd_saved_wave *saved;
	int i, err = 0, nr = gpubp_amd_saved_list(l->ctx, &saved);

	for (i = 0; i < nr && !err; i++)
		err = lister_add(l, &saved[i]);
	kvfree(saved);
	if (nr < 0 || err)
		return nr < 0 ? nr : err == -EBUSY ? -EAGAIN : err;
	lister_forget(l);
	return l->nr;
}

int gpubp_amd_list_waves(void *priv, struct gpubp_wave_info *out, unsigned int max)
{
	struct gpubp_amd_ctx *ctx = priv;
	struct lister l = {
		.ctx = ctx, .out = out, .max = max,
		.call = lister_call(ctx->node), .off = gpubp_amd_ctx_is_off(ctx),
	};
	int nr;

	if (READ_ONCE(ctx->debugged))
		return -EBUSY;
	guard(mutex)(&ctx->records_lock);
	if (gpubp_amd_ctx_evict(ctx))
		return -ETIMEDOUT;
	nr = lister_add_all(&l);
	gpubp_amd_ctx_restore(ctx);
	return nr;
}

/* ---- halting ------------------------------------------------------------- */

/* all of a context: its queues are taken off the GPU */
static int ctx_halt(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&n->lock);
	if (gpubp_amd_ctx_stop(ctx))
		return -EBUSY;
	ctx->nr_halts++;
	return 0;
}

static int ctx_resume(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&n->lock);
	if (!ctx->nr_halts)
		return -ESRCH;
	ctx->nr_halts--;
	gpubp_amd_ctx_go_on(ctx);
	return 0;
}

/* ids from sessions are not checked */
static struct gpubp_amd_wave *wave_find_of(struct gpubp_amd_node *n, void *ctx, u64 id)
{
	struct gpubp_amd_wave *w = gpubp_amd_wave_find(n, id);

	return w && w->ctx == ctx ? w : NULL;
}

static int waves_check(struct gpubp_amd_node *n, const struct gpubp_waves *waves)
{
	unsigned int i;

	for (i = 0; i < waves->nr; i++)
		if (!wave_find_of(n, waves->ctx, waves->wave[i]))
			return -ESRCH;
	return 0;
}

/* Return: 0; -ESRCH: a wave does not exist; -EAGAIN: not all are stopped. */
static int halts_add(struct gpubp_amd_node *n, const struct gpubp_waves *waves)
{
	struct gpubp_amd_wave *w;
	unsigned int i;
	int err;

	guard(spinlock)(&n->stop_lock);
	err = waves_check(n, waves);
	for (i = 0; i < waves->nr && !err; i++)
		err = wave_find_of(n, waves->ctx, waves->wave[i])->holds ? 0 : -EAGAIN;
	for (i = 0; i < waves->nr && !err; i++) {
		w = wave_find_of(n, waves->ctx, waves->wave[i]);
		w->holds++;
		w->halts++;
	}
	return err;
}

static bool wave_runs(struct gpubp_amd_node *n, u64 id)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find(n, id);
	return w && !w->holds;
}

/*
 * A wave that is halted at s_endpgm cannot be saved on this hardware: it may end. One that
 * is halted, but not known, is about to be reported.
 */
static int wave_may_halt(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx, u64 id)
{
	struct gpubp_amd_record rec;
	struct gpubp_amd_tail tail;
	int err;

	if (!wave_runs(n, id))
		return 0;
	err = gpubp_amd_saved_find(n, id, &rec, &tail);
	if (err)
		return err;
	if (gpubp_amd_tail_is_halted(&tail))
		return -EAGAIN;
	return gpubp_amd_pc_is_end(ctx, gpubp_amd_tail_pc(&tail)) ? -ESRCH : 0;
}

/* no handler has halted it: what a former stop has left tells it, with what is its own */
static void wave_set_halted(struct gpubp_amd_node *n, u64 id,
			    const struct gpubp_amd_tail *tail)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find(n, id);
	if (!w || w->holds)
		return;
	gpubp_amd_mark_set(n, &w->at.mark, &tail->ttmp[4]);
	w->moved = true;
	w->holds = 1;
	w->halts = 1;
	gpubp_amd_wave_stop(n, w);
}

/* Return: 0; 1: it was stopped before; or as gpubp_amd_saved_set(). */
static int wave_halt(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx, u64 id)
{
	struct gpubp_amd_record rec;
	struct gpubp_amd_tail tail;
	int err;

	if (!wave_runs(n, id))
		return 1;
	err = gpubp_amd_saved_find(n, id, &rec, &tail) ?:
	      gpubp_amd_saved_halt(ctx, &rec, true);
	if (!err)
		wave_set_halted(n, id, &tail);
	return err;
}

static bool halt_drop(struct gpubp_amd_node *n, void *ctx, u64 id)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find_of(n, ctx, id);
	if (!w || !w->halts)
		return false;
	w->halts--;
	gpubp_amd_wave_put_hold(n, w);
	return true;
}

static int wave_add_halt(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx, u64 id)
{
	const struct gpubp_waves one = { .ctx = ctx, .wave = &id, .nr = 1 };
	int err = wave_halt(n, ctx, id);

	return err > 0 ? halts_add(n, &one) : err;
}

/* the context is off the GPU; all or none */
static int halts_write(struct gpubp_amd_node *n, const struct gpubp_waves *waves)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < waves->nr && !err; i++)
		err = wave_may_halt(n, waves->ctx, waves->wave[i]);
	if (err)
		return err;
	for (i = 0; i < waves->nr && !err; i++)
		err = wave_add_halt(n, waves->ctx, waves->wave[i]);
	if (!err)
		return 0;
	for (i--; i--;)
		halt_drop(n, waves->ctx, waves->wave[i]);
	return err;
}

static int halts_try(struct gpubp_amd_node *n, const struct gpubp_waves *waves)
{
	struct gpubp_amd_ctx *ctx = waves->ctx;
	int err = halts_add(n, waves);

	if (!err || !n->isa)
		return err == -EAGAIN ? -EBUSY : err;
	/* a search has waves that are in no list while it holds the lock */
	guard(mutex)(&ctx->records_lock);
	err = halts_add(n, waves);
	if (err != -EAGAIN)
		return err;
	if (gpubp_amd_ctx_evict(ctx))
		return -EBUSY;
	err = halts_write(n, waves);
	gpubp_amd_ctx_restore(ctx);
	return err;
}

/*
 * The handler uses ttmp4 while it records a hit. What is there tells a wave that was halted
 * in memory from others, and it may have a hit of before: it would not be found.
 */
static bool ctx_records(struct gpubp_amd_ctx *ctx)
{
	const struct gpubp_isa *isa = ctx->node->isa;
	u64 on = ctx->tma;
	u32 slots;

	if (!isa || !READ_ONCE(ctx->handler))
		return false;
	on += isa->handler->ring_offset + offsetof(struct gpubp_handler_ring, on);
	return gpubp_amd_block_rw(ctx, on, &slots, sizeof(slots), false) == sizeof(slots) &&
	       slots;
}

/* Return: 0, -ESRCH, -EBUSY. */
int gpubp_amd_halt(void *dev, const struct gpubp_waves *waves)
{
	unsigned long deadline = jiffies + HALT_TIMEOUT;
	struct gpubp_amd_node *n = dev;
	int err;

	if (!waves->nr)
		return ctx_halt(n, waves->ctx);
	/* those that hits stop need nothing in memory */
	if (!halts_add(n, waves))
		return 0;
	if (ctx_records(waves->ctx))
		return -EBUSY;
	do {
		err = halts_try(n, waves);
		if (err != -EAGAIN)
			return err == -ESRCH || !err ? err : -EBUSY;
		gpubp_amd_find_now(n);
		usleep_range(1000, 2000);
	} while (!fatal_signal_pending(current) && time_before(jiffies, deadline));
	return -EBUSY;
}

int gpubp_amd_resume(void *dev, const struct gpubp_waves *waves)
{
	struct gpubp_amd_node *n = dev;
	unsigned int i;
	int err = 0;

	if (!waves->nr)
		return ctx_resume(n, waves->ctx);
	for (i = 0; i < waves->nr; i++)
		if (!halt_drop(n, waves->ctx, waves->wave[i]))
			err = -ESRCH;
	return err;
}
