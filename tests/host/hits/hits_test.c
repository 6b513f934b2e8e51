// SPDX-License-Identifier: GPL-2.0
/*
 * usage: hits_test DIR PROGRAM NAMES -w WATCH...
 *
 * Does the judge of tests/amdgpu/guest/hits.c find what is wrong? What its model of a program
 * expects is printed as a script and a report, which it must accept. Then one thing at a
 * time is changed in them: it must find each, and say which field it is.
 */
#define main hits_main
#include "../../amdgpu/guest/hits.c"
#undef main

#define CELL		256
#define MAX_CELLS	64

static char cells[MAX_CELLS][NR_FIELDS][CELL], script[65536], report[16384];
static int nr_cells, nr_judged, nr_wrong;

/* ---- what the model expects -------------------------------------------------- */

/* of @i, and of all hits of the same instruction */
static int instruction_of(int i)
{
	int j = 0;

	while (strcmp(hits[j].kernel, hits[i].kernel) || !is_same(hits[j].source, hits[i].source))
		j++;
	return 64 + 4 * j;
}

/* of @i, and of all hits of the same buffer */
static unsigned long long buffer_of(int i)
{
	int j = 0;

	while (strcmp(hits[j].buffer, hits[i].buffer))
		j++;
	return 0x7f0000000000 + 0x100000 * j;
}

/* of those that may be, the first; hits of one cell are one after the other */
static void value_fill(int i, enum field field, char *out)
{
	const struct value *value = hit_value(&hits[i], field);

	if (value->or_left && i && hits[i - 1].seen.or_left)
		strcpy(out, cells[i - 1][NOW]);
	else if (value->is_range)
		snprintf(out, CELL, "%lld", atoll(cells[i][SEEN]) + atoll(cells[i][OPERAND]));
	else if (value->nr)
		number_text(&hits[i], value->is[0], out, CELL);
}

static void cell_fill(int i, enum field field)
{
	const struct hit *hit = &hits[i];
	char *out = cells[i][field];

	if (field_text(hit, field, out, CELL))
		return;
	if (field == SYM)
		snprintf(out, CELL, "%s+0x%x", hit->kernel, instruction_of(i));
	else if (field == BYTES)
		snprintf(out, CELL, "0x%llx/%u", buffer_of(i) + hit->offset, hit->size);
	else if (field == TIME)
		snprintf(out, CELL, "%d.%09d", 60 + i / 10, i % 10 * 1000);
	else
		value_fill(i, field, out);
}

static void script_print(void)
{
	char *out = script;
	int i, f;

	for (f = 0; f < NR_FIELDS; f++)
		out += sprintf(out, "%s%s", f ? "," : "", field_names[f]);
	for (i = 0; i < nr_cells; i++) {
		for (f = 0; f < NR_FIELDS; f++) {
			const char *quote = strchr(cells[i][f], ',') ? "\"" : "";

			out += sprintf(out, "%s%s%s%s", f ? "," : "\n", quote, cells[i][f],
				       quote);
		}
	}
	strcpy(out, "\n");
}

/* what the report has in a line; the event has the name of the buffer */
static bool is_like(int i, int j)
{
	return !strcmp(cells[i][SYM], cells[j][SYM]) && !strcmp(cells[i][EVENT], cells[j][EVENT]);
}

/* of rows that the judge has read, which are in the order of time */
static void report_print(void)
{
	char *out = report;
	int i, j, nr, size;

	for (nr = nr_cells; nr; nr--) {
		for (i = 0; i < nr_cells; i++) {
			for (j = 0; !is_like(i, j); j++)
				;
			if (j < i)
				continue;
			for (size = 0; j < nr_cells; j++)
				size += is_like(i, j);
			if (size == nr)
				report_line(&rows[i], nr, out, report + sizeof(report) - out);
			out += strlen(out);
		}
	}
}

/* ---- what the judge says ----------------------------------------------------- */

