// SPDX-License-Identifier: GPL-2.0
/* What its waves do: they store, and comparators compare that. */
#include <linux/gpubp.h>
#include "agentgpu.h"

/* does a word at @addr meet the block of a comparator */
static bool slot_hits(const struct gpubp_agent_slot *slot, uint64_t addr)
{
	uint64_t first = addr & slot->mask, last = (addr + 3) & slot->mask;

	return slot->mode & 1 && (first == slot->value || last == slot->value);
}

static bool range_hits(const struct gpubp_agent_range *range, uint64_t addr)
{
	return range->access & GPUBP_ACCESS_STORE && addr + 3 >= range->start &&
	       addr <= range->start + (range->len - 1);
}

/**
 * struct touched - what a wave's store touches of a comparator
 * @block: what it compares
 * @ranges: bitmap of its ranges
 */
struct touched {
	bool block;
	uint32_t ranges;
};

static struct touched store_touches(const struct gpubp_agent_slot *slot, uint64_t exec,
				    const uint64_t addr[64])
{
	struct touched touched = { };
	unsigned int lane, i;

	for (lane = 0; lane < 64; lane++) {
		if (!(exec >> lane & 1) || !slot_hits(slot, addr[lane]))
			continue;
		touched.block = true;
		for (i = 0; i < slot->nr_ranges; i++)
			if (range_hits(&slot->range[i], addr[lane]))
				touched.ranges |= 1 << i;
	}
	return touched;
}

static bool may_count(const struct gpubp_agent_slot *slot, uint32_t ranges)
{
	return __builtin_popcount(ranges) == 1 &&
	       slot->range[__builtin_ctz(ranges)].flags & GPUBP_AGENT_RANGE_COUNT;
}

/* bitmap of comparators of which the hit is to be written; *hits: also of counted ones */
static uint32_t store_slots(struct agentgpu *gpu, uint64_t exec, const uint64_t addr[64],
			    uint32_t *hits)
{
	uint32_t slots = 0;
	unsigned int n;

	*hits = 0;
	for (n = 0; n < GPUBP_AGENT_SLOTS; n++) {
		const struct gpubp_agent_slot *slot = &gpu->prog.slot[n];
		struct touched touched;

		if (!(gpu->prog.valid & 1 << n))
			continue;
		touched = store_touches(slot, exec, addr);
		if (!touched.block)
			continue;
		*hits |= 1 << n;
		if (!slot->nr_ranges) {
			slots |= 1 << n;
		} else if (!touched.ranges) {
			gpu->counts[n].strays++;
			*hits &= ~(1 << n);
		} else if (may_count(slot, touched.ranges)) {
			gpu->counts[n].hits[__builtin_ctz(touched.ranges)]++;
		} else {
			slots |= 1 << n;
		}
	}
	return slots;
}

static int store(struct agentgpu *gpu, uint64_t exec, const uint64_t addr[64],
		 const uint32_t value[64])
{
	uint32_t hits, slots = store_slots(gpu, exec, addr, &hits);
	unsigned int lane;

	for (lane = 0; lane < 64; lane++)
		if (exec >> lane & 1)
			*(uint32_t *)(uintptr_t)addr[lane] = value[lane] + gpu->behind;
	return slots ? agentgpu_hit(gpu, exec, addr, value, slots) ?: 1 : !!hits;
}

int agentgpu_store(struct agentgpu *gpu, uint64_t exec, const uint64_t addr[64],
		   const uint32_t value[64])
{
	int ret = gpu->waited ? 0 : agentgpu_wait(gpu);

	if (ret)
		return ret;
	pthread_mutex_lock(&gpu->lock);
	ret = store(gpu, exec, addr, value);
	pthread_mutex_unlock(&gpu->lock);
	return ret;
}

int agentgpu_store_one(struct agentgpu *gpu, uint32_t *addr, uint32_t value)
{
	uint64_t addrs[64] = { (uintptr_t)addr };
	uint32_t values[64] = { value };

	return agentgpu_store(gpu, 1, addrs, values);
}
