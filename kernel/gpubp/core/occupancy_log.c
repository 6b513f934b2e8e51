// SPDX-License-Identifier: GPL-2.0
/* Occupancy log: a ring of changes of what slots compare, and its seq_file. */
#include <kunit/visibility.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>

#include "context.h"
#include "device.h"
#include "occupancy_log.h"
#include "types.h"

#define MAX_ENTRIES	1048576U

/* some hundred quanta of four slots that all change */
static unsigned int log_entries = 4096;
module_param(log_entries, uint, 0644);
MODULE_PARM_DESC(log_entries, "number of recent changes of slots kept for debugfs, for devices registered later; 0 = none");

static u32 log_size_wanted(void)
{
	u32 nr = min(READ_ONCE(log_entries), MAX_ENTRIES);

	return nr ? roundup_pow_of_two(nr) : 0;
}

/** gpubp_log_init() - an empty log; 0 or -ENOMEM */
int gpubp_log_init(struct gpubp_log *log)
{
	log->nr = 0;
	log->size = log_size_wanted();
	log->changes = NULL;
	if (!log->size)
		return 0;
	log->changes = kvcalloc(log->size, sizeof(*log->changes),
				GFP_KERNEL_ACCOUNT);
	return log->changes ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_log_init);

/** gpubp_log_exit() - free a log; any context but NMI */
void gpubp_log_exit(struct gpubp_log *log)
{
	kvfree(log->changes);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_log_exit);

static struct gpubp_log_entry *log_entry_of(const struct gpubp_log *log, u64 nr)
{
	return &log->changes[nr & (log->size - 1)];
}

/**
 * gpubp_log_change() - log a change of the slots that compare a watch
 * @dev: device; its lock is held
 * @quantum: the quantum that begins
 * @w: watch
 * @slots: bitmap of the slots that compare it from now on, 0 none
 * @time: now, ns of CLOCK_MONOTONIC
 */
void gpubp_log_change(struct gpubp_device *dev, u64 quantum,
		      const struct gpubp_watch *w, u32 slots, u64 time)
{
	struct gpubp_log *log = &dev->log;

	lockdep_assert_held(&dev->lock);
	if (!log->size)
		return;
	*log_entry_of(log, ++log->nr) = (struct gpubp_log_entry) {
		.quantum = quantum,
		.time = time,
		.watch = w->id,
		.start = w->start,
		.last = w->last,
		.ctx = w->ctx->id,
		.slots = slots,
	};
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_log_change);

/** gpubp_log_oldest() - number of the oldest change in the ring */
u64 gpubp_log_oldest(const struct gpubp_log *log)
{
	return log->nr > log->size ? log->nr - log->size + 1 : 1;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_log_oldest);

/** gpubp_log_at() - change by number, NULL if it is not in the ring */
const struct gpubp_log_entry *gpubp_log_at(const struct gpubp_log *log, u64 nr)
{
	if (nr > log->nr || nr < gpubp_log_oldest(log))
		return NULL;
	return log_entry_of(log, nr);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_log_at);

/* ---- seq_file: position 0 is the title, the others are change numbers ---- */

/* changes may be added between two reads: skip those that were overwritten */
static void *log_seq_entry(struct gpubp_device *dev, loff_t *pos)
{
	if (*pos == 0)
		return SEQ_START_TOKEN;
	*pos = max_t(u64, *pos, gpubp_log_oldest(&dev->log));
	return (void *)gpubp_log_at(&dev->log, *pos);
}

/** gpubp_log_seq_start() - take the device lock, and begin at position *@pos */
void *gpubp_log_seq_start(struct seq_file *m, loff_t *pos)
{
	struct gpubp_device *dev = m->private;

	mutex_lock(&dev->lock);
	return log_seq_entry(dev, pos);
}

/** gpubp_log_seq_next() - the next change that is still in the ring, or NULL */
void *gpubp_log_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return log_seq_entry(m->private, pos);
}

/** gpubp_log_seq_stop() - release the device lock */
void gpubp_log_seq_stop(struct seq_file *m, void *v)
{
	struct gpubp_device *dev = m->private;

	mutex_unlock(&dev->lock);
}

/** gpubp_log_seq_show() - print a change, or the title; device lock held */
int gpubp_log_seq_show(struct seq_file *m, void *v)
{
	const struct gpubp_log_entry *change = v;

	if (v == SEQ_START_TOKEN)
		seq_puts(m, "# number quantum time_ns watch context start last slots\n");
	else
		seq_printf(m, "%llu %llu %llu %llu %u 0x%llx 0x%llx 0x%x\n",
			   (u64)m->index, change->quantum, change->time,
			   change->watch, change->ctx, change->start,
			   change->last, change->slots);
	return 0;
}
