// SPDX-License-Identifier: GPL-2.0
/* The CPU and the GPU take turns with managed memory. */
#include "../hip/hip.h"

#define NR	64

__global__ void interest(long long *account, int percent)
{
	account[threadIdx.x] += account[threadIdx.x] * percent / 100;
}

int main(void)
{
	long long *account;
	int i, year;

	tap_plan(2);
	MUST(hipMallocManaged(&account, NR * sizeof(*account)));
	for (i = 0; i < NR; i++)
		account[i] = 1000000000000 + i * 1000;
	for (year = 0; year < 3; year++) {
		interest<<<1, NR>>>(account, 10);
		must_run();
		account[7] -= 5000;
	}
	tap_ok(account[7] == 1331000009317 - 5000 - 5500 - 6050, "account 7: %lld", account[7]);
	tap_ok(account[8] == 1331000010648, "account 8: %lld", account[8]);
	MUST(hipFree(account));
	return tap_status();
}
