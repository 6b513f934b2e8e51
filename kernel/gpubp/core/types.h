/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Data structures of events: specs, events, bindings, watch sets and watches.
 *
 * Only the data is here; the functions are in the rooms that the section titles
 * name. Rooms below those read the data, too: trap/ reads a watch's access and
 * what its events ask for (precise.c); sched/ reads a watch's bindings and, for
 * handler counts, the perf_event.
 *
 * Ranges of addresses, here and in all rooms: @start (or @va, @addr) is the
 * first address, @last the last one, inclusive, so that a range may end at the
 * top of the address space. @len and @size are bytes. A local variable "end" is
 * the first address behind a range.
 */
#ifndef _GPUBP_CORE_TYPES_H
#define _GPUBP_CORE_TYPES_H

#include <linux/build_bug.h>
#include <linux/kconfig.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/linux/gpubp.h>

#include "../lib/fairq.h"
#include "../lib/value_test.h"
#include "context.h"
#include "event_time.h"

struct gpubp_set_binding;
struct gpubp_ctx;
struct gpubp_count_sink;
struct gpubp_sample;
struct gpubp_reservation;
struct gpubp_trap_point;
struct gpubp_user;
struct gpubp_user_share;
struct gpubp_watch;
struct gpubp_watch_set;
struct mem_cgroup;
struct pid;

/* ---- events (event/) ----------------------------------------------------- */

/**
 * struct gpubp_spec - attr.config, config1 and config2 decoded
 * @kind: enum gpubp_kind
 * @access: GPUBP_ACCESS_*, normalised
 * @process: hits of every queue of the process
 * @changed: only when the watched bytes changed
 * @meter: the trap handler may count hits without reporting each
 * @possible: only its possible hits, not the exact ones
 * @lost: drops that may be its hits, instead of hits
 * @named: @addr is relative to ranges named @code
 * @device: 0 any, else number + 1
 * @serial: serial of the device that had this number when the event was opened
 * @code: name hash, trap id, exception classes, or id of a set
 * @addr: address or offset
 * @len: bytes; 0 if it is no watch
 * @condition: id of the user's condition, 0 none
 * @precise_ip: as attr.precise_ip
 */
struct gpubp_spec {
	u8 kind;
	u8 access;
	bool process;
	bool changed;
	bool meter;
	bool possible;
	bool lost;
	bool named;
	u8 device;
	u8 precise_ip;
	u16 condition;
	u32 code;
	u64 addr;
	u64 len;
	u64 serial;
};

static inline bool gpubp_kind_is_trap(u8 kind)
{
	return kind == GPUBP_KIND_BREAK || kind == GPUBP_KIND_TRAP ||
	       kind == GPUBP_KIND_EXCEPTION;
}

/**
 * struct gpubp_interval - an interval in which perf had an event scheduled in
 * @from: ns of CLOCK_MONOTONIC
 * @to: likewise; U64_MAX while it is scheduled in, 0 if it never was
 *
 * Any context.
 */
struct gpubp_interval {
	u64 from;
	u64 to;
};

/**
 * struct gpubp_intervals - the last intervals in which perf had an event
 *	scheduled in
 * @last: intervals
 * @nr: number of intervals so far; under perf's ctx->lock
 */
struct gpubp_intervals {
	struct gpubp_interval last[16];
	unsigned int nr;
};

/**
 * struct gpubp_times - times last written to a perf_event; under perf's
 *	ctx->lock
 * @enabled: perf_event.total_time_enabled
 * @running: perf_event.total_time_running
 * @acc: the account that these two show
 * @saved_in: jiffy in which they were written
 * @lazy: a context switch need not correct them
 * @on: the event was enabled since then; also read without the lock
 * @on_at: when it was found to be enabled last, ns of CLOCK_MONOTONIC; read without the
 *	lock
 * @off_at: when it was seen disabled last, or opened; likewise
 * @counts_here: hits are counted in this event, not in another CPU's copy
 * @intervals: the last intervals in which it was scheduled in, if it counts
 *	only then; else NULL
 */
