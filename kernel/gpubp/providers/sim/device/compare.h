/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comparison of a memory instruction with one comparator (TCP_WATCHn).
 *
 * Pure: no lock, no time, no device; compiles in user space.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_COMPARE_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_COMPARE_H

#include <linux/types.h>

#include "../wave/wave.h"

#define SIM_VA_BITS	48

/**
 * struct sim_comparator - decoded registers of a comparator
 * @granule: size of a request in bytes; each request that an access touches is
 *	compared
 * @value: address to compare with
 * @mask: address bits that are compared
 * @mode: CNTL.MODE
 */
struct sim_comparator {
	u32 granule;
	u64 value;
	u64 mask;
	u8 mode;
};

/**
 * struct sim_request - accesses of a memory instruction
 * @kind: kind of access
 * @width: bytes per lane
 * @lanes: bitmap of active lanes
 * @addrs: addresses, by lane
 */
struct sim_request {
	enum sim_access kind;
	unsigned int width;
	u64 lanes;
	const u64 *addrs;
};

void sim_comparator_read(struct sim_comparator *cmp, u32 granule, u32 addr_h,
			 u32 addr_l, u32 cntl);
bool sim_comparator_matches(const struct sim_comparator *cmp,
			    const struct sim_request *req);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_COMPARE_H */
