// SPDX-License-Identifier: GPL-2.0
/*
 * With a trap handler that never ends (see "make nomsg") a wave that hits spins
 * inside. It can be killed like any other.
 */
#include <errno.h>
#include <signal.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "simdev.h"

#define SIZE	4096
#define DEBUG	"/sys/kernel/debug/gpubp_sim0/"
#define PRIV	0x20	/* of STATUS: in the handler */
#define PATIENCE 60

static int count_spinning(void)
{
	FILE *file = fopen(DEBUG "waves", "re");
	unsigned int status;
	char line[256];
	int n = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, "status ");

		n += at && sscanf(at, "status %x", &status) == 1 &&
		     (status & PRIV);
	}
	fclose(file);
	return n;
}

static bool wait_for_spinning(int nr)
{
	int i;

	for (i = 0; count_spinning() != nr && i < PATIENCE * 100; i++)
		usleep(10000);
	return count_spinning() == nr;
}

/* start a wave, which hits @fd's watch and enters the handler */
static int start(struct gpu *gpu, int *fd)
{
	struct perf_event_attr attr;
	struct grun_mem mem;
	int ret;

	ret = gpu_open(gpu, "loop") ?: gpu_buffer(gpu, &mem, SIZE, 0);
	if (ret)
		return ret;
	attr = event_watch(mem.va, 4, EVENT_STORES);
	*fd = event_open(&attr, 0, -1);
	if (*fd < 0)
		return *fd;
	ret = gpu_start(gpu, "repeat", 1, GPU_ARGS(mem.va, 3));
	return ret ?: wait_for_spinning(1) ? 0 : -ETIME;
}

static int target(int sock, void *arg)
{
	struct gpu gpu;
	int fd;

	say(sock, start(&gpu, &fd));
	gpu_wait(&gpu, -1);
	return 1;
}

static void expect_a_sane_device(struct __test_metadata *_metadata)
{
	struct grun_mem mem;
	struct gpu gpu;

	EXPECT_TRUE(wait_for_spinning(0));
	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SIZE, 0));
	EXPECT_EQ(0, gpu_run(&gpu, "repeat", 80, GPU_ARGS(mem.va, 0)));
	gpu_close(&gpu);
	EXPECT_TRUE(books_idle(PATIENCE));
}

TEST(its_file_is_closed)
{
	struct gpu gpu;
	int fd;

	ASSERT_EQ(0, start(&gpu, &fd));
	gpu_close(&gpu);
	EXPECT_EQ(0, event_count(fd));
	close(fd);
	expect_a_sane_device(_metadata);
}

TEST(its_process_is_killed)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, target, NULL));
	ASSERT_EQ(0, heard(child.sock));
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	expect_a_sane_device(_metadata);
}

TEST(the_gpu_is_reset)
{
	struct gpu gpu;
	int fd;

	ASSERT_EQ(0, start(&gpu, &fd));
	EXPECT_EQ(0, simdev_reset(0));
	EXPECT_EQ(-EIO, gpu_wait(&gpu, PATIENCE));
	gpu_close(&gpu);
	close(fd);
	expect_a_sane_device(_metadata);
}

TEST_HARNESS_MAIN
