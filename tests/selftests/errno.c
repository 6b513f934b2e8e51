// SPDX-License-Identifier: GPL-2.0
/* Invalid input: a precise errno, and no change of state. */
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

/* bits that have a meaning for a watch, or that it must not have */
#define DEFINED	(GPUBP_CONFIG_KIND | GPUBP_CONFIG_ACCESS | GPUBP_CONFIG_PROCESS | \
		 GPUBP_CONFIG_CHANGED | GPUBP_CONFIG_NAMED | GPUBP_CONFIG_METER | \
		 GPUBP_CONFIG_POSSIBLE | GPUBP_CONFIG_LOST | \
		 GPUBP_CONFIG_DEVICE | GPUBP_CONFIG_CODE)

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

/* one event of each kind that is supported; the set is a new one */
static struct perf_event_attr good_set(uint32_t set)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);

	attr.config = GPUBP_KIND_WATCH_SET |
		      (uint64_t)set << GPUBP_CONFIG_CODE_SHIFT;
	return attr;
}

/* bits that neither a watch nor a set has */
static void expect_bits_refused(struct __test_metadata *_metadata,
				const struct perf_event_attr *good)
{
	struct perf_event_attr attr = *good;
	uint64_t bit;
	int nr = 0;

	EXPECT_EQ(0, try(&attr));
	for (bit = 1; bit; bit <<= 1) {
		if (bit & DEFINED)
			continue;
		attr.config = good->config | bit;
		EXPECT_EQ(-EINVAL, try(&attr))
			TH_LOG("config bit %d", __builtin_ctzll(bit));
		nr++;
	}
	EXPECT_EQ(7, nr);
}

/* attr.config3 is missing from some headers */
static void expect_config3_refused(struct __test_metadata *_metadata,
				   const struct perf_event_attr *good)
{
	union {
		struct perf_event_attr attr;
		uint64_t words[17];
	} u = { .attr = *good };
	int bit;

	u.attr.size = 136;
	EXPECT_EQ(0, try(&u.attr));
	for (bit = 0; bit < 64; bit++) {
		u.words[16] = 1ULL << bit;
		EXPECT_EQ(-EINVAL, try(&u.attr)) TH_LOG("config3 bit %d", bit);
	}
}

