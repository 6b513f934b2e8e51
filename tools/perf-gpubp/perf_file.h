/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading perf.data as "perf record" writes it to a file. Pure: looks at the
 * image only, never beyond its end. The format is that of the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef PERF_GPUBP_PERF_FILE_H
#define PERF_GPUBP_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>

/* why a file cannot be read: one sentence */
struct perf_err {
	char text[200];
};

/** perf_fail() - fill in an error; returns -1 */
int perf_fail(struct perf_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* a part of the file */
struct perf_section {
	uint64_t offset;
	uint64_t size;
};

/**
 * struct perf_event_desc - one event of the recording
 * @attr: as it was opened
 * @ids: ids of its copies, in the file
 */
struct perf_event_desc {
	struct perf_event_attr attr;
	struct perf_section ids;
};

/**
 * struct perf_file - a recording
 * @image: the file
 * @size: its bytes
 * @data: the records
 * @features: bitmap of feature sections, which stand behind @data
 * @events: what was recorded, to be freed
 * @nr_events: entries of @events
 */
struct perf_file {
	const unsigned char *image;
	uint64_t size;
	struct perf_section data;
	uint64_t features;
	struct perf_event_desc *events;
	unsigned int nr_events;
};

/** perf_file_open() - check the header and read the events; 0 or -1 */
int perf_file_open(struct perf_file *file, const void *image, size_t size,
		   struct perf_err *err);

/** perf_file_close() - free */
void perf_file_close(struct perf_file *file);

/** perf_file_pmu() - attr.type of the PMU @name when it was recorded; false if it had none */
bool perf_file_pmu(const struct perf_file *file, const char *name,
		   uint32_t *type);

/**
 * struct perf_record - one record
 * @type: PERF_RECORD_*
 * @misc: flags
 * @body: what follows its header, inside the image
 * @size: bytes of @body
 */
struct perf_record {
	uint32_t type;
	uint16_t misc;
	const unsigned char *body;
	size_t size;
};

/**
 * perf_file_next() - walk the records
 * @file: recording
 * @pos: 0 at first
 * @record: out
 * @err: error
 *
 * Return: 1, 0 at the end, -1 if the file makes no sense any more.
 */
int perf_file_next(const struct perf_file *file, uint64_t *pos,
		   struct perf_record *record, struct perf_err *err);

/**
 * struct perf_sample - what we use of a sample
 * @event: number in @events
 * @ip: instruction
 * @pid: process
 * @tid: thread
 * @time: ns
 * @addr: data address
 * @cpu: CPU
 * @raw: raw payload, NULL none
 * @raw_size: bytes of @raw
 */
struct perf_sample {
	unsigned int event;
	uint64_t ip;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint64_t addr;
	uint32_t cpu;
	const unsigned char *raw;
	uint32_t raw_size;
};

/** perf_file_sample() - decode a PERF_RECORD_SAMPLE; 0 or -1 */
int perf_file_sample(const struct perf_file *file,
		     const struct perf_record *record,
		     struct perf_sample *sample, struct perf_err *err);

/* reads forward; a read beyond the end gives zeroes and sets @bad */
struct perf_cursor {
	const unsigned char *pos;
	const unsigned char *end;
	bool bad;
};

/** perf_skip() - @len bytes, or NULL if they are not there */
const unsigned char *perf_skip(struct perf_cursor *c, uint64_t len);

/** perf_u32() - next 4 bytes */
uint32_t perf_u32(struct perf_cursor *c);

/** perf_u64() - next 8 bytes */
uint64_t perf_u64(struct perf_cursor *c);

#endif /* PERF_GPUBP_PERF_FILE_H */
