// SPDX-License-Identifier: GPL-2.0
/*
 * Findings, for people and as JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include "guard.h"
#include "json.h"
#include "plural.h"

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

static bool is_behind(const struct guard_finding *f)
{
	return f->distance >= 0;
}

static uint64_t distance_of(const struct guard_finding *f)
{
	return is_behind(f) ? (uint64_t)f->distance : -(uint64_t)f->distance;
}

/* an access that begins or ends in bounds */
static bool is_partial(const struct guard_finding *f)
{
	return f->exact && !f->violation && f->outside < f->rec.width;
}

static void print_distance(const struct guard_finding *f, FILE *out)
{
	const uint64_t distance = distance_of(f);

	if (f->violation)
		fputs(" with a memory violation", out);
	if (is_partial(f))
		fprintf(out, ", %u of them", f->outside);
	if (!f->known)
		fputs(" at an address that is not known", out);
	else if (!f->buffer[0])
		fprintf(out, " at %#" PRIx64 ", near no buffer",
			(uint64_t)f->rec.addr);
	else
		fprintf(out, " at %" PRIu64 " byte%s %s%s %s [%" PRIu64 " bytes]",
			distance, distance == 1 ? "" : "s",
			f->exact ? "" : is_behind(f) ? "or more " : "or fewer ",
			is_behind(f) ? "behind the end of" : "in front of",
			f->buffer, f->size);
	if (f->inside[0])
		fprintf(out, " (%s)", f->inside);
	if (f->change == GUARD_UNCHANGED && f->rec.access != GPUBP_ACCESS_LOAD)
		fputs(", which did not change", out);
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

static const char *dispatches(size_t nr)
{
	return nr == 1 ? "dispatch" : "dispatches";
}

static void print_missing(const struct guard_counts *counts, FILE *out)
{
	const struct {
		size_t nr;
		const char *what;
	} lines[] = {
		{ counts->turns, "began before all zones were armed: they are more than comparators cover at once" },
		{ counts->late, "began before it was known whether its zones are armed" },
		{ counts->overlap, "began while others ran: their zones share the comparators" },
		{ counts->left_out, "began while one was not watched: too many ran, or not all of its arguments are known" },
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (lines[i].nr)
			fprintf(out, "%zu %s %s\n", lines[i].nr, dispatches(lines[i].nr),
				lines[i].what);
}

static void print_hits(uint64_t nr, const char *what, FILE *out)
{
	if (nr)
		fprintf(out, "%" PRIu64 " hit%s %s %s\n", nr, plural(nr),
			nr == 1 ? "was" : "were", what);
}

/* percent of the time in which zones were wanted that they were armed */
static double armed_percent(const struct guard_counts *counts)
{
	return counts->resident_ns ? 100.0 * (double)counts->armed_ns /
				     (double)counts->resident_ns : 0;
}

void guard_print(const struct guard_findings *findings,
		 const struct guard_counts *counts, FILE *out)
{
	size_t i;

	for (i = 0; i < findings->nr; i++)
		print_finding(&findings->list[i], out);
	fprintf(out, "%zu found in %u run%s; %zu %s, at most %zu zone%s at once, armed %.0f%% of the time\n",
		findings->nr, findings->run, plural(findings->run),
		counts->dispatches, dispatches(counts->dispatches), counts->zones,
		plural(counts->zones), armed_percent(counts));
	print_missing(counts, out);
	print_hits(findings->nr_vague, "perhaps of other bytes, and not judged", out);
	print_hits(findings->nr_suppressed, "suppressed", out);
	print_hits(counts->lost, "lost", out);
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
		f->size, is_behind(f) ? "true" : "false", distance_of(f));
	put_text("inside", f->inside, out);
}

static void put_finding(const struct guard_finding *f, FILE *out)
{
	fprintf(out, "{\"pc\":\"%#" PRIx64 "\"", (uint64_t)f->rec.pc);
	put_text("where", f->where, out);
	put_text("source", f->source, out);
	put_text("kernel", f->kernel, out);
	put_text("access", access_done(&f->rec), out);
	fprintf(out, ",\"width\":%u,\"violation\":%s,\"outside\":%u", f->rec.width,
		f->violation ? "true" : "false", f->outside);
	if (f->change != GUARD_CHANGE_UNKNOWN)
		fprintf(out, ",\"changed\":%s",
			f->change == GUARD_CHANGED ? "true" : "false");
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

static void put_counts(const struct guard_findings *findings,
		       const struct guard_counts *counts, FILE *out)
{
	fprintf(out, ",\"runs\":%u,\"buffers\":%zu,\"zones\":%zu,\"armed_percent\":%.2f",
		findings->run, counts->buffers, counts->zones, armed_percent(counts));
	fprintf(out, ",\"dispatches\":%zu,\"turns\":%zu,\"late\":%zu,\"overlap\":%zu,\"left_out\":%zu,\"unread\":%zu",
		counts->dispatches, counts->turns, counts->late, counts->overlap,
		counts->left_out, counts->unread);
	fprintf(out, ",\"legal\":%" PRIu64 ",\"vague\":%" PRIu64 ",\"suppressed\":%" PRIu64 ",\"lost\":%" PRIu64,
		findings->nr_legal, findings->nr_vague, findings->nr_suppressed,
		counts->lost);
}

void guard_json(const struct guard_findings *findings,
		const struct guard_counts *counts, FILE *out)
{
	size_t i;

	fputs("{\"findings\":[", out);
	for (i = 0; i < findings->nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_finding(&findings->list[i], out);
	}
	fputs("\n]", out);
	put_counts(findings, counts, out);
	fputs("}\n", out);
}
