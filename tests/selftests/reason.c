// SPDX-License-Identifier: GPL-2.0
/* A refused event says why: GPUBP_REASON, cause by cause, to its thread alone. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "reload.h"
#include "session.h"
#include "simdev.h"

#define ADDR		0x100000
#define STEP		0x1000
#define USER		1000
#define PATIENCE	20	/* s */
#define MANY		1000	/* pinned events: more than can be open at once */
#define NR_THREADS	300	/* more than the threads whose reasons are stored */
#define NO_PID		(4194304 + 1)	/* above the highest there can be */
#define NO_SUCH_SET	0xfffffff0
#define COUNTERS	"/sys/bus/event_source/devices/gpubp_test/type"

#define STORES		(GPUBP_KIND_WATCH | EVENT_STORES << GPUBP_CONFIG_ACCESS_SHIFT)
#define CODE(code)	((uint64_t)(code) << GPUBP_CONFIG_CODE_SHIFT)
#define COND(id)	((uint64_t)(id) << GPUBP_CONFIG2_COND_SHIFT)

/* what the causes need besides an event */
static struct {
	uint32_t set;		/* root's */
	unsigned int wide;	/* device: long blocks */
	unsigned int coarse;	/* device: short blocks, and no precise memory */
} world;

/* ---- the causes ------------------------------------------------------------ */

static int open_own(const struct perf_event_attr *attr)
{
	return event_open(attr, 0, -1);
}

static int open_cpu(const struct perf_event_attr *attr)
{
	return event_open(attr, -1, 0);
}

/* a condition of the caller's; its session stays open */
static struct perf_event_attr with_condition(const struct perf_event_attr *attr)
{
	static const struct gpubp_condition zero = { .type = GPUBP_VALUE_U32 };
	struct perf_event_attr with = *attr;
	uint32_t id;

	if (!session_condition_create(session_open(), &zero, &id))
		event_if(&with, id);
	return with;
}

static int open_own_if(const struct perf_event_attr *attr)
{
	struct perf_event_attr with = with_condition(attr);

	return open_own(&with);
}

static int open_cpu_if(const struct perf_event_attr *attr)
{
	struct perf_event_attr with = with_condition(attr);

	return open_cpu(&with);
}

/* events at different addresses, until one is refused; they stay open */
static int open_many(const struct perf_event_attr *first)
{
	struct perf_event_attr attr = *first;
	int i, fd = 0;

	for (i = 0; i < MANY && fd >= 0; i++, attr.config1 += STEP)
		fd = event_open(&attr, 0, -1);
	return fd;
}

/* in a group with a counter of the CPU */
static int open_led(const struct perf_event_attr *attr)
{
	struct perf_event_attr counter = { .size = sizeof(counter) };
	FILE *type = fopen(COUNTERS, "re");
	int leader;

	if (!type || fscanf(type, "%u", &counter.type) != 1)
		return -ENXIO;
	fclose(type);
	leader = event_open(&counter, 0, -1);
	if (leader < 0)
		return leader;
	leader = syscall(__NR_perf_event_open, attr, 0, -1, leader, 0);
	return leader < 0 ? -errno : leader;
}

/* change an open watch to another kind of event */
static int modify_to(const struct perf_event_attr *attr)
{
	struct perf_event_attr good = event_watch(ADDR, 4, EVENT_STORES);
	struct gpubp_modify modify = {
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
	};
	int fd = event_open(&good, 0, -1);

	modify.id = session_id(fd);
	return fd < 0 ? fd : session_call(session_open(), GPUBP_MODIFY, &modify);
}

static void make_exclusive(struct perf_event_attr *attr)
{
	attr->exclusive = 1;
}

static void make_pinned(struct perf_event_attr *attr)
{
	attr->pinned = 1;
}

static void make_precise(struct perf_event_attr *attr)
{
	attr->precise_ip = 2;
}

