// SPDX-License-Identifier: GPL-2.0
/*
 * Files of watches: the members of a watch set.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expr.h"

static bool line_is_empty(const char *text)
{
	text += strspn(text, " \t\r\n");
	return !*text || *text == '#';
}

static int line_member(struct gexpr *e, const char *text,
		       const struct gexpr_buffers *known, struct grun_err *err)
{
	static const struct gexpr_buffers none;
	int ret = gexpr_watch(e, text, known, err);

	if (!ret && (e->flags || e->conditional))
		return grun_fail(err, -EINVAL,
				 "a member of a watch set has a mode, and no options");
	return ret ?: gexpr_place(e, known ? known : &none, err);
}

static int file_read_line(struct gexpr **list, size_t *nr, char *text,
			  const struct gexpr_buffers *known, struct grun_err *err)
{
	struct gexpr *e;

	if (line_is_empty(text))
		return 0;
	text[strcspn(text, "\r\n")] = 0;
	if (*nr == GPUBP_SET_MAX)
		return grun_fail(err, -EINVAL, "more than %d watches", GPUBP_SET_MAX);
	e = gexpr_append(list, nr);
	if (!e)
		return grun_fail(err, -ENOMEM, "out of memory");
	return line_member(e, text, known, err);
}

static int file_read_lines(struct gexpr **list, size_t *nr, FILE *file,
			   const struct gexpr_buffers *known, size_t *line,
			   struct grun_err *err)
{
	char *text = NULL;
	size_t len = 0;
	int ret = 0;

	while (!ret && getline(&text, &len, file) > 0) {
		++*line;
		ret = file_read_line(list, nr, text, known, err);
	}
	if (!ret && ferror(file))
		ret = grun_fail(err, -errno, "%s", strerror(errno));
	free(text);
	return ret;
}

int gexpr_watches(struct gexpr **list, size_t *nr, const char *path,
		  const struct gexpr_buffers *known, struct grun_err *err)
{
	FILE *file = fopen(path, "re");
	struct grun_err why;
	size_t line = 0;
	int ret;

	*list = NULL;
	*nr = 0;
	if (!file)
		return grun_fail(err, -errno, "%s: %s", path, strerror(errno));
	ret = file_read_lines(list, nr, file, known, &line, &why);
	fclose(file);
	if (!ret && !*nr)
		ret = grun_fail(&why, -EINVAL, "no watch is in it");
	if (ret) {
		grun_fail(err, ret, "%.80s:%zu: %.160s", path, line, why.text);
		free(*list);
		*list = NULL;
		*nr = 0;
	}
	return ret;
}
