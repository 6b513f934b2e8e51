// SPDX-License-Identifier: GPL-2.0
/*
 * The last hits: a program that knows that its dispatch is over finds its hits
 * in the count at once, without waiting for the device to become idle.
 *
 * Each test reads the count, or exits, in a different way right after a
 * dispatch of one watched store; for counting and for sampling events; also
 * while the resolver gets hardly any time on the CPU to which it is bound.
 *
 * environment:
 *	GPUBP_ROUNDS	dispatches of each test, default 50; 10 on a debug kernel
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define SIZE		4096
#define VA		0x310000000000ULL
#define PATIENCE	60	/* s */
#define MANY		400	/* events */
#define HOG_NS		2000000	/* then pauses for the shortest time of a timer */

static unsigned int rounds(void)
{
	return env_number("GPUBP_ROUNDS", debug_kernel() ? 10 : 50);
}

/* ---- the resolver's CPU -------------------------------------------------- */

static bool has_name(const char *pid, const char *name)
{
	char path[64], comm[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = '\0';
	fclose(f);
	comm[strcspn(comm, "\n")] = '\0';
	return !strcmp(comm, name);
}

/* find a kernel thread by name, 0 if there is none */
static pid_t find_thread(const char *name)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t pid = 0;

	while (dir && !pid && (entry = readdir(dir)))
		if (isdigit(entry->d_name[0]) && has_name(entry->d_name, name))
			pid = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	return pid;
}

struct hog {
	pthread_t thread;
	bool runs;
	volatile bool ends;
	int err;
};

/* a real-time thread on the last CPU, which is the resolver's */
static void *hog_fn(void *arg)
{
	struct sched_param param = { .sched_priority = 50 };
	const struct timespec rest = { .tv_nsec = 200000 };
	struct hog *hog = arg;

	hog->err = run_on_cpu(0, sysconf(_SC_NPROCESSORS_ONLN) - 1);
	if (!hog->err && sched_setscheduler(0, SCHED_FIFO, &param))
		hog->err = -errno;
	while (!hog->err && !hog->ends) {
		int64_t until = now_ns() + HOG_NS;

		while (now_ns() < until)
			;
		nanosleep(&rest, NULL);
	}
	return NULL;
}

static int hog_start(struct hog *hog)
{
	pid_t resolver = find_thread("gpubp0/resolve");

	if (!resolver)
		return -ENOENT;
	if (run_on_cpu(resolver, sysconf(_SC_NPROCESSORS_ONLN) - 1))
		return -EINVAL;
	if (pthread_create(&hog->thread, NULL, hog_fn, hog))
		return -EAGAIN;
	hog->runs = true;
	return 0;
}

static int hog_end(struct hog *hog)
{
	if (!hog->runs)
		return 0;
	hog->ends = true;
	pthread_join(hog->thread, NULL);
	return hog->err;
}

/* ---- target and events --------------------------------------------------- */

struct target {
	struct gpu gpu;
	struct grun_mem out;
};

static int target_open(struct target *t)
{
	return gpu_open(&t->gpu, "loop") ?:
	       gpu_buffer(&t->gpu, &t->out, SIZE, VA);
}

/* one store; the dispatch is over on return */
static int dispatch(struct target *t)
{
	return gpu_run(&t->gpu, "repeat", 1, GPU_ARGS(VA, 1));
}

/* the caller does not sleep: nothing but interrupts drains its hits */
static int dispatch_and_poll(struct target *t, unsigned int stores)
{
	int ret = gpu_start(&t->gpu, "repeat", 1, GPU_ARGS(VA, stores));

	if (ret)
		return ret;
	do {
		ret = gpu_wait(&t->gpu, 0);
	} while (ret == -ETIME);
	return ret;
}

static struct perf_event_attr attr_of(bool samples)
{
	struct perf_event_attr attr = event_watch(VA, 4, EVENT_STORES);

	if (samples)
		event_sample(&attr, 1);
	return attr;
}

static int watch(bool samples, pid_t pid)
{
	struct perf_event_attr attr = attr_of(samples);

	return event_open(&attr, pid, -1);
}

/* statistics of hits that are no longer read from any event */
struct fate {
	int64_t delivered;
	int64_t not_delivered;
};

static const char * const other_fates[] = {
	"possible", "step", "stray_bytes", "stray_stale", "stray_kind",
	"stray_owner", "stray_value", "stray_trap", "stray_filtered", "checked",
	"differed", "drop_cells", "drop_unknown", "drop_suspended", "drop_stall",
	"drop_record", "drop_exited", "drop_unreachable",
};

