// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels of tests/host/corpus on the device, -O0 and -O2: all of their
 * buffers are as their references leave them, and so is what surrounds them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kselftest.h"
#include "gpu.h"
#include "corpus_run.h"

#define GUARD		4096
#define WHOLE		(GUARD + BUF_SIZE + GUARD)
#define NR_BUFS		3
#define PATIENCE	120	/* s */

static const char * const chosen[] = {
	"div64", "f32_divide", "f64_divide", "struct_copy", "flat_select",
	"tickets", "calls", "bitonic_sort", "dpp_moves", "permutes", "chacha20",
	"volume",
};

#define NR_CHOSEN	(sizeof(chosen) / sizeof(*chosen))

/**
 * struct setup - a kernel that is set up
 * @k: which
 * @gpu: its context
 * @mem: its buffers, each within guard zones
 * @want: what they shall hold
 */
struct setup {
	const struct corpus_kernel *k;
	struct gpu gpu;
	struct grun_mem mem[NR_BUFS];
	unsigned char want[NR_BUFS][WHOLE] __attribute__((aligned(16)));
};

static struct setup setup;

static const struct corpus_kernel *find(const char *name)
{
	unsigned int n;

	for (n = 0; n < corpus_nr_kernels; n++)
		if (!strcmp(corpus_kernels[n].name, name))
			return &corpus_kernels[n];
	ksft_exit_fail_msg("no kernel %s\n", name);
}

static unsigned int device_nr(void)
{
	const char *nr = getenv("GPUBP_SIM");

	return nr ? atoi(nr) : 0;
}

static int open_gpu(struct setup *s, const char *opt)
{
	char name[64];
	unsigned int n;

	snprintf(name, sizeof(name), "%s.%s.gfx90a", s->k->file, opt);
	if (gpu_open_on(&s->gpu, device_nr(), name))
		return -1;
	for (n = 0; n < NR_BUFS; n++)
		if (gpu_buffer(&s->gpu, &s->mem[n], WHOLE, 0))
			return -1;
	return 0;
}

static void fill_all(struct setup *s)
{
	const enum corpus_fill kind[NR_BUFS] = { s->k->a, s->k->b, s->k->o };
	u64 seed = 0x5eed5eed5eed;
	unsigned int n;

	for (n = 0; n < NR_BUFS; n++) {
		memset(s->want[n], 0xc5 + n, WHOLE);
		corpus_fill(kind[n], s->want[n] + GUARD, &seed);
		memcpy(s->mem[n].cpu, s->want[n], WHOLE);
	}
}

static int run_gpu(struct setup *s)
{
	const struct grun_kernel *kernel = grun_code_find(s->gpu.code,
							  s->k->name);
	union grun_value args[NR_BUFS + 1] = {};
	struct grun_launch launch;
	struct grun_err err;
	unsigned int n;

	for (n = 0; n < NR_BUFS; n++)
		args[n].va = s->mem[n].va + GUARD;
	memcpy(args[NR_BUFS].bytes, &s->k->n, sizeof(s->k->n));
	memcpy(launch.grid, s->k->grid, sizeof(launch.grid));
	memcpy(launch.workgroup, s->k->wg, sizeof(launch.workgroup));
	if (!kernel)
		return -1;
	if (grun_dispatch(s->gpu.dev, s->gpu.code, kernel, &launch, args,
			  NR_BUFS + 1, NULL, &err)) {
		ksft_print_msg("%s\n", err.text);
		return -1;
	}
	return gpu_wait(&s->gpu, PATIENCE);
}

static bool compare(const struct setup *s)
{
	unsigned int n, at;

	for (n = 0; n < NR_BUFS; n++)
		for (at = 0; at < WHOLE; at += 4)
			if (memcmp(s->mem[n].cpu + at, s->want[n] + at, 4)) {
				ksft_print_msg("%c[%d] differs\n", "abo"[n],
					       (int)at - GUARD);
				return false;
			}
	return true;
}

static void test_kernel(struct setup *s, const char *name, const char *opt)
{
	bool ok;

	s->k = find(name);
	if (open_gpu(s, opt))
		ksft_exit_fail_msg("%s cannot be set up\n", name);
	fill_all(s);
	corpus_native(s->k, s->want[0] + GUARD, s->want[1] + GUARD,
		      s->want[2] + GUARD);
	ok = !run_gpu(s) && compare(s);
	ksft_test_result(ok, "%s, -%s\n", name, opt);
	gpu_close(&s->gpu);
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
		test_kernel(&setup, names[n], "O0");
		test_kernel(&setup, names[n], "O2");
	}
	ksft_finished();
}
