// SPDX-License-Identifier: GPL-2.0
/* /dev/gpubp. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include "event.h"
#include "session.h"

int session_open(void)
{
	int fd = open("/dev/gpubp", O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int session_call(int session, unsigned long cmd, void *arg)
{
	return ioctl(session, cmd, arg) ? -errno : 0;
}

uint64_t session_id(int event)
{
	uint64_t id = 0;

	return ioctl(event, PERF_EVENT_IOC_ID, &id) ? 0 : id;
}

/* its own process is one that a session may read */
int session_context(int session, int event, struct gpubp_context *context)
{
	struct gpubp_attach attach = { .fd = event };
	struct gpubp_contexts list = {
		.contexts = (uintptr_t)context,
		.nr = 1,
		.entry_len = sizeof(*context),
	};
	int ret = session_call(session, GPUBP_ATTACH, &attach);

	if (ret)
		return ret;
	list.event = attach.id;
	ret = session_call(session, GPUBP_CONTEXTS, &list);
	session_call(session, GPUBP_DETACH, &attach);
	return ret ?: list.nr == 1 ? 0 : -ESRCH;
}

int session_modify(int session, int event, uint64_t addr)
{
	struct perf_event_attr attr = event_watch(addr, 4, EVENT_STORES);
	struct gpubp_modify modify = {
		.id = session_id(event),
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
	};

	return session_call(session, GPUBP_MODIFY, &modify);
}

int session_sync(int session, int event, unsigned int seconds,
		 struct gpubp_sync *sync)
{
	struct gpubp_sync unused;

	if (!sync)
		sync = &unused;
	*sync = (struct gpubp_sync) {
		.id = session_id(event),
		.timeout_ms = seconds * 1000,
	};
	return session_call(session, GPUBP_SYNC, sync);
}

unsigned int session_armed(int session, int event, unsigned int seconds)
{
	struct gpubp_sync sync;

	if (session_sync(session, event, seconds, &sync) ||
	    sync.nr_armed != sync.nr_watches)
		return 0;
	return sync.nr_watches;
}

int session_stats(int session, int event, struct gpubp_event_stats *stats)
{
	*stats = (struct gpubp_event_stats) { .id = session_id(event) };
	return session_call(session, GPUBP_STATS, stats);
}

int64_t session_stall_throttled(int session, int event)
{
	struct gpubp_event_stats stats;

	return session_stats(session, event, &stats) ? -1 :
						       (int64_t)stats.stall_throttled;
}

int64_t session_matched(int session, int event)
{
	struct gpubp_event_stats stats;

	return session_stats(session, event, &stats) ? -1 :
						       (int64_t)stats.matched;
}

int session_set(int session, uint32_t *set)
{
	struct gpubp_set made = {};
	int ret = session_call(session, GPUBP_SET_CREATE, &made);

	*set = made.id;
	return ret;
}

int session_drop_set(int session, uint32_t set)
{
	return session_call(session, GPUBP_SET_DESTROY,
			    &(struct gpubp_set) { .id = set });
}

int session_condition_create(int session, const struct gpubp_condition *condition,
			     uint32_t *id)
{
	struct gpubp_condition made = *condition;
	int ret = session_call(session, GPUBP_CONDITION_CREATE, &made);

	*id = made.id;
	return ret;
}

int session_condition_destroy(int session, uint32_t id)
{
	return session_call(session, GPUBP_CONDITION_DESTROY,
			    &(struct gpubp_condition) { .id = id });
}

int session_update(int session, uint32_t set, struct gpubp_set_watch *watches,
		   uint32_t nr, uint32_t *bad)
{
	struct gpubp_set_update update = {
		.set = set,
		.nr = nr,
		.watches = (uintptr_t)watches,
		.entry_len = sizeof(*watches),
	};
	int ret = session_call(session, GPUBP_SET_UPDATE, &update);

	if (bad)
		*bad = update.bad;
	return ret;
}

int session_read(int session, uint32_t set, uint64_t after,
		 struct gpubp_set_watch *watches, uint32_t nr)
{
	struct gpubp_set_read read = {
		.set = set,
		.nr = nr,
		.watches = (uintptr_t)watches,
		.after = after,
		.entry_len = sizeof(*watches),
	};
	int ret = session_call(session, GPUBP_SET_READ, &read);

	return ret ?: (int)read.nr;
}
