// SPDX-License-Identifier: GPL-2.0
/* Names with times: what an address was called when, and lines that make no sense. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lifetimes.h"
#include "tap.h"

static const char lines[] =
	"gpubp names 1\n"
	"10 7000 100 act0\tmodel.cc:41\n"
	"20 7000 0 act0\tmodel.cc:50\n"
	"30 7000 200 weights\t\n"
	/* renamed in place, and what is within another buffer */
	"40 7000 200 grad\t\n"
	"41 7100 10 part\t\n"
	"50 7000 0 grad\t\n"
	/* written by two threads */
	"70 9000 0 late\t\n"
	"60 9000 10 late\t\n"
	/* withdrawn at another address than it was given */
	"80 a000 10 moved\t\n"
	"90 b000 0 moved\t\n"
	"nonsense\n80 c000 10\n80 c000 10 notab\n80 c000 10 \t\n80 c000 zz x\t\n"
	"80 c000 10 \033[2J\t\n80 ffffffffffffffff 10 wraps\t\n"
	"95 d000 8 a b\tx\ty\n";

static const struct {
	uint64_t addr;
	uint64_t time;
	enum name_state state;
	const char *name;
	unsigned int period;
} cases[] = {
	{ 0x7004, 9, NAME_LATER, "act0", 0 },
	{ 0x7004, 10, NAME_VALID, "act0", 2 },
	{ 0x7004, 19, NAME_VALID, "act0", 2 },
	{ 0x7004, 20, NAME_ENDED, "act0", 3 },
	{ 0x7004, 30, NAME_VALID, "weights", 4 },
	{ 0x7004, 40, NAME_VALID, "grad", 6 },
	{ 0x7004, 50, NAME_VALID, "weights", 4 },
	{ 0x7100, 10, NAME_LATER, "weights", 0 },
	{ 0x7108, 41, NAME_VALID, "part", 6 },
	{ 0x7110, 41, NAME_VALID, "grad", 4 },
	{ 0x7108, 60, NAME_VALID, "part", 6 },
	{ 0x9000, 65, NAME_VALID, "late", 2 },
	{ 0x9000, 75, NAME_ENDED, "late", 3 },
	{ 0xa000, 85, NAME_VALID, "moved", 2 },
	{ 0xa000, 90, NAME_ENDED, "moved", 3 },
	{ 0xc000, 99, NAME_NONE, NULL, 0 },
	{ 0x6fff, 99, NAME_NONE, NULL, 0 },
	{ 0x7200, 99, NAME_NONE, NULL, 0 },
	{ 0xd007, 99, NAME_VALID, "a b", 2 },
};

#define NR_CASES	((int)(sizeof(cases) / sizeof(cases[0])))

static int read_text(struct lifetimes *lives, const char *text)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct grun_err err;
	int ret = file ? lifetimes_read(lives, file, &err) : -1;

	if (file)
		fclose(file);
	return ret;
}

static void test_case(const struct lifetimes *lives, int i)
{
	enum name_state state;
	const struct lifetime *life =
		lifetimes_find(lives, 5, cases[i].addr, cases[i].time, &state);
	unsigned int period = lifetimes_period(lives, 5, cases[i].addr,
						 cases[i].time);

	if (!tap_ok(state == cases[i].state && !life == !cases[i].name &&
		    (!life || !strcmp(life->sym.name, cases[i].name)) &&
		    period == cases[i].period, "%llx at %llu",
		    (unsigned long long)cases[i].addr,
		    (unsigned long long)cases[i].time))
		tap_note("state %d, %s, period %u", state,
			 life ? life->sym.name : "no name", period);
}

