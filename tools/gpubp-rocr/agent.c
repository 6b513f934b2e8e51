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
#include "freed.h"
#include "kfd.h"
#include "names.h"
#include "next.h"
#include "session.h"

/*
 * Where an interrupt was lost, or the asker wants counts, or a place is being filled; and how
 * often for the latter.
 */
#define LOOK_MS		100
#define COUNT_MS	10
#define FILL_MS		1
#define FILL_TRIES	2000

/**
 * struct agent - the agent of this process
 * @owner: the process; a child of fork() has none
 * @runs: @thread does
 * @asker: who asks, NULL: there is none
 * @file: readable when it wants something
 * @stop: eventfd: end
 * @freed: readable when memory was freed; -1: nobody wants to know
 * @session: on the node, NULL none
 * @program: what is wanted
 * @err: of each slot
 * @gone: the asker is
 * @tried: this process's ROCr has begun
 * @ends: a thread is ending it
 */
static struct agent {
	pid_t owner;
	bool runs;
	pthread_t thread;
	const struct asker *asker;
	int file, stop, freed;
	struct session *session;
	struct agent_program program;
	int32_t err[AGENT_SLOTS];
	bool gone;
	bool tried;
	bool ends;
} agent = { .file = -1, .stop = -1, .freed = -1 };

/* ---- messages ----------------------------------------------------------------------- */

static void all_counts(struct agent_counts counts[AGENT_SLOTS])
{
	unsigned int n;

	for (n = 0; n < AGENT_SLOTS; n++)
		session_counts(agent.session, n, &counts[n]);
}

/* false: there are none that are complete */
static bool send_hits(void)
{
	static unsigned char places[AGENT_BATCH][AGENT_PLACE] __attribute__((aligned(8)));
	struct agent_hits hits = { .type = AGENT_HITS };

	if (!session_read(agent.session, &hits, places, AGENT_BATCH))
		return false;
	all_counts(hits.counts);
	agent.gone |= !agent.asker->hits(&hits, places);
	return true;
}

static void say_bye(void)
{
	struct agent_ack ack = { .type = AGENT_BYE, .seq = agent.program.seq };

	memcpy(ack.err, agent.err, sizeof(ack.err));
	all_counts(ack.counts);
	agent.asker->bye(&ack);
}

/* ---- what is wanted ------------------------------------------------------------------ */

/*
 * All hits that there are now; more may come. One whose wave was killed while it stored it does
 * not become complete.
 */
static void drain(void)
{
	const uint32_t head = session_head(agent.session);
	unsigned int tries = 0;

	while (!agent.gone && !session_is_drained(agent.session, head)) {
		if (send_hits()) {
			tries = 0;
		} else if (tries++ < FILL_TRIES) {
			poll(NULL, 0, FILL_MS);
		} else {
			session_skip(agent.session);
			tries = 0;
		}
	}
}

