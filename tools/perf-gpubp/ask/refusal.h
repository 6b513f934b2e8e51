/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why the kernel refused an event.
 */
#ifndef PERF_GPUBP_REFUSAL_H
#define PERF_GPUBP_REFUSAL_H

#include <linux/perf_event.h>
#include "gpubp_run.h"

/**
 * refusal_open() - perf_event_open(2), and the reason if it is refused
 * @attr: event
 * @pid: target thread, 0 this one
 * @cpu: CPU, -1 all
 * @group: fd of the group's leader, -1 none
 * @err: out: a sentence
 *
 * Return: fd or a negative errno.
 */
int refusal_open(struct perf_event_attr *attr, int pid, int cpu, int group,
		 struct grun_err *err);

/** refusal_forget() - before an open that this file does not make */
void refusal_forget(void);

/** refusal_text() - why this thread's last open failed with errno @code */
void refusal_text(int code, struct grun_err *err);

#endif /* PERF_GPUBP_REFUSAL_H */
