// SPDX-License-Identifier: GPL-2.0
/*
 * Names of control registers in dumps, and the registers that an owner may
 * write.
 */
#include <string.h>
#include "../tap.h"
#include "dump.h"
#include "gfx9.h"

#define REGS(...)	((const u32 [GFX9_NR_DUMP_REGS]){ __VA_ARGS__ })

/* a bit of a register has at most one name, and each name has bits */
static bool fields_are_disjoint(const struct gpubp_control_reg *reg)
{
	const struct gpubp_reg_field *f;
	u32 seen = 0, bits;

	for (f = reg->fields; f->name; f++) {
		if (f->high < f->low || f->high > 31)
			return false;
		bits = ~0u >> (31 - f->high) & ~0u << f->low;
		if (seen & bits)
			return false;
		seen |= bits;
	}
	return seen;
}

/* the named field equals the register's header constants */
static bool field_is(unsigned int reg, const char *name, u32 bits)
{
	const struct gpubp_reg_field *f = gfx900_control_regs[reg - 1].fields;

	for (; f->name; f++)
		if (!strcmp(f->name, name))
			return (~0u >> (31 - f->high) & ~0u << f->low) == bits;
	return false;
}

static void test_names(void)
{
	unsigned int n;

	for (n = 0; n < GFX9_NR_DUMP_REGS; n++)
		tap_ok(fields_are_disjoint(&gfx900_control_regs[n]) &&
		       fields_are_disjoint(&gfx90a_control_regs[n]),
		       "fields of %s", gfx900_control_regs[n].name);
	tap_ok(field_is(HWREG_MODE, "DEBUG_EN", MODE_DEBUG_EN) &&
	       field_is(HWREG_MODE, "CSP", MODE_CSP) &&
	       field_is(HWREG_STATUS, "HALT", STATUS_HALT) &&
	       field_is(HWREG_STATUS, "TRAP_EN", STATUS_TRAP_EN) &&
	       field_is(HWREG_TRAPSTS, "EXCP", TRAPSTS_EXCP_MASK) &&
	       field_is(HWREG_TRAPSTS, "SAVECTX", TRAPSTS_SAVECTX),
	       "names and constants agree");
}

static void test_place(void)
{
	struct gpubp_wave_place p;
	/* WAVE 5 SIMD 2 PIPE 1 CU 11 SH 1 SE 2 TG 9 VM_ID 7 QUEUE 3 STATE 4 ME 1 */
	const u32 *regs = REGS(0, 0, 0, 5 | 2 << 4 | 1 << 6 | 11 << 8 | 1 << 12 |
			       2 << 13 | 9 << 16 | 7 << 20 | 3 << 24 | 4 << 27 |
			       1u << 30,
			       2 << 8 | 2 << 24, 3 | 5 << 12, 0);
	/* VGPR_SIZE 2, ACCV_OFFSET 5, SGPR_SIZE 6 */
	const u32 *gfx90a = REGS(0, 0, 0, 0xe000, 2 << 6 | 5 << 12 | 6 << 24, 0, 0);

	gfx900_wave_place(regs, &p);
	tap_ok(p.slot == 5 && p.simd == 2 && p.pipe == 1 && p.cu == 11 &&
	       p.sh == 1 && p.se == 2 && p.group == 9 && p.vmid == 7 &&
	       p.queue == 3 && p.state == 4 && p.me == 1, "hardware id");
	tap_ok(p.nr_vectors == 12 && p.nr_scalars == 48, "registers of gfx900");
	tap_ok(p.lds_base == 768 && p.lds_bytes == 1280, "LDS");
	gfx90a_wave_place(gfx90a, &p);
	tap_ok(p.nr_vectors == 24 && p.nr_scalars == 112, "registers of gfx90a");
	tap_ok(p.se == 7 && p.vmid == 0, "shader engines of gfx90a");
}

static void test_writes(void)
{
	unsigned int reg;
	bool ok = true;

	for (reg = 0; reg < 128; reg++)
		ok &= gfx9_may_write(GPUBP_REG_SCALAR, reg) ==
		      (reg >= 108 && reg < 124 ? 0 : ~0u);
	tap_ok(ok, "scalar registers but for ttmps");
	tap_ok(gfx9_may_write(GPUBP_REG_VECTOR, 0) == ~0u &&
	       gfx9_may_write(GPUBP_REG_VECTOR, 511) == ~0u,
	       "vector registers");
	tap_ok(!(gfx9_may_write(GPUBP_REG_CONTROL, HWREG_MODE) &
		 (MODE_DEBUG_EN | MODE_EXCP_EN_WATCH)), "MODE");
	tap_ok(gfx9_may_write(GPUBP_REG_CONTROL, HWREG_STATUS) == STATUS_SCC,
	       "STATUS");
	tap_ok(!(gfx9_may_write(GPUBP_REG_CONTROL, HWREG_TRAPSTS) &
		 TRAPSTS_WATCH), "TRAPSTS");
	tap_ok(gfx9_may_write(GPUBP_REG_CONTROL, HWREG_PC_LO) == ~0u &&
	       gfx9_may_write(GPUBP_REG_CONTROL, HWREG_PC_HI) == ~0u, "the pc");
	tap_ok(!gfx9_may_write(GPUBP_REG_CONTROL, HWREG_HW_ID) &&
	       !gfx9_may_write(GPUBP_REG_CONTROL, HWREG_TBA_LO), "nothing else");
}

int main(void)
{
	tap_plan(GFX9_NR_DUMP_REGS + 13);
	test_names();
	test_place();
	test_writes();
	return tap_status();
}
