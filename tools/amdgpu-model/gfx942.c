// SPDX-License-Identifier: GPL-2.0
/*
 * Aqua Vanjaram: graphics 9.4.3. One die with one graphics core and four SDMA engines
 * of what silicon has of both. No header of amdgpu has addresses of its registers, as it
 * takes them from the discovery table; they are mostly those of Aldebaran here.
 */
#include "soc15_hw_ip.h"
#include "nbio/nbio_7_9_0_offset.h"

#include "isa/gfx9/gfx9.h"

#include "offsets.h"
#include "personality.h"

static const unsigned int gc[] = { 0x2000, 0xa000 };
/*
 * Not where those of Aldebaran are: what the lower 16 bits say is the graphics core's
 * (from 0x2000 and 0xa000 on), amdgpu takes for an address of that in its rings.
 */
static const unsigned int mmhub[] = { 0x14000 };
static const unsigned int athub[] = { 0xc20, 0x2408c00 };
static const unsigned int osssys[] = { 0x10a0 };
static const unsigned int hdp[] = { 0xf20 };
/* amdgpu reads the size of VRAM before it knows where NBIO is: as on all GPUs */
static const unsigned int nbio[] = {
	0, 0x14, 0xd20, 0x10400, 0x241b000, 0x4040000, 0, 0, 0x5000000,
};
static const unsigned int sdma[][1] = { { 0x1260 }, { 0x1860 }, { 0x14e00 }, { 0x15200 } };
static const unsigned int smuio[] = { 0x16800, 0x16a00, 0x2401000 };
static const unsigned int mp[] = { 0x16000 };
static const unsigned int df[] = { 0x7000, 0x240b800, 0x7c00000, 0, 0x7000 };
static const unsigned int vcn[] = { 0x7800, 0x7e00 };

static const struct register_block blocks[] = {
	{ "GC", gc, -1, gc_9_4_3 },
	{ "GC", gc, -1, gc_9_0 },
	{ "MMHUB", mmhub, -1, mmhub_1_8_0 },
	{ "OSSSYS", osssys, -1, osssys_4_4_2 },
	{ "HDP", hdp, -1, hdp_4_4_2 },
	{ "NBIO", nbio, -1, nbio_7_9_0 },
	{ "SDMA0", sdma[0], -1, sdma_4_4_2 },
	{ "SDMA1", sdma[1], -1, sdma_4_4_2 },
	{ "SDMA2", sdma[2], -1, sdma_4_4_2 },
	{ "SDMA3", sdma[3], -1, sdma_4_4_2 },
	{ "SMUIO", smuio, -1, smuio_13_0_3 },
	{ "ATHUB", athub, -1, athub_1_8_0 },
	{ "MP0", mp, -1, mp_13_0_6 },
	{ 0 }
};

#define IP(hw_id, instance, major, minor, revision, segments)		\
	{ hw_id, instance, major, minor, revision, segments,		\
	  sizeof(segments) / sizeof((segments)[0]) }

static const struct ip_version ips[] = {
	IP(GC_HWID, 0, 9, 4, 3, gc),
	IP(MMHUB_HWID, 0, 1, 8, 0, mmhub),
	IP(ATHUB_HWID, 0, 1, 8, 0, athub),
	IP(OSSSYS_HWID, 0, 4, 4, 2, osssys),
	IP(HDP_HWID, 0, 4, 4, 2, hdp),
	IP(NBIF_HWID, 0, 7, 9, 0, nbio),
	IP(SDMA0_HWID, 0, 4, 4, 2, sdma[0]),
	IP(SDMA0_HWID, 1, 4, 4, 2, sdma[1]),
	IP(SDMA0_HWID, 2, 4, 4, 2, sdma[2]),
	IP(SDMA0_HWID, 3, 4, 4, 2, sdma[3]),
	IP(SMUIO_HWID, 0, 13, 0, 3, smuio),
	IP(MP0_HWID, 0, 13, 0, 6, mp),
	IP(MP1_HWID, 0, 13, 0, 6, mp),
	IP(DF_HWID, 0, 4, 3, 0, df),
	/* without it amdgpu does not start; tests leave it out */
	IP(VCN_HWID, 0, 4, 0, 3, vcn),
	{ 0 }
};

#define NBIO(reg)	(reg)
#define NBIO_2(reg)	(0xd20 + (reg))

/* what other generations call otherwise */
static const struct register_extra extras[] = {
	{ NBIO(regBIF_BX_PF0_MM_INDEX), "NBIO MM_INDEX" },
	{ NBIO(regBIF_BX_PF0_MM_INDEX_HI), "NBIO MM_INDEX_HI" },
	{ NBIO(regBIF_BX_PF0_MM_DATA), "NBIO MM_DATA" },
	{ NBIO(regBIF_BX0_PCIE_INDEX2), "NBIO PCIE_INDEX2" },
	{ NBIO(regBIF_BX0_PCIE_DATA2), "NBIO PCIE_DATA2" },
	{ NBIO_2(regRCC_DEV0_EPF0_RCC_CONFIG_MEMSIZE), "NBIO RCC_CONFIG_MEMSIZE" },
	{ NBIO_2(regBIF_BX_PF0_GPU_HDP_FLUSH_REQ), "NBIO GPU_HDP_FLUSH_REQ" },
	{ NBIO_2(regBIF_BX_PF0_GPU_HDP_FLUSH_DONE), "NBIO GPU_HDP_FLUSH_DONE" },
	/* where amdgpu has HDP_MEM_COHERENCY_FLUSH_CNTL remapped */
	{ 0x1fc00, "HDP REMAPPED_MEM_FLUSH" },
	{ 0x1fc01, "HDP REMAPPED_REG_FLUSH" },
	{ 0 }
};

#define VRAM_SIZE	(256ull << 20)

static const struct register_reset resets[] = {
	COMMON_RESETS(VRAM_SIZE),
	{ "NBIO BIF_BX_PF0_PARTITION_MEM_STATUS", 0x10 },	/* NPS_MODE: one */
	{ "NBIO BIF_BX_PF0_PARTITION_MEM_CAP", 1 },
	/* STRAP_ATI_REV_ID: 0 would be gfx941 */
	{ "NBIO RCC_STRAP0_RCC_DEV0_EPF0_STRAP0", 1 << 24 },
	{ "NBIO BIF_BX0_BIOS_SCRATCH_7", 0x200 },	/* the VBIOS has run */
	{ "GC CP_HYP_XCP_CTL", 1 << 3 },	/* NUM_XCC_IN_XCP */
	{ 0 }
};

const struct personality personality_gfx942 = {
	.name		= "gfx942",
	.arch		= GFX9_GFX942,
	.device		= 0x74a1,
	.subsystem	= 0x74a1,
	.class_code	= 0x120000,	/* processing accelerator */
	.ips		= ips,
	.vram_size	= VRAM_SIZE,
	.nr_sdma	= 4,
	.sdma_prefix	= "SDMA_",
	.gc_node	= 1,
	.blocks		= blocks,
	.extras		= extras,
	.resets		= resets,
	.mec		= "gc_9_4_3_mec",
	.rlc		= "gc_9_4_3_rlc",
	.sdma		= "sdma_4_4_2",
	.granule	= 128,
	.nr_se		= 4,
	.nr_cu		= 10,
};
