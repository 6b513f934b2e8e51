/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One word of look-ahead, shared by the two grammars (scripts and watches).
 */
#ifndef GRUN_PARSE_H
#define GRUN_PARSE_H

#include "script.h"

/**
 * struct parser - state of a parser
 * @lex: the rest of the text
 * @token: the word that is next
 * @err: for the first error
 * @ret: its errno; once set, nothing is read any more
 */
struct parser {
	struct lexer lex;
	struct lex_token token;
	struct grun_err *err;
	int ret;
};

/** parse_init() - begin with @text; see lex_init() */
void parse_init(struct parser *p, const char *text, size_t len,
		unsigned int line, struct grun_err *err);

/** parse_next() - take the next word */
void parse_next(struct parser *p);

/** parse_error() - fail; from then on the next word is the end */
void parse_error(struct parser *p, struct lex_pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** parse_expected() - the next word is wrong: say what was expected */
void parse_expected(struct parser *p, const char *what);

/** parse_punct() - is the next word @c? Then take it. */
bool parse_punct(struct parser *p, char c);

/** parse_need() - take @c or fail */
void parse_need(struct parser *p, char c);

/** parse_keyword() - is the next word the name @name? Then take it. */
bool parse_keyword(struct parser *p, const char *name);

/** parse_name() - take a name into @out of LEX_NAME_MAX bytes or fail */
void parse_name(struct parser *p, char *out, const char *what);

/** parse_int() - take a non-negative integer or fail */
uint64_t parse_int(struct parser *p, const char *what);

/** parse_number() - take a number or fail */
struct number parse_number(struct parser *p, const char *what);

/** parse_index() - take "INT [ .. INT ]" and "]" after a "[" */
void parse_index(struct parser *p, uint64_t *first, uint64_t *last);

/** script_grow() - room for one more entry in an array of the script, or NULL */
void *script_grow(struct parser *p, void **array, size_t *nr, size_t size);

#define GROW(p, array, nr) \
	((__typeof__(array))script_grow(p, (void **)&(array), &(nr), sizeof(*(array))))

/** parse_dims() - take a SIZE or fail */
void parse_dims(struct parser *p, uint32_t dims[3], const char *what);

/** parse_pattern() - take a pattern; PATTERN_NONE if the next word begins none */
void parse_pattern(struct parser *p, struct pattern *pattern);

/** parse_buf() - take the declarations of a buf statement */
void parse_buf(struct parser *p, struct script *s, struct stmt *stmt);

#endif /* GRUN_PARSE_H */
