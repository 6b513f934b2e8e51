// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: events of gpubp together with each other, with perf's own, with
 * breakpoints of the CPU and with a CPU's counters, as leaders and as members.
 *
 * Emulated CPUs have no counters: gpubp_test_pmu.ko replaces them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <linux/hw_breakpoint.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define SIZE		4096
#define OFFSET		8
#define GRANULE		64
#define USER		1000
#define ROUNDS		6
#define PATIENCE	60	/* s */
#define MODULE		"/lib/gpubp/gpubp_test_pmu.ko"
#define COUNTERS	"/sys/bus/event_source/devices/gpubp_test/type"

/* ---- events ---------------------------------------------------------------- */

static int watched_by_cpu;

enum whose { OURS, CPU_CLOCK, TASK_CLOCK, DUMMY, BREAKPOINT, COUNTER, NR_WHOSE };

static uint32_t counter_type(void)
{
	FILE *file = fopen(COUNTERS, "re");
	uint32_t type = 0;

	if (file && fscanf(file, "%u", &type) != 1)
		type = 0;
	if (file)
		fclose(file);
	return type;
}

static int counter_load(void)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret == -EEXIST ? 0 : ret;
}

static struct perf_event_attr software(uint64_t config)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
	};
}

static struct perf_event_attr attr_of(enum whose whose, uint64_t va)
{
	struct perf_event_attr attr;

	switch (whose) {
	case CPU_CLOCK:
		return software(PERF_COUNT_SW_CPU_CLOCK);
	case TASK_CLOCK:
		return software(PERF_COUNT_SW_TASK_CLOCK);
	case DUMMY:
		return software(PERF_COUNT_SW_DUMMY);
	case BREAKPOINT:
		attr = software(0);
		attr.type = PERF_TYPE_BREAKPOINT;
		attr.bp_type = HW_BREAKPOINT_W;
		attr.bp_addr = (uintptr_t)&watched_by_cpu;
		attr.bp_len = HW_BREAKPOINT_LEN_4;
		return attr;
	case COUNTER:
		attr = software(0);
		attr.type = counter_type();
		return attr;
	default:
		return event_watch(va + OFFSET, 4, EVENT_STORES);
	}
}

static int open_in(const struct perf_event_attr *attr, pid_t pid, int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, -1, leader,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int64_t count_of(int fd)
{
	uint64_t value[8];

	return read(fd, value, sizeof(value)) > 0 ? (int64_t)value[0] : -1;
}

/* ---- the target ------------------------------------------------------------ */

#define BUSY	(1ULL << 32)	/* wait on a CPU */
#define UNTIL	(1ULL << 33)	/* on a CPU, until the order to stop */
#define MOVE	(1ULL << 34)	/* to the next CPU before that */

static int stores(struct gpu *gpu, uint64_t va, unsigned int n, bool busy)
{
	int ret = gpu_start(gpu, "repeat", 1, GPU_ARGS(va, n));

	if (!busy)
		return ret ?: gpu_wait(gpu, PATIENCE);
	while (!ret) {
		ret = gpu_wait(gpu, 0);
		watched_by_cpu++;
		if (ret != -ETIME)
			break;
		ret = 0;
	}
	return ret;
}

/* CPUs are numbered from 0 on in the VM */
static int move_to_next_cpu(void)
{
	return run_on_cpu(0, (sched_getcpu() + 1) % sysconf(_SC_NPROCESSORS_ONLN));
}

static bool stop_requested(int sock)
{
	uint64_t word;

	return recv(sock, &word, sizeof(word), MSG_DONTWAIT | MSG_PEEK) > 0;
}

static int target(int sock, void *arg)
{
	struct grun_mem mem;
	struct gpu gpu;
	uint64_t order, made = 0;
	int ret = 0;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &mem, SIZE, 0) ||
	    !say(sock, mem.va))
		return 1;
	while (!ret && hear(sock, &order)) {
		if (order & MOVE)
			ret = move_to_next_cpu();
		do {
			ret = ret ?: stores(&gpu, mem.va, (uint32_t)order,
					    order & (BUSY | UNTIL));
			made += (uint32_t)order;
		} while (!ret && (order & UNTIL) && !stop_requested(sock));
		say(sock, made);
	}
	return ret;
}

