// SPDX-License-Identifier: GPL-2.0
/*
 * Vector loads, stores and atomics: move the data of lanes whose addresses are
 * known (vmem_addr.c), then compare the access with the comparators.
 *
 * The bytes of the lanes are packed in wave->work.data, so that lanes with
 * adjacent addresses are one access of the environment. Dwords, if that is all,
 * need no packing.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "../softfloat/softfloat.h"
#include "vmem.h"

#define OP_LOAD_UBYTE		16
#define OP_LOAD_DWORDX4		23
#define OP_STORE_BYTE		24
#define OP_STORE_DWORDX4	31
#define OP_LOAD_UBYTE_D16	32
#define OP_LOAD_SHORT_D16_HI	37
#define OP_LOAD_LDS_UBYTE	38	/* FLAT of gfx942; MUBUF has a bit */
#define OP_LOAD_LDS_DWORD	42
#define OP_ATOMIC_SWAP		64

static const struct sim_memop loads[] = {
	{ SIM_LOAD, 1, 1, .is_signed = false },
	{ SIM_LOAD, 1, 1, .is_signed = true },
	{ SIM_LOAD, 2, 1, .is_signed = false },
	{ SIM_LOAD, 2, 1, .is_signed = true },
	{ SIM_LOAD, 4, 1 },
	{ SIM_LOAD, 8, 2 },
	{ SIM_LOAD, 12, 3 },
	{ SIM_LOAD, 16, 4 },
	{ SIM_STORE, 1, 1 },
	{ SIM_STORE, 1, 1, .hi = true },
	{ SIM_STORE, 2, 1 },
	{ SIM_STORE, 2, 1, .hi = true },
	{ SIM_STORE, 4, 1 },
	{ SIM_STORE, 8, 2 },
	{ SIM_STORE, 12, 3 },
	{ SIM_STORE, 16, 4 },
	{ SIM_LOAD, 1, 1, .d16 = true },
	{ SIM_LOAD, 1, 1, .d16 = true, .hi = true },
	{ SIM_LOAD, 1, 1, .is_signed = true, .d16 = true },
	{ SIM_LOAD, 1, 1, .is_signed = true, .d16 = true, .hi = true },
	{ SIM_LOAD, 2, 1, .d16 = true },
	{ SIM_LOAD, 2, 1, .d16 = true, .hi = true },
};

/*
 * sim_memop_find() - decode an opcode of FLAT or MUBUF
 *
 * Return: 0 or -EILSEQ.
 */
int sim_memop_find(unsigned int op, struct sim_memop *m)
{
	if (op >= OP_ATOMIC_SWAP)
		return sim_rmw_memop(op, m);
	if (op < OP_LOAD_UBYTE || op > OP_LOAD_SHORT_D16_HI)
		return -EILSEQ;
	*m = loads[op - OP_LOAD_UBYTE];
	return 0;
}

static u8 *lane_bytes(struct sim_wave *w, const struct sim_vmem *m,
		      unsigned int lane)
{
	u32 *dwords = m->row ?: w->work.data;

	return (u8 *)dwords + lane * m->op.width;
}

static void put_lane(struct sim_wave *w, const struct sim_vmem *m,
		     unsigned int lane)
{
	u8 *bytes = lane_bytes(w, m, lane);
	unsigned int k;
	u32 val;

	if (m->op.width < 4) {
		val = w->v[m->data][lane] >> (m->op.hi ? 16 : 0);
		bytes[0] = val;
		if (m->op.width == 2)
			bytes[1] = val >> 8;
		return;
	}
	for (k = 0; k < m->op.regs; k++)
		memcpy(bytes + 4 * k, &w->v[m->data + k][lane], 4);
}

/* store data of all lanes from registers to work.data */
static void vmem_gather(struct sim_wave *w, const struct sim_vmem *m)
{
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, m->mem | m->lds | m->pieces)
		put_lane(w, m, lane);
}

static u32 load_narrow(const struct sim_memop *op, const u8 *bytes)
{
	if (op->width == 1)
		return op->is_signed ? (u32)(s8)bytes[0] : bytes[0];
	return op->is_signed ? (u32)(s16)(bytes[0] | bytes[1] << 8) :
			       (u32)(bytes[0] | bytes[1] << 8);
}

