/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Occupancy log: a ring of the last changes of a device's slots: which watch
 * was in which slots from when on. From it the waiting times of watches can be
 * computed.
 */
#ifndef _GPUBP_CORE_OCCUPANCY_LOG_H
#define _GPUBP_CORE_OCCUPANCY_LOG_H

#include <linux/types.h>

struct gpubp_device;
struct gpubp_watch;
struct seq_file;

/**
 * struct gpubp_log_entry - a change of the slots that compare a watch
 * @quantum: number of the device's quantum that begins with it
 * @time: ns of CLOCK_MONOTONIC
 * @watch: id of the watch
 * @start: its first address
 * @last: its last address
 * @ctx: id of its context
 * @slots: bitmap of the slots that compare it from now on; 0 none
 */
struct gpubp_log_entry {
	u64 quantum;
	u64 time;
	u64 watch;
	u64 start;
	u64 last;
	u32 ctx;
	u32 slots;
};

/**
 * struct gpubp_log - a ring of the last changes; under gpubp_device.lock
 * @changes: the ring
 * @size: entries in it, a power of two; 0 for no log
 * @nr: changes so far; change n, from 1, is or was at n modulo @size
 */
struct gpubp_log {
	struct gpubp_log_entry *changes;
	u32 size;
	u64 nr;
};

int gpubp_log_init(struct gpubp_log *log);
void gpubp_log_exit(struct gpubp_log *log);
void gpubp_log_change(struct gpubp_device *dev, u64 quantum,
		      const struct gpubp_watch *w, u32 slots, u64 time);
u64 gpubp_log_oldest(const struct gpubp_log *log);
const struct gpubp_log_entry *gpubp_log_at(const struct gpubp_log *log, u64 nr);

void *gpubp_log_seq_start(struct seq_file *m, loff_t *pos);
void *gpubp_log_seq_next(struct seq_file *m, void *v, loff_t *pos);
void gpubp_log_seq_stop(struct seq_file *m, void *v);
int gpubp_log_seq_show(struct seq_file *m, void *v);

#endif /* _GPUBP_CORE_OCCUPANCY_LOG_H */