static struct fate fate_so_far(void)
{
	struct fate fate = { .delivered = books_get("delivered") };
	unsigned int i;

	for (i = 0; i < sizeof(other_fates) / sizeof(other_fates[0]); i++)
		fate.not_delivered += books_get(other_fates[i]);
	return fate;
}

FIXTURE(last)
{
	struct target t;
	struct hog hog;
	unsigned int rounds;
};

FIXTURE_VARIANT(last)
{
	bool samples;
	bool starved;
};

FIXTURE_VARIANT_ADD(last, counted)
{
	.samples = false,
};

FIXTURE_VARIANT_ADD(last, sampled)
{
	.samples = true,
};

FIXTURE_VARIANT_ADD(last, counted_late)
{
	.starved = true,
};

FIXTURE_VARIANT_ADD(last, sampled_late)
{
	.samples = true,
	.starved = true,
};

FIXTURE_SETUP(last)
{
	memset(&self->hog, 0, sizeof(self->hog));
	self->rounds = rounds();
	ASSERT_TRUE(books_settle(PATIENCE));
	ASSERT_EQ(0, target_open(&self->t));
	if (variant->starved)
		ASSERT_EQ(0, hog_start(&self->hog));
}

FIXTURE_TEARDOWN(last)
{
	EXPECT_EQ(0, hog_end(&self->hog));
	gpu_close(&self->t.gpu);
}

/* a sampling event also has each hit in its ring */
static int map_if(struct ring *ring, int fd, bool samples)
{
	memset(ring, 0, sizeof(*ring));
	return samples ? ring_map(ring, fd, 64) : 0;
}

static void unmap_if(struct ring *ring)
{
	if (ring->page)
		ring_unmap(ring);
}

TEST_F(last, read_at_once)
{
	unsigned int missing = 0, taken = 0, i;
	int fd = watch(variant->samples, 0);
	struct ring ring;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, map_if(&ring, fd, variant->samples));
	for (i = 1; i <= self->rounds; i++) {
		ASSERT_EQ(0, dispatch(&self->t));
		missing += event_count(fd) != i;
		if (variant->samples) {
			taken += ring_drain(&ring);
			missing += taken != i;
		}
	}
	EXPECT_EQ(0, missing);
	unmap_if(&ring);
	close(fd);
}

TEST_F(last, read_in_a_group)
{
	struct perf_event_attr attr = attr_of(variant->samples);
	unsigned int missing = 0;
	uint64_t value[3], i;
	int leader, member;

	attr.read_format = PERF_FORMAT_GROUP;
	leader = event_open(&attr, 0, -1);
	ASSERT_LE(0, leader);
	member = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
	ASSERT_LE(0, member);
	for (i = 1; i <= self->rounds; i++) {
		ASSERT_EQ(0, dispatch(&self->t));
		ASSERT_EQ(sizeof(value), read(leader, value, sizeof(value)));
		ASSERT_EQ(2, value[0]);
		missing += value[1] != i || value[2] != i;
	}
	EXPECT_EQ(0, missing);
	close(member);
	close(leader);
}

/* so many that a hit's samples are not written in one interrupt: the next one pauses */
TEST_F(last, read_of_many_events)
{
	unsigned int missing = 0, stores = 0, i, n;
	int fds[MANY];

	for (n = 0; n < MANY; n++) {
		fds[n] = watch(variant->samples, 0);
		ASSERT_LE(0, fds[n]);
	}
	for (i = 1; i <= self->rounds / 5; i++) {
		ASSERT_EQ(0, dispatch_and_poll(&self->t, i));
		stores += i;
		for (n = 0; n < MANY; n++)
			missing += event_count(fds[n]) != stores;
	}
	EXPECT_EQ(0, missing);
	while (n)
		close(fds[--n]);
}

TEST_F(last, disabled_behind_it)
{
	int fd = watch(variant->samples, 0);
	unsigned int missing = 0, i;

	ASSERT_LE(0, fd);
	for (i = 1; i <= self->rounds; i++) {
		ASSERT_EQ(0, dispatch(&self->t));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		missing += event_count(fd) != i;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	}
	EXPECT_EQ(0, missing);
	close(fd);
}

