// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses and data of vector memory instructions: the registers that have
 * them, and the address and the bytes of each lane.
 *
 * Vector memory goes through the vector cache, where the comparators are:
 * FLAT, GLOBAL, SCRATCH, MUBUF. DS (LDS) and SMEM (scalar cache) do not.
 *
 * Private memory of a lane (SCRATCH, swizzled MUBUF, FLAT into the private
 * aperture) is interleaved between lanes dword by dword in a ring that the
 * driver owns. A program does not see its addresses, and an access is not even
 * contiguous: such lanes are skipped, so if a comparator block overlaps the
 * ring, its hits there are strays.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>
#include "access.h"
#include "ops.h"

/* how addresses are computed; isa_priv[0] */
enum form {
	FORM_NONE,	/* private memory, or what is needed is not known */
	FORM_FLAT,
	FORM_GLOBAL,
	FORM_GLOBAL_SADDR,
	FORM_BUFFER,
};

/* the rest of isa_priv */
enum {
	PRIV_FORM,
	PRIV_OFFSET,		/* of the instruction, signed */
	PRIV_SOFFSET,		/* value of an inline constant */
	PRIV_FLAGS,
};

#define BUF_IDXEN		BIT(0)
#define BUF_OFFEN		BIT(1)
#define BUF_SOFFSET_REG		BIT(2)
#define DATA_HIGH		BIT(3)	/* from the upper half of a register */

#define NR_VGPRS		256	/* that an instruction can name */

#define DWORD			4U	/* bytes that a range check is of */

/* buffer descriptor */
#define V_BASE_HI		0x0000ffffU	/* word 1 */
#define V_STRIDE_SHIFT		16
#define V_STRIDE		0x3fffU
#define V_SWIZZLE		BIT(31)
#define V_ADD_TID		BIT(23)		/* word 3 */
#define V_FORMAT_SHIFT		15
#define V_FORMAT		0xfU

static const u8 access_of_kind[] = {
	[GFX9_MEM_LOAD]		= GPUBP_ACCESS_LOAD,
	[GFX9_MEM_STORE]	= GPUBP_ACCESS_STORE,
	[GFX9_MEM_ATOMIC]	= GPUBP_ACCESS_ATOMIC,
};

static void insn_need_regs(struct gpubp_insn *insn, enum gpubp_regfile file,
			   unsigned int first, unsigned int count)
{
	insn->regs[insn->nr_regs++] = (struct gpubp_reg_req) {
		.file = file, .first = first, .count = count,
	};
}

/* number of registers that receive loaded data */
static unsigned int access_nr_returned(const struct gfx9_inst *inst,
				       const struct gfx9_op *row)
{
	if (inst->lds)
		return 0;
	if (row->kind == GFX9_MEM_LOAD)
		return row->regs;
	if (row->kind != GFX9_MEM_ATOMIC || !inst->glc)
		return 0;
	/* compare-and-swap takes two values and returns one */
	return row->regs * 4 > row->width ? row->regs / 2 : row->regs;
}

/*
 * Number of registers that the instruction may write. With TFE a status dword
 * follows the data. Its register is not documented for atomics and for loads to
 * LDS: at most the one behind all registers of the operand.
 */
static unsigned int access_nr_written(const struct gfx9_inst *inst,
				      const struct gfx9_op *row)
{
	if (inst->tfe && row->kind != GFX9_MEM_STORE)
		return row->regs + 1;
	return access_nr_returned(inst, row);
}

/* empty ranges do not overlap */
static bool regs_overlap(unsigned int a, unsigned int nr_a, unsigned int b,
			 unsigned int nr_b)
{
	return nr_a && nr_b && a < b + nr_b && b < a + nr_a;
}

static bool access_clobbers_addr(const struct gfx9_inst *inst,
				 const struct gfx9_op *row,
				 const struct gpubp_insn *insn)
{
	/* accumulation registers never hold addresses */
	unsigned int written = inst->acc ? 0 : access_nr_written(inst, row);
	unsigned int n;

	for (n = 0; n < insn->nr_regs; n++)
		if (insn->regs[n].file == GPUBP_REG_VECTOR &&
		    regs_overlap(inst->dst, written, insn->regs[n].first,
				 insn->regs[n].count))
			return true;
	return false;
}

/*
 * A format converts the data; the descriptor has it. AccVGPRs have no numbers in
 * struct gpubp_reg_req. With the LDS bit the data is in LDS. What TFE changes is
 * not documented for all instructions, see above.
 */
