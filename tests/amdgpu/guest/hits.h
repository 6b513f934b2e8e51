/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For hits.c: the hits of a recording, as perf-gpubp script prints them with all of
 * FIELDS, against those that a model of the program says.
 */
#ifndef GUEST_HITS_H
#define GUEST_HITS_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HITS	512
#define SOURCES		"/lib/amdgpu/hip/"

/* in the order of live-run-hip */
enum field {
	EVENT, SYM, SOURCE, ACCESS, WIDTH, BYTES, DATA, STATE, OLD, NEW, OPERAND, SEEN, NOW,
	LANES, GROUP, WAVE, ITEM, LAUNCH, FLAGS, FREED, MERGED, TIME, NR_FIELDS
};

static const char *const field_names[NR_FIELDS] = {
	"event", "sym", "source", "access", "width", "bytes", "data", "state", "old", "new",
	"operand", "seen", "now", "lanes", "group", "wave", "item", "launch", "flags", "freed",
	"merged", "time",
};

/**
 * struct row - a line of the script
 * @field: of NR_FIELDS
 * @is_reported: the report has its line
 */
struct row {
	char *field[NR_FIELDS];
	bool is_reported;
};

/**
 * struct value - what a value may be
 * @nr: numbers in @is, one of which it has; 0: it is not known
 * @is: numbers; of a range the least one and the most
 * @is_range: @is are a range
 * @or_left: or it is what another hit left there (now)
 * @or_none: or it is not known
 */
struct value {
	int nr;
	long double is[6];
	bool is_range;
	bool or_left;
	bool or_none;
};

#define UNKNOWN			((struct value){ 0 })
#define IS(x)			((struct value){ .nr = 1, .is = { (x) } })
#define ONE_OF(...)		((struct value){ .is = { __VA_ARGS__ },	\
	.nr = sizeof((long double[]){ __VA_ARGS__ }) / sizeof(long double) })
#define WITHIN(x, y)		((struct value){ .nr = 2, .is = { (x), (y) }, .is_range = true })
/* waves that run at a time: at the first hit, and what hits before another one left */
#define OR_LEFT(x)		((struct value){ .nr = 1, .is = { (x) }, .or_left = true })
/* an access may overwrite its operand */
#define OR_NONE(x)		((struct value){ .nr = 1, .is = { (x) }, .or_none = true })

/**
 * struct hit - what a hit should be
 * @kernel: name of the function that has the instruction
 * @source: of its line, FILE:LINE; NULL: it has none
 * @launch: where the program launched it, likewise
 * @item: work-item, in the grid
 * @group: sizes of a workgroup, 0 is 1
 * @lanes: that hit at once; 0: one
 * @access: as the script says it
 * @width: bytes of a lane
 * @buffer: its name
 * @offset: of the first byte
 * @type: 'i' an integer, 'h' half, 'f' float, 'd' double
 * @size: bytes of an element
 * @old: before, by proof
 * @new: stored
 * @operand: of an atomic
 * @seen: when it was last read
 * @now: behind it
 * @is_met: a row is like this
 */
struct hit {
	const char *kernel;
	const char *source;
	const char *launch;
	unsigned int item[3];
	unsigned int group[3];
	uint64_t lanes;
	const char *access;
	unsigned int width;
	const char *buffer;
	unsigned int offset;
	char type;
	unsigned int size;
	struct value old, new, operand, seen, now;
	bool is_met;
};

static struct row rows[MAX_HITS];
static struct hit hits[MAX_HITS];
static int nr_rows, nr_hits;

static void expect(struct hit hit)
{
	if (nr_hits == MAX_HITS)
		exit(2);
	hits[nr_hits++] = hit;
}

/* ---- lines of source --------------------------------------------------------- */

/*
 * The line that has @text; or with a second one, the first line with that from there
 * on. The compiler was given @path.
 */
