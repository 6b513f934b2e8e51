// SPDX-License-Identifier: GPL-2.0
/*
 * The agent gives way to a debugger: who may ask, what the asker hears, when it comes back.
 * The session is the test's, the debugger a child of this process that traces it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asker.h"
#include "pause.h"
#include "session.h"
#include "tap.h"
#include "wanted.h"

static int there;	/* the session */
static int open_err;	/* why there is none */
static unsigned int nr_opens, nr_closes;

int session_open(struct session **session, struct agent_hello *hello)
{
	(void)hello;
	nr_opens++;
	if (!open_err)
		*session = (struct session *)&there;
	return open_err;
}

void session_close(struct session *session)
{
	(void)session;
	nr_closes++;
}

int session_set(struct session *session, unsigned int n, const struct agent_slot *slot)
{
	(void)session;
	(void)n;
	(void)slot;
	return 0;
}

int session_update(struct session *session, unsigned int n, const struct agent_slot *slot)
{
	return session_set(session, n, slot);
}

void session_clear(struct session *session, unsigned int n)
{
	(void)session;
	(void)n;
}

void session_counts(struct session *session, unsigned int n, struct agent_counts *counts)
{
	(void)session;
	(void)n;
	memset(counts, 0, sizeof(*counts));
}

unsigned int session_read(struct session *session, struct agent_hits *hits,
			  unsigned char (*places)[AGENT_PLACE], unsigned int max)
{
	(void)session;
	(void)hits;
	(void)places;
	(void)max;
	return 0;
}

uint32_t session_head(struct session *session)
{
	(void)session;
	return 0;
}

bool session_is_drained(struct session *session, uint32_t head)
{
	(void)session;
	(void)head;
	return true;
}

void session_skip(struct session *session)
{
	(void)session;
}

/* ---- the asker ------------------------------------------------------------------------ */

static struct wanted wanted;
static struct pause pauses;
static int told;	/* the last that it heard */
static bool slot_is_on;	/* what it wants next */
static int32_t acked;

static bool hears_pause(bool on, struct session *session)
{
	told = on;
	return on || session == (struct session *)&there;
}

static int next_program(struct agent_program *program, bool wait)
{
	(void)wait;
	*program = (struct agent_program){ .seq = 1, .slot[0].on = slot_is_on };
	return 1;
}

static bool takes_ack(const struct agent_ack *ack, uint32_t anew)
{
	(void)anew;
	acked = ack->err[0];
	return true;
}

static const struct asker asker = {
	.program = next_program, .ack = takes_ack, .paused = hears_pause,
};

static void wants(bool on)
{
	slot_is_on = on;
	wanted_program(&wanted, false);
	pause_go_on(&pauses, &wanted);
}

/* ---- users ------------------------------------------------------------------------------ */

static int ask(uint32_t type, uint32_t seconds)
{
	const struct agent_request request = { type, seconds };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0), len;

	len = snprintf(address.sun_path, sizeof(address.sun_path), AGENT_PAUSE_SOCKET, getpid());
	address.sun_path[0] = '\0';
	if (connect(fd, (struct sockaddr *)&address,
		    (socklen_t)offsetof(struct sockaddr_un, sun_path) + (socklen_t)len) ||
	    send(fd, &request, sizeof(request), 0) != sizeof(request))
		return -1;
	pause_take(&pauses, &wanted);
	return fd;
}

/* false: there is no answer, or another one */
static bool answered(int fd, int err, bool paused, bool traced)
{
	struct agent_answer answer;
	bool ok = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT) == sizeof(answer) &&
		  answer.type == AGENT_ANSWER && answer.err == err &&
		  answer.paused == paused && answer.is_traced == traced;

	close(fd);
	return ok;
}

