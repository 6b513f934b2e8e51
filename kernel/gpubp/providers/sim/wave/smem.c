// SPDX-License-Identifier: GPL-2.0
/*
 * Scalar memory. Comparators do not see it.
 */
#include <linux/kernel.h>
#include "vmem.h"

enum smem_op {
	S_LOAD_DWORD = 0, S_LOAD_DWORDX16 = 4,
	S_BUFFER_LOAD_DWORD = 8, S_BUFFER_LOAD_DWORDX16 = 12,
	S_STORE_DWORD = 16, S_STORE_DWORDX4 = 18,
	S_BUFFER_STORE_DWORD = 24, S_BUFFER_STORE_DWORDX4 = 26,
	S_DCACHE_INV = 32, S_DCACHE_WB_VOL = 35,
	S_MEMTIME = 36, S_MEMREALTIME = 37,
	S_DCACHE_DISCARD = 40, S_DCACHE_DISCARD_X2 = 41,
	S_BUFFER_ATOMIC_SWAP = 64, S_BUFFER_ATOMIC_DEC_X2 = 108,
	S_ATOMIC_SWAP = 128, S_ATOMIC_DEC_X2 = 172,
};

#define ATOMIC_TO_FLAT		64	/* modulo this: opcode of flat_atomic */

static int smem_offset(const struct sim_wave *w, const struct gfx9_inst *i,
		       s64 *off)
{
	u32 soff = 0;

	if ((i->soe || !i->imm) && sim_sread(w, i, i->soffset, &soff))
		return -EILSEQ;
	*off = (i->imm ? i->offset : 0) + (s64)soff;
	return 0;
}

/* the lowest two bits of an address are ignored */
static int smem_addr(const struct sim_wave *w, const struct gfx9_inst *i,
		     u64 *va)
{
	s64 off;

	if (sim_sread64(w, i, i->saddr, va) || smem_offset(w, i, &off))
		return -EILSEQ;
	*va = (*va + off) & ~3ull;
	return 0;
}

static bool aligned_regs(unsigned int reg, unsigned int nr)
{
	return !(reg & (min(nr, 4u) - 1));
}

static void smem_write_regs(struct sim_wave *w, unsigned int reg,
			    const u32 *vals, unsigned int nr)
{
	while (nr--)
		w->s[reg++] = *vals++;
}

static int smem_load(struct sim_wave *w, const struct gfx9_inst *i,
		     unsigned int nr)
{
	u32 vals[16] = {};
	u64 va;

	if (!aligned_regs(i->dst, nr) || sim_swritable(w, i->dst, nr) ||
	    smem_addr(w, i, &va))
		return -EILSEQ;
	if (sim_env_need(w, va, nr * sizeof(*vals), false))
		return SIM_STOP_PAGE;
	if (sim_env_read(w, va, vals, nr * sizeof(*vals)))
		sim_mem_viol(w, va, true);
	smem_write_regs(w, i->dst, vals, nr);
	return 0;
}

static int smem_read_regs(const struct sim_wave *w, const struct gfx9_inst *i,
			  u32 *vals, unsigned int nr)
{
	unsigned int n;

	for (n = 0; n < nr; n++)
		if (i->dst + n > 127 || sim_sread(w, i, i->dst + n, &vals[n]))
			return -EILSEQ;
	return 0;
}

static int smem_store(struct sim_wave *w, const struct gfx9_inst *i,
		      unsigned int nr)
{
	u32 vals[4];
	u64 va;

	if (!aligned_regs(i->dst, nr) || smem_read_regs(w, i, vals, nr) ||
	    smem_addr(w, i, &va))
		return -EILSEQ;
	if (sim_env_need(w, va, nr * sizeof(*vals), true))
		return SIM_STOP_PAGE;
	if (sim_env_write(w, va, vals, nr * sizeof(*vals)))
		sim_mem_viol(w, va, true);
	return 0;
}

/**
 * struct sbuffer - buffer descriptor of a scalar access
 * @base: address
 * @size: bytes
 */
struct sbuffer {
	u64 base;
	u64 size;
};

static int sbuffer_read(const struct sim_wave *w, const struct gfx9_inst *i,
			struct sbuffer *b)
{
	u64 low, high;
	u32 stride;

	if (sim_sread64(w, i, i->saddr, &low) ||
	    sim_sread64(w, i, i->saddr + 2, &high))
		return -EILSEQ;
	stride = (low >> 48) & 0x3fff;
	b->base = low & 0xffffffffffffull;
	b->size = (u64)(u32)high * (stride ? stride : 1);
	return 0;
}

/* pages of all dwords that are in range */
static int need_buffer(struct sim_wave *w, const struct sbuffer *b, s64 off,
		       unsigned int nr, bool write)
{
	s64 first = max_t(s64, off, 0);
	s64 end = min_t(s64, off + 4 * nr, b->size);

	return first < end ?
	       sim_env_need(w, b->base + first, end - first, write) : 0;
}

