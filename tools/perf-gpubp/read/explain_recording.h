/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a recording says of its own hits.
 */
#ifndef PERF_GPUBP_EXPLAIN_RECORDING_H
#define PERF_GPUBP_EXPLAIN_RECORDING_H

#include "reading.h"

/** explain_recording() - print it; an exit status */
int explain_recording(struct reading *r);

#endif /* PERF_GPUBP_EXPLAIN_RECORDING_H */
