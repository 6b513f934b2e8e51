// SPDX-License-Identifier: GPL-2.0
/* The model's driver: random actions of users, providers and the committer. */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "lib/placement.h"
#include "model.h"

/* ---- the policy's ops ---------------------------------------------------- */

static struct model_watch *watch_of(struct gpubp_fairq_entry *entry)
{
	return container_of(entry, struct model_watch, fq);
}

static struct gpubp_candidate *cand_new(struct model *m, struct model_watch *w)
{
	struct gpubp_candidate *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (w->cand)
		model_break(m, "a watch is described once");
	if (!c || w->cand) {
		kfree(c);
		return NULL;
	}
	*c = (struct gpubp_candidate) {
		.fq = &w->fq,
		.ctx = w->ctx,
		.mode = w->mode,
		.nr_blocks = w->nr_blocks,
		.slots = w->slots,
		.priv = w,
	};
	memcpy(c->block, w->block, sizeof(c->block));
	w->cand = c;
	return c;
}

static void cand_free(struct gpubp_candidate *c)
{
	struct model_watch *w = c->priv;

	w->cand = NULL;
	kfree(c);
}

static struct gpubp_candidate *describe(struct gpubp_fairq_entry *entry,
					void *arg)
{
	struct model_watch *w = watch_of(entry);

	if (!entry->flow)
		model_break(arg, "only entries with a flow are described");
	return w->unable ? NULL : cand_new(arg, w);
}

static void drop(struct gpubp_candidate *c, void *arg)
{
	struct model_watch *w = c->priv;

	if (w->cand != c)
		model_break(arg, "a candidate is dropped once");
	else
		cand_free(c);
}

static unsigned int index_of(const struct model *m, const struct model_watch *w)
{
	unsigned int i = 0;

	while (m->watches[i] != w)
		i++;
	return i;
}

/* pinned and disabled members as well: the policy has to skip them */
static struct gpubp_fairq_entry *
group_next(struct gpubp_fairq_entry *entry,
	   struct gpubp_fairq_entry *prev, void *arg)
{
	struct model_watch *w = watch_of(entry), *other;
	struct model *m = arg;
	unsigned int i = prev ? index_of(m, watch_of(prev)) + 1 : 0;

	if (!w->group)
		return prev ? NULL : entry;
	for (; i < MODEL_WATCHES; i++) {
		other = m->watches[i];
		if (other && other->ctx == w->ctx && other->group == w->group)
			return &other->fq;
	}
	return NULL;
}

static bool may_share(const struct model *m, const struct model_watch *w,
		      u32 ctx, const struct gpubp_block *block)
{
	int i;

	if (w->ctx != ctx && !m->caps.cntl_banked)
		return false;
	for (i = 0; i < w->nr_blocks; i++)
		if (w->block[i].value == block->value &&
		    (w->ctx != ctx || w->block[i].mask == block->mask))
			return true;
	return false;
}

static struct gpubp_fairq_entry *
share_next(u32 ctx, const struct gpubp_block *block,
	   struct gpubp_fairq_entry *prev, void *arg)
{
	struct model *m = arg;
	unsigned int i = prev ? index_of(m, watch_of(prev)) + 1 : 0;

	for (; i < MODEL_WATCHES; i++)
		if (m->watches[i] && may_share(m, m->watches[i], ctx, block))
			return &m->watches[i]->fq;
	return NULL;
}

static const struct gpubp_policy_ops ops = {
	.describe = describe,
	.drop = drop,
	.group_next = group_next,
	.share_next = share_next,
};

/* ---- watches ------------------------------------------------------------- */

static void changed(struct model *m)
{
	struct model_watch *w;
	unsigned int i;

	m->stable = 0;
	for_each_watch(m, w, i)
		w->waited = 0;
}

