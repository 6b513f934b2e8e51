// SPDX-License-Identifier: GPL-2.0
/*
 * usage: hits SCRIPT.csv REPORT.txt BEGIN END DIR PROGRAM NAMES -w WATCH...
 *
 * What should hit the watches that live-run-hip sets on a program of tests/amdgpu/DIR:
 * a model of each, written from its source alone. It compares all fields of each hit in
 * SCRIPT.csv, and each line of what perf-gpubp run reported. It ran from BEGIN to END, in
 * seconds since the boot. Prints TAP.
 */
#include "hits.h"
#include "tap.h"

static char program[128];	/* its source */

static const char *line_with(const char *text)
{
	return line_of(program, text, NULL);
}

/* that of its <<<>>> */
static const char *launch_of(const char *kernel)
{
	char text[128];

	snprintf(text, sizeof(text), "%s<<<", kernel);
	return line_with(text);
}

/* ---- of tests/amdgpu/hip ------------------------------------------------------- */

#define ATOMICS	"/usr/include/hip/amd_detail/amd_hip_atomic.h"

/* the last lanes of a wave, and the first ones of the next */
static void of_vadd(void)
{
	const char *line = line_with("sum[i] = a[i] + b[i];");
	unsigned int i;

	for (i = 4094; i <= 4096; i += 2) {
		float sum = i * 0.25f + 1.0f / (i + 1);

		expect((struct hit){
			.kernel = "add", .source = line,
			.launch = launch_of("add"), .item = { i }, .group = { 256 },
			.lanes = 3ull << i % 64, .access = "store", .width = 4,
			.buffer = "sum", .offset = 4 * i, .type = 'f', .size = 4,
			.new = IS(sum), .now = IS(sum), .seen = ONE_OF(0, sum),
		});
	}
}

/* of bin 0, by the workgroups: its first wave adds to the bins that are watched */
static void of_histogram(void)
{
	unsigned int part[12] = { 0 }, total = 0, i;
	unsigned long long seed = 4;

	for (i = 0; i < 30000; i++)
		if ((((unsigned char)tap_random(&seed) & tap_random(&seed)) & 0xff) % 128 == 0)
			part[i / 256 % 12]++;
	for (i = 0; i < 12; i++)
		total += part[i];
	for (i = 0; i < 12; i++)
		expect((struct hit){
			.kernel = "histogram",
			.source = line_of(ATOMICS, "unsigned int atomicAdd(unsigned int* address",
					  "__hip_atomic_fetch_add"),
			.launch = launch_of("histogram"), .item = { i * 256 },
			.group = { 256 }, .lanes = ~0ull, .access = "atomic", .width = 4,
			.buffer = "bins", .offset = 0, .type = 'i', .size = 4,
			.operand = IS(part[i]), .seen = OR_LEFT(0),
			.now = WITHIN(part[i], total),
		});
}

/* the compiler lets one lane of each wave add for all of them */
static void of_symbols(void)
{
	unsigned int launch, wave;

	for (launch = 0; launch < 2; launch++)
		for (wave = 0; wave < 2; wave++)
			expect((struct hit){
				.kernel = "use",
				.source = line_of(ATOMICS, "int atomicAdd(int* address",
						  "__hip_atomic_fetch_add"),
				.launch = line_of(program, launch ? "shared = 21" : "main(",
						  "use<<<"),
				.item = { wave * 64 }, .group = { 100 }, .access = "atomic",
				.width = 4, .buffer = "counter", .align = 4, .offset = 0,
				.type = 'i', .size = 4, .operand = IS(wave ? 36 : 64),
				.seen = OR_LEFT(40 + 100 * launch),
				.now = WITHIN(40 + 100 * launch + (wave ? 36 : 64),
					      140 + 100 * launch),
			});
}

/* ---- of tests/amdgpu/watched ---------------------------------------------------- */

/* most hits are alike: a store of one lane, in a launch of workgroups of 64 */
static struct hit stored(const char *kernel, const char *source, unsigned int item,
			 const char *buffer, unsigned int element, char type,
			 unsigned int size, long double new, long double seen)
{
	return (struct hit){
		.kernel = kernel, .source = source,
		.launch = source ? launch_of(kernel) : NULL,
		.item = { item }, .group = { 64 },
		.access = "store", .width = size, .buffer = buffer,
		.offset = element * size, .type = type, .size = size,
		.new = IS(new), .now = IS(new), .seen = IS(seen),
	};
}

