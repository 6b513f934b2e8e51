// SPDX-License-Identifier: GPL-2.0
/* Functions of the device libraries, against those of the CPU's libm. */
#include <math.h>
#include <string.h>

#include "hip.h"

#define NR	640

enum { SIN, COS, TAN, EXP, LOG, SQRT, POW, ATAN2, ERF, LGAMMA, FMOD, CBRT, DIV, NR_FUNCTIONS };

static const char *const names[] = {
	"sin", "cos", "tan", "exp", "log", "sqrt", "pow", "atan2", "erf", "lgamma",
	"fmod", "cbrt", "/",
};

template <typename T> __host__ __device__ T function(int what, T x, T y)
{
	switch (what) {
	case SIN:	return sin(x);
	case COS:	return cos(x);
	case TAN:	return tan(x);
	case EXP:	return exp(x / 8);
	case LOG:	return log(fabs(x));
	case SQRT:	return sqrt(fabs(x));
	case POW:	return pow(fabs(x), y / 64);
	case ATAN2:	return atan2(x, y);
	case ERF:	return erf(x / 100);
	case LGAMMA:	return lgamma(fabs(x));
	case FMOD:	return fmod(x, y);
	case CBRT:	return cbrt(x);
	default:	return x / y;
	}
}

template <typename T> __global__ void compute(int what, const T *x, const T *y, T *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = function(what, x[i], y[i]);
}

/* how many representable numbers there are between two */
static unsigned long long distance(double a, double b)
{
	long long x, y;

	if (a == b || (isnan(a) && isnan(b)))
		return 0;
	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return (x ^ y) < 0 ? 1ull << 63 : x > y ? x - y : y - x;
}

static unsigned long long distance(float a, float b)
{
	int x, y;

	if (a == b || (isnan(a) && isnan(b)))
		return 0;
	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return (x ^ y) < 0 ? 1ull << 31 : x > y ? (unsigned int)(x - y) :
						  (unsigned int)(y - x);
}

/* large arguments, too: their reduction takes tables and long products */
template <typename T> static void arguments(array<T> *x, array<T> *y)
{
	unsigned long long seed = 3;

	for (int i = 0; i < NR; i++) {
		(*x)[i] = (T)(long long)(tap_random(&seed) % 20000000) / 10000 - 1000;
		(*y)[i] = (T)(long long)(tap_random(&seed) % 2000000) / 10000 + (T)0.5;
		if (i % 8 == 7)
			(*x)[i] *= i % 16 == 7 ? (T)1e6 : (T)1e12;
	}
	x->to_gpu();
	y->to_gpu();
}

/* OpenCL allows sixteen units, of the functions that it has */
template <typename T> static void check(const char *type, unsigned int limit)
{
	array<T> x(NR), y(NR), to(NR);

	arguments(&x, &y);
	for (int what = 0; what < NR_FUNCTIONS; what++) {
		unsigned long long most = 0;

		compute<<<NR / 64, 64>>>(what, x.gpu, y.gpu, to.gpu);
		must_run();
		to.to_cpu();
		for (int i = 0; i < NR; i++) {
			unsigned long long far = distance(to[i], function(what, x[i], y[i]));

			if (far > most)
				most = far;
		}
		tap_note("%s %s: at most %llu units away", type, names[what], most);
		tap_ok(most <= (what == DIV || what == SQRT || what == FMOD ? 0 : limit),
		       "%s of %s", names[what], type);
	}
}

int main(void)
{
	tap_plan(2 * NR_FUNCTIONS);
	check<double>("double", 16);
	check<float>("float", 16);
	return tap_status();
}