/* only watches that are wanted and not pinned have an entry */
static void sync_entry(struct model *m, struct model_watch *w)
{
	bool has = w->fq.flow, wants = model_wanted(m, w) && !w->pinned;

	if (wants && !has) {
		if (gpubp_fairq_add(&m->policy.fairq, &m->users[w->user],
				    &w->fq, w->weight))
			model_break(m, "every watch is accepted");
	} else if (!wants && has) {
		gpubp_fairq_remove(&m->policy.fairq, &w->fq);
	}
	changed(m);
}

static void withdraw(struct model *m, struct model_watch *w)
{
	w->enabled = false;
	sync_entry(m, w);
}

/* few values and masks, so that some are equal */
static void draw_cover(struct model *m, struct model_watch *w)
{
	unsigned int i;

	w->nr_blocks = 1 + !model_random(m, 6);
	for (i = 0; i < w->nr_blocks; i++) {
		u64 mask = model_random(m, 6) ? ~0xffULL : ~0x1ffULL;

		w->block[i].mask = mask;
		w->block[i].value = (2 * model_random(m, 16) + i) << 12;
	}
}

static u8 draw_mode(struct model *m)
{
	u8 mode;

	do {
		mode = model_random(m, 4);
	} while (!(m->caps.modes & BIT(mode)));
	return mode;
}

static void open_watch(struct model *m)
{
	unsigned int i = model_random(m, MODEL_WATCHES);
	struct model_watch *w;

	if (m->watches[i])
		return;
	w = kzalloc(sizeof(*w), GFP_KERNEL);
	if (!w) {
		model_break(m, "no memory");
		return;
	}
	w->user = model_random(m, MODEL_USERS);
	w->ctx = min(model_random(m, MODEL_CTXS), model_random(m, MODEL_CTXS));
	w->weight = model_random(m, 4) ? 1 : 1 + model_random(m, 4);
	w->enabled = model_random(m, 4);
	w->pinned = !model_random(m, 12);
	w->group = model_random(m, 2) ? 0 : 1 + model_random(m, 2);
	w->mode = draw_mode(m);
	draw_cover(m, w);
	m->watches[i] = w;
	sync_entry(m, w);
}

static void close_watch(struct model *m, unsigned int i)
{
	withdraw(m, m->watches[i]);
	kfree(m->watches[i]);
	m->watches[i] = NULL;
}

static struct model_watch *some_watch(struct model *m)
{
	return m->watches[model_random(m, MODEL_WATCHES)];
}

/* ---- actions ------------------------------------------------------------- */

static void close_some(struct model *m)
{
	unsigned int i = model_random(m, MODEL_WATCHES);

	if (m->watches[i])
		close_watch(m, i);
}

static void enable_some(struct model *m)
{
	struct model_watch *w = some_watch(m);

	if (!w)
		return;
	w->enabled = !w->enabled;
	sync_entry(m, w);
}

static void pin_some(struct model *m)
{
	struct model_watch *w = some_watch(m);

	if (!w)
		return;
	w->pinned = !w->pinned && !model_random(m, 3);
	sync_entry(m, w);
}

static void group_some(struct model *m)
{
	struct model_watch *w = some_watch(m);

	if (!w)
		return;
	w->group = model_random(m, 3);
	changed(m);
}

static void disable_description(struct model *m)
{
	struct model_watch *w = some_watch(m);

	if (!w)
		return;
	w->unable = !w->unable && !model_random(m, 6);
	changed(m);
}

/* bind or evict the context: its watches become wanted or unwanted */
static void switch_ctx(struct model *m)
{
	unsigned int ctx = model_random(m, MODEL_CTXS), i;
	struct model_watch *w;

	m->ctxs[ctx] = !m->ctxs[ctx];
	for_each_watch(m, w, i)
		if (w->ctx == ctx)
			sync_entry(m, w);
}

