/* SPDX-License-Identifier: GPL-2.0 */
/* An event: one perf_event of PMU gpubp, and what it asks for. */
#ifndef _GPUBP_EVENT_H
#define _GPUBP_EVENT_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "../compat/times.h"
#include "../core/account.h"
#include "rights.h"

struct gpubp_dial;
struct gpubp_emission;
struct gpubp_family;
struct gpubp_user;
struct gpubp_watch_set;
struct mem_cgroup;

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
 * @judged: target (gpubp_target_enabled_key()) for which it was reconciled last;
 *	GPUBP_BEING_JUDGED while its bindings change for another one
 * @incomplete: some of what it wants is to be tried again; written under
 *	gpubp_events_lock, read without
 * @last_hit: number of the last hit it was given, of some devices; under the
 *	lock of the hit's device
 * @last_stray: likewise of the last hit it was told of as a stray
 * @family: reservation of a pinned event, NULL none; under gpubp_events_lock
 * @family_node: in its list of members; reserve.c's
 * @parent_id: of a child: perf's id of its parent, which may be gone
 * @blind: it tells nothing of the memory of processes that its opener was not
 *	asked about
 * @may_patch: the code of its targets may be written for it
 * @opener: thread group that opened it, for a child that opened the parent
 * @user: who opened it, or the parent of a child; a reference is held
 * @memcg: who pays for its watches, which a worker may make
 * @dial: where meters tell what they counted; NULL for a child
 * @uncounted: hits of meters that perf's count lacks, of a sampling event
 * @tally: how long what it wants was resident and armed
 * @times: what perf was told of that
 * @exited: @tally of children that exited; under gpubp_events_lock
 * @exited_had: likewise, turns
 * @unserved: watches that it wants and cannot have; under gpubp_events_lock
 * @owner: task that opened it, NULL for a child; compat/perf.c
 * @earned: rights of a session that attaches to it; attach.c
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
	struct gpubp_emission *cur;
	u64 pending_ip;
	unsigned long tick;
	unsigned int in_tick;
	const void *judged;
	bool incomplete;
	u64 last_hit[GPUBP_LAST_HITS];
	u64 last_stray[GPUBP_LAST_HITS];
	u64 last_sample[GPUBP_LAST_HITS];
	struct gpubp_watch_set *set;
	struct gpubp_family *family;
	struct list_head family_node;
	u64 parent_id;
	bool blind;
	bool may_patch;
	struct pid *opener;
	struct gpubp_user *user;
	struct mem_cgroup *memcg;
	struct gpubp_dial *dial;
	atomic64_t uncounted;
	struct gpubp_tally tally;
	struct gpubp_times times;
	struct gpubp_account exited;
	struct gpubp_turns_had exited_had;
	unsigned int unserved;
	struct task_struct *owner;
	struct gpubp_earned earned;
	atomic64_t matched;
	atomic64_t metered;
	atomic64_t throttled;
	atomic64_t suppressed;
	atomic64_t possible;
	atomic64_t strays;
	atomic64_t stall_throttled;
	struct rcu_head rcu;
};

extern struct mutex gpubp_events_lock;
extern struct list_head gpubp_events;

int gpubp_spec_decode(const struct perf_event_attr *attr,
		      struct gpubp_spec *spec);
bool gpubp_spec_equal(const struct gpubp_spec *a, const struct gpubp_spec *b);
int gpubp_event_may_want(const struct gpubp_event *gev,
			 const struct gpubp_spec *spec);
void gpubp_event_add(struct gpubp_event *gev);
void gpubp_event_set_on_remove(void (*fn)(void));
void gpubp_event_remove(struct gpubp_event *gev);
bool gpubp_events_exist(void);
void gpubp_event_for_family(struct gpubp_event *gev,
			    void (*fn)(struct gpubp_event *gev, void *arg),
			    void *arg);
struct gpubp_event *gpubp_event_by_id(u64 id);
struct gpubp_event *gpubp_event_of(const void *event);
bool gpubp_events_any_for(struct task_struct *task);
void gpubp_events_exit(void);

struct seq_file;
void gpubp_events_show(struct seq_file *m);

#endif /* _GPUBP_EVENT_H */
