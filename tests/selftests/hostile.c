// SPDX-License-Identifier: GPL-2.0
/*
 * A storm: processes of two users perform all hostile acts, next to a process
 * of a third user that watches its own kernels. The counts of that process
 * match the model, it gets each sample, and its code does not change;
 * afterwards nothing is left, and all resources that those users took can be
 * allocated again.
 *
 * environment:
 *	GPUBP_HOSTILE		seconds, default 20
 *	GPUBP_SEED		of the random numbers
 *	GPUBP_ONLY		number of the only act to perform, from 1 on
 *	GPUBP_HOSTILE_RATIO	fail if a dispatch or a hit takes more than so many times
 *				its time before the storm, with equally busy CPUs;
 *				default: print only
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include "harness.h"
#include "attacker.h"
#include "books.h"
#include "breakcode.h"
#include "child.h"
#include "event.h"
#include "reload.h"
#include "session.h"

#define HONEST		1001
#define HOSTILE_SECONDS	20
#define SECONDS		7000	/* for all of it */
#define PATIENCE	240	/* s */
#define CALM		(slow ? 4 : 40)	/* rounds before the storm */
#define GROUPS		2
#define WAVES		(GROUPS * BC_WAVES)
#define LOOPS		(slow ? 3 : 20)
#define EACH		((int64_t)WAVES * LOOPS)	/* hits of a round */
#define RING_PAGES	64	/* enough space for the samples of a round */
#define MEM_MB		"16"	/* of a context: less than all memory is exhausted */

static const uid_t hostile[] = { 1000, 1002 };

static bool slow;	/* only root can find out */

/* ---- the watching process --------------------------------------------------------- */

/**
 * struct honest - state and results of the watching process
 * @bc: its context
 * @session: of /dev/gpubp
 * @counter: pinned event: has a comparator all the time
 * @sampler: event on the same bytes
 * @ring: of @sampler
 * @hits: hits by the model so far
 * @samples: samples received
 * @dispatch_ns: time of a dispatch with hardly any hits: one a wave
 * @hits_ns: additional time of a dispatch with many hits
 */
struct honest {
	struct breakcode bc;
	int session;
	int counter;
	int sampler;
	struct ring ring;
	int64_t hits;
	int64_t samples;
	int64_t dispatch_ns;
	int64_t hits_ns;
};

/* results that it sends at the end, in this order; in the first phase only the times */
enum word { WRONG, ROUNDS, DISPATCH_NS, HITS_NS, WORDS };

static int open_watch(uint64_t period)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA, 4, EVENT_WRITES);

	attr.exclude_kernel = 1;
	attr.pinned = 1;
	if (period)
		event_sample(&attr, period);
	return event_open(&attr, 0, -1);
}

static int honest_open(struct honest *h)
{
	if (become(HONEST) || bc_open(&h->bc))
		return -1;
	h->session = session_open();
	h->counter = open_watch(0);
	h->sampler = open_watch(1);
	if (h->session < 0 || h->counter < 0 || h->sampler < 0 ||
	    ring_map(&h->ring, h->sampler, RING_PAGES))
		return -2;
	return session_sync(h->session, h->counter, PATIENCE, NULL) ?:
	       session_sync(h->session, h->sampler, PATIENCE, NULL);
}

/* hits arrive some time after their waves made them */
static bool all_arrived(struct honest *h)
{
	int64_t until = now_ns() + PATIENCE * 1000000000LL;

	do {
		h->samples += ring_drain(&h->ring);
		if (event_count(h->counter) >= h->hits && h->samples >= h->hits)
			break;
		usleep(1000);
	} while (now_ns() < until);
	return event_count(h->counter) == h->hits &&
	       event_count(h->sampler) == h->hits && h->samples == h->hits &&
	       !h->ring.lost && !h->ring.bad;
}

/* run a kernel and check its results; the time includes the arrival of its hits */
static int run_counted(struct honest *h, enum bc_kernel kernel, uint32_t loops,
		       int64_t hits, int64_t *ns)
{
	int64_t start = now_ns();

	h->hits += hits;
	if (bc_run(&h->bc, kernel, GROUPS, loops))
		return 1;
	if (!all_arrived(h))
		return 2;
	*ns += now_ns() - start;
	return h->bc.data[0] == hits * BC_LANES ? 0 : 3;
}

/* a break is inserted into its code and removed again, with no other event */
static int run_with_break(struct honest *h)
{
	struct perf_event_attr attr = event_break(BC_PC(BC_LOOP_NOP));
	int64_t until = now_ns() + PATIENCE * 1000000000LL, ns = 0;
	int fd, err;

	attr.exclude_kernel = 1;
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		return 10;
	if (session_sync(h->session, fd, PATIENCE, NULL))
		return 11;
	err = run_counted(h, BC_LOOP, LOOPS, EACH, &ns);
	while (event_count(fd) < EACH && now_ns() < until)
		usleep(1000);
	if (!err && event_count(fd) != EACH)
		err = 12;
	close(fd);
	while (!bc_intact(&h->bc) && now_ns() < until)
		usleep(1000);
	return err;
}

