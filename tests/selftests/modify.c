// SPDX-License-Identifier: GPL-2.0
/*
 * GPUBP_MODIFY, GPUBP_SYNC and GPUBP_STATS: an event is modified in place to
 * watch something else, and a tool can find out when that takes effect.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "repeater.h"
#include "session.h"

#define SIZE		4096
#define GRANULE		64
#define ROUNDS		20
#define PATIENCE	60	/* s */
#define RING_PAGES	128
#define USER		1000
#define THREADS		150

/* addresses in different blocks */
#define OLD(va)		((va) + 4)
#define NEW(va)		((va) + GRANULE + 8)

FIXTURE(modify) {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem stop;
	int session;
};

FIXTURE_SETUP(modify)
{
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->stop, SIZE, 0));
	self->session = session_open();
	ASSERT_LE(0, self->session);
}

FIXTURE_TEARDOWN(modify)
{
	close(self->session);
	gpu_close(&self->gpu);
}

static int watch(uint64_t addr, pid_t pid, bool disabled)
{
	struct perf_event_attr attr = event_watch(addr, 4, EVENT_STORES);

	attr.disabled = disabled;
	attr.inherit = !pid;
	return event_open(&attr, pid, -1);
}

TEST_F(modify, counts_stay)
{
	int fd = watch(OLD(self->out.va), 0, false);

	ASSERT_LE(0, fd);
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	ASSERT_EQ(0, session_modify(self->session, fd, NEW(self->out.va)));
	EXPECT_EQ(ROUNDS, event_count(fd));
	/* both addresses are stored to, but only one is counted */
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(2 * ROUNDS, books_count(fd, PATIENCE));
	EXPECT_EQ(2 * ROUNDS, session_matched(self->session, fd));
	close(fd);
}

TEST_F(modify, to_what_it_is)
{
	int fd = watch(OLD(self->out.va), 0, false);
	int64_t commits;

	ASSERT_LE(0, fd);
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	commits = books_state("commits");
	ASSERT_EQ(0, session_modify(self->session, fd, OLD(self->out.va)));
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	EXPECT_EQ(commits, books_state("commits"));
	close(fd);
}

/* samples of the old address that are still on their way arrive before SYNC returns */
static unsigned int not_at(struct ring *ring, uint64_t addr, unsigned int *at)
{
	struct sample sample;
	unsigned int others = 0;

	for (*at = 0; ring_next(ring, &sample); ) {
		if (sample.addr == addr)
			++*at;
		else
			others++;
	}
	return others;
}

TEST_F(modify, while_the_kernel_runs)
{
	struct perf_event_attr attr = event_watch(OLD(self->out.va), 4, EVENT_STORES);
	unsigned int round, at, i;
	struct ring ring;
	int fd;

	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_EQ(0, gpu_start(&self->gpu, "until", 1,
			       GPU_ARGS(self->out.va, self->stop.va)));
	for (round = 0; round < ROUNDS; round++) {
		uint64_t addr = round % 2 ? OLD(self->out.va) : NEW(self->out.va);

		ASSERT_EQ(0, session_modify(self->session, fd, addr));
		ASSERT_EQ(1, session_armed(self->session, fd, PATIENCE));
		ring_drain(&ring);
		for (at = 0, i = 0; !at && i < 1000 * PATIENCE; i++) {
			usleep(1000);
			EXPECT_EQ(0, not_at(&ring, addr, &at))
				TH_LOG("round %u", round);
		}
		EXPECT_LT(0, at) TH_LOG("round %u", round);
	}
	*(volatile uint32_t *)self->stop.cpu = 1;
	ASSERT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	EXPECT_TRUE(books_settle(PATIENCE));
	ring_unmap(&ring);
	close(fd);
}

