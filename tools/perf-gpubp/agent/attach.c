// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent_env.h"
#include "attach.h"
#include "borrow.h"
#include "link.h"
#include "sysfile.h"
#include "target.h"

#define LIBRARY		"libgpubp-rocr.so"
#define START		"gpubp_rocr_attach"
#define SAY_MS		60000	/* until an agent says that it has begun, and its thread has ended */

/* of struct borrow_call.data, for what gpubp_rocr_attach() gets */
#define DATA_RESULT	0
#define DATA_ASKER	8
#define DATA_TOOL	(DATA_ASKER + LINK_NAME)

/* since glibc 2.34 it is in the C library itself */
static uint64_t find_dlopen(pid_t pid)
{
	return target_function(pid, "libc.so.6", "dlopen") ?:
	       target_function(pid, "libdl.so.2", "dlopen");
}

static int load_library(pid_t pid, struct grun_err *err)
{
	struct borrow_call call = {
		.function = find_dlopen(pid), .arg = { 0, RTLD_NOW | RTLD_GLOBAL },
		.is_data = 1 << 0,
	};
	char path[PATH_MAX];
	int ret;

	if (!realpath(agent_library(), path))
		return grun_fail(err, -errno, "%s: %s", agent_library(), strerror(errno));
	if (strlen(path) >= sizeof(call.data))
		return grun_fail(err, -ENAMETOOLONG, "%s: its name is too long", path);
	if (!call.function)
		return grun_fail(err, -EINVAL, "process %d has no dlopen()", pid);
	strcpy((char *)call.data, path);
	ret = borrow_call(pid, &call, err);
	if (ret || target_has(pid, LIBRARY))
		return ret;
	return grun_fail(err, -ENOEXEC,
			 "process %d could not load %s: is it for another C library than the process's?",
			 pid, path);
}

static int start_agent(pid_t pid, const char *asker, const char *tool, struct grun_err *err)
{
	struct borrow_call call = {
		.function = target_function(pid, LIBRARY, START),
		.arg = { DATA_ASKER, DATA_TOOL, DATA_RESULT },
		.is_data = 1 << 0 | 1 << 1 | 1 << 2,
	};
	int32_t result;
	int ret;

	if (!call.function)
		return grun_fail(err, -ENOSYS,
				 "process %d has a " LIBRARY " of another version", pid);
	snprintf((char *)call.data + DATA_ASKER, LINK_NAME, "%s", asker);
	snprintf((char *)call.data + DATA_TOOL, LINK_NAME, "%s", tool);
	ret = borrow_call(pid, &call, err);
	if (ret)
		return ret;
	memcpy(&result, call.data + DATA_RESULT, sizeof(result));
	if (result == -EALREADY)
		return grun_fail(err, result, "process %d is watched already, by its agent", pid);
	if (result)
		return grun_fail(err, result, "process %d cannot begin to watch itself: %s", pid,
				 strerror(-result));
	return 0;
}

int attach_agent(pid_t pid, const char *asker, const char *tool, struct grun_err *err)
{
	int ret = target_check(pid, err);

	if (!ret && !target_has(pid, LIBRARY))
		ret = load_library(pid, err);
	return ret ? ret : start_agent(pid, asker, tool, err);
}

/* ---- for the kernel -------------------------------------------------------------------- */

/* one that has /dev/kfd open */
static bool process_has_gpu(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d", pid);
	return sys_exists("", path);
}

/* it has the kernel's door open */
static bool process_has_agent(pid_t pid)
{
	char path[64], link[128], file[64];
	struct dirent *entry;
	bool has = false;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && !has && (entry = readdir(dir))) {
		snprintf(link, sizeof(link), "%s/%.20s", path, entry->d_name);
		len = readlink(link, file, sizeof(file) - 1);
		file[len > 0 ? len : 0] = '\0';
		has = !strcmp(file, "/dev/gpubp_agent");
	}
	if (dir)
		closedir(dir);
	return has;
}

/* what the agent says when it has joined gpubp.ko, or cannot */
static int hear_agent(pid_t pid, int listener, struct grun_err *err)
{
	struct pollfd in = { .fd = listener, .events = POLLIN };
	static union link_message m;
	int fd = poll(&in, 1, SAY_MS) > 0 ? link_accept(listener, pid) : -1;
	bool heard;

	if (fd < 0)
		return grun_fail(err, -ETIMEDOUT, "the agent of process %d does not answer", pid);
	heard = link_receive(fd, &m) && m.type == AGENT_HELLO;
	close(fd);
	if (!heard)
		return grun_fail(err, -EPROTO,
				 "the agent of process %d is malformed: is its " LIBRARY " of another version?",
				 pid);
	return m.hello.err ? grun_fail(err, m.hello.err, "process %d is not watched: %s", pid,
				       m.hello.text) : 0;
}

static bool has_thread(pid_t pid, const char *name)
{
	char path[64], comm[SYS_FILE_MAX];
	struct dirent *entry;
	bool has = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && !has && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/comm", pid, entry->d_name);
		has = sys_read("", path, comm) > 0 && !strcmp(comm, name);
	}
	if (dir)
		closedir(dir);
	return has;
}

/* an event cannot be opened on a thread that has ended since it was listed */
static void wait_attached(pid_t pid)
{
	unsigned int ms;

	for (ms = 0; ms < SAY_MS && has_thread(pid, ATTACH_THREAD); ms++)
		poll(NULL, 0, 1);
}

static int attach_one(pid_t pid, struct grun_err *err)
{
	char name[LINK_NAME];
	int listener, ret;

	if (!process_has_gpu(pid) || process_has_agent(pid))
		return 0;
	listener = link_begin(name, err);
	if (listener < 0)
		return listener;
	ret = attach_agent(pid, "kernel", name, err);
	if (!ret)
		ret = hear_agent(pid, listener, err);
	if (!ret)
		wait_attached(pid);
	close(listener);
	return ret;
}

int attach_for_kernel(const char *pids, struct grun_err *err)
{
	char *end;
	long pid;
	int ret = 0;

	if (!pids || !agent_env_is_asked("") || !sys_exists("", agent_library()))
		return 0;
	do {
		pid = strtol(pids, &end, 10);
		/* what is no list is said by who opens events */
		if (end == pids || pid <= 0 || pid > INT_MAX)
			return 0;
		ret = attach_one((pid_t)pid, err);
		pids = end + 1;
	} while (!ret && *end == ',');
	return ret;
}
