// SPDX-License-Identifier: GPL-2.0
/* Small programs; each work-item runs one of them. */
#include "corpus.h"

__kernel WG(64, 1, 1)
void mandelbrot(IN(float) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, steps = 0;
	float cx = (float)(int)(i % 20) * 0.15f - 2.0f;
	float cy = (float)(int)(i / 20) * 0.25f - 1.2f, x = 0.0f, y = 0.0f;

	if (i >= n)
		return;
	while (x * x + y * y <= 4.0f && steps < 100) {
		float t = x * x - y * y + cx;

		y = 2.0f * x * y + cy;
		x = t;
		steps++;
	}
	o[2 * i] = steps;
	o[2 * i + 1] = bits(x * 3.0f + y);
}

/* forces between 24 bodies in three dimensions; divisions, no square roots */
__kernel WG(64, 1, 1)
void nbody(IN(float4) a, IN(float) b, OUT(float4) o, uint n)
{
	uint i = ID, k;
	float4 p, f = (float4)(0.0f, 0.0f, 0.0f, 0.0f);

	if (i >= n)
		return;
	p = a[i];
	for (k = 0; k < 24; k++) {
		float4 q = a[k], d = q - p;
		float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;

		f += d * (q.w / (r2 * r2));
		f.w += r2;
	}
	o[i] = f * 0.125f + p;
}

/* position and number of occurrences of a needle of 3 letters */
__kernel WG(64, 1, 1)
void string_search(IN(uchar) a, IN(uchar) b, OUT(uint) o, uint n)
{
	uint i = ID, at, k, first = ~0u, count = 0;
	IN(uchar) hay = a + i * 100;
	IN(uchar) needle = b + i * 4;

	if (i >= n)
		return;
	for (at = 0; at < 200; at++) {
		for (k = 0; k < 3; k++)
			if (hay[at + k] != needle[k])
				break;
		if (k < 3)
			continue;
		if (first == ~0u)
			first = at;
		count++;
	}
	o[i] = first << 16 | count;
}

/* 256 x 256 bits, schoolbook */
__kernel WG(64, 1, 1)
void big_multiply(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, x[8], r[16], j, k;

	if (i >= n)
		return;
	for (k = 0; k < 16; k++)
		r[k] = 0;
	for (k = 0; k < 8; k++)
		x[k] = a[i * 8 + k];
	for (j = 0; j < 8; j++) {
		ulong carry = 0;

		for (k = 0; k < 8; k++) {
			carry += (ulong)x[k] * b[i * 8 + j] + r[j + k];
			r[j + k] = (uint)carry;
			carry >>= 32;
		}
		r[j + 8] = (uint)carry;
	}
	for (k = 0; k < 16; k++)
		o[i * 16 + k] = r[k];
}

/* primes below 256, as bits; then one query */
__kernel WG(64, 1, 1)
void sieve(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, s[8], p, k, nr = 0, top = 64 + a[i] % 192;

	if (i >= n)
		return;
	for (k = 0; k < 8; k++)
		s[k] = ~0u;
	for (p = 2; p * p < top; p++)
		if (s[p / 32] >> (p & 31) & 1)
			for (k = p * p; k < top; k += p)
				s[k / 32] &= ~(1u << (k & 31));
	for (k = 2; k < top; k++)
		nr += s[k / 32] >> (k & 31) & 1;
	o[i] = nr << 8 | s[1] >> 24;
}

/* (length, byte) pairs and back */
__kernel WG(64, 1, 1)
void run_length(IN(uchar) a, IN(uint) b, OUT(uchar) o, uint n)
{
	uint i = ID, at = 0, in = 0, k;
	IN(uchar) s = a + i * 64;
	OUT(uchar) d = o + i * 128;

	if (i >= n)
		return;
	while (in < 60) {
		uint len = 1;

		while (in + len < 60 && s[in + len] == s[in] && len < 9)
			len++;
		d[at++] = len;
		d[at++] = s[in];
		in += len;
	}
	for (k = 0; k < at && k < 20; k += 2)
		while (d[k]-- > 1)
			d[127] += d[k + 1];
}

/* longest match in a window, greedy: (distance, length) or a literal */
__kernel WG(64, 1, 1)
void lz_match(IN(uchar) a, IN(uint) b, OUT(ushort) o, uint n)
{
	uint i = ID, in = 16, at = 0;
	IN(uchar) s = a + i * 40;
	OUT(ushort) d = o + i * 64;

	if (i >= n)
		return;
	while (in < 48) {
		uint best = 0, dist = 0, k;

		for (k = 1; k <= 16; k++) {
			uint len = 0;

			while (in + len < 48 && s[in + len] == s[in + len - k])
				len++;
			if (len > best) {
				best = len;
				dist = k;
			}
		}
		if (best > 2) {
			d[at++] = 0x8000 | dist << 8 | best;
			in += best;
		} else {
			d[at++] = s[in++];
		}
	}
	d[at] = 0xffff;
}

/* transpose a 32 x 32 bit matrix by halves, then square it over GF(2) */
__kernel WG(64, 1, 1)
void bit_matrix(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, m[32], half_, mask = 0xffff, j, k;

	if (i >= n)
		return;
	for (k = 0; k < 32; k++)
		m[k] = a[i * 32 + k];
	for (half_ = 16; half_; half_ /= 2, mask ^= mask << half_)
		for (k = 0; k < 32; k = (k + half_ + 1) & ~half_) {
			uint t = (m[k] >> half_ ^ m[k + half_]) & mask;

			m[k] ^= t << half_;
			m[k + half_] ^= t;
		}
	for (k = 0; k < 32; k++) {
		uint r = 0;

		for (j = 0; j < 32; j++)
			if (m[k] >> j & 1)
				r ^= m[j];
		o[i * 32 + k] = r;
	}
}

