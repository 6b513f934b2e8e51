// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "specs.h"
#include "tap.h"

#define F(x)	{ SPEC_NUMBER, x }

/* one access of values.cl by most lanes of two workgroups */
#define VALUES(name, stride)						\
	{ "values", name, { 128, 1 }, { 64, 1 },			\
	  { { SPEC_BITS, 128 * 24 }, F(stride), F(~0U), F(0xfedcba9876543210ULL), F(99),	\
	    { SPEC_BITS, 512 } } }

const struct spec specs[] = {
	{ "vadd", "vadd", { 256, 1 }, { 64, 1 },
	  { { SPEC_FLOATS, 1024 }, { SPEC_FLOATS, 1024 }, { SPEC_BITS, 1024 }, F(200) } },
	{ "vadd", "vmul", { 256, 1 }, { 64, 1 },
	  { { SPEC_FLOATS, 1024 }, { SPEC_FLOATS, 1024 }, { SPEC_BITS, 1024 }, F(256) } },
	{ "vadd", "vfma", { 256, 1 }, { 64, 1 },
	  { { SPEC_FLOATS, 1024 }, { SPEC_FLOATS, 1024 }, { SPEC_BITS, 1024 }, F(65) } },
	{ "vadd", "vxor", { 512, 1 }, { 128, 1 },
	  { { SPEC_BITS, 2048 }, { SPEC_BITS, 2048 }, { SPEC_BITS, 2048 } } },
	{ "aos", "aos", { 192, 1 }, { 64, 1 },
	  { { SPEC_BITS, 192 * 20 }, F(0x3fc00000), F(0xc0200000) } },
	{ "aos", "aos_pair", { 192, 1 }, { 64, 1 },
	  { { SPEC_BITS, 192 * 20 }, F(0x12345678) } },
	{ "histogram", "histogram", { 512, 1 }, { 64, 1 },
	  { { SPEC_BITS, 2048 }, { SPEC_BITS, 64 }, F(16) } },
	{ "stencil", "stencil", { 48, 32 }, { 16, 16 },
	  { { SPEC_FLOATS, 32 * 32 * 4 }, { SPEC_BITS, 32 * 32 * 4 }, F(32), F(32) } },
	{ "diverge", "diverge", { 192, 1 }, { 64, 1 }, { { SPEC_BITS, 768 } } },
	{ "diverge", "rounds", { 128, 1 }, { 64, 1 },
	  { { SPEC_BITS, 128 * 32 }, { SPEC_BITS, 512 } } },
	{ "diverge", "even_groups", { 256, 1 }, { 64, 1 }, { { SPEC_BITS, 1024 } } },
	{ "stores", "st_widths", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 128 * 128 } } },
	{ "stores", "st_straddle", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 128 * 128 } } },
	{ "stores", "st_forms", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 128 * 128 } } },
	{ "loads", "ld_keep", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 512 } } },
	{ "loads", "ld_widths", { 128, 1 }, { 64, 1 },
	  { { SPEC_BITS, 128 * 64 }, { SPEC_BITS, 512 } } },
	{ "loads", "ld_eat", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 512 }, { SPEC_BITS, 512 } } },
	{ "loads", "ld_chase", { 128, 1 }, { 64, 1 },
	  { { SPEC_CHAIN, 512 }, { SPEC_BITS, 512 }, F(5) } },
	{ "atomics", "at_add", { 256, 1 }, { 64, 1 }, { { SPEC_BITS, 128 }, F(31) } },
	{ "atomics", "at_ret", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 512 }, { SPEC_BITS, 512 } } },
	{ "atomics", "at_eat", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 512 }, { SPEC_BITS, 512 } } },
	{ "atomics", "at_cmpswap", { 128, 1 }, { 64, 1 },
	  { { SPEC_IOTA, 512 }, { SPEC_BITS, 512 } } },
	{ "atomics", "at_wide", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 1024 } } },
	{ "atomics", "at_ops", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 128 * 32 } } },
	{ "loop", "spin", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 512 }, F(1000) } },
	{ "loop", "repeat", { 128, 1 }, { 64, 1 }, { { SPEC_BITS, 512 }, F(17) } },
	{ "copy", "copy", { 256, 1 }, { 64, 1 },
	  { { SPEC_BITS, 1024 }, { SPEC_BITS, 1024 }, F(130) } },
	{ "private", "private_array", { 256, 1 }, { 64, 1 },
	  { { SPEC_BITS, 1024 }, { SPEC_BITS, 1024 } } },
	VALUES("store8", 3), VALUES("store16", 3), VALUES("store16_high", 4),
	VALUES("store32", 5), VALUES("store64", 11), VALUES("store96", 13),
	VALUES("store128", 17), VALUES("store_same", 4), VALUES("store64_flat", 8),
	VALUES("store64_offset", 9), VALUES("store32_base", 7), VALUES("load8", 3),
	VALUES("load8_signed", 1), VALUES("load16", 3), VALUES("load16_high", 5),
	VALUES("load32", 6), VALUES("load64", 11), VALUES("load96", 13),
	VALUES("load128", 16), VALUES("load64_flat", 9), VALUES("load32_base", 5),
	VALUES("load32_eats", 4), VALUES("add32", 4), VALUES("add64", 8),
	VALUES("swap32", 8), VALUES("cmpswap32", 4), VALUES("cmpswap64", 16),
	VALUES("add32_returning", 4), VALUES("add64_returning", 8),
	VALUES("swap32_returning", 12), VALUES("cmpswap32_returning", 4),
	VALUES("cmpswap64_returning", 8), VALUES("add32_loses", 4),
	{ "nop", "nop", { 128, 1 }, { 64, 1 }, {} },
	{ 0 }
};

static uint32_t fill_word(const struct spec_arg *arg, uint32_t i,
			  unsigned long long *seed)
{
	uint32_t bits = (uint32_t)tap_random(seed);
	float f = (float)(int32_t)bits / (1 << 20);

	switch (arg->fill) {
	case SPEC_FLOATS:
		memcpy(&bits, &f, sizeof(bits));
		return bits;
	case SPEC_IOTA:
		return i;
	case SPEC_CHAIN:
		return bits % (uint32_t)(arg->n / 4);
	default:
		return bits;
	}
}

uint64_t spec_place(const struct spec *spec, uint64_t va, char *bytes,
		    uint64_t *args, unsigned long long *seed)
{
	const struct spec_arg *arg;
	uint64_t used = 0, i;
	uint32_t word;

	for (arg = spec->args; arg < spec->args + SPEC_ARGS && arg->fill; arg++) {
		*args++ = arg->fill == SPEC_NUMBER ? arg->n : va + used;
		if (arg->fill == SPEC_NUMBER)
			continue;
		for (i = 0; i < arg->n; i += 4) {
			word = fill_word(arg, (uint32_t)(i / 4), seed);
			memcpy(bytes + used + i, &word, sizeof(word));
		}
		used += arg->n;
	}
	return used;
}

bool spec_same_memory(const char *want, const char *got)
{
	size_t i;

	for (i = 0; i < SPEC_MEMORY && want[i] == got[i]; i++)
		;
	if (i < SPEC_MEMORY)
		tap_note("byte %zu is %#x, the model says %#x", i,
			 (unsigned char)got[i], (unsigned char)want[i]);
	return i == SPEC_MEMORY;
}
