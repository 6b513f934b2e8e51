/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Break scheduler: choose which breaks of a context have a trap slot in a
 * quantum. A trap slot is a patch and a XOL buffer in the context's memory.
 *
 * While there are slots for all breaks, all are chosen. Otherwise pinned breaks
 * are chosen first, and the others rotate: users share the rest of the slots by
 * fair queueing, and the breaks of a user follow each other in an order that is
 * drawn anew for each epoch.
 */
#ifndef _GPUBP_TRAP_BREAK_SCHED_H
#define _GPUBP_TRAP_BREAK_SCHED_H

#include <linux/list.h>
#include <linux/types.h>

#include "../lib/fairq.h"

struct gpubp_ctx;
struct gpubp_trap_point;
struct gpubp_user;

/**
 * struct gpubp_break_flow - flow of one user in a context's fair queue of
 *	breaks
 * @node: in gpubp_trap_ctx.break_flows
 * @flow: flow in gpubp_trap_ctx.fairq
 * @user: the user, compared only: no reference
 * @nr: breaks of the user in this context; freed when it drops to 0
 */
struct gpubp_break_flow {
	struct list_head node;
	struct gpubp_fairq_flow flow;
	const struct gpubp_user *user;
	unsigned int nr;
};

void gpubp_break_sched_init(struct gpubp_ctx *ctx);
int gpubp_break_sched_add(struct gpubp_trap_point *trap);
void gpubp_break_sched_remove(struct gpubp_trap_point *trap);
bool gpubp_break_sched_choose(struct gpubp_ctx *ctx, unsigned int nr_slots);

#endif /* _GPUBP_TRAP_BREAK_SCHED_H */
