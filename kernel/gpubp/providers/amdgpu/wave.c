// SPDX-License-Identifier: GPL-2.0
/*
 * Known waves: counting the holds of those that are stopped, and resuming them.
 *
 * The location of a wave is reused once the wave was resumed or its queue was
 * taken off the GPU; the id of a wave is a serial number and never reused.
 */
#include <linux/delay.h>
#include <linux/jhash.h>
#include <linux/slab.h>

#include "wave.h"

/* longer than resolving a hit takes; a debugger may hold a wave for hours */
#define WAIT_FOR_HITS	(HZ / 10)

/* a wave may be saved or restored while it is looked for */
#define READ_TRIES	5

/* searches, before the provider is gone, for waves that are not where they were */
#define QUIESCE_TRIES	8

/* ---- stopped waves ------------------------------------------------------- */

/** gpubp_amd_wave_find() - a wave that is known, or NULL */
struct gpubp_amd_wave *gpubp_amd_wave_find(struct gpubp_amd_node *n, u64 id)
{
	struct gpubp_amd_wave *w;

	lockdep_assert_held(&n->stop_lock);
	hash_for_each_possible(n->by_id, w, by_id, lower_32_bits(id))
		if (w->id == id && w->list)
			return w;
	return NULL;
}

static struct gpubp_amd_wave *wave_find_in(struct gpubp_amd_node *n,
					   const struct list_head *list, u64 id)
{
	struct gpubp_amd_wave *w = gpubp_amd_wave_find(n, id);

	return w && w->list == list ? w : NULL;
}

static struct gpubp_amd_wave *wave_find_stopped(struct gpubp_amd_node *n, u64 id)
{
	return wave_find_in(n, &n->stopped, id);
}

/** gpubp_amd_wave_is_stopped() - something holds it, and it does not make a step */
bool gpubp_amd_wave_is_stopped(const struct gpubp_amd_wave *w)
{
	return w->holds && !w->stepping;
}

/** gpubp_amd_wave_find_listed() - the wave that runs and was listed, or NULL */
struct gpubp_amd_wave *gpubp_amd_wave_find_listed(struct gpubp_amd_node *n,
						  const struct gpubp_amd_ctx *ctx,
						  const struct gpubp_amd_mark *mark)
{
	struct gpubp_amd_wave *w;

	lockdep_assert_held(&n->stop_lock);
	hash_for_each_possible(n->by_id, w, by_id, mark->name)
		if (w->list == &n->listed && w->ctx == ctx &&
		    gpubp_amd_mark_is_wave(&w->at.mark, mark))
			return w;
	return NULL;
}

static bool wave_get(struct gpubp_amd_node *n, u64 id,
		     struct gpubp_amd_found *at)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find_stopped(n, id);
	if (w)
		*at = w->at;
	return w;
}

/* it is not where it was, if it still exists */
static void wave_set_moved(struct gpubp_amd_node *n, u64 id)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find_stopped(n, id);
	if (w)
		w->moved = true;
}

/* with its changes; it may have been lost with its queue during the read */
static int wave_show_edits(struct gpubp_amd_node *n, u64 wave,
			   const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find(n, wave);
	if (!w)
		return -ESRCH;
	gpubp_amd_edits_overlay(w, req, nr, out);
	return 0;
}

/* -EAGAIN: it has moved */
static int wave_read(struct gpubp_amd_node *n, u64 wave,
		     const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	struct gpubp_amd_found at;

	if (!wave_get(n, wave, &at))
		return -ESRCH;
	if (!gpubp_amd_sq_read(n, &at, req, nr, out)) {
		wave_set_moved(n, wave);
		return -EAGAIN;
	}
	return wave_show_edits(n, wave, req, nr, out);
}

/* the context of a wave that is in memory, or is stopped and not where it was */
static struct gpubp_amd_ctx *wave_use_saved(struct gpubp_amd_node *n, u64 wave)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = n->isa ? gpubp_amd_wave_find(n, wave) : NULL;
	if (!w || w->stepping ||
	    !(gpubp_amd_ctx_is_off(w->ctx) || (w->moved && gpubp_amd_wave_is_stopped(w))))
		return NULL;
	gpubp_amd_ctx_use(w->ctx);
	return w->ctx;
}

