/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hits of a recording.
 */
#ifndef PERF_GPUBP_HITS_H
#define PERF_GPUBP_HITS_H

#include <linux/gpubp.h>
#include "perf_file.h"

#define COMM_LEN	16

/**
 * struct hit - one sample of a gpubp event
 * @pid: process
 * @tid: thread that owns it
 * @cpu: CPU that wrote it
 * @time: of the sample, ns
 * @event: number of the event in the recording
 * @comm: name of the thread
 * @rec: what gpubp recorded
 */
struct hit {
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint64_t time;
	unsigned int event;
	char comm[COMM_LEN];
	struct gpubp_hit_record rec;
};

/**
 * struct hits - all of them
 * @hits: in order of GPU time
 * @nr: entries of @hits
 * @lost: records that the kernel could not write
 */
struct hits {
	struct hit *hits;
	size_t nr;
	uint64_t lost;
};

/** hits_read() - collect the hits of @file; 0 or -1 */
int hits_read(struct hits *hits, const struct perf_file *file,
	      struct perf_err *err);

/** hits_free() - undo hits_read() */
void hits_free(struct hits *hits);

/** hits_first_pid() - process of the first hit, 0 without hits */
uint32_t hits_first_pid(const struct hits *hits);

#endif /* PERF_GPUBP_HITS_H */
