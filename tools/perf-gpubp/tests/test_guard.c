// SPDX-License-Identifier: GPL-2.0
/*
 * Zones of buffers, and which hits in them are findings: tables. The code object is
 * played here: two kernels, the first pointer of each is const.
 */
#include <stdlib.h>
#include <string.h>
#include "guard.h"
#include "launches.h"
#include "tap.h"

#define PID	7
#define CODE	0x700000ULL
#define DRAW_NAME	"_Z4drawPKfPf"	/* of C++ */

/* ---- a code object --------------------------------------------------------- */

static const struct grun_kernel kernels[] = {
	{ .name = "blur", .required = { 16, 16, 1 }, .nr_args = 2 },
	{ .name = DRAW_NAME, .required = { 64, 1, 1 }, .nr_args = 2 },
};

int grun_code_open(struct grun_code **code, const char *path, struct grun_err *err)
{
	*code = (struct grun_code *)kernels;
	return 0;
}

void grun_code_free(struct grun_code *code)
{
}

const struct grun_kernel *grun_code_find(const struct grun_code *code,
					 const char *name)
{
	return !strcmp(name, "blur") ? &kernels[0] :
	       !strcmp(name, DRAW_NAME) ? &kernels[1] : NULL;
}

const struct grun_arg *grun_kernel_param(const struct grun_kernel *kernel,
					 unsigned int n)
{
	static const struct grun_arg args[] = {
		{ .kind = GRUN_ARG_POINTER, .is_const = true },
		{ .kind = GRUN_ARG_VALUE },
		{ .kind = GRUN_ARG_POINTER },
	};

	return n < 3 ? &args[n] : NULL;
}

const char *grun_code_function(const struct grun_code *code, uint64_t offset,
			       uint64_t *start)
{
	*start = offset & ~0xfffULL;
	return *start == 0x1000 ? "blur" : *start == 0x2000 ? DRAW_NAME : NULL;
}

struct lines *lines_open(const char *path)
{
	return (struct lines *)kernels;
}

void lines_close(struct lines *lines)
{
}

bool lines_find(const struct lines *lines, uint64_t pc, struct line *line)
{
	*line = (struct line){ .file = "/home/me/a.cl", .line = (int)(pc & 0xff) };
	return lines && line->line;
}

/* ---- a program ------------------------------------------------------------- */

/* table, out and behind are one right behind another, far is not */
static const char * const program[] = {
	"code 7 0x700000 0x4000 a.elf /home/me/a b.elf",
	"buffer 7 0x10000 0x100 table",
	"buffer 7 0x10100 0x400 out",
	"buffer 7 0x10500 0x100 behind",
	"buffer 7 0x20000 0x80 far",
	"dispatch 7 1/1/1 0 blur 0x10000,0x10100",
	"dispatch 7 1/1/2 0 " DRAW_NAME " 0x10100,0x20040",
};

static struct guard_map map_of(bool loads)
{
	struct guard_map map = { .loads = loads };
	size_t i;

	for (i = 0; i < sizeof(program) / sizeof(program[0]); i++)
		if (guard_message(&map, program[i]) >= GUARD_MALFORMED)
			abort();
	return map;
}

static const struct {
	const char *text;
	enum guard_news news;
} messages[] = {
	{ "buffer 7 0x40000 0x100 new", GUARD_NAMES },
	{ "buffer 7 0x40000 0 new", GUARD_WITHDRAWN },
	{ "buffer 7 0x40000 0x100", GUARD_MALFORMED },
	{ "buffer 7 0xffffffffffffffff 0x100 wraps", GUARD_MALFORMED },
	{ "dispatch 7 1/1/3 0 blur 0x10000,0x10100", GUARD_NOTHING },
	{ "dispatch 7 1/1/3 0 blur 0x10000,0x10200", GUARD_KERNEL },
	{ "dispatch 7 1/1/3 0 none -", GUARD_NOTHING },
	{ "dispatch 7 1/1/3 0 blur 0x10000,0x", GUARD_MALFORMED },
	{ "dispatch 7 1/1/3 0 blur x", GUARD_MALFORMED },
	{ "dispatch 7 1/1 0 blur 0x10", GUARD_MALFORMED },
	{ "code 7 0x1 0x2 name", GUARD_MALFORMED },
	{ "", GUARD_MALFORMED },
	{ "rubbish", GUARD_MALFORMED },
};

