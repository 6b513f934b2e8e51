/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_REPORT_H
#define PERF_GPUBP_REPORT_H

#include "culprits.h"
#include "show.h"

/** report_line() - who did it, in one line; @process: which process it was */
void report_line(struct show *show, const struct culprit *c, bool process);

/** report_paragraph() - the details of the first hit, and sums of all of them */
void report_paragraph(struct show *show, const struct culprit *c);

#endif /* PERF_GPUBP_REPORT_H */
