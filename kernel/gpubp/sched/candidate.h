/* SPDX-License-Identifier: GPL-2.0 */
/* Candidates: watches as the policy sees them. */
#ifndef _GPUBP_SCHED_CANDIDATE_H
#define _GPUBP_SCHED_CANDIDATE_H

#include <linux/types.h>

struct gpubp_candidate;
struct gpubp_commit;

bool gpubp_candidate_is_exact(const struct gpubp_candidate *cand,
			      unsigned int block);
int gpubp_candidates_choose(struct gpubp_commit *c);
void gpubp_candidates_put(struct gpubp_commit *c);
int gpubp_candidates_init(void);
void gpubp_candidates_exit(void);

#endif /* _GPUBP_SCHED_CANDIDATE_H */
