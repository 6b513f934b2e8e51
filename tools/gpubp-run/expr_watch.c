// SPDX-License-Identifier: GPL-2.0
/*
 * Watches: "grid[128..131]:w" to bytes and access. See gpubp_expr.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "expr.h"
#include "expr_condition.h"
#include "internal.h"
#include "parse.h"

#define ELEMENT	4	/* bytes, of an unknown type */
#define MODES	"a mode of the letters r (load), w (store), a (atomic), or " \
		"changed, meter, possible, lost, process, exact"

/**
 * struct place - what is watched, as it was written
 * @type: of the elements; NULL if it was not given
 * @whole: no range was given
 * @by_bytes: @first is a byte offset and @count a number of bytes
 * @first: first element
 * @count: elements
 * @condition: condition
 * @condition_at: where it begins in the expression
 */
struct place {
	const struct elem_type *type;
	bool whole;
	bool by_bytes;
	uint64_t first;
	uint64_t count;
	struct condition condition;
	unsigned int condition_at;
};

static const struct option {
	const char *word;
	uint64_t flag;
	bool exact;
} watch_options[] = {
	{ "changed", .flag = GPUBP_CONFIG_CHANGED },
	{ "meter", .flag = GPUBP_CONFIG_METER },
	{ "possible", .flag = GPUBP_CONFIG_POSSIBLE },
	{ "lost", .flag = GPUBP_CONFIG_LOST },
	{ "process", .flag = GPUBP_CONFIG_PROCESS },
	{ "exact", .exact = true },
};

static unsigned int mode_letter(char letter)
{
	switch (letter) {
	case 'r':
		return GPUBP_ACCESS_LOAD;
	case 'w':
		return GPUBP_ACCESS_STORE;
	case 'a':
		return GPUBP_ACCESS_ATOMIC;
	default:
		return 0;
	}
}

/* 0 if @word is no mode; rw is what the alias watch_rw is */
static unsigned int mode_access(const char *word)
{
	unsigned int access = 0, one;

	for (; *word; word++, access |= one) {
		one = mode_letter(*word);
		if (!one)
			return 0;
	}
	if (access == (GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE))
		access |= GPUBP_ACCESS_ATOMIC;
	return access;
}

static const struct option *option_find(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(watch_options); i++)
		if (!strcmp(watch_options[i].word, word))
			return &watch_options[i];
	return NULL;
}

/* behind a ":" */
static void read_mode(struct parser *p, struct gexpr *e)
{
	const char *word = p->token.name;
	unsigned int access = mode_access(word);
	const struct option *option = option_find(word);

	if (p->token.type != LEX_NAME || (!access && !option)) {
		parse_expected(p, MODES);
	} else if (access && (e->access || e->flags || e->exact)) {
		parse_error(p, p->token.pos, "the mode comes first, and once");
	} else {
		e->access |= access;
		e->flags |= option ? option->flag : 0;
		e->exact |= option && option->exact;
		parse_next(p);
	}
}

static void read_bytes(struct parser *p, struct place *place)
{
	struct lex_pos pos = p->token.pos;

	place->by_bytes = true;
	place->count = parse_int(p, "a number of bytes");
	if (!p->ret && !place->count)
		parse_error(p, pos, "a watch of 0 bytes");
}

static void read_range(struct parser *p, struct place *place)
{
	uint64_t last = 0;

	if (!place->type && parse_punct(p, '+')) {
		place->first = parse_int(p, "an offset in bytes");
		parse_need(p, ',');
		read_bytes(p, place);
	} else if (parse_punct(p, '[')) {
		if (parse_punct(p, '*')) {
			place->whole = true;
			parse_need(p, ']');
			return;
		}
		parse_index(p, &place->first, &last);
		place->count = last - place->first + 1;
	} else {
		place->whole = true;
	}
}

static void read_address(struct parser *p, struct place *place)
{
	place->first = parse_int(p, "an address");
	parse_need(p, '/');
	read_bytes(p, place);
}

