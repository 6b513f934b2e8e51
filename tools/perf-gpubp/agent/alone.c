// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "agent_env.h"
#include "alone.h"
#include "attach.h"
#include "found.h"
#include "link.h"
#include "listen.h"
#include "plural.h"
#include "verb.h"

#define LIBRARY		"libgpubp-rocr.so"
#define LOOK_MS		20

/**
 * struct state - a command that runs
 * @alone: what is run
 * @out: where findings go
 * @names: our end of the socket of names
 * @naming: where names come from if that is to connect, else -1
 * @agents: where agents connect
 * @agent: the one of the process that is watched, -1 none
 * @pid: that process
 * @gfx: its GPU
 * @map: names
 * @finds: findings
 * @pauses: its agent gives way to a debugger, or does so no longer, and is to be answered
 * @said_paused: that it does was said last
 * @served: a process had an agent
 * @refused: another one wanted to be watched at the same time
 * @torn: a process ended without its last message
 * @failed: something went wrong, and was said
 */
struct state {
	struct alone *alone;
	FILE *out;
	int names;
	int naming;
	int agents;
	int agent;
	uint32_t pid;
	uint32_t gfx;
	struct guard_map map;
	struct finds finds;
	bool pauses;
	bool said_paused;
	bool served;
	bool refused;
	bool torn;
	bool failed;
};

static void fail(struct state *s, const char *text)
{
	if (!s->failed)
		complain("%s", text);
	s->failed = true;
}

/* ---- hits ----------------------------------------------------------------------------- */

