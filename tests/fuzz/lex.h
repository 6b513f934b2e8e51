/* SPDX-License-Identifier: GPL-2.0 */
/* Tokens of the descriptions, and expressions of types. */
#ifndef FUZZ_LEX_H
#define FUZZ_LEX_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_NODES	20	/* arguments of an expression */

/**
 * struct node - an expression: NAME, NAME[NODE, ...], 5, 1:8, "text"
 * @name: NULL for numbers and texts
 * @text: value of a text
 * @lo: value of a number
 * @hi: end of the range, or the same number
 * @args: arguments within brackets
 * @nr: of @args
 * @line: line number
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
 * struct lex - a file that is being read
 * @path: its path
 * @at: rest of its text
 * @line: current line number
 */
struct lex {
	const char *path;
	const char *at;
	unsigned int line;
};

/** lex_open() - start to read a file */
void lex_open(struct lex *lex, const char *path);

/** lex_die() - print "PATH:LINE: TEXT" and exit */
void lex_die(const char *path, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));

/** lex_is() - if @c is next on this line, skip it and return true */
bool lex_is(struct lex *lex, char c);

/** lex_want() - skip @c, or die if it is not next */
void lex_want(struct lex *lex, char c);

/** lex_name() - read a name, or die */
const char *lex_name(struct lex *lex);

/** lex_node() - read an expression, or die */
const struct node *lex_node(struct lex *lex);

/** lex_at_end() - is this the end of the line? */
bool lex_at_end(struct lex *lex);

/**
 * lex_next_line() - continue with the next line that is not empty; false at the
 *	end
 */
bool lex_next_line(struct lex *lex);

/** lex_skip_line() - ignore the rest of the line */
void lex_skip_line(struct lex *lex);

/** lex_alloc() - zeroed memory that is never freed */
void *lex_alloc(unsigned long size);

#endif /* FUZZ_LEX_H */
