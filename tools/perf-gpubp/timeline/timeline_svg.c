// SPDX-License-Identifier: GPL-2.0
/*
 * A timeline as a picture. For each device: a lane for each comparator, in the colours
 * of the watches that it served; below, a row for each watch: when it was armed, its
 * hits, its share of the time, its longest gap; then one for each kernel with hits.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "plural.h"
#include "timeline_draw.h"

#define LANE		24
#define ROW_MAX		16	/* height of the row of a watch */
#define ROW_MIN		9
#define ROWS_HIGH	720	/* as high as the rows are if there are many */
#define NR_ROWS		200	/* rows that are drawn */
#define HEAD		52	/* in front of the lanes of a device */
#define BETWEEN		34	/* lanes and rows */
#define FOOT		40

static const char style[] =
	"text{font:11px sans-serif;fill:#222}"
	".s{font-size:9px}.h{font-size:14px;font-weight:bold}"
	".r{text-anchor:end}.m{text-anchor:middle}.g{fill:#666}"
	".t{stroke:#000}.b{font-weight:bold}.e{fill:#c00;font-weight:bold}";

/* ---- comparators ---------------------------------------------------------- */

static void draw_bar(const struct svg *svg, const struct timeline_bar *bar,
		     double y, double height)
{
	const struct timeline_watch *w = &svg->tl->watches[bar->watch];
	double x = draw_x(svg, bar->from), width = draw_x(svg, bar->to) - x;
	char colour[DRAW_COLOUR], from[DRAW_TIME], time[DRAW_TIME];

	fprintf(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\">"
		"<title>", x, y, fmax(width, FINE), height,
		draw_colour(bar->watch, colour));
	draw_escaped(svg->out, w->label);
	fprintf(svg->out, " at %s for %s</title></rect>\n",
		draw_time(bar->from - svg->tl->begin, from),
		draw_time(bar->to - bar->from, time));
	/* about as wide and high as the text */
	if (height >= 9 && width > 6.2 * (double)strlen(w->label))
		draw_text(svg, x + width / 2, y + height / 2 + 4, "s m", w->label);
}

/* the bars of watches that share the comparator are above each other */
static void draw_lane_bars(const struct svg *svg, unsigned int slot, double y)
{
	unsigned int nr = timeline_nr_lanes(svg->tl, svg->device, slot);
	double *last = calloc(nr + 1, sizeof(*last));
	double height = (LANE - 4) / fmax(nr, 1);
	const struct timeline_bar *bar;
	size_t i;

	for (i = 0; last && i < svg->tl->nr_bars; i++) {
		bar = &svg->tl->bars[i];
		if (!(bar->slots & 1u << slot) ||
		    svg->tl->watches[bar->watch].device != svg->device ||
		    draw_x(svg, bar->to) - last[bar->lane] < FINE)
			continue;
		draw_bar(svg, bar, y + bar->lane * height, height);
		last[bar->lane] = draw_x(svg, bar->to);
	}
	free(last);
}

static void draw_lane(const struct svg *svg, unsigned int slot, double y)
{
	char name[32];

	snprintf(name, sizeof(name), "comparator %u", slot);
	draw_text(svg, PLOT - 8, y + 16, "r", name);
	fprintf(svg->out, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"#f2f2f2\"/>\n",
		PLOT, y + 2, PLOT_END - PLOT, LANE - 4);
	draw_lane_bars(svg, slot, y + 2);
	draw_marks_slot(svg, slot, y, 10);
}

static double draw_lanes(const struct svg *svg, double y)
{
	unsigned int i, nr = timeline_nr_slots(svg->tl, svg->device);

	for (i = 0; i < nr; i++)
		draw_lane(svg, i, y + i * LANE);
	return y + nr * LANE;
}

/* ---- devices -------------------------------------------------------------- */

static const struct timeline *sorted_timeline;

/* those that were hit most, then those that waited for longest */
static int row_compare(const void *a, const void *b)
{
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const struct timeline_watch *v = &sorted_timeline->watches[i];
	const struct timeline_watch *w = &sorted_timeline->watches[j];

	if (v->nr_hits != w->nr_hits)
		return v->nr_hits > w->nr_hits ? -1 : 1;
	if (v->longest_gap != w->longest_gap)
		return v->longest_gap > w->longest_gap ? -1 : 1;
	return i < j ? -1 : i > j;
}