/*
 * HIP's kernel has no source. A work-item fills what lies at its number, in units of eight
 * bytes if these are aligned; what is in front of them by bytes, in a launch of its own.
 */
static void filled(const char *call, unsigned int item, const char *buffer,
		   unsigned int element, unsigned int size, unsigned int width, unsigned int new,
		   unsigned int seen)
{
	struct hit hit = stored("__amd_rocclr_fillBufferAligned", NULL, item, buffer, element, 'i',
				size, new, seen);

	hit.launch = line_with(call);
	hit.width = width;
	expect(hit);
}

static void of_fill(void)
{
	filled("hipMemset(", 17 * 4 / 8, "words", 17, 4, 8, 0x5a5a5a5a, 0);
	filled("hipMemsetD32(", (17 - 8) * 4 / 8, "words", 17, 4, 8, 0x12345678, 0x5a5a5a5a);
	filled("hipMemsetD16(", 100 * 2 / 8, "halves", 100, 2, 8, 0xbeef, 0);
	filled("hipMemsetD8(", 5 - 1, "bytes", 5, 1, 1, 7, 0);
}

/* HIP copies by words, a work-item each */
static void copied(const char *call, unsigned int item, const char *buffer,
		   unsigned int element, float new)
{
	struct hit hit = stored("__amd_rocclr_copyBuffer", NULL, item, buffer, element, 'f', 4,
				new, 0);

	hit.launch = line_with(call);
	expect(hit);
}

static void of_copy(void)
{
	copied("hipMemcpyDtoD(", 33, "to", 33, 33.25);
	expect(stored("halve", line_with("*= 0.5f"), 33, "to", 33, 'f', 4, 16.625, 33.25));
	copied("hipMemcpy(from.gpu + 64", 1, "from", 65, 16.625);
}

static void of_arena(void)
{
	const char *line = line_with("next[i] = ");
	float level[2][320], was[2] = { 0 };
	unsigned int i, step;
	struct hit hit;

	for (i = 0; i < 320; i++)
		level[0][i] = i * 2;
	hit = stored("start", line_with("level[i] = i * 2"), 70, "arena", 70, 'f', 4,
		     level[0][70], 0);
	hit.lanes = 7ull << 70 % 64;
	expect(hit);
	was[0] = level[0][70];
	for (step = 0; step < 3; step++) {
		float *from = level[step % 2], *to = level[(step + 1) % 2];
		unsigned int half = (step + 1) % 2;

		for (i = 0; i < 320; i++)
			to[i] = (from[i ? i - 1 : 0] + from[i < 319 ? i + 1 : i]) / 2 + i % 5;
		hit = stored("step", line, 70, "arena", 320 * half + 70, 'f', 4, to[70],
			     was[half]);
		hit.lanes = (half ? 1ull : 7ull) << 70 % 64;
		expect(hit);
		was[half] = to[70];
	}
}

static void of_templates(void)
{
	const char *each = line_with("values[i] = function(");
	int value = 70, was = 0;
	struct hit hit;

	value *= 3;
	expect(stored("numeric::scale<int, 3>", line_with("*= BY"), 70, "values", 70, 'i', 4,
		      value, was));
	was = value;
	value += 700;
	hit = stored("numeric::each", each, 70, "values", 70, 'i', 4, value, was);
	hit.kernel = "numeric::(anonymous namespace)::each<add_index>";
	expect(hit);
	was = value;
	value ^= 70;
	hit = stored("numeric::each", each, 70, "values", 70, 'i', 4, value, was);
	hit.kernel = "numeric::(anonymous namespace)::each<main::{lambda(int, int)#1}>";
	hit.launch = line_with("values.gpu, [] __device__");
	expect(hit);
	expect(stored("solver::shift<int>", line_with("-= by"), 70, "values", 70, 'i', 4,
		      value - 100, value));
}

/*
 * The watch is armed where the account is allocated, or if there was no queue yet, with
 * the first one, when the CPU has written: that is what is seen first.
 */
static void of_managed(void)
{
	const char *line = line_with("* percent / 100");
	long long value = 1000000007000, left = 0;
	struct hit hit;
	int year;

	for (year = 0; year < 3; year++) {
		hit = stored("interest", line, 7, "account", 7, 'i', 8, value + value * 10 / 100,
			     left);
		if (!year)
			hit.seen = ONE_OF(0, value);
		expect(hit);
		left = value + value * 10 / 100;
		value = left - 5000;
	}
}

