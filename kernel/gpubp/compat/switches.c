// SPDX-License-Identifier: GPL-2.0
/* Task switches: a probe of the tracepoint sched_switch. */
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "switches.h"

static struct tracepoint *switch_tracepoint;	/* NULL while not needed */
static void (*switch_fn)(struct task_struct *next);

/* under the run queue's lock; current is still @prev */
static void switches_probe_fn(void *unused, bool preempt,
			      struct task_struct *prev,
			      struct task_struct *next, unsigned int prev_state)
{
	switch_fn(next);
}

static void switches_match_tracepoint(struct tracepoint *tp, void *found)
{
	if (!strcmp(tp->name, "sched_switch"))
		*(struct tracepoint **)found = tp;
}

static void switches_probe(void)
{
	struct tracepoint *tp = NULL;

	for_each_kernel_tracepoint(switches_match_tracepoint, &tp);
	if (tp && !tracepoint_probe_register(tp, switches_probe_fn, NULL))
		switch_tracepoint = tp;
}

static void switches_unprobe(void)
{
	tracepoint_probe_unregister(switch_tracepoint, switches_probe_fn, NULL);
	tracepoint_synchronize_unregister();
	switch_tracepoint = NULL;
}

/**
 * gpubp_switches_init() - set the callback for task switches
 * @fn: called for the task that runs next; the run queue is locked
 */
void gpubp_switches_init(void (*fn)(struct task_struct *next))
{
	switch_fn = fn;
}

/**
 * gpubp_switches_follow() - start or stop following task switches
 * @follow_them: start
 *
 * One caller at a time, without a lock: the work of event/reconcile.c, which
 * does not run twice at a time, and its exit, after the work was cancelled. May
 * sleep, with no lock held. Fails silently without memory: callers that wait
 * for a switch also poll.
 */
void gpubp_switches_follow(bool follow_them)
{
	if (follow_them && !switch_tracepoint)
		switches_probe();
	else if (!follow_them && switch_tracepoint)
		switches_unprobe();
}
