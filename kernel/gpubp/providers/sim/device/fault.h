/* SPDX-License-Identifier: GPL-2.0 */
/* Fault injection: each fault fails one in N occasions. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_FAULT_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_FAULT_H

#include <linux/atomic.h>
#include <linux/types.h>

struct sim_device;

/**
 * enum sim_fault - what can go wrong
 * @SIM_FAULT_PROGRAM: a slot of a commit cannot be programmed (-EIO)
 * @SIM_FAULT_SLOW: a commit takes 20 ms longer
 * @SIM_FAULT_UNDRAINED: a commit does not wait for old hits
 * @SIM_FAULT_INTERRUPT: an entry is written but no interrupt is raised
 * @SIM_FAULT_MESSAGE: an entry is lost before it is written to the ring
 * @SIM_FAULT_OVERFLOW: the ring appears full for one entry
 * @SIM_FAULT_RESET: the GPU resets itself when a hit is reported
 * @SIM_FAULT_SAVE: a wave cannot be saved
 * @SIM_FAULT_SUSPEND: contexts cannot be suspended (-ETIMEDOUT)
 * @SIM_FAULT_INSTALL: a trap handler cannot be installed (-EIO)
 * @SIM_FAULT_ALLOC: no memory for the core (-ENOMEM)
 * @SIM_FAULT_READ: registers of a stopped wave cannot be read (-ESRCH)
 * @SIM_FAULT_SPURIOUS: a single step executes nothing
 * @SIM_FAULT_OVERSTEP: the trap behind a single step is lost: the wave executes
 *	one more instruction
 * @SIM_NR_FAULTS: number of faults
 */
enum sim_fault {
	SIM_FAULT_PROGRAM,
	SIM_FAULT_SLOW,
	SIM_FAULT_UNDRAINED,
	SIM_FAULT_INTERRUPT,
	SIM_FAULT_MESSAGE,
	SIM_FAULT_OVERFLOW,
	SIM_FAULT_RESET,
	SIM_FAULT_SAVE,
	SIM_FAULT_SUSPEND,
	SIM_FAULT_INSTALL,
	SIM_FAULT_ALLOC,
	SIM_FAULT_READ,
	SIM_FAULT_SPURIOUS,
	SIM_FAULT_OVERSTEP,
	SIM_NR_FAULTS,
};

/**
 * struct sim_faults - faults of a device
 * @every: one in this many occasions fails, 0 none; written through debugfs
 * @seen: occasions while @every was not 0
 * @planted: injected faults
 */
struct sim_faults {
	u32 every[SIM_NR_FAULTS];
	atomic_t seen[SIM_NR_FAULTS];
	atomic_t planted[SIM_NR_FAULTS];
};

extern const char * const sim_fault_names[SIM_NR_FAULTS];

bool sim_fault(struct sim_device *dev, enum sim_fault fault);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_FAULT_H */
