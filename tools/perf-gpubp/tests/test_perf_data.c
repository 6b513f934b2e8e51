// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings: one that is built here, as perf would have written it, is
 * understood; damaged ones are refused or harmless.
 */
#include <unistd.h>
#include "hits.h"
#include "mutate.h"
#include "symmap.h"

#define PMU_TYPE	47
#define OTHER_TYPE	48
#define BOTH		(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)

/* a file that grows */
struct builder {
	unsigned char data[8192];
	size_t size;
};

static void put(struct builder *b, const void *data, size_t len)
{
	memcpy(b->data + b->size, data, len);
	b->size += len;
}

static void put_u64(struct builder *b, uint64_t n)
{
	put(b, &n, sizeof(n));
}

static void put_u32(struct builder *b, uint32_t n)
{
	put(b, &n, sizeof(n));
}

/* the size of a record is known when it is complete */
static size_t begin_record(struct builder *b, uint32_t type)
{
	struct perf_event_header hdr = { .type = type };

	put(b, &hdr, sizeof(hdr));
	return b->size - sizeof(hdr);
}

static void end_record(struct builder *b, size_t begin)
{
	uint16_t size = (uint16_t)(b->size - begin);

	memcpy(b->data + begin + offsetof(struct perf_event_header, size), &size,
	       sizeof(size));
}

static void put_comm(struct builder *b, uint32_t tid, const char *name)
{
	size_t begin = begin_record(b, PERF_RECORD_COMM);
	char padded[8] = {};

	memcpy(padded, name, strlen(name));
	put_u32(b, 10);
	put_u32(b, tid);
	put(b, padded, sizeof(padded));
	end_record(b, begin);
}

static void put_fork(struct builder *b, uint32_t tid)
{
	size_t begin = begin_record(b, PERF_RECORD_FORK);

	put_u32(b, 10);
	put_u32(b, 10);
	put_u32(b, tid);
	put_u32(b, 10);
	put_u64(b, 1);
	end_record(b, begin);
}

static void put_lost(struct builder *b, uint32_t type, uint64_t lost)
{
	size_t begin = begin_record(b, type);

	if (type == PERF_RECORD_LOST)
		put_u64(b, 1);
	put_u64(b, lost);
	end_record(b, begin);
}

static void put_sample(struct builder *b, uint64_t type, uint64_t id,
		       uint32_t tid, uint64_t gpu_time, size_t raw_size)
{
	struct gpubp_hit_record rec = {
		.addr = 0x7000, .pc = 0x9010, .lanes = 6, .gpu_time = gpu_time,
		.access = GPUBP_ACCESS_STORE, .addr_state = GPUBP_ADDR_EXACT,
	};
	size_t begin = begin_record(b, PERF_RECORD_SAMPLE);

	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(b, id);
	put_u64(b, 0x9010);
	put_u32(b, 10);
	put_u32(b, tid);
	put_u64(b, gpu_time);
	put_u64(b, 0x7000);
	if (type & PERF_SAMPLE_ID)
		put_u64(b, id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(b, 77);
	put_u64(b, 1);
	put_u64(b, 1);
	if (type & PERF_SAMPLE_READ) {
		put_u64(b, 1);
		put_u64(b, 5);
		put_u64(b, id);
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		put_u64(b, 2);
		put_u64(b, 0x9010);
		put_u64(b, 0x1234);
	}
	if (type & PERF_SAMPLE_RAW) {
		put_u32(b, (uint32_t)raw_size);
		put(b, &rec, raw_size);
	}
	end_record(b, begin);
}

static void put_attr(struct builder *b, uint32_t type, uint64_t sample_type,
		     uint64_t ids)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .sample_type = sample_type,
	};

	if (sample_type & PERF_SAMPLE_READ)
		attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	put(b, &attr, sizeof(attr));
	put_u64(b, ids);
	put_u64(b, 16);
}

static void put_pmus(struct builder *b, bool ours)
{
	static const char name[8] = "gpubp", longer[8] = "gpubpx";

	put_u64(b, b->size + 16);
	put_u64(b, 4 + (ours ? 2 : 1) * 16);
	put_u32(b, ours ? 2 : 1);
	put_u32(b, OTHER_TYPE);
	put_u32(b, 8);
	put(b, longer, 8);
	if (!ours)
		return;
	put_u32(b, PMU_TYPE);
	put_u32(b, 8);
	put(b, name, 8);
}

