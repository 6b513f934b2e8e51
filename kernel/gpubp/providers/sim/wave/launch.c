// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel descriptor and dispatch -> initial registers.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "interp.h"

/* offsets in the kernel descriptor */
#define DESC_GROUP_SIZE		0
#define DESC_PRIVATE_SIZE	4
#define DESC_KERNARG_SIZE	8
#define DESC_ENTRY		16
#define DESC_RSRC3		44
#define DESC_RSRC1		48
#define DESC_RSRC2		52
#define DESC_PROPERTIES		56
#define DESC_PRELOAD		58

#define RSRC1_VGPRS(x)		((x) & 0x3f)
#define RSRC1_SGPRS(x)		(((x) >> 6) & 0xf)
#define RSRC1_FLOAT_MODE(x)	(((x) >> 12) & 0xff)
#define RSRC1_PRIV		0x00100000u
#define RSRC1_DX10_CLAMP	0x00200000u
#define RSRC1_DEBUG_MODE	0x00400000u
#define RSRC1_IEEE		0x00800000u

#define RSRC2_SCRATCH_EN	0x00000001u
#define RSRC2_USER_SGPR(x)	(((x) >> 1) & 0x1f)
#define RSRC2_TGID_EN(x, n)	((x) >> (7 + (n)) & 1)
#define RSRC2_TG_SIZE_EN	0x00000400u
#define RSRC2_TIDIG_COMP(x)	(((x) >> 11) & 3)
#define RSRC2_EXCP_EN_MSB(x)	(((x) >> 13) & 3)
#define RSRC2_EXCP_EN(x)	(((x) >> 24) & 0x7f)

#define RSRC3_ACCUM_OFFSET(x)	(((x) & 0x3f) * 4 + 4)

#define PROP_PRIVATE_BUFFER	0x001
#define PROP_DISPATCH_PTR	0x002
#define PROP_QUEUE_PTR		0x004
#define PROP_KERNARG_PTR	0x008
#define PROP_DISPATCH_ID	0x010
#define PROP_FLAT_SCRATCH	0x020
#define PROP_PRIVATE_SIZE	0x040
#define PROP_WAVE32		0x400
#define PROP_DYNAMIC_STACK	0x800
#define PROP_KNOWN		0x87f

/* scratch: swizzled, dword elements, index stride 64, lane number added */
#define SCRATCH_RSRC1		0x80000000u
#define SCRATCH_RSRC3		0x00e80000u

#define MAX_WORKGROUP		1024
#define TTMP6			(SIM_TTMP_FIRST + 6)
#define TTMP8			(SIM_TTMP_FIRST + 8)
#define TTMP11			(SIM_TTMP_FIRST + 11)
#define TTMP_PACKET		0x01ffffff
#define TTMP6_NO_SETUP		0x80000000u	/* nor any other TTMP */

static u32 desc_u32(const void *desc, unsigned int at)
{
	u32 val;

	memcpy(&val, (const u8 *)desc + at, sizeof(val));
	return val;
}

static u64 desc_u64(const void *desc, unsigned int at)
{
	return desc_u32(desc, at) | (u64)desc_u32(desc, at + 4) << 32;
}

static void parse_registers(struct sim_kernel *k, enum gfx9_arch arch)
{
	unsigned int granule = arch == GFX9_GFX900 ? 4 : 8;

	k->nr_vgprs = (RSRC1_VGPRS(k->rsrc1) + 1) * granule;
	k->nr_sgprs = (RSRC1_SGPRS(k->rsrc1) / 2 + 1) * 16;
	k->acc_offset = arch == GFX9_GFX900 ? k->nr_vgprs :
					      RSRC3_ACCUM_OFFSET(k->rsrc3);
}

/* the offset is not valid in kernels without accumulation registers */
static bool acc_valid(struct sim_kernel *k, enum gfx9_arch arch)
{
	if (arch != GFX9_GFX900 && k->acc_offset > k->nr_vgprs)
		k->acc_offset = k->nr_vgprs;
	return k->nr_vgprs <= (arch == GFX9_GFX900 ? SIM_NR_VGPRS / 2 :
						     SIM_NR_VGPRS);
}