TEST_F(last, read_and_reset)
{
	int fd = watch(variant->samples, 0);
	unsigned int missing = 0, i;

	ASSERT_LE(0, fd);
	for (i = 0; i < self->rounds; i++) {
		ASSERT_EQ(0, dispatch(&self->t));
		missing += event_count(fd) != 1;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	}
	EXPECT_EQ(0, missing);
	close(fd);
}

/* the count can no longer be read, but the hit was delivered to the event */
TEST_F(last, closed_behind_it)
{
	struct fate before = fate_so_far(), after;
	unsigned int i;
	int fd;

	for (i = 0; i < self->rounds; i++) {
		fd = watch(variant->samples, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, dispatch(&self->t));
		close(fd);
	}
	ASSERT_TRUE(books_settle(PATIENCE));
	after = fate_so_far();
	EXPECT_EQ(self->rounds, after.delivered - before.delivered);
	EXPECT_EQ(before.not_delivered, after.not_delivered);
}

/* ---- other processes ----------------------------------------------------- */

static int dispatcher(int sock, void *arg)
{
	struct target t;
	uint64_t go;

	if (target_open(&t))
		return 1;
	say(sock, 0);
	while (hear(sock, &go) && go)
		if (dispatch(&t) || !say(sock, 1))
			return 2;
	return 0;
}

static unsigned int not_in_ring(struct ring *ring, unsigned int *taken,
				unsigned int want)
{
	if (!ring->page)
		return 0;
	*taken += ring_drain(ring);
	return *taken != want;
}

/* a monitor knows when its target's dispatch is over */
TEST_F(last, synced_by_a_monitor)
{
	unsigned int missing = 0, taken = 0, i;
	int fd, session = session_open();
	struct child child;
	struct ring ring;

	ASSERT_LE(0, session);
	ASSERT_EQ(0, child_start(&child, dispatcher, NULL));
	ASSERT_EQ(0, heard(child.sock));
	fd = watch(variant->samples, child.pid);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, map_if(&ring, fd, variant->samples));
	for (i = 1; i <= self->rounds; i++) {
		ASSERT_TRUE(say(child.sock, 1));
		ASSERT_EQ(1, heard(child.sock));
		ASSERT_EQ(0, session_sync(session, fd, PATIENCE, NULL));
		missing += event_count(fd) != i;
		missing += not_in_ring(&ring, &taken, i);
	}
	EXPECT_EQ(0, missing);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	unmap_if(&ring);
	close(fd);
	close(session);
}

static int last_dispatch(int sock, void *arg)
{
	struct target t;

	if (target_open(&t) || !say(sock, 0) || heard(sock) != 1)
		return 1;
	_exit(dispatch(&t) ? 2 : 0);
}

TEST_F(last, exit_behind_it)
{
	unsigned int missing = 0, taken, i;
	struct child child;
	struct ring ring;
	int fd;

	for (i = 0; i < self->rounds; i++) {
		ASSERT_EQ(0, child_start(&child, last_dispatch, NULL));
		ASSERT_EQ(0, heard(child.sock));
		fd = watch(variant->samples, child.pid);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, map_if(&ring, fd, variant->samples));
		ASSERT_TRUE(say(child.sock, 1));
		ASSERT_EQ(0, child_end(&child));
		missing += event_count(fd) != 1;
		taken = 0;
		missing += not_in_ring(&ring, &taken, 1);
		unmap_if(&ring);
		close(fd);
	}
	EXPECT_EQ(0, missing);
}

struct monitor {
	bool samples;
	pid_t target;
};

static int monitor(int sock, void *arg)
{
	struct monitor *m = arg;
	uint64_t never;
	int fd = watch(m->samples, m->target);

	say(sock, fd < 0);
	hear(sock, &never);
	return 0;
}

/* a hit before the monitor was killed was delivered to the monitor's event */
TEST_F(last, monitor_killed_behind_it)
{
	struct monitor m = { variant->samples, getpid() };
	struct fate before = fate_so_far(), after;
	struct child child;
	unsigned int i;

	for (i = 0; i < self->rounds; i++) {
		ASSERT_EQ(0, child_start(&child, monitor, &m));
		ASSERT_EQ(0, heard(child.sock));
		ASSERT_EQ(0, dispatch(&self->t));
		child_kill(&child);
	}
	ASSERT_TRUE(books_settle(PATIENCE));
	after = fate_so_far();
	EXPECT_EQ(self->rounds, after.delivered - before.delivered);
	EXPECT_EQ(before.not_delivered, after.not_delivered);
}

TEST_HARNESS_MAIN
