// SPDX-License-Identifier: GPL-2.0
/*
 * Lane filter: see lane_filter.h.
 *
 * Addresses wrap around modulo 2^64: an access or a watch that runs over the
 * end of the address space continues at 0, as the address arithmetic of a wave
 * does.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include <uapi/linux/gpubp.h>

#include "lane_filter.h"

/* of two overlapping ranges one starts in the other; no sum can overflow */
static bool ranges_overlap(u64 a, u64 a_len, u64 b, u64 b_len)
{
	return a_len && b_len && (a - b < b_len || b - a < a_len);
}

static unsigned int first_lane(u64 lanes)
{
	return __ffs64(lanes);
}

static unsigned int last_lane(u64 lanes)
{
	return fls64(lanes) - 1;
}

/* of two lanes that are not neighbours, if it is a whole number; else no stride */
static u64 stride_between(const struct gpubp_access *acc, unsigned int a,
			  unsigned int b)
{
	u64 apart = acc->addr[b] - acc->addr[a];
	u32 lanes = b - a;

	if (lanes == 1 || apart > U32_MAX)
		return apart;
	return (u32)apart % lanes ? U64_MAX : (u32)apart / lanes;
}

/**
 * gpubp_access_find_stride() - are the lanes' addresses at equal distances?
 * @acc: the access, with exact addresses; (out) ->regular, ->stride
 *
 * Most are: then no lane needs to be looked at to know which of them are where.
 */
void gpubp_access_find_stride(struct gpubp_access *acc)
{
	u64 left = acc->lanes & (acc->lanes - 1), stride = acc->width, at;
	unsigned int lane, last;

	acc->regular = false;
	if (!acc->lanes || acc->lanes != acc->whole || !acc->width)
		return;
	lane = first_lane(acc->lanes);
	last = last_lane(acc->lanes);
	if (left)
		stride = stride_between(acc, lane, first_lane(left));
	if (stride > U32_MAX)
		return;
	at = acc->addr[lane];
	while (lane++ < last) {
		at += stride;
		if (acc->addr[lane] != at && (left >> lane & 1))
			return;
	}
	acc->stride = stride;
	/* the last lane does not wrap around */
	acc->regular = at + (acc->width - 1) >=
		       acc->addr[first_lane(acc->lanes)];
}

/**
 * gpubp_access_span() - lowest and highest byte of an exact access
 * @acc: the access
 * @first: (out) the lowest; U64_MAX without any lane
 * @last: (out) the highest; 0 without any lane
 */
void gpubp_access_span(const struct gpubp_access *acc, u64 *first, u64 *last)
{
	u64 left = acc->lanes;

	*first = U64_MAX;
	*last = 0;
	if (acc->regular) {
		*first = acc->addr[first_lane(left)];
		*last = acc->addr[last_lane(left)] + acc->width - 1;
		return;
	}
	for (; left; left &= left - 1) {
		u64 addr = acc->addr[first_lane(left)];

		*first = min(*first, addr);
		*last = max(*last, addr + acc->width - 1);
	}
}

/* @last is not below @start */
static u64 regular_lanes_near(const struct gpubp_access *acc, u64 start,
			      u64 last)
{
	unsigned int low = first_lane(acc->lanes), high = last_lane(acc->lanes);
	u64 base = acc->addr[low], end = base + (acc->width - 1);
	u64 below = end < start ? start - end : 0;

	if (base > last || acc->addr[high] + (acc->width - 1) < start)
		return 0;
	/* of a stride of 0 all lanes are at the same place */
	if (acc->addr[high] > last)
		high = low + div_u64(last - base, acc->stride);
	if (below)
		low += div_u64(below - 1, acc->stride) + 1;
	return low > high ? 0 : GENMASK_ULL(high, low) & acc->lanes;
}

/**
 * gpubp_lanes_near() - lanes whose bytes overlap a range
 * @acc: the access, with exact addresses
 * @start: first byte of the range
 * @len: its bytes
 *
 * As if no range check dropped bytes at the end of an access.
 */
u64 gpubp_lanes_near(const struct gpubp_access *acc, u64 start, u64 len)
{
	u64 left = acc->lanes, lanes = 0, ahead;

	if (!acc->width || !len)
		return 0;
	if (acc->regular && start + (len - 1) >= start)
		return regular_lanes_near(acc, start, start + (len - 1));
	for (; left; left &= left - 1) {
		/* no sum can overflow: see ranges_overlap() */
		ahead = acc->addr[first_lane(left)] - start;
		if (ahead < len || -ahead < acc->width)
			lanes |= left & -left;
	}
	return lanes;
}

static u64 lane_width(const struct gpubp_access *acc, unsigned int lane)
{
	return acc->whole & BIT_ULL(lane) ? acc->width :
					    acc->width - acc->dropped[lane];
}

static u64 lanes_overlapping(const struct gpubp_access *acc, u64 start, u64 len)
{
	u64 lanes = gpubp_lanes_near(acc, start, len);
	u64 left = lanes & ~acc->whole;

	for (; left; left &= left - 1)
		if (!ranges_overlap(acc->addr[first_lane(left)],
				    lane_width(acc, first_lane(left)), start,
				    len))
			lanes &= ~(left & -left);
	return lanes;
}

/**
 * gpubp_lane_bytes() - the watched bytes that a lane accesses
 * @acc: the access, with exact addresses
 * @lane: lane, which overlaps the watch
 * @start: first watched byte
 * @len: watched bytes
 * @hit_addr: (out) the first of them
 *
 * If each of the two ranges starts in the other, which takes ranges that wrap
 * around: those from the lane's address on.
 *
 * Return: how many.
 */
u16 gpubp_lane_bytes(const struct gpubp_access *acc, unsigned int lane,
		     u64 start, u64 len, u64 *hit_addr)
{
	u64 addr = acc->addr[lane];
	u64 skipped = addr - start < len ? 0 : start - addr;

	*hit_addr = addr + skipped;
	return min(lane_width(acc, lane) - skipped, len - (*hit_addr - start));
}

/**
 * gpubp_access_may_match() - is an access of a kind that is watched, or may it be?
 * @acc: the access; its kind is unknown only if the instruction is
 * @accesses: GPUBP_ACCESS_* that are watched
 */
bool gpubp_access_may_match(const struct gpubp_access *acc, u8 accesses)
{
	return acc->addr_state == GPUBP_ADDR_UNKNOWN ||
	       (acc->access & accesses);
}

/**
 * gpubp_lane_filter() - does an access overlap a watch?
 * @acc: the access
 * @start: first watched byte
 * @len: watched bytes
 * @accesses: GPUBP_ACCESS_* that are watched
 * @out: how; only written if it does
 *
 * Exact addresses are compared byte by byte. Otherwise only the comparator is
 * known to have matched, and what cannot be ruled out is possible, even without
 * any lane that is still active.
 *
 * Return: true if it does, or may.
 */
bool gpubp_lane_filter(const struct gpubp_access *acc, u64 start, u64 len,
		       u8 accesses, struct gpubp_match *out)
{
	bool exact = acc->addr_state == GPUBP_ADDR_EXACT;
	u64 lanes = exact ? lanes_overlapping(acc, start, len) : acc->lanes;

	if ((exact && !lanes) || !gpubp_access_may_match(acc, accesses))
		return false;
	out->exact = exact;
	out->lanes = lanes;
	out->addr = exact ? acc->addr[__ffs64(lanes)] : start;
	if (exact)
		out->hit_len = gpubp_lane_bytes(acc, __ffs64(lanes), start,
						len, &out->hit_addr);
	return true;
}
