// SPDX-License-Identifier: GPL-2.0
/*
 * usage: bounds MODE [right]
 *
 * Programs with an access out of bounds each, and the same without it ("right"). The line of the
 * access has "BUG MODE" behind it. What they compute is looked at in either case.
 */
// hipcc: -iquote tools/gpubp-rocr
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread>
#include "gpubp_rocr.h"

#define NR	1024
#define WG	64
#define ROUNDS	50

#define MUST(call)							\
do {									\
	hipError_t error_ = (call);					\
									\
	if (error_ != hipSuccess) {					\
		fprintf(stderr, "bounds: %s: %s\n", #call, hipGetErrorString(error_)); \
		exit(2);						\
	}								\
} while (0)

static int bug = 1;
static int host[NR + WG];

template <typename T> static T *gpu_alloc(size_t nr)
{
	T *at;

	MUST(hipMalloc(&at, nr * sizeof(T)));
	return at;
}

static int *gpu_in(void)
{
	int *in = gpu_alloc<int>(NR + WG), i;

	for (i = 0; i < NR + WG; i++)
		host[i] = i;
	MUST(hipMemcpy(in, host, sizeof(host), hipMemcpyHostToDevice));
	return in;
}

/* are the first @nr of them 3, 4, 5 ...? */
static bool is_right(const int *gpu, int nr)
{
	int i;

	MUST(hipDeviceSynchronize());
	MUST(hipMemcpy(host, gpu, nr * sizeof(*gpu), hipMemcpyDeviceToHost));
	for (i = 0; i < nr; i++)
		if (host[i] != i + 3)
			return false;
	return true;
}

/* ---- off by one ---------------------------------------------------------------- */

extern "C" __global__ void end(const int *in, int *out, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr)
		out[i] = in[i] + 3;	/* BUG end */
}

static bool run_end(void)
{
	int *in = gpu_in(), *out = gpu_alloc<int>(NR);

	end<<<NR / WG + 1, WG>>>(in, out, NR + bug);
	return is_right(out, NR);
}

template <typename T> __global__ void front(const T *__restrict__ in, T *__restrict__ out, int from)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x - from;

	out[i] = in[i + from] + 3 - from;	/* BUG front */
}

static bool run_front(void)
{
	int *in = gpu_in(), *out = gpu_alloc<int>(NR);

	front<int><<<NR / WG, WG>>>(in, out, bug);
	return is_right(out, NR - bug);
}

/* each has the one in front of it; what the first one reads it does not use */
extern "C" __global__ void halo(const int *in, int *out, int lowest)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int before = in[max(i - 1, lowest)];	/* BUG halo */

	out[i] = i ? before + 4 : 3;
}

static bool run_halo(void)
{
	int *unused = gpu_alloc<int>(NR), *in = gpu_in(), *out = gpu_alloc<int>(NR);

	/* or there would be nothing in front */
	MUST(hipMemset(unused, 0, NR * sizeof(*unused)));
	halo<<<NR / WG, WG>>>(in, out, -bug);
	return is_right(out, NR);
}

/* ---- sizes ----------------------------------------------------------------------- */

extern "C" __global__ void grid(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = in[i] + 3;	/* BUG grid */
}

static bool run_grid(void)
{
	int *in = gpu_in(), *out = gpu_alloc<int>(NR);

	grid<<<NR / WG + bug, WG>>>(in, out);
	return is_right(out, NR);
}

/* rows of 16, of which the next one begins @stride behind it */
extern "C" __global__ void stride(int *out, int stride)
{
	int i = blockIdx.x * stride + threadIdx.x;

	out[i] = i + 3;	/* BUG stride */
}

static bool run_stride(void)
{
	int *out = gpu_alloc<int>(16 * 64);

	stride<<<64, 16>>>(out, 16 + bug);
	return is_right(out, 16);
}

/* four at a time, whether there are four or not */
extern "C" __global__ void tail(int4 *out, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (4 * i < nr)
		out[i] = make_int4(4 * i + 3, 4 * i + 4, 4 * i + 5, 4 * i + 6);	/* BUG tail */
}

static bool run_tail(void)
{
	int *out = gpu_alloc<int>(NR + 2);

	tail<<<NR / WG, WG>>>((int4 *)out, NR + 2 * bug);
	return is_right(out, NR);
}

/* ---- atomics ----------------------------------------------------------------------- */

extern "C" __global__ void bins(const int *in, int *bins, int nr)
{
	int i = in[blockIdx.x * blockDim.x + threadIdx.x] % nr;

	atomicAdd(&bins[i], 3);	/* BUG bins */
}

static bool run_bins(void)
{
	int *in = gpu_in(), *gpu = gpu_alloc<int>(64), i;

	MUST(hipMemset(gpu, 0, 64 * sizeof(*gpu)));
	bins<<<1, WG + bug>>>(in, gpu, 64 + bug);
	MUST(hipMemcpy(host, gpu, 64 * sizeof(*gpu), hipMemcpyDeviceToHost));
	for (i = 0; i < 64 && host[i] == 3; i++)
		;
	return i == 64;
}

/* ---- parts of an allocation --------------------------------------------------------- */

