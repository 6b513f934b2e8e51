// SPDX-License-Identifier: GPL-2.0
/*
 * Length of quanta: the mean and the half width of a quantum, and the share of
 * time that commits take, from the tracepoint gpubp_rotate with the guest's own
 * clock.
 *
 * A loaded emulator makes a commit late, and the next interval shorter by what
 * is made up for, a quarter of the mean at most, and by what passes in a commit
 * before it ends. So the minimum may be shorter and the mean longer by the
 * largest delay of a concurrent sleep. A quantum is half to three halves of the
 * mean, uniformly distributed: its deviation is 0.29 of the mean, that of the
 * mean of 64 is 0.036, and a sixth is five of those. That none of 64 is in the
 * shortest quarter has a probability of 1e-8; one that is may be late by some
 * tens of ms, and one of the sixteen expected ones is not.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define INSTANCE	"/sys/kernel/tracing/instances/gpubp_pace"
#define SIZE		4096
#define WATCHES		6	/* more than comparators */
#define GRANULE		64
#define PATIENCE	120	/* s */
#define MAX_COMMITS	4096
#define QUANTA		64
#define QUANTUM_US	150000
#define JITTER_US	4000	/* from the start of a commit to its end */
#define SLEEP_US	20000
#define CAP_US		1000000	/* longest interval, whatever commits cost */

/* a commit that rotates: its end, and its duration */
struct commit {
	uint64_t us;
	uint64_t ns;
};

static struct commit commits[MAX_COMMITS];
static unsigned int nr_commits;

static int put(const char *file, const char *text)
{
	char path[160];
	int fd, err = 0;

	snprintf(path, sizeof(path), INSTANCE "/%s", file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* those that ended while all watches were requested */
static void read_commits(void)
{
	unsigned int armed, watches, changed;
	unsigned long long s, us, ns;
	char line[512], *name, *stamp;
	FILE *file = fopen(INSTANCE "/trace", "re");

	nr_commits = 0;
	while (file && fgets(line, sizeof(line), file)) {
		name = strstr(line, ": gpubp_rotate: ");
		if (!name || nr_commits == MAX_COMMITS)
			continue;
		*name = '\0';
		stamp = strrchr(line, ' ');
		if (!stamp || sscanf(stamp, " %llu.%llu", &s, &us) != 2 ||
		    sscanf(name + 2, "gpubp_rotate: dev=%*u quantum=%*u armed=%u/%u changed=0x%x ns=%llu",
			   &armed, &watches, &changed, &ns) != 4 ||
		    watches != WATCHES)
			continue;
		commits[nr_commits++] = (struct commit){ s * 1000000 + us, ns };
	}
	if (file)
		fclose(file);
}

/* ---- delays of the machine ------------------------------------------------------ */

static volatile bool enough;

/* the largest delay of a sleep, us */
static void *sleeper(void *arg)
{
	uint64_t *late = arg, began, took;

	while (!enough) {
		began = now_ns();
		usleep(SLEEP_US);
		took = (now_ns() - began) / 1000;
		if (took > SLEEP_US && took - SLEEP_US > *late)
			*late = took - SLEEP_US;
	}
	return NULL;
}

/* ---- the tests ------------------------------------------------------------------ */

FIXTURE(pace) {
	struct gpu gpu;
	struct grun_mem out, stop;
	int session;
	int fd[WATCHES];
	long quantum, percent;
	pthread_t sleeper;
	uint64_t late;
};

FIXTURE_SETUP(pace)
{
	rmdir(INSTANCE);
	ASSERT_EQ(0, mkdir(INSTANCE, 0700));
	ASSERT_EQ(0, put("trace_clock", "mono"));
	ASSERT_EQ(0, put("buffer_size_kb", "2048"));
	self->session = session_open();
	ASSERT_LE(0, self->session);
	self->quantum = event_parameter("quantum_us", QUANTUM_US);
	self->percent = event_parameter("max_overhead_percent", 10);
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->stop, SIZE, 0));
	enough = false;
	self->late = 0;
	ASSERT_EQ(0, pthread_create(&self->sleeper, NULL, sleeper, &self->late));
}