static int wave_read_record(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx, u64 wave,
			    const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	struct gpubp_amd_record rec;
	struct gpubp_amd_tail tail;
	int err = gpubp_amd_saved_find(n, wave, &rec, &tail);

	if (!err && !gpubp_amd_record_has(&rec, req, nr))
		err = -EINVAL;
	for (; nr && !err; nr--, req++) {
		err = gpubp_amd_saved_read(ctx, &rec, req, out);
		out += gpubp_amd_req_values(req);
	}
	return err;
}

/* -EAGAIN: it is not in memory */
static int wave_read_saved(struct gpubp_amd_node *n, u64 wave,
			   const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	struct gpubp_amd_ctx *ctx = wave_use_saved(n, wave);
	int err;

	if (!ctx)
		return -EAGAIN;
	err = gpubp_amd_ctx_evict(ctx);
	if (!err) {
		err = wave_read_record(n, ctx, wave, req, nr, out);
		gpubp_amd_ctx_restore(ctx);
	}
	gpubp_amd_ctx_unuse(ctx);
	return err ?: wave_show_edits(n, wave, req, nr, out);
}

/* what was on the GPU is in memory if it is not where it was */
static int wave_read_any(struct gpubp_amd_node *n, u64 wave,
			 const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	unsigned int tries;
	int err = -ESRCH;

	if (!gpubp_amd_sq_has(req, nr))
		return -EINVAL;
	for (tries = 0; tries < READ_TRIES; tries++) {
		err = wave_read_saved(n, wave, req, nr, out);
		if (err == -EAGAIN)
			err = wave_read(n, wave, req, nr, out);
		if (err != -EAGAIN && err != -EBUSY)
			break;
	}
	return err == -EAGAIN || err == -EBUSY ? -ESRCH : err;
}

/* ---- the pc -------------------------------------------------------------- */

#define S_ENDPGM	0xbf810000

/* where our handler, a second level, parks waves; 0: nowhere */
static u64 park_pc(const struct gpubp_amd_ctx *ctx)
{
	const struct gpubp_isa *isa = ctx->node->isa;
	u64 tba = READ_ONCE(ctx->tba);

	return isa && isa->park_offset && tba ? tba + isa->park_offset : 0;
}

/**
 * gpubp_amd_pc_in_program() - where a wave would be if it were not parked
 * @ctx: its context
 * @pc: its pc
 * @regs: values of gpubp_isa.park_regs
 */
u64 gpubp_amd_pc_in_program(const struct gpubp_amd_ctx *ctx, u64 pc, const u32 *regs)
{
	u64 park = park_pc(ctx);

	return park && pc == park ? ctx->node->isa->parked_pc(regs, true) : pc;
}

/** gpubp_amd_pc_is_end() - is a wave of @ctx that is there about to end; may sleep */
bool gpubp_amd_pc_is_end(struct gpubp_amd_ctx *ctx, u64 pc)
{
	return gpubp_amd_code_is(ctx, pc, S_ENDPGM);
}

/**
 * gpubp_amd_saved_move() - move a wave in memory that stays halted
 * @ctx: its context
 * @rec: wave
 * @pc: new pc; if it would end there, it is parked: this hardware could not save it again
 *
 * As gpubp_amd_saved_write().
 */
int gpubp_amd_saved_move(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			 u64 pc)
{
	const struct gpubp_isa *isa = ctx->node->isa;
	u32 regs[GPUBP_MAX_PARK_REGS] = {};
	u64 to = park_pc(ctx);
	int err = 0;

	if (to && gpubp_amd_pc_is_end(ctx, pc)) {
		err = gpubp_amd_saved_read(ctx, rec, &isa->park_regs, regs);
		if (err)
			return err;
		isa->park_edit(regs, pc, true);
		err = gpubp_amd_saved_write(ctx, rec, &isa->park_regs, regs);
		pc = to;
	}
	return err ?: gpubp_amd_saved_write(ctx, rec, &isa->pc_reg,
			(const u32 []){ lower_32_bits(pc), upper_32_bits(pc) });
}

