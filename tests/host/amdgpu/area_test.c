// SPDX-License-Identifier: GPL-2.0
/*
 * Context save areas: which waves are in them, and where their registers are. Areas that
 * make no sense, as memory of a process may, lead to nothing outside of them.
 * (tools/amdgpu-model/tests/test_save.c has areas that amdkfd's handler has filled.)
 */
#include <string.h>

#include "../tap.h"
#include "area.h"

#define BASE		0x700000000000ull
#define STACK		0x1000u
#define AREA		0x100000u
#define WORDS		(STACK / 4)

#define EVENT		(1u << 30)
#define STATE		(1u << 31)
#define FIRST		(1u << 17)
#define LAST		(1u << 16)

/* 48 vector registers, of which 8 are for accumulation, 112 scalar ones, LDS of 1024 */
#define SHAPE		(STATE | 5 | 7 << 6 | 2 << 9 | 9 << 24)
#define RECORD		(48u * 256 + 112 * 4 + 128 + 64)
#define LDS		1024u

static uint32_t stack[WORDS];

/* an area with these words on its stack, behind a header, and so much in memory */
static struct gpubp_amd_area area_of(const uint32_t *words, unsigned int nr, uint32_t bytes)
{
	struct gpubp_amd_area area = {
		.base = BASE, .size = AREA, .stack_size = STACK,
		.stack_offset = STACK - (nr + 2) * 4, .state_offset = STACK + bytes,
	};

	memset(stack, 0xee, sizeof(stack));
	memcpy(&stack[WORDS - nr], words, nr * sizeof(*words));
	return area;
}

static unsigned int count(const struct gpubp_amd_area *area, struct gpubp_amd_record *rec)
{
	struct gpubp_amd_walk walk;
	unsigned int nr = 0;

	if (!gpubp_amd_walk_begin(&walk, area, stack))
		return 0;
	while (gpubp_amd_walk_next(&walk, &rec[nr]))
		nr++;
	return nr;
}

static void test_walk(void)
{
	static const uint32_t words[] = { SHAPE, FIRST, LAST, EVENT | 3, SHAPE, FIRST | LAST };
	uint32_t bytes = 3 * RECORD + 2 * LDS;
	struct gpubp_amd_area area = area_of(words, 6, bytes);
	struct gpubp_amd_record rec[8];

	tap_ok(count(&area, rec) == 3, "three waves of two workgroups, and an event");
	tap_ok(rec[0].at == BASE + STACK + bytes - RECORD - LDS &&
	       rec[1].at == rec[0].at - RECORD && rec[2].at == BASE + STACK,
	       "... the last record is that of the first word, LDS is the first wave's");
	tap_ok(rec[1].nr_vgprs == 48 && rec[1].acc_offset == 40 && rec[1].nr_sgprs == 112 &&
	       rec[1].lds_bytes == LDS, "... of that shape");
}

static void test_nonsense(void)
{
	static const uint32_t no_shape[] = { FIRST | LAST };
	static const uint32_t bad_shape[] = { STATE | 0 | 7 << 6 | 9 << 24, FIRST | LAST };
	static const uint32_t good[] = { SHAPE, FIRST | LAST };
	struct gpubp_amd_area area = area_of(no_shape, 1, RECORD + LDS);
	struct gpubp_amd_record rec[8];

	tap_ok(!count(&area, rec), "a wave without a shape");
	area = area_of(bad_shape, 2, RECORD + LDS);
	tap_ok(!count(&area, rec), "more ordinary registers than there are");
	area = area_of(good, 2, RECORD + LDS - 4);
	tap_ok(!count(&area, rec), "a record that begins in front of the area");
	area = area_of(good, 2, RECORD + LDS);
	area.stack_offset = STACK;
	tap_ok(!count(&area, rec), "an empty stack");
	area.stack_offset = STACK - 8;
	tap_ok(!count(&area, rec), "nothing but a header");
	area = area_of(good, 2, RECORD + LDS);
	area.state_offset = AREA + 4;
	tap_ok(!count(&area, rec), "records behind the area");
	area = area_of(good, 2, RECORD + LDS);
	area.base = 0;
	tap_ok(!count(&area, rec), "no area");
}

