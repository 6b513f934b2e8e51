// SPDX-License-Identifier: GPL-2.0
/*
 * More hits than can be delivered, and owners that cannot take them: nothing
 * hangs, the waves continue, and each hit is accounted for.
 *
 * environment:
 *	GPUBP_BURST	hits of a burst, default 1500, on a debug kernel 300
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <linux/gpubp_sim.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define PAGE		4096
#define LANES		64
#define ROUNDS		60
#define PAGES		256	/* of a ring with space for everything */
#define TICKETS		1024	/* hits that may be pending for one owner */
#define CELLS		2048	/* and for all */
#define CROWD		3
#define PATIENCE	60	/* s */
#define MAX_CPUS	8
#define HOUR_MS		3600000
#define CGROUPS		"/tmp/overload-cgroup"
#define FROZEN		CGROUPS "/frozen"
#define CPU1		"/sys/devices/system/cpu/cpu1/online"

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static bool says(const char *path, const char *text)
{
	char buffer[256] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, buffer, sizeof(buffer) - 1) < 0)
		buffer[0] = '\0';
	close(fd);
	return strstr(buffer, text);
}

/* ---- targets --------------------------------------------------------------- */

enum state { ASLEEP, BUSY, STOPPED, TRACED, FREEZING };

/* memory shared by test, target and GPU */
struct page {
	volatile uint32_t word[PAGE / sizeof(uint32_t)];
};

enum { OUT, WANT, SEEN, NR_SHARED };

/* commands of "on_demand" in WANT */
enum { STORE, PAUSE, STOP };

struct job {
	struct child child;
	struct page *page;
	enum state state;
	unsigned int groups;
	int cpu;
	uint64_t va;
};

static int share(struct gpu *gpu, struct page *page, uint64_t va[NR_SHARED])
{
	unsigned int i;

	for (i = 0; i < NR_SHARED; i++) {
		struct gpubp_sim_userptr arg = {
			.cpu_addr = (uintptr_t)&page[i], .size = PAGE,
		};

		if (ioctl(grun_fd(gpu->dev), GPUBP_SIM_USERPTR, &arg))
			return -errno;
		va[i] = arg.va;
	}
	return 0;
}

static int enter(const struct job *job)
{
	switch (job->state) {
	case BUSY:
		while (job->page[WANT].word[0] != STOP)
			;
		return 0;
	case TRACED:
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			return -errno;
		return raise(SIGSTOP);
	case STOPPED:
		return raise(SIGSTOP);
	case FREEZING:
		return write_text(FROZEN "/cgroup.procs", "0") ?:
		       write_text(FROZEN "/cgroup.freeze", "1");
	default:
		return 0;
	}
}

static int target(int sock, void *arg)
{
	const struct job *job = arg;
	uint64_t va[NR_SHARED];
	struct gpu gpu;

	if (gpu_open(&gpu, "loop") || share(&gpu, job->page, va) ||
	    !say(sock, va[OUT]) || heard(sock))
		return 1;
	if (job->cpu && run_on_cpu(0, job->cpu))
		return 1;
	if (gpu_start(&gpu, "on_demand", job->groups,
		      GPU_ARGS(va[OUT], va[WANT], va[SEEN])) ||
	    !say(sock, 0) || enter(job))
		return 1;
	if (gpu_wait(&gpu, 4 * PATIENCE))
		return 1;
	say(sock, 0);
	return heard(sock) == 0 ? 0 : 1;
}

/* code and memory are set up, but nothing is dispatched */
static int job_prepare(struct job *job)
{
	int err;

	job->page = mmap(NULL, NR_SHARED * PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (job->page == MAP_FAILED)
		return -errno;
	job->page[WANT].word[0] = PAUSE;
	err = child_start(&job->child, target, job);
	if (err)
		return err;
	return hear(job->child.sock, &job->va) ? 0 : -EPIPE;
}

/*
 * A task that is about to stop has the state of one that did while it is still on
 * a CPU, where its events are scheduled in.
 */
static bool is_off_cpu(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	return !says(path, "running");
}

static bool job_has_state(const struct job *job)
{
	switch (job->state) {
	case ASLEEP:
		return task_state(job->child.pid) == 'S';
	case STOPPED:
		return task_state(job->child.pid) == 'T';
	case TRACED:
		return task_state(job->child.pid) == 't';
	case FREEZING:
		return says(FROZEN "/cgroup.events", "frozen 1");
	default:
		return true;
	}
}

static bool job_is_there(const struct job *job)
{
	return job_has_state(job) &&
	       (job->state == BUSY || is_off_cpu(job->child.pid));
}

/* polled: a wakeup of a sleeping task may also have another cause */
#define WAIT_FOR(condition) ({						\
	bool _there;							\
	int _n = 0;							\
									\
	while (!(_there = (condition)) && _n++ < PATIENCE * 200)	\
		usleep(5000);						\
	_there;								\
})