/*
 * gfx942 can have kernel arguments in user SGPRs. Firmware does that: without, the
 * kernel starts with code that loads them, and which is skipped otherwise.
 */
int sim_kernel_parse(const void *desc, enum gfx9_arch arch,
		     struct sim_kernel *k)
{
	u32 tail = desc_u32(desc, DESC_PROPERTIES);

	k->lds_size = desc_u32(desc, DESC_GROUP_SIZE);
	k->private_size = desc_u32(desc, DESC_PRIVATE_SIZE);
	k->kernarg_size = desc_u32(desc, DESC_KERNARG_SIZE);
	k->entry = desc_u64(desc, DESC_ENTRY);
	k->rsrc1 = desc_u32(desc, DESC_RSRC1);
	k->rsrc2 = desc_u32(desc, DESC_RSRC2);
	k->rsrc3 = desc_u32(desc, DESC_RSRC3);
	k->properties = tail & 0xffff;
	parse_registers(k, arch);
	if (tail >> 16 && arch != GFX9_GFX942)
		return -EINVAL;
	if ((k->properties & ~PROP_KNOWN) || (k->entry & 0x3f))
		return -EINVAL;
	if (k->rsrc1 & (RSRC1_PRIV | RSRC1_DEBUG_MODE))
		return -EINVAL;
	if (k->lds_size > SIM_LDS_SIZE || k->private_size > SIM_PRIVATE_SIZE)
		return -EINVAL;
	return acc_valid(k, arch) ? 0 : -EINVAL;
}

void sim_kernel_add_stack(struct sim_kernel *k)
{
	if (k->properties & PROP_DYNAMIC_STACK)
		k->private_size = max_t(u32, k->private_size, SIM_STACK_SIZE);
}

/* size of the workgroup @l->wg: smaller at the end of the grid */
static u32 group_size(const struct sim_launch *l, unsigned int dim)
{
	u64 start = (u64)l->wg[dim] * l->workgroup[dim];

	if (start >= l->grid[dim])
		return 0;
	return min_t(u64, l->workgroup[dim], l->grid[dim] - start);
}

static u32 group_items(const struct sim_launch *l)
{
	u64 items = (u64)group_size(l, 0) * group_size(l, 1);

	return min_t(u64, items * group_size(l, 2), MAX_WORKGROUP);
}

unsigned int sim_launch_nr_waves(const struct sim_launch *l)
{
	return DIV_ROUND_UP(group_items(l), SIM_LANES);
}

unsigned int sim_launch_max_groups(const struct sim_launch *l,
				   unsigned int simds, unsigned int slots)
{
	const struct sim_kernel *k = l->kernel;
	unsigned int blocks = DIV_ROUND_UP(k->nr_vgprs, SIM_VGPR_BLOCK);
	unsigned int lds = DIV_ROUND_UP(k->lds_size, SIM_LDS_BLOCK);
	unsigned int waves = simds * min(slots, SIM_SIMD_BLOCKS / blocks);
	unsigned int nr = waves / sim_launch_nr_waves(l);

	return lds ? min(nr, SIM_LDS_BLOCKS / lds) : nr;
}

/**
 * struct sgpr_fill - the next scalar register to set up
 * @w: wave
 * @next: its number
 */
struct sgpr_fill {
	struct sim_wave *w;
	unsigned int next;
};

static void add_sgpr(struct sgpr_fill *f, u32 val)
{
	if (f->next < GFX9_SRC_FLAT_SCRATCH)
		f->w->s[f->next++] = val;
}

static void add_pair(struct sgpr_fill *f, u64 val)
{
	add_sgpr(f, (u32)val);
	add_sgpr(f, val >> 32);
}

static void add_scratch_buffer(struct sgpr_fill *f, const struct sim_launch *l)
{
	add_sgpr(f, (u32)l->scratch);
	add_sgpr(f, ((l->scratch >> 32) & 0xffff) | SCRATCH_RSRC1);
	add_sgpr(f, l->scratch_size);
	add_sgpr(f, SCRATCH_RSRC3);
}

