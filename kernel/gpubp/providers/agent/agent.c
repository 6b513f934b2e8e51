// SPDX-License-Identifier: GPL-2.0
/*
 * An agent: joins with a device and a context for its process, has queues, and ends.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "agent.h"

static unsigned int user_agents = 32;
module_param(user_agents, uint, 0644);
MODULE_PARM_DESC(user_agents, "processes of a user that may have an agent at a time");

/* there are 255 devices, of which drivers need some; each has some 3 MiB */
static unsigned int max_agents = 128;
module_param(max_agents, uint, 0644);
MODULE_PARM_DESC(max_agents, "agents at a time, of all users");

static LIST_HEAD(agents);
static DEFINE_MUTEX(agents_lock);	/* those that have joined, or are about to */

static const struct gpubp_isa * const isas[] = {
	&gpubp_isa_gfx900, &gpubp_isa_gfx90a, &gpubp_isa_gfx942,
};

/* its file is at its end: no message is written any more */
static void agent_quiesce(void *dev)
{
}

static const struct gpubp_ops agent_ops = {
	.commit = agent_commit,
	.acquire = agent_acquire,
	.release = agent_release,
	.mem_rw = agent_mem_rw,
	.read_wave = agent_read_wave,
	.hit_done = agent_hit_done,
	.quiesce = agent_quiesce,
};

/** agent_create() - a file was opened; NULL without memory */
struct agent *agent_create(void)
{
	struct agent *a = kvzalloc(sizeof(*a), GFP_KERNEL_ACCOUNT);

	if (!a)
		return NULL;
	mutex_init(&a->lock);
	INIT_LIST_HEAD(&a->all);
	INIT_LIST_HEAD(&a->in_node);
	xa_init_flags(&a->queues, XA_FLAGS_ACCOUNT);
	agent_programs_init(a);
	agent_hits_init(a);
	return a;
}

/* ---- joining ------------------------------------------------------------- */

/* it is the name of a directory, too */
static bool text_is_valid(const char *text, size_t size)
{
	size_t len = strnlen(text, size), i;

	for (i = 0; i < len; i++)
		if (!isalnum(text[i]) && !strchr("-_", text[i]))
			return false;
	return len < size;
}

static bool join_comparators_are_valid(const struct gpubp_agent_join *join)
{
	return join->nr_slots && join->nr_slots <= GPUBP_AGENT_SLOTS &&
	       is_power_of_2(join->granule) && is_power_of_2(join->max_block) &&
	       join->max_block >= join->granule && join->va_bits >= 32 &&
	       join->va_bits <= 64 && !(join->modes & ~GENMASK(GPUBP_MODE_ALL, 0)) &&
	       join->modes & BIT(GPUBP_MODE_ALL);
}

static const struct gpubp_isa *isa_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(isas); i++)
		if (!strcmp(isas[i]->name, name))
			return isas[i];
	return NULL;
}

static int join_check(const struct gpubp_agent_join *join)
{
	if (!text_is_valid(join->isa, sizeof(join->isa)) ||
	    !text_is_valid(join->name, sizeof(join->name)) || !join->name[0] ||
	    join->flags & ~GPUBP_AGENT_PRECISE || !join_comparators_are_valid(join) ||
	    (join->isa[0] && !isa_find(join->isa)))
		return -EINVAL;
	/* a task without an address space: the kernel's own */
	return current->mm ? 0 : -EINVAL;
}

/* nothing stops a wave, and the kernel has no handler in it */
static void join_isa(struct agent *a, const char *name)
{
	a->has_isa = name[0];
	if (!a->has_isa)
		return;
	a->isa = *isa_find(name);
	a->isa.handler = NULL;
	a->isa.break_len = 0;
	a->isa.nr_trap_regs = 0;
}

static int join_charge(struct agent *a)
{
	unsigned int nr = 0, of_all = 0;
	struct agent *other;

	a->uid = gpubp_uid_of(current_cred());
	guard(mutex)(&agents_lock);
	list_for_each_entry(other, &agents, all) {
		nr += uid_eq(other->uid, a->uid);
		of_all++;
	}
	if (nr >= READ_ONCE(user_agents))
		return -EUSERS;
	if (of_all >= READ_ONCE(max_agents))
		return -ENOSPC;
	list_add_tail(&a->all, &agents);
	return 0;
}

static void join_uncharge(struct agent *a)
{
	guard(mutex)(&agents_lock);
	list_del_init(&a->all);
}

