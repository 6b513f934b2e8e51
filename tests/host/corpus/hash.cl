// SPDX-License-Identifier: GPL-2.0
/* Hashes, ciphers, generators. */
#include "corpus.h"

__constant uint sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
__constant uint sha256_h[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* of 64 bytes, which are two blocks */
__kernel WG(64, 1, 1)
void sha256(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, h[8], w[64], block, k;

	if (i >= n)
		return;
	for (k = 0; k < 8; k++)
		h[k] = sha256_h[k];
	for (block = 0; block < 2; block++) {
		uint s[8];

		for (k = 0; k < 16; k++)
			w[k] = !block ? __builtin_bswap32(a[i * 16 + k]) :
			       !k ? 0x80000000 : k == 15 ? 512 : 0;
		for (; k < 64; k++) {
			uint x = w[k - 15], y = w[k - 2];

			x = rol32(x, 25) ^ rol32(x, 14) ^ x >> 3;
			y = rol32(y, 15) ^ rol32(y, 13) ^ y >> 10;
			w[k] = w[k - 16] + x + w[k - 7] + y;
		}
		for (k = 0; k < 8; k++)
			s[k] = h[k];
		for (k = 0; k < 64; k++) {
			uint t = rol32(s[4], 26) ^ rol32(s[4], 21) ^
				 rol32(s[4], 7);
			uint u = rol32(s[0], 30) ^ rol32(s[0], 19) ^
				 rol32(s[0], 10);

			t += s[7] + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
			     sha256_k[k] + w[k];
			u += (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
			s[7] = s[6];
			s[6] = s[5];
			s[5] = s[4];
			s[4] = s[3] + t;
			s[3] = s[2];
			s[2] = s[1];
			s[1] = s[0];
			s[0] = t + u;
		}
		for (k = 0; k < 8; k++)
			h[k] += s[k];
	}
	for (k = 0; k < 8; k++)
		o[i * 8 + k] = __builtin_bswap32(h[k]);
}

__constant uint md5_k[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
	0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
	0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
	0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
	0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
	0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
	0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
	0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
__constant uchar md5_s[16] = {
	7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21,
};

/* of the first 0 to 55 bytes of 56 */
__kernel WG(64, 1, 1)
void md5(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, len, w[16], k;
	uint4 h = (uint4)(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476), s;

	if (i >= n)
		return;
	len = b[i] % 56;
	for (k = 0; k < 14; k++) {
		uint keep = len > 4 * k ? len - 4 * k : 0;

		w[k] = keep >= 4 ? a[i * 14 + k] :
		       a[i * 14 + k] & ((1u << 8 * keep) - 1);
		if (len / 4 == k)
			w[k] |= 0x80u << 8 * (len & 3);
	}
	w[14] = len * 8;
	w[15] = 0;
	s = h;
	for (k = 0; k < 64; k++) {
		uint f, g;

		if (k < 16) {
			f = (s.y & s.z) | (~s.y & s.w);
			g = k;
		} else if (k < 32) {
			f = (s.w & s.y) | (~s.w & s.z);
			g = 5 * k + 1;
		} else if (k < 48) {
			f = s.y ^ s.z ^ s.w;
			g = 3 * k + 5;
		} else {
			f = s.z ^ (s.y | ~s.w);
			g = 7 * k;
		}
		f += s.x + md5_k[k] + w[g & 15];
		s = (uint4)(s.w, s.y + rol32(f, md5_s[k / 16 * 4 + k % 4]),
			    s.y, s.z);
	}
	((OUT(uint4))o)[i] = h + s;
}

__constant uchar aes_sbox[256] = {
	0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b,
	0xfe, 0xd7, 0xab, 0x76, 0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0,
	0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0, 0xb7, 0xfd, 0x93, 0x26,
	0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
	0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2,
	0xeb, 0x27, 0xb2, 0x75, 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0,
	0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84, 0x53, 0xd1, 0x00, 0xed,
	0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
	0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f,
	0x50, 0x3c, 0x9f, 0xa8, 0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5,
	0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2, 0xcd, 0x0c, 0x13, 0xec,
	0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
	0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14,
	0xde, 0x5e, 0x0b, 0xdb, 0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c,
	0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79, 0xe7, 0xc8, 0x37, 0x6d,
	0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
	0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f,
	0x4b, 0xbd, 0x8b, 0x8a, 0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e,
	0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e, 0xe1, 0xf8, 0x98, 0x11,
	0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
	0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f,
	0xb0, 0x54, 0xbb, 0x16,
};

static uchar aes_double(uchar x)
{
	return x << 1 ^ (x & 0x80 ? 0x1b : 0);
}

/* AES-128, a key for each block, with key expansion on the fly */
__kernel WG(64, 1, 1)
void aes128(IN(uchar) a, IN(uchar) b, OUT(uchar) o, uint n)
{
	uchar s[16], t[16], key[16], rcon = 1;
	uint i = ID, round, k;

	if (i >= n)
		return;
	for (k = 0; k < 16; k++) {
		key[k] = b[i * 16 + k];
		s[k] = a[i * 16 + k] ^ key[k];
	}
	for (round = 1; round <= 10; round++) {
		for (k = 0; k < 16; k++)	/* SubBytes and ShiftRows */
			t[k] = aes_sbox[s[(k * 5) & 15]];
		for (k = 0; k < 4; k++)
			key[k] ^= aes_sbox[key[12 + (k + 1) % 4]] ^
				  (k ? 0 : rcon);
		for (; k < 16; k++)
			key[k] ^= key[k - 4];
		rcon = aes_double(rcon);
		for (k = 0; k < 16; k++) {
			uint c = k & ~3u;
			uchar x = t[k], y = t[c + (k + 1) % 4];

			s[k] = round == 10 ? x :
			       x ^ t[c] ^ t[c + 1] ^ t[c + 2] ^ t[c + 3] ^
			       aes_double(x ^ y);
			s[k] ^= key[k];
		}
	}
	for (k = 0; k < 16; k++)
		o[i * 16 + k] = s[k];
}

#define QUARTER(a, b, c, d) do {					\
	x[a] += x[b]; x[d] = rol32(x[d] ^ x[a], 16);			\
	x[c] += x[d]; x[b] = rol32(x[b] ^ x[c], 12);			\
	x[a] += x[b]; x[d] = rol32(x[d] ^ x[a], 8);			\
	x[c] += x[d]; x[b] = rol32(x[b] ^ x[c], 7);			\
} while (0)

__kernel WG(64, 1, 1)
void chacha20(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, x[16], in[16], k;

	if (i >= n)
		return;
	in[0] = 0x61707865;
	in[1] = 0x3320646e;
	in[2] = 0x79622d32;
	in[3] = 0x6b206574;
	for (k = 4; k < 12; k++)
		in[k] = b[k];
	in[12] = i;
	for (k = 13; k < 16; k++)
		in[k] = b[k + GX];
	for (k = 0; k < 16; k++)
		x[k] = in[k];
	for (k = 0; k < 10; k++) {
		QUARTER(0, 4, 8, 12);
		QUARTER(1, 5, 9, 13);
		QUARTER(2, 6, 10, 14);
		QUARTER(3, 7, 11, 15);
		QUARTER(0, 5, 10, 15);
		QUARTER(1, 6, 11, 12);
		QUARTER(2, 7, 8, 13);
		QUARTER(3, 4, 9, 14);
	}
	for (k = 0; k < 16; k++)
		o[i * 16 + k] = a[i * 16 + k] ^ (x[k] + in[k]);
}

__kernel WG(64, 1, 1)
void crc32(IN(uchar) a, IN(uchar) b, OUT(uint) o, uint n)
{
	uint i = ID, crc = ~0u, k, bit;

	if (i >= n)
		return;
	for (k = 0; k < b[i] % 64u + 1; k++) {
		crc ^= a[i * 64 + k];
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
	}
	o[i] = ~crc;
}

static void sip_round(ulong *v)
{
	v[0] += v[1]; v[1] = rol64(v[1], 13) ^ v[0]; v[0] = rol64(v[0], 32);
	v[2] += v[3]; v[3] = rol64(v[3], 16) ^ v[2];
	v[0] += v[3]; v[3] = rol64(v[3], 21) ^ v[0];
	v[2] += v[1]; v[1] = rol64(v[1], 17) ^ v[2]; v[2] = rol64(v[2], 32);
}

/* SipHash-2-4 of 0 to 31 bytes */
__kernel WG(64, 1, 1)
void siphash(IN(uchar) a, IN(ulong) b, OUT(ulong) o, uint n)
{
	uint i = ID, len = a[i] & 31, at, k;
	ulong v[4], m;

	if (i >= n)
		return;
	v[0] = b[0] ^ 0x736f6d6570736575;
	v[1] = b[1] ^ 0x646f72616e646f6d;
	v[2] = b[0] ^ 0x6c7967656e657261;
	v[3] = b[1] ^ 0x7465646279746573;
	for (at = 0; at <= len; at += 8) {
		m = len - at < 8 ? (ulong)len << 56 : 0;
		for (k = 0; k < 8 && at + k < len; k++)
			m |= (ulong)a[i * 32 + at + k] << 8 * k;
		v[3] ^= m;
		sip_round(v);
		sip_round(v);
		v[0] ^= m;
	}
	v[2] ^= 0xff;
	for (k = 0; k < 4; k++)
		sip_round(v);
	o[i] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* xorshift, PCG, splitmix, and a 64 x 64 -> 128 bit multiply-with-carry */
__kernel WG(64, 1, 1)
void generators(IN(uint) a, IN(ulong) b, OUT(ulong) o, uint n)
{
	uint i = ID, x = a[i] | 1, k;
	ulong p = b[i], s = p, c = 1, r = 0;

	if (i >= n)
		return;
	for (k = 0; k < 10; k++) {
		ulong z;

		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		p = p * 6364136223846793005ul + 1442695040888963407ul;
		z = rol32((p >> 18 ^ p) >> 27, -(uint)(p >> 59));
		s += 0x9e3779b97f4a7c15ul;
		r += z;
		z = (s ^ s >> 30) * 0xbf58476d1ce4e5b9ul;
		z = (z ^ z >> 27) * 0x94d049bb133111ebul;
		r ^= z ^ z >> 31;
		c = (ulong)(uint)c * 4294957665u + (c >> 32);
		r += c + x;
	}
	o[i] = r;
}
