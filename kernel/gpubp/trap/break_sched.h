/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Roster: which breaks of a context have its trap slots in a quantum. A trap
 * slot is a patched place and a buffer of the context's own.
 *
 * While there are slots for all, all have one. Else those that are pinned have
 * theirs, and the others take turns: users share what is left evenly, and the
 * breaks of each user come one after another, in an order that is drawn anew for
 * every round.
 */
#ifndef _GPUBP_TRAP_BREAK_SCHED_H
#define _GPUBP_TRAP_BREAK_SCHED_H

#include <linux/list.h>
#include <linux/types.h>

#include "../lib/fairq.h"

struct gpubp_ctx;
struct gpubp_trap;
struct gpubp_user;

/**
 * struct gpubp_break_flow - what one user wants of a context's slots
 * @node: in gpubp_trap_ctx.break_flows
 * @flow: its flow in the fair queue
 * @user: whose; only compared
 * @nr: breaks
 */
struct gpubp_break_flow {
	struct list_head node;
	struct gpubp_fairq_flow flow;
	const struct gpubp_user *user;
	unsigned int nr;
};

void gpubp_break_sched_init(struct gpubp_ctx *ctx);
int gpubp_break_sched_add(struct gpubp_trap *trap);
void gpubp_break_sched_remove(struct gpubp_trap *trap);
bool gpubp_break_sched_choose(struct gpubp_ctx *ctx, unsigned int nr_slots);

#endif /* _GPUBP_TRAP_BREAK_SCHED_H */
