// SPDX-License-Identifier: GPL-2.0
/*
 * A watch set from a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "pick_set.h"

static struct gpubp_set_watch *make_members(const struct gexpr *list, size_t nr)
{
	struct gpubp_set_watch *members = calloc(nr, sizeof(*members));
	size_t i;

	for (i = 0; members && i < nr; i++)
		members[i] = (struct gpubp_set_watch) {
			.addr = list[i].addr,
			.len = list[i].len,
			.access = list[i].access,
		};
	return members;
}

static int create_set(int session, const struct gpubp_set_watch *members,
		      size_t nr, unsigned int *id, struct grun_err *err)
{
	struct gpubp_set set = {};
	struct gpubp_set_update update = {
		.nr = (uint32_t)nr,
		.watches = (uintptr_t)members,
		.entry_len = sizeof(*members),
	};

	if (ioctl(session, GPUBP_SET_CREATE, &set))
		return grun_fail(err, -errno, "%s", strerror(errno));
	update.set = set.id;
	*id = set.id;
	if (!ioctl(session, GPUBP_SET_UPDATE, &update))
		return 0;
	return grun_fail(err, -errno, "watch %u is refused: %s",
			 update.bad + 1, strerror(errno));
}

int pick_set(int session, const char *path, const struct gexpr_buffers *known,
	     unsigned int *id, struct grun_err *err)
{
	struct gpubp_set_watch *members;
	struct gexpr *list;
	size_t nr;
	int ret = gexpr_watches(&list, &nr, path, known, err);

	if (ret)
		return ret;
	if (!nr || nr > GPUBP_SET_MAX)
		ret = grun_fail(err, -EINVAL, "1 to %u watches are possible",
				GPUBP_SET_MAX);
	members = ret ? NULL : make_members(list, nr);
	free(list);
	if (!ret && !members)
		return grun_fail(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = create_set(session, members, nr, id, err);
	free(members);
	return ret;
}
