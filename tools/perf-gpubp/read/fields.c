// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of hits and of culprits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "fields.h"
#include "json.h"

#define FIELD_MAX	1024

/* leaves @out empty if it is not known */
typedef void (*field_text)(const struct row *row, char *out, size_t len);

/* a field that is a plain member of the hit */
#define MEMBER(name, format, member)					\
static void field_##name(const struct row *row, char *out, size_t len)	\
{									\
	snprintf(out, len, format, row->hit->member);			\
}

/* one that a flag of the record says is known */
#define KNOWN(name, flag, format, ...)					\
static void field_##name(const struct row *row, char *out, size_t len)	\
{									\
	const struct gpubp_hit_record *rec = &row->hit->rec;		\
									\
	if (rec->flags & (flag))					\
		snprintf(out, len, format, __VA_ARGS__);		\
}

/* one of a culprit */
#define SUM(name, format, value)					\
static void field_##name(const struct row *row, char *out, size_t len)	\
{									\
	const struct culprit *c = row->culprit;				\
									\
	snprintf(out, len, format, value);				\
}

MEMBER(comm, "%s", comm)
MEMBER(pid, "%u", pid)
MEMBER(tid, "%u", tid)
MEMBER(cpu, "%u", cpu)
MEMBER(event, "%s", event)
MEMBER(width, "%u", rec.width)
MEMBER(device, "%u", rec.device)
MEMBER(context, "%u", rec.context)
MEMBER(queue, "%u", rec.queue)
MEMBER(merged, "%u", rec.nr_merged)
KNOWN(group, GPUBP_HIT_COORDS, "%u,%u,%u", rec->wg_x, rec->wg_y, rec->wg_z)
KNOWN(wave, GPUBP_HIT_COORDS, "%u", rec->wave_in_group)
KNOWN(dispatch, GPUBP_HIT_DISPATCH, "%u", rec->dispatch)
SUM(hits, "%" PRIu64, c->nr)
SUM(possible_hits, "%" PRIu64, c->possible)
SUM(all_lanes, "%" PRIu64, c->lanes)
SUM(low, "0x%" PRIx64, c->low)
SUM(high, "0x%" PRIx64, c->high)

#define WORD(name, format, member)					\
static void field_##name(const struct row *row, char *out, size_t len)	\
{									\
	snprintf(out, len, format, (uint64_t)row->hit->rec.member);	\
}

WORD(pc, "0x%" PRIx64, pc)
WORD(addr, "0x%" PRIx64, addr)
WORD(lanes, "0x%" PRIx64, lanes)
WORD(exec, "0x%" PRIx64, exec)
WORD(watch, "%" PRIu64, watch)

static void seconds(uint64_t ns, char *out, size_t len)
{
	snprintf(out, len, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
		 ns % 1000000000);
}

static void field_time(const struct row *row, char *out, size_t len)
{
	seconds(row->hit->rec.gpu_time, out, len);
}

static void field_sample_time(const struct row *row, char *out, size_t len)
{
	seconds(row->hit->time, out, len);
}

static void field_sym(const struct row *row, char *out, size_t len)
{
	show_pc(row->show, row->hit, out, len);
}

static void field_source(const struct row *row, char *out, size_t len)
{
	struct line line;

	if (show_source(row->show, row->hit, &line))
		snprintf(out, len, "%s:%d", line.file, line.line);
}

static void field_insn(const struct row *row, char *out, size_t len)
{
	struct place place;
	const char *insn = NULL;

	if (show_place(row->show, row->hit, &place))
		insn = object_insn(place.object, place.pc);
	snprintf(out, len, "%s", insn ? insn : "");
}

static void field_access(const struct row *row, char *out, size_t len)
{
	snprintf(out, len, "%s", hit_access(row->hit));
}

static void field_data(const struct row *row, char *out, size_t len)
{
	if (hit_has_address(row->hit))
		show_addr(row->show, row->hit, hit_addr(row->hit), out, len);
}

