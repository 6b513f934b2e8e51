// SPDX-License-Identifier: GPL-2.0
#include "isa/gfx9/trap.h"
#include "unattended.h"

/*
 * Precise memory is what 9.4.2 has, and what came behind it, up to gfx10; 9.4.4 and 9.5.0
 * are not known here.
 */
bool unattended_find(u32 gfx, struct unattended *handler)
{
	const bool gfx90a = gfx == 90010, gfx942 = gfx == 90402;
	const struct gfx9_words *words = gfx942 ? &gfx942_unattended : &gfx9_unattended;

	if (!gfx90a && !gfx942)
		return false;
	*handler = (struct unattended) {
		.gfx = gfx,
		.layout = gfx942 ? &gfx942_handler : &gfx9_handler,
		.code = words->words,
		.code_bytes = words->nr * sizeof(*words->words),
		.granule = gfx942 ? 128 : 64,
		.largest = gfx942 ? 1ull << 31 : 1ull << 30,
	};
	return true;
}
