/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which GPU a test means: gpu_file.c the kernel's software GPU, gpu_inproc.c one in the
 * process. Each program is linked with one of them.
 */
#ifndef SELFTESTS_GPU_DEVICE_H
#define SELFTESTS_GPU_DEVICE_H

#include "gpubp_run.h"

/** gpu_device_open() - number @nr, for @code; 0 or a negative errno */
int gpu_device_open(struct grun_device **dev, unsigned int nr, const struct grun_code *code,
		    struct grun_err *err);

/** gpu_device_close() - the opposite */
void gpu_device_close(struct grun_device *dev);

/** gpu_device_copy() - by the copy engine; 0 or a negative errno */
int gpu_device_copy(const struct grun_device *dev, uint64_t dst, uint64_t src, uint64_t size);

/** gpu_device_settle() - all dispatches have ended: events have all of their hits then */
void gpu_device_settle(void);

/** gpu_device_tells_unmaps() - does the kernel learn that memory is another one? */
bool gpu_device_tells_unmaps(void);

/** gpu_device_knows_latest() - does the kernel know which of its hits is the latest? */
bool gpu_device_knows_latest(void);

#endif /* SELFTESTS_GPU_DEVICE_H */
