// SPDX-License-Identifier: GPL-2.0
/*
 * breaks: the selftest of that name, tests/selftests/breaks.c, breaks, whose code
 * runs in a process of ROCr here.
 */
#include "rocr_code.h"
