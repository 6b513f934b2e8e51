// SPDX-License-Identifier: GPL-2.0
/*
 * Isolation of users: the load of one user must not cost another one anything,
 * here with memory that never becomes present. The attacker is user 1000, the
 * other user is 1001.
 *
 * environment:
 *	GPUBP_ROUNDS	programs that are executed, of each kind, default 10, on the debug kernel 3
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <linux/gpubp.h>
#include <linux/gpubp_sim.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "onlooker.h"
#include "pages.h"
#include "session.h"
#include "simdev.h"
#include "slowfs.h"
#include "waves.h"

#define ATTACKER	1000
#define VICTIM		1001
#define PAGE		4096
#define STORES		40
#define SLOTS		80	/* wave slots of the first device */
#define MANY		6	/* watches, more than comparators */
#define PAGERS		4
#define WAVES		8	/* of each: some on each compute unit, with space for others */
#define DISPATCHES	40
#define PATIENCE	120	/* s */
#define SOON		10	/* s: each hit that waits for a page takes one second */

static int watch(uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = event_watch(addr, len, EVENT_STORES);

	attr.exclude_kernel = 1;
	return event_open(&attr, 0, -1);
}

static int sample(uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = event_watch(addr, len, EVENT_STORES);

	attr.exclude_kernel = 1;
	event_sample(&attr, 1);
	return event_open(&attr, 0, -1);
}

struct attack {
	unsigned int watches;
	bool stores;
};

/* watches begin on the absent page; the stores go to the other page */
static int attack(int sock, void *arg)
{
	const struct attack *a = arg;
	void *p = pages_absent();
	struct gpu gpu;
	unsigned int i;
	uint64_t va = 0;

	if (!p || become(ATTACKER) || gpu_open(&gpu, "loop") ||
	    pages_for_gpu(&gpu, p, &va))
		return 1;
	for (i = 0; i < a->watches; i++)
		if (watch(va + PAGE - 8 - i, 16 + i) < 0)
			return 1;
	if (!say(sock, 0))
		return 1;
	while (a->stores)
		if (gpu_run(&gpu, "repeat", 1, GPU_ARGS(va + PAGE, STORES)))
			return 1;
	pause();
	return 0;
}

/* 0: all stores are counted soon */
static int store(int sock, void *arg)
{
	struct grun_mem out;
	struct gpu gpu;
	int fd;

	if (become(VICTIM) || gpu_open(&gpu, "loop") ||
	    gpu_buffer(&gpu, &out, 256, 0))
		return 1;
	fd = watch(out.va, 4);
	if (fd < 0 || session_sync(session_open(), fd, SOON, NULL))
		return 2;
	if (gpu_start(&gpu, "repeat", 1, GPU_ARGS(out.va, STORES)) ||
	    gpu_wait(&gpu, SOON))
		return 3;
	return event_count(fd) == STORES ? 0 : 4;
}

FIXTURE(neighbours) {
	struct child attacker;
	int paranoid;
};

FIXTURE_VARIANT(neighbours) {
	struct attack attack;
};

FIXTURE_VARIANT_ADD(neighbours, hits) { { .watches = 1, .stores = true } };
FIXTURE_VARIANT_ADD(neighbours, commits) { { .watches = MANY } };
FIXTURE_VARIANT_ADD(neighbours, both) { { .watches = MANY, .stores = true } };

FIXTURE_SETUP(neighbours)
{
	int64_t raised;

	books_of(0);
	raised = books_raised();
	self->paranoid = event_paranoid(2);
	ASSERT_NE(-1, self->paranoid);
	ASSERT_EQ(0, child_start(&self->attacker, attack,
				 (void *)&variant->attack));
	ASSERT_EQ(0, heard(self->attacker.sock));
	/* the first of its hits is being resolved */
	while (variant->attack.stores && books_raised() == raised)
		usleep(1000);
}

FIXTURE_TEARDOWN(neighbours)
{
	child_kill(&self->attacker);
	event_paranoid(self->paranoid);
	EXPECT_TRUE(books_idle(PATIENCE));
}

