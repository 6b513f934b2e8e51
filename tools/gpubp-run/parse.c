// SPDX-License-Identifier: GPL-2.0
/*
 * One word of look-ahead. After an error every function does nothing, so that
 * the grammars need not check after each word.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "parse.h"

void parse_init(struct parser *p, const char *text, size_t len,
		unsigned int line, struct grun_err *err)
{
	memset(p, 0, sizeof(*p));
	p->err = err;
	lex_init(&p->lex, text, len, line);
	parse_next(p);
}

void parse_next(struct parser *p)
{
	if (!p->ret)
		p->ret = lex_next(&p->lex, &p->token, p->err);
	/* the caller that looks for the end finds it */
	if (p->ret)
		p->token.type = LEX_END;
}

void parse_error(struct parser *p, struct lex_pos pos, const char *fmt, ...)
{
	char text[200];
	va_list args;

	if (p->ret)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	p->ret = lex_error(p->err, pos, "%s", text);
	p->token.type = LEX_END;
}

void parse_expected(struct parser *p, const char *what)
{
	const struct lex_token *token = &p->token;

	if (p->ret)
		return;
	if (token->type == LEX_END || token->type == LEX_SEPARATOR)
		parse_error(p, token->pos, "expected %s", what);
	else
		parse_error(p, token->pos, "expected %s, not '%.*s'",
			    what, token->len > 40 ? 40 : token->len,
			    token->start);
}

bool parse_punct(struct parser *p, char c)
{
	if (p->token.type != LEX_PUNCT || p->token.punct != c)
		return false;
	parse_next(p);
	return true;
}

void parse_need(struct parser *p, char c)
{
	char what[] = "' '";

	what[1] = c;
	if (!parse_punct(p, c))
		parse_expected(p, what);
}

bool parse_keyword(struct parser *p, const char *name)
{
	if (p->token.type != LEX_NAME || strcmp(p->token.name, name))
		return false;
	parse_next(p);
	return true;
}

void parse_name(struct parser *p, char *out, const char *what)
{
	if (p->token.type != LEX_NAME) {
		parse_expected(p, what);
		return;
	}
	memcpy(out, p->token.name, LEX_NAME_MAX);
	parse_next(p);
}

uint64_t parse_int(struct parser *p, const char *what)
{
	uint64_t num = p->token.num;

	if (p->token.type != LEX_INT || p->token.negative)
		parse_expected(p, what);
	else
		parse_next(p);
	return p->ret ? 0 : num;
}

struct number parse_number(struct parser *p, const char *what)
{
	const struct lex_token *token = &p->token;
	struct number n = {
		.is_float = token->type == LEX_FLOAT,
		.negative = token->negative,
		.num = token->num,
		.real = token->real,
	};

	if (token->type != LEX_INT && token->type != LEX_FLOAT)
		parse_expected(p, what);
	else
		parse_next(p);
	return n;
}

void parse_index(struct parser *p, uint64_t *first, uint64_t *last)
{
	struct lex_pos pos;

	*first = parse_int(p, "an index");
	*last = *first;
	if (parse_punct(p, '.')) {
		pos = p->token.pos;
		*last = parse_int(p, "the last index");
		if (!p->ret && *last < *first)
			parse_error(p, pos,
				    "the last index is below the first");
	}
	/* so that the number of elements is one, too */
	if (!p->ret && *last > UINT64_MAX / 16)
		parse_error(p, p->token.pos, "the index is too large");
	parse_need(p, ']');
}