struct gpubp_times {
	u64 enabled;
	u64 running;
	struct gpubp_account acc;
	unsigned long saved_in;
	bool lazy;
	bool on;
	u64 on_at;
	u64 off_at;
	bool counts_here;
	struct gpubp_intervals *intervals;
};

/* pauses of an event that are known; those before are over for long */
#define GPUBP_PAUSES	4

/**
 * struct gpubp_pauses - when perf had an event disabled, or removed it
 * @last: excluding both ends; of one that lasts @to is U64_MAX
 * @nr: number of pauses so far; under perf's ctx->lock, and read without
 * @limit_at: time of the hit that was the last one of IOC_REFRESH, until it is disabled
 *	for that, or 0; where it is active
 *
 * As far as a PMU is notified: not if its task was off the CPU.
 */
struct gpubp_pauses {
	struct gpubp_interval last[GPUBP_PAUSES];
	unsigned int nr;
	u64 limit_at;
};

/**
 * struct gpubp_opener_rights - rights that a session gets from the event it
 *	attaches with
 * @rights: GPUBP_RIGHT_*
 * @init_ns: valid only while its target is in the initial user namespace
 */
struct gpubp_opener_rights {
	u8 rights;
	bool init_ns;
};

/* hits of devices whose numbers are equal modulo this share an array entry */
#define GPUBP_LAST_HITS		8

/**
 * struct gpubp_event_hits - the hits that an event has already: the number of
 *	the last one of each device, by device number modulo GPUBP_LAST_HITS
 * @hit: delivered to it; under the lock of the hit's device
 * @stray: reported to it as a stray; likewise
 * @filtered: that did not meet its condition; under the lock of the hit's device
 * @sample: that it sampled; on the event's CPU only
 */
struct gpubp_event_hits {
	u64 hit[GPUBP_LAST_HITS];
	u64 stray[GPUBP_LAST_HITS];
	u64 filtered[GPUBP_LAST_HITS];
	u64 sample[GPUBP_LAST_HITS];
};

/**
 * struct gpubp_places - watches of an event, without those of sets
 * @nr: all
 * @unmapped: of them, those where nothing was mapped when that was last looked at
 */
struct gpubp_places {
	u64 nr;
	u64 unmapped;
};

/**
 * struct gpubp_round - visits of all contexts that an event may be bound in
 * @key: key of the event's enabled target, NULL: no binding is wanted
 * @ctx: contexts up to this number were visited
 * @unserved: gpubp_event.unserved of those
 * @running: more are left
 * @incomplete: as gpubp_event.incomplete, of those
 * @lingers: as gpubp_event.lingers, of those
 */
struct gpubp_round {
	const void *key;
	u32 ctx;
	unsigned int unserved;
	bool running;
	bool incomplete;
	bool lingers;
};

/* gpubp_event.group: not all of its bindings have the same, as far as is known */
#define GPUBP_GROUPS_DIFFER	U64_MAX

