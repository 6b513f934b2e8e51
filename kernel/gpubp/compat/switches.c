// SPDX-License-Identifier: GPL-2.0
/* Switches: a probe of the tracepoint sched_switch. */
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "switches.h"

static struct tracepoint *followed;	/* NULL while it is not needed */
static void (*switch_fn)(struct task_struct *next);

/* under the run queue's lock; prev is still current */
static void on_switch(void *unused, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	switch_fn(next);
}

static void look_at(struct tracepoint *tp, void *found)
{
	if (!strcmp(tp->name, "sched_switch"))
		*(struct tracepoint **)found = tp;
}

static void follow(void)
{
	struct tracepoint *tp = NULL;

	for_each_kernel_tracepoint(look_at, &tp);
	if (tp && !tracepoint_probe_register(tp, on_switch, NULL))
		followed = tp;
}

static void leave(void)
{
	tracepoint_probe_unregister(followed, on_switch, NULL);
	tracepoint_synchronize_unregister();
	followed = NULL;
}

/**
 * gpubp_switches_init() - what is to be done at each switch
 * @fn: called for the task that is about to run; the run queue is locked
 */
void gpubp_switches_init(void (*fn)(struct task_struct *next))
{
	switch_fn = fn;
}

/**
 * gpubp_switches_follow() - begin or end to follow switches
 * @follow_them: follow them from now on
 *
 * One caller at a time; may sleep, with no lock held. Without memory it is left
 * as it was: whoever waits for a switch also looks now and then.
 */
void gpubp_switches_follow(bool follow_them)
{
	if (follow_them && !followed)
		follow();
	else if (!follow_them && followed)
		leave();
}
