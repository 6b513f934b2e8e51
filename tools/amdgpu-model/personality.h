/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A GPU that the model can be. What differs between GPUs is data: which PCI device
 * it is, where its registers are, what they hold after power-on.
 */
#ifndef AMDGPU_MODEL_PERSONALITY_H
#define AMDGPU_MODEL_PERSONALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_NR_SDMA	8

/**
 * struct register_offset - made from amdgpu's headers by offsets.sed
 * @name: without the prefix "mm" or "reg"; NULL ends a list
 * @offset: dwords from the segment
 * @segment: index of the segment
 */
struct register_offset {
	const char *name;
	uint32_t offset;
	uint8_t segment;
};

/**
 * struct register_block - registers of an IP block
 * @name: in the log; NULL ends a list
 * @segments: addresses of the segments, in dwords, as amdgpu's *_ip_offset.h has them
 * @only: the one segment that is used whatever the header says, or -1
 * @list: the registers
 */
struct register_block {
	const char *name;
	const unsigned int *segments;
	int only;
	const struct register_offset *list;
};

/**
 * struct register_reset - a register that is not 0 after power-on
 * @name: "BLOCK NAME"; NULL ends a list
 * @value: what it holds
 */
struct register_reset {
	const char *name;
	uint32_t value;
};

/*
 * What all of them hold after power-on: where VRAM is, in 16 MiB, its size, and that
 * the board's firmware is ready.
 */
#define FB_BASE		0x8000
#define COMMON_RESETS(vram_size)						\
	{ "NBIO RCC_CONFIG_MEMSIZE", (vram_size) >> 20 },			\
	{ "MP0 MP0_SMN_C2PMSG_33", 0x80000000 },				\
	{ "GC MC_VM_FB_LOCATION_BASE", FB_BASE },				\
	{ "GC MC_VM_FB_LOCATION_TOP", FB_BASE + ((vram_size) >> 24) - 1 },	\
	{ "MMHUB MC_VM_FB_LOCATION_BASE", FB_BASE },				\
	{ "MMHUB MC_VM_FB_LOCATION_TOP", FB_BASE + ((vram_size) >> 24) - 1 }

/**
 * struct register_extra - a register that no header of amdgpu names
 * @index: address in dwords
 * @name: "BLOCK NAME"; NULL ends a list
 */
struct register_extra {
	uint32_t index;
	const char *name;
};

/**
 * struct ip_version - an IP block, as amdgpu reads of it in the discovery table
 * @hw_id: *_HWID of soc15_hw_ip.h; 0 ends a list
 * @instance: number among those of the same @hw_id
 * @major: version
 * @minor: same
 * @revision: same
 * @segments: addresses of its registers, in dwords
 * @nr_segments: how many
 */
struct ip_version {
	uint16_t hw_id;
	uint8_t instance;
	uint8_t major;
	uint8_t minor;
	uint8_t revision;
	const unsigned int *segments;
	unsigned int nr_segments;
};

/**
 * struct personality - a GPU
 * @name: of the architecture, as compilers call it
 * @arch: same, as the interpreter of waves calls it (enum gfx9_arch)
 * @device: PCI device
 * @subsystem: PCI subsystem
 * @class_code: PCI class
 * @ips: in the discovery table; NULL: there is none, amdgpu knows them by @device
 * @vram_size: bytes
 * @nr_sdma: SDMA engines
 * @sdma_prefix: of the names of their registers
 * @gc_node: node ID of the graphics core's interrupts; the rest has 0
 * @blocks: where registers are
 * @extras: registers beside those
 * @resets: values after power-on
 * @mec: name of a firmware file, without .bin
 * @rlc: same
 * @sdma: same
 * @granule: smallest block that a comparator matches: bits that TCP_WATCH0_ADDR_L lacks
 * @nr_se: shader engines
 * @nr_cu: compute units of a shader engine
 */
struct personality {
	const char *name;
	unsigned int arch;
	uint16_t device;
	uint16_t subsystem;
	uint32_t class_code;
	const struct ip_version *ips;
	uint64_t vram_size;
	unsigned int nr_sdma;
	const char *sdma_prefix;
	uint8_t gc_node;
	const struct register_block *blocks;
	const struct register_extra *extras;
	const struct register_reset *resets;
	const char *mec;
	const char *rlc;
	const char *sdma;
	unsigned int granule;
	unsigned int nr_se;
	unsigned int nr_cu;
};

extern const struct personality personality_gfx90a;
extern const struct personality personality_gfx942;

/*
 * Patterns of fnmatch() on "BLOCK NAME", ended by NULL: registers that hold what is
 * written and do nothing else that a driver could see.
 */
extern const char * const plain_registers[];

/** personality_find() - by name, NULL: there is none */
const struct personality *personality_find(const char *name);

#endif /* AMDGPU_MODEL_PERSONALITY_H */