/* the first wave of each workgroup, all of which may run at a time */
static void of_blocks(void)
{
	int sum[5] = { 0 }, total = 0, i;
	struct hit hit;

	for (i = 0; i < 5 * 128; i++)
		sum[i / 128] += i * i % 1000 - 300;
	for (i = 0; i < 5; i++) {
		hit = stored("sum", line_with("to[blockIdx.x] = part[0];"), i * 128,
			     "parts", i, 'i', 4, sum[i], 0);
		hit.group[0] = 128;
		hit.seen = ONE_OF(0, sum[i]);
		expect(hit);
		total += sum[i];
	}
	hit = stored("finish", line_with("total[0] = all;"), 0, "total", 0, 'i', 4,
		     total, 0);
	hit.group[0] = 1;
	expect(hit);
}

/* an atomic of lane @item, which returns what was there, or does not */
static void updated(const char *function, const char *then, unsigned int item,
		    const char *buffer, unsigned int cell, unsigned int size, bool returns,
		    long double operand, long double old, long double now)
{
	expect((struct hit){
		.kernel = "serve", .source = line_of(ATOMICS, function, then),
		.launch = launch_of("serve"), .item = { item }, .group = { 64 },
		.access = "atomic", .width = size,
		.buffer = buffer, .offset = cell * size, .type = 'i', .size = size,
		.operand = returns ? OR_NONE(operand) : IS(operand),
		.old = returns ? IS(old) : UNKNOWN,
		.seen = IS(old), .now = IS(now),
	});
}

static void of_tickets(void)
{
	/* another GPU's, in front of it, is on two lines */
	const char *max = "return __hip_atomic_fetch_max(address, val, __ATOMIC_RELAXED, __HIP";
	long long next = 0, most = 0, owner = 0, balance = 100, wide = 0, round, was;

	for (round = 0; round < 4; round++) {
		updated("int atomicAdd(int* address", "__hip_atomic_fetch_add", 9, "cell", 0, 4,
			true, 3, next, next + 3);
		next += 3;
		was = most;
		most = round * round - 2 > most ? round * round - 2 : most;
		updated("int atomicMax(int* address", max, 17, "cell", 4, 4, true,
			round * round - 2, was, most);
		was = owner;
		owner = owner == round * 2 ? round + 1 : owner;
		updated("int atomicCAS(int* address", "__hip_atomic_compare_exchange", 33,
			"cell", 8, 4, true, round + 1, was, owner);
		was = wide;
		wide = (round << 32) + 5;
		updated("unsigned long long atomicExch(", "__hip_atomic_exchange", 40, "wide", 0,
			8, true, wide, was, wide);
		updated("int atomicSub(int* address", "__hip_atomic_fetch_add", 50, "cell", 12, 4,
			false, -7, round ? balance : 0, balance - 7);
		balance -= 7;
	}
}

static void of_types(void)
{
	expect(stored("convert", line_with("(signed char)(int)from[i];"), 3, "c", 3, 'i', 1,
		      (int)((3 - 30) * 1.5f), 0));
	expect(stored("convert", line_with("(long long)from[i] << 40;"), 7, "l", 7, 'i', 8,
		      (long double)((long long)((7 - 30) * 1.5f) * (1ll << 40)), 0));
	expect(stored("convert", line_with("h[i] = __float2half"), 9, "h", 9, 'h', 2,
		      (9 - 30) * 1.5f, 0));
	expect(stored("convert", line_with("d[i] = from[i] * 1e100;"), 63, "d", 63, 'd', 8,
		      (double)((63 - 30) * 1.5f) * 1e100, 0));
}

/* of 32 bytes each: at, mass, id, cell and flags, hits */
static void of_particles(void)
{
	struct hit hit;

	hit = stored("create", line_with(".at = make_float4("), 13, "all", 13 * 8 + 1, 'f', 4,
		     13 * 0.5f, 0);
	hit.width = 16;
	expect(hit);
	/* the compiler stores mass and id at once */
	hit = stored("create", line_with(".id = 1000 + i"), 13, "all", 13 * 8 + 5, 'i', 4, 1013,
		     0);
	hit.width = 8;
	expect(hit);
	expect(stored("create", line_with(".cell = i / 8"), 61, "all", 61 * 16 + 12, 'i', 2,
		      7, 0));
	expect(stored("move", line_with(".at.y += "), 13, "all", 13 * 8 + 1, 'f', 4,
		      13 * 0.5f + 1.0f / 32, 13 * 0.5f));
	expect(stored("move", line_with(".hits = all[i].id"), 13, "all", 13 * 8 + 7, 'i', 4,
		      1000, 0));
}

