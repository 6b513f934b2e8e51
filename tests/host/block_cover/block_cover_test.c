// SPDX-License-Identifier: GPL-2.0
/*
 * Block covers against brute force: every range of small address spaces, and
 * random ranges of large ones.
 *
 * The reference does not use the algorithm under test. It tries every block, or
 * every pair of blocks, that contains the ends of the range.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "../tap.h"
#include "lib/block_cover.h"

typedef unsigned __int128 u128;

struct range {
	u64 addr;
	u64 len;
};

/* [first, end) in 128 bits, which cannot overflow */
struct span {
	u128 first;
	u128 end;
};

struct best {
	int nr;		/* 0: no cover */
	u128 bytes;
};

static u64 nr_checked;

static struct span aligned_around(u64 addr, unsigned int order)
{
	u128 size = (u128)1 << order;
	u128 first = addr / size * size;

	return (struct span) { first, first + size };
}

static bool order_allowed(const struct gpubp_block_caps *caps, unsigned int o)
{
	return ((u128)1 << o) >= caps->granule && o < caps->va_bits &&
	       ((u128)1 << o) <= caps->max_block;
}

static void consider(struct best *best, int nr, u128 bytes)
{
	if (best->nr && (bytes > best->bytes ||
			 (bytes == best->bytes && nr >= best->nr)))
		return;
	best->nr = nr;
	best->bytes = bytes;
}

/* size of the union, if it is contiguous */
static bool in_one_piece(struct span a, struct span b, u128 *bytes)
{
	if (a.end < b.first || b.end < a.first)
		return false;
	*bytes = max(a.end, b.end) - min(a.first, b.first);
	return true;
}

static void try_pair(struct best *best, struct range r, struct span a,
		     struct span b, unsigned int max_blocks)
{
	u128 last = (u128)r.addr + r.len - 1;
	u128 bytes;

	if (max_blocks >= 1 && last < a.end)
		consider(best, 1, a.end - a.first);
	if (max_blocks >= 2 && in_one_piece(a, b, &bytes))
		consider(best, 2, bytes);
}

static struct best brute(const struct gpubp_block_caps *caps, struct range r,
			 unsigned int max_blocks)
{
	struct best best = {};
	struct span right[64];
	unsigned int i, j, n = 0;

	for (i = 0; i < caps->va_bits; i++)
		if (order_allowed(caps, i))
			right[n++] = aligned_around(r.addr + r.len - 1, i);
	for (i = 0; i < caps->va_bits; i++)
		for (j = 0; order_allowed(caps, i) && j < n; j++)
			try_pair(&best, r, aligned_around(r.addr, i), right[j],
				 max_blocks);
	return best;
}

static bool complain(const struct gpubp_block_caps *caps, struct range r,
		     unsigned int max_blocks, const char *what)
{
	tap_note("[%#llx, +%#llx) granule %u max_block %#llx va_bits %u max_blocks %u: %s",
		 r.addr, r.len, caps->granule, caps->max_block, caps->va_bits,
		 max_blocks, what);
	return false;
}

static bool block_well_formed(const struct gpubp_block_caps *caps,
			      const struct gpubp_block *b)
{
	u64 space = ~0ULL >> (64 - caps->va_bits);
	u64 size = gpubp_block_size(b);

	return size && !(size & (size - 1)) && size >= caps->granule &&
	       size <= caps->max_block && b->mask == (space & ~(size - 1)) &&
	       !(b->value & ~b->mask);
}

static bool covered(const struct gpubp_block *b, int nr, u64 addr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (gpubp_block_contains(&b[i], addr))
			return true;
	return false;
}

/* checks all bytes of short ranges, ends and middle of long ones */
static bool range_covered(const struct gpubp_block *b, int nr, struct range r)
{
	u64 step = r.len > 512 ? r.len / 509 : 1;
	u64 i;

	for (i = 0; i < r.len && i + step > i; i += step)
		if (!covered(b, nr, r.addr + i))
			return false;
	return covered(b, nr, r.addr + r.len - 1);
}

static bool check_cover(const struct gpubp_block_caps *caps, struct range r,
			unsigned int max_blocks)
{
	struct best want = brute(caps, r, max_blocks);
	struct gpubp_block b[GPUBP_MAX_BLOCKS];
	u128 bytes = 0;
	int i, nr;

	nr_checked++;
	nr = gpubp_block_cover(caps, r.addr, r.len, max_blocks, b);
	if (nr != (want.nr ?: -ERANGE))
		return complain(caps, r, max_blocks, "number of blocks");
	for (i = 0; i < nr; i++) {
		if (!block_well_formed(caps, &b[i]))
			return complain(caps, r, max_blocks, "malformed block");
		bytes += gpubp_block_size(&b[i]);
	}
	if (nr < 0)
		return true;
	if (!range_covered(b, nr, r))
		return complain(caps, r, max_blocks, "byte not covered");
	if (bytes != want.bytes)
		return complain(caps, r, max_blocks, "too many stray bytes");
	return nr < 2 || b[0].value < b[1].value ||
	       complain(caps, r, max_blocks, "not by address");
}

static bool all_ranges(const struct gpubp_block_caps *caps)
{
	u64 space = 1ULL << caps->va_bits;
	struct range r;
	unsigned int n;

	for (r.addr = 0; r.addr < space; r.addr++)
		for (r.len = 1; r.addr + r.len <= space; r.len++)
			for (n = 0; n <= 2; n++)
				if (!check_cover(caps, r, n))
					return false;
	return true;
}

