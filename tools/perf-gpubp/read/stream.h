/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of perf.data, passing by: where each begins, and how many were
 * lost. What is in them is perf's to know.
 */
#ifndef PERF_GPUBP_STREAM_H
#define PERF_GPUBP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAM_HEAD	24

/**
 * struct stream - state between two pieces
 * @head: first bytes of the record
 * @have: bytes in @head
 * @skip: bytes to the next record
 * @lost: by PERF_RECORD_LOST: at least these, when a ring was full
 * @lost_samples: by PERF_RECORD_LOST_SAMPLES: all, as the kernel counted them
 * @bad: makes no sense from here on
 */
struct stream {
	unsigned char head[STREAM_HEAD];
	size_t have;
	uint64_t skip;
	uint64_t lost;
	uint64_t lost_samples;
	bool bad;
};

/** stream_feed() - @len more bytes */
void stream_feed(struct stream *stream, const void *data, size_t len);

/** stream_lost() - records that were lost */
uint64_t stream_lost(const struct stream *stream);

/** stream_file_lost() - records lost in a recording that is a file; as many as can be read */
uint64_t stream_file_lost(int fd);

#endif /* PERF_GPUBP_STREAM_H */
