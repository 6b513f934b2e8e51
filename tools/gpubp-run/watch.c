// SPDX-License-Identifier: GPL-2.0
/*
 * Watches: "grid[128..131]:w" to bytes and access. See script.h.
 */
#include <errno.h>
#include <string.h>
#include "parse.h"

static unsigned int access_of(char letter)
{
	switch (letter) {
	case 'r':
		return GPUBP_ACCESS_LOAD;
	case 's':
		return GPUBP_ACCESS_STORE;
	case 'a':
		return GPUBP_ACCESS_ATOMIC;
	case 'w':
		return GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC;
	default:
		return 0;
	}
}

/* 0 if @mode is none */
static unsigned int access_parse(const char *mode)
{
	unsigned int access = 0, one;

	for (; *mode; mode++, access |= one) {
		one = access_of(*mode);
		if (!one)
			return 0;
	}
	return access;
}

static void watch_bytes(struct parser *p, struct watch *watch)
{
	struct lex_pos pos;

	watch->by_bytes = true;
	watch->first = parse_int(p, "an offset in bytes");
	parse_need(p, ',');
	pos = p->token.pos;
	watch->count = parse_int(p, "a number of bytes");
	if (!p->ret && !watch->count)
		parse_error(p, pos, "a watch of 0 bytes");
}

static void watch_range(struct parser *p, struct watch *watch)
{
	uint64_t last = 0;

	if (parse_punct(p, '+')) {
		watch_bytes(p, watch);
	} else if (parse_punct(p, '[')) {
		parse_index(p, &watch->first, &last);
		watch->count = last - watch->first + 1;
	} else {
		watch->whole = true;
	}
}

static bool watch_type(struct parser *p, struct watch *watch)
{
	if (p->token.type == LEX_NAME)
		watch->type = elem_find(p->token.name);
	if (!watch->type)
		return false;
	parse_next(p);
	return true;
}

static void watch_mode(struct parser *p, struct watch *watch)
{
	watch->access = 0;
	if (p->token.type == LEX_NAME)
		watch->access = access_parse(p->token.name);
	if (!watch->access)
		parse_expected(p, "a mode of the letters r (load), s (store), a (atomic), w (store and atomic)");
	parse_next(p);
}

int watch_parse(struct watch *watch, const char *text, struct grun_err *err)
{
	struct parser p;
	bool mode = false;

	memset(watch, 0, sizeof(*watch));
	watch->access = access_of('w');
	parse_init(&p, text, strlen(text), err);
	parse_name(&p, watch->name, "the name of a buffer");
	/* "grid:f32[3]:w", "grid[3]:w", "grid:w": a type is no mode */
	if (parse_punct(&p, ':') && !watch_type(&p, watch))
		mode = true;
	if (!mode) {
		watch_range(&p, watch);
		mode = parse_punct(&p, ':');
	} else {
		watch->whole = true;
	}
	if (mode)
		watch_mode(&p, watch);
	if (p.token.type != LEX_END)
		parse_expected(&p, "the end of the watch");
	return p.ret;
}

/* the buffer is known: everything must lie inside */
static int watch_inside(const struct watch *watch, const struct decl *decl,
			uint64_t *offset, uint64_t *size, struct grun_err *err)
{
	uint64_t unit = watch->by_bytes ? 1 : decl->type->size;
	uint64_t all = decl->count * decl->type->size / unit;
	uint64_t count = watch->whole ? all : watch->count;

	if (watch->type && watch->type != decl->type)
		return grun_fail(err, -EINVAL, "%s is a buffer of %s, not of %s",
				 decl->name, decl->type->name, watch->type->name);
	if (watch->first >= all || count > all - watch->first)
		return grun_fail(err, -EINVAL,
				 "%s has %llu %s: %llu is out of range",
				 decl->name, (unsigned long long)all,
				 watch->by_bytes ? "bytes" : "elements",
				 (unsigned long long)(watch->first + count - 1));
	*offset = watch->first * unit;
	*size = count * unit;
	return 0;
}

int watch_resolve(const struct watch *watch, const struct script *script,
		  uint64_t *offset, uint64_t *size, struct grun_err *err)
{
	uint64_t unit = watch->type ? watch->type->size : 1;
	const struct decl *decl;

	if (script) {
		decl = script_find(script, watch->name, script->nr_decls);
		if (!decl)
			return grun_fail(err, -EINVAL,
					 "the script declares no buffer %s",
					 watch->name);
		return watch_inside(watch, decl, offset, size, err);
	}
	if (watch->whole)
		return grun_fail(err, -EINVAL,
				 "the size of %s is not known: give a script, or a range",
				 watch->name);
	if (!watch->by_bytes && !watch->type)
		return grun_fail(err, -EINVAL,
				 "the element type of %s is not known: give a script, or say %s:f32[...]",
				 watch->name, watch->name);
	if (watch->first > UINT64_MAX / 16 || watch->count > SCRIPT_MAX_BUFFER)
		return grun_fail(err, -EINVAL, "the range is out of any buffer");
	*offset = watch->by_bytes ? watch->first : watch->first * unit;
	*size = watch->by_bytes ? watch->count : watch->count * unit;
	return 0;
}
