// SPDX-License-Identifier: GPL-2.0
/*
 * Surprise removal of a GPU while programs use it: waiters get an error, memory
 * stays as long as it is mapped. Its events and its number are in devices.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/gpubp_sim.h>
#include "harness.h"
#include "child.h"
#include "rawgpu.h"
#include "simdev.h"
#include "sim_kernels.h"

#define GPU	"pulled"
#define PAGE	4096UL
#define PATIENCE 60	/* s */
#define OUT	0x300000000000ULL

/* create a device for this test; returns its file */
static int plug(void)
{
	char path[64];

	if (simdev_mkdir(GPU) || simdev_set(GPU, "live", "1"))
		return -1;
	snprintf(path, sizeof(path), "/dev/gpubp_sim%d",
		 simdev_get(GPU, "number"));
	return open(path, O_RDWR | O_CLOEXEC);
}

static int pull(void)
{
	return simdev_rmdir(GPU);
}

struct target {
	int fd;
	uint8_t *code;
	uint64_t *args;
	uint32_t *out;
	uint32_t queue;
	uint64_t seq;
};

#define CODE	(OUT + 0x10000000)
#define ARGS	(OUT + 0x20000000)

static int open_target(struct target *t)
{
	struct gpubp_sim_queue queue = {};
	int err;

	t->fd = plug();
	if (t->fd < 0)
		return -1;
	t->code = raw_bo(t->fd, CODE, SIM_CODE_PAGES * PAGE);
	t->args = raw_bo(t->fd, ARGS, PAGE);
	t->out = raw_bo(t->fd, OUT, PAGE);
	if (!t->code || !t->args || !t->out)
		return -1;
	sim_kernels_load(t->code);
	err = raw_call(t->fd, GPUBP_SIM_QUEUE_CREATE, &queue);
	t->queue = queue.id;
	return err;
}

static int start(struct target *t, enum sim_kernel kernel)
{
	struct gpubp_sim_dispatch d = {
		.kernel_object = CODE + SIM_KERNEL_OFFSET(kernel),
		.kernarg = ARGS,
		.grid = { 64, 1, 1 },
		.workgroup = { 64, 1, 1 },
		.queue = t->queue,
	};
	int err;

	t->args[0] = OUT;
	t->args[1] = 5;
	err = raw_call(t->fd, GPUBP_SIM_DISPATCH, &d);
	t->seq = d.seq;
	return err;
}

static int wait_for(struct target *t)
{
	struct gpubp_sim_wait w = {
		.seq = t->seq,
		.queue = t->queue,
		.timeout_ns = -1,
	};
	int err = raw_call(t->fd, GPUBP_SIM_WAIT, &w);

	return err ?: (int)w.status;
}

static volatile pid_t waiting;

static void *waiter(void *arg)
{
	waiting = syscall(SYS_gettid);
	return (void *)(intptr_t)wait_for(arg);
}

static void close_target(struct target *t)
{
	close(t->fd);
	munmap(t->code, SIM_CODE_PAGES * PAGE);
	munmap(t->args, PAGE);
	munmap(t->out, PAGE);
}

TEST(pulled_out_of_an_endless_loop)
{
	struct gpubp_sim_info info;
	struct target t;
	pthread_t thread;
	void *status;

	ASSERT_EQ(0, open_target(&t));
	ASSERT_EQ(0, start(&t, SIM_FILL));
	ASSERT_EQ(GPUBP_SIM_DONE, wait_for(&t));
	ASSERT_EQ(0, start(&t, SIM_LOOP));
	ASSERT_EQ(0, pthread_create(&thread, NULL, waiter, &t));
	while (!waiting)
		usleep(1000);
	EXPECT_TRUE(wait_asleep(waiting, PATIENCE));
	EXPECT_EQ(-EBUSY, simdev_set(GPU, "live", "0"));
	ASSERT_EQ(0, pull());
	ASSERT_EQ(0, pthread_join(thread, &status));
	EXPECT_EQ(GPUBP_SIM_KILLED, (intptr_t)status);
	/* the file is still open, the device is removed */
	EXPECT_EQ(-ENODEV, start(&t, SIM_FILL));
	EXPECT_EQ(-ENODEV, wait_for(&t));
	EXPECT_EQ(-ENODEV, raw_call(t.fd, GPUBP_SIM_INFO, &info));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, t.fd, OUT));
	EXPECT_EQ(ENODEV, errno);
	/* mapped memory remains as well */
	EXPECT_EQ(5 + 63, t.out[63]);
	t.out[0] = 77;
	EXPECT_EQ(77, *(volatile uint32_t *)t.out);
	close_target(&t);
}