TEST(undefined_bits_of_a_watch)
{
	struct perf_event_attr attr = good();

	expect_bits_refused(_metadata, &attr);
	expect_config3_refused(_metadata, &attr);
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

TEST(undefined_bits_of_a_set)
{
	int session = session_open();
	struct perf_event_attr attr;
	uint32_t set;

	ASSERT_EQ(0, session_set(session, &set));
	attr = good_set(set);
	expect_bits_refused(_metadata, &attr);
	expect_config3_refused(_metadata, &attr);
	close(session);
	EXPECT_NOTHING_LEFT();
}

/*
 * members have their own bytes and kinds of access: setting any of these bits
 * is an error
 */
TEST(fields_that_a_set_has_no_use_for)
{
	const uint64_t fields = GPUBP_CONFIG_ACCESS | GPUBP_CONFIG_CHANGED |
				GPUBP_CONFIG_NAMED;
	int session = session_open();
	struct perf_event_attr attr;
	uint32_t set;
	uint64_t bit;

	ASSERT_EQ(0, session_set(session, &set));
	for (bit = 1; bit; bit <<= 1) {
		attr = good_set(set);
		attr.config |= bit & fields;
		EXPECT_EQ(bit & fields ? -EINVAL : 0, try(&attr));
		attr = good_set(set);
		attr.config1 = bit;
		EXPECT_EQ(-EINVAL, try(&attr)) TH_LOG("config1 %#lx", bit);
		attr = good_set(set);
		attr.config2 = bit;
		EXPECT_EQ(-EINVAL, try(&attr)) TH_LOG("config2 %#lx", bit);
	}
	attr = good_set(set);
	attr.config |= GPUBP_CONFIG_PROCESS;
	EXPECT_EQ(0, try(&attr));
	attr = good_set(set);
	attr.pinned = 1;
	EXPECT_EQ(-EOPNOTSUPP, try(&attr));
	/* no set has that id; perf takes -ENOENT for another PMU */
	attr = good_set(0);
	EXPECT_EQ(-EINVAL, try(&attr));
	attr = good_set(set + 1);
	EXPECT_EQ(-EINVAL, try(&attr));
	attr = good_set(UINT32_MAX);
	EXPECT_EQ(-EINVAL, try(&attr));
	close(session);
	attr = good_set(set);
	EXPECT_EQ(-EINVAL, try(&attr));
	EXPECT_NOTHING_LEFT();
}

static int kind_wants(int kind)
{
	switch (kind) {
	case GPUBP_KIND_WATCH:
		return 0;
	default:	/* the other kinds have no bytes */
		return -EINVAL;
	}
}

TEST(every_kind)
{
	uint64_t rest = good().config & ~GPUBP_CONFIG_KIND;
	int kind;

	for (kind = 0; kind < 256; kind++)
		EXPECT_EQ(kind_wants(kind), try_config(rest | kind))
			TH_LOG("kind %d", kind);
	EXPECT_NOTHING_LEFT();
}

/* an undefined bit is malformed for every kind, supported or not */
TEST(undefined_bits_of_every_kind)
{
	uint64_t bit;
	int kind;

	for (kind = 0; kind < 8; kind++)
		for (bit = 1; bit; bit <<= 1)
			if (!(bit & DEFINED))
				EXPECT_EQ(-EINVAL, try_config(bit | kind))
					TH_LOG("kind %d bit %#lx", kind, bit);
	EXPECT_NOTHING_LEFT();
}

/* the trap handler counts watches only */
TEST(a_meter_of_every_kind)
{
	struct perf_event_attr attr = good();
	int kind;

	attr.config |= GPUBP_CONFIG_METER;
	EXPECT_EQ(0, try(&attr));
	for (kind = 0; kind < 8; kind++)
		if (kind != GPUBP_KIND_WATCH)
			EXPECT_EQ(-EINVAL,
				  try_config(GPUBP_CONFIG_METER | kind))
				TH_LOG("kind %d", kind);
	EXPECT_NOTHING_LEFT();
}

TEST(every_access)
{
	unsigned int access;

	for (access = 0; access < 8; access++) {
		struct perf_event_attr attr = event_watch(ADDR, 4, access);

		EXPECT_EQ(0, try(&attr)) TH_LOG("access %u", access);
	}
	EXPECT_NOTHING_LEFT();
}

/* each bit of a field that does not apply to this event */
TEST(code_without_a_name)
{
	uint64_t bit;

	for (bit = 1ULL << GPUBP_CONFIG_CODE_SHIFT; bit; bit <<= 1) {
		EXPECT_EQ(-EINVAL, try_config(good().config | bit));
		EXPECT_EQ(0, try_config(good().config | bit | GPUBP_CONFIG_NAMED));
	}
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
	EXPECT_NOTHING_LEFT();
}

/* an event may take at most two blocks of at most 1 GiB each */
TEST(range_that_comparators_cannot_cover)
{
	EXPECT_EQ(0, try_range(0, 2ULL << 30));
	EXPECT_EQ(-EOPNOTSUPP, try_range(0, (2ULL << 30) + 1));
	EXPECT_NOTHING_LEFT();
}

TEST(changed_compares_64_bytes)
{
	struct perf_event_attr attr = good();

	attr.config |= GPUBP_CONFIG_CHANGED;
	attr.config2 = GPUBP_CHANGED_MAX;
	EXPECT_EQ(0, try(&attr));
	attr.config2 = GPUBP_CHANGED_MAX + 1;
	EXPECT_EQ(-EINVAL, try(&attr));
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

TEST(branch_stack)
{
	struct perf_event_attr attr = good();

	event_sample(&attr, 1);
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(-EOPNOTSUPP, try(&attr));
	EXPECT_NOTHING_LEFT();
}

TEST(exclusive)
{
	struct perf_event_attr attr = good();

	attr.exclusive = 1;
	EXPECT_EQ(-EOPNOTSUPP, try(&attr));
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

static int open_own(int sock, void *arg)
{
	struct perf_event_attr attr = users();

	return become(USER) ?: say_errno(sock, event_open(&attr, 0, -1));
}

TEST_F(user, own_process)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, open_own, NULL));
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	EXPECT_NOTHING_LEFT();
}

static int open_kernel_too(int sock, void *arg)
{
	struct perf_event_attr attr = good();

	return become(USER) ?: say_errno(sock, event_open(&attr, 0, -1));
}

TEST_F(user, not_the_kernel)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, open_kernel_too, NULL));
	EXPECT_EQ(-EACCES, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	EXPECT_NOTHING_LEFT();
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

static int open_cpu_wide(int sock, void *arg)
{
	struct perf_event_attr attr = users();

	return become(USER) ?: say_errno(sock, event_open(&attr, -1, 0));
}

TEST_F(user, all_of_a_cpu)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, open_cpu_wide, NULL));
	EXPECT_EQ(-EACCES, heard(child.sock));
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
#define NO_SUCH_SET	0xfffffff0

