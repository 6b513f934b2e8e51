// SPDX-License-Identifier: GPL-2.0
/*
 * Words of the script language.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lex.h"

int lex_error(struct grun_err *err, struct lex_pos pos, const char *fmt, ...)
{
	char text[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!pos.line)
		return grun_fail(err, -EINVAL, "column %u: %s", pos.column, text);
	return grun_fail(err, -EINVAL, "line %u, column %u: %s", pos.line,
			 pos.column, text);
}

void lex_init(struct lexer *lex, const char *text, size_t len,
	      unsigned int line)
{
	lex->text = text;
	lex->end = text + len;
	lex->pos = (struct lex_pos){ line, 1 };
}

static int lex_peek(const struct lexer *lex, int ahead)
{
	if (lex->end - lex->text <= ahead)
		return -1;
	return (unsigned char)lex->text[ahead];
}

static void lex_step(struct lexer *lex)
{
	if (*lex->text++ == '\n')
		lex->pos = (struct lex_pos){ lex->pos.line + 1, 1 };
	else
		lex->pos.column++;
}

static void lex_blank(struct lexer *lex)
{
	bool comment = false;
	int c;

	while ((c = lex_peek(lex, 0)) >= 0) {
		if (c == '#')
			comment = true;
		if (c == '\n' || (!comment && c != ' ' && c != '\t' && c != '\r'))
			break;
		lex_step(lex);
	}
}

static bool lex_is_name(int c)
{
	return c == '_' || (c >= 0 && c < 128 && isalnum(c));
}

static int lex_name(struct lexer *lex, struct lex_token *token,
		    struct grun_err *err)
{
	int len = 0;

	while (lex_is_name(lex_peek(lex, 0))) {
		if (len == LEX_NAME_MAX - 1)
			return lex_error(err, token->pos,
					 "a name of more than %d characters",
					 LEX_NAME_MAX - 1);
		token->name[len++] = *lex->text;
		lex_step(lex);
	}
	token->name[len] = 0;
	token->type = LEX_NAME;
	return 0;
}

static int lex_string(struct lexer *lex, struct lex_token *token,
		      struct grun_err *err)
{
	size_t len = 0;
	int c;

	lex_step(lex);
	while ((c = lex_peek(lex, 0)) != '"') {
		if (c <= 0 || c == '\n')
			return lex_error(err, token->pos, "string without an end");
		if (len == sizeof(token->name) - 1)
			return lex_error(err, token->pos, "string too long");
		token->name[len++] = (char)c;
		lex_step(lex);
	}
	lex_step(lex);
	token->name[len] = 0;
	token->type = LEX_STRING;
	return 0;
}

/* the longest run of characters that a number can have; ".." ends it */
static int lex_scan_number(struct lexer *lex, struct lex_token *token,
			   char *word, size_t size, struct grun_err *err)
{
	size_t len = 0;
	int c, last = 0;

	while ((c = lex_peek(lex, 0)) >= 0) {
		bool sign = (c == '-' || c == '+') &&
			    (!len || ((last == 'e' || last == 'E') &&
				      word[1] != 'x' && word[2] != 'x'));
		bool point = c == '.' && lex_peek(lex, 1) != '.';

		if (!sign && !point && !lex_is_name(c))
			break;
		if (len == size - 1)
			return lex_error(err, token->pos, "number too long");
		word[len++] = (char)c;
		last = c;
		lex_step(lex);
	}
	word[len] = 0;
	return 0;
}

static bool lex_parse_int(struct lex_token *token, const char *word)
{
	const char *digits = word + (*word == '-');
	char *end;

	if (!isdigit((unsigned char)*digits))
		return false;
	/* no octal: "010" is what it looks like */
	errno = 0;
	token->num = strtoull(digits, &end,
			      digits[0] == '0' && (digits[1] | 0x20) == 'x' ? 16 : 10);
	if (*end || errno)
		return false;
	token->negative = *word == '-';
	token->real = (double)token->num;
	if (token->negative) {
		token->num = -token->num;
		token->real = -token->real;
	}
	token->dims[0] = token->num <= UINT32_MAX ? (uint32_t)token->num : 0;
	token->dims[1] = token->dims[2] = 1;
	token->type = LEX_INT;
	return true;
}

static bool lex_parse_dims(struct lex_token *token, const char *word)
{
	unsigned int i;
	char *end;

	for (i = 0; i < 3; i++, word = end + 1) {
		unsigned long n;

		if (!isdigit((unsigned char)*word))
			return false;
		errno = 0;
		n = strtoul(word, &end, 10);
		if (errno || !n || n > UINT32_MAX || (*end && *end != 'x'))
			return false;
		token->dims[i] = (uint32_t)n;
		if (!*end)
			break;
	}
	for (i++; i < 3; i++)
		token->dims[i] = 1;
	token->type = LEX_DIMS;
	return !*end;
}

static bool lex_parse_float(struct lex_token *token, const char *word)
{
	char *end;

	/* strtod() would take "inf" and C's hexadecimal floats, too */
	if (word[strspn(word, "+-.0123456789eE")])
		return false;
	token->real = strtod(word, &end);
	token->type = LEX_FLOAT;
	return !*end;
}

static int lex_number(struct lexer *lex, struct lex_token *token,
		      struct grun_err *err)
{
	char word[64] = "";
	int ret;

	ret = lex_scan_number(lex, token, word, sizeof(word), err);
	if (ret)
		return ret;
	if (lex_parse_int(token, word) || lex_parse_dims(token, word) ||
	    lex_parse_float(token, word))
		return 0;
	return lex_error(err, token->pos, "'%s' is not a number or a size", word);
}

static bool lex_starts_number(const struct lexer *lex, int c)
{
	return isdigit(c) || (c == '-' && (isdigit(lex_peek(lex, 1)) ||
					   lex_peek(lex, 1) == '.'));
}

static int lex_punct(struct lexer *lex, struct lex_token *token, int c,
		     struct grun_err *err)
{
	bool range = c == '.' && lex_peek(lex, 1) == '.';

	if (!range && (!c || !strchr("=[],:+/*!<>", c)))
		return isprint(c) ?
		       lex_error(err, token->pos, "'%c' has no meaning here", c) :
		       lex_error(err, token->pos,
				 "character 0x%02x has no meaning here",
				 (unsigned int)c);
	if (range)
		lex_step(lex);
	lex_step(lex);
	token->type = LEX_PUNCT;
	token->punct = (char)c;
	return 0;
}

static int lex_word(struct lexer *lex, struct lex_token *token, int c,
		    struct grun_err *err)
{
	if (lex_starts_number(lex, c))
		return lex_number(lex, token, err);
	if (lex_is_name(c))
		return lex_name(lex, token, err);
	if (c == '"')
		return lex_string(lex, token, err);
	return lex_punct(lex, token, c, err);
}

int lex_next(struct lexer *lex, struct lex_token *token, struct grun_err *err)
{
	int c, ret = 0;

	lex_blank(lex);
	memset(token, 0, sizeof(*token));
	token->pos = lex->pos;
	token->start = lex->text;
	c = lex_peek(lex, 0);
	if (c < 0) {
		token->type = LEX_END;
	} else if (c == '\n' || c == ';') {
		lex_step(lex);
		token->type = LEX_SEPARATOR;
	} else {
		ret = lex_word(lex, token, c, err);
	}
	token->len = (int)(lex->text - token->start);
	return ret;
}
