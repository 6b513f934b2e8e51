/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_SCRIPT_H
#define PERF_GPUBP_SCRIPT_H

#include "show.h"

/** script_hit() - one line for a hit */
void script_hit(struct show *show, const struct hit *hit);

#endif /* PERF_GPUBP_SCRIPT_H */
