// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses that overwrite the registers of their own address: every opcode of
 * the vector memory encodings, every flag, and every relevant distance of the
 * destination from the address. The written registers are derived here from the
 * mnemonic, register by register.
 */
#include <string.h>
#include <linux/bits.h>
#include <linux/gpubp_isa.h>
#include <linux/kernel.h>
#include <uapi/linux/gpubp.h>
#include "gfx9.h"
#include "../tap.h"
#include "mnemonic.h"

#define VADDR		100
#define REACH		8	/* more registers than any instruction writes */

#define LDS		BIT(16)
#define GLC		BIT(14)
#define IDXEN		BIT(13)
#define OFFEN		BIT(12)
#define FLAT_GLC	BIT(16)
#define BIT55		BIT(23)	/* TFE on gfx900, ACC on gfx90a */

static const struct {
	const char *name;
	enum gfx9_arch arch;
	const struct gpubp_isa *isa;
} archs[] = {
	{ "gfx900", GFX9_GFX900, &gpubp_isa_gfx900 },
	{ "gfx90a", GFX9_GFX90A, &gpubp_isa_gfx90a },
};

/*
 * Registers that may be written, starting at the destination. With TFE a status
 * follows the data of a load. Where it is for atomics and loads to LDS is
 * documented nowhere: assume any register of the operand.
 */
static unsigned int written_by(const char *name, bool glc, bool lds, bool tfe)
{
	bool atomic = has(name, "_atomic_"), store = has(name, "_store_");

	if (tfe && !store)
		return data_regs(name) * (has(name, "cmpswap") ? 2 : 1) + 1;
	return store || lds || (atomic && !glc) ? 0 : data_regs(name);
}

static bool meets(unsigned int dst, unsigned int nr, unsigned int nr_vaddr)
{
	unsigned int reg;

	for (reg = dst; reg < dst + nr; reg++)
		if (reg >= VADDR && reg < VADDR + nr_vaddr)
			return true;
	return false;
}

static unsigned int nr_cases, nr_clobber, nr_status;

static bool case_ok(unsigned int a, const u32 *words, unsigned int dst,
		    unsigned int nr_vaddr, bool glc, bool lds)
{
	struct gpubp_insn insn;
	struct gfx9_inst inst;
	bool tfe, clobbers;

	if (archs[a].isa->decode(words, 8, &insn) || !insn.is_access)
		return true;
	gfx9_decode(archs[a].arch, words, 2, &inst);
	tfe = archs[a].arch == GFX9_GFX900 && inst.fmt == GFX9_MUBUF &&
	      (words[1] & BIT55);
	clobbers = meets(dst, written_by(inst.name, glc, lds, tfe), nr_vaddr);
	nr_cases++;
	nr_clobber += clobbers;
	nr_status += clobbers && tfe &&
		     !meets(dst, written_by(inst.name, glc, lds, false), nr_vaddr);
	/* accumulation registers hold no address; a format has any size */
	if (archs[a].arch == GFX9_GFX90A && (words[1] & BIT55))
		clobbers = false;
	if (has(inst.name, "_format_"))
		clobbers = true;
	if (insn.clobbers_addr == clobbers)
		return true;
	tap_note("%s %s %08x %08x: overwrites its address: %d, we say %d",
		 archs[a].name, inst.name, words[0], words[1], clobbers,
		 insn.clobbers_addr);
	return false;
}

static bool buffers_ok(unsigned int a, unsigned int op, u32 flags, u32 bit55)
{
	unsigned int nr_vaddr = !!(flags & IDXEN) + !!(flags & OFFEN), dst;
	bool ok = true;

	for (dst = VADDR - REACH; dst < VADDR + REACH; dst++) {
		const u32 words[2] = {
			0xe0000000 | op << 18 | flags,
			0x80000000 | bit55 | dst << 8 | VADDR,
		};

		ok &= case_ok(a, words, dst, nr_vaddr, flags & GLC, flags & LDS);
	}
	return ok;
}

static bool all_buffers(unsigned int a, u32 bit55)
{
	unsigned int op, n;
	bool ok = true;

	for (op = 0; op < 128; op++)
		for (n = 0; n < 16; n++)
			ok &= buffers_ok(a, op, (n & 1 ? LDS : 0) |
					 (n & 2 ? GLC : 0) | (n & 4 ? IDXEN : 0) |
					 (n & 8 ? OFFEN : 0), bit55);
	return ok;
}

static bool flats_ok(unsigned int a, unsigned int op, unsigned int seg, u32 glc,
		     u32 w1, unsigned int nr_vaddr)
{
	unsigned int dst;
	bool ok = true;

	for (dst = VADDR - REACH; dst < VADDR + REACH; dst++) {
		const u32 words[2] = {
			0xdc000000 | op << 18 | seg << 14 | glc,
			w1 | dst << 24 | VADDR,
		};

		ok &= case_ok(a, words, dst, nr_vaddr, glc, false);
	}
	return ok;
}

/* a register pair, or one with a scalar base; SCRATCH: no relevant address */
static bool all_flats(unsigned int a, u32 bit55)
{
	const u32 off = (u32)GFX9_SADDR_OFF << 16;
	unsigned int op, n;
	bool ok = true;

	for (op = 0; op < 128; op++)
		for (n = 0; n < 2; n++) {
			u32 glc = n ? FLAT_GLC : 0;

			ok &= flats_ok(a, op, GFX9_SEG_FLAT, glc, bit55, 2);
			ok &= flats_ok(a, op, GFX9_SEG_GLOBAL, glc, bit55 | off,
				       2);
			ok &= flats_ok(a, op, GFX9_SEG_GLOBAL, glc,
				       bit55 | 4 << 16, 1);
			ok &= flats_ok(a, op, GFX9_SEG_SCRATCH, glc,
				       bit55 | off, 0);
		}
	return ok;
}

int main(void)
{
	unsigned int a;
	bool ok;

	tap_plan(2 * ARRAY_SIZE(archs) + 1);
	for (a = 0; a < ARRAY_SIZE(archs); a++) {
		ok = all_buffers(a, 0);
		ok &= all_buffers(a, BIT55);
		tap_ok(ok, "buffers that overwrite their address, %s",
		       archs[a].name);
		ok = all_flats(a, 0);
		ok &= all_flats(a, BIT55);
		tap_ok(ok, "FLAT that overwrites its address, %s",
		       archs[a].name);
	}
	tap_ok(nr_cases > 50000 && nr_clobber > 3000 && nr_status > 300,
	       "%u accesses, %u overwrite their address, %u with status only",
	       nr_cases, nr_clobber, nr_status);
	return tap_status();
}
