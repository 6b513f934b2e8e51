// SPDX-License-Identifier: GPL-2.0
/*
 * The GPU in the process: what it says through a door that is the test's (door.h).
 *
 * usage: test_inproc VADD.elf LOOP.elf VARIABLES.elf
 */
#include <stdlib.h>
#include <sys/mman.h>
#include "door.h"
#include "gpubp_run.h"
#include "inproc/memory.h"
#include "tap.h"

#define NR		64
#define SECOND		1000000000ll
#define ANY		(GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC)
#define WRITES		1	/* modes of comparators */
#define ALL		3

/**
 * struct app - a program with one kernel
 * @dev: its GPU
 * @code: code object
 * @kernel: in it
 * @launch: one wave
 * @mem: buffers
 * @err: what went wrong
 */
struct app {
	struct grun_device *dev;
	struct grun_code *code;
	const struct grun_kernel *kernel;
	struct grun_launch launch;
	struct grun_mem mem[3];
	struct grun_err err;
};

static bool app_start(struct app *app, const char *elf, const char *kernel)
{
	unsigned int i;

	memset(app, 0, sizeof(*app));
	app->launch = (struct grun_launch){ { NR, 1, 1 }, { NR, 1, 1 } };
	if (grun_code_open(&app->code, elf, &app->err) ||
	    grun_open_in_process(&app->dev, grun_code_isa(app->code), &app->err) ||
	    grun_load(app->dev, app->code, "code", &app->err))
		return false;
	app->kernel = grun_code_find(app->code, kernel);
	for (i = 0; i < 3; i++)
		if (grun_alloc(app->dev, &app->mem[i], 4096, 0, &app->err))
			return false;
	return app->kernel;
}

static void app_stop(struct app *app)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		grun_release(app->dev, &app->mem[i]);
	grun_close(app->dev);
	grun_code_free(app->code);
}

static bool app_begin(struct app *app, unsigned int nr, const uint64_t *args)
{
	union grun_value values[8] = { };
	unsigned int i;

	for (i = 0; i < nr; i++)
		values[i].va = args[i];
	return !grun_dispatch(app->dev, app->code, app->kernel, &app->launch, values, nr, NULL,
			      &app->err);
}

static bool app_wait(struct app *app)
{
	return !grun_wait(app->dev, 0, 300 * SECOND, &app->err);
}

static float *floats(struct app *app, unsigned int n)
{
	return app->mem[n].cpu;
}

static bool vadd_run(struct app *app)
{
	const uint64_t args[] = { app->mem[0].va, app->mem[1].va, app->mem[2].va, NR };

	return app_begin(app, 4, args) && app_wait(app);
}

static bool vadd_adds(struct app *app)
{
	unsigned int i;
	bool same = true;

	for (i = 0; i < NR; i++) {
		floats(app, 0)[i] = i;
		floats(app, 1)[i] = 2 * i;
	}
	same = vadd_run(app);
	for (i = 0; i < NR; i++)
		same &= floats(app, 2)[i] == 3 * i;
	return same;
}

/* of one comparator, of the 64 bytes with @addr */
static struct gpubp_agent_program program_of(uint64_t addr, uint64_t len, uint32_t flags)
{
	return (struct gpubp_agent_program) {
		.valid = 1,
		.slot[0] = {
			.value = addr & -64, .mask = 0xffffffffffc0, .mode = WRITES,
			.nr_ranges = 1,
			.range[0] = {
				.start = addr, .len = len, .flags = flags,
				.access = GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC,
			},
		},
	};
}

/* ---- memory -------------------------------------------------------------- */

