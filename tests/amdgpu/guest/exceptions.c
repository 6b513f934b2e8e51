// SPDX-License-Identifier: GPL-2.0
/*
 * exceptions: the selftest of that name, tests/selftests/exceptions.c, exceptions, whose GPU
 * is that of ROCr here.
 */
#include "rocr_gpu.h"
#include "rocr_lacks.h"
