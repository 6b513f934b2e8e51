// SPDX-License-Identifier: GPL-2.0
/*
 * Timelines: of events with known bars, gaps and hits; of raw events with fields in
 * another order than the kernel's; damaged files. With a directory as its argument,
 * it writes pictures of a simulated rotation there instead.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <linux/gpubp.h>
#include "mutate.h"
#include "timeline.h"

#define MS		1000000ULL
#define NR_WATCHES	64
#define NR_SLOTS	4
#define NR_QUANTA	200

/* ---- raw events ------------------------------------------------------------ */

/* not the order of the kernel */
struct slot_event {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint32_t slots;
	uint32_t context;
	uint64_t last;
	uint64_t start;
	uint64_t watch;
	uint8_t device;
	uint8_t pad[7];
};

struct hit_event {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint64_t watch;
	uint64_t pc;
	uint64_t addr;
	uint32_t context;
	uint32_t owner;
	uint16_t hit_flags;
	uint8_t access;
	uint8_t addr_state;
	uint8_t device;
	uint8_t pad[3];
	uint32_t queue;
	uint32_t dispatch;
};

enum { ID_ARM = 901, ID_DISARM, ID_HIT, ID_ROTATE };

#define COMMON \
	"format:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define SLOT_FIELDS \
	"\tfield:u32 slots;\toffset:8;\tsize:4;\tsigned:0;\n" \
	"\tfield:u32 context;\toffset:12;\tsize:4;\tsigned:0;\n" \
	"\tfield:u64 last;\toffset:16;\tsize:8;\tsigned:0;\n" \
	"\tfield:u64 start;\toffset:24;\tsize:8;\tsigned:0;\n" \
	"\tfield:u64 watch;\toffset:32;\tsize:8;\tsigned:0;\n" \
	"\tfield:u8 device;\toffset:40;\tsize:1;\tsigned:0;\n" \
	"\nprint fmt: \"slots=0x%x\", REC->slots\n"

static const char * const formats[] = {
	"name: gpubp_arm\nID: 901\n" COMMON SLOT_FIELDS,
	"name: gpubp_disarm\nID: 902\n" COMMON SLOT_FIELDS,
	"name: gpubp_hit\nID: 903\n" COMMON
	"\tfield:u64 watch;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 pc;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 addr;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u32 context;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 pid;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:u16 flags;\toffset:40;\tsize:2;\tsigned:0;\n"
	"\tfield:u8 access;\toffset:42;\tsize:1;\tsigned:0;\n"
	"\tfield:u8 addr_state;\toffset:43;\tsize:1;\tsigned:0;\n"
	"\tfield:u8 device;\toffset:44;\tsize:1;\tsigned:0;\n"
	"\tfield:u32 queue;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 dispatch;\toffset:52;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"pc=0x%llx\", REC->pc\n",
};

static void raw_formats(struct timeline_raw *raw)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		timeline_raw_text(raw, 0, formats[i], strlen(formats[i]));
}

static void raw_mask(struct timeline_raw *raw, uint64_t time, bool arm,
		     unsigned int watch, uint32_t slots)
{
	struct slot_event event = {
		.type = arm ? ID_ARM : ID_DISARM, .device = 0, .context = 7,
		.watch = 100 + watch, .start = 0x200000000 + 64 * watch,
		.last = 0x200000000 + 64 * watch + 3, .slots = slots,
	};

	timeline_raw_add(raw, time, 0, &event, sizeof(event));
}

static void raw_slots(struct timeline_raw *raw, uint64_t time, bool arm,
		      unsigned int watch, unsigned int slot)
{
	raw_mask(raw, time, arm, watch, 1u << slot);
}

static void raw_hit(struct timeline_raw *raw, uint64_t time, unsigned int watch)
{
	struct hit_event event = {
		.type = ID_HIT, .watch = 100 + watch, .context = 7, .owner = 4711,
		.addr = 0x200000000 + 64 * watch, .pc = 0x7f0000000100,
		.access = GPUBP_ACCESS_STORE, .addr_state = GPUBP_ADDR_EXACT,
	};

	timeline_raw_add(raw, time, 9, &event, sizeof(event));
}

/* ---- a rotation, as the scheduler's policy makes it ------------------------ */

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void simulate(struct timeline_raw *raw)
{
	int held[NR_SLOTS] = { -1, -1, -1, -1 };
	unsigned int slot, quantum, next = 0, watch;
	uint64_t time = 5000 * MS;
	uint32_t state = 1;

	raw_formats(raw);
	for (quantum = 0; quantum < NR_QUANTA; quantum++) {
		for (slot = 0; slot < NR_SLOTS; slot++)
			if (held[slot] >= 0)
				raw_slots(raw, time, false, (unsigned int)held[slot], slot);
		for (slot = 0; slot < NR_SLOTS; slot++) {
			watch = slot == NR_SLOTS - 1 ? random_next(&state) % NR_WATCHES :
				next++ % NR_WATCHES;
			held[slot] = (int)watch;
			raw_slots(raw, time + 1000, true, watch, slot);
			if (watch % 5 == 0)
				raw_hit(raw, time + MS * (2 + watch % 3), watch);
		}
		time += MS * (5 + random_next(&state) % 10);
	}
	for (slot = 0; slot < NR_SLOTS; slot++)
		raw_slots(raw, time, false, (unsigned int)held[slot], slot);
	timeline_raw_text(raw, 4711, "200000000 1000 grid\n", 20);
	raw->lost = 3;
}

