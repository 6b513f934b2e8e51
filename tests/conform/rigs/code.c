// SPDX-License-Identifier: GPL-2.0
/* gfx90a code for a list of accesses: a kernel descriptor, then the code. */
#include <linux/bits.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "code.h"

#define DESC_WORDS	16
#define DESC_ENTRY	4	/* word of the entry's offset */
#define DESC_RSRC3	11
#define RSRC3_8_VGPRS	1	/* none of them for accumulation */

#define WORDS_ACCESS	9
#define WORDS_TAIL	8	/* fetched ahead, never executed */

#define V_MOV(v)	(0x7e0002ff | (v) << 17)	/* literal follows */
#define S_WAITCNT	0xbf8c0000
#define GLOBAL(op)	(0xdc008000 | (op) << 18)
#define STORE_TAIL	0x007f0200	/* v[0:1], v2 */
#define LOAD_TAIL	0x047f0000	/* v4, v[0:1] */
#define ATOMIC_ADD	0x42

/* by the binary logarithm of the length */
static const u8 store_op[] = { 0x18, 0x1a, 0x1c, 0x1d };
static const u8 load_op[] = { 0x10, 0x12, 0x14, 0x15 };

static u32 *put_mov(u32 *at, unsigned int v, u32 value)
{
	*at++ = V_MOV(v);
	*at++ = value;
	return at;
}

static u32 *put_access(u32 *at, const struct gpubp_rig_access *acc)
{
	unsigned int size = ilog2(acc->len);

	at = put_mov(at, 0, lower_32_bits(acc->va));
	at = put_mov(at, 1, upper_32_bits(acc->va));
	at = put_mov(at, 2, 1);
	if (acc->kind == GPUBP_ACCESS_ATOMIC)
		*at++ = GLOBAL(ATOMIC_ADD);
	else if (acc->kind == GPUBP_ACCESS_LOAD)
		*at++ = GLOBAL(load_op[size]);
	else
		*at++ = GLOBAL(store_op[size]);
	*at++ = acc->kind == GPUBP_ACCESS_LOAD ? LOAD_TAIL : STORE_TAIL;
	*at++ = S_WAITCNT;
	return at;
}

/* freed by the caller; NULL if out of memory */
u32 *rig_code(const struct gpubp_rig_access *acc, unsigned int nr, bool loop,
	      size_t *size)
{
	unsigned int i, words = DESC_WORDS + nr * WORDS_ACCESS + WORDS_TAIL;
	u32 *code = kcalloc(words, sizeof(*code), GFP_KERNEL);
	u32 *at;

	if (!code)
		return NULL;
	*size = words * sizeof(*code);
	code[DESC_ENTRY] = DESC_WORDS * sizeof(*code);
	code[DESC_RSRC3] = RSRC3_8_VGPRS;
	at = code + DESC_WORDS;
	for (i = 0; i < nr; i++)
		at = put_access(at, &acc[i]);
	*at = loop ? RIG_BRANCH | (u16)(code + DESC_WORDS - at - 1) : RIG_END;
	return code;
}
