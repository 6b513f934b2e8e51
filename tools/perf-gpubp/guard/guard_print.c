// SPDX-License-Identifier: GPL-2.0
/*
 * Findings, for people and as JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include "guard.h"
#include "json.h"

static const char *access_done(const struct gpubp_hit_record *rec)
{
	switch (rec->access) {
	case GPUBP_ACCESS_LOAD:		return "loaded";
	case GPUBP_ACCESS_STORE:	return "stored";
	case GPUBP_ACCESS_ATOMIC:	return "changed atomically";
	default:			return "accessed";
	}
}

/* "4 bytes", or "memory" if nothing is known of the width */
static void print_width(const struct gpubp_hit_record *rec, FILE *out)
{
	if (rec->width)
		fprintf(out, "%u byte%s", rec->width, rec->width == 1 ? "" : "s");
	else
		fputs("memory", out);
}

static void print_distance(const struct guard_finding *f, FILE *out)
{
	if (f->violation)
		fputs(" with a memory violation", out);
	if (!f->known)
		fputs(" at an address that is not known", out);
	else if (!f->buffer[0])
		fprintf(out, " at %#" PRIx64 ", near no buffer",
			(uint64_t)f->rec.addr);
	else
		fprintf(out, " at %" PRIu64 " byte%s %s%s %s [%" PRIu64 " bytes]",
			f->distance, f->distance == 1 ? "" : "s",
			f->exact ? "" : f->behind ? "or more " : "or fewer ",
			f->behind ? "behind the end of" : "in front of",
			f->buffer, f->size);
	if (f->inside[0])
		fprintf(out, " (%s)", f->inside);
}

static void print_finding(const struct guard_finding *f, FILE *out)
{
	fputs(f->where, out);
	if (f->source[0])
		fprintf(out, " (%s)", f->source);
	fprintf(out, " %s ", access_done(&f->rec));
	print_width(&f->rec, out);
	print_distance(f, out);
	if (f->has_item)
		fprintf(out, "; work-item (%u,%u,%u)", f->item[0], f->item[1],
			f->item[2]);
	fprintf(out, "; seen %" PRIu64 " time%s, first in run %u\n", f->nr,
		f->nr == 1 ? "" : "s", f->run);
}

void guard_print(const struct guard_findings *findings, FILE *out)
{
	size_t i;

	for (i = 0; i < findings->nr; i++)
		print_finding(&findings->list[i], out);
}

/* ---- JSON ----------------------------------------------------------------- */

static void put_text(const char *key, const char *text, FILE *out)
{
	fprintf(out, ",\"%s\":", key);
	json_string(out, text);
}

static void put_buffer(const struct guard_finding *f, FILE *out)
{
	put_text("buffer", f->buffer, out);
	fprintf(out, ",\"size\":%" PRIu64 ",\"behind\":%s,\"distance\":%" PRIu64,
		f->size, f->behind ? "true" : "false", f->distance);
	put_text("inside", f->inside, out);
}

static void put_finding(const struct guard_finding *f, FILE *out)
{
	fprintf(out, "{\"pc\":\"%#" PRIx64 "\"", (uint64_t)f->rec.pc);
	put_text("where", f->where, out);
	put_text("source", f->source, out);
	put_text("access", access_done(&f->rec), out);
	fprintf(out, ",\"width\":%u,\"violation\":%s", f->rec.width,
		f->violation ? "true" : "false");
	if (f->known)
		fprintf(out, ",\"addr\":\"%#" PRIx64 "\",\"exact\":%s",
			(uint64_t)f->rec.addr, f->exact ? "true" : "false");
	if (f->buffer[0])
		put_buffer(f, out);
	if (f->has_item)
		fprintf(out, ",\"item\":[%u,%u,%u]", f->item[0], f->item[1],
			f->item[2]);
	fprintf(out, ",\"nr\":%" PRIu64 ",\"run\":%u}", f->nr, f->run);
}

void guard_json(const struct guard_findings *findings, FILE *out)
{
	size_t i;

	fputc('[', out);
	for (i = 0; i < findings->nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_finding(&findings->list[i], out);
	}
	fputs("\n]", out);
}