static u32 merge_d16(const struct sim_memop *op, u32 old, u32 val)
{
	if (!op->d16)
		return val;
	return op->hi ? (old & 0xffff) | val << 16 :
			(old & 0xffff0000) | (val & 0xffff);
}

static void get_lane(struct sim_wave *w, const struct sim_vmem *m,
		     unsigned int lane)
{
	const u8 *bytes = lane_bytes(w, m, lane);
	u32 *dst = &w->v[m->dst][lane];
	unsigned int k;

	if (m->op.width < 4) {
		*dst = merge_d16(&m->op, *dst, load_narrow(&m->op, bytes));
		return;
	}
	for (k = 0; k < m->op.regs; k++)
		memcpy(&w->v[m->dst + k][lane], bytes + 4 * k, 4);
}

/* loaded data of @lanes from work.data to registers */
static void vmem_scatter(struct sim_wave *w, const struct sim_vmem *m,
			 u64 lanes)
{
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, lanes)
		get_lane(w, m, lane);
}

/* the same to LDS */
static void vmem_to_lds(struct sim_wave *w, const struct sim_vmem *m, u64 lanes)
{
	unsigned int lane;
	u64 left;
	u32 val;

	sim_for_each_lane(lane, left, lanes) {
		const u8 *bytes = lane_bytes(w, m, lane);

		if (m->op.width < 4)
			val = load_narrow(&m->op, bytes);
		else
			memcpy(&val, bytes, sizeof(val));
		sim_lds_store(w, m->lds_off + sizeof(val) * lane, val);
	}
}

/* what atomics return that are out of range, like loads */
static void return_zero(struct sim_wave *w, const struct sim_vmem *m)
{
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, m->zero) {
		w->v[m->dst][lane] = 0;
		if (m->op.width == 8)
			w->v[m->dst + 1][lane] = 0;
	}
}

static int move_run(struct sim_wave *w, const struct sim_vmem *m,
		    unsigned int lane, unsigned int nr)
{
	u64 va = w->work.addrs[lane];
	u8 *bytes = lane_bytes(w, m, lane);

	if (m->op.kind == SIM_LOAD)
		return sim_env_read(w, va, bytes, nr * m->op.width);
	return sim_env_write(w, va, bytes, nr * m->op.width);
}

static u64 lanes_mask(unsigned int first, unsigned int nr)
{
	return (nr == 64 ? ~0ull : (1ull << nr) - 1) << first;
}

/* lanes from @first on with adjacent numbers and addresses */
static unsigned int run_length(const struct sim_wave *w,
			       const struct sim_vmem *m, unsigned int first)
{
	const u64 *va = w->work.addrs;
	u64 lanes = m->mem >> first << first, next = va[first];
	unsigned int lane, end = sim_take_run(&lanes, &first);

	for (lane = first; lane < end && va[lane] == next; lane++)
		next += m->op.width;
	return lane - first;
}

/* retry a failed run lane by lane: lanes that do not fail must succeed */
static void move_lanes(struct sim_wave *w, struct sim_vmem *m,
		       unsigned int first, unsigned int nr)
{
	unsigned int lane;

	for (lane = first; lane < first + nr; lane++) {
		if (m->row && m->op.kind == SIM_LOAD)
			m->row[lane] = 0;
		if (!move_run(w, m, lane, 1))
			m->done |= 1ull << lane;
		else
			sim_mem_viol(w, w->work.addrs[lane], true);
	}
}

static void move_all(struct sim_wave *w, struct sim_vmem *m)
{
	unsigned int lane, nr;
	u64 left = m->mem;

	while (left) {
		lane = __ffs64(left);
		nr = run_length(w, m, lane);
		if (!move_run(w, m, lane, nr))
			m->done |= lanes_mask(lane, nr);
		else
			move_lanes(w, m, lane, nr);
		left &= ~lanes_mask(lane, nr);
	}
}

/*
 * Length of the next piece of a lane's element: at most to the end of the
 * dword.
 */
static unsigned int piece_len(u64 va, unsigned int left)
{
	return min(4 - (unsigned int)(va & 3), left);
}

