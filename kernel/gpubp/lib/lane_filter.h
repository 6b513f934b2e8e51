/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lane filter: which lanes of a resolved memory instruction access bytes of a
 * watch.
 *
 * Pure: no lock, no time, no allocation; compiles in user space.
 */
#ifndef _GPUBP_LIB_LANE_FILTER_H
#define _GPUBP_LIB_LANE_FILTER_H

#include <linux/gpubp_isa.h>
#include <linux/types.h>

/**
 * struct gpubp_access - one memory instruction of a wave, as resolved
 * @access: one GPUBP_ACCESS_*; ignored if @addr_state is GPUBP_ADDR_UNKNOWN
 * @addr_state: enum gpubp_addr_state
 * @width: bytes that each lane accesses; only for GPUBP_ADDR_EXACT
 * @exec: active lanes
 * @lanes: those of @exec that access memory which comparators match; for an
 *	address that is not exact: those that may
 * @whole: those of @lanes that certainly accessed all their bytes; only for
 *	GPUBP_ADDR_EXACT
 * @regular: the addresses of @lanes are @stride apart, lane by lane, none is below that
 *	of a lower lane or wraps around, and all lanes are @whole; see
 *	gpubp_access_find_stride()
 * @stride: if @regular
 * @dropped: of each of @lanes that is not @whole, bytes at the end of @width that it
 *	does not access; likewise
 * @addr: first byte of each of @lanes; likewise
 */
struct gpubp_access {
	u8 access;
	u8 addr_state;
	u16 width;
	u64 exec;
	u64 lanes;
	u64 whole;
	bool regular;
	u32 stride;
	u8 dropped[GPUBP_MAX_LANES];
	u64 addr[GPUBP_MAX_LANES];
};

/**
 * struct gpubp_match - how an access overlaps a watch
 * @lanes: lanes whose bytes overlap the watch; not exact: lanes that may
 * @addr: first byte that the lowest of @lanes accesses; not exact: start of
 *	the watch
 * @hit_addr: first watched byte that this lane accesses; only if @exact
 * @hit_len: watched bytes that it accesses from there on; likewise
 * @exact: proven; else possible
 */
struct gpubp_match {
	u64 lanes;
	u64 addr;
	u64 hit_addr;
	u16 hit_len;
	bool exact;
};

void gpubp_access_find_stride(struct gpubp_access *acc);
void gpubp_access_span(const struct gpubp_access *acc, u64 *first, u64 *last);
u64 gpubp_lanes_near(const struct gpubp_access *acc, u64 start, u64 len);
bool gpubp_access_may_match(const struct gpubp_access *acc, u8 accesses);
bool gpubp_lane_filter(const struct gpubp_access *acc, u64 start, u64 len,
		       u8 accesses, struct gpubp_match *out);
u16 gpubp_lane_bytes(const struct gpubp_access *acc, unsigned int lane,
		     u64 start, u64 len, u64 *hit_addr);

#endif /* _GPUBP_LIB_LANE_FILTER_H */
