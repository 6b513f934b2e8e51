/* SPDX-License-Identifier: GPL-2.0 */
/* A kernel of the corpus on the device, its buffers within guard zones. */
#ifndef SELFTESTS_CORPUS_GPU_H
#define SELFTESTS_CORPUS_GPU_H

#include <stdbool.h>
#include "gpu.h"
#include "corpus_run.h"

#define CORPUS_GUARD	4096
#define CORPUS_WHOLE	(CORPUS_GUARD + BUF_SIZE + CORPUS_GUARD)
#define CORPUS_BUFS	3

/**
 * struct corpus_gpu - a kernel that is set up
 * @k: which
 * @gpu: its context
 * @mem: its buffers, each within guard zones
 * @want: what they shall hold
 */
struct corpus_gpu {
	const struct corpus_kernel *k;
	struct gpu gpu;
	struct grun_mem mem[CORPUS_BUFS];
	unsigned char want[CORPUS_BUFS][CORPUS_WHOLE]
		__attribute__((aligned(16)));
};

/** corpus_find() - ends the program if there is none */
const struct corpus_kernel *corpus_find(const char *name);

/** corpus_open() - a context for a kernel, compiled with -@opt; 0 or -1 */
int corpus_open(struct corpus_gpu *s, const struct corpus_kernel *k,
		const char *opt);

/** corpus_close() - of it */
void corpus_close(struct corpus_gpu *s);

/** corpus_run() - the kernel; are all buffers as they should be? */
bool corpus_run(struct corpus_gpu *s);

#endif /* SELFTESTS_CORPUS_GPU_H */
