// SPDX-License-Identifier: GPL-2.0
/* Histogram without LDS: one atomic add per lane, results unused. */
#include "gpu.h"

__kernel WORKGROUP(64, 1)
void histogram(__global const uint *in, __global uint *bins, uint nr_bins)
{
	uint bin = in[GLOBAL_X(64)] & (nr_bins - 1);

	__atomic_fetch_add(&bins[bin], 1u, RELAXED);
}