/* a user without watches is replaced by a new one */
static void renew_user(struct model *m)
{
	unsigned int i = model_random(m, MODEL_USERS);
	struct gpubp_fairq_flow *flow = &m->users[i];

	if (flow->nr)
		return;
	gpubp_fairq_flow_exit(flow);
	gpubp_fairq_flow_init(flow, i, 1 + model_random(m, 5));
}

/* another user of the device programs a slot, in any context */
static void scribble(struct model *m, unsigned int slot)
{
	unsigned int c;

	m->regs.value[slot] = ~0ULL;
	for (c = 0; c < MODEL_CTXS; c++)
		m->regs.valid[c] |= BIT(slot);
}

static void clear_slot(struct model_regs *regs, unsigned int slot)
{
	unsigned int c;

	regs->value[slot] = 0;
	for (c = 0; c < MODEL_CTXS; c++) {
		regs->valid[c] &= ~BIT(slot);
		regs->mask[c][slot] = 0;
		regs->mode[c][slot] = 0;
	}
}

static void lose_slot(struct model *m)
{
	unsigned int slot = model_random(m, MODEL_SLOTS);

	scribble(m, slot);
	gpubp_slotset_lost(&m->slots, BIT(slot));
	m->owner[slot] = MODEL_THEIRS;
	m->forgotten |= BIT(slot);
	changed(m);
}

/* a slot that was never declared lost does not become usable */
static void return_slot(struct model *m)
{
	unsigned int slot = model_random(m, MODEL_SLOTS);

	gpubp_slotset_returned(&m->slots, BIT(slot));
	if (!(m->slots.declared & BIT(slot)))
		return;
	clear_slot(&m->regs, slot);
	m->owner[slot] = MODEL_OURS;
	m->forgotten |= BIT(slot);
	changed(m);
}

static void move_slot(struct model *m)
{
	if (model_random(m, 2))
		lose_slot(m);
	else
		return_slot(m);
}

static void break_slot(struct model *m)
{
	m->faulty ^= BIT(model_random(m, MODEL_SLOTS));
	changed(m);
}

static void reset(struct model *m)
{
	unsigned int s;

	for (s = 0; s < MODEL_SLOTS; s++)
		if (m->owner[s] != MODEL_THEIRS)
			clear_slot(&m->regs, s);
	memset(&m->known, 0, sizeof(m->known));
	changed(m);
}

static void change_kind(struct model *m)
{
	m->caps.kind = model_random(m, 3) ? GPUBP_POLICY_FAIR :
					    GPUBP_POLICY_RANDOM;
	changed(m);
}

static void calm_down(struct model *m)
{
	m->calm = model_random(m, model_random(m, 32) ? 30 : 2000);
}

/* ---- the committer ------------------------------------------------------- */

static void forget(struct model *m)
{
	unsigned long slots = gpubp_slotset_take_forgotten(&m->slots);
	unsigned int s;

	if (slots != m->forgotten)
		model_break(m, "slots that changed owners are reported, once");
	m->forgotten = 0;
	for (s = 0; s < MODEL_SLOTS; s++)
		if (slots & BIT(s))
			clear_slot(&m->known, s);
}

static void collect_pinned(struct model *m)
{
	struct model_watch *w;
	struct gpubp_candidate *c;
	unsigned int i;

	for_each_watch(m, w, i) {
		c = w->pinned && model_wanted(m, w) ? cand_new(m, w) : NULL;
		if (c)
			list_add_tail(&c->node, &m->pinned);
	}
}

static void program(const struct model *m, const struct gpubp_candidate *c,
		    struct model_regs *next)
{
	unsigned int i, s;

	for (i = 0; i < c->nr_blocks; i++) {
		s = c->slot[i];
		next->value[s] = c->block[i].value;
		next->mask[c->ctx][s] = c->block[i].mask;
		if (next->valid[c->ctx] & BIT(s))
			next->mode[c->ctx][s] =
				gpubp_mode_union(next->mode[c->ctx][s],
						 c->mode, m->caps.modes);
		else
			next->mode[c->ctx][s] = c->mode;
		next->valid[c->ctx] |= BIT(s);
	}
}

