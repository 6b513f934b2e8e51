// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes: GPUs whose comparators agents of several processes program.
 *
 * Each gets its share of them; agents that are too many take turns. A comparator moves
 * in two steps: the core withdraws it from one agent, and when that has acknowledged a
 * program without it, another one is given it. One whose agent does not answer is not
 * given to another: maybe it still compares.
 */
#include <linux/cleanup.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "agent.h"

static unsigned int turn_ms = 400;
module_param(turn_ms, uint, 0644);
MODULE_PARM_DESC(turn_ms, "how long a process keeps a comparator of a GPU that others wait for, ms");

/**
 * struct agent_node - a GPU
 * @node: in nodes
 * @rdev: its character device
 * @agents: who programs its comparators, next ones to get more first
 * @owner: who may program a comparator, by number
 * @turn: gives comparators to others
 */
struct agent_node {
	struct list_head node;
	dev_t rdev;
	struct list_head agents;
	struct agent *owner[GPUBP_AGENT_SLOTS];
	struct delayed_work turn;
};

static LIST_HEAD(nodes);
static DEFINE_MUTEX(nodes_lock);	/* these, and what of agents is in them */

/* ---- shares -------------------------------------------------------------- */

static bool agent_takes_part(const struct agent *a)
{
	return a->wants && !a->paused && !agent_is_dead(a);
}

static void granted_change(struct agent *a, u32 lost, u32 given)
{
	guard(spinlock)(&a->programs.lock);
	a->granted = (a->granted & ~lost) | given;
}

/* what the core gave back, and no program has */
static void node_free_unused(struct agent *a)
{
	unsigned long unused = a->held & ~a->granted & ~agent_slots_in_program(a);
	unsigned int n;

	for_each_set_bit(n, &unused, GPUBP_AGENT_SLOTS)
		a->node->owner[n] = NULL;
	a->held &= ~unused;
}

/* some of its comparators, the last ones */
static void node_withdraw(struct agent *a, unsigned int nr)
{
	u32 lost = 0;

	for (; nr; nr--)
		lost |= BIT(fls(a->granted & ~lost) - 1);
	granted_change(a, lost, 0);
	gpubp_slots_lost(a->device, lost);
	node_free_unused(a);
}

/* Return: free comparators that it gets, at most @nr */
static u32 node_give(struct agent *a, unsigned int nr)
{
	u32 given = 0;
	unsigned int n;

	for (n = 0; n < a->nr_slots && nr; n++) {
		if (a->node->owner[n])
			continue;
		a->node->owner[n] = a;
		given |= BIT(n);
		nr--;
	}
	a->held |= given;
	granted_change(a, 0, given);
	return given;
}

static unsigned int node_nr_slots(const struct agent_node *node)
{
	unsigned int nr = 0;
	struct agent *a;

	list_for_each_entry(a, &node->agents, in_node)
		nr = max(nr, a->nr_slots);
	return nr;
}

static unsigned int node_nr_wanting(const struct agent_node *node)
{
	unsigned int nr = 0;
	struct agent *a;

	list_for_each_entry(a, &node->agents, in_node)
		nr += agent_takes_part(a);
	return nr;
}

/**
 * struct node_shares - what each agent that takes part is due, in the order of the list
 * @share: comparators
 * @more: so many have one more
 */
struct node_shares {
	unsigned int share;
	unsigned int more;
};

static unsigned int shares_next(struct node_shares *s, const struct agent *a)
{
	unsigned int due = s->share + !!s->more;

	s->more -= !!s->more;
	return min(due, a->nr_slots);
}

static void node_withdraw_all(struct agent_node *node, struct node_shares shares)
{
	unsigned int has, due;
	struct agent *a;

	list_for_each_entry(a, &node->agents, in_node) {
		if (!agent_takes_part(a))
			continue;
		due = shares_next(&shares, a);
		has = hweight32(a->granted);
		if (has > due)
			node_withdraw(a, has - due);
	}
}

static void node_give_all(struct agent_node *node, struct node_shares shares,
			  const struct agent *asks)
{
	unsigned int has, due;
	struct agent *a;
	u32 given;

	list_for_each_entry(a, &node->agents, in_node) {
		if (!agent_takes_part(a))
			continue;
		due = shares_next(&shares, a);
		has = hweight32(a->granted);
		given = has < due ? node_give(a, due - has) : 0;
		if (given && a != asks)
			gpubp_slots_returned(a->device, given);
	}
}

/*
 * First those that have too many, as others get what these give back at once. @asks is in
 * agent_acquire(), which answers for it; NULL: none is.
 */
static void node_share(struct agent_node *node, const struct agent *asks)
{
	unsigned int nr = node_nr_wanting(node), slots = node_nr_slots(node);
	struct node_shares shares;

	if (!nr)
		return;
	shares = (struct node_shares){ slots / nr, slots % nr };
	node_withdraw_all(node, shares);
	node_give_all(node, shares, asks);
	if (shares.more)
		schedule_delayed_work(&node->turn,
				      msecs_to_jiffies(READ_ONCE(turn_ms)));
}

static void node_turn_fn(struct work_struct *work)
{
	struct agent_node *node = container_of(to_delayed_work(work),
					       struct agent_node, turn);

	guard(mutex)(&nodes_lock);
	list_rotate_left(&node->agents);
	node_share(node, NULL);
}

