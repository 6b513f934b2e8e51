/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the program; each number is the number of its results. */
#ifndef _POLICY_PARTS_H
#define _POLICY_PARTS_H

#include <stdbool.h>
#include <stdlib.h>

#define NR_TURNS_TESTS	11
#define NR_CROWD_TESTS	27
#define NR_PLACEMENT_TESTS	2
#define NR_MAXMIN_TESTS	3
#define NR_MODEL_TESTS	2

void turns_tests(void);
void crowd_tests(void);
void placement_tests(void);
void maxmin_tests(void);
void model_tests(void);

/* GPUBP_LONG=1 in the environment: minutes rather than seconds */
static inline bool long_run(void)
{
	const char *s = getenv("GPUBP_LONG");

	return s && *s == '1';
}

#endif /* _POLICY_PARTS_H */
