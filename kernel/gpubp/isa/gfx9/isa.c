// SPDX-License-Identifier: GPL-2.0
/*
 * The ISA tables of gfx900, gfx90a and gfx942 for the core.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "access.h"
#include "dump.h"
#include "excp.h"
#include "gfx9.h"
#include "regs.h"
#include "step.h"
#include "trap.h"

#define MAX_WORDS	2
#define ACCESS_LEN	8	/* bytes of any vector memory instruction */

static u32 load_le32(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

static int insn_decode_bytes(enum gfx9_arch arch, const void *code,
			     size_t avail, u32 *words, struct gfx9_inst *inst)
{
	unsigned int nr = min_t(size_t, avail / 4, MAX_WORDS);
	unsigned int n;

	for (n = 0; n < nr; n++)
		words[n] = load_le32((const u8 *)code + 4 * n);
	return gfx9_decode(arch, words, nr, inst);
}

static bool sopp_changes_pc(unsigned int op)
{
	return op == 1 || op == 2 || (op >= 4 && op <= 9) ||
	       (op >= 23 && op <= 27) || op == 30;
}

/* branches, calls, returns, program ends */
static bool inst_changes_pc(const struct gfx9_inst *inst)
{
	switch (inst->fmt) {
	case GFX9_SOPP:
		return sopp_changes_pc(inst->op);
	case GFX9_SOP1:	/* setpc, swappc, rfe, cbranch_join */
		return (inst->op >= 29 && inst->op <= 31) || inst->op == 46;
	case GFX9_SOPK:	/* cbranch_i_fork, call */
		return inst->op == 16 || inst->op == 21;
	case GFX9_SOP2:	/* cbranch_g_fork, rfe_restore */
		return inst->op == 41 || inst->op == 43;
	default:
		return false;
	}
}

static int insn_decode(enum gfx9_arch arch, const void *code, size_t avail,
		       struct gpubp_insn *insn)
{
	u32 words[MAX_WORDS] = {};
	struct gfx9_inst inst;
	int len = insn_decode_bytes(arch, code, avail, words, &inst);

	memset(insn, 0, sizeof(*insn));
	insn->step = GPUBP_STEP_NEVER;
	if (len < 0)
		return len;
	insn->len = len;
	gfx9_step_describe(&inst, words, insn);
	insn->changes_pc = inst_changes_pc(&inst);
	gfx9_access_describe(&inst, insn);
	return 0;
}

/*
 * Nothing marks the start of an instruction. But the instruction that hit was a
 * vector memory access, which is ACCESS_LEN long: if the bytes before the stop
 * decode as one, that is it. A literal dword that looks like an access is no
 * problem, because its instruction does not access memory, so it does not hit.
 */
static int insn_access_before(enum gfx9_arch arch, const void *code,
			      size_t avail, struct gpubp_insn *insn)
{
	const u8 *end = (const u8 *)code + avail;

	if (avail < ACCESS_LEN ||
	    insn_decode(arch, end - ACCESS_LEN, ACCESS_LEN, insn) ||
	    !insn->is_access)
		return -ENOENT;
	return insn->len;
}

static int gfx900_decode(const void *code, size_t avail,
			 struct gpubp_insn *insn)
{
	return insn_decode(GFX9_GFX900, code, avail, insn);
}

static int gfx90a_decode(const void *code, size_t avail,
			 struct gpubp_insn *insn)
{
	return insn_decode(GFX9_GFX90A, code, avail, insn);
}

static int gfx942_decode(const void *code, size_t avail,
			 struct gpubp_insn *insn)
{
	return insn_decode(GFX9_GFX942, code, avail, insn);
}

static int gfx900_access_before(const void *code, size_t avail,
				struct gpubp_insn *insn)
{
	return insn_access_before(GFX9_GFX900, code, avail, insn);
}

static int gfx90a_access_before(const void *code, size_t avail,
				struct gpubp_insn *insn)
{
	return insn_access_before(GFX9_GFX90A, code, avail, insn);
}

static int gfx942_access_before(const void *code, size_t avail,
				struct gpubp_insn *insn)
{
	return insn_access_before(GFX9_GFX942, code, avail, insn);
}

/* _family: of the handler; the TTMP and bits that mean a stepped wave */
#define GFX9_ISA(_cpu, _nr, _family, _step_ttmp, _step_bits, ...) {	\
	.name		= #_cpu,				\
	.nr_lanes	= GPUBP_MAX_LANES,			\
	.insn_align	= 4,					\
	.insn_max	= 8,					\
	.break_word	= 0xbf920001,	/* s_trap 1 */		\
	.break_len	= 4,					\
	.break_id	= GFX9_BREAK_ID,			\
	.drain_word	= 0xbf8c0000,	/* s_waitcnt 0 */	\
	.drain_len	= 4,					\
	.nr_records	= GFX9_NR_RECORDS,			\
	.handler	= &_family##_handler##_nr,		\
	.decode		= _cpu##_decode,			\
	.access_before	= _cpu##_access_before,			\
	.lane_addrs	= gfx9_lane_addrs,			\
	.lanes_whole	= gfx9_lanes_whole,			\
	.lane_dropped	= gfx9_lane_dropped,			\
	.lane_data	= gfx9_lane_data,			\
	.record_index	= gfx9_record_index,			\
	.record_parse	= _family##_record_parse,		\
	.mark_reg	= { GPUBP_REG_SCALAR, 1,		\
			    GFX9_SRC_TTMP + 4 },		\
	.mark_index	= GFX9_MARK_RECORD,			\
	.record_mark	= gfx9_record_mark,			\
	.nr_record_regs	= GFX9_NR_RECORD_REGS,			\
	.record_regs	= GFX9_RECORD_REGS,			\
	.record_rebuild	= _family##_record_rebuild##_nr,	\
	.recorded_parse	= _family##_recorded_parse,		\
	.recorded_read	= gfx9_recorded_read,			\
	.nr_trap_regs	= GFX9_NR_TRAP_REGS,			\
	.trap_regs	= GFX9_TRAP_REGS,			\
	.trap_edit	= gfx9_trap_edit##_nr,			\
	.trap_reasons	= gfx9_trap_reasons,			\
	.trap_mute	= gfx9_trap_mute,			\
	.pc_reg		= { GPUBP_REG_CONTROL, 2,		\
			    HWREG_PC_LO },			\
	.simulate	= gfx9_simulate,			\
	.step_edit	= gfx9_step_edit,			\
	.step_reg	= { GPUBP_REG_SCALAR, 1,		\
			    GFX9_SRC_TTMP + (_step_ttmp) },	\
	.step_bits	= (_step_bits),				\
	.exec_reg	= { GPUBP_REG_SCALAR, 2,		\
			    GFX9_SRC_EXEC },			\
	.dump_regs	= GFX9_DUMP_REGS,			\
	.control_regs	= _cpu##_control_regs,			\
	.wave_place	= _cpu##_wave_place,			\
	.may_write	= gfx9_may_write,			\
	__VA_ARGS__						\
}