static bool sites_are_kept(const struct lifetimes *lives)
{
	enum name_state state;
	const struct lifetime *a = lifetimes_find(lives, 5, 0x7000, 25, &state);
	const struct lifetime *b = lifetimes_find(lives, 5, 0xd000, 99, &state);

	return a && !strcmp(a->named_at, "model.cc:41") &&
	       !strcmp(a->withdrawn_at, "model.cc:50") &&
	       b && !strcmp(b->named_at, "x\ty") && !b->withdrawn_at[0];
}

static bool map_is_of_its_time(const struct lifetimes *lives)
{
	struct symmap map;
	bool ok = !lifetimes_at(lives, 5, 25, &map) && !map.nr;

	symmap_free(&map);
	ok = ok && !lifetimes_at(lives, 5, 45, &map) && map.nr == 3 &&
	     !strcmp(map.syms[2].name, "part");
	symmap_free(&map);
	return ok;
}

/* contexts that have a buffer each at one address */
static const char context_lines[] =
	"gpubp names 1\n"
	"10 7000 100@1 a\t\n10 7000 100@2 b\t\n"
	"20 7000 0@1 a\t\n"
	"30 7000 100@1 b\t\n30 8000 100@2 a\t\n"
	"40 7000 0@1 b\t\n"
	"50 9000 100@ c\t\n50 9000 100@x c\t\n50 9000 100@4294967296 c\t\n50 9000 100@3c\t\n";

static const struct {
	uint32_t context;
	uint64_t addr;
	uint64_t time;
	enum name_state state;
	const char *name;
	unsigned int period;
} context_cases[] = {
	{ 1, 0x7000, 15, NAME_VALID, "a", 2 },
	{ 2, 0x7000, 15, NAME_VALID, "b", 2 },
	{ 1, 0x7000, 25, NAME_ENDED, "a", 3 },
	{ 2, 0x7000, 25, NAME_VALID, "b", 2 },
	{ 1, 0x7000, 35, NAME_VALID, "b", 4 },
	{ 1, 0x7000, 45, NAME_ENDED, "b", 5 },
	{ 2, 0x7000, 45, NAME_VALID, "b", 2 },
	{ 2, 0x8000, 45, NAME_VALID, "a", 2 },
	{ 1, 0x8000, 45, NAME_NONE, NULL, 0 },
	{ 3, 0x7000, 15, NAME_NONE, NULL, 0 },
	{ 1, 0x9000, 60, NAME_NONE, NULL, 0 },
};

#define NR_CONTEXT_CASES	(sizeof(context_cases) / sizeof(context_cases[0]))

static void test_contexts(void)
{
	const struct lifetime *life;
	enum name_state state;
	struct lifetimes lives;
	struct symmap map;
	unsigned int period;
	size_t i;

	tap_ok(!read_text(&lives, context_lines) && lives.by_context && lives.nr == 4,
	       "names of contexts");
	for (i = 0; i < NR_CONTEXT_CASES; i++) {
		life = lifetimes_find(&lives, context_cases[i].context,
				      context_cases[i].addr, context_cases[i].time, &state);
		period = lifetimes_period(&lives, context_cases[i].context,
					  context_cases[i].addr, context_cases[i].time);
		tap_ok(state == context_cases[i].state && !life == !context_cases[i].name &&
		       (!life || !strcmp(life->sym.name, context_cases[i].name)) &&
		       period == context_cases[i].period, "%llx at %llu in context %u",
		       (unsigned long long)context_cases[i].addr,
		       (unsigned long long)context_cases[i].time, context_cases[i].context);
	}
	tap_ok(!lifetimes_at(&lives, 2, 45, &map) && map.nr == 2 &&
	       !strcmp(map.syms[0].name, "b") && !strcmp(map.syms[1].name, "a"),
	       "names beside those of a context");
	symmap_free(&map);
	lifetimes_free(&lives);
}

#define NR_TEXTS	300
#define NR_LINES	40
#define NR_RANDOM	200