static void every_range_of_small_spaces(void)
{
	struct gpubp_block_caps caps;
	bool ok = true;

	for (caps.va_bits = 3; ok && caps.va_bits <= 6; caps.va_bits++)
		for (caps.granule = 1; ok && caps.granule <= 4;
		     caps.granule *= 2)
			for (caps.max_block = caps.granule;
			     ok && caps.max_block <= 1ULL << caps.va_bits;
			     caps.max_block *= 2)
				ok = all_ranges(&caps);
	tap_ok(ok, "every_range_of_small_spaces");
}

static void every_range_of_256_bytes(void)
{
	static const struct gpubp_block_caps caps[] = {
		{ .granule = 1, .max_block = 256, .va_bits = 8 },
		{ .granule = 4, .max_block = 64, .va_bits = 8 },
	};
	bool ok = all_ranges(&caps[0]) && all_ranges(&caps[1]);

	tap_ok(ok, "every_range_of_256_bytes");
}

/* lengths of all magnitudes; ends near large boundaries are frequent */
static struct range random_range(u64 *seed, u64 space)
{
	u64 len = (tap_random(seed) >> (tap_random(seed) % 64)) & space;
	u64 addr = tap_random(seed) & space;
	struct range r;

	if (tap_random(seed) % 2)
		addr = (addr & (~0ULL << (tap_random(seed) % 40))) -
		       tap_random(seed) % 200;
	r.addr = addr & space;
	r.len = len ?: 1;
	if (r.len - 1 > space - r.addr)
		r.len = space - r.addr + 1 ?: space;
	return r;
}

static bool random_ranges(const struct gpubp_block_caps *caps, int count)
{
	u64 space = ~0ULL >> (64 - caps->va_bits);
	u64 seed = 0x1234567;
	bool ok = true;

	while (ok && count--)
		ok = check_cover(caps, random_range(&seed, space),
				 1 + tap_random(&seed) % 2);
	return ok;
}

static void random_ranges_of_real_devices(void)
{
	static const struct gpubp_block_caps caps[] = {
		{ .granule = 64, .max_block = 1ULL << 30, .va_bits = 48 },
		{ .granule = 128, .max_block = 1ULL << 31, .va_bits = 48 },
		{ .granule = 64, .max_block = 64, .va_bits = 48 },
		{ .granule = 1, .max_block = 1ULL << 63, .va_bits = 64 },
		{ .granule = 1, .max_block = 1ULL << 47, .va_bits = 57 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(caps); i++)
		tap_ok(random_ranges(&caps[i], 30000),
		       "random_ranges granule %u max_block %#llx va_bits %u",
		       caps[i].granule, caps[i].max_block, caps[i].va_bits);
}

/* two blocks cover less than twice the range rounded to granules */
static void two_blocks_cover_less_than_twice(void)
{
	struct gpubp_block_caps caps = { 64, 1ULL << 30, 48 };
	struct gpubp_block b[GPUBP_MAX_BLOCKS];
	u64 seed = 99, bytes, rounded;
	int i, nr, count = 100000;
	bool ok = true;

	while (ok && count--) {
		struct range r = random_range(&seed, (1ULL << 30) - 1);

		nr = gpubp_block_cover(&caps, r.addr, r.len, 2, b);
		rounded = ((r.addr + r.len + 63) & ~63ULL) - (r.addr & ~63ULL);
		for (bytes = 0, i = 0; i < nr; i++)
			bytes += gpubp_block_size(&b[i]);
		ok = (nr > 0 && bytes < 2 * rounded) ||
		     complain(&caps, r, 2, "twice as much or more");
	}
	tap_ok(ok, "two_blocks_cover_less_than_twice");
}

static void impossible_ranges_are_refused(void)
{
	struct gpubp_block_caps caps = { 64, 1ULL << 30, 48 };
	static const struct {
		const char *name;
		u64 addr, len;
		unsigned int max_blocks;
		int ret;
	} cases[] = {
		{ "no_bytes", 0x1000, 0, 2, -EINVAL },
		{ "no_bytes_at_0", 0, 0, 2, -EINVAL },
		{ "first_address_too_high", 1ULL << 48, 4, 2, -EINVAL },
		{ "last_byte_of_space", (1ULL << 48) - 1, 1, 2, 1 },
		{ "over_the_end_of_space", (1ULL << 48) - 1, 2, 2, -EINVAL },
		{ "wrap", ~0ULL, 2, 2, -EINVAL },
		{ "wrap_to_the_same_place", 0x1000, ~0ULL, 2, -EINVAL },
		{ "8_bytes_over_1_GiB_line", (1ULL << 30) - 4, 8, 1, -ERANGE },
		{ "8_bytes_over_1_GiB_line_twice", (1ULL << 30) - 4, 8, 2, 2 },
		{ "more_than_two_largest", 0, (2ULL << 30) + 1, 2, -ERANGE },
		{ "two_largest", 0, 2ULL << 30, 2, 2 },
		{ "no_comparator", 0x1000, 4, 0, -ERANGE },
		{ "4_bytes", 0x1000, 4, 2, 1 },
		{ "granule_and_a_byte", 0x1000, 65, 2, 1 },
		{ "granule_and_a_byte_over_4K", 0x1fc0, 65, 2, 2 },
	};
	struct gpubp_block b[GPUBP_MAX_BLOCKS];
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ret = gpubp_block_cover(&caps, cases[i].addr, cases[i].len,
					cases[i].max_blocks, b);
		tap_ok(ret == cases[i].ret, "%s is %d", cases[i].name, ret);
	}
}

int main(void)
{
	tap_plan(23);
	every_range_of_small_spaces();
	every_range_of_256_bytes();
	random_ranges_of_real_devices();
	two_blocks_cover_less_than_twice();
	impossible_ranges_are_refused();
	tap_note("%llu covers compared", nr_checked);
	return tap_status();
}
