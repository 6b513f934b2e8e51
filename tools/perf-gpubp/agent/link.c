// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include "link.h"

/* no other process knows it before it is there */
static void random_name(char *name)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = (uint64_t)getpid();
	snprintf(name, LINK_NAME, "@gpubp-agent-%d-%llx", (int)getpid(),
		 (unsigned long long)number);
}

int link_begin(char *name, struct grun_err *err)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t len;

	if (fd < 0)
		return grun_fail(err, -errno, "no socket: %s", strerror(errno));
	random_name(name);
	len = agent_address(&address, name);
	if (!bind(fd, (struct sockaddr *)&address, len) && !listen(fd, 8))
		return fd;
	close(fd);
	return grun_fail(err, -errno, "no socket: %s", strerror(errno));
}

int link_accept(int listener, pid_t pid)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (fd < 0)
		return -1;
	if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	    (pid ? peer.pid == pid : peer.uid == geteuid()))
		return fd;
	close(fd);
	return -1;
}

static bool is_whole(const union link_message *m, size_t len)
{
	if (len < sizeof(m->type))
		return false;
	switch (m->type) {
	case AGENT_HELLO:
		return len == sizeof(m->hello) && m->hello.version == AGENT_VERSION &&
		       m->hello.text[AGENT_TEXT - 1] == '\0';
	case AGENT_ACK:
	case AGENT_BYE:
		return len == sizeof(m->ack);
	case AGENT_PAUSED:
		return len == sizeof(m->paused) && m->paused.on <= 1;
	case AGENT_HITS:
		return len >= sizeof(m->hits) && m->hits.nr <= AGENT_BATCH &&
		       len == sizeof(m->hits) + (size_t)m->hits.nr * AGENT_PLACE;
	default:
		return false;
	}
}

bool link_receive(int fd, union link_message *message)
{
	ssize_t n;

	/* with the latter, once, it has ended without reading all: what it sent comes behind that */
	do
		n = recv(fd, message, sizeof(*message), 0);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	return n > 0 && is_whole(message, (size_t)n);
}

bool link_send(int fd, const struct agent_program *program)
{
	ssize_t n;

	do
		n = send(fd, program, sizeof(*program), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == sizeof(*program);
}
