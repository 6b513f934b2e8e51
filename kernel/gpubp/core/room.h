/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room in memory cgroups: what is allocated for watches under shared locks.
 *
 * Reclaim may take seconds, and no other user may wait for it. So under
 * gpubp_events_lock, a device lock, or a lock that is taken inside of them,
 * memory is allocated with GPUBP_GFP_LOCKED and never reclaimed. When such an
 * allocation fails, gpubp_room_short() has room made for that memory cgroup
 * alone: a worker that holds no lock has its page cache reclaimed, and then has
 * the cgroup's bindings retried. It never invokes the OOM killer.
 *
 * Nor may what is bound fill a memory cgroup up to its limit, as the next page
 * fault of a task in it would invoke the OOM killer: gpubp_room_left() is false
 * before.
 */
#ifndef _GPUBP_CORE_ROOM_H
#define _GPUBP_CORE_ROOM_H

#include <linux/gfp.h>
#include <linux/types.h>

struct mem_cgroup;

#define GPUBP_GFP_LOCKED	(GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT)

/*
 * for what a call of the user needs at once, no shared lock held: it returns
 * -ENOMEM where other allocations would invoke the OOM killer
 */
#define GPUBP_GFP_USER		(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | \
				 __GFP_NOWARN)

bool gpubp_room_left(struct mem_cgroup *memcg);
bool gpubp_room_short(struct mem_cgroup *memcg);
bool gpubp_room_wait(unsigned long limit);
void gpubp_room_set_on_made(void (*fn)(struct mem_cgroup *memcg));
int gpubp_room_init(void);
void gpubp_room_exit(void);

#endif /* _GPUBP_CORE_ROOM_H */