static void take_hits(struct state *s, const union link_message *m)
{
	const struct agent_program *program = &s->alone->ask.program;
	_Alignas(uint64_t) unsigned char place[AGENT_PLACE];
	struct place_hit hit;
	unsigned int n, id, slot;
	uint32_t number;

	ask_counted(&s->alone->ask, m->hits.counts);
	for (n = 0; n < m->hits.nr; n++) {
		number = m->hits.first + n;
		memcpy(place, m->places[n], AGENT_PLACE);
		id = place_comparator(s->gfx, place, number);
		slot = id < AGENT_SLOTS ? m->hits.slot[id] : AGENT_SLOTS;
		if (slot >= s->alone->ask.nr || !program->slot[slot].on ||
		    !place_decode(s->gfx, place, number, &program->slot[slot], &hit))
			fail(s, "a hit of the process is malformed: does it write to the ring of hits?");
		else if (found_add(&s->finds, &s->map, s->pid, slot, &hit))
			fail(s, "out of memory");
	}
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void agent_gone(struct state *s, const struct agent_ack *bye)
{
	close(s->agent);
	s->agent = -1;
	s->torn |= !bye;
	s->pauses = false;
	ask_ended(&s->alone->ask, bye, now_ns());
}

static void take_pause(struct state *s, bool on)
{
	ask_paused(&s->alone->ask, on, now_ns());
	s->pauses = true;
}

/* of a message that is not awaited */
static void take_message(struct state *s, const union link_message *m)
{
	if (m->type == AGENT_HITS)
		take_hits(s, m);
	else if (m->type == AGENT_PAUSED)
		take_pause(s, m->paused.on);
	else if (m->type == AGENT_BYE)
		agent_gone(s, &m->ack);
	else
		agent_gone(s, NULL);
}

/* ---- what is wanted --------------------------------------------------------------------- */

/* all hits that there were are taken when it returns */
static void send_one(struct state *s)
{
	static union link_message m;
	struct agent_program next;

	s->pauses = false;
	ask_program(&s->alone->ask, &next);
	/* if it has ended, what it said before is still to be read */
	link_send(s->agent, &next);
	while (s->agent >= 0) {
		if (!link_receive(s->agent, &m)) {
			agent_gone(s, NULL);
		} else if (m.type == AGENT_ACK && m.ack.seq == next.seq) {
			ask_answered(&s->alone->ask, &next, &m.ack);
			return;
		} else {
			take_message(s, &m);
		}
	}
}

static void send_program(struct state *s)
{
	do
		send_one(s);
	while (s->pauses);
}

static void say_unarmed(struct state *s)
{
	struct ask_watch *w = s->alone->ask.watch;
	unsigned int n;

	for (n = 0; n < s->alone->ask.nr; n++, w++) {
		if (!w->err)
			continue;
		if (w->err == -ENOMEM)
			complain("%s is not watched: no comparator of the GPU is left, other processes have them",
				 w->text);
		else if (w->err == -ERANGE)
			complain("%s is not watched: no block of a comparator has all of it; watch less",
				 w->text);
		else
			complain("%s is not watched: %s", w->text, strerror(-w->err));
		s->failed = true;
		w->err = 0;
	}
}

/* what is armed, or not, is so */
static void say_paused(struct state *s)
{
	bool on = s->alone->ask.is_paused;

	if (s->agent < 0 || on == s->said_paused)
		return;
	complain(on ? "process %u is not watched from now on: a debugger can have the GPU" :
		      "process %u is watched again", s->pid);
	s->said_paused = on;
}

/* no wave of the process has run: its agent begins at its first queue at the latest */
static void bind_known(struct state *s)
{
	const struct guard_buffer *b = s->map.buffers.list;
	size_t i;

	for (i = 0; i < s->map.buffers.nr; i++, b++)
		if (b->pid == s->pid)
			ask_buffer(&s->alone->ask, b->va, b->size, b->name);
}

static void begin_process(struct state *s, int fd, const struct agent_hello *hello)
{
	s->agent = fd;
	s->pid = hello->pid;
	s->gfx = hello->gfx;
	s->served = true;
	ask_begin(&s->alone->ask, hello);
	bind_known(s);
	send_program(s);
	say_unarmed(s);
	if (s->alone->pid && s->agent >= 0)
		complain("process %u is watched: SIGINT ends that", s->pid);
}

/* the process waits until it is answered, or refused */
static void take_agent(struct state *s)
{
	static union link_message m;
	int fd = link_accept(s->agents, s->alone->pid);

	if (fd < 0)
		return;
	if (!link_receive(fd, &m) || m.type != AGENT_HELLO) {
		fail(s, "an agent is malformed: is its " LIBRARY " of another version?");
	} else if (m.hello.err) {
		complain("process %u is not watched: %s", m.hello.pid, m.hello.text);
		s->failed = true;
	} else if (s->agent >= 0) {
		complain("process %u is not watched: without gpubp.ko one process is at a time, and that is %u",
			 m.hello.pid, s->pid);
		s->failed = true;
	} else {
		begin_process(s, fd, &m.hello);
		return;
	}
	close(fd);
}

/* ---- names ------------------------------------------------------------------------------ */

static bool message_buffer(const char *text, struct guard_buffer *b)
{
	long long unsigned int va, size;

	if (sscanf(text, "buffer %u %llx %llx %63s", &b->pid, &va, &size, b->name) != 4)
		return false;
	b->va = va;
	b->size = size;
	return true;
}

/* hits that came before are named by what was known before */
static void take_name(struct state *s, const char *text)
{
	struct guard_buffer b;
	bool ours = s->agent >= 0 && message_buffer(text, &b) && b.pid == s->pid;
	enum guard_news news;

	if (ours && !b.size) {
		ask_buffer(&s->alone->ask, b.va, 0, b.name);
		send_program(s);
	}
	news = guard_message(&s->map, text);
	if (news == GUARD_MALFORMED)
		fail(s, "a message of the command is malformed: is its " LIBRARY " of another version?");
	else if (news == GUARD_NO_MEMORY)
		fail(s, "out of memory");
	if (ours && b.size && s->agent >= 0) {
		ask_buffer(&s->alone->ask, b.va, b.size, b.name);
		send_program(s);
		say_unarmed(s);
	}
}

/* false: no process has the other end any more */
static bool take_names(struct state *s)
{
	char text[LISTEN_MAX];
	ssize_t n;

	while ((n = listen_receive(s->names, 0, text)) > 0) {
		take_name(s, text);
		if (!listen_answer(s->names))
			return false;
	}
	return !n;
}

/* the process is as it was when this has returned */
static void end_watching(struct state *s)
{
	if (s->agent < 0)
		return;
	ask_nothing(&s->alone->ask);
	send_program(s);
	if (s->agent < 0)
		return;
	close(s->agent);
	s->agent = -1;
	ask_ended(&s->alone->ask, NULL, now_ns());
}

/* ---- the command -------------------------------------------------------------------------- */

static pid_t start_command(const char **command, const char *agent)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	agent_env_set(agent);
	execvp(command[0], (char **)(uintptr_t)command);
	complain("%s: %s", command[0], strerror(errno));
	_exit(EXIT_NO_COMMAND);
}

/* 128 + the signal, as of a shell, if one ended it */
static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static pid_t running;

static void pass_on(int sig)
{
	if (running > 0)
		kill(running, sig);
}

/* what the terminal sends, it sends to the command, too */
static void handle_signals(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, pass_on);
}

/* false: there were none */
static bool wait_for_messages(struct state *s, bool *named, int timeout_ms)
{
	struct pollfd files[] = {
		{ .fd = *named ? s->names : -1, .events = POLLIN },
		{ .fd = s->agents, .events = POLLIN },
		{ .fd = s->agent, .events = POLLIN },
	};
	static union link_message m;

	if (poll(files, 3, timeout_ms) <= 0)
		return false;
	/* names come before the hits that they are for */
	if (files[0].revents)
		*named = take_names(s);
	if (files[1].revents)
		take_agent(s);
	if (files[2].revents && s->agent == files[2].fd) {
		if (link_receive(s->agent, &m))
			take_message(s, &m);
		else
			agent_gone(s, NULL);
	}
	if (s->pauses) {
		send_program(s);
		say_unarmed(s);
	}
	say_paused(s);
	return true;
}

