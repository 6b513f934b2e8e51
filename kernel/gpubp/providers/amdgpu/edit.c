// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of a wave's registers.
 *
 * amdgpu has no function that writes registers of a wave on the GPU, and debuggers do
 * not either: they change the record of a wave that is in memory. Changes of a stopped
 * wave are kept until it goes on. Then its context is taken off the GPU once for all of
 * its waves that go on by then, and their records are changed, including the bit that
 * halts them (find.c). So a wave is not halted in front of s_endpgm, where this hardware
 * could not save it.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "wave.h"

/**
 * struct edit - a change
 * @link: in wave->edits
 * @req: registers
 * @value: their values
 */
struct edit {
	struct list_head link;
	struct gpubp_reg_req req;
	u32 value[];
};

static void edits_free(struct list_head *edits)
{
	struct edit *e, *next;

	list_for_each_entry_safe(e, next, edits, link)
		kfree(e);
}

/** gpubp_amd_edits_free() - forget the changes of a wave */
void gpubp_amd_edits_free(struct gpubp_amd_wave *w)
{
	edits_free(&w->edits);
	INIT_LIST_HEAD(&w->edits);
}

static int edits_make(struct list_head *edits, const struct gpubp_reg_req *req,
		      unsigned int nr, const u32 *in)
{
	for (; nr; nr--, req++) {
		unsigned int values = gpubp_amd_req_values(req);
		struct edit *e = kmalloc(struct_size(e, value, values), GFP_KERNEL);

		if (!e)
			return -ENOMEM;
		e->req = *req;
		memcpy(e->value, in, values * sizeof(*in));
		in += values;
		list_add_tail(&e->link, edits);
	}
	return 0;
}

/* ---- reading what was changed -------------------------------------------- */

static void edit_show_reg(const struct gpubp_amd_node *n, const struct edit *e,
			  const struct gpubp_reg_req *req, unsigned int reg, u32 *out)
{
	unsigned int lane, lanes = e->req.file == GPUBP_REG_VECTOR ? GPUBP_MAX_LANES : 1;
	const u32 *in = e->value + (reg - e->req.first) * lanes;

	out += (reg - req->first) * lanes;
	for (lane = 0; lane < lanes; lane++)
		out[lane] = gpubp_amd_reg_merge(n, e->req.file, reg, out[lane],
						in[lane]);
}

static void edit_show(const struct gpubp_amd_node *n, const struct edit *e,
		      const struct gpubp_reg_req *req, u32 *out)
{
	unsigned int reg;

	if (e->req.file != req->file)
		return;
	for (reg = e->req.first; reg < e->req.first + e->req.count; reg++)
		if (reg >= req->first && reg < req->first + req->count)
			edit_show_reg(n, e, req, reg, out);
}

/**
 * gpubp_amd_edits_overlay() - show changes of a wave in what was read
 * @w: wave; node->stop_lock is held
 * @req: what was read
 * @nr: number of requests
 * @out: values
 */
void gpubp_amd_edits_overlay(const struct gpubp_amd_wave *w,
			     const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	const struct edit *e;

	for (; nr; nr--, req++) {
		list_for_each_entry(e, &w->edits, link)
			edit_show(w->ctx->node, e, req, out);
		out += gpubp_amd_req_values(req);
	}
}

/* ---- writing ------------------------------------------------------------- */

/* ttmps that are not saved have no value, and keep none */
static bool record_has_reg(const struct gpubp_amd_record *rec, u8 file, unsigned int reg)
{
	if (file == GPUBP_REG_CONTROL)
		return reg && reg <= GPUBP_AMD_CONTROL_PC_HI;
	if (file == GPUBP_REG_SCALAR && reg >= GPUBP_AMD_SGPRS && reg < 128)
		return true;
	return gpubp_amd_record_offset(rec, file, reg) >= 0;
}

