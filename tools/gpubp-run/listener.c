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
/* words of values that are said; more are not looked through */
#define MAX_WORDS	64

#define NO_LISTENER	-1
#define UNKNOWN_LISTENER	-2

/*
 * @fd: the socket
 * @late: answers that were not waited for, and will come
 * @cancel: may the thread that has the lock be cancelled without it?
 */
static struct {
	pthread_mutex_t lock;
	int fd;
	unsigned int late;
	int cancel;
} listener = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = UNKNOWN_LISTENER };

/* another thread of the parent, which the child does not have, may have had the lock */
static void listener_forked(void)
{
	pthread_mutex_init(&listener.lock, NULL);
	listener.late = 0;
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

void grun_listener_set(int fd)
{
	static int set = NO_LISTENER;

	pthread_mutex_lock(&listener.lock);
	if (set >= 0)
		close(set);
	listener.fd = set = fd;
	pthread_mutex_unlock(&listener.lock);
}

static int64_t listener_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* 1: an answer came; 0: not in time; -1: the tool has gone */
static int listener_answer(int fd, int timeout_ms)
{
	const int64_t end = listener_now_ms() + timeout_ms;
	struct pollfd in = { .fd = fd, .events = POLLIN };
	int64_t left = timeout_ms;
	char answer;
	ssize_t n;

	do {
		if (poll(&in, 1, (int)left) < 0 && errno != EINTR)
			return -1;
		/* another process that has the socket may have been faster */
		n = recv(fd, &answer, 1, MSG_DONTWAIT);
		if (n >= 0)
			return n == 1 ? 1 : -1;
		if (errno != EAGAIN && errno != EINTR)
			return -1;
		left = end - listener_now_ms();
	} while (left > 0);
	return 0;
}

/* as long as earlier answers are missing, none is waited for; false: the tool has gone */
static bool listener_wait(int fd)
{
	int ret;

	for (listener.late++; listener.late; listener.late--) {
		ret = listener_answer(fd, listener.late > 1 ? 0 : ANSWER_MS);
		if (ret <= 0)
			return !ret;
	}
	return true;
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
	    !listener_wait(listener.fd))
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
	listener_send("code %d %#llx %#llx %s %s", (int)getpid(),
		      (unsigned long long)code->mem.va,
		      (unsigned long long)code->elf.span,
		      name ? listener_word(name, word) : "-",
		      code->path ? code->path : "-");
	listener_unlock();
}

bool grun_listener_is_there(void)
{
	if (!listener_lock())
		return false;
	listener_unlock();
	return true;
}

static bool word_may_point(const struct grun_start *start, uint64_t word)
{
	return word >= 4096 && word < 1ULL << 48 &&
	       (!start->may_point || start->may_point(word));
}

/* the words of an argument that is no pointer, and may be a struct with some; false: no room */
static bool list_value(char **pos, unsigned int *nr, const struct grun_start *start,
		       const struct grun_arg *arg, const char *block)
{
	uint32_t at = (8 - arg->offset % 8) % 8;
	uint64_t word;

	for (; at + sizeof(word) <= arg->size; at += sizeof(word)) {
		memcpy(&word, block + arg->offset + at, sizeof(word));
		if (!word_may_point(start, word))
			continue;
		if ((*nr)++ == MAX_WORDS)
			return false;
		*pos += sprintf(*pos, ",=%#llx", (unsigned long long)word);
	}
	return true;
}

/* @list: with a comma in front of each */
static void list_arguments(char *list, const struct grun_start *start,
			   const struct grun_kernel *kernel, const char *block)
{
	const struct grun_arg *arg;
	unsigned int i, nr = 0;
	uint64_t va;

	for (i = 0; (arg = grun_kernel_param(kernel, i)); i++) {
		if (arg->kind == GRUN_ARG_POINTER) {
			memcpy(&va, block + arg->offset, sizeof(va));
			list += sprintf(list, ",0x%llx", (unsigned long long)va);
		} else if (!list_value(&list, &nr, start, arg, block)) {
			sprintf(list, ",...");
			return;
		}
	}
}

void grun_listener_dispatch(const struct grun_start *start, const struct grun_kernel *kernel,
			    const void *block)
{
	char word[4 * GRUN_KERNEL_NAME + 1] = "-";
	char list[(GRUN_MAX_ARGS + MAX_WORDS) * 21 + 8] = ",-";

	if (!listener_lock())
		return;
	if (kernel)
		listener_word(kernel->name, word);
	if (kernel && block)
		list_arguments(list, start, kernel, block);
	else
		strcpy(list, ",...");
	listener_send("%s %d %u/%u/%llu %llu %s %s", start->began ? "began" : "dispatch",
		      (int)getpid(), start->context, start->queue,
		      (unsigned long long)start->seq, (unsigned long long)start->done, word,
		      list + 1);
	listener_unlock();
}

void grun_listener_close(uint32_t context, uint32_t queue)
{
	if (!listener_lock())
		return;
	listener_send("close %d %u/%u", (int)getpid(), context, queue);
	listener_unlock();
}
