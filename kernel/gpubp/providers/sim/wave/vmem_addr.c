// SPDX-License-Identifier: GPL-2.0
/*
 * Lane addresses of FLAT, GLOBAL, SCRATCH and MUBUF.
 *
 * Private memory is swizzled: dword n of all 64 lanes is contiguous. An element
 * of more than a dword, or one that is not aligned, is moved dword by dword. Of
 * swizzled buffers only the kind that LLVM makes for private memory is
 * supported (dword elements), the others are refused as illegal.
 */
#include <linux/kernel.h>
#include "vmem.h"

/* buffer descriptor */
#define RSRC1_STRIDE(x)		(((x) >> 16) & 0x3fff)
#define RSRC3_STRIDE(x)		((((x) >> 15) & 0xf) << 14)	/* with ADD_TID */
#define RSRC1_SWIZZLE		0x80000000u
#define RSRC3_ELEM_SIZE(x)	(2u << (((x) >> 19) & 3))	/* bytes */
#define RSRC3_INDEX_STRIDE(x)	(8u << (((x) >> 21) & 3))
#define RSRC3_ADD_TID		0x00800000u

/*
 * struct vsharp - buffer descriptor
 */
struct vsharp {
	u64 base;
	u32 stride;
	u32 records;
	bool swizzle;
	bool add_tid;
	u32 elem_size;
	u32 index_stride;
};

static bool in_aperture(u64 va, u64 base)
{
	return va >> 32 == base >> 32;
}

/* does an element of private memory lie within one dword of the swizzle? */
static bool one_dword(const struct sim_vmem *m, u64 off)
{
	return (off & 3) + m->op.width <= 4;
}

static void drop_lane(struct sim_vmem *m, unsigned int lane)
{
	m->mem &= ~(1ull << lane);
}

/* an atomic operation cannot be split */
static void swizzled_lane(struct sim_wave *w, struct sim_vmem *m,
			  unsigned int lane, u64 base, u64 off)
{
	u64 va = sim_swizzled_va(base & ~3ull, off, lane);

	w->work.addrs[lane] = va;
	if (one_dword(m, off))
		return;
	drop_lane(m, lane);
	if (m->op.kind == SIM_ATOMIC) {
		m->torn |= 1ull << lane;
		return;
	}
	m->pieces |= 1ull << lane;
	m->step = 4 * SIM_LANES;
	w->work.avail[lane] = m->op.width;
}

static void private_lane(struct sim_wave *w, struct sim_vmem *m,
			 unsigned int lane, u64 off)
{
	swizzled_lane(w, m, lane, sim_pair(w, GFX9_SRC_FLAT_SCRATCH), off);
}

/* the aperture of a flat address selects memory, LDS or private memory */
static void flat_lane(struct sim_wave *w, struct sim_vmem *m,
		      unsigned int lane)
{
	u64 *va = &w->work.addrs[lane];

	if (in_aperture(*va, SIM_SHARED_BASE)) {
		*va = (u32)*va;
		m->lds |= 1ull << lane;
		drop_lane(m, lane);
	} else if (in_aperture(*va, SIM_PRIVATE_BASE)) {
		private_lane(w, m, lane, (u32)*va);
	}
}

static int flat_apertures(struct sim_wave *w, struct sim_vmem *m)
{
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, sim_exec(w))
		flat_lane(w, m, lane);
	return 0;
}

static int scratch_addrs(struct sim_wave *w, const struct gfx9_inst *i,
			 struct sim_vmem *m)
{
	unsigned int lane, row = 0;
	u32 off, base = 0;
	u64 left;

	if (i->saddr != GFX9_SADDR_OFF && sim_sread(w, i, i->saddr, &base))
		return -EILSEQ;
	if (i->sve && sim_vreg(w, i->vaddr, 1, false, &row))
		return -EILSEQ;
	sim_for_each_lane(lane, left, sim_exec(w)) {
		off = base + i->offset;
		if (i->sve)
			off += w->v[row][lane];
		private_lane(w, m, lane, off);
	}
	return 0;
}

static int global_addrs(struct sim_wave *w, const struct gfx9_inst *i)
{
	bool has_saddr = i->saddr != GFX9_SADDR_OFF;
	u64 *addrs = w->work.addrs, left, base = 0;
	const u32 *low, *high;
	unsigned int lane, row;

	if (sim_vreg(w, i->vaddr, has_saddr ? 1 : 2, false, &row))
		return -EILSEQ;
	if (has_saddr && sim_sread64(w, i, i->saddr, &base))
		return -EILSEQ;
	base += (s64)i->offset;
	low = w->v[row];
	high = has_saddr ? w->work.zero : w->v[row + 1];
	sim_for_each_lane(lane, left, sim_exec(w))
		addrs[lane] = base + low[lane] + ((u64)high[lane] << 32);
	return 0;
}

/**
 * sim_flat_addrs() - addresses of FLAT, GLOBAL, SCRATCH into work.addrs
 * @w: wave
 * @i: instruction
 * @m: instruction; @m->mem and @m->lds are written
 *
 * Return: 0 or -EILSEQ.
 */