/**
 * struct gpubp_event - private data of a perf_event
 * @event: the perf_event; valid for a caller that found this in a list under
 *	gpubp_events_lock or a device lock, or that is in an RCU section
 * @spec: written under gpubp_events_lock; of the fields that the hit path reads
 *	without it, only @changed and @code change after the event is open
 * @node: in the list of events; under gpubp_events_lock
 * @wide_node: in the list of events without a target task; RCU, written under
 *	gpubp_events_lock
 * @id_node: in the index by @id; index.c's
 * @perf_node: in the index by @event; likewise
 * @children: inherited events; under gpubp_events_lock
 * @child_node: of a child: in its parent's @children; empty once that is gone
 * @passed: number of the last pass over an event and its children that is done
 *	with it; likewise
 * @removed: it is being freed; under gpubp_events_lock
 * @change_node: in the list of changed events; event/changes.c
 * @visit_node: in the list of events that are being bound to a context; under
 *	gpubp_events_lock
 * @partial_node: in the list of events that lack bindings; likewise
 * @revisit_node: in the list of its user's events to look at again; likewise
 * @revisited: number of the tick in which it was looked at; likewise
 * @group: gpubp_binding.group of all its bindings, or GPUBP_GROUPS_DIFFER; likewise
 * @bindings: struct gpubp_binding; RCU, written under gpubp_events_lock and
 *	the lock of the binding's device
 * @nr_bindings: length of @bindings; under gpubp_events_lock
 * @index: the same bindings, by gpubp_binding.key; under gpubp_events_lock
 * @bound: the same bindings but those of sets, by gpubp_binding.watch_id; and of
 *	those that are gone, while samples wait, the number of their last hit; same
 *	locks
 * @nr_unbound: how many of the latter; likewise
 * @active_node: in this CPU's list while perf has it scheduled in; interrupts
 *	off, that CPU only
 * @head: list with @event->hlist_entry alone: what perf_tp_event() walks
 * @orig_handler: overflow handler that the perf_event had before ours
 * @cur: the hit being emitted, for the overflow handler; that CPU only
 * @pending_ip: pc of the hit whose SIGTRAP is pending; that CPU only
 * @tick: second in which @in_tick samples were taken; that CPU only
 * @in_tick: see @tick
 * @set: watch set of an event of that kind; a reference is held; under
 *	gpubp_events_lock
 * @reconciled_target: target (gpubp_target_enabled_key()) of the last
 *	reconciliation; GPUBP_BEING_RECONCILED while bindings change to another
 *	target
 * @round: the running round of its bindings; under gpubp_events_lock
 * @incomplete: some bindings could not be made and are to be retried; written
 *	under gpubp_events_lock, read without
 * @lingers: some bindings are not wanted any more, and wait for hits that were
 *	recorded before; under gpubp_events_lock
 * @modified: what it asks for was changed, after those hits were taken; likewise
 * @modified_at: when it was changed last, ns of CLOCK_MONOTONIC; likewise
 * @hits: the hits that it has already; NULL before its first binding; written
 *	under gpubp_events_lock, before a binding is visible
 * @filter: its condition, or NULL; a reference is held; constant
 * @filter_serial: that of @filter, which a drain may outlive; 0 none
 * @reservation: reservation of a pinned event, or NULL; under gpubp_events_lock
 * @reservation_node: in the reservation's list of members; reserve.c's
 * @id: perf's id of it; of a child: of its parent, which may be freed
 * @blind: its samples have no memory content: perf checks the opener's access
 *	to a target task only, and it was opened with neither a target task nor
 *	CAP_PERFMON
 * @may_patch: its opener may have the code of its targets patched; under
 *	gpubp_events_lock, known once it has a binding
 * @opener_cred: what @may_patch is derived from at the first binding, or NULL;
 *	under gpubp_events_lock
 * @opener: thread group that opened it, or its parent
 * @user: user that opened it, or its parent; a reference is held
 * @memcg: memory cgroup that its watches are charged to, as a worker may make
 *	them
 * @sink: receives what handler counts counted; NULL if they may not be used,
 *	and for a child
 * @uncounted: of a sampling event, hits of handler counts that are not in
 *	perf's count yet
 * @event_time: how long its watches were resident and armed
 * @times: the times last written to the perf_event
 * @pauses: when it was disabled, for hits that are found later
 * @set_since: when it was first bound to its set, ns of CLOCK_MONOTONIC: no recorded hit of
 *	before is its
 * @exited: @event_time of children that exited; under gpubp_events_lock
 * @exited_service: likewise, their service in quanta
 * @unserved: watches that could not be made; under gpubp_events_lock
 * @past: watches that it, and children that exited, had; likewise
 * @caught: a session catches it: its hits stop, and their waves are held; written under
 *	gpubp_events_lock, read without
 * @owner: task that opened it, NULL for a child; compat/perf.c
 * @opener_rights: rights of a session that attaches to it; attach.c
 * @matched: hits matched
 * @metered: of them, counted by the trap handler without stopping a wave
 * @recorded: of them, recorded by their waves, which went on
 * @throttled: of them, cut by the rate limit
 * @suppressed: of them, samples that a BPF program suppressed
 * @possible: of them, possible rather than exact
 * @strays: hits of slots that compare its watches, where no watch covers the
 *	bytes
 * @stall_throttled: times that one of its watches was throttled for stopping
 *	too many waves
 * @unchanged: hits that did not change the watched bytes, which it does not want
 * @filtered: hits that did not meet its condition
 * @uncaught: hits of more than GPUBP_HIT_CATCHES caught events, of which it is none
 * @handler_ns: longest time of a hit in the trap handler, of the devices that it, and
 *	children that exited, had bindings on; under gpubp_events_lock
 * @rcu: freed after the drains that may still use it
 */
