/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers that no GPU has, at an address that no driver uses: a test in the guest
 * asks the model for things by them, through debugfs's amdgpu_regs.
 */
#ifndef AMDGPU_MODEL_CONTROL_REGISTERS_H
#define AMDGPU_MODEL_CONTROL_REGISTERS_H

/* address of the first one, in dwords */
#define CONTROL_BASE	0x1ff00
#define CONTROL_IDENT	0x62707567	/* "gpub" */

#define CONTROL_NO_PROCESS	0xffffffff

/**
 * enum control_register - from CONTROL_BASE
 * @CONTROL_ID: reads CONTROL_IDENT
 * @CONTROL_MARK: a write adds a line "mark VALUE" to the log
 * @CONTROL_PC_LO: pc of the wave to come
 * @CONTROL_PC_HI: its upper half
 * @CONTROL_ADDR_LO: address of its access, in its vector registers 0 and 1 too
 * @CONTROL_ADDR_HI: its upper half
 * @CONTROL_VALUE: value of its access, in its vector register 2 too
 * @CONTROL_PLACE: se << 16 | sh << 12 | cu << 8 | simd << 4 | slot
 * @CONTROL_CODE: that it sends
 * @CONTROL_PASID: its process; 0: the one that was mapped last
 * @CONTROL_STOP: a write stops a wave; bits 3:0 are the comparators that matched;
 *	with bit 8 CONTROL_VALUE is stored to the address before. Reads 0, or the error
 *	of the last time (a positive errno)
 * @CONTROL_WAVES: reads how many waves are halted
 * @CONTROL_RESUMED: reads how many went on
 * @CONTROL_COMPARATORS: reads how many comparators are valid, of all processes;
 *	CONTROL_NO_PROCESS while the driver has none mapped
 * @CONTROL_FAULTS: reads how many FAULT lines the log has
 * @CONTROL_SPURIOUS: one in so many single steps of waves executes nothing, 0: none does
 * @CONTROL_OVERSTEP: one in so many does not trap, and executes one more instruction
 * @CONTROL_WAVE_READS: reads how many registers of waves the driver has read
 * @CONTROL_WAVE_WRITES: reads how often it chose one, or the part of the GPU where the
 *	wave is, or sent a command to waves
 */
enum control_register {
	CONTROL_ID,
	CONTROL_MARK,
	CONTROL_PC_LO,
	CONTROL_PC_HI,
	CONTROL_ADDR_LO,
	CONTROL_ADDR_HI,
	CONTROL_VALUE,
	CONTROL_PLACE,
	CONTROL_CODE,
	CONTROL_PASID,
	CONTROL_STOP,
	CONTROL_WAVES,
	CONTROL_RESUMED,
	CONTROL_COMPARATORS,
	CONTROL_FAULTS,
	CONTROL_SPURIOUS,
	CONTROL_OVERSTEP,
	CONTROL_WAVE_READS,
	CONTROL_WAVE_WRITES,
	CONTROL_NR
};

#endif /* AMDGPU_MODEL_CONTROL_REGISTERS_H */
