/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For hits.c: the hits of a recording, as perf-gpubp script prints them with all of
 * FIELDS, against those that a model of the program says.
 */
#ifndef GUEST_HITS_H
#define GUEST_HITS_H

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HITS	512
#ifndef SOURCES
#define SOURCES		"/lib/amdgpu/hip/"
#endif

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
 * @hit: that of the model which it is
 * @is_reported: the report has its line
 */
struct row {
	char *field[NR_FIELDS];
	struct hit *hit;
	bool is_reported;
};

/**
 * struct value - what a value may be
 * @nr: numbers in @is, one of which it has; 0: it is not known
 * @is: numbers; of a range the least one and the most
 * @is_range: @is are a range; it is the most, or what another hit has found (seen)
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
 * @align: what its address is a multiple of; 0: of a page, as if it is allocated
 * @offset: of the first byte; no more than an element of a lane is watched
 * @type: 'i' an integer, 'h' half, 'f' float, 'd' double
 * @size: bytes of an element
 * @old: before, by proof
 * @new: stored
 * @operand: of an atomic
 * @seen: when it was last read
 * @now: behind it
 * @stream: whose launches are one after the other
 * @order: of its launch in the stream; those that look alike have the same
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
	unsigned int align, offset;
	char type;
	unsigned int size;
	struct value old, new, operand, seen, now;
	unsigned int stream, order;
	bool is_met;
};

static struct row rows[MAX_HITS];
static struct hit hits[MAX_HITS];
static int nr_rows, nr_hits;

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* number of the work-item in its workgroup */
static unsigned int hit_place(const struct hit *hit, unsigned int group[3])
{
	unsigned int size[3], in[3], i;

	for (i = 0; i < 3; i++) {
		size[i] = hit->group[i] ?: 1;
		group[i] = hit->item[i] / size[i];
		in[i] = hit->item[i] % size[i];
	}
	return (in[2] * size[1] + in[1]) * size[0] + in[0];
}

/* from another line, or of what was hit in that launch already */
static bool hit_is_later(const struct hit *hit, const struct hit *last)
{
	return hit->stream == last->stream &&
	       (!is_same(hit->launch, last->launch) ||
		(is_same(hit->source, last->source) &&
		 !memcmp(hit->item, last->item, sizeof(hit->item))));
}