static void field_freed(const struct row *row, char *out, size_t len)
{
	show_freed(row->show, row->hit, out, len);
}

static void field_allocated(const struct row *row, char *out, size_t len)
{
	show_allocated(row->show, row->hit, out, len);
}

static void field_state(const struct row *row, char *out, size_t len)
{
	snprintf(out, len, "%s", hit_state(row->hit));
}

static void known_value(const struct hit *hit,
			const char *(*value)(const struct hit *hit, char *out,
					     size_t len),
			char *out, size_t len)
{
	value(hit, out, len);
	if (out[0] == '?')
		out[0] = '\0';
}

/* as a watch is written */
static void field_bytes(const struct row *row, char *out, size_t len)
{
	const struct gpubp_hit_record *rec = &row->hit->rec;

	if (rec->flags & GPUBP_HIT_BYTES)
		snprintf(out, len, "0x%" PRIx64 "/%u", (uint64_t)rec->hit_addr,
			 rec->hit_len);
}

static void field_old(const struct row *row, char *out, size_t len)
{
	known_value(row->hit, hit_old, out, len);
}

static void field_new(const struct row *row, char *out, size_t len)
{
	known_value(row->hit, hit_new, out, len);
}

static void field_operand(const struct row *row, char *out, size_t len)
{
	known_value(row->hit, hit_operand, out, len);
}

static void field_seen(const struct row *row, char *out, size_t len)
{
	known_value(row->hit, hit_seen, out, len);
}

static void field_now(const struct row *row, char *out, size_t len)
{
	known_value(row->hit, hit_now, out, len);
}

static void field_item(const struct row *row, char *out, size_t len)
{
	uint32_t item[3];

	if (show_item(row->show, row->hit, item))
		snprintf(out, len, "%u,%u,%u", item[0], item[1], item[2]);
}

static void field_launch(const struct row *row, char *out, size_t len)
{
	show_launched(row->show, row->hit, out, len);
}

static void field_exceptions(const struct row *row, char *out, size_t len)
{
	hit_exceptions(row->hit, out, len);
}

static void field_flags(const struct row *row, char *out, size_t len)
{
	uint16_t flags = row->hit->rec.flags;

	snprintf(out, len, "%s%s",
		 flags & GPUBP_HIT_POSSIBLE ? "possible " : "",
		 flags & GPUBP_HIT_PC_EXACT ? "" : "skid ");
	if (out[0])
		out[strlen(out) - 1] = '\0';
}

static void field_last_old(const struct row *row, char *out, size_t len)
{
	known_value(&row->culprit->last, hit_old, out, len);
}

static void field_last_new(const struct row *row, char *out, size_t len)
{
	known_value(&row->culprit->last, hit_new, out, len);
}

/* addresses and masks have 64 bits, and numbers of JSON 53 */
#define TEXT	false
#define NUMBER	true

