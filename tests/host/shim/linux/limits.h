/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in; also included by libc's <limits.h>. */
#ifndef _SHIM_LIMITS_H
#define _SHIM_LIMITS_H

#include_next <linux/limits.h>
#include <linux/types.h>

#define U8_MAX		UINT8_MAX
#define U16_MAX		UINT16_MAX
#define U32_MAX		UINT32_MAX
#define U64_MAX		((__u64)~0ULL)
#define S16_MAX		INT16_MAX
#define S16_MIN		INT16_MIN
#define S32_MAX		INT32_MAX
#define S32_MIN		INT32_MIN
#define S64_MAX		((__s64)(U64_MAX >> 1))
#define S64_MIN		((__s64)(-S64_MAX - 1))

#endif
