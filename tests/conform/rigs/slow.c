// SPDX-License-Identifier: GPL-2.0
/* Rig of gpubp_slow. */
#include "../../providers/slow/slow.h"
#include "toy.h"

static void lose(void *gpu, u32 slots)
{
	slow_lose(slots);
}

static void give_back(void *gpu, u32 slots)
{
	slow_give_back(slots);
}

static void fail(void *gpu, u32 slots)
{
	slow_fail(slots);
}

static u32 acquired(void *gpu)
{
	return READ_ONCE(gpubp_slow.toy.acquired);
}

static const struct gpubp_rig slow = {
	.name = "slow",
	.gpu = &gpubp_slow.toy,
	TOY_RIG,
	.run_break = toy_rig_run_break,
	.lose = lose,
	.give_back = give_back,
	.fail = fail,
	.acquired = acquired,
};

gpubp_conform_suite(slow);
