// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of GPUs: memory that the CPU cannot map, a copy engine whose accesses
 * no comparator sees, and process memory that is remapped in any way while
 * waves store there.
 *
 * environment:
 *	GPUBP_ROUNDS	of each storm, default 4
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <linux/gpubp_sim.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define PAGE	4096UL
#define LATE_VA	0x7654000000ULL	/* nothing is mapped there at first */
#define GROUPS	64	/* of 64 words: four pages */
#define PAGES	4
#define WORDS	(GROUPS * 64)
#define PATIENCE 60	/* s */
#define HUGE	(2UL << 20)

static int call(const struct gpu *gpu, unsigned long cmd, void *arg)
{
	return ioctl(grun_fd(gpu->dev), cmd, arg) ? -errno : 0;
}

static int make_invisible(const struct gpu *gpu, size_t size,
			  struct gpubp_sim_bo *bo)
{
	*bo = (struct gpubp_sim_bo){ .size = size, .flags = GPUBP_SIM_INVISIBLE };
	return call(gpu, GPUBP_SIM_BO_CREATE, bo);
}

static int count_wrong(const uint32_t *p, unsigned int n, uint32_t value)
{
	unsigned int i;
	int wrong = 0;

	for (i = 0; i < n; i++)
		wrong += p[i] != value;
	return wrong;
}

FIXTURE(memory) {
	struct gpu gpu;
	struct grun_mem a, b;
};

FIXTURE_SETUP(memory)
{
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->a, PAGES * PAGE, 0));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->b, PAGES * PAGE, 0));
}

FIXTURE_TEARDOWN(memory)
{
	gpu_close(&self->gpu);
}

TEST_F(memory, invisible)
{
	uint32_t *a = self->a.cpu, *b = self->b.cpu;
	struct gpubp_sim_bo bo;

	ASSERT_EQ(0, make_invisible(&self->gpu, PAGES * PAGE, &bo));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED,
				   grun_fd(self->gpu.dev), bo.mmap_offset));
	EXPECT_EQ(EACCES, errno);
	/* zeroed memory; data can be copied there and back */
	memset(a, 0xff, PAGES * PAGE);
	ASSERT_EQ(0, gpu_copy(&self->gpu, self->a.va, bo.va, PAGES * PAGE));
	EXPECT_EQ(0, count_wrong(a, WORDS, 0));
	memset(a, 0x5a, PAGES * PAGE);
	ASSERT_EQ(0, gpu_copy(&self->gpu, bo.va + 12, self->a.va, PAGE + 7));
	ASSERT_EQ(0, gpu_copy(&self->gpu, self->b.va, bo.va + 12, PAGE + 7));
	EXPECT_EQ(0, memcmp(a, b, PAGE + 7));
	EXPECT_EQ(0, ((uint8_t *)b)[PAGE + 7]);
	/* waves access it like any other memory */
	ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", GROUPS, GPU_ARGS(bo.va, 9)));
	ASSERT_EQ(0, gpu_copy(&self->gpu, self->b.va, bo.va, PAGES * PAGE));
	EXPECT_EQ(0, count_wrong(b, WORDS, 8));
}

