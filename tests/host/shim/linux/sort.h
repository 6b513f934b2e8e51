/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in. */
#ifndef _SHIM_SORT_H
#define _SHIM_SORT_H

#include <stdlib.h>
#include <linux/types.h>

typedef void (*swap_func_t)(void *a, void *b, int size);

/* qsort() may use memory and is not heapsort; callers only need the order */
static inline void sort(void *base, size_t num, size_t size,
			int (*cmp)(const void *, const void *),
			swap_func_t swap_func)
{
	(void)swap_func;
	if (num)
		qsort(base, num, size, cmp);
}

#endif
