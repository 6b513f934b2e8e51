/* SPDX-License-Identifier: GPL-2.0 */
/* kselftest's harness with timeouts for an emulated machine. */
#ifndef SELFTESTS_HARNESS_H
#define SELFTESTS_HARNESS_H

#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	240

#endif /* SELFTESTS_HARNESS_H */
