/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The event room: perf events of PMU gpubp and their bindings to contexts.
 *
 * spec.c decodes an attr. scope.c and rights.c check whether the event can be
 * served and what its opener may do. refusal.c stores why an event was refused,
 * and reason.c has a sentence for each cause; describe.c prints an event.
 * filter.c has the conditions of users.
 *
 * reserve.c reserves comparators for pinned events. reconcile.c binds events to
 * the contexts of their targets, with bind.c and, for members of watch sets,
 * set_binding.c. A binding requests a watch from the scheduler, or a trap from
 * the trap room.
 */
#ifndef _GPUBP_EVENT_EVENT_H
#define _GPUBP_EVENT_EVENT_H

#include "../core/core.h"

struct gpubp_condition;
struct seq_file;

extern struct mutex gpubp_events_lock;

enum gpubp_reason gpubp_spec_decode(const struct perf_event_attr *attr,
				    struct gpubp_spec *spec);
bool gpubp_spec_equal(const struct gpubp_spec *a, const struct gpubp_spec *b);
int gpubp_event_may_want(const struct gpubp_event *gev,
			 const struct gpubp_spec *spec);
void gpubp_event_add(struct gpubp_event *gev);
void gpubp_event_set_on_remove(void (*fn)(u64 id));
void gpubp_bind_take_records(struct gpubp_event *gev);
void gpubp_event_remove(struct gpubp_event *gev);
bool gpubp_events_exist(void);
bool gpubp_events_any_for(struct task_struct *task);
bool gpubp_event_any_wide(bool (*fn)(struct gpubp_event *gev, void *arg),
			  void *arg);
int gpubp_events_init(void);
void gpubp_events_stop(void);
void gpubp_events_exit(void);
int gpubp_event_modify(struct gpubp_event *gev, u64 config, u64 config1,
		       u64 config2);
void gpubp_event_set_caught(struct gpubp_event *gev, bool caught);
void gpubp_events_show(struct seq_file *m);

/* bind.c */
void gpubp_bind_update_gaps(struct gpubp_event *gev);
void gpubp_bind_places(const struct gpubp_event *gev,
		       struct gpubp_places *places);
unsigned int gpubp_bind_elsewhere(struct gpubp_event *gev);

/* filter.c */
struct gpubp_filter *gpubp_filter_create(const struct gpubp_condition *c);
void gpubp_filter_destroy(struct gpubp_filter *filter);
struct gpubp_filter *gpubp_filter_get(u32 id);
struct gpubp_filter *gpubp_filter_share(struct gpubp_filter *filter);
void gpubp_filter_put(struct gpubp_filter *filter);
bool gpubp_filter_fits(const struct gpubp_filter *filter, u64 len);
void gpubp_event_set_filter(struct gpubp_event *gev,
			    struct gpubp_filter *filter);

/* index.c */
void gpubp_event_for_inherited(struct gpubp_event *gev,
			       void (*fn)(struct gpubp_event *gev, void *arg),
			       void *arg);
struct gpubp_event *gpubp_event_by_id(u64 id);
struct gpubp_event *gpubp_event_of(const void *event);
u64 gpubp_event_new_pass(void);

/* reason.c */
int gpubp_reason_error(enum gpubp_reason reason);
const char *gpubp_reason_text(enum gpubp_reason reason);

/* reconcile.c */
void gpubp_event_scheduled(struct gpubp_event *gev);
bool gpubp_event_reconcile(struct gpubp_event *gev, u64 pass);
int gpubp_ctx_wait_armed_for(struct gpubp_ctx *ctx, unsigned long limit);
void gpubp_events_unbind_ctx(struct gpubp_ctx *ctx);

/* refusal.c */
int gpubp_refuse(enum gpubp_reason reason);
enum gpubp_reason gpubp_refusal_take(void);

/* reserve.c */
bool gpubp_needs_reservation(const struct perf_event *event);
int gpubp_reserve(struct gpubp_event *gev);
void gpubp_unreserve(struct gpubp_event *gev);

/* rights.c */
void gpubp_rights_opened(struct gpubp_event *gev);
void gpubp_rights_inherit(struct gpubp_event *gev,
			  const struct gpubp_event *parent);
void gpubp_rights_bound(struct gpubp_event *gev);
void gpubp_rights_put(struct gpubp_event *gev);
bool gpubp_opener_may_patch(const struct perf_event *event);
u32 gpubp_rights_now(const struct gpubp_event *gev);

/* scope.c */
bool gpubp_in_scope(const struct gpubp_spec *spec,
		    const struct gpubp_device *dev);
enum gpubp_reason gpubp_scope_reason(struct gpubp_spec *spec);
int gpubp_scope_check(struct gpubp_spec *spec);

/* set.c */
struct gpubp_watch_set *gpubp_set_create(void);
struct gpubp_watch_set *gpubp_set_get(u32 id);
void gpubp_set_put(struct gpubp_watch_set *set);
void gpubp_set_destroy(struct gpubp_watch_set *set);
int gpubp_set_update(struct gpubp_watch_set *set,
		     struct gpubp_set_watch *watches, unsigned int nr,
		     unsigned int *bad,
		     int (*publish)(struct gpubp_set_watch *watches,
				    unsigned int nr, void *arg),
		     void *arg);
void gpubp_set_bindings_reap(const struct gpubp_watch_set *set,
			     const struct gpubp_ctx *ctx);
void gpubp_set_binding_sync(struct gpubp_set_binding *set_binding,
			    struct gpubp_sync *sync);
struct gpubp_member_binding *gpubp_member_of(struct gpubp_watch *watch, u64 id);

#endif /* _GPUBP_EVENT_EVENT_H */