TEST_F(modify, length_and_access)
{
	struct gpubp_modify modify = { .config1 = self->out.va };
	struct perf_event_attr attr;
	int fd = watch(OLD(self->out.va), 0, false);

	ASSERT_LE(0, fd);
	/* lanes 0 to 31: one instruction, one count */
	attr = event_watch(self->out.va, 128, EVENT_STORES);
	modify.id = session_id(fd);
	modify.config = attr.config;
	modify.config2 = 128;
	ASSERT_EQ(0, session_call(self->session, GPUBP_MODIFY, &modify));
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	/* the same bytes, but loads: there are no loads */
	attr = event_watch(self->out.va, 128, GPUBP_ACCESS_LOAD);
	modify.config = attr.config;
	ASSERT_EQ(0, session_call(self->session, GPUBP_MODIFY, &modify));
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	close(fd);
}

#define CHILD_VA	0x200000000ULL

/* one child exists before the modification, one is forked after it */
TEST_F(modify, children)
{
	uint64_t va = CHILD_VA, got;
	struct child child[2];
	struct gpubp_sync sync;
	int i, fd = watch(OLD(va), 0, false);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, child_start(&child[0], repeater, &va));
	ASSERT_TRUE(hear(child[0].sock, &got));
	ASSERT_EQ(va, got);
	ASSERT_TRUE(repeater_run(&child[0], ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));

	ASSERT_EQ(0, session_modify(self->session, fd, NEW(va)));
	ASSERT_EQ(0, child_start(&child[1], repeater, &va));
	ASSERT_TRUE(hear(child[1].sock, &got));
	ASSERT_EQ(va, got);
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
	EXPECT_EQ(3, sync.nr_watches);
	EXPECT_EQ(3, sync.nr_armed);
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(repeater_run(&child[i], ROUNDS));
	EXPECT_EQ(3 * ROUNDS, books_count(fd, PATIENCE));
	EXPECT_EQ(3 * ROUNDS, session_matched(self->session, fd));
	for (i = 0; i < 2; i++) {
		say(child[i].sock, 0);
		EXPECT_EQ(0, child_end(&child[i]));
	}
	/* the count of a child is kept after its exit */
	EXPECT_EQ(3 * ROUNDS, session_matched(self->session, fd));
	close(fd);
}

static __attribute__((noreturn)) void *sleep_forever(void *unused)
{
	for (;;)
		pause();
}

/* more than are bound in one go: the child with a context is the last one */
TEST_F(modify, many_children)
{
	uint64_t va = CHILD_VA, got;
	int i, fd = watch(OLD(va), 0, false);
	struct gpubp_sync sync;
	struct child child;
	pthread_t thread;

	ASSERT_LE(0, fd);
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&thread, NULL, sleep_forever, NULL));
	ASSERT_EQ(0, child_start(&child, repeater, &va));
	ASSERT_TRUE(hear(child.sock, &got));
	ASSERT_EQ(va, got);
	for (i = 1; i <= 4; i++) {
		ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
		EXPECT_EQ(2, sync.nr_watches);
		EXPECT_EQ(2, sync.nr_armed);
		ASSERT_TRUE(repeater_run(&child, ROUNDS));
		EXPECT_EQ(i * ROUNDS, books_count(fd, PATIENCE));
		ASSERT_EQ(0, session_modify(self->session, fd,
					    i % 2 ? NEW(va) : OLD(va)));
	}
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(fd);
}

/* children forked during modifications have the old or the new watch, never a mix */
TEST_F(modify, while_children_are_forked)
{
	int round, fd = watch(OLD(self->out.va), 0, false);

	ASSERT_LE(0, fd);
	for (round = 0; round < ROUNDS; round++) {
		pid_t pid = fork();

		if (!pid) {
			pid_t own = fork();

			_exit(own < 0 || (own && waitpid(own, NULL, 0) != own));
		}
		ASSERT_LT(0, pid);
		EXPECT_EQ(0, session_modify(self->session, fd, round % 2 ?
					    OLD(self->out.va) : NEW(self->out.va)));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	close(fd);
}

TEST_F(modify, disabled)
{
	int fd = watch(OLD(self->out.va), 0, true);
	struct gpubp_sync sync;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_modify(self->session, fd, NEW(self->out.va)));
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
	EXPECT_EQ(0, sync.nr_watches);
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(0, books_count(fd, PATIENCE));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	close(fd);
}

