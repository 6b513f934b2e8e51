/* SPDX-License-Identifier: GPL-2.0 */
/* Emit: a match becomes a sample of an event that wants it. */
#ifndef _GPUBP_EMIT_H
#define _GPUBP_EMIT_H

#include <linux/types.h>
#include <uapi/linux/gpubp.h>

struct gpubp_event;
struct gpubp_hit_cell;
struct gpubp_hit_match;
struct gpubp_owner;

/**
 * struct gpubp_behalf - whose sample it is, where that is not current
 * @owner: the task, NULL nobody is left
 * @leader: its thread group leader, likewise
 */
struct gpubp_behalf {
	const struct gpubp_owner *owner;
	const struct gpubp_owner *leader;
};

/**
 * struct gpubp_emission - one sample being written
 * @record: the raw record, which perf writes to the ring; perf rewrites its
 *	first 8 bytes
 * @weight: hits that it stands for
 * @credited: hits before these of the period that they end, counted already
 * @behalf: on whose behalf, NULL current's
 * @chain: where @behalf, room for a struct perf_callchain_entry
 * @sampled: perf wrote a sample, or called back
 */
struct gpubp_emission {
	struct gpubp_hit_record record;
	u64 weight;
	u64 credited;
	const struct gpubp_behalf *behalf;
	u64 chain[3];
	bool sampled;
};

void gpubp_emission_fill(struct gpubp_emission *em,
			 const struct gpubp_hit_cell *cell,
			 const struct gpubp_hit_match *m);
void gpubp_match_given(struct gpubp_event *gev, struct gpubp_hit_cell *cell,
		       const struct gpubp_hit_match *m);
bool gpubp_event_wants(const struct gpubp_event *gev,
		       const struct gpubp_hit_cell *cell,
		       const struct gpubp_hit_match *m);
const struct gpubp_hit_match *
gpubp_event_match(struct gpubp_event *gev,
		  const struct gpubp_hit_cell *cell);
int gpubp_emit_once(struct gpubp_event *gev, struct gpubp_hit_cell *cell,
		    const struct gpubp_hit_match *m,
		    const struct gpubp_behalf *behalf);

#endif /* _GPUBP_EMIT_H */
