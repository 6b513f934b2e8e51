// SPDX-License-Identifier: GPL-2.0
/*
 * The models: closed forms that can be checked by hand, then every kernel
 * against its compiled code, run by the wave interpreter (emu/): the same
 * memory, and the same counts for many watches. Those of hip/ need hipcc, and
 * are compared by tests/amdgpu/guest/live-truth-hip.
 *
 * usage: test_model DIRECTORY-OF-CODE-OBJECTS
 */
#include <string.h>
#include "emu.h"
#include "gpubp_run.h"
#include "model.h"
#include "specs.h"
#include "tap.h"

#define TAIL		256
#define NR_BYTES	256	/* watched one by one */
#define NR_WATCHES	(1 + NR_BYTES + 128)
#define ALL		(GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC)

static unsigned long long seed = 12345;

/*
 * The first watch covers everything, so that something is counted; then each of
 * the first bytes, which detects accesses that are a byte too wide; then random
 * ranges.
 */
static void place_watches(struct model *m, uint64_t va, uint64_t size)
{
	static const uint64_t lens[] = { 1, 1, 3, 4, 8, 16, 64, 100, 1000 };
	unsigned int i;

	emu_nr_watches = NR_WATCHES;
	for (i = 0; i < NR_WATCHES; i++) {
		uint64_t addr = va + tap_random(&seed) % size;
		uint64_t len = lens[tap_random(&seed) % (sizeof(lens) / sizeof(lens[0]))];
		unsigned int access = 1 + (unsigned int)tap_random(&seed) % ALL;

		if (!i) {
			addr = va;
			len = size;
			access = ALL;
		} else if (i <= NR_BYTES) {
			addr = va + i - 1;
			len = 1;
			access = ALL;
		}
		model_watch(m, addr, len, access);
		emu_watches[i] = (struct emu_watch){ addr, len, access, 0 };
	}
}

static bool run_kernel(struct grun_device *dev, struct grun_code *code,
		       const struct spec *spec, const uint64_t *args)
{
	struct grun_launch launch = {
		.grid = { spec->grid[0], spec->grid[1], 1 },
		.workgroup = { spec->workgroup[0], spec->workgroup[1], 1 },
	};
	const struct grun_kernel *kernel;
	union grun_value values[8] = {};
	struct grun_err err;
	unsigned int i;
	bool ok;

	kernel = grun_code_find(code, spec->kernel);
	for (i = 0; kernel && i < grun_kernel_nr_params(kernel); i++)
		values[i].va = args[i];
	ok = kernel && !grun_load(dev, code, NULL, &err) &&
	     !grun_dispatch(dev, code, kernel, &launch, values,
			    grun_kernel_nr_params(kernel), NULL, &err) &&
	     !grun_wait(dev, 0, -1, &err);
	if (!ok)
		tap_note("%s", kernel ? err.text : "no such kernel");
	return ok;
}

static bool same_counts(const struct model *m)
{
	const struct model_watch *w;
	unsigned int i;
	bool same = true;

	for (i = 0; i < m->nr_watches; i++) {
		w = &m->watches[i];
		if (w->count == emu_watches[i].count)
			continue;
		tap_note("watch %u: +%llu len %llu access %u: %llu, the model says %llu",
			 i, (unsigned long long)(w->addr - m->maps[0].va),
			 (unsigned long long)w->len, w->access,
			 (unsigned long long)emu_watches[i].count,
			 (unsigned long long)w->count);
		same = false;
	}
	return same;
}

static void compare(struct grun_device *dev, struct grun_code *code,
		    const struct spec *spec)
{
	const uint32_t grid[3] = { spec->grid[0], spec->grid[1], 1 };
	const uint32_t workgroup[3] = { spec->workgroup[0], spec->workgroup[1], 1 };
	static char bytes[SPEC_MEMORY];
	uint64_t args[SPEC_ARGS], size;
	struct grun_mem mem;
	struct grun_err err;
	struct model m = {};
	bool ok;

	if (grun_alloc(dev, &mem, SPEC_MEMORY, 0, &err)) {
		tap_ok(false, "%s: %s", spec->kernel, err.text);
		return;
	}
	size = spec_place(spec, mem.va, mem.cpu, args, &seed) + TAIL;
	memcpy(bytes, mem.cpu, SPEC_MEMORY);
	model_map(&m, mem.va, bytes, SPEC_MEMORY);
	place_watches(&m, mem.va, size);
	ok = model_run(&m, spec->kernel, grid, workgroup, args) && !m.faults &&
	     run_kernel(dev, code, spec, args);
	tap_ok(ok && spec_same_memory(bytes, mem.cpu), "%s: memory as the model's",
	       spec->kernel);
	tap_ok(ok && same_counts(&m) &&
	       (m.watches[0].count || !strcmp(spec->kernel, "nop")),
	       "%s: %d counts as the model's, %llu at most", spec->kernel,
	       NR_WATCHES, (unsigned long long)m.watches[0].count);
	grun_release(dev, &mem);
}

