/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's short types; also included by libc's headers. */
#ifndef _SHIM_TYPES_H
#define _SHIM_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* __u64 rather than uint64_t: printf formats of tests are the kernel's */
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define __user
#define __force
#define __rcu
#define __aligned(x)	__attribute__((aligned(x)))

#endif
