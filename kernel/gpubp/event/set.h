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

#include "../core/core.h"

struct gpubp_set_watch;
struct gpubp_sync;

#define GPUBP_BENCH_FULL	U64_MAX	/* gpubp_bench.next: every member is bound */

/* set.c */
int gpubp_sets_init(void);
void gpubp_sets_exit(void);

/* set_binding.c */
struct gpubp_bench *gpubp_bench_get(struct gpubp_watch_set *set,
				    struct gpubp_ctx *ctx);
void gpubp_bench_join(struct gpubp_bench *bench, struct gpubp_binding *b);
void gpubp_bench_free(struct gpubp_bench *bench);
bool gpubp_bench_fill(struct gpubp_bench *bench, unsigned int *budget);
void gpubp_benches_update(struct gpubp_watch_set *set,
			  struct gpubp_member **members,
			  const struct gpubp_set_watch *watches,
			  unsigned int nr);
int gpubp_benches_init(void);
void gpubp_benches_exit(void);

#endif /* _GPUBP_SET_H */
