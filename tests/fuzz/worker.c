// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "child.h"
#include "cover.h"
#include "event.h"
#include "exec.h"
#include "pool.h"
#include "prog.h"
#include "worker.h"

#define INTERRUPT_MS	200	/* period of interrupts of waiting calls */
#define STUCK		5	/* s without a call: the process is killed */
#define UNDEAD		60	/* s to die; emulated machines are slow */
#define MAX_FILES	48	/* each may be a context with its memory */
#define ROUND_US	20000	/* period of the monitors */

static struct worker *me;
static struct life *life;

static void on_signal(int sig)
{
}

/* a program unmapped memory of the process */
static void on_fault(int sig)
{
	_exit(0);
}

/* SIGALRM interrupts calls; signals of samples and watches must not kill */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct itimerval timer = {
		.it_interval = { .tv_usec = INTERRUPT_MS * 1000 },
		.it_value = { .tv_usec = INTERRUPT_MS * 1000 },
	};

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
	sigaction(SIGIO, &action, NULL);
	action.sa_handler = on_fault;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	signal(SIGCHLD, SIG_IGN);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void know_others(void)
{
	const struct resource *res = syntax_resource("gpubp_worker");
	unsigned int i;

	for (i = 0; i < state->nr_workers; i++)
		if (state->workers[i].pid && &state->workers[i] != me)
			pool_add(res, state->workers[i].pid);
}

static bool begin(void)
{
	struct rlimit files = { MAX_FILES, MAX_FILES };
	struct rlimit none = {};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_CORE, &none);
	if (life->uid && become(life->uid))
		return false;
	prctl(PR_SET_DUMPABLE, 1);
	catch_signals();
	return gen_init();
}

/* log the call before it is made, in case the kernel does not survive it */
static void log_step(const struct step *step, unsigned int used)
{
	life->steps[life->nr] = *step;
	if (used < step->nr)
		life->steps[life->nr].nr = used;
	__atomic_store_n(&life->nr, life->nr + 1, __ATOMIC_RELEASE);
}

static void run_step(const struct step *step, FILE *file)
{
	uint64_t began = now_ns();
	struct made made;
	struct kind *kind;
	int64_t ret;

	gen_call(step, &made);
	if (!file)
		log_step(step, made.used);
	if (file) {
		gen_print(file, &made);
		fflush(file);
	}
	ret = exec_call(&made);
	if (file)
		fprintf(file, " = %lld\n", (long long)ret);
	kind = &state->kinds[made.call->nr];
	__atomic_fetch_add(&me->calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&kind->made, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&kind->took, now_ns() - began, __ATOMIC_RELAXED);
	if (ret < 0 && ret > -4096) {
		me->errors++;
		return;
	}
	__atomic_fetch_add(&kind->done, 1, __ATOMIC_RELAXED);
	gen_harvest(&made, ret);
}

static void run_prog(const struct prog *prog)
{
	unsigned int i;

	for (i = 0; i < prog->nr && life->nr < MAX_LIFE && !state->stop; i++)
		run_step(&prog->steps[i], NULL);
}

static const struct prog *from_corpus(uint64_t *seed)
{
	uint32_t nr = __atomic_load_n(&state->nr_corpus, __ATOMIC_ACQUIRE), i;

	if (!nr)
		return NULL;
	i = gen_next(seed) % (nr < MAX_CORPUS ? nr : MAX_CORPUS);
	return __atomic_load_n(&state->corpus[i].ready, __ATOMIC_ACQUIRE) ?
		&state->corpus[i].prog : NULL;
}

/* may be read while it is replaced: any mix of steps is a valid program */
static void to_corpus(const struct prog *prog)
{
	uint32_t i = __atomic_fetch_add(&state->nr_corpus, 1, __ATOMIC_RELAXED) % MAX_CORPUS;

	__atomic_store_n(&state->corpus[i].ready, false, __ATOMIC_RELAXED);
	state->corpus[i].prog = *prog;
	__atomic_store_n(&state->corpus[i].ready, true, __ATOMIC_RELEASE);
}

static void choose_prog(struct prog *prog, uint64_t *seed)
{
	const struct prog *old = gen_next(seed) % 4 ? from_corpus(seed) : NULL;
	const struct prog *other = from_corpus(seed);

	if (!old || !other || !old->nr || !other->nr) {
		prog_make(prog, seed);
		return;
	}
	*prog = *old;
	prog_mutate(prog, other, seed);
}

static void live(uint64_t seed, bool guided)
{
	static struct prog prog;

	if (!begin())
		_exit(1);
	know_others();
	cover_begin();
	prog_calm(&prog);
	run_prog(&prog);
	while (life->nr < MAX_LIFE && !state->stop) {
		choose_prog(&prog, &seed);
		run_prog(&prog);
		if (cover_take() && guided)
			to_corpus(&prog);
	}
	_exit(0);
}

/* returns true if it is dead */
static bool wait_dead(pid_t pid, int seconds)
{
	int i;

	for (i = 0; i < seconds * 50; i++) {
		if (waitpid(pid, NULL, WNOHANG))
			return true;
		kill(pid, SIGCONT);
		usleep(ROUND_US);
	}
	return false;
}

static void watch_over(pid_t pid)
{
	uint64_t calls = me->calls;
	time_t since = time(NULL);

	while (!waitpid(pid, NULL, WNOHANG)) {
		usleep(ROUND_US);
		kill(pid, SIGCONT);
		if (me->calls != calls) {
			calls = me->calls;
			since = time(NULL);
		}
		if (time(NULL) - since < STUCK && !state->stop)
			continue;
		me->stuck += !state->stop;
		kill(pid, SIGKILL);
		me->undead = !wait_dead(pid, UNDEAD);
		break;
	}
}

void worker_monitor(unsigned int nr, uid_t uid, uint64_t seed, bool guided)
{
	me = &state->workers[nr];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!state->stop && !me->undead) {
		uint64_t of_life = gen_next(&seed);
		pid_t pid;

		life = &me->lives[me->nr_lives++ % KEPT];
		life->uid = uid;
		life->nr = 0;
		pid = fork();
		if (!pid)
			live(of_life, guided);
		me->pid = pid;
		if (pid > 0)
			watch_over(pid);
	}
	me->pid = 0;
}

void worker_replay(unsigned int nr, FILE *file)
{
	unsigned int i;

	me = &state->workers[nr];
	life = &me->lives[0];
	if (!begin())
		_exit(1);
	know_others();
	for (i = 0; i < life->nr; i++) {
		fprintf(file, "%u: ", nr);
		run_step(&life->steps[i], file);
	}
	_exit(0);
}
