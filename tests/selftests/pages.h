/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of a process that the GPU has, too, and that is not always there. */
#ifndef SELFTESTS_PAGES_H
#define SELFTESTS_PAGES_H

#include <stdint.h>
#include "gpu.h"

#define PAGES_SIZE	8192	/* bytes: two pages */

/**
 * pages_absent() - two pages
 *
 * The first one comes from somebody who never brings it (userfaultfd(2), which stays
 * open, and needs root here: the kernel is to be who waits); the second one is there.
 *
 * Return: the first one's address, NULL: there are none.
 */
void *pages_absent(void);

/** pages_for_gpu() - map PAGES_SIZE bytes at @p for the GPU, too; 0 or a negative errno */
int pages_for_gpu(struct gpu *gpu, void *p, uint64_t *va);

#endif /* SELFTESTS_PAGES_H */
