// SPDX-License-Identifier: GPL-2.0
/*
 * The filter against sets of bytes: every small access with every small watch,
 * also at the ends of the address space, and random waves.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "../tap.h"
#include "lib/lane_filter.h"

#define ALL_KINDS (GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC)

static u64 nr_checked;

/* true if some byte is in both */
static bool naive_meet(u64 addr, unsigned int width, u64 start, u64 len)
{
	unsigned int i;

	for (i = 0; i < width; i++)
		if ((u64)(addr + i - start) < len)
			return true;
	return false;
}

/* of a lane that is whole no bytes were dropped, whatever is there */
static u64 naive_width(const struct gpubp_access *acc, unsigned int lane)
{
	return acc->whole >> lane & 1 ? acc->width :
	       acc->width - acc->dropped[lane];
}

static u64 naive_lanes(const struct gpubp_access *acc, u64 start, u64 len)
{
	unsigned int lane;
	u64 lanes = 0;

	for (lane = 0; lane < 64; lane++)
		if ((acc->lanes >> lane & 1) &&
		    naive_meet(acc->addr[lane],
			       naive_width(acc, lane), start, len))
			lanes |= 1ULL << lane;
	return lanes;
}

static unsigned int naive_first(u64 lanes)
{
	unsigned int lane = 0;

	while (!(lanes >> lane & 1))
		lane++;
	return lane;
}

/* the first byte of @addr on that is watched, and how many follow it in a row */
static void naive_bytes(u64 addr, unsigned int width, u64 start, u64 len,
			struct gpubp_match *m)
{
	unsigned int i = 0;

	while (i < width && (u64)(addr + i - start) >= len)
		i++;
	m->hit_addr = addr + i;
	m->hit_len = 0;
	for (; i < width && (u64)(addr + i - start) < len; i++)
		m->hit_len++;
}

static bool bytes_are_right(const struct gpubp_access *acc, u64 start, u64 len,
			    const struct gpubp_match *m)
{
	unsigned int lane = naive_first(m->lanes);
	struct gpubp_match want;

	naive_bytes(acc->addr[lane], naive_width(acc, lane), start, len,
		    &want);
	return m->hit_addr == want.hit_addr && m->hit_len == want.hit_len;
}

static bool complain(const struct gpubp_access *acc, u64 start, u64 len,
		     u8 accesses, const char *what)
{
	tap_note("watch [%#llx, +%#llx) %u, access %u width %u state %u lanes %#llx lane 0 at %#llx: %s",
		 start, len, accesses, acc->access, acc->width,
		 acc->addr_state, acc->lanes, acc->addr[0], what);
	return false;
}

static bool check_exact(const struct gpubp_access *acc, u64 start, u64 len,
			u8 accesses)
{
	u64 lanes = acc->access & accesses ? naive_lanes(acc, start, len) : 0;
	struct gpubp_match m;

	nr_checked++;
	if (gpubp_lane_filter(acc, start, len, accesses, &m) != !!lanes)
		return complain(acc, start, len, accesses, "verdict");
	if (!lanes)
		return true;
	if (m.lanes != lanes)
		return complain(acc, start, len, accesses, "lanes");
	if (m.addr != acc->addr[naive_first(lanes)])
		return complain(acc, start, len, accesses, "address");
	if (!bytes_are_right(acc, start, len, &m))
		return complain(acc, start, len, accesses, "bytes");
	return m.exact || complain(acc, start, len, accesses, "not exact");
}

/* one lane, one base address: all small watches and accesses */
static bool all_meetings_at(u64 base)
{
	struct gpubp_access acc = {
		.access = GPUBP_ACCESS_STORE,
		.addr_state = GPUBP_ADDR_EXACT,
		.exec = 1,
		.lanes = 1,
	};
	u64 start, len, addr;

	for (start = 0; start < 8; start++)
		for (len = 0; len <= 9; len++)
			for (addr = 0; addr < 24; addr++)
				for (acc.width = 0; acc.width <= 16;
				     acc.width++) {
					acc.addr[0] = base - 8 + addr;
					if (!check_exact(&acc, base + start,
							 len, ALL_KINDS))
						return false;
				}
	return true;
}

