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

unsigned int grun_kernel_nr_params(const struct grun_kernel *kernel)
{
	return 3;
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

/* table, out and behind are one right behind another, far is not; all run at once */
static const char * const program[] = {
	"code 7 0x700000 0x4000 a.elf /home/me/a b.elf",
	"buffer 7 0x10000 0x100 table",
	"buffer 7 0x10100 0x400 out",
	"buffer 7 0x10500 0x100 behind",
	"buffer 7 0x20000 0x80 far",
	"dispatch 7 3/1/1 0 blur 0x10000,0x10100",
	"dispatch 7 3/1/2 0 " DRAW_NAME " 0x10100,0x20040",
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
	{ "dispatch 7 3/1/3 2 blur 0x10000,0x10200", GUARD_DISPATCH },
	{ "dispatch 7 3/1/3 2 blur 0x10000,=0x10200,...", GUARD_DISPATCH },
	{ "dispatch 7 3/1/3 2 none -", GUARD_DISPATCH },
	{ "close 7 3/1", GUARD_NAMES },
	{ "began 7 3/1/4 3", GUARD_MALFORMED },
	{ "close 7", GUARD_MALFORMED },
	{ "dispatch 7 3/1/3 2 blur 0x10000,0x", GUARD_MALFORMED },
	{ "dispatch 7 3/1/3 2 blur x", GUARD_MALFORMED },
	{ "dispatch 7 3/1/3 2 blur", GUARD_MALFORMED },
	{ "dispatch 7 3/1 2 blur 0x10", GUARD_MALFORMED },
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
	tap_ok(map.buffers.nr == 4 && map.nr_dispatches == 5 &&
	       !guard_dispatches_running(&map), "buffers and dispatches");
	tap_ok(!strcmp(map.codes[0].path, "/home/me/a b.elf"), "a path with a blank");
	tap_ok(guard_withdraws("buffer 7 0x40000 0 new") &&
	       !guard_withdraws("buffer 7 0x40000 0x10 new") &&
	       !guard_withdraws(program[5]), "what withdraws a buffer");
	guard_map_free(&map);
}

/* ---- buffers --------------------------------------------------------------- */

/* pool has a, which has b, and c; other overlaps with pool */
static const char * const nested[] = {
	"buffer 7 0x1200 0x100 c", "buffer 7 0x1000 0x1000 pool", "buffer 7 0x1020 0x10 b",
	"buffer 7 0x1010 0x100 a", "buffer 7 0x1f00 0x200 other", "buffer 8 0x1020 0x10 alien",
	"buffer 7 0x1040 0x10 gone", "buffer 7 0x1040 0 gone",
};

static const struct {
	uint64_t va;
	struct guard_buffer found;
} pointers[] = {
	{ 0x0fff, { 7, 0, 0x1000, "" } },
	{ 0x1000, { 7, 0x1000, 0x1000, "pool" } },
	{ 0x1010, { 7, 0x1010, 0x100, "a" } },
	{ 0x1020, { 7, 0x1020, 0x10, "b" } },
	{ 0x1030, { 7, 0x1010, 0x100, "a" } },
	{ 0x1045, { 7, 0x1010, 0x100, "a" } },
	{ 0x1110, { 7, 0x1000, 0x1000, "pool" } },
	{ 0x1250, { 7, 0x1200, 0x100, "c" } },
	{ 0x1300, { 7, 0x1000, 0x1000, "pool" } },
	{ 0x1f80, { 7, 0x1f00, 0x200, "other" } },
	{ 0x2050, { 7, 0x1f00, 0x200, "other" } },
	{ 0x2100, { 7, 0x2100, UINT64_MAX - 0x2100, "" } },
};

static void test_buffers(void)
{
	struct guard_map map = {};
	struct guard_buffer found;
	size_t i;

	for (i = 0; i < sizeof(nested) / sizeof(nested[0]); i++)
		guard_message(&map, nested[i]);
	for (i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
		guard_buffer_of(&map.buffers, 7, pointers[i].va, &found);
		tap_ok(found.pid == 7 && found.va == pointers[i].found.va &&
		       found.size == pointers[i].found.size &&
		       !strcmp(found.name, pointers[i].found.name),
		       "%#x is of '%s'", (unsigned int)pointers[i].va, found.name);
	}
	guard_map_free(&map);
}

/* ---- zones ----------------------------------------------------------------- */

/* blur stores to out, draw to out and far; with loads, blur may use table, too */
static const struct {
	const char *what;
	const char *more;
	bool loads;
	uint64_t bytes;
	size_t left_out;
	struct guard_zone zones[6];
} cases[] = {
	{ "of what runs", "", false, 64, 0,
	  { { 0x100c0, 0x10100 }, { 0x10500, 0x10540 },
	    { 0x1ffc0, 0x20000 }, { 0x20080, 0x200c0 } } },
	{ "in several buffers", "", false, 512, 0,
	  { { 0xff00, 0x10100 }, { 0x10500, 0x10700 },
	    { 0x1fe00, 0x20000 }, { 0x20080, 0x20280 } } },
	{ "draw has no pointer to table", "", true, 64, 0,
	  { { 0xffc0, 0x10000 }, { 0x100c0, 0x10100 }, { 0x10500, 0x10540 },
	    { 0x1ffc0, 0x20000 }, { 0x20080, 0x200c0 } } },
	{ "of the last one, if the others have ended",
	  "dispatch 7 3/1/3 2 blur 0x10100,0x20000", false, 64, 0,
	  { { 0x1ffc0, 0x20000 }, { 0x20080, 0x200c0 } } },
	{ "of all queues", "dispatch 7 3/2/1 0 blur 0,0x30000", false, 64, 0,
	  { { 0x100c0, 0x10100 }, { 0x10500, 0x10540 },
	    { 0x1ffc0, 0x20000 }, { 0x20080, 0x200c0 } } },
	{ "what one may use, another may not",
	  "dispatch 7 3/1/3 1 blur 0,0x10500", false, 64, 0,
	  { { 0x104c0, 0x10500 }, { 0x10600, 0x10640 },
	    { 0x1ffc0, 0x20000 }, { 0x20080, 0x200c0 } } },
	{ "no pointers", "dispatch 7 3/1/3 2 none -", false, 64, 0, {} },
	{ "an address that is no pointer argument",
	  "dispatch 7 3/1/3 2 none =0x20000", false, 64, 0,
	  { { 0x1ffc0, 0x20000 }, { 0x20080, 0x200c0 } } },
	{ "not all pointers are known",
	  "dispatch 7 3/1/3 2 blur 0x10000,0x10100,...", false, 64, 1, {} },
	{ "another process that runs", "dispatch 1 4/1/1 0 blur 0x10000,0x20000", false, 64, 0,
	  { { 0x100c0, 0x10100 }, { 0x10500, 0x10540 },
	    { 0x1ffc0, 0x20000 }, { 0x20080, 0x200c0 } } },
};

static void test_zones(void)
{
	struct guard_map map;
	struct guard_zone *zones;
	ssize_t nr, i, want;
	size_t c, left_out;
	bool ok;

	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		map = map_of(cases[c].loads);
		if (cases[c].more[0])
			guard_message(&map, cases[c].more);
		nr = guard_plan(&map, cases[c].bytes, &zones, &left_out);
		for (want = 0; want < 6 && cases[c].zones[want].end; want++)
			;
		ok = nr == want && left_out == cases[c].left_out;
		for (i = 0; ok && i < nr; i++)
			ok = zones[i].start == cases[c].zones[i].start &&
			     zones[i].end == cases[c].zones[i].end;
		tap_ok(ok, "zones: %s", cases[c].what);
		for (i = 0; !ok && i < nr; i++)
			tap_note("%#llx to %#llx", (unsigned long long)zones[i].start,
				 (unsigned long long)zones[i].end);
		free(zones);
		guard_map_free(&map);
	}
}