FIXTURE(groups) {
	struct child child;
	uint64_t va;
};

FIXTURE_SETUP(groups)
{
	ASSERT_EQ(0, counter_load());
	ASSERT_EQ(0, child_start(&self->child, target, NULL));
	ASSERT_TRUE(hear(self->child.sock, &self->va));
}

FIXTURE_TEARDOWN(groups)
{
	shutdown(self->child.sock, SHUT_RDWR);
	EXPECT_EQ(0, child_end(&self->child));
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* have it store so often; returns the number of stores made in all, or -1 */
static int64_t order(struct child *child, uint64_t what)
{
	int64_t made;

	if (!say(child->sock, what))
		return -1;
	made = heard(child->sock);
	return books_settle(PATIENCE) ? made : -1;
}

/* ---- enabling and disabling -------------------------------------------------- */

static const char *const names[] = {
	"ours", "cpu-clock", "task-clock", "dummy", "breakpoint", "counter",
};

#define CHANCES	50	/* the target has each CPU in turn, whichever the waves are on */

static bool one_cpu(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) < 2;
}

/*
 * Together with a CPU's counter the watch counts while the target is on a CPU:
 * never more than was stored, and all stores if the target is there all the
 * time. If waves have another CPU, that holds for some of many orders only: a thread of
 * theirs that was last on the target's CPU stays there, where the target is not while it
 * runs.
 */
static void on_a_cpu(struct __test_metadata *_metadata, struct child *child,
		     int ours)
{
	int64_t before, n, most = 0;
	int i;

	for (i = 0; i < CHANCES && most < ROUNDS && !one_cpu(); i++) {
		before = count_of(ours);
		ASSERT_LT(0, order(child, ROUNDS | BUSY | MOVE));
		n = count_of(ours) - before;
		ASSERT_GE(ROUNDS, n);
		most = n > most ? n : most;
	}
	EXPECT_TRUE(most > 0 || one_cpu());
}

/* two events of a group, at least one of them ours; only the leader is switched */
static void on_and_off(struct __test_metadata *_metadata, struct child *child,
		       uint64_t va, enum whose first, enum whose second)
{
	struct perf_event_attr attr = attr_of(first, va);
	bool counters = first == COUNTER || second == COUNTER;
	int fd[2], ours;
	int64_t n, before;

	attr.disabled = 1;
	fd[0] = open_in(&attr, child->pid, -1);
	ASSERT_LE(0, fd[0]) TH_LOG("%s: %d", names[first], fd[0]);
	attr = attr_of(second, va);
	fd[1] = open_in(&attr, child->pid, fd[0]);
	ASSERT_LE(0, fd[1]) TH_LOG("%s, %s: %d", names[first], names[second], fd[1]);
	ours = first == OURS ? fd[0] : fd[1];

	EXPECT_LT(0, order(child, ROUNDS));
	EXPECT_LT(0, order(child, ROUNDS | BUSY));
	EXPECT_EQ(0, count_of(fd[0])) TH_LOG("%s leads %s", names[first], names[second]);
	EXPECT_EQ(0, count_of(fd[1])) TH_LOG("%s leads %s", names[first], names[second]);

	/* the target sleeps during the enable */
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_LT(0, order(child, ROUNDS));
	n = count_of(ours);
	EXPECT_TRUE(counters ? n <= ROUNDS : n == ROUNDS)
		TH_LOG("%s leads %s: %ld", names[first], names[second], n);
	if (counters)
		on_a_cpu(_metadata, child, ours);
	before = count_of(ours);
	EXPECT_TRUE(second != OURS || first != OURS || count_of(fd[1]) == n);

	ASSERT_LT(0, order(child, ROUNDS | BUSY));
	n = count_of(ours) - before;
	EXPECT_TRUE(counters ? n <= ROUNDS : n == ROUNDS)
		TH_LOG("%s leads %s: %ld", names[first], names[second], n);

	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
	n = count_of(ours);
	EXPECT_LT(0, order(child, ROUNDS));
	EXPECT_LT(0, order(child, ROUNDS | BUSY));
	EXPECT_EQ(n, count_of(ours)) TH_LOG("%s leads %s", names[first], names[second]);

	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	EXPECT_EQ(0, count_of(fd[0]));
	EXPECT_EQ(0, count_of(fd[1]));
	close(fd[1]);
	close(fd[0]);
}

