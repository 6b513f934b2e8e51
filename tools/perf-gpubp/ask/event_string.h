/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of PMU gpubp as perf's -e takes them: "gpubp/watch_w,addr=1,len=4/D".
 */
#ifndef PERF_GPUBP_EVENT_STRING_H
#define PERF_GPUBP_EVENT_STRING_H

#include <linux/perf_event.h>
#include "gpubp_run.h"

/**
 * event_string_parse() - what perf would open
 * @attr: out; type is that of the PMU
 * @root: directory with sys, "" this machine
 * @text: the event
 * @err: error
 *
 * Terms and aliases are looked up in sysfs, as perf does.
 *
 * Return: 0, -ENODEV (there is no PMU), -EINVAL.
 */
int event_string_parse(struct perf_event_attr *attr, const char *root,
		       const char *text, struct grun_err *err);

#endif /* PERF_GPUBP_EVENT_STRING_H */