static bool is_same(const struct agent_slot *a, const struct agent_slot *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/**
 * enum change - what a program does to a slot
 * @STAYS: nothing
 * @UPDATED: its block stays
 * @ANEW: it is cleared and, if it is on, set
 */
enum change {
	STAYS,
	UPDATED,
	ANEW,
};

static enum change change_of(const struct agent_slot *was, const struct agent_slot *is, int err)
{
	if (is_same(was, is))
		return STAYS;
	return agent.asker->updates && !err && was->on && is->on && agent_same_block(was, is) ?
	       UPDATED : ANEW;
}

/* it has been cleared */
static void set_slot(unsigned int n, const struct agent_slot *slot)
{
	agent.err[n] = slot->on ? session_set(agent.session, n, slot) : 0;
}

/* Return: bitmap of the slots that count from 0 */
static uint32_t set_slots(const struct agent_program *wanted,
			  const enum change change[AGENT_SLOTS])
{
	uint32_t anew = 0;
	unsigned int n;

	for (n = 0; n < AGENT_SLOTS; n++) {
		if (change[n] == STAYS ||
		    (change[n] == UPDATED &&
		     !session_update(agent.session, n, &wanted->slot[n])))
			continue;
		session_clear(agent.session, n);
		set_slot(n, &wanted->slot[n]);
		anew |= 1u << n;
	}
	return anew;
}

/*
 * The counts of slots that are cleared are final when all hits have been sent. Their
 * numbers are sent before a comparator gets another slot.
 */
static void take_program(const struct agent_program *wanted)
{
	struct agent_ack ack = { .type = AGENT_ACK, .seq = wanted->seq };
	enum change change[AGENT_SLOTS];
	unsigned int n;
	uint32_t anew;

	/* no wave waits for a place while comparators change: now there are many */
	drain();
	for (n = 0; n < AGENT_SLOTS; n++) {
		change[n] = change_of(&agent.program.slot[n], &wanted->slot[n],
				      agent.err[n]);
		if (change[n] == ANEW)
			session_clear(agent.session, n);
	}
	drain();
	all_counts(ack.counts);
	agent.program = *wanted;
	anew = set_slots(wanted, change);
	memcpy(ack.err, agent.err, sizeof(ack.err));
	agent.gone |= !agent.asker->ack(&ack, anew);
}

static void take_programs(bool wait)
{
	struct agent_program program;
	int ret = agent.asker->program(&program, wait);

	agent.gone |= ret < 0;
	if (ret > 0)
		take_program(&program);
}

static void say_freed(uint64_t at, uint64_t size)
{
	drain();
	if (!agent.gone)
		agent.gone |= !agent.asker->freed(at, size);
}

static void forget_all(void)
{
	/* a child has forgotten it */
	if (agent.owner == getpid())
		freed_deaf();
	if (agent.asker)
		agent.asker->close();
	if (agent.stop >= 0)
		close(agent.stop);
	agent.asker = NULL;
	agent.file = agent.stop = agent.freed = -1;
	agent.runs = false;
}

/* ---- the thread ---------------------------------------------------------------------- */

static bool something_is_watched(void)
{
	unsigned int n;

	for (n = 0; n < AGENT_SLOTS; n++)
		if (agent.program.slot[n].on)
			return true;
	return false;
}

/* that the thread waits for */
enum {
	STOP,
	ASKER,
	FREED,
	HITS,
	NR_FILES,
};

static void wait_for_work(struct pollfd *files)
{
	bool may_sleep = session_sleep(agent.session);
	struct agent_counts counts[AGENT_SLOTS];

	all_counts(counts);
	if (agent.asker->counts)
		agent.gone |= !agent.asker->counts(counts);
	poll(files, NR_FILES, !may_sleep ? FILL_MS :
		       agent.asker->counts && something_is_watched() ? COUNT_MS : LOOK_MS);
}

/* this thread ends it, and may call abort() */
static _Thread_local bool is_ending;

static void end_session(void)
{
	session_close(agent.session);
	agent.session = NULL;
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

static void *serve(void *unused)
{
	struct pollfd files[NR_FILES] = {
		[STOP] = { .fd = agent.stop, .events = POLLIN },
		[ASKER] = { .fd = agent.file, .events = POLLIN },
		[FREED] = { .fd = agent.freed, .events = POLLIN },
		[HITS] = { .fd = session_fd(agent.session), .events = POLLIN },
	};

	/* not that of the thread which began it */
	pthread_setname_np(pthread_self(), "gpubp-agent");
	while (!agent.gone && !files[STOP].revents) {
		if (!send_hits())
			wait_for_work(files);
		else
			poll(files, HITS, 0);
		if (files[FREED].revents)
			freed_take(say_freed);
		if (files[ASKER].revents)
			take_programs(false);
	}
	if (agent.gone)
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
	if (!agent.runs || agent.owner != getpid() || is_ending)
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
	unsigned int n;

	if (!begin_end())
		return;
	is_ending = true;
	if (write(agent.stop, &one, sizeof(one)) != sizeof(one))
		return;
	pthread_join(agent.thread, NULL);
	for (n = 0; n < AGENT_SLOTS; n++)
		session_clear(agent.session, n);
	if (!agent.gone) {
		drain();
		say_bye();
	}
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
	ret = session_open(&agent.session, hello);
	if (agent.asker->hello(hello, ret ? NULL : agent.session) || ret)
		return ret;
	session_close(agent.session);
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

	agent.asker = name[0] == '@' ? &asker_socket : &asker_kernel;
	agent.file = agent.asker->open(name);
	if (agent.file < 0) {
		agent.asker = NULL;
		return begin_failed(hello, -ECONNREFUSED, "who asks cannot be reached");
	}
	agent.gone = false;
	memset(&agent.program, 0, sizeof(agent.program));
	memset(agent.err, 0, sizeof(agent.err));
	agent.owner = getpid();
	ret = begin_session(hello);
	if (ret == -EPIPE)
		return begin_failed(hello, ret, "who asks does not take it");
	if (ret) {
		forget_all();
		return ret;
	}
	/* what is watched from the first wave on */
	take_programs(true);
	agent.stop = eventfd(0, EFD_CLOEXEC);
	if (agent.asker->freed)
		agent.freed = freed_listen();
	kfd_on_end(agent_end);
	agent.runs = agent.stop >= 0 && !agent.gone;
	/* from here on the thread may end it */
	if (agent.runs && start_thread())
		return 0;
	session_close(agent.session);
	return begin_failed(hello, -EAGAIN, "who asks has gone, or there is no thread");
}

static bool agent_runs(void)
{
	return agent.runs && agent.owner == getpid();
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