/* in the order of launches; the work-item is that of the first lane */
static void expect(struct hit hit)
{
	unsigned int group[3], lane = hit_place(&hit, group) % 64;
	int i;

	hit.lanes = hit.lanes ?: 1ull << lane;
	if (nr_hits == MAX_HITS || (unsigned int)__builtin_ctzll(hit.lanes) != lane)
		exit(2);
	for (i = 0; i < nr_hits; i++)
		if (hits[i].order >= hit.order && hit_is_later(&hit, &hits[i]))
			hit.order = hits[i].order + 1;
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

/* a field, of which the line is cut; quotes are around those with commas. NULL: no line */
static char *row_cut(char **line)
{
	bool quoted = **line == '"';
	char *begin = *line + quoted, *end = begin + strcspn(begin, quoted ? "\"" : ",\"\n");
	char *next = end + (quoted && *end);

	*line = *next == ',' ? next + 1 : strcmp(next, "\n") ? NULL : next + 1;
	*end = 0;
	return begin;
}

/* the fields of a line, and no more; it has an end */
static bool row_read(struct row *row, char *line)
{
	int i;

	*row = (struct row){ 0 };
	for (i = 0; i < NR_FIELDS && line && *line; i++)
		row->field[i] = row_cut(&line);
	return i == NR_FIELDS && line && !*line;
}

static bool header_is(const struct row *header)
{
	int i;

	for (i = 0; i < NR_FIELDS && is_same(header->field[i], field_names[i]); i++)
		;
	return i == NR_FIELDS;
}

static bool rows_read(FILE *in)
{
	static char lines[MAX_HITS + 1][2048];
	bool ok = true;
	struct row row;
	int i;

	nr_rows = 0;
	for (i = 0; ok && i <= MAX_HITS && fgets(lines[i], sizeof(lines[i]), in); i++) {
		ok = row_read(&row, lines[i]) && (i || header_is(&row));
		if (i)
			rows[nr_rows++] = row;
	}
	ok = ok && i && feof(in);
	if (!ok)
		printf("# line %d of the script does not have the fields\n", i);
	return ok;
}

/* ---- watches ----------------------------------------------------------------- */

static char **watches;	/* of options -w; NULL ends them */

/* perf's name of its event: a point for what is in no name, and nothing for a store */
static void watch_label(const char *watch, char *out, size_t len)
{
	char *end = out + len - 1;

	for (; *watch && out < end; watch++) {
		if (!strncmp(watch, ":w", 2) && strchr(" ", watch[2]))
			watch++;
		else
			*out++ = isalnum(*watch) || strchr("_.[]-", *watch) ? *watch : '.';
	}
	*out = 0;
}

static bool watch_has(const char *watch, const struct hit *hit)
{
	unsigned int bits, low, high, element = hit->offset / hit->size;
	char name[64], type;
	int nr = sscanf(watch, "%63[^:]:%c%u[%u..%u", name, &type, &bits, &low, &high);

	if (nr < 3 || strcmp(name, hit->buffer) || bits != hit->size * 8 ||
	    (type == 'f') != (hit->type != 'i'))
		return false;
	return nr == 3 || (element >= low && element <= (nr == 5 ? high : low));
}

static const char *hit_watch(const struct hit *hit)
{
	char **watch = watches;

	while (*watch && !watch_has(*watch, hit))
		watch++;
	return *watch ?: "none";
}

/* ---- fields ------------------------------------------------------------------ */

/* what a field says, or false if it may say several things */
static bool field_text(const struct hit *hit, enum field field, char *out, size_t len)
{
	unsigned int group[3], nr = hit_place(hit, group);
	const unsigned int *item = hit->item;

	*out = 0;
	switch (field) {
	case EVENT:
		watch_label(hit_watch(hit), out, len);
		break;
	case SOURCE:
		snprintf(out, len, "%s", hit->source ?: "");
		break;
	case ACCESS:
		snprintf(out, len, "%s", hit->access);
		break;
	case WIDTH:
		snprintf(out, len, "%u", hit->width);
		break;
	case DATA:
		snprintf(out, len, "%s+0x%x", hit->buffer, hit->offset);
		break;
	case STATE:
		snprintf(out, len, "exact");
		break;
	case LANES:
		snprintf(out, len, "0x%" PRIx64, hit->lanes);
		break;
	case GROUP:
		snprintf(out, len, "%u,%u,%u", group[0], group[1], group[2]);
		break;
	case WAVE:
		snprintf(out, len, "%u", nr / 64);
		break;
	case ITEM:
		snprintf(out, len, "%u,%u,%u", item[0], item[1], item[2]);
		break;
	case LAUNCH:	/* main() has all of them */
		snprintf(out, len, "%s", hit->launch ? strrchr(hit->launch, '/') + 1 : "");
		break;
	case FLAGS:
	case FREED:
		break;
	case MERGED:
		snprintf(out, len, "1");
		break;
	default:
		return false;
	}
	return true;
}

/* with so many digits that no other number of the type is printed the same */
static void number_text(const struct hit *hit, long double number, char *out, size_t len)
{
	if (hit->type == 'i')
		snprintf(out, len, "%.0Lf", number);
	else if (hit->type == 'f')
		snprintf(out, len, "%.9g", (float)number);
	else
		snprintf(out, len, "%.*g", hit->type == 'h' ? 5 : 17, (double)number);
}

static bool number_is(const struct hit *hit, const char *text, long double expected)
{
	char number[64];

	/* to its sign IEEE 754 gives no meaning */
	if (isnan(expected))
		return !strcmp(text + (*text == '-'), "nan");
	number_text(hit, expected, number, sizeof(number));
	return !strcmp(text, number);
}

/* another one than @row of what @hit hit has it there */
static bool is_of_other(const struct hit *hit, const struct row *row, enum field field,
			const char *text)
{
	char data[256];
	int i;

	field_text(hit, DATA, data, sizeof(data));
	for (i = 0; i < nr_rows; i++)
		if (&rows[i] != row && !strcmp(rows[i].field[DATA], data) &&
		    !strcmp(rows[i].field[field], text))
			return true;
	return false;
}

/* NULL: of another kind */
static const struct value *hit_value(const struct hit *hit, enum field field)
{
	return field == OLD ? &hit->old : field == NEW ? &hit->new :
	       field == OPERAND ? &hit->operand : field == SEEN ? &hit->seen :
	       field == NOW ? &hit->now : NULL;
}

static bool value_is(const struct hit *hit, const struct row *row, enum field field)
{
	const struct value *value = hit_value(hit, field);
	const char *text = row->field[field];
	long double number = strtold(text, NULL);
	int i;

	if (!*text)
		return !value->nr || value->or_none;
	if (value->is_range)
		return number >= value->is[0] && number <= value->is[1] &&
		       (number_is(hit, text, value->is[1]) || is_of_other(hit, row, SEEN, text));
	for (i = 0; i < value->nr; i++)
		if (number_is(hit, text, value->is[i]))
			return true;
	return value->or_left && is_of_other(hit, row, NOW, text);
}

/* KERNEL+0xOFFSET: its line says which instruction it is, of four bytes or eight */
static bool sym_is(const struct hit *hit, const char *text)
{
	unsigned int offset = strtoul(strrchr(text, '+') ?: "", NULL, 16);
	char is[256];

	snprintf(is, sizeof(is), "%s+0x%x", hit->kernel, offset);
	return !strcmp(text, is) && offset % 4 == 0;
}

/* where the buffer is; 0: @text is no bytes, or none of those */
static uint64_t bytes_base(const struct hit *hit, const char *text)
{
	uint64_t addr = strtoull(text, NULL, 16);
	char is[64];

	snprintf(is, sizeof(is), "0x%" PRIx64 "/%u", addr, hit->size);
	addr -= hit->offset;
	return strcmp(text, is) || addr % (hit->align ?: 4096) ? 0 : addr;
}

static double run_begin, run_end;	/* in seconds since the boot */

static bool time_is(const char *text)
{
	double seconds = strtod(text, NULL);
	const char *point = strchr(text, '.');

	return point && point[1 + strspn(point + 1, "0123456789")] == 0 && strlen(point) == 10 &&
	       seconds >= run_begin && seconds <= run_end;
}

static bool field_is(const struct hit *hit, const struct row *row, enum field field)
{
	const char *is = row->field[field];
	char text[256];

	switch (field) {
	case SYM:
		return sym_is(hit, is);
	case BYTES:
		return bytes_base(hit, is);
	case TIME:
		return time_is(is);
	default:
		return field_text(hit, field, text, sizeof(text)) ? !strcmp(is, text) :
		       value_is(hit, row, field);
	}
}

static void row_print(const struct row *row)
{
	int i;

	printf("#");
	for (i = 0; i < NR_FIELDS; i++)
		printf(" %s=%s", field_names[i], row->field[i]);
	printf("\n");
}

static bool row_is(const struct hit *hit, const struct row *row)
{
	int i;

	for (i = 0; i < NR_FIELDS && field_is(hit, row, i); i++)
		;
	return i == NR_FIELDS;
}

static void hit_print(const char *what, const struct hit *hit, const char *why)
{
	printf("# %s %s (%u,%u,%u) to %s+0x%x%s", what, hit->kernel, hit->item[0],
	       hit->item[1], hit->item[2], hit->buffer, hit->offset, why);
}

/* why it is not a hit that no other row is */
static void row_explain(const struct row *row, const struct hit *hit)
{
	int i;

	if (hit->is_met && !row_is(hit, row))
		return;
	hit_print("it is not that of", hit, hit->is_met ? ": there is one already" : ":");
	for (i = 0; i < NR_FIELDS; i++)
		if (!field_is(hit, row, i))
			printf(" %s", field_names[i]);
	printf("\n");
}

static bool row_check(struct row *row)
{
	int i;

	for (i = 0; i < nr_hits && !row->hit; i++)
		if (!hits[i].is_met && row_is(&hits[i], row))
			row->hit = &hits[i];
	if (row->hit)
		return row->hit->is_met = true;
	printf("# no hit of the model:\n");
	row_print(row);
	for (i = 0; i < nr_hits; i++)
		row_explain(row, &hits[i]);
	return false;
}

/* what two rows that are hits cannot both say; NR_FIELDS: there is nothing */
static enum field pair_differs(const struct row *a, const struct row *b)
{
	const struct hit *x = a->hit, *y = b->hit;

	if (!strcmp(x->buffer, y->buffer) &&
	    bytes_base(x, a->field[BYTES]) != bytes_base(y, b->field[BYTES]))
		return BYTES;
	if (x->stream == y->stream && x->order < y->order &&
	    (a > b || strtold(a->field[TIME], NULL) >= strtold(b->field[TIME], NULL)))
		return TIME;
	return NR_FIELDS;
}

static bool row_agrees(const struct row *row)
{
	enum field differs = NR_FIELDS;
	int i;

	for (i = 0; i < nr_rows && differs == NR_FIELDS; i++)
		differs = pair_differs(row, &rows[i]);
	if (differs == NR_FIELDS)
		return true;
	row_print(row);
	row_print(&rows[i - 1]);
	hit_print("these differ, of", row->hit, ": ");
	printf("%s\n", field_names[differs]);
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
		hit_print("no hit of", &hits[i], "\n");
		wrong++;
	}
	for (i = 0; !wrong && i < nr_rows; i++)
		wrong += !row_agrees(&rows[i]);
	return !wrong;
}