static bool judge(char **said, bool has_report)
{
	FILE *out = stdout, *in[2];
	size_t len;
	bool ok;
	int i;

	for (i = 0; i < nr_hits; i++)
		hits[i].is_met = false;
	in[0] = fmemopen(script, strlen(script), "r");
	in[1] = fmemopen(report, strlen(report), "r");
	stdout = open_memstream(said, &len);
	ok = rows_read(in[0]) && rows_check() && (!has_report || report_check(in[1]));
	fclose(stdout);
	stdout = out;
	fclose(in[0]);
	fclose(in[1]);
	return ok;
}

/* NULL: that it is right */
static void must_say(const char *this, bool has_report, const char *what)
{
	char *said;
	bool ok = judge(&said, has_report);

	nr_judged++;
	if (this ? ok || !strstr(said, this) : !ok) {
		tap_note("%s: %s", what, ok ? "not found" : said);
		nr_wrong++;
	}
	free(said);
}

static void all_found(const char *of)
{
	tap_ok(nr_judged && !nr_wrong, "%s: %d", of, nr_judged);
	nr_judged = 0;
	nr_wrong = 0;
}

/* ---- changes ----------------------------------------------------------------- */

static void field_must_not_be(int i, enum field field, const char *fmt, ...)
{
	char was[CELL], text[CELL], what[3 * CELL], name[32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	strcpy(was, cells[i][field]);
	strcpy(cells[i][field], text);
	script_print();
	snprintf(what, sizeof(what), "hit %d: %s '%s', not '%s'", i, field_names[field],
		 text, was);
	snprintf(name, sizeof(name), ": %s\n", field_names[field]);
	must_say(name, false, what);
	strcpy(cells[i][field], was);
}

/* that of another hit is wrong for this one */
static bool is_wrong(int i, int j, enum field field)
{
	const struct value *value = hit_value(&hits[i], field);

	if (!strcmp(cells[i][field], cells[j][field]))
		return false;
	if (field == TIME)
		return hits[i].order != hits[j].order && hits[i].stream == hits[j].stream;
	if (field == SYM)
		return strcmp(hits[i].kernel, hits[j].kernel);
	if (field == BYTES)
		return !strcmp(hits[i].buffer, hits[j].buffer);
	return !value || (value->nr < 2 && !value->or_left);
}

static void change_field(int i, enum field f)
{
	const struct value *value = hit_value(&hits[i], f);
	size_t len = strlen(cells[i][f]), at;
	char text[CELL];
	int j;

	field_must_not_be(i, f, "%s?", cells[i][f]);
	if (f != SYM)
		field_must_not_be(i, f, "%s0", cells[i][f]);
	if (len && !(value && value->or_none))
		field_must_not_be(i, f, "");
	/* another character; of a time, and of an address, not each is wrong */
	for (at = f == BYTES ? len - 1 : 0; f != TIME && at < len; at++) {
		strcpy(text, cells[i][f]);
		text[at] ^= 4;
		if (f != SYM || at < strlen(hits[i].kernel))
			field_must_not_be(i, f, "%s", text);
	}
	for (j = 0; j < nr_cells; j++)
		if (is_wrong(i, j, f))
			field_must_not_be(i, f, "%s", cells[j][f]);
}

static void change_fields(void)
{
	int i, f;

	for (i = 0; i < nr_cells; i++) {
		for (f = 0; f < NR_FIELDS; f++)
			change_field(i, f);
		field_must_not_be(i, SYM, "%s+0x41", hits[i].kernel);
		field_must_not_be(i, BYTES, "0x%llx/%u", buffer_of(i) + hits[i].offset +
				  hits[i].size, hits[i].size);
		field_must_not_be(i, TIME, "59.999999999");
		field_must_not_be(i, TIME, "100.000000001");
	}
}

static void row_swap(int i, int j)
{
	char row[NR_FIELDS][CELL];

	memcpy(row, cells[i], sizeof(row));
	memcpy(cells[i], cells[j], sizeof(row));
	memcpy(cells[j], row, sizeof(row));
}

/* hits of one launch may be there in any order */
static void change_order(int i, int j)
{
	row_swap(i, j);
	script_print();
	must_say(hits[i].order == hits[j].order ? NULL : ": time\n", true, "another order");
	row_swap(i, j);
}

static void change_rows(void)
{
	int i, j, nr = nr_cells;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < i; j++)
			if (hits[i].stream == hits[j].stream)
				change_order(i, j);
		row_swap(i, nr - 1);
		nr_cells = nr - 1;
		script_print();
		must_say("# no hit of ", false, "a hit is missing");
		row_swap(i, nr - 1);

		memcpy(cells[nr], cells[i], sizeof(cells[i]));
		nr_cells = nr + 1;
		script_print();
		must_say(": there is one already\n", false, "a hit is there twice");
		strcpy(cells[nr][ITEM], "9,99,999");
		script_print();
		must_say("# no hit of the model:\n", false, "a hit of another work-item");
		nr_cells = nr;
	}
	/* of another instruction, which the report has */
	sprintf(strchr(cells[0][SYM], 0), "0");
	script_print();
	must_say("# it says: ", true, "another instruction");
	*strrchr(cells[0][SYM], '0') = 0;
	script_print();
}