static bool data_is_in_regs(const struct gfx9_inst *inst,
			    const struct gfx9_op *row)
{
	return row->width && !inst->acc && !inst->lds && !inst->tfe;
}

/* an instruction with registers behind the last one is illegal */
static void data_set_regs(struct gpubp_reg_req *req, unsigned int first,
			  unsigned int count)
{
	if (first + count <= NR_VGPRS)
		*req = (struct gpubp_reg_req) {
			.file = GPUBP_REG_VECTOR, .first = first, .count = count,
		};
}

static void describe_data(const struct gfx9_inst *inst,
			  const struct gfx9_op *row, struct gpubp_insn *insn)
{
	unsigned int returned = access_nr_returned(inst, row), stored = 0;

	if (!data_is_in_regs(inst, row))
		return;
	/* compare-and-swap: the new value, and not the comparand behind it */
	if (row->kind != GFX9_MEM_LOAD)
		stored = DIV_ROUND_UP(row->width, 4);
	if (!regs_overlap(inst->dst, returned, inst->vdata, stored))
		data_set_regs(&insn->stored, inst->vdata, stored);
	data_set_regs(&insn->loaded, inst->dst, returned);
	if (row->high)
		insn->isa_priv[PRIV_FLAGS] |= DATA_HIGH;
}

static enum form describe_flat(const struct gfx9_inst *inst,
			       struct gpubp_insn *insn)
{
	if (inst->seg == GFX9_SEG_SCRATCH)
		return FORM_NONE;
	if (inst->saddr != GFX9_SADDR_OFF) {
		insn_need_regs(insn, GPUBP_REG_SCALAR, inst->saddr, 2);
		insn_need_regs(insn, GPUBP_REG_VECTOR, inst->vaddr, 1);
		return FORM_GLOBAL_SADDR;
	}
	insn_need_regs(insn, GPUBP_REG_VECTOR, inst->vaddr, 2);
	insn->addr_halves = true;
	return inst->seg == GFX9_SEG_FLAT ? FORM_FLAT : FORM_GLOBAL;
}

/* SOFFSET: a scalar register or an integer; false for anything else */
static bool describe_soffset(const struct gfx9_inst *inst,
			     struct gpubp_insn *insn)
{
	unsigned int code = inst->soffset;

	if (code < 128) {
		insn_need_regs(insn, GPUBP_REG_SCALAR, code, 1);
		insn->isa_priv[PRIV_FLAGS] |= BUF_SOFFSET_REG;
		return true;
	}
	if (code <= 192)
		insn->isa_priv[PRIV_SOFFSET] = code - 128;
	else
		insn->isa_priv[PRIV_SOFFSET] = 192 - code;
	return code <= 208;
}

static enum form describe_buffer(const struct gfx9_inst *inst,
				 struct gpubp_insn *insn)
{
	unsigned int nr_vaddr = inst->idxen + inst->offen;

	insn->isa_priv[PRIV_FLAGS] = (inst->idxen ? BUF_IDXEN : 0) |
				     (inst->offen ? BUF_OFFEN : 0);
	insn_need_regs(insn, GPUBP_REG_SCALAR, inst->saddr, 4);
	if (!describe_soffset(inst, insn))
		return FORM_NONE;
	if (nr_vaddr)
		insn_need_regs(insn, GPUBP_REG_VECTOR, inst->vaddr, nr_vaddr);
	return FORM_BUFFER;
}

void gfx9_access_describe(const struct gfx9_inst *inst,
			  struct gpubp_insn *insn)
{
	const struct gfx9_op *row;

	if (inst->fmt != GFX9_FLAT && inst->fmt != GFX9_MUBUF)
		return;
	row = gfx9_op_find(inst->arch, inst->fmt, inst->seg, inst->op);
	if (!row || row->kind == GFX9_MEM_NONE)
		return;
	insn->is_access = true;
	insn->access = access_of_kind[row->kind];
	insn->returns = access_nr_returned(inst, row) > 0;
	insn->isa_priv[PRIV_FORM] = inst->fmt == GFX9_FLAT ?
		describe_flat(inst, insn) : describe_buffer(inst, insn);
	insn->isa_priv[PRIV_OFFSET] = inst->offset;
	insn->clobbers_addr = access_clobbers_addr(inst, row, insn);
	describe_data(inst, row, insn);
	insn->may_drop = inst->fmt == GFX9_MUBUF;
	insn->width = row->width;
	/* loads and stores may have any address in the mode that drivers set */
	insn->align = row->kind == GFX9_MEM_ATOMIC ? row->width : 1;
	if (!row->width) {
		/*
		 * The format is in the descriptor: any width up to this, so that
		 * no register says which bytes are accessed.
		 */
		insn->width = 16;
		insn->clobbers_addr = true;
		insn->isa_priv[PRIV_FORM] = FORM_NONE;
		insn->nr_regs = 0;
	}
}