/* ---- the report, of rows that are right ---------------------------------------- */

static bool row_is_like(const struct row *a, const struct row *b)
{
	return !strcmp(a->field[SYM], b->field[SYM]) &&
	       !strcmp(a->field[EVENT], b->field[EVENT]);
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
	const struct hit *hit = row->hit;
	char value[256];

	report_value(row, value);
	if (*source)
		source = strrchr(source, '/') + 1;
	snprintf(out, len, "%s%s%s work-item (%s) %s %s[%u]%s, %d hit%s\n", row->field[SYM],
		 *source ? " " : "", source, row->field[ITEM],
		 strcmp(hit->access, "store") ? "updated" : "wrote", hit->buffer,
		 hit->offset / hit->size, value, nr, nr == 1 ? "" : "s");
}

static bool is_earlier(const struct row *a, const struct row *b)
{
	return strtold(a->field[TIME], NULL) < strtold(b->field[TIME], NULL);
}

/* the rows that a line should be of, the most first; all of them are reported then */
static struct row *report_next(int *most)
{
	struct row *best = NULL;
	int i, j, nr;

	*most = 0;
	for (i = 0; i < nr_rows; i++) {
		if (rows[i].is_reported)
			continue;
		for (j = 0, nr = 0; j < nr_rows; j++)
			nr += row_is_like(&rows[i], &rows[j]);
		if (nr > *most || (nr == *most && is_earlier(&rows[i], best))) {
			*most = nr;
			best = &rows[i];
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
		if (!strcmp(line, expected))
			continue;
		printf("# it says: %.*s\n# and not: %s", (int)strcspn(line, "\n"), line,
		       expected);
		ok = false;
	}
	while (fgets(line, sizeof(line), report)) {
		printf("# it says: %s", line);
		ok = false;
	}
	return ok;
}

#endif /* GUEST_HITS_H */