/* the target has dispatched, and is in the intended state */
static int job_go(struct job *job)
{
	if (!say(job->child.sock, 0) || heard(job->child.sock))
		return -EPIPE;
	return WAIT_FOR(job_is_there(job)) ? 0 : -ETIME;
}

/* lanes may become visible in another order: the last one counts */
static int64_t made_by(const struct job *job, unsigned int group)
{
	const volatile uint32_t *word = &job->page[OUT].word[group * LANES];
	uint32_t most = 0;
	unsigned int i;

	for (i = 0; i < LANES; i++)
		if (word[i] > most)
			most = word[i];
	return most;
}

static int64_t made(const struct job *job)
{
	int64_t sum = 0;
	unsigned int i;

	for (i = 0; i < job->groups; i++)
		sum += made_by(job, i);
	return sum;
}

static bool all_began(const struct job *job)
{
	unsigned int i;

	for (i = 0; i < job->groups; i++)
		if (!made_by(job, i))
			return false;
	return true;
}

static bool all_saw(const struct job *job, uint32_t order)
{
	unsigned int i;

	for (i = 0; i < job->groups * LANES; i++)
		if (job->page[SEEN].word[i] != order)
			return false;
	return true;
}

/* number of hits, which is final: no wave stores any more, and all end */
static int64_t job_stop(struct job *job)
{
	bool done = WAIT_FOR(all_began(job));

	job->page[WANT].word[0] = PAUSE;
	done = done && WAIT_FOR(all_saw(job, PAUSE));
	job->page[WANT].word[0] = STOP;
	return done ? made(job) : -ETIME;
}

/* let the waves run until they have made @nr hits, at least */
static int64_t job_store(struct job *job, int64_t nr)
{
	bool done;

	job->page[WANT].word[0] = STORE;
	done = WAIT_FOR(made(job) >= nr);
	return done ? job_stop(job) : -ETIME;
}

static void job_release(struct job *job)
{
	int status;

	if (job->state == FREEZING)
		write_text(FROZEN "/cgroup.freeze", "0");
	if (job->state == TRACED) {
		waitpid(job->child.pid, &status, WUNTRACED);
		ptrace(PTRACE_DETACH, job->child.pid, 0, 0);
	}
	if (job->state == TRACED || job->state == STOPPED)
		kill(job->child.pid, SIGCONT);
}

/* wait until its dispatch has ended */
static int job_end(struct job *job)
{
	if (heard(job->child.sock) || !say(job->child.sock, 0))
		return -EPIPE;
	return 0;
}

/* ---- accounting ------------------------------------------------------------ */

static const char *const drops[] = {
	"drop_cells", "drop_unknown", "drop_suspended", "drop_stall",
	"drop_record", "drop_exited", "drop_unreachable",
};

static int64_t dropped(void)
{
	int64_t sum = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(drops); i++)
		sum += books_get(drops[i]);
	return sum;
}

FIXTURE(overload) {
	struct job job[CROWD];
	struct ring ring[CROWD];
	int fd[CROWD];
	unsigned int nr;
	int64_t raised, dropped, delivered;
	int session;
	long unreachable_ms;	/* old value; 0 if it was not changed */
};

FIXTURE_SETUP(overload)
{
	mkdir(CGROUPS, 0700);
	mount("none", CGROUPS, "cgroup2", 0, NULL);
	mkdir(FROZEN, 0700);
	self->session = session_open();
	ASSERT_LE(0, self->session);
	ASSERT_TRUE(books_settle(PATIENCE));
	self->raised = books_raised();
	self->dropped = dropped();
	self->delivered = books_get("delivered");
}