/* dwords out of range read as zero and are not written */
static int buffer_access(struct sim_wave *w, const struct gfx9_inst *i,
			 unsigned int nr, bool write)
{
	u32 vals[16] = {};
	unsigned int n;
	struct sbuffer b;
	s64 off;

	if (!aligned_regs(i->dst, nr) || sbuffer_read(w, i, &b) ||
	    smem_offset(w, i, &off))
		return -EILSEQ;
	if (write ? smem_read_regs(w, i, vals, nr) :
		    sim_swritable(w, i->dst, nr))
		return -EILSEQ;
	off &= ~3ll;
	if (need_buffer(w, &b, off, nr, write))
		return SIM_STOP_PAGE;
	for (n = 0; n < nr; n++, off += 4) {
		if (off < 0 || (u64)off + 4 > b.size)
			continue;
		if (write ? sim_env_write(w, b.base + off, &vals[n], 4) :
			    sim_env_read(w, b.base + off, &vals[n], 4))
			sim_mem_viol(w, b.base + off, true);
	}
	if (!write)
		smem_write_regs(w, i->dst, vals, nr);
	return 0;
}

static void atomic_operands(const u32 *vals, bool wide, bool cmpswap,
			    struct sim_rmw *r)
{
	r->src = wide ? vals[0] | (u64)vals[1] << 32 : vals[0];
	r->cmp = 0;
	if (cmpswap)
		r->cmp = wide ? vals[2] | (u64)vals[3] << 32 : vals[1];
}

/* address of an access; *in_range is false if it is to be dropped */
static int atomic_addr(const struct sim_wave *w, const struct gfx9_inst *i,
		       unsigned int width, u64 *va, bool *in_range)
{
	struct sbuffer b;
	s64 off;

	*in_range = true;
	if (i->op >= S_ATOMIC_SWAP)
		return smem_addr(w, i, va);
	if (sbuffer_read(w, i, &b) || smem_offset(w, i, &off))
		return -EILSEQ;
	off &= ~3ll;
	*in_range = off >= 0 && (u64)off + width <= b.size;
	*va = b.base + off;
	return 0;
}

static int smem_atomic(struct sim_wave *w, const struct gfx9_inst *i)
{
	unsigned int op = i->op % ATOMIC_TO_FLAT + ATOMIC_TO_FLAT;
	struct sim_memop m;
	struct sim_rmw r = {};
	bool in_range;
	u32 vals[4];
	u64 va, old = 0;

	if (sim_memop_find(op, &m) || smem_read_regs(w, i, vals, m.regs) ||
	    sim_swritable(w, i->dst, m.width / 4) ||
	    atomic_addr(w, i, m.width, &va, &in_range))
		return -EILSEQ;
	atomic_operands(vals, m.width == 8, m.regs > m.width / 4, &r);
	if (va & (m.width - 1)) {
		sim_mem_viol(w, va, false);
		return 0;
	}
	if (in_range && sim_env_need(w, va, m.width, true))
		return SIM_STOP_PAGE;
	if (in_range && sim_env_rmw(w, va, m.width, sim_rmw_find(op), &r, &old))
		sim_mem_viol(w, va, true);
	vals[0] = (u32)old;
	vals[1] = old >> 32;
	if (i->glc)
		smem_write_regs(w, i->dst, vals, m.width / 4);
	return 0;
}

/*
 * sim_smem() - SMEM
 */
int sim_smem(struct sim_wave *w, const struct gfx9_inst *i)
{
	switch (i->op) {
	case S_LOAD_DWORD ... S_LOAD_DWORDX16:
		return smem_load(w, i, 1u << i->op);
	case S_BUFFER_LOAD_DWORD ... S_BUFFER_LOAD_DWORDX16:
		return buffer_access(w, i, 1u << (i->op - S_BUFFER_LOAD_DWORD),
				     false);
	case S_STORE_DWORD ... S_STORE_DWORDX4:
		return smem_store(w, i, 1u << (i->op - S_STORE_DWORD));
	case S_BUFFER_STORE_DWORD ... S_BUFFER_STORE_DWORDX4:
		return buffer_access(w, i, 1u << (i->op - S_BUFFER_STORE_DWORD),
				     true);
	case S_DCACHE_INV ... S_DCACHE_WB_VOL:
	case S_DCACHE_DISCARD:
	case S_DCACHE_DISCARD_X2:
		return 0;
	case S_MEMTIME:
	case S_MEMREALTIME:
		return sim_swrite64(w, i->dst, sim_env_time(w, i->op ==
							    S_MEMREALTIME));
	case S_BUFFER_ATOMIC_SWAP ... S_BUFFER_ATOMIC_DEC_X2:
	case S_ATOMIC_SWAP ... S_ATOMIC_DEC_X2:
		return smem_atomic(w, i);
	default:
		return -EILSEQ;
	}
}
