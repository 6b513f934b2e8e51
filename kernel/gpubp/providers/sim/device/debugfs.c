// SPDX-License-Identifier: GPL-2.0
/* debugfs files: registers, counters, waves. */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "ctx.h"
#include "cu.h"
#include "debugfs.h"
#include "device.h"
#include "mmio.h"
#include "reset.h"
#include "save.h"

static const char * const stat_names[] = {
	[SIM_STAT_RAISED]	= "raised",
	[SIM_STAT_LOST]		= "lost",
	[SIM_STAT_SWEPT]	= "swept",
	[SIM_STAT_OVERFLOWS]	= "overflows",
	[SIM_STAT_USER_MSGS]	= "user_msgs",
	[SIM_STAT_OTHER_MSGS]	= "other_msgs",
	[SIM_STAT_RELEASED]	= "released",
	[SIM_STAT_MATCHES]	= "matches",
	[SIM_STAT_DISPATCHES]	= "dispatches",
	[SIM_STAT_GROUPS]	= "groups",
	[SIM_STAT_WAVES]	= "waves",
	[SIM_STAT_FAULTS]	= "faults",
	[SIM_STAT_COMMITS]	= "commits",
	[SIM_STAT_UNDRAINED]	= "undrained",
	[SIM_STAT_VMID_MAPS]	= "vmid_maps",
	[SIM_STAT_RESETS]	= "resets",
	[SIM_STAT_SAVES]	= "saves",
	[SIM_STAT_RESTORES]	= "restores",
	[SIM_STAT_STEPS]	= "steps",
	[SIM_STAT_CTX_RESETS]	= "ctx_resets",
};

static_assert(ARRAY_SIZE(stat_names) == SIM_NR_STATS);

static void show_work(struct seq_file *m, const struct sim_device *dev)
{
	u64 insts = 0, slices = 0;
	unsigned int i;

	for (i = 0; i < dev->nr_cus; i++) {
		insts += READ_ONCE(dev->cu[i]->nr_insts);
		slices += READ_ONCE(dev->cu[i]->slices) / 2;
	}
	seq_printf(m, "instructions %llu\nslices %llu\n", insts, slices);
}