static const char *line_of(const char *path, const char *text, const char *then)
{
	char file[256], line[512], *source;
	int nr = 0, found = 0;
	FILE *in;

	snprintf(file, sizeof(file), SOURCES "%s", strrchr(path, '/') + 1);
	in = fopen(file, "r");
	while (in && fgets(line, sizeof(line), in)) {
		nr++;
		if (text && strstr(line, text)) {
			text = NULL;
			found = nr;
		}
		if (!text && then && strstr(line, then)) {
			found = nr;
			then = NULL;
			break;
		}
	}
	if (!in || text || then || asprintf(&source, "%s:%d", path, found) < 0) {
		printf("Bail out! no such line in %s\n", file);
		exit(2);
	}
	fclose(in);
	return source;
}

/* ---- rows -------------------------------------------------------------------- */

/* a field, of which the line is cut; quotes are around those with commas */
static char *row_cut(char **line)
{
	char *at = *line, *to = at, *begin = at;
	bool quoted = false;

	for (; *at && *at != '\n' && (quoted || *at != ','); at++) {
		if (*at == '"')
			quoted = !quoted;
		else
			*to++ = *at;
	}
	*line = at + (*at == ',');
	*to = 0;
	return begin;
}

static bool rows_read(FILE *in)
{
	char line[2048], *at;
	int i;

	if (!fgets(line, sizeof(line), in))
		return false;
	for (i = 0, at = line; i < NR_FIELDS; i++)
		if (strcmp(row_cut(&at), field_names[i]))
			return false;
	while (nr_rows < MAX_HITS && fgets(line, sizeof(line), in)) {
		at = strdup(line);
		for (i = 0; i < NR_FIELDS; i++)
			rows[nr_rows].field[i] = row_cut(&at);
		nr_rows++;
	}
	return feof(in);
}

/* ---- fields ------------------------------------------------------------------ */

static bool number_is(const struct hit *hit, const char *text, long double expected)
{
	char *end;
	long double number = strtold(text, &end);

	if (!*text || *end)
		return false;
	/* to its sign IEEE 754 gives no meaning */
	if (isnan(expected) || isnan(number))
		return isnan(expected) && isnan(number);
	if (hit->type == 'f')
		return (float)number == (float)expected;
	if (hit->type == 'd')
		return (double)number == (double)expected;
	return number == expected;
}

static bool was_left(const struct row *row)
{
	int i;

	for (i = 0; i < nr_rows; i++)
		if (&rows[i] != row && !strcmp(rows[i].field[BYTES], row->field[BYTES]) &&
		    !strcmp(rows[i].field[NOW], row->field[SEEN]))
			return true;
	return false;
}

static bool value_is(const struct hit *hit, const struct row *row, enum field field,
		     const struct value *value)
{
	const char *text = row->field[field];
	long double number = strtold(text, NULL);
	int i;

	if (!*text)
		return !value->nr || value->or_none;
	if (value->is_range)
		return number >= value->is[0] && number <= value->is[1];
	for (i = 0; i < value->nr; i++)
		if (number_is(hit, text, value->is[i]))
			return true;
	return value->or_left && was_left(row);
}

static bool text_is(const struct row *row, enum field field, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return !strcmp(row->field[field], text);
}

/* KERNEL+0xOFFSET: its line says which instruction it is */
static bool kernel_is(const struct row *row, const char *kernel)
{
	size_t len = strlen(kernel);

	return !strncmp(row->field[SYM], kernel, len) &&
	       !strncmp(row->field[SYM] + len, "+0x", 3);
}

static bool place_is(const struct hit *hit, const struct row *row)
{
	unsigned int size[3], in[3], of[3], flat, i;
	uint64_t lanes;

	for (i = 0; i < 3; i++) {
		size[i] = hit->group[i] ?: 1;
		of[i] = hit->item[i] / size[i];
		in[i] = hit->item[i] % size[i];
	}
	flat = (in[2] * size[1] + in[1]) * size[0] + in[0];
	lanes = hit->lanes ?: 1ull << flat % 64;
	return (uint64_t)__builtin_ctzll(lanes) == flat % 64 &&
	       text_is(row, GROUP, "%u,%u,%u", of[0], of[1], of[2]) &&
	       text_is(row, WAVE, "%u", flat / 64) &&
	       text_is(row, LANES, "0x%" PRIx64, lanes) &&
	       text_is(row, ITEM, "%u,%u,%u", hit->item[0], hit->item[1], hit->item[2]);
}

