/* SPDX-License-Identifier: GPL-2.0 */
/* A kernel of the corpus on the device, its buffers between guard zones. */
#ifndef SELFTESTS_CORPUS_GPU_H
#define SELFTESTS_CORPUS_GPU_H

#include <stdbool.h>
#include "gpu.h"
#include "corpus_run.h"

#define CORPUS_GUARD	4096
#define CORPUS_WHOLE	(CORPUS_GUARD + BUF_SIZE + CORPUS_GUARD)
#define CORPUS_BUFS	3

/**
 * struct corpus_gpu - a kernel ready to run
 * @k: kernel
 * @gpu: its context
 * @mem: its buffers, each between guard zones
 * @want: expected contents of the buffers
 */
struct corpus_gpu {
	const struct corpus_kernel *k;
	struct gpu gpu;
	struct grun_mem mem[CORPUS_BUFS];
	unsigned char want[CORPUS_BUFS][CORPUS_WHOLE]
		__attribute__((aligned(16)));
};

/** corpus_find() - look up a kernel; exits if there is none */
const struct corpus_kernel *corpus_find(const char *name);

/** corpus_open() - create a context for a kernel, compiled with -@opt; 0 or -1 */
int corpus_open(struct corpus_gpu *s, const struct corpus_kernel *k,
		const char *opt);

/** corpus_close() - destroy it */
void corpus_close(struct corpus_gpu *s);

/** corpus_run() - run the kernel; true if all buffers are as expected */
bool corpus_run(struct corpus_gpu *s);

#endif /* SELFTESTS_CORPUS_GPU_H */
