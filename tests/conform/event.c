// SPDX-License-Identifier: GPL-2.0
/* Real perf events of the PMU on the thread of the case. */
#include <linux/err.h>
#include <linux/fs.h>

#include "conform.h"

#define PMU_TYPE "/sys/bus/event_source/devices/gpubp/type"

static int pmu_type(struct kunit *test)
{
	struct file *file = filp_open(PMU_TYPE, O_RDONLY, 0);
	char text[16] = {};
	loff_t pos = 0;
	int type;

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(file), PMU_TYPE ": %ld",
			       PTR_ERR(file));
	kernel_read(file, text, sizeof(text) - 1, &pos);
	filp_close(file, NULL);
	KUNIT_ASSERT_EQ(test, kstrtoint(text, 0, &type), 0);
	return type;
}

/* a counting event of kind watch on any device */
struct perf_event_attr conform_attr(u64 addr, u64 len, u32 access)
{
	return (struct perf_event_attr) {
		.size = sizeof(struct perf_event_attr),
		.config = GPUBP_KIND_WATCH |
			  access << GPUBP_CONFIG_ACCESS_SHIFT,
		.config1 = addr,
		.config2 = len,
	};
}

/* errors are the caller's */
struct perf_event *conform_try_event(struct kunit *test,
				     struct perf_event_attr *attr)
{
	struct conform *c = test->priv;
	struct perf_event *event;

	KUNIT_ASSERT_LT(test, c->nr_events, (unsigned int)CONFORM_EVENTS);
	attr->type = pmu_type(test);
	event = perf_event_create_kernel_counter(attr, -1, current, NULL, NULL);
	if (!IS_ERR(event))
		c->event[c->nr_events++] = event;
	return event;
}

struct perf_event *conform_event(struct kunit *test, u64 addr, u64 len,
				 u32 access)
{
	struct perf_event_attr attr = conform_attr(addr, len, access);
	struct perf_event *event = conform_try_event(test, &attr);

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