/* image[9][16] and volume[4][1][23] */
static void of_grids(void)
{
	struct hit hit;

	hit = stored("draw", line_with("image[y * WIDTH + x] = "), 0, "image",
		     9 * 40 + 16, 'i', 4, 1609, 0);
	memcpy(hit.item, (unsigned int[]){ 16, 9, 0 }, sizeof(hit.item));
	memcpy(hit.group, (unsigned int[]){ 16, 8, 1 }, sizeof(hit.group));
	expect(hit);
	hit = stored("carve", line_with("volume[(z * HEIGHT + y) * WIDTH + x] = "), 0,
		     "volume", (4 * 12 + 1) * 40 + 23, 'i', 4, 230104, 0);
	memcpy(hit.item, (unsigned int[]){ 23, 1, 4 }, sizeof(hit.item));
	memcpy(hit.group, (unsigned int[]){ 5, 4, 3 }, sizeof(hit.group));
	expect(hit);
}

/* pixel (8, 3), in the fourth row of a workgroup of 16 by 16 */
static void of_inlined(void)
{
	const char *line = line_of("tests/amdgpu/watched/pixel.h", "pixels[y * width + x] = ",
				   NULL);
	struct hit hit;

	hit = stored("gradient", line, 8, "pixels", 3 * 16 + 8, 'f', 4, 0.5, 0);
	hit.item[1] = 3;
	hit.group[0] = 16;
	hit.group[1] = 16;
	expect(hit);
	hit = stored("erase", line, 8, "pixels", 3 * 16 + 8, 'f', 4, 0.125, 0.5);
	hit.group[0] = 16;
	expect(hit);
}

static void launched(const char *kernel, const char *source, int new, int seen)
{
	struct hit hit = stored(kernel, source, 21, "values", 21, 'i', 4, new, seen);

	hit.launch = line_with("hipGraphLaunch(");
	expect(hit);
}

static void of_graph(void)
{
	int value = 1, launch, seen = 0;

	for (launch = 0; launch < 3; launch++) {
		value = value * 37 + 21;
		launched("grow", line_with("* factor + i;"), value, seen);
		seen = value;
		value &= 0xfff;
		launched("trim", line_with("&= 0xfff;"), value, seen);
		seen = value;
	}
}

static void of_print(void)
{
	expect(stored("collatz", line_with("steps[i] = nr;"), 26, "steps", 26, 'i', 4,
		      111, 0));
}

/* both are in the line that has their names */
static void of_pair(void)
{
	const char *line = line_with("KERNEL(square, i * i)");

	expect(stored("square", line, 11, "to", 11, 'i', 4, 121, 0));
	expect(stored("cube", line, 11, "to", 11, 'i', 4, 1331, 121));
}

/* the function that stores has the instruction, the kernel the work-item */
static void called(const char *function, const char *source, const char *kernel,
		   unsigned int item, int new, int seen)
{
	struct hit hit = stored(kernel, source, item, "to", item, 'i', 4, new, seen);

	hit.kernel = function;
	expect(hit);
}

static void of_calls(void)
{
	const char *put = line_of(program, "void put(", "to[i] = value;");

	called("put", put, "direct", 11, 18, 0);
	called("put", put, "direct", 12, 19, 0);
	called("sink::take", line_of(program, "virtual void take(", "to[i] = value;"), "dynamic",
	       11, 33, 18);
	called("doubling::take", line_with("to[i] = value * 2;"), "dynamic", 12, 72, 19);
}

/* what a buffer finds is of the one that was there before: they take turns in two places */
static void of_reuse(void)
{
	const char *weigh = line_with("weights[threadIdx.x] = ");
	const char *activate = line_with("activations[threadIdx.x] = ");

	expect(stored("weigh", weigh, 63, "w0", 63, 'i', 4, 63, 0));
	expect(stored("weigh", weigh, 5, "w1", 5, 'i', 4, 1005, 5));
	expect(stored("activate", activate, 5, "a2", 5, 'i', 4, 2006, 1006));
}

