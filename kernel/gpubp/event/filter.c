// SPDX-License-Identifier: GPL-2.0
/* Filters: create, find and destroy a user's conditions on hits. */
#include <kunit/visibility.h>
#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kref.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "event.h"

/* as many as GPUBP_CONFIG2_COND has numbers */
#define FILTER_IDS	XA_LIMIT(1, U16_MAX)

static atomic64_t last_serial;

/* what is not compared is 0 */
static bool places_valid(const struct gpubp_condition *c)
{
	const struct {
		u32 place;
		u32 value;
	} pairs[] = {
		{ GPUBP_PLACE_WG_X, c->wg_x }, { GPUBP_PLACE_WG_Y, c->wg_y },
		{ GPUBP_PLACE_WG_Z, c->wg_z }, { GPUBP_PLACE_ITEM, c->item },
	};
	unsigned int i;

	if (c->places & ~GPUBP_PLACE_ALL)
		return false;
	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].value && !(c->places & pairs[i].place))
			return false;
	return true;
}

static bool condition_valid(const struct gpubp_condition *c)
{
	const struct gpubp_value_test value = {
		.type = c->type, .test = c->test, .low = c->low, .high = c->high,
	};

	if (c->reserved || c->type > U8_MAX || c->test > U8_MAX ||
	    !places_valid(c))
		return false;
	if (c->type != GPUBP_VALUE_NONE)
		return gpubp_value_test_valid(&value);
	return c->places && !c->test && !c->low && !c->high;
}

/* one table for a user with and without CAP_PERFMON: perf may have it alone */
static struct gpubp_user *filter_user(void)
{
	return gpubp_user_lookup(gpubp_uid_of(current_cred()), false);
}

static struct gpubp_filter *filter_alloc(const struct gpubp_condition *c)
{
	struct gpubp_filter *filter = kzalloc(sizeof(*filter), GPUBP_GFP_USER);

	if (!filter)
		return NULL;
	kref_init(&filter->ref);
	INIT_LIST_HEAD(&filter->session_node);
	filter->serial = atomic64_inc_return(&last_serial);
	filter->value = (struct gpubp_value_test) {
		.type = c->type, .test = c->test, .low = c->low, .high = c->high,
	};
	filter->places = c->places;
	filter->wg[0] = c->wg_x;
	filter->wg[1] = c->wg_y;
	filter->wg[2] = c->wg_z;
	filter->item = c->item;
	return filter;
}

static int filter_charge(struct gpubp_filter *filter)
{
	struct gpubp_user *user = gpubp_user_current();
	int err;

	if (!user)
		return -ENOMEM;
	err = gpubp_user_charge_filter(user);
	gpubp_user_put(user);
	if (!err)
		filter->maker = user;
	return err;
}

static int filter_publish(struct gpubp_filter *filter)
{
	struct gpubp_user *user = filter_user();
	int err;

	if (!user)
		return -ENOMEM;
	filter->user = user;
	err = xa_alloc(gpubp_user_filters(user), &filter->id, filter,
		       FILTER_IDS, GPUBP_GFP_USER);
	if (err)
		gpubp_user_put(user);
	return err == -EBUSY ? -ENOSPC : err;
}

/**
 * gpubp_filter_create() - make a condition of the current user
 * @c: condition
 *
 * May sleep. Return: the filter with a reference, or ERR_PTR: -EINVAL, -EDQUOT
 * (the user made too many), -ENOSPC (the uid has as many as there are ids),
 * -ENOMEM.
 */
struct gpubp_filter *gpubp_filter_create(const struct gpubp_condition *c)
{
	struct gpubp_filter *filter;
	int err;

	if (!condition_valid(c))
		return ERR_PTR(-EINVAL);
	filter = filter_alloc(c);
	if (!filter)
		return ERR_PTR(-ENOMEM);
	err = filter_charge(filter);
	if (err)
		goto free_filter;
	err = filter_publish(filter);
	if (err)
		goto uncharge;
	return filter;

uncharge:
	gpubp_user_uncharge_filter(filter->maker);
free_filter:
	kfree(filter);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_filter_create);

static void filter_free(struct kref *ref)
{
	struct gpubp_filter *filter = container_of(ref, struct gpubp_filter,
						   ref);

	xa_erase(gpubp_user_filters(filter->user), filter->id);
	gpubp_user_put(filter->user);
	gpubp_user_uncharge_filter(filter->maker);
	kfree(filter);
}

/** gpubp_filter_put() - put a reference; @filter may be NULL; may sleep */
void gpubp_filter_put(struct gpubp_filter *filter)
{
	if (filter)
		kref_put(&filter->ref, filter_free);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_filter_put);

/** gpubp_filter_destroy() - put its creator's reference; no new event finds it */
void gpubp_filter_destroy(struct gpubp_filter *filter)
{
	struct xarray *filters = gpubp_user_filters(filter->user);

	xa_lock(filters);
	filter->dead = true;
	xa_unlock(filters);
	gpubp_filter_put(filter);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_filter_destroy);

/** gpubp_filter_get() - the current user's filter with a reference, or NULL */
struct gpubp_filter *gpubp_filter_get(u32 id)
{
	struct gpubp_user *user = filter_user();
	struct gpubp_filter *filter;
	struct xarray *filters;

	if (!user)
		return NULL;
	filters = gpubp_user_filters(user);
	xa_lock(filters);
	filter = xa_load(filters, id);
	if (filter && (filter->dead || !kref_get_unless_zero(&filter->ref)))
		filter = NULL;
	xa_unlock(filters);
	gpubp_user_put(user);
	return filter;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_filter_get);

/** gpubp_filter_share() - get another reference; @filter may be NULL */
struct gpubp_filter *gpubp_filter_share(struct gpubp_filter *filter)
{
	if (filter)
		kref_get(&filter->ref);
	return filter;
}

/** gpubp_filter_fits() - are @len bytes elements of its type; pure */
bool gpubp_filter_fits(const struct gpubp_filter *filter, u64 len)
{
	unsigned int size = gpubp_value_size(filter->value.type);

	return !size || !(len & (size - 1));
}

/** gpubp_event_set_filter() - @gev, being opened, owns the reference from now on */
void gpubp_event_set_filter(struct gpubp_event *gev,
			    struct gpubp_filter *filter)
{
	gev->filter = filter;
	gev->filter_serial = filter ? filter->serial : 0;
}
