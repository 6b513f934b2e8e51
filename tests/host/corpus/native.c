// SPDX-License-Identifier: GPL-2.0
/* A grid on the host: one work-item after another. */
#include "corpus_run.h"

static unsigned int ids[6];

/* values of the kernels' LX, LY, LZ, GX, GY, GZ; see corpus.h */
unsigned int item_id(unsigned int what);
unsigned int item_id(unsigned int what)
{
	return ids[what];
}

static void set_id(unsigned int dim, u32 at, u32 wg)
{
	ids[dim] = at % wg;
	ids[3 + dim] = at / wg;
}

void corpus_native(const struct corpus_kernel *k, const void *a,
		   const void *b, void *o)
{
	u32 x, y, z;

	if (k->ref) {
		k->ref(a, b, o, k->n);
		return;
	}
	for (z = 0; z < k->grid[2]; z++)
		for (y = 0; y < k->grid[1]; y++)
			for (x = 0; x < k->grid[0]; x++) {
				set_id(0, x, k->wg[0]);
				set_id(1, y, k->wg[1]);
				set_id(2, z, k->wg[2]);
				k->native(a, b, o, k->n);
			}
}