struct opening {
	enum who who;
	uint64_t config, config1, config2;
	bool pinned, kernel;
	int want;
};

static const struct opening openings[] = {
	{ ROOT, STORES, ADDR, 4, .kernel = true, .want = 0 },
	{ ROOT, STORES, ADDR, 4, .want = 0 },
	{ NOBODY, STORES, ADDR, 4, .want = 0 },
	{ NOBODY, STORES, ADDR, 4, .kernel = true, .want = -EACCES },
	{ ROOT, STORES, ADDR, 4, .pinned = true, .want = 0 },
	{ NOBODY, STORES, ADDR, 4, .pinned = true, .want = 0 },
	{ ROOT, STORES, ADDR + 2 * GRANULE - 2, 4, .pinned = true, .want = 0 },
	{ NOBODY, STORES, ADDR + 2 * GRANULE - 2, 4, .pinned = true, .want = -ENOSPC },
	{ ROOT, STORES | DEVICE(255), ADDR, 4, .want = -ENODEV },
	{ NOBODY, STORES | DEVICE(255), ADDR, 4, .want = -ENODEV },
	{ ROOT, STORES | CODE(1), ADDR, 4, .want = -EINVAL },
	{ NOBODY, STORES | CODE(1), ADDR, 4, .want = -EINVAL },
	{ NOBODY, STORES | GPUBP_CONFIG_NAMED | CODE(1), 0, 4, .want = 0 },
	{ NOBODY, STORES | GPUBP_CONFIG_PROCESS, ADDR, 4, .want = 0 },
	{ NOBODY, STORES | GPUBP_CONFIG_CHANGED, ADDR, 64, .want = 0 },
	{ NOBODY, STORES | GPUBP_CONFIG_CHANGED, ADDR, 65, .want = -EINVAL },
	{ NOBODY, STORES, ADDR, 0, .want = -EINVAL },
	{ NOBODY, STORES, 0, (2ULL << 30) + 1, .want = -EOPNOTSUPP },
	{ NOBODY, GPUBP_KIND_EXCEPTION, 0, 0, .want = 0 },
	{ NOBODY, GPUBP_KIND_EXCEPTION | CODE(GPUBP_EXC_FP), 0, 0, .want = 0 },
	{ NOBODY, GPUBP_KIND_EXCEPTION | CODE(GPUBP_EXC_WAVE_END), 0, 0,
	  .want = -EOPNOTSUPP },
	{ NOBODY, GPUBP_KIND_EXCEPTION | CODE(GPUBP_EXC_ALL + 1), 0, 0,
	  .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_EXCEPTION, ADDR, 0, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_EXCEPTION, 0, 4, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_EXCEPTION | DEVICE(255), 0, 0, .want = -ENODEV },
	{ NOBODY, GPUBP_KIND_BREAK, ADDR, 0, .want = 0 },
	{ NOBODY, GPUBP_KIND_BREAK, ADDR + 2, 0, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_BREAK, ADDR, 4, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_BREAK | CODE(1), ADDR, 0, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_BREAK | GPUBP_CONFIG_NAMED | CODE(1), 0, 0, .want = 0 },
	{ NOBODY, GPUBP_KIND_BREAK | GPUBP_CONFIG_CHANGED, ADDR, 0, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_BREAK, ADDR, 0, .pinned = true, .want = 0 },
	{ NOBODY, GPUBP_KIND_BREAK | DEVICE(255), ADDR, 0, .want = -ENODEV },
	{ NOBODY, GPUBP_KIND_TRAP | CODE(2), 0, 0, .want = 0 },
	{ NOBODY, GPUBP_KIND_TRAP | CODE(2), 0, 0, .pinned = true, .want = 0 },
	{ NOBODY, GPUBP_KIND_TRAP, 0, 0, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_TRAP | CODE(256), 0, 0, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_TRAP | CODE(2), ADDR, 0, .want = -EINVAL },
	{ NOBODY, GPUBP_KIND_TRAP | GPUBP_CONFIG_NAMED | CODE(2), 0, 0, .want = -EINVAL },
	{ NOBODY, 4, ADDR, 4, .want = -EINVAL },
	{ NOBODY, 6, ADDR, 4, .want = -EINVAL },
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
	return say_errno(sock, event_open(&attr, 0, -1));
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
