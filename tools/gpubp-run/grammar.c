// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of scripts: text to statements. See script.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "parse.h"

#define MAX_ENTRIES	65536

static void parse_range(struct parser *p, struct range *range)
{
	range->pos = p->token.pos;
	parse_name(p, range->name, "the name of a buffer");
	range->indexed = parse_punct(p, '[');
	if (range->indexed)
		parse_index(p, &range->first, &range->last);
}

static void parse_element(struct parser *p, struct range *range)
{
	parse_range(p, range);
	if (p->ret || (range->indexed && range->first == range->last))
		return;
	parse_error(p, range->pos, "expected one element, as %s[0]",
		    range->name);
}

static void parse_word(struct parser *p, struct script *s)
{
	struct word *word = GROW(p, s->words, s->nr_words);

	if (!word)
		return;
	word->pos = p->token.pos;
	word->is_range = p->token.type == LEX_NAME;
	if (!word->is_range) {
		word->number = parse_number(p, "a buffer or a number");
		return;
	}
	parse_range(p, &word->range);
	if (!p->ret && word->range.first != word->range.last)
		parse_error(p, word->pos,
			    "an argument is one address, not a range");
}

/* "grid=" and the like; buffers may have the same names */
static bool parse_setting(struct parser *p, const char *name)
{
	struct parser ahead = *p;
	struct grun_err ignored;

	ahead.err = &ignored;
	if (!parse_keyword(&ahead, name) || ahead.token.type != LEX_PUNCT ||
	    ahead.token.punct != '=')
		return false;
	parse_next(p);
	parse_next(p);
	return true;
}

static void parse_run_settings(struct parser *p, struct stmt *stmt)
{
	for (;;) {
		if (parse_setting(p, "grid"))
			parse_dims(p, stmt->launch.grid, "a size such as 64 or 64x64");
		else if (parse_setting(p, "wg"))
			parse_dims(p, stmt->launch.workgroup, "a size such as 64 or 8x8");
		else if (parse_setting(p, "times"))
			stmt->times = parse_int(p, "a number of dispatches");
		else
			return;
	}
}

static bool parse_at_end(const struct parser *p)
{
	return p->token.type == LEX_END || p->token.type == LEX_SEPARATOR;
}

static void parse_run(struct parser *p, struct script *s, struct stmt *stmt)
{
	static const struct grun_launch one_wave = {
		.grid = { 64, 1, 1 }, .workgroup = { 64, 1, 1 },
	};

	stmt->name_pos = p->token.pos;
	stmt->launch = one_wave;
	stmt->times = 1;
	stmt->first = s->nr_words;
	parse_name(p, stmt->name, "the name of a kernel");
	parse_run_settings(p, stmt);
	while (!parse_at_end(p))
		parse_word(p, s);
	stmt->nr = s->nr_words - stmt->first;
}

static void parse_wait(struct parser *p, struct script *s, struct stmt *stmt)
{
	stmt->number.real = -1;
	if (!parse_at_end(p))
		stmt->number = parse_number(p, "a number of seconds");
}

static void parse_fill(struct parser *p, struct script *s, struct stmt *stmt)
{
	parse_range(p, &stmt->range);
	parse_pattern(p, &stmt->pattern);
	if (stmt->pattern.type == PATTERN_NONE)
		parse_expected(p, "zero, iota, random, value or file");
}

static void parse_show(struct parser *p, struct script *s, struct stmt *stmt)
{
	parse_range(p, &stmt->range);
}

static void parse_check(struct parser *p, struct script *s, struct stmt *stmt)
{
	struct word *word;

	parse_range(p, &stmt->range);
	stmt->first = s->nr_words;
	do {
		word = GROW(p, s->words, s->nr_words);
		if (!word)
			return;
		word->pos = p->token.pos;
		word->number = parse_number(p, "a value");
	} while (!parse_at_end(p));
	stmt->nr = s->nr_words - stmt->first;
}

