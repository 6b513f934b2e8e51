// SPDX-License-Identifier: GPL-2.0
/*
 * Debugfs: /sys/kernel/debug/gpubp
 *
 *	events		every event: counts, opener, description, bindings, slots
 *	drain		longest time with interrupts off for samples
 *	jobs		longest time with the lock of events since the last read
 *	<device>/books	statistics of hits
 *	<device>/log	occupancy log: the last log_entries changes of slots
 *	<device>/state	holds, commits, quanta, watches, breaks that are patched in, XOL
 *			buffers, cells in use, pending contexts, precise points
 *			and their cost
 *	<device>/policy scheduling policy: fair or random; writable
 *	<device>/waves all waves, halted for a moment: registers, code, location
 *	<device>/users watches of each user, and service of its share
 *
 * Not an ABI. Files are for root only.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "core/core.h"
#include "debugfs.h"
#include "event/event.h"
#include "event/job.h"
#include "perf/perf.h"
#include "sched/sched.h"
#include "session/session.h"
#include "trap/trap.h"

static struct dentry *root;

static int events_show(struct seq_file *m, void *v)
{
	gpubp_events_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(events);

static int drain_show(struct seq_file *m, void *v)
{
	gpubp_drain_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(drain);

static int jobs_show(struct seq_file *m, void *v)
{
	gpubp_jobs_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(jobs);

static int books_show(struct seq_file *m, void *v)
{
	struct gpubp_device *dev = m->private;

	gpubp_handler_counts_wait(dev, HZ);
	gpubp_hits_wait(dev, HZ);
	gpubp_stats_show(&dev->stats, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(books);

static int state_show(struct seq_file *m, void *v)
{
	struct gpubp_device *dev = m->private;

	gpubp_cells_sync();
	seq_printf(m, "holds %u\n", READ_ONCE(dev->nr_holds));
	guard(mutex)(&dev->lock);
	seq_printf(m, "commits %lld\n", atomic64_read(&dev->nr_commits));
	gpubp_quanta_show(&dev->sched->quanta, m);
	seq_printf(m, "watches %u\n", dev->nr_watches);
	gpubp_traps_show(dev, m);
	seq_printf(m, "usable_slots 0x%x\n", gpubp_slots_usable(dev));
	seq_printf(m, "cells_in_use %u\n", gpubp_cells_in_use(dev));
	gpubp_trap_enable_show(dev, m);
	gpubp_throttle_show(dev, m);
	gpubp_covers_show(dev, m);
	gpubp_records_show(dev, m);
	gpubp_precise_show(dev, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int users_show(struct seq_file *m, void *v)
{
	gpubp_users_show(m->private, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(users);

static int policy_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%s\n", gpubp_sched_policy(m->private));
	return 0;
}

static ssize_t policy_write(struct file *file, const char __user *from,
			    size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	char name[16] = "";
	int err;

	if (count >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, from, count))
		return -EFAULT;
	err = gpubp_sched_set_policy(m->private, name);
	return err ?: count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(policy);

static const struct seq_operations log_sops = {
	.start	= gpubp_log_seq_start,
	.next	= gpubp_log_seq_next,
	.stop	= gpubp_log_seq_stop,
	.show	= gpubp_log_seq_show,
};
DEFINE_SEQ_ATTRIBUTE(log);

/** gpubp_debugfs_add_device() - create the files of a new device; may sleep */
void gpubp_debugfs_add_device(struct gpubp_device *dev)
{
	dev->debugfs = debugfs_create_dir(dev->name, root);
	debugfs_create_file("books", 0400, dev->debugfs, dev, &books_fops);
	debugfs_create_file("state", 0400, dev->debugfs, dev, &state_fops);
	debugfs_create_file("policy", 0600, dev->debugfs, dev, &policy_fops);
	debugfs_create_file("log", 0400, dev->debugfs, dev, &log_fops);
	debugfs_create_file("waves", 0400, dev->debugfs, dev,
			    &gpubp_waves_fops);
	debugfs_create_file("users", 0400, dev->debugfs, dev, &users_fops);
}

/** gpubp_debugfs_del_device() - remove them; waits for readers; may sleep */
void gpubp_debugfs_del_device(struct gpubp_device *dev)
{
	debugfs_remove_recursive(dev->debugfs);
}

/** gpubp_debugfs_init() - create the directory, before the first device */
void gpubp_debugfs_init(void)
{
	root = debugfs_create_dir("gpubp", NULL);
	debugfs_create_file("events", 0400, root, NULL, &events_fops);
	debugfs_create_file("drain", 0400, root, NULL, &drain_fops);
	debugfs_create_file("jobs", 0400, root, NULL, &jobs_fops);
}

/** gpubp_debugfs_exit() - remove the directory; no device is left */
void gpubp_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}
