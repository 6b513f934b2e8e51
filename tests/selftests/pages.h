/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of a process that is mapped for the GPU, too, and not always present. */
#ifndef SELFTESTS_PAGES_H
#define SELFTESTS_PAGES_H

#include <stdint.h>
#include "gpu.h"

#define PAGES_SIZE	8192	/* bytes: two pages */

/**
 * pages_absent() - map two pages of which the first never becomes present
 *
 * The first page is registered with a userfaultfd(2) that is never served. It
 * stays open, and needs root here, because the faults must come from the
 * kernel. The second page is present.
 *
 * Return: address of the first page, NULL on failure.
 */
void *pages_absent(void);

/** pages_for_gpu() - map PAGES_SIZE bytes at @p for the GPU, too; 0 or a negative errno */
int pages_for_gpu(struct gpu *gpu, void *p, uint64_t *va);

#endif /* SELFTESTS_PAGES_H */
