/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breaks: the committer's part. What is not to be armed any more is taken out
 * before a commit, which may end the traps of its context; what is to be armed is
 * put in behind it, when all waves of its context trap.
 */
#ifndef _GPUBP_BREAKS_H
#define _GPUBP_BREAKS_H

#include <linux/types.h>

struct gpubp_device;

bool gpubp_breaks_choose(struct gpubp_device *dev);
bool gpubp_breaks_go(struct gpubp_device *dev);
bool gpubp_breaks_come(struct gpubp_device *dev, bool lost);

#endif /* _GPUBP_BREAKS_H */