/* ranges within each other and beside each other, given and withdrawn in any order */
static char *random_text(unsigned long long *seed)
{
	char *text = NULL, context[8] = "";
	FILE *out;
	size_t len;
	int i;

	out = open_memstream(&text, &len);
	if (!out)
		return NULL;
	fputs("gpubp names 1\n", out);
	for (i = 0; i < NR_LINES; i++) {
		if (tap_random(seed) % 3)
			snprintf(context, sizeof(context), "@%llu", tap_random(seed) % 2 + 1);
		else
			context[0] = '\0';
		fprintf(out, "%llu %llx %llx%s n%llu\t\n", tap_random(seed) % 30,
			tap_random(seed) % 16 + 1,
			tap_random(seed) % 3 ? tap_random(seed) % 12 : 0, context,
			tap_random(seed) % 4);
	}
	fclose(out);
	return text;
}

static bool is_better(const struct lifetime *a, const struct lifetime *b,
		      enum name_state state)
{
	if (state == NAME_LATER)
		return a->from < b->from;
	if (state == NAME_ENDED && a->until != b->until)
		return a->until > b->until;
	return a->from > b->from;
}

/* by a look at all of them */
static const struct lifetime *find_slowly(const struct lifetimes *lives, uint32_t context,
					  uint64_t addr, uint64_t time,
					  enum name_state *state, unsigned int *period)
{
	const struct lifetime *best = NULL, *life;
	bool has_context = false;
	enum name_state is;
	size_t i;

	*state = NAME_NONE;
	*period = 0;
	for (i = 0; i < lives->nr; i++)
		has_context |= lives->list[i].context == context;
	context = has_context ? context : 0;
	for (i = 0; i < lives->nr; i++) {
		life = &lives->list[i];
		is = lifetime_state(life, time);
		if (life->context == context && addr - life->sym.start < life->sym.size &&
		    (is > *state || (is == *state && is_better(life, best, is)))) {
			best = life;
			*state = is;
		}
	}
	for (i = 0; i < lives->nr && *state > NAME_LATER; i++) {
		life = &lives->list[i];
		*period += life->context == context && life->from <= best->from &&
			   addr - life->sym.start < life->sym.size ? 2 : 0;
	}
	*period += *state == NAME_ENDED;
	return best;
}

static bool random_is_found(const struct lifetimes *lives, unsigned long long *seed)
{
	uint32_t context = (uint32_t)(tap_random(seed) % 4);
	uint64_t addr = tap_random(seed) % 32, time = tap_random(seed) % 32;
	const struct lifetime *slow, *life;
	enum name_state state, slow_state;
	unsigned int period;

	slow = find_slowly(lives, context, addr, time, &slow_state, &period);
	life = lifetimes_find(lives, context, addr, time, &state);
	return state == slow_state && !life == !slow &&
	       (!life || (life->from == slow->from &&
			  (state == NAME_LATER || life->until == slow->until ||
			   state == NAME_VALID))) &&
	       lifetimes_period(lives, context, addr, time) == period;
}

static void test_random(void)
{
	unsigned long long seed = 1;
	struct lifetimes lives;
	char *text;
	bool ok = true;
	int i, j;

	for (i = 0; ok && i < NR_TEXTS; i++) {
		text = random_text(&seed);
		ok = text && !read_text(&lives, text);
		for (j = 0; ok && j < NR_RANDOM; j++)
			ok = random_is_found(&lives, &seed);
		if (!ok)
			tap_note("text %d, query %d:\n%s", i, j, text ? text : "");
		lifetimes_free(&lives);
		free(text);
	}
	tap_ok(ok, "what a look at all names finds");
}

#define NR_MANY		100000
#define NR_QUERIES	10000

/* a buffer below all others, and one that is allocated and freed again and again */
static char *many_text(void)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int i;

	if (!out)
		return NULL;
	fputs("gpubp names 1\n0 1000 7fff0000 below\t\n", out);
	for (i = 0; i < NR_MANY; i++)
		fprintf(out, "%d 10000000 100 again\t\n%d 10000000 0 again\t\n"
			"%d %x 10 other\t\n", 10 * i + 1, 10 * i + 5, 10 * i,
			0x20000000 + 0x100 * i);
	fclose(out);
	return text;
}

