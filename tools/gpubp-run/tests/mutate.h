/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Damaging input: every truncation, and random changes. The copies are exactly
 * as large as they claim to be, so that the address sanitizer sees any read
 * beyond the end.
 */
#ifndef TESTS_MUTATE_H
#define TESTS_MUTATE_H

#include <stdlib.h>
#include <string.h>
#include "tap.h"

/* looks at @size bytes at @data; returns whether they were accepted */
typedef bool (*mutate_fn)(const unsigned char *data, size_t size);

static inline bool mutate_try(mutate_fn fn, const unsigned char *data,
			      size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);
	bool ok;

	memcpy(copy, data, size);
	ok = fn(copy, size);
	free(copy);
	return ok;
}

/* how many of all prefixes of @data are accepted */
static inline size_t mutate_truncate(mutate_fn fn, const unsigned char *data,
				     size_t size)
{
	size_t len, accepted = 0;

	for (len = 0; len < size; len++)
		accepted += mutate_try(fn, data, len);
	return accepted;
}

/* what fields of a format are sensitive to */
static inline unsigned char mutate_byte(unsigned long long r, unsigned char old)
{
	static const unsigned char edges[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };

	switch (r & 3) {
	case 0:
		return (unsigned char)(r >> 8);
	case 1:
		return edges[(r >> 8) % sizeof(edges)];
	case 2:
		return old ^ (unsigned char)(1 << (r >> 8 & 7));
	default:
		return old + (r >> 8 & 1 ? 1 : -1);
	}
}

/* @rounds copies with up to 8 changed bytes each; how many are accepted */
static inline size_t mutate_random(mutate_fn fn, const unsigned char *data,
				   size_t size, size_t rounds)
{
	unsigned long long seed = 0x5eed + size;
	unsigned char *copy = malloc(size);
	size_t i, n, at, accepted = 0;

	for (i = 0; i < rounds; i++) {
		memcpy(copy, data, size);
		for (n = 1 + tap_random(&seed) % 8; n; n--) {
			at = tap_random(&seed) % size;
			/* half of them in front, where headers are */
			if (n & 1)
				at %= 1024;
			copy[at] = mutate_byte(tap_random(&seed), copy[at]);
		}
		accepted += fn(copy, size);
	}
	free(copy);
	return accepted;
}

/* a whole file, or NULL */
static inline unsigned char *mutate_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	unsigned char *data = malloc(1 << 20);

	*size = file ? fread(data, 1, 1 << 20, file) : 0;
	if (file)
		fclose(file);
	if (*size)
		return data;
	free(data);
	return NULL;
}

#endif /* TESTS_MUTATE_H */
