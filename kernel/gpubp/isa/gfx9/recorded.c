// SPDX-License-Identifier: GPL-2.0
/*
 * Places of the ring in which the trap handler (trap_handler.S) records hits.
 *
 * A place is memory of the process whose waves fill it: it may have anything.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>
#include "gfx9.h"
#include "regs.h"
#include "trap.h"

#define TTMP_DISPATCH		0x01ffffff
#define TTMP6_NO_SETUP		BIT(31)	/* ttmps not set by the dispatcher */
#define TTMP11_WAVE		0x0000003f
#define TTMP11_DISPATCH_SHIFT	6		/* gfx942 */

/* in pc_hi: the address, and what the handler found out about the access (S_*) */
#define PC_HI			0x0000ffff
#define S_KINDS(x)		((x) >> 16 & 7)	/* GPUBP_ACCESS_* */
#define S_DWORDS(x)		(((x) >> 21 & 3) + 1)
#define S_COMPARATOR(x)		((x) >> 26 & 15)

/* FLAT, of the flat or the global segment */
#define FLAT_MASK		0xfc006000
#define FLAT			0xdc000000
#define FLAT_GLOBAL		BIT(15)
#define FLAT_GLC		BIT(16)
#define FLAT_OP(x)		((x) >> 18 & 0x7f)
#define OP_LDS_FIRST		38	/* gfx942: loads to LDS */
#define OP_LDS_LAST		42
#define FLAT_VADDR(x)		((x) & 0xff)
#define FLAT_DATA(x)		((x) >> 8 & 0xff)
#define FLAT_SADDR(x)		((x) >> 16 & 0x7f)
#define FLAT_ACC		BIT(23)
#define FLAT_DST(x)		((x) >> 24)

#define DOORBELL		0x3ff
#define ADDR_OFFSET		0x100
#define DATA_OFFSET		0x300
#define OLD_OFFSET		0x500	/* what an atomic returned */
#define VECTOR_SIZE		(GPUBP_MAX_LANES * sizeof(u32))
#define V0_OFFSET		0x700	/* the handler's */

/* layout of a place, little-endian dwords, up to the vector registers */
struct place {
	u32 seq;
	u32 doorbell;
	u32 unused[2];
	u32 pc_lo, pc_hi;
	u32 time_lo, time_hi;
	u32 exec_lo, exec_hi;
	u32 hw_id, ttmp6;	/* gfx942: XCC_ID */
	u32 ttmp[4];		/* ttmp8-11 */
	u32 base[2];
	u32 xnack_mask[2];
	u32 code[2];
};

static_assert(offsetof(struct place, pc_lo) == 0x10);
static_assert(offsetof(struct place, ttmp) == 0x30);
static_assert(offsetof(struct place, code) == GFX9_PLACE_CODE);
static_assert(sizeof(struct place) == GFX9_PLACE_HEAD);
static_assert(V0_OFFSET + VECTOR_SIZE == GFX9_PLACE_SIZE);
static_assert(OLD_OFFSET + 2 * VECTOR_SIZE == V0_OFFSET);

/**
 * gfx9_setup_parse() - what the dispatcher of a wave put into its ttmps
 * @ttmp: values of ttmp6 to ttmp11
 * @gfx942: the dispatcher is that of gfx942, which always sets them
 * @out: .has_coords, .has_dispatch and what they are for
 */
void gfx9_setup_parse(const u32 *ttmp, bool gfx942,
		      struct gpubp_trap_record *out)
{
	bool setup = gfx942 || !(ttmp[0] & TTMP6_NO_SETUP);

	out->has_coords = setup;
	out->has_dispatch = setup;
	if (!setup)
		return;
	out->dispatch = (gfx942 ? ttmp[5] >> TTMP11_DISPATCH_SHIFT : ttmp[0]) &
			TTMP_DISPATCH;
	memcpy(out->wg, &ttmp[2], sizeof(out->wg));
	out->wave_in_group = ttmp[5] & TTMP11_WAVE;
}