/* what a kernel gets counts, however many buffers there are */
static void test_many(void)
{
	struct guard_map map = {};
	struct guard_zone *zones;
	char text[64];
	size_t left_out;
	ssize_t nr;
	int i;

	for (i = 0; i < 4000; i++) {
		/* in no order */
		snprintf(text, sizeof(text), "buffer 7 %#x 0x80 b%d",
			 0x1000000 + i * 1979 % 4000 * 256, i);
		guard_message(&map, text);
	}
	guard_message(&map, "dispatch 7 1/1/1 0 none 0x1000100,0x1010000,0x1020000");
	nr = guard_plan(&map, 64, &zones, &left_out);
	free(zones);
	tap_ok(map.buffers.nr == 4000 && nr == 6, "six zones, with 4000 buffers");
	for (i = 2; i < 3000; i++) {
		snprintf(text, sizeof(text), "dispatch 7 1/1/%d 0 none %#x", i,
			 0x1000000 + i * 256);
		guard_message(&map, text);
	}
	nr = guard_plan(&map, 64, &zones, &left_out);
	free(zones);
	tap_ok(nr >= GUARD_ZONES / 2 && nr <= GUARD_ZONES && left_out > 1900,
	       "too many that run at once are left out, and counted");
	guard_map_free(&map);
}

