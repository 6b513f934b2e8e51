/* SPDX-License-Identifier: GPL-2.0 */
/* KCOV: code executed by calls, in the process and in kernel threads. */
#ifndef FUZZ_COVER_H
#define FUZZ_COVER_H

#include <stdbool.h>

/**
 * cover_open() - as root, before the process forks; false if there is no KCOV
 */
bool cover_open(unsigned int worker);

/** cover_begin() - in the process that makes the calls */
void cover_begin(void);

/** cover_take() - account new coverage; returns the number of new signals */
unsigned int cover_take(void);

#endif /* FUZZ_COVER_H */
