// SPDX-License-Identifier: GPL-2.0
/* TCP_WATCH: compares the accesses of vector memory with four comparators. */
#include <linux/bitops.h>

#include "watch.h"

/* values of CNTL.MODE */
#define WATCH_READ	0
#define WATCH_NONREAD	1
#define WATCH_ATOMIC	2
#define WATCH_ALL	3

/* address bits that CNTL.MASK begins with, and those above it */
#define MASK_SHIFT	ilog2(SIM_WATCH_GRANULE)
#define ALWAYS_COMPARED	GENMASK_ULL(SIM_VA_BITS - 1, MASK_SHIFT + 24)

struct comparator {
	u64 value;
	u64 mask;
	u8 mode;
	bool valid;
};

static void read_comparator(const struct sim_regs *regs, u32 vmid, int n,
			    struct comparator *cmp)
{
	u32 cntl = regs->bank[vmid].watch_cntl[n];

	cmp->value = ((u64)regs->addr_h[n] << 32) | regs->addr_l[n];
	cmp->mask = ALWAYS_COMPARED |
		    (u64)(cntl & TCP_WATCH_CNTL_MASK) << MASK_SHIFT;
	cmp->mode = (cntl >> TCP_WATCH_CNTL_MODE_SHIFT) & 3;
	cmp->valid = cntl & TCP_WATCH_CNTL_VALID;
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

/* every granule that an access touches is looked at, as each is a request */
static bool access_matches(const struct comparator *cmp, u64 addr,
			   unsigned int width)
{
	u64 first = addr & GENMASK_ULL(SIM_VA_BITS - 1, 0);
	u64 last = first + width - 1;
	u64 granule = round_down(first, SIM_WATCH_GRANULE);

	for (; granule <= last; granule += SIM_WATCH_GRANULE)
		if ((granule & cmp->mask) == cmp->value)
			return true;
	return false;
}

static bool any_lane_matches(const struct comparator *cmp, unsigned int width,
			     u64 lanes, const u64 *addrs)
{
	for (; lanes; lanes &= lanes - 1)
		if (access_matches(cmp, addrs[__ffs64(lanes)], width))
			return true;
	return false;
}

/**
 * sim_watch_compare() - which comparators an instruction meets
 * @regs: register file
 * @vmid: of the wave
 * @kind: what the instruction does
 * @width: bytes a lane
 * @lanes: lanes that access
 * @addrs: where
 *
 * Return: bitmap of comparators.
 */
u32 sim_watch_compare(struct sim_regs *regs, u32 vmid, enum sim_access kind,
		      unsigned int width, u64 lanes, const u64 *addrs)
{
	struct comparator cmp[SIM_NR_WATCH];
	u32 hit = 0;
	int n;

	/*
	 * Reads as 0 in every slice that begins after a commit invalidated
	 * the comparators: pairs with the barriers of sim_cu_drain().
	 */
	if (!READ_ONCE(regs->valid[vmid]))
		return 0;
	scoped_guard(raw_spinlock_irqsave, &regs->lock)
		for (n = 0; n < SIM_NR_WATCH; n++)
			read_comparator(regs, vmid, n, &cmp[n]);
	for (n = 0; n < SIM_NR_WATCH; n++)
		if (cmp[n].valid && mode_has(cmp[n].mode, kind) &&
		    any_lane_matches(&cmp[n], width, lanes, addrs))
			hit |= BIT(n);
	return hit;
}
