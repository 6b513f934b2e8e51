/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the program. */
#ifndef _POLICY_PARTS_H
#define _POLICY_PARTS_H

#define NR_TURNS_TESTS	0
#define NR_LONG_TESTS	0

static inline void turns_tests(void) {}
static inline void long_tests(void) {}

#endif
