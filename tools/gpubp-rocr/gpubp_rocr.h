/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For programs that know better names than libgpubp-rocr.so, and run without it as well:
 * there is nothing to link with, but for libdl if glibc is older than 2.34.
 */
#ifndef GPUBP_ROCR_H
#define GPUBP_ROCR_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * gpubp_rocr_name() - name an allocation, or a part of one
 * @at: first GPU address
 * @size: bytes; 0: up to the end of the allocation that has @at
 * @name: of at most 63 printable characters without a space; NULL: no name any more
 *
 * A part loses its name when its allocation is freed, and when another part is named that
 * overlaps it. Another buffer of that name loses it. When the function returns, events on
 * the name are armed.
 *
 * Programs call gpubp_name(): only libgpubp-rocr.so has this one.
 *
 * Return: 0, also where the kernel has no gpubp, and before the process has a GPU context.
 * -EINVAL: a name as above is needed; a range that is not empty, and not partly in an
 * allocation. -ENOSPC: a GPU context has 8192 names. -EAGAIN: a GPU is suspended.
 * -ENOMEM. After an error of the kernel the range has no name.
 */
int gpubp_rocr_name(const void *at, size_t size, const char *name);

/** gpubp_name() - gpubp_rocr_name(), which is 0 without the library */
static inline int gpubp_name(const void *at, size_t size, const char *name)
{
	/* a weak symbol would be NULL for ever in a program at fixed addresses */
	int (*found)(const void *at, size_t size, const char *name) =
		(int (*)(const void *, size_t, const char *))dlsym(NULL, "gpubp_rocr_name");

	return found ? found(at, size, name) : 0;
}

#ifdef __cplusplus
}
#endif

#endif /* GPUBP_ROCR_H */