/* ---- ops ----------------------------------------------------------------- */

/** agent_acquire() - gpubp_ops.acquire; the committer of its device */
int agent_acquire(void *dev, u32 slots)
{
	struct agent *a = dev;

	guard(mutex)(&nodes_lock);
	if (agent_is_dead(a))
		return 0;
	a->wants = true;
	if (a->paused)
		return 0;
	if (!a->node) {
		granted_change(a, 0, slots);
		return slots;
	}
	node_share(a->node, a);
	return a->granted;
}

/** agent_release() - gpubp_ops.release; the hardware compares nothing */
void agent_release(void *dev, u32 slots)
{
	struct agent *a = dev;

	guard(mutex)(&nodes_lock);
	a->wants = false;
	granted_change(a, slots, 0);
	if (!a->node)
		return;
	node_free_unused(a);
	node_share(a->node, NULL);
}

/** agent_node_settle() - it may have acknowledged a program without some comparators */
void agent_node_settle(struct agent *a)
{
	guard(mutex)(&nodes_lock);
	if (!a->node || a->held == a->granted)
		return;
	node_free_unused(a);
	node_share(a->node, NULL);
}

/* ---- pauses -------------------------------------------------------------- */

static void pause_begin(struct agent *a)
{
	const u32 lost = a->granted;

	granted_change(a, lost, 0);
	if (lost)
		gpubp_slots_lost(a->device, lost);
	if (!a->node)
		return;
	node_free_unused(a);
	node_share(a->node, NULL);
}

static void pause_end(struct agent *a)
{
	const u32 all = GENMASK(a->nr_slots - 1, 0);

	if (!a->wants)
		return;
	if (a->node)
		return node_share(a->node, NULL);
	granted_change(a, 0, all);
	gpubp_slots_returned(a->device, all);
}

/** agent_pause() - it gives its comparators back, or can have some again; 0 or -EINVAL */
int agent_pause(struct agent *a, const struct gpubp_agent_pause *msg)
{
	if (msg->header.size != sizeof(*msg) || msg->on > 1 || msg->reserved)
		return -EINVAL;
	guard(mutex)(&nodes_lock);
	if (a->paused == msg->on || agent_is_dead(a))
		return 0;
	WRITE_ONCE(a->paused, msg->on);
	if (msg->on)
		pause_begin(a);
	else
		pause_end(a);
	return 0;
}

/* ---- joining ------------------------------------------------------------- */

/* who may use the GPU has opened its device for that */
static int node_rdev(int fd, dev_t *rdev)
{
	const fmode_t both = FMODE_READ | FMODE_WRITE;
	struct file *file = fget(fd);
	int err = -ENOTTY;

	if (!file)
		return -EBADF;
	if (S_ISCHR(file_inode(file)->i_mode) && (file->f_mode & both) == both) {
		*rdev = file_inode(file)->i_rdev;
		err = 0;
	}
	fput(file);
	return err;
}

static struct agent_node *node_find(dev_t rdev)
{
	struct agent_node *node;

	list_for_each_entry(node, &nodes, node)
		if (node->rdev == rdev)
			return node;
	return NULL;
}

static struct agent_node *node_alloc(dev_t rdev)
{
	struct agent_node *node = kzalloc(sizeof(*node), GFP_KERNEL_ACCOUNT);

	if (!node)
		return NULL;
	node->rdev = rdev;
	INIT_LIST_HEAD(&node->agents);
	INIT_DELAYED_WORK(&node->turn, node_turn_fn);
	return node;
}

/**
 * agent_node_join() - share the comparators of a GPU
 * @a: agent, before its device is registered
 * @fd: file of the GPU, or -1: no other process has its comparators
 *
 * May sleep. Return: 0, -EBADF, -ENOTTY, -ENOMEM.
 */
int agent_node_join(struct agent *a, int fd)
{
	struct agent_node *node, *spare;
	dev_t rdev;
	int err;

	INIT_LIST_HEAD(&a->in_node);
	if (fd == -1)
		return 0;
	err = node_rdev(fd, &rdev);
	if (err)
		return err;
	/* committers wait for the lock, and are not to wait for memory */
	spare = node_alloc(rdev);
	if (!spare)
		return -ENOMEM;
	scoped_guard(mutex, &nodes_lock) {
		node = node_find(rdev);
		if (!node) {
			node = spare;
			spare = NULL;
			list_add(&node->node, &nodes);
		}
		list_add_tail(&a->in_node, &node->agents);
		a->node = node;
	}
	kfree(spare);
	return 0;
}

/** agent_node_leave() - the process is at its end, and so is what it programmed */
void agent_node_leave(struct agent *a)
{
	struct agent_node *node, *empty = NULL;
	unsigned int n;

	scoped_guard(mutex, &nodes_lock) {
		node = a->node;
		a->node = NULL;
		a->held = 0;
		if (!node)
			return;
		list_del_init(&a->in_node);
		for (n = 0; n < GPUBP_AGENT_SLOTS; n++)
			if (node->owner[n] == a)
				node->owner[n] = NULL;
		if (list_empty(&node->agents)) {
			list_del(&node->node);
			empty = node;
		} else {
			node_share(node, NULL);
		}
	}
	if (!empty)
		return;
	cancel_delayed_work_sync(&empty->turn);
	kfree(empty);
}
