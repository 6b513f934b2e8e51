// SPDX-License-Identifier: GPL-2.0
/*
 * Comparators of both granules: exhaustive in a small address space, then
 * limits.
 *
 * The model: an access matches a comparator if one of its bytes has the
 * comparator's value in the compared bits above the granule.
 */
#include <stdbool.h>
#include <string.h>
#include "compare.h"
#include "../../../kernel/gpubp/isa/gfx9/regs.h"
#include "../tap.h"

#define VA_MASK		((1ull << 48) - 1)
#define BLOCKS		8	/* of the small space: three bits of MASK */

static u64 compared_bits(u32 granule, u32 field)
{
	u64 bits = 0;
	int bit;

	for (bit = 0; bit < 24; bit++)
		if (field >> bit & 1)
			bits |= (u64)granule << bit;
	for (; ((u64)granule << bit) & VA_MASK; bit++)
		bits |= (u64)granule << bit;
	return bits;
}

static bool model(u32 granule, u64 value, u32 field, u64 addr,
		  unsigned int width)
{
	u64 bits = compared_bits(granule, field);
	unsigned int byte;

	for (byte = 0; byte < width; byte++)
		if (((addr + byte) & VA_MASK & bits) == value)
			return true;
	return false;
}

static bool meets(u32 granule, u64 value, u32 field, u32 mode,
		  const struct sim_request *req)
{
	struct sim_comparator cmp;

	sim_comparator_read(&cmp, granule, value >> 32, (u32)value,
			    TCP_WATCH_CNTL_VALID | field |
			    mode << TCP_WATCH_CNTL_MODE_SHIFT);
	return sim_comparator_matches(&cmp, req);
}

static bool agrees(u32 granule, u64 value, u32 field, u64 addr,
		   unsigned int width)
{
	struct sim_request req = {
		.kind = SIM_STORE, .width = width, .lanes = 1, .addrs = &addr,
	};

	return meets(granule, value, field, 3, &req) ==
	       model(granule, value, field, addr, width);
}

/* every value, mask, address and width in the first blocks, from @base */
static bool small_world(u32 granule, u64 base, u64 *cases)
{
	static const unsigned int widths[] = { 1, 2, 4, 8, 12, 16 };
	u32 value, mask, addr, n;

	for (value = 0; value < BLOCKS; value++)
		for (mask = 0; mask < BLOCKS; mask++)
			for (addr = 0; addr < BLOCKS * granule; addr++)
				for (n = 0; n < 6; n++, ++*cases)
					if (!agrees(granule,
						    base + value * granule,
						    0xfffff8 | mask,
						    base + addr, widths[n]))
						return false;
	return true;
}

static bool each_mask_bit(u32 granule)
{
	u64 base = 0x7e5a3c000000ull & compared_bits(granule, 0xffffff);
	unsigned int bit, clear;

	for (clear = 0; clear < 25; clear++)
		for (bit = 0; bit < 48; bit++)
			if (!agrees(granule, base & ~((u64)granule << clear),
				    clear < 24 ? 0xffffff & ~(1u << clear) :
						 0xffffff,
				    base ^ 1ull << bit, 4))
				return false;
	return true;
}

/* the largest block that CNTL.MASK allows */
static bool largest(u32 granule)
{
	u64 size = (u64)granule << 24;
	u64 base = 5 * size, addr[] = { base, base + size - 4 };
	u64 out[] = { base - 4, base + size };
	struct sim_request in_req = {
		.kind = SIM_STORE, .width = 4, .lanes = 1, .addrs = addr,
	};
	struct sim_request out_req = in_req;
	bool ok = meets(granule, base, 0, 3, &in_req);

	in_req.addrs = &addr[1];
	ok &= meets(granule, base, 0, 3, &in_req);
	out_req.addrs = out;
	ok &= !meets(granule, base, 0, 3, &out_req);
	out_req.addrs = &out[1];
	return ok && !meets(granule, base, 0, 3, &out_req);
}

static bool modes(void)
{
	static const bool want[4][3] = {
		/* SIM_LOAD, SIM_STORE, SIM_ATOMIC */
		{ true, false, false },
		{ false, true, true },
		{ false, false, true },
		{ true, true, true },
	};
	u64 addr = 0x1000;
	unsigned int mode, kind;

	for (mode = 0; mode < 4; mode++)
		for (kind = 0; kind < 3; kind++) {
			struct sim_request req = {
				.kind = kind, .width = 4, .lanes = 1,
				.addrs = &addr,
			};

			if (meets(64, addr, 0xffffff, mode, &req) !=
			    want[mode][kind])
				return false;
		}
	return true;
}

/* one of 64 lanes suffices, if it is active */
static bool lanes(void)
{
	u64 addrs[SIM_LANES];
	unsigned int lane;

	memset(addrs, 0, sizeof(addrs));
	for (lane = 0; lane < SIM_LANES; lane++) {
		struct sim_request req = {
			.kind = SIM_STORE, .width = 4, .addrs = addrs,
		};
		bool ok;

		addrs[lane] = 0x4000;
		req.lanes = 1ull << lane;
		ok = meets(64, 0x4000, 0xffffff, 3, &req);
		req.lanes = ~0ull;
		ok &= meets(64, 0x4000, 0xffffff, 3, &req);
		req.lanes = ~(1ull << lane);
		ok &= !meets(64, 0x4000, 0xffffff, 3, &req);
		addrs[lane] = 0;
		if (!ok)
			return false;
	}
	return true;
}

/* lanes that access neighbouring bytes, in and across granules, or others */
static bool neighbours(u32 granule)
{
	static const unsigned int widths[] = { 1, 2, 4, 8, 12, 16 };
	unsigned long long seed = granule;
	u64 addrs[SIM_LANES];
	unsigned int n, lane;

	for (n = 0; n < 200000; n++) {
		u64 r = tap_random(&seed), value = r % BLOCKS * granule;
		u32 field = 0xfffff8 | (r >> 8) % BLOCKS;
		struct sim_request req = {
			.kind = SIM_STORE, .width = widths[(r >> 16) % 6],
			.lanes = tap_random(&seed), .addrs = addrs,
		};
		u64 at = (r >> 24) % (BLOCKS * granule);
		bool want = false;

		for (lane = 0; lane < SIM_LANES; lane++) {
			addrs[lane] = at + lane * (r >> 40 & 3) * req.width / 2;
			want |= (req.lanes >> lane & 1) &&
				model(granule, value, field, addrs[lane],
				      req.width);
		}
		if (meets(granule, value, field, 3, &req) != want)
			return false;
	}
	return true;
}

int main(void)
{
	static const u64 bases[] = { 0, 0x123456780000ull, 0xfffffff80000ull };
	u64 cases = 0;
	u32 granule;
	int n;

	tap_plan(2 * 6 + 2);
	for (granule = 64; granule <= 128; granule *= 2) {
		for (n = 0; n < 3; n++)
			tap_ok(small_world(granule, bases[n], &cases),
			       "granule %u from %llx: every byte", granule,
			       (unsigned long long)bases[n]);
		tap_ok(each_mask_bit(granule), "granule %u: each bit of MASK",
		       granule);
		tap_ok(largest(granule), "granule %u: the largest block",
		       granule);
		tap_ok(neighbours(granule), "granule %u: neighbours", granule);
	}
	tap_ok(modes(), "modes");
	tap_ok(lanes(), "lanes");
	printf("# %llu cases\n", (unsigned long long)cases);
	return tap_status();
}
