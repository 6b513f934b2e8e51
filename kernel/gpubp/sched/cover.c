// SPDX-License-Identifier: GPL-2.0
/* Covers: see cover.h. */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/rbtree.h>
#include <linux/seq_file.h>

#include "../core/core.h"
#include "../lib/placement.h"
#include "../lib/policy.h"
#include "coalesce.h"
#include "commit.h"
#include "cover.h"
#include "filter_plan.h"
#include "sched.h"
#include "watch.h"

static unsigned int max_filter_percent = 100;
module_param(max_filter_percent, uint, 0644);
MODULE_PARM_DESC(max_filter_percent, "comparators compare more than is watched, so that watches need not take turns, while waves of a context spend at most this share of time on strays, in percent of one wave; 0: never");

#define MAX_STRAY_LEVEL	12		/* one byte in 4096 */

/* in which a provider's strays were, unless it is later than that */
#define STRAYS_SPAN	NSEC_PER_SEC

/*
 * Of a context; more take turns. A commit looks at so many of all contexts, at each
 * for a handful of levels.
 */
#define MAX_WATCHES	1024	/* as many share a comparator in a quantum */

/** gpubp_cover_init_ctx() - initialise a new context's part */
void gpubp_cover_init_ctx(struct gpubp_ctx *ctx)
{
	raw_spin_lock_init(&ctx->sched->cover.lock);
}

/** gpubp_cover_watches() - @more watches came or, negative, went; device lock held */
void gpubp_cover_watches(struct gpubp_ctx *ctx, int more)
{
	lockdep_assert_held(&ctx->dev->lock);
	ctx->sched->cover.nr_watches += more;
	ctx->sched->cover.dirty = true;
}

/* a stray stops no wave: the trap handler, or the provider, lets it go on */
static bool strays_go_on(const struct gpubp_device *dev)
{
	const struct gpubp_caps *caps = &dev->desc.caps;

	return caps->ranges ? caps->precise : gpubp_filters_wanted(dev);
}

/* may watches of the device have to be widened? Each needs a few comparators at most */
static bool covers_are_wanted(const struct gpubp_device *dev)
{
	return READ_ONCE(max_filter_percent) && !dev->desc.caps.ternary &&
	       dev->nr_watches * GPUBP_MAX_BLOCKS > dev->desc.caps.nr_slots &&
	       strays_go_on(dev);
}

/**
 * gpubp_covers_update() - find for which contexts comparators may be widened
 * @dev: device; its lock is held
 *
 * The committer only; gpubp_covers_choose() follows.
 */
void gpubp_covers_update(struct gpubp_device *dev)
{
	bool wanted = covers_are_wanted(dev);
	struct gpubp_cover *cover;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		cover = &ctx->sched->cover;
		cover->wanted = wanted && cover->nr_watches > 1 &&
				cover->nr_watches <= MAX_WATCHES;
	}
}

/* ---- budget -------------------------------------------------------------- */

/* true if the budget is exceeded now and was not before */
static bool cover_spend(struct gpubp_cover *cover, u64 ns, u64 span)
{
	unsigned int percent = READ_ONCE(max_filter_percent);

	cover->strays_ns += ns;
	if (percent && !gpubp_budget_spend(&cover->budget, percent,
					   ktime_get_ns(), ns, span))
		return false;
	return !xchg(&cover->over, true);
}

/**
 * gpubp_cover_charge() - strays took time from the waves of a context
 * @ctx: context whose watches are widened
 * @ns: sum over waves
 * @span: time in which it was taken, until now, ns
 *
 * In threads only.
 */
void gpubp_cover_charge(struct gpubp_ctx *ctx, u64 ns, u64 span)
{
	struct gpubp_cover *cover = &ctx->sched->cover;
	bool over;

	raw_spin_lock(&cover->lock);
	over = cover_spend(cover, ns, span);
	raw_spin_unlock(&cover->lock);
	if (over)
		gpubp_request(ctx->dev);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_cover_charge);

/**
 * gpubp_cover_strays() - a provider has let strays go on
 * @ctx: context; if its watches are not widened, nothing is charged
 * @nr: how many, since it said so last
 *
 * In threads only.
 */
void gpubp_cover_strays(struct gpubp_ctx *ctx, u32 nr)
{
	if (READ_ONCE(ctx->sched->cover.stray))
		gpubp_cover_charge(ctx, nr * gpubp_stray_ns(ctx->dev), STRAYS_SPAN);
}