/* gfx942 saves waves wherever they are halted */
#define GFX9_ISA_PARKS						\
	.park_offset	= GFX9_PARK,				\
	.park_regs	= { GPUBP_REG_SCALAR,			\
			    GFX9_NR_PARK_REGS, GFX9_PARK_REG },	\
	.park_edit	= gfx9_park_edit,			\
	.parked_pc	= gfx9_parked_pc

#define GFX9_ISA_TTMP11(_cpu, _nr)				\
	GFX9_ISA(_cpu, _nr, gfx9, 11, GFX9_TTMP11_STEPPED,	\
		 GFX9_ISA_PARKS)
#define GFX9_ISA_TTMP13(_cpu, _nr)				\
	GFX9_ISA(_cpu, _nr, gfx942, 13, GFX942_TTMP13_STEPPED)

const struct gpubp_isa gpubp_isa_gfx900 = GFX9_ISA_TTMP11(gfx900, /* 4 */);
EXPORT_SYMBOL_GPL(gpubp_isa_gfx900);

const struct gpubp_isa gpubp_isa_gfx90a = GFX9_ISA_TTMP11(gfx90a, /* 4 */);
EXPORT_SYMBOL_GPL(gpubp_isa_gfx90a);

const struct gpubp_isa gpubp_isa_gfx942 = GFX9_ISA_TTMP13(gfx942, /* 4 */);
EXPORT_SYMBOL_GPL(gpubp_isa_gfx942);

const struct gpubp_isa gpubp_isa_gfx900_16 = GFX9_ISA_TTMP11(gfx900, _16);
EXPORT_SYMBOL_GPL(gpubp_isa_gfx900_16);

const struct gpubp_isa gpubp_isa_gfx90a_16 = GFX9_ISA_TTMP11(gfx90a, _16);
EXPORT_SYMBOL_GPL(gpubp_isa_gfx90a_16);

const struct gpubp_isa gpubp_isa_gfx942_16 = GFX9_ISA_TTMP13(gfx942, _16);
EXPORT_SYMBOL_GPL(gpubp_isa_gfx942_16);