/* edit distance of two words of 12 letters */
__kernel WG(64, 1, 1)
void edit_distance(IN(uchar) a, IN(uchar) b, OUT(uint) o, uint n)
{
	uint i = ID, row[13], j, k;

	if (i >= n)
		return;
	for (k = 0; k < 13; k++)
		row[k] = k;
	for (j = 0; j < 12; j++) {
		uint corner = row[0]++;

		for (k = 0; k < 12; k++) {
			uint cost = corner + (a[i * 12 + j] != b[i * 12 + k]);

			corner = row[k + 1];
			cost = corner + 1 < cost ? corner + 1 : cost;
			row[k + 1] = row[k] + 1 < cost ? row[k] + 1 : cost;
		}
	}
	o[i] = row[12];
}

/* backtracking without recursion; some columns are occupied from the start */
__kernel WG(64, 1, 1)
void queens(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, cols[7], left[7], right[7], open[7], nr = 0;
	int row = 0;

	if (i >= n)
		return;
	cols[0] = 1u << (a[i] % 6) & (b[i] & 1 ? 63 : 0);
	left[0] = right[0] = 0;
	open[0] = 63 & ~cols[0];
	while (row >= 0) {
		uint bit = open[row] & -open[row], free_;

		if (!bit) {
			row--;
			continue;
		}
		open[row] ^= bit;
		if (row == 4) {
			nr++;
			continue;
		}
		cols[row + 1] = cols[row] | bit;
		left[row + 1] = (left[row] | bit) << 1;
		right[row + 1] = (right[row] | bit) >> 1;
		row++;
		free_ = cols[row] | left[row] | right[row];
		open[row] = 63 & ~free_;
	}
	o[i] = nr;
}

__constant uchar base64_letters[65] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__kernel WG(64, 1, 1)
void base64(IN(uchar) a, IN(uchar) b, OUT(uchar) o, uint n)
{
	uint i = ID, len = b[i] % 30, k, at = 0;
	IN(uchar) s = a + i * 30;
	OUT(uchar) d = o + i * 48;

	if (i >= n)
		return;
	for (k = 0; k < len; k += 3) {
		uint left = len - k, x = s[k] << 16;

		x |= left > 1 ? s[k + 1] << 8 : 0;
		x |= left > 2 ? s[k + 2] : 0;
		d[at++] = base64_letters[x >> 18];
		d[at++] = base64_letters[x >> 12 & 63];
		d[at++] = left > 1 ? base64_letters[x >> 6 & 63] : '=';
		d[at++] = left > 2 ? base64_letters[x & 63] : '=';
	}
	d[at] = 0;
}

/* sums: plain, fused, compensated, of vectors */
__kernel WG(64, 1, 1)
void dot_products(IN(float) a, IN(float) b, OUT(float) o, uint n)
{
	uint i = ID, k;
	float s = 0.0f, c = 0.0f, t = 0.0f;
	float4 v = (float4)(0.0f, 0.0f, 0.0f, 0.0f);

	if (i >= n)
		return;
	for (k = 0; k < 32; k++) {
		float x = a[i + k] * b[i * 2 + k] - c, y = s + x;

		c = (y - s) - x;
		s = y;
		t = __builtin_fmaf(a[i + k], b[i * 2 + k], t);
		v += a[i + k] * ((IN(float4))b)[k];
	}
	o[6 * i] = s;
	o[6 * i + 1] = c;
	o[6 * i + 2] = t;
	o[6 * i + 3] = v.x - v.y;
	o[6 * i + 4] = v.z * v.w;
	o[6 * i + 5] = v.z < v.w ? v.x : v.y;
}

/* heap: build it, then extract the smallest elements */
__kernel WG(64, 1, 1)
void heap(IN(int) a, IN(uint) b, OUT(int) o, uint n)
{
	int h[24], x;
	uint i = ID, nr, k, c;

	if (i >= n)
		return;
	for (nr = 0; nr < 24; nr++) {
		x = a[i * 24 + nr];
		for (k = nr; k && h[(k - 1) / 2] > x; k = (k - 1) / 2)
			h[k] = h[(k - 1) / 2];
		h[k] = x;
	}
	while (nr > b[i] % 20) {
		o[i * 24 + 24 - nr] = h[0];
		x = h[--nr];
		for (k = 0; (c = 2 * k + 1) < nr; k = c) {
			if (c + 1 < nr && h[c + 1] < h[c])
				c++;
			if (x <= h[c])
				break;
			h[k] = h[c];
		}
		h[k] = x;
	}
}

__kernel WG(64, 1, 1)
void utf8(IN(uint) a, IN(uchar) b, OUT(uchar) o, uint n)
{
	uint i = ID, k, at = 0, back = 0;
	OUT(uchar) d = o + i * 64;

	if (i >= n)
		return;
	for (k = 0; k < 8; k++) {
		uint x = a[i * 8 + k] >> (11 + b[i + k] % 16);

		if (x < 0x80) {
			d[at++] = x;
		} else if (x < 0x800) {
			d[at++] = 0xc0 | x >> 6;
			d[at++] = 0x80 | (x & 63);
		} else if (x < 0x10000) {
			d[at++] = 0xe0 | x >> 12;
			d[at++] = 0x80 | (x >> 6 & 63);
			d[at++] = 0x80 | (x & 63);
		} else {
			d[at++] = 0xf0 | x >> 18;
			d[at++] = 0x80 | (x >> 12 & 63);
			d[at++] = 0x80 | (x >> 6 & 63);
			d[at++] = 0x80 | (x & 63);
		}
	}
	for (k = 0; k < at; k++)
		back += (d[k] & 0xc0) != 0x80;
	*(OUT(uint))(d + 60) = back;
}
