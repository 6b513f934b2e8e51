// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of buffers: sizes, patterns, declarations. See script.h.
 */
#include <string.h>
#include "parse.h"

void parse_dims(struct parser *p, uint32_t dims[3], const char *what)
{
	const struct lex_token *token = &p->token;

	if ((token->type != LEX_INT && token->type != LEX_DIMS) ||
	    token->negative || !token->dims[0]) {
		parse_expected(p, what);
		return;
	}
	memcpy(dims, token->dims, sizeof(token->dims));
	parse_next(p);
}

static void parse_pattern_file(struct parser *p, struct pattern *pattern)
{
	if (p->token.type != LEX_STRING) {
		parse_expected(p, "a file name in double quotes");
		return;
	}
	memcpy(pattern->file, p->token.name, sizeof(pattern->file));
	parse_next(p);
}

void parse_pattern(struct parser *p, struct pattern *pattern)
{
	memset(pattern, 0, sizeof(*pattern));
	pattern->pos = p->token.pos;
	if (parse_keyword(p, "zero")) {
		pattern->type = PATTERN_ZERO;
	} else if (parse_keyword(p, "iota")) {
		pattern->type = PATTERN_IOTA;
	} else if (parse_keyword(p, "random")) {
		pattern->type = PATTERN_RANDOM;
		if (p->token.type == LEX_INT)
			pattern->value = parse_number(p, "a seed");
	} else if (parse_keyword(p, "value")) {
		pattern->type = PATTERN_VALUE;
		pattern->value = parse_number(p, "a value");
	} else if (parse_keyword(p, "file")) {
		pattern->type = PATTERN_FILE;
		parse_pattern_file(p, pattern);
	}
}

static void parse_decl_options(struct parser *p, struct decl *decl)
{
	struct pattern pattern;

	for (;;) {
		if (parse_keyword(p, "at")) {
			decl->va = parse_int(p, "an address");
			continue;
		}
		if (parse_keyword(p, "userptr")) {
			decl->userptr = true;
			continue;
		}
		parse_pattern(p, &pattern);
		if (pattern.type == PATTERN_NONE)
			return;
		decl->pattern = pattern;
	}
}

/* @place: offset behind the first buffer of the statement */
static void parse_decl_size(struct parser *p, struct decl *decl,
			    uint64_t *place)
{
	struct lex_pos pos = p->token.pos;
	uint32_t dims[3] = {};
	uint64_t size;

	parse_dims(p, dims, "a size such as 64 or 64x64");
	if (p->ret)
		return;
	/* 32 bits each: only the third factor can overflow */
	decl->count = (uint64_t)dims[0] * dims[1];
	if (decl->count <= SCRIPT_MAX_BUFFER)
		decl->count *= dims[2];
	size = decl->count <= SCRIPT_MAX_BUFFER ?
	       decl->count * decl->type->size : UINT64_MAX;
	decl->offset = (*place + decl->type->size - 1) & -(uint64_t)decl->type->size;
	if (size > SCRIPT_MAX_BUFFER || decl->offset + size > SCRIPT_MAX_BUFFER) {
		parse_error(p, pos, "more than %llu MiB",
			    SCRIPT_MAX_BUFFER >> 20);
		return;
	}
	*place = decl->offset + size;
}

static void parse_decl(struct parser *p, struct script *s, bool first,
		       uint64_t *place)
{
	struct decl *decl = GROW(p, s->decls, s->nr_decls);

	if (!decl)
		return;
	decl->pos = p->token.pos;
	parse_name(p, decl->name, "the name of a buffer");
	if (p->token.type == LEX_NAME)
		decl->type = elem_find(p->token.name);
	if (!decl->type) {
		parse_expected(p, elem_names());
		return;
	}
	parse_next(p);
	parse_decl_size(p, decl, place);
	parse_decl_options(p, decl);
	if (!p->ret && !first && (decl->va || decl->userptr))
		parse_error(p, decl->pos,
			    "only the first buffer of a group can be 'at' or 'userptr'");
}

void parse_buf(struct parser *p, struct script *s, struct stmt *stmt)
{
	size_t first = s->nr_decls;
	uint64_t place = 0;

	do {
		parse_decl(p, s, s->nr_decls == first, &place);
	} while (parse_punct(p, ','));
	stmt->first = first;
	stmt->nr = s->nr_decls - first;
}
