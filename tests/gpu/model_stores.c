// SPDX-License-Identifier: GPL-2.0
/*
 * Models of stores.cl.
 */
#include "model_wave.h"

/* one store per lane at args[0] + 128 * i + offset; i, i + 1, ... as dwords */
static void store(struct model_wave *w, uint64_t offset, unsigned int width)
{
	lanes at, value[2];

	lanes_at(w, w->args[0] + offset, 128, at);
	FOR_LANES(lane, w->exec) {
		uint64_t i = w->x[lane];

		value[0][lane] = (i + 1) << 32 | i;
		value[1][lane] = (i + 3) << 32 | (i + 2);
	}
	wave_store(w, w->exec, at, width, value);
}

static void st_widths(struct model_wave *w)
{
	store(w, 0, 1);
	store(w, 2, 2);
	store(w, 4, 4);
	store(w, 8, 8);
	store(w, 16, 12);
	store(w, 32, 16);
}

static void st_straddle(struct model_wave *w)
{
	store(w, 56, 16);
	store(w, 60, 8);
	store(w, 61, 4);
	store(w, 63, 2);
}

static void st_forms(struct model_wave *w)
{
	store(w, 64 - 2, 2);
	store(w, 64 + 5, 1);
	store(w, 64 - 64, 4);
	store(w, 16, 4);
	store(w, 64 + 20, 4);
}

const struct model_kernel model_stores[] = {
	{ "st_widths", { 64, 1 }, st_widths },
	{ "st_straddle", { 64, 1 }, st_straddle },
	{ "st_forms", { 64, 1 }, st_forms },
	{}
};