static bool reqs_have_pc(const struct gpubp_isa *isa, const struct gpubp_reg_req *req,
			 unsigned int nr)
{
	for (; nr; nr--, req++)
		if (req->file == isa->pc_reg.file &&
		    req->first < isa->pc_reg.first + isa->pc_reg.count &&
		    isa->pc_reg.first < req->first + req->count)
			return true;
	return false;
}

static void reqs_put_pc(const struct gpubp_isa *isa, const struct gpubp_reg_req *req,
			unsigned int nr, u64 pc, u32 *out)
{
	unsigned int i;

	for (; nr; nr--, req++) {
		for (i = 0; i < req->count && req->file == isa->pc_reg.file; i++) {
			if (req->first + i == isa->pc_reg.first)
				out[i] = lower_32_bits(pc);
			if (req->first + i == isa->pc_reg.first + 1)
				out[i] = upper_32_bits(pc);
		}
		out += gpubp_amd_req_values(req);
	}
}

static int wave_show_pc(struct gpubp_amd_node *n, u64 wave,
			const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	const struct gpubp_reg_req both[] = { n->isa->pc_reg, n->isa->park_regs };
	u32 regs[2 + GPUBP_MAX_PARK_REGS];
	struct gpubp_amd_wave *w;
	u64 pc;
	int err = wave_read_any(n, wave, both, ARRAY_SIZE(both), regs);

	if (err)
		return err;
	pc = regs[0] | (u64)regs[1] << 32;
	scoped_guard(spinlock, &n->stop_lock) {
		w = gpubp_amd_wave_find(n, wave);
		if (!w)
			return -ESRCH;
		pc = gpubp_amd_pc_in_program(w->ctx, pc, regs + 2);
	}
	reqs_put_pc(n->isa, req, nr, pc, out);
	return 0;
}

int gpubp_amd_read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
			unsigned int nr, u32 *out)
{
	struct gpubp_amd_node *n = dev;
	int err = wave_read_any(n, wave, req, nr, out);

	if (err || !n->isa || !n->isa->park_offset || !reqs_have_pc(n->isa, req, nr))
		return err;
	return wave_show_pc(n, wave, req, nr, out);
}

/* ---- resuming ------------------------------------------------------------ */

/** gpubp_amd_wave_move() - from the list that a wave is in, if any; NULL: to none */
void gpubp_amd_wave_move(struct gpubp_amd_wave *w, struct list_head *list)
{
	list_del_init(&w->link);
	w->list = list;
	if (list)
		list_add_tail(&w->link, list);
}

/** gpubp_amd_wave_free() - free a wave; node->stop_lock is held */
void gpubp_amd_wave_free(struct gpubp_amd_wave *w)
{
	gpubp_amd_wave_move(w, NULL);
	hash_del(&w->by_id);
	hash_del(&w->by_key);
	gpubp_amd_edits_free(w);
	kfree(w);
}

/** gpubp_amd_wave_release() - a wave that is not resumed any more runs */
void gpubp_amd_wave_release(struct gpubp_amd_node *n, struct gpubp_amd_wave *w)
{
	lockdep_assert_held(&n->stop_lock);
	if (w->is_listed)
		gpubp_amd_wave_move(w, &n->listed);
	else
		gpubp_amd_wave_free(w);
}

/**
 * struct resume - a wave that is resumed now
 * @id: its id
 * @stops: how often it had stopped; it may stop again, and be resumed for that, before
 *	this is over
 * @at: where it is
 * @ctx: it has changes, or has moved: its context, used; else NULL
 */
struct resume {
	u64 id;
	unsigned int stops;
	struct gpubp_amd_found at;
	struct gpubp_amd_ctx *ctx;
};