static void read_name(struct parser *p, char *out)
{
	if (p->token.type == LEX_STRING && strlen(p->token.name) >= GPUBP_NAME_MAX)
		parse_error(p, p->token.pos, "a name of more than %d characters",
			    GPUBP_NAME_MAX - 1);
	else if (p->token.type == LEX_STRING && p->token.name[0])
		p->token.type = LEX_NAME;
	parse_name(p, out, "the name of a buffer, or an address");
}

/* "grid:f32[3]:w", "grid:w": a type is no mode */
static bool read_type(struct parser *p, struct place *place)
{
	if (p->token.type == LEX_NAME)
		place->type = elem_find(p->token.name);
	if (place->type)
		parse_next(p);
	return place->type;
}

static void read_buffer(struct parser *p, struct gexpr *e, struct place *place)
{
	read_name(p, e->name);
	if (parse_punct(p, ':') && !read_type(p, place)) {
		place->whole = true;
		read_mode(p, e);
	} else {
		read_range(p, place);
	}
}

static void read_watch(struct parser *p, struct gexpr *e, struct place *place)
{
	if (p->token.type == LEX_INT)
		read_address(p, place);
	else
		read_buffer(p, e, place);
	while (parse_punct(p, ':'))
		read_mode(p, e);
	place->condition_at = p->token.pos.column - 1;
	if (parse_keyword(p, "if"))
		condition_read(p, &place->condition);
	if (p->token.type != LEX_END)
		parse_expected(p, "the end of the watch");
	if (!e->access)
		e->access = GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC;
}

/* the entry behind @prev that has the name, or NULL */
static const struct gexpr_buffer *buffer_find(const struct gexpr_buffers *known,
					      const char *name,
					      const struct gexpr_buffer *prev)
{
	size_t i = prev ? (size_t)(prev - known->list) + 1 : 0;

	for (; i < known->nr; i++)
		if (!strcmp(known->list[i].name, name))
			return &known->list[i];
	return NULL;
}

/* the kernel has only the hash */
static int buffer_check_hash(const struct gexpr *e,
			     const struct gexpr_buffers *known,
			     struct grun_err *err)
{
	size_t i;

	for (i = 0; i < known->nr; i++) {
		const char *other = known->list[i].name;

		if (gpubp_name_hash(other) == e->code && strcmp(other, e->name))
			return grun_fail(err, -EINVAL,
					 "%s and %s have the same hash, so that an event would watch both",
					 e->name, other);
	}
	return 0;
}

/* "grid, lut" as far as there is room */
static void buffer_names(const struct gexpr_buffers *known, char *out, size_t len)
{
	size_t at = 0, i;

	snprintf(out, len, "none");
	for (i = 0; i < known->nr; i++) {
		const char *name = known->list[i].name;

		if (at + strlen(name) + 8 > len) {
			snprintf(out + at, len - at, ", ...");
			break;
		}
		at += (size_t)snprintf(out + at, len - at, "%s%s",
				       i ? ", " : "", name);
	}
}

static int buffer_missing(const struct gexpr *e, const struct gexpr_buffers *known,
			  struct grun_err *err)
{
	char names[128];

	buffer_names(known, names, sizeof(names));
	return grun_fail(err, -EINVAL, "there is no buffer %s; there are: %s",
			 e->name, names);
}

/* buffers of one name are watched by one event, which has one length */
static int buffer_same_size(const struct gexpr_buffers *known,
			    const struct gexpr_buffer *first,
			    struct grun_err *err)
{
	const struct gexpr_buffer *next = first;

	while ((next = buffer_find(known, first->name, next)))
		if (next->size != first->size)
			return grun_fail(err, -EINVAL,
					 "there are buffers %s of different sizes: give a range",
					 first->name);
	return 0;
}

