// SPDX-License-Identifier: GPL-2.0
/*
 * Filter: lanes of a match that meet the condition of its events.
 *
 * A lane does, does not, or may: where its value or place is not known. A match
 * in which no lane does but some may is a possible hit.
 */
#include <linux/bitops.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../event/event.h"
#include "resolution.h"

enum verdict { NO, MAYBE, YES };

/**
 * struct element - an element of watched bytes, as far as a lane accesses it
 * @addr: first byte
 * @len: bytes; 0 none
 */
struct element {
	u64 addr;
	unsigned int len;
};

/**
 * struct judged - the lanes with a verdict
 * @lanes: they
 * @first: the element that the first of them has it for
 */
struct judged {
	u64 lanes;
	struct element first;
};

/**
 * struct trial - a match, and the lanes that were tested
 * @cell: first cell of the hit
 * @res: its resolution
 * @data: its data; NULL unknown
 * @m: the match
 * @judged: by enum verdict
 */
struct trial {
	const struct gpubp_hit_cell *cell;
	const struct gpubp_resolution *res;
	const struct gpubp_data *data;
	struct gpubp_hit_match *m;
	struct judged judged[YES + 1];
};

/**
 * gpubp_lanes_known() - is it known which lane accessed what
 * @cell: the hit
 * @res: its resolution
 *
 * A device that reports an address does not say which lane accessed it, and other
 * lanes may be active since, without precise memory.
 */
bool gpubp_lanes_known(const struct gpubp_hit_cell *cell,
		       const struct gpubp_resolution *res)
{
	if (!(cell->hit.valid & GPUBP_HITF_ADDR))
		return true;
	return cell->dev->desc.caps.precise &&
	       hweight64(res->access.exec) == 1;
}

static bool trial_is_exact(const struct trial *t)
{
	return t->m->flags & GPUBP_HIT_BYTES;
}

/* may any lane of the wave be at the place */
static enum verdict wave_verdict(const struct trial *t)
{
	const struct gpubp_hit_record *rec = &t->cell->record;
	const struct gpubp_isa *isa = t->cell->dev->desc.isa;
	const struct gpubp_filter *filter = t->m->filter;
	const u32 wg[] = { rec->wg_x, rec->wg_y, rec->wg_z };
	int i;

	if (!filter->places)
		return YES;
	if (!(rec->flags & GPUBP_HIT_COORDS))
		return MAYBE;
	for (i = 0; i < ARRAY_SIZE(wg); i++)
		if ((filter->places & BIT(i)) && wg[i] != filter->wg[i])
			return NO;
	if (!(filter->places & GPUBP_PLACE_ITEM))
		return YES;
	if (!isa)
		return MAYBE;
	return filter->item / isa->nr_lanes == rec->wave_in_group ? YES : NO;
}

/* of a wave that is at the place: if an item is compared, is the lane the one */
static enum verdict item_verdict(const struct trial *t, unsigned int lane)
{
	const struct gpubp_device *dev = t->cell->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	unsigned int item;

	if (!(t->m->filter->places & GPUBP_PLACE_ITEM))
		return YES;
	if (!isa)
		return MAYBE;
	item = t->m->filter->item % isa->nr_lanes;
	if (!gpubp_lanes_known(t->cell, t->res))
		return dev->desc.caps.precise &&
		       !(t->res->access.exec & BIT_ULL(item)) ? NO : MAYBE;
	if (lane != item)
		return NO;
	return trial_is_exact(t) ? YES : MAYBE;
}

/**
 * struct lane_bytes - the watched bytes that a lane accesses
 * @addr: address of the first one
 * @nr: how many of them are known
 * @bytes: these
 */
struct lane_bytes {
	u64 addr;
	unsigned int nr;
	u8 bytes[GPUBP_MAX_DATA];
};

static enum verdict element_verdict(const struct trial *t,
				    const struct lane_bytes *known,
				    const struct element *e, unsigned int size)
{
	u64 at = e->addr - known->addr;
	u8 bytes[sizeof(u64)] = {};

	if (e->len != size || at + size > known->nr)
		return MAYBE;
	memcpy(bytes, known->bytes + at, size);
	return gpubp_value_passes(&t->m->filter->value,
				  get_unaligned_le64(bytes)) ? YES : NO;
}

