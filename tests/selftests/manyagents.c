// SPDX-License-Identifier: GPL-2.0
/*
 * Very many agents: as many as a user may have, as many as there may be, and what they cost
 * another one beside them. That is counted, in blocks of gpubp's code that are executed (KCOV).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <linux/kcov.h>
#include "harness.h"
#include "agentgpu.h"
#include "books.h"
#include "child.h"
#include "event.h"

#define OPENED		1000	/* agents in all */
#define OF_A_USER	32	/* parameters of gpubp_agent, as they are */
#define OF_ALL		128
#define OF_ALL_SLOW	48	/* on a kernel on which each takes a second */
#define PROCESSES	8
#define ROUNDS		20
#define STORES		4	/* of a round */
#define AREA		(256 << 10)	/* blocks */
#define PATIENCE	60	/* s */

/* ---- many agents ------------------------------------------------------------ */

/**
 * struct many - agents of a process
 * @uid: its user
 * @nr: how many it opens
 */
struct many {
	uid_t uid;
	unsigned int nr;
};

/**
 * struct joined - what became of them
 * @fd: those that joined
 * @nr: how many
 * @nr_users: -EUSERS
 * @nr_space: -ENOSPC
 */
struct joined {
	struct pollfd fd[OPENED];
	unsigned int nr;
	unsigned int nr_users;
	unsigned int nr_space;
};

