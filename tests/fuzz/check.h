/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layouts from the headers, for comparison with the descriptions; made by
 * consts.
 */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include <stddef.h>
#include "syntax.h"

/**
 * struct layout - a field of a struct
 * @name: name of the struct
 * @field: name of the field
 * @offset: offset of the field
 * @size: size of the struct
 */
struct layout {
	const char *name;
	const char *field;
	size_t offset;
	size_t size;
};

/** layouts[], ioctls[] - terminated by a name of NULL */
extern const struct layout layouts[];
extern const struct constant ioctls[];

#endif /* FUZZ_CHECK_H */
