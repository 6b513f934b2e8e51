// SPDX-License-Identifier: GPL-2.0
/*
 * Watches by name: they bind wherever and whenever a buffer with that name
 * exists.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define SIZE	4096
#define ROUNDS	10
#define LANE	5
#define OFFSET	(LANE * sizeof(uint32_t))
#define NAME	"grid"
#define PATIENCE 60

FIXTURE(named) {
	struct gpu gpu;
	struct grun_mem mem;
	int fd;
};

static int open_named(const char *name, uint64_t offset, uint64_t len)
{
	struct perf_event_attr attr = event_named(name, offset, len, EVENT_STORES);

	return event_open(&attr, 0, -1);
}

FIXTURE_SETUP(named)
{
	self->fd = open_named(NAME, OFFSET, 4);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->mem, SIZE, 0));
}

FIXTURE_TEARDOWN(named)
{
	gpu_close(&self->gpu);
	close(self->fd);
}

static int repeat(struct gpu *gpu, uint64_t va)
{
	return gpu_run(gpu, "repeat", 1, GPU_ARGS(va, ROUNDS));
}

TEST(hash)
{
	EXPECT_EQ(0x811c9dc5, gpubp_name_hash(""));
	EXPECT_EQ(0xe40c292c, gpubp_name_hash("a"));
	EXPECT_EQ(0xbf9cf968, gpubp_name_hash("foobar"));
}

TEST_F(named, binds_when_the_name_appears)
{
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(0, books_count(self->fd, PATIENCE));
	ASSERT_EQ(0, gpu_name(&self->gpu, self->mem.va, SIZE, NAME));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
}

TEST_F(named, other_names_are_not_meant)
{
	ASSERT_EQ(0, gpu_name(&self->gpu, self->mem.va, SIZE, "grid2"));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(0, books_count(self->fd, PATIENCE));
}

TEST_F(named, withdrawn)
{
	ASSERT_EQ(0, gpu_name(&self->gpu, self->mem.va, SIZE, NAME));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
	ASSERT_EQ(0, gpu_name(&self->gpu, self->mem.va, 0, NAME));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
	EXPECT_EQ(0, books_state("watches"));
}

/* all of it, whatever its size: each store of a wave is a hit */
TEST_F(named, a_whole_buffer)
{
	int fd = open_named(NAME, 0, 0), rest = open_named(NAME, SIZE / 2, 0);

	ASSERT_LE(0, fd);
	ASSERT_LE(0, rest);
	ASSERT_EQ(0, gpu_name(&self->gpu, self->mem.va, SIZE, NAME));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	EXPECT_EQ(0, books_count(rest, PATIENCE));
	ASSERT_EQ(0, gpu_name(&self->gpu, self->mem.va, SIZE / 2, NAME));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(2 * ROUNDS, books_count(fd, PATIENCE));
	close(fd);
	close(rest);
}

/* a name belongs to what had it last */
TEST_F(named, variables_of_the_program)
{
	struct perf_event_attr attr = event_named("calls", 0, 4, EVENT_WRITES);
	int calls = event_open(&attr, 0, -1), row = open_named("table", 8, 4);
	struct gpu gpu;
	struct grun_mem mem;

	ASSERT_LE(0, calls);
	ASSERT_LE(0, row);
	ASSERT_EQ(0, gpu_open_named(&gpu, 0, "variables"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SIZE, 0));
	ASSERT_EQ(0, gpu_run(&gpu, "touch", 1, GPU_ARGS(mem.va)));
	EXPECT_EQ(1, books_count(calls, PATIENCE));
	EXPECT_EQ(1, books_count(row, PATIENCE));
	ASSERT_EQ(0, gpu_name(&gpu, mem.va, SIZE, "table"));
	ASSERT_EQ(0, gpu_run(&gpu, "peek", 1, GPU_ARGS(mem.va)));
	EXPECT_EQ(2, books_count(row, PATIENCE));
	ASSERT_EQ(0, gpu_run(&gpu, "touch", 1, GPU_ARGS(mem.va)));
	EXPECT_EQ(3, books_count(row, PATIENCE));
	EXPECT_EQ(2, books_count(calls, PATIENCE));
	gpu_close(&gpu);
	close(calls);
	close(row);
}