struct gpubp_event {
	struct perf_event *event;
	struct gpubp_spec spec;
	struct list_head node;
	struct list_head wide_node;
	struct hlist_node id_node;
	struct hlist_node perf_node;
	struct list_head children;
	struct list_head child_node;
	u64 passed;
	bool removed;
	struct list_head change_node;
	struct list_head visit_node;
	struct list_head partial_node;
	struct list_head revisit_node;
	unsigned int revisited;
	u64 group;
	struct list_head bindings;
	unsigned int nr_bindings;
	struct rb_root index;
	struct xarray bound;
	unsigned int nr_unbound;

	/* perf core: scheduling and overflows, on the event's CPU */
	struct list_head active_node;
	struct hlist_head head;
	perf_overflow_handler_t orig_handler;
	struct gpubp_sample *cur;
	u64 pending_ip;
	unsigned long tick;
	unsigned int in_tick;

	/* reconciliation */
	const void *reconciled_target;
	struct gpubp_round round;
	bool incomplete;
	bool lingers;
	bool modified;
	u64 modified_at;

	/* hit path */
	struct gpubp_event_hits *hits;

	/* what it was opened with */
	struct gpubp_watch_set *set;
	struct gpubp_filter *filter;
	u64 filter_serial;
	struct gpubp_reservation *reservation;
	struct list_head reservation_node;
	u64 id;

	/* its opener: rights, and who is charged */
	bool blind;
	bool may_patch;
	const struct cred *opener_cred;
	struct pid *opener;
	struct gpubp_user *user;
	struct mem_cgroup *memcg;

	/* counts and times that are not in the perf_event yet */
	struct gpubp_count_sink *sink;
	atomic64_t uncounted;
	struct gpubp_event_time event_time;
	struct gpubp_times times;
	struct gpubp_pauses pauses;
	u64 set_since;
	struct gpubp_account exited;
	struct gpubp_service exited_service;
	unsigned int unserved;
	struct gpubp_places past;

	/* sessions */
	bool caught;
	struct task_struct *owner;
	struct gpubp_opener_rights opener_rights;

	/* statistics; any context */
	atomic64_t matched;
	atomic64_t metered;
	atomic64_t recorded;
	atomic64_t throttled;
	atomic64_t suppressed;
	atomic64_t possible;
	atomic64_t strays;
	atomic64_t stall_throttled;
	atomic64_t unchanged;
	atomic64_t filtered;
	atomic64_t uncaught;
	u64 handler_ns;
	struct rcu_head rcu;
};

/* ---- bindings (event/) --------------------------------------------------- */

/**
 * struct gpubp_binding_key - what an event has no second binding of
 * @ctx: number of the context
 * @what: GPUBP_ACCESS_* of a watch, id of a set, or 0
 * @start: first address of a watch, key of a trap, or 0
 * @len: bytes of a watch, or 0
 */
struct gpubp_binding_key {
	u32 ctx;
	u32 what;
	u64 start;
	u64 len;
};

