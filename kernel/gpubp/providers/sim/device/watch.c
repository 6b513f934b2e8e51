// SPDX-License-Identifier: GPL-2.0
/* TCP_WATCH: comparison of vector memory accesses with the comparators. */
#include <linux/bitops.h>

#include "compare.h"
#include "device.h"
#include "watch.h"

/* decode the comparators that are valid for @vmid into @cmp */
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
 * sim_watch_compare() - which comparators does an instruction match?
 * @regs: register file
 * @vmid: VMID of the wave
 * @req: accesses of the instruction
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
	 * 0 in every slice that begins after a commit invalidated the
	 * comparators: pairs with the barriers of sim_cu_drain().
	 */
	if (!READ_ONCE(regs->valid[vmid]))
		return 0;
	bits = read_comparators(regs, vmid, cmp);
	for_each_set_bit(n, &bits, SIM_MAX_WATCH)
		if (sim_comparator_matches(&cmp[n], req))
			hit |= BIT(n);
	return hit;
}
