// SPDX-License-Identifier: GPL-2.0
/* Grids of all shapes, most of them with partial workgroups. */
#include "corpus.h"

__kernel WG(100, 1, 1)
void odd_groups(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = GX * 100 + LX;

	o[i] = a[i] + GX * 1000 + LX;
}

__kernel WG(24, 6, 1)
void image(IN(uchar) a, IN(uint) b, OUT(uchar) o, uint n)
{
	uint x = GX * 24 + LX, y = GY * 6 + LY, k, s = 0;

	for (k = 0; k < 9; k++) {
		int u = (int)x + (int)(k % 3) - 1, v = (int)y + (int)(k / 3) - 1;

		u = u < 0 ? 0 : u >= (int)n ? (int)n - 1 : u;
		v = v < 0 ? 0 : v > 40 ? 40 : v;
		s += a[v * n + u] * (k == 4 ? 8u : 1u);
	}
	o[y * n + x] = s / 16;
}

__kernel WG(4, 5, 6)
void volume(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint x = GX * 4 + LX, y = GY * 5 + LY, z = GZ * 6 + LZ;

	o[(z * 17 + y) * 18 + x] = a[(x * 14 + z) * 17 + y] +
				   (LX | LY << 4 | LZ << 8) +
				   (GX | GY << 4 | GZ << 8) * 0x10000;
}

__kernel WG(1024, 1, 1)
void full_group(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i = GX * 1024 + LX;

	if (i < n)
		o[i] = rol32(a[i], LX) + b[LX] * GX;
}

__kernel WG(1, 1, 1)
void lonely(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint k, s = 0;

	for (k = 0; k <= GX; k++)
		s = s * 3 + a[k * GY + GX];
	o[GY * 8 + GX] = s;
}

/* fewer work-items than elements */
__kernel WG(128, 1, 1)
void grid_stride(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
	uint i;

	for (i = GX * 128 + LX; i < n; i += 300)
		o[i] = a[i] ^ b[i / 2] << (i & 7);
}

/* the grid as given in the dispatch packet */
__kernel __attribute__((amdgpu_flat_work_group_size(1, 256)))
void any_size(IN(uint) a, IN(uint) b, OUT(uint) o, uint n)
{
#ifdef __AMDGCN__
	__constant ushort *wg = __builtin_amdgcn_dispatch_ptr();
	uint w = wg[2], h = wg[3], gw = ((__constant uint *)wg)[3];
#else
	uint w = 40, h = 3, gw = 90;
#endif
	uint x = GX * w + LX, y = GY * h + LY;

	o[y * gw + x] = a[x * 16 + y] + w * h;
}
