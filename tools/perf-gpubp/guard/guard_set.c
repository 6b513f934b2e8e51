// SPDX-License-Identifier: GPL-2.0
/*
 * The zones as a watch set, which follows them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "guard.h"

int guard_set_create(struct guard_set *set, struct grun_err *err)
{
	struct gpubp_set create = {};

	set->fd = open("/dev/gpubp", O_RDWR | O_CLOEXEC);
	if (set->fd < 0)
		return grun_fail(err, -errno, "/dev/gpubp: %s", strerror(errno));
	if (ioctl(set->fd, GPUBP_SET_CREATE, &create))
		return grun_fail(err, -errno, "no watch set: %s", strerror(errno));
	set->id = create.id;
	return 0;
}

static bool is_zone(const struct gpubp_set_watch *member,
		    const struct guard_zone *zones, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (zones[i].start == member->addr &&
		    zones[i].end - zones[i].start == member->len)
			return true;
	return false;
}

static bool is_member(const struct guard_set *set, const struct guard_zone *zone)
{
	size_t i;

	for (i = 0; i < set->nr; i++)
		if (is_zone(&set->members[i], zone, 1))
			return true;
	return false;
}

/* what changes: members without a zone go, zones without a member come */
static size_t list_changes(const struct guard_set *set,
			   const struct guard_zone *zones, size_t nr,
			   struct gpubp_set_watch *changes)
{
	size_t i, n = 0;

	for (i = 0; i < set->nr; i++)
		if (!is_zone(&set->members[i], zones, nr))
			changes[n++] = (struct gpubp_set_watch){
				.id = set->members[i].id,
			};
	for (i = 0; i < nr; i++)
		if (!is_member(set, &zones[i]))
			changes[n++] = (struct gpubp_set_watch){
				.addr = zones[i].start,
				.len = zones[i].end - zones[i].start,
				.access = set->access,
			};
	return n;
}

/* after the kernel made them; there is room for all */
static void apply_changes(struct guard_set *set,
			  const struct gpubp_set_watch *changes, size_t nr)
{
	size_t i, m, kept = 0;

	for (m = 0; m < set->nr; m++) {
		for (i = 0; i < nr; i++)
			if (!changes[i].len && changes[i].id == set->members[m].id)
				break;
		if (i == nr)
			set->members[kept++] = set->members[m];
	}
	set->nr = kept;
	for (i = 0; i < nr; i++)
		if (changes[i].len)
			set->members[set->nr++] = changes[i];
}

int guard_set_update(struct guard_set *set, const struct guard_zone *zones,
		     size_t nr, struct grun_err *err)
{
	struct gpubp_set_watch *changes = calloc(set->nr + nr + 1, sizeof(*changes));
	struct gpubp_set_watch *members = realloc(set->members,
						  (set->nr + nr + 1) * sizeof(*members));
	struct gpubp_set_update update = {
		.set = set->id, .watches = (uintptr_t)changes,
		.entry_len = sizeof(*changes),
	};
	int ret = 0;

	if (members)
		set->members = members;
	if (!changes || !members) {
		free(changes);
		return grun_fail(err, -ENOMEM, "out of memory");
	}
	update.nr = (uint32_t)list_changes(set, zones, nr, changes);
	if (update.nr && ioctl(set->fd, GPUBP_SET_UPDATE, &update))
		ret = grun_fail(err, -errno, "the zones cannot be watched: %s",
				strerror(errno));
	else if (update.nr)
		ret = 1;
	if (ret > 0)
		apply_changes(set, changes, update.nr);
	free(changes);
	return ret;
}

void guard_set_close(struct guard_set *set)
{
	if (set->fd >= 0)
		close(set->fd);
	free(set->members);
	*set = (struct guard_set){ .fd = -1 };
}
