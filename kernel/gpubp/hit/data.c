// SPDX-License-Identifier: GPL-2.0
/*
 * Data: what the first lane of each match stored or loaded, from the registers
 * of the wave: right also if other waves store there at the same time.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/gpubp.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../sched/sched.h"
#include "resolution.h"

#define WORD	((u64)sizeof(u64))	/* bytes of a value in a record */

static const struct gpubp_reg_req *data_req(const struct gpubp_resolution *res,
					    bool loaded)
{
	return loaded ? &res->insn.loaded : &res->insn.stored;
}

static bool data_read(struct gpubp_hit_cell *cell, struct gpubp_resolution *res,
		      struct gpubp_data *data, bool loaded)
{
	struct gpubp_reg_req req = *data_req(res, loaded);

	req.lanes = res->access.whole;
	*data = (struct gpubp_data) {
		.isa = cell->dev->desc.isa, .res = res, .loaded = loaded,
	};
	return req.count &&
	       req.count * data->isa->nr_lanes <= ARRAY_SIZE(res->data) &&
	       gpubp_hit_read_regs(cell, res, &req, 1, res->data);
}

/* lanes that touch GPUBP_CHANGED_MAX bytes and are behind one another have no more */
#define MAX_BYTES	(GPUBP_CHANGED_MAX + 2 * GPUBP_MAX_DATA)

/* @out has no room for all bytes, or they are not wanted from the first one on */
static noinline_for_stack unsigned int
data_of_part(const struct gpubp_data *data, unsigned int lane,
	     unsigned int nr_lanes, u64 at, u8 *out, unsigned int nr)
{
	const struct gpubp_resolution *res = data->res;
	u8 bytes[MAX_BYTES];
	unsigned int len;

	len = data->isa->lane_data(&res->insn, data->loaded, res->data, lane,
				   nr_lanes, bytes) * nr_lanes;
	if (at >= len)
		return 0;
	nr = min(nr, len - (unsigned int)at);
	memcpy(out, bytes + at, nr);
	return nr;
}

/* what lanes have whose bytes are behind one another, if they are whole */
static unsigned int data_of_lanes(const struct gpubp_data *data,
				  unsigned int lane, unsigned int nr_lanes,
				  u64 va, u8 *out, unsigned int nr)
{
	const struct gpubp_resolution *res = data->res;
	unsigned int len = nr_lanes * res->insn.width;
	u64 at = va - res->access.addr[lane];

	if (!(res->access.whole & BIT_ULL(lane)))
		return 0;
	if (at || nr < len)
		return data_of_part(data, lane, nr_lanes, at, out, nr);
	return data->isa->lane_data(&res->insn, data->loaded, res->data, lane,
				    nr_lanes, out) * nr_lanes;
}

/**
 * gpubp_data_at() - data of a lane
 * @data: data of the access
 * @lane: lane
 * @va: first address
 * @out: (out) the bytes there
 * @nr: at most
 *
 * Return: how many it has there; 0 if a range check may have dropped some.
 */
unsigned int gpubp_data_at(const struct gpubp_data *data, unsigned int lane,
			   u64 va, u8 *out, unsigned int nr)
{
	return data_of_lanes(data, lane, 1, va, out, nr);
}

/* all bytes of a match as a number; false if not all are known */
static bool data_word(const struct gpubp_data *data, const struct gpubp_hit_match *m,
		      u64 *word)
{
	unsigned int len = min(m->hit_len, WORD);
	u8 bytes[WORD] = {};

	if (gpubp_data_at(data, __ffs64(m->lanes), m->hit_addr, bytes, len) != len)
		return false;
	*word = get_unaligned_le64(bytes);
	return true;
}

/* does a lane certainly store the same as @word there, as far as it stores there? */
static bool lane_agrees(const struct gpubp_data *data, unsigned int lane, u64 va,
			unsigned int len, u64 word)
{
	const struct gpubp_access *acc = &data->res->access;
	u64 ahead = acc->addr[lane] - va;
	u8 own[WORD], want[WORD];
	unsigned int nr, skip = ahead < len ? ahead : 0;

	if (va + skip - acc->addr[lane] >= acc->width)
		return true;
	put_unaligned_le64(word, want);
	nr = gpubp_data_at(data, lane, va + skip, own, len - skip);
	return nr && !memcmp(own, want + skip, nr);
}