static int join_device(struct agent *a, const struct gpubp_agent_join *join)
{
	const struct gpubp_device_desc desc = {
		.name = a->name,
		.owner = THIS_MODULE,
		.isa = a->has_isa ? &a->isa : NULL,
		.caps = {
			.nr_slots = join->nr_slots,
			.usable_slots = GENMASK(join->nr_slots - 1, 0),
			.nr_waves = AGENT_MAX_HITS,
			.granule = join->granule,
			.max_block = join->max_block,
			.va_bits = join->va_bits,
			.modes = join->modes,
			.paths = GPUBP_PATH_VECTOR,
			.residency = GPUBP_RESIDENCY_FIRMWARE,
			.precise = join->flags & GPUBP_AGENT_PRECISE,
			.interrupts = true,
			.commit_preempts = true,
			.ranges = true,
			.stops = GPUBP_STOPS_NONE,
			.hit_fields = GPUBP_HITF_CTX | GPUBP_HITF_TIME |
				      GPUBP_HITF_PC | GPUBP_HITF_EXEC |
				      GPUBP_HITF_SLOTS |
				      (a->has_isa ? 0 : GPUBP_HITF_ADDR),
		},
		.ops = &agent_ops,
	};

	a->device = gpubp_device_register(&desc, a);
	return PTR_ERR_OR_ZERO(a->device);
}

static int join_ctx(struct agent *a)
{
	const struct gpubp_ctx_desc desc = { .pid = a->tgid };

	a->ctx = gpubp_ctx_create(a->device, a, &desc);
	return PTR_ERR_OR_ZERO(a->ctx);
}

/* the address space is at its end, and with it what was programmed for it */
static void agent_mm_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct agent *a = container_of(notifier, struct agent, notifier);

	WRITE_ONCE(a->dead, true);
	wake_up(&a->programs.acks);
	wake_up_interruptible(&a->programs.news);
	agent_node_leave(a);
}

static const struct mmu_notifier_ops agent_mm_ops = {
	.release = agent_mm_release,
};

static int join_process(struct agent *a)
{
	int err;

	a->notifier.ops = &agent_mm_ops;
	err = mmu_notifier_register(&a->notifier, current->mm);
	if (err)
		return err;
	a->mm = current->mm;
	mmgrab(a->mm);
	a->tgid = get_pid(task_tgid(current));
	return 0;
}

static void unjoin_process(struct agent *a)
{
	/* calls agent_mm_release(), if the end of the process has not */
	mmu_notifier_unregister(&a->notifier, a->mm);
	mmdrop(a->mm);
	put_pid(a->tgid);
}

static int join_do(struct agent *a, const struct gpubp_agent_join *join)
{
	static atomic_t serial = ATOMIC_INIT(0);
	int err;

	snprintf(a->name, sizeof(a->name), "%s.%u", join->name,
		 (u32)atomic_inc_return(&serial));
	a->nr_slots = join->nr_slots;
	join_isa(a, join->isa);
	err = agent_node_join(a, join->node_fd);
	if (err)
		return err;
	err = join_process(a);
	if (err) {
		agent_node_leave(a);
		return err;
	}
	err = join_device(a, join);
	if (err)
		goto unjoin;
	err = join_ctx(a);
	if (!err)
		return 0;
	gpubp_device_unregister(a->device);
unjoin:
	unjoin_process(a);
	return err;
}

/**
 * agent_join() - serve the calling process
 * @a: agent
 * @join: description; (out) device and context
 *
 * May sleep. Return: 0 or an errno as in <uapi/linux/gpubp_agent.h>. A file that could not
 * join may try again.
 */
int agent_join(struct agent *a, struct gpubp_agent_join *join)
{
	int err = join_check(join);

	if (err)
		return err;
	guard(mutex)(&a->lock);
	if (a->joined)
		return -EISCONN;
	a->dead = false;
	err = join_charge(a);
	if (err)
		return err;
	err = join_do(a, join);
	if (err) {
		join_uncharge(a);
		return err;
	}
	join->device = gpubp_device_number(a->device);
	join->context = gpubp_ctx_id(a->ctx);
	/* pairs with agent_check_caller() */
	smp_store_release(&a->joined, true);
	return 0;
}

/**
 * agent_check_caller() - is it the process that joined, which alone the agent speaks for
 * @a: agent
 *
 * Return: 0, -ENOTCONN, or -EPERM: another process, or the program that it executed since.
 */
int agent_check_caller(struct agent *a)
{
	/* pairs with agent_join() */
	if (!smp_load_acquire(&a->joined))
		return -ENOTCONN;
	return current->mm == a->mm && task_tgid(current) == a->tgid &&
	       !agent_is_dead(a) ? 0 : -EPERM;
}

/* ---- queues -------------------------------------------------------------- */

/* mark in agent.queues: gpubp_queue_wait_armed() has not been called for it yet */
#define QUEUE_HELD	XA_MARK_0

/* thread of the process that has the hits of a queue; referenced, or NULL */
static struct pid *queue_creator(const struct agent *a, u32 tid)
{
	struct pid *pid = tid ? find_get_pid(tid) : get_task_pid(current, PIDTYPE_PID);
	struct task_struct *task;
	bool own = false;

	if (!pid)
		return NULL;
	scoped_guard(rcu) {
		task = pid_task(pid, PIDTYPE_PID);
		own = task && task_tgid(task) == a->tgid;
	}
	if (own)
		return pid;
	put_pid(pid);
	return NULL;
}

static void queue_end(struct gpubp_queue *queue, bool held)
{
	gpubp_queue_destroy(queue);
	/* it was not used, and is not going to be */
	if (held)
		gpubp_queue_release(queue);
}

