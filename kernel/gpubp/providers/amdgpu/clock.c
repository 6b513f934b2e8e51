// SPDX-License-Identifier: GPL-2.0
/*
 * The clock that waves read (s_memrealtime), and CLOCK_MONOTONIC. It is taken to be the
 * counter that amdkfd gives to processes for that (AMDKFD_IOC_GET_CLOCK_COUNTERS): both
 * count the reference clock.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "kfd_priv.h"

#include "provider.h"

/* clocks drift apart, by some microseconds in this time */
#define MAX_AGE_NS	(100 * NSEC_PER_MSEC)

#define MAX_TICKS	BIT_ULL(40)	/* hours: nothing older is asked for */

/* a period of amdgpu_asic_get_xclk(), which is in 10 kHz */
#define XCLK_NS		100000

/* half of the time that the read takes is how far it may be off */
static void clock_compare(struct gpubp_amd_node *n)
{
	u64 began = ktime_get_ns();

	n->clock.ticks = amdgpu_amdkfd_get_gpu_clock_counter(n->node->adev);
	n->clock.ns = began + (ktime_get_ns() - began) / 2;
}

/** gpubp_amd_clock_init() - of a new node */
void gpubp_amd_clock_init(struct gpubp_amd_node *n)
{
	mutex_init(&n->clock.lock);
}

/** gpubp_amd_has_clock() - is it known how fast it is */
bool gpubp_amd_has_clock(const struct kfd_node *node)
{
	struct amdgpu_device *adev = node->adev;

	return adev->gfx.funcs->get_gpu_clock_counter && amdgpu_asic_get_xclk(adev);
}

/* not called for a suspended device */
u64 gpubp_amd_clock_ns(void *dev, u64 clock)
{
	struct gpubp_amd_node *n = dev;
	s64 ticks;

	guard(mutex)(&n->clock.lock);
	if (!n->clock.ns || ktime_get_ns() - n->clock.ns > MAX_AGE_NS)
		clock_compare(n);
	ticks = clamp_t(s64, clock - n->clock.ticks, -(s64)MAX_TICKS, (s64)MAX_TICKS);
	return n->clock.ns +
	       div_s64(ticks * XCLK_NS, amdgpu_asic_get_xclk(n->node->adev));
}