/* event 0 has ids 1 and 2, event 1 (not ours) 3 and 4 */
static void build(struct builder *b, uint64_t sample_type, unsigned int nr_events,
		  bool pmus)
{
	const uint64_t header = 104, ids = header, attrs = ids + 32;
	const uint64_t attr_size = sizeof(struct perf_event_attr) + 16;
	const uint64_t data = attrs + nr_events * attr_size;
	uint64_t features = pmus ? 1 << 16 | 1 << 3 : 0, end;
	unsigned int i;

	b->size = 0;
	put(b, "PERFILE2", 8);
	put_u64(b, header);
	put_u64(b, attr_size);
	put_u64(b, attrs);
	put_u64(b, nr_events * attr_size);
	put_u64(b, data);
	put_u64(b, 0);			/* below */
	put_u64(b, 0);
	put_u64(b, 0);
	put_u64(b, features);
	for (i = 0; i < 3; i++)
		put_u64(b, 0);
	for (i = 1; i <= 4; i++)
		put_u64(b, i);
	put_attr(b, PMU_TYPE, sample_type, ids);
	if (nr_events > 1)
		put_attr(b, OTHER_TYPE, sample_type, ids + 16);

	put_comm(b, 10, "shell");
	put_sample(b, sample_type, 2, 11, 500, sizeof(struct gpubp_hit_record));
	put_fork(b, 11);
	put_comm(b, 10, "demo");
	put_comm(b, 11, "worker");
	if (nr_events > 1)
		put_sample(b, sample_type, 3, 10, 100, 12);
	put_lost(b, PERF_RECORD_LOST, 7);
	put_sample(b, sample_type, 1, 10, 400, sizeof(struct gpubp_hit_record));
	put_lost(b, PERF_RECORD_LOST_SAMPLES, 2);
	end = b->size - data;
	memcpy(b->data + 48, &end, sizeof(end));
	if (!pmus)
		return;
	put_u64(b, b->size + 32);	/* hostname: nothing */
	put_u64(b, 0);
	put_pmus(b, true);
}

static bool try_data(const unsigned char *data, size_t size)
{
	struct perf_file file;
	struct perf_err err = {};
	struct hits hits;
	bool ok;

	if (perf_file_open(&file, data, size, &err)) {
		if (!err.text[0])
			abort();
		return false;
	}
	ok = !hits_read(&hits, &file, &err);
	if (ok)
		hits_free(&hits);
	perf_file_close(&file);
	return ok;
}

static bool reads_as(const struct builder *b, size_t nr, struct perf_err *err)
{
	unsigned char *copy = malloc(b->size);
	struct perf_file file = {};
	struct hits hits = {};
	bool ok;

	memcpy(copy, b->data, b->size);
	ok = !perf_file_open(&file, copy, b->size, err) &&
	     !hits_read(&hits, &file, err) && hits.nr == nr &&
	     hits.hits[0].rec.pc == 0x9010 && hits.hits[0].rec.lanes == 6;
	hits_free(&hits);
	perf_file_close(&file);
	free(copy);
	return ok;
}

static void test_fields(struct builder *b)
{
	struct perf_file file;
	struct perf_err err;
	struct hits hits;
	uint32_t type = 0;

	build(b, BOTH, 2, true);
	tap_ok(!perf_file_open(&file, b->data, b->size, &err) && file.nr_events == 2,
	       "a recording of two events");
	tap_ok(perf_file_pmu(&file, "gpubp", &type) && type == PMU_TYPE &&
	       !perf_file_pmu(&file, "gpub", &type), "the PMU's type");
	tap_ok(!hits_read(&hits, &file, &err) && hits.nr == 2,
	       "the other event's sample is no hit");
	tap_ok(hits.hits[0].tid == 10 && hits.hits[0].rec.gpu_time == 400 &&
	       hits.hits[1].tid == 11, "hits in order of GPU time");
	tap_ok(!strcmp(hits.hits[0].comm, "demo") &&
	       !strcmp(hits.hits[1].comm, "worker"),
	       "names of threads, also when they come late");
	tap_ok(hits.lost == 9, "lost records");
	hits_free(&hits);
	perf_file_close(&file);
}

