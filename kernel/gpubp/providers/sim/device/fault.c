// SPDX-License-Identifier: GPL-2.0
/* Fault injection: each function that may fail calls sim_fault() first. */
#include <linux/compiler.h>

#include "device.h"
#include "fault.h"

const char * const sim_fault_names[SIM_NR_FAULTS] = {
	[SIM_FAULT_PROGRAM]	= "program",
	[SIM_FAULT_SLOW]	= "slow",
	[SIM_FAULT_UNDRAINED]	= "undrained",
	[SIM_FAULT_INTERRUPT]	= "interrupt",
	[SIM_FAULT_MESSAGE]	= "message",
	[SIM_FAULT_OVERFLOW]	= "overflow",
	[SIM_FAULT_RESET]	= "reset",
	[SIM_FAULT_SAVE]	= "save",
	[SIM_FAULT_SUSPEND]	= "suspend",
	[SIM_FAULT_INSTALL]	= "install",
	[SIM_FAULT_ALLOC]	= "alloc",
	[SIM_FAULT_READ]	= "read",
	[SIM_FAULT_SPURIOUS]	= "spurious",
	[SIM_FAULT_OVERSTEP]	= "overstep",
};

/**
 * sim_fault() - should this occasion fail?
 * @dev: device
 * @fault: kind of fault
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
