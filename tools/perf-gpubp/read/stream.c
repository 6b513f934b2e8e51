// SPDX-License-Identifier: GPL-2.0
/*
 * Walking the records of perf.data. perf script does not print lost samples.
 */
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "perf_data.h"
#include "stream.h"

/* samples that a filter of perf record dropped */
#define MISC_LOST_BY_FILTER	(1 << 15)

static uint64_t head_number(const struct stream *s, size_t at, size_t size)
{
	uint64_t n = 0;

	if (at + size <= s->have)
		memcpy(&n, s->head + at, size);
	return n;
}

static void record_complete(struct stream *s,
			    const struct perf_event_header *hdr)
{
	s->skip = hdr->size - s->have;
	switch (hdr->type) {
	case PERF_RECORD_LOST:
		s->lost += head_number(s, 16, 8);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		if (!(hdr->misc & MISC_LOST_BY_FILTER))
			s->lost_samples += head_number(s, 8, 8);
		break;
	case RECORD_TRACING_DATA:
		s->skip += head_number(s, 8, 4);
		break;
	case RECORD_AUXTRACE:
		s->skip += head_number(s, 8, 8);
		break;
	}
	s->have = 0;
}

/* bytes of the head that are needed, as far as known */
static size_t head_size(const struct stream *s, struct perf_event_header *hdr)
{
	if (s->have < sizeof(*hdr))
		return sizeof(*hdr);
	memcpy(hdr, s->head, sizeof(*hdr));
	return hdr->size < STREAM_HEAD ? hdr->size : STREAM_HEAD;
}

static size_t take_head(struct stream *s, const unsigned char *data, size_t len)
{
	struct perf_event_header hdr;
	size_t n = head_size(s, &hdr) - s->have;

	n = n < len ? n : len;
	memcpy(s->head + s->have, data, n);
	s->have += n;
	if (s->have < sizeof(hdr))
		return n;
	if (head_size(s, &hdr) < sizeof(hdr))
		s->bad = true;
	else if (s->have == head_size(s, &hdr))
		record_complete(s, &hdr);
	return n;
}

void stream_feed(struct stream *s, const void *data, size_t len)
{
	const unsigned char *pos = data, *end = pos + len;
	uint64_t n;

	while (pos < end && !s->bad) {
		n = s->skip < (uint64_t)(end - pos) ? s->skip : (uint64_t)(end - pos);
		s->skip -= n;
		pos += n;
		if (pos < end)
			pos += take_head(s, pos, (size_t)(end - pos));
	}
}

/*
 * The kernel's count of lost samples has those of full rings as well, but older
 * perf did not ask for it.
 */
uint64_t stream_lost(const struct stream *s)
{
	return s->lost_samples ? s->lost_samples : s->lost;
}

uint64_t stream_file_lost(int fd)
{
	struct stream s = {};
	struct file_header hdr = {};
	uint64_t left = UINT64_MAX;
	char buf[65536];
	ssize_t n;

	if (pread(fd, &hdr, sizeof(hdr), 0) < PIPE_HEADER ||
	    memcmp(hdr.magic, FILE_MAGIC, sizeof(hdr.magic)))
		return 0;
	if (hdr.size == PIPE_HEADER)
		hdr.data.offset = PIPE_HEADER;
	else
		left = hdr.data.size;
	if (lseek(fd, (off_t)hdr.data.offset, SEEK_SET) < 0)
		return 0;
	while (left && (n = read(fd, buf, left < sizeof(buf) ? left : sizeof(buf))) > 0) {
		stream_feed(&s, buf, (size_t)n);
		left -= (uint64_t)n;
	}
	return stream_lost(&s);
}
