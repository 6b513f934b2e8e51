// SPDX-License-Identifier: GPL-2.0
/* HIP's own kernels write: memory is filled with words, halves of them and bytes. */
#include "../hip/hip.h"

#define NR	1024

int main(void)
{
	array<unsigned short> halves(NR);
	array<unsigned char> bytes(NR);
	array<unsigned int> words(NR);
	int i, wrong = 0;

	tap_plan(1);
	MUST(hipMemset(words.gpu, 0x5a, NR * 4));
	MUST(hipMemsetD32((hipDeviceptr_t)(words.gpu + 8), 0x12345678, 100));
	MUST(hipMemsetD16((hipDeviceptr_t)halves.gpu, 0xbeef, 512));
	MUST(hipMemsetD8((hipDeviceptr_t)(bytes.gpu + 1), 7, 301));
	must_run();
	words.to_cpu();
	halves.to_cpu();
	bytes.to_cpu();
	for (i = 0; i < NR; i++) {
		wrong += words[i] != (i >= 8 && i < 108 ? 0x12345678u : 0x5a5a5a5au);
		wrong += halves[i] != (i < 512 ? 0xbeef : 0);
		wrong += bytes[i] != (i && i < 302 ? 7 : 0);
	}
	tap_ok(!wrong, "what is filled");
	return tap_status();
}
