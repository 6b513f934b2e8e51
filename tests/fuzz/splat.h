/* SPDX-License-Identifier: GPL-2.0 */
/* Complaints of the kernel in its log. */
#ifndef FUZZ_SPLAT_H
#define FUZZ_SPLAT_H

#include <stdbool.h>

/** splat_open() - read the log from now on */
void splat_open(void);

/** splat_next() - the next complaint, or NULL */
const char *splat_next(void);

#endif /* FUZZ_SPLAT_H */
