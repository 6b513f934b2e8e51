// SPDX-License-Identifier: GPL-2.0
/* Conditions of a session: the GPUBP_CONDITION_* ioctls. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <uapi/linux/gpubp.h>

#include "../event/event.h"
#include "filter_cmds.h"
#include "session.h"

/** gpubp_filter_create_cmd() - GPUBP_CONDITION_CREATE */
long gpubp_filter_create_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_condition *condition = arg;
	struct gpubp_filter *filter = gpubp_filter_create(condition);

	if (IS_ERR(filter))
		return PTR_ERR(filter);
	condition->id = filter->id;
	guard(mutex)(&session->lock);
	list_add_tail(&filter->session_node, &session->filters);
	return 0;
}

/** gpubp_filter_destroy_cmd() - GPUBP_CONDITION_DESTROY */
long gpubp_filter_destroy_cmd(struct gpubp_session *session, void *arg)
{
	const struct gpubp_condition *condition = arg;
	struct gpubp_filter *filter;

	guard(mutex)(&session->lock);
	list_for_each_entry(filter, &session->filters, session_node) {
		if (filter->id != condition->id)
			continue;
		list_del(&filter->session_node);
		gpubp_filter_destroy(filter);
		return 0;
	}
	return -ENOENT;
}

/** gpubp_filters_exit_session() - destroy all of a session that is closed */
void gpubp_filters_exit_session(struct gpubp_session *session)
{
	struct gpubp_filter *filter, *tmp;

	guard(mutex)(&session->lock);
	list_for_each_entry_safe(filter, tmp, &session->filters, session_node) {
		list_del(&filter->session_node);
		gpubp_filter_destroy(filter);
	}
}