/* the first one; waves that amdkfd takes off the GPU anyway are forgotten */
static bool resume_first(struct gpubp_amd_node *n, struct resume *first)
{
	struct gpubp_amd_wave *w, *next;

	guard(spinlock)(&n->stop_lock);
	list_for_each_entry_safe(w, next, &n->resuming, link) {
		if (w->failed) {
			gpubp_amd_wave_free(w);
			continue;
		}
		*first = (struct resume){ .id = w->id, .stops = w->stops, .at = w->at };
		if (!list_empty(&w->edits) || w->moved) {
			first->ctx = w->ctx;
			gpubp_amd_ctx_use(w->ctx);
		}
		return true;
	}
	return false;
}

static void resume_end(struct gpubp_amd_node *n, const struct resume *r, bool resumed)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find_in(n, &n->resuming, r->id);
	if (!w || w->stops != r->stops)
		return;
	if (resumed)
		gpubp_amd_wave_release(n, w);
	else
		gpubp_amd_wave_move(w, &n->lost);
}

/* it is searched for if it still waits */
static void resume_not_found(struct gpubp_amd_node *n, u64 id)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find_in(n, &n->resuming, id) ?: wave_find_in(n, &n->lost, id);
	if (!w)
		return;
	gpubp_amd_wave_move(w, &n->lost);
	gpubp_amd_find_later(n);
}

static void resume_one(struct gpubp_amd_node *n, struct resume *r)
{
	bool resumed = gpubp_amd_sq_resume(n, &r->at);

	resume_end(n, r, resumed);
	if (!resumed)
		gpubp_amd_find_later(n);
}

static void resume_work(struct work_struct *work)
{
	struct gpubp_amd_node *n =
		container_of(work, struct gpubp_amd_node, resume_work);
	struct resume r;

	while (resume_first(n, &r)) {
		if (!r.ctx) {
			resume_one(n, &r);
			continue;
		}
		gpubp_amd_find_in_ctx(n, r.ctx);
		resume_not_found(n, r.id);
		gpubp_amd_ctx_unuse(r.ctx);
	}
}

/** gpubp_amd_waves_init() - initialise a node that reports no hits yet */
void gpubp_amd_waves_init(struct gpubp_amd_node *n)
{
	spin_lock_init(&n->stop_lock);
	INIT_LIST_HEAD(&n->stopped);
	INIT_LIST_HEAD(&n->resuming);
	INIT_LIST_HEAD(&n->lost);
	INIT_LIST_HEAD(&n->listed);
	hash_init(n->by_id);
	hash_init(n->by_key);
	init_waitqueue_head(&n->none_stopped);
	init_waitqueue_head(&n->none_using);
	init_waitqueue_head(&n->step_wait);
	INIT_WORK(&n->resume_work, resume_work);
}

/* without a handler of ours, a wave is the one that stopped at its place */
static bool wave_is(const struct gpubp_amd_wave *w, const struct gpubp_amd_ctx *ctx,
		    const struct gpubp_amd_found *found)
{
	if (!ctx->node->isa)
		return !memcmp(&w->at.place, &found->place,
			       sizeof(found->place));
	return w->ctx == ctx && gpubp_amd_mark_is_same(&w->at.mark, &found->mark);
}

/* the same for all that wave_is() finds alike */
static u32 wave_key(const struct gpubp_amd_node *n, const struct gpubp_amd_found *found)
{
	if (!n->isa)
		return jhash(&found->place, sizeof(found->place), 0);
	return found->mark.record ?: found->mark.name;
}

/** gpubp_amd_wave_set_key() - @w->at of a wave that is known was changed */
void gpubp_amd_wave_set_key(struct gpubp_amd_node *n, struct gpubp_amd_wave *w)
{
	lockdep_assert_held(&n->stop_lock);
	hash_del(&w->by_key);
	hash_add(n->by_key, &w->by_key, wave_key(n, &w->at));
}

