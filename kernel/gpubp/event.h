/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event: one perf_event of PMU gpubp, what it asks for and to which
 * watches that binds it at the moment.
 */
#ifndef _GPUBP_EVENT_H
#define _GPUBP_EVENT_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_emission;
struct gpubp_family;
struct gpubp_watch;

/**
 * struct gpubp_spec - attr.config, config1 and config2 decoded
 * @kind: enum gpubp_kind
 * @access: GPUBP_ACCESS_*, normalised
 * @process: hits of every queue of the process
 * @changed: only when the watched bytes changed
 * @named: @addr is relative to ranges named @code
 * @device: 0 any, else number + 1
 * @code: name hash
 * @addr: address or offset
 * @len: bytes
 * @precise_ip: as attr.precise_ip
 */
struct gpubp_spec {
	u8 kind;
	u8 access;
	bool process;
	bool changed;
	bool named;
	u8 device;
	u8 precise_ip;
	u32 code;
	u64 addr;
	u64 len;
};

/**
 * struct gpubp_event - ours of a perf_event
 * @event: perf's; valid for whoever holds gpubp_events_lock or a device lock
 *	and found us in a list, or is in an RCU section
 * @spec: constant
 * @node: in the list of events; RCU, written under gpubp_events_lock
 * @bindings: struct gpubp_binding; RCU, written under gpubp_events_lock and
 *	the lock of the binding's device
 * @active_node: in this CPU's list while perf has it scheduled in; interrupts
 *	off, that CPU only
 * @head: list with @event->hlist_entry alone: what perf_tp_event() walks
 * @orig_handler: overflow handler of the perf_event before ours
 * @cur: the hit being emitted, for the overflow handler; that CPU only
 * @pending_ip: pc of the hit whose SIGTRAP is pending; that CPU only
 * @tick: second in which @in_tick samples were taken; that CPU only
 * @in_tick: see @tick
 * @judged: task for which it was reconciled last, NULL not enabled; compared only
 * @last_hit: number of the last hit it counted; under the device lock
 * @family: reservation of a pinned event, NULL none
 * @matched: hits matched
 * @throttled: of them, cut by the rate limit
 * @possible: of them, not certain
 * @rcu: freed after the drains that may still see it
 */
struct gpubp_event {
	struct perf_event *event;
	struct gpubp_spec spec;
	struct list_head node;
	struct list_head bindings;
	struct list_head active_node;
	struct hlist_head head;
	perf_overflow_handler_t orig_handler;
	const struct gpubp_emission *cur;
	u64 pending_ip;
	unsigned long tick;
	unsigned int in_tick;
	const void *judged;
	u64 last_hit;
	struct gpubp_family *family;
	atomic64_t matched;
	atomic64_t throttled;
	atomic64_t possible;
	struct rcu_head rcu;
};

/**
 * struct gpubp_binding - an event wants a watch
 * @event: the event
 * @watch: the watch; under the lock of its device
 * @watch_id: its id, for those who hold no lock
 * @event_node: in gpubp_event.bindings
 * @watch_node: in gpubp_watch.bindings; under the device lock
 * @round: last reconciliation that wanted it; under gpubp_events_lock
 * @rcu: freed after drains
 */
struct gpubp_binding {
	struct gpubp_event *event;
	struct gpubp_watch *watch;
	u64 watch_id;
	struct list_head event_node;
	struct list_head watch_node;
	u32 round;
	struct rcu_head rcu;
};

extern struct mutex gpubp_events_lock;

int gpubp_spec_decode(const struct perf_event_attr *attr,
		      struct gpubp_spec *spec);
void gpubp_event_add(struct gpubp_event *gev);
void gpubp_event_remove(struct gpubp_event *gev);
void gpubp_event_scheduled(struct gpubp_event *gev);
void gpubp_events_changed(void);
void gpubp_events_reconcile(void);
void gpubp_events_unbind_ctx(struct gpubp_ctx *ctx);
bool gpubp_events_any_for(struct task_struct *task);
void gpubp_events_exit(void);

struct seq_file;
void gpubp_events_show(struct seq_file *m);

#endif /* _GPUBP_EVENT_H */