/* perf has no callback when an event of a sleeping task is enabled */
TEST_F(modify, sleeping_target)
{
	uint64_t va = CHILD_VA, got;
	struct child child;
	int fd, i;

	ASSERT_EQ(0, child_start(&child, repeater, &va));
	ASSERT_TRUE(hear(child.sock, &got));
	fd = watch(OLD(va), child.pid, true);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(wait_asleep(child.pid, PATIENCE));
	for (i = 0; i < ROUNDS; i++) {
		struct gpubp_sync sync;

		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE)) TH_LOG("round %d", i);
		ASSERT_EQ(0, session_modify(self->session, fd,
					    i % 2 ? OLD(va) : NEW(va)));
		EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE)) TH_LOG("round %d", i);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
		EXPECT_EQ(0, sync.nr_watches);
	}
	ASSERT_EQ(0, session_modify(self->session, fd, NEW(va)));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_TRUE(repeater_run(&child, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(fd);
}

/* four comparators: the fifth watch and those after it have to wait */
TEST_F(modify, sync_tells_who_waits)
{
	struct gpubp_sync sync;
	int fd[6], armed = 0, rotating = 0, i;

	for (i = 0; i < 6; i++) {
		fd[i] = watch(self->out.va + i * GRANULE, 0, false);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, session_sync(self->session, fd[i], PATIENCE, &sync));
		EXPECT_EQ(1, sync.nr_watches);
		EXPECT_EQ(0, sync.nr_pending + sync.nr_unserved);
		armed += sync.nr_armed;
		rotating += sync.nr_rotating;
	}
	EXPECT_EQ(6, armed + rotating);
	/* at different moments */
	EXPECT_LT(0, armed);
	for (i = 0; i < 6; i++)
		close(fd[i]);
}

/* ---- reservations -------------------------------------------------------- */

static int pinned(uint64_t addr, int cpu)
{
	struct perf_event_attr attr = event_watch(addr, 4, EVENT_STORES);

	attr.pinned = 1;
	return event_open(&attr, 0, cpu);
}

static int modify_range(int session, int fd, uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = event_watch(addr, len, EVENT_STORES);
	struct gpubp_modify modify = {
		.id = session_id(fd),
		.config = attr.config,
		.config1 = addr,
		.config2 = len,
	};

	return session_call(session, GPUBP_MODIFY, &modify);
}

/* as perf record opens them; three of four comparators can be reserved */
TEST_F(modify, pinned_copies_of_each_cpu)
{
	uint64_t va = self->out.va;
	int copy[2], other[2], fd, i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "one CPU");
	for (i = 0; i < 2; i++) {
		copy[i] = pinned(va, i);
		ASSERT_LE(0, copy[i]);
		other[i] = pinned(va + (i + 1) * GRANULE, -1);
		ASSERT_LE(0, other[i]);
	}
	/* no comparator is left, so each step must use those that they have */
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, session_modify(self->session, copy[i],
					    va + 8 * GRANULE));
	EXPECT_EQ(-ENOSPC, pinned(va + 9 * GRANULE, -1));
	/* they are still one reservation group: a copy joins it */
	fd = pinned(va + 8 * GRANULE, -1);
	EXPECT_LE(0, fd);
	close(fd);
	/* two comparators are one too many */
	EXPECT_EQ(-ENOSPC, modify_range(self->session, copy[0],
					va + 8 * GRANULE - 2, 4));
	EXPECT_EQ(1, session_armed(self->session, other[0], PATIENCE));
	close(other[0]);
	EXPECT_EQ(0, modify_range(self->session, copy[0], va + 8 * GRANULE - 2, 4));
	EXPECT_EQ(0, modify_range(self->session, copy[1], va + 8 * GRANULE - 2, 4));
	/* it keeps what it has */
	EXPECT_EQ(0, session_modify(self->session, copy[0], va));
	EXPECT_EQ(-ENOSPC, pinned(va + 9 * GRANULE, -1));
	EXPECT_EQ(0, session_modify(self->session, copy[1], va));
	for (i = 0; i < 2; i++)
		close(copy[i]);
	fd = pinned(va + 9 * GRANULE, -1);
	EXPECT_LE(0, fd);
	close(fd);
	close(other[1]);
}

