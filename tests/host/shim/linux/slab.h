/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in: malloc(), or NULL on request of a test. */
#ifndef _SHIM_SLAB_H
#define _SHIM_SLAB_H

#include <stdbool.h>
#include <stdlib.h>
#include <linux/types.h>

typedef unsigned int gfp_t;

#define GFP_KERNEL		0u
#define GFP_KERNEL_ACCOUNT	0u
#define GFP_NOWAIT		0u
#define __GFP_ACCOUNT		0u
#define __GFP_NOWARN		0u
#define __GFP_RETRY_MAYFAIL	0u
#define __GFP_ZERO		1u

/* set by a test to make allocations fail; one per program, hence weak */
__attribute__((weak)) bool shim_no_memory;

static inline void *kvmalloc_array(size_t n, size_t size, gfp_t flags)
{
	if (shim_no_memory || (size && n > SIZE_MAX / size))
		return NULL;
	return flags & __GFP_ZERO ? calloc(n, size) : malloc(n * size);
}

static inline void *kvcalloc(size_t n, size_t size, gfp_t flags)
{
	return kvmalloc_array(n, size, flags | __GFP_ZERO);
}

static inline void *kvmalloc(size_t size, gfp_t flags)
{
	return kvmalloc_array(1, size, flags);
}

static inline void *kvzalloc(size_t size, gfp_t flags)
{
	return kvmalloc_array(1, size, flags | __GFP_ZERO);
}

static inline void kvfree(const void *p)
{
	free((void *)p);
}

#define kmalloc(size, flags)		kvmalloc(size, flags)
#define kzalloc(size, flags)		kvzalloc(size, flags)
#define kmalloc_array(n, size, flags)	kvmalloc_array(n, size, flags)
#define kcalloc(n, size, flags)		kvcalloc(n, size, flags)
#define kfree(p)			kvfree(p)

#endif