static void launch_user_sgprs(struct sgpr_fill *f, const struct sim_launch *l)
{
	u32 prop = l->kernel->properties;

	if (prop & PROP_PRIVATE_BUFFER)
		add_scratch_buffer(f, l);
	if (prop & PROP_DISPATCH_PTR)
		add_pair(f, l->dispatch_ptr);
	if (prop & PROP_QUEUE_PTR)
		add_pair(f, l->queue_ptr);
	if (prop & PROP_KERNARG_PTR)
		add_pair(f, l->kernarg);
	if (prop & PROP_DISPATCH_ID)
		add_pair(f, l->dispatch_id);
	if (prop & PROP_FLAT_SCRATCH)
		add_pair(f, l->scratch);
	if (prop & PROP_PRIVATE_SIZE)
		add_sgpr(f, l->kernel->private_size);
}

/*
 * Hardware follows the number of user SGPRs in the descriptor. That of gfx942 sets the
 * address of private memory, elsewhere programs add it up.
 */
static void launch_system_sgprs(struct sgpr_fill *f, const struct sim_launch *l)
{
	u32 rsrc2 = l->kernel->rsrc2;
	unsigned int dim;

	f->next = RSRC2_USER_SGPR(rsrc2);
	for (dim = 0; dim < 3; dim++)
		if (RSRC2_TGID_EN(rsrc2, dim))
			add_sgpr(f, l->wg[dim]);
	if (rsrc2 & RSRC2_TG_SIZE_EN)
		add_sgpr(f, sim_launch_nr_waves(l) & 0x3f);
	if (!(rsrc2 & RSRC2_SCRATCH_EN))
		return;
	if (f->w->arch == GFX9_GFX942)
		sim_set_pair(f->w, GFX9_SRC_FLAT_SCRATCH,
			     l->scratch + l->scratch_offset);
	else
		add_sgpr(f, l->scratch_offset);
}

static void set_vgpr(struct sim_wave *w, unsigned int reg, unsigned int lane,
		     u32 val)
{
	if (reg < w->nr_vgprs)
		w->v[reg][lane] = val;
}

/* gfx900 has the three ids in registers of their own, later ones all in v0 */
static void work_item_ids(struct sim_wave *w, const struct sim_launch *l,
			  unsigned int lane, u32 item)
{
	u32 x = group_size(l, 0), y = group_size(l, 1);
	u32 id[3] = { item % x, item / x % y, item / x / y };
	unsigned int dim, last = RSRC2_TIDIG_COMP(l->kernel->rsrc2);

	if (w->arch != GFX9_GFX900) {
		set_vgpr(w, 0, lane, id[0] | id[1] << 10 | id[2] << 20);
		return;
	}
	for (dim = 0; dim <= last && dim < 3; dim++)
		set_vgpr(w, dim, lane, id[dim]);
}

static void launch_lanes(struct sim_wave *w, const struct sim_launch *l)
{
	u32 items = group_items(l), first = l->wave * SIM_LANES;
	unsigned int lane;
	u64 exec = 0;

	for (lane = 0; lane < SIM_LANES && first + lane < items; lane++) {
		work_item_ids(w, l, lane, first + lane);
		exec |= 1ull << lane;
	}
	sim_set_pair(w, GFX9_SRC_EXEC, exec);
}

static u32 exception_mask(const struct sim_launch *l)
{
	u32 rsrc2 = l->kernel->rsrc2;
	u32 mask = RSRC2_EXCP_EN(rsrc2) | RSRC2_EXCP_EN_MSB(rsrc2) << 7;

	return (l->excp_replace ? l->excp_en : mask | l->excp_en) & 0x1ff;
}

static u32 launch_mode(const struct sim_launch *l)
{
	u32 rsrc1 = l->kernel->rsrc1;

	return RSRC1_FLOAT_MODE(rsrc1) |
	       (rsrc1 & RSRC1_DX10_CLAMP ? MODE_DX10_CLAMP : 0) |
	       (rsrc1 & RSRC1_IEEE ? MODE_IEEE : 0) |
	       exception_mask(l) << MODE_EXCP_EN_SHIFT;
}

