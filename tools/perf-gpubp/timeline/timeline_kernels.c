// SPDX-License-Identifier: GPL-2.0
/*
 * A row for each kernel: its dispatches, from the first hit of each to its last. All
 * dispatches of a row are one path, in which near ones are one bar: the picture is no
 * larger with more of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "plural.h"
#include "timeline_draw.h"

#define NR_KERNELS	48	/* rows that are drawn */
#define ROW		14
#define HEAD		34	/* in front of the first row */
#define NAME_WIDTH	32	/* characters left of the plot */

/* ---- rows ----------------------------------------------------------------- */

static int dispatch_compare(const void *a, const void *b)
{
	const struct timeline_dispatch *p = *(const struct timeline_dispatch *const *)a;
	const struct timeline_dispatch *q = *(const struct timeline_dispatch *const *)b;
	int names;

	if (p->context != q->context)
		return p->context < q->context ? -1 : 1;
	names = strcmp(p->kernel, q->kernel);
	if (names)
		return names;
	/* they are in order of their begin */
	return p < q ? -1 : p > q;
}

static int kernel_compare_hits(const void *a, const void *b)
{
	const struct draw_kernel *p = a, *q = b;

	if (p->nr_hits != q->nr_hits)
		return p->nr_hits > q->nr_hits ? -1 : 1;
	return p->list < q->list ? -1 : p->list > q->list;
}

static int kernel_compare_begin(const void *a, const void *b)
{
	const struct draw_kernel *p = a, *q = b;

	return p->list[0] < q->list[0] ? -1 : p->list[0] > q->list[0];
}

static bool is_same_kernel(const struct timeline_dispatch *a,
			   const struct timeline_dispatch *b)
{
	return a->context == b->context && !strcmp(a->kernel, b->kernel);
}

/* the dispatches of the device, those of a kernel behind another */
static void kernels_group(struct draw_kernels *kernels,
			  const struct timeline_dispatch **sorted, size_t nr)
{
	struct draw_kernel *kernel = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!i || !is_same_kernel(sorted[i], sorted[i - 1])) {
			kernel = &kernels->list[kernels->nr++];
			kernel->list = &sorted[i];
		}
		kernel->nr++;
		kernel->nr_hits += sorted[i]->nr_hits;
	}
}

int draw_kernels_begin(struct svg *svg)
{
	const struct timeline *tl = svg->tl;
	struct draw_kernels *kernels = &svg->kernels;
	size_t i, nr = 0;

	*kernels = (struct draw_kernels){
		.sorted = calloc(tl->nr_dispatches + 1, sizeof(*kernels->sorted)),
		.list = calloc(tl->nr_dispatches + 1, sizeof(*kernels->list)),
	};
	if (!kernels->sorted || !kernels->list)
		return -1;
	for (i = 0; i < tl->nr_dispatches; i++)
		if (tl->dispatches[i].device == svg->device)
			kernels->sorted[nr++] = &tl->dispatches[i];
	qsort(kernels->sorted, nr, sizeof(*kernels->sorted), dispatch_compare);
	kernels_group(kernels, kernels->sorted, nr);
	kernels->nr_rows = kernels->nr < NR_KERNELS ? kernels->nr : NR_KERNELS;
	qsort(kernels->list, kernels->nr, sizeof(*kernels->list), kernel_compare_hits);
	qsort(kernels->list, kernels->nr_rows, sizeof(*kernels->list),
	      kernel_compare_begin);
	return 0;
}

void draw_kernels_free(struct svg *svg)
{
	free(svg->kernels.sorted);
	free(svg->kernels.list);
	svg->kernels = (struct draw_kernels){};
}

double draw_kernels_height(const struct svg *svg)
{
	return svg->kernels.nr_rows ? HEAD + ROW * (double)svg->kernels.nr_rows : 0;
}

/* ---- drawing -------------------------------------------------------------- */

static const char *kernel_name(const struct draw_kernel *kernel)
{
	const char *name = kernel->list[0]->kernel;

	return name[0] ? name : "kernels without a name";
}

/* bars that are nearer to each other than @FINE are one */
static void draw_dispatches(const struct svg *svg, const struct draw_kernel *kernel,
			    double y)
{
	double x, end, from = 0, to = 0;
	size_t i;

	for (i = 0; i <= kernel->nr; i++) {
		x = i < kernel->nr ? draw_x(svg, kernel->list[i]->from) : INFINITY;
		if (i && x - to >= FINE)
			fprintf(svg->out, "M%.1f %.1fh%.1fv%dh-%.1fz", from, y + 1,
				to - from, ROW - 2, to - from);
		if (!i || x - to >= FINE)
			from = x;
		end = i < kernel->nr ? draw_x(svg, kernel->list[i]->to) : x;
		to = fmax(fmax(to, end), from + 2 * FINE);
	}
}

/* what has no room is in the title */
static void draw_kernel_name(const struct svg *svg, const char *name, double y)
{
	bool fits = strlen(name) <= NAME_WIDTH;
	int len = fits ? NAME_WIDTH : NAME_WIDTH - 1;
	char text[NAME_WIDTH + sizeof("…")];

	/* not in a character of UTF-8 */
	while (!fits && (name[len] & 0xc0) == 0x80)
		len--;
	snprintf(text, sizeof(text), "%.*s%s", len, name, fits ? "" : "…");
	draw_text(svg, PLOT - 8, y + ROW - 4, "s r", text);
}

static void draw_kernel(const struct svg *svg, size_t row, double y)
{
	const struct draw_kernel *kernel = &svg->kernels.list[row];
	char colour[DRAW_COLOUR], text[48];

	fprintf(svg->out, "<g class=\"kernel\"><title>");
	draw_escaped(svg->out, kernel_name(kernel));
	fprintf(svg->out, ", context %u: %zu %s with hits, %" PRIu64 " hit%s</title>\n",
		kernel->list[0]->context, kernel->nr,
		kernel->nr == 1 ? "dispatch" : "dispatches", kernel->nr_hits,
		plural(kernel->nr_hits));
	draw_kernel_name(svg, kernel_name(kernel), y);
	fprintf(svg->out, "<path fill=\"%s\" d=\"", draw_colour(row, colour));
	draw_dispatches(svg, kernel, y);
	fputs("\"/>\n", svg->out);
	snprintf(text, sizeof(text), "%zu", kernel->nr);
	draw_text(svg, SHARE_END, y + ROW - 4, "s r", text);
	snprintf(text, sizeof(text), "%" PRIu64, kernel->nr_hits);
	draw_text(svg, HITS_END, y + ROW - 4, "s r b", text);
	fputs("</g>\n", svg->out);
}

double draw_kernels(const struct svg *svg, double y)
{
	const struct draw_kernels *kernels = &svg->kernels;
	char text[96];
	size_t i;

	if (!kernels->nr_rows)
		return y;
	y += HEAD;
	draw_text(svg, PLOT - 8, y - 4, "r g", "kernel");
	draw_text(svg, PLOT, y - 4, "g", "dispatches, from their first to their last hit");
	draw_text(svg, SHARE_END, y - 4, "r g", "dispatches");
	draw_text(svg, HITS_END, y - 4, "r g", "hits");
	if (kernels->nr > kernels->nr_rows) {
		snprintf(text, sizeof(text), "%zu kernels with fewer hits have no row",
			 kernels->nr - kernels->nr_rows);
		draw_text(svg, PLOT_END, y - 4, "r g", text);
	}
	for (i = 0; i < kernels->nr_rows; i++)
		draw_kernel(svg, i, y + (double)i * ROW);
	return y + ROW * (double)kernels->nr_rows;
}