TEST_F(memory, copies_that_fault)
{
	uint64_t end = self->a.va + PAGES * PAGE;
	uint32_t *b = self->b.cpu;
	struct gpubp_sim_unmap unmap = { .va = self->a.va };
	struct gpubp_sim_bo bo;

	ASSERT_EQ(0, make_invisible(&self->gpu, PAGE, &bo));
	memset(self->a.cpu, 0x11, PAGES * PAGE);
	/* nothing is mapped behind it; the part before that is copied */
	ASSERT_NE(end, self->b.va + PAGES * PAGE);
	EXPECT_EQ(0, gpu_copy(&self->gpu, bo.va, self->a.va, 0));
	EXPECT_EQ(-EFAULT, gpu_copy(&self->gpu, self->b.va, 0x1000000000000, 8));
	EXPECT_EQ(-EFAULT, gpu_copy(&self->gpu, 0x1000000000000, self->b.va, 8));
	EXPECT_EQ(-EFAULT, gpu_copy(&self->gpu, self->b.va, ~0ULL - 3, 8));
	EXPECT_EQ(0, count_wrong(b, WORDS, 0));
	ASSERT_EQ(0, call(&self->gpu, GPUBP_SIM_UNMAP, &unmap));
	EXPECT_EQ(-EFAULT, gpu_copy(&self->gpu, self->b.va, self->a.va, 8));
	bo = (struct gpubp_sim_bo){ .size = PAGE, .va = self->a.va };
	ASSERT_EQ(0, call(&self->gpu, GPUBP_SIM_BO_CREATE, &bo));
	memset(b, 0x22, PAGES * PAGE);
	EXPECT_EQ(-EFAULT, gpu_copy(&self->gpu, self->b.va, self->a.va + 8, PAGE));
	EXPECT_EQ(0, count_wrong(b, PAGE / 4 - 2, 0));
	EXPECT_EQ(0, count_wrong(b + PAGE / 4 - 2, 2, 0x22222222));
}

/* "0 hits" does not cover the copy engine and the CPU */
TEST_F(memory, no_comparator_sees_copies)
{
	struct perf_event_attr attr = event_watch(self->a.va, PAGE, EVENT_ANY);
	int64_t raised = books_device("raised");
	int fd = event_open(&attr, 0, -1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, gpu_copy(&self->gpu, self->a.va, self->b.va, PAGE));
	ASSERT_EQ(0, gpu_copy(&self->gpu, self->b.va, self->a.va, PAGE));
	memset(self->a.cpu, 1, PAGE);
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(0, event_count(fd));
	EXPECT_EQ(raised, books_device("raised"));
	/* the watch was armed all the time */
	ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", 1, GPU_ARGS(self->a.va, 2)));
	EXPECT_EQ(2, event_count(fd));
	close(fd);
}

/* the kernel cannot map it either, but knows the changes */
TEST_F(memory, values_of_invisible_memory)
{
	struct perf_event_attr attr;
	int changed, sampler, session = session_open();
	struct gpubp_event_stats stats;
	struct gpubp_sim_bo bo;
	struct sample sample;
	struct ring ring;
	uint32_t n = 0;

	ASSERT_EQ(0, make_invisible(&self->gpu, PAGE, &bo));
	attr = event_watch(bo.va + 4, 4, EVENT_STORES);
	event_sample(&attr, 1);
	sampler = event_open(&attr, 0, -1);
	ASSERT_LE(0, sampler);
	ASSERT_EQ(0, ring_map(&ring, sampler, 8));
	attr = event_watch(bo.va + 4, 4, EVENT_STORES);
	attr.config |= GPUBP_CONFIG_CHANGED;
	changed = event_open(&attr, 0, -1);
	ASSERT_LE(0, changed);
	/* old value 0 over 0, then 1, 2, 3 */
	ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", 1, GPU_ARGS(bo.va, 4)));
	EXPECT_EQ(3, event_count(changed));
	ASSERT_EQ(0, session_stats(session, changed, &stats));
	EXPECT_EQ(1, stats.unchanged);
	close(session);
	while (ring_next(&ring, &sample)) {
		EXPECT_EQ(GPUBP_HIT_NEW_VALUE | GPUBP_HIT_OLD_VALUE,
			  sample.rec.flags &
			  (GPUBP_HIT_NEW_VALUE | GPUBP_HIT_OLD_VALUE));
		EXPECT_EQ(n ? n - 1 : 0, sample.rec.old_value);
		EXPECT_EQ(n, sample.rec.new_value);
		n++;
	}
	EXPECT_EQ(4, n);
	ring_unmap(&ring);
	close(sampler);
	close(changed);
}

