// SPDX-License-Identifier: GPL-2.0
/* What comes through the pipe from perf script: hits, lines, the end of either. */
#include <string.h>
#include "mutate.h"
#include "wire_read.h"

#define PMU_TYPE	47

static unsigned char data[4096];
static size_t size;

static void put(const void *bytes, size_t len)
{
	memcpy(data + size, bytes, len);
	size += len;
}

static void put_line(const char *line)
{
	put(line, strlen(line));
}

static void put_hit(uint32_t type, uint32_t raw_size, const char *sym)
{
	struct wire_hit hit = {
		.magic = WIRE_MAGIC, .time = 5, .type = type, .pid = 10,
		.tid = 11, .cpu = 1, .raw_size = raw_size, .sym_off = 0x10,
		.len = { 4, 1, (uint16_t)strlen(sym), 0, 0 },
		.rec = { .pc = 0x9010, .lanes = 6 },
	};

	put(&hit, sizeof(hit));
	put("demoe", 5);
	put(sym, strlen(sym));
}

static void build(void)
{
	size = 0;
	put_line("# ========\n");
	put_hit(PMU_TYPE, sizeof(struct gpubp_hit_record), "early");
	put_line("# cmdline : perf record -e gpubp = 3\n");
	put_line("# pmu mappings: cpu = 4, xgpubp = 9, gpubp = 47, msr = 12\n\n");
	put_hit(PMU_TYPE, sizeof(struct gpubp_hit_record), "blur");
	put_hit(12, 8, "other");
	put_line("a line of perf\n");
	put_hit(PMU_TYPE, sizeof(struct gpubp_hit_record) + 16, "newer");
}

/* hits until the end or an error, which is the result of wire_next() */
static size_t read_all(const unsigned char *bytes, size_t len, struct hit *hits,
		       size_t max, int *end, struct grun_err *err)
{
	FILE *in = fmemopen((void *)bytes, len, "r");
	struct wire wire = { .in = in };
	struct hit hit;
	size_t nr = 0;

	while ((*end = wire_next(&wire, &hit, err)) > 0) {
		if (nr < max)
			hits[nr] = hit;
		nr++;
	}
	free(wire.line);
	fclose(in);
	return nr;
}

static bool try_wire(const unsigned char *bytes, size_t len)
{
	struct grun_err err = {};
	int end;

	if (!len)
		return false;
	read_all(bytes, len, NULL, 0, &end, &err);
	if (end < 0 && !err.text[0])
		abort();
	return !end;
}

static bool fails(const char *why)
{
	struct grun_err err = {};
	int end;

	read_all(data, size, NULL, 0, &end, &err);
	return end < 0 && !strncmp(err.text, why, strlen(why));
}

int main(void)
{
	struct grun_err err = {};
	struct hit hits[2];
	size_t n;
	int end;

	tap_plan(7);
	build();
	n = read_all(data, size, hits, 2, &end, &err);
	tap_ok(n == 2 && !end, "two hits of gpubp between lines and other samples");
	tap_ok(!strcmp(hits[0].sym, "blur") && !strcmp(hits[0].comm, "demo") &&
	       !strcmp(hits[0].event, "e") && !hits[0].dso[0] &&
	       hits[0].sym_off == 0x10, "its strings");
	tap_ok(hits[0].pid == 10 && hits[0].tid == 11 && hits[0].time == 5 &&
	       hits[0].rec.pc == 0x9010 && hits[0].rec.lanes == 6, "its numbers");
	put_hit(PMU_TYPE, 0, "none");
	tap_ok(fails("recorded without raw data: use perf record -R"), "no raw data");
	build();
	put_hit(PMU_TYPE, 60, "short");
	tap_ok(fails("a hit of 60 bytes, not "), "a hit that is too short");
	build();
	n = mutate_truncate(try_wire, data, size);
	tap_ok(n > 0 && n < size / 2, "%zu of %zu truncations are read", n, size);
	n = mutate_random(try_wire, data, size, 20000);
	tap_ok(n > 0 && n < 20000, "%zu of 20000 changed copies are read", n);
	return tap_status();
}