static const struct field {
	const char *name;
	field_text text;
	bool number;
	bool of_culprit;
} fields[] = {
	{ "time", field_time, NUMBER, false },
	{ "sample_time", field_sample_time, NUMBER, false },
	{ "comm", field_comm, TEXT, false },
	{ "pid", field_pid, NUMBER, false },
	{ "tid", field_tid, NUMBER, false },
	{ "cpu", field_cpu, NUMBER, false },
	{ "event", field_event, TEXT, false },
	{ "pc", field_pc, TEXT, false },
	{ "sym", field_sym, TEXT, false },
	{ "source", field_source, TEXT, false },
	{ "insn", field_insn, TEXT, false },
	{ "access", field_access, TEXT, false },
	{ "width", field_width, NUMBER, false },
	{ "addr", field_addr, TEXT, false },
	{ "bytes", field_bytes, TEXT, false },
	{ "data", field_data, TEXT, false },
	{ "freed", field_freed, TEXT, false },
	{ "allocated", field_allocated, TEXT, false },
	{ "state", field_state, TEXT, false },
	{ "old", field_old, TEXT, false },
	{ "new", field_new, TEXT, false },
	{ "operand", field_operand, TEXT, false },
	{ "seen", field_seen, TEXT, false },
	{ "now", field_now, TEXT, false },
	{ "lanes", field_lanes, TEXT, false },
	{ "exec", field_exec, TEXT, false },
	{ "group", field_group, TEXT, false },
	{ "wave", field_wave, NUMBER, false },
	{ "item", field_item, TEXT, false },
	{ "device", field_device, NUMBER, false },
	{ "context", field_context, NUMBER, false },
	{ "queue", field_queue, NUMBER, false },
	{ "dispatch", field_dispatch, NUMBER, false },
	{ "launch", field_launch, TEXT, false },
	{ "watch", field_watch, NUMBER, false },
	{ "exceptions", field_exceptions, TEXT, false },
	{ "flags", field_flags, TEXT, false },
	{ "merged", field_merged, NUMBER, false },
	{ "hits", field_hits, NUMBER, true },
	{ "possible_hits", field_possible_hits, NUMBER, true },
	{ "all_lanes", field_all_lanes, NUMBER, true },
	{ "low", field_low, TEXT, true },
	{ "high", field_high, TEXT, true },
	{ "last_old", field_last_old, TEXT, true },
	{ "last_new", field_last_new, TEXT, true },
};

#define NR_FIELDS	(sizeof(fields) / sizeof(fields[0]))

/* the next field of @list, or of all; NULL at the end or if it is unknown */
static const struct field *next_field(const char **list, size_t *at,
				      bool culprits)
{
	size_t i, len;

	if (!*list) {
		i = (*at)++;
		return i < NR_FIELDS && (culprits || !fields[i].of_culprit) ?
		       &fields[i] : NULL;
	}
	len = strcspn(*list, ",");
	for (i = 0; i < NR_FIELDS; i++)
		if (strlen(fields[i].name) == len &&
		    !strncmp(fields[i].name, *list, len))
			break;
	if (i == NR_FIELDS || (fields[i].of_culprit && !culprits))
		return NULL;
	*list += len + ((*list)[len] == ',');
	return &fields[i];
}

int fields_check(const char *list, struct grun_err *err)
{
	size_t at = 0;

	while (list && *list)
		if (!next_field(&list, &at, false))
			return grun_fail(err, -1, "'%.*s' is no field, see script -F help",
					 (int)strcspn(list, ","), list);
	return 0;
}

void fields_help(FILE *out)
{
	size_t i;

	for (i = 0; i < NR_FIELDS && !fields[i].of_culprit; i++)
		fprintf(out, "%s%s", i ? " " : "", fields[i].name);
}

void fields_header(const char *list, bool culprits)
{
	const struct field *field;
	const char *comma = "";
	size_t at = 0;

	while ((field = next_field(&list, &at, culprits))) {
		printf("%s%s", comma, field->name);
		comma = ",";
	}
	putchar('\n');
}

static void put_csv(const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

static void put_json(const struct field *field, const char *text)
{
	printf("\"%s\":", field->name);
	if (!text[0] || field->number) {
		fputs(text[0] ? text : "null", stdout);
		return;
	}
	json_string(stdout, text);
}

static void put_field(const struct field *field, const char *text,
		      enum format format)
{
	switch (format) {
	case FORMAT_JSON:
		put_json(field, text);
		break;
	case FORMAT_CSV:
		put_csv(text);
		break;
	default:
		fputs(text[0] ? text : "-", stdout);
		break;
	}
}

void fields_print(const struct row *row, const char *list, enum format format)
{
	const char *between = "", *next = format == FORMAT_FIELDS ? " " : ",";
	const struct field *field;
	char text[FIELD_MAX];
	size_t at = 0;

	if (format == FORMAT_JSON)
		putchar('{');
	while ((field = next_field(&list, &at, row->culprit))) {
		text[0] = '\0';
		field->text(row, text, sizeof(text));
		fputs(between, stdout);
		put_field(field, text, format);
		between = next;
	}
	puts(format == FORMAT_JSON ? "}" : "");
}