/* more dispatches than are known; the last ones are */
static void test_ring(void)
{
	struct gpubp_hit_record rec = {
		.context = 1, .queue = 1, .flags = GPUBP_HIT_DISPATCH,
	};
	struct guard_map map = {};
	char text[64];
	int i;

	for (i = 1; i <= GUARD_DISPATCHES + 10; i++) {
		snprintf(text, sizeof(text), "dispatch 7 1/1/%d %d none -", i, i - 2);
		guard_message(&map, text);
	}
	rec.dispatch = 10;
	tap_ok(!guard_dispatch_of(&map, 7, &rec), "an old dispatch is forgotten");
	rec.dispatch = 11;
	tap_ok(guard_dispatch_of(&map, 7, &rec)->seq == 11, "a later one is not");
	tap_ok(guard_dispatches_running(&map) == 2, "two of them may run");
	rec.flags = 0;
	tap_ok(!guard_dispatch_of(&map, 7, &rec), "a hit without a number may be of either");
	guard_message(&map, "dispatch 7 1/1/9999 9998 last -");
	tap_ok(guard_dispatch_of(&map, 7, &rec)->seq == 9999, "or of the only one");
	guard_map_free(&map);
}

/* of HIP: packets of queues, of which hits have the lower bits, and no context */
static void test_packets(void)
{
	struct gpubp_hit_record rec = {
		.context = 5, .queue = 4, .flags = GPUBP_HIT_DISPATCH, .dispatch = 17,
	};
	struct guard_map map = map_of(false);
	const struct guard_dispatch *d;

	guard_message(&map, "dispatch 7 0/4/4294967313 4294967295 blur 0x10000,0x10100");
	d = guard_dispatch_of(&map, 7, &rec);
	tap_ok(d && !strcmp(d->kernel, "blur"), "a packet of any context, by the lower bits");
	tap_ok(!map.nr_began && !map.nr_unread, "... which was read before it began");
	guard_message(&map, "began 7 0/4/4294967314 4294967313 blur 0x10000,0x10100");
	tap_ok(map.nr_began == 1 && !map.nr_unread, "one that may have begun");
	guard_message(&map, "dispatch 7 0/4/4294967315 4294967314 - ...");
	rec.dispatch = 19;
	d = guard_dispatch_of(&map, 7, &rec);
	tap_ok(map.nr_began == 1 && map.nr_unread == 1 && d && d->is_open,
	       "one that cannot be read, which may access all");
	guard_map_free(&map);
}