/**
 * struct gpubp_binding - binds an event to a watch, a set binding or a trap
 * @event: the event
 * @ctx: context of the watch, set binding or trap
 * @watch: the watch, or NULL; under the lock of its device
 * @set_binding: the set binding, or NULL; likewise
 * @trap: the trap, or NULL; likewise
 * @since: when it was made, ns of CLOCK_MONOTONIC: no recorded hit of before is its
 * @until: since when it is not wanted any more, 0: it is; likewise, no recorded hit of
 *	after that
 * @watch_id: id of the watch or trap, 0 for a set binding; may be read without
 *	a lock
 * @event_node: in gpubp_event.bindings
 * @index_node: in gpubp_event.index; under gpubp_events_lock
 * @key: its key there
 * @ctx_node: in gpubp_ctx.bindings; under gpubp_events_lock
 * @watch_node: in the bindings of a watch, set binding or trap; under the
 *	device lock
 * @visit: number of the last visit that wanted it; under gpubp_events_lock
 * @pin_node: in gpubp_device.pinned if @watch is pinned for @event and by no
 *	other binding; under the device lock
 * @reservation: that of @event; not to be dereferenced; under the device lock
 * @reserved: comparators that @reservation has on each device, 0 if they are
 *	not for @watch; under the device lock
 * @pins: it pins its trap; under the device lock
 * @pins_first: ... for an event of a process; likewise
 * @nth: of a break by name: number of the code object in @ctx that has the name,
 *	from 0; under the device lock
 * @group_node: in gpubp_ctx.grouped if @group; under the device lock
 * @group: key of the perf group that @event rotates with, as last looked up;
 *	under the device lock
 * @carried: hits of an incomplete period that the handler count left over;
 *	under the device lock
 * @armed: @ctx_time counts the watch as armed; under the device lock
 * @ctx_time: measures its resident and armed time
 * @rcu: freed after drains
 */
struct gpubp_binding {
	struct gpubp_event *event;
	struct gpubp_ctx *ctx;
	struct gpubp_watch *watch;
	struct gpubp_set_binding *set_binding;
	struct gpubp_trap_point *trap;
	u64 since;
	u64 until;
	u64 watch_id;
	struct list_head event_node;
	struct rb_node index_node;
	struct gpubp_binding_key key;
	struct list_head ctx_node;
	struct list_head watch_node;
	struct list_head pin_node;
	const struct gpubp_reservation *reservation;
	struct rb_node group_node;
	u64 group;
	u64 visit;
	u32 nth;
	u32 carried;
	u8 reserved;
	bool armed;
	bool pins;
	bool pins_first;
	struct gpubp_ctx_time ctx_time;
	struct rcu_head rcu;
};

/**
 * gpubp_binding_account() - account a watch or trap as armed or not
 * @b: binding to it; the device lock is held
 * @armed: it is armed now
 * @gap: how long it was not, if it is armed from now on
 *
 * Of many that share it, one that is new is accounted alone.
 */
static inline void gpubp_binding_account(struct gpubp_binding *b, bool armed,
					 const struct gpubp_gap *gap)
{
	if (b->ctx_time.considered && b->armed == armed)
		return;
	gpubp_ctx_time_arm(&b->ctx_time, armed - b->armed);
	gpubp_ctx_time_add_gap(&b->ctx_time, gap);
	b->armed = armed;
}

/* ---- watch sets (event/) ------------------------------------------------- */

/**
 * struct gpubp_watch_set - a watch set
 * @ref: held by its session, by events and by set bindings
 * @id: unique while it exists
 * @uid: creator
 * @user: creator, for limits and shares; a reference is held
 * @memcg: memory cgroup that its watches are charged to, as a worker may make
 *	them
 * @dead: destroyed, no further event may use it; under the lock of the table
 *	of sets
 * @session_node: in gpubp_session.sets
 * @members: struct gpubp_member by id; written by the set's session, under its
 *	lock and gpubp_events_lock; read under either
 * @nr: entries of @members; likewise
 * @update: number of the running update, not 0; under the session's lock
 * @set_bindings: struct gpubp_set_binding; under gpubp_events_lock
 * @free_work: frees it after the last reference was put
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
	struct list_head set_bindings;
	struct work_struct free_work;
};

/**
 * struct gpubp_filter - a user's condition on hits; see struct gpubp_condition
 * @ref: held by its session, by events that have it and by a hit that is tested
 * @id: unique among those of @user; reused only when no event has it any more
 * @dead: destroyed, no further event may have it; under the lock of the user's
 *	table
 * @serial: unique since the module was loaded
 * @user: in whose table it is; a reference is held
 * @maker: user that it is charged to: of the same uid, with or without CAP_PERFMON
 * @session_node: in gpubp_session.filters
 * @value: test of the elements' values; of GPUBP_VALUE_NONE none
 * @places: GPUBP_PLACE_*: which of the following have to be equal
 * @wg: workgroup coordinates
 * @item: flat number of the work-item in its workgroup
 *
 * From @value on constant.
 */
