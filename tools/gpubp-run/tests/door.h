/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel for agents: /dev/gpubp_agent is a socket, of which the test has the other end.
 * For programs that are linked with -Wl,--wrap=open,--wrap=ioctl.
 */
#ifndef TESTS_DOOR_H
#define TESTS_DOOR_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/gpubp.h>
#include <linux/gpubp_agent.h>

#define DOOR_CONTEXT	77
#define DOOR_DEVICE	5

/**
 * struct door - what the kernel has, and has got
 * @there: there is such a device
 * @peer: the test's end
 * @seq: number of the last program
 * @join: what the agent joined with
 * @awaited: how often a dispatch waited for what is wanted
 * @nr_names: names that were published
 * @name: the last one
 * @acked: number of the last program that was acknowledged
 * @counted: by number of the range, in all messages
 * @counts_of: number of the program of the last counts
 * @strays: likewise
 * @nr_hits: messages of hits
 * @hit: the last one
 */
static struct {
	bool there;
	int peer;
	uint64_t seq;
	struct gpubp_agent_join join;
	unsigned int awaited;
	unsigned int nr_names;
	struct gpubp_publish name;
	uint64_t acked;
	uint64_t counted[GPUBP_AGENT_RANGES];
	uint64_t counts_of;
	uint64_t strays;
	unsigned int nr_hits;
	union {
		struct gpubp_agent_header header;
		struct gpubp_agent_hit msg;
		struct gpubp_agent_ack ack;
		struct gpubp_agent_counts counts;
		unsigned char bytes[GPUBP_AGENT_MESSAGE];
	} hit;
} door = { .peer = -1 };

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long cmd, void *arg);
int __wrap_ioctl(int fd, unsigned long cmd, void *arg);

static int door_open(void)
{
	int ends[2];

	if (!door.there) {
		errno = ENOENT;
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	if (door.peer >= 0)
		close(door.peer);
	door.peer = ends[1];
	return ends[0];
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	if (!strcmp(path, "/dev/gpubp_agent"))
		return door_open();
	if (!strcmp(path, "/dev/gpubp"))
		path = "/dev/null";
	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return __real_open(path, flags, mode);
}

static int door_join(struct gpubp_agent_join *join)
{
	join->context = DOOR_CONTEXT;
	join->device = DOOR_DEVICE;
	door.join = *join;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long cmd, void *arg)
{
	switch (cmd) {
	case GPUBP_AGENT_JOIN:
		return door_join(arg);
	case GPUBP_AGENT_QUEUE_CREATE:
	case GPUBP_AGENT_QUEUE_DESTROY:
		return 0;
	case GPUBP_AGENT_WAIT_ARMED:
		door.awaited++;
		return 0;
	case GPUBP_PUBLISH:
		door.nr_names++;
		door.name = *(struct gpubp_publish *)arg;
		return 0;
	default:
		return __real_ioctl(fd, cmd, arg);
	}
}

static void door_count(const struct gpubp_agent_counts *counts)
{
	unsigned int i;

	door.counts_of = counts->seq;
	door.strays += counts->strays;
	for (i = 0; i < GPUBP_AGENT_RANGES; i++)
		door.counted[i] += counts->hits[i];
}

/* one message; false: there is none */
static bool door_receive(int flags)
{
	static __typeof__(door.hit) message;

	if (recv(door.peer, &message, sizeof(message), flags) < (ssize_t)sizeof(message.header))
		return false;
	switch (message.header.type) {
	case GPUBP_AGENT_HIT:
		door.nr_hits++;
		door.hit = message;
		break;
	case GPUBP_AGENT_COUNTS:
		door_count(&message.counts);
		break;
	case GPUBP_AGENT_ACK:
		door.acked = message.ack.seq;
		break;
	}
	return true;
}

/* all that was written; what counted before is forgotten */
static inline void door_forget(void)
{
	while (door_receive(MSG_DONTWAIT))
		;
	door.nr_hits = 0;
	door.strays = 0;
	memset(door.counted, 0, sizeof(door.counted));
}

static inline void door_drain(void)
{
	while (door_receive(MSG_DONTWAIT))
		;
}

/* a program, until it is acknowledged; false: it is not */
static inline bool door_program(struct gpubp_agent_program *program)
{
	program->seq = ++door.seq;
	if (send(door.peer, program, sizeof(*program), 0) != sizeof(*program))
		return false;
	while (door.acked != program->seq)
		if (!door_receive(0))
			return false;
	return true;
}

#endif /* TESTS_DOOR_H */