FIXTURE_TEARDOWN(overload)
{
	unsigned int i;

	for (i = 0; i < self->nr; i++) {
		ring_unmap(&self->ring[i]);
		close(self->fd[i]);
		EXPECT_EQ(0, child_end(&self->job[i].child));
		munmap(self->job[i].page, NR_SHARED * PAGE);
	}
	close(self->session);
	if (self->unreachable_ms)
		EXPECT_EQ(HOUR_MS, event_parameter("unreachable_ms",
						   self->unreachable_ms));
	write_text(CPU1, "1");
	umount2(CGROUPS, MNT_DETACH);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* all stores of a job are watched and sampled, into so many pages */
#define START(_pages, ...) do {						\
	struct job *_j = &self->job[self->nr];				\
	struct perf_event_attr _attr;					\
									\
	*_j = (struct job){ __VA_ARGS__ };				\
	ASSERT_EQ(0, job_prepare(_j));					\
	_attr = event_watch(_j->va, PAGE, EVENT_STORES);		\
	event_sample(&_attr, 1);					\
	self->fd[self->nr] = event_open(&_attr, _j->child.pid, -1);	\
	ASSERT_LE(0, self->fd[self->nr]);				\
	ASSERT_EQ(0, ring_map(&self->ring[self->nr],			\
			      self->fd[self->nr], _pages));		\
	self->nr++;							\
	ASSERT_EQ(0, job_go(_j));					\
} while (0)

static int64_t lost(int fd)
{
	struct event_value value;

	return event_read(fd, &value) ? -1 : (int64_t)value.lost;
}

static int64_t throttled(int session, int fd)
{
	struct gpubp_event_stats stats = { .id = session_id(fd) };

	return session_call(session, GPUBP_STATS, &stats) ? -1 :
	       (int64_t)stats.throttled;
}

/* dropped hits, by GPUBP_STATS and also by GPUBP_SYNC */
static int64_t reported_dropped(int session, int fd)
{
	struct gpubp_event_stats stats;
	struct gpubp_sync sync;

	if (session_sync(session, fd, PATIENCE, &sync) ||
	    session_stats(session, fd, &stats) || sync.nr_lost != stats.lost)
		return -1;
	return stats.lost;
}

/*
 * Both accounts, at the end: each hit was delivered or dropped; and each is a
 * sample or was counted as lost by the event itself.
 */
#define EXPECT_BALANCE(_made, _sampled) do {				\
	int64_t _matched = 0, _lost = 0, _reported = 0;		\
	unsigned int _i;						\
									\
	EXPECT_TRUE(books_settle(PATIENCE)) books_print();		\
	EXPECT_EQ(_made, books_raised() - self->raised);		\
	for (_i = 0; _i < self->nr; _i++) {				\
		_matched += session_matched(self->session, self->fd[_i]); \
		_lost += lost(self->fd[_i]);				\
		_reported += reported_dropped(self->session, self->fd[_i]); \
	}								\
	EXPECT_EQ(dropped() - self->dropped, _reported);		\
	EXPECT_EQ(_matched, books_get("delivered") - self->delivered);	\
	EXPECT_EQ(_made, _matched + dropped() - self->dropped);		\
	EXPECT_EQ(_made, (_sampled) + _lost);				\
} while (0)

/* ---- owners that cannot take hits ------------------------------------------ */

/* it gets pending hits when it continues; the waves do not wait for it */
static void check_owner(struct __test_metadata *_metadata,
			FIXTURE_DATA(overload) *self, enum state state)
{
	bool away = state == STOPPED || state == TRACED;
	int64_t n, early, sampled;

	START(PAGES, .state = state, .groups = 1);
	ASSERT_LE(ROUNDS, job_store(&self->job[0], ROUNDS));
	EXPECT_TRUE(WAIT_FOR(books_raised() - self->raised == made(&self->job[0])));
	n = made(&self->job[0]);
	/* it is still there, and no hit was delivered without it */
	EXPECT_TRUE(WAIT_FOR(state == BUSY || job_is_there(&self->job[0])));
	early = ring_drain(&self->ring[0]);
	EXPECT_TRUE(!away || !early) TH_LOG("%ld samples", early);
	job_release(&self->job[0]);
	EXPECT_EQ(0, job_end(&self->job[0]));
	EXPECT_TRUE(books_settle(PATIENCE));
	sampled = early + ring_drain(&self->ring[0]);
	EXPECT_LT(0, sampled);
	EXPECT_BALANCE(n, sampled);
}

