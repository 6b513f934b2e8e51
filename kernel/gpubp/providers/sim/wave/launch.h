/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a kernel descriptor and a dispatch to the registers a wave starts
 * with, as LLVM's AMDGPU usage document (AMDHSA ABI, code object v4) says and
 * SPI does it. Pure.
 *
 * A device does, for each workgroup and each wave of it:
 *
 *	sim_kernel_parse(desc, wave->arch, &kernel)          once a dispatch
 *	nr = sim_launch_nr_waves(&launch)                     once a workgroup
 *	wave->v = room for kernel.nr_vgprs rows of SIM_LANES u32
 *	launch.wave = 0 .. nr - 1
 *	sim_launch_wave(&launch, wave)
 *	wave->hw_id, ->tba, ->tma, ->single_memop, ->max_skid = as the device
 *		has them
 */
#ifndef _GPUBP_PROVIDERS_SIM_WAVE_LAUNCH_H
#define _GPUBP_PROVIDERS_SIM_WAVE_LAUNCH_H

#include <linux/types.h>
#include "../../../isa/gfx9/gfx9.h"

struct sim_wave;

#define SIM_DESC_SIZE		64	/* bytes of a kernel descriptor */

/* vector registers are allocated in blocks of 8, LDS in blocks of 512 bytes */
#define SIM_VGPR_BLOCK		8
#define SIM_SIMD_BLOCKS		(SIM_NR_VGPRS / SIM_VGPR_BLOCK)
#define SIM_LDS_SIZE		65536
#define SIM_LDS_BLOCK		512
#define SIM_LDS_BLOCKS		(SIM_LDS_SIZE / SIM_LDS_BLOCK)

/*
 * Per work-item: COMPUTE_TMPRING_SIZE.WAVESIZE has 13 bits, in units of 1 KiB.
 */
#define SIM_PRIVATE_SIZE	(0x1fff * 1024 / SIM_LANES)

/* bytes of a work-item whose calls have no depth that the compiler knows */
#define SIM_STACK_SIZE		16384

/**
 * struct sim_kernel - decoded kernel descriptor
 * @entry: address of the first instruction, relative to the descriptor's own
 * @lds_size: bytes of LDS per workgroup
 * @private_size: bytes of private memory per work-item
 * @kernarg_size: bytes of kernel arguments
 * @nr_vgprs: vector registers per wave, accumulation registers included
 * @acc_offset: number of the first accumulation register among them
 * @nr_sgprs: scalar registers per wave
 * @rsrc1: COMPUTE_PGM_RSRC1
 * @rsrc2: COMPUTE_PGM_RSRC2
 * @rsrc3: COMPUTE_PGM_RSRC3
 * @properties: which user SGPRs are set up
 */
struct sim_kernel {
	s64 entry;
	u32 lds_size;
	u32 private_size;
	u32 kernarg_size;
	u32 nr_vgprs;
	u32 acc_offset;
	u32 nr_sgprs;
	u32 rsrc1, rsrc2, rsrc3;
	u32 properties;
};

/**
 * struct sim_launch - one wave of one workgroup of one dispatch
 * @kernel: from sim_kernel_parse()
 * @desc_va: GPU address of the descriptor
 * @kernarg: GPU address of the arguments
 * @dispatch_ptr: GPU address of the AQL packet, 0 if there is none
 * @queue_ptr: GPU address of the amd_queue_t, 0 if there is none
 * @dispatch_id: number of the dispatch
 * @grid: size in work-items; need not be a multiple of @workgroup
 * @workgroup: size in work-items
 * @wg: coordinates of this workgroup
 * @wave: number of this wave in its workgroup
 * @scratch: GPU address of the scratch memory of the wave's queue
 * @scratch_size: its size in bytes
 * @scratch_offset: offset of this wave's part (kernel->private_size * 64 bytes)
 * @trap_en: STATUS.TRAP_EN
 * @ttmps: with @trap_en: ttmp6 to ttmp11 are set up, too
 * @excp_en: 9 bits, the exception mask that the device imposes
 * @excp_replace: @excp_en replaces the descriptor's mask, else it adds to it
 */
struct sim_launch {
	const struct sim_kernel *kernel;
	u64 desc_va;
	u64 kernarg;
	u64 dispatch_ptr;
	u64 queue_ptr;
	u64 dispatch_id;
	u32 grid[3];
	u32 workgroup[3];
	u32 wg[3];
	u32 wave;
	u64 scratch;
	u32 scratch_size;
	u32 scratch_offset;
	bool trap_en;
	bool ttmps;
	u32 excp_en;
	bool excp_replace;
};

/**
 * sim_kernel_parse() - decode a kernel descriptor
 * @desc: SIM_DESC_SIZE bytes
 * @arch: processor
 * @kernel: the result
 *
 * Return: 0, or -EINVAL if no wave of @arch can be launched from it (reserved
 * bits, wave32, misaligned entry, too many vector registers, too much LDS or
 * private memory).
 */
int sim_kernel_parse(const void *desc, enum gfx9_arch arch,
		     struct sim_kernel *kernel);

/**
 * sim_kernel_add_stack() - what a runtime does about a stack of unknown size
 * @kernel: from sim_kernel_parse()
 */
void sim_kernel_add_stack(struct sim_kernel *kernel);

/**
 * sim_launch_nr_waves() - number of waves of a workgroup
 * @launch: launch; its @wg selects the workgroup
 *
 * Return: number of waves; fewer for a workgroup at the end of the grid, 0
 * outside the grid.
 */
unsigned int sim_launch_nr_waves(const struct sim_launch *launch);

/**
 * sim_launch_max_groups() - workgroups that a compute unit can hold at once
 * @launch: launch; its @wg selects a workgroup with waves
 * @simds: SIMDs of the compute unit
 * @slots: waves of a SIMD
 *
 * Return: number of workgroups, 0 if none fits.
 */
unsigned int sim_launch_max_groups(const struct sim_launch *launch,
				   unsigned int simds, unsigned int slots);

/**
 * sim_gpr_alloc() - GPR_ALLOC of a wave
 * @arch: processor
 * @nr_vgprs: vector registers, accumulation registers included
 * @acc_offset: number of the first accumulation register among them
 * @nr_sgprs: scalar registers
 */
u32 sim_gpr_alloc(enum gfx9_arch arch, u32 nr_vgprs, u32 acc_offset, u32 nr_sgprs);

/**
 * sim_launch_wave() - initialise the registers of a new wave
 * @launch: launch; its @wg and @wave select the wave
 * @wave: result; all members are written except @v (its rows are zeroed),
 *	@arch, @tba, @tma, @hw_id, @single_memop and @max_skid
 */
void sim_launch_wave(const struct sim_launch *launch, struct sim_wave *wave);

#endif /* _GPUBP_PROVIDERS_SIM_WAVE_LAUNCH_H */
