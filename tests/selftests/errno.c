// SPDX-License-Identifier: GPL-2.0
/*
 * Invalid input: a precise errno, and no change of state. What an attr may contain
 * is in the KUnit suite of event/spec.c; each cause of a refusal is in reason.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define ADDR		0x100000
#define GRANULE		64
#define USER		1000

static struct perf_event_attr good(void)
{
	return event_watch(ADDR, 4, EVENT_STORES);
}

/* open on the calling process and close again: 0 or the errno */
static int try(const struct perf_event_attr *attr)
{
	int fd = event_open(attr, 0, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int try_config(uint64_t config)
{
	struct perf_event_attr attr = good();

	attr.config = config;
	return try(&attr);
}

static int try_range(uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = event_watch(addr, len, EVENT_STORES);

	return try(&attr);
}

/* perf frees events after a grace period, so none is left only after a while */
#define EXPECT_NOTHING_LEFT() EXPECT_TRUE(books_idle(10)) books_print()

TEST(a_good_event_opens)
{
	struct perf_event_attr attr = good();

	EXPECT_EQ(0, try(&attr));
	event_sample(&attr, 1);
	EXPECT_EQ(0, try(&attr));
	EXPECT_NOTHING_LEFT();
}

/*
 * A kernel older than a word refuses it with E2BIG and returns the size that it
 * knows.
 */
TEST(config4_is_not_used)
{
	union {
		struct perf_event_attr attr;
		uint64_t words[18];
	} u = { .attr = good() };
	int bit, got;

	for (bit = 0; bit < 64; bit++) {
		u.attr.size = 144;
		u.words[17] = 0;
		EXPECT_EQ(0, try(&u.attr));
		u.words[17] = 1ULL << bit;
		got = try(&u.attr);
		EXPECT_EQ(u.attr.size < 144 ? -E2BIG : -EINVAL, got)
			TH_LOG("config4 bit %d", bit);
	}
	EXPECT_NOTHING_LEFT();
}

/* perf takes -ENOENT for another PMU */
TEST(a_set_that_is_gone)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);
	int session = session_open();
	uint32_t set;

	ASSERT_EQ(0, session_set(session, &set));
	attr.config = GPUBP_KIND_WATCH_SET | (uint64_t)set << GPUBP_CONFIG_CODE_SHIFT;
	EXPECT_EQ(0, try(&attr));
	attr.config |= GPUBP_CONFIG_PROCESS;
	EXPECT_EQ(0, try(&attr));
	close(session);
	EXPECT_EQ(-EINVAL, try(&attr));
	EXPECT_NOTHING_LEFT();
}

TEST(bad_ranges)
{
	EXPECT_EQ(-EINVAL, try_range(ADDR, 0));
	EXPECT_EQ(-EINVAL, try_range(0, 0));
	EXPECT_EQ(-EINVAL, try_range(UINT64_MAX, 2));
	EXPECT_EQ(-EINVAL, try_range(ADDR, UINT64_MAX));
	EXPECT_EQ(-EINVAL, try_range(ADDR, 0ULL - ADDR + 1));
	/* beyond the 48 bits of an address */
	EXPECT_EQ(-EINVAL, try_range(1ULL << 48, 1));
	EXPECT_EQ(-EINVAL, try_range((1ULL << 48) - 1, 2));
	EXPECT_EQ(0, try_range((1ULL << 48) - 1, 1));
	/* an event may take at most two blocks of at most 1 GiB each */
	EXPECT_EQ(0, try_range(0, 2ULL << 30));
	EXPECT_EQ(-EOPNOTSUPP, try_range(0, (2ULL << 30) + 1));
	EXPECT_NOTHING_LEFT();
}

static uint64_t with_device(unsigned int field)
{
	return good().config | (uint64_t)field << GPUBP_CONFIG_DEVICE_SHIFT;
}

TEST(device_that_is_not_there)
{
	struct gpu gpu;
	unsigned int field;

	ASSERT_EQ(0, gpu_open(&gpu, "nop"));
	field = grun_info(gpu.dev)->device + 1;
	gpu_close(&gpu);
	EXPECT_EQ(0, try_config(with_device(field)));
	EXPECT_EQ(-ENODEV, try_config(with_device(field + 1)));
	EXPECT_EQ(-ENODEV, try_config(with_device(201)));
	EXPECT_EQ(-ENODEV, try_config(with_device(255)));
	EXPECT_NOTHING_LEFT();
}

TEST(cpu_wide)
{
	struct perf_event_attr attr = good();
	int fd = event_open(&attr, -1, 0);

	EXPECT_LE(0, fd);
	close(fd);
	EXPECT_EQ(-EINVAL, event_open(&attr, -1, -1));
	attr.pinned = 1;
	fd = event_open(&attr, -1, 0);
	EXPECT_LE(0, fd);
	close(fd);
	/* only a task can receive a signal */
	attr.pinned = 0;
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	EXPECT_EQ(-EINVAL, event_open(&attr, -1, 0));
	EXPECT_NOTHING_LEFT();
}

