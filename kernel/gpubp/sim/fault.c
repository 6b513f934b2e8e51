// SPDX-License-Identifier: GPL-2.0
/* Planted faults. Who might fail asks here first. */
#include <linux/compiler.h>

#include "device.h"
#include "fault.h"

/**
 * sim_fault() - shall this occasion go wrong?
 * @dev: device
 * @fault: in which way
 *
 * Any context.
 */
bool sim_fault(struct sim_device *dev, enum sim_fault fault)
{
	struct sim_faults *faults = &dev->faults;
	u32 every = READ_ONCE(faults->every[fault]);

	if (!every || (u32)atomic_inc_return(&faults->seen[fault]) % every)
		return false;
	atomic_inc(&faults->planted[fault]);
	return true;
}
