// SPDX-License-Identifier: GPL-2.0
/* Room in memory cgroups: see room.h. */
#include <kunit/visibility.h>
#include <linux/cleanup.h>
#include <linux/gfp.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "room.h"

/*
 * What is left to the tasks of a memory cgroup: a part of its limit. The most is
 * such that with the room for a batch it can be charged at once.
 */
#define MARGIN_PART	16
#define MARGIN_MIN	(SZ_1M >> PAGE_SHIFT)
#define MARGIN_MAX	(3 * MARGIN_MIN)

/* made in each attempt beyond the margin: for some thousand watches */
#define BATCH		(SZ_1M >> PAGE_SHIFT)

/* a pause between attempts that doubles with each one that failed */
#define PAUSE		msecs_to_jiffies(20)
#define MAX_DOUBLINGS	7
#define LINGER		(2 * HZ)

/* level of a room whose last attempt failed */
#define LEVEL_FAILED	2

/**
 * struct gpubp_room - a memory cgroup that is short of room, or was recently
 * @node: in rooms
 * @memcg: memory cgroup, or NULL if there are none; a reference is held
 * @work: makes room, or frees this if it was not wanted for some time
 * @wanted: an allocation failed since the last attempt
 * @running: an attempt, and then the retries of its bindings
 * @nr_attempts: attempts so far
 * @level: 0 before the first attempt, 1 after one that made room, more after
 *	attempts that failed
 *
 * Under rooms_lock.
 */
struct gpubp_room {
	struct hlist_node node;
	struct mem_cgroup *memcg;
	struct delayed_work work;
	bool wanted;
	bool running;
	unsigned int nr_attempts;
	unsigned int level;
};

/* innermost */
static DEFINE_SPINLOCK(rooms_lock);
static DEFINE_HASHTABLE(rooms, 4);
static DECLARE_WAIT_QUEUE_HEAD(room_waiters);
static void (*on_made)(struct mem_cgroup *memcg);

/* unbound and with many workers: reclaim of one cgroup delays no other */
static struct workqueue_struct *room_wq;

#ifdef CONFIG_MEMCG
static unsigned long memcg_margin(unsigned long limit)
{
	return clamp(limit / MARGIN_PART, MARGIN_MIN + 0UL, MARGIN_MAX + 0UL);
}

static unsigned long memcg_limit(const struct mem_cgroup *memcg)
{
	return READ_ONCE(memcg->memory.max);
}

/**
 * gpubp_room_left() - may more be bound that is charged to a memory cgroup
 * @memcg: memory cgroup, may be NULL
 *
 * Any context. Return: false if it, or one that it is in, is near its limit.
 * Page cache counts: see gpubp_room_short().
 */
bool gpubp_room_left(struct mem_cgroup *memcg)
{
	unsigned long limit;

	for (; memcg; memcg = parent_mem_cgroup(memcg)) {
		limit = memcg_limit(memcg);
		if (page_counter_read(&memcg->memory) + memcg_margin(limit) >
		    limit)
			return false;
	}
	return true;
}

/* pages to be charged so that the margin and a batch are free */
static unsigned long room_pages(struct mem_cgroup *memcg)
{
	unsigned long margin = MARGIN_MIN;

	for (; memcg; memcg = parent_mem_cgroup(memcg))
		margin = max(margin, memcg_margin(memcg_limit(memcg)));
	return margin + BATCH;
}
#else
bool gpubp_room_left(struct mem_cgroup *memcg)
{
	return true;
}

static unsigned long room_pages(struct mem_cgroup *memcg)
{
	return BATCH;
}
#endif
EXPORT_SYMBOL_IF_KUNIT(gpubp_room_left);

/*
 * The pages are charged at once or not at all. Charged one by one they would
 * fill the cgroup to its limit before the attempt fails, and its tasks would
 * meet the OOM killer during the attempt.
 */
static bool room_make(struct mem_cgroup *memcg)
{
	struct mem_cgroup *old = set_active_memcg(memcg);
	unsigned int order = order_base_2(room_pages(memcg));
	struct page *page = alloc_pages(GPUBP_GFP_USER, order);

	set_active_memcg(old);
	if (page)
		__free_pages(page, order);
	return page;
}

/* ---- rooms --------------------------------------------------------------- */

static struct gpubp_room *room_find(struct mem_cgroup *memcg)
{
	struct gpubp_room *room;

	lockdep_assert_held(&rooms_lock);
	hash_for_each_possible(rooms, room, node, (unsigned long)memcg)
		if (room->memcg == memcg)
			return room;
	return NULL;
}

/* begin an attempt if one is wanted; else free the room */
static bool room_begin(struct gpubp_room *room)
{
	guard(spinlock)(&rooms_lock);
	room->running = room->wanted;
	if (!room->running)
		hash_del(&room->node);
	return room->running;
}

