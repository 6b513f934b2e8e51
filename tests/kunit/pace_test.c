// SPDX-License-Identifier: GPL-2.0
/*
 * Commit timer: when the worker runs next. No test waits for a quantum to pass
 * and measures it. Each reads the time for which the worker is scheduled,
 * between two readings of the clock: a slow machine widens the bounds and does
 * not break them.
 */
#include <linux/kthread.h>
#include <linux/ktime.h>

#include "mock.h"
#include "sched/quantum.h"
#include "sched/sched.h"

#define ADDR(n)		(MOCK_VA + (n) * 0x1000ULL)
#define STORE		GPUBP_ACCESS_STORE
#define WATCHES		(MOCK_SLOTS + 2)
#define QUANTUM_US	900000	/* longer than any commit */
#define QUANTUM		(QUANTUM_US * (u64)NSEC_PER_USEC)
#define DRAWS		64
#define COMMIT_MS	40
#define PERCENT		40
#define PREEMPTION_PRICE 4	/* as in the core */
#define PREEMPTION_QUANTA 10	/* likewise */

/*
 * it runs or is about to: requests made during a run are queued behind the
 * flush
 */
static bool runs(struct mock *m)
{
	guard(raw_spinlock_irqsave)(&m->dev->requests.lock);
	return m->dev->requests.running || !m->dev->requests.due;
}

static void run_is_over(struct mock *m)
{
	do
		kthread_flush_worker(m->dev->requests.worker);
	while (runs(m));
}

static u64 next_run(struct mock *m)
{
	guard(raw_spinlock_irqsave)(&m->dev->requests.lock);
	return m->dev->requests.due;
}

/* more watches than comparators */
static struct mock *rotating_mock(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	for (i = 0; i < WATCHES; i++)
		mock_open(test, ADDR(i), 4, STORE);
	mock_settle(c->m);
	return c->m;
}

/* ---- deadlines -------------------------------------------------------------- */

#define MEAN		1000
#define BEGAN		50000

/* a run makes up for a delay of a quarter of the mean at most */
static void late_runs_have_shorter_quanta(struct kunit *test)
{
	static const struct {
		u64 due, length, end;
	} cases[] = {
		{ BEGAN, 1500, BEGAN + 1500 },
		{ BEGAN - 1, 1500, BEGAN + 1499 },
		{ BEGAN - MEAN / 4, 500, BEGAN + 250 },
		{ BEGAN - MEAN, 500, BEGAN + 250 },
		{ 1, 1500, BEGAN + 1250 },
		{ 0, 1500, BEGAN + 1500 },		/* a request, at once */
		{ BEGAN + 300, 1500, BEGAN + 1500 },	/* a waiter, earlier */
		{ U64_MAX, 1500, BEGAN + 1500 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, cases[i].end,
				gpubp_quantum_end(cases[i].due, BEGAN, MEAN,
						  cases[i].length));
}

/* every run is late, by up to a fifth of the mean */
static void delays_do_not_add_up(struct kunit *test)
{
	u64 due = BEGAN, began = BEGAN, sum = 0;
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		u64 length = MEAN / 2 + i * 7 % (MEAN + 1);

		sum += length;
		due = gpubp_quantum_end(due, began, MEAN, length);
		began = due + i * 11 % (MEAN / 5);
	}
	KUNIT_EXPECT_EQ(test, due - BEGAN, sum);
	KUNIT_EXPECT_GE(test, (began - BEGAN) / i, MEAN / 100 * 95ULL);
	KUNIT_EXPECT_LE(test, (began - BEGAN) / i, MEAN / 100 * 105ULL);
}

static void costs_stretch_the_mean(struct kunit *test)
{
	const u64 wanted = 500 * NSEC_PER_USEC, cost = 40 * NSEC_PER_USEC;

	KUNIT_EXPECT_EQ(test, gpubp_quantum_mean(wanted, 0, 10), wanted);
	KUNIT_EXPECT_EQ(test, gpubp_quantum_mean(wanted, cost, 10), wanted);
	KUNIT_EXPECT_EQ(test, gpubp_quantum_mean(wanted, 2 * cost, 10),
			20 * cost);
	KUNIT_EXPECT_EQ(test, gpubp_quantum_mean(wanted, 2 * wanted, 100),
			2 * wanted);
	KUNIT_EXPECT_EQ(test, gpubp_quantum_mean(2ULL * NSEC_PER_SEC, 0, 10),
			(u64)NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, gpubp_quantum_mean(2ULL * NSEC_PER_SEC,
						 30 * NSEC_PER_MSEC, 2),
			1500ULL * NSEC_PER_MSEC);
}

