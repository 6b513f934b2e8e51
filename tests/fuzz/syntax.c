// SPDX-License-Identifier: GPL-2.0
/*
 * From the text of the descriptions to types: all files are read first, as
 * names may be used before they are declared; then the types of calls are made.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lex.h"
#include "syntax.h"

#define MAX_DECLS	512
#define MAX_FIELDS	32

enum decl_kind {
	DECL_FLAGS,
	DECL_STRUCT,
	DECL_UNION,
	DECL_ALIAS,
};

struct decl_field {
	const char *name;
	const struct node *type;
	enum dir dir;
};

/* a named declaration that is neither a call nor a resource */
struct decl {
	enum decl_kind kind;
	const char *name;
	const char *path;
	unsigned int line;
	const char *params[MAX_ARGS];
	unsigned int nr_params;
	const struct node *values[32];	/* DECL_FLAGS; [0]: DECL_ALIAS */
	struct decl_field fields[MAX_FIELDS];
	unsigned int nr;
};

struct decl_call {
	const char *path;
	unsigned int line;
	struct decl_field args[MAX_ARGS];
	const char *ret;
};

/* arguments for the parameters of a template, and where they were written */
struct scope {
	const struct decl *decl;
	const struct node *const *args;
	const struct scope *outer;
};

static struct decl decls[MAX_DECLS];
static unsigned int nr_decls;
static struct resource resources[MAX_RESOURCES] = {
	{ .name = "fd", .size = 4, .nr = 0 },
	{ .name = "pid", .size = 4, .nr = 1 },
};
static const char *resource_bases[MAX_RESOURCES];
static unsigned int nr_resources = 2;
static struct call calls[MAX_CALLS];
static struct decl_call decl_calls[MAX_CALLS];
static unsigned int nr_calls;

/* ---- reading ------------------------------------------------------------- */

static struct decl *new_decl(struct lex *lex, enum decl_kind kind, const char *name)
{
	struct decl *decl = &decls[nr_decls++];

	if (nr_decls == MAX_DECLS)
		lex_die(lex->path, lex->line, "too many declarations");
	*decl = (struct decl){ .kind = kind, .name = name, .path = lex->path,
			       .line = lex->line };
	return decl;
}

