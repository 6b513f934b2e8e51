// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of watches is charged to the memory cgroup of the process that opened
 * the event or created the set, although it is allocated in calls of the
 * target: here opener and target are in cgroups of their own, and the target
 * creates its context after the event exists.
 *
 * A CPU keeps up to 64 pages of charge in stock, and slabs of its own: less
 * than SLACK in all. The measured amounts are several times as large.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <linux/gpubp_sim.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "repeater.h"
#include "session.h"

#define ROOT		"/sys/fs/cgroup/"
#define PATIENCE	60	/* s */
#define VA		0x200000000ULL
#define SIZE		4096
#define SLACK		(1 << 20)
#define MEMBERS		32768
#define EVENTS		8000
#define CONDITIONS	20000
#define ROOM		(4 << 20)	/* for a part of the watches */
#define TOUCHED		(512 << 10)	/* less than the margin */
#define NAMES		8192	/* of a context */

/* as documented in linux/gpubp.h for a member, and for one in a context */
#define PER_MEMBER	65
#define PER_BINDING	300
#define PER_WATCH	500	/* minimum for an event of its own */
#define PER_CONDITION	100	/* likewise of one */
#define PER_OBJECT	1000	/* likewise of a code object */

static int put(const char *file, const char *text)
{
	char path[128];
	int fd, err = 0;

	snprintf(path, sizeof(path), ROOT "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* how often tasks of the group met the OOM killer, or -1 */
static int64_t oom_kills_of(const char *group)
{
	char path[128], key[32];
	int64_t n, kills = -1;
	FILE *file;

	snprintf(path, sizeof(path), ROOT "%s/memory.events", group);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (fscanf(file, "%31s %" SCNd64, key, &n) == 2)
		if (!strcmp(key, "oom_kill"))
			kills = n;
	fclose(file);
	return kills;
}

/* bytes, or -1 */
static int64_t current_of(const char *group)
{
	char path[128];
	int64_t n = -1;
	FILE *file;

	snprintf(path, sizeof(path), ROOT "%s/memory.current", group);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%" SCNd64, &n) != 1)
		n = -1;
	fclose(file);
	return n;
}

/* ---- opener and target ----------------------------------------------------- */

enum order { QUIT, SET, EVENT_OF_SET, MANY_EVENTS, MANY_CONDITIONS, NAMES_OF_CODE, TOUCH };

/* events of the opener, which is forked for each test */
static int fds[EVENTS], nr_fds;

static int open_one(pid_t target, uint64_t config, uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = event_watch(addr, len, 0);

	attr.config |= config;
	fds[nr_fds] = event_open(&attr, target, -1);
	return fds[nr_fds] < 0 ? fds[nr_fds] : (nr_fds++, 0);
}

static int make_set(int session, uint32_t *set)
{
	/* a second call needs no more memory of its own */
	static struct gpubp_set_watch watches[MEMBERS];
	uint32_t i;

	for (i = 0; i < MEMBERS; i++)
		watches[i] = (struct gpubp_set_watch) {
			.addr = VA + SIZE + i * 64ULL, .len = 4,
		};
	return session_set(session, set) ?:
	       session_update(session, *set, watches, MEMBERS, NULL);
}

/* memory that the opener needs for itself */
static int touch(void)
{
	void *mem = mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return mem == MAP_FAILED ? -errno : (memset(mem, 1, TOUCHED), 0);
}

static int open_set(uint32_t set, pid_t target)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);

	attr.config = GPUBP_KIND_WATCH_SET |
		      (uint64_t)set << GPUBP_CONFIG_CODE_SHIFT;
	fds[nr_fds] = event_open(&attr, target, -1);
	return fds[nr_fds] < 0 ? fds[nr_fds] : (nr_fds++, 0);
}

static int open_many(pid_t target)
{
	struct rlimit limit = { EVENTS + 100, EVENTS + 100 };
	int i, err = setrlimit(RLIMIT_NOFILE, &limit);

	for (i = 0; i < EVENTS && !err; i++)
		err = open_one(target, 0, VA + SIZE + i * 64ULL, 4);
	return err;
}

