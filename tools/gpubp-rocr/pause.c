// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "asker.h"
#include "pause.h"
#include "session.h"
#include "wanted.h"

/* how often to look whether a debugger is there; to try to have the GPU again, at most and least */
#define LOOK_MS		50
#define BACKOFF_MS	50
#define BACKOFF_MAX_MS	2000
#define REQUEST_MS	1000	/* until a connection has to have its request */

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* amdkfd lets others debug only what they trace, by its first thread */
static bool process_is_traced(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[128];
	int pid = 0;

	while (file && fgets(line, sizeof(line), file) &&
	       sscanf(line, "TracerPid: %d", &pid) != 1)
		;
	if (file)
		fclose(file);
	return pid;
}

/* ---- requests ------------------------------------------------------------------------ */

void pause_open(struct pause *p)
{
	struct sockaddr_un address;
	socklen_t len = agent_pause_address(&address, getpid());

	*p = (struct pause) {
		.file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
		.who = -1,
	};
	if (p->file < 0)
		return;
	if (!bind(p->file, (struct sockaddr *)&address, len) && !listen(p->file, 8))
		return;
	close(p->file);
	p->file = -1;
}

void pause_close(struct pause *p)
{
	if (p->file >= 0)
		close(p->file);
	if (p->who >= 0)
		close(p->who);
	*p = (struct pause){ .file = -1, .who = -1 };
}

static void answer(const struct pause *p, int who, int err)
{
	const struct agent_answer message = {
		.type = AGENT_ANSWER, .err = err, .paused = p->state != PAUSE_NONE,
		.is_traced = p->state == PAUSE_LASTS && process_is_traced(),
	};

	send(who, &message, sizeof(message), MSG_NOSIGNAL);
	close(who);
}

static void answer_who(struct pause *p, int err)
{
	if (p->who >= 0)
		answer(p, p->who, err);
	p->who = -1;
}

/* of the user whose process this is, or of root; else -1 */
static int request_accept(const struct pause *p, struct agent_request *request)
{
	const struct timeval patience = { .tv_sec = REQUEST_MS / 1000 };
	int fd = accept4(p->file, NULL, NULL, SOCK_CLOEXEC);
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (fd < 0)
		return -1;
	if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	    (!peer.uid || peer.uid == geteuid()) &&
	    !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) &&
	    recv(fd, request, sizeof(*request), 0) == sizeof(*request))
		return fd;
	close(fd);
	return -1;
}

/* ---- begin and end ---------------------------------------------------------------------- */

static void pause_from_now(struct pause *p)
{
	p->was_traced = false;
	p->until = now_ms() + (uint64_t)p->seconds * 1000;
	p->next = 0;
	p->backoff = BACKOFF_MS;
}

static void pause_yield(struct pause *p, struct wanted *w, int who, uint32_t seconds)
{
	p->seconds = seconds;
	if (p->who >= 0)
		return answer(p, who, -EALREADY);
	if (p->state == PAUSE_LASTS) {
		pause_from_now(p);
		return answer(p, who, 0);
	}
	p->who = who;
	p->state = PAUSE_BEGINS;
	w->gone |= !w->asker->paused(true, w->session);
}

static void pause_end(struct pause *p, struct wanted *w)
{
	p->state = PAUSE_NONE;
	w->gone |= !w->asker->paused(false, w->session);
}

/* back to the asker, if the GPU can be had */
static int pause_return(struct pause *p, struct wanted *w)
{
	struct agent_hello hello = { 0 };
	int ret = p->state == PAUSE_LASTS ? session_open(&w->session, &hello) : 0;

	if (ret)
		w->session = NULL;
	else if (p->state != PAUSE_NONE)
		pause_end(p, w);
	return ret;
}

void pause_take(struct pause *p, struct wanted *w)
{
	struct agent_request request;
	int who = request_accept(p, &request);

	if (who < 0)
		return;
	switch (request.type) {
	case AGENT_YIELD:
		pause_yield(p, w, who, request.seconds);
		break;
	case AGENT_RETURN:
		answer(p, who, pause_return(p, w));
		answer_who(p, -ECANCELED);
		break;
	case AGENT_STATE:
		answer(p, who, 0);
		break;
	default:
		answer(p, who, -EINVAL);
	}
}

/* ---- in between ------------------------------------------------------------------------ */

/* all that was recorded and counted has been said with the program that wants nothing */
static void pause_begun(struct pause *p, struct wanted *w)
{
	session_close(w->session);
	w->session = NULL;
	p->state = PAUSE_LASTS;
	pause_from_now(p);
	answer_who(p, 0);
}

static void pause_look(struct pause *p, struct wanted *w)
{
	const uint64_t now = now_ms();
	const bool is_traced = process_is_traced();

	p->was_traced |= is_traced;
	p->next = now + LOOK_MS;
	/* to try takes the GPU, if only for a moment, from a debugger that is about to come */
	if (is_traced || (!p->was_traced && now < p->until) || !pause_return(p, w))
		return;
	p->next = now + p->backoff;
	p->backoff = p->backoff < BACKOFF_MAX_MS / 2 ? p->backoff * 2 : BACKOFF_MAX_MS;
}

void pause_go_on(struct pause *p, struct wanted *w)
{
	if (p->state == PAUSE_BEGINS && wanted_is_nothing(w))
		pause_begun(p, w);
	else if (p->state == PAUSE_LASTS && now_ms() >= p->next)
		pause_look(p, w);
}