static void test_messages(void)
{
	struct guard_map map = map_of(false);
	size_t i;

	for (i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		tap_ok(guard_message(&map, messages[i].text) == messages[i].news,
		       "message '%s'", messages[i].text);
	tap_ok(map.nr_buffers == 4 && map.nr_kernels == 3, "buffers and kernels");
	tap_ok(!strcmp(map.codes[0].path, "/home/me/a b.elf"), "a path with a blank");
	tap_ok(guard_withdraws("buffer 7 0x40000 0 new") &&
	       !guard_withdraws("buffer 7 0x40000 0x10 new") &&
	       !guard_withdraws(program[5]), "what withdraws a buffer");
	guard_map_free(&map);
}

/* ---- zones ----------------------------------------------------------------- */

/* blur stores to out, draw to far; with loads, blur may use table, draw out */
static const struct {
	bool loads;
	uint64_t bytes;
	struct guard_zone zones[6];
} cases[] = {
	{ false, 64, { { 0x100c0, 0x10100 }, { 0x10500, 0x10540 },
		       { 0x1ffc0, 0x20000 }, { 0x20080, 0x200c0 } } },
	/* a zone ends with the buffer in which it is, and goes on in the next */
	{ false, 512, { { 0xff00, 0x10000 }, { 0x10000, 0x10100 },
			{ 0x10500, 0x10600 }, { 0x10600, 0x10700 },
			{ 0x1fe00, 0x20000 }, { 0x20080, 0x20280 } } },
	/* draw has no pointer to table, blur none to far */
	{ true, 64, { { 0xffc0, 0x10000 }, { 0x100c0, 0x10100 },
		      { 0x10500, 0x10540 }, { 0x1ffc0, 0x20000 },
		      { 0x20080, 0x200c0 } } },
};

static void test_zones(void)
{
	struct guard_map map;
	struct guard_zone *zones;
	ssize_t nr, i, want;
	size_t c;
	bool ok;

	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		map = map_of(cases[c].loads);
		nr = guard_zones(&map, cases[c].bytes, &zones);
		for (want = 0; want < 6 && cases[c].zones[want].end; want++)
			;
		ok = nr == want;
		for (i = 0; ok && i < nr; i++)
			ok = zones[i].start == cases[c].zones[i].start &&
			     zones[i].end == cases[c].zones[i].end;
		tap_ok(ok, "zones of %u bytes%s", (unsigned int)cases[c].bytes,
		       cases[c].loads ? ", loads, too" : "");
		for (i = 0; !ok && i < nr; i++)
			tap_note("%#llx to %#llx", (unsigned long long)zones[i].start,
				 (unsigned long long)zones[i].end);
		free(zones);
		guard_map_free(&map);
	}
}

static void test_no_kernel(void)
{
	struct guard_map map = {};
	struct guard_zone *zones;
	ssize_t nr;

	guard_message(&map, program[1]);
	nr = guard_zones(&map, 256, &zones);
	free(zones);
	tap_ok(nr == 0, "no kernel, no zones");
	guard_message(&map, "dispatch 8 1/1/1 0 blur 0,0x10000");
	nr = guard_zones(&map, 256, &zones);
	free(zones);
	tap_ok(nr == 0, "a kernel of another process");
	guard_map_free(&map);
}

/* ---- hits ------------------------------------------------------------------ */

#define BLUR	0x1178
#define DRAW	0x2034
#define ELSE	0x3000

