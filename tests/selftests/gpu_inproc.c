// SPDX-License-Identifier: GPL-2.0
/*
 * The GPU in the process. It is a device of its own, with statistics of its own, from
 * gpu_open() to gpu_close().
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "books.h"
#include "gpu.h"
#include "gpu_device.h"
#include "session.h"

#define PATIENCE	60	/* s */

int gpu_device_open(struct grun_device **dev, unsigned int nr, const struct grun_code *code,
		    struct grun_err *err)
{
	char name[64];
	int ret;

	if (nr)
		return grun_fail(err, -ENODEV, "a process has one GPU");
	ret = grun_open_in_process(dev, grun_code_isa(code), err);
	if (ret)
		return ret;
	ret = grun_in_process_watched(*dev) ?:
	      books_agent_name(grun_info(*dev)->device, name);
	if (!ret) {
		books_of_name(name);
		return 0;
	}
	grun_close(*dev);
	return grun_fail(err, ret, "it is not watched: %s", strerror(-ret));
}

/* its statistics end with it */
void gpu_device_close(struct grun_device *dev)
{
	if (!books_settle(PATIENCE)) {
		books_print();
		printf("Bail out! the statistics do not balance\n");
		exit(1);
	}
	books_of_none();
	grun_close(dev);
}

/* GPU and CPU have the same addresses, and comparators see neither CPU nor copies */
int gpu_device_copy(const struct grun_device *dev, uint64_t dst, uint64_t src, uint64_t size)
{
	(void)dev;
	memmove((void *)(uintptr_t)dst, (void *)(uintptr_t)src, size);
	return 0;
}

static bool is_event(int fds, const char *fd)
{
	char target[64];
	ssize_t n = readlinkat(fds, fd, target, sizeof(target) - 1);

	target[n > 0 ? n : 0] = '\0';
	return !strcmp(target, "anon_inode:[perf_event]");
}

/* no wave waits for the kernel: a hit is in its events once it is resolved */
void gpu_device_settle(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int session = session_open();
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_event(dirfd(dir), entry->d_name))
			session_sync(session, atoi(entry->d_name), PATIENCE, NULL);
	if (dir)
		closedir(dir);
	if (session >= 0)
		close(session);
}

/* an agent has no message for that */
bool gpu_device_tells_unmaps(void)
{
	return false;
}

/* others may be on their way: what a wave that went on has not touched may be later */
bool gpu_device_knows_latest(void)
{
	return false;
}

int gpu_await(int event)
{
	int session = session_open(), ret;
	struct gpubp_sync sync;

	ret = session_sync(session, event, PATIENCE, &sync);
	close(session);
	return ret ?: sync.nr_watches == 1 && sync.nr_armed == 1 ? 0 : -EBUSY;
}
