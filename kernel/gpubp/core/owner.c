// SPDX-License-Identifier: GPL-2.0
/* Owners of hits: looked up by struct pid from any context. */
#include <kunit/visibility.h>
#include <linux/cred.h>
#include <linux/gpubp.h>
#include <linux/hashtable.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "owner.h"

static DEFINE_HASHTABLE(owners, 8);
static DEFINE_HASHTABLE(cell_users, 6);
static DEFINE_RAW_SPINLOCK(owners_lock);	/* writers of both; irqs off */

static struct gpubp_owner *owner_find(struct pid *pid)
{
	struct gpubp_owner *owner;

	hash_for_each_possible_rcu(owners, owner, node, (unsigned long)pid,
				   lockdep_is_held(&owners_lock))
		if (owner->pid == pid)
			return owner;
	return NULL;
}

/**
 * gpubp_owner_find() - look up the owner for a task
 * @pid: its struct pid
 *
 * RCU section; any context. Return: owner, valid within the section, or NULL.
 */
struct gpubp_owner *gpubp_owner_find(struct pid *pid)
{
	return owner_find(pid);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_owner_find);

/** gpubp_owner_note_running() - the current task runs, if it is an owner */
void gpubp_owner_note_running(void)
{
	struct gpubp_owner *owner;

	guard(rcu)();
	owner = gpubp_owner_find(task_pid(current));
	if (owner)
		WRITE_ONCE(owner->ran_at, ktime_get_ns());
}

/** gpubp_owner_ran_at() - when a task was last seen running, 0 if that is not known */
u64 gpubp_owner_ran_at(struct pid *pid)
{
	struct gpubp_owner *owner;

	guard(rcu)();
	owner = gpubp_owner_find(pid);
	return owner ? READ_ONCE(owner->ran_at) : 0;
}

static kuid_t cell_user_uid(struct pid *pid)
{
	struct task_struct *task;

	guard(rcu)();
	task = pid_task(pid, PIDTYPE_PID);
	return task ? gpubp_uid_of(__task_cred(task)) : GLOBAL_ROOT_UID;
}

static struct gpubp_cell_user *cell_user_find(kuid_t uid)
{
	struct gpubp_cell_user *cell_user;

	lockdep_assert_held(&owners_lock);
	hash_for_each_possible(cell_users, cell_user, node, __kuid_val(uid))
		if (uid_eq(cell_user->uid, uid))
			return cell_user;
	return NULL;
}

/* insert @new unless its uid has an entry; the caller frees @new if not used */
static struct gpubp_cell_user *cell_user_insert(struct gpubp_cell_user *new)
{
	struct gpubp_cell_user *cell_user;

	guard(raw_spinlock_irqsave)(&owners_lock);
	cell_user = cell_user_find(new->uid);
	if (!cell_user) {
		cell_user = new;
		hash_add_rcu(cell_users, &cell_user->node,
			     __kuid_val(cell_user->uid));
	}
	cell_user->nr_owners++;
	return cell_user;
}

static void cell_user_put(struct gpubp_cell_user *cell_user)
{
	lockdep_assert_held(&owners_lock);
	if (--cell_user->nr_owners)
		return;
	hash_del_rcu(&cell_user->node);
	kfree_rcu(cell_user, rcu);
}

static struct gpubp_cell_user *cell_user_get(struct pid *pid)
{
	struct gpubp_cell_user *new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	struct gpubp_cell_user *cell_user;

	if (!new)
		return NULL;
	new->uid = cell_user_uid(pid);
	cell_user = cell_user_insert(new);
	if (cell_user != new)
		kfree(new);
	return cell_user;
}

/**
 * gpubp_owners_most_cells() - the user whose tasks have most cells waiting
 * @round: skips users that were already returned in this round
 *
 * RCU section; one thread only. Return: the user, or NULL if no cells of
 * another user wait.
 */
struct gpubp_cell_user *gpubp_owners_most_cells(u64 round)
{
	struct gpubp_cell_user *cell_user, *most = NULL;
	int i, cells, max = 0;

	hash_for_each_rcu(cell_users, i, cell_user, node) {
		cells = atomic_read(&cell_user->cells);
		if (cells > max && READ_ONCE(cell_user->round) != round) {
			max = cells;
			most = cell_user;
		}
	}
	if (most)
		WRITE_ONCE(most->round, round);
	return most;
}

