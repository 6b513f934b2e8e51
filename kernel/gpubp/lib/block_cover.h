/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cover: which aligned power-of-two blocks a comparator must compare so that
 * no access to a range can escape it.
 *
 * Pure: no lock, no time, no allocation; compiles in user space.
 */
#ifndef _GPUBP_COVER_H
#define _GPUBP_COVER_H

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/types.h>

#define GPUBP_MAX_BLOCKS	2

/**
 * struct gpubp_block - what one comparator compares
 * @value: compared address bits; those outside @mask are 0
 * @mask: the bits that are compared: all from the block's size up to the
 *	device's highest address bit, never none. Where a device can (caps.ternary)
 *	it may have holes, but not the highest bit.
 */
struct gpubp_block {
	u64 value;
	u64 mask;
};

/**
 * struct gpubp_cover_caps - blocks that a device can compare
 * @granule: smallest, bytes, power of two
 * @max_block: largest, bytes, power of two, at least @granule; more than half
 *	of the address space is taken as half
 * @va_bits: bits of an address, 1 to 64
 */
struct gpubp_cover_caps {
	u32 granule;
	u64 max_block;
	u32 va_bits;
};

static inline bool gpubp_block_contains(const struct gpubp_block *b, u64 addr)
{
	return (addr & b->mask) == b->value;
}

/* bytes compared: each bit that is not doubles them */
static inline u64 gpubp_block_size(const struct gpubp_block *b)
{
	return 1ULL << (fls64(b->mask) - hweight64(b->mask));
}

/* the highest of its addresses; between it and @value there may be others */
static inline u64 gpubp_block_last(const struct gpubp_block *b)
{
	return b->value | (GENMASK_ULL(fls64(b->mask) - 1, 0) & ~b->mask);
}

int gpubp_cover_range(const struct gpubp_cover_caps *caps, u64 addr, u64 len,
		      unsigned int max_blocks,
		      struct gpubp_block out[GPUBP_MAX_BLOCKS]);

#endif /* _GPUBP_COVER_H */
