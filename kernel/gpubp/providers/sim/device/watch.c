// SPDX-License-Identifier: GPL-2.0
/* TCP_WATCH: compares the accesses of vector memory with the comparators. */
#include <linux/bitops.h>

#include "compare.h"
#include "device.h"
#include "watch.h"

/* comparators valid for @vmid, taken apart into @cmp */
static u32 read_comparators(struct sim_regs *regs, u32 vmid,
			    struct sim_comparator *cmp)
{
	unsigned long bits;
	unsigned int n;

	guard(raw_spinlock_irqsave)(&regs->lock);
	bits = regs->valid[vmid];
	for_each_set_bit(n, &bits, SIM_MAX_WATCH)
		sim_comparator_read(&cmp[n], regs->config->granule,
				    regs->addr_h[n], regs->addr_l[n],
				    sim_regs_cntl(regs, vmid, n));
	return bits;
}

/**
 * sim_watch_compare() - which comparators an instruction meets
 * @regs: register file
 * @vmid: of the wave
 * @req: what the instruction does
 *
 * Return: bitmap of comparators.
 */
u32 sim_watch_compare(struct sim_regs *regs, u32 vmid,
		      const struct sim_request *req)
{
	struct sim_comparator cmp[SIM_MAX_WATCH];
	unsigned long bits;
	unsigned int n;
	u32 hit = 0;

	/*
	 * Reads as 0 in every slice that begins after a commit invalidated
	 * the comparators: pairs with the barriers of sim_cu_drain().
	 */
	if (!READ_ONCE(regs->valid[vmid]))
		return 0;
	bits = read_comparators(regs, vmid, cmp);
	for_each_set_bit(n, &bits, SIM_MAX_WATCH)
		if (sim_comparator_matches(&cmp[n], req))
			hit |= BIT(n);
	return hit;
}