static struct gpubp_owner *owner_alloc(struct pid *pid)
{
	struct gpubp_owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);

	if (!owner)
		return NULL;
	owner->cell_user = cell_user_get(pid);
	if (!owner->cell_user) {
		kfree(owner);
		return NULL;
	}
	owner->pid = get_pid(pid);
	kref_init(&owner->ref);
	xa_init_flags(&owner->ctxs, XA_FLAGS_ACCOUNT);
	gpubp_tickets_init(&owner->tickets, &owner->cell_user->cells);
	return owner;
}

/**
 * gpubp_owner_get() - get the owner for a task, allocate it if necessary
 * @pid: its struct pid
 *
 * May sleep. Return: the owner with a reference, or NULL without memory.
 */
struct gpubp_owner *gpubp_owner_get(struct pid *pid)
{
	struct gpubp_owner *new = owner_alloc(pid), *owner;
	unsigned long flags;

	if (!new)
		return NULL;
	raw_spin_lock_irqsave(&owners_lock, flags);
	owner = owner_find(pid);
	if (owner && !kref_get_unless_zero(&owner->ref))
		owner = NULL;
	if (!owner)
		hash_add_rcu(owners, &new->node, (unsigned long)pid);
	else
		cell_user_put(new->cell_user);
	raw_spin_unlock_irqrestore(&owners_lock, flags);
	if (!owner)
		return new;
	put_pid(new->pid);
	kfree(new);
	return owner;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_owner_get);

/**
 * gpubp_owner_get_leader() - get the owner for a thread's group leader
 * @thread: struct pid of the thread
 *
 * May sleep. Return: the owner with a reference, or NULL.
 */
struct gpubp_owner *gpubp_owner_get_leader(struct pid *thread)
{
	struct task_struct *task;
	struct pid *leader = NULL;
	struct gpubp_owner *owner;

	rcu_read_lock();
	task = pid_task(thread, PIDTYPE_PID);
	if (task)
		leader = get_pid(task_tgid(task));
	rcu_read_unlock();
	if (!leader)
		return NULL;
	owner = gpubp_owner_get(leader);
	put_pid(leader);
	return owner;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_owner_get_leader);

/* RCU readers use the pid, too */
static void owner_free_rcu(struct rcu_head *rcu)
{
	struct gpubp_owner *owner = container_of(rcu, struct gpubp_owner, rcu);

	put_pid(owner->pid);
	kfree(owner);
}

static void owner_free(struct kref *ref)
{
	struct gpubp_owner *owner = container_of(ref, struct gpubp_owner, ref);
	unsigned long flags;

	raw_spin_lock_irqsave(&owners_lock, flags);
	hash_del_rcu(&owner->node);
	cell_user_put(owner->cell_user);
	raw_spin_unlock_irqrestore(&owners_lock, flags);
	WARN_ON_ONCE(!gpubp_tickets_empty(&owner->tickets));
	call_rcu(&owner->rcu, owner_free_rcu);
}

/** gpubp_owner_put() - drop a reference; @owner may be NULL; any context */
void gpubp_owner_put(struct gpubp_owner *owner)
{
	if (owner)
		kref_put(&owner->ref, owner_free);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_owner_put);

/**
 * gpubp_owner_task() - the task of an owner, unless it is exiting or gone
 * @owner: owner
 *
 * RCU section. An exiting task owns no hits any more: perf removes its events.
 */
struct task_struct *gpubp_owner_task(struct gpubp_owner *owner)
{
	struct task_struct *task = pid_task(owner->pid, PIDTYPE_PID);

	return task && !(READ_ONCE(task->flags) & PF_EXITING) ? task : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_owner_task);

/**
 * gpubp_owners_any() - call @fn for each owner, until it returns true
 * @fn: in an RCU section
 * @arg: for @fn
 *
 * Return: true if a call returned true.
 */
bool gpubp_owners_any(bool (*fn)(struct gpubp_owner *owner, void *arg),
		      void *arg)
{
	struct gpubp_owner *owner;
	int i;

	guard(rcu)();
	hash_for_each_rcu(owners, i, owner, node)
		if (fn(owner, arg))
			return true;
	return false;
}
