/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watch sets: many watches behind one event.
 *
 * The members belong to the set, not to its events. A *set binding* binds a set
 * to a context: it has one binding from each member to a watch of that context.
 * All events of the set share its set binding in a context, so that memory and
 * the work of an update are per context, however many copies of an event perf
 * record opens.
 */
#ifndef _GPUBP_EVENT_SET_H
#define _GPUBP_EVENT_SET_H

#include "../core/core.h"

struct gpubp_set_watch;
struct gpubp_sync;

/* gpubp_set_binding.next: every member is bound */
#define GPUBP_SET_BINDING_FULL	U64_MAX

/* of a member that is bound, of the budget of gpubp_set_binding_fill() */
#define GPUBP_MEMBER_COST	64

/* set.c */
int gpubp_sets_init(void);
void gpubp_sets_exit(void);

/* set_binding.c */
struct gpubp_set_binding *gpubp_set_binding_get(struct gpubp_watch_set *set,
						struct gpubp_ctx *ctx);
void gpubp_set_binding_join(struct gpubp_set_binding *set_binding,
			    struct gpubp_binding *b);
void gpubp_set_binding_free(struct gpubp_set_binding *set_binding);
bool gpubp_set_binding_fill(struct gpubp_set_binding *set_binding,
			    unsigned int *budget);
void gpubp_set_bindings_update(struct gpubp_watch_set *set,
			       struct gpubp_member **members,
			       const struct gpubp_set_watch *watches,
			       unsigned int nr);
int gpubp_set_bindings_init(void);
void gpubp_set_bindings_exit(void);

#endif /* _GPUBP_EVENT_SET_H */
