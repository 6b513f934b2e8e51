/* SPDX-License-Identifier: GPL-2.0 */
/* A library of the device, for inlined.hip: its functions are in the kernels that call them. */
#ifndef PIXEL_H
#define PIXEL_H

template <typename T> __device__ inline T limit(T value, T low, T high)
{
	return value < low ? low : value > high ? high : value;
}

struct canvas {
	float *pixels;
	int width;

	__device__ void put(int x, int y, float value) const
	{
		pixels[y * width + x] = limit(value, 0.0f, 1.0f);
	}
};

#endif
