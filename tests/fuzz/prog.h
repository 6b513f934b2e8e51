/* SPDX-License-Identifier: GPL-2.0 */
/* Programs: generation, mutation, and representation as text. */
#ifndef FUZZ_PROG_H
#define FUZZ_PROG_H

#include <stdbool.h>
#include <stdio.h>
#include "state.h"

/**
 * prog_init() - resources that calls need and make; reads the templates in @dir
 */
void prog_init(const char *dir);

/**
 * prog_calm() - the first template with the first choice everywhere: no errors
 */
void prog_calm(struct prog *prog);

/** prog_make() - generate a program; calls that end the process are rare */
void prog_make(struct prog *prog, uint64_t *seed);

/** prog_mutate() - change a program; parts of @other may be inserted */
void prog_mutate(struct prog *prog, const struct prog *other, uint64_t *seed);

/** prog_print() - print a step as a line for prog_parse() */
void prog_print(FILE *file, const struct step *step);

/** prog_parse() - parse a line of text; false if it is not a step */
bool prog_parse(const char *line, struct step *step);

#endif /* FUZZ_PROG_H */