/* ---- hits ------------------------------------------------------------------ */

#define BLUR	0x1178
#define DRAW	0x2034
#define ELSE	0x3000

/* of the dispatches of program[], and one that no message said */
enum { BY_BLUR = 1, BY_DRAW = 2, BY_NONE = 9 };

/* @says: NULL if the hit is no finding */
static const struct {
	const char *what;
	uint32_t dispatch;
	uint64_t pc;
	uint64_t addr;
	uint16_t width;
	uint8_t state;
	uint16_t flags;
	const char *says;
} hits[] = {
	{ "a store to the own buffer", BY_BLUR, BLUR, 0x10100, 4, GPUBP_ADDR_EXACT, 0, NULL },
	{ "behind the end", BY_BLUR, BLUR, 0x10500, 4, GPUBP_ADDR_EXACT, 0,
	  "blur+0x178 (a.cl:120) stored 4 bytes at 0 bytes behind the end of out [1024 bytes] (behind[0]); work-item (35,48,0); seen 1 time, first in run 1\n" },
	{ "in front, to what the kernel only reads", BY_BLUR, BLUR, 0x100fc, 4, GPUBP_ADDR_EXACT, 0,
	  "blur+0x178 (a.cl:120) stored 4 bytes at 4 bytes in front of out [1024 bytes] (table[63]); work-item (35,48,0); seen 1 time, first in run 1\n" },
	{ "where no buffer is", BY_DRAW, DRAW, 0x20081, 4, GPUBP_ADDR_EXACT, 0,
	  "draw+0x34 (a.cl:52) stored 4 bytes at 1 byte behind the end of far [128 bytes]; work-item (131,3,0); seen 1 time, first in run 1\n" },
	{ "not at an element", BY_DRAW, DRAW, 0x10502, 4, GPUBP_ADDR_EXACT, 0,
	  "draw+0x34 (a.cl:52) stored 4 bytes at 64254 bytes in front of far [128 bytes] (behind+0x2); work-item (131,3,0); seen 1 time, first in run 1\n" },
	{ "the buffer of another dispatch", BY_DRAW, BLUR, 0x10200, 4, GPUBP_ADDR_EXACT, 0,
	  "blur+0x178 (a.cl:120) stored 4 bytes at 65024 bytes in front of far [128 bytes] (out[64]); work-item (35,48,0); seen 1 time, first in run 1\n" },
	{ "a dispatch without a message", BY_NONE, ELSE, 0x10500, 4, GPUBP_ADDR_EXACT, 0,
	  NULL },
	{ "but where no buffer is", BY_NONE, ELSE, 0x10600, 4, GPUBP_ADDR_EXACT, 0,
	  "0x703000 stored 4 bytes at 0 bytes behind the end of behind [256 bytes]; seen 1 time, first in run 1\n" },
	{ "a hit that may be of other bytes", BY_BLUR, BLUR, 0x10500, 4, GPUBP_ADDR_BLOCK,
	  GPUBP_HIT_POSSIBLE, NULL },
	{ "a hit somewhere in a zone", BY_BLUR, BLUR, 0x10500, 4, GPUBP_ADDR_BLOCK, 0,
	  "blur+0x178 (a.cl:120) stored 4 bytes at 0 bytes or more behind the end of out [1024 bytes]; seen 1 time, first in run 1\n" },
	{ "an access that ends behind the end", BY_BLUR, BLUR, 0x104f8, 16, GPUBP_ADDR_EXACT, 0,
	  "blur+0x178 (a.cl:120) stored 16 bytes, 8 of them at 0 bytes behind the end of out [1024 bytes] (behind+0); work-item (35,48,0); seen 1 time, first in run 1\n" },
	{ "one that begins in front", BY_BLUR, BLUR, 0x100fe, 4, GPUBP_ADDR_EXACT, 0,
	  "blur+0x178 (a.cl:120) stored 4 bytes, 2 of them at 2 bytes in front of out [1024 bytes] (table+0xfe); work-item (35,48,0); seen 1 time, first in run 1\n" },
	{ "an address that wrapped below 0", BY_BLUR, BLUR, 0x10100 - 0x100000ULL, 4, GPUBP_ADDR_EXACT, 0,
	  "blur+0x178 (a.cl:120) stored 4 bytes at 1048576 bytes in front of out [1024 bytes]; work-item (35,48,0); seen 1 time, first in run 1\n" },
};

