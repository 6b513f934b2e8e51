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

static u64 naive_lanes(const struct gpubp_access *acc, u64 start, u64 len)
{
	unsigned int lane;
	u64 lanes = 0;

	for (lane = 0; lane < 64; lane++)
		if ((acc->lanes >> lane & 1) &&
		    naive_meet(acc->addr[lane],
			       acc->width - acc->dropped[lane], start, len))
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

	naive_bytes(acc->addr[lane], acc->width - acc->dropped[lane], start, len,
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
	struct gpubp_access acc;
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

int main(void)
{
	tap_plan(11);
	every_small_meeting();
	huge_watches();
	every_kind();
	not_exact_is_possible(GPUBP_ADDR_BLOCK, "block");
	not_exact_is_possible(GPUBP_ADDR_UNKNOWN, "unknown");
	no_match_writes_nothing();
	random_waves();
	tap_note("%llu accesses compared", nr_checked);
	return tap_status();
}
