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
#include <uapi/linux/gpubp.h>
#include "excp.h"
#include "regs.h"
#include "trap.h"
#include "trap_handler.h"

#define TRAP_LEN		4
#define REASON_STRAY		BIT(28)	/* of the record */
#define REASON_COUNTED		BIT(29)
#define REASON_RECORDED		BIT(30)
#define REASON_LIMIT		BIT(31)
#define TTMP1_PC_HI		0x0000ffff
#define TTMP1_TRAP_ID_SHIFT	16
#define TTMP1_HOST_TRAP		BIT(24)
#define TTMP5_TRAP_ID		0x00ff0000	/* of a halted wave */
#define TTMP5_TRAP_ID_SHIFT	16
#define TTMP13_TRAP_ID_SHIFT	24		/* with sixteen comparators */
#define MARK_VALID		BIT(15)
#define MARK_SEQ_SHIFT		15		/* of an even number */

/* layout of a record, little-endian dwords */
struct record {
	u32 seq;
	u32 reasons;
	u32 pc_lo, pc_hi;
	u32 exec_lo, exec_hi;
	u32 status, mode;
	u32 hw_id, trapsts;
	u32 ttmp[6];		/* ttmp6-11; gfx942: ttmp13, XCC_ID, ttmp8-11 */
};

static_assert(sizeof(struct record) == 64);
static_assert(sizeof(struct gpubp_handler_counter) == 8);
static_assert(sizeof(struct gpubp_handler_wanted) == 48);
static_assert(sizeof(struct gpubp_handler_filter) == 144);
static_assert(sizeof(struct gpubp_handler_ring) == 128);
static_assert(offsetof(struct gpubp_handler_ring, notify) == 24);
static_assert(offsetof(struct gpubp_handler_ring, head) == 64);
static_assert(GPUBP_ACCESS_LOAD == 1 && GPUBP_ACCESS_STORE == 2 &&
	      GPUBP_ACCESS_ATOMIC == 4);

#define HANDLER(_words, ...) {					\
	.image		= (_words),				\
	.nr_words	= ARRAY_SIZE(_words),			\
	.align		= 4096,					\
	.record_offset	= 0xa80,				\
	.record_size	= sizeof(struct record),		\
	.interrupt_code	= DBG_CODE_WAVE_TRAP,			\
	.second_code	= DBG_CODE_SECOND,			\
	.notify_code	= DBG_CODE_RECORDED,			\
	.nr_counters	= 16,					\
	.counter_offset	= 0x40,					\
	.nr_ranges	= GPUBP_HANDLER_RANGES,			\
	.filter_offset	= 0x100,				\
	.second_counts_on = true,				\
	.third_offset	= 0xc0,					\
	.wanted_offset	= 0xd0,					\
	.ring_offset	= 0xa00,				\
	.place_size	= GFX9_PLACE_SIZE,			\
	.place_head	= GFX9_PLACE_HEAD,			\
	.place_code	= GFX9_PLACE_CODE,			\
	.place_code_len	= 8,					\
	.place_memory	= GFX9_PLACE_MEMORY,			\
	.checks		= _words##_checks,			\
	.nr_checks	= ARRAY_SIZE(_words##_checks),		\
	__VA_ARGS__						\
}

const struct gpubp_handler gfx9_handler =
	HANDLER(gfx9_trap_handler,
		.second = gfx9_trap_handler_second,
		.nr_second = ARRAY_SIZE(gfx9_trap_handler_second),
		.second_checks = gfx9_trap_handler_second_checks,
		.nr_second_checks =
			ARRAY_SIZE(gfx9_trap_handler_second_checks));
const struct gpubp_handler gfx9_handler_16 = HANDLER(gfx9_trap_handler_16);
const struct gpubp_handler gfx942_handler =
	HANDLER(gfx942_trap_handler,
		.second = gfx942_trap_handler_second,
		.nr_second = ARRAY_SIZE(gfx942_trap_handler_second),
		.second_checks = gfx942_trap_handler_second_checks,
		.nr_second_checks =
			ARRAY_SIZE(gfx942_trap_handler_second_checks));
const struct gpubp_handler gfx942_handler_16 =
	HANDLER(gfx942_trap_handler_16);

/**
 * gfx9_park_edit() - store the pc of a wave that is parked
 * @regs: values of its GFX9_NR_PARK_REGS registers from GFX9_PARK_REG on
 * @pc: where it would be
 * @second: the handler is a second level
 */
void gfx9_park_edit(u32 *regs, u64 pc, bool second)
{
	u32 *ttmp11 = &regs[4];

	regs[second ? 6 : 0] = (u32)pc;
	*ttmp11 = (*ttmp11 & ~GFX9_TTMP11_PC) |
		  ((u32)(pc >> 32) & TTMP1_PC_HI) << GFX9_TTMP11_PC_SHIFT;
}

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

static enum gpubp_decision record_decision(u32 reasons)
{
	if (reasons & REASON_STRAY)
		return GPUBP_DECIDED_STRAY;
	if (reasons & REASON_COUNTED)
		return GPUBP_DECIDED_COUNTED;
	return reasons & REASON_RECORDED ? GPUBP_DECIDED_RECORDED :
					   GPUBP_DECIDED_NOT;
}

/* a host trap sets an id, too, but no s_trap was executed */
static u8 record_trap_id(u32 ttmp1)
{
	return ttmp1 & TTMP1_HOST_TRAP ? 0 : ttmp1 >> TTMP1_TRAP_ID_SHIFT;
}

