/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration of a software GPU: set before the device is created, constant
 * afterwards.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_CONFIG_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_CONFIG_H

#include <linux/gpubp.h>
#include <linux/types.h>

#include "../../../isa/gfx9/gfx9.h"

#define SIM_MAX_CUS		16	/* HW_ID.CU has 4 bits */

/**
 * enum sim_personality - GPU that is modelled
 * @SIM_GFX90A: banked control words, exceptions by SPI_GDBG_PER_VMID_CNTL, OR
 *	and replace, precise memory
 * @SIM_GFX900: control words tagged with a VMID, one exception mask for all
 *	VMIDs (SPI_GDBG_TRAP_CONFIG, _MASK) that only adds, no precise memory
 * @SIM_GFX942: registers as of gfx90a; one XCC
 */
enum sim_personality {
	SIM_GFX90A,
	SIM_GFX900,
	SIM_GFX942,
};

/**
 * struct sim_config - a software GPU's description
 * @personality: enum sim_personality
 * @residency: enum gpubp_residency: how VMIDs are allocated and reported
 * @nr_cus: compute units, one thread each, 1 to SIM_MAX_CUS
 * @simd_slots: wave slots per SIMD, 1 to SIM_SIMD_SLOTS
 * @nr_watch: comparators, 1 to GPUBP_MAX_SLOTS
 * @granule: granule of a comparator, 64 or 128 bytes
 * @nr_vmids: VMIDs for programs, 1 to SIM_NR_VMIDS - 1
 * @ih_entries: entries of the interrupt ring, 1 to 65536
 * @skid: without precise memory a hit traps after at most this many
 *	instructions, 0 to 64; the number varies
 * @quantum_ms: time for which a context keeps its VMID while others wait, 1 to
 *	10000
 * @preempt_ms: contexts that cannot be saved within this time are reset, 1 to
 *	60000
 * @ternary: 1: report to the core that masks may have holes. The comparators
 *	support them in any case; silicon is not proven to.
 * @ttmps: 1: waves that trap get their workgroup and dispatch in TTMPs at
 *	launch. Silicon does so where the runtime enabled it; gfx942 always.
 * @end_halts: 1: a wave that is halted at the end of its program can be saved;
 *	silicon before gfx942 cannot do that
 */
struct sim_config {
	enum sim_personality personality;
	enum gpubp_residency residency;
	u32 nr_cus;
	u32 simd_slots;
	u32 nr_watch;
	u32 granule;
	u32 nr_vmids;
	u32 ih_entries;
	u32 skid;
	u32 quantum_ms;
	u32 preempt_ms;
	u32 ternary;
	u32 ttmps;
	u32 end_halts;
};

/* SIM_SIMD_SLOTS and SIM_NR_VMIDS: device.h */
#define SIM_CONFIG_DEFAULT {					\
	.personality	= SIM_GFX90A,				\
	.residency	= GPUBP_RESIDENCY_REPORTED,		\
	.nr_cus		= 2,					\
	.simd_slots	= SIM_SIMD_SLOTS,			\
	.nr_watch	= 4,					\
	.granule	= 64,					\
	.nr_vmids	= SIM_NR_VMIDS - 1,			\
	.ih_entries	= 256,					\
	.skid		= 4,					\
	.quantum_ms	= 20,					\
	.preempt_ms	= 2000,					\
	.ttmps		= 1,					\
}

void sim_config_init(struct sim_config *config);
int sim_config_check(const struct sim_config *config);
const struct gpubp_isa *sim_config_isa(const struct sim_config *config);
enum gfx9_arch sim_config_arch(const struct sim_config *config);

/*
 * sim_config_banked() - does each VMID have its own comparator control words?
 */
static inline bool sim_config_banked(const struct sim_config *config)
{
	return config->personality != SIM_GFX900;
}

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_CONFIG_H */
