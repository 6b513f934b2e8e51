/* SPDX-License-Identifier: GPL-2.0 */
/* Sample: write a match as a sample of an event. */
#ifndef _GPUBP_PERF_SAMPLE_H
#define _GPUBP_PERF_SAMPLE_H

#include "../compat/perf.h"

struct gpubp_binding;
struct gpubp_hit_cell;
struct gpubp_hit_match;

void gpubp_sample_fill(struct gpubp_sample *sample,
		       const struct gpubp_hit_cell *cell,
		       const struct gpubp_hit_match *m);
void gpubp_match_delivered(struct gpubp_event *gev, struct gpubp_hit_cell *cell,
			   const struct gpubp_hit_match *m);
bool gpubp_binding_has(const struct gpubp_binding *b,
		       const struct gpubp_hit_cell *first);
bool gpubp_event_was_on(const struct gpubp_event *gev,
			const struct gpubp_hit_cell *first);
bool gpubp_event_would_want(const struct gpubp_event *gev,
			    const struct gpubp_hit_cell *cell,
			    const struct gpubp_hit_match *m);
const struct gpubp_hit_match *
gpubp_event_match(struct gpubp_event *gev,
		  const struct gpubp_hit_cell *cell);
bool gpubp_sample_is_written(struct gpubp_event *gev,
			     const struct gpubp_hit_cell *cell);
int gpubp_sample_output(struct gpubp_event *gev, struct gpubp_hit_cell *cell,
			const struct gpubp_hit_match *m,
			const struct gpubp_sample_ids *ids);

#endif /* _GPUBP_PERF_SAMPLE_H */
