// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <linux/bitops.h>
#include <linux/kernel.h>

#include "../tap.h"
#include "world.h"

#define FIXED_SEED	20240229

u64 world_seed(void)
{
	const char *text = getenv("GPUBP_SEED");
	u64 seed = FIXED_SEED;

	if (text && strcmp(text, "random"))
		seed = strtoull(text, NULL, 0);
	else if (text)
		assert(getrandom(&seed, sizeof(seed), 0) == sizeof(seed));
	tap_note("GPUBP_SEED=%llu", seed);
	return seed;
}

/* ---- the policy's ops ------------------------------------------------------ */

static struct gpubp_candidate *cand_get(struct world *w)
{
	struct gpubp_candidate *c;

	c = list_first_entry_or_null(&w->pool, struct gpubp_candidate, node);
	if (c)
		list_del(&c->node);
	else
		c = malloc(sizeof(*c));
	assert(c);
	return c;
}

/* each watch has a unique address */
static struct gpubp_candidate *describe(struct gpubp_fairq_entry *entry,
					void *arg)
{
	struct world *w = arg;
	struct watch *watch = container_of(entry, struct watch, fq);
	struct gpubp_candidate *c = cand_get(w);

	w->described++;
	*c = (struct gpubp_candidate){
		.fq = entry,
		.ctx = 1,
		.mode = GPUBP_MODE_NONREAD,
		.nr_blocks = 1,
		.block[0] = { (watch - w->watches) * 0x1000ULL,
			      0xffffffffffc0 },
		.slots = watch->slots,
		.priv = watch,
	};
	INIT_LIST_HEAD(&c->node);
	return c;
}

static void drop(struct gpubp_candidate *cand, void *arg)
{
	struct world *w = arg;

	list_add(&cand->node, &w->pool);
}

/* a watch without a group is one of its own */
static struct gpubp_fairq_entry *group_next(struct gpubp_fairq_entry *entry,
					    struct gpubp_fairq_entry *prev,
					    void *arg)
{
	struct world *w = arg;
	u32 next = prev ? container_of(prev, struct watch, fq) + 1 - w->watches : 0;

	if (container_of(entry, struct watch, fq) >= w->watches + w->group)
		return prev ? NULL : entry;
	return next < w->group ? &w->watches[next].fq : NULL;
}

static const struct gpubp_policy_ops ops = {
	.describe = describe,
	.drop = drop,
	.group_next = group_next,
};

/* ---- quanta ---------------------------------------------------------------- */

static void note_disarmed(struct world *w, struct list_head *before)
{
	struct gpubp_candidate *c;
	struct watch *watch;

	list_for_each_entry(c, before, node) {
		watch = c->priv;
		if (watch->last != w->quantum)
			watch->slots = 0;
	}
	list_splice_tail_init(before, &w->pool);
}

u32 world_quantum(struct world *w)
{
	LIST_HEAD(before);
	LIST_HEAD(pinned);
	struct gpubp_candidate *c;
	struct watch *watch;

	w->quantum++;
	list_splice_tail_init(&w->armed, &before);
	gpubp_policy_next(&w->policy, &w->caps, &ops, w, &pinned, &w->armed);
	for_each_armed(watch, w, c) {
		watch->slots = c->slots;
		watch->armed++;
		watch->before = watch->last;
		watch->last = w->quantum;
	}
	note_disarmed(w, &before);
	return gpubp_policy_dither(&w->policy, QUANTUM_US);
}

struct watch *world_add(struct world *w, struct gpubp_fairq_flow *flow)
{
	struct watch *watch = &w->watches[w->nr++];

	assert(!gpubp_fairq_add(&w->policy.fairq, flow, &watch->fq, 1));
	return watch;
}

void world_init(struct world *w, unsigned int slots, u8 kind, u32 max, u64 seed)
{
	const siphash_key_t key = { { seed, ~seed } };

	*w = (struct world) {
		.caps = {
			.usable = BIT(slots) - 1,
			.modes = 0xf,
			.cntl_banked = true,
			.kind = kind,
		},
		.watches = calloc(max, sizeof(*w->watches)),
	};
	assert(w->watches);
	INIT_LIST_HEAD(&w->armed);
	INIT_LIST_HEAD(&w->pool);
	gpubp_policy_init(&w->policy, &key);
}

void world_exit(struct world *w)
{
	struct gpubp_candidate *c, *next;
	u32 i;

	list_splice_tail_init(&w->armed, &w->pool);
	list_for_each_entry_safe(c, next, &w->pool, node)
		free(c);
	for (i = 0; i < w->nr; i++)
		if (w->watches[i].fq.flow)
			gpubp_fairq_remove(&w->policy.fairq, &w->watches[i].fq);
	free(w->watches);
}
