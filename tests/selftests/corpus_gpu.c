// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include "kselftest.h"
#include "event.h"
#include "corpus_gpu.h"

#define PATIENCE	3000	/* s */

const struct corpus_kernel *corpus_find(const char *name)
{
	unsigned int n;

	for (n = 0; n < corpus_nr_kernels; n++)
		if (!strcmp(corpus_kernels[n].name, name))
			return &corpus_kernels[n];
	ksft_exit_fail_msg("no kernel %s\n", name);
}

static unsigned int device_nr(void)
{
	return env_number("GPUBP_SIM", 0);
}

int corpus_open(struct corpus_gpu *s, const struct corpus_kernel *k,
		const char *opt)
{
	char name[64];
	unsigned int n;

	s->k = k;
	snprintf(name, sizeof(name), "%s.%s.gfx90a", s->k->file, opt);
	if (gpu_open_named(&s->gpu, device_nr(), name))
		return -1;
	for (n = 0; n < CORPUS_BUFS; n++)
		if (gpu_buffer(&s->gpu, &s->mem[n], CORPUS_WHOLE, 0))
			return -1;
	return 0;
}

static void fill_all(struct corpus_gpu *s)
{
	const enum corpus_fill kind[CORPUS_BUFS] = { s->k->a, s->k->b, s->k->o };
	u64 seed = 0x5eed5eed5eed;
	unsigned int n;

	for (n = 0; n < CORPUS_BUFS; n++) {
		memset(s->want[n], 0xc5 + n, CORPUS_WHOLE);
		corpus_fill(kind[n], s->want[n] + CORPUS_GUARD, &seed);
		memcpy(s->mem[n].cpu, s->want[n], CORPUS_WHOLE);
	}
}

static int run_gpu(struct corpus_gpu *s)
{
	const struct grun_kernel *kernel = grun_code_find(s->gpu.code,
							  s->k->name);
	union grun_value args[CORPUS_BUFS + 1] = {};
	struct grun_launch launch;
	struct grun_err err;
	unsigned int n;

	for (n = 0; n < CORPUS_BUFS; n++)
		args[n].va = s->mem[n].va + CORPUS_GUARD;
	memcpy(args[CORPUS_BUFS].bytes, &s->k->n, sizeof(s->k->n));
	memcpy(launch.grid, s->k->grid, sizeof(launch.grid));
	memcpy(launch.workgroup, s->k->wg, sizeof(launch.workgroup));
	if (!kernel)
		return -1;
	if (grun_dispatch(s->gpu.dev, s->gpu.code, kernel, &launch, args,
			  CORPUS_BUFS + 1, NULL, &err)) {
		ksft_print_msg("%s\n", err.text);
		return -1;
	}
	return gpu_wait(&s->gpu, PATIENCE);
}

static bool compare(const struct corpus_gpu *s)
{
	unsigned int n, at;

	for (n = 0; n < CORPUS_BUFS; n++)
		for (at = 0; at < CORPUS_WHOLE; at += 4)
			if (memcmp(s->mem[n].cpu + at, s->want[n] + at, 4)) {
				ksft_print_msg("%c[%d] differs\n", "abo"[n],
					       (int)at - CORPUS_GUARD);
				return false;
			}
	return true;
}

void corpus_close(struct corpus_gpu *s)
{
	gpu_close(&s->gpu);
}

bool corpus_run(struct corpus_gpu *s)
{
	fill_all(s);
	corpus_native(s->k, s->want[0] + CORPUS_GUARD,
		      s->want[1] + CORPUS_GUARD, s->want[2] + CORPUS_GUARD);
	return !run_gpu(s) && compare(s);
}