/* FILE:LINE, and from where that was called */
static bool launch_is(const struct hit *hit, const struct row *row)
{
	const char *text = row->field[LAUNCH], *line;
	size_t len;

	if (!hit->launch)
		return !*text;
	line = strrchr(hit->launch, '/') + 1;
	len = strlen(line);
	return !strncmp(text, line, len) && (!text[len] || text[len] == ' ');
}

static bool bytes_are(const struct hit *hit, const struct row *row)
{
	return text_is(row, DATA, "%s+0x%x", hit->buffer, hit->offset) &&
	       atoi(strchr(row->field[BYTES], '/') + 1) >= (int)hit->size;
}

/* the first field that is not as expected; NULL: all are */
static const char *row_differs(const struct hit *hit, const struct row *row)
{
	return !kernel_is(row, hit->kernel) ? "sym" :
	       !text_is(row, SOURCE, "%s", hit->source ?: "") ? "source" :
	       !text_is(row, ACCESS, "%s", hit->access) ? "access" :
	       !bytes_are(hit, row) ? "data" :
	       !place_is(hit, row) ? "item" :
	       !launch_is(hit, row) ? "launch" :
	       !text_is(row, WIDTH, "%u", hit->width) ? "width" :
	       !value_is(hit, row, OLD, &hit->old) ? "old" :
	       !value_is(hit, row, NEW, &hit->new) ? "new" :
	       !value_is(hit, row, OPERAND, &hit->operand) ? "operand" :
	       !value_is(hit, row, NOW, &hit->now) ? "now" :
	       !value_is(hit, row, SEEN, &hit->seen) ? "seen" :
	       !text_is(row, STATE, "exact") ? "state" :
	       !text_is(row, FLAGS, "") ? "flags" :
	       !text_is(row, FREED, "") ? "freed" :
	       !text_is(row, MERGED, "1") ? "merged" : NULL;
}

static void row_print(const struct row *row)
{
	int i;

	printf("#");
	for (i = 0; i < NR_FIELDS; i++)
		printf(" %s=%s", field_names[i], row->field[i]);
	printf("\n");
}

/* one that is not met yet */
static struct hit *row_find(const struct row *row)
{
	int i;

	for (i = 0; i < nr_hits; i++)
		if (!hits[i].is_met && !row_differs(&hits[i], row))
			return &hits[i];
	return NULL;
}

static bool row_check(const struct row *row)
{
	struct hit *hit = row_find(row);
	int i;

	if (hit)
		return hit->is_met = true;
	row_print(row);
	for (i = 0; i < nr_hits; i++)
		if (!hits[i].is_met)
			printf("# it is not that of %s (%u,%u,%u) to %s+0x%x: %s\n",
			       hits[i].kernel, hits[i].item[0], hits[i].item[1],
			       hits[i].item[2], hits[i].buffer, hits[i].offset,
			       row_differs(&hits[i], row));
	return false;
}

/* each row is a hit of the model, and each hit is a row */
static bool rows_check(void)
{
	int i, wrong = 0;

	for (i = 0; i < nr_rows; i++)
		wrong += !row_check(&rows[i]);
	for (i = 0; i < nr_hits; i++) {
		if (hits[i].is_met)
			continue;
		printf("# no hit of %s (%u,%u,%u) to %s+0x%x\n", hits[i].kernel,
		       hits[i].item[0], hits[i].item[1], hits[i].item[2], hits[i].buffer,
		       hits[i].offset);
		wrong++;
	}
	return !wrong;
}

/* ---- the report, of rows that are right ---------------------------------------- */