TEST_F(neighbours, memory_that_does_not_come)
{
	struct child victim;

	ASSERT_EQ(0, child_start(&victim, store, NULL));
	EXPECT_EQ(0, child_end(&victim));
}

/* ---- waves that wait for a page --------------------------------------------- */

/* waves store to the absent page, until that is a memory violation */
static int run_waves(void *p, int sock)
{
	struct gpu gpu;
	uint64_t va = 0;
	int err = gpu_open(&gpu, "loop");

	if (err)
		return err;
	err = pages_for_gpu(&gpu, p, &va) ?:
	      gpu_start(&gpu, "repeat", WAVES, GPU_ARGS(va, STORES));
	if (!err && sock >= 0)
		say(sock, 0);
	err = err ?: gpu_wait(&gpu, -1);
	gpu_close(&gpu);
	return err;
}

/* sends the time that counting took */
static int attack_with_waves(int sock, void *arg)
{
	void *p = pages_absent();
	unsigned int *times = arg;

	if (!p || become(ATTACKER))
		return 1;
	for (; run_waves(p, sock) == -EFAULT; sock = -1)
		__atomic_add_fetch(times, 1, __ATOMIC_RELAXED);
	return 1;
}

static int dispatch(int sock, void *arg)
{
	struct grun_mem out;
	struct gpu gpu;
	int i;

	if (become(VICTIM) || gpu_open(&gpu, "loop") ||
	    gpu_buffer(&gpu, &out, 256, 0))
		return 1;
	for (i = 0; i < DISPATCHES; i++)
		if (gpu_run(&gpu, "repeat", 1, GPU_ARGS(out.va, STORES)))
			return 2;
	return 0;
}

/*
 * a wave that waits does not occupy its compute unit: many dispatches fit into
 * one wait
 */
TEST(waves_that_wait_for_a_page)
{
	struct child attacker[PAGERS], victim;
	int i;
	unsigned int *times = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, times);
	if (debug_kernel())
		SKIP(return, "a dispatch takes as long as a page fault on a debug kernel");
	for (i = 0; i < PAGERS; i++) {
		ASSERT_EQ(0, child_start(&attacker[i], attack_with_waves, times));
		ASSERT_EQ(0, heard(attacker[i].sock));
	}
	ASSERT_EQ(0, child_start(&victim, dispatch, NULL));
	EXPECT_EQ(0, child_end(&victim));
	EXPECT_GT(DISPATCHES / 2, *times);
	TH_LOG("%u page faults were not served, %d dispatches", *times, DISPATCHES);
	for (i = 0; i < PAGERS; i++)
		child_kill(&attacker[i]);
	EXPECT_TRUE(books_idle(PATIENCE));
	munmap(times, PAGE);
}

/* ---- hits that are not collected ----------------------------------------- */

#define HOARDERS	3
#define HOARD		2000	/* hits each: a device has cells for 2048 */

/* samples of it wait for its process */
static int hoard(int sock, void *arg)
{
	struct grun_mem out;
	struct gpu gpu;

	if (become(ATTACKER) || gpu_open(&gpu, "loop") ||
	    gpu_buffer(&gpu, &out, 256, 0))
		return 1;
	if (sample(out.va, 4) < 0)
		return 1;
	if (gpu_start(&gpu, "repeat", 1, GPU_ARGS(out.va, HOARD)) || !say(sock, 0))
		return 1;
	pause();
	return 0;
}

