// SPDX-License-Identifier: GPL-2.0
/*
 * Filter: which lanes of a memory instruction concern a watch.
 *
 * Bytes are taken modulo 2^64: an access or a watch that runs over the end of
 * the address space goes on at 0, as address arithmetic of a wave does.
 */
#include <linux/bitops.h>

#include <uapi/linux/gpubp.h>

#include "lane_filter.h"

/* one of two ranges that meet begins inside the other; no sum can overflow */
static bool ranges_meet(u64 a, u64 a_len, u64 b, u64 b_len)
{
	return a_len && b_len && (a - b < b_len || b - a < a_len);
}

static u64 lanes_that_meet(const struct gpubp_access *acc, u64 start, u64 len)
{
	u64 left = acc->lanes;
	u64 lanes = 0;

	while (left) {
		unsigned int lane = __ffs64(left);

		left &= left - 1;
		if (ranges_meet(acc->addr[lane], acc->width, start, len))
			lanes |= BIT_ULL(lane);
	}
	return lanes;
}

/* only where even the instruction is unknown is its kind unknown too */
static bool kind_may_match(const struct gpubp_access *acc, u8 accesses)
{
	return acc->addr_state == GPUBP_ADDR_UNKNOWN ||
	       (acc->access & accesses);
}

/**
 * gpubp_filter() - does an access concern a watch?
 * @acc: the access
 * @start: first watched byte
 * @len: watched bytes
 * @accesses: GPUBP_ACCESS_* that are watched
 * @out: how; only written if it does
 *
 * Exact addresses are compared byte by byte. Otherwise the comparator's word
 * is all there is, and what is not ruled out is possible, even without a lane
 * that is still active.
 *
 * Return: true if it does, or may.
 */
bool gpubp_filter(const struct gpubp_access *acc, u64 start, u64 len,
		  u8 accesses, struct gpubp_match *out)
{
	bool exact = acc->addr_state == GPUBP_ADDR_EXACT;
	u64 lanes = exact ? lanes_that_meet(acc, start, len) : acc->lanes;

	if ((exact && !lanes) || !kind_may_match(acc, accesses))
		return false;
	out->exact = exact;
	out->lanes = lanes;
	out->addr = exact ? acc->addr[__ffs64(lanes)] : start;
	return true;
}