TEST_F(overload, owner_asleep)
{
	check_owner(_metadata, self, ASLEEP);
}

TEST_F(overload, owner_busy)
{
	check_owner(_metadata, self, BUSY);
}

TEST_F(overload, owner_stopped)
{
	check_owner(_metadata, self, STOPPED);
}

TEST_F(overload, owner_traced)
{
	check_owner(_metadata, self, TRACED);
}

TEST_F(overload, owner_frozen)
{
	check_owner(_metadata, self, FREEZING);
}

/*
 * Several owners take no hits, each of which may occupy half of the cells: the
 * owner with the most pending hits loses some, and there is a cell for each new
 * hit.
 */
TEST_F(overload, cells_are_taken_from_who_has_most)
{
	int64_t cells = books_get("drop_cells");
	int64_t n = 0, sampled = 0;
	unsigned int i;

	if (debug_kernel())
		SKIP(return, "so many hits take too long on a debug kernel");
	/* on a slow machine they also wait until there are enough hits */
	self->unreachable_ms = event_parameter("unreachable_ms", HOUR_MS);
	ASSERT_LT(0, self->unreachable_ms);
	for (i = 0; i < CROWD; i++)
		START(PAGES, .state = STOPPED, .groups = 4);
	for (i = 0; i < CROWD; i++)
		self->job[i].page[WANT].word[0] = STORE;
	EXPECT_TRUE(WAIT_FOR(books_raised() - self->raised > 2 * CELLS))
		books_print();
	for (i = 0; i < CROWD; i++)
		EXPECT_LT(0, job_store(&self->job[i], 1));
	for (i = 0; i < CROWD; i++) {
		job_release(&self->job[i]);
		EXPECT_EQ(0, job_end(&self->job[i]));
		n += made(&self->job[i]);
	}
	EXPECT_TRUE(books_settle(PATIENCE));
	for (i = 0; i < CROWD; i++) {
		int64_t due = ring_drain(&self->ring[i]);

		EXPECT_LT(0, due) TH_LOG("owner %u", i);
		EXPECT_GE(TICKETS, due);
		sampled += due;
	}
	EXPECT_EQ(cells, books_get("drop_cells"));
	EXPECT_BALANCE(n, sampled);
}

/* ---- more samples than the reader takes -------------------------------------- */

TEST_F(overload, ring_full)
{
	int64_t n, sampled;

	START(1, .state = ASLEEP, .groups = 1);
	ASSERT_LE(ROUNDS, job_store(&self->job[0], ROUNDS));
	EXPECT_EQ(0, job_end(&self->job[0]));
	EXPECT_TRUE(books_settle(PATIENCE));
	n = made(&self->job[0]);
	sampled = ring_drain(&self->ring[0]);
	EXPECT_LT(0, sampled);
	EXPECT_EQ(n - sampled, lost(self->fd[0]));
	EXPECT_LT(0, lost(self->fd[0]));
	EXPECT_EQ(dropped(), self->dropped);
	EXPECT_BALANCE(n, sampled);
	/* perf also counts hits for which the ring had no space */
	EXPECT_EQ(n, event_count(self->fd[0]));
}

TEST_F(overload, too_often)
{
	long rate = event_parameter("max_sample_rate", 100);
	int64_t n, sampled;

	START(PAGES, .state = ASLEEP, .groups = 16);
	ASSERT_LE(4 * ROUNDS, job_store(&self->job[0], 4 * ROUNDS));
	EXPECT_EQ(0, job_end(&self->job[0]));
	EXPECT_TRUE(books_settle(PATIENCE));
	event_parameter("max_sample_rate", rate);
	n = made(&self->job[0]);
	sampled = ring_drain(&self->ring[0]);
	EXPECT_LT(0, sampled);
	EXPECT_LT(0, lost(self->fd[0]));
	EXPECT_EQ(lost(self->fd[0]), throttled(self->session, self->fd[0]));
	EXPECT_EQ(n, event_count(self->fd[0]) + lost(self->fd[0]));
	EXPECT_BALANCE(n, sampled);
}

static int64_t burst(void)
{
	return env_number("GPUBP_BURST", debug_kernel() ? 300 : 1500);
}

