/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the picture of a timeline share.
 */
#ifndef PERF_GPUBP_TIMELINE_DRAW_H
#define PERF_GPUBP_TIMELINE_DRAW_H

#include "timeline.h"

/* columns, pixels */
#define WIDTH		1200
#define PLOT		176	/* time */
#define PLOT_END	876
#define SHARE		892
#define SHARE_END	972
#define GAP		1030
#define GAP_END		1080
#define HITS_END	1188

#define FINE		0.2	/* no two things are nearer to each other */
#define DRAW_COLOUR	8	/* bytes of the name of a colour */
#define DRAW_TIME	32	/* bytes of a time */

/**
 * struct marks - how many hits and stalls are in each column of each row
 * @hits: of the rows of watches, then of the comparators
 * @stalls: likewise
 * @most: hits of the column that has most
 * @nr_columns: of a row
 * @width: pixels of a column
 */
struct marks {
	uint32_t *hits;
	uint32_t *stalls;
	uint32_t most;
	size_t nr_columns;
	double width;
};

/**
 * struct draw_kernel - dispatches of a kernel in a context
 * @list: in order of their begin
 * @nr: entries of @list
 * @nr_hits: of all of them
 */
struct draw_kernel {
	const struct timeline_dispatch **list;
	size_t nr;
	uint64_t nr_hits;
};

/**
 * struct draw_kernels - those of a device
 * @sorted: its dispatches
 * @list: kernels; those with a row first, in order of their begin
 * @nr: entries of @list
 * @nr_rows: how many have a row: those with most hits
 */
struct draw_kernels {
	const struct timeline_dispatch **sorted;
	struct draw_kernel *list;
	size_t nr;
	size_t nr_rows;
};

/**
 * struct svg - a picture
 * @tl: all of it
 * @out: file
 * @device: the part that is drawn now
 * @first: first watch of the device
 * @nr: watches of the device
 * @rows: indices of watches that have a row
 * @nr_rows: entries of @rows
 * @kernels: with dispatches of the device
 * @marks: hits and stalls of the rows
 * @row: height of a row
 * @y: where the next device begins
 */
struct svg {
	const struct timeline *tl;
	FILE *out;
	uint8_t device;
	const struct timeline_watch *first;
	size_t nr;
	size_t *rows;
	size_t nr_rows;
	struct draw_kernels kernels;
	struct marks marks;
	double row;
	double y;
};

/** draw_escaped() - text, escaped */
void draw_escaped(FILE *out, const char *text);

/** draw_text() - text of classes of the style sheet */
void draw_text(const struct svg *svg, double x, double y, const char *classes,
	       const char *text);

/** draw_time() - three digits and a unit, into @out of DRAW_TIME bytes */
const char *draw_time(uint64_t ns, char *out);

/** draw_colour() - that of a watch, into @out of DRAW_COLOUR bytes */
const char *draw_colour(size_t watch, char *out);

/** draw_x() - where a time is */
double draw_x(const struct svg *svg, uint64_t time);

/** draw_axis() - lines of time, from @y down */
void draw_axis(const struct svg *svg, double y, double height);

/** draw_marks_count() - count the marks of a device into columns; 0 or -1 (memory) */
int draw_marks_count(struct svg *svg);

/** draw_marks_free() - undo it */
void draw_marks_free(struct svg *svg);

/** draw_marks_row() - hits and stalls of the watch of a row */
void draw_marks_row(const struct svg *svg, size_t row, double y);

/** draw_marks_slot() - hits of the watches that a comparator served */
void draw_marks_slot(const struct svg *svg, unsigned int slot, double y, double height);

/** draw_rows() - a row for each watch; returns where they end */
double draw_rows(const struct svg *svg, double y);

/** draw_kernels_begin() - group the dispatches of a device by kernel; 0 or -1 (memory) */
int draw_kernels_begin(struct svg *svg);

/** draw_kernels_free() - undo it, also after it failed */
void draw_kernels_free(struct svg *svg);

/** draw_kernels_height() - pixels of draw_kernels() */
double draw_kernels_height(const struct svg *svg);

/** draw_kernels() - a row for each kernel; returns where they end */
double draw_kernels(const struct svg *svg, double y);

#endif /* PERF_GPUBP_TIMELINE_DRAW_H */
