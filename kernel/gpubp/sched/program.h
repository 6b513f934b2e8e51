/* SPDX-License-Identifier: GPL-2.0 */
/* Program: from wanted watches and traps to the table for the hardware. */
#ifndef _GPUBP_SCHED_PROGRAM_H
#define _GPUBP_SCHED_PROGRAM_H

struct gpubp_commit;

int gpubp_program_prepare(struct gpubp_commit *c);

#endif /* _GPUBP_SCHED_PROGRAM_H */
