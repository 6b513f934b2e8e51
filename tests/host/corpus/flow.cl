// SPDX-License-Identifier: GPL-2.0
/* Control flow, divergent and uniform. */
#include "corpus.h"

__kernel WG(64, 1, 1)
void nested(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, x, y, r = 0;

	if (i >= n)
		return;
	x = a[i];
	for (y = 0; y < (x & 7); y++) {
		if (x & 0x10 << y) {
			uint k = b[(i + y) % n] & 15;

			while (k--) {
				r = r * 33 + k;
				if ((r & 63) == 5)
					break;
				if (r & 1)
					continue;
				r ^= x;
			}
		} else if (x & 0x1000) {
			r -= y;
		} else {
			r = rol32(r, 7) + 1;
		}
	}
	o[i] = r;
}

__kernel WG(64, 1, 1)
void switch_dense(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, x, r = 1;

	if (i >= n)
		return;
	x = a[i];
	switch (b[i] & 15) {
	case 0: r = x + 1; break;
	case 1: r = x * 7;	/* and */
	case 2: r += __builtin_popcount(x); break;
	case 3: r = x >> 9; break;
	case 4: r = ~x; break;
	case 5: r = x ^ 0x12345678;	/* and */
	case 6: r ^= x << 5;	/* and */
	case 7: r += 77; break;
	case 8: r = x % 10; break;
	case 9: r = -x; break;
	case 10: r = x & 0xff00ff; break;
	case 12: r = rol32(x, 9); break;
	case 13: o[i] = x; return;
	default: r = i;
	}
	o[i] = r;
}

__kernel WG(64, 1, 1)
void switch_sparse(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, k, r = 0;

	if (i >= n)
		return;
	for (k = 0; k < 8; k++) {
		switch (a[(i * 8 + k) % n] % 97) {
		case 0 ... 9: r += 3; break;
		case 11: r ^= 0x8000; break;
		case 23: r *= 5; break;
		case 40 ... 60: r = rol32(r, 1); break;
		case 96: r = ~r; break;
		default: r += b[i] & k;
		}
	}
	o[i] = r;
}

/* a loop with two entries */
__kernel WG(64, 1, 1)
void irreducible(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, x, k, r = 0;

	if (i >= n)
		return;
	x = a[i];
	k = b[i] & 31;
	if (x & 1)
		goto middle;
top:
	r += x & 0xff;
	x = rol32(x, 3);
	if (r > 3000)
		goto out;
middle:
	r = r * 2 + k;
	if (k-- > 0)
		goto top;
	if (x & 4) {
		x >>= 3;
		k = 3;
		goto middle;
	}
out:
	o[i] = r ^ x;
}

__kernel WG(64, 1, 1)
void collatz(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, steps = 0, peak = 0;
	ulong x;

	if (i >= n)
		return;
	for (x = (a[i] & 0xfff) + 1; x != 1; steps++) {
		x = x & 1 ? 3 * x + 1 : x >> 1;
		peak = x > peak ? x : peak;
		if (steps == (b[i] & 0x7f) + 20)
			break;
	}
	o[i] = steps << 24 ^ peak;
}

/* n and values derived from it are uniform over lanes */
__kernel WG(64, 1, 1)
void uniform(IN(uint) a, IN(int) b, OUT(uint) o, uint n)
{
	uint k, s = 0, i = GX;
	long t = n;
	int m = 0;

	for (k = 0; k < 20; k++) {
		uint x = a[(i * 20 + k) % n];
		int y = b[k];

		s += x / (k + 1) ^ __builtin_popcount(x);
		t = t * y + (y < 0 ? (long)x << k : -(long)(x >> k));
		m = y > m ? y - (int)k : m;
		if ((x & 0x1f) == 3)
			break;
		if ((short)y < (char)x)
			t ^= (ulong)x << 32 | __builtin_bitreverse32(y);
	}
	o[GX * 64 + LX] = s + (uint)t * LX + (uint)(t >> 32) + m;
}

/* arithmetic on uniform values */
__kernel WG(64, 1, 1)
void scalars(IN(uint) a, IN(uint) b, OUT(ulong) o, uint n)
{
	uint x = a[GX], y = b[GX], z = x ^ rol32(y, 7), r = 0;
	int s = (int)x >> 3, t = (int)y;
	ulong w = (ulong)x << 32 | y, v = (ulong)z << 20 ^ w;

	r += x < y ? x : y;
	r ^= (x > z ? x : z) << (y & 7);
	r += (uint)(s < t ? s : t) + (uint)(s > t ? s : t) * 3;
	r ^= (uint)(s < 0 ? -s : s) >> (z & 15);
	r -= z ? __builtin_clz(z) + 32 * __builtin_ctz(z) : 7;
	r += __builtin_popcount(~x) + __builtin_popcountl(~w) * 100;
	r ^= __builtin_bitreverse32(z) & ~y;
	r += (x >> 5 & 0x7f) + ((int)(z << 11) >> 23);
	r ^= ~(x & y) + ~(y | z) + ~(x ^ z);
	r += (char)y + (short)z;
	r |= 1u << (x & 31);
	r &= ~(1u << (y & 31));
	r += z & 0x400 ? y : (uint)((int)x >> (z & 31));
	r ^= (uint)((ulong)x * y >> 32) + (uint)((long)s * t >> 32);
	r += (y & ~z) | (x | ~y);
	w += v << (x & 63);
	w ^= v >> (y & 63) | (ulong)((long)w >> (z & 63));
	w -= ~(v & w) ^ ~(v | w);
	w += (long)w < (long)v ? v & ~w : v | ~w;
	w ^= w == v ? 1 : w > v ? __builtin_bitreverse64(v) : v * w;
	w += v ? __builtin_clzl(v) + 64 * __builtin_ctzl(v) : 0;
	w -= (ulong)((long)(int)r << 3) + (x - y > z ? 5 : 1ul << 40);
	if (n & 1 ? x > 0x80000000 : (int)y < -5)
		w = rol64(w, r);
	o[GX * 64 + LX] = w + r * (ulong)(LX + 1);
}
