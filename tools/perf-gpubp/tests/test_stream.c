// SPDX-License-Identifier: GPL-2.0
/* Records passing by in pieces of any size: those that were lost add up. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "mutate.h"
#include "perf_data.h"
#include "stream.h"

static unsigned char data[1024];
static size_t size;

/* a record of @len bytes, whose body begins with @words; @more bytes follow it */
static void put(uint32_t type, uint16_t misc, uint16_t len,
		const uint64_t words[2], size_t more)
{
	struct perf_event_header hdr = { type, misc, len };
	size_t body = len - sizeof(hdr);

	memcpy(data + size, &hdr, sizeof(hdr));
	memcpy(data + size + sizeof(hdr), words, body < 16 ? body : 16);
	/* what is skipped looks like a record that is damaged */
	size += len + more;
}

static void build(void)
{
	put(PERF_RECORD_SAMPLE, 0, 200, (uint64_t[]){ 1, 2 }, 0);
	put(PERF_RECORD_LOST, 0, 24, (uint64_t[]){ 9, 5 }, 0);
	put(RECORD_TRACING_DATA, 0, 12, (uint64_t[]){ 40, 0 }, 40);
	put(PERF_RECORD_LOST, 0, 32, (uint64_t[]){ 9, 2 }, 0);
	put(RECORD_AUXTRACE, 0, 48, (uint64_t[]){ 56, 0 }, 56);
	put(PERF_RECORD_COMM, 0, 8, (uint64_t[]){ 0, 0 }, 0);
}

static struct stream fed(size_t piece)
{
	struct stream s = {};
	size_t i;

	for (i = 0; i < size; i += piece)
		stream_feed(&s, data + i, piece < size - i ? piece : size - i);
	return s;
}

static bool all_pieces_give(uint64_t lost)
{
	struct stream s;
	size_t piece;

	for (piece = 1; piece <= size; piece++) {
		s = fed(piece);
		if (s.bad || s.skip || s.have || stream_lost(&s) != lost)
			return false;
	}
	return true;
}

static bool try_stream(const unsigned char *copy, size_t len)
{
	struct stream s = {};

	stream_feed(&s, copy, len);
	return !s.bad && !s.skip && !s.have;
}

/* a recording with a header of 104 bytes, its records from there on, and an end */
static uint64_t file_lost(uint64_t header, uint64_t claimed)
{
	uint64_t words[13] = { 0, header, 136, 0, 0, 104, claimed };
	char path[] = "/tmp/gpubp-stream-XXXXXX";
	size_t begin = header == 16 ? 16 : 104;
	int fd = mkstemp(path);
	uint64_t lost = 0;

	memcpy(words, "PERFILE2", 8);
	if (write(fd, words, begin) == (ssize_t)begin &&
	    write(fd, data, size) == (ssize_t)size &&
	    write(fd, "garbage behind", 14) == 14)
		lost = stream_file_lost(fd);
	unlink(path);
	close(fd);
	return lost;
}

int main(void)
{
	size_t n;

	tap_plan(7);
	build();
	tap_ok(all_pieces_give(7), "records of full rings");
	tap_ok(file_lost(104, size) == 7, "in a file");
	tap_ok(file_lost(16, 0) == 7, "in a file that was a pipe");
	tap_ok(file_lost(104, size * 2) == 7, "in a truncated file");
	put(PERF_RECORD_LOST_SAMPLES, 1 << 15, 24, (uint64_t[]){ 100, 0 }, 0);
	put(PERF_RECORD_LOST_SAMPLES, 0, 24, (uint64_t[]){ 6, 0 }, 0);
	put(PERF_RECORD_LOST_SAMPLES, 0, 16, (uint64_t[]){ 3, 0 }, 0);
	tap_ok(all_pieces_give(9), "the kernel's count has them, too");
	/* between two records nothing is missing */
	n = mutate_truncate(try_stream, data, size);
	tap_ok(n == 9, "%zu of %zu truncations end with a record", n, size);
	n = mutate_random(try_stream, data, size, 100000);
	tap_ok(n > 0 && n < 100000, "%zu of 100000 changed copies make sense", n);
	return tap_status();
}