TEST_F(named, moves_with_the_name)
{
	struct grun_mem other;

	ASSERT_EQ(0, gpu_buffer(&self->gpu, &other, SIZE, 0));
	ASSERT_EQ(0, gpu_name(&self->gpu, self->mem.va, SIZE, NAME));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	ASSERT_EQ(0, gpu_name(&self->gpu, other.va, SIZE, NAME));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
	ASSERT_EQ(0, repeat(&self->gpu, other.va));
	EXPECT_EQ(2 * ROUNDS, books_count(self->fd, PATIENCE));
}

/* the same name at different addresses: each context has its own */
TEST_F(named, in_every_context)
{
	struct grun_mem filler, mem;
	struct gpu second;

	ASSERT_EQ(0, gpu_open(&second, "loop"));
	ASSERT_EQ(0, gpu_buffer(&second, &filler, 16 * SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&second, &mem, SIZE, 0));
	ASSERT_NE(mem.va, self->mem.va);
	ASSERT_EQ(0, gpu_name(&self->gpu, self->mem.va, SIZE, NAME));
	ASSERT_EQ(0, gpu_name(&second, mem.va, SIZE, NAME));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
	ASSERT_EQ(0, repeat(&second, mem.va));
	EXPECT_EQ(2 * ROUNDS, books_count(self->fd, PATIENCE));
	/* the other context's address has no meaning here */
	ASSERT_EQ(0, repeat(&second, filler.va));
	EXPECT_EQ(2 * ROUNDS, books_count(self->fd, PATIENCE));
	gpu_close(&second);
}

/* the range has 64 bytes, the kernel stores to 256 */
TEST_F(named, offsets_outside_never_count)
{
	static const struct {
		uint64_t offset, len;
		int count;
	} tests[] = {
		{ 0, 1, ROUNDS }, { 60, 4, ROUNDS }, { 0, 64, ROUNDS },
		{ 61, 4, 0 }, { 63, 2, 0 }, { 64, 1, 0 }, { 64, 4, 0 },
		{ 0, 65, 0 }, { 128, 4, 0 }, { UINT64_MAX, 1, 0 },
	};
	int fd[ARRAY_SIZE(tests)], i;

	ASSERT_EQ(0, gpu_name(&self->gpu, self->mem.va, 64, "small"));
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		fd[i] = open_named("small", tests[i].offset, tests[i].len);
		ASSERT_LE(0, fd[i]) TH_LOG("offset %ju", (uintmax_t)tests[i].offset);
	}
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		EXPECT_EQ(tests[i].count, books_count(fd[i], PATIENCE))
			TH_LOG("offset %ju, %ju bytes", (uintmax_t)tests[i].offset,
			       (uintmax_t)tests[i].len);
		close(fd[i]);
	}
}

/* the address is the context's, not the offset */
TEST_F(named, samples_have_addresses)
{
	struct perf_event_attr attr = event_named(NAME, OFFSET, 4, EVENT_STORES);
	unsigned int n = 0;
	struct sample s;
	struct ring ring;
	int fd;

	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, 16));
	ASSERT_EQ(0, gpu_name(&self->gpu, self->mem.va, SIZE, NAME));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	for (; ring_next(&ring, &s); n++) {
		EXPECT_EQ(self->mem.va + OFFSET, s.addr);
		EXPECT_EQ(grun_info(self->gpu.dev)->context, s.rec.context);
	}
	EXPECT_EQ(ROUNDS, n);
	close(fd);
}

/* an unmapped name leaves no state behind */
TEST(context_that_goes)
{
	int fd = open_named(NAME, OFFSET, 4), i;
	struct grun_mem mem;
	struct gpu gpu;

	ASSERT_LE(0, fd);
	for (i = 1; i <= 5; i++) {
		ASSERT_EQ(0, gpu_open(&gpu, "loop"));
		ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SIZE, 0));
		ASSERT_EQ(0, gpu_name(&gpu, mem.va, SIZE, NAME));
		ASSERT_EQ(0, repeat(&gpu, mem.va));
		gpu_close(&gpu);
		EXPECT_EQ(i * ROUNDS, books_count(fd, PATIENCE));
		EXPECT_EQ(0, books_state("watches"));
	}
	close(fd);
}

/* ---- GPUBP_PUBLISH: names by /dev/gpubp ------------------------------------- */

