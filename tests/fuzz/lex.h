/* SPDX-License-Identifier: GPL-2.0 */
/* Words of the descriptions, and expressions of types. */
#ifndef FUZZ_LEX_H
#define FUZZ_LEX_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_NODES	20	/* arguments of an expression */

/**
 * struct node - an expression: NAME, NAME[NODE, ...], 5, 1:8, "text"
 * @name: NULL for numbers and texts
 * @text: of a text
 * @lo: number
 * @hi: end of the range, or the same number
 * @args: within brackets
 * @nr: of @args
 * @line: where it is
 */
struct node {
	const char *name;
	const char *text;
	uint64_t lo;
	uint64_t hi;
	const struct node *args[MAX_NODES];
	unsigned int nr;
	unsigned int line;
};

/**
 * struct lex - a file that is read
 * @path: of it
 * @at: rest of its text
 * @line: number of the line
 */
struct lex {
	const char *path;
	const char *at;
	unsigned int line;
};

/** lex_open() - begin to read a file */
void lex_open(struct lex *lex, const char *path);

/** lex_die() - "PATH:LINE: TEXT", and the end of the program */
void lex_die(const char *path, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));

/** lex_is() - is @c next on this line? It is passed over then */
bool lex_is(struct lex *lex, char c);

/** lex_want() - @c has to be next */
void lex_want(struct lex *lex, char c);

/** lex_name() - a name has to be next */
const char *lex_name(struct lex *lex);

/** lex_node() - an expression has to be next */
const struct node *lex_node(struct lex *lex);

/** lex_at_end() - is this the end of the line? */
bool lex_at_end(struct lex *lex);

/** lex_next_line() - go on with the next line that is not empty; false: there is none */
bool lex_next_line(struct lex *lex);

/** lex_skip_line() - whatever is left of the line does not matter */
void lex_skip_line(struct lex *lex);

/** lex_alloc() - zeroed memory, for good */
void *lex_alloc(unsigned long size);

#endif /* FUZZ_LEX_H */
