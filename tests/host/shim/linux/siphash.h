/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in: SipHash-2-4 as specified by its authors, for whole
 * words. tests/host/policy compares it with their test vectors.
 */
#ifndef _SHIM_SIPHASH_H
#define _SHIM_SIPHASH_H

#include <linux/types.h>

typedef struct {
	u64 key[2];
} siphash_key_t;

static inline u64 shim_rol64(u64 x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

static inline void shim_sip_rounds(u64 v[4], unsigned int n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = shim_rol64(v[1], 13) ^ v[0];
		v[3] = shim_rol64(v[3], 16) ^ v[2];
		v[0] = shim_rol64(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = shim_rol64(v[1], 17) ^ v[2];
		v[3] = shim_rol64(v[3], 21) ^ v[0];
		v[2] = shim_rol64(v[2], 32);
	}
}

static inline void shim_sip_word(u64 v[4], u64 word)
{
	v[3] ^= word;
	shim_sip_rounds(v, 2);
	v[0] ^= word;
}

/* @n words, then the remaining bytes with the length in the top byte */
static inline u64 shim_siphash(const u64 *words, unsigned int n, u64 rest,
			       const siphash_key_t *key)
{
	u64 v[4] = {
		key->key[0] ^ 0x736f6d6570736575ULL,
		key->key[1] ^ 0x646f72616e646f6dULL,
		key->key[0] ^ 0x6c7967656e657261ULL,
		key->key[1] ^ 0x7465646279746573ULL,
	};

	while (n--)
		shim_sip_word(v, *words++);
	shim_sip_word(v, rest);
	v[2] ^= 0xff;
	shim_sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static inline u64 siphash_1u64(u64 a, const siphash_key_t *key)
{
	return shim_siphash(&a, 1, 8ULL << 56, key);
}

static inline u64 siphash_2u64(u64 a, u64 b, const siphash_key_t *key)
{
	const u64 words[] = { a, b };

	return shim_siphash(words, 2, 16ULL << 56, key);
}

#endif
