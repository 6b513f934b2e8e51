/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slow: a GPU whose firmware programs comparators. A commit takes long and
 * preempts the queues, some slots fail now and then, and other debuggers take
 * and return slots. Its hits report pc and slots.
 */
#ifndef _GPUBP_SLOW_H
#define _GPUBP_SLOW_H

#include <linux/workqueue.h>

#include "../toy/toy.h"

#define SLOW_SLOTS	4

/**
 * struct slow - the GPU
 * @toy: the toy GPU that it is built on
 * @random: state of the pseudo-random failures
 * @failing: slots that always fail
 * @wanted: slots that the core acquired, granted or not
 * @lost: slots that another user of the GPU has
 * @failed: slots that failed since @repair last ran
 * @repair: makes @failed slots work again
 * @committing: a commit is in progress
 * @nr_matched: matches of each slot since it was programmed (TOY_FAULT_TIRED)
 */
struct slow {
	struct toy_gpu toy;
	u32 random;
	u32 failing;
	u32 wanted;
	u32 lost;
	u32 failed;
	struct delayed_work repair;
	atomic_t committing;
	unsigned int nr_matched[SLOW_SLOTS];
};

extern struct slow gpubp_slow;
extern unsigned int slow_commit_ms;
extern unsigned int slow_fail_percent;

/* commit.c */
void slow_commit(void *priv, const struct gpubp_program *prog,
		 struct gpubp_commit_result *res);
u32 slow_matches(struct toy_ctx *ctx, u64 va, const struct toy_insn *insn);

/* slots.c */
int slow_acquire(void *priv, u32 slots);
void slow_release(void *priv, u32 slots);
u32 slow_lost(const struct slow *s);
int slow_try_slot(struct slow *s, unsigned int slot);
void slow_repair(struct work_struct *work);
void slow_quiesce(void *priv);
void slow_lose(u32 slots);
void slow_give_back(u32 slots);
void slow_fail(u32 slots);

#endif /* _GPUBP_SLOW_H */
