// SPDX-License-Identifier: GPL-2.0
/*
 * Messages to a tool that listens; the protocol is in gpubp_run.h.
 */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "internal.h"

#define MAX_MESSAGE	8192
#define ANSWER_MS	10000
#define NR_SENT		64

#define NO_LISTENER	-1
#define UNKNOWN_LISTENER	-2

/*
 * @fd: the socket
 * @sent: hashes of dispatches that were announced since the last other message
 * @nr_sent: how many ever; the oldest is overwritten
 * @cancel: may the thread that has the lock be cancelled without it?
 */
static struct {
	pthread_mutex_t lock;
	int fd;
	uint64_t sent[NR_SENT];
	unsigned int nr_sent;
	int cancel;
} listener = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = UNKNOWN_LISTENER };

/* another thread of the parent, which the child does not have, may have had the lock */
static void listener_forked(void)
{
	pthread_mutex_init(&listener.lock, NULL);
	listener.nr_sent = 0;
}

static void __attribute__((constructor)) listener_begin(void)
{
	pthread_atfork(NULL, NULL, listener_forked);
}

/* a number that means another file by now must not get messages */
static int listener_find(void)
{
	const char *text = getenv("GPUBP_LISTENER");
	socklen_t len = sizeof(int);
	char *end;
	long fd;
	int type;

	if (!text || !isdigit((unsigned char)text[0]))
		return NO_LISTENER;
	fd = strtol(text, &end, 10);
	if (*end || fd > INT32_MAX ||
	    getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &type, &len) ||
	    type != SOCK_SEQPACKET)
		return NO_LISTENER;
	return (int)fd;
}

static int64_t listener_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static bool listener_answered(int fd)
{
	const int64_t end = listener_now_ms() + ANSWER_MS;
	struct pollfd in = { .fd = fd, .events = POLLIN };
	int64_t left;
	char answer;
	ssize_t n;

	while ((left = end - listener_now_ms()) > 0) {
		if (poll(&in, 1, (int)left) < 0 && errno != EINTR)
			return false;
		/* another process that has the socket may have been faster */
		n = recv(fd, &answer, 1, MSG_DONTWAIT);
		if (n >= 0)
			return n == 1;
		if (errno != EAGAIN && errno != EINTR)
			return false;
	}
	return false;
}

static void listener_send(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

static void listener_send(const char *fmt, ...)
{
	char text[MAX_MESSAGE];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (len < 0 || len >= (int)sizeof(text))
		return;
	/* never wait for room: there is some if answers are given */
	if (send(listener.fd, text, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ||
	    !listener_answered(listener.fd))
		listener.fd = NO_LISTENER;
}

static void listener_unlock(void)
{
	int cancel = listener.cancel;

	pthread_mutex_unlock(&listener.lock);
	pthread_setcancelstate(cancel, NULL);
}

/*
 * False, and nothing to unlock, if no tool listens. send() and poll() are where a thread is
 * cancelled: not with the lock.
 */
static bool listener_lock(void)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&listener.lock);
	listener.cancel = cancel;
	if (listener.fd == UNKNOWN_LISTENER)
		listener.fd = listener_find();
	if (listener.fd >= 0)
		return true;
	listener_unlock();
	return false;
}

/* one word; @out: 4 times the bytes of @name and one more */
static const char *listener_word(const char *name, char *out)
{
	char *pos = out;

	for (; *name; name++) {
		if (isgraph((unsigned char)*name) && *name != '\\')
			*pos++ = *name;
		else
			pos += sprintf(pos, "\\%03o", (unsigned char)*name);
	}
	*pos = 0;
	return out;
}

void grun_listener_buffer(uint64_t va, uint64_t size, const char *name)
{
	char word[4 * GPUBP_NAME_MAX + 1];

	if (!listener_lock())
		return;
	listener.nr_sent = 0;
	listener_send("buffer %d %#llx %#llx %s", (int)getpid(),
		      (unsigned long long)va, (unsigned long long)size,
		      listener_word(name, word));
	listener_unlock();
}

void grun_listener_code(const struct grun_code *code, const char *name)
{
	char word[4 * GPUBP_NAME_MAX + 1];

	if (!listener_lock())
		return;
	listener.nr_sent = 0;
	listener_send("code %d %#llx %#llx %s %s", (int)getpid(),
		      (unsigned long long)code->mem.va,
		      (unsigned long long)code->elf.span,
		      name ? listener_word(name, word) : "-",
		      code->path ? code->path : "-");
	listener_unlock();
}

/* FNV-1a */
static uint64_t listener_hash(uint64_t hash, uint64_t value)
{
	int i;

	for (i = 0; i < 64; i += 8)
		hash = (hash ^ (value >> i & 0xff)) * 0x100000001b3;
	return hash;
}

/* has @hash been sent? If not, it will have been */
static bool listener_sent(uint64_t hash)
{
	unsigned int i;

	for (i = 0; i < listener.nr_sent && i < NR_SENT; i++)
		if (listener.sent[i] == hash)
			return true;
	listener.sent[listener.nr_sent++ % NR_SENT] = hash;
	return false;
}

void grun_listener_dispatch(const struct grun_device *dev,
			    const struct grun_code *code,
			    const struct grun_kernel *kernel,
			    const union grun_value *args, unsigned int nr_args)
{
	char word[4 * GRUN_KERNEL_NAME + 1], list[GRUN_MAX_ARGS * 20 + 1] = "";
	uint64_t hash = 0xcbf29ce484222325;
	unsigned int i;
	size_t len = 0;

	if (!listener_lock())
		return;
	hash = listener_hash(hash, (uint64_t)getpid());
	hash = listener_hash(hash, code->mem.va + kernel->descriptor);
	for (i = 0; i < nr_args; i++) {
		if (grun_kernel_param(kernel, i)->kind != GRUN_ARG_POINTER)
			continue;
		hash = listener_hash(hash, args[i].va);
		len += (size_t)sprintf(list + len, "%s0x%llx", len ? "," : "",
				       (unsigned long long)args[i].va);
	}
	if (!listener_sent(hash))
		listener_send("dispatch %d %u/%llu %s %s", (int)getpid(),
			      dev->queue, (unsigned long long)dev->last_seq + 1,
			      listener_word(kernel->name, word),
			      len ? list : "-");
	listener_unlock();
}
