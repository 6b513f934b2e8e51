/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_ACCESS_H
#define PERF_GPUBP_ACCESS_H

#include <linux/gpubp.h>

/** access_name() - what an access of kind GPUBP_ACCESS_*, 0 not known, is called */
static inline const char *access_name(unsigned int access)
{
	switch (access) {
	case GPUBP_ACCESS_LOAD:
		return "load";
	case GPUBP_ACCESS_STORE:
		return "store";
	case GPUBP_ACCESS_ATOMIC:
		return "atomic";
	default:
		return "access";
	}
}

/** access_past() - what the wave did to the bytes */
static inline const char *access_past(unsigned int access)
{
	switch (access) {
	case GPUBP_ACCESS_LOAD:
		return "read";
	case GPUBP_ACCESS_STORE:
		return "wrote";
	case GPUBP_ACCESS_ATOMIC:
		return "updated";
	default:
		return "accessed";
	}
}

#endif /* PERF_GPUBP_ACCESS_H */
