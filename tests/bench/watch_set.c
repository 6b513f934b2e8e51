// SPDX-License-Identifier: GPL-2.0
/* Watch sets with many members. */
#include <stdlib.h>
#include <unistd.h>
#include "bench.h"
#include "books.h"
#include "event.h"
#include "others.h"
#include "watch_set.h"

#define AT_ONCE	10000

static void add_members(struct watch_set *set, unsigned int first,
			unsigned int nr)
{
	static struct gpubp_set_watch w[AT_ONCE];
	unsigned int i;

	for (i = 0; i < nr; i++)
		w[i] = (struct gpubp_set_watch) {
			.addr = events_address(first + i),
			.len = 4,
			.access = GPUBP_ACCESS_STORE,
		};
	if (session_update(set->session, set->id, w, nr, NULL))
		die("update");
}

void watch_set_fill(struct watch_set *set, unsigned int nr)
{
	unsigned int i;

	set->event = -1;
	set->session = session_open();
	if (set->session < 0 || session_set(set->session, &set->id))
		die("session");
	for (i = 0; i < nr; i += AT_ONCE)
		add_members(set, i, nr - i < AT_ONCE ? nr - i : AT_ONCE);
}

void watch_set_arm(struct watch_set *set)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);

	attr.config = GPUBP_KIND_WATCH_SET |
		      (uint64_t)set->id << GPUBP_CONFIG_CODE_SHIFT;
	set->event = event_open(&attr, 0, -1);
	if (set->event < 0)
		die("perf_event_open");
	if (session_sync(set->session, set->event, PATIENCE, NULL))
		die("sync");
}

void watch_set_open(struct watch_set *set, unsigned int nr)
{
	watch_set_fill(set, nr);
	if (nr)
		watch_set_arm(set);
}

void watch_set_close(struct watch_set *set)
{
	bench_close(set->event);
	close(set->session);
}

void watch_sets_gone(void)
{
	while (books_state("watches") || books_events())
		usleep(50000);
}