static void with_branches(struct perf_event_attr *attr)
{
	event_sample(attr, 1);
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
}

static void on_coarse(struct perf_event_attr *attr)
{
	attr->config |= (uint64_t)(world.coarse + 1) << GPUBP_CONFIG_DEVICE_SHIFT;
}

static void on_coarse_precise(struct perf_event_attr *attr)
{
	on_coarse(attr);
	make_precise(attr);
}

static void on_wide_precise(struct perf_event_attr *attr)
{
	attr->config |= (uint64_t)(world.wide + 1) << GPUBP_CONFIG_DEVICE_SHIFT;
	make_precise(attr);
}

static void of_roots_set(struct perf_event_attr *attr)
{
	attr->config |= CODE(world.set);
}

/**
 * struct cause - an event that is refused for one reason
 * @error: expected errno; 0: see @elsewhere
 * @config: attr.config
 * @config1: attr.config1
 * @config2: attr.config2
 * @change: changes the rest of the attr; or NULL
 * @ask: makes the request; NULL: opens it on the caller
 * @user: without privileges
 * @elsewhere: why there is no event for it here
 */
struct cause {
	int error;
	uint64_t config, config1, config2;
	void (*change)(struct perf_event_attr *attr);
	int (*ask)(const struct perf_event_attr *attr);
	bool user;
	const char *elsewhere;
};

#define CAUSE(_reason, ...) [GPUBP_REASON_##_reason] = { __VA_ARGS__ }