static bool query_is_right(const struct lifetimes *lives, uint64_t addr, uint64_t time,
			   const char *name, unsigned int period)
{
	enum name_state state;
	const struct lifetime *life = lifetimes_find(lives, 5, addr, time, &state);

	return life && state == NAME_VALID && !strcmp(life->sym.name, name) &&
	       lifetimes_period(lives, 5, addr, time) == period;
}

/* a hit takes as long as among a few names: not even a ms */
static void test_many(void)
{
	char *text = many_text();
	struct lifetimes lives;
	bool ok = text && !read_text(&lives, text);
	unsigned int i, time;
	clock_t begin;

	begin = clock();
	for (i = 0; ok && i < NR_QUERIES; i++) {
		time = NR_MANY / NR_QUERIES * 10 * i;
		/* "below" is the first of all, and has the rest of each address */
		ok = query_is_right(&lives, 0x10000008, time + 3, "again",
				    4 + 2 * (time / 10)) &&
		     query_is_right(&lives, 0x10000008, time + 7, "below", 2) &&
		     query_is_right(&lives, 0x7ffe0000, time, "below", 2);
	}
	tap_ok(ok, "one of many names at an address");
	tap_ok(clock() - begin < CLOCKS_PER_SEC, "%u are found in less than a second",
	       3 * NR_QUERIES);
	lifetimes_free(&lives);
	free(text);
}

/* the first lines name two buffers, and what is read no more says what is there then */
static char *long_text(void)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int i;

	if (!out)
		return NULL;
	fputs("gpubp names 1\n10 7000 100 old\t\n10 9000 100 kept\t\n", out);
	for (i = 2; i < NAME_RECORDS_MAX; i++)
		fputs("x\n", out);
	fputs("60 7000 100 newer\t\nx\n50 7000 0 old\t\n", out);
	fclose(out);
	return text;
}

static void test_long(void)
{
	char *text = long_text();
	enum name_state state, late;
	struct lifetimes lives;
	struct symmap map;
	bool ok;

	tap_ok(text && !read_text(&lives, text) && lives.nr == 2 &&
	       lives.missing_from == 50, "of a long file the rest is missing");
	ok = lifetimes_find(&lives, 5, 0x7000, 49, &state) &&
	     !lifetimes_find(&lives, 5, 0x7000, 50, &late);
	tap_ok(ok && state == NAME_VALID && late == NAME_MISSING,
	       "no name where it may not be valid any more");
	tap_ok(lifetimes_period(&lives, 5, 0x9000, 49) == 2 &&
	       !lifetimes_period(&lives, 5, 0x9000, 50) &&
	       !lifetimes_at(&lives, 5, 50, &map) && !map.nr,
	       "neither a period, nor names beside it");
	symmap_free(&map);
	lifetimes_free(&lives);
	free(text);
}

int main(void)
{
	struct lifetimes lives;
	int i;

	tap_plan(NR_CASES + NR_CONTEXT_CASES + 13);
	tap_ok(!read_text(&lives, lines) && lives.nr == 7, "seven names");
	for (i = 0; i < NR_CASES; i++)
		test_case(&lives, i);
	tap_ok(sites_are_kept(&lives), "where they were given and withdrawn");
	tap_ok(map_is_of_its_time(&lives), "the names of one time");
	lifetimes_free(&lives);
	tap_ok(read_text(&lives, "7000 100 act0\n") == 1 && !lives.nr, "a map of perf");
	tap_ok(!read_text(&lives, "gpubp names 1\n") && !lives.nr, "no names");
	lifetimes_free(&lives);
	test_contexts();
	test_random();
	test_many();
	test_long();
	return tap_status();
}
