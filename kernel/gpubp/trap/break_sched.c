// SPDX-License-Identifier: GPL-2.0
/* Break scheduler: weighted fair queueing of breaks, one flow for each user. */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../core/core.h"
#include "break_sched.h"
#include "trap.h"
#include "trap_point.h"

#define WEIGHT	1	/* of each user, and of each break */

/**
 * gpubp_break_sched_init() - initialise the break scheduler of a new context
 * @ctx: context
 *
 * The order of breaks is drawn with a secret key, so that a user who sees which
 * breaks are armed cannot predict which ones are next.
 */
void gpubp_break_sched_init(struct gpubp_ctx *ctx)
{
	siphash_key_t key;

	get_random_bytes(&key, sizeof(key));
	gpubp_fairq_init(&ctx->trap->traps.fairq, &key);
	memzero_explicit(&key, sizeof(key));
	INIT_LIST_HEAD(&ctx->trap->traps.break_flows);
}

static struct gpubp_break_flow *break_flow_find(struct gpubp_ctx *ctx,
						const struct gpubp_user *user)
{
	struct gpubp_break_flow *bf;

	list_for_each_entry(bf, &ctx->trap->traps.break_flows, node)
		if (bf->user == user)
			return bf;
	return NULL;
}

static struct gpubp_break_flow *
break_flow_find_or_alloc(struct gpubp_ctx *ctx,
			 const struct gpubp_user_share *of)
{
	struct gpubp_break_flow *bf = break_flow_find(ctx, of->user);

	if (bf)
		return bf;
	bf = kzalloc(sizeof(*bf), GPUBP_GFP_LOCKED);
	if (!bf)
		return NULL;
	gpubp_fairq_flow_init(&bf->flow, of->flow.id, WEIGHT);
	bf->user = of->user;
	list_add_tail(&bf->node, &ctx->trap->traps.break_flows);
	return bf;
}

static void break_flow_free_unused(struct gpubp_break_flow *bf)
{
	if (bf->nr)
		return;
	list_del(&bf->node);
	gpubp_fairq_flow_exit(&bf->flow);
	kfree(bf);
}

/**
 * gpubp_break_sched_add() - add a break to the fair queue of its context
 * @trap: break, charged to its user; the device lock is held
 *
 * Return: 0 or -ENOMEM.
 */
int gpubp_break_sched_add(struct gpubp_trap_point *trap)
{
	struct gpubp_ctx *ctx = trap->ctx;
	struct gpubp_break_flow *bf =
		break_flow_find_or_alloc(ctx, trap->share);
	int err;

	lockdep_assert_held(&ctx->dev->lock);
	if (!bf)
		return -ENOMEM;
	err = gpubp_fairq_add(&ctx->trap->traps.fairq, &bf->flow, &trap->fq,
			      WEIGHT);
	if (!err)
		bf->nr++;
	break_flow_free_unused(bf);
	return err;
}

/** gpubp_break_sched_remove() - dequeue a break; the device lock is held */
void gpubp_break_sched_remove(struct gpubp_trap_point *trap)
{
	struct gpubp_break_flow *bf =
		container_of(trap->fq.flow, struct gpubp_break_flow, flow);

	lockdep_assert_held(&trap->ctx->dev->lock);
	gpubp_fairq_remove(&trap->ctx->trap->traps.fairq, &trap->fq);
	bf->nr--;
	break_flow_free_unused(bf);
}

/* armed if it gets a slot: no error is known, and it is not throttled */
static bool break_is_candidate(const struct gpubp_trap_point *trap)
{
	return trap->kind == GPUBP_KIND_BREAK && !trap->err && !trap->throttled;
}

static void breaks_choose_none(struct gpubp_ctx *ctx)
{
	struct gpubp_trap_point *trap;

	list_for_each_entry(trap, &ctx->trap->traps.traps, node)
		trap->chosen = false;
}

