/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel complains of. */
#ifndef FUZZ_SPLAT_H
#define FUZZ_SPLAT_H

#include <stdbool.h>

/** splat_open() - from now on */
void splat_open(void);

/** splat_next() - a complaint, or NULL */
const char *splat_next(void);

#endif /* FUZZ_SPLAT_H */