/* the software GPU has precise memory */
TEST(precise_ip)
{
	struct perf_event_attr attr = good();
	int precise;

	event_sample(&attr, 1);
	for (precise = 0; precise < 4; precise++) {
		attr.precise_ip = precise;
		EXPECT_EQ(0, try(&attr)) TH_LOG("precise_ip %d", precise);
	}
	EXPECT_NOTHING_LEFT();
}

TEST(exclude_bits_are_accepted)
{
	struct perf_event_attr attr = good();

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.exclude_guest = 1;
	attr.exclude_host = 1;
	attr.exclude_idle = 1;
	EXPECT_EQ(0, try(&attr));
	EXPECT_NOTHING_LEFT();
}

TEST(other_pmu_type)
{
	struct perf_event_attr attr = good();

	attr.type = 0x7fffffff;
	EXPECT_EQ(-ENOENT, try(&attr));
	EXPECT_NOTHING_LEFT();
}

TEST(target_that_is_not_there)
{
	struct perf_event_attr attr = good();

	/* above the highest possible pid */
	EXPECT_EQ(-ESRCH, event_open(&attr, 4194304 + 1, -1));
	EXPECT_NOTHING_LEFT();
}

TEST(modify_in_place)
{
	struct perf_event_attr attr = good(), other = event_watch(ADDR + 4, 4, EVENT_STORES);
	int fd = event_open(&attr, 0, -1);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &other));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "addr == 0"));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, event_count(fd));
	close(fd);
	EXPECT_NOTHING_LEFT();
}

static int open_pinned(uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = event_watch(addr, len, EVENT_STORES);

	attr.pinned = 1;
	return event_open(&attr, 0, -1);
}

/* four comparators, one of which stays flexible */
TEST(too_many_pinned)
{
	int fd[3], i;

	for (i = 0; i < 3; i++) {
		fd[i] = open_pinned(ADDR + GRANULE * i, 4);
		ASSERT_LE(0, fd[i]);
	}
	EXPECT_EQ(-ENOSPC, open_pinned(ADDR + GRANULE * 3, 4));
	/* a copy shares the reservation; a flexible event needs none */
	i = open_pinned(ADDR, 4);
	EXPECT_LE(0, i);
	close(i);
	EXPECT_EQ(0, try_range(ADDR + GRANULE * 3, 4));

	close(fd[0]);
	/* no comparator is left for the second half of this one */
	EXPECT_EQ(-ENOSPC, open_pinned(ADDR + GRANULE * 4 - 2, 4));
	fd[0] = open_pinned(ADDR + GRANULE * 3, 4);
	EXPECT_LE(0, fd[0]);
	for (i = 0; i < 3; i++)
		close(fd[i]);
	EXPECT_NOTHING_LEFT();
}

/*
 * Unprivileged users. Distributions ship various perf_event_paranoid values;
 * 2 is the kernel's own.
 */

FIXTURE(user) {
	int paranoid;
};

FIXTURE_SETUP(user)
{
	self->paranoid = event_paranoid(2);
	ASSERT_NE(-1, self->paranoid);
	event_type();
}

FIXTURE_TEARDOWN_PARENT(user)
{
	event_paranoid(self->paranoid);
}

static struct perf_event_attr users(void)
{
	struct perf_event_attr attr = good();

	attr.exclude_kernel = 1;
	return attr;
}

static int say_errno(int sock, int fd)
{
	if (fd >= 0)
		close(fd);
	return !say(sock, fd < 0 ? fd : 0);
}

/* one of ours, then one of perf's own software events */
static int open_foreign(int sock, void *arg)
{
	struct perf_event_attr attr = users(), dummy = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(dummy),
		.exclude_kernel = 1,
	};
	pid_t pid = *(pid_t *)arg;

	return become(USER) ?:
	       say_errno(sock, event_open(&attr, pid, -1)) ?:
	       say_errno(sock, event_open(&dummy, pid, -1));
}

TEST_F(user, foreign_process)
{
	pid_t pid = getpid();
	struct child child;
	int64_t ours;

	ASSERT_EQ(0, child_start(&child, open_foreign, &pid));
	ours = heard(child.sock);
	EXPECT_EQ(-EACCES, ours);
	EXPECT_EQ(ours, heard(child.sock)) TH_LOG("perf's own events differ");
	EXPECT_EQ(0, child_end(&child));
	EXPECT_NOTHING_LEFT();
}

static int open_two_pinned(int sock, void *arg)
{
	struct perf_event_attr attr = users();
	int fd, err = become(USER);

	if (err)
		return 1;
	attr.pinned = 1;
	fd = event_open(&attr, 0, -1);
	if (!say(sock, fd < 0 ? fd : 0))
		return 1;
	attr.config1 += GRANULE;
	return say_errno(sock, event_open(&attr, 0, -1));
}

TEST_F(user, one_pinned_comparator)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, open_two_pinned, NULL));
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(-ENOSPC, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	EXPECT_NOTHING_LEFT();
}

/* ---- access by user and attr ------------------------------------------------ */

