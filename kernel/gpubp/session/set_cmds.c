// SPDX-License-Identifier: GPL-2.0
/* Watch sets of a session: the GPUBP_SET_* ioctls. */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/xarray.h>
#include <uapi/linux/gpubp.h>

#include "../event/event.h"
#include "entry.h"
#include "session.h"
#include "set_cmds.h"

/* set that the session created, or NULL */
static struct gpubp_watch_set *session_set_find(struct gpubp_session *session,
						u32 id)
{
	struct gpubp_watch_set *set;

	lockdep_assert_held(&session->lock);
	list_for_each_entry(set, &session->sets, session_node)
		if (set->id == id)
			return set;
	return NULL;
}

/** gpubp_set_create_cmd() - GPUBP_SET_CREATE */
long gpubp_set_create_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_set *arg_set = arg;
	struct gpubp_watch_set *set;

	set = gpubp_set_create();
	if (IS_ERR(set))
		return PTR_ERR(set);
	arg_set->id = set->id;
	guard(mutex)(&session->lock);
	list_add_tail(&set->session_node, &session->sets);
	return 0;
}

static void session_set_remove(struct gpubp_watch_set *set)
{
	list_del(&set->session_node);
	gpubp_set_destroy(set);
}

/** gpubp_set_destroy_cmd() - GPUBP_SET_DESTROY */
long gpubp_set_destroy_cmd(struct gpubp_session *session, void *arg)
{
	const struct gpubp_set *arg_set = arg;
	struct gpubp_watch_set *set;

	guard(mutex)(&session->lock);
	set = session_set_find(session, arg_set->id);
	if (!set)
		return -ENOENT;
	session_set_remove(set);
	return 0;
}

/** gpubp_sets_exit_session() - destroy all sets of a session that is closed */
void gpubp_sets_exit_session(struct gpubp_session *session)
{
	struct gpubp_watch_set *set, *tmp;

	guard(mutex)(&session->lock);
	list_for_each_entry_safe(set, tmp, &session->sets, session_node)
		session_set_remove(set);
}

static int set_put_member(const struct gpubp_member *member, void __user *to,
			  u32 entry_len)
{
	const struct gpubp_set_watch out = {
		.id = member->id,
		.addr = member->addr,
		.len = member->len,
		.count = atomic64_read(&member->count),
		.access = member->access,
	};

	return gpubp_entry_put(to, entry_len, &out, sizeof(out));
}

static int set_put_members(struct gpubp_watch_set *set,
			   struct gpubp_set_read *read)
{
	void __user *to = u64_to_user_ptr(read->watches);
	unsigned int room = read->nr;
	struct gpubp_member *member;
	unsigned long id;

	read->nr = 0;
	if (read->after == U64_MAX)
		return 0;
	xa_for_each_start(&set->members, id, member, read->after + 1) {
		if (read->nr == room)
			break;
		if (set_put_member(member, to, read->entry_len))
			return -EFAULT;
		to += read->entry_len;
		read->nr++;
		cond_resched();
	}
	return 0;
}

/** gpubp_set_read_cmd() - GPUBP_SET_READ */
long gpubp_set_read_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_set_read *read = arg;
	struct gpubp_watch_set *set;
	int err = gpubp_entry_check(read->entry_len,
				    sizeof(struct gpubp_set_watch));

	if (err)
		return err;
	guard(mutex)(&session->lock);
	set = session_set_find(session, read->set);
	return set ? set_put_members(set, read) : -ENOENT;
}

static int set_put_ids(struct gpubp_set_watch *watches, unsigned int nr,
		       void *arg)
{
	const struct gpubp_set_update *update = arg;

	return gpubp_entries_put(update->watches, nr, update->entry_len,
				 watches, sizeof(*watches));
}

/** gpubp_set_update_cmd() - GPUBP_SET_UPDATE */
long gpubp_set_update_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_set_update *update = arg;
	struct gpubp_set_watch *watches;
	struct gpubp_watch_set *set;
	int err;

	if (update->reserved)
		return -EINVAL;
	update->bad = 0;
	guard(mutex)(&session->lock);
	set = session_set_find(session, update->set);
	if (!set)
		return -ENOENT;
	if (update->nr > GPUBP_SET_MAX)
		return -ENOSPC;
	watches = gpubp_entries_get(update->watches, update->nr,
				    update->entry_len, sizeof(*watches));
	if (IS_ERR(watches))
		return PTR_ERR(watches);
	err = gpubp_set_update(set, watches, update->nr, &update->bad,
			       set_put_ids, update);
	kvfree(watches);
	return err;
}