static int follow_command(struct state *s)
{
	bool named = true;
	int status = 0;
	pid_t ended;

	do {
		ended = waitpid(running, &status, WNOHANG);
		if (!ended || (ended < 0 && errno == EINTR))
			wait_for_messages(s, &named, LOOK_MS);
	} while (!ended || (ended < 0 && errno == EINTR));
	/* what it sent before it ended; and a process of it may go on */
	while (wait_for_messages(s, &named, s->agent >= 0 ? LOOK_MS : 0) || s->agent >= 0)
		;
	return ended < 0 ? EXIT_ERROR : exit_status(status);
}

/* ---- a process that runs ------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;

static void interrupt(int sig)
{
	interrupted = sig;
}

static void end_by_signals(void)
{
	/* without SA_RESTART: they end poll() */
	const struct sigaction action = { .sa_handler = interrupt };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* the first one is the agent's; false: it has not come */
static bool take_naming(struct state *s)
{
	s->names = link_accept(s->naming, s->alone->pid);
	if (s->names < 0)
		return false;
	close(s->naming);
	s->naming = -1;
	return true;
}

static bool process_is_there(pid_t pid)
{
	return !kill(pid, 0) || errno != ESRCH;
}

/* until it ends, or a signal says so, or its agent does not begin */
static void follow_process(struct state *s)
{
	bool named = false;

	while (!interrupted && process_is_there(s->alone->pid) && (s->served || !s->failed) &&
	       (!s->served || s->agent >= 0)) {
		if (s->naming >= 0)
			named = take_naming(s);
		wait_for_messages(s, &named, LOOK_MS);
	}
	if (interrupted)
		end_watching(s);
	while (wait_for_messages(s, &named, s->agent >= 0 ? LOOK_MS : 0) || s->agent >= 0)
		;
}

static int run_process(struct state *s)
{
	char agent[LINK_NAME], names[LINK_NAME];
	struct grun_err err;

	s->failed = true;
	if (access(agent_library(), R_OK))
		return complain("%s: %s", agent_library(), strerror(errno));
	s->agents = link_begin(agent, &err);
	s->naming = s->agents < 0 ? -1 : link_begin(names, &err);
	if (s->naming < 0)
		return complain("%s", err.text);
	end_by_signals();
	if (attach_agent(s->alone->pid, agent, names, &err))
		return complain("%s", err.text);
	s->failed = false;
	follow_process(s);
	close(s->agents);
	return EXIT_OK;
}

static int run_command(struct state *s)
{
	int theirs = -1, status;
	char agent[LINK_NAME];
	struct grun_err err;

	s->failed = true;
	if (access(agent_library(), R_OK))
		return complain("%s: %s", agent_library(), strerror(errno));
	s->agents = link_begin(agent, &err);
	if (s->agents < 0 || listen_begin(&s->names, &theirs, &err))
		return complain("%s", err.text);
	fflush(NULL);
	running = start_command(s->alone->command, agent);
	close(theirs);
	if (running < 0)
		return complain("%s: %s", s->alone->command[0], strerror(errno));
	s->failed = false;
	handle_signals();
	status = follow_command(s);
	close(s->agents);
	close(s->names);
	return status;
}

/* ---- at the end ----------------------------------------------------------------------------- */

static void say_unbound(struct state *s)
{
	const struct ask_watch *w = s->alone->ask.watch;
	unsigned int n;

	for (n = 0; s->served && n < s->alone->ask.nr; n++, w++) {
		if (!w->was_bound && w->small)
			complain("%s was not watched: the buffer of that name has no such bytes",
				 w->text);
		else if (!w->was_bound)
			complain("%s was not watched: no buffer had that name", w->text);
		if (w->missed)
			complain("%s: %u more buffer%s of that name %s not watched", w->text,
				 w->missed, plural(w->missed),
				 w->missed == 1 ? "was" : "were");
		s->failed |= !w->was_bound;
	}
}

static int print_all(struct state *s)
{
	if (s->alone->json)
		found_json(&s->finds, &s->alone->ask, s->out);
	else
		found_print(&s->finds, &s->alone->ask, s->out);
	return finish_output(s->out, s->alone->path ? s->alone->path : "standard output");
}

int alone_run(struct alone *alone)
{
	struct state s = { .alone = alone, .agent = -1, .names = -1, .naming = -1, .out = stdout };
	int status;

	if (alone->path && strcmp(alone->path, "-"))
		s.out = fopen(alone->path, "we");
	if (!s.out)
		return complain("%s: %s", alone->path, strerror(errno));
	status = alone->pid ? run_process(&s) : run_command(&s);
	if (!s.served && !s.failed && status != EXIT_NO_COMMAND) {
		complain("the %s used no GPU by ROCr, so that nothing was watched",
			 alone->pid ? "process" : "command");
		s.failed = true;
	}
	say_unbound(&s);
	s.failed |= s.torn;
	if (s.torn)
		complain("the process was killed: its last hits may be missing, and are not counted");
	if (s.served && print_all(&s))
		s.failed = true;
	found_free(&s.finds);
	guard_map_free(&s.map);
	return status ? status : s.failed ? EXIT_ERROR : EXIT_OK;
}
