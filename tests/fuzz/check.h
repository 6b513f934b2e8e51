/* SPDX-License-Identifier: GPL-2.0 */
/* What the headers say, for comparison with the descriptions; made by consts. */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include <stddef.h>
#include "syntax.h"

/**
 * struct layout - a field of a struct
 * @name: of the struct
 * @field: of the field
 * @offset: of it
 * @size: of the struct
 */
struct layout {
	const char *name;
	const char *field;
	size_t offset;
	size_t size;
};

/** layouts[], ioctls[] - end with a name of NULL */
extern const struct layout layouts[];
extern const struct constant ioctls[];

#endif /* FUZZ_CHECK_H */