/* the old value is what the CPU wrote before the first dispatch, not a later value */
TEST_F(memory, the_first_old_value_of_memory_mapped_later)
{
	struct perf_event_attr attr = event_watch(LATE_VA, 4, EVENT_STORES);
	struct gpubp_event_stats stats;
	int fd, session = session_open();
	struct grun_mem mem;
	struct sample sample;
	struct ring ring;

	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, 8));
	/* armed, although nothing is mapped there */
	ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", 1, GPU_ARGS(self->a.va, 1)));
	ASSERT_EQ(0, session_stats(session, fd, &stats));
	EXPECT_EQ(1, stats.places);
	EXPECT_EQ(1, stats.unmapped);
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &mem, PAGE, LATE_VA));
	*(uint32_t *)mem.cpu = 77;
	ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", 1, GPU_ARGS(LATE_VA, 2)));
	ASSERT_EQ(0, session_stats(session, fd, &stats));
	EXPECT_EQ(1, stats.places);
	EXPECT_EQ(0, stats.unmapped);
	close(session);
	ASSERT_TRUE(ring_next(&ring, &sample));
	EXPECT_TRUE(sample.rec.flags & GPUBP_HIT_OLD_VALUE);
	EXPECT_EQ(77, sample.rec.old_value);
	EXPECT_EQ(0, sample.rec.new_value);
	ASSERT_TRUE(ring_next(&ring, &sample));
	EXPECT_EQ(0, sample.rec.old_value);
	EXPECT_EQ(1, sample.rec.new_value);
	ring_unmap(&ring);
	close(fd);
}

/*
 * Memory of the process, while waves store there.
 */

static unsigned int rounds(void)
{
	return env_number("GPUBP_ROUNDS", 4);
}

/* waves that store to @mem until the order to stop */
struct storm {
	struct gpu gpu;
	struct grun_mem stop;
	uint64_t va;
	uint32_t *mem;
	size_t size;
};

static int start_storm(struct storm *s, void *mem, size_t size)
{
	struct gpubp_sim_userptr user = {
		.cpu_addr = (uintptr_t)mem,
		.size = size,
	};
	int ret;

	s->mem = mem;
	s->size = size;
	ret = gpu_open(&s->gpu, "loop") ?:
	      gpu_buffer(&s->gpu, &s->stop, PAGE, 0) ?:
	      call(&s->gpu, GPUBP_SIM_USERPTR, &user);
	s->va = user.va;
	return ret ?: gpu_start(&s->gpu, "until", GROUPS,
				GPU_ARGS(s->va, s->stop.va));
}

/* wait until the last wave stores */
static void wait_for_waves(const struct storm *s)
{
	while (!((volatile uint32_t *)s->mem)[WORDS - 1])
		usleep(100);
}

static int stop_storm(struct storm *s)
{
	*(volatile uint32_t *)s->stop.cpu = 1;
	return gpu_wait(&s->gpu, PATIENCE);
}