/*
 * The watched bytes of the lane in elements, of which the ends may be parts; (out)
 * the first element that has the verdict.
 */
static enum verdict value_verdict(const struct trial *t, unsigned int lane,
				  struct element *found)
{
	unsigned int size = gpubp_value_size(t->m->filter->value.type);
	enum verdict verdict = NO, one;
	u64 start = t->m->start, from, to, at;
	struct lane_bytes known = {};

	*found = (struct element) {};
	if (!size)
		return YES;
	if (!trial_is_exact(t))
		return MAYBE;
	to = gpubp_lane_bytes(&t->res->access, lane, start,
			      t->m->last - start + 1, &known.addr);
	if (t->data)
		known.nr = gpubp_data_at(t->data, lane, known.addr, known.bytes,
					 to);
	from = known.addr - start;
	to += from;
	for (at = round_down(from, size); at < to && verdict != YES;
	     at += size) {
		struct element e = {
			.addr = start + max(at, from),
			.len = min(at + size, to) - max(at, from),
		};

		one = element_verdict(t, &known, &e, size);
		if (one > verdict) {
			verdict = one;
			*found = e;
		}
	}
	return verdict;
}

static void lane_test(struct trial *t, unsigned int lane, enum verdict wave)
{
	enum verdict verdict = min(wave, item_verdict(t, lane));
	struct element e = {};
	struct judged *j;

	if (verdict != NO)
		verdict = min(verdict, value_verdict(t, lane, &e));
	j = &t->judged[verdict];
	if (!j->lanes)
		j->first = e;
	j->lanes |= BIT_ULL(lane);
}

/* the record is of the lanes that are left, and of an element of the first */
static void match_narrow(const struct trial *t, const struct judged *j)
{
	const struct gpubp_access *acc = &t->res->access;
	struct gpubp_hit_match *m = t->m;
	unsigned int lane = __ffs64(j->lanes);

	m->lanes = j->lanes;
	if (!trial_is_exact(t))
		return;
	m->addr = acc->addr[lane];
	m->hit_len = min_t(u16, gpubp_lane_bytes(acc, lane, m->start,
						 m->last - m->start + 1,
						 &m->hit_addr), U8_MAX);
	if (!j->first.len)
		return;
	m->hit_addr = j->first.addr;
	m->hit_len = j->first.len;
}

static void match_apply(struct trial *t)
{
	enum verdict wave = wave_verdict(t), best;
	u64 lanes;

	for (lanes = t->m->lanes; lanes; lanes &= lanes - 1)
		lane_test(t, __ffs64(lanes), wave);
	best = t->judged[YES].lanes ? YES : t->judged[MAYBE].lanes ? MAYBE : NO;
	/* without any active lane it is not known which it was */
	t->m->filtered = wave == NO || (t->m->lanes && best == NO);
	if (best != NO)
		match_narrow(t, &t->judged[best]);
	if (best != YES)
		t->m->flags |= GPUBP_HIT_POSSIBLE;
}

/**
 * gpubp_filters_apply() - test the matches of events with a condition
 * @cell: the hit
 * @res: its resolution
 * @data: what it stored, or else loaded; NULL if that is not known
 *
 * The resolver only.
 */
void gpubp_filters_apply(struct gpubp_hit_cell *cell,
			 const struct gpubp_resolution *res,
			 const struct gpubp_data *data)
{
	const struct gpubp_hit_cell *first = cell;
	unsigned int i;

	for (; cell; cell = cell->next)
		for (i = 0; i < cell->nr_matches; i++) {
			struct trial t = {
				.cell = first, .res = res, .data = data,
				.m = &cell->matches[i],
			};

			if (!t.m->filter)
				continue;
			match_apply(&t);
			gpubp_filter_put(t.m->filter);
			t.m->filter = NULL;
		}
}
