// SPDX-License-Identifier: GPL-2.0
/*
 * stepping: the selftest of that name, tests/selftests/stepping.c, single steps, whose code
 * runs in a process of ROCr here.
 */
#include "rocr_code.h"
