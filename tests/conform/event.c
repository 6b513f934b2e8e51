// SPDX-License-Identifier: GPL-2.0
/* Real perf events of the PMU on the thread of the case, or a rig's task. */
#include <linux/err.h>
#include <linux/sched/task.h>

#include "../kunit/pmu_event.h"
#include "conform.h"

struct perf_event_attr conform_attr(u64 addr, u64 len, u32 access)
{
	return pmu_event_attr(addr, len, access);
}

/* referenced; that of a rig whose contexts are not the thread's */
static struct task_struct *event_task(struct conform *c,
				      struct gpubp_rig_ctx *ctx)
{
	if (c->rig->task && c->nr_ctxs)
		return c->rig->task(ctx);
	return get_task_struct(current);
}

static struct perf_event *open_event(struct kunit *test,
				     struct gpubp_rig_ctx *ctx,
				     struct perf_event_attr *attr)
{
	struct conform *c = test->priv;
	struct task_struct *task = event_task(c, ctx);
	struct perf_event *event;

	KUNIT_ASSERT_LT(test, c->nr_events, (unsigned int)CONFORM_EVENTS);
	KUNIT_ASSERT_NOT_NULL_MSG(test, task, "the context's task is gone");
	attr->type = pmu_event_type(test);
	event = perf_event_create_kernel_counter(attr, -1, task, NULL, NULL);
	put_task_struct(task);
	if (!IS_ERR(event))
		c->event[c->nr_events++] = event;
	return event;
}

/* of the first context; returns errors to the caller */
struct perf_event *conform_try_event(struct kunit *test,
				     struct perf_event_attr *attr)
{
	struct conform *c = test->priv;

	return open_event(test, &c->ctx[0], attr);
}

/* of the first context */
struct perf_event *conform_event(struct kunit *test, u64 addr, u64 len,
				 u32 access)
{
	struct conform *c = test->priv;

	return conform_event_of(test, &c->ctx[0], addr, len, access);
}

struct perf_event *conform_event_of(struct kunit *test,
				    struct gpubp_rig_ctx *ctx, u64 addr,
				    u64 len, u32 access)
{
	struct perf_event_attr attr = conform_attr(addr, len, access);
	struct perf_event *event = open_event(test, ctx, &attr);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "event not opened: %ld",
			       PTR_ERR(event));
	return event;
}

void conform_close(struct kunit *test, struct perf_event *event)
{
	struct conform *c = test->priv;
	unsigned int i;

	for (i = 0; c->event[i] != event; i++)
		;
	c->event[i] = c->event[--c->nr_events];
	perf_event_release_kernel(event);
}

u64 conform_count(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}
