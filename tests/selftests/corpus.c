// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels of tests/host/corpus on the device, -O0 and -O2: all of their buffers
 * match the references, and the guard zones around them are intact.
 */
#include "kselftest.h"
#include "corpus_gpu.h"

static const char * const chosen[] = {
	"div64", "f32_divide", "f64_divide", "struct_copy", "flat_select",
	"tickets", "calls", "bitonic_sort", "dpp_moves", "permutes", "chacha20",
	"volume",
};

#define NR_CHOSEN	(sizeof(chosen) / sizeof(*chosen))

static struct corpus_gpu setup;

static void test_kernel(const char *name, const char *opt)
{
	bool ok;

	if (corpus_open(&setup, corpus_find(name), opt))
		ksft_exit_fail_msg("%s cannot be set up\n", name);
	ok = corpus_run(&setup);
	ksft_test_result(ok, "%s, -%s\n", name, opt);
	corpus_close(&setup);
}

/* corpus [KERNEL...]; GPUBP_SIM is the device's number */
int main(int argc, char **argv)
{
	const char *const *names = chosen;
	int n, nr = NR_CHOSEN;

	if (argc > 1) {
		names = (const char *const *)&argv[1];
		nr = argc - 1;
	}
	ksft_print_header();
	ksft_set_plan(2 * nr);
	for (n = 0; n < nr; n++) {
		test_kernel(names[n], "O0");
		test_kernel(names[n], "O2");
	}
	ksft_finished();
}
