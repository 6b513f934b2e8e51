// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "gen.h"
#include "lex.h"
#include "pool.h"
#include "prog.h"

#define MAX_TEMPLATES	64
#define DEEP		6	/* recursion limit for needed calls */
#define FRESH		64	/* one in FRESH makes all that it needs */
#define RARE		3	/* weight of rare calls */

/* bitmaps of resources, by call */
static uint64_t needs[MAX_CALLS], makes[MAX_CALLS];
static unsigned int weights[MAX_CALLS];
static struct {
	unsigned int nr;
	unsigned int calls[MAX_PROG];
} templates[MAX_TEMPLATES];
static unsigned int nr_templates;

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return gen_next(seed) % n;
}

/* ---- resources that calls need and make ---------------------------------- */

/* alternatives, and elements that may be absent, are not needed */
static void look(const struct type *type, enum dir dir, uint64_t *in, uint64_t *out)
{
	const struct resource *res;
	unsigned int i;

	switch (type->kind) {
	case TYPE_RESOURCE:
		if (!(dir & DIR_OUT))
			*in |= 1ULL << type->res->nr;
		else
			for (res = type->res; res; res = res->base)
				*out |= 1ULL << res->nr;
		break;
	case TYPE_PTR:
		look(type->elem, type->dir == DIR_INOUT ? DIR_IN : type->dir, in, out);
		break;
	case TYPE_ARRAY:
		look(type->elem, dir, type->lo || dir == DIR_OUT ? in : &(uint64_t){ 0 }, out);
		break;
	case TYPE_STRUCT:
	case TYPE_UNION:
		for (i = 0; i < type->nr; i++)
			look(type->fields[i].type, type->fields[i].dir ?: dir,
			     type->kind == TYPE_UNION ? &(uint64_t){ 0 } : in, out);
		break;
	default:
		break;
	}
}

/*
 * calls that end something are rarer than those that begin it; slow ones are
 * rare
 */
static unsigned int weight_of(const char *name)
{
	static const struct {
		const char *prefix;
		unsigned int weight;
	} rare[] = {
		{ "syz_end", 1 }, { "kill", 1 }, { "syz_fork", 1 },
		{ "userfaultfd", 2 }, { "ioctl$UFFDIO", 3 }, { "close", 3 },
		{ "munmap", 3 }, { "mremap", 3 }, { "openat", 3 },
		{ "syz_gpubp_type", 1 }, { "syz_gpu_open", 1 }, { "syz_gpu_hold", 1 },
		{ "ioctl$GPUBP_SIM_BO_CREATE", 3 }, { "ioctl$GPUBP_SIM_QUEUE", 3 },
		{ "ioctl$GPUBP_AGENT", 3 }, { "syz_agent_join", 1 },
		{ "ioctl$GPUBP_SIM_WAIT", 6 },
		{ "ioctl$GPUBP_SYNC", 6 },
		{ "ioctl$GPUBP_READ_MEM", 6 }, { "perf_event_open", 10 },
		{ "ioctl$GPUBP_SIM_DISPATCH", 50 }, { "syz_gpu_descriptor", 60 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rare) / sizeof(rare[0]); i++)
		if (!strncmp(name, rare[i].prefix, strlen(rare[i].prefix)))
			return rare[i].weight;
	return 20;
}

static void read_template(char *line, const char *path, unsigned int nr)
{
	const struct call *call;
	char *name, *rest = line;

	if (nr_templates == MAX_TEMPLATES)
		lex_die(path, nr, "too many templates");
	while ((name = strsep(&rest, " \n"))) {
		if (!*name)
			continue;
		call = syntax_call(name);
		if (!call || templates[nr_templates].nr == MAX_PROG)
			lex_die(path, nr, "no such call, or too many: %s", name);
		templates[nr_templates].calls[templates[nr_templates].nr++] = call->nr;
	}
	nr_templates++;
}

void prog_init(const char *dir)
{
	unsigned int nr, i, j, line_nr = 0;
	const struct call *calls = syntax_calls(&nr);
	char path[512], line[1024];
	FILE *file;

	for (i = 0; i < nr; i++) {
		const struct resource *res;

		for (j = 0; j < calls[i].nr_args; j++)
			look(calls[i].args[j].type, DIR_IN, &needs[i], &makes[i]);
		for (res = calls[i].ret; res; res = res->base)
			makes[i] |= 1ULL << res->nr;
		weights[i] = weight_of(calls[i].name);
	}
	snprintf(path, sizeof(path), "%s/templates", dir);
	file = fopen(path, "re");
	if (!file)
		lex_die(path, 0, "cannot be read");
	while (fgets(line, sizeof(line), file)) {
		line_nr++;
		if (*line != '#' && *line != '\n')
			read_template(line, path, line_nr);
	}
	fclose(file);
}

/* ---- making -------------------------------------------------------------- */

static void fill_words(struct step *step, uint64_t *seed)
{
	unsigned int i;

	step->nr = MAX_WORDS;
	for (i = 0; i < MAX_WORDS; i++)
		step->words[i] = gen_next(seed);
}

