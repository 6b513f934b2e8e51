/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader of MessagePack, the format of amdgcn kernel metadata. Pure; never
 * reads beyond the end, never recurses.
 */
#ifndef GRUN_MSGPACK_H
#define GRUN_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* what is still to be read */
struct msgpack {
	const unsigned char *pos;
	const unsigned char *end;
};

enum msgpack_type {
	MSGPACK_NIL,
	MSGPACK_BOOL,
	MSGPACK_UINT,
	MSGPACK_INT,		/* negative */
	MSGPACK_FLOAT,
	MSGPACK_STR,
	MSGPACK_BIN,		/* and extensions */
	MSGPACK_ARRAY,
	MSGPACK_MAP,
};

/**
 * struct msgpack_value - one value
 * @type: enum msgpack_type
 * @num: an integer or boolean; two's complement if negative
 * @str: bytes of a string or blob, not terminated
 * @len: bytes of @str; entries of an array; pairs of a map. The entries
 *	follow as values of their own.
 */
struct msgpack_value {
	enum msgpack_type type;
	uint64_t num;
	const char *str;
	uint32_t len;
};

/** msgpack_next() - read a value; false if there is no complete one */
bool msgpack_next(struct msgpack *mp, struct msgpack_value *value);

/** msgpack_skip() - read a value with all that is in it */
bool msgpack_skip(struct msgpack *mp);

/** msgpack_is() - is @value the string @str? */
bool msgpack_is(const struct msgpack_value *value, const char *str);

#endif /* GRUN_MSGPACK_H */
