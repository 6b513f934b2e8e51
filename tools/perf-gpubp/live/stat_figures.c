// SPDX-License-Identifier: GPL-2.0
/*
 * The figures of perf-gpubp stat: a table, CSV, JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "json.h"
#include "stat_figures.h"

double stat_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void figures_add(struct figures *sum, const struct figures *more)
{
	bool has = sum->stats.resident_ns, has_more = more->stats.resident_ns;

	if (has && has_more && sum->known && more->known)
		estimate_add(&sum->estimate, &more->estimate);
	else if (!has)
		sum->estimate = more->estimate;
	sum->known = (sum->known || !has) && (more->known || !has_more) &&
		     (has || has_more);
	live_add_stats(&sum->stats, &more->stats);
}

static uint64_t exact_hits(const struct figures *f)
{
	return f->stats.matched - f->stats.possible;
}

/* "1200 (1100..1300)"; "-" if nothing is known */
static void estimate_text(const struct figures *f, char *out, size_t len)
{
	const struct estimate *e = &f->estimate;

	if (!f->known)
		snprintf(out, len, "-");
	else if (e->low == e->high)
		snprintf(out, len, "%.0f", e->hits);
	else
		snprintf(out, len, "%.0f (%.0f..%.0f)%s", e->hits, e->low,
			 e->high, e->independent ? "?" : "");
}

static void table_head(FILE *out, const struct stat_style *style)
{
	if (style->intervals)
		fprintf(out, "%10s ", "TIME/s");
	fprintf(out, "%10s %10s %8s %26s %6s %9s %8s  %s\n", "EXACT", "POSSIBLE",
		"ARMED", "ESTIMATE (95 %)", "LOST", "THROTTLED", "STOPPED",
		"EVENT");
}

static void table_line(FILE *out, const struct figures *f)
{
	const struct gpubp_event_stats *s = &f->stats;
	char text[64];

	estimate_text(f, text, sizeof(text));
	fprintf(out, "%10" PRIu64 " %10" PRIu64, exact_hits(f),
		(uint64_t)s->possible);
	if (s->resident_ns)
		fprintf(out, " %7.2f%%", stat_share(s->armed_ns, s->resident_ns));
	else
		fprintf(out, " %8s", "-");
	fprintf(out, " %26s %6" PRIu64 " %9" PRIu64 " %7.2f%%  %s%s%s\n", text,
		(uint64_t)s->lost, (uint64_t)(s->throttled + s->stall_throttled),
		stat_share(s->stopped_ns, s->resident_ns), f->name,
		f->place[0] ? " " : "", f->place);
}

static void print_table(FILE *out, struct stat_style *style,
			const struct figures *figures, unsigned int nr,
			double seconds)
{
	unsigned int i;
	bool guessed = false;

	if (!style->intervals)
		fputc('\n', out);
	if (!style->intervals || !style->headed)
		table_head(out, style);
	style->headed = true;
	for (i = 0; i < nr; i++) {
		if (style->intervals)
			fprintf(out, "%10.3f ", seconds);
		table_line(out, &figures[i]);
		guessed |= figures[i].known && figures[i].estimate.independent;
	}
	if (style->intervals)
		return;
	if (guessed)
		fputs("\n? too few hits to see whether they come in bursts: "
		      "taken to be independent\n", out);
	fprintf(out, "\n%10.3f s\n", seconds);
}

static void print_csv(FILE *out, const struct stat_style *style,
		      const struct figures *f, double seconds)
{
	const struct gpubp_event_stats *s = &f->stats;
	const char *sep = style->separator;

	if (style->intervals)
		fprintf(out, "%.3f%s", seconds, sep);
	fprintf(out, "%" PRIu64 "%s%" PRIu64 "%s%.2f%s", exact_hits(f), sep,
		(uint64_t)s->possible, sep,
		stat_share(s->armed_ns, s->resident_ns), sep);
	if (f->known)
		fprintf(out, "%.0f%s%.0f%s%.0f", f->estimate.hits, sep,
			f->estimate.low, sep, f->estimate.high);
	else
		fprintf(out, "%s%s", sep, sep);
	fprintf(out, "%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s%.2f%s%s%s%s\n", sep,
		(uint64_t)s->lost, sep, (uint64_t)s->throttled, sep,
		(uint64_t)s->stall_throttled, sep,
		stat_share(s->stopped_ns, s->resident_ns), sep, f->name,
		f->place[0] ? " " : "", f->place);
}

static void print_json(FILE *out, const struct stat_style *style,
		       const struct figures *f, double seconds)
{
	const struct gpubp_event_stats *s = &f->stats;

	fputs("{\"event\":", out);
	json_string(out, f->name);
	if (f->place[0]) {
		fputs(",\"place\":", out);
		json_string(out, f->place);
	}
	fprintf(out, ",\"seconds\":%.3f,\"exact\":%" PRIu64 ",\"possible\":%" PRIu64
		",\"resident_ns\":%" PRIu64 ",\"armed_ns\":%" PRIu64, seconds,
		exact_hits(f), (uint64_t)s->possible, (uint64_t)s->resident_ns,
		(uint64_t)s->armed_ns);
	if (f->known)
		fprintf(out, ",\"estimate\":%.1f,\"low\":%.1f,\"high\":%.1f,"
			"\"independent\":%s", f->estimate.hits, f->estimate.low,
			f->estimate.high,
			f->estimate.independent ? "true" : "false");
	fprintf(out, ",\"lost\":%" PRIu64 ",\"throttled\":%" PRIu64
		",\"stall_throttled\":%" PRIu64 ",\"stopped_ns\":%" PRIu64 "}\n",
		(uint64_t)s->lost, (uint64_t)s->throttled,
		(uint64_t)s->stall_throttled, (uint64_t)s->stopped_ns);
}

void stat_print(FILE *out, struct stat_style *style,
		const struct figures *figures, unsigned int nr, double seconds)
{
	unsigned int i;

	if (!style->json && !style->separator) {
		print_table(out, style, figures, nr, seconds);
		fflush(out);
		return;
	}
	for (i = 0; i < nr; i++)
		if (style->json)
			print_json(out, style, &figures[i], seconds);
		else
			print_csv(out, style, &figures[i], seconds);
	fflush(out);
}