static struct gpubp_hit_record record_of(size_t i)
{
	return (struct gpubp_hit_record){
		.pc = CODE + hits[i].pc, .addr = hits[i].addr, .lanes = 0x8,
		.width = hits[i].width, .access = GPUBP_ACCESS_STORE,
		.addr_state = hits[i].state,
		.flags = hits[i].flags | GPUBP_HIT_COORDS | GPUBP_HIT_DISPATCH,
		.context = 3, .queue = 1, .dispatch = hits[i].dispatch,
		.wg_x = 2, .wg_y = 3, .wave_in_group = 0,
	};
}

/* without the last line */
static char *text_of(const struct guard_findings *findings)
{
	const struct guard_counts counts = {};
	char *text = NULL, *end;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	guard_print(findings, &counts, out);
	fclose(out);
	end = strstr(text, findings->nr == 1 ? "1 found in" : findings->nr ? "3 found in" : "0 found in");
	if (end)
		*end = '\0';
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
		guard_judge(&findings, &map, PID, &rec);
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
	struct gpubp_hit_record rec = record_of(9);
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

/* the last two of four bytes are out of bounds; so are all of a violation */
static const struct {
	const char *what;
	uint8_t access;
	uint16_t flags;
	uint64_t before, seen, data, now;
	enum guard_change change;
} changes[] = {
	{ "a store of what was there", GPUBP_ACCESS_STORE,
	  GPUBP_HIT_SEEN | GPUBP_HIT_DATA, .seen = 0x1234, .data = 0x1234, .now = 9,
	  .change = GUARD_UNCHANGED },
	{ "a store of something else", GPUBP_ACCESS_STORE,
	  GPUBP_HIT_SEEN | GPUBP_HIT_DATA, .seen = 0x1234, .data = 0x1334,
	  .change = GUARD_CHANGED },
	{ "an atomic that returned what is there", GPUBP_ACCESS_ATOMIC,
	  GPUBP_HIT_SEEN | GPUBP_HIT_BEFORE | GPUBP_HIT_NOW | GPUBP_HIT_DATA,
	  .before = 7, .seen = 3, .data = 1, .now = 7, .change = GUARD_UNCHANGED },
	{ "an atomic that returned something else", GPUBP_ACCESS_ATOMIC,
	  GPUBP_HIT_BEFORE | GPUBP_HIT_NOW, .before = 7, .now = 8,
	  .change = GUARD_CHANGED },
	{ "an atomic of which nothing is known", GPUBP_ACCESS_ATOMIC,
	  GPUBP_HIT_DATA | GPUBP_HIT_NOW, .change = GUARD_CHANGE_UNKNOWN },
	{ "a load", GPUBP_ACCESS_LOAD, 0, .change = GUARD_UNCHANGED },
};

static void test_changes(void)
{
	struct guard_map map = map_of(false);
	struct gpubp_hit_record rec = record_of(1);
	size_t i;

	rec.addr -= 2;
	rec.hit_addr = 0x10500;
	rec.hit_len = 2;
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct guard_findings findings = { .run = 1 };

		rec.access = changes[i].access;
		rec.flags = GPUBP_HIT_DISPATCH | GPUBP_HIT_BYTES | changes[i].flags;
		rec.before = changes[i].before;
		rec.seen = changes[i].seen;
		rec.data = changes[i].data;
		rec.now = changes[i].now;
		guard_judge(&findings, &map, PID, &rec);
		tap_ok(findings.nr == 1 && findings.list[0].change == changes[i].change &&
		       findings.list[0].outside == 2, "%s", changes[i].what);
		free(findings.list);
	}
	guard_map_free(&map);
}