/**
 * gpubp_cover_lost() - of hits that were lost it is not known which watches they met
 * @ctx: context
 *
 * What is counted in widened blocks is too low: the watches take turns, as if the
 * budget were exceeded. Any context.
 */
void gpubp_cover_lost(struct gpubp_ctx *ctx)
{
	struct gpubp_cover *cover = &ctx->sched->cover;

	if (READ_ONCE(cover->stray) && !xchg(&cover->over, true))
		gpubp_request(ctx->dev);
}

/* was the budget exceeded? */
static bool cover_take_over(struct gpubp_cover *cover)
{
	return xchg(&cover->over, false);
}

static void cover_set(struct gpubp_cover *cover, struct gpubp_widening wide, u64 now)
{
	guard(raw_spinlock)(&cover->lock);
	if (wide.stray && !cover->stray)
		gpubp_budget_fill(&cover->budget,
				  READ_ONCE(max_filter_percent), now);
	WRITE_ONCE(cover->stray, wide.stray);
	cover->log = wide.log;
}

/* ---- choice -------------------------------------------------------------- */

/**
 * struct block_count - blocks that the watches of a context need
 * @nr: different ones
 * @block: these
 */
struct block_count {
	unsigned int nr;
	struct gpubp_block block[GPUBP_MAX_SLOTS];
};

/* false: these are more than there are comparators */
static bool count_block(struct block_count *count,
			const struct gpubp_block *block, unsigned int slots)
{
	unsigned int i;

	for (i = 0; i < count->nr; i++)
		if (gpubp_block_is_same(&count->block[i], block))
			return true;
	if (count->nr == slots)
		return false;
	count->block[count->nr++] = *block;
	return true;
}

static bool count_watch(struct block_count *count, const struct gpubp_watch *w,
			struct gpubp_widening wide, unsigned int slots)
{
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
	int i, nr;

	if (w->pinned)
		return true;
	nr = gpubp_coalesce_cover_as(w, GPUBP_MAX_BLOCKS, wide, block);
	for (i = 0; i < nr; i++)
		if (!count_block(count, &block[i], slots))
			return false;
	return true;
}

/* do the watches fit on @slots comparators? */
static bool ctx_fits(const struct gpubp_ctx *ctx, struct gpubp_widening wide,
		     unsigned int slots)
{
	struct block_count count = {};
	struct rb_node *node;

	for (node = rb_first_cached(&ctx->watches); node; node = rb_next(node))
		if (!count_watch(&count, rb_entry(node, struct gpubp_watch, rb),
				 wide, slots))
			return false;
	return true;
}

#define ANY_LOG		63	/* of a block's size */

static struct gpubp_widening level_wide(unsigned int level)
{
	return (struct gpubp_widening){ level ? 1U << (level - 1) : 0, ANY_LOG };
}

/* no larger than needed: larger blocks contain smaller ones, likewise */
static void ctx_limit(const struct gpubp_ctx *ctx, unsigned int slots,
		      struct gpubp_widening *wide)
{
	unsigned int low = 0, high = ANY_LOG;

	while (low < high) {
		wide->log = (low + high) / 2;
		if (ctx_fits(ctx, *wide, slots))
			high = wide->log;
		else
			low = wide->log + 1;
	}
	wide->log = high;
}

/*
 * The first level that fits; false if none does, as where loads, which are not
 * widened, need more. Wider blocks contain narrower ones, so that each level needs no
 * more of them than the one before.
 */
static bool ctx_wide_for(const struct gpubp_ctx *ctx, unsigned int slots,
			 struct gpubp_widening *wide)
{
	unsigned int low = 0, high = MAX_STRAY_LEVEL + 1, level;

	if (!slots || !ctx_fits(ctx, level_wide(high), slots))
		return false;
	while (low < high) {
		level = (low + high) / 2;
		if (ctx_fits(ctx, level_wide(level), slots))
			high = level;
		else
			low = level + 1;
	}
	*wide = level_wide(high);
	ctx_limit(ctx, slots, wide);
	return true;
}

static bool ctx_is_served(const struct gpubp_ctx *ctx)
{
	return gpubp_ctx_can_arm(ctx) && !RB_EMPTY_ROOT(&ctx->watches.rb_root);
}

/**
 * struct cover_choice - what covers are chosen for
 * @now: ns of CLOCK_MONOTONIC
 * @flexible: comparators that no pinned watch has
 * @share: of a context
 * @looked: watches of contexts that were looked at
 * @later: a context has to wait for the next run
 */