/* @says: NULL if the hit is no finding */
static const struct {
	const char *what;
	uint32_t pid;
	uint64_t pc;
	uint64_t addr;
	uint8_t state;
	uint16_t flags;
	const char *says;
} hits[] = {
	{ "a store to the own buffer", PID, BLUR, 0x10100, GPUBP_ADDR_EXACT, 0, NULL },
	{ "behind the end", PID, BLUR, 0x10500, GPUBP_ADDR_EXACT, 0,
	  "blur+0x178 (a.cl:120) stored 4 bytes at 0 bytes behind the end of out [1024 bytes] (behind[0]); work-item (35,48,0); seen 1 time, first in run 1\n" },
	{ "in front, to what the kernel only reads", PID, BLUR, 0x100fc, GPUBP_ADDR_EXACT, 0,
	  "blur+0x178 (a.cl:120) stored 4 bytes at 4 bytes in front of out [1024 bytes] (table[63]); work-item (35,48,0); seen 1 time, first in run 1\n" },
	{ "where no buffer is", PID, DRAW, 0x20081, GPUBP_ADDR_EXACT, 0,
	  "draw+0x34 (a.cl:52) stored 4 bytes at 1 byte behind the end of far [128 bytes]; work-item (131,3,0); seen 1 time, first in run 1\n" },
	{ "not at an element", PID, DRAW, 0x10502, GPUBP_ADDR_EXACT, 0,
	  "draw+0x34 (a.cl:52) stored 4 bytes at 64254 bytes in front of far [128 bytes] (behind+0x2); work-item (131,3,0); seen 1 time, first in run 1\n" },
	{ "a kernel without a message", PID, ELSE, 0x10500, GPUBP_ADDR_EXACT, 0,
	  NULL },
	{ "but where no buffer is", PID, ELSE, 0x10600, GPUBP_ADDR_EXACT, 0,
	  "0x703000 stored 4 bytes at 0 bytes behind the end of behind [256 bytes]; seen 1 time, first in run 1\n" },
	{ "a hit that may be of other bytes", PID, BLUR, 0x10500, GPUBP_ADDR_BLOCK,
	  GPUBP_HIT_POSSIBLE, NULL },
	{ "a hit somewhere in a zone", PID, BLUR, 0x10500, GPUBP_ADDR_BLOCK, 0,
	  "blur+0x178 (a.cl:120) stored 4 bytes at 0 bytes or more behind the end of out [1024 bytes]; seen 1 time, first in run 1\n" },
};

static struct gpubp_hit_record record_of(size_t i)
{
	return (struct gpubp_hit_record){
		.pc = CODE + hits[i].pc, .addr = hits[i].addr, .lanes = 0x8,
		.width = 4, .access = GPUBP_ACCESS_STORE,
		.addr_state = hits[i].state,
		.flags = hits[i].flags | GPUBP_HIT_COORDS,
		.wg_x = 2, .wg_y = 3, .wave_in_group = 0,
	};
}

static char *text_of(const struct guard_findings *findings)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	guard_print(findings, out);
	fclose(out);
	return text;
}

static void test_hits(void)
{
	struct guard_map map = map_of(false);
	struct gpubp_hit_record rec;
	char *text;
	size_t i;

	for (i = 0; i < sizeof(hits) / sizeof(hits[0]); i++) {
		struct guard_findings findings = { .run = 1 };

		rec = record_of(i);
		guard_judge(&findings, &map, hits[i].pid, &rec);
		text = text_of(&findings);
		if (!tap_ok(!strcmp(text, hits[i].says ? hits[i].says : ""), "%s",
			    hits[i].what))
			tap_note("%s", text);
		free(text);
		free(findings.list);
	}
	guard_map_free(&map);
}

static void test_findings(void)
{
	struct guard_map map = map_of(false);
	struct guard_findings findings = { .run = 1 };
	struct gpubp_hit_record rec = record_of(8);
	char *text;

	guard_judge(&findings, &map, PID, &rec);
	findings.run = 2;
	rec = record_of(1);
	guard_judge(&findings, &map, PID, &rec);
	tap_ok(findings.nr == 1 && findings.list[0].nr == 2 &&
	       findings.list[0].run == 1 && findings.list[0].exact,
	       "one instruction at one buffer is one finding, with its exact address");
	rec.addr = 0xdead000;
	guard_violation(&findings, &map, PID, &rec);
	rec.addr_state = GPUBP_ADDR_UNKNOWN;
	rec.width = 0;
	rec.access = 0;
	rec.pc += 4;
	guard_violation(&findings, &map, PID, &rec);
	text = text_of(&findings);
	tap_ok(strstr(text, "stored 4 bytes with a memory violation at ") != NULL,
	       "a violation");
	tap_ok(strstr(text, "at an address that is not known") != NULL,
	       "a violation at an unknown address");
	tap_note("%s", text);
	free(text);
	free(findings.list);
	guard_map_free(&map);
}

