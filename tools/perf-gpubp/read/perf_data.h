/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The outer format of perf.data, tools/perf/Documentation/perf.data-file-format.txt
 * of the kernel. What is in records is perf's to know.
 */
#ifndef PERF_GPUBP_PERF_DATA_H
#define PERF_GPUBP_PERF_DATA_H

#include <stdint.h>

#define FILE_MAGIC		"PERFILE2"
#define PIPE_HEADER		16	/* bytes, of a recording of a pipe */
#define NR_FEATURES		256

/* perf's own records; the first two have a payload that their size does not count */
#define RECORD_TRACING_DATA	66
#define RECORD_AUXTRACE		71
#define RECORD_COMPRESSED	81
#define RECORD_COMPRESSED2	83

struct section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct section attrs;
	struct section data;
	struct section event_types;
	uint64_t features[NR_FEATURES / 64];
};

#endif /* PERF_GPUBP_PERF_DATA_H */