static bool row_is_like(const struct row *a, const struct row *b)
{
	return !strcmp(a->field[SYM], b->field[SYM]) &&
	       !strcmp(a->field[EVENT], b->field[EVENT]) &&
	       strcspn(a->field[DATA], "+") == strcspn(b->field[DATA], "+") &&
	       !strncmp(a->field[DATA], b->field[DATA], strcspn(a->field[DATA], "+"));
}

static const char *type_of(const struct row *row)
{
	const char *at = strpbrk(row->field[EVENT], ":.");

	return at ? at + 1 : "";
}

static void report_element(const struct row *row, char *out, size_t len)
{
	const char *data = row->field[DATA];
	unsigned long size = strtoul(type_of(row) + 1, NULL, 10) / 8;
	int name = (int)strcspn(data, "+");

	snprintf(out, len, "%.*s[%lu]", name, data, strtoul(data + name, NULL, 16) / size);
}

static void report_add(char *out, const char *before, const char *text, const char *end)
{
	if (*text)
		sprintf(out + strlen(out), "%s%s%s", before, text, end);
}

static void report_value(const struct row *row, char *out)
{
	char *const *field = row->field;

	*out = 0;
	report_add(out, " ", field[NEW], "");
	report_add(out, " from ", field[OLD], "");
	report_add(out, " by ", field[OPERAND], "");
	if (*field[NEW])
		report_add(out, " (last seen ", field[SEEN], ")");
	else if (*field[OLD])
		report_add(out, " (now ", field[NOW], ")");
	else
		sprintf(out + strlen(out), " (last seen %s, now %s)", field[SEEN], field[NOW]);
}

/* that of the first row of those that are like it */
static void report_line(const struct row *row, int nr, char *out, size_t len)
{
	const char *source = row->field[SOURCE];
	char element[128], value[256];

	report_element(row, element, sizeof(element));
	report_value(row, value);
	if (*source)
		source = strrchr(source, '/') + 1;
	snprintf(out, len, "%s%s%s work-item (%s) %s %s%s, %d hit%s", row->field[SYM],
		 *source ? " " : "", source, row->field[ITEM],
		 strcmp(row->field[ACCESS], "store") ? "updated" : "wrote", element, value,
		 nr, nr == 1 ? "" : "s");
}

static bool is_earlier(const struct row *a, const struct row *b)
{
	return strtold(a->field[TIME], NULL) < strtold(b->field[TIME], NULL);
}

/* the rows that a line should be of, the most first; all of them are reported then */
static struct row *report_next(int *most)
{
	struct row *first, *best = NULL;
	int i, j, nr;

	*most = 0;
	for (i = 0; i < nr_rows; i++) {
		if (rows[i].is_reported)
			continue;
		first = &rows[i];
		for (j = 0, nr = 0; j < nr_rows; j++) {
			if (!row_is_like(&rows[i], &rows[j]))
				continue;
			nr++;
			if (is_earlier(&rows[j], first))
				first = &rows[j];
		}
		if (nr > *most || (nr == *most && is_earlier(first, best))) {
			*most = nr;
			best = first;
		}
	}
	for (j = 0; j < nr_rows; j++)
		rows[j].is_reported |= best && row_is_like(best, &rows[j]);
	return best;
}

static bool report_check(FILE *report)
{
	char line[1024], expected[1024];
	struct row *row;
	bool ok = true;
	int nr;

	while ((row = report_next(&nr))) {
		report_line(row, nr, expected, sizeof(expected));
		if (!fgets(line, sizeof(line), report))
			line[0] = 0;
		line[strcspn(line, "\n")] = 0;
		if (!strcmp(line, expected))
			continue;
		printf("# it says: %s\n# and not: %s\n", line, expected);
		ok = false;
	}
	while (fgets(line, sizeof(line), report)) {
		printf("# it says: %s", line);
		ok = false;
	}
	return ok;
}

#endif /* GUEST_HITS_H */