/* many waves at once, with a reader: nothing is dropped */
TEST_F_TIMEOUT(overload, burst, 3600)
{
	int64_t n = burst(), sampled = 0;

	START(PAGES, .state = ASLEEP, .groups = 16);
	self->job[0].page[WANT].word[0] = STORE;
	while (made(&self->job[0]) < n) {
		sampled += ring_drain(&self->ring[0]);
		usleep(2000);
	}
	n = job_stop(&self->job[0]);
	EXPECT_EQ(0, job_end(&self->job[0]));
	EXPECT_TRUE(books_settle(PATIENCE));
	sampled += ring_drain(&self->ring[0]);
	EXPECT_EQ(n, sampled);
	EXPECT_EQ(n, event_count(self->fd[0]));
	EXPECT_EQ(dropped(), self->dropped);
	EXPECT_BALANCE(n, sampled);
}

/* ---- CPU hotplug ----------------------------------------------------------- */

static int open_copy(const struct job *job, int cpu)
{
	struct perf_event_attr attr = event_watch(job->va, PAGE, EVENT_STORES);

	return event_open(&attr, job->child.pid, cpu);
}

/* a CPU goes offline and online during hits; the copies of each CPU add up */
TEST_F(overload, cpus_come_and_go)
{
	int nr = sysconf(_SC_NPROCESSORS_ONLN), copy[MAX_CPUS], i;
	int64_t n, sampled, counted = 0;

	if (access(CPU1, W_OK))
		SKIP(return, "no CPU can be taken offline");
	ASSERT_GE(MAX_CPUS, nr);
	START(PAGES, .state = BUSY, .groups = 1);
	for (i = 0; i < nr; i++) {
		copy[i] = open_copy(&self->job[0], i);
		ASSERT_LE(0, copy[i]);
		ASSERT_EQ(0, session_sync(self->session, copy[i], PATIENCE, NULL));
	}
	self->job[0].page[WANT].word[0] = STORE;
	for (i = 0; i < 4; i++) {
		n = made(&self->job[0]);
		ASSERT_EQ(0, write_text(CPU1, i & 1 ? "1" : "0"));
		EXPECT_TRUE(WAIT_FOR(made(&self->job[0]) > n + 3));
	}
	EXPECT_LT(0, job_store(&self->job[0], 1));
	EXPECT_EQ(0, job_end(&self->job[0]));
	EXPECT_TRUE(books_settle(PATIENCE));
	n = made(&self->job[0]);
	sampled = ring_drain(&self->ring[0]);
	EXPECT_EQ(n, sampled);
	for (i = 0; i < nr; i++) {
		counted += event_count(copy[i]);
		close(copy[i]);
	}
	EXPECT_EQ(n, counted);
	EXPECT_BALANCE(n, sampled);
}

/* a task that sleeps since its CPU went offline is counted on an online CPU */
TEST_F(overload, owner_asleep_on_a_cpu_that_went)
{
	int nr = sysconf(_SC_NPROCESSORS_ONLN), copy[MAX_CPUS], i;
	int64_t n, counted = 0;

	if (access(CPU1, W_OK))
		SKIP(return, "no CPU can be taken offline");
	ASSERT_GE(MAX_CPUS, nr);
	START(PAGES, .state = ASLEEP, .groups = 1, .cpu = 1);
	/* a sample would wake the task up */
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, write_text(CPU1, "0"));
	/* like tools, which look at the online CPUs */
	for (i = 0; i < nr; i++) {
		copy[i] = i == 1 ? -1 : open_copy(&self->job[0], i);
		ASSERT_TRUE(i == 1 || copy[i] >= 0);
		if (i != 1)
			ASSERT_EQ(0, session_sync(self->session, copy[i], PATIENCE, NULL));
	}
	ASSERT_LE(ROUNDS, job_store(&self->job[0], ROUNDS));
	EXPECT_TRUE(WAIT_FOR(books_raised() - self->raised == made(&self->job[0])));
	EXPECT_TRUE(books_settle(PATIENCE));
	n = made(&self->job[0]);
	for (i = 0; i < nr; i++)
		if (i != 1)
			counted += event_count(copy[i]);
	EXPECT_EQ(n, counted) books_print();
	EXPECT_EQ(n, books_get("delivered") - self->delivered);
	ASSERT_EQ(0, write_text(CPU1, "1"));
	EXPECT_EQ(0, job_end(&self->job[0]));
	for (i = 0; i < nr; i++)
		close(copy[i]);
}

TEST_HARNESS_MAIN