static int make_conditions(int session)
{
	const struct gpubp_condition condition = { .places = GPUBP_PLACE_ITEM };
	int i, err = 0;
	uint32_t id;

	for (i = 0; i < CONDITIONS && !err; i++)
		err = session_condition_create(session, &condition, &id);
	return err;
}

/* code objects of a new context, whose memory is not looked at */
static int name_code(void)
{
	struct gpubp_sim_name name = {
		.size = 1 << 20, .flags = GPUBP_SIM_NAME_CODE, .name = "same",
	};
	int i, fd = open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (i = 0; i < NAMES; i++) {
		name.va = VA + i * name.size;
		if (ioctl(fd, GPUBP_SIM_NAME, &name))
			return -errno;
	}
	return 0;
}

/* sends the result of each order; its arg is the target */
static int opener(int sock, void *arg)
{
	pid_t target = *(pid_t *)arg;
	int session, err = 0;
	uint32_t set = 0;

	if (put("opener/cgroup.procs", "0"))
		return 1;
	session = session_open();
	for (;;) {
		switch (heard(sock)) {
		case SET:
			err = make_set(session, &set);
			break;
		case EVENT_OF_SET:
			err = open_set(set, target);
			break;
		case MANY_EVENTS:
			err = open_many(target);
			break;
		case MANY_CONDITIONS:
			err = make_conditions(session);
			break;
		case NAMES_OF_CODE:
			err = name_code();
			break;
		case TOUCH:
			err = touch();
			break;
		default:
			return 0;
		}
		say(sock, err);
	}
}

/* waits for the order to create a context, then is a repeater */
static int target(int sock, void *arg)
{
	if (put("target/cgroup.procs", "0") || !say(sock, 0) || heard(sock))
		return 1;
	return repeater(sock, arg);
}

FIXTURE(memcg) {
	struct child opener, target;
	int64_t of_opener, of_target;
};

FIXTURE_SETUP(memcg)
{
	uint64_t va = VA;

	if (access(ROOT "memory.stat", F_OK) && put("cgroup.subtree_control", "+memory"))
		SKIP(return, "no memory controller");
	ASSERT_EQ(0, put("cgroup.subtree_control", "+memory"));
	rmdir(ROOT "opener");
	rmdir(ROOT "target");
	ASSERT_EQ(0, mkdir(ROOT "opener", 0700));
	ASSERT_EQ(0, mkdir(ROOT "target", 0700));
	ASSERT_EQ(0, child_start(&self->target, target, &va));
	ASSERT_EQ(0, heard(self->target.sock));
	ASSERT_EQ(0, child_start(&self->opener, opener, &self->target.pid));
}

FIXTURE_TEARDOWN(memcg)
{
	say(self->opener.sock, QUIT);
	EXPECT_EQ(0, child_end(&self->opener));
	say(self->target.sock, 0);
	EXPECT_EQ(0, child_end(&self->target));
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	EXPECT_EQ(0, rmdir(ROOT "opener"));
	EXPECT_EQ(0, rmdir(ROOT "target"));
}

static bool order(FIXTURE_DATA(memcg) *self, enum order order)
{
	return say(self->opener.sock, order) && !heard(self->opener.sock);
}

/* measure the growth of both from here on */
static void mark(FIXTURE_DATA(memcg) *self)
{
	self->of_opener = current_of("opener");
	self->of_target = current_of("target");
}

static int64_t grown(const char *group, int64_t before)
{
	int64_t now = current_of(group);

	return now < 0 || before < 0 ? -1 : now - before;
}

#define EXPECT_CHARGED(_least) do {					\
	int64_t _o = grown("opener", self->of_opener);			\
	int64_t _t = grown("target", self->of_target);			\
									\
	TH_LOG("opener %" PRId64 ", target %" PRId64, _o, _t);		\
	EXPECT_LE((int64_t)(_least), _o);				\
	EXPECT_GE(SLACK, _t);						\
} while (0)

/*
 * the target creates its context and makes one dispatch: all is armed as far as
 * possible
 */