FIXTURE_TEARDOWN(pace)
{
	enough = true;
	pthread_join(self->sleeper, NULL);
	event_parameter("quantum_us", self->quantum);
	event_parameter("max_overhead_percent", self->percent);
	put("events/gpubp/gpubp_rotate/enable", "0");
	EXPECT_EQ(0, rmdir(INSTANCE));
	gpu_close(&self->gpu);
	close(self->session);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* watches without a hit rotate for so many quanta; returns how many were seen */
static unsigned int rotate_for(FIXTURE_DATA(pace) *self, unsigned int quanta)
{
	struct perf_event_attr attr;
	unsigned int i;

	if (gpu_start(&self->gpu, "paced", 1,
		      GPU_ARGS(self->out.va, self->stop.va, 1000)))
		return 0;
	for (i = 0; i < WATCHES; i++) {
		attr = event_watch(self->out.va + SIZE / 2 + i * GRANULE, 4,
				   EVENT_STORES);
		self->fd[i] = event_open(&attr, 0, -1);
	}
	session_sync(self->session, self->fd[WATCHES - 1], PATIENCE, NULL);
	put("events/gpubp/gpubp_rotate/enable", "1");
	for (i = 0; i < PATIENCE * 10 && nr_commits <= quanta; i++) {
		usleep(100000);
		read_commits();
	}
	put("events/gpubp/gpubp_rotate/enable", "0");
	read_commits();
	for (i = 0; i < WATCHES; i++)
		close(self->fd[i]);
	*(volatile uint32_t *)self->stop.cpu = 1;
	gpu_wait(&self->gpu, PATIENCE);
	return nr_commits ? nr_commits - 1 : 0;
}

/* the shipped defaults are the documented ones */
TEST_F(pace, defaults)
{
	EXPECT_EQ(10000, self->quantum);
	EXPECT_EQ(10, self->percent);
}

TEST_F(pace, quantum)
{
	uint64_t sum = 0, least = UINT64_MAX, most = 0, late, us;
	unsigned int i, n;

	/* else the cost of commits here would stretch the quanta */
	event_parameter("max_overhead_percent", 100);
	n = rotate_for(self, QUANTA);
	late = self->late;
	ASSERT_LE(QUANTA, n);
	for (i = 0; i < n; i++) {
		us = commits[i + 1].us - commits[i].us;
		sum += us;
		least = us < least ? us : least;
		most = us > most ? us : most;
	}
	TH_LOG("%u quanta of %llu us, %llu to %llu; a sleep was late by %llu", n,
	       (unsigned long long)sum / n, (unsigned long long)least,
	       (unsigned long long)most, (unsigned long long)late);
	EXPECT_LE(QUANTUM_US / 4 - JITTER_US, least + late);
	EXPECT_GE(QUANTUM_US * 3 / 4, least);
	EXPECT_LE(QUANTUM_US * 5 / 4, most);
	EXPECT_LE(QUANTUM_US * 5 / 6, sum / n);
	EXPECT_GE(QUANTUM_US * 7 / 6 + late, sum / n);
}

/*
 * The configured quantum is almost 0, so that the cost of commits determines
 * the length. Each interval is at least a quarter of what the cost of its
 * commit asks for, up to the longest interval; over all of them commits take at
 * most their share. The tracepoint has the time spent on registers, which is less
 * than the time that is charged.
 */
static void check_share(struct __test_metadata *_metadata,
			FIXTURE_DATA(pace) *self, unsigned int percent)
{
	uint64_t cost = 0, time = 0, us, want;
	unsigned int i, n, short_of = 0;

	event_parameter("quantum_us", 1);
	event_parameter("max_overhead_percent", percent);
	n = rotate_for(self, QUANTA);
	ASSERT_LE(QUANTA, n);
	for (i = 0; i < n; i++) {
		us = commits[i + 1].us - commits[i].us;
		want = commits[i].ns / 1000 * 100 / percent;
		want = want < CAP_US ? want : CAP_US;
		short_of += us + JITTER_US < want / 4;
		cost += want * percent / 100;
		time += us;
	}
	TH_LOG("%u quanta, commits %llu of %llu us", n,
	       (unsigned long long)cost, (unsigned long long)time);
	EXPECT_EQ(0, short_of);
	EXPECT_LT(0, cost);
	EXPECT_GE(time * percent * 7 / 6, cost * 100);
}

TEST_F(pace, overhead_10_percent)
{
	check_share(_metadata, self, 10);
}

TEST_F(pace, overhead_2_percent)
{
	check_share(_metadata, self, 2);
}

TEST_HARNESS_MAIN