struct gpubp_filter {
	struct kref ref;
	u32 id;
	bool dead;
	u64 serial;
	struct gpubp_user *user;
	struct gpubp_user *maker;
	struct list_head session_node;
	struct gpubp_value_test value;
	u32 places;
	u32 wg[3];
	u32 item;
};

/**
 * struct gpubp_member - a member of a watch set; there may be very many
 * @id: unique, also among watches
 * @addr: first address; under the locks of gpubp_watch_set.members
 * @len: bytes; likewise
 * @count: hits
 * @bindings: one for each set binding at most; under gpubp_events_lock
 * @update: last update that contained it, 0 none; under the session's lock
 * @access: GPUBP_ACCESS_*, normalised; same locks as @addr
 */
struct gpubp_member {
	u64 id;
	u64 addr;
	u64 len;
	atomic64_t count;
	struct gpubp_member_binding *bindings;
	u32 update;
	u8 access;
};

/**
 * struct gpubp_set_binding - binds a watch set to a context
 * @set: the set; a reference is held
 * @ctx: the context; outlives the set binding
 * @node: in gpubp_watch_set.set_bindings
 * @bindings: of events that use it (gpubp_binding.watch_node); under the device
 *	lock
 * @nr: members bound; under the device lock
 * @nr_armed: of them, armed; likewise
 * @nr_two: of @nr, those whose watches need two comparators; likewise
 * @considered: the scheduler has considered one of its watches; likewise
 * @next: members from this id on may be unbound; under gpubp_events_lock
 * @dying_node: in the list of set bindings without events that are being freed,
 *	or empty; likewise
 * @free_from: if it is in that list, members below this id are unbound; likewise
 */
struct gpubp_set_binding {
	struct gpubp_watch_set *set;
	struct gpubp_ctx *ctx;
	struct list_head node;
	struct list_head bindings;
	unsigned int nr;
	unsigned int nr_armed;
	unsigned int nr_two;
	bool considered;
	u64 next;
	struct list_head dying_node;
	u64 free_from;
};

/**
 * struct gpubp_member_binding - binds a member to a watch
 * @set_binding: set binding of the member's set in the watch's context, which
 *	counts it as armed if gpubp_watch.accounted
 * @member: the member
 * @watch: the watch
 * @watch_node: in gpubp_watch.members; under the device lock
 * @next: the next one in gpubp_member.bindings; under gpubp_events_lock
 * @since: when it was made, ns of CLOCK_MONOTONIC: no recorded hit of before is its
 */
struct gpubp_member_binding {
	struct gpubp_set_binding *set_binding;
	struct gpubp_member *member;
	struct gpubp_watch *watch;
	struct hlist_node watch_node;
	struct gpubp_member_binding *next;
	u64 since;
};

/* ---- watches (sched/) ---------------------------------------------------- */

/**
 * struct gpubp_copy - last known content of watched bytes
 * @node: in gpubp_ctx.unread while bytes are missing that were not mapped when
 *	the watch was armed; else empty
 * @watch: the watch
 * @hit: number of the hit that read the bytes, 0 if they were read at arming
 * @unchanged: that hit found all bytes unchanged
 * @caught_up: read when a dispatch was submitted, not when the watch was armed:
 *	running waves may have stored before that
 * @old_len: valid bytes of @old; 0 none
 * @old: the first bytes before that hit
 * @read: the first bytes
 */
struct gpubp_copy {
	struct list_head node;
	struct gpubp_watch *watch;
	u64 hit;
	bool unchanged;
	bool caught_up;
	u8 old_len;
	u8 old[GPUBP_CHANGED_MAX];
	struct gpubp_reading read;
};

/**
 * struct gpubp_watch_stats - scheduling statistics of a watch
 * @since: first quantum of the current run of quanta in which it is armed, or
 *	not
 * @quanta: quanta in which it was armed, up to @since
 * @gap: the longest time that it waited to be armed
 */