#define PART		(2UL << 20)	/* of memory, mapped again and again */
#define LARGE		(1UL << 30)

/* addresses of LARGE bytes, all of the same part */
static uint8_t *map_large(void)
{
	int fd = memfd_create("part", MFD_CLOEXEC);
	uint8_t *large;
	size_t at;

	if (fd < 0 || ftruncate(fd, PART))
		return NULL;
	large = mmap(NULL, LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (large == MAP_FAILED)
		return NULL;
	for (at = 0; at < LARGE; at += PART)
		if (mmap(large + at, PART, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			return NULL;
	close(fd);
	return large;
}

static int make_userptr(int fd, const void *memory, __u64 *va)
{
	struct gpubp_sim_userptr userptr = {
		.cpu_addr = (uintptr_t)memory, .size = LARGE,
	};
	int err = raw_call(fd, GPUBP_SIM_USERPTR, &userptr);

	*va = userptr.va;
	return err;
}

struct large_copy {
	int fd;
	struct gpubp_sim_copy copy;
};

static void *copy_large(void *arg)
{
	struct large_copy *large = arg;

	return (void *)(intptr_t)raw_call(large->fd, GPUBP_SIM_COPY, &large->copy);
}

/* a copy of seconds ends with the device, not the other way round */
TEST(pulled_out_of_a_large_copy)
{
	uint8_t *from = map_large(), *to = map_large();
	struct large_copy large = { .copy.size = LARGE };
	struct target t;
	pthread_t thread;
	void *status;

	ASSERT_NE(NULL, from);
	ASSERT_NE(NULL, to);
	ASSERT_EQ(0, open_target(&t));
	large.fd = t.fd;
	ASSERT_EQ(0, make_userptr(t.fd, from, &large.copy.src));
	ASSERT_EQ(0, make_userptr(t.fd, to, &large.copy.dst));
	*from = 1;
	ASSERT_EQ(0, pthread_create(&thread, NULL, copy_large, &large));
	while (!*(volatile uint8_t *)to)
		;
	ASSERT_EQ(0, pull());
	ASSERT_EQ(0, pthread_join(thread, &status));
	EXPECT_EQ(-ENODEV, (intptr_t)status);
	close_target(&t);
	munmap(from, LARGE);
	munmap(to, LARGE);
}

static void *caller(void *arg)
{
	struct target *t = arg;
	int err;

	do {
		err = start(t, SIM_FILL) ?: wait_for(t);
	} while (!err);
	return (void *)(intptr_t)err;
}

/* during system calls of several threads */
TEST(pulled_at_any_moment)
{
	pthread_t thread[3];
	struct target t;
	void *status;
	int i, n;

	for (n = 0; n < 8; n++) {
		ASSERT_EQ(0, open_target(&t));
		for (i = 0; i < 3; i++)
			ASSERT_EQ(0, pthread_create(&thread[i], NULL, caller, &t));
		usleep(random() % 20000);
		ASSERT_EQ(0, pull());
		for (i = 0; i < 3; i++) {
			ASSERT_EQ(0, pthread_join(thread[i], &status));
			EXPECT_TRUE((intptr_t)status == -ENODEV ||
				    (intptr_t)status == GPUBP_SIM_KILLED)
				TH_LOG("status %ld", (long)(intptr_t)status);
		}
		close_target(&t);
	}
}

TEST_HARNESS_MAIN