/* user addresses are canonical in 48 bits; LDS and private apertures are not */
static bool addr_is_global(u64 addr)
{
	u64 top = addr >> 47;

	return top == 0 || top == 0x1ffff;
}

static u64 lane_vaddr64(const u32 *v, unsigned int lane)
{
	return v[lane] | (u64)v[GPUBP_MAX_LANES + lane] << 32;
}

static u64 lanes_global(const u64 *addrs, u64 exec)
{
	u64 left, lanes = exec;

	for (left = exec; left; left &= left - 1)
		if (!addr_is_global(addrs[__ffs64(left)]))
			lanes &= ~(left & -left);
	return lanes;
}

static u64 flat_addrs(const struct gpubp_insn *insn, const u32 *regs, u64 exec,
		      u64 *addrs)
{
	s64 offset = (s32)insn->isa_priv[PRIV_OFFSET];
	u64 left, any = 0;
	unsigned int lane;

	for (left = exec; left; left &= left - 1) {
		lane = __ffs64(left);
		addrs[lane] = lane_vaddr64(regs, lane) + offset;
		any |= addrs[lane];
	}
	/* without a high bit in any of them there is none to be found */
	return insn->isa_priv[PRIV_FORM] != FORM_FLAT || !(any >> 47) ?
		       exec : lanes_global(addrs, exec);
}

static u64 saddr_addrs(const struct gpubp_insn *insn, const u32 *regs,
		       u64 exec, u64 *addrs)
{
	u64 base = regs[0] | (u64)regs[1] << 32, left;
	s64 offset = (s32)insn->isa_priv[PRIV_OFFSET];
	unsigned int lane;

	base += offset;
	for (left = exec; left; left &= left - 1) {
		lane = __ffs64(left);
		addrs[lane] = base + regs[2 + lane];
	}
	return exec;
}

/**
 * struct buffer - a buffer descriptor and the operands used with it
 * @base: address
 * @stride: bytes of an element
 * @records: elements if @by_index, else bytes
 * @soffset: SOFFSET
 * @offset: of the instruction
 * @checked: byte of an access that has to be in range: the first one, or the
 *	first of the last dword of an atomic, which is not split
 * @indexes: of each lane; NULL: the instruction has none
 * @offsets: likewise
 * @add_tid: the lane number is added to the index
 * @by_index: @records counts elements: with an index and a stride
 */
struct buffer {
	u64 base;
	u32 stride;
	u32 records;
	u32 soffset;
	u32 offset;
	u32 checked;
	const u32 *indexes;
	const u32 *offsets;
	bool add_tid;
	bool by_index;
};

static void buffer_parse(struct buffer *b, const struct gpubp_insn *insn,
			 const u32 *v)
{
	u32 flags = insn->isa_priv[PRIV_FLAGS];
	const u32 *regs = v + 4;

	b->base = v[0] | (u64)(v[1] & V_BASE_HI) << 32;
	b->stride = (v[1] >> V_STRIDE_SHIFT) & V_STRIDE;
	b->records = v[2];
	b->add_tid = v[3] & V_ADD_TID;
	/* with ADD_TID the unused format field extends the stride */
	if (b->add_tid)
		b->stride |= ((v[3] >> V_FORMAT_SHIFT) & V_FORMAT) << 14;
	b->by_index = ((flags & BUF_IDXEN) || b->add_tid) && b->stride;
	b->soffset = flags & BUF_SOFFSET_REG ? *regs++ :
					       insn->isa_priv[PRIV_SOFFSET];
	b->offset = insn->isa_priv[PRIV_OFFSET];
	b->checked = insn->access == GPUBP_ACCESS_ATOMIC ?
		     insn->width - DWORD : 0;
	b->indexes = flags & BUF_IDXEN ? regs : NULL;
	if (b->indexes)
		regs += GPUBP_MAX_LANES;
	b->offsets = flags & BUF_OFFEN ? regs : NULL;
}

static u32 buffer_index(const struct buffer *b, unsigned int lane)
{
	return (b->add_tid ? lane : 0) + (b->indexes ? b->indexes[lane] : 0);
}

