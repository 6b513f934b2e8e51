/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handles of KCOV as numbers: since 7.2 they are structures (struct
 * kcov_common_handle_id), empty ones without CONFIG_KCOV.
 */
#ifndef _GPUBP_COMPAT_KCOV_H
#define _GPUBP_COMPAT_KCOV_H

#include <linux/kcov.h>
#include <linux/string.h>

/** gpubp_kcov_handle() - that of the current task */
static inline u64 gpubp_kcov_handle(void)
{
	typeof(kcov_common_handle()) handle = kcov_common_handle();
	u64 number = 0;

	static_assert(sizeof(handle) <= sizeof(number));
	memcpy(&number, &handle, sizeof(handle));
	return number;
}

/** gpubp_kcov_start() - coverage of the current task is that of a handle's */
static inline void gpubp_kcov_start(u64 number)
{
	typeof(kcov_common_handle()) handle;

	memcpy(&handle, &number, sizeof(handle));
	kcov_remote_start_common(handle);
}

#endif /* _GPUBP_COMPAT_KCOV_H */