/* lanes that touch the watch, or may */
static u64 match_touching(const struct gpubp_hit_match *m,
			  const struct gpubp_access *acc)
{
	return m->touching | (acc->lanes & ~acc->whole);
}

/* if several lanes store to a byte, it is not known which of them is the last */
static bool lanes_agree(const struct gpubp_data *data,
			const struct gpubp_hit_match *m, u64 word)
{
	unsigned int len = min(m->hit_len, WORD);
	u64 lanes = match_touching(m, &data->res->access) &
		    ~(m->lanes & -m->lanes);

	if (lanes)
		lanes &= gpubp_lanes_near(&data->res->access, m->hit_addr, len);
	for (; lanes; lanes &= lanes - 1)
		if (!lane_agrees(data, __ffs64(lanes), m->hit_addr, len, word))
			return false;
	return true;
}

static void match_set_stored(struct gpubp_hit_match *m, const struct gpubp_data *data)
{
	u64 word;

	if (!data_word(data, m, &word) ||
	    (data->res->access.access == GPUBP_ACCESS_STORE &&
	     !lanes_agree(data, m, word)))
		return;
	m->data = word;
	m->flags |= GPUBP_HIT_DATA;
}

static void match_set_loaded(struct gpubp_hit_match *m, const struct gpubp_data *data)
{
	if (!data_word(data, m, &m->before))
		return;
	m->flags |= GPUBP_HIT_BEFORE;
	if (data->res->access.access != GPUBP_ACCESS_LOAD)
		return;
	m->data = m->before;
	m->flags |= GPUBP_HIT_DATA;
}

static void data_to_matches(struct gpubp_hit_cell *cell,
			    const struct gpubp_data *data)
{
	unsigned int i;

	for (; cell; cell = cell->next)
		for (i = 0; i < cell->nr_matches; i++) {
			struct gpubp_hit_match *m = &cell->matches[i];

			if (m->hit_len && data->loaded)
				match_set_loaded(m, data);
			else if (m->hit_len)
				match_set_stored(m, data);
		}
}

/* its data are what is in memory behind it */
static bool leaves_data(const struct gpubp_resolution *res)
{
	return res->access.access == GPUBP_ACCESS_STORE ||
	       res->access.access == GPUBP_ACCESS_LOAD;
}

/* bytes that other lanes touched and @own, the bytes from @at on, disagrees about */
static u64 bytes_differ(const struct gpubp_hit_match *m, unsigned int at,
			const u8 *own, u64 touched)
{
	u64 differ = 0;
	unsigned int i;

	for (; touched; touched &= touched - 1) {
		i = __ffs64(touched);
		if (m->read.bytes[i] != own[i - at])
			differ |= BIT_ULL(i);
	}
	return differ;
}

/* bits of the first watched bytes that lanes touch whose bytes are behind one another */
static u64 lanes_bytes(const struct gpubp_access *acc, unsigned int lane,
		       unsigned int nr_lanes, const struct gpubp_hit_match *m)
{
	u64 first = max(acc->addr[lane], m->start);
	u64 last = min(acc->addr[lane] + nr_lanes * acc->width - 1,
		       m->start + m->read.len - 1);

	return first > last ? 0 : GENMASK_ULL(last - m->start, first - m->start);
}

/*
 * What lanes whose bytes are behind one another certainly left in watched bytes; what
 * they and others disagree about is not known.
 */
static void lanes_overlay(const struct gpubp_data *data, unsigned int lane,
			  unsigned int nr_lanes, struct gpubp_hit_match *m,
			  u64 *unknown)
{
	u64 bytes = lanes_bytes(&data->res->access, lane, nr_lanes, m), known;
	u8 own[GPUBP_CHANGED_MAX];
	unsigned int nr, at;

	if (!bytes)
		return;
	at = __ffs64(bytes);
	nr = data_of_lanes(data, lane, nr_lanes, m->start + at, own,
			   hweight64(bytes));
	known = nr ? GENMASK_ULL(at + nr - 1, at) : 0;
	*unknown |= (bytes & ~known) |
		    bytes_differ(m, at, own, m->touched & known);
	memcpy(m->read.bytes + at, own, nr);
	m->touched |= bytes;
}

/* of lanes from the lowest bit on, how many have their bytes behind one another */
static unsigned int nr_behind(const struct gpubp_access *acc, u64 lanes)
{
	if (!acc->regular || acc->stride != acc->width)
		return 1;
	return ~lanes ? __ffs64(~lanes) : BITS_PER_TYPE(lanes);
}