static bool wave_is_to_go_on(const struct gpubp_amd_node *n, const struct gpubp_amd_wave *w)
{
	return w->list == &n->resuming || w->list == &n->lost;
}

static struct gpubp_amd_wave *wave_find_marked(struct gpubp_amd_node *n,
					       const struct gpubp_amd_ctx *ctx,
					       const struct gpubp_amd_found *found)
{
	struct gpubp_amd_wave *w;

	lockdep_assert_held(&n->stop_lock);
	hash_for_each_possible(n->by_key, w, by_key, wave_key(n, found))
		if (wave_is(w, ctx, found) &&
		    (w->list == &n->stopped || (n->isa && wave_is_to_go_on(n, w))))
			return w;
	return NULL;
}

/** gpubp_amd_wave_find_stopped() - the wave that was halted by these means, or NULL */
struct gpubp_amd_wave *gpubp_amd_wave_find_stopped(struct gpubp_amd_node *n,
						   const struct gpubp_amd_ctx *ctx,
						   const struct gpubp_amd_mark *mark)
{
	const struct gpubp_amd_found found = { .mark = *mark };

	return wave_find_marked(n, ctx, &found);
}

/** gpubp_amd_wave_is_known() - is this a wave that was reported */
bool gpubp_amd_wave_is_known(struct gpubp_amd_node *n,
			     const struct gpubp_amd_ctx *ctx,
			     const struct gpubp_amd_found *found)
{
	guard(spinlock)(&n->stop_lock);
	return wave_find_marked(n, ctx, found);
}

/** gpubp_amd_waves_are_lost() - is a wave to go on that is not where it was */
bool gpubp_amd_waves_are_lost(struct gpubp_amd_node *n, const struct gpubp_amd_ctx *ctx)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	list_for_each_entry(w, &n->lost, link)
		if (w->ctx == ctx)
			return true;
	return false;
}

/** gpubp_amd_wave_stop() - a wave of node->listed is halted; its holds are counted */
void gpubp_amd_wave_stop(struct gpubp_amd_node *n, struct gpubp_amd_wave *w)
{
	lockdep_assert_held(&n->stop_lock);
	gpubp_amd_wave_move(w, &n->stopped);
	gpubp_amd_wave_set_key(n, w);
	w->stops++;
	if (w->stepping) {
		w->stepping = false;
		wake_up_all(&n->step_wait);
	}
}

static void wave_stop_at(struct gpubp_amd_node *n, struct gpubp_amd_wave *w,
			 const struct gpubp_amd_found *found)
{
	w->at = *found;
	w->moved = !found->is_placed;
	gpubp_amd_wave_stop(n, w);
}

/** gpubp_amd_wave_may_step() - is it in a step */
bool gpubp_amd_wave_may_step(struct gpubp_amd_node *n, const struct gpubp_amd_ctx *ctx,
			     const struct gpubp_amd_found *found)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find_listed(n, ctx, &found->mark);
	return w && w->stepping;
}

/**
 * gpubp_amd_wave_stepped() - a wave may have made its step
 * @n: node
 * @ctx: its context
 * @found: which wave, and where it is halted
 *
 * Return: it made a step, and is stopped by what stopped it before.
 */
bool gpubp_amd_wave_stepped(struct gpubp_amd_node *n, const struct gpubp_amd_ctx *ctx,
			    const struct gpubp_amd_found *found)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find_listed(n, ctx, &found->mark);
	if (!w || !w->stepping || n->quiesced)
		return false;
	wave_stop_at(n, w, found);
	return true;
}

/* it was resumed, has stopped again, and is among those to be resumed still */
static struct gpubp_amd_wave *wave_find_resumed(struct gpubp_amd_node *n,
						const struct gpubp_amd_ctx *ctx,
						const struct gpubp_amd_mark *mark)
{
	struct gpubp_amd_wave *w;

	hash_for_each_possible(n->by_id, w, by_id, mark->name)
		if (w->list == &n->resuming && w->ctx == ctx && w->is_listed &&
		    gpubp_amd_mark_is_wave(&w->at.mark, mark) &&
		    !gpubp_amd_mark_is_same(&w->at.mark, mark))
			return w;
	return NULL;
}

