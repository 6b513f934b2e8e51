// SPDX-License-Identifier: GPL-2.0
/*
 * Times: while watches rotate, time running / time enabled is the share of its
 * contexts' time in which a watch was armed, and count * enabled / running is
 * near the number of stores made.
 *
 * The target is another process. One thread of it stores to every watched word
 * at a steady rate; the main thread, which owns the queue and has the events,
 * is busy, or asleep, or alternates.
 */
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"

#define GRANULE		64
#define MAX_WATCHES	16
#define SLOTS		4	/* of the software GPU */
#define SIZE		(MAX_WATCHES * GRANULE)
#define MS		1000000ULL	/* ns */
#define PACE_NS		(4 * MS)
#define READ_US		20000
#define WINDOW_MS	1500
#define PATIENCE	60	/* s */
#define EVENTS		"/sys/kernel/debug/gpubp/events"

/*
 * If the target sleeps, an event's time is that of the last tick of a worker
 * (10 ms, plus delays of the machine), while the account is current.
 */
#define LAG_NS		150000000LL
#define ROUNDING_NS	1000

enum mode { BUSY, ASLEEP, BOTH };

/*
 * The target.
 */

struct stores {
	struct gpu *gpu;
	uint64_t va;
	volatile bool stop;
	volatile uint64_t made;
};

static void *store_steadily(void *arg)
{
	struct stores *s = arg;
	uint64_t next = now_ns(), now;

	while (!s->stop) {
		if (gpu_run(s->gpu, "repeat", SIZE / 256, GPU_ARGS(s->va, 1)))
			break;
		s->made++;
		next += PACE_NS;
		now = now_ns();
		if (next > now)
			usleep((next - now) / 1000);
		else
			next = now;
	}
	return NULL;
}

/* pass about 10 ms as the mode demands; true: a message has arrived */
static bool pass_time(enum mode mode, int sock, unsigned int round)
{
	struct pollfd fd = { .fd = sock, .events = POLLIN };
	uint64_t end = now_ns() + 10 * MS;

	if (mode == ASLEEP)
		return poll(&fd, 1, 10000) > 0;
	if (mode == BOTH && round % 2)
		return poll(&fd, 1, 50) > 0;
	while (now_ns() < end)
		;
	return poll(&fd, 1, 0) > 0;
}

/* answer each number received with the number of stores made; 0 ends it */
static int live(enum mode mode, int sock, struct stores *s)
{
	unsigned int round = 0;
	int64_t said;

	for (;;) {
		while (!pass_time(mode, sock, round))
			round++;
		said = heard(sock);
		if (said <= 0) {
			s->stop = true;
			return said < 0;
		}
		say(sock, s->made);
	}
}

/* sends the address; receives the start; then runs live(); sends the number of stores */
static int target(int sock, void *arg)
{
	enum mode mode = *(enum mode *)arg;
	struct stores stores = {};
	struct grun_mem out;
	pthread_t thread;
	struct gpu gpu;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, SIZE, 0) ||
	    !say(sock, out.va) || heard(sock) <= 0)
		return 1;
	stores.gpu = &gpu;
	stores.va = out.va;
	if (pthread_create(&thread, NULL, store_steadily, &stores) ||
	    live(mode, sock, &stores) || pthread_join(thread, NULL) ||
	    !say(sock, stores.made))
		return 1;
	heard(sock);
	gpu_close(&gpu);
	return 0;
}

/*
 * The kernel's own account of an event's time.
 */

struct account {
	uint64_t resident;
	uint64_t armed;
};

static bool account_of(int fd, struct account *acc)
{
	char line[512], key[32];
	bool found = false;
	const char *text;
	uint64_t id;
	FILE *file;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return false;
	snprintf(key, sizeof(key), "event %" PRIu64 " ", id);
	file = fopen(EVENTS, "re");
	while (file && fgets(line, sizeof(line), file)) {
		text = strstr(line, "resident_ns");
		if (!strncmp(line, key, strlen(key)) && text &&
		    sscanf(text, "resident_ns %" SCNu64 " armed_ns %" SCNu64,
			   &acc->resident, &acc->armed) == 2)
			found = true;
	}
	if (file)
		fclose(file);
	return found;
}

