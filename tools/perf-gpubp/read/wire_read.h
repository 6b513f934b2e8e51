/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading what perf script and the filter in it print.
 */
#ifndef PERF_GPUBP_WIRE_READ_H
#define PERF_GPUBP_WIRE_READ_H

#include <stdio.h>
#include "hits.h"
#include "wire.h"

/**
 * struct wire - the pipe
 * @in: its end
 * @type: attr.type of gpubp when it was recorded, 0 not known (yet)
 * @line: a line, to be freed
 * @line_size: bytes of @line
 */
struct wire {
	FILE *in;
	uint32_t type;
	char *line;
	size_t line_size;
};

/** wire_next() - the next hit; 1, 0 at the end, -1 with an error */
int wire_next(struct wire *wire, struct hit *hit, struct grun_err *err);

#endif /* PERF_GPUBP_WIRE_READ_H */