static int counters_show(struct seq_file *m, void *unused)
{
	struct sim_device *dev = m->private;
	int i;

	for (i = 0; i < SIM_NR_STATS; i++)
		seq_printf(m, "%s %lld\n", stat_names[i],
			   atomic64_read(&dev->stats[i]));
	show_work(m, dev);
	seq_printf(m, "longest_stop_us %lld\n",
		   div_s64(atomic64_read(&dev->longest_stop), NSEC_PER_USEC));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

static void show_addresses(struct seq_file *m, struct sim_device *dev)
{
	int n;

	for (n = 0; n < dev->config.nr_watch; n++)
		seq_printf(m, "TCP_WATCH%d_ADDR %04x%08x\n", n,
			   sim_rreg(dev, sim_reg_watch_addr_h(n)),
			   sim_rreg(dev, sim_reg_watch_addr_l(n)));
}

static void show_bank(struct seq_file *m, struct sim_device *dev, u32 vmid)
{
	struct sim_bank bank;
	int n;

	sim_bank_read(dev, vmid, &bank);
	seq_printf(m, "VMID %u TBA %012llx TMA %012llx PER_VMID_CNTL %08x SQ_DEBUG %08x TCP_WATCH_CNTL",
		   vmid, sim_bank_tba(&bank), sim_bank_tma(&bank),
		   bank.per_vmid_cntl, bank.debug);
	for (n = 0; n < dev->config.nr_watch; n++)
		seq_printf(m, " %08x", bank.watch_cntl[n]);
	seq_putc(m, '\n');
}

static int registers_show(struct seq_file *m, void *unused)
{
	struct sim_device *dev = m->private;
	u32 vmid;

	show_addresses(m, dev);
	for (vmid = 0; vmid < SIM_NR_VMIDS; vmid++)
		show_bank(m, dev, vmid);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

static const char * const state_names[] = {
	[SIM_SLOT_FREE]		= "free",
	[SIM_SLOT_READY]	= "ready",
	[SIM_SLOT_RUNNING]	= "running",
	[SIM_SLOT_HALTED]	= "halted",
	[SIM_SLOT_BARRIER]	= "barrier",
};

static void show_slot(struct seq_file *m, struct sim_slot *slot)
{
	enum sim_slot_state state;
	u32 status, hw_id;
	u64 pc;

	scoped_guard(raw_spinlock_irqsave, &slot->cu->lock) {
		state = slot->state;
		hw_id = slot->wave.hw_id;
		/* racy: a running wave may change it; any value will do */
		status = data_race(slot->wave.status);
		/* likewise */
		pc = data_race(slot->wave.pc);
	}
	if (state != SIM_SLOT_FREE)
		seq_printf(m, "cu %u simd %u wave %u vmid %u pc %012llx status %08x %s\n",
			   slot->cu->nr, slot->simd, slot->nr,
			   HW_ID_VMID(hw_id), pc, status, state_names[state]);
}

static int waves_show(struct seq_file *m, void *unused)
{
	struct sim_device *dev = m->private;
	unsigned int i;

	for (i = 0; i < sim_device_nr_slots(dev); i++)
		show_slot(m, sim_slot_at(dev, i));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(waves);

static ssize_t reset_write(struct file *file, const char __user *buf,
			   size_t len, loff_t *pos)
{
	sim_reset(file->private_data, "by root");
	return len;
}

static const struct file_operations reset_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= reset_write,
};

static int planted_show(struct seq_file *m, void *unused)
{
	struct sim_device *dev = m->private;
	struct sim_faults *faults = &dev->faults;
	int i;

	for (i = 0; i < SIM_NR_FAULTS; i++)
		seq_printf(m, "%s %u of %u\n", sim_fault_names[i],
			   (u32)atomic_read(&faults->planted[i]),
			   (u32)atomic_read(&faults->seen[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(planted);

static void add_faults(struct sim_device *dev)
{
	struct dentry *dir = debugfs_create_dir("faults", dev->debugfs);
	int i;

	for (i = 0; i < SIM_NR_FAULTS; i++)
		debugfs_create_u32(sim_fault_names[i], 0600, dir,
				   &dev->faults.every[i]);
	debugfs_create_file("planted", 0400, dir, dev, &planted_fops);
}

static int taken_get(void *data, u64 *slots)
{
	struct sim_device *dev = data;

	*slots = READ_ONCE(dev->taken);
	return 0;
}

/* simulate another debugger that takes and returns comparators */
static int taken_set(void *data, u64 slots)
{
	struct sim_device *dev = data;
	u32 old;

	if (slots >> dev->config.nr_watch)
		return -EINVAL;
	old = xchg(&dev->taken, slots);
	gpubp_slots_lost(dev->core, slots & ~old);
	gpubp_slots_returned(dev->core, old & ~slots);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(taken_fops, taken_get, taken_set, "0x%llx\n");

static unsigned int nr_saved(struct sim_ctx *ctx)
{
	struct list_head *pos;
	unsigned int n = 0;

	list_for_each(pos, &ctx->saved)
		n++;
	return n;
}

static void show_context(struct seq_file *m, struct sim_ctx *ctx)
{
	unsigned int can_run, recount;

	scoped_guard(raw_spinlock_irqsave, &ctx->dev->sq_lock) {
		can_run = ctx->nr_can_run;
		recount = sim_saved_recount(ctx);
	}
	seq_printf(m, "context %u pasid %u vmid %u maps %llu vmid_ns %llu groups %u saved %u can_run %u of %u%s%s\n",
		   gpubp_ctx_id(ctx->core), ctx->pasid, ctx->vmid,
		   ctx->nr_maps, sim_vmid_ns(ctx), ctx->nr_groups,
		   nr_saved(ctx), can_run, recount,
		   ctx->evicting ? " leaving" : "",
		   ctx->suspended ? " suspended" : "");
}

static int contexts_show(struct seq_file *m, void *unused)
{
	struct sim_device *dev = m->private;
	struct sim_ctx *ctx;

	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		show_context(m, ctx);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(contexts);

/** sim_debugfs_add() - add the directory of a device */
void sim_debugfs_add(struct sim_device *dev)
{
	dev->debugfs = debugfs_create_dir(dev->name, NULL);
	debugfs_create_file("registers", 0400, dev->debugfs, dev,
			    &registers_fops);
	debugfs_create_file("counters", 0400, dev->debugfs, dev,
			    &counters_fops);
	debugfs_create_file("contexts", 0400, dev->debugfs, dev,
			    &contexts_fops);
	debugfs_create_file("waves", 0400, dev->debugfs, dev, &waves_fops);
	debugfs_create_file_unsafe("taken", 0600, dev->debugfs, dev,
				   &taken_fops);
	debugfs_create_file("reset", 0200, dev->debugfs, dev, &reset_fops);
	add_faults(dev);
	sim_mmio_debugfs_add(dev, dev->debugfs);
}

/** sim_debugfs_del() - remove it; no reader is left on return */
void sim_debugfs_del(struct sim_device *dev)
{
	debugfs_remove_recursive(dev->debugfs);
}