/* a call that makes all of these resources; -1: there is none */
static int choose_call(uint64_t wanted, uint64_t *seed)
{
	unsigned int nr, i, at, all = 0;

	syntax_calls(&nr);
	for (i = 0; i < nr; i++)
		all += wanted & ~makes[i] ? 0 : weights[i];
	if (!all)
		return -1;
	at = below(seed, all);
	for (i = 0; wanted & ~makes[i] || at >= weights[i]; i++)
		at -= wanted & ~makes[i] ? 0 : weights[i];
	return i;
}

static void add_call(struct prog *prog, unsigned int call, uint64_t *have, int deep,
		     uint64_t *seed)
{
	uint64_t missing = needs[call] & ~*have;
	int maker;

	for (; missing && deep < DEEP; missing &= missing - 1) {
		maker = choose_call(missing & -missing, seed);
		if (maker >= 0 && !(*have >> __builtin_ctzll(missing) & 1) &&
		    below(seed, 16))
			add_call(prog, maker, have, deep + 1, seed);
	}
	if (prog->nr == MAX_PROG)
		return;
	prog->steps[prog->nr].call = call;
	fill_words(&prog->steps[prog->nr++], seed);
	*have |= makes[call];
}

void prog_calm(struct prog *prog)
{
	unsigned int i;

	memset(prog, 0, sizeof(*prog));
	for (i = 0; nr_templates && i < templates[0].nr; i++) {
		prog->steps[i].call = templates[0].calls[i];
		prog->steps[i].nr = MAX_WORDS;
		prog->steps[i].words[0] = 1;	/* not wild */
	}
	prog->nr = i;
}

void prog_make(struct prog *prog, uint64_t *seed)
{
	unsigned int wanted = 3 + below(seed, MAX_PROG - 6), i, n, call;
	/* most use resources of earlier programs of the same process */
	uint64_t had = below(seed, FRESH) ? pool_have() : 0, have = had;

	prog->nr = 0;
	if (nr_templates && below(seed, 3)) {
		n = below(seed, nr_templates);
		for (i = 0; i < templates[n].nr; i++) {
			call = templates[n].calls[i];
			/* do not repeat slow calls whose resources exist */
			if (weights[call] > RARE || !makes[call] ||
			    makes[call] & ~had || !below(seed, FRESH))
				add_call(prog, call, &have, 0, seed);
		}
	}
	while (prog->nr < wanted)
		add_call(prog, choose_call(0, seed), &have, 0, seed);
}

/* ---- changing ------------------------------------------------------------ */

static void change_words(struct step *step, uint64_t *seed)
{
	unsigned int n = 1 + below(seed, 3);

	if (!step->nr)
		return;
	while (n--) {
		uint64_t *w = &step->words[below(seed, step->nr)];

		if (below(seed, 4))
			*w = gen_next(seed);
		else
			*w ^= 1ULL << below(seed, 64);
	}
}

static void insert(struct prog *prog, const struct step *step, unsigned int at)
{
	if (prog->nr == MAX_PROG)
		return;
	memmove(&prog->steps[at + 1], &prog->steps[at],
		(prog->nr++ - at) * sizeof(*step));
	prog->steps[at] = *step;
}

static void insert_new(struct prog *prog, uint64_t *seed)
{
	struct step step = { .call = choose_call(0, seed) };

	fill_words(&step, seed);
	insert(prog, &step, below(seed, prog->nr + 1));
}

static void drop(struct prog *prog, unsigned int at)
{
	if (prog->nr < 2)
		return;
	prog->nr--;
	memmove(&prog->steps[at], &prog->steps[at + 1],
		(prog->nr - at) * sizeof(prog->steps[0]));
}

static void splice(struct prog *prog, const struct prog *other, uint64_t *seed)
{
	unsigned int at = below(seed, other->nr), i;

	for (i = at; i < other->nr && i < at + 6; i++)
		insert(prog, &other->steps[i], prog->nr);
}

void prog_mutate(struct prog *prog, const struct prog *other, uint64_t *seed)
{
	unsigned int n = 1 + below(seed, 4), at;
	struct step step;

	while (n--) {
		at = below(seed, prog->nr);
		switch (below(seed, 10)) {
		case 0:	case 1:
			insert_new(prog, seed);
			break;
		case 2:
			drop(prog, at);
			break;
		case 3:
			step = prog->steps[at];
			fill_words(&step, seed);
			insert(prog, &step, at);
			break;
		case 4:
			splice(prog, other, seed);
			break;
		default:
			change_words(&prog->steps[at], seed);
		}
	}
}

/* ---- text ---------------------------------------------------------------- */

void prog_print(FILE *file, const struct step *step)
{
	unsigned int nr, i;

	fputs(syntax_calls(&nr)[step->call].name, file);
	for (i = 0; i < step->nr; i++)
		fprintf(file, " %llx", (unsigned long long)step->words[i]);
	fputc('\n', file);
}

bool prog_parse(const char *line, struct step *step)
{
	const struct call *call;
	char name[128], *end;
	int n;

	if (sscanf(line, " %127s%n", name, &n) != 1)
		return false;
	call = syntax_call(name);
	if (!call)
		return false;
	step->call = call->nr;
	line += n;
	for (step->nr = 0; step->nr < MAX_WORDS; step->nr++, line = end) {
		step->words[step->nr] = strtoull(line, &end, 16);
		if (end == line)
			break;
	}
	return true;
}
