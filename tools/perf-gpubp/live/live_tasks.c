// SPDX-License-Identifier: GPL-2.0
/*
 * The threads of processes and cgroups.
 */
#include <api/fs/fs.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live_command.h"

static int tasks_add(struct live_tasks *tasks, pid_t tid)
{
	pid_t *grown = realloc(tasks->tids,
			       (size_t)(tasks->nr + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	tasks->tids = grown;
	tasks->tids[tasks->nr++] = tid;
	return 0;
}

static bool task_exists(pid_t tid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", tid);
	return !access(path, F_OK);
}

static int add_thread(struct live_tasks *tasks, pid_t tid, struct grun_err *err)
{
	if (!task_exists(tid))
		return grun_fail(err, -ESRCH, "there is no thread %d", tid);
	return tasks_add(tasks, tid);
}

static int add_process(struct live_tasks *tasks, pid_t pid, struct grun_err *err)
{
	struct dirent *entry;
	char path[32];
	DIR *dir;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return grun_fail(err, -ESRCH, "there is no process %d", pid);
	while (!ret && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			ret = tasks_add(tasks, atoi(entry->d_name));
	closedir(dir);
	return ret;
}

static int add_list(struct live_tasks *tasks, const char *list,
		    int (*add)(struct live_tasks *tasks, pid_t id,
			       struct grun_err *err),
		    struct grun_err *err)
{
	const char *at = list;
	char *end;
	long id;
	int ret;

	do {
		id = strtol(at, &end, 10);
		if (end == at || id <= 0 || id > 1 << 22 || (*end && *end != ','))
			return grun_fail(err, -EINVAL,
					 "'%s' is no list of process ids", list);
		ret = add(tasks, (pid_t)id, err);
		at = end + 1;
	} while (!ret && *end);
	return ret;
}

static int add_cgroup(struct live_tasks *tasks, const char *name,
		      struct grun_err *err)
{
	char mount[PATH_MAX], path[2 * PATH_MAX];
	int ret = 0, tid;
	FILE *file;

	if (cgroupfs_find_mountpoint(mount, sizeof(mount), "perf_event"))
		return grun_fail(err, -ENOENT, "no cgroup file system is mounted");
	snprintf(path, sizeof(path), "%s/%s/cgroup.threads", mount, name);
	file = fopen(path, "re");
	if (!file) {
		/* the first version of cgroups */
		snprintf(path, sizeof(path), "%s/%s/tasks", mount, name);
		file = fopen(path, "re");
	}
	if (!file)
		return grun_fail(err, -ENOENT, "there is no cgroup '%s'", name);
	while (!ret && fscanf(file, "%d", &tid) == 1)
		ret = tasks_add(tasks, tid);
	fclose(file);
	if (!ret && !tasks->nr)
		return grun_fail(err, -ESRCH, "cgroup '%s' has no thread", name);
	return ret;
}

int tasks_find(struct live_tasks *tasks, const struct live_target *target,
	       struct grun_err *err)
{
	int ret = 0;

	if (target->pids)
		ret = add_list(tasks, target->pids, add_process, err);
	if (!ret && target->tids)
		ret = add_list(tasks, target->tids, add_thread, err);
	if (!ret && target->cgroup)
		ret = add_cgroup(tasks, target->cgroup, err);
	return ret;
}

bool tasks_alive(const struct live_tasks *tasks)
{
	int i;

	for (i = 0; i < tasks->nr; i++)
		if (task_exists(tasks->tids[i]))
			return true;
	return false;
}
