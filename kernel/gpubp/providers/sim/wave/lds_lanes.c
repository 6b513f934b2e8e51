// SPDX-License-Identifier: GPL-2.0
/*
 * DS instructions that exchange values between lanes, without memory. Inactive
 * lanes provide zero.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "vmem.h"

/* forms of a swizzle, by its offset */
#define SWIZZLE_QUAD		0x8000
#define SWIZZLE_ROTATE		0xc000
#define SWIZZLE_FFT		0xe000

static u32 from_lane(u64 exec, const u32 *data, unsigned int lane)
{
	return exec >> lane & 1 ? data[lane] : 0;
}

static void permute_lanes(struct sim_wave *w, bool back, const u32 *data)
{
	u32 *out = w->work.out;
	unsigned int lane, other;
	u64 left, exec = sim_exec(w);

	memset(out, 0, sizeof(w->work.out));
	sim_for_each_lane(lane, left, exec) {
		other = (w->work.addrs[lane] >> 2) & (SIM_LANES - 1);
		if (back)
			out[lane] = from_lane(exec, data, other);
		else
			out[other] = data[lane];
	}
}

static void write_out(struct sim_wave *w, unsigned int dst)
{
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, sim_exec(w))
		w->v[dst][lane] = w->work.out[lane];
}

/**
 * sim_ds_permute() - ds_permute_b32, ds_bpermute_b32
 * @w: wave
 * @i: instruction
 * @back: the address selects the lane to read from, not the lane to write to
 *
 * Return: 0 or -EILSEQ.
 */
int sim_ds_permute(struct sim_wave *w, const struct gfx9_inst *i, bool back)
{
	unsigned int data, dst;

	if (sim_vreg(w, i->vdata, 1, i->acc, &data) ||
	    sim_vreg(w, i->dst, 1, i->acc, &dst) ||
	    sim_ds_addrs(w, i, i->offset))
		return -EILSEQ;
	permute_lanes(w, back, w->v[data]);
	write_out(w, dst);
	return 0;
}

static unsigned int swizzle_rotate(unsigned int lane, unsigned int off)
{
	unsigned int mask = off & 31, n = off >> 5 & 31;

	if (off & 0x400)
		n = -n;
	return (lane & mask) | ((lane + n) & ~mask & 31);
}

/* reverse the bits of the lane number, except those in the mask */
static unsigned int swizzle_fft(unsigned int lane, unsigned int off)
{
	unsigned int mask = off & 31;

	return sim_brev32(lane) >> 27 >> hweight32(mask) | (lane & mask);
}

/* the lane among 32 that @lane reads from */
static unsigned int swizzle_from(unsigned int lane, unsigned int off)
{
	if (off >= SWIZZLE_FFT)
		return swizzle_fft(lane, off);
	if (off >= SWIZZLE_ROTATE)
		return swizzle_rotate(lane, off);
	if (off & SWIZZLE_QUAD)
		return (lane & ~3u) | (off >> (2 * (lane & 3)) & 3);
	return ((lane & off & 31) | (off >> 5 & 31)) ^ (off >> 10 & 31);
}

/*
 * sim_ds_swizzle() - ds_swizzle_b32: in each half of the wave
 */
int sim_ds_swizzle(struct sim_wave *w, const struct gfx9_inst *i)
{
	unsigned int src, dst, lane, from;
	u64 left, exec = sim_exec(w);

	if (sim_vreg(w, i->vaddr, 1, false, &src) ||
	    sim_vreg(w, i->dst, 1, i->acc, &dst))
		return -EILSEQ;
	sim_for_each_lane(lane, left, exec) {
		from = (lane & 32) + swizzle_from(lane & 31, i->offset);
		w->work.out[lane] = from_lane(exec, w->v[src], from);
	}
	write_out(w, dst);
	return 0;
}