/* Return: the id of a wave that has one, with one more hold; else 0. */
static u64 wave_add_listed(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
			   const struct gpubp_amd_found *found)
{
	struct gpubp_amd_wave *w = gpubp_amd_wave_find_listed(n, ctx, &found->mark) ?:
				   wave_find_resumed(n, ctx, &found->mark);

	if (!w)
		return 0;
	w->holds++;
	wave_stop_at(n, w, found);
	return w->id;
}

static u64 wave_add_new(struct gpubp_amd_node *n, struct gpubp_amd_wave *w,
			struct list_head *list)
{
	w->id = ++n->last_wave;
	if (list == &n->listed)
		w->at.mark.name = lower_32_bits(w->id);
	hash_add(n->by_id, &w->by_id, lower_32_bits(w->id));
	gpubp_amd_wave_set_key(n, w);
	gpubp_amd_wave_move(w, list);
	return w->id;
}

static struct gpubp_amd_wave *wave_alloc(struct gpubp_amd_ctx *ctx,
					 const struct gpubp_amd_found *found)
{
	struct gpubp_amd_wave *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return NULL;
	INIT_LIST_HEAD(&w->link);
	INIT_LIST_HEAD(&w->edits);
	w->ctx = ctx;
	w->at = *found;
	w->moved = !found->is_placed;
	return w;
}

/**
 * gpubp_amd_wave_add() - register a wave that stopped
 * @n: node
 * @ctx: its context
 * @found: which wave, and where
 *
 * Return: its id, with one hold; 0 if the node is quiescing, or without memory.
 */
u64 gpubp_amd_wave_add(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
		       const struct gpubp_amd_found *found)
{
	struct gpubp_amd_wave *w = wave_alloc(ctx, found);
	u64 id;

	if (!w)
		return 0;
	w->holds = 1;
	guard(spinlock)(&n->stop_lock);
	id = n->quiesced ? 0 : wave_add_listed(n, ctx, found);
	if (!id && !n->quiesced)
		return wave_add_new(n, w, &n->stopped);
	kfree(w);
	return id;
}

/**
 * gpubp_amd_wave_list() - register a wave that is listed
 * @n: node
 * @ctx: its context
 * @mark: which wave
 * @call: number of the call that lists it
 *
 * Return: its id; 0: no memory.
 */
u64 gpubp_amd_wave_list(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
			const struct gpubp_amd_mark *mark, u64 call)
{
	const struct gpubp_amd_found found = { .mark = *mark };
	struct gpubp_amd_wave *w = wave_alloc(ctx, &found);

	if (!w)
		return 0;
	w->call = call;
	w->is_listed = true;
	guard(spinlock)(&n->stop_lock);
	return wave_add_new(n, w, &n->listed);
}

/** gpubp_amd_wave_put_hold() - drop a hold; the wave goes on after the last one */
void gpubp_amd_wave_put_hold(struct gpubp_amd_node *n, struct gpubp_amd_wave *w)
{
	lockdep_assert_held(&n->stop_lock);
	if (--w->holds || w->stepping)
		return;
	gpubp_amd_wave_move(w, &n->resuming);
	schedule_work(&n->resume_work);
	if (list_empty(&n->stopped))
		wake_up_all(&n->none_stopped);
}

/** gpubp_amd_wave_put() - drop a hold of a wave; does not sleep */
void gpubp_amd_wave_put(struct gpubp_amd_node *n, u64 wave)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find(n, wave);
	if (w && w->holds)
		gpubp_amd_wave_put_hold(n, w);
}

/**
 * gpubp_amd_waves_wait() - wait for a short time until no wave is stopped
 * @n: node, whose queues are about to be taken off the GPU
 *
 * A wave that is still stopped then is restored at another location, where it has to
 * be searched for.
 */