int sim_flat_addrs(struct sim_wave *w, const struct gfx9_inst *i,
		   struct sim_vmem *m)
{
	m->mem = sim_exec(w);
	if (i->seg == GFX9_SEG_SCRATCH)
		return scratch_addrs(w, i, m);
	if (global_addrs(w, i))
		return -EILSEQ;
	return i->seg == GFX9_SEG_FLAT ? flat_apertures(w, m) : 0;
}

static int vsharp_read(const struct sim_wave *w, const struct gfx9_inst *i,
		       struct vsharp *v)
{
	u32 r[4];
	int n;

	for (n = 0; n < 4; n++)
		if (sim_sread(w, i, i->saddr + n, &r[n]))
			return -EILSEQ;
	v->base = r[0] | (u64)(r[1] & 0xffff) << 32;
	v->stride = RSRC1_STRIDE(r[1]);
	v->records = r[2];
	v->swizzle = r[1] & RSRC1_SWIZZLE;
	v->add_tid = r[3] & RSRC3_ADD_TID;
	v->elem_size = RSRC3_ELEM_SIZE(r[3]);
	v->index_stride = RSRC3_INDEX_STRIDE(r[3]);
	if (v->add_tid)
		v->stride |= RSRC3_STRIDE(r[3]);
	return 0;
}

static bool vsharp_supported(const struct vsharp *v)
{
	return !v->swizzle || (v->add_tid && v->elem_size == 4 &&
			       v->index_stride == SIM_LANES);
}

/**
 * struct mubuf_lane - operands of one lane
 * @soff: scalar offset
 * @off: the instruction's own and the vector offset
 * @index: vector index
 * @has_index: the instruction has one
 */
struct mubuf_lane {
	u32 soff;
	u32 off;
	u32 index;
	bool has_index;
};

/*
 * Bytes of an element that are in range; the scalar offset is ignored. With an
 * index and a stride, records are elements, and other offsets are ignored, too;
 * else records are bytes, and an element is checked dword by dword.
 */
static unsigned int bytes_in_range(const struct vsharp *v,
				   const struct sim_vmem *m,
				   const struct mubuf_lane *l)
{
	u64 at = (u64)l->index * v->stride + l->off, avail;

	if (l->has_index && v->stride)
		return l->index < v->records ? m->op.width : 0;
	if (at >= v->records)
		return 0;
	avail = ALIGN(v->records - at, 4);
	return min_t(u64, avail, m->op.width);
}

static void mubuf_lane(struct sim_wave *w, struct sim_vmem *m,
		       const struct vsharp *v, unsigned int lane,
		       const struct mubuf_lane *l)
{
	unsigned int avail;

	/* gfx9 does not check the range of private memory */
	if (v->swizzle) {
		swizzled_lane(w, m, lane, v->base + l->soff, l->off);
		return;
	}
	avail = bytes_in_range(v, m, l);
	/* an atomic is dropped unless all of it is in range */
	if (!avail || (avail < m->op.width && m->op.kind == SIM_ATOMIC)) {
		drop_lane(m, lane);
		m->zero |= 1ull << lane;
		return;
	}
	w->work.addrs[lane] = v->base + l->soff + l->off +
			      (u64)l->index * v->stride;
	if (avail == m->op.width)
		return;
	drop_lane(m, lane);
	m->pieces |= 1ull << lane;
	m->step = 4;
	w->work.avail[lane] = avail;
}

static int mubuf_operands(const struct sim_wave *w, const struct gfx9_inst *i,
			  struct mubuf_lane *l, unsigned int *row)
{
	unsigned int nr = i->idxen + i->offen;

	if (sim_sread(w, i, i->soffset, &l->soff))
		return -EILSEQ;
	*row = 0;
	return nr ? sim_vreg(w, i->vaddr, nr, false, row) : 0;
}

/**
 * sim_mubuf_addrs() - addresses of MUBUF into work.addrs
 * @w: wave
 * @i: instruction
 * @m: instruction; @m->mem and @m->zero are written
 *
 * Linear buffers, whose index can be the lane (ADD_TID), and the swizzled one that
 * LLVM makes for private memory.
 * Return: 0 or -EILSEQ.
 */
int sim_mubuf_addrs(struct sim_wave *w, const struct gfx9_inst *i,
		    struct sim_vmem *m)
{
	struct mubuf_lane l = {};
	struct vsharp v;
	unsigned int lane, row;
	u64 left;

	if (vsharp_read(w, i, &v) || !vsharp_supported(&v) ||
	    mubuf_operands(w, i, &l, &row))
		return -EILSEQ;
	m->mem = sim_exec(w);
	l.has_index = i->idxen || v.add_tid;
	sim_for_each_lane(lane, left, sim_exec(w)) {
		l.index = (i->idxen ? w->v[row][lane] : 0) +
			  (v.add_tid ? lane : 0);
		l.off = i->offset;
		if (i->offen)
			l.off += w->v[row + i->idxen][lane];
		mubuf_lane(w, m, &v, lane, &l);
	}
	return 0;
}