static bool work(FIXTURE_DATA(memcg) *self, unsigned int watches)
{
	return say(self->target.sock, 0) && heard(self->target.sock) == VA &&
	       repeater_run(&self->target, 1) &&
	       books_state("watches") == watches;
}

TEST_F(memcg, members_of_a_set)
{
	mark(self);
	ASSERT_TRUE(order(self, SET));
	EXPECT_CHARGED(MEMBERS * PER_MEMBER - SLACK / 2);
	ASSERT_TRUE(order(self, EVENT_OF_SET));
	mark(self);
	ASSERT_TRUE(work(self, MEMBERS));
	EXPECT_CHARGED(MEMBERS * PER_BINDING - SLACK);
	/* nor is it more than the header documents */
	EXPECT_GE(MEMBERS * PER_BINDING + (int64_t)SLACK,
		  grown("opener", self->of_opener));
}

TEST_F(memcg, watches_of_events)
{
	ASSERT_TRUE(order(self, MANY_EVENTS));
	mark(self);
	ASSERT_TRUE(work(self, EVENTS));
	EXPECT_CHARGED(EVENTS * PER_WATCH - SLACK);
}

TEST_F(memcg, conditions)
{
	mark(self);
	ASSERT_TRUE(order(self, MANY_CONDITIONS));
	EXPECT_CHARGED(CONDITIONS * PER_CONDITION - SLACK);
	ASSERT_TRUE(work(self, 0));
}

static int set_limit(int64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, bytes);
	return put("opener/memory.max", text);
}

TEST_F(memcg, names)
{
	mark(self);
	ASSERT_TRUE(order(self, NAMES_OF_CODE));
	EXPECT_CHARGED(NAMES * PER_OBJECT - SLACK);
	/* refused, without an end of the opener, and others see nothing of that */
	ASSERT_EQ(0, set_limit(current_of("opener") + ROOM));
	ASSERT_TRUE(say(self->opener.sock, NAMES_OF_CODE));
	EXPECT_EQ(-ENOMEM, (int)heard(self->opener.sock));
	EXPECT_EQ(0, oom_kills_of("opener"));
	ASSERT_TRUE(work(self, 0));
	ASSERT_EQ(0, put("opener/memory.max", "max"));
	EXPECT_TRUE(order(self, TOUCH));
}

static bool wait_for_watches(int64_t nr)
{
	int tries = PATIENCE * 10;

	while (books_state("watches") != nr && tries--)
		usleep(100000);
	return books_state("watches") == nr;
}

/* at its limit the next page fault of the opener would be its end */
TEST_F(memcg, a_limit_that_the_watches_would_exceed)
{
	struct perf_event_attr attr = event_watch(VA, 4, 0);
	int64_t bound;
	int event;

	ASSERT_TRUE(order(self, SET));
	ASSERT_TRUE(order(self, EVENT_OF_SET));
	ASSERT_EQ(0, set_limit(current_of("opener") + ROOM));
	ASSERT_TRUE(say(self->target.sock, 0));
	ASSERT_EQ(VA, (uint64_t)heard(self->target.sock));
	ASSERT_TRUE(repeater_run(&self->target, 1));
	usleep(500000);
	bound = books_state("watches");
	TH_LOG("%" PRId64 " of %u watches", bound, MEMBERS);
	EXPECT_LT(0, bound);
	EXPECT_GT(MEMBERS, bound);
	EXPECT_TRUE(order(self, TOUCH));
	ASSERT_TRUE(say(self->opener.sock, SET));
	EXPECT_EQ(-ENOMEM, (int)heard(self->opener.sock));
	EXPECT_EQ(0, oom_kills_of("opener"));

	/* another user's event is bound */
	bound = books_state("watches");
	event = event_open(&attr, self->target.pid, -1);
	ASSERT_LE(0, event);
	EXPECT_TRUE(repeater_run(&self->target, 1));
	EXPECT_EQ(bound + 1, books_state("watches"));
	close(event);

	ASSERT_EQ(0, put("opener/memory.max", "max"));
	EXPECT_TRUE(wait_for_watches(MEMBERS));
	EXPECT_EQ(0, oom_kills_of("opener"));
}

TEST_HARNESS_MAIN
