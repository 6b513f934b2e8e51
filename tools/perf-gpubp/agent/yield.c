// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "yield.h"

#define ANSWER_MS	20000

static int connect_agent(pid_t pid, struct grun_err *err)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	socklen_t len;

	if (fd < 0)
		return grun_fail(err, -errno, "no socket: %s", strerror(errno));
	len = agent_pause_address(&address, pid);
	if (!connect(fd, (struct sockaddr *)&address, len))
		return fd;
	close(fd);
	return grun_fail(err, -ESRCH, "process %d has no agent of ROCm's GPUs", (int)pid);
}

/* any process can take a name */
static int check_peer(int fd, pid_t pid, struct grun_err *err)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) && peer.pid == pid)
		return 0;
	return grun_fail(err, -EPERM, "the agent of process %d cannot be asked: process %d has its name",
			 (int)pid, (int)peer.pid);
}

static int ask(int fd, pid_t pid, const struct agent_request *request,
	       struct agent_answer *answer, struct grun_err *err)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	ssize_t n;

	if (send(fd, request, sizeof(*request), MSG_NOSIGNAL) != sizeof(*request))
		return grun_fail(err, -EPERM, "process %d is another user's", (int)pid);
	if (poll(&in, 1, ANSWER_MS) <= 0)
		return grun_fail(err, -ETIMEDOUT,
				 "the agent of process %d does not answer: is the process stopped?",
				 (int)pid);
	n = recv(fd, answer, sizeof(*answer), 0);
	if (n == sizeof(*answer) && answer->type == AGENT_ANSWER)
		return 0;
	return grun_fail(err, -EPERM, "process %d is another user's, or has ended", (int)pid);
}

int yield_ask(pid_t pid, const struct agent_request *request, struct agent_answer *answer,
	      struct grun_err *err)
{
	int fd = connect_agent(pid, err), ret;

	if (fd < 0)
		return fd;
	ret = check_peer(fd, pid, err);
	if (!ret)
		ret = ask(fd, pid, request, answer, err);
	close(fd);
	return ret;
}
