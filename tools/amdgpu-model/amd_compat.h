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

/* of the host: what the model runs on is little endian, as the GPU is */
#define LITTLEENDIAN_CPU

#define DECLARE_FLEX_ARRAY(type, name)	struct { struct { } unused_##name; type name[]; }

#ifndef __packed
#define __packed	__attribute__((packed))
#endif

#ifndef __counted_by
#define __counted_by(member)
#endif

#endif /* AMDGPU_MODEL_AMD_COMPAT_H */
