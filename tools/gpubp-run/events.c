// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the command line, for stock perf.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "events.h"
#include "gpubp_expr.h"

/**
 * struct printer - state of events_print()
 * @known: buffers of the script and variables of the code, NULL without a script
 * @codes: the code object
 * @nr_codes: 1 or 0
 * @out: lines that are complete
 */
struct printer {
	const struct gexpr_buffers *known;
	struct gexpr_code codes[1];
	unsigned int nr_codes;
	FILE *out;
};

static void print_one(struct printer *p, const struct gexpr *e)
{
	char text[GEXPR_EVENT_MAX];

	gexpr_event(e, text, sizeof(text));
	fprintf(p->out, "%s\n", text);
}

static int print_breaks(struct printer *p, const char *text, struct grun_err *err)
{
	struct gexpr *list;
	size_t nr, i;
	int ret = gexpr_breaks(&list, &nr, text, p->codes, p->nr_codes, err);

	if (ret)
		return ret;
	for (i = 0; i < nr; i++)
		print_one(p, &list[i]);
	free(list);
	return 0;
}

static int print_event(struct printer *p, int option, const char *text,
		       struct grun_err *err)
{
	struct gexpr e;
	int ret;

	if (option == 'b')
		return print_breaks(p, text, err);
	ret = option == 'X' ? gexpr_exception(&e, text, err) :
			      gexpr_watch(&e, text, p->known, err);
	if (!ret && option != 'X' && e.conditional)
		ret = grun_fail(err, -EINVAL,
				"a condition ends with the program that makes it: use perf-gpubp record or run");
	if (!ret)
		print_one(p, &e);
	return ret;
}

static int print_all(struct printer *p, const struct events *events,
		     struct grun_err *err)
{
	struct grun_err why;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < events->nr; i++) {
		ret = print_event(p, events->list[i].option, events->list[i].text, &why);
		if (ret)
			grun_fail(err, ret, "%.60s: %.190s", events->list[i].text,
				  why.text);
	}
	return ret;
}

static size_t code_nr_variables(const struct grun_code *code)
{
	struct grun_variable var;
	uint64_t pos = 0;
	size_t nr = 0;

	while (code && grun_code_variable(code, &pos, &var))
		nr++;
	return nr;
}

static bool script_declares(const struct script *script, const char *name)
{
	size_t i;

	for (i = 0; i < script->nr_decls; i++)
		if (!strcmp(script->decls[i].name, name))
			return true;
	return false;
}

/* a buffer takes the name of a variable; returns the number of the others */
static size_t code_buffers(const struct grun_code *code, const struct script *script,
			   struct gexpr_buffer *list)
{
	struct grun_variable var;
	uint64_t pos = 0;
	size_t nr = 0;

	while (code && grun_code_variable(code, &pos, &var)) {
		if (script_declares(script, var.name))
			continue;
		list[nr++] = (struct gexpr_buffer){
			.name = var.name, .size = var.size,
		};
	}
	return nr;
}

static void script_buffers(const struct script *script, struct gexpr_buffer *list)
{
	size_t i;

	for (i = 0; i < script->nr_decls; i++) {
		const struct decl *decl = &script->decls[i];

		list[i] = (struct gexpr_buffer){
			.name = decl->name,
			.size = decl->count * decl->type->size,
			.type = decl->type->name,
		};
	}
}

int events_print(const struct events *events, const struct script *script,
		 const struct grun_code *code, const char *name,
		 struct grun_err *err)
{
	size_t nr = script ? script->nr_decls : 0, len = 0;
	struct gexpr_buffer *list = calloc(nr + code_nr_variables(code) + 1,
					   sizeof(*list));
	struct gexpr_buffers known = { list, nr };
	char *text = NULL;
	struct printer p = {
		.known = script ? &known : NULL,
		.codes = { { code, name } },
		.nr_codes = code ? 1 : 0,
		.out = list ? open_memstream(&text, &len) : NULL,
	};
	int ret;

	if (!p.out) {
		free(list);
		return grun_fail(err, -ENOMEM, "out of memory");
	}
	if (script) {
		script_buffers(script, list);
		known.nr += code_buffers(code, script, list + nr);
	}
	ret = print_all(&p, events, err);
	fclose(p.out);
	if (!ret)
		fputs(text, stdout);
	free(text);
	free(list);
	return ret;
}
