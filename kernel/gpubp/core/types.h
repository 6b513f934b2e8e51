/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What events want, as data: specs, events, bindings, watch sets and watches.
 *
 * Rooms below those that make and change these look at them: trap/ at what a watch is
 * for, sched/ at the bindings of a watch. Only the data is here: the functions are in
 * the rooms that the sections name.
 */
#ifndef _GPUBP_CORE_TYPES_H
#define _GPUBP_CORE_TYPES_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>
#include <uapi/linux/gpubp.h>

#include "../lib/fairq.h"
#include "event_time.h"

struct gpubp_set_binding;
struct gpubp_ctx;
struct gpubp_count_sink;
struct gpubp_sample;
struct gpubp_reservation;
struct gpubp_watch_throttle;
struct gpubp_trap;
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
 * @meter: the trap handler may count, and need not tell of each hit
 * @possible: of its hits, only those that are not certain
 * @lost: instead of its hits, those that may be missing
 * @named: @addr is relative to ranges named @code
 * @device: 0 any, else number + 1
 * @serial: of that device, which had this number when the event was opened
 * @code: name hash, trap id, classes of exceptions, or id of a set
 * @addr: address or offset
 * @len: bytes; 0 of what is no watch
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
 * struct gpubp_on - a time that perf had an event scheduled in; any context
 * @from: ns of CLOCK_MONOTONIC
 * @to: likewise; U64_MAX as long as it is on, 0 it never was
 */
struct gpubp_on {
	u64 from;
	u64 to;
};

/**
 * struct gpubp_times - where we left an event's times; under perf's ctx->lock
 * @enabled: perf_event.total_time_enabled
 * @running: perf_event.total_time_running
 * @acc: the account that they show
 * @on: the event has been enabled since then
 * @home: hits are counted here, not by another CPU's copy
 * @last: the last times that it was on, of an event that counts only then
 * @nr: of them, there were so many
 */
struct gpubp_times {
	u64 enabled;
	u64 running;
	struct gpubp_account acc;
	bool on;
	bool home;
	struct gpubp_on last[16];
	unsigned int nr;
};

/**
 * struct gpubp_opener_rights - what an event gives to those who attach with it
 * @rights: GPUBP_RIGHT_*
 * @init_ns: only while its target is in the initial user namespace
 */
struct gpubp_opener_rights {
	u8 rights;
	bool init_ns;
};

/* hits of devices whose numbers are equal modulo this share an entry */
#define GPUBP_LAST_HITS		8

/**
 * struct gpubp_event - ours of a perf_event
 * @event: perf's; valid for whoever holds gpubp_events_lock or a device lock
 *	and found us in a list, or is in an RCU section
 * @spec: written under gpubp_events_lock; of what the hit road reads without
 *	it, only @changed and @code are ever written again
 * @node: in the list of events; RCU, written under gpubp_events_lock
 * @bindings: struct gpubp_binding; RCU, written under gpubp_events_lock and
 *	the lock of the binding's device
 * @bound: the same but those of sets, by gpubp_binding.watch_id; read and written
 *	alike
 * @active_node: in this CPU's list while perf has it scheduled in; interrupts
 *	off, that CPU only
 * @head: list with @event->hlist_entry alone: what perf_tp_event() walks
 * @orig_handler: overflow handler of the perf_event before ours
 * @cur: the hit being emitted, for the overflow handler; that CPU only
 * @pending_ip: pc of the hit whose SIGTRAP is pending; that CPU only
 * @tick: second in which @in_tick samples were taken; that CPU only
 * @in_tick: see @tick
 * @last_sample: number of the last hit it sampled, of some devices; that CPU
 *	only
 * @set: watch set of an event of that kind; a reference is held; under
 *	gpubp_events_lock
 * @reconciled_owners: target (gpubp_target_enabled_key()) for which it was reconciled last;
 *	GPUBP_BEING_JUDGED while its bindings change for another one
 * @incomplete: some of what it wants is to be tried again; written under
 *	gpubp_events_lock, read without
 * @last_hit: number of the last hit it was given, of some devices; under the
 *	lock of the hit's device
 * @last_stray: likewise of the last hit it was told of as a stray
 * @reservation: reservation of a pinned event, NULL none; under gpubp_events_lock
 * @reservation_node: in its list of members; reserve.c's
 * @parent_id: of a child: perf's id of its parent, which may be gone
 * @blind: it tells nothing of the memory of processes that its opener was not
 *	asked about
 * @may_patch: the code of its targets may be written for it
 * @opener: thread group that opened it, for a child that opened the parent
 * @user: who opened it, or the parent of a child; a reference is held
 * @memcg: who pays for its watches, which a worker may make
 * @sink: where meters tell what they counted; NULL for a child
 * @uncounted: hits of meters that perf's count lacks, of a sampling event
 * @event_time: how long what it wants was resident and armed
 * @times: what perf was told of that
 * @exited: @event_time of children that exited; under gpubp_events_lock
 * @exited_service: likewise, turns
 * @unserved: watches that it wants and cannot have; under gpubp_events_lock
 * @owner: task that opened it, NULL for a child; compat/perf.c
 * @opener_rights: rights of a session that attaches to it; attach.c
 * @matched: hits matched
 * @metered: of them, counted by the trap handler without stopping a wave
 * @throttled: of them, cut by the rate limit
 * @suppressed: samples of them that a BPF program did not let through
 * @possible: of them, not certain
 * @strays: hits of slots that compare its watches which met bytes that nobody
 *	watches
 * @stall_throttled: times that one of its watches was left alone, since it
 *	stopped too many waves
 * @rcu: freed after the drains that may still see it
 */
