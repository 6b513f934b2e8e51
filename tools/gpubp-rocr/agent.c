// SPDX-License-Identifier: GPL-2.0
/*
 * The agent. GPUBP_AGENT says who asks; without it there is none, and the library only
 * has names.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent.h"
#include "agent_wire.h"
#include "asker.h"
#include "dispatches.h"
#include "drains.h"
#include "freed.h"
#include "kfd.h"
#include "names.h"
#include "next.h"
#include "pause.h"
#include "session.h"
#include "wanted.h"

/* where an interrupt was lost, or the asker wants counts */
#define LOOK_MS		100
#define COUNT_MS	10

/**
 * struct agent - the agent of this process
 * @owner: the process; a child of fork() has none
 * @runs: @thread does
 * @file: readable when it wants something
 * @stop: eventfd: end
 * @kick: eventfd: drain
 * @freed: readable when memory was freed; -1: the asker does not want to know
 * @wanted: what it wants
 * @pause: gives way to a debugger
 * @tried: this process's ROCr has begun
 * @ends: a thread is ending it
 */
static struct agent {
	pid_t owner;
	bool runs;
	pthread_t thread;
	int file, stop, kick, freed;
	struct wanted wanted;
	struct pause pause;
	bool tried;
	bool ends;
} agent = { .file = -1, .stop = -1, .kick = -1, .freed = -1,
	    .pause = { .file = -1, .who = -1 } };

static bool agent_runs(void)
{
	return agent.runs && agent.owner == getpid();
}

static void say_freed(uint64_t at, uint64_t size)
{
	struct wanted *w = &agent.wanted;

	wanted_drain(w);
	if (!w->gone)
		w->gone |= !w->asker->freed(at, size);
}

static void forget_all(void)
{
	/* a child has forgotten it */
	if (agent.owner == getpid())
		freed_deaf();
	pause_close(&agent.pause);
	if (agent.wanted.asker)
		agent.wanted.asker->close();
	if (agent.stop >= 0)
		close(agent.stop);
	if (agent.kick >= 0)
		close(agent.kick);
	agent.wanted.asker = NULL;
	agent.file = agent.stop = agent.kick = agent.freed = -1;
	agent.runs = false;
}

/* a thread of the program waits for its hits */
static void take_drain(void)
{
	uint64_t kicks, asked;

	if (read(agent.kick, &kicks, sizeof(kicks)) != sizeof(kicks))
		return;
	asked = drains_asked();
	wanted_drain(&agent.wanted);
	drains_answer(asked);
}

void agent_drain(void)
{
	if (agent_runs())
		drains_wait(agent.kick);
}

/* ---- the thread ---------------------------------------------------------------------- */

/* that the thread waits for */
enum {
	STOP,
	ASKER,
	KICK,
	FREED,
	PAUSE,
	HITS,
	NR_FILES,
};

/* ms */
static int work_is_due(void)
{
	const struct wanted *w = &agent.wanted;

	if (w->session && !session_sleep(w->session))
		return FILL_MS;
	return w->asker->counts && !wanted_is_nothing(w) ? COUNT_MS : LOOK_MS;
}

static void wait_for_work(struct pollfd *files)
{
	int ms = work_is_due();

	wanted_counts(&agent.wanted);
	poll(files, NR_FILES, ms);
}

/* this thread ends it, and may call abort() */
static _Thread_local bool is_ending;

static void end_session(void)
{
	if (agent.wanted.session)
		session_close(agent.wanted.session);
	agent.wanted.session = NULL;
	forget_all();
}

/* who asked has gone: the process is as it was, unless another thread ends it */
static void leave(void)
{
	if (__atomic_exchange_n(&agent.ends, true, __ATOMIC_SEQ_CST))
		return;
	is_ending = true;
	pthread_detach(pthread_self());
	end_session();
	__atomic_store_n(&agent.ends, false, __ATOMIC_SEQ_CST);
}

static void take_work(const struct pollfd *files)
{
	struct wanted *w = &agent.wanted;

	if (files[KICK].revents)
		take_drain();
	if (files[FREED].revents)
		freed_take(say_freed);
	if (files[PAUSE].revents)
		pause_take(&agent.pause, w);
	if (files[ASKER].revents)
		wanted_program(w, false);
	if (!w->gone)
		pause_go_on(&agent.pause, w);
}

static void *serve(void *unused)
{
	struct pollfd files[NR_FILES] = {
		[STOP] = { .fd = agent.stop, .events = POLLIN },
		[ASKER] = { .fd = agent.file, .events = POLLIN },
		[KICK] = { .fd = agent.kick, .events = POLLIN },
		[FREED] = { .fd = agent.freed, .events = POLLIN },
		[PAUSE] = { .fd = agent.pause.file, .events = POLLIN },
		[HITS] = { .events = POLLIN },
	};
	struct wanted *w = &agent.wanted;

	/* not that of the thread which began it */
	pthread_setname_np(pthread_self(), "gpubp-agent");
	freed_is_heard_here();
	while (!w->gone && !files[STOP].revents) {
		files[HITS].fd = w->session ? session_fd(w->session) : -1;
		if (!wanted_hits(w))
			wait_for_work(files);
		else
			poll(files, HITS, 0);
		take_work(files);
	}
	drains_answer(DRAINS_ALL);
	if (w->gone)
		leave();
	return NULL;
}