static int publish(const struct gpubp_publish *args, uint32_t *nr)
{
	struct gpubp_publish p = *args;
	int session = session_open(), err;

	if (session < 0)
		return session;
	err = session_call(session, GPUBP_PUBLISH, &p);
	close(session);
	if (nr)
		*nr = p.nr;
	return err;
}

TEST_F(named, published)
{
	struct gpubp_publish p = { .va = self->mem.va, .size = SIZE, .name = NAME };
	uint32_t nr;

	ASSERT_EQ(0, publish(&p, &nr));
	EXPECT_EQ(1, nr);
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
	p.size = 0;
	ASSERT_EQ(0, publish(&p, NULL));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
	EXPECT_EQ(0, books_state("watches"));
}

/* it is armed when the call returns: a runtime need not wait, nor need its device */
TEST_F(named, published_is_armed)
{
	struct gpubp_publish p = { .va = self->mem.va, .size = SIZE, .name = NAME };
	int session = session_open();
	struct gpubp_sync sync;

	ASSERT_LE(0, session);
	ASSERT_EQ(0, publish(&p, NULL));
	EXPECT_EQ(0, session_sync(session, self->fd, 0, &sync));
	EXPECT_EQ(1, sync.nr_armed);
	close(session);
}

TEST_F(named, published_in_each_context)
{
	struct gpubp_publish p = { .va = self->mem.va, .size = SIZE, .name = NAME };
	const unsigned int device = grun_info(self->gpu.dev)->device;
	struct gpu second;
	uint32_t nr;

	ASSERT_EQ(0, gpu_open(&second, "loop"));
	ASSERT_EQ(0, publish(&p, &nr));
	EXPECT_EQ(2, nr);
	p.device = 1 + device;
	ASSERT_EQ(0, publish(&p, &nr));
	/* each GPU in a process is a device */
	EXPECT_EQ(grun_info(second.dev)->device == device ? 2 : 1, nr);
	gpu_close(&second);
	ASSERT_EQ(0, publish(&p, &nr));
	EXPECT_EQ(1, nr);
}

/* code that is published again replaces what was there */
TEST_F(named, published_code)
{
	struct gpubp_publish p = {
		.va = self->mem.va, .size = SIZE, .kind = GPUBP_PUBLISH_CODE,
		.name = "first",
	};

	ASSERT_EQ(0, publish(&p, NULL));
	strcpy(p.name, NAME);
	ASSERT_EQ(0, publish(&p, NULL));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
}

TEST_F(named, publish_refuses)
{
	const struct gpubp_publish good = {
		.va = self->mem.va, .size = SIZE, .name = NAME,
	};
	struct gpubp_publish p = good;

	p.name[0] = 0;
	EXPECT_EQ(-EINVAL, publish(&p, NULL));
	memset(p.name, 'x', sizeof(p.name));
	EXPECT_EQ(-EINVAL, publish(&p, NULL));
	p = good;
	p.va = UINT64_MAX;
	EXPECT_EQ(-EINVAL, publish(&p, NULL));
	p = good;
	p.kind = GPUBP_PUBLISH_CODE + 1;
	EXPECT_EQ(-EINVAL, publish(&p, NULL));
	p = good;
	p.device = GPUBP_DEVICE_MAX + 2;
	EXPECT_EQ(-EINVAL, publish(&p, NULL));
	p = good;
	p.flags = 1;
	EXPECT_EQ(-EINVAL, publish(&p, NULL));
	p = good;
	p.device = GPUBP_DEVICE_MAX + 1;
	EXPECT_EQ(-ESRCH, publish(&p, NULL));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(0, books_count(self->fd, PATIENCE));
	EXPECT_EQ(0, books_state("watches"));
}

TEST(publish_needs_a_context)
{
	struct gpubp_publish p = { .va = 4096, .size = SIZE, .name = NAME };

	EXPECT_EQ(-ESRCH, publish(&p, NULL));
}

/* another process's context has none of our names */
TEST_F(named, published_for_its_own_process)
{
	const struct gpubp_publish p = {
		.va = self->mem.va, .size = SIZE, .name = NAME,
	};
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(-publish(&p, NULL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(ESRCH, WEXITSTATUS(status));
	ASSERT_EQ(0, repeat(&self->gpu, self->mem.va));
	EXPECT_EQ(0, books_count(self->fd, PATIENCE));
}

TEST_HARNESS_MAIN
