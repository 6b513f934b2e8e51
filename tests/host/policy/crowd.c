// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/string.h>

#include "../tap.h"
#include "crowd.h"

/* above the limit of the policy's requests in a quantum, and those that share */
#define POOL	2048

static struct gpubp_candidate pool[POOL];
static unsigned int pool_used;

static struct member *member_of(struct gpubp_fairq_entry *entry)
{
	return container_of(entry, struct member, fq);
}

static struct gpubp_candidate *describe(struct gpubp_fairq_entry *entry,
					void *arg)
{
	struct member *m = member_of(entry);
	struct crowd *c = arg;
	u64 page = m->shares ? 0 : 2 + 2 * (u64)(m - c->members);
	struct gpubp_candidate *cand;

	m->asked++;
	if (++c->asked > POOL)
		abort();
	if (m->refused)
		return NULL;
	cand = &pool[pool_used++];
	*cand = (struct gpubp_candidate) {
		.nr_blocks = m->nr_blocks,
		.block = {
			{ page << 12, 0xfffffffff000 },
			{ (page + 1) << 12, 0xfffffffff000 },
		},
	};
	return cand;
}

static struct gpubp_fairq_entry *
share_next(u32 ctx, const struct gpubp_block *block,
	   struct gpubp_fairq_entry *prev, void *arg)
{
	struct crowd *c = arg;
	struct member *m = prev ? member_of(prev) + 1 : c->members;

	(void)ctx;
	/* only those that share are in the first page */
	if (block->value)
		return NULL;
	for (; m < c->members + c->nr; m++)
		if (m->shares)
			return &m->fq;
	return NULL;
}

static void drop(struct gpubp_candidate *cand, void *arg)
{
	(void)cand;
	(void)arg;
}

static void count(struct crowd *c, struct member *m)
{
	if (c->on_armed)
		c->on_armed(c, m);
	m->armed++;
	m->last = c->p.fairq.quantum;
	c->got[m->fq.flow - c->users] += m->nr_blocks;
}

static void step(struct crowd *c)
{
	static const struct gpubp_policy_ops ops = {
		.describe = describe,
		.drop = drop,
		.share_next = share_next,
	};
	LIST_HEAD(pinned);
	LIST_HEAD(armed);
	struct gpubp_candidate *cand;

	c->asked = 0;
	pool_used = 0;
	gpubp_policy_next(&c->p, &c->caps, &ops, c, &pinned, &armed);
	c->most_asked = max(c->most_asked, c->asked);
	list_for_each_entry(cand, &armed, node)
		count(c, member_of(cand->fq));
}

void crowd_init(struct crowd *c, u32 nr, unsigned int slots, u8 kind, u64 key)
{
	const siphash_key_t k = { { key, 1 } };
	u32 i;

	memset(c, 0, sizeof(*c));
	gpubp_policy_init(&c->p, &k);
	c->caps = (struct gpubp_policy_caps) {
		.usable = (1u << slots) - 1,
		.modes = 1 << GPUBP_MODE_READ,
		.kind = kind,
	};
	for (i = 0; i < MAX_USERS; i++)
		gpubp_fairq_flow_init(&c->users[i], i, 1);
	c->members = calloc(nr, sizeof(*c->members));
	c->nr = nr;
	for (i = 0; i < nr; i++)
		c->members[i].nr_blocks = 1;
}

void crowd_exit(struct crowd *c)
{
	u32 i;

	crowd_take(c, 0, c->nr);
	for (i = 0; i < MAX_USERS; i++)
		gpubp_fairq_flow_exit(&c->users[i]);
	free(c->members);
}

void crowd_give(struct crowd *c, unsigned int user, u32 from, u32 to, u8 weight)
{
	for (; from < to; from++)
		if (gpubp_fairq_add(&c->p.fairq, &c->users[user],
				    &c->members[from].fq, weight))
			abort();
}

void crowd_take(struct crowd *c, u32 from, u32 to)
{
	for (; from < to; from++)
		gpubp_fairq_remove(&c->p.fairq, &c->members[from].fq);
}

void crowd_run(struct crowd *c, u64 quanta)
{
	while (quanta--)
		step(c);
}