TEST_F(groups, ours_leads)
{
	enum whose whose;

	for (whose = 0; whose < NR_WHOSE; whose++)
		on_and_off(_metadata, &self->child, self->va, OURS, whose);
}

TEST_F(groups, ours_is_a_member)
{
	enum whose whose;

	for (whose = CPU_CLOCK; whose < NR_WHOSE; whose++)
		on_and_off(_metadata, &self->child, self->va, whose, OURS);
}

/* ---- the group flag -------------------------------------------------------- */

TEST_F(groups, switched_as_a_whole)
{
	struct perf_event_attr attr = attr_of(OURS, self->va);
	int fd[2];

	attr.disabled = 1;
	fd[0] = open_in(&attr, self->child.pid, -1);
	ASSERT_LE(0, fd[0]);
	fd[1] = open_in(&attr, self->child.pid, fd[0]);
	ASSERT_LE(0, fd[1]);
	/* first the leader alone, then both */
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_LT(0, order(&self->child, ROUNDS));
	EXPECT_EQ(ROUNDS, event_count(fd[0]));
	EXPECT_EQ(0, event_count(fd[1]));
	/* the flag means the whole group with the member's descriptor, too */
	ASSERT_EQ(0, ioctl(fd[1], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_LT(0, order(&self->child, ROUNDS));
	EXPECT_EQ(2 * ROUNDS, event_count(fd[0]));
	EXPECT_EQ(ROUNDS, event_count(fd[1]));
	ASSERT_EQ(0, ioctl(fd[1], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_LT(0, order(&self->child, ROUNDS));
	EXPECT_EQ(2 * ROUNDS, event_count(fd[0]));
	EXPECT_EQ(ROUNDS, event_count(fd[1]));
	close(fd[1]);
	close(fd[0]);
}

/* members of a group whose leader was closed count on their own */
TEST_F(groups, of_which_the_leader_goes)
{
	struct perf_event_attr attr = attr_of(DUMMY, self->va);
	int fd[2];

	fd[0] = open_in(&attr, self->child.pid, -1);
	attr = attr_of(OURS, self->va);
	fd[1] = open_in(&attr, self->child.pid, fd[0]);
	ASSERT_LE(0, fd[1]);
	close(fd[0]);
	ASSERT_LT(0, order(&self->child, ROUNDS));
	EXPECT_EQ(ROUNDS, event_count(fd[1]));
	close(fd[1]);
}

/* ---- reading --------------------------------------------------------------- */

#define MEMBERS	3
#define FORMATS	32	/* all combinations of five bits */

/* layout of read_format */
struct reading {
	uint64_t nr, enabled, running;
	struct {
		uint64_t value, id, lost;
	} member[MEMBERS];
};

/* true if read(2) returned exactly what the format asks for */
static bool read_as(int fd, uint64_t format, struct reading *r)
{
	uint64_t words[3 + 3 * MEMBERS + 1], *w = words;
	ssize_t n = read(fd, words, sizeof(words));
	unsigned int i;

	*r = (struct reading){ .nr = 1 };
	if (n <= 0)
		return false;
	if (format & PERF_FORMAT_GROUP)
		r->nr = *w++;
	if (r->nr > MEMBERS)
		return false;
	if (!(format & PERF_FORMAT_GROUP))
		r->member[0].value = *w++;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		r->enabled = *w++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		r->running = *w++;
	for (i = 0; i < r->nr; i++) {
		if (format & PERF_FORMAT_GROUP)
			r->member[i].value = *w++;
		if (format & PERF_FORMAT_ID)
			r->member[i].id = *w++;
		if (format & PERF_FORMAT_LOST)
			r->member[i].lost = *w++;
	}
	return (size_t)n == (w - words) * sizeof(*w);
}

static uint64_t id_of(int fd)
{
	uint64_t id = 0;

	return ioctl(fd, PERF_EVENT_IOC_ID, &id) ? 0 : id;
}

static int open_three(pid_t pid, uint64_t va, uint64_t format, int fd[MEMBERS])
{
	static const enum whose whose[MEMBERS] = { OURS, DUMMY, OURS };
	unsigned int i;

	for (i = 0; i < MEMBERS; i++) {
		struct perf_event_attr attr = attr_of(whose[i], va);

		attr.read_format = format;
		fd[i] = open_in(&attr, pid, i ? fd[0] : -1);
		if (fd[i] < 0)
			return fd[i];
	}
	return 0;
}

/* @fd has the format, @single the same without PERF_FORMAT_GROUP */
static void check_reading(struct __test_metadata *_metadata, int fd[MEMBERS],
			  int single[MEMBERS], uint64_t format)
{
	bool group = format & PERF_FORMAT_GROUP;
	struct reading r, one;
	unsigned int i;

	ASSERT_TRUE(read_as(fd[0], format, &r)) TH_LOG("format %#lx", format);
	EXPECT_EQ(group ? MEMBERS : 1, r.nr);
	EXPECT_EQ(!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED), r.enabled > 0)
		TH_LOG("format %#lx", format);
	EXPECT_EQ(!!(format & PERF_FORMAT_TOTAL_TIME_RUNNING), r.running > 0)
		TH_LOG("format %#lx", format);
	EXPECT_TRUE(!r.enabled || r.enabled >= r.running)
		TH_LOG("format %#lx", format);
	for (i = 0; i < r.nr; i++) {
		ASSERT_TRUE(read_as(single[i], format & ~PERF_FORMAT_GROUP, &one));
		EXPECT_EQ(i == 1 ? 0 : ROUNDS, r.member[i].value)
			TH_LOG("format %#lx member %u", format, i);
		EXPECT_EQ(r.member[i].value, one.member[0].value);
		EXPECT_EQ(format & PERF_FORMAT_ID ? id_of(fd[i]) : 0,
			  r.member[i].id);
		EXPECT_EQ(0, r.member[i].lost);
		EXPECT_EQ(0, one.member[0].lost);
	}
	/* a member's file also reads the whole group */
	for (i = 1; group && i < MEMBERS; i++) {
		ASSERT_TRUE(read_as(fd[i], format, &one));
		EXPECT_EQ(MEMBERS, one.nr);
		EXPECT_EQ(0, memcmp(r.member, one.member, sizeof(r.member)));
	}
}

TEST_F(groups, every_read_format)
{
	int fd[FORMATS][MEMBERS];
	unsigned int format, i;

	for (format = 0; format < FORMATS; format++)
		ASSERT_EQ(0, open_three(self->child.pid, self->va, format,
					fd[format])) TH_LOG("format %#x", format);
	ASSERT_LT(0, order(&self->child, ROUNDS));
	for (format = 0; format < FORMATS; format++)
		check_reading(_metadata, fd[format],
			      fd[format & ~PERF_FORMAT_GROUP], format);
	for (format = 0; format < FORMATS; format++)
		for (i = MEMBERS; i--;)
			close(fd[format][i]);
}

TEST_F(groups, times_never_go_back)
{
	const uint64_t format = FORMATS - 1;
	struct reading now, old[MEMBERS] = {};
	unsigned int i, n;
	int fd[MEMBERS];

	ASSERT_EQ(0, open_three(self->child.pid, self->va, format, fd));
	for (n = 0; n < 60; n++) {
		if (n == 20) {
			ASSERT_TRUE(say(self->child.sock, 50 | BUSY));
		} else if (n == 40) {
			ASSERT_LT(0, heard(self->child.sock));
		}
		usleep(2000);
		for (i = 0; i < MEMBERS; i++) {
			ASSERT_TRUE(read_as(fd[i], format, &now));
			EXPECT_LE(old[i].enabled, now.enabled);
			EXPECT_LE(old[i].running, now.running);
			EXPECT_GE(now.enabled, now.running);
			old[i] = now;
		}
	}
	ASSERT_TRUE(books_settle(PATIENCE));
	ASSERT_TRUE(read_as(fd[0], format, &now));
	EXPECT_EQ(50, now.member[0].value);
	EXPECT_EQ(50, now.member[2].value);
	for (i = MEMBERS; i--;)
		close(fd[i]);
}

/* ---- with a CPU's counters ------------------------------------------------- */

static int open_led(pid_t pid, const struct perf_event_attr *member, int fd[2])
{
	struct perf_event_attr attr = attr_of(COUNTER, 0);

	attr.exclude_kernel = 1;
	fd[0] = open_in(&attr, pid, -1);
	if (fd[0] < 0)
		return fd[0];
	fd[1] = open_in(member, pid, fd[0]);
	if (fd[1] < 0)
		close(fd[0]);
	return fd[1] < 0 ? fd[1] : 0;
}

static void close_led(int fd[2])
{
	close(fd[1]);
	close(fd[0]);
}

/* it is read with the counter's time, so it must be armed all of that time */
TEST_F(groups, on_counters_are_promised_comparators)
{
	struct perf_event_attr attr;
	int fd[4][2], i;

	for (i = 0; i < 3; i++) {
		attr = event_watch(self->va + i * GRANULE, 4, EVENT_STORES);
		ASSERT_EQ(0, open_led(self->child.pid, &attr, fd[i]));
	}
	attr = event_watch(self->va + 3 * GRANULE, 4, EVENT_STORES);
	EXPECT_EQ(-ENOSPC, open_led(self->child.pid, &attr, fd[3]));
	/* alone, and in a group of perf's own events, it needs no reservation */
	i = open_in(&attr, self->child.pid, -1);
	EXPECT_LE(0, i);
	close(i);
	close_led(fd[0]);
	EXPECT_EQ(0, open_led(self->child.pid, &attr, fd[0]));
	for (i = 0; i < 3; i++)
		close_led(fd[i]);
}

static int open_two_led(int sock, void *arg)
{
	struct perf_event_attr attr = event_watch(*(uint64_t *)arg, 4,
						  EVENT_STORES);
	int fd[2][2], err = become(USER);

	if (err)
		return 1;
	attr.exclude_kernel = 1;
	if (!say(sock, open_led(0, &attr, fd[0])))
		return 1;
	attr.config1 += GRANULE;
	return !say(sock, open_led(0, &attr, fd[1]));
}

TEST_F(groups, on_counters_one_for_each_user)
{
	int paranoid = event_paranoid(2);
	struct child child;

	ASSERT_EQ(0, child_start(&child, open_two_led, &self->va));
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(-ENOSPC, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	event_paranoid(paranoid);
}

/* no reservation can be made for sets */
TEST_F(groups, on_counters_without_sets)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);
	int session = session_open(), fd[2];
	uint32_t set;

	ASSERT_EQ(0, session_set(session, &set));
	attr.config = GPUBP_KIND_WATCH_SET |
		      (uint64_t)set << GPUBP_CONFIG_CODE_SHIFT;
	EXPECT_EQ(-EOPNOTSUPP, open_led(self->child.pid, &attr, fd));
	close(session);
}

/* perf rotates every few ms, so a thousand times in this time */
#define ENOUGH_NS	5000000000ULL

/*
 * Two groups rotate on one counter: each hit counts for one group at most, and
 * neither group counts all of them.
 */
TEST_F(groups, on_counters_take_turns)
{
	struct perf_event_attr attr = attr_of(OURS, self->va);
	struct event_value value[2], later;
	int fd[2][2], i;
	int64_t made;

	if (one_cpu())
		SKIP(return, "needs two CPUs: waves run while the target is on one");
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_LOST;
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, open_led(self->child.pid, &attr, fd[i]));
	ASSERT_TRUE(say(self->child.sock, 50 | UNTIL));
	do {
		usleep(10000);
		for (i = 0; i < 2; i++)
			ASSERT_EQ(0, event_read(fd[i][1], &value[i]));
	} while ((!value[0].count || !value[1].count) &&
		 value[0].enabled < ENOUGH_NS);
	made = order(&self->child, 1);
	ASSERT_LT(0, made);
	/* the reply to the stop order, and that to the last order */
	made = heard(self->child.sock);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, event_read(fd[i][1], &value[i]));
		TH_LOG("group %d: %lu of %ld, %lu of %lu ns", i, value[i].count,
		       made, value[i].running, value[i].enabled);
		EXPECT_LT(0, value[i].count);
		EXPECT_GT(value[i].enabled, value[i].running);
	}
	EXPECT_GE(made, value[0].count + value[1].count);
	/* the first group was enabled earlier, so by now for as long as the second one */
	ASSERT_EQ(0, event_read(fd[0][1], &later));
	EXPECT_GE(later.enabled, value[0].running + value[1].running);
	for (i = 0; i < 2; i++)
		close_led(fd[i]);
}

TEST_HARNESS_MAIN
