// SPDX-License-Identifier: GPL-2.0
/* The results of the kernels of args.cl. */
#include <string.h>
#include "refs.h"

const struct corpus_args corpus_args = {
	.c = -77, .s = -12345, .f = 2.5f, .d = -1e100,
	.v = { 0x12345678, 0x9abcdef0, 0x0fedcba9, 0x87654321 },
	.first = 0xfffffff0, .second = 0xfedcba9876543210,
	.l = 0x123456789abcdef0,
};

void ref_scalar_arguments(const void *a, const void *b, void *o,
			  unsigned int n)
{
	const struct corpus_args *arg = &corpus_args;
	u32 i, (*out)[8] = o;

	for (i = 0; i < n; i++) {
		u32 x = ((u32 *)a)[i];

		out[i][0] = x + (u32)arg->c;
		out[i][1] = x * (u32)arg->s;
		memcpy(&out[i][2], &arg->f, 4);
		memcpy(&out[i][3], (u8 *)&arg->d + 4, 4);
		out[i][4] = arg->v[0] ^ arg->v[3] << (i & 31);
		out[i][5] = arg->first + (u32)(arg->second >> (i & 63));
		out[i][6] = arg->l % (x | 1);
		out[i][7] = arg->second > arg->l ? arg->v[1] : arg->v[2];
	}
}
