// SPDX-License-Identifier: GPL-2.0
/*
 * Records that the trap handler (trap_handler.S) stores in its memory.
 *
 * Records are numbered within one shader array, for which handler memory can be
 * zeroed. A provider of a device with more arrays uses a table with its own
 * nr_records and record_index, sets the arrays' first records at the start of
 * the memory (see trap_handler.S) and uses the same code.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "excp.h"
#include "regs.h"
#include "trap.h"
#include "trap_handler.h"

#define REASON_LIMIT		BIT(31)	/* of the record */
#define TTMP1_PC_HI		0x0000ffff
#define TTMP1_TRAP_ID_SHIFT	16
#define TTMP1_HOST_TRAP		BIT(24)
#define TTMP6_DISPATCH		0x01ffffff
#define TTMP6_NO_SETUP		BIT(31)	/* ttmps not set by the dispatcher */
#define TTMP11_WAVE		0x0000003f

/* layout of a record, little-endian dwords */
struct record {
	u32 seq;
	u32 reasons;
	u32 pc_lo, pc_hi;
	u32 exec_lo, exec_hi;
	u32 status, mode;
	u32 hw_id, trapsts;
	u32 ttmp[6];		/* ttmp6-11 */
};

static_assert(sizeof(struct record) == 64);
static_assert(sizeof(struct gpubp_handler_counter) == 8);
static_assert(sizeof(struct gpubp_handler_wanted) == 48);

#define HANDLER(_words, ...) {					\
	.image		= (_words),				\
	.nr_words	= ARRAY_SIZE(_words),			\
	.align		= 256,					\
	.record_offset	= 0x100,				\
	.record_size	= sizeof(struct record),		\
	.interrupt_code	= DBG_CODE_WAVE_TRAP,			\
	.nr_counters	= 16,					\
	.counter_offset	= 0x40,					\
	.third_offset	= 0xc0,					\
	.wanted_offset	= 0xd0,					\
	__VA_ARGS__						\
}

const struct gpubp_handler gfx9_handler =
	HANDLER(gfx9_trap_handler,
		.second = gfx9_trap_handler_second,
		.nr_second = ARRAY_SIZE(gfx9_trap_handler_second));
const struct gpubp_handler gfx9_handler_16 = HANDLER(gfx9_trap_handler_16);

int gfx9_record_index(u32 se, u32 sh, u32 cu, u32 simd, u32 wave)
{
	if (se || sh || cu >= 16 || simd >= 4 || wave >= 16)
		return -ENOENT;
	return cu * 64 + simd * 16 + wave;
}

/* of the bits that the handler checked: at most four on silicon */
static u32 record_slots(u32 reasons)
{
	return (reasons & TRAPSTS_WATCH0 ? BIT(0) : 0) |
	       (reasons & TRAPSTS_WATCH123) >> 11 |
	       (reasons & TRAPSTS_WATCH4_15) >> 12;
}

/* a host trap sets an id, too, but no s_trap was executed */
static u8 record_trap_id(u32 ttmp1)
{
	return ttmp1 & TTMP1_HOST_TRAP ? 0 : ttmp1 >> TTMP1_TRAP_ID_SHIFT;
}

static void record_parse_setup(const struct record *r,
			       struct gpubp_trap_record *out)
{
	bool setup = !(r->ttmp[0] & TTMP6_NO_SETUP);

	out->has_coords = setup;
	out->has_dispatch = setup;
	if (!setup)
		return;
	out->dispatch = r->ttmp[0] & TTMP6_DISPATCH;
	memcpy(out->wg, &r->ttmp[2], sizeof(out->wg));
	out->wave_in_group = r->ttmp[5] & TTMP11_WAVE;
}

int gfx9_record_parse(const void *rec, struct gpubp_trap_record *out)
{
	struct record r;

	memcpy(&r, rec, sizeof(r));
	memset(out, 0, sizeof(*out));
	if (!r.seq || (r.seq & 1))
		return -EINVAL;
	out->seq = r.seq;
	out->slots = record_slots(r.reasons);
	out->at_limit = r.reasons & REASON_LIMIT;
	out->exceptions = gfx9_exceptions(r.reasons, r.mode);
	if ((r.mode & MODE_DEBUG_EN) && (r.ttmp[5] & GFX9_TTMP11_STEPPED))
		out->other = GPUBP_TRAP_STEP;
	out->trap_id = record_trap_id(r.pc_hi);
	out->pc = r.pc_lo | (u64)(r.pc_hi & TTMP1_PC_HI) << 32;
	out->trap_pc = out->trap_id ? out->pc : 0;
	if (out->trap_id && out->trap_id != GFX9_BREAK_ID)
		out->pc += 4;	/* the record has the pc of the s_trap */
	out->exec = r.exec_lo | (u64)r.exec_hi << 32;
	record_parse_setup(&r, out);
	return 0;
}