/* in one of two streams */
static struct hit produced(const char *buffer, unsigned int i, struct value seen)
{
	struct hit hit = stored("produce", line_with("to[threadIdx.x] = seed"), 3, buffer, 3,
				'i', 4, i * 100 + 3, 0);

	hit.seen = seen;
	hit.stream = 1 + i % 2;
	return hit;
}

/* here, which one that was is not known: a stream may get what another one has freed */
static void of_async(void)
{
	struct hit hit;
	int sum = 0, i;

	expect(produced("b0", 0, IS(0)));
	expect(produced("b4", 4, ONE_OF(0, 3, 103, 203, 303)));
	for (i = 1; i < 6; i += 2) {
		if (i == 3)
			expect(produced("b3", 3, ONE_OF(0, 3, 103, 203)));
		hit = stored("consume", line_with("+= from[threadIdx.x]"), 3, "sums", 67, 'i',
			     4, sum + i * 100 + 3, sum);
		hit.stream = 2;
		expect(hit);
		sum += i * 100 + 3;
	}
}

/* of a row without weight; what lies behind the first 64 bytes is not seen */
static void of_softmax(void)
{
	struct hit hit = stored("softmax", line_with("= mine / part[0];"), 37 * 64,
				"weights", 37 * 64, 'f', 4, NAN, 0);

	hit.lanes = ~0ull;
	hit.now = UNKNOWN;
	hit.seen = UNKNOWN;
	expect(hit);
}

static void of_newton(void)
{
	static const double lower[] = { 0, 1.5, 3.6, 0 };
	static double state[2048], next[2048];
	unsigned int step, i, first;
	struct hit hit;

	for (i = 0; i < 2048; i++)
		state[i] = i == 1345 ? 5 : 100 + i % 50;
	for (step = 0; step < 4; step++) {
		first = 0;
		for (i = 0; i < 2048; i++) {
			next[i] = sqrt(state[i] - lower[step]) + 1;
			if (!isnan(next[i]))
				continue;
			/* one hit of all lanes of a wave */
			if (first && first / 64 == i / 64) {
				hits[nr_hits - 1].lanes |= 1ull << i % 64;
				continue;
			}
			first = i;
			hit = stored("advance", line_with("sqrt(from[i] - lower)"), i,
				     "next", i, 'd', 8, NAN, 0);
			hit.group[0] = 256;
			hit.lanes = 1ull << i % 64;
			hit.order = step;
			hit.now = UNKNOWN;
			hit.seen = UNKNOWN;
			expect(hit);
		}
		for (i = 1; i < 2047; i++)
			state[i] = (next[i - 1] + next[i + 1]) / 2;
	}
}

static const struct {
	const char *name;
	void (*model)(void);
} programs[] = {
	{ "vadd", of_vadd }, { "histogram", of_histogram }, { "symbols", of_symbols },
	{ "fill", of_fill }, { "copy", of_copy }, { "arena", of_arena }, { "reuse", of_reuse },
	{ "templates", of_templates }, { "async", of_async }, { "managed", of_managed },
	{ "blocks", of_blocks }, { "tickets", of_tickets }, { "types", of_types },
	{ "particles", of_particles }, { "grids", of_grids }, { "inlined", of_inlined },
	{ "graph", of_graph }, { "print", of_print }, { "pair", of_pair },
	{ "calls", of_calls }, { "softmax", of_softmax }, { "newton", of_newton },
};

static bool model_run(const char *dir, const char *name)
{
	size_t i;

	snprintf(program, sizeof(program), "./tests/amdgpu/%s/%s.hip", dir, name);
	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(programs[i].name, name))
			programs[i].model();
	return nr_hits;
}

int main(int argc, char **argv)
{
	FILE *script, *report;
	bool ok;

	if (argc < 10)
		return 2;
	script = fopen(argv[1], "r");
	report = fopen(argv[2], "r");
	run_begin = atof(argv[3]);
	run_end = atof(argv[4]);
	watches = &argv[8];
	tap_plan(2);
	if (!script || !report || !model_run(argv[5], argv[6]) || !rows_read(script)) {
		printf("Bail out! no model, recording or report of %s\n", argv[6]);
		return 2;
	}
	ok = tap_ok(rows_check(), "%s: all fields of %d hits", argv[6], nr_hits);
	tap_ok(ok && report_check(report), "... and its report");
	return tap_status();
}