static void test_memory(void)
{
	struct inproc_memory memory = { };
	char a[100], b[100] = "right", text[100];
	size_t len;
	unsigned int i;

	tap_ok(!inproc_memory_add(&memory, 1000, 100, a) &&
	       !inproc_memory_add(&memory, 1100, 100, b) &&
	       inproc_memory_add(&memory, 1099, 1, a) == -EEXIST &&
	       inproc_memory_add(&memory, 900, 101, a) == -EEXIST &&
	       inproc_memory_add(&memory, 0, 5000, a) == -EEXIST, "memory is there once");
	tap_ok(inproc_memory_at(&memory, 1150, &len) == b + 50 && len == 50 &&
	       !inproc_memory_at(&memory, 999, &len) && !inproc_memory_at(&memory, 1200, &len),
	       "where it begins, and ends");
	tap_ok(inproc_memory_move(&memory, 1098, "abcd", 4, true) == 4 && a[99] == 'b' &&
	       !memcmp(b, "cdght", 5) &&
	       inproc_memory_move(&memory, 1190, text, 20, false) == 10,
	       "an access crosses mappings, and ends at the last one");
	tap_ok(!inproc_memory_del(&memory, 1000) && inproc_memory_del(&memory, 1000) == -ENOENT &&
	       inproc_memory_del(&memory, 1101) == -ENOENT &&
	       !inproc_memory_at(&memory, 1050, &len), "what is unmapped is gone");
	for (i = 0; i < 300; i++)
		if (inproc_memory_add(&memory, 1000000 - 1000 * i, 1000, a))
			break;
	tap_ok(i == 300 && inproc_memory_at(&memory, 701500, &len), "there may be many");
	inproc_memory_free(&memory);
}

/* ---- without a kernel ---------------------------------------------------- */

static void test_alone(const char *elf)
{
	struct grun_mem mem, other;
	struct app app;
	uint64_t va;

	door.there = false;
	tap_ok(app_start(&app, elf, "vadd") && vadd_adds(&app), "without gpubp it runs");
	tap_ok(grun_in_process_watched(app.dev) == -ENOENT && !grun_info(app.dev)->context,
	       "... and says that nothing watches");
	tap_ok(app.mem[0].va == (uintptr_t)app.mem[0].cpu, "GPU and CPU have one address");
	tap_ok(grun_alloc(app.dev, &mem, 64, app.mem[0].va, &app.err) == -EEXIST &&
	       grun_alloc(app.dev, &mem, 64, 12345, &app.err) == -EINVAL &&
	       grun_alloc(app.dev, &mem, 64, 0x900000000000, &app.err) == -EINVAL,
	       "an address that is taken, and such as there are none");
	va = app.mem[0].va;
	grun_release(app.dev, &app.mem[0]);
	tap_ok(!grun_userptr(app.dev, &mem, 64, va, &app.err) && mem.va == va &&
	       mem.cpu == (void *)(uintptr_t)va, "memory of the process is where it is wanted");
	grun_release(app.dev, &mem);
	tap_ok(!grun_alloc(app.dev, &other, 64, va, &app.err), "... once it is released");
	grun_release(app.dev, &other);
	app_stop(&app);
	tap_ok(grun_open_in_process(&app.dev, "gfx1100", &app.err) == -EINVAL, "%s", app.err.text);
	door.there = true;
}

/* ---- hits ---------------------------------------------------------------- */