TEST(hits_that_wait_leave_room_for_others)
{
	struct child hoarder[HOARDERS], victim;
	int64_t raised, dropped;
	int i, paranoid;

	if (debug_kernel())
		SKIP(return, "so many hits take too long on a debug kernel");
	books_of(0);
	raised = books_raised();
	dropped = books_get("drop_unreachable");
	paranoid = event_paranoid(2);
	ASSERT_NE(-1, paranoid);
	for (i = 0; i < HOARDERS; i++) {
		ASSERT_EQ(0, child_start(&hoarder[i], hoard, NULL));
		ASSERT_EQ(0, heard(hoarder[i].sock));
		ASSERT_EQ(0, kill(hoarder[i].pid, SIGSTOP));
	}
	while (books_raised() - raised < HOARDERS * HOARD)
		usleep(10000);
	ASSERT_EQ(0, child_start(&victim, store, NULL));
	EXPECT_EQ(0, child_end(&victim));
	/* the owner with the most pending hits lost some */
	EXPECT_LT(HOARD, books_get("drop_unreachable") - dropped);
	for (i = 0; i < HOARDERS; i++)
		child_kill(&hoarder[i]);
	event_paranoid(paranoid);
	EXPECT_TRUE(books_idle(PATIENCE));
}

/* ---- identity of a user -------------------------------------------------- */

#define FIRST_SUBORDINATE	100000

static int pin(uint64_t addr)
{
	struct perf_event_attr attr = event_watch(addr, 4, EVENT_STORES);

	attr.exclude_kernel = 1;
	attr.pinned = 1;
	return event_open(&attr, 0, -1);
}

/* send the result of perf_event_open(2), without the number of the file */
static bool say_result(int sock, int fd)
{
	return say(sock, fd < 0 ? fd : 0);
}

static int pin_one(int sock, void *arg)
{
	if (become(ATTACKER) || !say_result(sock, pin(0x200000000)))
		return 1;
	pause();
	return 0;
}

/* as another id of the same user, in a user namespace of that user */
static int pin_as_subordinate(int sock, void *arg)
{
	if (become(ATTACKER) || unshare(CLONE_NEWUSER) || !say(sock, 0) ||
	    heard(sock) || setresuid(5, 5, 5))
		return 1;
	return !say_result(sock, pin(0x200001000));
}

static bool map_ids(pid_t pid, const char *which)
{
	char path[64];
	FILE *file;
	bool ok;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, which);
	file = fopen(path, "w");
	if (!file)
		return false;
	ok = fprintf(file, "0 %d 65536\n", FIRST_SUBORDINATE) > 0;
	return !fclose(file) && ok;
}

TEST(subordinate_ids_are_one_user)
{
	int paranoid = event_paranoid(2);
	struct child first, second;

	ASSERT_NE(-1, paranoid);
	ASSERT_EQ(0, child_start(&first, pin_one, NULL));
	EXPECT_EQ(0, heard(first.sock));
	ASSERT_EQ(0, child_start(&second, pin_as_subordinate, NULL));
	ASSERT_EQ(0, heard(second.sock));
	ASSERT_TRUE(map_ids(second.pid, "uid_map"));
	ASSERT_TRUE(say(second.sock, 0));
	EXPECT_EQ(-ENOSPC, heard(second.sock));
	EXPECT_EQ(0, child_end(&second));
	child_kill(&first);
	event_paranoid(paranoid);
}

/* ---- limited resources --------------------------------------------------- */

#define MANY_FILES	64

/* allocate as many queues as possible, in as many contexts as needed */
static int take_doorbells(int sock, void *arg)
{
	int i, n, fd;

	if (become(ATTACKER))
		return 1;
	for (i = 0; i < MANY_FILES; i++) {
		struct gpubp_sim_queue queue = {};

		fd = open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return 1;
		for (n = 0; !ioctl(fd, GPUBP_SIM_QUEUE_CREATE, &queue); n++)
			;
		if (errno != ENOSPC)
			return 1;
		if (!n)
			break;
	}
	if (!say(sock, i))
		return 1;
	pause();
	return 0;
}

TEST(doorbells_are_left_for_others)
{
	struct child hoarder, victim;
	int paranoid = event_paranoid(2);

	ASSERT_NE(-1, paranoid);
	ASSERT_EQ(0, child_start(&hoarder, take_doorbells, NULL));
	EXPECT_LT(0, heard(hoarder.sock));
	ASSERT_EQ(0, child_start(&victim, store, NULL));
	EXPECT_EQ(0, child_end(&victim));
	child_kill(&hoarder);
	event_paranoid(paranoid);
}