static int write_pictures(const char *dir)
{
	static const char * const ends[] = { "svg", "json", "raw" };
	struct timeline_raw raw = {};
	struct timeline tl = {};
	const char *err;
	char path[512];
	FILE *out;
	int i;

	simulate(&raw);
	err = timeline_decode(&tl, &raw);
	for (i = 0; !err && i < 3; i++) {
		snprintf(path, sizeof(path), "%s/timeline.%s", dir, ends[i]);
		out = fopen(path, "w");
		if (!out)
			err = path;
		else if (i == 0)
			timeline_svg(&tl, out);
		else if (i == 1)
			timeline_json(&tl, out);
		else
			timeline_raw_save(&raw, out);
		if (out)
			fclose(out);
	}
	if (err)
		fprintf(stderr, "%s\n", err);
	timeline_free(&tl);
	timeline_raw_free(&raw);
	return err ? 1 : 0;
}

/* ---- the model ------------------------------------------------------------- */

static const struct {
	const char *name;
	unsigned int time;
	unsigned int watch;
	uint32_t slots;
	uint64_t addr;
} story[] = {
	{ "gpubp_hit", 10, 3, 0, 0x304 },
	{ "gpubp_hit", 10, 1, 0, 0x100 },	/* its commit says so below */
	{ "gpubp_disarm", 10, 3, 8, 0x300 },	/* armed before the first event */
	{ "gpubp_arm", 10, 1, 1, 0x100 },
	{ "gpubp_arm", 12, 9, 0, 0x900 },	/* a break */
	{ "gpubp_hit", 15, 1, 0, 0x104 },
	{ "gpubp_rotate", 20, 0, 0, 0 },
	{ "gpubp_arm", 20, 1, 6, 0x100 },	/* two other comparators */
	{ "gpubp_hit", 25, 77, 0, 0x107 },	/* a member of a set */
	{ "gpubp_disarm", 30, 1, 6, 0x100 },
	{ "gpubp_hit", 31, 78, 0, 0x1000 },	/* no watch is there */
	{ "gpubp_stall", 40, 1, 0, 0x100 },
	{ "gpubp_arm", 60, 1, 1, 0x100 },	/* until the end */
	{ "gpubp_arm", 70, 3, 8, 0x300 },
	{ "gpubp_disarm", 80, 3, 8, 0x300 },
	{ "gpubp_rotate", 100, 0, 0, 0 },
};

static void tell_story(struct timeline *tl)
{
	struct timeline_event event;
	size_t i;

	for (i = 0; i < sizeof(story) / sizeof(story[0]); i++) {
		event = (struct timeline_event){
			.name = story[i].name, .time = story[i].time,
			.watch = story[i].watch, .context = 2, .device = 5,
			.start = story[i].addr, .last = story[i].addr + 7,
			.slots = story[i].slots, .exact = true,
		};
		if (timeline_add(tl, &event))
			abort();
	}
	if (timeline_finish(tl))
		abort();
}

static void test_model(void)
{
	struct timeline tl = {};
	const struct timeline_watch *w, *v;

	tell_story(&tl);
	w = &tl.watches[0];
	v = &tl.watches[1];
	tap_ok(tl.nr_watches == 2 && w->id == 1 && v->id == 3,
	       "watches in order of address, no breaks");
	tap_ok(tl.nr_bars == 5 && w->nr_bars == 3 && v->nr_bars == 2, "bars");
	tap_ok(w->armed_ns == 10 + 10 + 40, "a bar goes on to the end");
	tap_ok(v->armed_ns == 10, "a watch that was armed before the first event");
	tap_ok(w->longest_gap == 30 && v->longest_gap == 60, "longest gaps");
	tap_ok(w->nr_hits == 3 && w->nr_stalls == 1 && tl.nr_marks == 5,
	       "hits, also of a member of a set; a stall");
	tap_ok(v->nr_hits == 1 && tl.marks[0].slots == 1 && tl.marks[1].slots == 8,
	       "hits before the first word of their watches");
	tap_ok(tl.marks[2].slots == 1 && tl.marks[3].slots == 6,
	       "a hit is where its watch is armed");
	tap_ok(timeline_nr_slots(&tl, 5) == 4 && !timeline_nr_slots(&tl, 4),
	       "comparators of a device");
	tap_ok(timeline_share(&tl, w) > 0.66 && timeline_share(&tl, w) < 0.67,
	       "share of the time from 10 to 100");
	tap_ok(!strcmp(w->label, "0x100/8"), "no name: the address");
	tap_ok(tl.nr_commits == 2, "commits");
	timeline_free(&tl);
}

/* ---- decoding -------------------------------------------------------------- */

static double sum_of_shares(const struct timeline *tl)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < tl->nr_watches; i++)
		sum += timeline_share(tl, &tl->watches[i]);
	return sum;
}

