// SPDX-License-Identifier: GPL-2.0
/*
 * Hits and stalls of rows and lanes: those that fall into the same column of a row are
 * one mark, which says how many they are. So the picture is no larger with more hits,
 * and it is not painted over.
 */
#include <math.h>
#include <stdlib.h>
#include "timeline_draw.h"

#define MARKS_MAX	16384	/* marks of one kind, for each device */
#define NO_ROW		((size_t)-1)

/* columns are as narrow as MARKS_MAX allows */
static double column_width(size_t nr_rows)
{
	return fmax(1, ceil((PLOT_END - PLOT) * (double)nr_rows / MARKS_MAX));
}

static size_t column_of(const struct svg *svg, uint64_t time)
{
	size_t column = (size_t)((draw_x(svg, time) - PLOT) / svg->marks.width);

	return column < svg->marks.nr_columns ? column : svg->marks.nr_columns - 1;
}

static void cell_add(struct marks *marks, uint32_t *cells, size_t row, size_t column)
{
	uint32_t *cell = &cells[row * marks->nr_columns + column];

	if (++*cell > marks->most)
		marks->most = *cell;
}

/* @row: of the watch, or NO_ROW; the rows of comparators are behind those of watches */
static void mark_count(struct svg *svg, const struct timeline_mark *mark,
		       size_t row)
{
	struct marks *marks = &svg->marks;
	size_t column = column_of(svg, mark->time);
	uint32_t slots;

	if (mark->stall) {
		if (row != NO_ROW)
			marks->stalls[row * marks->nr_columns + column]++;
		return;
	}
	if (row != NO_ROW)
		cell_add(marks, marks->hits, row, column);
	for (slots = mark->slots; slots; slots &= slots - 1)
		cell_add(marks, marks->hits, svg->nr_rows +
			 (unsigned int)__builtin_ctz(slots), column);
}

static int marks_alloc(struct marks *marks, size_t nr_rows)
{
	marks->most = 1;
	marks->width = column_width(nr_rows);
	marks->nr_columns = (size_t)ceil((PLOT_END - PLOT) / marks->width);
	marks->hits = calloc(nr_rows * marks->nr_columns, sizeof(*marks->hits));
	marks->stalls = calloc(nr_rows * marks->nr_columns, sizeof(*marks->stalls));
	return marks->hits && marks->stalls ? 0 : -1;
}

/* in one pass, whatever the number of rows */
int draw_marks_count(struct svg *svg)
{
	size_t first = (size_t)(svg->first - svg->tl->watches);
	size_t *row_of = malloc(svg->nr * sizeof(*row_of));
	const struct timeline_mark *mark;
	size_t i;

	if (!row_of || marks_alloc(&svg->marks, svg->nr_rows + TIMELINE_SLOTS)) {
		free(row_of);
		return -1;
	}
	for (i = 0; i < svg->nr; i++)
		row_of[i] = NO_ROW;
	for (i = 0; i < svg->nr_rows; i++)
		row_of[svg->rows[i] - first] = i;
	for (i = 0; i < svg->tl->nr_marks; i++) {
		mark = &svg->tl->marks[i];
		if (mark->watch >= first && mark->watch - first < svg->nr)
			mark_count(svg, mark, row_of[mark->watch - first]);
	}
	free(row_of);
	return 0;
}

void draw_marks_free(struct svg *svg)
{
	free(svg->marks.hits);
	free(svg->marks.stalls);
	svg->marks = (struct marks){};
}

/* the more hits, the higher and the darker, but never as high as the row */
static void draw_hits_of(const struct svg *svg, size_t row, double y, double height)
{
	const struct marks *marks = &svg->marks;
	double part, h, scale = log2(1 + (double)marks->most);
	uint32_t n;
	size_t i;

	for (i = 0; i < marks->nr_columns; i++) {
		n = marks->hits[row * marks->nr_columns + i];
		if (!n)
			continue;
		part = log2(1 + (double)n) / scale;
		h = height * (0.35 + 0.4 * part);
		fprintf(svg->out, "<path class=\"t\" opacity=\"%.2f\" stroke-width=\"%.0f\" "
			"d=\"M%.1f %.1fv%.1f\"><title>%u %s</title></path>\n",
			0.5 + 0.4 * part, marks->width,
			PLOT + marks->width * ((double)i + 0.5),
			y + height - h, h, n, n == 1 ? "hit" : "hits");
	}
}

static void draw_stalls_of(const struct svg *svg, size_t row, double y)
{
	const struct marks *marks = &svg->marks;
	uint32_t n;
	size_t i;

	for (i = 0; i < marks->nr_columns; i++) {
		n = marks->stalls[row * marks->nr_columns + i];
		if (n)
			fprintf(svg->out, "<path fill=\"#e80\" d=\"M%.1f %.1fh6l-3 5z\">"
				"<title>throttled %u %s</title></path>\n",
				PLOT + marks->width * ((double)i + 0.5) - 3, y, n,
				n == 1 ? "time" : "times");
	}
}

void draw_marks_row(const struct svg *svg, size_t row, double y)
{
	draw_hits_of(svg, row, y + 1, svg->row - 2);
	draw_stalls_of(svg, row, y + 1);
}

void draw_marks_slot(const struct svg *svg, unsigned int slot, double y, double height)
{
	draw_hits_of(svg, svg->nr_rows + slot, y, height);
}