static int index_compare(const void *a, const void *b)
{
	size_t i = *(const size_t *)a, j = *(const size_t *)b;

	return i < j ? -1 : i > j;
}

/* begin with the watches of the device that begin at index @first */
static bool device_begin(struct svg *svg, size_t first)
{
	const struct timeline *tl = svg->tl;
	size_t i;

	svg->first = &tl->watches[first];
	svg->device = svg->first->device;
	for (svg->nr = 0; first + svg->nr < tl->nr_watches; svg->nr++)
		if (svg->first[svg->nr].device != svg->device)
			break;
	svg->rows = calloc(svg->nr, sizeof(*svg->rows));
	if (!svg->rows || draw_kernels_begin(svg))
		return false;
	for (i = 0; i < svg->nr; i++)
		svg->rows[i] = first + i;
	svg->nr_rows = svg->nr < NR_ROWS ? svg->nr : NR_ROWS;
	if (svg->nr > NR_ROWS) {
		sorted_timeline = tl;
		qsort(svg->rows, svg->nr, sizeof(*svg->rows), row_compare);
		qsort(svg->rows, NR_ROWS, sizeof(*svg->rows), index_compare);
	}
	svg->row = fmax(ROW_MIN, fmin(ROW_MAX, ROWS_HIGH / (double)svg->nr_rows));
	return true;
}

static double device_height(const struct svg *svg)
{
	return HEAD + timeline_nr_slots(svg->tl, svg->device) * LANE + BETWEEN +
	       svg->row * (double)svg->nr_rows + draw_kernels_height(svg);
}

static void draw_device_head(const struct svg *svg)
{
	char text[160], time[DRAW_TIME];
	uint64_t hits = 0;
	uint64_t shown = 0;
	size_t i;

	for (i = 0; i < svg->nr; i++)
		hits += svg->first[i].nr_hits;
	for (i = 0; i < svg->nr_rows; i++)
		shown += svg->tl->watches[svg->rows[i]].nr_hits;
	snprintf(text, sizeof(text), "GPU %u: %zu %s on %u comparators, %s, %" PRIu64 " hit%s",
		 svg->device, svg->nr, svg->nr == 1 ? "watch" : "watches",
		 timeline_nr_slots(svg->tl, svg->device),
		 draw_time(svg->tl->end - svg->tl->begin, time), hits, plural(hits));
	draw_text(svg, 12, svg->y + 22, "h", text);
	if (svg->nr > svg->nr_rows) {
		snprintf(text, sizeof(text), "%zu watches with fewer hits, %" PRIu64
			 " in all, have no row", svg->nr - svg->nr_rows, hits - shown);
		draw_text(svg, HITS_END, svg->y + 22, "r g", text);
	}
}

static void draw_device(struct svg *svg)
{
	double y = svg->y + HEAD, end;

	draw_device_head(svg);
	draw_axis(svg, y, device_height(svg) - HEAD);
	end = draw_lanes(svg, y);
	end = draw_rows(svg, end + BETWEEN);
	svg->y = draw_kernels(svg, end);
}

/* the height of all devices, or draw them */
static double each_device(struct svg *svg, bool draw)
{
	double height = 0;
	size_t first;

	for (first = 0; first < svg->tl->nr_watches; first += svg->nr) {
		if (device_begin(svg, first)) {
			height += device_height(svg);
			if (draw && !draw_marks_count(svg))
				draw_device(svg);
		}
		draw_marks_free(svg);
		draw_kernels_free(svg);
		free(svg->rows);
	}
	return height;
}

static void draw_foot(const struct svg *svg)
{
	char text[128];

	draw_text(svg, PLOT, svg->y + 20, "g",
		  "bar: armed; black tick: hits, more are higher; orange triangle: throttled, as its hits stopped too many waves");
	if (!svg->tl->lost)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " events were lost: bars and hits are missing",
		 svg->tl->lost);
	draw_text(svg, PLOT, svg->y + 34, "e", text);
}

void timeline_svg(const struct timeline *tl, FILE *out)
{
	struct svg svg = { .tl = tl, .out = out };
	double height = each_device(&svg, false) + FOOT;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
		"viewBox=\"0 0 %d %.0f\">\n<title>Comparators and watches of gpubp</title>\n"
		"<style>%s</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		WIDTH, height, WIDTH, height, style);
	each_device(&svg, true);
	draw_foot(&svg);
	fputs("</svg>\n", out);
}
