// SPDX-License-Identifier: GPL-2.0
/* Private memory: arrays with computed indices, frames, calls. */
#include "corpus.h"

__kernel WG(64, 1, 1)
void dynamic_index(IN(uint) a, IN(uchar) b, OUT(uint) o, uint n)
{
	uint i = ID, t[24], k, r = 0;
	uchar c[40];
	ulong w[9];

	if (i >= n)
		return;
	for (k = 0; k < 24; k++)
		t[k] = a[(i + k) % n];
	for (k = 0; k < 40; k++)
		c[k] = b[i + k];
	for (k = 0; k < 9; k++)
		w[k] = (ulong)t[k] << k | c[k];
	for (k = 0; k < 30; k++) {
		uint at = (r + c[k]) % 24;

		t[at] += c[at + k % 16];
		c[(at * 5 + k) % 40] ^= t[k % 24];
		w[at % 9] += t[at] * (ulong)c[k];
		r = r * 3 + t[(at + 1) % 24];
	}
	o[2 * i] = r + c[r % 40];
	o[2 * i + 1] = w[r % 9] ^ w[(r >> 8) % 9] >> 32;
}

__kernel WG(64, 1, 1)
void quicksort(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint v[32], i = ID, k;
	uchar stack[64];
	uint top = 0;

	if (i >= n)
		return;
	for (k = 0; k < 32; k++)
		v[k] = a[i * 32 + k] % (b[i] & 1 ? 10 : ~0u);
	stack[top++] = 0;
	stack[top++] = 31;
	while (top) {
		int high = stack[--top], low = stack[--top];
		int x = low, y = high;
		uint pivot = v[(low + high) / 2];

		while (x <= y) {
			while (v[x] < pivot)
				x++;
			while (v[y] > pivot)
				y--;
			if (x <= y) {
				uint t = v[x];

				v[x++] = v[y];
				v[y--] = t;
			}
		}
		if (low < y) {
			stack[top++] = low;
			stack[top++] = y;
		}
		if (x < high) {
			stack[top++] = x;
			stack[top++] = high;
		}
	}
	for (k = 0; k < 32; k++)
		o[i * 32 + k] = v[k];
}

struct mixed {
	uint u;
	ulong w;
	float f;
	uchar c[5];
};

NOINLINE static struct mixed by_value(struct mixed m, uint k)
{
	m.u += k;
	m.w ^= (ulong)m.u << 30;
	m.f = m.f * 0.5f + (float)k;
	m.c[k % 5] += 3;
	return m;
}

NOINLINE static uint many_arguments(uint a, ulong b, uchar c, short d, float e,
				    uint f, uint g, ulong h, uint i, uint j,
				    uint k, uint l, uint4 m, uint p, double q,
				    uint2 r, uint s, uint t, uint u, uint v,
				    uint w, uint x)
{
	return a + b * c - d + (int)e + f * g + (uint)(h >> 9) + i - j * k +
	       (l ^ m.x ^ m.w) + p + (int)q + r.y * s + (t << 3) - u * v + w * x;
}

NOINLINE static uint fibonacci(uint n, uint *calls)
{
	uint a = 0, b = 1;

	for (*calls += n; n--; b += a)
		a = b - a;
	return a;
}

__kernel WG(64, 1, 1)
void calls(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, k, x = a[i], y = b[i], nr = 0, r;
	struct mixed m = { x, (ulong)x << 17 | y, (float)(x >> 20),
			   { y, x, 3, 4, y >> 9 } };

	if (i >= n)
		return;
	for (k = 0; k < (y & 3) + 2; k++)
		m = by_value(m, k + x % 3);
	r = many_arguments(x, m.w, y, x, (float)(x >> 22), 1, y, m.w >> 3, 5, x,
			   7, y, (uint4)(x, y, 3, m.u), 9,
			   (double)(y >> 12) * 0.5, (uint2)(x, y), 11, x + y,
			   13, y - x, 15, x ^ y);
	if (x & 2)
		r += fibonacci(x & 31, &nr);
	else
		r -= fibonacci(y & 15, &nr);
	o[4 * i] = r + nr;
	o[4 * i + 1] = m.u;
	o[4 * i + 2] = as_uint(m.f) ^ (m.c[0] | m.c[1] << 8 | m.c[2] << 16);
	o[4 * i + 3] = (uint)(m.w >> 32) + m.c[3] * m.c[4];
}

__kernel WG(64, 1, 1)
void big_frame(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint t[300], u[300], i = ID, k, r = 0;
	ushort order[300];

	if (i >= n)
		return;
	for (k = 0; k < 300; k++) {
		t[k] = a[(i + k) & 0x1fff];
		order[k] = k * 7 % 300;
	}
	for (k = 0; k < 300; k++)
		u[order[k]] = t[k] ^ b[k];
	for (k = 0; k < 100; k++)
		r = r * 31 + u[(r + k) % 300] + order[t[k] % 300];
	o[i] = r;
}

/* the stack machine of a small language */
__kernel WG(64, 1, 1)
void bytecode(IN(uint) a, IN(uchar) b, OUT(int) o, uint n)
{
	int stack[16];
	uint i = ID, pc, sp = 1, steps;

	if (i >= n)
		return;
	stack[0] = a[i];
	for (pc = 0, steps = 0; steps < 60; steps++, pc++) {
		uchar op = b[(i * 64 + (pc & 63)) & 0x7fff];
		int top = stack[sp - 1];

		switch (op & 15) {
		case 0 ... 4: if (sp < 16) stack[sp++] = op * 77; break;
		case 5: stack[sp - 1] = -top; break;
		case 6: if (sp < 16) stack[sp++] = top; break;
		case 7: case 8:
			if (sp > 1)
				sp--, stack[sp - 1] += top;
			break;
		case 9: if (sp > 1) sp--, stack[sp - 1] *= top; break;
		case 10: if (sp > 1) sp--, stack[sp - 1] ^= top >> 3; break;
		case 11: if (top & 1) pc += op >> 4; break;
		case 12: if (top < 0) pc -= op >> 6; break;
		case 13: stack[sp - 1] = stack[top & (sp - 1)]; break;
		case 14: if (sp > 1) sp--, stack[sp - 1] = top / 7; break;
		default: stack[sp - 1] = top + (int)steps;
		}
	}
	o[i] = stack[sp - 1] + (int)sp * 1000;
}
