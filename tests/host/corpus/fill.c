// SPDX-License-Identifier: GPL-2.0
/* Inputs: pseudo-random, the same in every run. */
#include <string.h>
#include "../tap.h"
#include "corpus_run.h"

static u64 next(u64 *seed)
{
	unsigned long long state = *seed;
	u64 val = tap_random(&state);

	*seed = state;
	return val ^ val >> 29;
}

static float tame(u64 *seed)
{
	return (float)((s64)next(seed) >> 40) / (1 << 20);
}

/* zeros, infinities, NaN, denormals, limits of integers and their neighbours */
static u32 odd_float(u64 *seed)
{
	static const u32 odd[] = {
		0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
		0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
		0x3f800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000,
		0x4f000000, 0x4effffff, 0xcf000000, 0x4f800000, 0x4f7fffff,
		0x5f000000, 0xdf000000, 0x4b000000, 0x4b000001, 0x3effffff,
		0x7f800001, 0x33800000, 0x477fe000,
	};

	return odd[next(seed) % (sizeof(odd) / sizeof(*odd))];
}

static u32 any_float(u64 *seed)
{
	u64 pick = next(seed) & 7;
	float x = tame(seed);
	u32 bits;

	if (pick < 2)
		return odd_float(seed);
	if (pick < 4)
		return (u32)next(seed);
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static u64 any_double(u64 *seed)
{
	static const u64 odd[] = {
		0x0000000000000000, 0x8000000000000000, 0x7ff0000000000000,
		0xfff0000000000000, 0x7ff8000000000000, 0x0000000000000001,
		0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
		0x3ff0000000000000, 0x3fe0000000000000, 0x41dfffffffc00000,
		0xc1e0000000000000, 0x41efffffffe00000, 0x43e0000000000000,
		0x4330000000000001, 0x3690000000000000, 0x47efffffefffffff,
	};
	u64 pick = next(seed) & 7, bits;
	double x = tame(seed) + tame(seed) * 0x1p-24;

	if (pick < 2)
		return odd[next(seed) % (sizeof(odd) / sizeof(*odd))];
	if (pick < 4)
		return next(seed);
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static void fill_text(u8 *buf, u64 *seed)
{
	u32 at = 0, run;

	while (at < BUF_SIZE) {
		u8 c = "abcabd ,"[next(seed) & 7];

		run = next(seed) & 3 ? 1 : 1 + (next(seed) & 15);
		while (run-- && at < BUF_SIZE)
			buf[at++] = c;
	}
}

static void fill_word(enum corpus_fill kind, u32 *word, u64 *seed)
{
	float x = tame(seed);

	switch (kind) {
	case FILL_FLOATS:
		*word = any_float(seed);
		break;
	case FILL_TAME:
		memcpy(word, &x, sizeof(x));
		break;
	case FILL_ZERO:
		*word = 0;
		break;
	case FILL_BYTES:
		*word = next(seed) & 0xff;
		break;
	default:
		*word = next(seed);
	}
}

static void fill_wide(enum corpus_fill kind, u64 *cell, u64 base, u64 *seed)
{
	double x = tame(seed) + tame(seed) * 0x1p-24;

	if (kind == FILL_DOUBLES)
		*cell = any_double(seed);
	else if (kind == FILL_TAME64)
		memcpy(cell, &x, sizeof(x));
	else
		*cell = base + next(seed) % (BUF_SIZE / 8) * 8;
}

void corpus_fill(enum corpus_fill kind, void *buf, u64 *seed)
{
	u32 at;

	if (kind == FILL_TEXT)
		fill_text(buf, seed);
	else if (kind == FILL_DOUBLES || kind == FILL_TAME64 ||
		 kind == FILL_POINTERS)
		for (at = 0; at < BUF_SIZE / 8; at++)
			fill_wide(kind, (u64 *)buf + at, (u64)buf, seed);
	else
		for (at = 0; at < BUF_SIZE / 4; at++)
			fill_word(kind, (u32 *)buf + at, seed);
}