/* the record has the pc of an s_trap, and the wave goes on behind it */
static bool trap_is_behind(u8 trap_id)
{
	return trap_id && trap_id != GFX9_BREAK_ID;
}

static bool record_is_step(const struct record *r, bool gfx942)
{
	return (r->mode & MODE_DEBUG_EN) &&
	       (gfx942 ? r->ttmp[0] & GFX942_TTMP13_STEPPED :
			 r->ttmp[5] & GFX9_TTMP11_STEPPED);
}

static void record_decode(const struct record *r, bool gfx942,
			  struct gpubp_trap_record *out)
{
	memset(out, 0, sizeof(*out));
	out->seq = r->seq;
	out->slots = record_slots(r->reasons);
	out->at_limit = r->reasons & REASON_LIMIT;
	out->decision = record_decision(r->reasons);
	out->exceptions = gfx9_exceptions(r->reasons, r->mode);
	if (record_is_step(r, gfx942))
		out->other = GPUBP_TRAP_STEP;
	out->trap_id = record_trap_id(r->pc_hi);
	out->pc = r->pc_lo | (u64)(r->pc_hi & TTMP1_PC_HI) << 32;
	out->trap_pc = out->trap_id ? out->pc : 0;
	if (trap_is_behind(out->trap_id))
		out->pc += TRAP_LEN;
	out->exec = r->exec_lo | (u64)r->exec_hi << 32;
	gfx9_setup_parse(r->ttmp, gfx942, out);
}

static int record_parse(const void *rec, bool gfx942,
			struct gpubp_trap_record *out)
{
	struct record r;

	memcpy(&r, rec, sizeof(r));
	if (!r.seq || (r.seq & 1))
		return -EINVAL;
	record_decode(&r, gfx942, out);
	return 0;
}

int gfx9_record_parse(const void *rec, struct gpubp_trap_record *out)
{
	return record_parse(rec, false, out);
}

int gfx942_record_parse(const void *rec, struct gpubp_trap_record *out)
{
	return record_parse(rec, true, out);
}

u32 gfx9_record_mark(u32 index, u32 seq)
{
	return seq << MARK_SEQ_SHIFT | MARK_VALID | index;
}

/* positions of values of GFX9_RECORD_REGS */
#define VALUE_TTMP(_n)		((_n) - 4)
#define VALUE_EXEC		10
#define VALUE_HWREG(_reg)	(12 + (_reg) - HWREG_MODE)
#define VALUE_PC		14

static_assert(VALUE_PC + 2 <= GPUBP_MAX_RECORD_VALUES);

/* of the number of the record, a wave has the low bits only */
static u32 values_seq(const u32 *regs)
{
	return (regs[VALUE_TTMP(4)] & ~MARK_VALID) >> MARK_SEQ_SHIFT & ~1u;
}

static int record_rebuild(const u32 *regs, u32 reasons, u8 trap_id,
			  bool gfx942, struct gpubp_trap_record *out)
{
	u64 pc = regs[VALUE_PC] | (u64)(regs[VALUE_PC + 1] & TTMP1_PC_HI) << 32;
	struct record r = {
		.seq = values_seq(regs),
		.reasons = reasons,
		.exec_lo = regs[VALUE_EXEC],
		.exec_hi = regs[VALUE_EXEC + 1],
		.mode = regs[VALUE_HWREG(HWREG_MODE)],
	};

	if (!(regs[VALUE_TTMP(4)] & MARK_VALID))
		return -EINVAL;
	if (regs[VALUE_HWREG(HWREG_STATUS)] & STATUS_PRIV)
		return -EAGAIN;
	pc -= trap_is_behind(trap_id) ? TRAP_LEN : 0;
	r.pc_lo = pc;
	r.pc_hi = (pc >> 32 & TTMP1_PC_HI) | (u32)trap_id << TTMP1_TRAP_ID_SHIFT;
	memcpy(r.ttmp, &regs[VALUE_TTMP(6)], sizeof(r.ttmp));
	if (gfx942)
		r.ttmp[0] = regs[VALUE_TTMP(13)];
	record_decode(&r, gfx942, out);
	return 0;
}

static int record_rebuild_4(const u32 *regs, bool gfx942,
			    struct gpubp_trap_record *out)
{
	u32 reasons = regs[VALUE_TTMP(5)];

	return record_rebuild(regs, reasons & ~TTMP5_TRAP_ID,
			      reasons >> TTMP5_TRAP_ID_SHIFT, gfx942, out);
}

static int record_rebuild_16(const u32 *regs, bool gfx942,
			     struct gpubp_trap_record *out)
{
	return record_rebuild(regs, regs[VALUE_TTMP(5)],
			      regs[VALUE_TTMP(13)] >> TTMP13_TRAP_ID_SHIFT,
			      gfx942, out);
}

int gfx9_record_rebuild(const u32 *regs, struct gpubp_trap_record *out)
{
	return record_rebuild_4(regs, false, out);
}

int gfx9_record_rebuild_16(const u32 *regs, struct gpubp_trap_record *out)
{
	return record_rebuild_16(regs, false, out);
}

int gfx942_record_rebuild(const u32 *regs, struct gpubp_trap_record *out)
{
	return record_rebuild_4(regs, true, out);
}

int gfx942_record_rebuild_16(const u32 *regs, struct gpubp_trap_record *out)
{
	return record_rebuild_16(regs, true, out);
}