static void parse_sleep(struct parser *p, struct script *s, struct stmt *stmt)
{
	struct lex_pos pos = p->token.pos;

	stmt->number = parse_number(p, "a number of seconds");
	if (!p->ret && stmt->number.real < 0)
		parse_error(p, pos, "a time cannot be negative");
}

static void parse_cpuwrite(struct parser *p, struct script *s, struct stmt *stmt)
{
	parse_element(p, &stmt->range);
	stmt->number = parse_number(p, "a value");
}

static void parse_buffer(struct parser *p, struct stmt *stmt)
{
	parse_range(p, &stmt->range);
	if (!p->ret && stmt->range.indexed)
		parse_error(p, stmt->range.pos, "a name is that of a whole buffer");
}

static void parse_rename(struct parser *p, struct script *s, struct stmt *stmt)
{
	parse_buffer(p, stmt);
	parse_name(p, stmt->name, "a name");
}

static void parse_unname(struct parser *p, struct script *s, struct stmt *stmt)
{
	parse_buffer(p, stmt);
	if (!parse_at_end(p))
		parse_name(p, stmt->name, "a name");
	else
		memcpy(stmt->name, stmt->range.name, sizeof(stmt->name));
}

static const struct {
	const char *name;
	enum verb verb;
	void (*parse)(struct parser *p, struct script *s, struct stmt *stmt);
} verbs[] = {
	{ "buf", VERB_BUF, parse_buf },
	{ "run", VERB_RUN, parse_run },
	{ "wait", VERB_WAIT, parse_wait },
	{ "fill", VERB_FILL, parse_fill },
	{ "print", VERB_PRINT, parse_show },
	{ "sum", VERB_SUM, parse_show },
	{ "check", VERB_CHECK, parse_check },
	{ "sleep", VERB_SLEEP, parse_sleep },
	{ "cpuwrite", VERB_CPUWRITE, parse_cpuwrite },
	{ "name", VERB_NAME, parse_rename },
	{ "unname", VERB_UNNAME, parse_unname },
};

static void parse_stmt(struct parser *p, struct script *s)
{
	struct lex_pos pos = p->token.pos;
	struct stmt *stmt;
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (parse_keyword(p, verbs[i].name))
			break;
	if (i == sizeof(verbs) / sizeof(verbs[0])) {
		parse_expected(p, "buf, run, wait, fill, print, sum, check, sleep, cpuwrite, name or unname");
		return;
	}
	stmt = GROW(p, s->stmts, s->nr_stmts);
	if (!stmt)
		return;
	stmt->verb = verbs[i].verb;
	stmt->pos = pos;
	verbs[i].parse(p, s, stmt);
	if (!parse_at_end(p))
		parse_expected(p, "the end of the statement");
}

void *script_grow(struct parser *p, void **array, size_t *nr, size_t size)
{
	void *grown;
	char *entry;

	if (p->ret)
		return NULL;
	if (*nr == MAX_ENTRIES) {
		parse_error(p, p->token.pos, "the script is too long");
		return NULL;
	}
	/* powers of two only: a script has few entries, but may have many */
	if (!(*nr & (*nr - 1))) {
		grown = realloc(*array, (*nr ? 2 * *nr : 1) * size);
		if (!grown) {
			p->ret = grun_fail(p->err, -ENOMEM, "out of memory");
			p->token.type = LEX_END;
			return NULL;
		}
		*array = grown;
	}
	entry = (char *)*array + *nr * size;
	memset(entry, 0, size);
	++*nr;
	return entry;
}

int script_parse(struct script *s, const char *text, size_t len,
		 struct grun_err *err)
{
	struct parser p;

	memset(s, 0, sizeof(*s));
	parse_init(&p, text, len, 1, err);
	while (p.token.type != LEX_END) {
		if (p.token.type == LEX_SEPARATOR)
			parse_next(&p);
		else
			parse_stmt(&p, s);
	}
	if (p.ret)
		script_free(s);
	return p.ret;
}

void script_free(struct script *s)
{
	free(s->stmts);
	free(s->decls);
	free(s->words);
	memset(s, 0, sizeof(*s));
}
