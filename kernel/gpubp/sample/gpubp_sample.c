// SPDX-License-Identifier: GPL-2.0
/*
 * Sample module that watches GPU memory, as
 * samples/hw_breakpoint/data_breakpoint.c of the kernel watches CPU memory.
 *
 * usage: insmod gpubp_sample.ko pid=PID addr=ADDR [len=BYTES] [access=LSA]
 *				 [count=N] [pinned=no]
 *
 * Prints which task accessed [addr, addr + len), and at which instruction.
 * After count hits the watch unregisters itself.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/gpubp.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/sched/task.h>
#include <uapi/linux/gpubp.h>

static int pid;
module_param(pid, int, 0444);
MODULE_PARM_DESC(pid, "thread to watch, default 0: every process");

static u64 addr;
module_param(addr, ullong, 0444);
MODULE_PARM_DESC(addr, "first GPU virtual address");

static u64 len = 4;
module_param(len, ullong, 0444);
MODULE_PARM_DESC(len, "length in bytes, default 4");

static u32 access;
module_param(access, uint, 0444);
MODULE_PARM_DESC(access, "1 loads + 2 stores + 4 atomics, default 6");

static bool pinned = true;
module_param(pinned, bool, 0444);
MODULE_PARM_DESC(pinned, "reserve a comparator, default yes");

static unsigned int count;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "unregister after so many hits, default 0: never");

static unsigned int nr_hits;	/* callbacks of one watch are serialised */
static struct gpubp_consumer *watch;

static void print_hit(const struct gpubp_watch_hit *hit)
{
	const struct gpubp_hit_record *rec = hit->record;

	pr_info_ratelimited("gpubp_sample: pid %d tid %d pc 0x%llx addr 0x%llx access %u hit %u\n",
			    hit->pid, hit->tid, rec->pc, rec->addr, rec->access,
			    nr_hits);
}

/* xchg() decides whether the callback or module exit unregisters the watch */
static void on_hit(struct gpubp_consumer *consumer,
		   const struct gpubp_watch_hit *hit, void *data)
{
	nr_hits++;
	print_hit(hit);
	if (count && nr_hits >= count && xchg(&watch, NULL))
		gpubp_unregister_watch(consumer);
}

static struct task_struct *find_target(void)
{
	struct task_struct *task;
	struct pid *p = find_get_pid(pid);

	task = get_pid_task(p, PIDTYPE_PID);
	put_pid(p);
	return task;
}

static struct gpubp_consumer *watch_of(struct perf_event_attr *attr)
{
	struct gpubp_consumer *consumer;
	struct task_struct *task = NULL;

	if (pid) {
		task = find_target();
		if (!task)
			return ERR_PTR(-ESRCH);
	}
	consumer = gpubp_register_watch(task, attr, on_hit, NULL);
	if (task)
		put_task_struct(task);
	return consumer;
}

/* register disabled: the callback must not run before the pointer is set */
static int __init gpubp_sample_init(void)
{
	struct gpubp_consumer *consumer;
	struct perf_event_attr attr;
	int err;

	gpubp_watch_attr_init(&attr, addr, len, access);
	attr.pinned = pinned;
	attr.disabled = 1;
	consumer = watch_of(&attr);
	if (IS_ERR(consumer)) {
		pr_err("gpubp_sample: not registered: %ld\n",
		       PTR_ERR(consumer));
		return PTR_ERR(consumer);
	}
	watch = consumer;
	attr.disabled = 0;
	err = gpubp_modify_watch(consumer, &attr);
	if (err)
		gpubp_unregister_watch(consumer);
	return err;
}

static void __exit gpubp_sample_exit(void)
{
	struct gpubp_consumer *consumer = xchg(&watch, NULL);

	if (consumer)
		gpubp_unregister_watch(consumer);
	gpubp_unregister_barrier();
	pr_info("gpubp_sample: %u hits\n", nr_hits);
}

module_init(gpubp_sample_init);
module_exit(gpubp_sample_exit);
MODULE_DESCRIPTION("gpubp: sample kernel consumer");
MODULE_LICENSE("GPL");
MODULE_VERSION(GPUBP_VERSION);
