// SPDX-License-Identifier: GPL-2.0
/* Code that is hard for compilers: register pressure, opaque calls. */
#include "corpus.h"
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

/* more live values than registers, with 1024 work-items per group */
__kernel WG(1024, 1, 1)
void pressure(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = GX * 1024 + LX, t[144], k, r = 0;

	if (i >= n)
		return;
#pragma unroll
	for (k = 0; k < 144; k++)
		t[k] = a[i + k * 32] + k;
	for (k = 0; k < (b[i] & 3) + 1; k++) {
		uint j;

		r ^= b[i + k];
#pragma unroll
		for (j = 0; j < 144; j++)
			t[j] = (t[j] ^ r) * 5 + t[(j + 71) % 144];
	}
#pragma unroll
	for (k = 0; k < 144; k++)
		r = r * 3 + t[k];
	o[i] = r;
}

typedef uint function(uint, uint);

NOINLINE static uint add_it(uint x, uint y)
{
	return x + y;
}

NOINLINE static uint twist_it(uint x, uint y)
{
	uint k;

	for (k = 0; k < (y & 7); k++)
		x = rol32(x, y) ^ k;
	return x;
}

NOINLINE static uint frame_it(uint x, uint y)
{
	volatile uint t[8];
	uint k;

	for (k = 0; k < 8; k++)
		t[k] = x * k;
	return t[y & 7] - t[x & 7];
}

NOINLINE static uint both(function *f, function *g, uint x, uint y)
{
	return f(x, y) ^ g(y, x);
}

__kernel WG(64, 1, 1)
void function_pointers(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, x, y;
	function *f, *g;

	if (i >= n)
		return;
	x = a[i];
	y = b[i];
	f = x % 3 == 0 ? add_it : x % 3 == 1 ? twist_it : frame_it;
	g = n & 1 ? add_it : frame_it;
	o[2 * i] = f(x, y);
	o[2 * i + 1] = both(g, f, x, y);
}

NOINLINE static ulong leaf(ulong x, uint k)
{
	return rol64(x, k) * 3 + k;
}

NOINLINE static ulong middle(ulong x, uint k, ulong *trace)
{
	ulong y = leaf(x, k + 1) ^ leaf(x, k + 2);

	trace[k & 3] += y;
	return k & 1 ? leaf(y, 5) : y;
}

NOINLINE static ulong outer(ulong x, uint n, ulong *trace)
{
	ulong r = 0;
	uint k;

	for (k = 0; k < n; k++) {
		if (x >> k & 1)
			r += middle(x, k, trace);
		else
			r ^= leaf(r, k);
	}
	return r;
}

__kernel WG(64, 1, 1)
void call_tree(IN(ulong) a, IN(uint) b, OUT(ulong) o, uint n)
{
	uint i = ID, k;
	ulong trace[4] = { 1, 2, 3, 4 }, r;

	if (i >= n)
		return;
	r = outer(a[i], b[i] & 15, trace);
	for (k = 0; k < 4; k++)
		r = r * 31 + trace[(k + b[i]) & 3];
	o[i] = r;
}

/* two coroutines, as a state machine with gotos into loops */
__kernel WG(64, 1, 1)
void state_machine(IN(uchar) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, k = 0, words = 0, digits = 0, depth = 0, sum = 0;
	IN(uchar) s = a + i * 48;

	if (i >= n)
		return;
start:
	if (k >= 48)
		goto out;
	switch (s[k++] % 12) {
	case 0 ... 3: goto word;
	case 4 ... 6: goto number;
	case 7: depth++; goto start;
	case 8: if (!depth) goto out; depth--; goto start;
	case 9: goto comment;
	default: goto start;
	}
word:
	words++;
	while (k < 48 && s[k] % 12 < 4)
		k++;
	goto start;
number:
	for (sum = 0; k < 48; k++) {
		if (s[k] % 12 < 4)
			goto word;
		if (s[k] % 12 > 6)
			break;
		sum = sum * 10 + s[k] % 10;
		digits++;
	}
	goto start;
comment:
	while (k < 48)
		if (s[k++] % 12 == 11)
			goto start;
out:
	o[i] = words | digits << 8 | depth << 16 | k << 24;
	o[n + i] = sum;
}
