// SPDX-License-Identifier: GPL-2.0
/*
 * The events that the options of a verb pick.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "event_string.h"
#include "pick_set.h"
#include "picks.h"

int pick_option(const struct option *option, const char *arg, int unset)
{
	struct picks *picks = option->value;
	struct pick *grown = realloc(picks->list,
				     (picks->nr + 1) * sizeof(*grown));

	if (!grown || unset)
		return -1;
	picks->list = grown;
	memset(&grown[picks->nr], 0, sizeof(*grown));
	grown[picks->nr].option = (char)option->short_name;
	grown[picks->nr++].text = arg;
	return 0;
}

static int resolve_expr(struct pick *pick, const struct gexpr_buffers *known,
			struct grun_err *err)
{
	struct gexpr e;
	int ret = gexpr_watch(&e, pick->text, known, err);

	if (ret)
		return ret;
	gexpr_event(&e, pick->event, sizeof(pick->event));
	gexpr_attr(&e, &pick->attr);
	memcpy(pick->name, e.name, sizeof(pick->name));
	return 0;
}

static int resolve_event(struct pick *pick, struct grun_err *err)
{
	if (strlen(pick->text) >= sizeof(pick->event))
		return grun_fail(err, -EINVAL, "too long");
	strcpy(pick->event, pick->text);
	return event_string_parse(&pick->attr, "", pick->text, err);
}

static int resolve_set(struct picks *picks, struct pick *pick,
		       const struct gexpr_buffers *known, struct grun_err *err)
{
	unsigned int id;
	int ret;

	if (picks->session < 0)
		/* perf inherits it, and so the set lives as long as perf */
		picks->session = open("/dev/gpubp", O_RDWR);
	if (picks->session < 0)
		return grun_fail(err, -errno, "/dev/gpubp: %s",
				 strerror(errno));
	ret = pick_set(picks->session, pick->text, known, &id, err);
	if (ret)
		return ret;
	snprintf(pick->event, sizeof(pick->event),
		 "gpubp/kind=%d,code=%u,period=1,name=set/",
		 GPUBP_KIND_WATCH_SET, id);
	pick->attr.config = GPUBP_KIND_WATCH_SET |
			    (uint64_t)id << GPUBP_CONFIG_CODE_SHIFT;
	return 0;
}

static int resolve_option(struct picks *picks, struct pick *pick,
			  const struct gexpr_buffers *known,
			  struct grun_err *err)
{
	if (pick->option == 'W')
		return resolve_set(picks, pick, known, err);
	if (pick->option == 'e')
		return resolve_event(pick, err);
	return resolve_expr(pick, known, err);
}

static int resolve_pick(struct picks *picks, struct pick *pick,
			const struct gexpr_buffers *known, struct grun_err *err)
{
	struct grun_err why;
	int ret = resolve_option(picks, pick, known, &why);

	if (!ret)
		return 0;
	return grun_fail(err, ret, "-%c %s: %s", pick->option, pick->text,
			 why.text);
}

/* kernels are in the map, too; a watch of one finds nothing else */
static struct gexpr_buffer *known_buffers(const struct symmap *names)
{
	struct gexpr_buffer *list = calloc(names->nr + 1, sizeof(*list));
	size_t i;

	for (i = 0; list && i < names->nr; i++)
		list[i] = (struct gexpr_buffer) {
			.name = names->syms[i].name,
			.va = names->syms[i].start,
			.size = names->syms[i].size,
		};
	return list;
}

int picks_resolve(struct picks *picks, const struct symmap *names,
		  struct grun_err *err)
{
	struct gexpr_buffers known = {};
	struct gexpr_buffer *list = NULL;
	unsigned int i;
	int ret = 0;

	picks->session = -1;
	if (!picks->nr)
		return grun_fail(err, -EINVAL,
				 "what is to be watched? Use -w, -W or -e");
	if (names) {
		list = known_buffers(names);
		if (!list)
			return grun_fail(err, -ENOMEM, "out of memory");
		known.list = list;
		known.nr = names->nr;
	}
	for (i = 0; !ret && i < picks->nr; i++)
		ret = resolve_pick(picks, &picks->list[i],
				   names ? &known : NULL, err);
	free(list);
	return ret;
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
	free(picks->list);
	memset(picks, 0, sizeof(*picks));
}
