// SPDX-License-Identifier: GPL-2.0
/* Describe: an event as perf -e takes it, and the process that opened it. */
#include <linux/array_size.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "describe.h"

/* aliases of watches, by access: see perf/aliases.c */
static const char * const watch_names[] = {
	[GPUBP_ACCESS_LOAD] = "watch_r",
	[GPUBP_ACCESS_STORE] = "watch_w",
	[GPUBP_ACCESS_ATOMIC] = "watch_atomic",
	[GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC] = "watch",
	[GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC] =
		"watch_rw",
};

static void describe_watch(const struct gpubp_spec *spec, struct seq_file *m)
{
	if (spec->access < ARRAY_SIZE(watch_names) && watch_names[spec->access])
		seq_puts(m, watch_names[spec->access]);
	else
		seq_printf(m, "kind=1,access=%u", spec->access);
	seq_printf(m, ",addr=0x%llx,len=%llu", spec->addr, spec->len);
}

static void describe_kind(const struct gpubp_spec *spec, struct seq_file *m)
{
	switch (spec->kind) {
	case GPUBP_KIND_WATCH:
		return describe_watch(spec, m);
	case GPUBP_KIND_BREAK:
		return seq_printf(m, "gpu_break,addr=0x%llx", spec->addr);
	case GPUBP_KIND_TRAP:
		return seq_printf(m, "gpu_trap,code=%u", spec->code);
	default:
		seq_printf(m, "kind=%u,code=0x%x", spec->kind, spec->code);
	}
}

static void describe_flags(const struct gpubp_spec *spec, struct seq_file *m)
{
	if (spec->named)
		seq_printf(m, ",named=1,code=0x%x", spec->code);
	if (spec->process)
		seq_puts(m, ",process=1");
	if (spec->changed)
		seq_puts(m, ",changed=1");
	if (spec->meter)
		seq_puts(m, ",meter=1");
	if (spec->possible)
		seq_puts(m, ",possible=1");
	if (spec->lost)
		seq_puts(m, ",lost=1");
	if (spec->condition)
		seq_printf(m, ",cond=%u", spec->condition);
	if (spec->device)
		seq_printf(m, ",device=%u", spec->device);
}

/* the thread group may have exited and left the event to another process */
static void describe_opener(struct pid *opener, struct seq_file *m)
{
	char comm[TASK_COMM_LEN] = "";
	struct task_struct *task = get_pid_task(opener, PIDTYPE_TGID);

	if (task) {
		get_task_comm(comm, task);
		put_task_struct(task);
	}
	seq_printf(m, " pid %d comm ", pid_vnr(opener));
	seq_escape_str(m, comm[0] ? comm : "-",
		       ESCAPE_OCTAL | ESCAPE_NAP | ESCAPE_APPEND, " \\");
}

/**
 * gpubp_event_describe() - print the opener of an event and what it watches
 * @gev: event; gpubp_events_lock is held
 * @m: to
 *
 * Names and values without spaces: " pid N comm NAME is gpubp/.../". A name
 * with spaces or unprintable characters has them as \ooo, and "-" stands for
 * that of a process that has exited or has none.
 */
void gpubp_event_describe(const struct gpubp_event *gev, struct seq_file *m)
{
	describe_opener(gev->opener, m);
	seq_puts(m, " is gpubp/");
	describe_kind(&gev->spec, m);
	describe_flags(&gev->spec, m);
	seq_printf(m, "/%.*s%s", gev->spec.precise_ip, "ppp",
		   gev->event->attr.pinned ? "D" : "");
}
