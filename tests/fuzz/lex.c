// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lex.h"

void lex_die(const char *path, unsigned int line, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s:%u: ", path, line);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

void *lex_alloc(unsigned long size)
{
	void *p = calloc(1, size);

	if (!p)
		lex_die("fuzz", 0, "no memory");
	return p;
}

void lex_open(struct lex *lex, const char *path)
{
	FILE *file = fopen(path, "re");
	size_t len = 0, room = 1 << 16;
	char *text = lex_alloc(room + 1);

	if (!file)
		lex_die(path, 0, "cannot be read");
	len = fread(text, 1, room, file);
	fclose(file);
	if (len == room)
		lex_die(path, 0, "is longer than %zu bytes", room);
	*lex = (struct lex){ .path = path, .at = text, .line = 1 };
}

static void skip_blanks(struct lex *lex)
{
	while (*lex->at == ' ' || *lex->at == '\t' || *lex->at == '\r')
		lex->at++;
	if (*lex->at == '#')
		while (*lex->at && *lex->at != '\n')
			lex->at++;
}

void lex_skip_line(struct lex *lex)
{
	while (*lex->at && *lex->at != '\n')
		lex->at++;
}

bool lex_at_end(struct lex *lex)
{
	skip_blanks(lex);
	return !*lex->at || *lex->at == '\n';
}

bool lex_next_line(struct lex *lex)
{
	for (;;) {
		skip_blanks(lex);
		if (!*lex->at)
			return false;
		if (*lex->at != '\n')
			return true;
		lex->at++;
		lex->line++;
	}
}

bool lex_is(struct lex *lex, char c)
{
	skip_blanks(lex);
	if (*lex->at != c)
		return false;
	lex->at++;
	return true;
}

void lex_want(struct lex *lex, char c)
{
	if (!lex_is(lex, c))
		lex_die(lex->path, lex->line, "'%c' expected at \"%.20s\"", c, lex->at);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

const char *lex_name(struct lex *lex)
{
	const char *from;

	skip_blanks(lex);
	from = lex->at;
	while (is_name(*lex->at))
		lex->at++;
	if (from == lex->at || isdigit((unsigned char)*from))
		lex_die(lex->path, lex->line, "name expected at \"%.20s\"", from);
	return strndup(from, lex->at - from);
}

static uint64_t number(struct lex *lex)
{
	char *end;
	/* accepts signs as well */
	uint64_t value = strtoull(lex->at, &end, 0);

	if (end == lex->at || is_name(*end))
		lex_die(lex->path, lex->line, "number expected at \"%.20s\"", lex->at);
	lex->at = end;
	return value;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10;
}

/* \xHH is the only escape */
static const char *text(struct lex *lex)
{
	char *out = lex_alloc(strcspn(lex->at, "\"\n") + 1), *p = out;

	for (; *lex->at != '"'; lex->at++) {
		if (!*lex->at || *lex->at == '\n')
			lex_die(lex->path, lex->line, "text without an end");
		*p = *lex->at;
		if (!strncmp(lex->at, "\\x", 2) && isxdigit((unsigned char)lex->at[2]) &&
		    isxdigit((unsigned char)lex->at[3])) {
			*p = hex_digit(lex->at[2]) << 4 | hex_digit(lex->at[3]);
			lex->at += 3;
		}
		p++;
	}
	lex->at++;
	return out;
}

static void node_args(struct lex *lex, struct node *node)
{
	if (!lex_is(lex, '['))
		return;
	do {
		if (node->nr == MAX_NODES)
			lex_die(lex->path, lex->line, "too many arguments");
		node->args[node->nr++] = lex_node(lex);
	} while (lex_is(lex, ','));
	lex_want(lex, ']');
}

const struct node *lex_node(struct lex *lex)
{
	struct node *node = lex_alloc(sizeof(*node));

	node->line = lex->line;
	if (lex_is(lex, '"')) {
		node->text = text(lex);
	} else if (isdigit((unsigned char)*lex->at) || *lex->at == '-') {
		node->lo = number(lex);
		node->hi = lex_is(lex, ':') ? number(lex) : node->lo;
	} else {
		node->name = lex_name(lex);
		node_args(lex, node);
	}
	return node;
}
