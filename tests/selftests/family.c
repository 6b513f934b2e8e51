// SPDX-License-Identifier: GPL-2.0
/*
 * Fork, vfork, exec and new threads: which tasks inherit an event, to which
 * task the hits of a queue belong after its creator exited, and which pids are
 * reported in pid namespaces.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "repeater.h"
#include "session.h"

#define ADDR		(REPEATER_VA + 4)
#define ROUNDS		10
#define PATIENCE	60
#define RING_PAGES	8
#define MAX_CPUS	64

static struct perf_event_attr watch(void)
{
	return event_watch(ADDR, 4, EVENT_STORES);
}

/* each call uses a context of its own */
static int store(unsigned int rounds)
{
	uint64_t va = REPEATER_VA;
	struct gpu gpu;

	if (repeater_open(&gpu, &va) || repeat(&gpu, va, rounds))
		return 1;
	gpu_close(&gpu);
	return 0;
}

static void *in_thread(void *arg)
{
	return (void *)(long)store(ROUNDS);
}

static int by_thread(void)
{
	pthread_t thread;
	void *result;

	return pthread_create(&thread, NULL, in_thread, NULL) ||
	       pthread_join(thread, &result) || result;
}

static int ended_well(pid_t pid)
{
	int status;

	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

static int by_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(store(ROUNDS));
	return ended_well(pid);
}

static int run_app(void)
{
	execl("/proc/self/exe", "family", "app", NULL);
	return 1;
}

static int by_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		run_app();
		_exit(1);
	}
	return ended_well(pid);
}

static int by_itself(void)
{
	return store(ROUNDS);
}

static void *exec_in_thread(void *arg)
{
	return (void *)(long)run_app();
}

static int by_exec_of_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, exec_in_thread, NULL) ||
	       pthread_join(thread, NULL) || 1;
}

/* ---- inheritance --------------------------------------------------------- */

/**
 * struct plan - steps of a target, each with ROUNDS stores, and the expected
 *	count
 * @name: name
 * @steps: its steps, in order
 * @attr: flags of its event, in addition to the watch
 * @counts: expected count, in units of ROUNDS
 */
struct plan {
	const char *name;
	int (*steps[4])(void);
	struct perf_event_attr attr;
	int counts;
};

#define STEPS(...)	{ __VA_ARGS__ }

static const struct plan plans[] = {
	{ "alone", STEPS(by_itself, by_thread, by_fork, by_vfork), {}, 1 },
	{ "inherit", STEPS(by_itself, by_thread, by_fork, by_vfork),
	  { .inherit = 1 }, 4 },
	{ "inherit_thread", STEPS(by_itself, by_thread, by_fork, by_vfork),
	  { .inherit = 1, .inherit_thread = 1 }, 2 },
	{ "inherit_stat", STEPS(by_itself, by_thread, by_fork, by_vfork),
	  { .inherit = 1, .inherit_stat = 1 }, 4 },
	{ "inherited and removed by exec", STEPS(by_itself, by_fork, by_vfork),
	  { .inherit = 1, .remove_on_exec = 1 }, 2 },
	{ "inherited and enabled by exec", STEPS(by_itself, by_fork, by_vfork),
	  { .inherit = 1, .disabled = 1, .enable_on_exec = 1 }, 1 },
	{ "exec", STEPS(by_itself, run_app), {}, 2 },
	{ "removed by exec", STEPS(by_itself, run_app),
	  { .remove_on_exec = 1 }, 1 },
	{ "enabled by exec", STEPS(by_itself, run_app),
	  { .disabled = 1, .enable_on_exec = 1 }, 1 },
	/* the thread has the event; the process becomes the thread */
	{ "exec of a thread", STEPS(by_itself, by_exec_of_thread),
	  { .inherit = 1 }, 2 },
	{ "exec of a thread, not inherited", STEPS(by_itself, by_exec_of_thread),
	  {}, 1 },
};

static int carry_out(int sock, void *arg)
{
	const struct plan *plan = arg;
	int i;

	if (heard(sock))
		return 1;
	for (i = 0; i < 4 && plan->steps[i]; i++)
		if (plan->steps[i]())
			return 1;
	return 0;
}

static struct perf_event_attr attr_of(const struct plan *plan)
{
	struct perf_event_attr attr = watch();

	attr.disabled = plan->attr.disabled;
	attr.inherit = plan->attr.inherit;
	attr.inherit_thread = plan->attr.inherit_thread;
	attr.inherit_stat = plan->attr.inherit_stat;
	attr.remove_on_exec = plan->attr.remove_on_exec;
	attr.enable_on_exec = plan->attr.enable_on_exec;
	return attr;
}

