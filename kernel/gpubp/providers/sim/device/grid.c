// SPDX-License-Identifier: GPL-2.0
/* Grid of a dispatch, and how many of its workgroups fit on the GPU. */
#include <linux/math64.h>

#include "ctx.h"
#include "device.h"
#include "queue.h"

/** sim_dispatch_wg() - coordinates of workgroup @n */
void sim_dispatch_wg(const struct sim_dispatch *dispatch, u64 n, u32 wg[3])
{
	u32 rest;

	n = div_u64_rem(n, dispatch->nr_groups[0], &wg[0]);
	wg[2] = div_u64_rem(n, dispatch->nr_groups[1], &rest);
	wg[1] = rest;
}

/** sim_dispatch_nr_waves() - most waves of a workgroup */
unsigned int sim_dispatch_nr_waves(const struct sim_dispatch *dispatch)
{
	/* workgroup 0 is full if any is */
	return sim_launch_nr_waves(&dispatch->launch);
}

/**
 * sim_dispatch_max_groups() - workgroups that can be on the GPU at once
 * @dispatch: dispatch, on an otherwise idle GPU
 */
unsigned int sim_dispatch_max_groups(const struct sim_dispatch *dispatch)
{
	const struct sim_device *dev = dispatch->queue->ctx->dev;

	return dev->nr_cus * sim_launch_max_groups(&dispatch->launch,
						   SIM_NR_SIMDS,
						   dev->config.simd_slots);
}
