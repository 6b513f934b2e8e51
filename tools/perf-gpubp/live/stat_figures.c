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

/* why there is a lower bound only, in the table and in JSON */
static const char * const bounds[] = {
	[ESTIMATE_FEW] = "few",
	[ESTIMATE_UNARMED] = "unarmed",
	[ESTIMATE_UNEQUAL] = "unequal",
	[ESTIMATE_SLOWED] = "slowed",
	[ESTIMATE_LOST] = "lost",
};

static const char * const bounds_text[] = {
	[ESTIMATE_FEW] = "few: hits were seen in too few turns, or most of them in few",
	[ESTIMATE_UNARMED] = "unarmed: it had no turn",
	[ESTIMATE_UNEQUAL] = "unequal: some of the watches had more turns than others",
	[ESTIMATE_SLOWED] = "slowed: hits slowed the program while it was watched",
	[ESTIMATE_LOST] = "lost: hits were dropped, or the watch was throttled",
};

/*
 * "1200 (1100..1300)"; ">= 300, few, 3 of 40 turns"; "not counted, unarmed"; "-" if it
 * was not on the GPU
 */
static void estimate_text(const struct figures *f, char *out, size_t len)
{
	const struct estimate *e = &f->estimate;

	if (!f->known)
		snprintf(out, len, "-");
	else if (e->bound && !e->turns && !f->stats.matched)
		snprintf(out, len, "not counted, %s", bounds[e->bound]);
	else if (e->bound)
		snprintf(out, len, ">= %" PRIu64 ", %s, %u of %u turns",
			 (uint64_t)f->stats.matched, bounds[e->bound],
			 e->turns_hit, e->turns);
	else if (e->low == e->high)
		snprintf(out, len, "%.0f", e->hits);
	else
		snprintf(out, len, "%.0f (%.0f..%.0f)", e->hits, e->low,
			 e->high);
}

static void table_head(FILE *out, const struct stat_style *style)
{
	if (style->intervals)
		fprintf(out, "%10s ", "TIME/s");
	fprintf(out, "%10s %10s %8s %33s %6s %9s %8s  %s\n", "EXACT", "POSSIBLE",
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
	fprintf(out, " %33s %6" PRIu64 " %9" PRIu64 " %7.2f%%  %s%s%s\n", text,
		(uint64_t)s->lost, (uint64_t)(s->throttled + s->stall_throttled),
		stat_share(s->stopped_ns, s->resident_ns), f->name,
		f->place[0] ? " " : "", f->place);
}

/* what the words in the table say */
static void print_bounds(FILE *out, const bool *bound)
{
	unsigned int i;
	bool any = false;

	for (i = ESTIMATE_KNOWN + 1; i <= ESTIMATE_LOST; i++) {
		if (!bound[i])
			continue;
		fprintf(out, "%s%s\n", any ? "" : "\n", bounds_text[i]);
		any = true;
	}
}

static void print_table(FILE *out, struct stat_style *style,
			const struct figures *figures, unsigned int nr,
			double seconds)
{
	bool bound[ESTIMATE_LOST + 1] = {};
	unsigned int i;

	if (!style->intervals)
		fputc('\n', out);
	if (!style->intervals || !style->headed)
		table_head(out, style);
	style->headed = true;
	for (i = 0; i < nr; i++) {
		if (style->intervals)
			fprintf(out, "%10.3f ", seconds);
		table_line(out, &figures[i]);
		bound[figures[i].known ? figures[i].estimate.bound : 0] = true;
	}
	if (style->intervals)
		return;
	print_bounds(out, bound);
	fprintf(out, "\n%10.3f s\n", seconds);
}

static void print_csv_turns(FILE *out, const struct figures *f, const char *sep)
{
	if (f->known)
		fprintf(out, "%u%s%u", f->estimate.turns_hit, sep,
			f->estimate.turns);
	else
		fputs(sep, out);
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
	if (!f->known)
		fprintf(out, "%s%s", sep, sep);
	else if (f->estimate.bound)
		fprintf(out, "%s%" PRIu64 "%s", sep, (uint64_t)s->matched, sep);
	else
		fprintf(out, "%.0f%s%.0f%s%.0f", f->estimate.hits, sep,
			f->estimate.low, sep, f->estimate.high);
	fprintf(out, "%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s%.2f%s", sep,
		(uint64_t)s->lost, sep, (uint64_t)s->throttled, sep,
		(uint64_t)s->stall_throttled, sep,
		stat_share(s->stopped_ns, s->resident_ns), sep);
	print_csv_turns(out, f, sep);
	fprintf(out, "%s%s%s%s\n", sep, f->name, f->place[0] ? " " : "", f->place);
}

static void print_json_estimate(FILE *out, const struct figures *f)
{
	const struct estimate *e = &f->estimate;

	if (e->bound)
		fprintf(out, ",\"at_least\":%" PRIu64 ",\"because\":\"%s\"",
			(uint64_t)f->stats.matched, bounds[e->bound]);
	else
		fprintf(out, ",\"estimate\":%.1f,\"low\":%.1f,\"high\":%.1f",
			e->hits, e->low, e->high);
	fprintf(out, ",\"turns\":%u,\"turns_hit\":%u", e->turns, e->turns_hit);
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
		print_json_estimate(out, f);
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