static const struct cause causes[GPUBP_NR_REASONS] = {
	CAUSE(NONE, .elsewhere = "no cause"),
	CAUSE(UNDEFINED_BITS, EINVAL, STORES | 1 << 11, ADDR, 4),
	CAUSE(UNKNOWN_KIND, EINVAL, 4, ADDR, 4),
	CAUSE(LEN_ZERO, EINVAL, STORES, ADDR, 0),
	CAUSE(RANGE_WRAPS, EINVAL, STORES, UINT64_MAX, 2),
	CAUSE(CODE_UNNAMED, EINVAL, STORES | CODE(1), ADDR, 4),
	CAUSE(CHANGED_TOO_LONG, EINVAL, STORES | GPUBP_CONFIG_CHANGED, ADDR,
	      GPUBP_CHANGED_MAX + 1),
	CAUSE(SET_FIELDS, EINVAL, GPUBP_KIND_WATCH_SET | CODE(1), ADDR, 4),
	CAUSE(SET_ID_ZERO, EINVAL, GPUBP_KIND_WATCH_SET),
	CAUSE(SET_PINNED, EOPNOTSUPP, GPUBP_KIND_WATCH_SET | CODE(1), 0, 0,
	      make_pinned),
	CAUSE(BREAK_FIELDS, EINVAL, GPUBP_KIND_BREAK, ADDR, 4),
	CAUSE(TRAP_FIELDS, EINVAL, GPUBP_KIND_TRAP | CODE(2), ADDR, 0),
	CAUSE(TRAP_ID_ZERO, EINVAL, GPUBP_KIND_TRAP),
	CAUSE(TRAP_ID_LARGE, EINVAL, GPUBP_KIND_TRAP | CODE(256)),
	CAUSE(EXCEPTION_FIELDS, EINVAL, GPUBP_KIND_EXCEPTION, ADDR, 0),
	CAUSE(EXCEPTION_UNKNOWN, EINVAL,
	      GPUBP_KIND_EXCEPTION | CODE(GPUBP_EXC_ALL + 1)),
	CAUSE(POSSIBLE_FIELDS, EINVAL,
	      STORES | GPUBP_CONFIG_POSSIBLE | GPUBP_CONFIG_METER, ADDR, 4),
	CAUSE(LOST_FIELDS, EINVAL,
	      STORES | GPUBP_CONFIG_LOST | GPUBP_CONFIG_CHANGED, ADDR, 4),
	CAUSE(EXCLUSIVE, EOPNOTSUPP, STORES, ADDR, 4, make_exclusive),
	CAUSE(BRANCH_STACK, EOPNOTSUPP, STORES, ADDR, 4, with_branches),
	CAUSE(NO_SUCH_DEVICE, ENODEV, STORES | GPUBP_CONFIG_DEVICE, ADDR, 4),
	CAUSE(NO_COMPARATORS, .elsewhere =
	      "software GPUs have at least one comparator: KUnit"),
	CAUSE(NO_TRAPS, .elsewhere = "all software GPUs have an ISA: KUnit"),
	CAUSE(EXCEPTION_UNREPORTED, EOPNOTSUPP,
	      GPUBP_KIND_EXCEPTION | CODE(GPUBP_EXC_WAVE_END)),
	CAUSE(EXCEPTION_IMPRECISE, EOPNOTSUPP,
	      GPUBP_KIND_EXCEPTION | CODE(GPUBP_EXC_INT_DIV0), 0, 0,
	      on_wide_precise),
	CAUSE(BREAK_UNALIGNED, EINVAL, GPUBP_KIND_BREAK, ADDR + 2, 0),
	CAUSE(IMPRECISE, EOPNOTSUPP, STORES, ADDR, 4, on_coarse_precise),
	CAUSE(RANGE_TOO_LONG, EOPNOTSUPP, STORES, 0, 5ULL << 29, on_coarse),
	CAUSE(RANGE_BEYOND, EINVAL, STORES, 1ULL << 60, 4),
	CAUSE(NO_SUCH_SET, EINVAL, GPUBP_KIND_WATCH_SET | CODE(NO_SUCH_SET)),
	CAUSE(FOREIGN_SET, EACCES, GPUBP_KIND_WATCH_SET, 0, 0, of_roots_set,
	      .user = true),
	CAUSE(SET_GROUP, EOPNOTSUPP, GPUBP_KIND_WATCH_SET, 0, 0, of_roots_set,
	      open_led),
	CAUSE(BREAK_RIGHTS, EACCES, GPUBP_KIND_BREAK, ADDR, 0, NULL, open_cpu,
	      .user = true),
	CAUSE(CHANGED_RIGHTS, EACCES, STORES | GPUBP_CONFIG_CHANGED, ADDR, 4,
	      NULL, open_cpu, .user = true),
	CAUSE(PINNED_COMPARATORS, ENOSPC, STORES, ADDR, 4, make_pinned, open_many),
	CAUSE(PINNED_BREAKS, ENOSPC, GPUBP_KIND_BREAK, ADDR, 0, make_pinned,
	      open_many),
	CAUSE(PINNED_USER, ENOSPC, STORES, ADDR, 4, make_pinned, open_many,
	      .user = true),
	CAUSE(PINNED_TOO_LONG, ERANGE, STORES, 0, 5ULL << 29, make_pinned),
	CAUSE(MODIFY_FIXED, EINVAL, STORES | GPUBP_CONFIG_PROCESS, ADDR, 4, NULL,
	      modify_to),
	CAUSE(TARGET_EXITED, .elsewhere =
	      "the target exits between two steps of perf_event_open(): a race"),
	CAUSE(NO_MEMORY, .elsewhere = "needs a failing allocation: failslab"),
	CAUSE(COND_FIELDS, EINVAL, GPUBP_KIND_BREAK, ADDR, COND(1)),
	CAUSE(NO_SUCH_COND, EINVAL, STORES, ADDR, 4 | COND(UINT16_MAX)),
	CAUSE(COND_LEN, EINVAL, STORES, ADDR, 6, NULL, open_own_if),
	CAUSE(COND_RIGHTS, EACCES, STORES, ADDR, 4, NULL, open_cpu_if,
	      .user = true),
};

/* ---- the devices ----------------------------------------------------------- */

