// SPDX-License-Identifier: GPL-2.0
/*
 * Lane filter: see lane_filter.h.
 *
 * Addresses wrap around modulo 2^64: an access or a watch that runs over the
 * end of the address space continues at 0, as the address arithmetic of a wave
 * does.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>

#include <uapi/linux/gpubp.h>

#include "lane_filter.h"

/* of two overlapping ranges one starts in the other; no sum can overflow */
static bool ranges_overlap(u64 a, u64 a_len, u64 b, u64 b_len)
{
	return a_len && b_len && (a - b < b_len || b - a < a_len);
}

static u64 lane_width(const struct gpubp_access *acc, unsigned int lane)
{
	return acc->width - acc->dropped[lane];
}

static u64 lanes_overlapping(const struct gpubp_access *acc, u64 start, u64 len)
{
	u64 left = acc->lanes;
	u64 lanes = 0;

	while (left) {
		unsigned int lane = __ffs64(left);

		left &= left - 1;
		if (ranges_overlap(acc->addr[lane], lane_width(acc, lane), start,
				   len))
			lanes |= BIT_ULL(lane);
	}
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