/*
 * Is the mean of the @nr estimates, for @made stores of which each was seen for
 * the fraction @p of the time, within 5 sigma of @made? When the machine stops
 * for a moment, the estimates of the watches armed then become smaller, and the
 * others' larger: they scatter more than those of a steady rate.
 */
static bool is_near(struct __test_metadata *_metadata, const double *estimates,
		    uint64_t made, double p, int nr)
{
	double mean = 0, scatter = 0, sigma = sqrt((1 - p) / p * made / nr);
	int i;

	for (i = 0; i < nr; i++)
		mean += estimates[i] / nr;
	for (i = 0; i < nr; i++)
		scatter += pow(estimates[i] - mean, 2);
	if (nr > 1)
		sigma = fmax(sigma, sqrt(scatter / (nr - 1) / nr));
	TH_LOG("mean of the estimates %.1f, stores made %" PRIu64 ", sigma %.1f",
	       mean, made, sigma);
	return fabs(mean - made) <= 5 * sigma + 0.5;
}

static double share_of(int watches)
{
	return watches > SLOTS ? (double)SLOTS / watches : 1;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * The tests.
 */

FIXTURE(scaling) {
	struct child child;
	int fd[MAX_WATCHES];
};

FIXTURE_VARIANT(scaling) {
	int watches;
	enum mode mode;
};

FIXTURE_VARIANT_ADD(scaling, 1_busy) { .watches = 1, .mode = BUSY };
FIXTURE_VARIANT_ADD(scaling, 1_asleep) { .watches = 1, .mode = ASLEEP };
FIXTURE_VARIANT_ADD(scaling, 4_both) { .watches = 4, .mode = BOTH };
FIXTURE_VARIANT_ADD(scaling, 16_busy) { .watches = 16, .mode = BUSY };
FIXTURE_VARIANT_ADD(scaling, 16_asleep) { .watches = 16, .mode = ASLEEP };
FIXTURE_VARIANT_ADD(scaling, 16_both) { .watches = 16, .mode = BOTH };

/* disabled: the first ones would be armed before the others exist */
static int open_watches(int *fd, int nr, uint64_t va, pid_t pid)
{
	int i;

	for (i = 0; i < nr; i++) {
		struct perf_event_attr attr =
			event_watch(va + i * GRANULE + 8, 4, EVENT_STORES);

		attr.disabled = 1;
		fd[i] = event_open(&attr, pid, -1);
		if (fd[i] < 0)
			return fd[i];
	}
	return 0;
}

static bool switch_all(const int *fd, int nr, unsigned long how)
{
	while (nr)
		if (ioctl(fd[--nr], how, 0))
			return false;
	return true;
}

/* wait until its time has reached @ns; false: timeout */
static bool wait_enabled(int fd, uint64_t ns)
{
	struct event_value value;
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		if (event_read(fd, &value))
			return false;
		if (value.enabled > ns)
			return true;
		usleep(10000);
	}
	return false;
}

FIXTURE_SETUP(scaling)
{
	enum mode mode = variant->mode;
	uint64_t va;

	ASSERT_EQ(0, child_start(&self->child, target, &mode));
	ASSERT_TRUE(hear(self->child.sock, &va));
	ASSERT_EQ(0, open_watches(self->fd, variant->watches, va,
				  self->child.pid));
	ASSERT_TRUE(switch_all(self->fd, variant->watches,
			       PERF_EVENT_IOC_ENABLE));
}

FIXTURE_TEARDOWN(scaling)
{
	int i;

	for (i = 0; i < variant->watches; i++)
		close(self->fd[i]);
}

/* every 20 ms; returns how often a value decreased, or running exceeded enabled */
static int watch_for(const int *fd, int nr, unsigned int ms)
{
	struct event_value old[MAX_WATCHES] = {}, now;
	unsigned int i, n, bad = 0;

	for (n = 0; n < ms / (READ_US / 1000); n++) {
		for (i = 0; i < nr; i++) {
			if (event_read(fd[i], &now))
				return -1;
			bad += now.enabled < old[i].enabled ||
			       now.running < old[i].running ||
			       now.running > now.enabled;
			old[i] = now;
		}
		usleep(READ_US);
	}
	return bad;
}

