/* SPDX-License-Identifier: GPL-2.0 */
/* Candidates: watches as the policy sees them. */
#ifndef _GPUBP_SCHED_CANDIDATE_H
#define _GPUBP_SCHED_CANDIDATE_H

struct gpubp_commit;

int gpubp_candidates_choose(struct gpubp_commit *c);
void gpubp_candidates_put(struct gpubp_commit *c);
int gpubp_candidates_init(void);
void gpubp_candidates_exit(void);

#endif /* _GPUBP_SCHED_CANDIDATE_H */