/* move the next dword of a lane's element; false if the access failed */
static bool move_piece(struct sim_wave *w, const struct sim_vmem *m,
		       unsigned int lane)
{
	u64 va = w->work.addrs[lane];
	u8 *at = lane_bytes(w, m, lane) + w->work.moved[lane];
	unsigned int len = piece_len(va, w->work.avail[lane] -
					 w->work.moved[lane]);
	int err = m->op.kind == SIM_LOAD ? sim_env_read(w, va, at, len) :
					   sim_env_write(w, va, at, len);

	w->work.moved[lane] += len;
	if (err)
		sim_mem_viol(w, va, true);
	/* a comparator's block contains all bytes of a dword or none */
	w->work.addrs[lane] = va & ~3ull;
	return !err;
}

/* move one dword of each of @lanes; returns the lanes with further dwords */
static u64 move_pieces(struct sim_wave *w, struct sim_vmem *m, u64 lanes)
{
	unsigned int lane;
	u64 left, done = 0, more = 0;

	sim_for_each_lane(lane, left, lanes) {
		done |= (u64)move_piece(w, m, lane) << lane;
		if (w->work.moved[lane] < w->work.avail[lane])
			more |= 1ull << lane;
	}
	if (done)
		sim_watch_hit(w, sim_env_watch(w, m->op.kind, 4, done,
					       w->work.addrs));
	sim_for_each_lane(lane, left, more)
		w->work.addrs[lane] += m->step;
	return more;
}

static void access_pieces(struct sim_wave *w, struct sim_vmem *m)
{
	u64 lanes = m->pieces;

	memset(w->work.moved, 0, sizeof(w->work.moved));
	while (lanes)
		lanes = move_pieces(w, m, lanes);
}

static void access_memory(struct sim_wave *w, struct sim_vmem *m)
{
	if (m->op.kind == SIM_ATOMIC)
		sim_vmem_atomic(w, m);
	else
		move_all(w, m);
	if (m->done)
		sim_watch_hit(w, sim_env_watch(w, m->op.kind, m->op.width,
					       m->done, w->work.addrs));
}

static int need_pieces(struct sim_wave *w, const struct sim_vmem *m,
		       unsigned int lane)
{
	unsigned int len, left = w->work.avail[lane];
	u64 va = w->work.addrs[lane];

	for (; left; left -= len) {
		len = piece_len(va, left);
		if (sim_env_need(w, va, len, m->op.kind != SIM_LOAD))
			return -EAGAIN;
		va = (va & ~3ull) + m->step;
	}
	return 0;
}

/* 0, or -EAGAIN if a page that the lanes access is not present */
static int need_pages(struct sim_wave *w, const struct sim_vmem *m)
{
	bool write = m->op.kind != SIM_LOAD;
	unsigned int lane, nr;
	u64 left;

	if (!sim_env_may_wait(w))
		return 0;
	for (left = m->mem; left; left &= ~lanes_mask(lane, nr)) {
		lane = __ffs64(left);
		nr = run_length(w, m, lane);
		if (sim_env_need(w, w->work.addrs[lane], nr * m->op.width,
				 write))
			return -EAGAIN;
	}
	sim_for_each_lane(lane, left, m->pieces)
		if (need_pieces(w, m, lane))
			return -EAGAIN;
	return 0;
}

/* are registers and memory copies of each other, in all lanes? */
static bool is_plain_copy(const struct sim_vmem *m)
{
	return m->op.kind != SIM_ATOMIC && m->op.width == sizeof(u32) &&
	       !m->to_lds && !(m->lds | m->pieces | m->zero | m->torn);
}

/**
 * sim_vmem_run() - access memory and LDS as @m says
 * @w: wave
 * @m: instruction with addresses
 *
 * The access completes before it is compared with the comparators. Lanes that
 * fail load zero. Return: 0 or SIM_STOP_PAGE.
 */
