/* SPDX-License-Identifier: GPL-2.0 */
/* perf events of gpubp; errors are in errno. */
#ifndef AMDGPU_GUEST_EVENTS_H
#define AMDGPU_GUEST_EVENTS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/gpubp.h>
#include <linux/perf_event.h>

/* until what a sync waits for has happened */
#define EVENT_SYNC_MS	10000

/** event_open() - of @pid, with @attr but for its size and type; a descriptor or -1 */
static inline int event_open(struct perf_event_attr *attr, pid_t pid)
{
	FILE *file = fopen("/sys/bus/event_source/devices/gpubp/type", "r");
	int type = -1;

	if (file && fscanf(file, "%d", &type) != 1)
		type = -1;
	if (file)
		fclose(file);
	attr->size = sizeof(*attr);
	attr->type = type;
	return syscall(SYS_perf_event_open, attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/** event_sync() - GPUBP_SYNC of an event by the file @gpubp; 0 or -1 */
static inline int event_sync(int gpubp, int event, struct gpubp_sync *sync)
{
	uint64_t id;

	*sync = (struct gpubp_sync){ .timeout_ms = EVENT_SYNC_MS };
	if (ioctl(event, PERF_EVENT_IOC_ID, &id))
		return -1;
	sync->id = id;
	return ioctl(gpubp, GPUBP_SYNC, sync);
}

#endif /* AMDGPU_GUEST_EVENTS_H */