static u64 place_exec(const struct place *p)
{
	return p->exec_lo | (u64)p->exec_hi << 32;
}

static bool place_is_possible(const struct place *p)
{
	u32 kinds = S_KINDS(p->pc_hi);

	return (p->code[0] & FLAT_MASK) == FLAT && !(p->pc_lo & 3) &&
	       place_exec(p) && kinds && !(kinds & (kinds - 1));
}

static bool place_is_undecided(const struct place *p)
{
	return !S_KINDS(p->pc_hi) && !(p->pc_lo & 3);
}

static void place_position(const struct place *p, bool gfx942,
			   struct gpubp_recorded_place *where)
{
	*where = (struct gpubp_recorded_place) {
		.clock = p->time_lo | (u64)p->time_hi << 32,
		.doorbell = p->doorbell & DOORBELL,
		.se = HW_ID_SE(p->hw_id),
		.sh = HW_ID_SH(p->hw_id),
		.cu = HW_ID_CU(p->hw_id),
		.simd = HW_ID_SIMD(p->hw_id),
		.wave_slot = HW_ID_WAVE(p->hw_id),
		.xcc = gfx942 ? p->ttmp6 & XCC_ID_MASK : 0,
	};
}

static void place_decode(const struct place *p, bool gfx942,
			 struct gpubp_trap_record *out,
			 struct gpubp_recorded_place *where)
{
	u32 ttmp[6];

	*out = (struct gpubp_trap_record) {
		.seq = p->seq,
		.pc = p->pc_lo | (u64)(p->pc_hi & PC_HI) << 32,
		.exec = place_exec(p),
		.slots = BIT(S_COMPARATOR(p->pc_hi)),
	};
	ttmp[0] = p->ttmp6;
	memcpy(&ttmp[2], p->ttmp, sizeof(p->ttmp));
	gfx9_setup_parse(ttmp, gfx942, out);
	place_position(p, gfx942, where);
}

static int recorded_parse(const void *head, u32 number, bool gfx942,
			  struct gpubp_trap_record *out,
			  struct gpubp_recorded_place *where)
{
	const struct place *p = head;

	if (p->seq != gpubp_place_seq(number))
		return -EAGAIN;
	if (!place_is_possible(p))
		return -EINVAL;
	place_decode(p, gfx942, out, where);
	return 0;
}

int gfx9_recorded_parse(const void *head, u32 number,
			struct gpubp_trap_record *out,
			struct gpubp_recorded_place *where)
{
	return recorded_parse(head, number, false, out, where);
}

int gfx942_recorded_parse(const void *head, u32 number,
			  struct gpubp_trap_record *out,
			  struct gpubp_recorded_place *where)
{
	return recorded_parse(head, number, true, out, where);
}

static int undecided_parse(const void *head, u32 number, bool gfx942,
			   struct gpubp_trap_record *out,
			   struct gpubp_recorded_place *where)
{
	const struct place *p = head;

	if (p->seq != gpubp_place_seq(number))
		return -EAGAIN;
	if (!place_is_undecided(p))
		return -EINVAL;
	place_decode(p, gfx942, out, where);
	return 0;
}

int gfx9_undecided_parse(const void *head, u32 number,
			 struct gpubp_trap_record *out,
			 struct gpubp_recorded_place *where)
{
	return undecided_parse(head, number, false, out, where);
}

int gfx942_undecided_parse(const void *head, u32 number,
			   struct gpubp_trap_record *out,
			   struct gpubp_recorded_place *where)
{
	return undecided_parse(head, number, true, out, where);
}

static bool place_has_base(const struct place *p)
{
	return (p->code[0] & FLAT_GLOBAL) &&
	       FLAT_SADDR(p->code[1]) != GFX9_SADDR_OFF;
}

