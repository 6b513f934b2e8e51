// SPDX-License-Identifier: GPL-2.0
/* Atomics. Work-items execute in any order: results must not depend on it. */
#include "corpus.h"

#define ADD(p, v)	__atomic_fetch_add(p, v, RELAXED)

__kernel WG(64, 1, 1)
void atomics32(IN(uint) a, IN(int) b, OUT(uint) o, uint n)
{
	uint i = ID, g;

	if (i >= n)
		return;
	g = (a[i] & 7) * 16;
	__atomic_fetch_add(&o[g], a[i], RELAXED);
	__atomic_fetch_sub(&o[g + 1], a[i] >> 3, RELAXED);
	__atomic_fetch_and(&o[g + 2], a[i] | 0x11111111 << (i & 3), RELAXED);
	__atomic_fetch_or(&o[g + 3], 1u << (a[i] >> 27), RELAXED);
	__atomic_fetch_xor(&o[g + 4], a[i], RELAXED);
	__atomic_fetch_min((OUT(int))&o[g + 5], b[i], RELAXED);
	__atomic_fetch_max((OUT(int))&o[g + 6], b[i], RELAXED);
	__atomic_fetch_min(&o[g + 7], a[i], RELAXED);
	__atomic_fetch_max(&o[g + 8], a[i], RELAXED);
}

__kernel WG(64, 1, 1)
void atomics64(IN(ulong) a, IN(long) b, OUT(ulong) o, uint n)
{
	uint i = ID, g;

	if (i >= n)
		return;
	g = (a[i] & 7) * 16;
	__atomic_fetch_add(&o[g], a[i], RELAXED);
	__atomic_fetch_sub(&o[g + 1], a[i] >> 3, RELAXED);
	__atomic_fetch_and(&o[g + 2], ~(1ul << (i & 63)), RELAXED);
	__atomic_fetch_or(&o[g + 3], 1ul << (a[i] >> 58), RELAXED);
	__atomic_fetch_xor(&o[g + 4], a[i], RELAXED);
	__atomic_fetch_min((OUT(long))&o[g + 5], b[i], RELAXED);
	__atomic_fetch_max((OUT(long))&o[g + 6], b[i], RELAXED);
	__atomic_fetch_min(&o[g + 7], a[i], RELAXED);
	__atomic_fetch_max(&o[g + 8], a[i], RELAXED);
}

/* sum of the returned values: of n tickets each is returned once */
__kernel WG(64, 1, 1)
void tickets(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, t;
	ulong t64;

	if (i >= n)
		return;
	t = ADD(&o[0], 1u);
	ADD(&o[2], t * t);
	t = __atomic_fetch_sub(&o[4 + (i & 3)], 3u, RELAXED);
	ADD(&o[3], t ^ 0x5555);
	t64 = ADD((OUT(ulong))&o[8], 1ul << 31);
	ADD((OUT(ulong))&o[10], t64 * 3);
	t = __atomic_fetch_xor(&o[16 + i], a[i], RELAXED);
	o[0x400 + i] = t;
	t = __atomic_exchange_n(&o[0x800 + i], b[i], RELAXED);
	o[0xc00 + i] = t + __atomic_fetch_max(&o[0x1000 + i], a[i], RELAXED);
	o[0x1400 + i] = __atomic_fetch_and(&o[0x1800 + i], b[i], RELAXED) |
			__atomic_fetch_min((OUT(int))&o[0x1c00 + i], 5, RELAXED);
}

static void add_float(OUT(uint) p, float x)
{
	uint old = __atomic_load_n(p, RELAXED), new;

	do
		new = as_uint(as_float(old) + x);
	while (!__atomic_compare_exchange_n(p, &old, new, 0, RELAXED, RELAXED));
}

/* sums of small integers are exact in any order */
__kernel WG(64, 1, 1)
void cas_loops(IN(uint) a, IN(ulong) b, OUT(ulong) o, uint n)
{
	uint i = ID;
	OUT(ulong) best = &o[0x200 + (i & 7)];
	ulong old;

	if (i >= n)
		return;
	add_float((OUT(uint))&o[a[i] & 31], (float)(a[i] >> 22));
	old = __atomic_load_n(best, RELAXED);
	while ((old ^ 0xff00ff00) < (b[i] ^ 0xff00ff00) &&
	       !__atomic_compare_exchange_n(best, &old, b[i], 0, RELAXED,
					    RELAXED))
		;
}

/*
 * a stack of free cells: each lane pops one, half of the lanes push theirs back
 */
__kernel WG(64, 1, 1)
void bump_allocator(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, want = (a[i] & 3) + 1, k, at;

	if (i >= n)
		return;
	at = ADD(&o[0], want);
	for (k = 0; k < want; k++) {
		ADD(&o[16 + at + k], 1);
		ADD(&o[1], (at + k) * 7);
	}
	if (b[i] & 1)
		ADD(&o[2], want);
}

__kernel WG(64, 1, 1)
void byte_flags(IN(uint) a, IN(uchar) b, OUT(uint) o, uint n)
{
	uint i = ID, bit = a[i] & 0x3ff, byte = b[i];

	if (i >= n)
		return;
	__atomic_fetch_or(&o[bit >> 5], 1u << (bit & 31), RELAXED);
	__atomic_fetch_add(&o[64 + (byte >> 2)], 1u << 8 * (byte & 3), RELAXED);
	__atomic_store_n(&o[0x400 + i], a[i] * 3, __ATOMIC_RELEASE);
	o[0x800 + i] = __atomic_load_n(&o[0x400 + i], __ATOMIC_ACQUIRE) + byte;
}

#ifdef __AMDGCN__
#define INC(p, limit)	__builtin_amdgcn_atomic_inc32(p, limit, RELAXED, "agent")
#define DEC(p, limit)	__builtin_amdgcn_atomic_dec32(p, limit, RELAXED, "agent")
#else
static uint INC(OUT(uint) p, uint limit)
{
	uint old = *p;

	*p = old >= limit ? 0 : old + 1;
	return old;
}

static uint DEC(OUT(uint) p, uint limit)
{
	uint old = *p;

	*p = !old || old > limit ? limit : old - 1;
	return old;
}
#endif

/* counters that wrap at a limit, and the slots that they assign */
__kernel WG(64, 1, 1)
void wrapping_counters(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, c = a[i] & 7, limit = 5 + c * 3;

	if (i >= n)
		return;
	ADD(&o[0x100 + c * 32 + INC(&o[c], limit) % 32], 1u);
	DEC(&o[16 + c], limit);
	ADD(&o[0x200], DEC(&o[32], 6));
}