static void reverse(struct timeline_raw *raw)
{
	struct timeline_record swap;
	size_t i, j;

	for (i = 0, j = raw->nr_records - 1; i < j; i++, j--) {
		swap = raw->records[i];
		raw->records[i] = raw->records[j];
		raw->records[j] = swap;
	}
}

static void test_decode(void)
{
	struct timeline_raw raw = {};
	struct timeline tl = {};
	const struct timeline_watch *w;
	uint64_t hits = 0;
	size_t i;

	simulate(&raw);
	tap_ok(!timeline_decode(&tl, &raw), "raw events are decoded");
	tap_ok(tl.nr_watches == NR_WATCHES, "watches");
	for (i = 0; i < tl.nr_watches; i++)
		hits += tl.watches[i].nr_hits;
	tap_ok(hits == tl.nr_marks && hits > 100, "hits");
	tap_ok(sum_of_shares(&tl) > 3.9 && sum_of_shares(&tl) <= 4,
	       "all shares together are four comparators");
	w = &tl.watches[3];
	tap_ok(!strcmp(w->label, "grid+0xc0/4"), "a name: %s", w->label);
	tap_ok(!strcmp(tl.watches[0].label, "grid/4"), "the begin of a buffer");
	tap_ok(tl.lost == 3, "lost events");
	timeline_free(&tl);
	timeline_raw_free(&raw);
}

/* a CPU's events come after those of another one */
static void test_order(void)
{
	struct timeline_raw raw = {};
	struct timeline tl = {};
	uint64_t before = 0;
	size_t i;
	bool ok = true;

	raw_formats(&raw);
	for (i = 0; i < 50; i++) {
		raw_slots(&raw, 100 + 20 * i, true, (unsigned int)i, 0);
		raw_slots(&raw, 110 + 20 * i, false, (unsigned int)i, 0);
	}
	reverse(&raw);
	ok = !timeline_decode(&tl, &raw) && tl.nr_bars == 50;
	for (i = 0; ok && i < tl.nr_bars; i++) {
		ok = tl.bars[i].from > before && tl.bars[i].to == tl.bars[i].from + 10;
		before = tl.bars[i].to;
	}
	tap_ok(ok, "events are sorted by time");
	timeline_free(&tl);
	timeline_raw_free(&raw);
}

static void test_wrong(void)
{
	struct timeline_raw raw = {};
	struct timeline tl = {};
	const char *err;

	timeline_raw_text(&raw, 0, "name: x\nrubbish", 15);
	err = timeline_decode(&tl, &raw);
	tap_ok(err && strstr(err, "malformed"), "a malformed format");
	timeline_raw_free(&raw);
	timeline_free(&tl);

	raw_formats(&raw);
	timeline_raw_add(&raw, 1, 0, "\x85\x03\0\0\0\0\0\0" "1234", 12);
	err = timeline_decode(&tl, &raw);
	tap_ok(err && strstr(err, "as its format says"), "an event that is too short");
	timeline_raw_free(&raw);
	timeline_free(&tl);
}

/* ---- files ----------------------------------------------------------------- */

static bool try_file(const unsigned char *data, size_t size)
{
	struct timeline_raw raw = {};
	struct timeline tl = {};
	FILE *in = fmemopen((void *)(uintptr_t)data, size ? size : 1, "r");
	bool ok = in && size && !timeline_raw_load(&raw, in) &&
		  !timeline_decode(&tl, &raw);

	if (in)
		fclose(in);
	timeline_free(&tl);
	timeline_raw_free(&raw);
	return ok;
}

static void test_files(void)
{
	struct timeline_raw raw = {}, copy = {};
	char *text = NULL, *again = NULL;
	size_t size, len, accepted;
	FILE *file = open_memstream(&text, &size);

	raw_formats(&raw);
	raw_slots(&raw, 1000, true, 0, 0);
	raw_hit(&raw, 1500, 0);
	raw_slots(&raw, 2000, false, 0, 0);
	timeline_raw_text(&raw, 4711, "200000000 1000 grid\n", 20);
	raw.lost = 9;
	timeline_raw_save(&raw, file);
	fclose(file);
	tap_ok(try_file((unsigned char *)text, size), "a file is read");
	file = fmemopen(text, size, "r");
	timeline_raw_load(&copy, file);
	fclose(file);
	file = open_memstream(&again, &len);
	timeline_raw_save(&copy, file);
	fclose(file);
	tap_ok(len == size && !memcmp(text, again, size) && copy.lost == 9,
	       "and is the same when written again");
	accepted = mutate_truncate(try_file, (unsigned char *)text, size);
	tap_ok(accepted > 0 && accepted < size / 8,
	       "of %zu truncated files, %zu end with a part", size, accepted);
	free(text);
	free(again);
	timeline_raw_free(&raw);
	timeline_raw_free(&copy);
}

/* ---- pictures -------------------------------------------------------------- */

