/* SPDX-License-Identifier: GPL-2.0 */
/* Program: from what is wanted to the table that the hardware shall compare. */
#ifndef _GPUBP_PROGRAM_H
#define _GPUBP_PROGRAM_H

#include "policy.h"

struct gpubp_commit;
struct gpubp_device;

struct gpubp_policy_caps gpubp_program_caps(struct gpubp_device *dev);
int gpubp_program_prepare(struct gpubp_commit *c);

#endif /* _GPUBP_PROGRAM_H */