static void test_counts(const char *elf)
{
	struct gpubp_agent_program program;
	struct app app;

	tap_ok(app_start(&app, elf, "vadd") && !grun_in_process_watched(app.dev) &&
	       grun_info(app.dev)->context == DOOR_CONTEXT, "it joins");
	tap_ok(!strcmp(door.join.isa, "gfx90a") && door.join.nr_slots == 4 &&
	       door.join.granule == 64 && door.join.flags == GPUBP_AGENT_PRECISE, "... as what it is");
	tap_ok(door.nr_names == 1 && !strcmp(door.name.name, "code") &&
	       door.name.kind == GPUBP_PUBLISH_CODE && door.name.device == DOOR_DEVICE + 1 &&
	       door.name.va == grun_code_va(app.code), "it publishes names");
	tap_ok(vadd_adds(&app) && door.awaited == 1, "a dispatch waits until watches are armed");
	door_forget();
	program = program_of(app.mem[2].va + 20, 4, GPUBP_AGENT_RANGE_COUNT);
	tap_ok(door_program(&program) && vadd_run(&app) && vadd_run(&app), "a program is acknowledged");
	door_drain();
	tap_ok(door.counted[0] == 2 && !door.nr_hits && !door.strays && door.counts_of == door.seq,
	       "hits are counted, and written before the end of the dispatch is known");
	door_forget();
	program = program_of(app.mem[2].va + 4 * NR, 4, GPUBP_AGENT_RANGE_COUNT);
	program.slot[0].mask &= ~0x1c0ull;
	program.slot[0].value &= program.slot[0].mask;
	tap_ok(door_program(&program) && vadd_run(&app), "bytes behind the last one");
	door_drain();
	tap_ok(!door.counted[0] && !door.nr_hits && door.strays == 1, "... are strays");
	door_forget();
	program = program_of(app.mem[0].va, 4, GPUBP_AGENT_RANGE_COUNT);
	tap_ok(door_program(&program) && vadd_run(&app), "loads, where stores are watched");
	door_drain();
	tap_ok(!door.counted[0] && !door.nr_hits && !door.strays, "... are nothing");
	program.slot[0].mode = ALL;
	program.slot[0].range[0].access = ANY;
	tap_ok(door_program(&program) && vadd_run(&app), "and where both are");
	door_drain();
	tap_ok(door.counted[0] + door.nr_hits == 1, "... are a hit");
	app_stop(&app);
}

/* values of vector register @reg in the last hit, or NULL */
static const uint32_t *hit_register(unsigned int reg)
{
	const struct gpubp_agent_hit *hit = &door.hit.msg;
	const unsigned char *at = (const void *)(hit + 1);
	unsigned int i;

	for (i = 0; i < hit->nr_regs; i++) {
		const struct gpubp_agent_regs *regs = (const void *)at;
		const uint32_t *values = (const void *)(regs + 1);

		if (regs->file == 1 && reg - regs->first < regs->count)
			return values + (reg - regs->first) * GPUBP_AGENT_LANES;
		at += sizeof(*regs) + 4 * regs->count * (regs->file ? GPUBP_AGENT_LANES : 1);
	}
	return NULL;
}

/* the instruction in front of the pc stores c[lane] in each lane: global_store_dword */
static bool hit_is_store(const struct app *app)
{
	const struct gpubp_agent_hit *hit = &door.hit.msg;
	uint64_t at = hit->pc - 8 - grun_code_va(app->code), start;
	const uint32_t *low, *high, *data;
	uint32_t words[2];
	unsigned int i;

	memcpy(words, hit->code + GPUBP_AGENT_CODE - 8, 8);
	if (words[0] >> 26 != 0x37 || !grun_code_function(app->code, at, &start))
		return false;
	low = hit_register(words[1] & 0xff);
	high = hit_register((words[1] & 0xff) + 1);
	data = hit_register(words[1] >> 8 & 0xff);
	for (i = 0; low && high && data && i < NR; i++) {
		const float value = 3 * (float)i;

		if ((low[i] | (uint64_t)high[i] << 32) != app->mem[2].va + 4 * i ||
		    memcmp(&data[i], &value, 4))
			return false;
	}
	return i == NR;
}