static unsigned int int_size(const char *name)
{
	static const struct {
		const char *name;
		unsigned int size;
	} ints[] = {
		{ "int8", 1 }, { "int16", 2 }, { "int32", 4 }, { "int64", 8 },
		{ "intptr", 8 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(ints) / sizeof(ints[0]); i++)
		if (name && !strcmp(name, ints[i].name))
			return ints[i].size;
	return 0;
}

/* resource NAME[BASE] */
static void read_resource(struct lex *lex)
{
	struct resource *res = &resources[nr_resources];
	const char *base;

	if (nr_resources == MAX_RESOURCES)
		lex_die(lex->path, lex->line, "too many resources");
	res->name = lex_name(lex);
	res->nr = nr_resources++;
	lex_want(lex, '[');
	base = lex_name(lex);
	lex_want(lex, ']');
	res->size = int_size(base);
	if (!res->size)
		resource_bases[res->nr] = base;
}

static enum dir dir_named(const char *name)
{
	return !strcmp(name, "in") ? DIR_IN : !strcmp(name, "out") ? DIR_OUT :
	       !strcmp(name, "inout") ? DIR_INOUT : 0;
}

/* fields enclosed in {} or [], one per line */
static void read_fields(struct lex *lex, struct decl *decl)
{
	char end = decl->kind == DECL_UNION ? ']' : '}';

	while (lex_next_line(lex) && !lex_is(lex, end)) {
		struct decl_field *field = &decl->fields[decl->nr++];

		if (decl->nr == MAX_FIELDS)
			lex_die(lex->path, lex->line, "too many fields");
		field->name = lex_name(lex);
		field->type = lex_node(lex);
		if (lex_is(lex, '(')) {
			field->dir = dir_named(lex_name(lex));
			if (!field->dir)
				lex_die(lex->path, lex->line, "unknown attribute");
			lex_want(lex, ')');
		}
		if (!lex_at_end(lex))
			lex_die(lex->path, lex->line, "more on this line: \"%.20s\"",
				lex->at);
	}
}

/* type NAME[PARAM, ...] { ... }, or type NAME TYPE */
static void read_template(struct lex *lex)
{
	struct decl *decl = new_decl(lex, DECL_STRUCT, lex_name(lex));

	if (lex_is(lex, '[')) {
		do {
			decl->params[decl->nr_params++] = lex_name(lex);
		} while (lex_is(lex, ',') && decl->nr_params < MAX_ARGS);
		lex_want(lex, ']');
	}
	if (lex_is(lex, '{')) {
		read_fields(lex, decl);
		return;
	}
	decl->kind = DECL_ALIAS;
	decl->values[0] = lex_node(lex);
}

static void read_flags(struct lex *lex, const char *name)
{
	struct decl *decl = new_decl(lex, DECL_FLAGS, name);

	do {
		if (decl->nr == 32)
			lex_die(lex->path, lex->line, "too many values");
		decl->values[decl->nr++] = lex_node(lex);
	} while (lex_is(lex, ','));
}

static void read_call(struct lex *lex, const char *name)
{
	struct decl_call *decl = &decl_calls[nr_calls];
	struct call *call = &calls[nr_calls];

	call->name = name;
	call->nr = nr_calls++;
	decl->path = lex->path;
	decl->line = lex->line;
	if (nr_calls == MAX_CALLS)
		lex_die(lex->path, lex->line, "too many calls");
	while (!lex_is(lex, ')')) {
		if (call->nr_args == MAX_ARGS)
			lex_die(lex->path, lex->line, "too many arguments");
		if (call->nr_args)
			lex_want(lex, ',');
		decl->args[call->nr_args].name = lex_name(lex);
		decl->args[call->nr_args++].type = lex_node(lex);
	}
	if (!lex_at_end(lex))
		decl->ret = lex_name(lex);
}

static void read_line(struct lex *lex)
{
	const char *name = lex_name(lex);

	if (!strcmp(name, "include"))
		return lex_skip_line(lex);
	if (!strcmp(name, "resource"))
		return read_resource(lex);
	if (!strcmp(name, "type"))
		return read_template(lex);
	if (lex_is(lex, '='))
		return read_flags(lex, name);
	if (lex_is(lex, '('))
		return read_call(lex, name);
	if (lex_is(lex, '{'))
		return read_fields(lex, new_decl(lex, DECL_STRUCT, name));
	if (lex_is(lex, '['))
		return read_fields(lex, new_decl(lex, DECL_UNION, name));
	lex_die(lex->path, lex->line, "neither a declaration nor a call: %s", name);
}

static void read_file(const char *path)
{
	struct lex lex;

	lex_open(&lex, path);
	while (lex_next_line(&lex)) {
		read_line(&lex);
		if (!lex_at_end(&lex))
			lex_die(path, lex.line, "more on this line: \"%.20s\"", lex.at);
	}
}

/* ---- types --------------------------------------------------------------- */

static const struct type *make_type(const struct node *node, const struct scope *scope);

static const struct decl *decl_named(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_decls; i++)
		if (!strcmp(decls[i].name, name))
			return &decls[i];
	return NULL;
}

static void die_at(const struct node *node, const struct scope *scope, const char *text)
{
	lex_die(scope->decl->path, node->line, "%s: %s", node->name ?: "number", text);
}

static uint64_t value_of(const struct node *node, const struct scope *scope)
{
	const struct constant *c;

	if (!node->name)
		return node->lo;
	for (c = constants; c->name; c++)
		if (!strcmp(c->name, node->name))
			return c->value;
	die_at(node, scope, "no such constant");
	return 0;
}

static const struct node *arg_of(const struct node *node, unsigned int i,
				 const struct scope *scope)
{
	if (i >= node->nr)
		die_at(node, scope, "an argument is missing");
	return node->args[i];
}

/* the size is the last argument; arguments of calls have no size */
static unsigned int size_arg(const struct node *node, unsigned int i,
			     const struct scope *scope)
{
	unsigned int size = i < node->nr ? int_size(node->args[i]->name) : 8;

	if (!size)
		die_at(node, scope, "no such size");
	return size;
}

static void set_size(struct type *type, unsigned int size)
{
	type->size = size;
	type->align = size;
}

