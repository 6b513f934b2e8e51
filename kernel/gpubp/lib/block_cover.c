// SPDX-License-Identifier: GPL-2.0
/*
 * Block cover: one or two aligned blocks for a range, with the fewest stray
 * bytes.
 *
 * Naturally aligned power-of-two blocks (those of a buddy allocator) either
 * nest or are disjoint. So a range has one smallest block around it, and two
 * blocks that cover it without a gap meet in the middle of that block: each is
 * the smallest block from the middle to its end of the range. Together they are
 * less than twice the range (in granules); the single block has no such bound.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/log2.h>

#include "block_cover.h"

static u64 order_mask(unsigned int order, u32 va_bits)
{
	return GENMASK_ULL(va_bits - 1, order);
}

/* half of the address space at most: at least one bit must be compared */
static unsigned int max_block_order(const struct gpubp_block_caps *caps)
{
	unsigned int order = ilog2(caps->max_block);

	return order < caps->va_bits ? order : caps->va_bits - 1;
}

/* order of the smallest aligned block that contains both addresses */
static unsigned int enclosing_order(u64 a, u64 b, unsigned int smallest)
{
	unsigned int order = fls64(a ^ b);

	return order > smallest ? order : smallest;
}

static void block_init(struct gpubp_block *b, u64 addr, unsigned int order,
		       u32 va_bits)
{
	b->mask = order_mask(order, va_bits);
	b->value = addr & b->mask;
}

static bool cover_range_is_valid(const struct gpubp_block_caps *caps, u64 addr,
				 u64 len)
{
	u64 last = addr + len - 1;

	return len && last >= addr && last <= order_mask(0, caps->va_bits);
}

static int cover_with_one(const struct gpubp_block_caps *caps, u64 addr,
			  unsigned int order, struct gpubp_block *out)
{
	if (order > max_block_order(caps))
		return -ERANGE;
	block_init(out, addr, order, caps->va_bits);
	return 1;
}

/* @addr and @last are in different halves of the aligned block of @order */
static int cover_with_two(const struct gpubp_block_caps *caps, u64 addr,
			  u64 last, unsigned int order, struct gpubp_block *out)
{
	unsigned int smallest = ilog2(caps->granule);
	u64 middle = last & ~(BIT_ULL(order - 1) - 1);
	unsigned int left = enclosing_order(addr, middle - 1, smallest);
	unsigned int right = enclosing_order(middle, last, smallest);

	if (left > max_block_order(caps) || right > max_block_order(caps))
		return -ERANGE;
	if (left == order - 1 && right == order - 1 &&
	    order <= max_block_order(caps))
		return cover_with_one(caps, addr, order, out);
	block_init(&out[0], addr, left, caps->va_bits);
	block_init(&out[1], middle, right, caps->va_bits);
	return 2;
}

/**
 * gpubp_block_cover() - cover [addr, addr + len) with the fewest stray bytes
 * @caps: blocks that the device can compare
 * @addr: first byte
 * @len: bytes
 * @max_blocks: comparators to use at most; no more than two are ever used
 * @out: the blocks, in order of address
 *
 * Two blocks are used only where they cover fewer bytes than one.
 *
 * Return: number of blocks, -EINVAL (empty range, wrap-around, address beyond
 * @caps) or -ERANGE (the range needs larger or more blocks).
 */
int gpubp_block_cover(const struct gpubp_block_caps *caps, u64 addr, u64 len,
		      unsigned int max_blocks,
		      struct gpubp_block out[GPUBP_MAX_BLOCKS])
{
	unsigned int smallest = ilog2(caps->granule);
	u64 last = addr + len - 1;
	unsigned int order;

	if (!cover_range_is_valid(caps, addr, len))
		return -EINVAL;
	if (!max_blocks)
		return -ERANGE;
	order = enclosing_order(addr, last, smallest);
	if (max_blocks == 1 || order == smallest)
		return cover_with_one(caps, addr, order, out);
	return cover_with_two(caps, addr, last, order, out);
}
