// SPDX-License-Identifier: GPL-2.0
/*
 * A PMU of CPUs with one counter each, for machines whose CPUs have none, as
 * emulated ones: it counts nanoseconds. Groups that it leads take turns.
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>

static struct pmu test_pmu;
static DEFINE_PER_CPU(struct perf_event *, counter);	/* whose it is */

static void count(struct perf_event *event)
{
	u64 now = local_clock();
	u64 then = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - then, &event->count);
}

static void test_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, local_clock());
	event->hw.state = 0;
}

static void test_stop(struct perf_event *event, int flags)
{
	if (!event->hw.state)
		count(event);
	event->hw.state = PERF_HES_STOPPED;
}

static int test_add(struct perf_event *event, int flags)
{
	if (__this_cpu_read(counter))
		return -EAGAIN;
	__this_cpu_write(counter, event);
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		test_start(event, 0);
	return 0;
}

static void test_del(struct perf_event *event, int flags)
{
	test_stop(event, 0);
	__this_cpu_write(counter, NULL);
}

static void test_read(struct perf_event *event)
{
	if (!event->hw.state)
		count(event);
}

static int test_event_init(struct perf_event *event)
{
	if (event->attr.type != test_pmu.type)
		return -ENOENT;
	return is_sampling_event(event) ? -EOPNOTSUPP : 0;
}

static struct pmu test_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_hw_context,
	.event_init	= test_event_init,
	.add		= test_add,
	.del		= test_del,
	.start		= test_start,
	.stop		= test_stop,
	.read		= test_read,
};

static int __init test_pmu_init(void)
{
	return perf_pmu_register(&test_pmu, "gpubp_test", -1);
}
module_init(test_pmu_init);

static void __exit test_pmu_exit(void)
{
	perf_pmu_unregister(&test_pmu);
}
module_exit(test_pmu_exit);

MODULE_DESCRIPTION("a CPU's counters, for tests of gpubp");
MODULE_LICENSE("GPL");