static void build(const struct model *m, struct model_regs *next)
{
	struct gpubp_candidate *c;

	memset(next, 0, sizeof(*next));
	list_for_each_entry(c, &m->pinned, node)
		if (c->armed)
			program(m, c, next);
	list_for_each_entry(c, &m->armed, node)
		program(m, c, next);
}

static bool slot_differs(const struct model_regs *a, const struct model_regs *b,
			 unsigned int s)
{
	bool differs = a->value[s] != b->value[s];
	unsigned int c;

	for (c = 0; c < MODEL_CTXS; c++)
		differs |= (a->valid[c] ^ b->valid[c]) & BIT(s) ||
			   a->mask[c][s] != b->mask[c][s] ||
			   a->mode[c][s] != b->mode[c][s];
	return differs;
}

static void copy_slot(struct model_regs *to, const struct model_regs *from,
		      unsigned int s)
{
	unsigned int c;

	to->value[s] = from->value[s];
	for (c = 0; c < MODEL_CTXS; c++) {
		to->valid[c] &= ~BIT(s);
		to->valid[c] |= from->valid[c] & BIT(s);
		to->mask[c][s] = from->mask[c][s];
		to->mode[c][s] = from->mode[c][s];
	}
}

/* returns a bitmap of slots that could not be programmed */
static u32 commit(struct model *m, const struct model_regs *next)
{
	u32 failed = 0;
	unsigned int s;

	for (s = 0; s < MODEL_SLOTS; s++) {
		if (!slot_differs(&m->known, next, s))
			continue;
		if (m->faulty & BIT(s)) {
			clear_slot(&m->regs, s);
			failed |= BIT(s);
		} else if (m->owner[s] != MODEL_THEIRS) {
			copy_slot(&m->regs, next, s);
		}
	}
	m->known = *next;
	return failed;
}

static void settle_watch(struct model_watch *w, u32 failed)
{
	const struct gpubp_candidate *c = w->cand;

	w->slots = c && c->armed && !(c->slots & failed) ? c->slots : 0;
	if (w->slots)
		memcpy(w->slot, c->slot, sizeof(w->slot));
}

static void settle(struct model *m, u32 failed)
{
	struct model_watch *w;
	unsigned int i, s;

	gpubp_slotset_quarantine(&m->slots, failed);
	for (s = 0; s < MODEL_SLOTS; s++)
		if (m->owner[s] == MODEL_OURS && !(m->forgotten & BIT(s)) &&
		    (failed & BIT(s)))
			m->owner[s] = MODEL_BROKEN;
	for_each_watch(m, w, i)
		settle_watch(w, failed);
	if (failed)
		changed(m);
}

static void put_cands(struct model *m)
{
	struct gpubp_candidate *c, *next;

	list_for_each_entry_safe(c, next, &m->pinned, node)
		cand_free(c);
	list_for_each_entry_safe(c, next, &m->armed, node)
		cand_free(c);
	INIT_LIST_HEAD(&m->pinned);
	INIT_LIST_HEAD(&m->armed);
}

static void quantum(struct model *m)
{
	struct model_regs next;
	u32 failed;

	m->quanta++;
	forget(m);
	m->caps.usable = gpubp_slotset_usable(&m->slots);
	collect_pinned(m);
	gpubp_policy_next(&m->policy, &m->caps, &ops, m, &m->pinned, &m->armed);
	build(m, &next);
	failed = commit(m, &next);
	model_check(m, failed);
	/* another user takes or returns a slot during the commit */
	if (!m->calm && !model_random(m, 32))
		move_slot(m);
	settle(m, failed);
	put_cands(m);
}

/* ---- model devices ------------------------------------------------------- */