/* the retries may want the next attempt */
static void room_retry(struct gpubp_room *room, bool made)
{
	scoped_guard(spinlock, &rooms_lock) {
		room->wanted = false;
		room->level = made ? 1 : max(room->level + 1, LEVEL_FAILED);
	}
	on_made(room->memcg);
	scoped_guard(spinlock, &rooms_lock) {
		room->running = false;
		room->nr_attempts++;
	}
	wake_up_all(&room_waiters);
}

static unsigned long room_pause(const struct gpubp_room *room)
{
	return room->level ? PAUSE << min(room->level - 1, MAX_DOUBLINGS) : 0;
}

/*
 * Keep its level for some time: reconciliation of a loaded machine may be slow
 * to want it again.
 */
static void room_linger(struct gpubp_room *room)
{
	guard(spinlock)(&rooms_lock);
	/* no effect if an attempt is wanted again */
	queue_delayed_work(room_wq, &room->work,
			   LINGER + 2 * room_pause(room));
}

static void room_fn(struct work_struct *work)
{
	struct gpubp_room *room = container_of(to_delayed_work(work),
					       struct gpubp_room, work);

	if (room_begin(room)) {
		room_retry(room, room_make(room->memcg));
		room_linger(room);
		return;
	}
	mem_cgroup_put(room->memcg);
	kfree(room);
}

static struct gpubp_room *room_add(struct mem_cgroup *memcg)
{
	/* not charged to the cgroup, which has no room */
	struct gpubp_room *room = kzalloc(sizeof(*room),
					  GFP_NOWAIT | __GFP_NOWARN);

	if (!room)
		return NULL;
	if (!mem_cgroup_tryget(memcg)) {
		kfree(room);
		return NULL;
	}
	room->memcg = memcg;
	INIT_DELAYED_WORK(&room->work, room_fn);
	hash_add(rooms, &room->node, (unsigned long)memcg);
	return room;
}

/**
 * gpubp_room_short() - an allocation failed: have room made
 * @memcg: memory cgroup that it was for, may be NULL; the caller has a reference
 *
 * Does not sleep; called with shared locks held. When room is made, or could
 * not be made, the callback (gpubp_room_set_on_made()) has the cgroup's
 * bindings retried: the caller need not retry by itself.
 *
 * Return: true if it is likely that room will be made soon. So callers may keep
 * dispatches waiting, but not on false.
 */
bool gpubp_room_short(struct mem_cgroup *memcg)
{
	struct gpubp_room *room;

	guard(spinlock)(&rooms_lock);
	room = room_find(memcg) ?: room_add(memcg);
	if (!room)
		return true;
	if (!room->wanted) {
		room->wanted = true;
		mod_delayed_work(room_wq, &room->work, room_pause(room));
	}
	return room->level < LEVEL_FAILED;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_room_short);

/* Return: number of the attempt that is likely to make room, or 0. */
static unsigned int room_attempt(struct mem_cgroup *memcg)
{
	struct gpubp_room *room;

	guard(spinlock)(&rooms_lock);
	room = room_find(memcg);
	if (!room || room->level >= LEVEL_FAILED)
		return 0;
	return room->wanted || room->running ? room->nr_attempts + 1 : 0;
}

/**
 * gpubp_room_wait() - wait until room is made in current's own memory cgroup
 * @limit: jiffies; MAX_SCHEDULE_TIMEOUT: as long as that takes
 *
 * For a task whose dispatch waits for bindings; no lock is held. It never waits
 * for another cgroup's memory, nor where the last attempt failed.
 *
 * Return: true if it waited: bindings are to be looked at again. False: there
 * is nothing to wait for, a fatal signal is pending, or the limit has passed.
 */
bool gpubp_room_wait(unsigned long limit)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(current->mm);
	unsigned int nr = room_attempt(memcg);

	if (nr && wait_event_killable_timeout(room_waiters,
					      room_attempt(memcg) != nr,
					      limit) <= 0)
		nr = 0;
	mem_cgroup_put(memcg);
	return nr;
}

/**
 * gpubp_room_set_on_made() - set what is called after each attempt
 * @fn: retries what is charged to a memory cgroup, in a worker; may sleep
 *
 * Called once, before the first event exists.
 */
void gpubp_room_set_on_made(void (*fn)(struct mem_cgroup *memcg))
{
	on_made = fn;
}

/** gpubp_room_init() - create the workqueue; 0 or -ENOMEM */
int gpubp_room_init(void)
{
	room_wq = alloc_workqueue("gpubp_room", WQ_UNBOUND, 0);
	return room_wq ? 0 : -ENOMEM;
}

static void rooms_stop(void)
{
	struct gpubp_room *room;
	unsigned int i;

	guard(spinlock)(&rooms_lock);
	hash_for_each(rooms, i, room, node)
		mod_delayed_work(room_wq, &room->work, 0);
}

/** gpubp_room_exit() - destroy it; no event and no set exists any more */
void gpubp_room_exit(void)
{
	if (!room_wq)
		return;
	/* the first run may linger, the next one frees the room */
	while (!hash_empty(rooms)) {
		rooms_stop();
		flush_workqueue(room_wq);
	}
	destroy_workqueue(room_wq);
}
