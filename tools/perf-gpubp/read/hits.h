/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hits of a recording, one after the other, as perf script reads them.
 */
#ifndef PERF_GPUBP_HITS_H
#define PERF_GPUBP_HITS_H

#include "gpubp_run.h"
#include "wire.h"

/**
 * struct hit - one sample of a gpubp event
 * @pid: process
 * @tid: thread that owns it
 * @cpu: CPU that wrote it
 * @time: of the sample, ns
 * @comm: name of the thread
 * @event: name of the event
 * @sym: function at the pc, "" unknown
 * @sym_off: of the pc in @sym
 * @dso: file that has @sym
 * @code_off: of the pc in that file, 0 unknown
 * @data: what perf calls hit_addr(), "" unknown
 * @data_off: of that address in @data
 * @rec: what gpubp recorded
 *
 * Strings live until the program ends.
 */
struct hit {
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint64_t time;
	const char *comm;
	const char *event;
	const char *sym;
	uint32_t sym_off;
	const char *dso;
	uint64_t code_off;
	const char *data;
	uint32_t data_off;
	struct gpubp_hit_record rec;
};

/** hit_addr() - record_addr() of its record */
static inline uint64_t hit_addr(const struct hit *hit)
{
	return record_addr(&hit->rec);
}

struct hits;

/**
 * hits_open() - begin to read
 * @hits: out
 * @path: recording, "-" is the standard input
 * @force: even if another user owns the file
 * @err: error
 *
 * Return: 0 or -1.
 */
int hits_open(struct hits **hits, const char *path, bool force,
	      struct grun_err *err);

/** hits_next() - the next hit, in perf's order; 1, 0 at the end, -1 with an error */
int hits_next(struct hits *hits, struct hit *hit, struct grun_err *err);

/** hits_lost() - after the last one: records that the kernel could not write */
uint64_t hits_lost(const struct hits *hits);

/** hits_close() - stop reading; @hits may be NULL */
void hits_close(struct hits *hits);

#endif /* PERF_GPUBP_HITS_H */