static int place_check_type(const struct place *place,
			    const struct gexpr_buffer *buffer,
			    struct grun_err *err)
{
	if (place->type && buffer->type && strcmp(place->type->name, buffer->type))
		return grun_fail(err, -EINVAL, "%s is a buffer of %s, not of %s",
				 buffer->name, buffer->type, place->type->name);
	return 0;
}

static uint64_t place_unit(const struct place *place,
			   const struct gexpr_buffer *buffer)
{
	const struct elem_type *type = place->type;

	if (place->by_bytes)
		return 1;
	if (!type && buffer && buffer->type)
		type = elem_find(buffer->type);
	return type ? type->size : ELEMENT;
}

static int place_in_buffer(struct place *place, const struct gexpr_buffer *buffer,
			   uint64_t unit, struct grun_err *err)
{
	uint64_t all = buffer->size / unit;

	if (place->first < all && place->count <= all - place->first)
		return 0;
	return grun_fail(err, -EINVAL, "%s has %llu %s: %llu is out of range",
			 buffer->name, (unsigned long long)all,
			 place->by_bytes ? "bytes" : "elements",
			 (unsigned long long)(place->first + place->count - 1));
}

/* of several buffers, one that has the bytes */
static int place_in_any(struct gexpr *e, struct place *place,
			const struct gexpr_buffers *known, struct grun_err *err)
{
	const struct gexpr_buffer *buffer = NULL;
	int ret = -EINVAL;

	while (ret && (buffer = buffer_find(known, e->name, buffer)))
		ret = place_in_buffer(place, buffer, place_unit(place, buffer), err);
	return ret;
}

static int resolve_known(struct gexpr *e, struct place *place,
			 const struct gexpr_buffers *known, struct grun_err *err)
{
	const struct gexpr_buffer *buffer = buffer_find(known, e->name, NULL);
	int ret;

	if (!buffer)
		return buffer_missing(e, known, err);
	ret = buffer_check_hash(e, known, err) ?:
	      place_check_type(place, buffer, err);
	if (ret)
		return ret;
	if (place->whole) {
		place->by_bytes = true;
		place->count = buffer->size;
		ret = buffer_same_size(known, buffer, err);
	} else {
		ret = place_in_any(e, place, known, err);
	}
	if (!ret && !place->type && buffer->type)
		place->type = elem_find(buffer->type);
	return ret;
}

static int resolve_bytes(struct gexpr *e, const struct place *place,
			 struct grun_err *err)
{
	uint64_t unit = place_unit(place, NULL), last;

	/* a whole buffer of an unknown size: the kernel takes that of the name */
	if (!place->count)
		return 0;
	if (place->first > UINT64_MAX / unit || place->count > UINT64_MAX / unit ||
	    __builtin_add_overflow(place->first * unit, place->count * unit - 1,
				   &last))
		return grun_fail(err, -EINVAL, "the range is behind all addresses");
	if (place->count > GPUBP_CONFIG2_LEN / unit)
		return grun_fail(err, -EINVAL, "no watch has more than 2^48 - 1 bytes");
	e->addr = place->first * unit;
	e->len = place->count * unit;
	return 0;
}

/* as the kernel does, but with a reason */
static int check_options(const struct gexpr *e, struct grun_err *err)
{
	bool lost = e->flags & GPUBP_CONFIG_LOST;
	bool meter = e->flags & GPUBP_CONFIG_METER;

	if ((e->flags & GPUBP_CONFIG_CHANGED) && !e->len)
		return grun_fail(err, -EINVAL,
				 "changed compares at most %d bytes: give a range, as %s[0]",
				 GPUBP_CHANGED_MAX, e->name);
	if ((e->flags & GPUBP_CONFIG_CHANGED) && e->len > GPUBP_CHANGED_MAX)
		return grun_fail(err, -EINVAL,
				 "changed compares at most %d bytes, these are %llu",
				 GPUBP_CHANGED_MAX, (unsigned long long)e->len);
	if ((e->flags & GPUBP_CONFIG_POSSIBLE) && (lost || meter))
		return grun_fail(err, -EINVAL, "possible excludes lost and meter");
	if (e->exact && (lost || meter || (e->flags & GPUBP_CONFIG_POSSIBLE)))
		return grun_fail(err, -EINVAL,
				 "exact excludes possible, lost and meter");
	if (lost && (meter || (e->flags & GPUBP_CONFIG_CHANGED)))
		return grun_fail(err, -EINVAL, "lost excludes changed and meter");
	if (e->conditional && (lost || meter))
		return grun_fail(err, -EINVAL, "a condition excludes lost and meter");
	return 0;
}

