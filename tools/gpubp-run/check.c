// SPDX-License-Identifier: GPL-2.0
/*
 * What of a script can be checked before anything runs. See script.h.
 */
#include <errno.h>
#include <string.h>
#include "script.h"

/* the buffer @name, declared before entry @before, or NULL */
static const struct decl *script_find(const struct script *s,
				       const char *name, size_t before)
{
	while (before--)
		if (!strcmp(s->decls[before].name, name))
			return &s->decls[before];
	return NULL;
}

/* @declared: declarations in front of the statement */
static int check_range(const struct script *s, struct range *range,
		       size_t declared, struct grun_err *err)
{
	const struct decl *decl = script_find(s, range->name, declared);

	if (!decl)
		return lex_error(err, range->pos, "no buffer %s is declared up to here",
				 range->name);
	range->decl = (size_t)(decl - s->decls);
	if (!range->indexed) {
		range->first = 0;
		range->last = decl->count - 1;
	}
	if (range->last >= decl->count)
		return lex_error(err, range->pos,
				 "%s has %llu elements: %llu is out of range",
				 range->name, (unsigned long long)decl->count,
				 (unsigned long long)range->last);
	return 0;
}

static int check_number(const struct elem_type *type, const struct number *n,
			struct lex_pos pos, struct grun_err *err)
{
	char room[8];

	if (elem_put(type, room, n))
		return 0;
	return lex_error(err, pos, "the number does not fit into %s", type->name);
}

static int check_pattern(const struct decl *decl, const struct pattern *pattern,
			 struct grun_err *err)
{
	if (pattern->type != PATTERN_VALUE)
		return 0;
	return check_number(decl->type, &pattern->value, pattern->pos, err);
}

static int check_buf(const struct script *s, const struct stmt *stmt,
		     struct grun_err *err)
{
	size_t i;
	int ret;

	for (i = stmt->first; i < stmt->first + stmt->nr; i++) {
		const struct decl *decl = &s->decls[i];

		if (script_find(s, decl->name, i))
			return lex_error(err, decl->pos,
					 "a buffer %s is declared already",
					 decl->name);
		ret = check_pattern(decl, &decl->pattern, err);
		if (ret)
			return ret;
	}
	return 0;
}

bool script_value(const struct grun_arg *arg, const struct number *n,
		  union grun_value *value)
{
	const struct elem_type *type = elem_find_c(arg->type);
	/* what the compiler did not name is taken as the number looks */
	struct elem_type guess = {
		.kind = n->is_float ? ELEM_FLOAT : ELEM_SIGNED,
		.size = arg->size,
	};

	memset(value, 0, sizeof(*value));
	if (!type && arg->size != 4 && arg->size != 8 &&
	    (n->is_float || (arg->size != 1 && arg->size != 2)))
		return false;
	if (type && type->size != arg->size)
		return false;
	return elem_put(type ? type : &guess, value->bytes, n);
}

static int check_word(const struct script *s, const struct stmt *stmt,
		      struct word *word, const struct grun_arg *arg,
		      unsigned int n, size_t declared, struct grun_err *err)
{
	union grun_value value;

	if (arg->kind == GRUN_ARG_POINTER && !word->is_range)
		return lex_error(err, word->pos,
				 "argument %u (%s %s) of %s is a buffer, not a number",
				 n + 1, arg->type, arg->name, stmt->name);
	if (arg->kind == GRUN_ARG_VALUE && word->is_range)
		return lex_error(err, word->pos,
				 "argument %u (%s %s) of %s is a number, not a buffer",
				 n + 1, arg->type, arg->name, stmt->name);
	if (word->is_range)
		return check_range(s, &word->range, declared, err);
	if (!script_value(arg, &word->number, &value))
		return lex_error(err, word->pos,
				 "argument %u (%s %s) of %s cannot hold this number",
				 n + 1, arg->type, arg->name, stmt->name);
	return 0;
}

static int check_run(const struct script *s, const struct stmt *stmt,
		     const struct grun_code *code, size_t declared,
		     struct grun_err *err)
{
	const struct grun_kernel *kernel;
	struct grun_err why;
	unsigned int i;
	int ret;

	if (!code)
		return 0;
	kernel = grun_code_find(code, stmt->name);
	if (!kernel)
		return lex_error(err, stmt->name_pos,
				 "the code object has no kernel %s", stmt->name);
	ret = grun_check_launch(kernel, &stmt->launch, &why);
	if (ret)
		return lex_error(err, stmt->name_pos, "%.190s", why.text);
	if (stmt->nr != grun_kernel_nr_params(kernel))
		return lex_error(err, stmt->name_pos,
				 "kernel %s takes %u arguments, not %zu",
				 stmt->name, grun_kernel_nr_params(kernel),
				 stmt->nr);
	for (i = 0; !ret && i < stmt->nr; i++)
		ret = check_word(s, stmt, &s->words[stmt->first + i],
				 grun_kernel_param(kernel, i), i, declared, err);
	return ret;
}

static int check_check(const struct script *s, struct stmt *stmt,
		       struct grun_err *err)
{
	const struct decl *decl = &s->decls[stmt->range.decl];
	uint64_t count = stmt->range.last - stmt->range.first + 1;
	size_t i;
	int ret = 0;

	if (stmt->nr != 1 && stmt->nr != count)
		return lex_error(err, stmt->pos,
				 "%llu elements to check but %zu values",
				 (unsigned long long)count, stmt->nr);
	for (i = stmt->first; !ret && i < stmt->first + stmt->nr; i++)
		ret = check_number(decl->type, &s->words[i].number,
				   s->words[i].pos, err);
	return ret;
}

static int check_stmt(struct script *s, struct stmt *stmt,
		      const struct grun_code *code, size_t *declared,
		      struct grun_err *err)
{
	const struct decl *decl;
	int ret;

	switch (stmt->verb) {
	case VERB_BUF:
		*declared += stmt->nr;
		return check_buf(s, stmt, err);
	case VERB_RUN:
		return check_run(s, stmt, code, *declared, err);
	case VERB_WAIT:
	case VERB_SLEEP:
		return 0;
	default:
		break;
	}
	ret = check_range(s, &stmt->range, *declared, err);
	if (ret)
		return ret;
	decl = &s->decls[stmt->range.decl];
	if (stmt->verb == VERB_CHECK)
		return check_check(s, stmt, err);
	if (stmt->verb == VERB_FILL)
		return check_pattern(decl, &stmt->pattern, err);
	if (stmt->verb == VERB_CPUWRITE)
		return check_number(decl->type, &stmt->number, stmt->pos, err);
	return 0;
}

int script_check(struct script *s, const struct grun_code *code,
		 struct grun_err *err)
{
	size_t i, declared = 0;
	int ret = 0;

	for (i = 0; !ret && i < s->nr_stmts; i++)
		ret = check_stmt(s, &s->stmts[i], code, &declared, err);
	return ret;
}