/* no two registers are at one place, and all are in the record */
static bool registers_are_apart(const struct gpubp_amd_record *rec)
{
	static const struct { uint8_t file; unsigned int nr; } files[] = {
		{ GPUBP_REG_SCALAR, 128 }, { GPUBP_REG_VECTOR, 512 },
		{ GPUBP_REG_CONTROL, 10 },
	};
	static unsigned char used[RECORD];
	unsigned int f, reg;
	int32_t at;

	memset(used, 0, sizeof(used));
	for (f = 0; f < 3; f++)
		for (reg = 0; reg < files[f].nr; reg++) {
			at = gpubp_amd_record_offset(rec, files[f].file, reg);
			if (at >= 0 && (at % 4 || at + 4 > (int)RECORD || used[at]++))
				return false;
		}
	return true;
}

static void test_registers(void)
{
	struct gpubp_amd_record rec = {
		.at = BASE, .nr_vgprs = 48, .acc_offset = 40, .nr_sgprs = 112,
	};
	uint32_t tail = 48 * 256 + 112 * 4;

	tap_ok(gpubp_amd_record_tail(&rec) == BASE + tail, "hardware registers");
	tap_ok(gpubp_amd_record_offset(&rec, GPUBP_REG_VECTOR, 47) == 47 * 256 &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_VECTOR, 48) < 0, "vector registers");
	tap_ok(gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 101) == 48 * 256 + 101 * 4 &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 106) == 48 * 256 + 106 * 4,
	       "scalar registers, VCC");
	tap_ok(gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 112) == (int)tail + 0x50 &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 119) == (int)tail + 0x6c &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 121) == (int)tail + 0x74 &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 108) < 0, "ttmps");
	tap_ok(gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 124) == (int)tail &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 126) == (int)tail + 12,
	       "M0, EXEC");
	tap_ok(gpubp_amd_record_offset(&rec, GPUBP_REG_CONTROL, 1) == (int)tail + 36 &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_CONTROL, 2) == (int)tail + 20 &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_CONTROL, 3) == (int)tail + 24 &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_CONTROL, 8) == (int)tail + 4 &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_CONTROL, 4) < 0,
	       "MODE, STATUS, TRAPSTS, the pc");
	tap_ok(registers_are_apart(&rec), "all registers are apart");
	rec.nr_sgprs = 32;
	tap_ok(gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 32) < 0 &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 106) == 48 * 256 + 30 * 4 &&
	       gpubp_amd_record_offset(&rec, GPUBP_REG_SCALAR, 30) == 48 * 256 + 30 * 4,
	       "VCC is the last of few scalar registers");
	tap_ok(gpubp_amd_record_gpr_alloc(&rec) == (5 << 6 | 9 << 12 | 1 << 24),
	       "GPR_ALLOC");
	rec = gpubp_amd_record_of_alloc(gpubp_amd_record_gpr_alloc(&rec));
	tap_ok(rec.nr_vgprs == 48 && rec.acc_offset == 40 && rec.nr_sgprs == 32,
	       "... and back");
}

/* whatever the words are: records are in the area, and do not overlap */
static bool fuzz_once(unsigned long long *seed)
{
	struct gpubp_amd_area area = area_of(stack, 0, 0);
	uint64_t end, at = ~0ull;
	struct gpubp_amd_record rec;
	struct gpubp_amd_walk walk;
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		stack[i] = tap_random(seed) & (tap_random(seed) % 4 ? ~0u : ~STATE);
	area.stack_offset = tap_random(seed) % (STACK + 64);
	area.state_offset = tap_random(seed) % (AREA + STACK);
	area.size = tap_random(seed) % (2 * AREA);
	if (!gpubp_amd_walk_begin(&walk, &area, stack))
		return true;
	end = area.base + area.state_offset;
	while (gpubp_amd_walk_next(&walk, &rec)) {
		if (rec.at >= at || rec.at < area.base + STACK ||
		    gpubp_amd_record_tail(&rec) + 128 > end)
			return false;
		at = end = rec.at;
	}
	return true;
}

static void test_fuzz(void)
{
	unsigned long long seed = 4711;
	unsigned int i;
	bool sane = true;

	for (i = 0; i < 20000 && sane; i++)
		sane = fuzz_once(&seed);
	tap_ok(sane, "random words: records in the area, apart from each other");
}

int main(void)
{
	tap_plan(21);
	test_walk();
	test_nonsense();
	test_registers();
	test_fuzz();
	return tap_status();
}
