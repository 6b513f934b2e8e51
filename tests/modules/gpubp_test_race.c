// SPDX-License-Identifier: GPL-2.0
/*
 * A data race, for tests/vm/races: a run without reports shows nothing unless
 * KCSAN would have reported one in a module built as ours are.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#define SECONDS		2
#define CPUS		2

static unsigned long planted;

static int planted_race(void *unused)
{
	while (!kthread_should_stop()) {
		planted++;
		cond_resched();
	}
	return 0;
}

static int __init race_init(void)
{
	struct task_struct *tasks[CPUS];
	int i, nr, err = 0;

	for (nr = 0; nr < CPUS; nr++) {
		tasks[nr] = kthread_run_on_cpu(planted_race, NULL, nr, "race/%u");
		err = PTR_ERR_OR_ZERO(tasks[nr]);
		if (err)
			break;
	}
	if (!err)
		ssleep(SECONDS);
	for (i = 0; i < nr; i++)
		kthread_stop(tasks[i]);
	return err;
}
module_init(race_init);

static void __exit race_exit(void)
{
}
module_exit(race_exit);

MODULE_DESCRIPTION("a data race that KCSAN has to report");
MODULE_LICENSE("GPL");