/* of the lane's first byte, without the scalar offset */
static u64 buffer_offset(const struct buffer *b, unsigned int lane)
{
	u32 offset = b->offset + (b->offsets ? b->offsets[lane] : 0);

	return (u64)buffer_index(b, lane) * b->stride + offset;
}

/*
 * Out-of-range accesses are dropped. The check is by dword: a lane whose first
 * bytes are in range accesses memory, but for atomics. The scalar offset is not
 * part of the check; if elements are counted, the other offsets are not, either.
 */
static bool lane_in_range(const struct buffer *b, unsigned int lane)
{
	if (b->by_index)
		return buffer_index(b, lane) < b->records;
	return buffer_offset(b, lane) + b->checked < b->records;
}

/*
 * All bytes are in range, also if the scalar offset were part of the check, and if
 * an index that is the lane's number alone counted no elements: the manuals differ.
 */
static bool lane_is_whole(const struct buffer *b, unsigned int lane,
			  unsigned int width)
{
	u64 own = (u64)b->offset + (b->offsets ? b->offsets[lane] : 0);
	u64 end = (u64)buffer_index(b, lane) * b->stride + own + b->soffset +
		  width;

	if (!lane_in_range(b, lane))
		return false;
	return (b->by_index && b->indexes) || end <= b->records;
}

static u64 buffer_addrs(const struct gpubp_insn *insn, const u32 *regs,
			u64 exec, u64 *addrs)
{
	struct buffer b;
	unsigned int lane;
	u64 lanes = 0;

	if (regs[1] & V_SWIZZLE)
		return 0;
	buffer_parse(&b, insn, regs);
	for (; exec; exec &= exec - 1) {
		lane = __ffs64(exec);
		if (lane_in_range(&b, lane))
			lanes |= BIT_ULL(lane);
		addrs[lane] = b.base + b.soffset + buffer_offset(&b, lane);
	}
	return lanes;
}

u64 gfx9_lanes_whole(const struct gpubp_insn *insn, const u32 *regs, u64 lanes)
{
	unsigned int lane;
	struct buffer b;
	u64 whole = 0;

	if (insn->isa_priv[PRIV_FORM] != FORM_BUFFER)
		return lanes;
	buffer_parse(&b, insn, regs);
	for (; lanes; lanes &= lanes - 1) {
		lane = __ffs64(lanes);
		if (lane_is_whole(&b, lane, insn->width))
			whole |= BIT_ULL(lane);
	}
	return whole;
}

/* the lane is in range: its first dword is, and all of an atomic */
unsigned int gfx9_lane_dropped(const struct gpubp_insn *insn, const u32 *regs,
			       unsigned int lane)
{
	struct buffer b;
	u64 reach;

	if (insn->isa_priv[PRIV_FORM] != FORM_BUFFER)
		return 0;
	buffer_parse(&b, insn, regs);
	if (b.by_index)
		return 0;
	reach = ALIGN(b.records - buffer_offset(&b, lane), DWORD);
	return insn->width - min_t(u64, reach, insn->width);
}

u64 gfx9_lane_addrs(const struct gpubp_insn *insn, const u32 *regs, u64 exec,
		    u64 addrs[GPUBP_MAX_LANES])
{
	switch (insn->isa_priv[PRIV_FORM]) {
	case FORM_FLAT:
	case FORM_GLOBAL:
		return flat_addrs(insn, regs, exec, addrs);
	case FORM_GLOBAL_SADDR:
		return saddr_addrs(insn, regs, exec, addrs);
	case FORM_BUFFER:
		return buffer_addrs(insn, regs, exec, addrs);
	default:
		return 0;
	}
}

/* of one lane; @regs are the lane's */
static void lane_bytes(const u32 *regs, unsigned int at, unsigned int nr, u8 *bytes)
{
	for (; nr; nr--, at++)
		*bytes++ = regs[at / 4 * GPUBP_MAX_LANES] >> at % 4 * 8;
}

unsigned int gfx9_lane_data(const struct gpubp_insn *insn, bool loaded,
			    const u32 *regs, unsigned int lane, unsigned int nr,
			    u8 *bytes)
{
	unsigned int at = insn->isa_priv[PRIV_FLAGS] & DATA_HIGH ? 2 : 0;
	unsigned int width = insn->width;

	if (!(loaded ? insn->loaded : insn->stored).count)
		return 0;
	regs += lane;
	if (width == DWORD) {
		memcpy(bytes, regs, nr * DWORD);
		return width;
	}
	for (; nr; nr--, regs++, bytes += width)
		lane_bytes(regs, at, width, bytes);
	return width;
}