static u32 launch_status(const struct sim_launch *l)
{
	return STATUS_VALID | (l->trap_en ? STATUS_TRAP_EN : 0) |
	       (sim_launch_nr_waves(l) > 1 ? STATUS_IN_TG : 0);
}

/* TTMPs for a debugger's trap handler, as in ROCm's debugger ABI */
static void launch_ttmps(struct sim_wave *w, const struct sim_launch *l)
{
	u32 packet = l->dispatch_id & TTMP_PACKET;
	unsigned int dim;

	for (dim = 0; dim < 3; dim++)
		w->s[TTMP8 + dim] = l->wg[dim];
	w->s[TTMP11] = l->wave & 0x3f;
	if (w->arch == GFX9_GFX942)
		w->s[TTMP11] |= packet << 6;
	else
		w->s[TTMP6] = packet;
}

/* gfx942 sets them up always */
static bool launch_has_ttmps(const struct sim_wave *w,
			     const struct sim_launch *l)
{
	return l->trap_en && (l->ttmps || w->arch == GFX9_GFX942);
}

static void launch_clear(struct sim_wave *w, const struct sim_launch *l)
{
	memset(w->s, 0, sizeof(w->s));
	memset(w->v, 0, l->kernel->nr_vgprs * sizeof(*w->v));
	w->trapsts = 0;
	w->ib_sts = 0;
	w->in_barrier = false;
	w->nr_insts = 0;
	w->fatal_trapsts = 0;
	w->fatal_trap_id = 0;
	w->fatal_pc = 0;
	w->fatal_addr = 0;
	w->pending = 0;
	w->skid = 0;
	w->skid_state = sim_skid_seed(l->dispatch_id, l->wg, l->wave);
	memset(&w->work, 0, sizeof(w->work));
}

u32 sim_gpr_alloc(enum gfx9_arch arch, u32 nr_vgprs, u32 acc_offset, u32 nr_sgprs)
{
	u32 sgprs = (nr_sgprs / 16 - 1) << 24;

	/* VGPR_SIZE[11:6], ACCV_OFFSET[17:12]; on gfx900 VGPR_SIZE[13:8] */
	if (arch != GFX9_GFX900)
		return sgprs | (nr_vgprs / 8 - 1) << 6 | (acc_offset / 4 - 1) << 12;
	return sgprs | (nr_vgprs / 4 - 1) << 8;
}

static void launch_allocations(struct sim_wave *w, const struct sim_kernel *k)
{
	w->nr_vgprs = k->nr_vgprs;
	w->acc_offset = k->acc_offset;
	w->gpr_alloc = sim_gpr_alloc(w->arch, k->nr_vgprs, k->acc_offset,
				     k->nr_sgprs);
	/* LDS_SIZE[20:12], in half blocks */
	w->lds_alloc = DIV_ROUND_UP(k->lds_size, SIM_LDS_BLOCK) * 2 << 12;
}

static void launch_private(struct sim_wave *w, const struct sim_launch *l)
{
	bool has = l->kernel->private_size;

	w->private_size = l->kernel->private_size;
	w->private_va = has ? l->scratch + l->scratch_offset : 0;
}

void sim_launch_wave(const struct sim_launch *l, struct sim_wave *w)
{
	struct sgpr_fill f = { .w = w };

	launch_clear(w, l);
	launch_allocations(w, l->kernel);
	launch_private(w, l);
	launch_user_sgprs(&f, l);
	launch_system_sgprs(&f, l);
	launch_lanes(w, l);
	w->mode = launch_mode(l);
	w->status = launch_status(l);
	sim_set_pc(w, l->desc_va + l->kernel->entry);
	if (launch_has_ttmps(w, l))
		launch_ttmps(w, l);
	else
		w->s[TTMP6] = TTMP6_NO_SETUP;
}
