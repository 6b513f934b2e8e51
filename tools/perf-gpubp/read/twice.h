/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record may write a sample twice: perf_mmap__push() reads the head of a ring, then
 * reads it again for what it writes, and goes on from the first one. What came in between
 * is written again the next time (Documentation/gpubp/design/perf-core.rst).
 */
#ifndef PERF_GPUBP_TWICE_H
#define PERF_GPUBP_TWICE_H

#include <stdbool.h>
#include "wire.h"

#define TWICE_MAX	32	/* samples of one time that are compared */

/**
 * struct twice_sample - what no other sample has
 * @id: of its event, 0 not recorded
 * @ip: pc
 * @hit: the rest; without strings
 */
struct twice_sample {
	uint64_t id;
	uint64_t ip;
	struct wire_hit hit;
};

/**
 * struct twice - samples at the newest time; all zero at the beginning
 * @nr: how many there were
 * @sample: the last of them
 */
struct twice {
	unsigned int nr;
	struct twice_sample sample[TWICE_MAX];
};

/**
 * twice_is_known() - was a sample there before, to the last bit
 * @twice: samples before, in the order of their times
 * @sample: sample; kept. Without a time it is never known
 */
bool twice_is_known(struct twice *twice, const struct twice_sample *sample);

#endif /* PERF_GPUBP_TWICE_H */