/* ---- names --------------------------------------------------------------- */

#define NAMED_CTXS	8
#define NAMED_OBJECTS	1024
#define NAMED_EVENTS	64
#define LIVES		10	/* contexts of the other user, one after the other */

/* a context with a queue, and code objects of one name; memory is not looked at */
static int open_with_names(void)
{
	struct gpubp_sim_queue queue = {};
	struct gpubp_sim_name name = {
		.size = 64, .flags = GPUBP_SIM_NAME_CODE, .name = "same",
	};
	int i, fd = open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, GPUBP_SIM_QUEUE_CREATE, &queue))
		return -1;
	for (i = 0; i < NAMED_OBJECTS; i++) {
		name.va = 0x300000000 + 64 * i;
		if (ioctl(fd, GPUBP_SIM_NAME, &name))
			return -1;
	}
	return fd;
}

static int open_on_names(void)
{
	struct perf_event_attr attr = event_named("same", 0, 4, EVENT_STORES);

	attr.exclude_kernel = 1;
	attr.disabled = 1;
	return event_open(&attr, 0, -1);
}

/* all events want all of them, or none, again and again */
static int want_names(int sock, void *arg)
{
	int i, on, fd[NAMED_EVENTS];

	if (become(ATTACKER))
		return 1;
	for (i = 0; i < NAMED_CTXS; i++)
		if (open_with_names() < 0)
			return 1;
	for (i = 0; i < NAMED_EVENTS; i++) {
		fd[i] = open_on_names();
		if (fd[i] < 0)
			return 1;
	}
	if (!say(sock, 0))
		return 1;
	for (on = 1;; on = !on) {
		for (i = 0; i < NAMED_EVENTS; i++)
			if (ioctl(fd[i], on ? PERF_EVENT_IOC_ENABLE :
					      PERF_EVENT_IOC_DISABLE, 0))
				return 1;
		usleep(500000);
	}
}

/* say how long the longest open and close of a context took, ms */
static int live_shortly(int sock, void *arg)
{
	uint64_t from, longest = 0;
	int i, fd;

	if (become(VICTIM))
		return 1;
	for (i = 0; i < LIVES; i++) {
		from = now_ns();
		fd = open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return 1;
		close(fd);
		if (now_ns() - from > longest)
			longest = now_ns() - from;
		usleep(100000);
	}
	return !say(sock, longest / 1000000);
}

TEST(names_by_the_thousand)
{
	int paranoid = event_paranoid(2);
	struct child attacker, victim;
	int64_t ms;

	ASSERT_NE(-1, paranoid);
	ASSERT_EQ(0, child_start(&attacker, want_names, NULL));
	ASSERT_EQ(0, heard(attacker.sock));
	ASSERT_EQ(0, child_start(&victim, live_shortly, NULL));
	ms = heard(victim.sock);
	TH_LOG("a context beside them: %lld ms", (long long)ms);
	EXPECT_LE(0, ms);
	EXPECT_GT(SOON * 1000, ms);
	EXPECT_EQ(0, child_end(&victim));
	child_kill(&attacker);
	event_paranoid(paranoid);
	EXPECT_TRUE(books_idle(PATIENCE));
}

/* ---- contexts and memory ------------------------------------------------- */

/*
 * create as many contexts as possible; report that, and that a closed one can
 * be recreated
 */
static int take_contexts(int sock, void *arg)
{
	int n, last = -1, fd = -1;

	if (become(ATTACKER))
		return 1;
	for (n = -1; fd >= 0 || n < 0; n++) {
		last = fd;
		fd = open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC);
	}
	if (!say(sock, errno) || !say(sock, n))
		return 1;
	close(last);
	fd = open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC);
	if (!say(sock, fd < 0 ? errno : 0))
		return 1;
	pause();
	return 0;
}