enum who { ROOT, NOBODY };

#define STORES		(GPUBP_KIND_WATCH | EVENT_STORES << GPUBP_CONFIG_ACCESS_SHIFT)
#define DEVICE(field)	((uint64_t)(field) << GPUBP_CONFIG_DEVICE_SHIFT)
#define CODE(code)	((uint64_t)(code) << GPUBP_CONFIG_CODE_SHIFT)
#define COND(id)	((uint64_t)(id) << GPUBP_CONFIG2_COND_SHIFT)
#define NO_SUCH_SET	0xfffffff0

struct opening {
	enum who who;
	uint64_t config, config1, config2;
	bool pinned, kernel, cpu;
	int want;
};

static const struct opening openings[] = {
	{ ROOT, STORES, ADDR, 4, .kernel = true, .want = 0 },
	{ ROOT, STORES, ADDR, 4, .want = 0 },
	{ NOBODY, STORES, ADDR, 4, .want = 0 },
	{ NOBODY, STORES, ADDR, 4, .kernel = true, .want = -EACCES },
	{ NOBODY, STORES, ADDR, 4, .cpu = true, .want = -EACCES },
	{ ROOT, STORES, ADDR, 4, .pinned = true, .want = 0 },
	{ NOBODY, STORES, ADDR, 4, .pinned = true, .want = 0 },
	{ ROOT, STORES, ADDR + 2 * GRANULE - 2, 4, .pinned = true, .want = 0 },
	{ NOBODY, STORES, ADDR + 2 * GRANULE - 2, 4, .pinned = true, .want = -ENOSPC },
	{ NOBODY, STORES | GPUBP_CONFIG_NAMED | CODE(1), 0, 4, .want = 0 },
	{ NOBODY, STORES | GPUBP_CONFIG_PROCESS, ADDR, 4, .want = 0 },
	{ NOBODY, STORES | GPUBP_CONFIG_METER, ADDR, 4, .want = 0 },
	{ NOBODY, STORES | GPUBP_CONFIG_CHANGED, ADDR, GPUBP_CHANGED_MAX, .want = 0 },
	{ NOBODY, GPUBP_KIND_EXCEPTION, 0, 0, .want = 0 },
	{ NOBODY, GPUBP_KIND_EXCEPTION | CODE(GPUBP_EXC_FP), 0, 0, .want = 0 },
	{ NOBODY, GPUBP_KIND_BREAK, ADDR, 0, .want = 0 },
	{ NOBODY, GPUBP_KIND_BREAK | GPUBP_CONFIG_NAMED | CODE(1), 0, 0, .want = 0 },
	{ NOBODY, GPUBP_KIND_BREAK, ADDR, 0, .pinned = true, .want = 0 },
	{ NOBODY, GPUBP_KIND_TRAP | CODE(2), 0, 0, .want = 0 },
	{ NOBODY, GPUBP_KIND_TRAP | CODE(2), 0, 0, .pinned = true, .want = 0 },
	{ NOBODY, STORES, ADDR, 4 | COND(UINT16_MAX), .want = -EINVAL },
	/* what is checked first */
	{ NOBODY, GPUBP_KIND_BREAK | DEVICE(255), ADDR, COND(1), .want = -EINVAL },
	{ NOBODY, STORES | DEVICE(255), ADDR, 4 | COND(UINT16_MAX), .want = -ENODEV },
	{ NOBODY, GPUBP_KIND_EXCEPTION | DEVICE(255), 0, 0, .want = -ENODEV },
	{ NOBODY, GPUBP_KIND_BREAK | DEVICE(255), ADDR, 0, .want = -ENODEV },
	{ ROOT, GPUBP_KIND_WATCH_SET | CODE(NO_SUCH_SET), 0, 0, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_WATCH_SET | CODE(NO_SUCH_SET), 0, 0, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_WATCH_SET | CODE(NO_SUCH_SET), 0, 0, .pinned = true,
	  .want = -EOPNOTSUPP },
	{ NOBODY, GPUBP_KIND_WATCH_SET | CODE(NO_SUCH_SET) | DEVICE(255), 0, 0,
	  .want = -ENODEV },
};

static int open_as(int sock, void *arg)
{
	const struct opening *o = arg;
	struct perf_event_attr attr = good();

	attr.config = o->config;
	attr.config1 = o->config1;
	attr.config2 = o->config2;
	attr.pinned = o->pinned;
	attr.exclude_kernel = !o->kernel;
	if (o->who == NOBODY && become(USER))
		return 1;
	return say_errno(sock, o->cpu ? event_open(&attr, -1, 0) : event_open(&attr, 0, -1));
}

TEST_F(user, and_root)
{
	struct child child;
	unsigned int i;

	for (i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
		ASSERT_EQ(0, child_start(&child, open_as, (void *)&openings[i]));
		EXPECT_EQ(openings[i].want, heard(child.sock))
			TH_LOG("row %u", i);
		EXPECT_EQ(0, child_end(&child));
	}
	EXPECT_NOTHING_LEFT();
}

TEST_HARNESS_MAIN
