// SPDX-License-Identifier: GPL-2.0
/* Roster: shares of users, and whose turn it is. */
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

#define WEIGHT	1	/* of every user, and of every break */

/* nobody can tell from what he sees armed what will be next */
void gpubp_roster_init(struct gpubp_ctx *ctx)
{
	siphash_key_t key;

	get_random_bytes(&key, sizeof(key));
	gpubp_turns_init(&ctx->trap->traps.turns, &key);
	memzero_explicit(&key, sizeof(key));
	INIT_LIST_HEAD(&ctx->trap->traps.rosters);
}

static struct gpubp_roster *roster_find(struct gpubp_ctx *ctx,
					const struct gpubp_user *user)
{
	struct gpubp_roster *r;

	list_for_each_entry(r, &ctx->trap->traps.rosters, node)
		if (r->user == user)
			return r;
	return NULL;
}

static struct gpubp_roster *roster_get(struct gpubp_ctx *ctx,
				       const struct gpubp_user_share *of)
{
	struct gpubp_roster *r = roster_find(ctx, of->user);

	if (r)
		return r;
	r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL |
		    __GFP_NOWARN);
	if (!r)
		return NULL;
	gpubp_share_init(&r->share, of->share.id, WEIGHT);
	r->user = of->user;
	list_add_tail(&r->node, &ctx->trap->traps.rosters);
	return r;
}

static void roster_put(struct gpubp_roster *r)
{
	if (r->nr)
		return;
	list_del(&r->node);
	gpubp_share_exit(&r->share);
	kfree(r);
}

/**
 * gpubp_roster_add() - a break wants a slot
 * @trap: break, charged to its user; the device lock is held
 *
 * Return: 0 or -ENOMEM.
 */
int gpubp_roster_add(struct gpubp_trap *trap)
{
	struct gpubp_ctx *ctx = trap->ctx;
	struct gpubp_roster *r = roster_get(ctx, trap->share);
	int err;

	lockdep_assert_held(&ctx->dev->lock);
	if (!r)
		return -ENOMEM;
	err = gpubp_turn_add(&ctx->trap->traps.turns, &r->share, &trap->turn, WEIGHT);
	if (!err)
		r->nr++;
	roster_put(r);
	return err;
}

/** gpubp_roster_remove() - a break wants no slot any more; device lock held */
void gpubp_roster_remove(struct gpubp_trap *trap)
{
	struct gpubp_roster *r = container_of(trap->turn.share,
					      struct gpubp_roster, share);

	lockdep_assert_held(&trap->ctx->dev->lock);
	gpubp_turn_remove(&trap->ctx->trap->traps.turns, &trap->turn);
	r->nr--;
	roster_put(r);
}

/* it is neither refused, as far as is known, nor throttled */
static bool is_candidate(const struct gpubp_trap *trap)
{
	return trap->kind == GPUBP_KIND_BREAK && !trap->err && !trap->rests;
}

static unsigned int choose_pinned(struct gpubp_ctx *ctx, unsigned int nr_slots)
{
	struct gpubp_turns *t = &ctx->trap->traps.turns;
	struct gpubp_trap *trap;
	unsigned int n = 0;

	list_for_each_entry(trap, &ctx->trap->traps.traps, node) {
		trap->chosen = n < nr_slots && is_candidate(trap) &&
			       trap->pinned;
		if (!trap->chosen)
			continue;
		gpubp_turn_armed(t, &trap->turn);
		gpubp_turn_had(&trap->turn);
		n++;
	}
	return n;
}

static bool take_turn(struct gpubp_turns *t, struct gpubp_share *share,
		      struct gpubp_turn *turn)
{
	struct gpubp_trap *trap = container_of(turn, struct gpubp_trap, turn);

	gpubp_turn_had(turn);
	if (!is_candidate(trap)) {
		gpubp_share_charge_vain(t, share);
		gpubp_turn_in_vain(t, turn);
		return false;
	}
	gpubp_turn_armed(t, turn);
	gpubp_share_charge(t, share, 1);
	trap->chosen = true;
	return true;
}

static unsigned int choose_by_turns(struct gpubp_ctx *ctx,
				    unsigned int nr_slots)
{
	struct gpubp_turns *t = &ctx->trap->traps.turns;
	struct gpubp_share *share;
	struct gpubp_turn *turn;
	unsigned int n = 0;

	gpubp_turns_begin(t);
	while (n < nr_slots && (share = gpubp_turns_least(t))) {
		turn = gpubp_share_next(t, share, false);
		if (turn)
			n += take_turn(t, share, turn);
		else
			gpubp_turns_set_aside(t, share);
	}
	gpubp_turns_end(t, true);
	return n;
}

static unsigned int count_candidates(struct gpubp_ctx *ctx)
{
	struct gpubp_trap *trap;
	unsigned int n = 0;

	list_for_each_entry(trap, &ctx->trap->traps.traps, node)
		n += is_candidate(trap);
	return n;
}

static void choose_all(struct gpubp_ctx *ctx)
{
	struct gpubp_trap *trap;

	list_for_each_entry(trap, &ctx->trap->traps.traps, node)
		trap->chosen = is_candidate(trap);
}

/**
 * gpubp_roster_choose() - who has the slots of a context in the next quantum
 * @ctx: context; the device lock is held
 * @nr_slots: how many there are
 *
 * Sets gpubp_trap.chosen of each break. Return: whether another quantum may be
 * different, though nothing else is wanted.
 */
bool gpubp_roster_choose(struct gpubp_ctx *ctx, unsigned int nr_slots)
{
	unsigned int nr_pinned;

	lockdep_assert_held(&ctx->dev->lock);
	if (count_candidates(ctx) <= nr_slots) {
		choose_all(ctx);
		return false;
	}
	gpubp_turns_next(&ctx->trap->traps.turns);
	nr_pinned = choose_pinned(ctx, nr_slots);
	return choose_by_turns(ctx, nr_slots - nr_pinned);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_roster_choose);