static int queue_add(struct agent *a, const struct gpubp_agent_queue *q,
		     struct pid *creator)
{
	const struct gpubp_queue_desc desc = {
		.creator = creator, .id = q->id, .doorbell = q->id,
		.held = q->flags & GPUBP_AGENT_QUEUE_HELD,
	};
	struct gpubp_queue *queue = gpubp_queue_create(a->ctx, &desc);
	int err;

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	err = xa_insert(&a->queues, q->id, queue, GFP_KERNEL_ACCOUNT);
	if (err) {
		queue_end(queue, desc.held);
		return err;
	}
	if (desc.held)
		xa_set_mark(&a->queues, q->id, QUEUE_HELD);
	a->nr_queues++;
	return 0;
}

/** agent_queue_create() - announce a queue; errno as in <uapi/linux/gpubp_agent.h> */
int agent_queue_create(struct agent *a, const struct gpubp_agent_queue *q)
{
	struct pid *creator;
	int err;

	if (q->id == GPUBP_AGENT_NO_QUEUE || q->reserved ||
	    q->flags & ~GPUBP_AGENT_QUEUE_HELD)
		return -EINVAL;
	guard(mutex)(&a->lock);
	if (xa_load(&a->queues, q->id))
		return -EEXIST;
	if (a->nr_queues == AGENT_MAX_QUEUES)
		return -ENOSPC;
	creator = queue_creator(a, q->tid);
	if (!creator)
		return -ESRCH;
	err = queue_add(a, q, creator);
	put_pid(creator);
	return err;
}

/** agent_queue_destroy() - its last hit has been written; 0 or -ENOENT */
int agent_queue_destroy(struct agent *a, const struct gpubp_agent_queue *q)
{
	struct gpubp_queue *queue;
	bool held;

	guard(mutex)(&a->lock);
	held = xa_get_mark(&a->queues, q->id, QUEUE_HELD);
	queue = xa_erase(&a->queues, q->id);
	if (!queue)
		return -ENOENT;
	a->nr_queues--;
	queue_end(queue, held);
	return 0;
}

/**
 * agent_queue_wait_armed() - a queue is about to be used
 * @a: agent
 * @q: the queue's number
 *
 * May sleep, without a lock. Return: errno as in <uapi/linux/gpubp_agent.h>.
 */
int agent_queue_wait_armed(struct agent *a, const struct gpubp_agent_queue *q)
{
	struct gpubp_queue *queue;
	bool held;

	scoped_guard(mutex, &a->lock) {
		queue = xa_load(&a->queues, q->id);
		held = xa_get_mark(&a->queues, q->id, QUEUE_HELD);
		xa_clear_mark(&a->queues, q->id, QUEUE_HELD);
	}
	if (!queue)
		return -ENOENT;
	/* the core has a reference to a queue that is held, which may be destroyed in this time */
	return held ? gpubp_queue_wait_armed(queue) : gpubp_ctx_wait_armed(a->ctx);
}

/* ---- the end ------------------------------------------------------------- */

/** agent_destroy() - the file is at its end */
void agent_destroy(struct agent *a)
{
	struct gpubp_queue *queue;
	unsigned long id;

	if (a->joined) {
		unjoin_process(a);
		xa_for_each(&a->queues, id, queue)
			queue_end(queue, xa_get_mark(&a->queues, id, QUEUE_HELD));
		gpubp_ctx_destroy(a->ctx);
		gpubp_device_unregister(a->device);
		join_uncharge(a);
	}
	agent_programs_destroy(a);
	xa_destroy(&a->queues);
	kvfree(a);
}

static void agent_show(struct agent *a, struct seq_file *m)
{
	u64 nr_hits, nr_lost, nr_counted, nr_strays;
	u32 armed;
	bool late;

	scoped_guard(spinlock, &a->programs.lock) {
		armed = a->programs.armed.msg.valid;
		late = a->programs.late;
	}
	scoped_guard(spinlock, &a->hits.lock) {
		nr_hits = a->hits.nr_reported;
		nr_lost = a->hits.nr_lost;
		nr_counted = a->hits.nr_counted;
		nr_strays = a->hits.nr_strays;
	}
	seq_printf(m, "device %u %s pid %d uid %u%s%s%s granted %#x held %#x armed %#x hits %llu lost %llu counted %llu strays %llu\n",
		   gpubp_device_number(a->device), a->name, pid_nr(a->tgid),
		   from_kuid(&init_user_ns, a->uid), agent_is_dead(a) ? " dead" : "",
		   late ? " late" : "", READ_ONCE(a->paused) ? " paused" : "",
		   READ_ONCE(a->granted), READ_ONCE(a->held), armed,
		   nr_hits, nr_lost, nr_counted, nr_strays);
}

/** agent_show_all() - a line for each agent, for root */
void agent_show_all(struct seq_file *m)
{
	struct agent *a;

	guard(mutex)(&agents_lock);
	list_for_each_entry(a, &agents, all)
		/* pairs with agent_join() */
		if (smp_load_acquire(&a->joined))
			agent_show(a, m);
}