/* do @lanes touch each of the first watched bytes? */
static bool lanes_touch_all(const struct gpubp_access *acc, u64 lanes,
			    const struct gpubp_hit_match *m)
{
	unsigned int lane, nr;
	u64 touched = 0;

	if (hweight64(lanes) * acc->width < m->read.len)
		return false;
	for (; lanes; lanes &= ~GENMASK_ULL(lane + nr - 1, lane)) {
		lane = __ffs64(lanes);
		nr = nr_behind(acc, lanes >> lane);
		touched |= lanes_bytes(acc, lane, nr, m);
	}
	return touched == GENMASK_ULL(m->read.len - 1, 0);
}

/*
 * Those of the first watched bytes that the access touched are what it left there or, if
 * that is not known, not known. If there are others, they are read now, some time after the
 * hit; gpubp_value_update() judges them. Return: some were read.
 */
static bool match_overlay(struct gpubp_ctx *ctx, struct gpubp_hit_match *m,
			  const struct gpubp_data *data)
{
	const struct gpubp_access *acc = &data->res->access;
	unsigned int lane, nr;
	u64 lanes, unknown = 0;
	bool all;

	BUILD_BUG_ON(BITS_PER_TYPE(m->touched) < GPUBP_CHANGED_MAX);
	m->read.len = min_t(u64, m->last - m->start + 1, GPUBP_CHANGED_MAX);
	lanes = match_touching(m, acc) &
		gpubp_lanes_near(acc, m->start, m->read.len);
	all = lanes_touch_all(acc, lanes, m);
	if (all)
		m->read.read_after = gpubp_ctx_nr_forgotten(ctx);
	else
		gpubp_match_value_read(ctx, m);
	for (; lanes && m->read.len; lanes &= ~GENMASK_ULL(lane + nr - 1, lane)) {
		lane = __ffs64(lanes);
		nr = nr_behind(acc, lanes >> lane);
		lanes_overlay(data, lane, nr, m, &unknown);
	}
	m->left = m->touched & ~unknown;
	return !all;
}

/* without @data nothing is known of them */
static void cells_overlay(struct gpubp_hit_cell *first,
			  const struct gpubp_resolution *res,
			  const struct gpubp_data *data)
{
	struct gpubp_ctx *ctx = first->ctx;
	struct gpubp_hit_cell *cell;
	bool read = false, latest;
	unsigned int i;

	for (cell = first; cell; cell = cell->next)
		for (i = 0; i < cell->nr_matches; i++) {
			cell->matches[i].late = true;
			if (data)
				read |= match_overlay(ctx, &cell->matches[i], data);
		}
	latest = read && first->place &&
		 gpubp_record_ring_is_last(&ctx->sched->ring, res->number);
	for (cell = first; cell && latest; cell = cell->next)
		for (i = 0; i < cell->nr_matches; i++)
			cell->matches[i].latest = true;
}

static bool data_is_known(const struct gpubp_hit_cell *cell,
			  const struct gpubp_resolution *res)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;

	return res->sampled && isa && isa->lane_data && res->access.whole &&
	       gpubp_lanes_known(cell, res);
}

/* conditions are on what was loaded, if nothing was stored */
static void data_find_part(struct gpubp_hit_cell *cell,
			   struct gpubp_resolution *res, bool loaded)
{
	bool is_load = res->access.access == GPUBP_ACCESS_LOAD, known;
	struct gpubp_data data;

	if (loaded != is_load && !data_req(res, loaded)->count)
		return;
	known = data_is_known(cell, res) && data_read(cell, res, &data, loaded);
	if (loaded == is_load)
		gpubp_filters_apply(cell, res, known ? &data : NULL);
	if (loaded == is_load && gpubp_cell_went_on(cell))
		cells_overlay(cell, res, known && leaves_data(res) ? &data : NULL);
	if (known)
		data_to_matches(cell, &data);
}

/**
 * gpubp_data_find() - find what a wave stored or loaded
 * @cell: the hit, matched; (out) the data of its matches, and which of them do
 *	not meet their condition
 * @res: its resolution; nothing is read without ->sampled
 *
 * Of a wave that went on, also the values of the watched bytes behind the access.
 * Nothing of lanes whose access a range check may have dropped, or a part of it.
 * The resolver only; may sleep.
 */
void gpubp_data_find(struct gpubp_hit_cell *cell, struct gpubp_resolution *res)
{
	data_find_part(cell, res, false);
	data_find_part(cell, res, true);
}