struct gpubp_watch_stats {
	u64 since;
	u64 quanta;
	struct gpubp_gap gap;
};

/**
 * struct gpubp_watch_subtree - what a subtree of gpubp_ctx.watches contains
 * @last: the largest last address
 * @slots: slots that compare, compared or will compare one of its watches
 */
struct gpubp_watch_subtree {
	u64 last;
	u16 slots;
} __packed __aligned(2);

/**
 * struct gpubp_watch - watched bytes; all under the device lock
 * @rb: in gpubp_ctx.watches, by @start, @last, @access
 * @subtree: of @rb
 * @slots: bitmap of the slots that compare it now, 0 not armed
 * @old_slots: those that compared it before @slots, while a hit of them may
 *	still have to be resolved
 * @next_slots: those that the running commit programs for it
 * @start: first address
 * @last: last address, inclusive
 * @ctx: context
 * @refs: one for all its bindings, and one each for uses by the committer
 * @access: GPUBP_ACCESS_* it matches
 * @nr_blocks: blocks of its cover (gpubp_watch_cover())
 * @pinned: some event bound to it is pinned
 * @accounted: its bindings are accounted as armed
 * @new_binding: some binding is not accounted yet
 * @coalesces: it may widen the blocks of others (gpubp_coalesce_add())
 * @sampled: an event that samples is or was bound to it
 * @filtered: an event with a condition is or was bound to it
 * @was_mapped: when its bytes were to be read, the first or the last one was mapped
 *	once, or it was not known
 * @unmapped: they were to be read, and it was never; @copy may have gone since
 * @has_throttle: it stopped too many waves recently: throttle.c has an entry
 * @strays: hits of its slots at bytes that no watch covers; U32_MAX is that
 *	many or more
 * @id: unique since the module was loaded
 * @bindings: events bound to it
 * @members: members of sets bound to it (gpubp_member_binding.watch_node)
 * @node: in gpubp_device.armed while @slots, @old_slots or @copy; else in .fresh if the
 *	committer has to consider it
 * @fq: its entry in the fair queue; not queued in a context in which nothing
 *	can be armed
 * @share: the user's share that it is charged to
 * @armed_from: since when @slots do, ns of CLOCK_MONOTONIC
 * @old_from: since when @old_slots did
 * @old_to: until when they did
 * @wide_to: time until which its slots compared more than its cover; U64_MAX if
 *	they still do
 * @stats: scheduling statistics
 * @copy: of the watched bytes; NULL if it was not armed recently
 *
 * There may be very many of these: what only armed watches need is elsewhere.
 */
struct gpubp_watch {
	struct rb_node rb;
	struct gpubp_watch_subtree subtree;
	u16 slots;
	u16 old_slots;
	u16 next_slots;
	u64 start;
	u64 last;
	struct gpubp_ctx *ctx;
	u16 refs;
	u8 access:3;
	u8 filtered:1;
	u8 nr_blocks:2;
	u8 pinned:1;
	u8 accounted:1;
	u8 new_binding:1;
	u8 coalesces:1;
	u8 sampled:1;
	u8 was_mapped:1;
	u8 unmapped:1;
	u8 has_throttle:1;
	u32 strays;
	u64 id;
	struct list_head bindings;
	struct hlist_head members;
	struct list_head node;
	struct gpubp_fairq_entry fq;
	struct gpubp_user_share *share;
	u64 armed_from;
	u64 old_from;
	u64 old_to;
	u64 wide_to;
	struct gpubp_watch_stats stats;
	struct gpubp_copy *copy;
};

/*
 * <uapi/linux/gpubp.h> says how much memory a member takes: beside these, an
 * entry of an xarray, one or two pointers in a flow, and what slabs waste.
 */
static_assert(!IS_ENABLED(CONFIG_64BIT) || sizeof(struct gpubp_member) <= 48);
static_assert(!IS_ENABLED(CONFIG_64BIT) ||
	      sizeof(struct gpubp_watch) +
	      sizeof(struct gpubp_member_binding) <= 280);

#endif /* _GPUBP_CORE_TYPES_H */
