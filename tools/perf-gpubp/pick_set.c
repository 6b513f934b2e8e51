// SPDX-License-Identifier: GPL-2.0
/*
 * A watch set from a file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "pick_set.h"

/**
 * struct members - of a set
 * @list: members
 * @nr: entries of @list
 */
struct members {
	struct gpubp_set_watch *list;
	uint32_t nr;
};

static int member_add(struct members *members, const struct gexpr *e)
{
	struct gpubp_set_watch *grown = members->list;
	uint32_t nr = members->nr;

	if (!(nr & (nr - 1)))
		grown = realloc(grown, (nr ? 2UL * nr : 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	members->list = grown;
	members->list[members->nr++] = (struct gpubp_set_watch) {
		.addr = e->addr,
		.len = e->len,
		.access = e->access,
	};
	return 0;
}

static int parse_member(struct members *members, const char *text,
			const struct gexpr_buffers *known, struct grun_err *err)
{
	struct gexpr e;
	int ret = gexpr_watch(&e, text, known, err);

	if (!ret && e.flags)
		return grun_fail(err, -EINVAL, "a member of a set has no options");
	if (!ret && e.name[0] && !known)
		return grun_fail(err, -EINVAL,
				 "the address of '%s' is unknown before the program runs",
				 e.name);
	if (!ret && e.name[0])
		ret = gexpr_place(&e, known, err);
	return ret ? ret : member_add(members, &e);
}

static int read_members(struct members *members, FILE *file,
			const struct gexpr_buffers *known, struct grun_err *err)
{
	char *line = NULL;
	unsigned int nr = 0;
	struct grun_err why;
	size_t size = 0;
	int ret = 0;

	while (!ret && getline(&line, &size, file) >= 0) {
		nr++;
		line[strcspn(line, "\n")] = 0;
		if (!line[0] || line[0] == '#')
			continue;
		ret = parse_member(members, line, known, &why);
		if (ret)
			grun_fail(err, ret, "line %u: %s", nr, why.text);
	}
	free(line);
	if (!ret && !members->nr)
		return grun_fail(err, -EINVAL, "no watch is in it");
	return ret;
}

static int create_set(int session, const struct members *members,
		      unsigned int *id, struct grun_err *err)
{
	struct gpubp_set set = {};
	struct gpubp_set_update update = {
		.nr = members->nr,
		.watches = (uintptr_t)members->list,
		.entry_len = sizeof(*members->list),
	};

	if (ioctl(session, GPUBP_SET_CREATE, &set))
		return grun_fail(err, -errno, "watch set: %s", strerror(errno));
	update.set = set.id;
	*id = set.id;
	if (!ioctl(session, GPUBP_SET_UPDATE, &update))
		return 0;
	return grun_fail(err, -errno, "watch set: watch %u is refused: %s",
			 update.bad + 1, strerror(errno));
}

int pick_set(int session, const char *path, const struct gexpr_buffers *known,
	     unsigned int *id, struct grun_err *err)
{
	struct members members = {};
	FILE *file = fopen(path, "re");
	int ret;

	if (!file)
		return grun_fail(err, -errno, "%s", strerror(errno));
	ret = read_members(&members, file, known, err);
	fclose(file);
	if (!ret)
		ret = create_set(session, &members, id, err);
	free(members.list);
	return ret;
}