/* of commits that take up to 100 ms, whatever the share */
static void slow_commits_keep_their_share(struct kunit *test)
{
	const u64 wanted = 10 * NSEC_PER_MSEC;
	unsigned int percent;
	u64 cost, mean;

	for (percent = 1; percent <= 100; percent++)
		for (cost = 1; cost <= 100; cost++) {
			mean = gpubp_quantum_mean(wanted, cost * NSEC_PER_MSEC,
						  percent);
			KUNIT_ASSERT_LE(test, cost * NSEC_PER_MSEC * 100,
					mean * percent + percent);
		}
	/* and what takes longer has failed: it must not end the rotation */
	KUNIT_EXPECT_EQ(test, gpubp_quantum_mean(wanted, 9ULL * NSEC_PER_SEC, 2),
			10ULL * NSEC_PER_SEC);
}

/* the measured mean follows, and only quanta count */
static void the_mean_is_of_the_last_quanta(struct kunit *test)
{
	struct gpubp_quanta quanta = {};
	u64 now = BEGAN;
	unsigned int i;

	gpubp_quanta_end_one(&quanta, now);
	KUNIT_EXPECT_EQ(test, quanta.mean, 0ULL);
	for (i = 0; i < 10; i++) {
		quanta.began = now;
		now += i % 2 ? 1500 : 500;
		gpubp_quanta_end_one(&quanta, now);
	}
	KUNIT_EXPECT_EQ(test, quanta.nr, 10u);
	KUNIT_EXPECT_GE(test, quanta.mean, 990ULL);
	KUNIT_EXPECT_LE(test, quanta.mean, 1010ULL);
	now += NSEC_PER_SEC;	/* nothing rotates */
	gpubp_quanta_end_one(&quanta, now);
	KUNIT_EXPECT_LE(test, quanta.mean, 1010ULL);
	for (i = 0; i < 1000; i++) {
		quanta.began = now;
		now += 100000;
		gpubp_quanta_end_one(&quanta, now);
	}
	KUNIT_EXPECT_GE(test, quanta.mean, 99000ULL);
	KUNIT_EXPECT_LE(test, quanta.mean, 100000ULL);
}

/* ---- quantum_us ------------------------------------------------------------- */

/* length of a quantum that begins now; @error is the bound of its error */
static u64 draw_quantum(struct mock *m, u64 *error)
{
	u64 before = ktime_get_ns(), due;

	mock_reset(m);
	run_is_over(m);
	due = next_run(m);
	*error = ktime_get_ns() - before;
	return due - before;
}

/* 64 draws: the probability of a mean off by a fifth is one in ten million */
static void quanta_are_half_to_three_halves_of_the_mean(struct kunit *test)
{
	u64 least = U64_MAX, most = 0, sum = 0, errors = 0, error;
	struct mock *m = rotating_mock(test);
	int i;

	m->loose = true;
	mock_param(test, "quantum_us", QUANTUM_US);
	mock_param(test, "max_overhead_percent", 100);
	for (i = 0; i < DRAWS; i++) {
		u64 ns = draw_quantum(m, &error);

		KUNIT_EXPECT_GE(test, ns, QUANTUM / 2);
		KUNIT_EXPECT_LE(test, ns, QUANTUM + QUANTUM / 2 + error);
		least = min(least, ns);
		most = max(most, ns);
		sum += ns;
		errors += error;
	}
	KUNIT_EXPECT_GE(test, sum, DRAWS * QUANTUM / 5 * 4);
	KUNIT_EXPECT_LE(test, sum, DRAWS * QUANTUM / 5 * 6 + errors);
	KUNIT_EXPECT_LE_MSG(test, least, QUANTUM / 10 * 7, "no short quanta");
	KUNIT_EXPECT_GE_MSG(test, most, QUANTUM / 10 * 13, "no long quanta");
	/* make the next ones short */
	mock_short_quanta(test);
	mock_reset(m);
	run_is_over(m);
}

/* all processes' work is taken off the GPU: however short a commit is */
static void commits_that_preempt_have_longer_quanta(struct kunit *test)
{
	const u64 short_us = QUANTUM_US / PREEMPTION_QUANTA;
	struct gpubp_caps caps = mock_caps;
	u64 error, ns;
	struct mock *m;
	int i;

	caps.commit_preempts = true;
	mock_replace(test, &caps);
	m = rotating_mock(test);
	m->loose = true;
	mock_param(test, "quantum_us", short_us);
	mock_param(test, "max_overhead_percent", 100);
	for (i = 0; i < 4; i++) {
		ns = draw_quantum(m, &error);
		KUNIT_EXPECT_GE(test, ns, QUANTUM / 2);
		KUNIT_EXPECT_LE(test, ns, QUANTUM + QUANTUM / 2 + error);
	}
	mock_short_quanta(test);
	mock_reset(m);
	run_is_over(m);
}