/* 0: all results match the model */
static int honest_round(struct honest *h, int n)
{
	int64_t few = 0, many = 0;
	int err = run_counted(h, BC_LOOP, 1, WAVES, &few) ?:
		  run_counted(h, BC_LOOP, LOOPS, EACH, &many);

	h->dispatch_ns += few;
	h->hits_ns += many - few;
	if (!err && n % 4 == 3)
		err = run_with_break(h);
	return err ?: bc_intact(&h->bc) ? 0 : 20;
}

static bool report(const struct honest *h, int sock, int wrong, int rounds)
{
	return say(sock, wrong) && say(sock, rounds) && say(sock, h->dispatch_ns) &&
	       say(sock, h->hits_ns);
}

/*
 * without attackers first; after a message from the test, with them, for as
 * long as they run
 */
static int honest(int sock, void *arg)
{
	const volatile bool *over = arg;
	struct honest h = {};
	int n = 0, wrong = honest_open(&h);

	if (heard(sock))
		return 1;
	for (; !wrong && n < CALM; n++)
		wrong = honest_round(&h, n);
	if (!report(&h, sock, wrong, n) || heard(sock))
		return 1;
	h.dispatch_ns = 0;
	h.hits_ns = 0;
	for (n = 0; !wrong && (!*over || !n); n++)
		wrong = honest_round(&h, n);
	if (wrong)
		printf("# round %d: %ld hits, counted %ld and %ld, %ld samples, %lu lost\n",
		       n, h.hits, event_count(h.counter), event_count(h.sampler),
		       h.samples, h.ring.lost);
	return !report(&h, sock, wrong, n);
}

static bool hear_all(int sock, uint64_t words[WORDS])
{
	int i;

	for (i = 0; i < WORDS; i++)
		if (!hear(sock, &words[i]))
			return false;
	return true;
}

/* ---- the storm ------------------------------------------------------------------- */

/* uses CPU time only, as much as each attacker will */
static int busy(int sock, void *arg)
{
	if (setpriority(PRIO_PROCESS, 0, 19))
		return 1;
	for (;;)
		;
}

/* results before the storm: the CPUs are as busy as during it */
static bool hear_calm(const struct child *honest, uint64_t words[WORDS])
{
	struct child child[ATTACKERS];
	bool ok = true;
	int i, n;

	for (n = 0; ok && n < ATTACKERS; n++)
		ok = !child_start(&child[n], busy, NULL);
	ok = ok && say(honest->sock, 0) && hear_all(honest->sock, words);
	for (i = 0; i < n; i++)
		child_kill(&child[i]);
	return ok;
}

static void start_all(struct attackers *all)
{
	int i;

	for (i = 0; i < ATTACKERS; i++)
		attacker_start(all, i, random(), hostile[i % 2]);
}

static bool all_done(const struct attackers *all)
{
	unsigned int i;

	for (i = 0; attacker_act(i); i++)
		if (!__atomic_load_n(&all->done[i], __ATOMIC_RELAXED) &&
		    (!all->only || all->only == i + 1))
			return false;
	return true;
}

/*
 * Restart attackers that died and resume those that stopped, also until each
 * act was performed. Returns the number of lives.
 */
static unsigned int keep_all(struct attackers *all, int seconds, const struct child *honest)
{
	int64_t until = now_ns() + seconds * 1000000000LL;
	unsigned int lives = ATTACKERS;
	int i;

	while ((now_ns() < until || !all_done(all)) && task_state(honest->pid) != 'Z') {
		for (i = 0; i < ATTACKERS; i++) {
			/* leave it stopped for a while */
			if (!(random() % 32))
				kill(all->pid[i], SIGCONT);
			if (waitpid(all->pid[i], NULL, WNOHANG) != all->pid[i])
				continue;
			kill(-all->pid[i], SIGKILL);
			lives += !attacker_start(all, i, random(), hostile[i % 2]);
		}
		usleep(20000);
	}
	return lives;
}

static void end_all(struct attackers *all)
{
	int i;

	for (i = 0; i < ATTACKERS; i++)
		attacker_end(all, i);
}

/* ---- after the storm ------------------------------------------------------------- */

#define CONTEXTS	1024	/* limit of a user */

/* a user can allocate as many contexts and a pinned comparator, as before */
static int take_again(int sock, void *arg)
{
	const struct rlimit files = { 2 * CONTEXTS, 2 * CONTEXTS };
	int n, fd;

	if (setrlimit(RLIMIT_NOFILE, &files) || become(*(const uid_t *)arg))
		return 1;
	if (open_watch(0) < 0)
		return 2;
	for (n = 0; (fd = open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC)) >= 0; n++)
		;
	return errno == ENOSPC && n == CONTEXTS ? 0 : 3;
}

