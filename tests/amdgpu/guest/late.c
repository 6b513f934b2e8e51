// SPDX-License-Identifier: GPL-2.0
/*
 * late: the selftest of that name, tests/selftests/late.c, late attachment to running kernels, whose GPU
 * is that of ROCr here.
 */
#include "rocr_gpu.h"
#include "rocr_lacks.h"
