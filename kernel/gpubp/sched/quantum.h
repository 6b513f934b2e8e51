/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Quanta: when they end, and how long they were.
 *
 * A quantum is the time between the starts of two runs of a device's worker
 * while watches rotate. Its length is drawn at random around a mean. The mean
 * is quantum_us, or longer if commits would else take more than
 * max_overhead_percent of the time.
 */
#ifndef _GPUBP_SCHED_QUANTUM_H
#define _GPUBP_SCHED_QUANTUM_H

#include <linux/types.h>

struct seq_file;

/**
 * struct gpubp_quanta - a device's quanta; times in ns; written by its worker
 * @began: start of the running quantum, 0: watches do not rotate
 * @wanted: mean that the parameters ask for, without the cost of commits
 * @target: mean from which the running quantum's length was drawn
 * @mean: measured mean length of about the last 64 quanta
 * @nr: number of quanta in @mean, at most 64
 */
struct gpubp_quanta {
	u64 began;
	u64 wanted;
	u64 target;
	u64 mean;
	unsigned int nr;
};

u64 gpubp_quantum_mean(u64 wanted, u64 cost, unsigned int percent);
u64 gpubp_quantum_end(u64 due, u64 began, u64 mean, u64 length);
void gpubp_quanta_end_one(struct gpubp_quanta *quanta, u64 now);
void gpubp_quanta_show(const struct gpubp_quanta *quanta, struct seq_file *m);

#endif /* _GPUBP_SCHED_QUANTUM_H */