static int make_device(const char *name, const char *personality,
		       const char *granule)
{
	return simdev_mkdir(name) ?:
	       simdev_set(name, "personality", personality) ?:
	       simdev_set(name, "granule", granule) ?:
	       simdev_set(name, "live", "1") ?:
	       simdev_device(name);
}

FIXTURE(reason) {
	int paranoid;
	long break_slots;
	int session;
};

FIXTURE_SETUP(reason)
{
	int number;

	self->paranoid = event_paranoid(0);
	ASSERT_NE(-1, self->paranoid);
	self->break_slots = event_parameter("break_slots", 8);
	self->session = session_open();
	ASSERT_EQ(0, session_set(self->session, &world.set));
	ASSERT_EQ(0, module_load("gpubp_test_pmu"));
	number = make_device("reason_wide", "gfx90a", "128");
	ASSERT_LE(0, number);
	world.wide = number;
	number = make_device("reason_coarse", "gfx900", "64");
	ASSERT_LE(0, number);
	world.coarse = number;
}

FIXTURE_TEARDOWN(reason)
{
	close(self->session);
	EXPECT_EQ(0, simdev_rmdir("reason_wide"));
	EXPECT_EQ(0, simdev_rmdir("reason_coarse"));
	event_parameter("break_slots", self->break_slots);
	event_paranoid(self->paranoid);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* ---- each of them ---------------------------------------------------------- */

static int take(int session, struct gpubp_refusal *refusal)
{
	*refusal = (struct gpubp_refusal) {};
	return session_call(session, GPUBP_REASON, refusal);
}

static bool is_sentence(const char *text)
{
	return strlen(text) > 10 && strlen(text) < GPUBP_REASON_TEXT &&
	       !strchr(text, '\n');
}

/* the result of the request, then the reason, twice */
static int refused_child(int sock, void *arg)
{
	const struct cause *cause = arg;
	struct perf_event_attr attr = event_watch(0, 0, 0);
	struct gpubp_refusal refusal;
	int session;

	attr.config = cause->config;
	attr.config1 = cause->config1;
	attr.config2 = cause->config2;
	attr.exclude_kernel = 1;
	if (cause->change)
		cause->change(&attr);
	if (cause->user && become(USER))
		return 1;
	session = session_open();
	say(sock, cause->ask ? cause->ask(&attr) : open_own(&attr));
	say(sock, take(session, &refusal));
	say(sock, refusal.reason);
	say(sock, refusal.error);
	say(sock, is_sentence(refusal.text));
	return !say(sock, take(session, &refusal));
}

TEST_F(reason, of_each_cause)
{
	struct child child;
	unsigned int i;

	for (i = 0; i < GPUBP_NR_REASONS; i++) {
		if (!causes[i].error)
			continue;
		ASSERT_EQ(0, child_start(&child, refused_child,
					 (void *)&causes[i]));
		EXPECT_EQ(-causes[i].error, heard(child.sock)) TH_LOG("reason %u", i);
		EXPECT_EQ(0, heard(child.sock)) TH_LOG("reason %u", i);
		EXPECT_EQ(i, heard(child.sock)) TH_LOG("reason %u", i);
		EXPECT_EQ(causes[i].error, heard(child.sock)) TH_LOG("reason %u", i);
		EXPECT_TRUE(heard(child.sock)) TH_LOG("reason %u", i);
		EXPECT_EQ(-ENOENT, heard(child.sock)) TH_LOG("reason %u", i);
		EXPECT_EQ(0, child_end(&child));
	}
}

/* an event here, or why not */
TEST(every_reason_has_a_cause)
{
	unsigned int i;

	for (i = 0; i < GPUBP_NR_REASONS; i++)
		EXPECT_NE(!causes[i].error, !causes[i].elsewhere)
			TH_LOG("reason %u", i);
}

TEST(the_sentence)
{
	struct perf_event_attr attr = event_watch(ADDR, 0, EVENT_STORES);
	struct gpubp_refusal refusal;
	int session = session_open();

	EXPECT_EQ(-EINVAL, open_own(&attr));
	ASSERT_EQ(0, take(session, &refusal));
	EXPECT_STREQ("len is 0: a watch by address needs at least one byte", refusal.text);
	close(session);
}

/* ---- when there is none ---------------------------------------------------- */

static void refuse(struct __test_metadata *_metadata)
{
	struct perf_event_attr attr = event_watch(ADDR, 0, EVENT_STORES);

	EXPECT_EQ(-EINVAL, open_own(&attr));
}

TEST(none_after_an_accepted_event)
{
	struct perf_event_attr attr = event_watch(ADDR, 4, EVENT_STORES);
	struct gpubp_refusal refusal;
	int session = session_open(), fd;

	EXPECT_EQ(-ENOENT, take(session, &refusal));
	refuse(_metadata);
	fd = open_own(&attr);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENOENT, take(session, &refusal));
	refuse(_metadata);
	EXPECT_EQ(0, session_modify(session, fd, ADDR + 64));
	EXPECT_EQ(-ENOENT, take(session, &refusal));
	close(fd);
	close(session);
}