static void every_small_meeting(void)
{
	static const u64 bases[] = {
		0x1000, 0, ~0ULL - 3, 1ULL << 63, (1ULL << 48) - 4,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bases); i++)
		tap_ok(all_meetings_at(bases[i]), "every_small_meeting at %#llx",
		       bases[i]);
}

/* between the ends of the last ones are so few bytes that an access spans them */
static void huge_watches(void)
{
	static const u64 lens[] = {
		1ULL << 47, (1ULL << 63) - 1, 1ULL << 63, ~0ULL - 20, ~0ULL - 14,
		~0ULL - 3, ~0ULL,
	};
	struct gpubp_access acc = {
		.access = GPUBP_ACCESS_LOAD,
		.addr_state = GPUBP_ADDR_EXACT,
		.exec = 1,
		.lanes = 1,
	};
	u64 start, addr, i;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(lens); i++)
		for (start = -20ULL; start != 20; start++)
			for (addr = -20ULL; addr != 20; addr++)
				for (acc.width = 0; acc.width <= 16;
				     acc.width += 4) {
					acc.addr[0] = addr;
					ok &= check_exact(&acc, start, lens[i],
							  ALL_KINDS);
					acc.addr[0] = start + lens[i] + addr;
					ok &= check_exact(&acc, start, lens[i],
							  ALL_KINDS);
				}
	tap_ok(ok, "huge_watches");
}

static void every_kind(void)
{
	struct gpubp_access acc = {
		.exec = 5,
		.lanes = 5,
		.width = 4,
		.addr = { [0] = 0x100, [2] = 0x104 },
	};
	struct gpubp_match m;
	bool ok = true;
	u8 accesses, s;

	for (acc.access = 1; acc.access <= 4; acc.access *= 2)
		for (accesses = 1; accesses <= ALL_KINDS; accesses++)
			for (s = 0; s <= GPUBP_ADDR_EXACT; s++) {
				acc.addr_state = s;
				ok &= gpubp_lane_filter(&acc, 0x104, 4, accesses,
							&m) ==
				      (s == GPUBP_ADDR_UNKNOWN ||
				       (acc.access & accesses));
			}
	tap_ok(ok, "every_kind");
}

static void not_exact_is_possible(u8 state, const char *name)
{
	struct gpubp_access acc = {
		.access = GPUBP_ACCESS_ATOMIC,
		.addr_state = state,
		.exec = 0xff0,
		.lanes = 0xf0,
		/* addresses of inactive lanes, which must be ignored */
		.addr = { [4] = 0xdead0000 },
	};
	struct gpubp_match m;
	bool ok;

	ok = gpubp_lane_filter(&acc, 0x1003, 5, ALL_KINDS, &m) && !m.exact &&
	     m.lanes == 0xf0 && m.addr == 0x1003;
	acc.lanes = 0;
	ok &= gpubp_lane_filter(&acc, 0x1003, 5, ALL_KINDS, &m);
	tap_ok(ok, "not_exact_is_possible %s", name);
}

static void no_match_writes_nothing(void)
{
	struct gpubp_access acc = {
		.access = GPUBP_ACCESS_STORE,
		.width = 4,
		.addr_state = GPUBP_ADDR_EXACT,
		.exec = ~0ULL,
		.lanes = ~0ULL,
	};
	struct gpubp_match m, before;

	memset(&before, 0x5a, sizeof(before));
	m = before;
	tap_ok(!gpubp_lane_filter(&acc, 0x1000, 4, ALL_KINDS, &m) &&
	       !memcmp(&m, &before, sizeof(m)), "no_match_writes_nothing");
}