static bool run_arena(void)
{
	int *in = gpu_in(), *arena = gpu_alloc<int>(4 * NR), *left = arena, *right = arena + NR;

	gpubp_name(left, NR * sizeof(*left), "left");
	gpubp_name(right, NR * sizeof(*right), "right");
	end<<<NR / WG, WG>>>(in, right, NR);
	end<<<NR / WG + 1, WG>>>(in, left, NR + bug);
	return is_right(left, NR);
}

/* ---- pointers in values ---------------------------------------------------------------- */

struct view {
	int nr;
	int *out;
};

extern "C" __global__ void view(struct view v)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < v.nr)
		v.out[i] = i + 3;	/* BUG view */
}

static bool run_view(void)
{
	int *out = gpu_alloc<int>(NR);

	view<<<NR / WG + 1, WG>>>({ NR + bug, out });
	return is_right(out, NR);
}

struct tensors {
	int sizes[20];
	int *out[3];
};

extern "C" __global__ void tensors(struct tensors t)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, n;

	for (n = 0; n < 3; n++)
		if (i < t.sizes[n])
			t.out[n][i] = i + 3;	/* BUG tensors */
}

static bool run_tensors(void)
{
	struct tensors t = { { NR, NR / 2, NR + bug }, {} };
	int n;

	for (n = 0; n < 3; n++)
		t.out[n] = gpu_alloc<int>(NR);
	tensors<<<NR / WG + 1, WG>>>(t);
	return is_right(t.out[2], NR);
}

/* four buffers, between which are others: more zones than comparators */
extern "C" __global__ void apart(int *a, int *b, int *c, int *d, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < NR)
		a[i] = b[i] = d[i] = i + 3;
	if (i < nr)
		c[i] = i + 3;	/* BUG apart */
}

static bool run_apart(void)
{
	int *out[4], n;

	for (n = 0; n < 4; n++) {
		out[n] = gpu_alloc<int>(NR);
		gpu_alloc<int>(NR);
	}
	apart<<<NR / WG + 1, WG>>>(out[0], out[1], out[2], out[3], NR + bug);
	return is_right(out[0], NR) && is_right(out[2], NR);
}

/* ---- many launches ------------------------------------------------------------------------ */

/* one round in fifty, each with another buffer than the one before */
static bool run_rounds(void)
{
	int *in = gpu_in(), *out[4], n;

	for (n = 0; n < 4; n++)
		out[n] = gpu_alloc<int>(NR);
	for (n = 0; n < ROUNDS; n++)
		end<<<NR / WG + 1, WG>>>(in, out[n % 4], NR + (n == 37 ? bug : 0));
	return is_right(out[1], NR);
}

static void launch_rounds(int *out, int nr, hipStream_t stream)
{
	const struct view v = { nr, out };
	int n;

	for (n = 0; n < ROUNDS; n++)
		view<<<NR / WG + 1, WG, 0, stream>>>(v);
}

/* two threads, a stream each; what one's kernel may access the other's may not */
static bool run_threads(void)
{
	hipStream_t stream[2];
	int *out[2], n;

	for (n = 0; n < 2; n++) {
		out[n] = gpu_alloc<int>(NR);
		MUST(hipStreamCreate(&stream[n]));
	}
	std::thread one(launch_rounds, out[0], NR + bug, stream[0]);
	std::thread two(launch_rounds, out[1], NR, stream[1]);

	one.join();
	two.join();
	return is_right(out[0], NR) && (bug || is_right(out[1], NR));
}

/* a graph of two kernels, launched twice */
static bool run_graph(void)
{
	int *in = gpu_in(), *out[2] = { gpu_alloc<int>(NR), gpu_alloc<int>(NR) };
	hipGraphExec_t executable;
	hipStream_t stream;
	hipGraph_t graph;

	MUST(hipStreamCreate(&stream));
	MUST(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	grid<<<NR / WG, WG, 0, stream>>>(in, out[0]);
	grid<<<NR / WG + bug, WG, 0, stream>>>(in, out[1]);
	MUST(hipStreamEndCapture(stream, &graph));
	MUST(hipGraphInstantiate(&executable, graph, NULL, NULL, 0));
	MUST(hipGraphLaunch(executable, stream));
	MUST(hipGraphLaunch(executable, stream));
	MUST(hipStreamSynchronize(stream));
	return is_right(out[0], NR) && is_right(out[1], NR);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const struct {
	const char *mode;
	bool (*run)(void);
} modes[] = {
	{ "end", run_end }, { "front", run_front }, { "halo", run_halo }, { "grid", run_grid },
	{ "stride", run_stride }, { "tail", run_tail }, { "bins", run_bins },
	{ "arena", run_arena }, { "view", run_view }, { "tensors", run_tensors },
	{ "apart", run_apart },
	{ "rounds", run_rounds }, { "threads", run_threads }, { "graph", run_graph },
};

int main(int argc, char **argv)
{
	bug = argc < 3;
	for (const auto &mode : modes) {
		if (argc < 2 || strcmp(argv[1], mode.mode))
			continue;
		bool right = mode.run();

		printf("bounds: %s: %s\n", mode.mode, right ? "results are right" : "WRONG");
		return !right;
	}
	fprintf(stderr, "usage: bounds MODE [right]\n");
	return 2;
}
