/* SPDX-License-Identifier: GPL-2.0 */
/* What selftests do with software GPUs only: it fails here, and so it is skipped or left out. */
#ifndef TESTS_AMDGPU_ROCR_LACKS_H
#define TESTS_AMDGPU_ROCR_LACKS_H

#include "selftests/simdev.h"

int simdev_fault(unsigned int nr, const char *fault, unsigned int every)
{
	return -ENODEV;
}

int simdev_mkdir(const char *name)
{
	return -ENODEV;
}

int simdev_rmdir(const char *name)
{
	return -ENODEV;
}

int simdev_set(const char *name, const char *field, const char *value)
{
	return -ENODEV;
}

int simdev_get(const char *name, const char *field)
{
	return -ENODEV;
}

int gpu_open_on(struct gpu *gpu, unsigned int nr, const char *name)
{
	return nr ? -ENODEV : gpu_open(gpu, name);
}

#endif /* TESTS_AMDGPU_ROCR_LACKS_H */