void gpubp_amd_waves_wait(struct gpubp_amd_node *n)
{
	wait_event_timeout(n->none_stopped, list_empty_careful(&n->stopped),
			   WAIT_FOR_HITS);
	flush_work(&n->resume_work);
}

/** gpubp_amd_waves_any() - is a wave of a context stopped */
bool gpubp_amd_waves_any(struct gpubp_amd_node *n,
			 const struct gpubp_amd_ctx *ctx)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	list_for_each_entry(w, &n->stopped, link)
		if (w->ctx == ctx)
			return true;
	return false;
}

static void waves_drop_from(struct list_head *list,
			    const struct gpubp_amd_ctx *ctx)
{
	struct gpubp_amd_wave *w, *next;

	list_for_each_entry_safe(w, next, list, link) {
		if (ctx && w->ctx != ctx)
			continue;
		gpubp_amd_wave_free(w);
	}
}

/* pairs with gpubp_amd_interrupt(): reports in progress have ended on return */
static void waves_report_end(struct gpubp_amd_node *n)
{
	down_write(&n->report_lock);
	scoped_guard(spinlock, &n->stop_lock)
		n->quiesced = true;
	up_write(&n->report_lock);
}

/**
 * gpubp_amd_waves_drop() - forget the waves of a context, or all
 * @n: node
 * @ctx: context; NULL for all
 *
 * They do not exist any more: none is resumed.
 */
void gpubp_amd_waves_drop(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	guard(spinlock)(&n->stop_lock);
	waves_drop_from(&n->stopped, ctx);
	waves_drop_from(&n->resuming, ctx);
	waves_drop_from(&n->lost, ctx);
	waves_drop_from(&n->listed, ctx);
	if (list_empty(&n->stopped))
		wake_up_all(&n->none_stopped);
	wake_up_all(&n->step_wait);
}

/** gpubp_amd_waves_give_up() - waves that were not found do not exist */
void gpubp_amd_waves_give_up(struct gpubp_amd_node *n,
			     const struct gpubp_amd_ctx *ctx)
{
	guard(spinlock)(&n->stop_lock);
	waves_drop_from(&n->lost, ctx);
}

/** gpubp_amd_waves_stop() - the GPU loses all waves; no hit is reported */
void gpubp_amd_waves_stop(struct gpubp_amd_node *n)
{
	waves_report_end(n);
	gpubp_amd_find_stop(n);
	cancel_work_sync(&n->resume_work);
	gpubp_amd_waves_drop(n, NULL);
}

/** gpubp_amd_waves_start() - undo gpubp_amd_waves_stop() */
void gpubp_amd_waves_start(struct gpubp_amd_node *n)
{
	guard(spinlock)(&n->stop_lock);
	n->quiesced = false;
}

void gpubp_amd_hit_done(void *dev, const struct gpubp_hit *hit)
{
	struct gpubp_amd_node *n = dev;
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find(n, hit->wave);
	if (!w || !w->holds)
		return;
	if (hit->exceptions & GPUBP_EXC_MEM_VIOL)
		w->failed = gpubp_amd_fault_resolved(w->ctx);
	gpubp_amd_wave_put_hold(n, w);
}

/* what was saved with its queue, too */
static void waves_resume_lost(struct gpubp_amd_node *n)
{
	unsigned int tries;

	for (tries = 0; tries < QUIESCE_TRIES && gpubp_amd_find_wants(n);
	     tries++) {
		gpubp_amd_find_now(n);
		flush_work(&n->resume_work);
		usleep_range(500, 1000);
	}
}

void gpubp_amd_quiesce(void *dev)
{
	struct gpubp_amd_node *n = dev;
	struct gpubp_amd_wave *w, *next;

	waves_report_end(n);
	scoped_guard(spinlock, &n->stop_lock)
		list_for_each_entry_safe(w, next, &n->stopped, link) {
			w->holds = 0;
			gpubp_amd_wave_move(w, &n->resuming);
		}
	schedule_work(&n->resume_work);
	flush_work(&n->resume_work);
	waves_resume_lost(n);
	gpubp_amd_find_stop(n);
}
