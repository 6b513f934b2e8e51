/* SPDX-License-Identifier: GPL-2.0 */
/* For tables of truth's cases: short names of what a row consists of. */
#ifndef SELFTESTS_TRUTH_TABLE_H
#define SELFTESTS_TRUTH_TABLE_H

#include <linux/gpubp.h>
#include "truth_cases.h"

#define LOAD	GPUBP_ACCESS_LOAD
#define STORE	GPUBP_ACCESS_STORE
#define ATOMIC	GPUBP_ACCESS_ATOMIC
#define ANY	(LOAD | STORE | ATOMIC)

#define B(n)	{ BUFFER, n }
#define V(n)	{ VALUE, n }
#define F(n)	{ FLOAT, n }
#define D(n)	{ DOUBLE, n }

#endif /* SELFTESTS_TRUTH_TABLE_H */