TEST(contexts_are_left_for_others)
{
	const struct rlimit limit = { 4096, 4096 };
	struct child hoarder, victim;
	int i, paranoid = event_paranoid(2);

	ASSERT_NE(-1, paranoid);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	/* twice: the resources of the first attacker are released */
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, child_start(&hoarder, take_contexts, NULL));
		EXPECT_EQ(ENOSPC, heard(hoarder.sock));
		EXPECT_EQ(1024, heard(hoarder.sock));
		EXPECT_EQ(0, heard(hoarder.sock));
		ASSERT_EQ(0, child_start(&victim, store, NULL));
		EXPECT_EQ(0, child_end(&victim));
		child_kill(&hoarder);
	}
	event_paranoid(paranoid);
}

#define MANY_CONTEXTS	16
#define MEGABYTES	4	/* of each */

/*
 * reports how many of its contexts got memory and why no more did, and waits;
 * then again
 */
static int take_memory(int sock, void *arg)
{
	struct gpu gpu[MANY_CONTEXTS];
	struct grun_mem mem;
	int i, n, err = 0;
	uint64_t go;

	if (become(*(int *)arg))
		return 1;
	do {
		for (i = 0; i < MANY_CONTEXTS; i++)
			if (gpu_open(&gpu[i], "loop"))
				return 1;
		for (n = 0; n < MANY_CONTEXTS; n++) {
			err = gpu_buffer(&gpu[n], &mem, MEGABYTES << 20, 0);
			if (err)
				break;
		}
		if (!say(sock, n) || !say(sock, -err) || !hear(sock, &go))
			return 1;
		for (i = 0; i < MANY_CONTEXTS; i++)
			gpu_close(&gpu[i]);
	} while (go);
	return 0;
}

/* limit over all contexts of a user, each of which may have more */
TEST(memory_is_left_for_others)
{
	int attacker = ATTACKER, victim = VICTIM, root = 0, round, old;
	struct child child[3];

	old = event_sim_parameter("user_mem_mb", 6 * MEGABYTES);
	ASSERT_LE(0, old);
	ASSERT_EQ(0, child_start(&child[0], take_memory, &attacker));
	/* some of it is code */
	for (round = 0; round < 2; round++) {
		EXPECT_EQ(5, heard(child[0].sock));
		EXPECT_EQ(ENOMEM, heard(child[0].sock));
		if (!round)
			ASSERT_TRUE(say(child[0].sock, 1));
	}
	ASSERT_EQ(0, child_start(&child[1], take_memory, &victim));
	EXPECT_EQ(5, heard(child[1].sock));
	EXPECT_EQ(ENOMEM, heard(child[1].sock));
	ASSERT_EQ(0, child_start(&child[2], take_memory, &root));
	EXPECT_EQ(MANY_CONTEXTS, heard(child[2].sock));
	EXPECT_EQ(0, heard(child[2].sock));
	for (round = 0; round < 3; round++) {
		say(child[round].sock, 0);
		EXPECT_EQ(0, child_end(&child[round]));
	}
	EXPECT_EQ(6 * MEGABYTES, event_sim_parameter("user_mem_mb", old));
}

/* ---- files served by users ------------------------------------------------ */

/**
 * struct served - a process with a file of which one page never becomes present
 * @fs: the file
 * @times: how often it tried all operations; shared
 */
struct served {
	struct slowfs fs;
	unsigned int *times;
};

/* waves load from @p: 0 if they read SLOWFS_WORD */
static int run_loads(void *p, size_t offset)
{
	struct grun_mem out;
	struct gpu gpu;
	uint64_t va = 0;
	int err = gpu_open(&gpu, "loop");

	if (err)
		return err;
	err = gpu_buffer(&gpu, &out, WAVES * 256, 0) ?: pages_for_gpu(&gpu, p, &va) ?:
	      gpu_run(&gpu, "until", WAVES, GPU_ARGS(out.va, va + offset));
	gpu_close(&gpu);
	return err;
}