int sim_vmem_run(struct sim_wave *w, struct sim_vmem *m)
{
	u64 loaded;

	if (need_pages(w, m))
		return SIM_STOP_PAGE;
	if (is_plain_copy(m)) {
		m->row = w->v[m->op.kind == SIM_LOAD ? m->dst : m->data];
		if (m->mem)
			access_memory(w, m);
		return 0;
	}
	if (m->torn)
		sim_mem_viol(w, w->work.addrs[__ffs64(m->torn)], false);
	if (m->op.kind == SIM_STORE)
		vmem_gather(w, m);
	else if (m->op.kind == SIM_LOAD)
		memset(w->work.data, 0, SIM_LANES * m->op.width);
	if (m->mem)
		access_memory(w, m);
	if (m->pieces)
		access_pieces(w, m);
	if (m->lds)
		sim_lds_access(w, m);
	loaded = m->mem | m->lds | m->pieces | m->zero;
	if (m->to_lds)
		vmem_to_lds(w, m, loaded);
	else if (m->op.kind == SIM_LOAD)
		vmem_scatter(w, m, loaded);
	else if (m->returns)
		return_zero(w, m);
	return 0;
}

static int data_regs(const struct sim_wave *w, const struct gfx9_inst *i,
		     struct sim_vmem *m, unsigned int dst)
{
	unsigned int back = m->op.kind == SIM_ATOMIC ? m->op.width / 4 :
						       m->op.regs;

	m->returns = m->op.kind == SIM_ATOMIC && i->glc;
	m->rmw = sim_rmw_find(i->op);
	/* binary32 atomics in the cache flush denormals, others never do */
	m->fm = i->op == SIM_RMW_ADD_F32 ? SF_FLUSH : 0;
	if (m->op.kind == SIM_ATOMIC)
		m->lds_fm = sim_lds_float_mode(w, i->op);
	if (m->op.kind != SIM_LOAD &&
	    sim_vreg(w, i->vdata, m->op.regs, i->acc, &m->data))
		return -EILSEQ;
	m->cmp = m->data;
	if (m->op.kind == SIM_ATOMIC && m->op.regs > back)
		m->cmp += back;
	if ((m->op.kind == SIM_LOAD || m->returns) &&
	    sim_vreg(w, dst, back, i->acc, &m->dst))
		return -EILSEQ;
	return 0;
}

/* M0 and the offset of the instruction are the address in LDS */
static int lds_operands(const struct sim_wave *w, const struct gfx9_inst *i,
			struct sim_vmem *m)
{
	if (m->op.kind != SIM_LOAD || m->op.width > 4 || m->op.d16)
		return -EILSEQ;
	m->lds_off = (w->s[GFX9_SRC_M0] & 0xffff) + i->offset;
	return 0;
}

static int flat_to_lds(struct sim_wave *w, const struct gfx9_inst *i)
{
	struct sim_vmem m = { .to_lds = true };

	m.op = loads[i->op - OP_LOAD_LDS_UBYTE];
	if (lds_operands(w, i, &m) || sim_flat_addrs(w, i, &m))
		return -EILSEQ;
	return sim_vmem_run(w, &m);
}

/*
 * sim_flat() - FLAT, GLOBAL and SCRATCH
 */
int sim_flat(struct sim_wave *w, const struct gfx9_inst *i)
{
	struct sim_vmem m = {};

	if (i->op >= OP_LOAD_LDS_UBYTE && i->op <= OP_LOAD_LDS_DWORD)
		return flat_to_lds(w, i);
	if (sim_memop_find(i->op, &m.op) || data_regs(w, i, &m, i->dst) ||
	    sim_flat_addrs(w, i, &m))
		return -EILSEQ;
	return sim_vmem_run(w, &m);
}

/* cache operations are no-ops: there is no cache */
static bool is_cache_op(unsigned int op)
{
	return op == 40 || op == 41 || op == 62 || op == 63;
}

/*
 * sim_mubuf() - MUBUF
 */
int sim_mubuf(struct sim_wave *w, const struct gfx9_inst *i)
{
	struct sim_vmem m = { .to_lds = i->lds };

	if (is_cache_op(i->op))
		return 0;
	if (i->tfe || sim_memop_find(i->op, &m.op) ||
	    (i->lds ? lds_operands(w, i, &m) : data_regs(w, i, &m, i->vdata)) ||
	    sim_mubuf_addrs(w, i, &m))
		return -EILSEQ;
	return sim_vmem_run(w, &m);
}
