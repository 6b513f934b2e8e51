// SPDX-License-Identifier: GPL-2.0
/*
 * runctl: the selftest of that name, tests/selftests/runctl.c, run control, whose GPU
 * is that of ROCr here.
 */
#include "rocr_gpu.h"
#include "rocr_lacks.h"