/* ---- max_overhead_percent --------------------------------------------------- */

static struct mock *slow_mock(struct kunit *test, bool preempts)
{
	struct gpubp_caps caps = mock_caps;
	struct mock *m;

	caps.commit_preempts = preempts;
	m = mock_replace(test, &caps);
	m->commit_ms = COMMIT_MS;
	mock_param(test, "quantum_us", 1000);
	mock_param(test, "max_overhead_percent", PERCENT);
	return m;
}

static u64 commit_cost(struct mock *m)
{
	return READ_ONCE(m->commit_ended) - READ_ONCE(m->commit_began);
}

/* the first commit's cost is @percent of the time until its charge expires */
static void expect_paid(struct kunit *test, struct mock *m,
			unsigned int percent)
{
	u64 before, charged, all;

	mock_ctx(test);
	before = ktime_get_ns();
	mock_open(test, ADDR(0), 4, STORE);
	mock_settle(m);
	all = ktime_get_ns() - before;
	scoped_guard(raw_spinlock_irqsave, &m->dev->requests.lock)
		charged = m->dev->requests.charged;
	KUNIT_EXPECT_EQ(test, mock_commits(m), 1u);
	KUNIT_EXPECT_GE(test, charged - before,
			min_t(u64, commit_cost(m) * 100 / percent,
			      10ULL * NSEC_PER_SEC));
	KUNIT_EXPECT_LE(test, charged - before, all + all * 100 / percent);
}

static void commits_are_paid_off(struct kunit *test)
{
	expect_paid(test, slow_mock(test, false), PERCENT);
}

static void commits_that_preempt_cost_more(struct kunit *test)
{
	expect_paid(test, slow_mock(test, true), PERCENT / PREEMPTION_PRICE);
}

#define ROUNDS		16
#define SHORT_MS	16

static struct {
	u64 began;
	u64 cost;
	u64 gaps;
	u64 wanted;
	unsigned int nr;
	unsigned int early;
} pace;

/* records the time from the beginning of one commit to that of the next */
static void record_gap(struct mock *m, u64 seq)
{
	u64 mean = pace.cost * 100 / PERCENT;
	u64 gap = m->commit_began - pace.began;

	if (pace.nr++) {
		pace.early += gap < mean / 4;
		pace.gaps += gap;
		pace.wanted += mean;
	}
	pace.began = m->commit_began;
	pace.cost = ktime_get_ns() - pace.began;
}

/*
 * the shortest quantum is half the time after which a commit is paid off, less
 * what a late run makes up for
 */
static void slow_commits_stretch_the_quantum(struct kunit *test)
{
	struct mock *m = slow_mock(test, false);
	int i;

	m->commit_ms = SHORT_MS;
	mock_ctx(test);
	for (i = 0; i < WATCHES; i++)
		mock_open(test, ADDR(i), 4, STORE);
	mock_settle(m);
	memset(&pace, 0, sizeof(pace));
	mock_probes_restart(m);
	WRITE_ONCE(m->in_commit, record_gap);
	KUNIT_EXPECT_TRUE(test, mock_wait_commits(m, ROUNDS));
	WRITE_ONCE(m->in_commit, NULL);
	run_is_over(m);
	KUNIT_EXPECT_GE(test, pace.nr, ROUNDS - 1u);
	KUNIT_EXPECT_EQ(test, pace.early, 0u);
	/* the expected mean, with a margin for its variance */
	KUNIT_EXPECT_GE(test, pace.gaps, pace.wanted / 3 * 2);
}

static struct kunit_case pace_test_cases[] = {
	KUNIT_CASE(late_runs_have_shorter_quanta),
	KUNIT_CASE(delays_do_not_add_up),
	KUNIT_CASE(costs_stretch_the_mean),
	KUNIT_CASE(slow_commits_keep_their_share),
	KUNIT_CASE(the_mean_is_of_the_last_quanta),
	KUNIT_CASE(quanta_are_half_to_three_halves_of_the_mean),
	KUNIT_CASE(commits_that_preempt_have_longer_quanta),
	KUNIT_CASE(commits_are_paid_off),
	KUNIT_CASE(commits_that_preempt_cost_more),
	KUNIT_CASE(slow_commits_stretch_the_quantum),
	{}
};

static struct kunit_suite pace_test_suite = {
	.name = "gpubp_pace",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = pace_test_cases,
};
kunit_test_suite(pace_test_suite);
