/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words of the script language. Pure.
 */
#ifndef GRUN_LEX_H
#define GRUN_LEX_H

#include <stdint.h>
#include "gpubp_run.h"

#define LEX_NAME_MAX	GPUBP_NAME_MAX

/* where in a script; line 0 in a text of one line */
struct lex_pos {
	unsigned int line;
	unsigned int column;
};

enum lex_type {
	LEX_END,	/* of the script */
	LEX_SEPARATOR,	/* newline or ';' */
	LEX_NAME,
	LEX_INT,
	LEX_FLOAT,
	LEX_DIMS,	/* 64x64, 4x4x2 */
	LEX_STRING,	/* "..." */
	LEX_PUNCT,	/* one of = [ ] , : + / * ! < > or '.' for ".." */
};

/**
 * struct lex_token - one word
 * @type: enum lex_type
 * @pos: where it begins
 * @start: its text, in the script
 * @len: bytes of text
 * @name: of a name or string
 * @num: of an integer, two's complement
 * @negative: it has a minus sign
 * @real: of an integer or float
 * @dims: of LEX_DIMS, 1 where not given; an integer n is n x 1 x 1
 * @punct: of LEX_PUNCT
 */
struct lex_token {
	enum lex_type type;
	struct lex_pos pos;
	const char *start;
	int len;
	char name[256];
	uint64_t num;
	bool negative;
	double real;
	uint32_t dims[3];
	char punct;
};

/* what is still to be read */
struct lexer {
	const char *text;
	const char *end;
	struct lex_pos pos;
};

/**
 * lex_init() - read @len bytes of @text, which need no terminator
 *
 * Its first line has number @line.
 */
void lex_init(struct lexer *lex, const char *text, size_t len,
	      unsigned int line);

/**
 * lex_next() - read a word
 *
 * Return: 0, or -EINVAL with a sentence that says where.
 */
int lex_next(struct lexer *lex, struct lex_token *token, struct grun_err *err);

/** lex_error() - -EINVAL and a sentence that begins with line and column */
int lex_error(struct grun_err *err, struct lex_pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* GRUN_LEX_H */
