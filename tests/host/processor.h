/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_TESTS_PROCESSOR_H
#define _GPUBP_TESTS_PROCESSOR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../kernel/gpubp/isa/gfx9/gfx9.h"

/* of a program's argument: no other processor */
static inline enum gfx9_arch processor_named(const char *name)
{
	if (!strcmp(name, "gfx900"))
		return GFX9_GFX900;
	if (!strcmp(name, "gfx90a"))
		return GFX9_GFX90A;
	if (!strcmp(name, "gfx942"))
		return GFX9_GFX942;
	fprintf(stderr, "no processor %s\n", name);
	exit(2);
}

#endif /* _GPUBP_TESTS_PROCESSOR_H */