static void (* const events[])(struct model *m) = {
	open_watch, open_watch, open_watch, open_watch, close_some, close_some,
	close_some, enable_some, enable_some, pin_some, group_some,
	disable_description, switch_ctx, renew_user, lose_slot,
	return_slot, return_slot, break_slot, reset, change_kind, calm_down,
};

static void step(struct model *m)
{
	m->step++;
	if (m->calm || model_random(m, 2)) {
		m->calm -= !!m->calm;
		quantum(m);
	} else {
		events[model_random(m, ARRAY_SIZE(events))](m);
	}
}

static u32 draw_modes(struct model *m)
{
	return model_random(m, 4) ? 0xf : 1 + model_random(m, 0xf);
}

static void init(struct model *m, u64 seed)
{
	const siphash_key_t key = { { seed, ~seed } };
	unsigned int i;

	memset(m, 0, sizeof(*m));
	m->seed = seed;
	m->random = seed * 0x9e3779b97f4a7c15ULL | 1;
	m->caps.modes = draw_modes(m);
	m->caps.cntl_banked = model_random(m, 2);
	INIT_LIST_HEAD(&m->pinned);
	INIT_LIST_HEAD(&m->armed);
	gpubp_policy_init(&m->policy, &key);
	gpubp_slotset_init(&m->slots,
			   BIT(1 + model_random(m, MODEL_SLOTS)) - 1);
	gpubp_slotset_acquired(&m->slots, m->slots.declared);
	for (i = 0; i < MODEL_SLOTS; i++)
		m->owner[i] = m->slots.declared & BIT(i) ? MODEL_OURS :
							   MODEL_THEIRS;
	for (i = 0; i < MODEL_CTXS; i++)
		m->ctxs[i] = true;
	for (i = 0; i < MODEL_USERS; i++)
		gpubp_fairq_flow_init(&m->users[i], i, 1 + model_random(m, 3));
}

static void exit_world(struct model *m)
{
	unsigned int i;

	put_cands(m);
	for (i = 0; i < MODEL_WATCHES; i++)
		if (m->watches[i])
			close_watch(m, i);
	if (m->policy.fairq.nr)
		model_break(m, "no entry remains when all watches are closed");
	for (i = 0; i < MODEL_USERS; i++)
		gpubp_fairq_flow_exit(&m->users[i]);
}

bool model_run(struct model *m, u64 seed, u64 steps)
{
	init(m, seed);
	while (m->step < steps && !m->broken)
		step(m);
	if (m->broken)
		model_print(m);
	exit_world(m);
	return !m->broken;
}

static void print_watch(const struct model_watch *w, unsigned int i)
{
	pr_info("%2u: user %u ctx %u%s%s%s group %u mode %u weight %u: %llx/%llx %llx/%llx: slots %#x, waited %llu%s\n",
		i, w->user, w->ctx, w->enabled ? "" : " disabled",
		w->pinned ? " pinned" : "", w->unable ? " unable" : "",
		w->group, w->mode, w->weight, w->block[0].value,
		~w->block[0].mask, w->nr_blocks > 1 ? w->block[1].value : 0,
		w->nr_blocks > 1 ? ~w->block[1].mask : 0, w->slots, w->waited,
		w->fq.flow ? "" : ", no entry");
}

void model_print(const struct model *m)
{
	struct model_watch *w;
	unsigned int i;

	pr_info("seed %llu step %llu, broken: %s\n", m->seed, m->step,
		m->broken ?: "nothing");
	pr_info("modes %#x banked %d kind %u usable %#x faulty %#x, stable for %llu, flexible %u\n",
		m->caps.modes, m->caps.cntl_banked, m->caps.kind,
		m->caps.usable, m->faulty, m->stable, m->policy.flexible);
	for (i = 0; i < MODEL_USERS; i++)
		pr_info("user %u: weight %u, %u watches, vtime %llu\n", i,
			m->users[i].weight, m->users[i].nr, m->users[i].vtime);
	for_each_watch(m, w, i)
		print_watch(w, i);
}
