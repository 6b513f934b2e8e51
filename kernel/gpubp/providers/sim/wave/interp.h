/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal interface of the wave interpreter.
 *
 * A function that executes an instruction returns 0 to continue, a value of
 * enum sim_stop to return from sim_wave_run(), or -EILSEQ if the instruction is
 * illegal; it must not have changed the wave then. wave->pc is behind the
 * instruction while it executes.
 */
#ifndef _GPUBP_PROVIDERS_SIM_WAVE_INTERP_H
#define _GPUBP_PROVIDERS_SIM_WAVE_INTERP_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include "../../../isa/gfx9/regs.h"
#include "wave.h"

#define SIM_TTMP_FIRST		108
#define SIM_TTMP_LAST		123

/* the pc is dword aligned and has 48 bits */
#define SIM_PC_MASK		0xfffffffffffcull

#define MODE_GPR_IDX_EN		0x08000000
#define MODE_VSKIP		0x10000000

static inline bool sim_scc(const struct sim_wave *w)
{
	return w->status & STATUS_SCC;
}

static inline void sim_set_scc(struct sim_wave *w, bool scc)
{
	w->status = (w->status & ~STATUS_SCC) | (scc ? STATUS_SCC : 0);
}

/* outside the trap handler */
static inline bool sim_is_halted(const struct sim_wave *w)
{
	return (w->status & (STATUS_HALT | STATUS_PRIV)) == STATUS_HALT;
}

static inline u64 sim_pair(const struct sim_wave *w, unsigned int reg)
{
	return w->s[reg] | (u64)w->s[reg + 1] << 32;
}

static inline void sim_set_pair(struct sim_wave *w, unsigned int reg, u64 val)
{
	w->s[reg] = (u32)val;
	w->s[reg + 1] = (u32)(val >> 32);
}

/* reverse the bits of a word */
static inline u32 sim_brev32(u32 x)
{
	x = (x & 0x55555555) << 1 | ((x >> 1) & 0x55555555);
	x = (x & 0x33333333) << 2 | ((x >> 2) & 0x33333333);
	x = (x & 0x0f0f0f0f) << 4 | ((x >> 4) & 0x0f0f0f0f);
	x = (x & 0x00ff00ff) << 8 | ((x >> 8) & 0x00ff00ff);
	return x << 16 | x >> 16;
}

static inline u64 sim_exec(const struct sim_wave *w)
{
	return sim_pair(w, GFX9_SRC_EXEC);
}

static inline u64 sim_vcc(const struct sim_wave *w)
{
	return sim_pair(w, GFX9_SRC_VCC);
}

/*
 * Take the lowest run of ones, from @first on, out of the bitmap @lanes, not 0.
 * Returns the bit behind it.
 */
static inline unsigned int sim_take_run(u64 *lanes, unsigned int *first)
{
	u64 zeros = ~(*lanes >> (*first = __ffs64(*lanes)));
	unsigned int end = zeros ? *first + __ffs64(zeros) : SIM_LANES;

	*lanes = end < SIM_LANES ? *lanes >> end << end : 0;
	return end;
}

/* each lane @l of the lowest run of @left, which is taken out of it */
#define sim_for_each_lane_of_run(l, left)				\
	for (unsigned int end_ = sim_take_run(&(left), &(l));		\
	     (l) < end_; (l)++)

/*
 * Each lane @l of the bitmap @lanes; @left is a scratch u64. There are two loops, since
 * active lanes are mostly neighbours: do not break.
 */
#define sim_for_each_lane(l, left, lanes)				\
	for ((left) = (lanes); (left);)					\
		sim_for_each_lane_of_run(l, left)

/* operand.c. -EILSEQ: no such operand here */
int sim_sread(const struct sim_wave *w, const struct gfx9_inst *i,
	      unsigned int code, u32 *val);
int sim_sread64(const struct sim_wave *w, const struct gfx9_inst *i,
		unsigned int code, u64 *val);
int sim_sread_s64(const struct sim_wave *w, const struct gfx9_inst *i,
		  unsigned int code, u64 *val);
int sim_swritable(const struct sim_wave *w, unsigned int reg, unsigned int nr);
int sim_swrite(struct sim_wave *w, unsigned int reg, u32 val);
int sim_swrite64(struct sim_wave *w, unsigned int reg, u64 val);

/**
 * sim_vreg() - row of vector registers
 * @w: wave
 * @reg: first register
 * @nr: registers
 * @acc: accumulation registers
 * @row: index in wave->v
 *
 * Return: 0, or -EILSEQ if the wave does not have them all.
 */
static inline int sim_vreg(const struct sim_wave *w, unsigned int reg,
			   unsigned int nr, bool acc, unsigned int *row)
{
	unsigned int end = acc ? w->nr_vgprs : min(w->acc_offset, w->nr_vgprs);

	*row = acc ? w->acc_offset + reg : reg;
	return *row + nr <= end ? 0 : -EILSEQ;
}

/* hwreg.c */
int sim_getreg(const struct sim_wave *w, unsigned int simm16, u32 *val);
int sim_setreg(struct sim_wave *w, unsigned int simm16, u32 val);

/* trapentry.c */
void sim_raise(struct sim_wave *w, u32 trapsts);
void sim_mem_viol(struct sim_wave *w, u64 addr, bool translation);
void sim_watch_hit(struct sim_wave *w, u32 slots);
int sim_take_pending(struct sim_wave *w);
int sim_trap(struct sim_wave *w, unsigned int id);
int sim_rfe(struct sim_wave *w, u64 pc);
bool sim_trap_due(const struct sim_wave *w);
bool sim_save_due(struct sim_wave *w);
void sim_take_save(struct sim_wave *w);
u32 sim_skid_seed(u64 dispatch, const u32 wg[3], u32 wave);

/* instruction groups */
int sim_salu(struct sim_wave *w, const struct gfx9_inst *i);
int sim_sop2_wide(struct sim_wave *w, const struct gfx9_inst *i);
int sim_sop1_wide(struct sim_wave *w, const struct gfx9_inst *i);
int sim_sopk(struct sim_wave *w, const struct gfx9_inst *i);
int sim_sopc(struct sim_wave *w, const struct gfx9_inst *i);
int sim_sopp(struct sim_wave *w, const struct gfx9_inst *i);
int sim_smem(struct sim_wave *w, const struct gfx9_inst *i);
int sim_valu(struct sim_wave *w, const struct gfx9_inst *i);
int sim_vop3p(struct sim_wave *w, const struct gfx9_inst *i);
int sim_flat(struct sim_wave *w, const struct gfx9_inst *i);
int sim_mubuf(struct sim_wave *w, const struct gfx9_inst *i);
int sim_ds(struct sim_wave *w, const struct gfx9_inst *i);
int sim_gws(struct sim_wave *w, const struct gfx9_inst *i);

#endif /* _GPUBP_PROVIDERS_SIM_WAVE_INTERP_H */