/* of a launch, if that is one of the kernel that the code is of */
static void test_item(void)
{
	static const char text[] =
		"queue 1 1 64 0\nkind 1 700000 16 16 1 64 50 1\t\nlaunch 1 1 5 1\n"
		"kind 2 700001 16 16 1 64 64 1\t\nlaunch 1 1 6 2\n"
		"kind 3 700000 8 16 1 64 64 1\t\nlaunch 1 1 7 3\n";
	FILE *file = fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r");
	struct guard_finding f = { .exact = true, .pid = PID, .rec = record_of(0) };
	struct guard_map map = map_of(false);
	struct launches launches;

	launches_read(&launches, file);
	fclose(file);
	f.rec.flags |= GPUBP_HIT_DISPATCH;
	f.rec.queue = 1;
	f.rec.dispatch = 5;
	f.rec.gpu_time = 2;
	guard_find_item(&f, &map, &launches);
	tap_ok(f.has_item && f.item[0] == 35 && f.item[1] == 48,
	       "the work-item of a launch");
	f.rec.dispatch = 8;
	f.item[0] = 7;
	guard_find_item(&f, &map, &launches);
	tap_ok(f.has_item && f.item[0] == 7, "... which stays where no launch is known");
	f.rec.dispatch = 6;
	guard_find_item(&f, &map, &launches);
	tap_ok(f.has_item && f.item[0] == 7, "... or only one of another kernel");
	f.rec.dispatch = 7;
	guard_find_item(&f, &map, &launches);
	tap_ok(!f.has_item, "a launch and code that disagree say nothing");
	launches_free(&launches);
	guard_map_free(&map);
}

/* a kernel that gets memory without a name may use what is next to a buffer */
/* no pointer to it is among the arguments of the kernel that uses it */
static void test_variables(void)
{
	struct guard_findings findings = { .run = 1 };
	struct guard_map map = map_of(false);
	struct gpubp_hit_record rec = record_of(0);
	struct guard_zone *zones;
	ssize_t before, nr;

	before = guard_zones(&map, 64, &zones);
	free(zones);
	guard_message(&map, "buffer 7 0x703000 0x8 variable");
	guard_message(&map, "buffer 7 0x703ff8 0x8 other");
	guard_message(&map, "dispatch 7 1/1/3 0 " DRAW_NAME " 0x703000");
	nr = guard_zones(&map, 64, &zones);
	free(zones);
	rec.addr = 0x703ff8;
	guard_judge(&findings, &map, PID, &rec);
	/* behind the last one the code object ends */
	tap_ok(nr == before && !findings.nr,
	       "a kernel may use all variables of its code object");
	free(findings.list);
	guard_map_free(&map);
}

static void test_nameless(void)
{
	struct guard_map map = map_of(false);
	struct guard_findings findings = { .run = 1 };
	struct gpubp_hit_record rec = record_of(3);

	guard_message(&map, "dispatch 7 1/1/3 0 " DRAW_NAME " 0x10100,0x20080");
	guard_judge(&findings, &map, PID, &rec);
	tap_ok(!findings.nr && findings.nr_legal == 1,
	       "memory without a name that the kernel got");
	guard_map_free(&map);
}

int main(void)
{
	tap_plan(13 + 3 + 3 + 2 + 9 + 3 + 1 + 1 + 4);
	test_messages();
	test_zones();
	test_no_kernel();
	test_hits();
	test_findings();
	test_variables();
	test_nameless();
	test_item();
	return tap_status();
}
