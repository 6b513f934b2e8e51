// SPDX-License-Identifier: GPL-2.0
/*
 * The instructions of functions, with the hits of each and the source lines that
 * they are of.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate.h"

#define COLOR_HIT	"\033[31m"
#define COLOR_SOURCE	"\033[2m"
#define COLOR_END	"\033[m"

/**
 * struct function - one that hit
 * @object: where it is
 * @symbol: its name in there
 * @name: and for people
 * @nr: hits
 */
struct function {
	struct object *object;
	const char *symbol;
	const char *name;
	uint64_t nr;
};

/**
 * struct functions - all of them
 * @list: functions
 * @nr: entries of @list
 * @places: of the culprits, those that are not known without @object
 */
struct functions {
	struct function *list;
	size_t nr;
	struct place *places;
};

static void functions_add(struct functions *fs, const struct place *place,
			  uint64_t nr)
{
	size_t i;

	for (i = 0; i < fs->nr; i++)
		if (fs->list[i].object == place->object &&
		    !strcmp(fs->list[i].symbol, place->function))
			break;
	if (i == fs->nr) {
		fs->list[i].object = place->object;
		fs->list[i].symbol = place->function;
		fs->list[i].name = place->name;
		fs->nr++;
	}
	fs->list[i].nr += nr;
}

static int by_hits(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (x->nr < y->nr) - (x->nr > y->nr);
}

/* at most as many as culprits */
static void find_functions(struct show *show, const struct culprits *culprits,
			   struct functions *fs, const char *only,
			   struct grun_err *err)
{
	char text[128];
	size_t i;

	for (i = 0; i < culprits->nr; i++) {
		const struct hit *hit = &culprits->list[i]->first;
		struct place *place = &fs->places[i];

		if (!show_place(show, hit, place))
			place->object = NULL;
		if (only && strcmp(place->function, only) &&
		    strcmp(place->name, only))
			continue;
		if (place->object)
			functions_add(fs, place, culprits->list[i]->nr);
		else
			grun_fail(err, -1, "%s: its code object is not known, give it by -c",
				  show_pc(show, hit, text, sizeof(text)));
	}
	if (fs->nr)
		qsort(fs->list, fs->nr, sizeof(*fs->list), by_hits);
}

/* of all processes */
static uint64_t hits_at(const struct functions *fs,
			const struct culprits *culprits,
			const struct object *object, uint64_t pc)
{
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < culprits->nr; i++)
		if (fs->places[i].object == object && fs->places[i].pc == pc)
			nr += culprits->list[i]->nr;
	return nr;
}

/* without what fills the gap to the next function */
static const struct insn *function_end(const struct disasm *disasm,
				       const struct insn *insn)
{
	const struct insn *end = disasm->insns + disasm->nr;

	while (++insn < end && !insn->first)
		;
	while (!insn[-1].first && !strcmp(insn[-1].text, "s_nop 0"))
		insn--;
	return insn;
}

/* once for the instructions of a line that follow each other */
static void print_source(const struct show *show, const struct object *object,
			 uint64_t pc, struct line *last)
{
	struct line line;
	char text[256];

	if (!lines_find(object->lines, pc, &line) ||
	    (last->line == line.line && !strcmp(last->file, line.file)))
		return;
	*last = line;
	printf("%s%20s %s:%d  %s%s\n", show->color ? COLOR_SOURCE : "", "",
	       basename(line.file), line.line,
	       lines_text(&line, text, sizeof(text)),
	       show->color ? COLOR_END : "");
}

static void print_insn(const struct show *show, const struct insn *insn,
		       uint64_t nr, uint64_t all)
{
	if (!nr)
		printf("%20s %6" PRIx64 ":  %s\n", "", insn->pc, insn->text);
	else
		printf("%s%7.2f%% %10" PRIu64 "%s  %6" PRIx64 ":  %s\n",
		       show->color ? COLOR_HIT : "", 100.0 * nr / all, nr,
		       show->color ? COLOR_END : "", insn->pc, insn->text);
}

static bool print_function(struct show *show, const struct culprits *culprits,
			   const struct functions *fs, const struct function *f,
			   struct grun_err *err)
{
	const struct disasm *disasm = object_disasm(f->object, err);
	const struct insn *insn, *end;
	struct line last = { "", 0 };
	uint64_t start;

	if (!disasm || !grun_code_symbol(f->object->code, f->symbol, &start))
		return false;
	printf("%s, %s: %" PRIu64 " hit%s\n", f->name, f->object->path, f->nr,
	       f->nr == 1 ? "" : "s");
	insn = disasm_find(disasm, start);
	end = insn ? function_end(disasm, insn) : NULL;
	for (; insn < end; insn++) {
		print_source(show, f->object, insn->pc, &last);
		print_insn(show, insn, hits_at(fs, culprits, f->object, insn->pc),
			   f->nr);
	}
	putchar('\n');
	return true;
}

unsigned int annotate_functions(struct show *show,
				const struct culprits *culprits,
				const char *only, struct grun_err *err)
{
	struct functions fs = {
		.list = calloc(culprits->nr + 1, sizeof(*fs.list)),
		.places = calloc(culprits->nr + 1, sizeof(*fs.places)),
	};
	unsigned int printed = 0;
	size_t i;

	grun_fail(err, -1, only ? "%s has no hits" : "no hits", only);
	if (fs.list && fs.places)
		find_functions(show, culprits, &fs, only, err);
	for (i = 0; i < fs.nr; i++)
		printed += print_function(show, culprits, &fs, &fs.list[i], err);
	free(fs.list);
	free(fs.places);
	return printed;
}
