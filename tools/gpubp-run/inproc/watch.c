// SPDX-License-Identifier: GPL-2.0
#include <linux/string.h>
#include <uapi/linux/gpubp.h>
#include "watch.h"

void inproc_watch_program(struct inproc_watch *watch, const struct gpubp_agent_program *program)
{
	unsigned int n;

	watch->program = *program;
	for (n = 0; n < INPROC_SLOTS; n++)
		watch->slot[n] = (struct inproc_slot) {
			.cmp = {
				.granule = INPROC_GRANULE,
				.value = program->slot[n].value,
				.mask = program->slot[n].mask,
				.mode = program->slot[n].mode,
			},
			.counts = {
				.header = { sizeof(struct gpubp_agent_counts),
					    GPUBP_AGENT_COUNTS },
				.seq = program->seq, .slot = n,
			},
		};
}

/* ---- an access ----------------------------------------------------------- */

static unsigned int access_of(enum sim_access kind)
{
	switch (kind) {
	case SIM_LOAD:
		return GPUBP_ACCESS_LOAD;
	case SIM_STORE:
		return GPUBP_ACCESS_STORE;
	default:
		return GPUBP_ACCESS_ATOMIC;
	}
}

static bool range_is_touched(const struct gpubp_agent_range *range,
			     const struct sim_request *req)
{
	u64 lanes, last = range->start + (range->len - 1);

	if (!(range->access & access_of(req->kind)))
		return false;
	for (lanes = req->lanes; lanes; lanes &= lanes - 1) {
		u64 addr = req->addrs[__builtin_ctzll(lanes)];

		if (addr <= last && range->start <= addr + (req->width - 1))
			return true;
	}
	return false;
}

static u32 ranges_touched(const struct gpubp_agent_slot *slot, const struct sim_request *req)
{
	u32 touched = 0;
	unsigned int i;

	for (i = 0; i < slot->nr_ranges; i++)
		if (range_is_touched(&slot->range[i], req))
			touched |= 1u << i;
	return touched;
}

void inproc_watch_compare(const struct inproc_watch *watch, const struct sim_request *req,
			  struct inproc_touch *touch)
{
	unsigned int n;

	for (n = 0; n < INPROC_SLOTS; n++) {
		if (!(watch->program.valid & 1u << n) ||
		    !sim_comparator_matches(&watch->slot[n].cmp, req))
			continue;
		touch->slots |= 1u << n;
		touch->ranges[n] |= ranges_touched(&watch->program.slot[n], req);
	}
}

/* ---- counting ------------------------------------------------------------ */

/* the counter of ranges that were touched; NULL: the hit is to be recorded */
static __u32 *counter_of(struct inproc_watch *watch, unsigned int n, u32 ranges)
{
	const struct gpubp_agent_slot *slot = &watch->program.slot[n];
	unsigned int i = __builtin_ctz(ranges);

	return ranges == 1u << i && slot->range[i].flags & GPUBP_AGENT_RANGE_COUNT ?
	       &watch->slot[n].counts.hits[i] : NULL;
}

u32 inproc_watch_decide(struct inproc_watch *watch, const struct inproc_touch *touch, bool known)
{
	u32 record = 0, strays = 0;
	unsigned int n;

	for (n = 0; n < INPROC_SLOTS; n++) {
		__u32 *counter = NULL;

		if (!(touch->slots & 1u << n))
			continue;
		if (known && watch->program.slot[n].nr_ranges && !touch->ranges[n]) {
			strays |= 1u << n;
			continue;
		}
		if (known && touch->ranges[n])
			counter = counter_of(watch, n, touch->ranges[n]);
		if (counter)
			++*counter;
		else
			record |= 1u << n;
	}
	/* an instruction is one hit, whatever number of blocks it has strayed into */
	if (strays == touch->slots)
		watch->slot[__builtin_ctz(strays)].counts.strays++;
	return record;
}

bool inproc_watch_take(struct inproc_watch *watch, unsigned int slot,
		       struct gpubp_agent_counts *counts)
{
	static const __u32 none[GPUBP_AGENT_RANGES];
	struct gpubp_agent_counts *from = &watch->slot[slot].counts;

	if (!from->strays && !memcmp(from->hits, none, sizeof(none)))
		return false;
	*counts = *from;
	from->strays = 0;
	memset(from->hits, 0, sizeof(from->hits));
	return true;
}
