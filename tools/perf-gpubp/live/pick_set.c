// SPDX-License-Identifier: GPL-2.0
/*
 * A watch set from a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "pick_session.h"
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

static int create_set(int *session, unsigned int *id, struct grun_err *err)
{
	struct gpubp_set set = {};

	int ret = pick_session(session, err);

	if (ret)
		return ret;
	if (ioctl(*session, GPUBP_SET_CREATE, &set))
		return grun_fail(err, -ENODEV, "watch set: %s",
				 strerror(errno));
	*id = set.id;
	return 0;
}

static int fill_set(int session, unsigned int id,
		    const struct gpubp_set_watch *members, size_t nr,
		    struct grun_err *err)
{
	struct gpubp_set_update update = {
		.set = id,
		.nr = (uint32_t)nr,
		.watches = (uintptr_t)members,
		.entry_len = sizeof(*members),
	};

	if (!ioctl(session, GPUBP_SET_UPDATE, &update))
		return 0;
	return grun_fail(err, -ENODEV, "watch %u of the set is refused: %s",
			 update.bad + 1, strerror(errno));
}

int pick_set(int *session, const char *path, const struct gexpr_buffers *known,
	     unsigned int *id, struct grun_err *err)
{
	struct gpubp_set_watch *members;
	struct gexpr *list;
	size_t nr;
	int ret = gexpr_watches(&list, &nr, path, known, err);

	if (ret)
		return ret;
	members = make_members(list, nr);
	free(list);
	if (!members)
		return grun_fail(err, -ENOMEM, "out of memory");
	ret = create_set(session, id, err);
	if (!ret)
		ret = fill_set(*session, *id, members, nr, err);
	free(members);
	return ret;
}