/* two events with the same watch that are not copies: each has its own reservation */
TEST_F(modify, pinned_equals_part)
{
	uint64_t va = self->out.va;
	int fd[3], i;

	for (i = 0; i < 2; i++) {
		fd[i] = pinned(va, -1);
		ASSERT_LE(0, fd[i]);
	}
	EXPECT_EQ(0, session_modify(self->session, fd[0], va + GRANULE));
	fd[2] = pinned(va + 2 * GRANULE, -1);
	ASSERT_LE(0, fd[2]);
	EXPECT_EQ(-ENOSPC, pinned(va + 3 * GRANULE, -1));
	/* and share a block again */
	EXPECT_EQ(0, session_modify(self->session, fd[0], va));
	i = pinned(va + 3 * GRANULE, -1);
	EXPECT_LE(0, i);
	close(i);
	for (i = 0; i < 3; i++)
		close(fd[i]);
}

/* ---- errno --------------------------------------------------------------- */

struct bad {
	const char *what;
	uint64_t config;	/* XORed with config */
	uint64_t addr;
	uint64_t len;
	int want;
};

#define GOOD	0x100000

static const struct bad bad[] = {
	{ "kind reserved", 4 ^ GPUBP_KIND_WATCH, GOOD, 4, -EINVAL },
	{ "a break", GPUBP_KIND_BREAK ^ GPUBP_KIND_WATCH, GOOD, 4, -EINVAL },
	{ "another kind", GPUBP_KIND_WATCH_SET ^ GPUBP_KIND_WATCH, GOOD, 4, -EINVAL },
	{ "undefined bit 11", 1 << 11, GOOD, 4, -EINVAL },
	{ "undefined bit 17", 1 << 17, GOOD, 4, -EINVAL },
	{ "undefined bit 21", 1 << 21, GOOD, 4, -EINVAL },
	{ "process", GPUBP_CONFIG_PROCESS, GOOD, 4, -EINVAL },
	{ "device", 1 << GPUBP_CONFIG_DEVICE_SHIFT, GOOD, 4, -EINVAL },
	{ "code without a name", 1ULL << GPUBP_CONFIG_CODE_SHIFT, GOOD, 4, -EINVAL },
	{ "no bytes", 0, GOOD, 0, -EINVAL },
	{ "wraps", 0, UINT64_MAX, 2, -EINVAL },
	{ "beyond all addresses", 0, 1ULL << 50, 4, -EINVAL },
	{ "a condition", 0, GOOD, 4 | 1ULL << GPUBP_CONFIG2_COND_SHIFT, -EINVAL },
	{ "changed is too long", GPUBP_CONFIG_CHANGED, GOOD, 65, -EINVAL },
	{ "too long for two blocks", 0, 0, (2ULL << 30) + 1, -EOPNOTSUPP },
};

TEST_F(modify, bad_values_change_nothing)
{
	struct perf_event_attr good = event_watch(OLD(self->out.va), 4, EVENT_STORES);
	int fd = watch(OLD(self->out.va), 0, false);
	unsigned int i;

	ASSERT_LE(0, fd);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct gpubp_modify modify = {
			.id = session_id(fd),
			.config = good.config ^ bad[i].config,
			.config1 = bad[i].addr,
			.config2 = bad[i].len,
		};

		EXPECT_EQ(bad[i].want, session_call(self->session, GPUBP_MODIFY,
						    &modify))
			TH_LOG("%s", bad[i].what);
	}
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	close(fd);
}