/* count * enabled / running, like in tools */
static double estimate(const struct event_value *value)
{
	return value->running ?
	       (double)value->count * value->enabled / value->running : -1;
}

TEST_F(scaling, tells_the_share)
{
	struct event_value end;
	int64_t lag, late;
	struct account acc;
	double estimates[MAX_WATCHES];
	uint64_t made, stopped;
	int i;

	say(self->child.sock, 1);
	EXPECT_EQ(0, watch_for(self->fd, variant->watches, WINDOW_MS));
	say(self->child.sock, 0);
	ASSERT_TRUE(hear(self->child.sock, &made));
	ASSERT_TRUE(books_settle(PATIENCE));
	stopped = now_ns();
	ASSERT_TRUE(switch_all(self->fd, variant->watches,
			       PERF_EVENT_IOC_DISABLE));

	for (i = 0; i < variant->watches; i++) {
		ASSERT_EQ(0, event_read(self->fd[i], &end));
		ASSERT_TRUE(account_of(self->fd[i], &acc));
		estimates[i] = estimate(&end);
		TH_LOG("watch %d: enabled %" PRIu64 " running %" PRIu64 " (%.2f%%) resident %" PRIu64 " armed %" PRIu64 "; count %" PRIu64 " -> %.0f of %" PRIu64,
		       i, end.enabled, end.running,
		       100.0 * end.running / end.enabled, acc.resident,
		       acc.armed, end.count, estimates[i], made);
		/* all are stopped now; a delay of one time is also in the other */
		lag = acc.resident - end.enabled;
		late = acc.armed - end.running;
		EXPECT_LE(-ROUNDING_NS, lag);
		/* the account goes on while the others are read */
		EXPECT_GE((int64_t)(LAG_NS + now_ns() - stopped), lag);
		EXPECT_LE(-ROUNDING_NS, late);
		EXPECT_GE(lag + ROUNDING_NS, late);
		EXPECT_LT(WINDOW_MS * 1000000ULL / 2, end.enabled);
		EXPECT_LT(0, end.running);
		if (variant->watches <= 4) {
			EXPECT_EQ(end.enabled, end.running);
			EXPECT_EQ(made, end.count);
		} else {
			EXPECT_GT(end.enabled, end.running);
		}
	}
	EXPECT_TRUE(is_near(_metadata, estimates, made,
			    share_of(variant->watches), variant->watches));
	say(self->child.sock, 0);
	EXPECT_EQ(0, child_end(&self->child));
	EXPECT_TRUE(books_settle(PATIENCE));
}

/* disabled and enabled again: no time is added in between, whatever the target does */
TEST_F(scaling, disabled_stands_still)
{
	struct event_value off, still, on;
	uint64_t made, then;
	int fd = self->fd[0];

	say(self->child.sock, 1);
	ASSERT_TRUE(wait_enabled(fd, 50000000));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, event_read(fd, &off));
	usleep(100000);
	ASSERT_EQ(0, event_read(fd, &still));
	EXPECT_EQ(off.enabled, still.enabled);
	EXPECT_EQ(off.running, still.running);
	then = now_ns();
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(wait_enabled(fd, off.enabled + 100000000));
	ASSERT_EQ(0, event_read(fd, &on));
	EXPECT_GE(off.enabled + now_ns() - then, on.enabled);
	say(self->child.sock, 0);
	ASSERT_TRUE(hear(self->child.sock, &made));
	say(self->child.sock, 0);
	EXPECT_EQ(0, child_end(&self->child));
}

/* a target that is killed: its times stay, and nothing is added */
TEST_F(scaling, killed)
{
	struct event_value dead, later;
	int i;

	say(self->child.sock, 1);
	ASSERT_TRUE(wait_enabled(self->fd[0], 50000000));
	child_kill(&self->child);
	EXPECT_TRUE(books_settle(PATIENCE));
	for (i = 0; i < variant->watches; i++) {
		ASSERT_EQ(0, event_read(self->fd[i], &dead));
		usleep(20000);
		ASSERT_EQ(0, event_read(self->fd[i], &later));
		EXPECT_LT(0, dead.enabled);
		EXPECT_LE(dead.running, dead.enabled);
		EXPECT_EQ(dead.enabled, later.enabled);
		EXPECT_EQ(dead.running, later.running);
	}
	EXPECT_TRUE(books_settle(PATIENCE));
}

