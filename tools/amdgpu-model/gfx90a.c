// SPDX-License-Identifier: GPL-2.0
/* Aldebaran (MI210): graphics 9.4.2. */
#include "aldebaran_ip_offset.h"

#include "isa/gfx9/gfx9.h"

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

#define VRAM_SIZE	(256ull << 20)

static const struct register_reset resets[] = {
	COMMON_RESETS(VRAM_SIZE),
	{ "NBIO BIOS_SCRATCH_7", 0x200 },	/* the VBIOS has run */
	{ 0 }
};

const struct personality personality_gfx90a = {
	.name		= "gfx90a",
	.arch		= GFX9_GFX90A,
	.device		= 0x740f,
	.subsystem	= 0x0c34,
	.class_code	= 0x038000,	/* display controller */
	.vram_size	= VRAM_SIZE,
	.nr_sdma	= 5,
	.sdma_prefix	= "SDMA0_",
	.blocks		= blocks,
	.extras		= extras,
	.resets		= resets,
	.mec		= "aldebaran_mec",
	.rlc		= "aldebaran_rlc",
	.sdma		= "aldebaran_sdma",
	.granule	= 64,
	.nr_se		= 8,
	.nr_cu		= 16,
};