/* each of its first bytes, and its end at any one */
static void change_bytes(char *text, size_t nr, const char *say)
{
	size_t at, len = strlen(text);
	char was;

	for (at = 0; at < len; at++) {
		was = text[at];
		text[at] = 0;
		must_say("# ", true, "cut");
		text[at] = was ^ 4;
		if (at < nr)
			must_say(say, true, text);
		text[at] = was;
	}
}

static void change_lines(void)
{
	static char whole[sizeof(report) / 2];
	char *line, *next;

	strcpy(whole, report);
	for (line = whole; *line; line = next) {
		next = strchr(line, '\n') + 1;
		sprintf(report, "%.*s%s", (int)(line - whole), whole, next);
		must_say("# it says: ", true, "a line is missing");
		sprintf(report, "%.*s%s", (int)(next - whole), whole, line);
		must_say("# it says: ", true, "a line is there twice");
	}
	strcpy(report, whole);
}

/* each hit is of one watch, and later than those of other launches in its stream */
static bool is_sound(void)
{
	int i, nr, wrong = 0;
	char **watch;

	for (i = 0; i < nr_hits; i++) {
		const struct hit *hit = &hits[i], *last = &hits[i - !!i];

		for (watch = watches, nr = 0; *watch; watch++)
			nr += watch_has(*watch, hit);
		wrong += nr != 1 || (last->stream == hit->stream && last->order +
				     !is_same(last->launch, hit->launch) > hit->order);
	}
	return !wrong;
}

int main(int argc, char **argv)
{
	char *said;
	int f;

	if (argc < 6 || !model_run(argv[1], argv[2]) || nr_hits >= MAX_CELLS)
		return 2;
	tap_plan(5);
	watches = &argv[4];
	run_begin = 60;
	run_end = 100;
	tap_ok(is_sound(), "%s: the model is sound", argv[2]);
	for (nr_cells = 0; nr_cells < nr_hits; nr_cells++)
		for (f = 0; f < NR_FIELDS; f++)
			cell_fill(nr_cells, f);
	script_print();
	judge(&said, false);
	report_print();
	must_say(NULL, true, "it is right");
	all_found("... what the model expects is right");
	change_fields();
	all_found("... changes of fields are found");
	change_rows();
	change_bytes(script, strcspn(script, "\n"), "# line 1 ");
	all_found("... changes of hits");
	change_lines();
	change_bytes(report, strlen(report), "# it says: ");
	all_found("... changes of the report");
	return tap_status();
}