static void random_access(struct gpubp_access *acc, unsigned long long *seed,
			  u64 start, u64 len)
{
	unsigned int lane;

	acc->access = 1 << tap_random(seed) % 3;
	acc->width = tap_random(seed) % 17;
	acc->addr_state = GPUBP_ADDR_EXACT;
	acc->exec = tap_random(seed);
	acc->lanes = acc->exec & tap_random(seed);
	acc->whole = acc->lanes & tap_random(seed);
	for (lane = 0; lane < 64; lane++) {
		u64 near = tap_random(seed) % 2 ? start : start + len;

		acc->addr[lane] = near + tap_random(seed) % 64 - 32;
		acc->dropped[lane] = tap_random(seed) % 2 ? 0 :
				     tap_random(seed) % (acc->width + 1);
	}
}

static void random_waves(void)
{
	unsigned long long seed = 4711;
	struct gpubp_access acc = {};
	int count = 100000;
	bool ok = true;
	u64 start, len;

	while (ok && count--) {
		start = tap_random(&seed) >> tap_random(&seed) % 64;
		len = tap_random(&seed) >> (1 + tap_random(&seed) % 63);
		random_access(&acc, &seed, start, len);
		ok = check_exact(&acc, start, len, tap_random(&seed) & 7);
	}
	tap_ok(ok, "random_waves");
}

/* ---- lanes at equal distances -------------------------------------------- */

static unsigned long long nr_regular;

static unsigned int first_of(u64 lanes)
{
	return __builtin_ctzll(lanes);
}

/* is there a stride, by its definition, and which */
static bool naive_stride(const struct gpubp_access *acc, u64 *stride)
{
	unsigned int lane, first = acc->lanes ? first_of(acc->lanes) : 0, second;
	u64 rest = acc->lanes & (acc->lanes - 1), base = acc->addr[first];

	if (!acc->lanes || acc->lanes != acc->whole || !acc->width)
		return false;
	*stride = acc->width;
	if (rest) {
		second = first_of(rest);
		*stride = (acc->addr[second] - base) / (second - first);
		/* not looked for if the two are very far apart */
		if (acc->addr[second] - base > 0xffffffff)
			return false;
	}
	for (lane = first; lane < 64; lane++)
		if (acc->lanes >> lane & 1 &&
		    (acc->addr[lane] != base + (lane - first) * *stride ||
		     (unsigned __int128)base + (lane - first) * *stride + acc->width >
		     (unsigned __int128)1 << 64))
			return false;
	return true;
}

static bool span_is_right(const struct gpubp_access *acc)
{
	u64 first, last, low = ~0ULL, high = 0;
	unsigned int lane;

	for (lane = 0; lane < 64; lane++) {
		u64 end = acc->addr[lane] + acc->width - 1;

		if (!(acc->lanes >> lane & 1))
			continue;
		low = acc->addr[lane] < low ? acc->addr[lane] : low;
		high = end > high ? end : high;
	}
	gpubp_access_span(acc, &first, &last);
	return first == low && last == high;
}

/* as if nothing was dropped: with a stride, and as if there was none */
static bool near_is_right(const struct gpubp_access *acc, u64 start, u64 len)
{
	struct gpubp_access whole = *acc;
	u64 lanes;

	whole.whole = whole.lanes;
	lanes = naive_lanes(&whole, start, len);
	if (gpubp_lanes_near(acc, start, len) != lanes)
		return complain(acc, start, len, 0, "near");
	whole.regular = false;
	if (gpubp_lanes_near(&whole, start, len) != lanes)
		return complain(acc, start, len, 0, "near, one by one");
	return true;
}

static bool check_stride(struct gpubp_access *acc)
{
	u64 stride;
	bool regular = naive_stride(acc, &stride);

	gpubp_access_find_stride(acc);
	nr_regular += acc->regular;
	if (acc->regular != regular || (regular && acc->stride != stride))
		return complain(acc, stride, 0, 0, "stride");
	return span_is_right(acc) || complain(acc, 0, 0, 0, "span");
}

