// SPDX-License-Identifier: GPL-2.0
/*
 * A tool asks, at the other end of a socket: agent_wire.h.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "asker.h"

static int socket_fd = -1;

int asker_connect(const char *name)
{
	struct sockaddr_un address;
	struct ucred asker;
	socklen_t size = sizeof(asker), len;
	int fd;

	if (strlen(name) >= sizeof(address.sun_path))
		return -1;
	len = agent_address(&address, name);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&address, len) ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &asker, &size) ||
	    (asker.uid && asker.uid != geteuid())) {
		close(fd);
		return -1;
	}
	return fd;
}

static int socket_open(const char *name)
{
	socket_fd = asker_connect(name);
	return socket_fd;
}

static bool send_all(const struct iovec *parts, size_t nr)
{
	struct msghdr message = { .msg_iov = (struct iovec *)parts, .msg_iovlen = nr };
	ssize_t n;

	do
		n = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n >= 0;
}

static bool send_one(const void *message, size_t len)
{
	const struct iovec part = { (void *)message, len };

	return send_all(&part, 1);
}

static bool socket_hello(const struct agent_hello *hello, struct session *session)
{
	return send_one(hello, sizeof(*hello));
}

static int socket_program(struct agent_program *program, bool wait)
{
	ssize_t n;

	do
		n = recv(socket_fd, program, sizeof(*program), wait ? 0 : MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	return n == sizeof(*program) && program->type == AGENT_PROGRAM ? 1 : -1;
}

static bool socket_ack(const struct agent_ack *ack, uint32_t anew)
{
	return send_one(ack, sizeof(*ack));
}

static bool socket_hits(const struct agent_hits *hits,
			const unsigned char (*places)[AGENT_PLACE])
{
	const struct iovec parts[] = {
		{ (void *)hits, sizeof(*hits) },
		{ (void *)places, (size_t)hits->nr * AGENT_PLACE },
	};

	return send_all(parts, 2);
}

static bool socket_paused(bool on, struct session *session)
{
	const struct agent_paused paused = { .type = AGENT_PAUSED, .on = on };

	return send_one(&paused, sizeof(paused));
}

static void socket_bye(const struct agent_ack *ack)
{
	send_one(ack, sizeof(*ack));
}

static void socket_close(void)
{
	close(socket_fd);
	socket_fd = -1;
}

const struct asker asker_socket = {
	.open = socket_open,
	.hello = socket_hello,
	.program = socket_program,
	.ack = socket_ack,
	.hits = socket_hits,
	.paused = socket_paused,
	.bye = socket_bye,
	.close = socket_close,
};