static bool place_is_to_lds(const struct place *p)
{
	u32 op = FLAT_OP(p->code[0]);

	return op >= OP_LDS_FIRST && op <= OP_LDS_LAST;
}

/* the number of registers from @first on, of which one is @reg: its index, or -1 */
static int index_in(u32 reg, u32 first, u32 nr)
{
	return reg >= first && reg - first < nr ? reg - first : -1;
}

/* offset of a data register, 0 if it is not there */
static u32 data_offset(const struct place *p, u32 reg)
{
	bool atomic = S_KINDS(p->pc_hi) == GPUBP_ACCESS_ATOMIC;
	bool load = S_KINDS(p->pc_hi) == GPUBP_ACCESS_LOAD;
	u32 nr = S_DWORDS(p->pc_hi), code = p->code[1];
	int n;

	if (code & FLAT_ACC || (load && place_is_to_lds(p)))
		return 0;
	if (atomic && nr > 2)
		return 0;
	n = index_in(reg, load ? FLAT_DST(code) : FLAT_DATA(code), nr);
	if (n >= 0)
		return DATA_OFFSET + n * VECTOR_SIZE;
	n = index_in(reg, FLAT_DST(code), nr);
	if (n >= 0 && atomic && (p->code[0] & FLAT_GLC))
		return OLD_OFFSET + n * VECTOR_SIZE;
	return 0;
}

static u32 vector_offset(const struct place *p, u32 reg)
{
	int n = index_in(reg, FLAT_VADDR(p->code[1]), place_has_base(p) ? 1 : 2);

	return n >= 0 ? ADDR_OFFSET + n * VECTOR_SIZE : data_offset(p, reg);
}

static void all_lanes_read(const u64 *vector, u32 *out)
{
	unsigned int n;
	u64 two;

	for (n = 0; n < VECTOR_SIZE / sizeof(two); n++) {
		two = READ_ONCE(vector[n]);
		memcpy(out + 2 * n, &two, sizeof(two));
	}
}

static void lanes_read(const u32 *vector, u64 lanes, u32 *out)
{
	unsigned int lane;

	for (; lanes; lanes &= lanes - 1) {
		lane = __ffs64(lanes);
		out[lane] = READ_ONCE(vector[lane]);
	}
}

static int vector_read(const void *place, const struct place *p, u32 reg,
		       u64 lanes, u32 *out)
{
	u32 offset = vector_offset(p, reg);

	if (!offset)
		return -ENOENT;
	lanes = place_exec(p) & (lanes ?: U64_MAX);
	if (lanes == U64_MAX)
		all_lanes_read(place + offset, out);
	else
		lanes_read(place + offset, lanes, out);
	return 0;
}

static int scalar_read(const struct place *p, u32 reg, u32 *out)
{
	int n = index_in(reg, FLAT_SADDR(p->code[1]), 2);

	if (n < 0 || !place_has_base(p))
		return -ENOENT;
	*out = p->base[n];
	return 0;
}

/**
 * gfx9_recorded_read() - gpubp_isa.recorded_read
 * @head: copy of the head of a place
 * @place: the place, each register of which is read once
 * @req: registers
 * @out: their values
 *
 * Which registers a place has depends on the access, which it has, too.
 * Return: 0 or -ENOENT.
 */
int gfx9_recorded_read(const void *head, const void *place,
		       const struct gpubp_reg_req *req, u32 *out)
{
	bool vector = req->file == GPUBP_REG_VECTOR;
	const struct place *p = head;
	unsigned int n;
	int err = 0;

	if (!vector && req->file != GPUBP_REG_SCALAR)
		return -ENOENT;
	for (n = 0; n < req->count && !err; n++) {
		err = vector ? vector_read(place, p, req->first + n, req->lanes,
					   out) :
			       scalar_read(p, req->first + n, out);
		out += vector ? GPUBP_MAX_LANES : 1;
	}
	return err;
}