static bool waits(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

static bool state_is(bool paused, bool traced)
{
	return answered(ask(AGENT_STATE, 0), 0, paused, traced);
}

/* ---- a debugger -------------------------------------------------------------------------- */

/* it traces this process until the pipe is closed; a pipe that says so */
static pid_t debugger_begins(int *until)
{
	int go[2], ready[2];
	pid_t pid, parent = getpid();
	char byte = 0;

	if (pipe(go) || pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (read(go[0], &byte, 1) != 1 || ptrace(PTRACE_SEIZE, parent, 0, 0) ||
		    write(ready[1], &byte, 1) != 1)
			_exit(1);
		_exit(read(go[0], &byte, 1) != 0);
	}
	prctl(PR_SET_PTRACER, pid, 0, 0, 0);
	close(go[0]);
	close(ready[1]);
	*until = go[1];
	if (write(go[1], &byte, 1) != 1 || read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static bool debugger_ends(pid_t pid, int until)
{
	int status;

	close(until);
	return waitpid(pid, &status, 0) == pid && !status;
}

static void await_return(void)
{
	while (pauses.state != PAUSE_NONE) {
		poll(NULL, 0, 1);
		pause_go_on(&pauses, &wanted);
	}
}

/* ---- cases -------------------------------------------------------------------------------- */

static void gives_way(void)
{
	int user = ask(AGENT_YIELD, 3600), other;

	tap_ok(told == 1 && waits(user) && !nr_closes, "the asker hears of it, and has something on");
	other = ask(AGENT_YIELD, 1);
	tap_ok(answered(other, -EALREADY, true, false), "a second user is answered that");
	wants(true);
	tap_ok(waits(user) && !nr_closes, "a program of before: the session stays");
	wants(false);
	tap_ok(nr_closes == 1 && !wanted.session && answered(user, 0, true, false),
	       "nothing is wanted: it is closed, and the user is answered");
	wants(true);
	tap_ok(acked == -EBUSY, "a program in between is answered, too");
	wants(false);
	tap_ok(!nr_opens, "... and nothing was opened");
}

static void comes_back(void)
{
	unsigned int opens;
	int until;
	pid_t pid;

	pid = debugger_begins(&until);
	tap_ok(pid > 0 && state_is(true, true), "a debugger traces the process");
	pauses.next = 0;
	pause_go_on(&pauses, &wanted);
	tap_ok(pauses.was_traced && !nr_opens, "... which is seen, and let be");
	open_err = -EALREADY;
	tap_ok(answered(ask(AGENT_RETURN, 0), -EALREADY, true, true) && told == 1,
	       "it cannot be called back");
	opens = nr_opens;
	tap_ok(debugger_ends(pid, until), "the debugger ends");
	while (nr_opens < opens + 3) {
		poll(NULL, 0, 1);
		pause_go_on(&pauses, &wanted);
	}
	tap_ok(pauses.state == PAUSE_LASTS && pauses.backoff > 50 && pauses.backoff <= 2000,
	       "... and its session does not: that is tried again, each time later");
	open_err = 0;
	await_return();
	tap_ok(!told && wanted.session == (struct session *)&there && state_is(false, false),
	       "the asker hears that it is back");
}

static void none_comes(void)
{
	int user;

	wants(true);
	nr_opens = 0;
	user = ask(AGENT_YIELD, 0);
	wants(false);
	tap_ok(answered(user, 0, true, false), "for no time");
	await_return();
	tap_ok(nr_opens == 1 && !told, "no debugger came: it is back");
	user = ask(AGENT_YIELD, 3600);
	wants(false);
	tap_ok(answered(user, 0, true, false) && answered(ask(AGENT_RETURN, 0), 0, false, false),
	       "a user calls it back");
	tap_ok(answered(ask(99, 0), -EINVAL, false, false), "what is no request");
	wants(true);
	user = ask(AGENT_YIELD, 3600);
	tap_ok(answered(ask(AGENT_RETURN, 0), 0, false, false) &&
	       answered(user, -ECANCELED, false, false) && !told,
	       "... before the asker has answered");
	user = ask(AGENT_YIELD, 3600);
	pause_close(&pauses);
	tap_ok(recv(user, &user, 1, 0) == 0, "the agent ends: its user does not wait");
	close(user);
}

int main(void)
{
	wanted = (struct wanted){ .asker = &asker, .session = (struct session *)&there };
	tap_plan(19);
	pause_open(&pauses);
	tap_ok(pauses.file >= 0, "it can be asked");
	wants(true);
	gives_way();
	comes_back();
	none_comes();
	return tap_status();
}
