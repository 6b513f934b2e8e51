/* SPDX-License-Identifier: GPL-2.0 */
/* What the mnemonic of a vector memory instruction says of its data. */
#ifndef _GPUBP_HOST_ISA_MNEMONIC_H
#define _GPUBP_HOST_ISA_MNEMONIC_H

#include <stdbool.h>
#include <string.h>

static inline bool has(const char *name, const char *part)
{
	return strstr(name, part);
}

/* data registers of one direction, without a comparand */
static inline unsigned int data_regs(const char *name)
{
	if (has(name, "dwordx4"))
		return 4;
	if (has(name, "dwordx3"))
		return 3;
	return has(name, "dwordx2") || has(name, "_x2") ||
	       has(name, "_f64") ? 2 : 1;
}

#endif /* _GPUBP_HOST_ISA_MNEMONIC_H */
