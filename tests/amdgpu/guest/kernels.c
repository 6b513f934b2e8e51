// SPDX-License-Identifier: GPL-2.0
/*
 * kernels DIRECTORY [vram|watched]: run the test kernels of tests/gpu through ROCr, and
 * compare all of their memory with the models. It prints TAP.
 *
 * Buffers are in system memory or, with vram, in that of the GPU: kernels of ROCr
 * copy them there and back then. With watched, perf events count the accesses of each
 * kernel to some bytes, which are compared with those of the model, too.
 */
#include <errno.h>

#include "events.h"
#include "gpu/model.h"
#include "gpu/specs.h"
#include "rocr.h"

#define WAIT_SECONDS	300
#define NR_WATCHES	4	/* as there are comparators */
#define ALL_ACCESSES	(GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC)

static struct rocr rocr;
static unsigned long long seed = 4711;

/* ---- watches ------------------------------------------------------------- */

/**
 * struct watch - a perf event
 * @fd: event
 * @model: what it should count
 */
struct watch {
	int fd;
	const struct model_watch *model;
};

static struct watch watches[NR_WATCHES];
static struct model model;
static int gpubp;

/* of four bytes, as there are four comparators each is armed all the time */
static bool open_watch(struct watch *watch, uint64_t va, uint64_t size)
{
	static const unsigned int accesses[] = {
		GPUBP_ACCESS_STORE, GPUBP_ACCESS_LOAD, GPUBP_ACCESS_ATOMIC, ALL_ACCESSES
	};
	unsigned int access = accesses[tap_random(&seed) % 4];
	uint64_t addr = va + tap_random(&seed) % (size ?: 1) / 4 * 4;
	struct perf_event_attr attr = {
		.config = GPUBP_KIND_WATCH |
			  (uint64_t)access << GPUBP_CONFIG_ACCESS_SHIFT,
		.config1 = addr,
		.config2 = 4,
	};
	struct gpubp_sync sync;

	watch->model = model_watch(&model, addr, 4, access);
	watch->fd = event_open(&attr, 0);
	if (watch->fd < 0 || event_sync(gpubp, watch->fd, &sync)) {
		tap_note("watch of %#llx: %s", (unsigned long long)addr, strerror(errno));
		return false;
	}
	return sync.nr_armed == 1;
}

static bool open_watches(uint64_t va, uint64_t size)
{
	unsigned int i;

	for (i = 0; i < NR_WATCHES; i++)
		if (!open_watch(&watches[i], va, size))
			return false;
	return true;
}

/*
 * A load may overwrite the registers that its address came from, and is not known to
 * be of the watched bytes then.
 */
static bool count_is_right(const struct watch *watch)
{
	const struct model_watch *m = watch->model;
	uint64_t least = m->count - m->eaten - m->maybe_eaten, count = 0;
	struct gpubp_sync sync;

	if (event_sync(gpubp, watch->fd, &sync) ||
	    read(watch->fd, &count, sizeof(count)) != sizeof(count)) {
		tap_note("count: %s", strerror(errno));
		return false;
	}
	if (count >= least && count <= m->count)
		return true;
	tap_note("%#llx access %u: %llu, the model says %llu, %llu of them surely",
		 (unsigned long long)m->addr, m->access, (unsigned long long)count,
		 (unsigned long long)m->count, (unsigned long long)least);
	return false;
}

static uint64_t nr_counted;

static bool counts_are_right(void)
{
	bool right = true;
	unsigned int i;

	for (i = 0; i < NR_WATCHES; i++) {
		right &= count_is_right(&watches[i]);
		nr_counted += watches[i].model->count;
	}
	return right;
}

static void close_watches(void)
{
	unsigned int i;

	for (i = 0; i < NR_WATCHES; i++) {
		if (watches[i].fd > 0)
			close(watches[i].fd);
		watches[i].fd = 0;
	}
}

/* ---- comparison ---------------------------------------------------------- */

static bool run_model(const struct spec *spec, const struct grun_launch *launch,
		      const uint64_t *args)
{
	if (model_run(&model, spec->kernel, launch->grid, launch->workgroup, args) &&
	    !model.faults)
		return true;
	tap_note("no model");
	return false;
}

static bool run_compared(struct rocr_kernel *k, const struct spec *spec, char *memory)
{
	const struct grun_launch launch = {
		.grid = { spec->grid[0], spec->grid[1], 1 },
		.workgroup = { spec->workgroup[0], spec->workgroup[1], 1 },
	};
	static char want[SPEC_MEMORY], got[SPEC_MEMORY];
	uint64_t args[SPEC_ARGS], va = (uint64_t)memory, size;

	memset(want, 0, sizeof(want));
	size = spec_place(spec, va, want, args, &seed);
	if (!rocr_ok(hsa_memory_copy(memory, want, SPEC_MEMORY), "copy"))
		return false;
	rocr_set_arguments(k, args, &launch);
	model = (struct model){ };
	model_map(&model, va, want, SPEC_MEMORY);
	if ((gpubp && !open_watches(va, size)) || !run_model(spec, &launch, args))
		return false;
	rocr_dispatch(&rocr, k, &launch);
	if (!rocr_wait(&rocr, WAIT_SECONDS)) {
		tap_note("it has not ended after %d s", WAIT_SECONDS);
		return false;
	}
	return rocr_ok(hsa_memory_copy(got, memory, SPEC_MEMORY), "copy back") &&
	       spec_same_memory(want, got) && (!gpubp || counts_are_right());
}

static void check_spec(const char *dir, const struct spec *spec, const char *how)
{
	struct rocr_kernel k;
	void *memory = NULL;
	bool ok;

	ok = rocr_load(&rocr, &k, dir, spec->file, spec->kernel) &&
	     rocr_ok(hsa_memory_allocate(strcmp(how, "vram") ? rocr.system :
					 rocr.vram, SPEC_MEMORY, &memory), "memory") &&
	     run_compared(&k, spec, memory);
	tap_ok(ok, "%s%s%s: as the model's", spec->kernel, *how ? ", " : "", how);
	close_watches();
	if (memory)
		hsa_memory_free(memory);
	rocr_unload(&k);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	const struct spec *spec;
	int nr = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: kernels DIRECTORY [vram|watched]\n");
		return 2;
	}
	for (spec = specs; spec->file; spec++)
		nr++;
	tap_plan(nr);
	if (!strcmp(how, "watched"))
		gpubp = open("/dev/gpubp", O_RDWR | O_CLOEXEC);
	if (gpubp < 0)
		printf("Bail out! /dev/gpubp: %s\n", strerror(errno));
	rocr_start(&rocr);
	for (spec = specs; spec->file; spec++)
		check_spec(argv[1], spec, how);
	if (gpubp)
		tap_note("%llu accesses were counted", (unsigned long long)nr_counted);
	rocr_end(&rocr);
	return tap_status();
}