TEST(who_inherits)
{
	unsigned int i;

	for (i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		struct perf_event_attr attr = attr_of(&plans[i]);
		struct child child;
		int fd;

		ASSERT_EQ(0, child_start(&child, carry_out, (void *)&plans[i]));
		fd = event_open(&attr, child.pid, -1);
		ASSERT_LE(0, fd);
		say(child.sock, 0);
		EXPECT_EQ(0, child_end(&child)) TH_LOG("%s", plans[i].name);
		EXPECT_EQ(plans[i].counts * ROUNDS, books_count(fd, PATIENCE))
			TH_LOG("%s", plans[i].name);
		close(fd);
	}
}

/* ---- inherit_stat: a record with the count of each task when it exits ------ */

struct read_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t value;
};

/* the records of a ring that was not read from and did not wrap */
static unsigned int count_reads(const struct ring *ring)
{
	unsigned int nr = 0;
	uint64_t at = 0;

	while (at < ring->page->data_head) {
		const struct read_record *rec = (const void *)(ring->data + at);

		nr += rec->header.type == PERF_RECORD_READ;
		at += rec->header.size;
	}
	return nr;
}

struct monitored {
	int fd[MAX_CPUS];
	struct ring ring[MAX_CPUS];
};

static bool monitor(struct monitored *m, struct perf_event_attr attr, pid_t pid,
		    int nr_cpus)
{
	int cpu;

	attr.inherit = 1;
	attr.inherit_stat = 1;
	attr.read_format = 0;
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		m->fd[cpu] = event_open(&attr, pid, cpu);
		if (m->fd[cpu] < 0 ||
		    ring_map(&m->ring[cpu], m->fd[cpu], RING_PAGES))
			return false;
	}
	return true;
}

static unsigned int reads_of(struct monitored *m, int nr_cpus)
{
	unsigned int nr = 0;
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		nr += count_reads(&m->ring[cpu]);
		ring_unmap(&m->ring[cpu]);
		close(m->fd[cpu]);
	}
	return nr;
}

/*
 * As many as for an event of perf's own: none on 6.12, where the context of an
 * exiting task is detached from its task before the record would be written.
 */
TEST(inherit_stat_tells_of_each_task)
{
	static const struct plan plan = { "", STEPS(by_itself, by_thread, by_fork) };
	static const struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(clock),
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};
	int nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct monitored of_clock, of_watch;
	struct child child;

	ASSERT_GE(MAX_CPUS, nr_cpus);
	ASSERT_EQ(0, child_start(&child, carry_out, (void *)&plan));
	ASSERT_TRUE(monitor(&of_clock, clock, child.pid, nr_cpus));
	ASSERT_TRUE(monitor(&of_watch, watch(), child.pid, nr_cpus));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(reads_of(&of_clock, nr_cpus), reads_of(&of_watch, nr_cpus));
}

/* ---- queues that outlive their creator ----------------------------------- */

struct queue {
	int sock;
	struct gpu gpu;
	bool bad;
};

static void *create_queue(void *arg)
{
	struct queue *queue = arg;
	uint64_t va = REPEATER_VA;

	queue->bad = repeater_open(&queue->gpu, &va) ||
		     !say(queue->sock, syscall(SYS_gettid)) ||
		     heard(queue->sock) || repeat(&queue->gpu, va, ROUNDS);
	return NULL;
}

/* the thread that created a queue exits, the queue runs on */
static int thread_exits(int sock, void *arg)
{
	struct queue queue = { .sock = sock };
	pthread_t thread;

	if (pthread_create(&thread, NULL, create_queue, &queue) ||
	    pthread_join(thread, NULL) || queue.bad || !say(sock, 0) ||
	    heard(sock) || repeat(&queue.gpu, REPEATER_VA, ROUNDS))
		return 1;
	gpu_close(&queue.gpu);
	return 0;
}

TEST(thread_exits_and_its_queue_does_not)
{
	int of_leader, of_thread, session = session_open();
	struct perf_event_attr attr = watch();
	struct gpubp_event_stats stats;
	struct child child;
	struct ring ring;
	pid_t tid;

	ASSERT_EQ(0, child_start(&child, thread_exits, NULL));
	tid = heard(child.sock);
	ASSERT_LT(0, tid);
	of_thread = event_open(&attr, tid, -1);
	ASSERT_LE(0, of_thread);
	event_sample(&attr, 1);
	of_leader = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, of_leader);
	ASSERT_EQ(0, ring_map(&ring, of_leader, RING_PAGES));
	/* the leader's process has a context, the leader has none */
	ASSERT_EQ(0, session_stats(session, of_leader, &stats));
	EXPECT_EQ(1, stats.elsewhere);
	ASSERT_EQ(0, session_stats(session, of_thread, &stats));
	EXPECT_EQ(0, stats.elsewhere);

	say(child.sock, 0);
	ASSERT_EQ(0, heard(child.sock));
	EXPECT_EQ(ROUNDS, books_count(of_thread, PATIENCE));
	EXPECT_EQ(0, event_count(of_leader));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	EXPECT_EQ(ROUNDS, books_count(of_leader, PATIENCE));
	EXPECT_EQ(ROUNDS, ring_drain(&ring));
	EXPECT_EQ(ROUNDS, event_count(of_thread));
	ring_unmap(&ring);
	close(of_leader);
	close(of_thread);
	close(session);
}

