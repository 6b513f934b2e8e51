// SPDX-License-Identifier: GPL-2.0
/* gpubp_kunit: KUnit finds the suites in a section of the module. */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

/*
 * One event that stays open: the suites open and close hundreds, and perf would
 * patch the scheduler's code each time the number drops to 0; emulated
 * processors do not always survive that.
 */
static struct perf_event *keep_open;

static int __init gpubp_kunit_init(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
	};

	keep_open = perf_event_create_kernel_counter(&attr, -1, &init_task,
						     NULL, NULL);
	return PTR_ERR_OR_ZERO(keep_open);
}

static void __exit gpubp_kunit_exit(void)
{
	perf_event_release_kernel(keep_open);
}

module_init(gpubp_kunit_init);
module_exit(gpubp_kunit_exit);

/* expands like MODULE_IMPORT_NS(), which takes an identifier or a string */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("gpubp: KUnit tests");
MODULE_LICENSE("GPL");