static void *anonymous(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int do_munmap(void *p)
{
	return munmap(p + PAGE, PAGE);
}

static int do_protect(void *p)
{
	return mprotect(p + PAGE, 2 * PAGE, PROT_READ);
}

static int do_mremap(void *p)
{
	return mremap(p, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE |
		      MREMAP_FIXED, anonymous(PAGES * PAGE)) == MAP_FAILED;
}

/* the waves get a memory violation; there is no other effect */
TEST(pages_that_go)
{
	static int (*const fns[])(void *p) = { do_munmap, do_protect, do_mremap };
	struct storm s;
	unsigned int n;

	for (n = 0; n < rounds(); n++) {
		void *p = anonymous(PAGES * PAGE);

		ASSERT_EQ(0, start_storm(&s, p, PAGES * PAGE));
		wait_for_waves(&s);
		ASSERT_EQ(0, fns[n % 3](p));
		EXPECT_EQ(-EFAULT, gpu_wait(&s.gpu, PATIENCE));
		gpu_close(&s.gpu);
		munmap(p, PAGES * PAGE);
	}
}

/* replaced, discarded by madvise, or swapped out: never a fault */
TEST(pages_that_come_back)
{
	void *p = anonymous(PAGES * PAGE);
	struct storm s;
	unsigned int n;

	ASSERT_EQ(0, start_storm(&s, p, PAGES * PAGE));
	wait_for_waves(&s);
	for (n = 0; n < 20 * rounds(); n++) {
		ASSERT_EQ(0, madvise(p + n % PAGES * PAGE, PAGE,
				     n & 1 ? MADV_DONTNEED : MADV_PAGEOUT));
		if (n % 4)
			continue;
		ASSERT_NE(MAP_FAILED, mmap(p, PAGES * PAGE,
					   PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS |
					   MAP_FIXED | MAP_POPULATE, -1, 0));
	}
	wait_for_waves(&s);
	EXPECT_EQ(0, stop_storm(&s));
	gpu_close(&s.gpu);
	munmap(p, PAGES * PAGE);
}

/* the child keeps the contents at the fork, and its writes are private */
static int child_of_fork(volatile uint32_t *p)
{
	uint32_t before[WORDS];
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		before[i] = p[i];
	for (i = 0; i < 20; i++) {
		usleep(100);
		p[i] = ~before[i];
	}
	for (i = 0; i < WORDS; i++)
		if (p[i] != (i < 20 ? ~before[i] : before[i]))
			return 1;
	return 0;
}

TEST(fork_while_waves_store)
{
	uint32_t *p = anonymous(PAGES * PAGE), old;
	struct storm s;
	unsigned int n;
	int status;
	pid_t pid;

	ASSERT_EQ(0, start_storm(&s, p, PAGES * PAGE));
	wait_for_waves(&s);
	for (n = 0; n < rounds(); n++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(child_of_fork(p));
		/* the waves continue in the parent's pages */
		old = ((volatile uint32_t *)p)[7];
		while (((volatile uint32_t *)p)[7] == old)
			usleep(100);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(0, stop_storm(&s));
	gpu_close(&s.gpu);
	munmap(p, PAGES * PAGE);
}

/* the address space is destroyed, but the context stays: its file is open elsewhere */
TEST(exit_while_waves_store)
{
	struct gpubp_sim_userptr user = { .size = PAGES * PAGE };
	struct grun_mem stop, shared;
	struct gpu gpu;
	unsigned int n;
	pid_t pid;

	for (n = 0; n < rounds(); n++) {
		ASSERT_EQ(0, gpu_open(&gpu, "loop"));
		ASSERT_EQ(0, gpu_buffer(&gpu, &stop, PAGE, 0));
		ASSERT_EQ(0, gpu_buffer(&gpu, &shared, PAGE, 0));
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			user.cpu_addr = (uintptr_t)anonymous(user.size);
			if (call(&gpu, GPUBP_SIM_USERPTR, &user))
				_exit(1);
			*(volatile uint64_t *)shared.cpu = user.va;
			for (;;)
				pause();
		}
		while (!*(volatile uint64_t *)shared.cpu)
			usleep(100);
		ASSERT_EQ(0, gpu_start(&gpu, "until", GROUPS,
				       GPU_ARGS(*(uint64_t *)shared.cpu, stop.va)));
		usleep(2000);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		EXPECT_EQ(-EFAULT, gpu_wait(&gpu, PATIENCE));
		gpu_close(&gpu);
	}
}

/* a huge page is split during the stores */
TEST(huge_page)
{
	void *p = anonymous(2 * HUGE);
	void *huge = (void *)(((uintptr_t)p + HUGE - 1) & ~(HUGE - 1));
	struct storm s;

	madvise(huge, HUGE, MADV_HUGEPAGE);
	ASSERT_EQ(0, start_storm(&s, huge, HUGE));
	wait_for_waves(&s);
	ASSERT_EQ(0, munmap(huge + PAGES * PAGE, HUGE - PAGES * PAGE));
	EXPECT_EQ(0, mprotect(huge, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
	EXPECT_EQ(0, stop_storm(&s));
	gpu_close(&s.gpu);
	munmap(p, 2 * HUGE);
}

TEST_HARNESS_MAIN