/* lanes 2 to 6 of a small world that may run over the end of the address space */
static bool all_strides_at(u64 base)
{
	struct gpubp_access acc = {
		.access = GPUBP_ACCESS_STORE,
		.addr_state = GPUBP_ADDR_EXACT,
	};
	unsigned int lane, stride, mask;
	u64 start, len;

	for (mask = 0; mask < 32; mask++)
		for (stride = 0; stride <= 6; stride++)
			for (acc.width = 1; acc.width <= 5; acc.width++) {
				acc.lanes = acc.whole = acc.exec = (u64)mask << 2;
				for (lane = 0; lane < 64; lane++)
					acc.addr[lane] = base + lane * stride;
				if (!check_stride(&acc))
					return false;
				for (start = base; start != base + 48; start++)
					for (len = 0; len <= 20; len++)
						if (!near_is_right(&acc, start, len) ||
						    !check_exact(&acc, start, len,
								 ALL_KINDS))
							return false;
			}
	return true;
}

static void every_small_stride(void)
{
	static const u64 bases[] = { 0x1000, 0, -20ULL, -40ULL, (1ULL << 63) - 20 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bases); i++)
		tap_ok(all_strides_at(bases[i]), "every_small_stride at %#llx",
		       bases[i]);
}

/* some of which are nearly so, some with few lanes, some that only nearly start there */
static void random_stride(struct gpubp_access *acc, unsigned long long *seed)
{
	unsigned int lane, sparse = tap_random(seed) % 3;
	u64 stride = tap_random(seed) >> (63 - tap_random(seed) % 36);
	u64 base = tap_random(seed) >> tap_random(seed) % 64;

	acc->width = 1 + tap_random(seed) % 64;
	if (tap_random(seed) % 3 == 0)
		stride = acc->width;
	acc->lanes = tap_random(seed) % 3 ? ~0ULL : tap_random(seed);
	while (sparse--)
		acc->lanes &= tap_random(seed);
	acc->exec = acc->lanes | tap_random(seed);
	acc->whole = tap_random(seed) % 8 ? acc->lanes :
		     acc->lanes & tap_random(seed);
	for (lane = 0; lane < 64; lane++)
		acc->addr[lane] = base + lane * stride;
	if (tap_random(seed) % 4 == 0)
		acc->addr[tap_random(seed) % 64] += tap_random(seed) % 3 - 1;
}

static void random_strides(void)
{
	unsigned long long seed = 815;
	struct gpubp_access acc = { .access = GPUBP_ACCESS_STORE,
				    .addr_state = GPUBP_ADDR_EXACT };
	int count = 300000;
	bool ok = true;

	while (ok && count--) {
		u64 start, len;

		random_stride(&acc, &seed);
		start = acc.addr[tap_random(&seed) % 64] + tap_random(&seed) % 200 - 100;
		len = tap_random(&seed) % 2 ? tap_random(&seed) % 300 :
		      tap_random(&seed) >> tap_random(&seed) % 64;
		ok = check_stride(&acc) && near_is_right(&acc, start, len) &&
		     check_exact(&acc, start, len, ALL_KINDS);
	}
	tap_ok(ok && nr_regular > 100000, "random_strides: %llu regular", nr_regular);
}

int main(void)
{
	tap_plan(17);
	every_small_meeting();
	huge_watches();
	every_kind();
	not_exact_is_possible(GPUBP_ADDR_BLOCK, "block");
	not_exact_is_possible(GPUBP_ADDR_UNKNOWN, "unknown");
	no_match_writes_nothing();
	random_waves();
	every_small_stride();
	random_strides();
	tap_note("%llu accesses compared", nr_checked);
	return tap_status();
}