static void make_flags(struct type *type, const struct node *node,
		       const struct scope *scope)
{
	const struct node *name = arg_of(node, 0, scope);
	const struct decl *decl = name->name ? decl_named(name->name) : NULL;
	uint64_t *values, seen = 0;
	unsigned int i;

	if (!decl || decl->kind != DECL_FLAGS)
		die_at(name, scope, "no such flags");
	values = lex_alloc(decl->nr * sizeof(*values));
	type->bits = true;
	for (i = 0; i < decl->nr; i++) {
		values[i] = value_of(decl->values[i],
				     &(struct scope){ .decl = decl });
		if (values[i] & seen)
			type->bits = false;
		seen |= values[i];
	}
	type->values = values;
	type->nr = decl->nr;
	set_size(type, size_arg(node, 1, scope));
}

static void make_string(struct type *type, const struct node *node,
			const struct scope *scope)
{
	const struct node *arg = arg_of(node, 0, scope);
	const struct decl *decl = arg->name ? decl_named(arg->name) : NULL;
	unsigned int nr = decl ? decl->nr : 1, i;
	const char **strings = lex_alloc(nr * sizeof(*strings));

	for (i = 0; i < nr; i++) {
		strings[i] = decl ? decl->values[i]->text : arg->text;
		if (!strings[i])
			die_at(node, scope, "not a text");
		if (strlen(strings[i]) >= type->size)
			type->size = strlen(strings[i]) + 1;
	}
	type->strings = strings;
	type->nr = nr;
	type->align = 1;
	if (node->nr > 1)
		type->size = value_of(node->args[1], scope);
}

static void make_ptr(struct type *type, const struct node *node,
		     const struct scope *scope)
{
	const struct node *dir = arg_of(node, 0, scope);

	type->dir = dir->name ? dir_named(dir->name) : 0;
	if (!type->dir)
		die_at(dir, scope, "not a direction");
	type->elem = make_type(arg_of(node, 1, scope), scope);
	set_size(type, 8);
}

static void make_array(struct type *type, const struct node *node,
		       const struct scope *scope)
{
	const struct node *count = arg_of(node, 1, scope);

	type->elem = make_type(arg_of(node, 0, scope), scope);
	type->lo = value_of(count, scope);
	type->hi = count->name ? type->lo : count->hi;
	type->align = type->elem->align;
	type->size = type->lo == type->hi ? type->lo * type->elem->size : 0;
}

static void make_range(struct type *type, const struct node *node,
		       const struct scope *scope)
{
	type->ranged = node->nr;
	if (!node->nr)
		return;
	type->lo = node->args[0]->lo;
	type->hi = node->args[0]->hi;
}

/* false if it is not one of the builtin types */
static bool make_builtin(struct type *type, const struct node *node,
			 const struct scope *scope)
{
	const char *name = node->name;

	if (int_size(name)) {
		type->kind = TYPE_INT;
		make_range(type, node, scope);
		set_size(type, int_size(name));
	} else if (!strcmp(name, "const")) {
		type->kind = TYPE_CONST;
		type->lo = value_of(arg_of(node, 0, scope), scope);
		set_size(type, size_arg(node, 1, scope));
	} else if (!strcmp(name, "flags")) {
		type->kind = TYPE_FLAGS;
		make_flags(type, node, scope);
	} else if (!strcmp(name, "len")) {
		type->kind = TYPE_LEN;
		type->name = arg_of(node, 0, scope)->name;
		set_size(type, size_arg(node, 1, scope));
	} else if (!strcmp(name, "ptr") || !strcmp(name, "ptr64")) {
		type->kind = TYPE_PTR;
		make_ptr(type, node, scope);
	} else if (!strcmp(name, "vma") || !strcmp(name, "vma64")) {
		type->kind = TYPE_VMA;
		make_range(type, node, scope);
		set_size(type, 8);
	} else if (!strcmp(name, "array")) {
		type->kind = TYPE_ARRAY;
		make_array(type, node, scope);
	} else if (!strcmp(name, "string")) {
		type->kind = TYPE_STRING;
		make_string(type, node, scope);
	} else {
		return false;
	}
	return true;
}

static unsigned int align_up(unsigned int size, unsigned int align)
{
	return (size + align - 1) / align * align;
}

