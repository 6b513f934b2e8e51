/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attributes of real perf events of the PMU; also used by the conformance
 * suite.
 */
#ifndef _GPUBP_KUNIT_PMU_EVENT_H
#define _GPUBP_KUNIT_PMU_EVENT_H

#include <kunit/test.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <uapi/linux/gpubp.h>

#define PMU_TYPE "/sys/bus/event_source/devices/gpubp/type"

/* attr.type, from the file that tools read */
static inline int pmu_event_type(struct kunit *test)
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
static inline struct perf_event_attr pmu_event_attr(u64 addr, u64 len,
						    u32 access)
{
	return (struct perf_event_attr) {
		.size = sizeof(struct perf_event_attr),
		.config = GPUBP_KIND_WATCH |
			  access << GPUBP_CONFIG_ACCESS_SHIFT,
		.config1 = addr,
		.config2 = len,
	};
}

#endif /* _GPUBP_KUNIT_PMU_EVENT_H */
