// SPDX-License-Identifier: GPL-2.0
/*
 * The demo's kernels: a picture is drawn, blurred, normalised, and its levels
 * are counted. Each has the workgroup size that demo.c launches it with.
 *
 * One of them may be built with a wrong index:
 *
 *	-DBUG_IN=draw|blur|normalise|histogram|none -DBUG_OFFSET=1
 */
#pragma OPENCL FP_CONTRACT OFF

#define WORKGROUP(x, y)	__attribute__((reqd_work_group_size(x, y, 1)))

#define GLOBAL_X(size)	((int)(__builtin_amdgcn_workgroup_id_x() * (size) + \
			       __builtin_amdgcn_workitem_id_x()))
#define GLOBAL_Y(size)	((int)(__builtin_amdgcn_workgroup_id_y() * (size) + \
			       __builtin_amdgcn_workitem_id_y()))

#define ID_none		0
#define ID_draw		1
#define ID_blur		2
#define ID_normalise	3
#define ID_histogram	4
#define PASTE(a, b)	a##b
#define ID(kernel)	PASTE(ID_, kernel)

/* the index that a kernel stores to: the right one, in all but one of them */
#define INDEX(kernel, i) \
	((i) + (ID_##kernel == ID(BUG_IN) ? (BUG_OFFSET) : 0))

/* frame number @frame: a disc that moves */
__kernel WORKGROUP(16, 16)
void draw(__global float *picture, __global const float *shades, int w,
	  int frame)
{
	int x = GLOBAL_X(16), y = GLOBAL_Y(16);
	int dx = x - w / 2 - frame, dy = y - w / 2;
	int shade = (dx * dx + dy * dy) >> 5;

	picture[INDEX(draw, y * w + x)] = shades[shade < 62 ? shade : 62];
}

__kernel WORKGROUP(16, 16)
void blur(__global const float *picture, __global float *blurred, int w, int h)
{
	int x = GLOBAL_X(16), y = GLOBAL_Y(16);
	int left = x > 0 ? x - 1 : 0, right = x < w - 1 ? x + 1 : w - 1;
	int above = y > 0 ? y - 1 : 0, below = y < h - 1 ? y + 1 : h - 1;
	float sum = picture[y * w + left] + picture[y * w + right] +
		    picture[above * w + x] + picture[below * w + x];

	blurred[INDEX(blur, y * w + x)] = 0.5f * picture[y * w + x] + 0.125f * sum;
}

__kernel WORKGROUP(64, 1)
void normalise(__global const float *blurred, __global float *result,
	       float scale, float offset)
{
	int i = GLOBAL_X(64);

	result[INDEX(normalise, i)] = blurred[i] * scale + offset;
}

__kernel WORKGROUP(64, 1)
void histogram(__global const float *result, __global uint *levels, int nr)
{
	int level = (int)(result[GLOBAL_X(64)] * (float)nr);

	level = level < 0 ? 0 : level < nr ? level : nr - 1;
	__atomic_fetch_add(&levels[INDEX(histogram, level)], 1u, __ATOMIC_RELAXED);
}
