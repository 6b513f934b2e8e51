/* SPDX-License-Identifier: GPL-2.0 */
/* Programs: how they are made and changed, and as text. */
#ifndef FUZZ_PROG_H
#define FUZZ_PROG_H

#include <stdbool.h>
#include <stdio.h>
#include "state.h"

/** prog_init() - who needs and makes what; the templates in @dir */
void prog_init(const char *dir);

/** prog_calm() - the first template, every choice the first one: nothing is wrong in it */
void prog_calm(struct prog *prog);

/** prog_make() - a new program; a life that ends itself is as rare as it should be */
void prog_make(struct prog *prog, uint64_t *seed);

/** prog_mutate() - change a program; @other has a part that may be taken over */
void prog_mutate(struct prog *prog, const struct prog *other, uint64_t *seed);

/** prog_print() - a step as a line, which prog_parse() understands */
void prog_print(FILE *file, const struct step *step);

/** prog_parse() - a line of text; false: it is none */
bool prog_parse(const char *line, struct step *step);

#endif /* FUZZ_PROG_H */