/* drop the second page from the page cache, and let waves read it in again */
static bool drop_and_bring(void *p, int file)
{
	volatile uint32_t *word = p + PAGE;

	if (madvise(p + PAGE, PAGE, MADV_DONTNEED) ||
	    posix_fadvise(file, PAGE, PAGE, POSIX_FADV_DONTNEED))
		return false;
	run_loads(p, PAGE);
	return *word == SLOWFS_WORD && !run_loads(p, PAGE);
}

static void watch_served(uint64_t va)
{
	struct perf_event_attr attr = event_break(va);
	unsigned int i;

	for (i = 0; i < MANY; i++)
		watch(va + PAGE - 8 - i, 16 + i);
	sample(va + PAGE - 4, 8);
	attr.exclude_kernel = 1;
	event_open(&attr, 0, -1);
}

/* the stored bytes are on the second page, which is private */
static int attack_with_file(int sock, void *arg)
{
	struct served *s = arg;
	struct grun_mem out;
	struct gpu gpu;
	uint64_t va = 0;
	void *p;
	int file;

	if (become(ATTACKER))
		return 1;
	file = slowfs_open(&s->fs);
	p = mmap(NULL, SLOWFS_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	if (p == MAP_FAILED || gpu_open(&gpu, "loop") ||
	    gpu_buffer(&gpu, &out, MEGABYTES << 20, 0) || pages_for_gpu(&gpu, p, &va))
		return 1;
	watch_served(va);
	if (!drop_and_bring(p, file) || !say(sock, 0))
		return 1;
	for (;;) {
		if (run_loads(p, 0) != -EFAULT || gpu_copy(&gpu, out.va, va, 4) != -EFAULT)
			return 1;
		*(volatile uint32_t *)(p + PAGE) = 0;
		if (gpu_run(&gpu, "repeat", 1, GPU_ARGS(va + PAGE, STORES)) ||
		    !drop_and_bring(p, file))
			return 1;
		__atomic_add_fetch(s->times, 1, __ATOMIC_RELAXED);
	}
}

/* SIGKILL it: true if it exits */
static bool dies(struct child *child)
{
	int ms, status;

	kill(child->pid, SIGKILL);
	for (ms = 0; ms < PATIENCE * 1000; ms += 10) {
		if (waitpid(child->pid, &status, WNOHANG) == child->pid) {
			close(child->sock);
			return WIFSIGNALED(status);
		}
		usleep(10000);
	}
	return false;
}

FIXTURE(files) {
	struct served served;
	int paranoid;
	int mem;
};

FIXTURE_VARIANT(files) {
	unsigned int delay_ms;
};

FIXTURE_VARIANT_ADD(files, answered_at_once) { };
FIXTURE_VARIANT_ADD(files, answered_late) { .delay_ms = 200 };

FIXTURE_SETUP(files)
{
	int err = slowfs_start(&self->served.fs, ATTACKER, variant->delay_ms);

	if (err == -ENOENT)
		SKIP(return, "no FUSE");
	ASSERT_EQ(0, err);
	books_of(0);
	self->paranoid = event_paranoid(2);
	ASSERT_NE(-1, self->paranoid);
	self->mem = event_sim_parameter("user_mem_mb", 6 * MEGABYTES);
	ASSERT_LE(0, self->mem);
	self->served.times = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->served.times);
}

FIXTURE_TEARDOWN(files)
{
	event_sim_parameter("user_mem_mb", self->mem);
	event_paranoid(self->paranoid);
	munmap(self->served.times, PAGE);
}