/* signals are the program's */
static bool start_thread(void)
{
	sigset_t all, was;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	ret = pthread_create(&agent.thread, NULL, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return !ret;
}

/* ---- begin and end ---------------------------------------------------------------------- */

/* false: it has ended, or this thread does that */
static bool begin_end(void)
{
	if (!agent_runs() || is_ending)
		return false;
	while (__atomic_exchange_n(&agent.ends, true, __ATOMIC_SEQ_CST)) {
		poll(NULL, 0, FILL_MS);
		if (!agent.runs)
			return false;
	}
	if (agent.runs)
		return true;
	__atomic_store_n(&agent.ends, false, __ATOMIC_SEQ_CST);
	return false;
}

void agent_end(void)
{
	const uint64_t one = 1;

	if (!begin_end())
		return;
	is_ending = true;
	if (write(agent.stop, &one, sizeof(one)) != sizeof(one))
		return;
	pthread_join(agent.thread, NULL);
	/* nor does this thread wait */
	freed_deaf();
	wanted_end(&agent.wanted);
	agent.tried = false;
	end_session();
	is_ending = false;
	__atomic_store_n(&agent.ends, false, __ATOMIC_SEQ_CST);
}

static void __attribute__((destructor)) agent_exit(void)
{
	agent_end();
}

static int begin_session(struct agent_hello *hello)
{
	int ret;

	*hello = (struct agent_hello) {
		.type = AGENT_HELLO, .version = AGENT_VERSION, .pid = (uint32_t)getpid(),
	};
	ret = session_open(&agent.wanted.session, hello);
	if (agent.wanted.asker->hello(hello, ret ? NULL : agent.wanted.session) || ret)
		return ret;
	session_close(agent.wanted.session);
	return -EPIPE;
}

static int begin_failed(struct agent_hello *hello, int err, const char *text)
{
	hello->err = err;
	snprintf(hello->text, sizeof(hello->text), "%s", text);
	forget_all();
	return err;
}

static int begin_asked(const char *name, struct agent_hello *hello)
{
	int ret;

	agent.wanted = (struct wanted) {
		.asker = name[0] == '@' ? &asker_socket : &asker_kernel,
	};
	agent.file = agent.wanted.asker->open(name);
	if (agent.file < 0) {
		agent.wanted.asker = NULL;
		return begin_failed(hello, -ECONNREFUSED, "who asks cannot be reached");
	}
	agent.owner = getpid();
	ret = begin_session(hello);
	if (ret == -EPIPE)
		return begin_failed(hello, ret, "who asks does not take it");
	if (ret) {
		forget_all();
		return ret;
	}
	/* what is watched from the first wave on */
	wanted_program(&agent.wanted, true);
	agent.stop = eventfd(0, EFD_CLOEXEC);
	agent.kick = eventfd(0, EFD_CLOEXEC);
	drains_begin();
	if (agent.wanted.asker->freed)
		agent.freed = freed_listen();
	pause_open(&agent.pause);
	kfd_on_end(agent_end);
	agent.runs = agent.stop >= 0 && agent.kick >= 0 && !agent.wanted.gone;
	/* from here on the thread may end it */
	if (agent.runs && start_thread())
		return 0;
	session_close(agent.wanted.session);
	return begin_failed(hello, -EAGAIN, "who asks has gone, or there is no thread");
}

static bool asker_is_gone(void)
{
	struct pollfd file = { .fd = agent.file, .events = POLLRDHUP };

	return poll(&file, 1, 0) > 0 && file.revents & (POLLRDHUP | POLLHUP);
}

bool agent_is_asked(void)
{
	return agent_runs() && !asker_is_gone();
}

/* one whose asker was killed a moment ago is about to leave */
static void wait_for_leave(void)
{
	unsigned int tries = 0;

	while (agent_runs() && asker_is_gone() && tries++ < FILL_TRIES)
		poll(NULL, 0, FILL_MS);
}

int agent_attach(const char *asker, struct agent_hello *hello)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int ret = -EALREADY;

	pthread_mutex_lock(&lock);
	wait_for_leave();
	if (!agent_runs())
		ret = begin_asked(asker, hello);
	pthread_mutex_unlock(&lock);
	return ret;
}

static void agent_begin(void)
{
	const char *name = getenv("GPUBP_AGENT");
	struct agent_hello hello;

	if (agent.tried || !name)
		return;
	agent.tried = true;
	agent_attach(name, &hello);
}

/* libc's */
static void (*next_abort)(void);

/* HIP and ROCr call it for a queue with an error: what its waves did last is of interest */
WRAPPER void abort(void)
{
	agent_end();
	if (next_abort)
		next_abort();
	_exit(128 + SIGABRT);
}

static void __attribute__((constructor)) agent_init(void)
{
	next_abort = next_function("abort");
	/* the parent's end is seen only if no child has its file */
	pthread_atfork(NULL, NULL, forget_all);
	dispatches_on_say(agent_drain);
	/* where ROCr loads no tools by HSA_TOOLS_LIB */
	kfd_on_queue(agent_begin);
}

WRAPPER bool OnLoad(void *table, uint64_t version, uint64_t nr_failed, const char *const *failed)
{
	agent_begin();
	return true;
}

WRAPPER void OnUnload(void)
{
	agent_end();
}
