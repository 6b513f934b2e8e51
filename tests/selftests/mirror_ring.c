// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's watermark_signal, which uses context switches, and its mmap,
 * which uses any event, repeated with a watch: see mirrors.sh.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "harness.h"
#include "event.h"
#include "repeater.h"

#define ROUNDS	100

static volatile int sigio_count;

static void on_sigio(int sig)
{
	sigio_count++;
}

/* stops; stores; stops */
static void child_main(void)
{
	uint64_t va = REPEATER_VA;
	struct gpu gpu;
	int i;

	if (repeater_open(&gpu, &va))
		_exit(1);
	raise(SIGSTOP);
	for (i = 0; i < ROUNDS && !repeat(&gpu, va, 1); i++)
		usleep(1000);
	raise(SIGSTOP);
	_exit(0);
}

static bool stopped(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WSTOPPED) == pid && WIFSTOPPED(status);
}

TEST(watermark_signal)
{
	struct perf_event_attr attr = event_watch(REPEATER_VA, 4, EVENT_STORES);
	struct sigaction action = { .sa_handler = on_sigio };
	pid_t child = fork();
	struct ring ring;
	int fd;

	if (!child)
		child_main();
	ASSERT_TRUE(stopped(child));
	ASSERT_EQ(0, sigaction(SIGIO, &action, NULL));
	event_sample(&attr, 1);
	attr.disabled = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	fd = event_open(&attr, child, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fcntl(fd, F_SETFL, FASYNC));
	ASSERT_EQ(0, fcntl(fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(fd, F_SETSIG, SIGIO));
	ASSERT_EQ(0, ring_map(&ring, fd, 1));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, kill(child, SIGCONT));
	/* it also ends early, if no signal comes */
	if (waitpid(child, NULL, WSTOPPED) < 0)
		EXPECT_EQ(EINTR, errno);
	EXPECT_LE(1, sigio_count);
	ring_unmap(&ring);
	close(fd);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/*
 * Mappings of a ring buffer can be moved only as a whole.
 */

#define PAGE		4096UL
#define RB_SIZE		(3 * PAGE)
#define AUX_SIZE	(16 * PAGE)
#define AUX_OFFSET	(4 * PAGE)
#define REGION_AUX	(2 * RB_SIZE)
#define REGION_SIZE	(REGION_AUX + 2 * AUX_SIZE)

FIXTURE(perf_mmap) {
	char *region;
	char *ptr;
	int fd;
};

FIXTURE_VARIANT(perf_mmap) {
	bool aux;
	unsigned long size;
};

FIXTURE_VARIANT_ADD(perf_mmap, rb) { .aux = false, .size = RB_SIZE };
FIXTURE_VARIANT_ADD(perf_mmap, aux) { .aux = true, .size = AUX_SIZE };

static char *map_at(char *at, unsigned long size, int fd, off_t offset)
{
	return mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		    offset);
}

FIXTURE_SETUP(perf_mmap)
{
	struct perf_event_attr attr = event_watch(REPEATER_VA, 4, EVENT_STORES);
	struct perf_event_mmap_page *page;

	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	self->region = mmap(NULL, REGION_SIZE, PROT_NONE,
			    MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->region);
	self->fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd);
	self->ptr = map_at(self->region, RB_SIZE, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->ptr);
	if (!variant->aux)
		return;
	page = (void *)self->ptr;
	page->aux_offset = AUX_OFFSET;
	page->aux_size = AUX_SIZE;
	self->ptr = map_at(self->region + REGION_AUX, AUX_SIZE, self->fd,
			   AUX_OFFSET);
	if (self->ptr == MAP_FAILED)
		SKIP(return, "no AUX area");
}

FIXTURE_TEARDOWN(perf_mmap)
{
	EXPECT_EQ(0, munmap(self->region, REGION_SIZE));
	close(self->fd);
}

static bool can_remap(char *from, unsigned long old, unsigned long new)
{
	return mremap(from, old, new, MREMAP_MAYMOVE) != MAP_FAILED;
}

static void *move_to(char *from, unsigned long size, char *to)
{
	return mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

TEST_F(perf_mmap, remap)
{
	unsigned long size = variant->size;
	char *ptr = self->ptr, *elsewhere;

	EXPECT_FALSE(can_remap(ptr, size, PAGE));
	EXPECT_FALSE(can_remap(ptr + PAGE, size, PAGE));
	EXPECT_FALSE(can_remap(ptr + size - PAGE, PAGE, size));
	/* the part behind it can be unmapped */
	EXPECT_TRUE(can_remap(ptr + size - PAGE, size, PAGE));

	elsewhere = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)elsewhere);
	EXPECT_EQ(MAP_FAILED, move_to(ptr + PAGE, size - PAGE, elsewhere));
	EXPECT_EQ((void *)elsewhere, move_to(ptr, size, elsewhere));
	EXPECT_EQ(0, munmap(elsewhere, size));
}

TEST_F(perf_mmap, unmap)
{
	char *end = self->ptr + variant->size;

	EXPECT_NE(0, munmap(self->ptr, PAGE));
	EXPECT_NE(0, munmap(self->ptr + PAGE, PAGE));
	EXPECT_NE(0, munmap(end - PAGE, PAGE));
}

static void *cover(char *at)
{
	return mmap(at, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

TEST_F(perf_mmap, map)
{
	char *end = self->ptr + variant->size;

	EXPECT_EQ(MAP_FAILED, cover(self->ptr));
	EXPECT_EQ(MAP_FAILED, cover(self->ptr + PAGE));
	EXPECT_EQ(MAP_FAILED, cover(end - PAGE));
}

TEST_HARNESS_MAIN
