// SPDX-License-Identifier: GPL-2.0
/* Aldebaran (MI210): graphics 9.4.2. */
#include "aldebaran_ip_offset.h"

#include "offsets.h"
#include "personality.h"

#define BLOCK(name, list) { #name, name##_BASE.instance[0].segment, -1, list }
/* sdma_v4_0_get_reg_offset(): names of engine 0, one segment, for all engines */
#define SDMA(name, only) { #name, name##_BASE.instance[0].segment, only, sdma0_4_2 }

static const struct register_block blocks[] = {
	BLOCK(GC, gc_9_4_2),
	BLOCK(GC, gc_9_0),
	BLOCK(MMHUB, mmhub_1_7),
	BLOCK(OSSSYS, osssys_4_2_0),
	BLOCK(HDP, hdp_4_0),
	BLOCK(NBIO, nbio_7_4),
	SDMA(SDMA0, 0),
	SDMA(SDMA1, 0),
	SDMA(SDMA2, 1),
	SDMA(SDMA3, 1),
	SDMA(SDMA4, 1),
	BLOCK(SMUIO, smuio_13_0_2),
	BLOCK(ATHUB, athub_1_0),
	BLOCK(MP0, mp_13_0_2),
	BLOCK(THM, thm_11_0_2),
	BLOCK(UMC, umc_6_7_0),
	BLOCK(DF, df_3_6),
	{ 0 }
};

static const struct register_extra extras[] = {
	{ 0x00d35, "NBIO RCC_DEV0_EPF0_STRAP0" },	/* nbio_v7_4_get_rev_id() */
	/* nbio_v7_4.c: ranges of the doorbells of SDMA 2 to 4 */
	{ 0x00ef6, "NBIO BIF_SDMA2_DOORBELL_RANGE" },
	{ 0x00ef7, "NBIO BIF_SDMA3_DOORBELL_RANGE" },
	{ 0x00ef9, "NBIO BIF_SDMA4_DOORBELL_RANGE" },
	/* vega20_ih.c: mmIH_CHICKEN_ALDEBARAN is 0xea from the segment here */
	{ 0x0118a, "OSSSYS IH_CHICKEN" },
	/* where amdgpu has HDP_MEM_COHERENCY_FLUSH_CNTL remapped */
	{ 0x1fc00, "HDP REMAPPED_MEM_FLUSH" },
	{ 0x1fc01, "HDP REMAPPED_REG_FLUSH" },
	{ 0 }
};

#define FB_BASE		0x8000	/* in 16 MiB */
#define VRAM_SIZE	(256ull << 20)

static const struct register_reset resets[] = {
	{ "NBIO RCC_CONFIG_MEMSIZE", VRAM_SIZE >> 20 },
	{ "NBIO BIOS_SCRATCH_7", 0x200 },	/* the VBIOS has run */
	{ "MP0 MP0_SMN_C2PMSG_33", 0x80000000 },	/* firmware of the board is ready */
	{ "GC MC_VM_FB_LOCATION_BASE", FB_BASE },
	{ "GC MC_VM_FB_LOCATION_TOP", FB_BASE + (VRAM_SIZE >> 24) - 1 },
	{ "MMHUB MC_VM_FB_LOCATION_BASE", FB_BASE },
	{ "MMHUB MC_VM_FB_LOCATION_TOP", FB_BASE + (VRAM_SIZE >> 24) - 1 },
	{ 0 }
};

static const char * const plain[] = {
	/* memory hubs: contexts, caches, apertures that are not used */
	"GC VM_*", "MMHUB VM_*", "GC MC_VM_*", "MMHUB MC_VM_*", "MMHUB DAGB*",
	"ATHUB *",
	/* clocks and power */
	"GC RLC_*", "GC *THROTTLE*", "GC GC_CAC_*", "GC CP_MEM_SLP_CNTL",
	"SDMA? SDMA0_CLK_CTRL", "SDMA? SDMA0_POWER_CNTL", "OSSSYS IH_CLK_CTRL",
	"HDP *",
	/* microcode, which nothing executes */
	"GC *UCODE*", "GC CP_CPC_IC_*", "GC CP_MEC_CNTL", "SDMA? SDMA0_UCODE_*",
	"SDMA? SDMA0_F32_CNTL",
	/* queues: what the model does not need to know */
	"GC CP_HQD_*", "GC CP_MQD_*", "GC CP_PQ_*", "GC CP_IQ_WAIT_TIME*",
	"GC CP_MEC_DOORBELL_RANGE_*", "GC CP_ME?_PIPE?_INT_CNTL",
	"GC CP_INT_CNTL_RING0", "GC CPC_INT_CNTL", "GC COMPUTE_*",
	"SDMA? SDMA0_GFX_*", "SDMA? SDMA0_PAGE_*", "SDMA? SDMA0_CNTL",
	"SDMA? SDMA0_PHASE?_QUANTUM", "SDMA? SDMA0_UTCL1_*",
	"SDMA? SDMA0_GB_ADDR_CONFIG*", "SDMA? SDMA0_SEM_WAIT_FAIL_TIMER_CNTL",
	"SDMA? SDMA0_*",
	/* shaders and their caches */
	"GC GDS_*", "GC SQ_*", "GC SPI_*", "GC TA_*", "GC TCP_*", "GC TCI_*",
	"GC TCC_*", "GC DB_DEBUG*", "GC GB_ADDR_CONFIG*", "GC GRBM_*",
	"GC CC_GC_SHADER_ARRAY_CONFIG", "GC GC_USER_SHADER_ARRAY_CONFIG",
	"GC CC_RB_*", "GC GC_USER_RB_*", "GC SCRATCH_*",
	/* interrupts and the bus */
	"OSSSYS IH_*", "NBIO *", "SMUIO *", "MP0 *", "DF *", "THM *", "UMC *",
	NULL
};

const struct personality personality_gfx90a = {
	.name		= "gfx90a",
	.device		= 0x740f,
	.subsystem	= 0x0c34,
	.vram_size	= VRAM_SIZE,
	.nr_sdma	= 5,
	.blocks		= blocks,
	.extras		= extras,
	.resets		= resets,
	.plain		= plain,
	.firmware	= "aldebaran",
	.nr_se		= 8,
	.nr_cu		= 16,
};
