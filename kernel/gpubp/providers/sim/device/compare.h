/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one comparator (TCP_WATCHn) says to one memory instruction.
 *
 * Pure: no lock, no time, no device; compiles in user space.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_COMPARE_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_COMPARE_H

#include <linux/types.h>

#include "../wave/wave.h"

#define SIM_VA_BITS	48

/**
 * struct sim_comparator - a comparator's registers, taken apart
 * @granule: bytes of a request: each that an access touches is looked at
 * @value: address compared
 * @mask: its bits that are
 * @mode: CNTL.MODE
 */
struct sim_comparator {
	u32 granule;
	u64 value;
	u64 mask;
	u8 mode;
};

/**
 * struct sim_request - what a memory instruction does
 * @kind: kind of access
 * @width: bytes a lane
 * @lanes: lanes that access
 * @addrs: where
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
