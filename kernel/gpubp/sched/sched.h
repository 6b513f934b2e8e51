/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The room of the scheduler: which watch has which comparator, and when.
 *
 * sched.c is the worker of a device; each of its runs is a commit: candidate.c says
 * what is wanted, program.c which of it is armed, commit.c makes the hardware so.
 * throttle.c keeps out what stops too many waves, coalesce.c widens comparators over
 * several watches, handler_count.c has hits counted by the trap handler.
 */
#ifndef _GPUBP_SCHED_H
#define _GPUBP_SCHED_H

#include <linux/types.h>

#include "../core/context.h"
#include "../core/device.h"
#include "../lib/policy.h"
#include "../lib/range_trie.h"
#include "handler_count.h"
#include "throttle.h"

/**
 * struct gpubp_dev_sched - of a device
 * @dev: the device
 * @policy: state of the policy; under the device lock
 * @policy_kind: enum gpubp_policy_kind, from the next quantum on
 * @metering: comparators whose hits the handler counts
 * @stall: of waves that were stopped for too long
 */
struct gpubp_dev_sched {
	struct gpubp_device *dev;
	struct gpubp_policy policy;
	u8 policy_kind;
	struct gpubp_metering metering;
	struct gpubp_stall stall;
};

/**
 * struct gpubp_ctx_sched - of a context
 * @tries: of its watched bytes, for each enum gpubp_mode that they need; under the
 *	device lock
 * @meters: comparators whose hits the handler counts
 * @stall: whether its waves are stopped for too long
 */
struct gpubp_ctx_sched {
	struct gpubp_range_trie tries[GPUBP_MODE_ALL + 1];
	struct gpubp_meters meters;
	struct gpubp_stall_ctx stall;
};

int gpubp_sched_init(void);
void gpubp_sched_exit(void);
int gpubp_sched_init_device(struct gpubp_device *dev);
void gpubp_sched_stop(struct gpubp_device *dev);
int gpubp_sched_init_ctx(struct gpubp_ctx *ctx);
void gpubp_sched_suspended(struct gpubp_device *dev);
const char *gpubp_sched_policy(const struct gpubp_device *dev);
int gpubp_sched_set_policy(struct gpubp_device *dev, const char *name);

#endif /* _GPUBP_SCHED_H */
