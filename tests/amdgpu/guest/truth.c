// SPDX-License-Identifier: GPL-2.0
/*
 * truth: the selftest of that name, tests/selftests/truth.c, whose GPU (gpu.h) is that
 * of ROCr here: each sample of each kernel is compared with the kernel's model.
 */
#include "rocr_gpu.h"
