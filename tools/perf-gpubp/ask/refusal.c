// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "refusal.h"

#define DOOR	"/dev/gpubp"

/* the kernel's reason, and forget it; false if it has none */
static bool refusal_read(struct gpubp_refusal *refusal)
{
	int fd = open(DOOR, O_RDWR | O_CLOEXEC);
	bool found;

	memset(refusal, 0, sizeof(*refusal));
	if (fd < 0)
		return false;
	found = !ioctl(fd, GPUBP_REASON, refusal);
	close(fd);
	return found;
}

/* what perf core refuses by itself */
static const char *refusal_by_core(int code)
{
	switch (code) {
	case EACCES:
	case EPERM:
		return "you may not watch this target: see perf-gpubp doctor, rights";
	case EMFILE:
		return "too many open files: see ulimit -n";
	case ESRCH:
		return "there is no such thread";
	default:
		return strerror(code);
	}
}

void refusal_text(int code, struct grun_err *err)
{
	struct gpubp_refusal refusal;

	if (refusal_read(&refusal) && refusal.error == (__u32)code)
		grun_fail(err, 0, "%.*s", (int)sizeof(refusal.text),
			  refusal.text);
	else
		grun_fail(err, 0, "%s", refusal_by_core(code));
}

void refusal_forget(void)
{
	struct gpubp_refusal old;

	refusal_read(&old);
}

int refusal_open(struct perf_event_attr *attr, int pid, int cpu, int group,
		 struct grun_err *err)
{
	int fd, code;

	refusal_forget();
	fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return fd;
	code = errno;
	refusal_text(code, err);
	return -code;
}
