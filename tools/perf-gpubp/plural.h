/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_PLURAL_H
#define PERF_GPUBP_PLURAL_H

#include <stdint.h>

/** plural() - what follows a noun of so many */
static inline const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

#endif /* PERF_GPUBP_PLURAL_H */