struct gpubp_event {
	struct perf_event *event;
	struct gpubp_spec spec;
	struct list_head node;
	struct list_head bindings;
	struct xarray bound;
	struct list_head active_node;
	struct hlist_head head;
	perf_overflow_handler_t orig_handler;
	struct gpubp_sample *cur;
	u64 pending_ip;
	unsigned long tick;
	unsigned int in_tick;
	const void *reconciled_owners;
	bool incomplete;
	u64 last_hit[GPUBP_LAST_HITS];
	u64 last_stray[GPUBP_LAST_HITS];
	u64 last_sample[GPUBP_LAST_HITS];
	struct gpubp_watch_set *set;
	struct gpubp_reservation *reservation;
	struct list_head reservation_node;
	u64 parent_id;
	bool blind;
	bool may_patch;
	struct pid *opener;
	struct gpubp_user *user;
	struct mem_cgroup *memcg;
	struct gpubp_count_sink *sink;
	atomic64_t uncounted;
	struct gpubp_event_time event_time;
	struct gpubp_times times;
	struct gpubp_account exited;
	struct gpubp_service exited_service;
	unsigned int unserved;
	struct task_struct *owner;
	struct gpubp_opener_rights opener_rights;
	atomic64_t matched;
	atomic64_t metered;
	atomic64_t throttled;
	atomic64_t suppressed;
	atomic64_t possible;
	atomic64_t strays;
	atomic64_t stall_throttled;
	struct rcu_head rcu;
};

/* ---- bindings (event/) --------------------------------------------------- */

/**
 * struct gpubp_binding - an event wants a watch, the bench of a watch set, or a
 *	trap
 * @event: the event
 * @ctx: context of what it wants
 * @watch: the watch, or NULL; under the lock of its device
 * @set_binding: the bench, or NULL; likewise
 * @trap: the trap, or NULL; likewise
 * @watch_id: id of the watch or of the trap, 0 for a bench; for those who hold
 *	no lock
 * @event_node: in gpubp_event.bindings
 * @watch_node: in the bindings of a watch, a bench or a trap; under the device
 *	lock
 * @round: last reconciliation that wanted it; under gpubp_events_lock
 * @pin_node: in gpubp_device.pinned, if @watch is pinned for @event and for no
 *	other of its bindings; under the device lock
 * @reservation: of @event; not to be dereferenced; likewise
 * @promised: comparators that @reservation has on each device, 0 if not for @watch;
 *	likewise
 * @group_node: in gpubp_ctx.grouped if @group; under the device lock
 * @group: whom @event shares its turns with, when it was looked at; likewise
 * @rest: hits of a period that its meter left; under the device lock
 * @armed: @ctx_time counts the watch as armed; under the device lock
 * @ctx_time: where its time is measured
 * @rcu: freed after drains
 */
struct gpubp_binding {
	struct gpubp_event *event;
	struct gpubp_ctx *ctx;
	struct gpubp_watch *watch;
	struct gpubp_set_binding *set_binding;
	struct gpubp_trap *trap;
	u64 watch_id;
	struct list_head event_node;
	struct list_head watch_node;
	struct list_head pin_node;
	const struct gpubp_reservation *reservation;
	struct list_head group_node;
	u64 group;
	u32 round;
	u8 promised;
	u32 rest;
	bool armed;
	struct gpubp_ctx_time ctx_time;
	struct rcu_head rcu;
};

/* ---- watch sets (event/) ------------------------------------------------- */

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
 * @set_bindings: struct gpubp_set_binding; under gpubp_events_lock
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
 * struct gpubp_set_binding - a set in a context
 * @set: the set; a reference is held
 * @ctx: the context; a bench goes before its context does
 * @node: in gpubp_watch_set.set_bindings
 * @bindings: of events that want it (gpubp_binding.watch_node); under the
 *	device lock
 * @nr: members bound; under the device lock
 * @nr_armed: of them, armed; likewise
 * @taken_up: the scheduler has dealt with some; likewise
 * @next: members from this id on may be unbound; under gpubp_events_lock
 */
