/* SPDX-License-Identifier: GPL-2.0 */
/* Candidates: watches as the policy sees them. */
#ifndef _GPUBP_CAND_H
#define _GPUBP_CAND_H

struct gpubp_commit;

int gpubp_cands_choose(struct gpubp_commit *c);
void gpubp_cands_put(struct gpubp_commit *c);
int gpubp_cands_init(void);
void gpubp_cands_exit(void);

#endif /* _GPUBP_CAND_H */