/* a pinned event is armed all the time, and reports that, while others rotate */
TEST(pinned)
{
	struct event_value old, new;
	struct perf_event_attr attr;
	enum mode mode = ASLEEP;
	int fd[MAX_WATCHES], i;
	struct child child;
	uint64_t va, made;

	ASSERT_EQ(0, child_start(&child, target, &mode));
	ASSERT_TRUE(hear(child.sock, &va));
	attr = event_watch(va + 8, 4, EVENT_STORES);
	attr.pinned = 1;
	fd[0] = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, fd[0]);
	ASSERT_EQ(0, open_watches(fd + 1, MAX_WATCHES - 1, va + GRANULE,
				  child.pid));
	ASSERT_TRUE(switch_all(fd + 1, MAX_WATCHES - 1,
			       PERF_EVENT_IOC_ENABLE));
	say(child.sock, 1);
	ASSERT_TRUE(wait_enabled(fd[0], 50000000));
	ASSERT_EQ(0, event_read(fd[0], &old));
	ASSERT_TRUE(wait_enabled(fd[0], old.enabled + 500000000));
	ASSERT_EQ(0, event_read(fd[0], &new));
	say(child.sock, 0);
	ASSERT_TRUE(hear(child.sock, &made));
	EXPECT_LT(old.enabled, new.enabled);
	EXPECT_EQ(new.enabled - old.enabled, new.running - old.running);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	for (i = 0; i < MAX_WATCHES; i++)
		close(fd[i]);
}

static int idler(int sock, void *arg)
{
	uint64_t end = now_ns() + 300 * MS;

	(void)arg;
	while (now_ns() < end)
		;
	return heard(sock);
}

/* nothing to watch: no time, so that perf prints "<not counted>", not 0 */
TEST(no_context)
{
	struct perf_event_attr attr = event_watch(0x1000, 4, EVENT_STORES);
	struct event_value value;
	struct child child;
	int fd, i;

	ASSERT_EQ(0, child_start(&child, idler, NULL));
	fd = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, fd);
	for (i = 0; i < 20; i++) {
		usleep(30000);
		ASSERT_EQ(0, event_read(fd, &value));
		EXPECT_EQ(value.enabled, value.running);
	}
	EXPECT_EQ(0, value.running);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(fd);
}

/*
 * Work without the GPU does not dilute a share: the start of an application,
 * when nothing is resident, and threads without a queue, while they run and
 * when perf adds their times to the parent's.
 */
static void *burn(void *arg)
{
	uint64_t end = now_ns() + 100 * MS;

	(void)arg;
	while (now_ns() < end)
		;
	return NULL;
}

static int family(int sock, void *arg)
{
	struct stores stores = {};
	struct grun_mem out;
	pthread_t storer, other;
	struct gpu gpu;
	int i;

	(void)arg;
	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, SIZE, 0) ||
	    !say(sock, out.va) || heard(sock) <= 0)
		return 1;
	stores.gpu = &gpu;
	stores.va = out.va;
	for (i = 0; i < 10; i++)
		burn(NULL);
	if (pthread_create(&storer, NULL, store_steadily, &stores))
		return 1;
	for (i = 0; i < 20; i++)
		if (pthread_create(&other, NULL, burn, NULL) ||
		    pthread_join(other, NULL))
			return 1;
	stores.stop = true;
	if (pthread_join(storer, NULL) || !say(sock, stores.made))
		return 1;
	heard(sock);
	gpu_close(&gpu);
	return 0;
}