/* neither the device nor the exit of a killed process waits for the FUSE server */
TEST_F_TIMEOUT(files, that_users_serve, 4 * PATIENCE)
{
	int attacker = ATTACKER, ms;
	struct child child, other;
	bool dead;

	ASSERT_EQ(0, child_start(&child, attack_with_file, &self->served));
	EXPECT_EQ(0, heard(child.sock));
	ASSERT_EQ(0, child_start(&other, store, NULL));
	EXPECT_EQ(0, child_end(&other));
	ASSERT_EQ(0, child_start(&other, dispatch, NULL));
	EXPECT_EQ(0, child_end(&other));
	for (ms = 0; !*self->served.times && ms < PATIENCE * 1000; ms++)
		usleep(1000);
	EXPECT_LT(0, *self->served.times);
	dead = dies(&child);
	EXPECT_TRUE(dead);
	/* memory is available to another process of that user; some of it is code */
	ASSERT_EQ(0, child_start(&other, take_memory, &attacker));
	EXPECT_EQ(5, heard(other.sock));
	child_kill(&other);
	slowfs_end(&self->served.fs);
	if (!dead)
		child_end(&child);
	EXPECT_TRUE(books_idle(PATIENCE));
}

/* ---- wave slots ----------------------------------------------------------- */

#define MORE_THAN_FIT	200	/* waves */
#define VERY_LONG	UINT32_MAX

/* fill all wave slots with waves that do not end, or do nothing */
static int take_slots(int sock, void *arg)
{
	struct grun_mem out;
	struct owner o;
	struct gpu gpu;

	if (become(ATTACKER) || gpu_open(&gpu, "loop") ||
	    gpu_buffer(&gpu, &out, MORE_THAN_FIT * 256, 0) ||
	    gpu_start(&gpu, "spin", MORE_THAN_FIT, GPU_ARGS(out.va, VERY_LONG)))
		return 1;
	if (owner_open(&o, 0, true))
		return 1;
	while (list(&o, NULL, 0) < SLOTS)
		usleep(1000);
	if (*(bool *)arg && (halt_all(&o) || o.nr_done < SLOTS))
		return 1;
	if (!say(sock, 0))
		return 1;
	pause();
	return 0;
}

/* 0: a wave of another user got a slot */
static int have_slot(int sock, void *arg)
{
	struct grun_mem out;
	struct gpu gpu;

	if (become(VICTIM) || gpu_open(&gpu, "loop") ||
	    gpu_buffer(&gpu, &out, 256, 0) ||
	    gpu_start(&gpu, "spin", 1, GPU_ARGS(out.va, 1)))
		return 1;
	return gpu_wait(&gpu, PATIENCE) ? 2 : 0;
}

FIXTURE(slots) {
	int paranoid;
};

FIXTURE_VARIANT(slots) {
	bool held;
};

FIXTURE_VARIANT_ADD(slots, of_endless_waves) { };
FIXTURE_VARIANT_ADD(slots, of_held_waves) { .held = true };

FIXTURE_SETUP(slots)
{
	books_of(0);
	self->paranoid = event_paranoid(1);
	ASSERT_NE(-1, self->paranoid);
}

FIXTURE_TEARDOWN(slots)
{
	event_paranoid(self->paranoid);
	EXPECT_TRUE(books_idle(PATIENCE));
}

TEST_F_TIMEOUT(slots, are_left_for_others, 2 * PATIENCE)
{
	struct child hoarder, victim;

	ASSERT_EQ(0, child_start(&hoarder, take_slots, (void *)&variant->held));
	EXPECT_EQ(0, heard(hoarder.sock));
	ASSERT_EQ(0, child_start(&victim, have_slot, NULL));
	EXPECT_EQ(0, child_end(&victim));
	child_kill(&hoarder);
}

/* ---- time of compute units ------------------------------------------------------- */

#define CONTEXTS	8
#define ONE_UNIT	"one_unit"	/* a device: on others the wave slots decide who shares */

static int device;	/* its number */

/* many waves; sends their number of iterations on request */
static int go_round(int sock, void *arg)
{
	static struct breakcode bc[CONTEXTS];
	uint64_t word, sum;
	int i;

	if (become(ATTACKER))
		return 1;
	for (i = 0; i < CONTEXTS; i++)
		if (bc_open_on(&bc[i], device) || bc_start(&bc[i], BC_LOOP, 1, VERY_LONG, 0))
			return 1;
	for (i = 0; i < CONTEXTS; i++)
		while (!bc[i].data[0])
			usleep(1000);
	if (!say(sock, 0))
		return 1;
	while (hear(sock, &word)) {
		for (sum = 0, i = 0; i < CONTEXTS; i++)
			sum += bc[i].data[0];
		if (!say(sock, sum))
			return 1;
	}
	return 0;
}