static void test_layouts(struct builder *b)
{
	static const uint64_t more[] = {
		0, PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_READ,
		PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN,
	};
	struct perf_err err = {};
	size_t i;

	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		build(b, BOTH | more[i], 2, true);
		if (!tap_ok(reads_as(b, 2, &err), "sample type %#llx",
			    (unsigned long long)(BOTH | more[i])))
			tap_note("%s", err.text);
	}
	build(b, BOTH & ~(uint64_t)PERF_SAMPLE_ID, 1, true);
	tap_ok(reads_as(b, 2, &err), "one event needs no ids");
}

static bool says(const struct builder *b, const char *text)
{
	struct perf_err err = {};

	if (!reads_as(b, 2, &err) && !strncmp(err.text, text, strlen(text)))
		return true;
	tap_note("%s", err.text);
	return false;
}

static void test_wrong(struct builder *b)
{
	static const uint64_t pipe = 16, none;

	build(b, BOTH & ~(uint64_t)PERF_SAMPLE_ID, 2, true);
	tap_ok(says(b, "a sample of an event that is not listed"), "two events without ids");
	build(b, BOTH & ~(uint64_t)PERF_SAMPLE_RAW, 1, true);
	tap_ok(says(b, "recorded without raw data: use perf record -R"), "no raw data");
	build(b, BOTH, 2, false);
	tap_ok(says(b, "the machine had no gpubp"), "no PMU mappings");
	build(b, BOTH, 2, true);
	memcpy(b->data + 8, &pipe, 8);
	tap_ok(says(b, "written to a pipe"), "written to a pipe");
	build(b, BOTH, 2, true);
	memcpy(b->data + 48, &none, 8);
	tap_ok(says(b, "the recording was not finished"), "perf was killed");
	build(b, BOTH, 2, true);
	b->data[0] = 'X';
	tap_ok(says(b, "not a perf.data file"), "another file");
}

static void test_damaged(struct builder *b)
{
	size_t n;

	build(b, BOTH | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN, 2, true);
	n = mutate_truncate(try_data, b->data, b->size);
	tap_ok(!n, "none of %zu truncations is read", b->size);
	n = mutate_random(try_data, b->data, b->size, 100000);
	tap_ok(n > 0 && n < 100000, "%zu of 100000 changed copies are read", n);
}

static void test_map(void)
{
	char path[] = "/tmp/gpubp-map-XXXXXX", text[160];
	static const char lines[] = "7000 100 grid\n7100 10 lut\nnonsense\n"
				    "9000 40 blur\n6f00 100 shades\n";
	int fd = mkstemp(path);
	struct symmap map;
	struct perf_err err;

	tap_ok(fd >= 0 && write(fd, lines, strlen(lines)) == (ssize_t)strlen(lines) &&
	       !symmap_read(&map, path, &err) && map.nr == 4, "a map of four names");
	close(fd);
	unlink(path);
	tap_ok(!strcmp(symmap_text(&map, 0x7104, text, sizeof(text)), "lut+0x4"),
	       "lut+0x4");
	tap_ok(!strcmp(symmap_text(&map, 0x7110, text, sizeof(text)), "0x7110"),
	       "an address without a name");
	tap_ok(!strcmp(symmap_beside(&map, 0x7104, text, sizeof(text)),
		       "4 bytes behind the end of grid"), "behind the end of grid");
	tap_ok(!strcmp(symmap_beside(&map, 0x6ffc, text, sizeof(text)),
		       "4 bytes in front of grid"), "in front of grid");
	tap_ok(!strcmp(symmap_beside(&map, 0x9000, text, sizeof(text)), ""),
	       "beside nothing");
	symmap_free(&map);
	tap_ok(symmap_read(&map, "/none", &err) && !map.nr, "no map");
}

int main(void)
{
	static struct builder b;

	tap_plan(6 + 7 + 6 + 2 + 7);
	test_fields(&b);
	test_layouts(&b);
	test_wrong(&b);
	test_damaged(&b);
	test_map();
	return tap_status();
}
