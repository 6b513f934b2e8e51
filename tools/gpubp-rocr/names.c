// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "names.h"

/*
 * A session is that of the process that opened it, not of its children.
 *
 * @lock: of what follows
 * @fd: session
 * @opener: process that opened it
 */
static struct {
	pthread_mutex_t lock;
	int fd;
	pid_t opener;
} session = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

/* another thread of the parent, which the child does not have, may have had the lock */
static void session_forked(void)
{
	pthread_mutex_init(&session.lock, NULL);
}

static void __attribute__((constructor)) session_begin(void)
{
	pthread_atfork(NULL, NULL, session_forked);
}

static int session_get(void)
{
	int fd;

	pthread_mutex_lock(&session.lock);
	if (session.opener != getpid()) {
		if (session.fd >= 0)
			close(session.fd);
		session.opener = getpid();
		session.fd = open("/dev/gpubp", O_RDWR | O_CLOEXEC);
	}
	fd = session.fd;
	pthread_mutex_unlock(&session.lock);
	return fd;
}

/* not without gpubp, nor before the process has a GPU context, which it says by ESRCH */
static int publish(uint64_t va, uint64_t size, const char *name, uint32_t kind)
{
	struct gpubp_publish p = { .va = va, .size = size, .kind = kind };
	int cancel, fd, err = 0;

	if (strlen(name) >= sizeof(p.name))
		return 0;
	strcpy(p.name, name);
	/* open() is where a thread is cancelled: not with locks */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	fd = session_get();
	if (fd >= 0 && ioctl(fd, GPUBP_PUBLISH, &p) && errno != ESRCH)
		err = -errno;
	pthread_setcancelstate(cancel, NULL);
	return err;
}

int names_buffer(uint64_t va, uint64_t size, const char *name)
{
	uint64_t time = grun_name_time();
	int err = publish(va, size, name, GPUBP_PUBLISH_BUFFER);

	grun_name_record(time, 0, va, size, name, GRUN_OUTSIDE);
	grun_listener_buffer(va, size, name);
	return err;
}

void names_code(const struct grun_code *code, const char *name)
{
	publish(code->mem.va, code->elf.span, name, GPUBP_PUBLISH_CODE);
	grun_listener_code(code, name);
}

void names_no_code(uint64_t va)
{
	publish(va, 0, "-", GPUBP_PUBLISH_CODE);
}