static int resolve_condition(struct gexpr *e, const struct place *place,
			     struct grun_err *err)
{
	unsigned int size = place->type ? place->type->size : 1;

	e->conditional = place->condition.given;
	if (!e->conditional)
		return 0;
	if (place->condition.op && e->len % size)
		return grun_fail(err, -EINVAL, "%llu bytes are no %s",
				 (unsigned long long)e->len, place->type->name);
	return condition_resolve(&place->condition, place->type, &e->condition,
				 err);
}

static int watch_resolve(struct gexpr *e, struct place *place,
			 const struct gexpr_buffers *known, struct grun_err *err)
{
	int ret = 0;

	if (e->name[0]) {
		e->code = gpubp_name_hash(e->name);
		ret = known ? resolve_known(e, place, known, err) : 0;
	}
	return ret ?: resolve_bytes(e, place, err) ?:
	       resolve_condition(e, place, err) ?: check_options(e, err);
}

/* a word for the operator with which @text begins; @len: (out) its length */
static const char *operator_word(const char *text, size_t *len)
{
	static const struct {
		const char *text, *word;
	} operators[] = {
		{ "==", "eq" }, { "!=", "ne" }, { "<=", "le" }, { ">=", "ge" },
		{ "<", "lt" }, { ">", "gt" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		*len = strlen(operators[i].text);
		if (!strncmp(text, operators[i].text, *len))
			return operators[i].word;
	}
	return NULL;
}

/* words of a condition stay apart, and its operators are words */
static void watch_label(struct gexpr *e, const struct place *place,
			const char *text)
{
	unsigned int at = place->condition.given ? place->condition_at - 1 :
			  (unsigned int)strlen(text);
	char words[4 * GEXPR_LABEL_MAX];
	size_t nr, len;

	snprintf(words, sizeof(words), "%.*s", (int)at, text);
	for (text += at; *text; text += len) {
		const char *word = operator_word(text, &len);

		if (!word)
			len = 1;
		nr = strlen(words);
		snprintf(words + nr, sizeof(words) - nr, "%.*s", word ? 2 : 1,
			 word ? word : *text == ' ' ? "." : text);
	}
	gexpr_label(e, words);
}

int gexpr_watch(struct gexpr *e, const char *text,
		const struct gexpr_buffers *known, struct grun_err *err)
{
	struct place place = {};
	struct parser p;

	memset(e, 0, sizeof(*e));
	e->kind = GPUBP_KIND_WATCH;
	parse_init(&p, text, strlen(text), 0, err);
	read_watch(&p, e, &place);
	if (p.ret)
		return p.ret;
	watch_label(e, &place, text);
	return watch_resolve(e, &place, known, err);
}

int gexpr_place(struct gexpr *e, const struct gexpr_buffers *known,
		struct grun_err *err)
{
	const struct gexpr_buffer *buffer = NULL;

	if (!e->name[0])
		return 0;
	while ((buffer = buffer_find(known, e->name, buffer))) {
		if (!buffer->va || e->addr >= buffer->size ||
		    e->len > buffer->size - e->addr)
			continue;
		if (!e->len)
			e->len = buffer->size - e->addr;
		e->addr += buffer->va;
		e->name[0] = 0;
		e->code = 0;
		return 0;
	}
	return grun_fail(err, -EINVAL, "the address of %s is not known", e->name);
}