/* those that are refused stay open, too */
static bool join_one(struct joined *j)
{
	struct gpubp_agent_queue queue = { .id = AGENT_QUEUE };
	struct gpubp_agent_join join = agentgpu_join();
	int fd = agentgpu_file(), err;

	if (fd < 0)
		return false;
	err = agentgpu_call(fd, GPUBP_AGENT_JOIN, &join);
	j->nr_users += err == -EUSERS;
	j->nr_space += err == -ENOSPC;
	if (err)
		return err == -EUSERS || err == -ENOSPC;
	j->fd[j->nr++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return !agentgpu_call(fd, GPUBP_AGENT_QUEUE_CREATE, &queue);
}

static void acknowledge(int fd)
{
	struct gpubp_agent_ack ack = { .header = { sizeof(ack), GPUBP_AGENT_ACK } };
	struct gpubp_agent_program prog;

	if (read(fd, &prog, sizeof(prog)) != sizeof(prog))
		return;
	ack.seq = prog.seq;
	agentgpu_write(fd, &ack);
}

/* they watch, and do not, until there is a message */
static void churn(struct joined *j, int sock)
{
	static uint32_t word __attribute__((aligned(64)));
	struct perf_event_attr attr = event_watch((uintptr_t)&word, 4, EVENT_STORES);
	struct pollfd message = { .fd = sock, .events = POLLIN };
	unsigned int n;
	int fd = -1;

	while (!poll(&message, 1, 0)) {
		if (fd >= 0)
			close(fd);
		fd = fd >= 0 ? -1 : event_open(&attr, 0, -1);
		poll(j->fd, j->nr, 10);
		for (n = 0; n < j->nr; n++)
			if (j->fd[n].revents)
				acknowledge(j->fd[n].fd);
	}
	if (fd >= 0)
		close(fd);
}

static int have_many(int sock, void *arg)
{
	const struct rlimit files = { 2 * OPENED, 2 * OPENED };
	const struct many *many = arg;
	static struct joined j;
	unsigned int n;

	if (setrlimit(RLIMIT_NOFILE, &files) || become(many->uid))
		return 1;
	for (n = 0; n < many->nr; n++)
		if (!join_one(&j))
			return 2;
	if (!say(sock, j.nr) || !say(sock, j.nr_users) || !say(sock, j.nr_space))
		return 3;
	churn(&j, sock);
	return 0;
}

static bool start_many(struct child *child, struct many *many, struct joined *sum)
{
	uint64_t nr, users, space;

	if (child_start(child, have_many, many) || !hear(child->sock, &nr) ||
	    !hear(child->sock, &users) || !hear(child->sock, &space))
		return false;
	sum->nr += nr;
	sum->nr_users += users;
	sum->nr_space += space;
	return true;
}

static bool end_many(struct child *child)
{
	return say(child->sock, 0) && !child_end(child);
}

/* ---- the one beside them --------------------------------------------------------- */

/* blocks that its calls execute, and kernel threads for it; NULL: there is no KCOV */
static uint64_t *own, *remote;
static int own_fd;

static uint64_t *open_area(int *fd)
{
	void *area;

	*fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (*fd < 0 || ioctl(*fd, KCOV_INIT_TRACE, AREA))
		return NULL;
	area = mmap(NULL, AREA * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	return area == MAP_FAILED ? NULL : area;
}

/* of contexts that children of this process have */
static void open_areas(void)
{
	struct kcov_remote_arg arg = {
		.trace_mode = KCOV_TRACE_PC, .area_size = AREA,
		.common_handle = kcov_remote_handle(KCOV_SUBSYSTEM_COMMON, 1),
	};
	int fd;

	own = open_area(&own_fd);
	remote = open_area(&fd);
	if (!own || !remote || ioctl(fd, KCOV_REMOTE_ENABLE, &arg))
		own = remote = NULL;
}

/* hits that are recorded, programs, and reads, always as many */
static bool work(struct agentgpu *gpu, uint32_t *word, int samples, int other)
{
	struct event_value value;
	unsigned int n, i;

	for (n = 0; n < ROUNDS; n++) {
		if (ioctl(other, n % 2 ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0) ||
		    agentgpu_wait(gpu) || event_read(samples, &value))
			return false;
		for (i = 0; i < STORES; i++)
			if (agentgpu_store_one(gpu, word, i) != 1)
				return false;
	}
	return true;
}

/* until they are resolved, too; blocks, 0: something failed */
static uint64_t blocks_of_work(struct agentgpu *gpu, uint32_t *word, int samples, int other)
{
	bool done;

	ioctl(own_fd, KCOV_ENABLE, KCOV_TRACE_PC);
	__atomic_store_n(own, 0, __ATOMIC_RELAXED);
	__atomic_store_n(remote, 0, __ATOMIC_RELAXED);
	done = work(gpu, word, samples, other);
	ioctl(own_fd, KCOV_DISABLE, 0);
	if (!done || !books_settle(PATIENCE))
		return 0;
	return __atomic_load_n(own, __ATOMIC_RELAXED) + __atomic_load_n(remote, __ATOMIC_RELAXED);
}

static int be_victim(int sock, void *arg)
{
	static struct { uint32_t at[16]; } words[2] __attribute__((aligned(64)));
	struct perf_event_attr attr[2] = {
		event_watch((uintptr_t)&words[0], 4, EVENT_STORES),
		event_watch((uintptr_t)&words[1], 4, EVENT_STORES),
	};
	struct gpubp_agent_join join = agentgpu_join();
	struct agentgpu gpu;
	char name[64];
	int fd[2];

	(void)arg;
	event_sample(&attr[0], 1);
	attr[1].disabled = 1;
	if (agentgpu_start(&gpu, &join) || agentgpu_device(&gpu, name))
		return 1;
	books_of_name(name);
	fd[0] = event_open(&attr[0], 0, -1);
	fd[1] = event_open(&attr[1], 0, -1);
	if (fd[0] < 0 || fd[1] < 0 || agentgpu_wait(&gpu))
		return 2;
	while (heard(sock) > 0)
		if (!say(sock, blocks_of_work(&gpu, words[0].at, fd[0], fd[1])))
			return 3;
	agentgpu_stop(&gpu);
	return 0;
}

/* the highest of three times; 0: something failed */
static uint64_t cost_of(struct child *victim)
{
	uint64_t blocks, most = 0;
	int n;

	for (n = 0; n < 3; n++) {
		if (!say(victim->sock, 1) || !hear(victim->sock, &blocks) || !blocks)
			return 0;
		most = blocks > most ? blocks : most;
	}
	return most;
}

/* ---- cases --------------------------------------------------------------------------- */

static bool set_parameter(const char *name, unsigned int nr)
{
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/gpubp_agent/parameters/%s", name);
	file = fopen(path, "we");
	if (!file)
		return false;
	fprintf(file, "%u", nr);
	return !fclose(file);
}

FIXTURE(many) {
	struct child victim;
	uint64_t alone;
};

FIXTURE_SETUP(many)
{
	open_areas();
	if (!own)
		SKIP(return, "the kernel has no KCOV");
	ASSERT_EQ(0, child_start(&self->victim, be_victim, NULL));
	self->alone = cost_of(&self->victim);
	ASSERT_NE(0, self->alone);
}

FIXTURE_TEARDOWN(many)
{
	set_parameter("user_agents", OF_A_USER);
	set_parameter("max_agents", OF_ALL);
	say(self->victim.sock, 0);
	EXPECT_EQ(0, child_end(&self->victim));
}

TEST_F(many, of_one_user)
{
	struct many many = { 1000, OPENED };
	struct joined sum = { };
	struct child child;
	uint64_t beside;

	ASSERT_TRUE(start_many(&child, &many, &sum));
	EXPECT_EQ(OF_A_USER, sum.nr);
	EXPECT_EQ(OPENED - OF_A_USER, sum.nr_users);
	beside = cost_of(&self->victim);
	TH_LOG("%u agents: %llu blocks, alone %llu", sum.nr, (unsigned long long)beside,
	       (unsigned long long)self->alone);
	EXPECT_NE(0, beside);
	EXPECT_GE(2 * self->alone, beside);
	EXPECT_TRUE(end_many(&child));
}

/* all that there can be, of a user who may have so many; killed, they leave room at once */
TEST_F(many, of_many_processes)
{
	struct many many = { 1000, OPENED / PROCESSES };
	struct joined sum = { };
	struct child child[PROCESSES], again;
	const unsigned int of_all = slow_kernel() ? OF_ALL_SLOW : OF_ALL;
	uint64_t beside;
	int n;

	ASSERT_TRUE(set_parameter("user_agents", OPENED));
	if (slow_kernel())
		ASSERT_TRUE(set_parameter("max_agents", OF_ALL_SLOW));
	for (n = 0; n < PROCESSES; n++)
		ASSERT_TRUE(start_many(&child[n], &many, &sum));
	/* with the victim's */
	EXPECT_EQ(of_all - 1, sum.nr);
	EXPECT_EQ(OPENED - (of_all - 1), sum.nr_space);
	beside = cost_of(&self->victim);
	TH_LOG("%u agents: %llu blocks, alone %llu", sum.nr, (unsigned long long)beside,
	       (unsigned long long)self->alone);
	EXPECT_NE(0, beside);
	EXPECT_GE(2 * self->alone, beside);
	child_kill(&child[0]);
	sum = (struct joined){ };
	ASSERT_TRUE(start_many(&again, &many, &sum));
	EXPECT_LT(0, sum.nr);
	EXPECT_TRUE(end_many(&again));
	for (n = 1; n < PROCESSES; n++)
		EXPECT_TRUE(end_many(&child[n]));
}

TEST_HARNESS_MAIN
