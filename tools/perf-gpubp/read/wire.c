// SPDX-License-Identifier: GPL-2.0
/*
 * Reading what perf script and the filter in it print.
 */
#include <stdlib.h>
#include <string.h>
#include "intern.h"
#include "wire_read.h"

/* "# pmu mappings: breakpoint = 5, gpubp = 47, ..." */
static void read_line(struct wire *wire, const char *line)
{
	const char *at = strstr(line, " gpubp = ");

	if (at && !strncmp(line, "# pmu mappings:", 15))
		wire->type = (uint32_t)strtoul(at + 9, NULL, 10);
}

static int skip_line(struct wire *wire)
{
	ssize_t len = getline(&wire->line, &wire->line_size, wire->in);

	if (len > 0)
		read_line(wire, wire->line);
	return len > 0;
}

static int read_string(struct wire *wire, uint16_t len, const char **text)
{
	char buf[UINT16_MAX + 1];

	if (fread(buf, 1, len, wire->in) != len)
		return -1;
	buf[len] = '\0';
	*text = intern(buf);
	return 0;
}

static int read_strings(struct wire *wire, const struct wire_hit *from,
			struct hit *hit)
{
	return read_string(wire, from->len[WIRE_COMM], &hit->comm) ||
	       read_string(wire, from->len[WIRE_EVENT], &hit->event) ||
	       read_string(wire, from->len[WIRE_SYM], &hit->sym) ||
	       read_string(wire, from->len[WIRE_DSO], &hit->dso) ||
	       read_string(wire, from->len[WIRE_DATA], &hit->data) ? -1 : 0;
}

static int read_frame(struct wire *wire, struct wire_hit *from, struct hit *hit)
{
	if (fread(from, sizeof(*from), 1, wire->in) != 1 ||
	    memcmp(from->magic, WIRE_MAGIC, WIRE_MAGIC_LEN))
		return -1;
	hit->pid = from->pid;
	hit->tid = from->tid;
	hit->cpu = from->cpu;
	hit->time = from->time;
	hit->sym_off = from->sym_off;
	hit->code_off = from->code_off;
	hit->data_off = from->data_off;
	hit->rec = from->rec;
	return read_strings(wire, from, hit);
}

/* longer: a newer module, whose record begins the same */
static int check_raw(const struct wire_hit *from, struct grun_err *err)
{
	if (!from->raw_size)
		return grun_fail(err, -1, "recorded without raw data: use perf record -R");
	if (from->raw_size < sizeof(from->rec))
		return grun_fail(err, -1, "a hit of %u bytes, not %zu",
				 from->raw_size, sizeof(from->rec));
	return 1;
}

int wire_next(struct wire *wire, struct hit *hit, struct grun_err *err)
{
	struct wire_hit from;
	int c;

	while ((c = getc(wire->in)) != EOF) {
		ungetc(c, wire->in);
		if (c) {
			if (!skip_line(wire))
				break;
			continue;
		}
		if (read_frame(wire, &from, hit))
			return grun_fail(err, -1, "perf script stopped within a hit");
		if (wire->type && from.type == wire->type)
			return check_raw(&from, err);
	}
	return 0;
}
