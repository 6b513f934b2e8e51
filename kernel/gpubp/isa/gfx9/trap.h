/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_ISA_GFX9_TRAP_H
#define _GPUBP_ISA_GFX9_TRAP_H

#include <linux/gpubp_isa.h>

#include "gfx9.h"

/* one shader array: 16 CUs of 4 SIMDs of 16 wave slots */
#define GFX9_NR_RECORDS		1024

/*
 * For silicon, with four comparators; for the software GPU, with up to sixteen.
 */
extern const struct gpubp_handler gfx9_handler;
extern const struct gpubp_handler gfx9_handler_16;
extern const struct gpubp_handler gfx942_handler;
extern const struct gpubp_handler gfx942_handler_16;

/* for the software GPU with more than four comparators */
extern const struct gpubp_isa gpubp_isa_gfx900_16;
extern const struct gpubp_isa gpubp_isa_gfx90a_16;
extern const struct gpubp_isa gpubp_isa_gfx942_16;

/* s_trap 1: a wave that the handler stopped there has its pc at the s_trap */
#define GFX9_BREAK_ID		1

/*
 * In ttmp11 (gfx942: ttmp13): a session steps the wave; programs can set
 * MODE.DEBUG_EN, but no ttmp.
 */
#define GFX9_TTMP11_STEPPED	0x01000000
#define GFX942_TTMP13_STEPPED	0x00100000

/* of the handler's memory: mask of XCC_ID, and number of records of an XCC */
#define GFX942_XCCS_OFFSET	0xd8

/*
 * Of the handler, in bytes: two instructions, s_nop and s_endpgm, where it halts
 * a wave that has nothing else left, or that failed to access memory. Halted at
 * its own s_endpgm, it could not be saved.
 */
#define GFX9_PARK		8

/* ttmp7 to ttmp13, some of which have the pc of a parked wave: gpubp_isa.park_regs */
#define GFX9_PARK_REG		(GFX9_SRC_TTMP + 7)
#define GFX9_NR_PARK_REGS	7

#define GFX9_TTMP11_PC_SHIFT	7
#define GFX9_TTMP11_PC		(0xffffu << GFX9_TTMP11_PC_SHIFT)

/* gpubp_isa.park_edit */
void gfx9_park_edit(u32 *regs, u64 pc, bool second);

/* gpubp_isa.parked_pc */
static inline u64 gfx9_parked_pc(const u32 *regs, bool second)
{
	u32 hi = (regs[4] & GFX9_TTMP11_PC) >> GFX9_TTMP11_PC_SHIFT;

	return regs[second ? 6 : 0] | (u64)hi << 32;
}

/* is a pc where the handler at @tba parks waves? */
static inline bool gfx9_is_parked(u64 tba, u64 pc)
{
	return tba && (pc == tba + GFX9_PARK || pc == tba + GFX9_PARK + 4);
}

/* in ttmp4 of a halted wave: the number of its record */
#define GFX9_MARK_RECORD	0x00007fff

/* gpubp_isa.record_regs: ttmp4-13, exec, MODE and STATUS, the pc */
#define GFX9_NR_RECORD_REGS	4
#define GFX9_RECORD_REGS {					\
	{ GPUBP_REG_SCALAR, 10, GFX9_SRC_TTMP + 4 },		\
	{ GPUBP_REG_SCALAR, 2, GFX9_SRC_EXEC },			\
	{ GPUBP_REG_CONTROL, 2, HWREG_MODE },			\
	{ GPUBP_REG_CONTROL, 2, HWREG_PC_LO },			\
}

/* gpubp_isa.record_index, record_parse, record_mark and record_rebuild */
int gfx9_record_index(u32 se, u32 sh, u32 cu, u32 simd, u32 wave);
int gfx9_record_parse(const void *rec, struct gpubp_trap_record *out);
u32 gfx9_record_mark(u32 index, u32 seq);
int gfx9_record_rebuild(const u32 *regs, struct gpubp_trap_record *out);
int gfx9_record_rebuild_16(const u32 *regs, struct gpubp_trap_record *out);
int gfx942_record_parse(const void *rec, struct gpubp_trap_record *out);
int gfx942_record_rebuild(const u32 *regs, struct gpubp_trap_record *out);
int gfx942_record_rebuild_16(const u32 *regs, struct gpubp_trap_record *out);

/* of a place of the ring: bytes, and offset of the access */
#define GFX9_PLACE_SIZE		2048
#define GFX9_PLACE_CODE		0x50
#define GFX9_PLACE_HEAD		0x58	/* what is before vector registers */
#define GFX9_PLACE_MEMORY	0x58

/* gpubp_isa.recorded_parse and recorded_read */
int gfx9_recorded_parse(const void *head, u32 number,
			struct gpubp_trap_record *out,
			struct gpubp_recorded_place *where);
int gfx942_recorded_parse(const void *head, u32 number,
			  struct gpubp_trap_record *out,
			  struct gpubp_recorded_place *where);
int gfx9_recorded_read(const void *head, const void *place,
		       const struct gpubp_reg_req *req, u32 *out);

/*
 * The same of a hit that a handler which stops no wave could not decide: nothing is known of
 * the access, of which @where is the only place. -EINVAL for one that it did.
 */
int gfx9_undecided_parse(const void *head, u32 number,
			 struct gpubp_trap_record *out,
			 struct gpubp_recorded_place *where);
int gfx942_undecided_parse(const void *head, u32 number,
			   struct gpubp_trap_record *out,
			   struct gpubp_recorded_place *where);

/**
 * struct gfx9_words - a handler for a process's own comparators, which stops no wave
 * @words: code, entered by a first level, as gpubp_handler.second is
 * @nr: dwords
 *
 * Its memory is that of gpubp_handler, without records. No part of the module.
 */
struct gfx9_words {
	const u32 *words;
	u32 nr;
};

extern const struct gfx9_words gfx9_unattended;
extern const struct gfx9_words gfx942_unattended;

/* what the dispatcher put into ttmps, from the values of ttmp6 to ttmp11 */
void gfx9_setup_parse(const u32 *ttmp, bool gfx942,
		      struct gpubp_trap_record *out);

#endif /* _GPUBP_ISA_GFX9_TRAP_H */
