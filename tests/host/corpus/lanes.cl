// SPDX-License-Identifier: GPL-2.0
/* Cross-lane operations; the references are in refs_lanes.c. */
#include "corpus.h"

#define LANE	__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0))
#define NE	33	/* of icmp predicates */
#define ULT	36
#define SGT	38
#define EQ	32

/* s_ballot of a condition, with some lanes inactive */
__kernel WG(64, 1, 1)
void ballots(IN(uint) a, IN(uint) b, OUT(ulong) o, uint n)
{
	uint i = ID, x = a[i], y = b[i];
	ulong all = 0, some = 0, sgn = 0;

	all = __builtin_amdgcn_uicmp(x & 1, 0u, NE);
	if (x & 6)
		some = __builtin_amdgcn_uicmp(x, y, ULT);
	else
		sgn = __builtin_amdgcn_sicmp((int)x, (int)y, SGT);
	o[4 * i] = all;
	o[4 * i + 1] = some;
	o[4 * i + 2] = sgn;
	o[4 * i + 3] = __builtin_amdgcn_uicmpl((ulong)x & 3, (ulong)y & 3, EQ);
}

/* compact the odd values in order, with the wave's count */
__kernel WG(64, 1, 1)
void compaction(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, x = a[i];
	ulong mask = __builtin_amdgcn_uicmp(x & 1, 0u, NE);
	uint at = __builtin_amdgcn_mbcnt_hi(mask >> 32,
					    __builtin_amdgcn_mbcnt_lo(mask, 0));

	if (x & 1)
		o[GX * 65 + at] = x;
	if (LX == 0)
		o[GX * 65 + 64] = __builtin_popcountl(mask);
}

__kernel WG(64, 1, 1)
void permutes(IN(int) a, IN(int) b, OUT(int) o, uint n)
{
	uint i = ID;
	int x = a[i], sel = b[i];

	o[4 * i] = __builtin_amdgcn_ds_bpermute(sel & 0xfc, x);
	/* each lane receives from one lane */
	o[4 * i + 1] = __builtin_amdgcn_ds_permute((LX * 13 + 5) * 4, x);
	o[4 * i + 2] = 7;
	if (x & 1)
		o[4 * i + 2] = __builtin_amdgcn_ds_bpermute(LX * 4 ^ 4, sel);
	o[4 * i + 3] = __builtin_amdgcn_ds_swizzle(x, 0x041f) +	/* ^ 1 */
		       2 * __builtin_amdgcn_ds_swizzle(x, 0x0003 << 5 | 0x1c) +
		       4 * __builtin_amdgcn_ds_swizzle(x, 0x8000 | 0x1b);
}

__kernel WG(64, 1, 1)
void scalar_reads(IN(int) a, IN(int) b, OUT(int) o, uint n)
{
	uint i = ID;
	int x = a[i], r, k, first = 0;

	r = __builtin_amdgcn_readfirstlane(x);
	for (k = 0; k < 64; k += 7)
		r = r * 3 + __builtin_amdgcn_readlane(x, k);
	r ^= __builtin_amdgcn_readlane(b[i], r & 63);
	if (x & 8)
		first = __builtin_amdgcn_readfirstlane(b[i]);
	o[i] = r + first;
}

/* a loop over distinct values, as compilers generate for varying uniforms */
__kernel WG(64, 1, 1)
void waterfall(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = ID, key = a[i] & 7, turn = 0;

	for (;;) {
		uint now = __builtin_amdgcn_readfirstlane(key);
		ulong same = __builtin_amdgcn_uicmp(key, now, EQ);

		if (now == key) {
			o[2 * i] = turn + (now << 8);
			o[2 * i + 1] = __builtin_popcountl(same) ^ b[now];
			break;
		}
		turn++;
	}
}

#define DPP(old, x, ctrl, rows, banks, bound)				\
	__builtin_amdgcn_update_dpp(old, x, ctrl, rows, banks, bound)

/* the sum of 64 lanes as compilers generate it, in lane 63 */
__kernel WG(64, 1, 1)
void dpp_reduce(IN(int) a, IN(int) b, OUT(int) o, uint n)
{
	uint i = ID;
	int x = a[i];

	x += DPP(0, x, 0x111, 0xf, 0xf, false);	/* row_shr:1 */
	x += DPP(0, x, 0x112, 0xf, 0xf, false);
	x += DPP(0, x, 0x114, 0xf, 0xf, false);
	x += DPP(0, x, 0x118, 0xf, 0xf, false);
	x += DPP(0, x, 0x142, 0xa, 0xf, false);	/* row_bcast:15 */
	x += DPP(0, x, 0x143, 0xc, 0xf, false);	/* row_bcast:31 */
	o[i] = x;
}

__kernel WG(64, 1, 1)
void dpp_moves(IN(int) a, IN(int) b, OUT(int) o, uint n)
{
	uint i = ID;
	int x = a[i], y = b[i];
	OUT(int) p = o + 12 * i;

	p[0] = DPP(y, x, 0x1b, 0xf, 0xf, false);	/* quad_perm:[3,2,1,0] */
	p[1] = DPP(y, x, 0x00, 0x5, 0xf, false);	/* two rows only */
	p[2] = DPP(y, x, 0x101, 0xf, 0xf, false);	/* row_shl:1 */
	p[3] = DPP(y, x, 0x113, 0xf, 0x3, true);	/* row_shr:3 */
	p[4] = DPP(y, x, 0x125, 0xf, 0xf, false);	/* row_ror:5 */
	p[5] = DPP(y, x, 0x130, 0xf, 0xf, false);	/* wave_shl:1 */
	p[6] = DPP(y, x, 0x134, 0xf, 0xf, false);	/* wave_rol:1 */
	p[7] = DPP(y, x, 0x138, 0xf, 0xf, true);	/* wave_shr:1 */
	p[8] = DPP(y, x, 0x13c, 0xf, 0xf, false);	/* wave_ror:1 */
	p[9] = DPP(y, x, 0x140, 0xf, 0xf, false);	/* row_mirror */
	p[10] = DPP(y, x, 0x141, 0x9, 0xf, false);	/* row_half_mirror */
	p[11] = y;
	if (x & 1)	/* reads from inactive lanes: no value is transferred */
		p[11] = DPP(y, x, 0xb1, 0xf, 0xf, false) + 1;
}
