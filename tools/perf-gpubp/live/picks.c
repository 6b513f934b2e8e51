// SPDX-License-Identifier: GPL-2.0
/*
 * The events that the options of a verb pick.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "event_string.h"
#include "pick_codes.h"
#include "pick_session.h"
#include "pick_set.h"
#include "picks.h"

/* what picks_resolve() knows */
struct lore {
	struct pick_codes codes;
	struct gexpr_buffers buffers;
	const struct gexpr_buffers *known;
};

/* letters of options that have none of their own on the command line */
static char option_letter(const struct option *option)
{
	if (!strcmp(option->long_name, "code"))
		return 'c';
	if (!strcmp(option->long_name, "exception"))
		return 'X';
	return (char)option->short_name;
}

int pick_add(struct picks *picks, char letter, const char *text)
{
	struct pick_arg *grown;

	grown = realloc(picks->args, (picks->nr_args + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	picks->args = grown;
	grown[picks->nr_args++] = (struct pick_arg) {
		.letter = letter,
		.text = text,
	};
	return 0;
}

int pick_option(const struct option *option, const char *arg, int unset)
{
	return unset ? -1 : pick_add(option->value, option_letter(option), arg);
}

static struct pick *pick_append(struct picks *picks, const char *text)
{
	struct pick *grown = realloc(picks->list,
				     (picks->nr + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	picks->list = grown;
	memset(&grown[picks->nr], 0, sizeof(*grown));
	grown[picks->nr].text = text;
	return &grown[picks->nr++];
}

static int append_expr(struct picks *picks, const char *text,
		       const struct gexpr *e, struct grun_err *err)
{
	struct pick *pick = pick_append(picks, text);

	if (!pick)
		return grun_fail(err, -ENOMEM, "out of memory");
	gexpr_event(e, pick->event, sizeof(pick->event));
	gexpr_attr(e, &pick->attr);
	if (e->kind == GPUBP_KIND_WATCH)
		memcpy(pick->name, e->name, sizeof(pick->name));
	return 0;
}

static int resolve_watch(struct picks *picks, const char *text,
			 const struct lore *lore, struct grun_err *err)
{
	struct gexpr e;
	int ret = gexpr_watch(&e, text, lore->known, err);

	if (!ret)
		ret = pick_condition(&picks->session, &e, err);
	return ret ? ret : append_expr(picks, text, &e, err);
}

static int resolve_exception(struct picks *picks, const char *text,
			     const struct lore *lore, struct grun_err *err)
{
	struct gexpr e;
	int ret = gexpr_exception(&e, text, err);

	return ret ? ret : append_expr(picks, text, &e, err);
}

static void place_set(struct pick *pick, const struct gexpr *e)
{
	snprintf(pick->place, sizeof(pick->place), "%s+0x%" PRIx64, e->name, e->addr);
}

static int resolve_breaks(struct picks *picks, const char *text,
			  const struct lore *lore, struct grun_err *err)
{
	struct gexpr *list;
	size_t i, nr;
	int ret = gexpr_breaks(&list, &nr, text, lore->codes.list,
			       lore->codes.nr, err);

	if (ret)
		return ret;
	for (i = 0; !ret && i < nr; i++) {
		ret = append_expr(picks, text, &list[i], err);
		if (!ret && nr > 1)
			place_set(&picks->list[picks->nr - 1], &list[i]);
	}
	free(list);
	return ret;
}

static int resolve_event(struct picks *picks, const char *text,
			 const struct lore *lore, struct grun_err *err)
{
	struct pick *pick = pick_append(picks, text);

	if (!pick)
		return grun_fail(err, -ENOMEM, "out of memory");
	if (strlen(text) >= sizeof(pick->event))
		return grun_fail(err, -EINVAL, "too long");
	strcpy(pick->event, text);
	return event_string_parse(&pick->attr, "", text, err);
}

static int resolve_set(struct picks *picks, const char *text,
		       const struct lore *lore, struct grun_err *err)
{
	struct pick *pick = pick_append(picks, text);
	unsigned int id;
	int ret;

	if (!pick)
		return grun_fail(err, -ENOMEM, "out of memory");
	ret = pick_set(&picks->session, text, lore->known, &id, err);
	if (ret)
		return ret;
	snprintf(pick->event, sizeof(pick->event),
		 "gpubp/kind=%d,code=%u,period=1,name=set/",
		 GPUBP_KIND_WATCH_SET, id);
	pick->attr.config = GPUBP_KIND_WATCH_SET |
			    (uint64_t)id << GPUBP_CONFIG_CODE_SHIFT;
	return 0;
}

static int resolve_arg(struct picks *picks, const struct pick_arg *arg,
		       const struct lore *lore, struct grun_err *err)
{
	static const struct {
		char letter;
		int (*resolve)(struct picks *picks, const char *text,
			       const struct lore *lore, struct grun_err *err);
	} kinds[] = {
		{ 'w', resolve_watch }, { 'b', resolve_breaks },
		{ 'X', resolve_exception }, { 'W', resolve_set },
		{ 'e', resolve_event },
	};
	struct grun_err why;
	size_t i;
	int ret = 0;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].letter == arg->letter)
			ret = kinds[i].resolve(picks, arg->text, lore, &why);
	if (!ret)
		return 0;
	/* what is wrong in a file already says in which */
	if (arg->letter == 'W')
		return grun_fail(err, ret, "%s", why.text);
	return grun_fail(err, ret, "%s: %s", arg->text, why.text);
}

/* kernels are in the map, too; a watch of one finds nothing else */
static int buffers_known(struct lore *lore, const struct symmap *names,
			 struct grun_err *err)
{
	struct gexpr_buffer *list = calloc(names->nr + 1, sizeof(*list));
	size_t i;

	if (!list)
		return grun_fail(err, -ENOMEM, "out of memory");
	for (i = 0; i < names->nr; i++)
		list[i] = (struct gexpr_buffer) {
			.name = names->syms[i].name,
			.va = names->syms[i].start,
			.size = names->syms[i].size,
		};
	lore->buffers.list = list;
	lore->buffers.nr = names->nr;
	lore->known = &lore->buffers;
	return 0;
}

int picks_resolve(struct picks *picks, const struct symmap *names,
		  struct grun_err *err)
{
	struct lore lore = {};
	unsigned int i;
	int ret;

	picks->session = -1;
	ret = codes_open(&lore.codes, picks, err);
	if (!ret && names)
		ret = buffers_known(&lore, names, err);
	for (i = 0; !ret && i < picks->nr_args; i++)
		ret = resolve_arg(picks, &picks->args[i], &lore, err);
	if (!ret && !picks->nr)
		ret = grun_fail(err, -EINVAL,
				"what is to be watched? Use -w, -b, --exception, -W or -e");
	/* only buffers_known() allocates it */
	free((void *)(uintptr_t)lore.buffers.list);
	codes_close(&lore.codes);
	return ret;
}

bool picks_is_same(const struct picks *picks, unsigned int i)
{
	return i && picks->list[i].text == picks->list[i - 1].text;
}

const char *picks_code(const struct picks *picks)
{
	unsigned int i;

	for (i = 0; i < picks->nr_args; i++)
		if (picks->args[i].letter == 'c')
			return picks->args[i].text;
	return NULL;
}

struct perf_event_attr *picks_attrs(const struct picks *picks)
{
	struct perf_event_attr *attrs = calloc(picks->nr + 1, sizeof(*attrs));
	unsigned int i;

	for (i = 0; attrs && i < picks->nr; i++)
		attrs[i] = picks->list[i].attr;
	return attrs;
}

void picks_free(struct picks *picks)
{
	if (picks->session >= 0)
		close(picks->session);
	free(picks->args);
	free(picks->list);
	memset(picks, 0, sizeof(*picks));
}