/* an id that belongs to no event of the session's process */
static void expect_unknown(struct __test_metadata *_metadata, int session,
			   uint64_t id)
{
	struct gpubp_modify modify = { .id = id };
	struct gpubp_sync sync = { .id = id };
	struct gpubp_event_stats stats = { .id = id };

	EXPECT_EQ(-ENOENT, session_call(session, GPUBP_MODIFY, &modify));
	EXPECT_EQ(-ENOENT, session_call(session, GPUBP_SYNC, &sync));
	EXPECT_EQ(-ENOENT, session_call(session, GPUBP_STATS, &stats));
}

static int say_id(int sock, void *arg)
{
	struct perf_event_attr attr = event_watch(GOOD, 4, EVENT_STORES);
	int fd = event_open(&attr, 0, -1);
	uint64_t unused;

	if (fd < 0 || !say(sock, session_id(fd)))
		return 1;
	hear(sock, &unused);
	close(fd);
	return 0;
}

TEST_F(modify, whose_event)
{
	struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(dummy),
	};
	struct child child;
	uint64_t id;
	int fd;

	expect_unknown(_metadata, self->session, 0);
	expect_unknown(_metadata, self->session, UINT64_MAX);
	/* of another PMU */
	fd = event_open(&dummy, 0, -1);
	ASSERT_LE(0, fd);
	expect_unknown(_metadata, self->session, session_id(fd));
	close(fd);
	/* of another process */
	ASSERT_EQ(0, child_start(&child, say_id, NULL));
	ASSERT_TRUE(hear(child.sock, &id));
	expect_unknown(_metadata, self->session, id);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	/* of this process, but closed */
	fd = watch(GOOD, 0, false);
	id = session_id(fd);
	close(fd);
	expect_unknown(_metadata, self->session, id);
}

TEST_F(modify, reserved_members)
{
	int fd = watch(GOOD, 0, false);
	struct gpubp_modify modify = { .id = session_id(fd), .flags = 1 };
	struct gpubp_sync sync = { .id = session_id(fd), .flags = 1 };

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, session_call(self->session, GPUBP_MODIFY, &modify));
	modify.flags = 0;
	modify.reserved = 1;
	EXPECT_EQ(-EINVAL, session_call(self->session, GPUBP_MODIFY, &modify));
	EXPECT_EQ(-EINVAL, session_call(self->session, GPUBP_SYNC, &sync));
	EXPECT_EQ(-EFAULT, session_call(self->session, GPUBP_MODIFY, NULL));
	EXPECT_EQ(-EFAULT, session_call(self->session, GPUBP_SYNC, NULL));
	EXPECT_EQ(-ENOTTY, session_call(self->session, _IO('B', 0x40), &modify));
	EXPECT_EQ(-ENOTTY, session_call(self->session, _IO('B', 0x7f), &modify));
	close(fd);
}

/* a user's second reserved comparator needs CAP_PERFMON, also by modification */
static int widen_pinned(int sock, void *arg)
{
	struct perf_event_attr attr = event_watch(GOOD, 4, EVENT_STORES);
	int fd, session;

	if (become(USER))
		return 1;
	attr.pinned = 1;
	attr.exclude_kernel = 1;
	fd = event_open(&attr, 0, -1);
	session = session_open();
	if (fd < 0 || session < 0)
		return 1;
	return !say(sock, modify_range(session, fd, GOOD - 2, 4)) ||
	       !say(sock, session_modify(session, fd, GOOD + GRANULE));
}

TEST_F(modify, user_s_second_comparator)
{
	int paranoid = event_paranoid(2);
	struct child child;

	ASSERT_NE(-1, paranoid);
	ASSERT_EQ(0, child_start(&child, widen_pinned, NULL));
	EXPECT_EQ(-ENOSPC, heard(child.sock));
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	event_paranoid(paranoid);
}

TEST_HARNESS_MAIN
