/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups of open events: are their members armed together, as perf takes for granted?
 */
#ifndef PERF_GPUBP_OPEN_GROUPS_H
#define PERF_GPUBP_OPEN_GROUPS_H

#include <stdint.h>
#include "open_events.h"

/**
 * struct open_group - of events that one of ours leads
 * @id: of its leader
 * @nr: events
 * @share: part of the time that the leader was armed
 * @wanted: quanta in which a member was wanted, the most
 * @missed_least: quanta in which a member was wanted and not armed, the fewest
 * @missed_most: the most
 */
struct open_group {
	uint64_t id;
	unsigned int nr;
	double share;
	uint64_t wanted;
	uint64_t missed_least;
	uint64_t missed_most;
};

/**
 * struct open_groups - all groups
 * @list: groups
 * @nr: entries of @list
 */
struct open_groups {
	struct open_group *list;
	unsigned int nr;
};

/** open_groups_add() - callback of open_events_read(); @data is the struct open_groups */
void open_groups_add(const struct open_event *event, void *data);

/**
 * open_groups_apart() - the events of a group whose members are not armed together
 * @groups: all groups
 * @event: a member
 * @leader_share: out: part of the time that its leader was armed
 *
 * Return: how many events, 0 if they are armed together, or if there is no group.
 */
unsigned int open_groups_apart(const struct open_groups *groups,
			       const struct open_event *event,
			       double *leader_share);

/** open_groups_free() - free the list */
void open_groups_free(struct open_groups *groups);

#endif /* PERF_GPUBP_OPEN_GROUPS_H */