struct cover_choice {
	u64 now;
	unsigned int flexible;
	unsigned int share;
	unsigned int looked;
	bool later;
};

static void cover_back_off(struct gpubp_cover *cover, u64 now)
{
	gpubp_backoff_begin(&cover->backoff, now);
	cover->turns_ns += cover->backoff.until - now;
	cover->dirty = true;
}

static bool cover_is_chosen(const struct gpubp_cover *cover,
			    const struct cover_choice *choice)
{
	return !cover->dirty && cover->share == choice->share &&
	       cover->flexible == choice->flexible;
}

static struct gpubp_widening cover_choose(struct gpubp_ctx *ctx,
					  const struct cover_choice *choice)
{
	struct gpubp_cover *cover = &ctx->sched->cover;
	struct gpubp_widening wide = {};

	cover->share = choice->share;
	cover->flexible = choice->flexible;
	cover->dirty = false;
	if (!ctx_fits(ctx, wide, choice->share) &&
	    !ctx_wide_for(ctx, choice->share, &wide))
		ctx_wide_for(ctx, choice->flexible, &wide);
	return wide;
}

static void ctx_choose(struct gpubp_ctx *ctx, struct cover_choice *choice)
{
	struct gpubp_cover *cover = &ctx->sched->cover;

	if (cover_take_over(cover) && cover->stray)
		cover_back_off(cover, choice->now);
	if (!cover->wanted || choice->now < cover->backoff.until ||
	    ctx->sched->coalescing.next || !ctx_is_served(ctx)) {
		cover_set(cover, (struct gpubp_widening){}, choice->now);
		cover->waits = false;
		cover->dirty = true;
		return;
	}
	if (cover_is_chosen(cover, choice))
		return;
	cover->waits = choice->looked &&
		       choice->looked + cover->nr_watches > MAX_WATCHES;
	choice->later |= cover->waits;
	if (cover->waits)
		return;
	choice->looked += cover->nr_watches;
	cover_set(cover, cover_choose(ctx, choice), choice->now);
}

/* those first that had to wait in the last run */
static void choose_waiting(struct gpubp_device *dev, struct cover_choice *choice,
			   bool waits)
{
	struct gpubp_ctx *ctx;

	list_for_each_entry(ctx, &dev->ctxs, node) {
		if (ctx->sched->cover.chosen_in == dev->sched->cover_run ||
		    (waits && !ctx->sched->cover.waits))
			continue;
		ctx->sched->cover.chosen_in = dev->sched->cover_run;
		ctx_choose(ctx, choice);
		dev->sched->nr_covers += ctx->sched->cover.stray > 0;
	}
}

/* an upper bound: pinned watches may share */
static unsigned int pinned_slots(const struct gpubp_commit *c)
{
	const struct gpubp_candidate *cand;
	unsigned int nr = 0;

	list_for_each_entry(cand, &c->pinned, node)
		nr += cand->nr_blocks;
	return nr;
}

/**
 * gpubp_covers_choose() - choose how far watches are widened in the next quantum
 * @c: commit; its pinned candidates are there, and no others; the device lock is
 *	held
 *
 * Return: false if a later run has to go on.
 */
bool gpubp_covers_choose(struct gpubp_commit *c)
{
	unsigned int usable = hweight32(c->caps.usable), nr = 0;
	struct cover_choice choice = {
		.now = ktime_get_ns(),
		.flexible = usable - min(usable, pinned_slots(c)),
	};
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&c->dev->lock);
	list_for_each_entry(ctx, &c->dev->ctxs, node)
		nr += ctx_is_served(ctx);
	if (nr)
		choice.share = choice.flexible / nr;
	c->dev->sched->nr_covers = 0;
	c->dev->sched->cover_run++;
	choose_waiting(c->dev, &choice, true);
	choose_waiting(c->dev, &choice, false);
	return !choice.later;
}

/** gpubp_covers_show() - what is widened, and what it costs; device lock held */
void gpubp_covers_show(struct gpubp_device *dev, struct seq_file *m)
{
	const struct gpubp_cover *cover;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		cover = &ctx->sched->cover;
		if (!cover->stray && !READ_ONCE(cover->strays_ns))
			continue;
		seq_printf(m, "cover context %u: one byte in %u watched, strays took %llu us, turns for %llu ms\n",
			   ctx->id, cover->stray,
			   div_u64(READ_ONCE(cover->strays_ns), NSEC_PER_USEC),
			   div_u64(cover->turns_ns, NSEC_PER_MSEC));
	}
}