/* @first: those of events of processes, else the other ones */
static unsigned int breaks_choose_pinned(struct gpubp_ctx *ctx,
					 unsigned int nr_slots, bool first)
{
	struct gpubp_fairq *fairq = &ctx->trap->traps.fairq;
	struct gpubp_trap_point *trap;
	unsigned int n = 0;

	list_for_each_entry(trap, &ctx->trap->traps.traps, node) {
		if (n == nr_slots || !trap->pinned ||
		    trap->pinned_first != first || !break_is_candidate(trap))
			continue;
		trap->chosen = true;
		gpubp_fairq_entry_armed(fairq, &trap->fq);
		gpubp_fairq_entry_served(&trap->fq);
		n++;
	}
	return n;
}

/*
 * Events of processes were refused if there were too many of them. Those of all
 * processes were not: one slot is left for breaks that are not pinned.
 */
static unsigned int breaks_choose_all_pinned(struct gpubp_ctx *ctx,
					     unsigned int nr_slots)
{
	unsigned int n = breaks_choose_pinned(ctx, nr_slots, true);

	if (n + 1 < nr_slots)
		n += breaks_choose_pinned(ctx, nr_slots - n - 1, false);
	return n;
}

static bool break_serve(struct gpubp_fairq *fairq,
			struct gpubp_fairq_flow *flow,
			struct gpubp_fairq_entry *entry)
{
	struct gpubp_trap_point *trap =
		container_of(entry, struct gpubp_trap_point, fq);

	gpubp_fairq_entry_served(entry);
	if (!break_is_candidate(trap)) {
		gpubp_fairq_flow_charge_unplaceable(fairq, flow);
		gpubp_fairq_entry_unplaceable(fairq, entry);
		return false;
	}
	gpubp_fairq_entry_armed(fairq, entry);
	gpubp_fairq_flow_charge(fairq, flow, 1);
	trap->chosen = true;
	return true;
}

static unsigned int breaks_choose_fair(struct gpubp_ctx *ctx,
				       unsigned int nr_slots)
{
	struct gpubp_fairq *fairq = &ctx->trap->traps.fairq;
	struct gpubp_fairq_flow *flow;
	struct gpubp_fairq_entry *entry;
	unsigned int n = 0;

	gpubp_fairq_pass_begin(fairq);
	while (n < nr_slots && (flow = gpubp_fairq_first_flow(fairq))) {
		entry = gpubp_fairq_flow_next(fairq, flow, false);
		if (entry)
			n += break_serve(fairq, flow, entry);
		else
			gpubp_fairq_skip_flow(fairq, flow);
	}
	gpubp_fairq_pass_end(fairq, true);
	return n;
}

static unsigned int breaks_count_candidates(struct gpubp_ctx *ctx)
{
	struct gpubp_trap_point *trap;
	unsigned int n = 0;

	list_for_each_entry(trap, &ctx->trap->traps.traps, node)
		n += break_is_candidate(trap);
	return n;
}

static void breaks_choose_all(struct gpubp_ctx *ctx)
{
	struct gpubp_trap_point *trap;

	list_for_each_entry(trap, &ctx->trap->traps.traps, node)
		trap->chosen = break_is_candidate(trap);
}

/**
 * gpubp_break_sched_choose() - choose the breaks of a context for a quantum
 * @ctx: context; the device lock is held
 * @nr_slots: trap slots of the context; 0 if its waves do not trap
 *
 * Sets gpubp_trap_point.chosen of each break.
 *
 * Return: true if the choice for the next quantum may differ although no event
 * changes, because breaks rotate.
 */
bool gpubp_break_sched_choose(struct gpubp_ctx *ctx, unsigned int nr_slots)
{
	unsigned int nr_pinned;

	lockdep_assert_held(&ctx->dev->lock);
	if (breaks_count_candidates(ctx) <= nr_slots) {
		breaks_choose_all(ctx);
		return false;
	}
	gpubp_fairq_next_quantum(&ctx->trap->traps.fairq);
	breaks_choose_none(ctx);
	nr_pinned = breaks_choose_all_pinned(ctx, nr_slots);
	return breaks_choose_fair(ctx, nr_slots - nr_pinned);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_break_sched_choose);
