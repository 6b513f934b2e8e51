/* SPDX-License-Identifier: GPL-2.0 */
/* A binding: an event wants a watch, the bench of a watch set, or a trap. */
#ifndef _GPUBP_BIND_H
#define _GPUBP_BIND_H

#include <linux/err.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "../core/account.h"

/* of gpubp_event.judged: no target's key */
#define GPUBP_BEING_JUDGED	ERR_PTR(-EINPROGRESS)

struct gpubp_bench;
struct gpubp_ctx;
struct gpubp_event;
struct gpubp_family;
struct gpubp_trap;
struct gpubp_watch;
struct seq_file;

/**
 * struct gpubp_binding - an event wants a watch, the bench of a watch set, or a
 *	trap
 * @event: the event
 * @ctx: context of what it wants
 * @watch: the watch, or NULL; under the lock of its device
 * @bench: the bench, or NULL; likewise
 * @trap: the trap, or NULL; likewise
 * @watch_id: id of the watch or of the trap, 0 for a bench; for those who hold
 *	no lock
 * @event_node: in gpubp_event.bindings
 * @watch_node: in the bindings of a watch, a bench or a trap; under the device
 *	lock
 * @round: last reconciliation that wanted it; under gpubp_events_lock
 * @pin_node: in gpubp_device.pinned, if @watch is pinned for @event and for no
 *	other of its bindings; under the device lock
 * @family: of @event; not to be dereferenced; likewise
 * @promised: comparators that @family has on each device, 0 if not for @watch;
 *	likewise
 * @group_node: in gpubp_ctx.grouped if @group; under the device lock
 * @group: whom @event shares its turns with, when it was looked at; likewise
 * @rest: hits of a period that its meter left; under the device lock
 * @armed: @seat counts the watch as armed; under the device lock
 * @seat: where its time is measured
 * @rcu: freed after drains
 */
struct gpubp_binding {
	struct gpubp_event *event;
	struct gpubp_ctx *ctx;
	struct gpubp_watch *watch;
	struct gpubp_bench *bench;
	struct gpubp_trap *trap;
	u64 watch_id;
	struct list_head event_node;
	struct list_head watch_node;
	struct list_head pin_node;
	const struct gpubp_family *family;
	struct list_head group_node;
	u64 group;
	u32 round;
	u8 promised;
	u32 rest;
	bool armed;
	struct gpubp_seat seat;
	struct rcu_head rcu;
};

void gpubp_bind_round(void);
void gpubp_bind(struct gpubp_event *gev, unsigned int *budget);
void gpubp_bind_refresh(struct gpubp_event *gev);
void gpubp_unbind(struct gpubp_event *gev);
void gpubp_unbind_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx);
void gpubp_bind_note_waits(struct gpubp_event *gev);
void gpubp_binding_show(const struct gpubp_binding *b, struct seq_file *m);

#endif /* _GPUBP_BIND_H */