/* some waves do so many iterations on request; sends the sum over all */
static int go_round_once(int sock, void *arg)
{
	static struct breakcode bc;
	uint64_t word;

	if (become(VICTIM) || bc_open_on(&bc, device) || !say(sock, 0) ||
	    !hear(sock, &word) || bc_run(&bc, BC_LOOP, 1, *(const uint32_t *)arg))
		return 1;
	return !say(sock, bc.data[0]);
}

static uint64_t ask(const struct child *child)
{
	say(child->sock, 0);
	return heard(child->sock);
}

/* a user with eight times as many waves gets no more time than the other user */
TEST(time_is_shared_by_users)
{
	uint32_t loops = slow_kernel() ? 1000 : 20000;
	struct child many, few;
	uint64_t before, had, got;

	simdev_rmdir(ONE_UNIT);	/* left by a failed test */
	ASSERT_EQ(0, simdev_mkdir(ONE_UNIT));
	ASSERT_EQ(0, simdev_set(ONE_UNIT, "cus", "1"));
	ASSERT_EQ(0, simdev_set(ONE_UNIT, "live", "1"));
	device = simdev_get(ONE_UNIT, "number");
	ASSERT_LT(0, device);
	ASSERT_EQ(0, child_start(&many, go_round, NULL));
	ASSERT_EQ(0, heard(many.sock));
	ASSERT_EQ(0, child_start(&few, go_round_once, &loops));
	ASSERT_EQ(0, heard(few.sock));
	before = ask(&many);
	got = ask(&few);
	had = ask(&many) - before;
	TH_LOG("%lu iterations, %lu of the other user", got, had);
	EXPECT_EQ(BC_LANES * BC_WAVES * (uint64_t)loops, got);
	EXPECT_LE(had, 2 * got);
	EXPECT_EQ(0, child_end(&few));
	child_kill(&many);
	EXPECT_EQ(0, simdev_rmdir(ONE_UNIT));
}

/* ---- after exec ------------------------------------------------------------ */

#define EXEC_ROUNDS	10
#define EXEC_ROUNDS_DEBUG 3

static unsigned int exec_rounds(void)
{
	return env_number("GPUBP_ROUNDS",
			  debug_kernel() ? EXEC_ROUNDS_DEBUG : EXEC_ROUNDS);
}

FIXTURE(exec) {
	struct onlooker *onlooker;
	int paranoid;
};

FIXTURE_VARIANT(exec) {
	const char *program;
};

FIXTURE_VARIANT_ADD(exec, plain) { SECRET_PROGRAM };
FIXTURE_VARIANT_ADD(exec, set_user_id) { SECRET_SUID };

FIXTURE_SETUP(exec)
{
	ASSERT_EQ(0, onlooker_programs());
	books_of(0);
	self->paranoid = event_paranoid(1);
	ASSERT_NE(-1, self->paranoid);
	self->onlooker = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->onlooker);
}

FIXTURE_TEARDOWN(exec)
{
	event_paranoid(self->paranoid);
	munmap(self->onlooker, PAGE);
	EXPECT_TRUE(books_idle(PATIENCE));
}

/* no session, wave or copy can access the memory of the next program */
TEST_F(exec, ends_what_was_shared)
{
	struct onlooker *o = self->onlooker;
	struct child child;

	*o = (struct onlooker) {
		.program = variant->program,
		.uid = ATTACKER,
		.rounds = exec_rounds(),
	};
	ASSERT_EQ(0, child_start(&child, onlooker_main, o));
	EXPECT_EQ(0, child_end(&child));
	EXPECT_EQ(o->rounds, o->looked);
	EXPECT_EQ(0, o->leaked);
	EXPECT_EQ(0, o->changed);
	EXPECT_EQ(0, o->kept);
}

TEST_HARNESS_MAIN