/* perf core refuses: there is no reason, or one with another errno */
TEST(none_if_perf_itself_refuses)
{
	struct perf_event_attr attr = event_watch(ADDR, 4, EVENT_STORES);
	struct gpubp_refusal refusal;
	int session = session_open();

	EXPECT_EQ(-ESRCH, event_open(&attr, NO_PID, -1));
	EXPECT_EQ(-ENOENT, take(session, &refusal));
	refuse(_metadata);
	EXPECT_EQ(-ESRCH, event_open(&attr, NO_PID, -1));
	EXPECT_EQ(0, take(session, &refusal));
	EXPECT_EQ(EINVAL, refusal.error);
	close(session);
}

/* ---- whose it is ----------------------------------------------------------- */

/**
 * struct reader - a thread, or a child, that is refused nothing itself at first
 * @session: session of its process
 * @found: results of GPUBP_REASON that are not -ENOENT
 */
struct reader {
	int session;
	unsigned int found;
};

static void *read_and_be_refused(void *arg)
{
	struct perf_event_attr attr = event_watch(ADDR, 4, EVENT_STORES);
	struct reader *reader = arg;
	struct gpubp_refusal refusal;

	reader->found += take(reader->session, &refusal) != -ENOENT;
	attr.exclusive = 1;
	open_own(&attr);
	return NULL;
}

static int child_reads(int sock, void *arg __attribute__((unused)))
{
	struct gpubp_refusal refusal;

	return !say(sock, take(session_open(), &refusal));
}

TEST(none_of_another_thread_or_process)
{
	struct reader reader = { .session = session_open() };
	struct gpubp_refusal refusal;
	struct child child;
	pthread_t thread;

	refuse(_metadata);
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_and_be_refused, &reader));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, reader.found);
	ASSERT_EQ(0, child_start(&child, child_reads, NULL));
	EXPECT_EQ(-ENOENT, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	EXPECT_EQ(0, take(reader.session, &refusal));
	EXPECT_EQ(GPUBP_REASON_LEN_ZERO, refusal.reason);
	close(reader.session);
}

/* one after another, all threads that the kernel could store displace each other */
TEST(displaced_by_many_threads)
{
	struct reader reader = { .session = session_open() };
	struct gpubp_refusal refusal;
	pthread_t thread;
	unsigned int i;

	refuse(_metadata);
	for (i = 0; i < NR_THREADS; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, read_and_be_refused,
					    &reader));
		pthread_join(thread, NULL);
	}
	EXPECT_EQ(0, reader.found);
	EXPECT_EQ(-ENOENT, take(reader.session, &refusal));
	close(reader.session);
}

TEST_HARNESS_MAIN
