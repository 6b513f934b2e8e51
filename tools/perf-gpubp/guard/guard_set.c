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

static bool is_zone(const struct gpubp_set_watch *member, const struct guard_zone *zone)
{
	return zone->start == member->addr && zone->end - zone->start == member->len;
}

bool guard_set_has(const struct guard_set *set, const struct guard_zone *zones, size_t nr)
{
	size_t i;

	for (i = 0; i < nr && i < set->nr && is_zone(&set->members[i], &zones[i]); i++)
		;
	return i == nr && i == set->nr;
}

/**
 * struct set_changes - from the members that there are to those that are wanted
 * @members: wanted, by address; ids are missing where @from is set
 * @from: of a member that comes, the number of its change + 1; else 0
 * @changes: for the kernel
 * @nr: entries of @changes
 */
struct set_changes {
	struct gpubp_set_watch *members;
	size_t *from;
	struct gpubp_set_watch *changes;
	uint32_t nr;
};

static bool changes_alloc(struct set_changes *c, size_t old, size_t new)
{
	c->members = calloc(new + 1, sizeof(*c->members));
	c->from = calloc(new + 1, sizeof(*c->from));
	c->changes = calloc(old + new + 1, sizeof(*c->changes));
	return c->members && c->from && c->changes;
}

static void changes_free(struct set_changes *c)
{
	free(c->members);
	free(c->from);
	free(c->changes);
}

/* both are in order: members without a zone go, zones without a member come */
static void changes_list(struct set_changes *c, const struct guard_set *set,
			 const struct guard_zone *zones, size_t nr)
{
	const struct gpubp_set_watch *old = set->members, *end = old + set->nr;
	size_t i;

	for (i = 0; i < nr; i++) {
		while (old < end && old->addr < zones[i].start)
			c->changes[c->nr++].id = old++->id;
		if (old < end && is_zone(old, &zones[i])) {
			c->members[i] = *old++;
			continue;
		}
		c->members[i] = (struct gpubp_set_watch){
			.addr = zones[i].start,
			.len = zones[i].end - zones[i].start,
			.access = set->access,
		};
		c->changes[c->nr++] = c->members[i];
		c->from[i] = c->nr;
	}
	while (old < end)
		c->changes[c->nr++].id = old++->id;
}

/* the kernel has given ids to those that came */
static void changes_apply(struct set_changes *c, struct guard_set *set, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (c->from[i])
			c->members[i].id = c->changes[c->from[i] - 1].id;
	free(set->members);
	set->members = c->members;
	set->nr = nr;
	c->members = NULL;
}

int guard_set_update(struct guard_set *set, const struct guard_zone *zones,
		     size_t nr, struct grun_err *err)
{
	struct set_changes c = {};
	struct gpubp_set_update update = {
		.set = set->id, .entry_len = sizeof(*c.changes),
	};
	int ret = 0;

	if (!changes_alloc(&c, set->nr, nr)) {
		changes_free(&c);
		return grun_fail(err, -ENOMEM, "out of memory");
	}
	changes_list(&c, set, zones, nr);
	update.watches = (uintptr_t)c.changes;
	update.nr = c.nr;
	if (c.nr && ioctl(set->fd, GPUBP_SET_UPDATE, &update))
		ret = grun_fail(err, -errno, "the zones cannot be watched: %s",
				strerror(errno));
	else
		changes_apply(&c, set, nr);
	changes_free(&c);
	return ret;
}

void guard_set_close(struct guard_set *set)
{
	if (set->fd >= 0)
		close(set->fd);
	free(set->members);
	*set = (struct guard_set){ .fd = -1 };
}