/** gpubp_amd_record_has() - does a wave have all of these registers */
bool gpubp_amd_record_has(const struct gpubp_amd_record *rec,
			  const struct gpubp_reg_req *req, unsigned int nr)
{
	unsigned int i;

	for (; nr; nr--, req++)
		for (i = 0; i < req->count; i++)
			if (!record_has_reg(rec, req->file, req->first + i))
				return false;
	return true;
}

/* without what only waves with enough registers have */
static bool reqs_are_special(const struct gpubp_reg_req *req, unsigned int nr)
{
	for (; nr; nr--, req++)
		if (req->file == GPUBP_REG_VECTOR ||
		    (req->file == GPUBP_REG_SCALAR && req->first < GPUBP_AMD_SGPRS))
			return false;
	return true;
}

static int edits_check(struct gpubp_amd_node *n, u64 wave, const struct gpubp_reg_req *req,
		       unsigned int nr)
{
	const struct gpubp_reg_req alloc_req = {
		GPUBP_REG_CONTROL, 1, GPUBP_AMD_CONTROL_GPR_ALLOC
	};
	struct gpubp_amd_record shape;
	u32 alloc = 0;
	int err = 0;

	if (!reqs_are_special(req, nr))
		err = gpubp_amd_read_wave(n, wave, &alloc_req, 1, &alloc);
	shape = gpubp_amd_record_of_alloc(alloc);
	return err ?: gpubp_amd_record_has(&shape, req, nr) ? 0 : -EINVAL;
}

/* it has changes that are yet to be written: what is written now comes behind them */
static bool wave_has_edits(const struct gpubp_amd_wave *w)
{
	return !w->stepping && !list_empty(&w->edits);
}

/* Return: false: the wave is neither stopped nor about to go on with changes. */
static bool edits_add(struct gpubp_amd_node *n, u64 wave, struct list_head *edits)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find(n, wave);
	if (!w || !(gpubp_amd_wave_is_stopped(w) || wave_has_edits(w)))
		return false;
	list_splice_tail_init(edits, &w->edits);
	return true;
}

static int edit_apply_all(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			  const struct list_head *edits)
{
	const struct edit *e;
	int err = 0;

	list_for_each_entry(e, edits, link) {
		err = gpubp_amd_saved_write(ctx, rec, &e->req, e->value);
		if (err)
			break;
	}
	return err;
}

/** gpubp_amd_edits_apply() - write changes of a wave in memory, which no other call sees */
int gpubp_amd_edits_apply(struct gpubp_amd_wave *w, const struct gpubp_amd_record *rec)
{
	int err = edit_apply_all(w->ctx, rec, &w->edits);

	if (!err)
		gpubp_amd_edits_free(w);
	return err;
}

static struct gpubp_amd_ctx *edits_ctx_use(struct gpubp_amd_node *n, u64 wave)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find(n, wave);
	if (!w || w->stepping || !gpubp_amd_ctx_is_off(w->ctx))
		return NULL;
	gpubp_amd_ctx_use(w->ctx);
	return w->ctx;
}

/* of a wave that is not stopped by itself, but whose context is off the GPU */
static int edits_write_saved(struct gpubp_amd_node *n, u64 wave,
			     const struct list_head *edits)
{
	struct gpubp_amd_ctx *ctx = edits_ctx_use(n, wave);
	struct gpubp_amd_record rec;
	struct gpubp_amd_tail tail;
	int err;

	if (!ctx)
		return -ESRCH;
	err = gpubp_amd_ctx_evict(ctx);
	if (!err) {
		err = gpubp_amd_saved_find(n, wave, &rec, &tail) ?:
		      edit_apply_all(ctx, &rec, edits);
		gpubp_amd_ctx_restore(ctx);
	}
	gpubp_amd_ctx_unuse(ctx);
	return err;
}

int gpubp_amd_write_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
			 unsigned int nr, const u32 *in)
{
	struct gpubp_amd_node *n = dev;
	LIST_HEAD(edits);
	int err;

	err = edits_check(n, wave, req, nr) ?: edits_make(&edits, req, nr, in);
	if (!err && !edits_add(n, wave, &edits))
		err = edits_write_saved(n, wave, &edits);
	edits_free(&edits);
	return err;
}
