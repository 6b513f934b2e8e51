// SPDX-License-Identifier: GPL-2.0
/* Comparators: mode, mask, value. */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/log2.h>

#include "../../../isa/gfx9/regs.h"
#include "compare.h"

/* values of CNTL.MODE */
#define WATCH_READ	0
#define WATCH_NONREAD	1
#define WATCH_ATOMIC	2
#define WATCH_ALL	3

/* CNTL.MASK starts at the lowest bit above the granule */
#define MASK_BITS	24

/**
 * sim_comparator_read() - decode the registers of a comparator
 * @cmp: the comparator
 * @granule: 64 or 128 bytes
 * @addr_h: ADDR_H
 * @addr_l: ADDR_L
 * @cntl: CNTL
 */
void sim_comparator_read(struct sim_comparator *cmp, u32 granule, u32 addr_h,
			 u32 addr_l, u32 cntl)
{
	unsigned int shift = ilog2(granule);

	cmp->granule = granule;
	cmp->value = ((u64)addr_h << 32) | addr_l;
	cmp->mask = GENMASK_ULL(SIM_VA_BITS - 1, shift + MASK_BITS) |
		    (u64)(cntl & TCP_WATCH_CNTL_MASK) << shift;
	cmp->mode = (cntl >> TCP_WATCH_CNTL_MODE_SHIFT) & 3;
}

static bool mode_has(u8 mode, enum sim_access kind)
{
	switch (mode) {
	case WATCH_READ:
		return kind == SIM_LOAD;
	case WATCH_NONREAD:
		return kind != SIM_LOAD;
	case WATCH_ATOMIC:
		return kind == SIM_ATOMIC;
	default:
		return true;
	}
}

/* compare each granule that the access touches: each is one request */
static bool access_matches(const struct sim_comparator *cmp, u64 addr,
			   unsigned int width)
{
	u64 first = addr & GENMASK_ULL(SIM_VA_BITS - 1, 0);
	u64 last = first + width - 1;
	u64 granule = first & ~(u64)(cmp->granule - 1);

	for (; granule <= last; granule += cmp->granule)
		if ((granule & cmp->mask) == cmp->value)
			return true;
	return false;
}

/* does all of an access lie in this granule? */
static bool access_is_in(const struct sim_comparator *cmp, u64 granule, u64 addr,
			 unsigned int width)
{
	return ((addr ^ granule) | ((addr + width - 1) ^ granule)) <
	       cmp->granule;
}

/**
 * sim_comparator_matches() - does a memory instruction match a comparator?
 * @cmp: valid comparator
 * @req: accesses of the instruction
 *
 * Neighbours access the same granule mostly: it is compared once.
 */
bool sim_comparator_matches(const struct sim_comparator *cmp,
			    const struct sim_request *req)
{
	u64 lanes = req->lanes, addr, other;

	if (!mode_has(cmp->mode, req->kind) || !lanes)
		return false;
	/* a granule that does not match; at first one that the first lane is not in */
	other = ~req->addrs[__ffs64(lanes)] & ~(u64)(cmp->granule - 1);
	for (; lanes; lanes &= lanes - 1) {
		addr = req->addrs[__ffs64(lanes)];
		if (access_is_in(cmp, other, addr, req->width))
			continue;
		if (access_matches(cmp, addr, req->width))
			return true;
		other = addr & ~(u64)(cmp->granule - 1);
	}
	return false;
}
