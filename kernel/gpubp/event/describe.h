/* SPDX-License-Identifier: GPL-2.0 */
/* Describe: an event as perf -e takes it, and the process that opened it. */
#ifndef _GPUBP_EVENT_DESCRIBE_H
#define _GPUBP_EVENT_DESCRIBE_H

struct gpubp_event;
struct seq_file;

void gpubp_event_describe(const struct gpubp_event *gev, struct seq_file *m);

#endif /* _GPUBP_EVENT_DESCRIBE_H */