/* the buffer is known when the kernel starts, whatever is there later */
static void test_later(void)
{
	struct guard_map map = map_of(false);
	struct guard_findings findings = { .run = 1 };
	struct gpubp_hit_record rec = record_of(0);

	guard_message(&map, "buffer 7 0x10100 0 out");
	guard_message(&map, "buffer 7 0x10100 0x10 other");
	guard_judge(&findings, &map, PID, &rec);
	rec.addr = 0x10500;
	guard_judge(&findings, &map, PID, &rec);
	tap_ok(findings.nr == 1 && findings.nr_legal == 1 &&
	       !strcmp(findings.list[0].buffer, "out"),
	       "a hit is judged by the buffers when its kernel started");
	free(findings.list);
	guard_map_free(&map);
}

static void test_suppress(void)
{
	static const struct {
		const char *list;
		bool found;
	} patterns[] = {
		{ "blur", false }, { "blur:out", false }, { "b*:o?t", false }, { "x,*:out", false },
		{ "blur:table", true }, { "out", true }, { "", true },
	};
	struct guard_map map = map_of(false);
	struct gpubp_hit_record rec = record_of(1);
	size_t i;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct guard_findings findings = { .run = 1 };

		guard_suppress_read(&findings.suppress, patterns[i].list, NULL, NULL);
		guard_judge(&findings, &map, PID, &rec);
		tap_ok((findings.nr == 1) == patterns[i].found &&
		       findings.nr_suppressed == !patterns[i].found,
		       "suppress '%s'", patterns[i].list);
		guard_suppress_free(findings.suppress);
		free(findings.list);
	}
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

/* no pointer to it is among the arguments of the kernel that uses it */
static void test_variables(void)
{
	struct guard_findings findings = { .run = 1 };
	struct guard_map map = map_of(false);
	struct gpubp_hit_record rec = record_of(0);
	struct guard_zone *zones;
	ssize_t before, nr;
	size_t left_out;

	before = guard_plan(&map, 64, &zones, &left_out);
	free(zones);
	guard_message(&map, "buffer 7 0x703000 0x8 variable");
	guard_message(&map, "buffer 7 0x703ff8 0x8 other");
	guard_message(&map, "dispatch 7 3/1/3 0 " DRAW_NAME " 0x703000");
	nr = guard_plan(&map, 64, &zones, &left_out);
	free(zones);
	rec.addr = 0x703ff8;
	guard_judge(&findings, &map, PID, &rec);
	/* behind the last one the code object ends */
	tap_ok(nr == before && !findings.nr,
	       "a kernel may use all variables of its code object");
	free(findings.list);
	guard_map_free(&map);
}

/* a kernel that gets memory without a name may use what is next to a buffer */
static void test_nameless(void)
{
	struct guard_map map = map_of(false);
	struct guard_findings findings = { .run = 1 };
	struct gpubp_hit_record rec = record_of(3);

	guard_message(&map, "dispatch 7 3/1/3 2 " DRAW_NAME " 0x10100,0x20080");
	rec.dispatch = 3;
	guard_judge(&findings, &map, PID, &rec);
	tap_ok(!findings.nr && findings.nr_legal == 1,
	       "memory without a name that the kernel got");
	guard_map_free(&map);
}

int main(void)
{
	tap_plan(17 + 3 + 12 + 10 + 2 + 5 + 4 + 13 + 3 + 6 + 1 + 7 + 1 + 1 + 4);
	test_messages();
	test_buffers();
	test_zones();
	test_many();
	test_ring();
	test_packets();
	test_hits();
	test_findings();
	test_changes();
	test_later();
	test_suppress();
	test_variables();
	test_nameless();
	test_item();
	return tap_status();
}