static void *outlive(void *arg)
{
	struct queue *queue = arg;
	uint64_t va = REPEATER_VA;

	if (repeater_open(&queue->gpu, &va) ||
	    !say(queue->sock, syscall(SYS_gettid)))
		_exit(1);
	while (!heard(queue->sock))
		if (repeat(&queue->gpu, va, ROUNDS) || !say(queue->sock, 0))
			_exit(1);
	_exit(0);
}

/* the leader becomes a zombie, a thread of it runs on */
static int leader_exits(int sock, void *arg)
{
	static struct queue queue;
	pthread_t thread;

	queue.sock = sock;
	if (pthread_create(&thread, NULL, outlive, &queue))
		return 1;
	return syscall(SYS_exit, 0);
}

static bool is_zombie(pid_t pid)
{
	int i;

	for (i = 0; i < PATIENCE * 100 && task_state(pid) != 'Z'; i++)
		usleep(10000);
	return task_state(pid) == 'Z';
}

TEST(leader_exits_and_its_thread_does_not)
{
	struct perf_event_attr attr = watch();
	struct child child;
	struct sample s;
	struct ring ring;
	unsigned int n = 0;
	pid_t tid;
	int fd;

	ASSERT_EQ(0, child_start(&child, leader_exits, NULL));
	tid = heard(child.sock);
	ASSERT_LT(0, tid);
	ASSERT_TRUE(is_zombie(child.pid));
	event_sample(&attr, 1);
	fd = event_open(&attr, tid, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	say(child.sock, 0);
	ASSERT_EQ(0, heard(child.sock));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	for (; ring_next(&ring, &s); n++) {
		EXPECT_EQ(child.pid, s.pid);
		EXPECT_EQ(tid, s.tid);
	}
	EXPECT_EQ(ROUNDS, n);
	/* no task is left that the event could be for */
	EXPECT_EQ(-ESRCH, event_open(&attr, child.pid, -1));
	say(child.sock, 1);
	EXPECT_EQ(0, child_end(&child));
	ring_unmap(&ring);
	close(fd);
}

/* ---- pid namespaces ------------------------------------------------------ */

/* its samples name the target by the pid that the monitor knows */
static int monitored_by_itself(int sock, void *arg)
{
	struct perf_event_attr attr = watch();
	unsigned int n = 0;
	struct sample s;
	struct ring ring;
	int fd;

	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	if (getpid() != 1 || fd < 0 || ring_map(&ring, fd, RING_PAGES) ||
	    heard(sock) || store(ROUNDS))
		return 1;
	while (n < ROUNDS && ring_next(&ring, &s) && s.pid == 1 && s.tid == 1)
		n++;
	say(sock, n);
	return n != ROUNDS;
}

/* forks into a pid namespace in which the parent has no pid */
static int make_namespace(int sock, void *arg)
{
	struct child child;

	if (unshare(CLONE_NEWPID) ||
	    child_start(&child, monitored_by_itself, NULL) ||
	    !say(sock, child.pid) || heard(sock) || !say(child.sock, 0) ||
	    !say(sock, heard(child.sock)))
		return 1;
	return child_end(&child);
}

TEST(pid_namespaces)
{
	struct perf_event_attr attr = watch();
	unsigned int n = 0;
	struct child child;
	struct sample s;
	struct ring ring;
	pid_t pid;
	int fd;

	ASSERT_EQ(0, child_start(&child, make_namespace, NULL));
	pid = heard(child.sock);
	ASSERT_LT(1, pid);
	event_sample(&attr, 1);
	fd = event_open(&attr, pid, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	say(child.sock, 0);
	EXPECT_EQ(ROUNDS, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	for (; ring_next(&ring, &s); n++) {
		EXPECT_EQ(pid, s.pid);
		EXPECT_EQ(pid, s.tid);
	}
	EXPECT_EQ(ROUNDS, n);
	ring_unmap(&ring);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "app"))
		return store(ROUNDS);
	return test_harness_run(argc, argv);
}
