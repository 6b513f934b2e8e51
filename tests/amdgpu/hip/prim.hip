// SPDX-License-Identifier: GPL-2.0
/* rocPRIM: a sum, a running sum, a sort, as libraries for GPUs do them. */
#include <algorithm>

#include <rocprim/rocprim.hpp>

#include "hip.h"

#define NR	5000

/* the first call tells how much memory it needs, the second one runs */
#define RUN(call)							\
do {									\
	size_t size = 0;						\
	void *temporary = NULL;						\
									\
	MUST(call);							\
	MUST(hipMalloc(&temporary, size));				\
	MUST(call);							\
	must_run();							\
	MUST(hipFree(temporary));					\
} while (0)

static void check_sum(array<int> *from)
{
	array<int> to(1);
	int i, sum = 0;

	RUN(rocprim::reduce(temporary, size, from->gpu, to.gpu, 0, NR, rocprim::plus<int>()));
	to.to_cpu();
	for (i = 0; i < NR; i++)
		sum += (*from)[i];
	tap_ok(to[0] == sum, "a sum");
}

static void check_running(array<int> *from)
{
	int i, sum = 0, wrong = 0;
	array<int> to(NR);

	RUN(rocprim::inclusive_scan(temporary, size, from->gpu, to.gpu, NR,
				    rocprim::plus<int>()));
	to.to_cpu();
	for (i = 0; i < NR; i++) {
		sum += (*from)[i];
		wrong += to[i] != sum;
	}
	tap_ok(!wrong, "a running sum");
}

static void check_sort(array<int> *from)
{
	array<int> to(NR);

	RUN(rocprim::radix_sort_keys(temporary, size, from->gpu, to.gpu, NR));
	to.to_cpu();
	std::sort(from->cpu, from->cpu + NR);
	tap_ok(std::equal(to.cpu, to.cpu + NR, from->cpu), "a sort");
}

int main(void)
{
	unsigned long long seed = 7;
	array<int> from(NR);

	tap_plan(3);
	for (int i = 0; i < NR; i++)
		from[i] = (int)(tap_random(&seed) % 2000000) - 1000000;
	from.to_gpu();
	check_sum(&from);
	check_running(&from);
	check_sort(&from);
	return tap_status();
}