static void test_records(const char *elf)
{
	struct gpubp_agent_program program;
	const struct gpubp_agent_hit *hit = &door.hit.msg;
	struct app app;

	if (!app_start(&app, elf, "vadd") || !vadd_adds(&app)) {
		tap_ok(false, "%s", app.err.text);
		return;
	}
	program = program_of(app.mem[2].va + 20, 4, 0);
	door_program(&program);
	door_forget();
	tap_ok(vadd_run(&app), "it runs");
	door_drain();
	tap_ok(door.nr_hits == 1 && !door.counted[0], "what is to be recorded is one message");
	tap_ok(hit->slots == 1 && hit->exec == ~0ull && hit->flags ==
	       (GPUBP_AGENT_HIT_DISPATCH | GPUBP_AGENT_HIT_COORDS) && hit->dispatch == 2 &&
	       !hit->wg[0] && !hit->wave_in_group && !(hit->header.size % 8), "... of that wave");
	tap_ok(hit_is_store(&app), "... with the instruction, its addresses and values");
	/* two ranges of one access: it is recorded, whatever flags say */
	program = program_of(app.mem[2].va + 20, 4, GPUBP_AGENT_RANGE_COUNT);
	program.slot[0].nr_ranges = 2;
	program.slot[0].range[1] = program.slot[0].range[0];
	door_program(&program);
	door_forget();
	vadd_run(&app);
	door_drain();
	tap_ok(door.nr_hits == 1 && !door.counted[0] && !door.counted[1],
	       "a hit of several ranges is recorded");
	program.slot[0].nr_ranges = 0;
	door_program(&program);
	door_forget();
	vadd_run(&app);
	door_drain();
	tap_ok(door.nr_hits == 1, "and each one where no range is known");
	program = (struct gpubp_agent_program){ };
	door_program(&program);
	door_forget();
	vadd_run(&app);
	door_drain();
	tap_ok(!door.nr_hits && !door.strays, "and none when nothing is watched");
	app_stop(&app);
}

/* ---- programs in the midst of a dispatch --------------------------------- */

/* one program after another, while a wave stores: each store is in one of them */
static void test_midway(const char *elf)
{
	struct gpubp_agent_program program;
	uint64_t before = 0, args[2];
	volatile uint32_t *out;
	unsigned int i, in_time = 0;
	struct app app;

	if (!app_start(&app, elf, "until")) {
		tap_ok(false, "%s", app.err.text);
		return;
	}
	args[0] = app.mem[0].va;
	args[1] = app.mem[1].va;
	out = app.mem[0].cpu;
	program = program_of(app.mem[0].va, 4, GPUBP_AGENT_RANGE_COUNT);
	door_program(&program);
	door_forget();
	tap_ok(app_begin(&app, 2, args), "a wave stores until a word says to end");
	for (i = 0; i < 50; i++) {
		uint64_t was = *out;

		while (*out == was)
			;
		in_time += door_program(&program) && door.counts_of < door.seq;
		before += door.counted[0] > before;
	}
	tap_ok(in_time == 50, "a new program is acknowledged, after the counts of the old one");
	*(volatile uint32_t *)app.mem[1].cpu = 1;
	tap_ok(app_wait(&app), "it ends");
	door_drain();
	tap_ok(door.counted[0] == *out && before, "each of %u stores was counted once", *out);
	app_stop(&app);
}

static void test_end(const char *elf)
{
	struct app app;

	if (!app_start(&app, elf, "forever")) {
		tap_ok(false, "%s", app.err.text);
		return;
	}
	tap_ok(app_begin(&app, 0, NULL) &&
	       grun_wait(app.dev, 0, 1000000, &app.err) == -ETIME, "%s", app.err.text);
	app_stop(&app);
	tap_ok(true, "a kernel that does not end is killed");
}

/* the process, and so the kernel, finds variables where the GPU has them */
static void test_variables(const char *elf)
{
	struct grun_variable var;
	uint64_t args[1], pos = 0;
	struct app app;
	bool same = false;

	if (!app_start(&app, elf, "touch")) {
		tap_ok(false, "%s", app.err.text);
		return;
	}
	args[0] = app.mem[0].va;
	tap_ok(app_begin(&app, 1, args) && app_wait(&app) && app_begin(&app, 1, args) &&
	       app_wait(&app), "a kernel with variables");
	while (grun_code_variable(app.code, &pos, &var))
		if (!strcmp(var.name, "calls"))
			same = *(uint32_t *)(uintptr_t)(grun_code_va(app.code) + var.value) == 9;
	tap_ok(same, "... changes them at their addresses in the process");
	app_stop(&app);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	tap_plan(39);
	test_memory();
	test_alone(argv[1]);
	test_counts(argv[1]);
	test_records(argv[1]);
	test_midway(argv[2]);
	test_end(argv[2]);
	test_variables(argv[3]);
	return tap_status();
}
