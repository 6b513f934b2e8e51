// SPDX-License-Identifier: GPL-2.0
/*
 * Text, colours and time in the picture of a timeline.
 */
#include <math.h>
#include "timeline_draw.h"

/* ---- text ----------------------------------------------------------------- */

void draw_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, out);
	}
}

void draw_text(const struct svg *svg, double x, double y, const char *classes,
	       const char *text)
{
	fprintf(svg->out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, classes);
	draw_escaped(svg->out, text);
	fputs("</text>\n", svg->out);
}

/* three digits and a unit */
const char *draw_time(uint64_t ns, char *out)
{
	static const char * const units[] = { "ns", "µs", "ms", "s" };
	double n = (double)ns;
	unsigned int unit;

	for (unit = 0; unit < 3 && n >= 999.5; unit++)
		n /= 1000;
	snprintf(out, DRAW_TIME, "%.*f %s", !unit || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2,
		 n, units[unit]);
	return out;
}

/* ---- colours -------------------------------------------------------------- */

/* a channel of a hue, saturation and lightness */
static unsigned int channel_of(double hue, double sat, double light, int n)
{
	double k = fmod(n + hue * 12, 12);
	double a = sat * fmin(light, 1 - light);

	return (unsigned int)lround(255 * (light - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1))));
}

/* neighbours differ much: hues are a golden section apart */
const char *draw_colour(size_t watch, char *out)
{
	static const double lights[] = { 0.60, 0.76, 0.50 };
	double hue = fmod((double)watch * 0.618034, 1);
	double light = lights[watch % 3];

	snprintf(out, DRAW_COLOUR, "#%02x%02x%02x", channel_of(hue, 0.62, light, 0),
		 channel_of(hue, 0.62, light, 8), channel_of(hue, 0.62, light, 4));
	return out;
}

/* ---- time ----------------------------------------------------------------- */

double draw_x(const struct svg *svg, uint64_t time)
{
	const struct timeline *tl = svg->tl;
	double all = (double)(tl->end - tl->begin);

	return PLOT + (all ? (PLOT_END - PLOT) * (double)(time - tl->begin) / all : 0);
}

/* 1, 2 or 5 of a power of ten, for about eight steps */
static uint64_t axis_step(uint64_t ns)
{
	static const unsigned int times[] = { 1, 2, 5 };
	uint64_t step, ten;
	size_t i;

	for (ten = 1; ten < UINT64_MAX / 100; ten *= 10)
		for (i = 0; i < 3; i++) {
			step = ten * times[i];
			if (ns / step <= 9)
				return step;
		}
	return ns;
}

void draw_axis(const struct svg *svg, double y, double height)
{
	uint64_t all = svg->tl->end - svg->tl->begin;
	uint64_t at, step = axis_step(all);
	char text[DRAW_TIME];
	double x;

	for (at = 0; at <= all; at += step) {
		x = draw_x(svg, svg->tl->begin + at);
		fprintf(svg->out, "<path d=\"M%.1f %.1fv%.1f\" stroke=\"#ddd\"/>\n",
			x, y, height);
		draw_text(svg, x, y - 4, "s m g", at ? draw_time(at, text) : "0");
	}
}

