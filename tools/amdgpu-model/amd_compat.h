/* SPDX-License-Identifier: GPL-2.0 */
/* What amdgpu's headers expect of the kernel; include it before them. */
#ifndef AMDGPU_MODEL_AMD_COMPAT_H
#define AMDGPU_MODEL_AMD_COMPAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

struct mutex {
	int unused;
};

/* of a declaration that nothing here uses */
#define __printf(format, arguments)

#ifndef __counted_by
#define __counted_by(member)
#endif

#endif /* AMDGPU_MODEL_AMD_COMPAT_H */
