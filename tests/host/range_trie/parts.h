/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations shared by the files of this program. */
#ifndef _PARTS_H
#define _PARTS_H

#include "lib/range_trie.h"

#define HOLES_TESTS	5

extern unsigned long soak;
extern const struct gpubp_trie_mem mem;

unsigned int random_below(unsigned int n);
void holes_tests(void);

#endif /* _PARTS_H */