struct gpubp_set_binding {
	struct gpubp_watch_set *set;
	struct gpubp_ctx *ctx;
	struct list_head node;
	struct list_head bindings;
	unsigned int nr;
	unsigned int nr_armed;
	bool taken_up;
	u64 next;
};

/**
 * struct gpubp_member_binding - a member is bound to a watch
 * @set_binding: in whose context
 * @member: the member
 * @watch: the watch
 * @watch_node: in gpubp_watch.members; under the device lock
 * @member_node: in gpubp_member.bindings; under gpubp_events_lock
 * @armed: its bench counts it as armed; under the device lock
 */
struct gpubp_member_binding {
	struct gpubp_set_binding *set_binding;
	struct gpubp_member *member;
	struct gpubp_watch *watch;
	struct hlist_node watch_node;
	struct hlist_node member_node;
	bool armed;
};

/* ---- watches (sched/) ---------------------------------------------------- */

/**
 * struct gpubp_copy - what watched bytes were
 * @node: in gpubp_ctx.unread while bytes lack that were not mapped when the
 *	watch was armed; else empty
 * @watch: whose it is
 * @hit: number of the hit that found them so, 0 taken when armed
 * @old_value: first bytes before that hit, as a number
 * @had_old: @old_value is valid
 * @unchanged: that hit found all bytes as they were
 * @caught_up: taken when work came, not when the watch was armed: waves that ran
 *	may have stored before that
 * @len: valid bytes; 0 none
 * @bytes: the first bytes
 */
struct gpubp_copy {
	struct list_head node;
	struct gpubp_watch *watch;
	u64 hit;
	u64 old_value;
	bool had_old;
	bool unchanged;
	bool caught_up;
	u8 len;
	u8 bytes[GPUBP_CHANGED_MAX];
};

/**
 * struct gpubp_watch_stats - what a watch had since it was made
 * @since: first quantum of those in a row in which it is, or is not, armed
 * @quanta: quanta in which it was armed, up to @since
 * @gap: the longest that it waited until it was armed
 * @strays: hits of its slots that met bytes which nobody watches
 */
struct gpubp_watch_stats {
	u64 since;
	u64 quanta;
	struct gpubp_gap gap;
	u64 strays;
};

/**
 * struct gpubp_watch - watched bytes; all under the device lock
 * @rb: in gpubp_ctx.watches, by @start, @last, @access
 * @subtree_last: interval tree's
 * @start: first address
 * @last: last address, inclusive
 * @ctx: context
 * @refs: by its bindings as a whole, and by the committer
 * @access: GPUBP_ACCESS_* it matches
 * @nr_blocks: blocks of its cover (gpubp_watch_cover())
 * @pinned: some event that wants it is pinned
 * @accounted: its bindings are accounted as armed
 * @new_binding: some of its bindings is not accounted as yet
 * @rest: it stopped too many waves lately; NULL if not
 * @coalesces: its neighbours may be lifted (gpubp_coalesce_join())
 * @id: unique since the module was loaded
 * @bindings: events that want it
 * @members: members of sets that want it (gpubp_member_binding.watch_node)
 * @node: in gpubp_device.armed while @slots or @copy; else in .fresh, if the
 *	committer is to look at it
 * @fq: its entry in the fair queue; not queued in a context in which nothing
 *	can be armed
 * @share: its user's, which it is charged to
 * @slots: bitmap of the slots that compare it now, 0 not armed
 * @armed_from: since when it has been so, ns of CLOCK_MONOTONIC
 * @old_slots: bitmap of the slots that compared it last before that
 * @old_from: since when
 * @old_to: until when
 * @wide_to: until when its slots compared more than its cover; U64_MAX they
 *	do now
 * @armed_ns: time armed before @armed_from
 * @stats: what it had
 * @copy: of the watched bytes; NULL if it was not armed lately
 *
 * There may be very many: what only the armed ones need is elsewhere.
 */
struct gpubp_watch {
	struct rb_node rb;
	u64 subtree_last;
	u64 start;
	u64 last;
	struct gpubp_ctx *ctx;
	unsigned int refs;
	u8 access;
	u8 nr_blocks;
	bool pinned:1;
	bool accounted:1;
	bool new_binding:1;
	bool coalesces:1;
	struct gpubp_watch_throttle *rest;
	u64 id;
	struct list_head bindings;
	struct hlist_head members;
	struct list_head node;
	struct gpubp_fairq_entry fq;
	struct gpubp_user_share *share;
	u32 slots;
	u32 old_slots;
	u64 armed_from;
	u64 old_from;
	u64 old_to;
	u64 wide_to;
	u64 armed_ns;
	struct gpubp_watch_stats stats;
	struct gpubp_copy *copy;
};

#endif /* _GPUBP_CORE_TYPES_H */
