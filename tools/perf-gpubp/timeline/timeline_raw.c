// SPDX-License-Identifier: GPL-2.0
/*
 * Raw events, and a file of them. It is made of parts, each with a line of text in
 * front that says what it is and how many bytes follow:
 *
 *	gpubp-timeline 1
 *	text PID BYTES		a format of tracefs (PID 0), or a perf map
 *	event NS CPU BYTES
 *	lost COUNT
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sysfile.h"
#include "timeline.h"

#define PART_MAX	(1 << 24)	/* bytes of a part */

static void *copy_of(const void *data, size_t size)
{
	char *copy = malloc(size + 1);

	if (copy) {
		memcpy(copy, data, size);
		copy[size] = 0;
	}
	return copy;
}

/* room for one more; they grow at powers of two */
static void *room_for(void *array, size_t nr, size_t size)
{
	if (nr & (nr - 1))
		return array;
	return realloc(array, (nr ? 2 * nr : 1) * size);
}

/* takes @data over */
static int record_take(struct timeline_raw *raw, uint64_t time, uint32_t cpu,
		       void *data, size_t size)
{
	struct timeline_record *records;

	records = data ? room_for(raw->records, raw->nr_records, sizeof(*records)) : NULL;
	if (!records) {
		free(data);
		return -1;
	}
	raw->records = records;
	records[raw->nr_records++] = (struct timeline_record){
		.time = time, .cpu = cpu, .size = (uint32_t)size, .data = data,
	};
	return 0;
}

static int text_take(struct timeline_raw *raw, uint32_t pid, char *text,
		     size_t size)
{
	struct timeline_text *texts;

	texts = text ? room_for(raw->texts, raw->nr_texts, sizeof(*texts)) : NULL;
	if (!texts) {
		free(text);
		return -1;
	}
	raw->texts = texts;
	texts[raw->nr_texts++] = (struct timeline_text){
		.pid = pid, .text = text, .size = size,
	};
	return 0;
}

int timeline_raw_add(struct timeline_raw *raw, uint64_t time, uint32_t cpu,
		     const void *data, size_t size)
{
	return record_take(raw, time, cpu, copy_of(data, size), size);
}

int timeline_raw_text(struct timeline_raw *raw, uint32_t pid, const char *text,
		      size_t size)
{
	return text_take(raw, pid, copy_of(text, size), size);
}

int timeline_raw_file(struct timeline_raw *raw, uint32_t pid, const char *path)
{
	FILE *in = sys_fopen(path);
	size_t size = 0, room = 0, got;
	char *text = NULL, *more;

	if (!in)
		return -1;
	/* the files of tracefs do not know their size */
	do {
		room = room ? 2 * room : 4096;
		more = realloc(text, room);
		if (!more)
			break;
		text = more;
		got = fread(text + size, 1, room - size - 1, in);
		size += got;
	} while (got && size == room - 1);
	fclose(in);
	if (!text || !more) {
		free(text);
		errno = ENOMEM;
		return -1;
	}
	text[size] = 0;
	return text_take(raw, pid, text, size);
}

static int record_compare(const void *a, const void *b)
{
	const struct timeline_record *p = a, *q = b;

	return p->time < q->time ? -1 : p->time > q->time;
}

void timeline_raw_sort(struct timeline_raw *raw)
{
	if (raw->nr_records)
		qsort(raw->records, raw->nr_records, sizeof(*raw->records),
		      record_compare);
}

void timeline_raw_free(struct timeline_raw *raw)
{
	size_t i;

	for (i = 0; i < raw->nr_records; i++)
		free(raw->records[i].data);
	for (i = 0; i < raw->nr_texts; i++)
		free(raw->texts[i].text);
	free(raw->records);
	free(raw->texts);
	*raw = (struct timeline_raw){};
}

/* ---- the file ------------------------------------------------------------- */

void timeline_raw_save(const struct timeline_raw *raw, FILE *out)
{
	const struct timeline_record *record;
	const struct timeline_text *text;
	size_t i;

	fputs("gpubp-timeline 1\n", out);
	for (i = 0; i < raw->nr_texts; i++) {
		text = &raw->texts[i];
		fprintf(out, "text %u %zu\n", text->pid, text->size);
		fwrite(text->text, 1, text->size, out);
	}
	for (i = 0; i < raw->nr_records; i++) {
		record = &raw->records[i];
		fprintf(out, "event %" PRIu64 " %u %u\n", record->time,
			record->cpu, record->size);
		fwrite(record->data, 1, record->size, out);
	}
	fprintf(out, "lost %" PRIu64 "\n", raw->lost);
}

/* what follows a line, or NULL; it ends in NUL */
static char *part_read(FILE *in, size_t size)
{
	char *data = size <= PART_MAX ? malloc(size + 1) : NULL;

	if (data && fread(data, 1, size, in) != size) {
		free(data);
		return NULL;
	}
	if (data)
		data[size] = 0;
	return data;
}

static int part_load(struct timeline_raw *raw, const char *line, FILE *in)
{
	uint64_t time;
	uint32_t n;
	size_t size;
	char end;

	if (sscanf(line, "event %" SCNu64 " %u %zu%c", &time, &n, &size, &end) == 4)
		return record_take(raw, time, n, part_read(in, size), size);
	if (sscanf(line, "text %u %zu%c", &n, &size, &end) == 3)
		return text_take(raw, n, part_read(in, size), size);
	if (sscanf(line, "lost %" SCNu64 "%c", &raw->lost, &end) == 2)
		return 0;
	return -1;
}

unsigned int timeline_raw_load(struct timeline_raw *raw, FILE *in)
{
	unsigned int part = 1;
	char line[128];

	if (!fgets(line, sizeof(line), in) || strcmp(line, "gpubp-timeline 1\n"))
		return part;
	while (fgets(line, sizeof(line), in)) {
		part++;
		if (part_load(raw, line, in))
			return part;
	}
	return 0;
}
