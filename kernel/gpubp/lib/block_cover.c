// SPDX-License-Identifier: GPL-2.0
/*
 * Cover: one or two aligned blocks for a range, with the least stray bytes.
 *
 * Aligned power-of-two blocks either nest or are disjoint. So a range has one
 * smallest block around it, and two blocks that leave no gap must meet in the
 * middle of that one: each is then the smallest that reaches from the middle
 * to its end of the range. That is less than twice the range, where one block
 * may be as large as a comparator can make it.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/log2.h>

#include "block_cover.h"

static u64 bits_from(unsigned int bit, u32 va_bits)
{
	return GENMASK_ULL(va_bits - 1, bit);
}

/* the whole address space is no block: no bit would be left to compare */
static unsigned int max_order(const struct gpubp_cover_caps *caps)
{
	unsigned int order = ilog2(caps->max_block);

	return order < caps->va_bits ? order : caps->va_bits - 1;
}

/* order of the smallest aligned block that holds both addresses */
static unsigned int order_around(u64 a, u64 b, unsigned int smallest)
{
	unsigned int order = fls64(a ^ b);

	return order > smallest ? order : smallest;
}

static void set_block(struct gpubp_block *b, u64 addr, unsigned int order,
		      u32 va_bits)
{
	b->mask = bits_from(order, va_bits);
	b->value = addr & b->mask;
}

static bool range_valid(const struct gpubp_cover_caps *caps, u64 addr, u64 len)
{
	u64 last = addr + len - 1;

	return len && last >= addr && last <= bits_from(0, caps->va_bits);
}

static int cover_one(const struct gpubp_cover_caps *caps, u64 addr,
		     unsigned int order, struct gpubp_block *out)
{
	if (order > max_order(caps))
		return -ERANGE;
	set_block(out, addr, order, caps->va_bits);
	return 1;
}

/* addr and last are in different halves of an aligned block of this order */
static int cover_halves(const struct gpubp_cover_caps *caps, u64 addr,
			u64 last, unsigned int order, struct gpubp_block *out)
{
	unsigned int smallest = ilog2(caps->granule);
	u64 middle = last & ~(BIT_ULL(order - 1) - 1);
	unsigned int left = order_around(addr, middle - 1, smallest);
	unsigned int right = order_around(middle, last, smallest);

	if (left > max_order(caps) || right > max_order(caps))
		return -ERANGE;
	if (left == order - 1 && right == order - 1 && order <= max_order(caps))
		return cover_one(caps, addr, order, out);
	set_block(&out[0], addr, left, caps->va_bits);
	set_block(&out[1], middle, right, caps->va_bits);
	return 2;
}

/**
 * gpubp_cover_range() - cover [addr, addr + len) with the least stray bytes
 * @caps: blocks that the device can compare
 * @addr: first byte
 * @len: bytes
 * @max_blocks: comparators to use at most; more than two help nobody
 * @out: the blocks, by address
 *
 * Two blocks are used only where they cover fewer bytes than one.
 *
 * Return: number of blocks, -EINVAL (no bytes, a wrap, an address that the
 * device does not have) or -ERANGE (too far apart for @max_blocks).
 */
int gpubp_cover_range(const struct gpubp_cover_caps *caps, u64 addr, u64 len,
		      unsigned int max_blocks,
		      struct gpubp_block out[GPUBP_MAX_BLOCKS])
{
	unsigned int smallest = ilog2(caps->granule);
	u64 last = addr + len - 1;
	unsigned int order;

	if (!range_valid(caps, addr, len))
		return -EINVAL;
	if (!max_blocks)
		return -ERANGE;
	order = order_around(addr, last, smallest);
	if (max_blocks == 1 || order == smallest)
		return cover_one(caps, addr, order, out);
	return cover_halves(caps, addr, last, order, out);
}