static void check_spec(const char *dir, const struct spec *spec)
{
	struct grun_code *code = NULL;
	struct grun_device *dev = NULL;
	struct grun_err err;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s.elf", dir, spec->file);
	if (grun_code_open(&code, path, &err) || grun_open(&dev, NULL, &err)) {
		tap_ok(false, "%s: %s", spec->kernel, err.text);
		tap_ok(false, "%s: not compared", spec->kernel);
	} else {
		compare(dev, code, spec);
	}
	grun_close(dev);
	grun_code_free(code);
}

/*
 * Closed forms.
 */

#define VA	0x10000

static uint64_t count_of(const char *kernel, uint32_t grid, uint32_t workgroup,
			 const uint64_t *args, uint64_t addr, uint64_t len,
			 unsigned int access)
{
	const uint32_t grid3[3] = { grid, 1, 1 }, workgroup3[3] = { workgroup, 1, 1 };
	static char bytes[SPEC_MEMORY];
	struct model m = {};

	memset(bytes, 0, sizeof(bytes));
	model_map(&m, VA, bytes, sizeof(bytes));
	model_watch(&m, addr, len, access);
	if (!model_run(&m, kernel, grid3, workgroup3, args) || m.faults)
		return ~0ULL;
	return m.watches[0].count;
}

static void check_closed_forms(void)
{
	const uint64_t vadd[] = { VA, VA + 1024, VA + 2048, 200 };
	const uint64_t one[] = { VA, 10 };

	tap_ok(count_of("vadd", 256, 64, vadd, VA + 2048, 1024, 2) == 4,
	       "vadd: 4 waves store");
	tap_ok(count_of("vadd", 256, 64, vadd, VA + 2048 + 800, 224, 2) == 0,
	       "vadd: nothing behind n");
	tap_ok(count_of("vadd", 256, 64, vadd, VA + 2048 + 255, 2, 2) == 2,
	       "vadd: two bytes of two waves");
	tap_ok(count_of("vadd", 256, 64, vadd, VA, 3072, 7) == 12,
	       "vadd: 4 waves load twice and store");
	tap_ok(count_of("diverge", 128, 64, one, VA, 512, 2) == 5,
	       "diverge: both branches twice, the upper one once");
	tap_ok(count_of("diverge", 128, 64, one, VA + 4, 4, 2) == 1,
	       "diverge: one branch for one lane");
	tap_ok(count_of("even_groups", 256, 64, one, VA, 1024, 7) == 2,
	       "even_groups: two of four");
	tap_ok(count_of("repeat", 128, 64, one, VA + 20, 1, 2) == 10,
	       "repeat: ten stores to one word");
	tap_ok(count_of("st_widths", 64, 64, one, VA + 128 * 5 + 9, 1, 2) == 1,
	       "st_widths: the second byte of an 8-byte store");
	tap_ok(count_of("st_widths", 64, 64, one, VA + 128 * 5 + 28, 4, 2) == 0,
	       "st_widths: the gap behind a 12-byte store");
	tap_ok(count_of("at_ops", 64, 64, one, VA + 32 * 7, 32, 4) == 8,
	       "at_ops: eight atomics");
	tap_ok(count_of("at_ops", 64, 64, one, VA + 32 * 7, 32, 3) == 0,
	       "at_ops: neither loads nor stores");
}

static void check_refusals(void)
{
	const uint64_t args[] = { VA, 10 };
	const uint32_t good[3] = { 64, 1, 1 }, odd[3] = { 65, 1, 1 };
	struct model m = {};
	char byte;

	tap_ok(!model_run(&m, "no_such_kernel", good, good, args), "an unknown kernel");
	tap_ok(!model_run(&m, "repeat", odd, good, args), "a grid with a rest");
	tap_ok(!model_run(&m, "repeat", good, odd, args), "a wrong workgroup");
	tap_ok(model_run(&m, "repeat", good, good, args) && m.faults == 640 &&
	       m.fault == VA, "accesses to what is not mapped");
	tap_ok(model_map(&m, 5, &byte, 1) && !model_map(&m, 5, &byte, 1),
	       "overlapping maps");
}

int main(int argc, char **argv)
{
	unsigned int models = 0;
	int i, nr = 0;

	while (specs[nr].file)
		nr++;
	tap_plan(12 + 5 + 1 + 2 * nr);
	check_closed_forms();
	check_refusals();
	for (i = 0; model_name(i); i++)
		models += !strstr(model_name(i), "hip_");
	tap_ok(models == (unsigned int)nr, "every model is compared, but for those of HIP kernels");
	if (argc != 2) {
		printf("Bail out! no directory of code objects given\n");
		return 1;
	}
	for (i = 0; i < nr; i++)
		check_spec(argv[1], &specs[i]);
	tap_note("%llu instructions", (unsigned long long)emu_insts());
	return tap_status();
}
