/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Block cover: which aligned power-of-two blocks comparators must match so that
 * no access to a range is missed. Bytes that are matched but not in the range
 * are *stray*.
 *
 * Pure: no lock, no time, no allocation; compiles in user space.
 */
#ifndef _GPUBP_LIB_BLOCK_COVER_H
#define _GPUBP_LIB_BLOCK_COVER_H

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/types.h>

#define GPUBP_MAX_BLOCKS	2

/**
 * struct gpubp_block - addresses that one comparator matches
 * @value: compared address bits; those outside @mask are 0
 * @mask: bits that are compared: all from the block's size up to the device's
 *	highest address bit, at least one. On devices with caps.ternary it may
 *	have holes, but never at the highest bit.
 */
struct gpubp_block {
	u64 value;
	u64 mask;
};

/**
 * struct gpubp_block_caps - blocks that a device can match
 * @granule: smallest block: bytes, power of two
 * @max_block: largest block: bytes, power of two, at least @granule; limited to
 *	half of the address space
 * @va_bits: address bits, 1 to 64
 */
struct gpubp_block_caps {
	u32 granule;
	u64 max_block;
	u32 va_bits;
};

static inline bool gpubp_block_contains(const struct gpubp_block *b, u64 addr)
{
	return (addr & b->mask) == b->value;
}

static inline bool gpubp_block_is_same(const struct gpubp_block *a,
				       const struct gpubp_block *b)
{
	return a->value == b->value && a->mask == b->mask;
}

/* bytes matched: each bit that is not compared doubles them */
static inline u64 gpubp_block_size(const struct gpubp_block *b)
{
	return 1ULL << (fls64(b->mask) - hweight64(b->mask));
}

/* highest address matched; with holes, not all up to it are */
static inline u64 gpubp_block_last(const struct gpubp_block *b)
{
	return b->value | (GENMASK_ULL(fls64(b->mask) - 1, 0) & ~b->mask);
}

int gpubp_block_cover(const struct gpubp_block_caps *caps, u64 addr, u64 len,
		      unsigned int max_blocks,
		      struct gpubp_block out[GPUBP_MAX_BLOCKS]);

#endif /* _GPUBP_LIB_BLOCK_COVER_H */
