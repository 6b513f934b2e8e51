// SPDX-License-Identifier: GPL-2.0
/*
 * A row for each watch: when it was armed, its hits, its share of the time, its
 * longest gap.
 */
#include <inttypes.h>
#include <math.h>
#include "plural.h"
#include "timeline_draw.h"

/* ---- watches -------------------------------------------------------------- */

/* one path for all bars of a watch */
static void draw_row_bars(const struct svg *svg, size_t watch, double y)
{
	const struct timeline_bar *bar;
	double x, end, last = 0;
	char colour[DRAW_COLOUR];
	size_t i;

	fprintf(svg->out, "<path fill=\"%s\" d=\"",
		draw_colour(watch, colour));
	for (i = 0; i < svg->tl->nr_bars; i++) {
		bar = &svg->tl->bars[i];
		end = draw_x(svg, bar->to);
		if (bar->watch != watch || end - last < FINE)
			continue;
		x = draw_x(svg, bar->from);
		fprintf(svg->out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", x, y + 1,
			fmax(end - x, 2 * FINE), svg->row - 2,
			fmax(end - x, 2 * FINE));
		last = end;
	}
	fputs("\"/>\n", svg->out);
}

static void draw_meter(const struct svg *svg, double x, double end, double y,
		       double part, const char *colour, const char *text)
{
	fprintf(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#eee\"/>"
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
		x, y + 1, end - x, svg->row - 2, x, y + 1,
		(end - x) * fmin(part, 1), svg->row - 2, colour);
	draw_text(svg, end + 4, y + svg->row - 2, "s", text);
}

static uint64_t longest_gap(const struct svg *svg)
{
	uint64_t gap = 1;
	size_t i;

	for (i = 0; i < svg->nr; i++)
		if (svg->first[i].longest_gap > gap)
			gap = svg->first[i].longest_gap;
	return gap;
}

static double largest_share(const struct svg *svg)
{
	double share, largest = 0;
	size_t i;

	for (i = 0; i < svg->nr; i++) {
		share = timeline_share(svg->tl, &svg->first[i]);
		largest = fmax(largest, share);
	}
	return largest ? largest : 1;
}

static void draw_row_figures(const struct svg *svg, size_t watch, double y)
{
	const struct timeline_watch *w = &svg->tl->watches[watch];
	double share = timeline_share(svg->tl, w);
	char colour[DRAW_COLOUR], text[DRAW_TIME];

	draw_colour(watch, colour);
	snprintf(text, sizeof(text), "%.1f %%", 100 * share);
	draw_meter(svg, SHARE, SHARE_END, y, share / largest_share(svg), colour, text);
	draw_meter(svg, GAP, GAP_END, y,
		   (double)w->longest_gap / (double)longest_gap(svg), "#999",
		   draw_time(w->longest_gap, text));
	snprintf(text, sizeof(text), "%" PRIu64, w->nr_hits);
	draw_text(svg, HITS_END, y + svg->row - 2, w->nr_hits ? "s r b" : "s r g", text);
}

static void draw_row(const struct svg *svg, size_t row, double y)
{
	size_t watch = svg->rows[row];
	const struct timeline_watch *w = &svg->tl->watches[watch];
	const struct timeline_span *span = timeline_span_of(svg->tl, w);
	char gap[DRAW_TIME];

	fprintf(svg->out, "<g><title>");
	draw_escaped(svg->out, w->label);
	fprintf(svg->out, ", watch %" PRIu64 " of context %u: armed %" PRIu64 " time%s, %.1f %%, "
		"longest gap %s, %" PRIu64 " hit%s, throttled %" PRIu64 " time%s</title>\n",
		w->id, w->context, w->nr_bars, plural(w->nr_bars),
		100 * timeline_share(svg->tl, w), draw_time(w->longest_gap, gap),
		w->nr_hits, plural(w->nr_hits), w->nr_stalls, plural(w->nr_stalls));
	draw_text(svg, PLOT - 8, y + svg->row - 2, w->nr_hits ? "s r b" : "s r", w->label);
	fprintf(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#f2f2f2\"/>\n",
		draw_x(svg, span->from), y + 1,
		draw_x(svg, span->to) - draw_x(svg, span->from), svg->row - 2);
	draw_row_bars(svg, watch, y);
	draw_marks_row(svg, row, y);
	draw_row_figures(svg, watch, y);
	fputs("</g>\n", svg->out);
}

/* what each of them would have if all had the same */
static void draw_fair_share(const struct svg *svg, double y, double height)
{
	double sum = 0, x;
	size_t i;

	for (i = 0; i < svg->nr; i++)
		sum += timeline_share(svg->tl, &svg->first[i]);
	x = SHARE + (SHARE_END - SHARE) * sum / (double)svg->nr / largest_share(svg);
	fprintf(svg->out, "<path d=\"M%.1f %.1fv%.1f\" stroke=\"#000\" "
		"stroke-dasharray=\"3 2\"><title>mean: %.1f %%</title></path>\n",
		x, y, height, 100 * sum / (double)svg->nr);
}

double draw_rows(const struct svg *svg, double y)
{
	size_t i;

	draw_text(svg, PLOT - 8, y - 4, "r g", "watch");
	draw_text(svg, SHARE, y - 4, "g", "armed (mean dashed)");
	draw_text(svg, GAP, y - 4, "g", "longest gap");
	draw_text(svg, HITS_END, y - 4, "r g", "hits");
	for (i = 0; i < svg->nr_rows; i++)
		draw_row(svg, i, y + (double)i * svg->row);
	draw_fair_share(svg, y, (double)svg->nr_rows * svg->row);
	return y + (double)svg->nr_rows * svg->row;
}