static unsigned int count_of(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static char *picture_of(const struct timeline *tl,
			void (*draw)(const struct timeline *tl, FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	draw(tl, out);
	fclose(out);
	return text;
}

static void test_pictures(void)
{
	struct timeline tl = {};
	char *svg, *json;

	tell_story(&tl);
	strcpy(tl.watches[0].label, "a<b&\"c\\");
	tl.lost = 4;
	svg = picture_of(&tl, timeline_svg);
	json = picture_of(&tl, timeline_json);
	tap_ok(strstr(svg, "a&lt;b&amp;\"c\\") && !strstr(svg, "a<b"),
	       "a name is escaped in SVG");
	tap_ok(strstr(json, "\"a<b&\\\"c\\\\\""), "and in JSON");
	tap_ok(count_of(svg, ">comparator ") == 4, "a lane for each comparator");
	tap_ok(count_of(svg, "<g><title>") == 2, "a row for each watch");
	tap_ok(count_of(svg, " for 10 ns</title>") == 4,
	       "a bar for each comparator of a watch");
	tap_ok(strstr(svg, "4 events were lost") != NULL, "lost events are shown");
	tap_ok(strstr(json, "\"lost\":4") != NULL, "and are in JSON");
	tap_ok(count_of(json, "\"ph\":\"X\"") == 6 + 5 && count_of(json, "\"ph\":\"i\"") == 5,
	       "bars, of comparators and of watches; hits");
	free(svg);
	free(json);
	timeline_free(&tl);
}

/* ---- dispatches ------------------------------------------------------------ */

static void raw_dispatch(struct timeline_raw *raw, uint64_t time, uint32_t queue,
			 uint32_t dispatch, uint64_t pc)
{
	struct hit_event event = {
		.type = ID_HIT, .watch = 100, .context = 7, .owner = 4711,
		.addr = 0x200000000, .pc = pc, .access = GPUBP_ACCESS_STORE,
		.addr_state = GPUBP_ADDR_EXACT, .hit_flags = GPUBP_HIT_DISPATCH,
		.queue = queue, .dispatch = dispatch,
	};

	timeline_raw_add(raw, time, 9, &event, sizeof(event));
}

/* does the first bar of the row of a kernel begin and end then? From 1000 to 4500 all */
static bool is_bar(const char *svg, const char *kernel, double from, double to)
{
	double x, y, width, scale = (876 - 176) / 3500.0;
	char title[64];
	const char *at;

	snprintf(title, sizeof(title), "<g class=\"kernel\"><title>%s, context", kernel);
	at = strstr(svg, title);
	at = at ? strstr(at, " d=\"M") : NULL;
	if (!at || sscanf(at, " d=\"M%lf %lfh%lfv", &x, &y, &width) != 3)
		return false;
	return fabs(x - 176 - (from - 1000) * scale) < 0.1 &&
	       fabs(width - (to - from) * scale) < 0.1;
}

static void test_dispatches(void)
{
	static const char map[] = "7f00 100 _Z4vaddPKfS0_Pf\n200000000 1000 grid\n8000 100 scale\n";
	struct timeline_raw raw = {};
	struct timeline tl = {};
	char *json, *svg;

	raw_formats(&raw);
	raw_slots(&raw, 1000, true, 0, 0);
	raw_dispatch(&raw, 2000, 3, 40, 0x7f10);
	raw_dispatch(&raw, 2500, 3, 41, 0x8004);	/* while 40 runs */
	raw_dispatch(&raw, 2600, 4, 40, 0x7f10);	/* of another queue */
	raw_dispatch(&raw, 3000, 3, 40, 0x7f20);
	raw_dispatch(&raw, 3500, 3, 41, 0x8004);
	raw_dispatch(&raw, 4000, 3, 42, 0x9000);	/* no name */
	raw_hit(&raw, 4500, 0);				/* no dispatch */
	timeline_raw_text(&raw, 4711, map, sizeof(map) - 1);
	if (timeline_decode(&tl, &raw))
		abort();
	json = picture_of(&tl, timeline_json);
	tap_ok(tl.nr_dispatches == 4 && tl.dispatches[0].from == 2000 &&
	       tl.dispatches[0].to == 3000 && tl.dispatches[0].nr_hits == 2,
	       "a dispatch from its first hit to its last");
	tap_ok(tl.nr_tracks == 3 && tl.dispatches[0].track != tl.dispatches[1].track &&
	       tl.dispatches[0].track == tl.dispatches[3].track,
	       "dispatches of a queue that overlap have two tracks");
	tap_ok(strstr(json, "\"name\":\"vadd #40\"") && strstr(json, "\"name\":\"scale #41\"") &&
	       strstr(json, "\"name\":\"dispatch #42\""), "with the name of the kernel");
	tap_ok(count_of(json, "\"span\":\"first to last hit\"") == 4,
	       "the trace says what the span is");
	svg = picture_of(&tl, timeline_svg);
	tap_ok(strstr(svg, "<title>vadd, context 7: 2 dispatches with hits, 3 hits</title>") &&
	       strstr(svg, "<title>scale, context 7: 1 dispatch with hits, 2 hits</title>") &&
	       strstr(svg, "<title>kernels without a name, context 7: 1 dispatch"),
	       "the picture has a row for each kernel");
	tap_ok(is_bar(svg, "vadd", 2000, 3000) && is_bar(svg, "scale", 2500, 3500),
	       "with a bar from the first hit of a dispatch to its last");
	free(svg);
	free(json);
	timeline_free(&tl);
	timeline_raw_free(&raw);
}

/* ---- very many hits --------------------------------------------------------- */

#define NR_MANY		100000

/* hits of all titles of marks in the rows of watches */
static uint64_t sum_of_titles(const char *svg)
{
	const char *at = strstr(svg, "<g><title>");
	uint64_t sum = 0, n;
	char word[5];

	for (; at && (at = strstr(at, "\"><title>")); at++)
		if (sscanf(at, "\"><title>%" SCNu64 " %4[hits]", &n, word) == 2 &&
		    !strncmp(word, "hit", 3))
			sum += n;
	return sum;
}

static void draw_many(unsigned int nr_hits, unsigned int nr_watches,
		      size_t *size, unsigned int *nr_elements, uint64_t *sum)
{
	struct timeline_raw raw = {};
	struct timeline tl = {};
	unsigned int i;
	char *svg;

	raw_formats(&raw);
	for (i = 0; i < nr_watches; i++)
		raw_slots(&raw, 1000, true, i, i % NR_SLOTS);
	for (i = 0; i < nr_hits; i++)
		raw_hit(&raw, 2000 + 100 * i, i % nr_watches);
	if (timeline_decode(&tl, &raw))
		abort();
	svg = picture_of(&tl, timeline_svg);
	*size = strlen(svg);
	*nr_elements = count_of(svg, "<path") + count_of(svg, "<rect");
	*sum = sum_of_titles(svg);
	free(svg);
	timeline_free(&tl);
	timeline_raw_free(&raw);
}

static void test_many_hits(void)
{
	unsigned int elements[3];
	uint64_t sums[3];
	size_t sizes[3];

	draw_many(NR_MANY, 1, &sizes[0], &elements[0], &sums[0]);
	draw_many(NR_MANY, 64, &sizes[1], &elements[1], &sums[1]);
	draw_many(3 * NR_MANY, 64, &sizes[2], &elements[2], &sums[2]);
	tap_ok(sums[0] == NR_MANY && sums[1] == NR_MANY && sums[2] == 3 * NR_MANY,
	       "all hits are in the titles");
	tap_ok(elements[0] < 1500 && sizes[0] < 250000,
	       "100000 hits of a watch: %u elements, %zu bytes", elements[0], sizes[0]);
	tap_ok(elements[1] < 17000 && sizes[1] < 2500000,
	       "of 64 watches: %u elements, %zu bytes", elements[1], sizes[1]);
	tap_ok(elements[2] <= elements[1] + 100 && sizes[2] < sizes[1] + sizes[1] / 10,
	       "three times as many: %u elements, %zu bytes", elements[2], sizes[2]);
}

/* dispatches of kernels, each of which has two hits; bytes of the picture and its rows */
static size_t draw_many_dispatches(unsigned int nr, unsigned int nr_kernels,
				   unsigned int *nr_rows, bool *told)
{
	struct timeline_raw raw = {};
	struct timeline tl = {};
	unsigned int i;
	size_t size;
	char *svg;

	raw_formats(&raw);
	raw_slots(&raw, 1000, true, 0, 0);
	for (i = 0; i < 2 * nr; i++)
		raw_dispatch(&raw, 2000 + 100 * i, 3, i / 2,
			     0x10000 + 0x100 * (i / 2 % nr_kernels));
	for (i = 0; i < nr_kernels; i++) {
		char line[64];
		int len = snprintf(line, sizeof(line), "%x 100 kernel%03u_of_a_name_that_is_longer\n",
				   0x10000 + 0x100 * i, i);

		timeline_raw_text(&raw, 4711, line, (size_t)len);
	}
	if (timeline_decode(&tl, &raw))
		abort();
	svg = picture_of(&tl, timeline_svg);
	size = strlen(svg);
	*nr_rows = count_of(svg, "<g class=\"kernel\"><title>");
	*told = count_of(svg, ">152 kernels with fewer hits have no row<") == 1 &&
		count_of(svg, ">kernel000_of_a_name_that_is_lon…<") == 1;
	free(svg);
	timeline_free(&tl);
	timeline_raw_free(&raw);
	return size;
}

static void test_many_dispatches(void)
{
	unsigned int rows[3];
	size_t sizes[3];
	bool told[3];

	sizes[0] = draw_many_dispatches(1000, 1, &rows[0], &told[0]);
	sizes[1] = draw_many_dispatches(NR_MANY / 2, 1, &rows[1], &told[1]);
	sizes[2] = draw_many_dispatches(NR_MANY / 2, 200, &rows[2], &told[2]);
	tap_ok(sizes[1] < 150000 && sizes[1] < 2 * sizes[0], "1000 dispatches: %zu bytes, %d: %zu",
	       sizes[0], NR_MANY / 2, sizes[1]);
	tap_ok(rows[0] == 1 && rows[2] == 48 && told[2] && sizes[2] < 48 * 60000,
	       "of 200 kernels, 48 have rows, and the others are counted: %zu bytes", sizes[2]);
}

/* ---- tracks ---------------------------------------------------------------- */

#define NR_PROGRAMS	200
#define NR_STEPS	120
#define NR_SHARING	6
#define TRACK_DEPTH	64

/* watches come and go, and share comparators as they like; hits come at any time */
static void random_program(struct timeline_raw *raw, uint32_t *state)
{
	uint32_t held[NR_SHARING] = {};
	uint64_t time = 1000;
	unsigned int i, watch;

	raw_formats(raw);
	for (i = 0; i < NR_STEPS; i++) {
		watch = random_next(state) % NR_SHARING;
		time += random_next(state) % 4;
		switch (random_next(state) % 5) {
		case 0:
			raw_hit(raw, time, watch);
			break;
		case 2:
			raw_dispatch(raw, time, watch % 2, random_next(state) % 8, 0x7f10);
			break;
		case 1:
			if (held[watch])
				raw_mask(raw, time, false, watch, held[watch]);
			held[watch] = 0;
			break;
		default:
			held[watch] = 1 + random_next(state) % 15;
			raw_mask(raw, time, true, watch, held[watch]);
		}
	}
}

/* what is open on a track, in steps of a nanosecond */
struct track {
	unsigned int pid;
	uint64_t tid;
	uint64_t begin;
	uint64_t ends[TRACK_DEPTH];
	unsigned int depth;
};

struct tracks {
	struct track list[64];
	size_t nr;
	size_t nr_slices;
	size_t nr_misnested;
	size_t nr_backwards;
};

static struct track *track_get(struct tracks *tracks, unsigned int pid,
			       uint64_t tid)
{
	size_t i;

	for (i = 0; i < tracks->nr; i++)
		if (tracks->list[i].pid == pid && tracks->list[i].tid == tid)
			return &tracks->list[i];
	if (tracks->nr == sizeof(tracks->list) / sizeof(tracks->list[0]))
		abort();
	tracks->list[tracks->nr] = (struct track){ .pid = pid, .tid = tid };
	return &tracks->list[tracks->nr++];
}

static void track_slice(struct tracks *tracks, unsigned int pid, uint64_t tid,
			uint64_t from, uint64_t to)
{
	struct track *track = track_get(tracks, pid, tid);

	tracks->nr_slices++;
	tracks->nr_backwards += from < track->begin;
	track->begin = from;
	while (track->depth && track->ends[track->depth - 1] <= from)
		track->depth--;
	if (track->depth && track->ends[track->depth - 1] < to)
		tracks->nr_misnested++;
	if (track->depth < TRACK_DEPTH)
		track->ends[track->depth++] = to;
}

/* "123.004" us, as ns */
static uint64_t trace_ns(const char *line, const char *key)
{
	const char *at = strstr(line, key);
	uint64_t us = 0;
	unsigned int ns = 0;

	if (!at || sscanf(at + strlen(key), "%" SCNu64 ".%3u", &us, &ns) != 2)
		abort();
	return us * 1000 + ns;
}

/* for each line of the trace */
static void trace_each(const char *json, struct tracks *tracks,
		       void (*see)(const char *line, unsigned int pid, uint64_t tid,
				   struct tracks *tracks))
{
	const char *line, *at;
	unsigned int pid;
	uint64_t tid;

	for (line = json; line; line = strchr(line + 1, '\n')) {
		at = strstr(line, "\"pid\":");
		if (!at || sscanf(at, "\"pid\":%u,\"tid\":%" SCNu64, &pid, &tid) != 2)
			continue;
		see(line, pid, tid, tracks);
	}
}

static bool is_phase(const char *line, char phase)
{
	const char *at = strstr(line, "\"ph\":\"");

	return at && at[6] == phase;
}

static void see_slice(const char *line, unsigned int pid, uint64_t tid,
		      struct tracks *tracks)
{
	uint64_t from;

	if (!is_phase(line, 'X'))
		return;
	from = trace_ns(line, "\"ts\":");
	track_slice(tracks, pid, tid, from, from + trace_ns(line, "\"dur\":"));
}

static void test_tracks(void)
{
	struct tracks all = {};
	uint32_t state = 5;
	unsigned int i;

	for (i = 0; i < NR_PROGRAMS; i++) {
		struct timeline_raw raw = {};
		struct timeline tl = {};
		struct tracks tracks = {};
		char *json;

		random_program(&raw, &state);
		if (timeline_decode(&tl, &raw))
			abort();
		json = picture_of(&tl, timeline_json);
		trace_each(json, &tracks, see_slice);
		all.nr_slices += tracks.nr_slices;
		all.nr_misnested += tracks.nr_misnested;
		all.nr_backwards += tracks.nr_backwards;
		free(json);
		timeline_free(&tl);
		timeline_raw_free(&raw);
	}
	tap_ok(all.nr_slices > 100 * NR_PROGRAMS && !all.nr_misnested,
	       "slices of a track nest or are disjoint: %zu of %zu do not",
	       all.nr_misnested, all.nr_slices);
	tap_ok(!all.nr_backwards, "they are in order of their begin");
}

/* is it in a slice of its watch, at the edges too? */
static bool hit_is_covered(const char *json, uint64_t tid, uint64_t time)
{
	char key[64];
	const char *at = json, *line;
	uint64_t from;

	snprintf(key, sizeof(key), "\"ph\":\"X\",\"pid\":1000,\"tid\":%" PRIu64 ",", tid);
	while ((at = strstr(at, key))) {
		line = at++;
		from = trace_ns(line, "\"ts\":");
		if (time >= from && time <= from + trace_ns(line, "\"dur\":"))
			return true;
	}
	return false;
}

/* hits that are flagged though they are in a slice, or the other way round */
static void count_hits(const char *json, size_t nr[2], size_t *wrong)
{
	const char *line, *next;
	unsigned int pid;
	uint64_t tid;
	bool flagged;

	for (line = json; line; line = next) {
		next = strchr(line + 1, '\n');
		if (sscanf(line, "\n{\"name\":\"hit\",\"ph\":\"i\",\"pid\":%u,\"tid\":%" SCNu64,
			   &pid, &tid) != 2)
			continue;
		flagged = strstr(line, "\"armed\":false") &&
			  (!next || strstr(line, "\"armed\":false") < next);
		nr[flagged]++;
		*wrong += flagged == hit_is_covered(json, tid, trace_ns(line, "\"ts\":"));
	}
}

static void test_outside(void)
{
	size_t nr[2] = {}, wrong = 0;
	uint32_t state = 9;
	unsigned int i;

	for (i = 0; i < NR_PROGRAMS / 4; i++) {
		struct timeline_raw raw = {};
		struct timeline tl = {};
		char *json;

		random_program(&raw, &state);
		if (timeline_decode(&tl, &raw))
			abort();
		json = picture_of(&tl, timeline_json);
		count_hits(json, nr, &wrong);
		free(json);
		timeline_free(&tl);
		timeline_raw_free(&raw);
	}
	tap_ok(nr[0] > 100 && nr[1] > 100 && !wrong,
	       "of %zu hits, the %zu outside of all slices of their watch are flagged",
	       nr[0] + nr[1], nr[1]);
}

/* two watches of one granule: both have their bars, above each other */
static void test_shared(void)
{
	struct timeline_raw raw = {};
	struct timeline tl = {};
	char *svg, *json;

	raw_formats(&raw);
	raw_slots(&raw, 1000, true, 0, 0);
	raw_slots(&raw, 2000, true, 1, 0);
	raw_slots(&raw, 3000, false, 0, 0);
	raw_slots(&raw, 4000, false, 1, 0);
	if (timeline_decode(&tl, &raw))
		abort();
	svg = picture_of(&tl, timeline_svg);
	json = picture_of(&tl, timeline_json);
	tap_ok(timeline_nr_lanes(&tl, 0, 0) == 2 && strstr(json, "\"comparator 0, shared 1\""),
	       "a comparator that two watches share has two tracks");
	tap_ok(count_of(svg, "height=\"10.0\" fill=") == 2 &&
	       count_of(svg, ">comparator ") == 1, "in the picture, two bars above each other");
	free(svg);
	free(json);
	timeline_free(&tl);
	timeline_raw_free(&raw);
}

/* ---- large recordings ------------------------------------------------------- */

#define NR_LARGE	2000

/* hits of members of a set, of breaks and of watches that are not armed */
static void test_linear(void)
{
	struct timeline tl = {};
	struct timeline_event event;
	unsigned int i;
	int err = 0;

	for (i = 0; i < 2 * NR_LARGE; i++) {
		event = (struct timeline_event){
			.name = i % 2 ? "gpubp_disarm" : "gpubp_arm", .time = 1000 + i,
			.watch = i / 2, .context = i / 2 % 50, .slots = 1,
			.start = 0x1000 + 64 * (i / 2), .last = 0x103f + 64 * (i / 2),
		};
		err |= timeline_add(&tl, &event);
	}
	for (i = 0; i < 100 * NR_LARGE; i++) {
		event = (struct timeline_event){
			.name = "gpubp_hit", .time = 10000 + i, .watch = NR_LARGE + i,
			.context = i % 50, .exact = true,
			.start = i % 2 ? 8 : 0x1010 + 64 * (i % NR_LARGE),
		};
		err |= timeline_add(&tl, &event);
	}
	err |= timeline_finish(&tl);
	tap_ok(!err && tl.nr_watches == NR_LARGE && tl.nr_spans == 50 &&
	       tl.nr_marks == 50 * NR_LARGE, "a large recording");
	tap_ok(tl.ranges.nr_looks <= 4 * 100 * NR_LARGE, "hits without a watch's id: %" PRIu64
	       " looks for %d", tl.ranges.nr_looks, 100 * NR_LARGE);
	timeline_free(&tl);
}

/* which of the watches at an address has the hit */
static void test_overlap(void)
{
	static const struct {
		uint64_t start, last;
	} at[] = {
		{ 0, UINT64_MAX }, { 0x1000, 0x1fff }, { 0x1ff8, 0x2007 }, { 0x1ffc, 0x1fff },
	};
	struct timeline tl = {};
	struct timeline_event event = { .context = 1, .slots = 1 };
	int err = 0;

	for (event.watch = 0; event.watch < 4; event.watch++) {
		event.name = "gpubp_arm";
		event.time = 100 + event.watch;
		event.start = at[event.watch].start;
		event.last = at[event.watch].last;
		err |= timeline_add(&tl, &event);
		event.name = "gpubp_disarm";
		if (event.watch != 1 && event.watch != 2)
			err |= timeline_add(&tl, &event);
	}
	event = (struct timeline_event){
		.name = "gpubp_hit", .context = 1, .watch = 77, .time = 200, .start = 0x1ffe,
	};
	err |= timeline_add(&tl, &event);	/* in all: that which was armed first */
	event.start = 0x2000;			/* behind the boundary of cells */
	err |= timeline_add(&tl, &event);
	event.start = UINT64_MAX;
	err |= timeline_add(&tl, &event);
	event.context = 2;
	event.start = 0x1ffe;			/* of no watch of its context */
	err |= timeline_add(&tl, &event);
	tap_ok(!err && tl.nr_marks == 3 && tl.nr_early == 1 && tl.marks[0].watch == 1 &&
	       tl.marks[1].watch == 2 && tl.marks[2].watch == 0,
	       "a hit is that of an armed watch that has its bytes");
	timeline_free(&tl);
}

/* the linker has these for sscanf(), which reads all of its text */
static uint64_t nr_scanned;

int __wrap___isoc99_sscanf(const char *text, const char *fmt, ...);
int __wrap___isoc23_sscanf(const char *text, const char *fmt, ...);

int __wrap___isoc99_sscanf(const char *text, const char *fmt, ...)
{
	va_list ap;
	int ret;

	nr_scanned += strlen(text);
	va_start(ap, fmt);
	ret = vsscanf(text, fmt, ap);
	va_end(ap);
	return ret;
}

int __wrap___isoc23_sscanf(const char *text, const char *fmt, ...)
{
	va_list ap;
	int ret;

	nr_scanned += strlen(text);
	va_start(ap, fmt);
	ret = vsscanf(text, fmt, ap);
	va_end(ap);
	return ret;
}

#define NR_NAMES	100000

static void test_many_names(void)
{
	struct timeline_raw raw = {};
	struct timeline tl = {};
	bool ok = true;
	char *text, want[64];
	size_t size;
	unsigned int i;
	FILE *map = open_memstream(&text, &size);

	/* as of a program that names the same memory again and again */
	for (i = 0; i < NR_NAMES; i++)
		fprintf(map, "%llx 40 buffer%u\n", 0x200000000ULL + 64 * (i % NR_LARGE), i);
	fputs("0 ffffffffffffffff all_of_it", map);	/* it is being written */
	fclose(map);
	raw_formats(&raw);
	for (i = 0; i < NR_LARGE; i++)
		raw_slots(&raw, 1000 + i, true, i, 0);
	for (i = 0; i < NR_LARGE; i++)
		raw_dispatch(&raw, 5000 + i, 3, i, 0x200000010 + 64 * i);
	timeline_raw_text(&raw, 4711, text, size);
	nr_scanned = 0;
	if (timeline_decode(&tl, &raw))
		abort();
	for (i = 0; i < NR_LARGE; i++) {
		snprintf(want, sizeof(want), "buffer%u/4", NR_NAMES - NR_LARGE + i);
		ok = ok && !strcmp(tl.watches[i].label, want);
		snprintf(want, sizeof(want), "buffer%u", NR_NAMES - NR_LARGE + i);
		ok = ok && !strcmp(tl.dispatches[i].kernel, want);
	}
	tap_ok(ok, "of many names, the newest ones");
	tap_ok(nr_scanned < 2 * size && tl.nr_looks < 4 * NR_NAMES,
	       "%d names of %zu bytes: %" PRIu64 " bytes read, %" PRIu64 " looks",
	       NR_NAMES, size, nr_scanned, tl.nr_looks);
	free(text);
	timeline_free(&tl);
	timeline_raw_free(&raw);
}

/* later names that overlap earlier ones, of several maps */
static void test_name_order(void)
{
	static const char * const maps[] = {
		"200000000 100 one\n200000040 40 two\n\nrubbish\n",
		"2000000c0 1000 three\n200000140 0 none\n",
	};
	static const char * const want[] = { "one/4", "two/4", "one+0x80/4", "three/4",
					     "three+0x40/4", "three+0x80/4" };
	struct timeline_raw raw = {};
	struct timeline tl = {};
	bool ok = true;
	unsigned int i;

	raw_formats(&raw);
	for (i = 0; i < 6; i++)
		raw_slots(&raw, 1000, true, i, 0);
	raw_hit(&raw, 1500, 0);
	for (i = 0; i < 2; i++)
		timeline_raw_text(&raw, 4711, maps[i], strlen(maps[i]));
	timeline_raw_text(&raw, 4712, "200000000 1000 other\n", 21);
	if (timeline_decode(&tl, &raw))
		abort();
	for (i = 0; i < 6; i++)
		ok = ok && !strcmp(tl.watches[i].label, want[i]);
	tap_ok(ok, "the last name of an address in the maps of its process counts");
	timeline_free(&tl);
	timeline_raw_free(&raw);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return write_pictures(argv[1]);
	tap_plan(12 + 7 + 1 + 2 + 3 + 8 + 3 + 2 + 4 + 2 + 6 + 2 + 1 + 2 + 1);
	test_model();
	test_decode();
	test_order();
	test_wrong();
	test_files();
	test_pictures();
	test_tracks();
	test_outside();
	test_shared();
	test_many_hits();
	test_many_dispatches();
	test_dispatches();
	test_linear();
	test_overlap();
	test_many_names();
	test_name_order();
	return tap_status();
}
