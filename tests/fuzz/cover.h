/* SPDX-License-Identifier: GPL-2.0 */
/* KCOV: what calls execute, themselves and in the kernel's threads. */
#ifndef FUZZ_COVER_H
#define FUZZ_COVER_H

#include <stdbool.h>

/** cover_open() - as root, before the process forks; false: this kernel has no KCOV */
bool cover_open(unsigned int worker);

/** cover_begin() - in the process whose calls are looked at */
void cover_begin(void);

/** cover_take() - what was executed since the last time; how much of it is new */
unsigned int cover_take(void);

#endif /* FUZZ_COVER_H */
