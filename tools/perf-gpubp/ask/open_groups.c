// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "open_groups.h"

/* events of a group are opened one after the other, and not read at once */
#define APART_QUANTA	3
#define APART_SHARE	100	/* of the quanta, one in so many */

static struct open_group *group_find(const struct open_groups *groups,
				     uint64_t id)
{
	unsigned int i;

	for (i = 0; id && i < groups->nr; i++)
		if (groups->list[i].id == id)
			return &groups->list[i];
	return NULL;
}

/* NULL without memory */
static struct open_group *group_new(struct open_groups *groups, uint64_t id)
{
	struct open_group *list = reallocarray(groups->list, groups->nr + 1,
					       sizeof(*list));

	if (!list)
		return NULL;
	groups->list = list;
	list[groups->nr] = (struct open_group) {
		.id = id, .missed_least = UINT64_MAX,
	};
	return &list[groups->nr++];
}

void open_groups_add(const struct open_event *event, void *data)
{
	const struct gpubp_event_stats *s = &event->stats;
	struct open_groups *groups = data;
	struct open_group *g = group_find(groups, event->group);
	uint64_t missed = s->wanted_quanta - s->armed_quanta;

	if (!event->group)
		return;
	if (!g)
		g = group_new(groups, event->group);
	if (!g)
		return;
	g->nr++;
	if (s->id == g->id)
		g->share = event_armed_share(s);
	if (s->wanted_quanta > g->wanted)
		g->wanted = s->wanted_quanta;
	if (missed < g->missed_least)
		g->missed_least = missed;
	if (missed > g->missed_most)
		g->missed_most = missed;
}

unsigned int open_groups_apart(const struct open_groups *groups,
			       const struct open_event *event,
			       double *leader_share)
{
	const struct open_group *g = group_find(groups, event->group);

	if (!g || g->missed_most - g->missed_least <=
		  APART_QUANTA + g->wanted / APART_SHARE)
		return 0;
	*leader_share = g->share;
	return g->nr;
}

void open_groups_free(struct open_groups *groups)
{
	free(groups->list);
	*groups = (struct open_groups) {};
}