TEST(inherit_with_children_that_exit)
{
	struct event_value value;
	struct child child;
	int fd[MAX_WATCHES], i;
	double estimates[MAX_WATCHES], share = 0;
	uint64_t va, made;

	ASSERT_EQ(0, child_start(&child, family, NULL));
	ASSERT_TRUE(hear(child.sock, &va));
	for (i = 0; i < MAX_WATCHES; i++) {
		struct perf_event_attr attr =
			event_watch(va + i * GRANULE + 8, 4, EVENT_STORES);

		attr.inherit = 1;
		fd[i] = event_open(&attr, child.pid, -1);
		ASSERT_LE(0, fd[i]);
	}
	say(child.sock, 1);
	EXPECT_EQ(0, watch_for(fd, MAX_WATCHES, 2000));
	ASSERT_TRUE(hear(child.sock, &made));
	for (i = 0; i < MAX_WATCHES; i++) {
		ASSERT_EQ(0, event_read(fd[i], &value));
		EXPECT_GT(value.enabled, value.running);
		share += (double)value.running / value.enabled / MAX_WATCHES;
		estimates[i] = estimate(&value);
	}
	/* a long quantum is much of one watch's time, not of that of all */
	EXPECT_GT(1.1 * share_of(MAX_WATCHES), share)
		TH_LOG("a share of %.3f", share);
	EXPECT_TRUE(is_near(_metadata, estimates, made,
			    share_of(MAX_WATCHES), MAX_WATCHES));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	for (i = 0; i < MAX_WATCHES; i++)
		close(fd[i]);
}

struct group_value {
	uint64_t nr;
	uint64_t enabled;
	uint64_t running;
	uint64_t count[2];
};

#define GROUPS	4

/*
 * A group is read with its leader's times: its members rotate together. With
 * one group all fit, with four they do not.
 */
static void watch_groups(struct __test_metadata *_metadata, int groups)
{
	struct group_value now, old[GROUPS] = {};
	struct perf_event_attr attr;
	enum mode mode = ASLEEP;
	int fd[2 * GROUPS], i, n;
	struct child child;
	double estimates[GROUPS];
	uint64_t va, made;

	ASSERT_EQ(0, child_start(&child, target, &mode));
	ASSERT_TRUE(hear(child.sock, &va));
	for (i = 0; i < 2 * groups; i++) {
		attr = event_watch(va + i * GRANULE + 8, 4, EVENT_STORES);
		attr.disabled = i % 2 == 0;
		attr.read_format = PERF_FORMAT_GROUP |
				   PERF_FORMAT_TOTAL_TIME_ENABLED |
				   PERF_FORMAT_TOTAL_TIME_RUNNING;
		fd[i] = syscall(__NR_perf_event_open, &attr, child.pid, -1,
				i % 2 ? fd[i - 1] : -1, 0);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < groups; i++)
		ASSERT_EQ(0, ioctl(fd[2 * i], PERF_EVENT_IOC_ENABLE, 0));
	say(child.sock, 1);
	for (n = 0; n < WINDOW_MS / 20; n++) {
		usleep(READ_US);
		for (i = 0; i < groups; i++) {
			ASSERT_EQ(sizeof(now), read(fd[2 * i], &now, sizeof(now)));
			EXPECT_LE(old[i].enabled, now.enabled);
			EXPECT_LE(old[i].running, now.running);
			EXPECT_GE(now.enabled, now.running);
			old[i] = now;
		}
	}
	say(child.sock, 0);
	ASSERT_TRUE(hear(child.sock, &made));
	for (i = 0; i < groups; i++) {
		ASSERT_EQ(sizeof(now), read(fd[2 * i], &now, sizeof(now)));
		TH_LOG("group %d: %.2f%%, counts %" PRIu64 " and %" PRIu64 " -> %.0f and %.0f of %" PRIu64,
		       i, 100.0 * now.running / now.enabled, now.count[0],
		       now.count[1],
		       1.0 * now.count[0] * now.enabled / now.running,
		       1.0 * now.count[1] * now.enabled / now.running, made);
		/* at most one store can be between two waves' traps */
		EXPECT_GE(now.count[0] / 20 + 4,
			  distance(now.count[0], now.count[1]));
		estimates[i] = (double)now.count[1] * now.enabled / now.running;
		if (groups == 1) {
			EXPECT_EQ(now.enabled, now.running);
			EXPECT_EQ(made, now.count[0]);
			EXPECT_EQ(made, now.count[1]);
		}
	}
	EXPECT_TRUE(is_near(_metadata, estimates, made, share_of(2 * groups),
			    groups));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	for (i = 2 * groups; i--;)
		close(fd[i]);
}

TEST(group)
{
	watch_groups(_metadata, 1);
}

TEST(groups_take_turns)
{
	watch_groups(_metadata, GROUPS);
}

TEST_HARNESS_MAIN