/* C's layout: a difference from the header shows in the sizes */
static void make_fields(struct type *type, const struct decl *decl,
			const struct scope *scope)
{
	struct field *fields = lex_alloc(decl->nr * sizeof(*fields));
	unsigned int i, end = 0;

	type->align = 1;
	for (i = 0; i < decl->nr; i++) {
		const struct type *t = make_type(decl->fields[i].type, scope);

		if (!t->size && type->kind != TYPE_UNION)
			lex_die(decl->path, decl->line, "%s: no fixed size",
				decl->fields[i].name);
		fields[i] = (struct field){
			.name = decl->fields[i].name, .type = t,
			.dir = decl->fields[i].dir,
			.offset = type->kind == TYPE_UNION ? 0 : align_up(end, t->align),
		};
		if (fields[i].offset + t->size > end)
			end = fields[i].offset + t->size;
		if (t->align > type->align)
			type->align = t->align;
	}
	type->fields = fields;
	type->nr = decl->nr;
	type->name = decl->name;
	type->size = align_up(end, type->align);
}

static const struct type *make_declared(const struct node *node, const struct decl *decl,
					const struct scope *outer)
{
	struct type *type = lex_alloc(sizeof(*type));
	const struct scope scope = { decl, node->args, outer };

	if (node->nr != decl->nr_params)
		die_at(node, outer, "wrong number of parameters");
	if (decl->kind == DECL_FLAGS)
		die_at(node, outer, "flags are no type");
	if (decl->kind == DECL_ALIAS)
		return make_type(decl->values[0], &scope);
	type->kind = decl->kind == DECL_UNION ? TYPE_UNION : TYPE_STRUCT;
	make_fields(type, decl, &scope);
	return type;
}

static const struct type *make_type(const struct node *node, const struct scope *scope)
{
	const struct resource *res;
	const struct decl *decl;
	struct type *type;
	unsigned int i;

	if (!node->name)
		die_at(node, scope, "is no type");
	for (i = 0; i < scope->decl->nr_params; i++)
		if (!strcmp(node->name, scope->decl->params[i]))
			return make_type(scope->args[i], scope->outer);
	type = lex_alloc(sizeof(*type));
	if (make_builtin(type, node, scope))
		return type;
	res = syntax_resource(node->name);
	if (res) {
		*type = (struct type){ .kind = TYPE_RESOURCE, .res = res };
		set_size(type, res->size);
		return type;
	}
	decl = decl_named(node->name);
	if (!decl)
		die_at(node, scope, "no such type");
	return make_declared(node, decl, scope);
}

/* ---- all files ----------------------------------------------------------- */

/* base resources, and their bases, may be declared later */
static void settle_resources(void)
{
	unsigned int i, round;

	for (round = 0; round < nr_resources; round++)
		for (i = 2; i < nr_resources; i++) {
			struct resource *res = &resources[i];

			if (!resource_bases[i])
				continue;
			res->base = syntax_resource(resource_bases[i]);
			if (!res->base)
				lex_die(res->name, 0, "no such base");
			res->size = res->base->size;
		}
}

static void settle_call(struct call *call)
{
	struct decl_call *from = &decl_calls[call->nr];
	struct decl decl = { .path = from->path, .line = from->line };
	struct scope scope = { .decl = &decl };
	unsigned int i;

	for (i = 0; i < call->nr_args; i++) {
		call->args[i].name = from->args[i].name;
		call->args[i].type = make_type(from->args[i].type, &scope);
		if (call->args[i].type->size > 8 || !call->args[i].type->size)
			lex_die(from->path, from->line, "%s: not a register",
				call->args[i].name);
	}
	if (!from->ret)
		return;
	call->ret = syntax_resource(from->ret);
	if (!call->ret)
		lex_die(from->path, from->line, "no such resource: %s", from->ret);
}

void syntax_load(const char *dir)
{
	char pattern[512];
	glob_t files;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/*.txt", dir);
	if (glob(pattern, 0, NULL, &files))
		lex_die(dir, 0, "has no descriptions");
	for (i = 0; i < files.gl_pathc; i++)
		read_file(files.gl_pathv[i]);
	settle_resources();
	for (i = 0; i < nr_calls; i++)
		settle_call(&calls[i]);
}

const struct call *syntax_calls(unsigned int *nr)
{
	*nr = nr_calls;
	return calls;
}

const struct call *syntax_call(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_calls; i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

const struct resource *syntax_resource(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_resources; i++)
		if (!strcmp(resources[i].name, name))
			return &resources[i];
	return NULL;
}

bool syntax_is_a(const struct resource *res, const struct resource *wanted)
{
	while (res && res != wanted)
		res = res->base;
	return res;
}
