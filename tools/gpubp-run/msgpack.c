// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of MessagePack (https://github.com/msgpack/msgpack, spec.md).
 *
 * Not the library msgpack-c: it allocates what a count claims before it looks
 * for the entries, so that five bytes of a damaged file (an array of 2^28) cost
 * 8 GiB; and no package has it for programs of 32 bits.
 */
#include <string.h>
#include "msgpack.h"

static size_t mp_left(const struct msgpack *mp)
{
	return (size_t)(mp->end - mp->pos);
}

/* big-endian */
static bool mp_number(struct msgpack *mp, unsigned int bytes, uint64_t *num)
{
	uint64_t n = 0;

	if (mp_left(mp) < bytes)
		return false;
	while (bytes--)
		n = n << 8 | *mp->pos++;
	*num = n;
	return true;
}

static bool mp_bytes(struct msgpack *mp, struct msgpack_value *value)
{
	if (mp_left(mp) < value->len)
		return false;
	value->str = (const char *)mp->pos;
	mp->pos += value->len;
	return true;
}

static bool mp_is_blob(enum msgpack_type type)
{
	return type == MSGPACK_STR || type == MSGPACK_BIN;
}

/* a value whose length is a number of @bytes bytes; @extra bytes more in an extension */
static bool mp_counted(struct msgpack *mp, struct msgpack_value *value,
		       enum msgpack_type type, unsigned int bytes,
		       unsigned int extra)
{
	uint64_t len;

	if (!mp_number(mp, bytes, &len) || len + extra > UINT32_MAX)
		return false;
	value->type = type;
	value->len = (uint32_t)(len + extra);
	return !mp_is_blob(type) || mp_bytes(mp, value);
}

static bool mp_unsigned(struct msgpack *mp, struct msgpack_value *value,
			enum msgpack_type type, unsigned int bytes)
{
	value->type = type;
	return mp_number(mp, bytes, &value->num);
}

static bool mp_signed(struct msgpack *mp, struct msgpack_value *value,
		      unsigned int bytes)
{
	unsigned int shift = 64 - 8 * bytes;

	if (!mp_unsigned(mp, value, MSGPACK_UINT, bytes))
		return false;
	value->num = (uint64_t)((int64_t)(value->num << shift) >> shift);
	if ((int64_t)value->num < 0)
		value->type = MSGPACK_INT;
	return true;
}

/* first bytes 0xc0 to 0xdf */
static bool mp_coded(struct msgpack *mp, struct msgpack_value *value,
		     unsigned int code)
{
	switch (code) {
	case 0xc0:
		value->type = MSGPACK_NIL;
		return true;
	case 0xc2:
	case 0xc3:
		value->type = MSGPACK_BOOL;
		value->num = code & 1;
		return true;
	case 0xc4: case 0xc5: case 0xc6:
		return mp_counted(mp, value, MSGPACK_BIN, 1U << (code - 0xc4), 0);
	case 0xc7: case 0xc8: case 0xc9:
		return mp_counted(mp, value, MSGPACK_BIN, 1U << (code - 0xc7), 1);
	case 0xca: case 0xcb:
		return mp_unsigned(mp, value, MSGPACK_FLOAT, 4U << (code - 0xca));
	case 0xcc: case 0xcd: case 0xce: case 0xcf:
		return mp_unsigned(mp, value, MSGPACK_UINT, 1U << (code - 0xcc));
	case 0xd0: case 0xd1: case 0xd2: case 0xd3:
		return mp_signed(mp, value, 1U << (code - 0xd0));
	case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8:
		value->type = MSGPACK_BIN;
		value->len = 1 + (1U << (code - 0xd4));
		return mp_bytes(mp, value);
	case 0xd9: case 0xda: case 0xdb:
		return mp_counted(mp, value, MSGPACK_STR, 1U << (code - 0xd9), 0);
	case 0xdc: case 0xdd:
		return mp_counted(mp, value, MSGPACK_ARRAY, 2U << (code - 0xdc), 0);
	case 0xde: case 0xdf:
		return mp_counted(mp, value, MSGPACK_MAP, 2U << (code - 0xde), 0);
	default:
		return false;
	}
}

bool msgpack_next(struct msgpack *mp, struct msgpack_value *value)
{
	unsigned int code;

	memset(value, 0, sizeof(*value));
	if (!mp_left(mp))
		return false;
	code = *mp->pos++;
	if (code < 0x80) {
		value->type = MSGPACK_UINT;
		value->num = code;
	} else if (code < 0x90) {
		value->type = MSGPACK_MAP;
		value->len = code & 0xf;
	} else if (code < 0xa0) {
		value->type = MSGPACK_ARRAY;
		value->len = code & 0xf;
	} else if (code < 0xc0) {
		value->type = MSGPACK_STR;
		value->len = code & 0x1f;
		return mp_bytes(mp, value);
	} else if (code < 0xe0) {
		return mp_coded(mp, value, code);
	} else {
		value->type = MSGPACK_INT;
		value->num = (uint64_t)(int64_t)(int8_t)code;
	}
	return true;
}

bool msgpack_skip(struct msgpack *mp)
{
	struct msgpack_value value;
	uint64_t todo = 1;

	/* each value takes a byte at least, so this ends with the input */
	for (; todo; todo--) {
		if (!msgpack_next(mp, &value))
			return false;
		if (value.type == MSGPACK_ARRAY)
			todo += value.len;
		else if (value.type == MSGPACK_MAP)
			todo += 2ULL * value.len;
	}
	return true;
}

bool msgpack_is(const struct msgpack_value *value, const char *str)
{
	return value->type == MSGPACK_STR && value->len == strlen(str) &&
	       !memcmp(value->str, str, value->len);
}