static int nr_lines(const char *path)
{
	FILE *file = fopen(path, "re");
	int c, n = 0;

	if (!file)
		return -1;
	while ((c = getc(file)) != EOF)
		n += c == '\n';
	fclose(file);
	return n;
}

/* by the device's own count: files are freed some time after their last close() */
static bool no_contexts(void)
{
	int ms;

	for (ms = 0; ms < PATIENCE * 1000; ms += 10) {
		if (!nr_lines("/sys/kernel/debug/gpubp_sim0/contexts"))
			return true;
		usleep(10000);
	}
	return false;
}

static int set_memory(const char *mb)
{
	FILE *file = fopen("/sys/module/gpubp_sim/parameters/ctx_mem_mb", "we");

	if (!file)
		return -1;
	fputs(mb, file);
	return fclose(file);
}

FIXTURE(hostile) {
	struct attackers *all;
	int seconds;
	int paranoid;
};

FIXTURE_SETUP(hostile)
{
	int seed = env_number("GPUBP_SEED", time(NULL) ^ getpid());

	self->seconds = env_number("GPUBP_HOSTILE", HOSTILE_SECONDS);
	srandom(seed);
	event_type();
	slow = slow_kernel();
	books_of(0);
	self->all = attackers_map();
	ASSERT_NE(NULL, self->all);
	self->paranoid = event_paranoid(2);
	ASSERT_NE(-1, self->paranoid);
	ASSERT_EQ(0, set_memory(MEM_MB));
	TH_LOG("%d s, seed %d", self->seconds, seed);
}

/* nothing is left, all that they took can be allocated again, and the modules unload */
FIXTURE_TEARDOWN(hostile)
{
	struct child child;
	int i;

	EXPECT_TRUE(no_contexts());
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	EXPECT_TRUE(books_wait_none("holds", PATIENCE)) books_print();
	EXPECT_TRUE(books_wait_none("buffers_in_use", PATIENCE)) books_print();
	EXPECT_TRUE(books_wait_none("escalations", PATIENCE)) books_print();
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, child_start(&child, take_again, (void *)&hostile[i]));
		EXPECT_EQ(0, child_end(&child));
	}
	event_paranoid(self->paranoid);
	EXPECT_EQ(0, modules_unload());
	EXPECT_EQ(0, modules_load());
}

/* print what was done, and the ratio of all times to those before */
static void print_ratio(const struct attackers *all, const double ratio[WORDS])
{
	unsigned int i;

	for (i = 0; attacker_act(i); i++)
		printf("# %u times %s\n", all->done[i], attacker_act(i));
	printf("# in the storm a dispatch takes %.1f times as long as before, hits %.1f times\n",
	       ratio[DISPATCH_NS], ratio[HITS_NS]);
}

static void compare(const uint64_t calm[WORDS], const uint64_t beside[WORDS],
		    double ratio[WORDS])
{
	int i;

	for (i = DISPATCH_NS; i <= HITS_NS; i++)
		ratio[i] = (double)beside[i] / beside[ROUNDS] * calm[ROUNDS] / calm[i];
}

TEST_F_TIMEOUT(hostile, one_honest_process_beside_eight, SECONDS)
{
	int limit = env_number("GPUBP_HOSTILE_RATIO", 0);
	uint64_t calm[WORDS], beside[WORDS] = {};
	double ratio[WORDS] = {};
	struct child child;
	unsigned int lives;

	self->all->only = env_number("GPUBP_ONLY", 0);
	ASSERT_EQ(0, child_start(&child, honest, &self->all->over));
	ASSERT_TRUE(hear_calm(&child, calm));
	ASSERT_EQ(0, calm[WRONG]);
	TH_LOG("before: a dispatch %.1f ms, %ld hits %.1f ms",
	       calm[DISPATCH_NS] / 1e6 / CALM, EACH - WAVES, calm[HITS_NS] / 1e6 / CALM);
	start_all(self->all);
	ASSERT_TRUE(say(child.sock, 0));
	lives = keep_all(self->all, self->seconds, &child);
	self->all->over = true;
	EXPECT_TRUE(hear_all(child.sock, beside));
	end_all(self->all);
	EXPECT_EQ(0, child_end(&child));
	EXPECT_EQ(0, beside[WRONG]);

	TH_LOG("%lu rounds during %u lives of attackers", beside[ROUNDS], lives);
	compare(calm, beside, ratio);
	print_ratio(self->all, ratio);
	if (limit) {
		EXPECT_GE(limit, ratio[DISPATCH_NS]);
		EXPECT_GE(limit, ratio[HITS_NS]);
	}
}

TEST_HARNESS_MAIN
