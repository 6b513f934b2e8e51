/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watch sets: many watches behind one event.
 *
 * The members are the set's, not its events'. What binds a set is a *bench*:
 * (set, context), with one binding from each member to a watch of that
 * context. All events that want the set in a context share its bench, so that
 * memory and the work of an update are per context, however many copies of an
 * event perf record opens.
 */
#ifndef _GPUBP_SET_H
#define _GPUBP_SET_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

struct gpubp_binding;
struct gpubp_ctx;
struct gpubp_sync;
struct gpubp_user;
struct gpubp_watch;
struct mem_cgroup;

/**
 * struct gpubp_watch_set - a watch set
 * @ref: by its session, by events and by benches
 * @id: unique while it exists
 * @uid: who made it
 * @user: likewise, for limits and shares; a reference is held
 * @memcg: who pays for the watches, which a worker may make
 * @dead: destroyed, no further event may use it; under the lock of the table
 *	of sets
 * @session_node: in gpubp_session.sets
 * @members: struct gpubp_member by id; written by the set's session, under its
 *	lock and gpubp_events_lock; read under either
 * @nr: entries of @members; likewise
 * @update: number of the update that runs; under the session's lock
 * @benches: struct gpubp_bench; under gpubp_events_lock
 */
struct gpubp_watch_set {
	struct kref ref;
	u32 id;
	kuid_t uid;
	struct gpubp_user *user;
	struct mem_cgroup *memcg;
	bool dead;
	struct list_head session_node;
	struct xarray members;
	unsigned int nr;
	u32 update;
	struct list_head benches;
};

/**
 * struct gpubp_member - a member of a watch set; there may be very many
 * @id: unique, among watches, too
 * @addr: first address; under the locks of gpubp_watch_set.members
 * @len: bytes; likewise
 * @count: hits
 * @bindings: struct gpubp_member_binding, one for each bench at most; under
 *	gpubp_events_lock
 * @update: last update that named it; under the session's lock
 * @access: GPUBP_ACCESS_*, normalised; as @addr
 */
struct gpubp_member {
	u64 id;
	u64 addr;
	u64 len;
	atomic64_t count;
	struct hlist_head bindings;
	u32 update;
	u8 access;
};

/**
 * struct gpubp_bench - a set in a context
 * @set: the set; a reference is held
 * @ctx: the context; a bench goes before its context does
 * @node: in gpubp_watch_set.benches
 * @bindings: of events that want it (gpubp_binding.watch_node); under the
 *	device lock
 * @nr: members bound; under the device lock
 * @nr_armed: of them, armed; likewise
 * @taken_up: the scheduler has dealt with some; likewise
 * @next: members from this id on may be unbound; under gpubp_events_lock
 */
struct gpubp_bench {
	struct gpubp_watch_set *set;
	struct gpubp_ctx *ctx;
	struct list_head node;
	struct list_head bindings;
	unsigned int nr;
	unsigned int nr_armed;
	bool taken_up;
	u64 next;
};

#define GPUBP_BENCH_FULL	U64_MAX	/* gpubp_bench.next: every member is bound */

/**
 * struct gpubp_member_binding - a member is bound to a watch
 * @bench: in whose context
 * @member: the member
 * @watch: the watch
 * @watch_node: in gpubp_watch.members; under the device lock
 * @member_node: in gpubp_member.bindings; under gpubp_events_lock
 * @armed: its bench counts it as armed; under the device lock
 */
struct gpubp_member_binding {
	struct gpubp_bench *bench;
	struct gpubp_member *member;
	struct gpubp_watch *watch;
	struct hlist_node watch_node;
	struct hlist_node member_node;
	bool armed;
};

/* set.c */
struct gpubp_watch_set *gpubp_set_create(void);
struct gpubp_watch_set *gpubp_set_get(u32 id);
void gpubp_set_put(struct gpubp_watch_set *set);
void gpubp_set_destroy(struct gpubp_watch_set *set);
struct gpubp_member *gpubp_member_alloc(void);
void gpubp_member_free(struct gpubp_member *member);
int gpubp_sets_init(void);
void gpubp_sets_exit(void);

/* update.c */
struct gpubp_set_watch;
int gpubp_set_update(struct gpubp_watch_set *set, struct gpubp_set_watch *watches,
		     unsigned int nr, unsigned int *bad,
		     int (*publish)(struct gpubp_set_watch *watches,
				    unsigned int nr, void *arg), void *arg);

/* bench.c */
struct gpubp_bench *gpubp_bench_get(struct gpubp_watch_set *set,
				    struct gpubp_ctx *ctx);
void gpubp_bench_join(struct gpubp_bench *bench, struct gpubp_binding *b);
void gpubp_bench_free(struct gpubp_bench *bench);
bool gpubp_bench_fill(struct gpubp_bench *bench, unsigned int *budget);
void gpubp_bench_count(struct gpubp_bench *bench, struct gpubp_sync *sync);
void gpubp_benches_update(struct gpubp_watch_set *set,
			  struct gpubp_member **members,
			  const struct gpubp_set_watch *watches,
			  unsigned int nr);
struct gpubp_member_binding *gpubp_member_of(struct gpubp_watch *watch, u64 id);
int gpubp_benches_init(void);
void gpubp_benches_exit(void);

#endif /* _GPUBP_SET_H */
