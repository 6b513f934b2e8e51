// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "listen.h"

int listen_begin(int *ours, int *theirs, struct grun_err *err)
{
	char text[16];
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds))
		return grun_fail(err, -errno, "no socket: %s", strerror(errno));
	*ours = fds[0];
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	*theirs = fds[1];
	snprintf(text, sizeof(text), "%d", fds[1]);
	setenv("GPUBP_LISTENER", text, 1);
	return 0;
}

ssize_t listen_receive(int ours, int timeout_ms, char text[LISTEN_MAX])
{
	struct pollfd in = { .fd = ours, .events = POLLIN };
	ssize_t n;

	if (poll(&in, 1, timeout_ms) <= 0)
		return 0;
	n = recv(ours, text, LISTEN_MAX - 1, MSG_DONTWAIT);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	return n;
}

bool listen_answer(int ours)
{
	return send(ours, "", 1, MSG_NOSIGNAL) >= 0;
}
