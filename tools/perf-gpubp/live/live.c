// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a running target: open, start, close.
 */
#include <api/fs/fs.h>
#include <errno.h>
#include <fcntl.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live_impl.h"
#include "refusal.h"

#define RING_PAGES	128

int live_prepare(struct perf_event_attr *attr, bool sampling,
		 struct grun_err *err)
{
	int type;

	if (sysfs__read_int("bus/event_source/devices/gpubp/type", &type))
		return grun_fail(err, -ENODEV,
				 "this kernel has no PMU gpubp: load the module gpubp");
	attr->size = sizeof(*attr);
	attr->type = (uint32_t)type;
	attr->disabled = 1;
	attr->inherit = 1;
	/* GPUs execute none of it, and perf_event_paranoid may demand it */
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			    PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
	attr->sample_period = sampling;
	attr->sample_type = sampling ? LIVE_SAMPLE_TYPE : 0;
	return 0;
}

static int check_target(const struct live_target *target, struct grun_err *err)
{
	bool tasks = target->pids || target->tids || target->cgroup;

	if (tasks && (target->all || target->cpus))
		return grun_fail(err, -EINVAL,
				 "-a and -C do not go with -p, -t and -G");
	if (!tasks && !target->all && !target->cpus && !target->command)
		return grun_fail(err, -EINVAL,
				 "what is the target? A command, or -p, -t, -a, -C, -G");
	return 0;
}

/* sampling events of tasks are opened on each CPU: rings are not inherited */
static struct perf_cpu_map *choose_cpus(const struct live *live,
					const struct live_target *target)
{
	if (target->cpus)
		return perf_cpu_map__new(target->cpus);
	if (target->all || live->sampling)
		return perf_cpu_map__new_online_cpus();
	return perf_cpu_map__new_any_cpu();
}

static struct perf_thread_map *choose_threads(struct live *live)
{
	if (live->tasks.nr)
		return perf_thread_map__new_array(live->tasks.nr,
						  live->tasks.tids);
	if (live->on_exec)
		return perf_thread_map__new_array(1, &live->command.pid);
	return perf_thread_map__new_dummy();
}

static int set_maps(struct live *live, const struct live_target *target,
		    struct grun_err *err)
{
	struct perf_cpu_map *cpus = choose_cpus(live, target);
	struct perf_thread_map *threads = choose_threads(live);
	int ret = 0;

	if (!cpus && target->cpus)
		ret = grun_fail(err, -EINVAL, "'%s' is no list of CPUs",
				target->cpus);
	else if (!cpus || !threads)
		ret = grun_fail(err, -ENOMEM, "out of memory");
	if (!ret) {
		perf_evlist__set_maps(live->evlist, cpus, threads);
		live->nr_cpus = perf_cpu_map__nr(cpus);
		live->nr_threads = perf_thread_map__nr(threads);
	}
	/* the list has its own references */
	perf_cpu_map__put(cpus);
	perf_thread_map__put(threads);
	return ret;
}

static int add_events(struct live *live, const struct perf_event_attr *attrs,
		      struct grun_err *err)
{
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < live->nr; i++) {
		attr = attrs[i];
		attr.enable_on_exec = live->on_exec;
		live->evsels[i] = perf_evsel__new(&attr);
		if (!live->evsels[i])
			return grun_fail(err, -ENOMEM, "out of memory");
		perf_evlist__add(live->evlist, live->evsels[i]);
	}
	return 0;
}

static int read_ids(struct live *live, unsigned int event, struct grun_err *err)
{
	struct perf_counts_values values;
	int cpu, thread, ret;

	for (cpu = 0; cpu < live->nr_cpus; cpu++)
		for (thread = 0; thread < live->nr_threads; thread++) {
			ret = perf_evsel__read(live->evsels[event], cpu, thread,
					       &values);
			if (ret)
				return grun_fail(err, -EBUSY,
						 "what the pinned event needs is taken");
			live->ids[live_index(live, event, cpu, thread)] =
				values.id;
		}
	return 0;
}

static int open_events(struct live *live, struct grun_err *err)
{
	unsigned int i;
	int ret;

	live->ids = calloc((size_t)live->nr * (size_t)live->nr_cpus *
			   (size_t)live->nr_threads, sizeof(*live->ids));
	if (!live->ids)
		return grun_fail(err, -ENOMEM, "out of memory");
	for (i = 0; i < live->nr; i++) {
		refusal_forget();
		ret = perf_evsel__open(live->evsels[i],
				       perf_evsel__cpus(live->evsels[i]),
				       perf_evsel__threads(live->evsels[i]));
		if (ret) {
			refusal_text(-ret, err);
			return ret;
		}
		ret = read_ids(live, i, err);
		if (ret)
			return ret;
	}
	ret = live->sampling ? perf_evlist__mmap(live->evlist, RING_PAGES) : 0;
	if (ret)
		return grun_fail(err, ret,
				 "no memory for rings, see perf_event_mlock_kb");
	return 0;
}

static int setup(struct live *live, const struct live_target *target,
		 const struct perf_event_attr *attrs, struct grun_err *err)
{
	int ret = check_target(target, err);

	if (!ret)
		ret = tasks_find(&live->tasks, target, err);
	live->on_exec = !live->tasks.nr && !target->all && !target->cpus;
	if (!ret && target->command)
		ret = command_fork(&live->command, target->command,
				   target->messages, err);
	if (!ret)
		ret = set_maps(live, target, err);
	if (!ret)
		ret = add_events(live, attrs, err);
	return ret ? ret : open_events(live, err);
}

int live_open(struct live **out, const struct live_target *target,
	      const struct perf_event_attr *attrs, unsigned int nr,
	      struct grun_err *err)
{
	struct live *live = calloc(1, sizeof(*live) + nr * sizeof(*live->evsels));
	int ret;

	if (!live)
		return grun_fail(err, -ENOMEM, "out of memory");
	live->nr = nr;
	live->name = target->command ? target->command[0] : "";
	live->sampling = nr && attrs[0].sample_period;
	live->command.go = -1;
	live->command.failed = -1;
	live->session = open("/dev/gpubp", O_RDWR | O_CLOEXEC);
	live->evlist = perf_evlist__new();
	ret = live->evlist ? setup(live, target, attrs, err) :
			     grun_fail(err, -ENOMEM, "out of memory");
	if (ret)
		live_close(live);
	else
		*out = live;
	return ret;
}

int live_start(struct live *live, struct grun_err *err)
{
	if (!live->on_exec)
		perf_evlist__enable(live->evlist);
	return live->command.pid ? command_go(&live->command, live->name, err) : 0;
}

bool live_running(struct live *live)
{
	if (live->command.pid)
		return !command_ended(&live->command, false);
	return !live->tasks.nr || tasks_alive(&live->tasks);
}

pid_t live_command(const struct live *live)
{
	return live->command.pid;
}

int live_signal(const struct live *live)
{
	return command_signal(&live->command);
}

int live_session(const struct live *live)
{
	return live->session;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

int live_close(struct live *live)
{
	int status = 0;

	close_fd(live->command.go);
	close_fd(live->command.failed);
	if (live->command.pid && command_ended(&live->command, true))
		status = command_status(&live->command);
	perf_evlist__delete(live->evlist);
	close_fd(live->session);
	free(live->tasks.tids);
	free(live->ids);
	free(live);
	return status;
}
