// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of all spaces, read and written by a session: global memory, LDS of a
 * workgroup, private memory of a lane. The target is the test's own process; its kernel
 * fills LDS and private memory, waits, and stores what it finds there.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "roles.h"
#include "session.h"
#include "waves.h"

#define LANES		64
#define GROUPS		2
#define NR		8	/* words of private memory, as in tests/gpu/spaces.cl */
#define ITEMS		(GROUPS * LANES)
#define PATIENCE	60	/* s */
#define MOST		65536	/* bytes, more than any space of a wave has */

/**
 * struct kern - a kernel that runs
 * @gpu: context
 * @out: by item, the word that it finds in LDS
 * @arrays: by item, NR words that it finds in private memory
 * @want: not 0: store them
 */
struct kern {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem arrays;
	struct grun_mem want;
};

FIXTURE(spaces) {
	struct kern k;
	struct owner o;
	struct owner other;
	uint64_t w[GROUPS];
	uint32_t buf[MOST / 4];
};

static int kern_start(struct kern *k)
{
	return gpu_open(&k->gpu, "spaces") ?:
	       gpu_buffer(&k->gpu, &k->out, ITEMS * 4, 0) ?:
	       gpu_buffer(&k->gpu, &k->arrays, ITEMS * NR * 4, 0) ?:
	       gpu_buffer(&k->gpu, &k->want, 4, 0) ?:
	       gpu_start(&k->gpu, "spaces", GROUPS,
			 GPU_ARGS(k->out.va, k->arrays.va, k->want.va));
}

static struct space lds(uint64_t wave)
{
	return (struct space) { .wave = wave, .space = GPUBP_MEM_SPACE_LDS };
}

static struct space private(uint64_t wave, uint32_t lane)
{
	return (struct space) {
		.wave = wave, .space = GPUBP_MEM_SPACE_PRIVATE, .lane = lane,
	};
}

static int64_t get(struct owner *o, struct space in, uint64_t addr, void *buf,
		   uint64_t len)
{
	return memory(o, GPUBP_READ_MEM, in, addr, buf, len);
}

static int64_t put(struct owner *o, struct space in, uint64_t addr, void *buf,
		   uint64_t len)
{
	return memory(o, GPUBP_WRITE_MEM, in, addr, buf, len);
}

/* the workgroup of a wave: what its first lane has stored in LDS; -1: not yet */
static int group_of(struct owner *o, uint64_t wave)
{
	uint32_t word = 0;

	if (get(o, lds(wave), 0, &word, 4) != 4 || word >> 16 != 0x5a)
		return -1;
	return (word & 0xffff) / LANES;
}

/* where the array is in private memory, or -1 */
static int64_t find_array(struct owner *o, uint64_t wave, uint32_t item, void *buf)
{
	int64_t n = get(o, private(wave, item % LANES), 0, buf, MOST);
	uint32_t *word = buf, k;
	int64_t at;

	for (at = 0; at + NR <= n / 4; at++) {
		for (k = 0; k < NR && word[at + k] == 1000 * item + k; k++)
			;
		if (k == NR)
			return at * 4;
	}
	return -1;
}

/* both waves, held where they wait: w[g] is that of workgroup g */
static bool hold_both(struct owner *o, uint64_t *w)
{
	uint64_t found[MAX_WAVES];
	int g, i, tries;
	uint32_t buf[64];

	for (tries = 0; tries < PATIENCE * 1000; tries++) {
		if (!halt_all(o) && find_waves(o, found) == GROUPS) {
			w[0] = w[1] = 0;
			for (i = 0; i < GROUPS; i++) {
				g = group_of(o, found[i]);
				if (g >= 0 && g < GROUPS &&
				    find_array(o, found[i], g * LANES + 63, buf) >= 0)
					w[g] = found[i];
			}
			if (w[0] && w[1])
				return true;
		}
		run(o, GPUBP_RESUME, NULL, 0, 0);
		usleep(1000);
	}
	return false;
}

FIXTURE_SETUP(spaces)
{
	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, kern_start(&self->k));
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
	ASSERT_EQ(0, owner_open(&self->other, 0, true));
	ASSERT_TRUE(hold_both(&self->o, self->w));
}

/* the kernel stores what it finds, and ends */
static bool finish(struct kern *k, struct owner *o)
{
	*(volatile uint32_t *)k->want.cpu = 1;
	return !run(o, GPUBP_RESUME, NULL, 0, 0) && !gpu_wait(&k->gpu, PATIENCE);
}

FIXTURE_TEARDOWN(spaces)
{
	owner_close(&self->other);
	*(volatile uint32_t *)self->k.want.cpu = 1;
	owner_close(&self->o);
	EXPECT_EQ(0, gpu_wait(&self->k.gpu, PATIENCE));
	gpu_close(&self->k.gpu);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* ---- what there is ------------------------------------------------------- */

TEST_F(spaces, lds_is_that_of_the_workgroup)
{
	unsigned int g, i;

	for (g = 0; g < GROUPS; g++) {
		ASSERT_LE(LANES * 4, get(&self->o, lds(self->w[g]), 0, self->buf, MOST));
		for (i = 0; i < LANES; i++)
			EXPECT_EQ(0x5a0000 + g * LANES + i, self->buf[i]);
		/* from any byte, of any length */
		EXPECT_EQ(3, get(&self->o, lds(self->w[g]), 4 * 7 + 1, self->buf, 3));
		EXPECT_EQ(0, memcmp(self->buf, (uint8_t []) { 0, 0x5a, 0 }, 3));
	}
}

TEST_F(spaces, private_memory_is_that_of_the_lane)
{
	uint32_t item;

	for (item = 0; item < ITEMS; item++)
		EXPECT_LE(0, find_array(&self->o, self->w[item / LANES], item, self->buf))
			TH_LOG("item %u", item);
}

TEST_F(spaces, each_ends_where_it_ends)
{
	int64_t size = get(&self->o, lds(self->w[0]), 0, self->buf, MOST);

	EXPECT_EQ(2, get(&self->o, lds(self->w[0]), size - 2, self->buf, 16));
	EXPECT_EQ(2, put(&self->o, lds(self->w[0]), size - 2, self->buf, 16));
	EXPECT_EQ(-EFAULT, get(&self->o, lds(self->w[0]), size, self->buf, 1));
	EXPECT_EQ(-EFAULT, put(&self->o, lds(self->w[0]), 1ULL << 40, self->buf, 1));
	size = get(&self->o, private(self->w[0], 3), 0, self->buf, MOST);
	EXPECT_LE(NR * 4, size);
	EXPECT_EQ(5, get(&self->o, private(self->w[0], 3), size - 5, self->buf, 16));
	EXPECT_EQ(-EFAULT, get(&self->o, private(self->w[0], 3), size, self->buf, 1));
	EXPECT_EQ(-EFAULT, put(&self->o, private(self->w[0], 3), 1ULL << 40, self->buf, 1));
}

/* ---- what is written ----------------------------------------------------- */

/* odd bytes of an odd lane: neighbours keep theirs */
TEST_F(spaces, the_kernel_finds_what_was_written)
{
	const uint32_t *out = self->k.out.cpu, *arrays = self->k.arrays.cpu;
	uint8_t bytes[6] = { 1, 2, 3, 4, 5, 6 };
	uint32_t i, word = 0xabcd;
	int64_t at = find_array(&self->o, self->w[1], LANES + 5, self->buf);

	ASSERT_LE(0, at);
	EXPECT_EQ(4, put(&self->o, lds(self->w[1]), 4 * 9, &word, 4));
	EXPECT_EQ(6, put(&self->o, private(self->w[1], 5), at + 2 * 4 + 3, bytes, 6));
	ASSERT_TRUE(finish(&self->k, &self->o));
	for (i = 0; i < ITEMS; i++)
		EXPECT_EQ(i == LANES + 9 ? 0xabcd : 0x5a0000 + i, out[i]);
	for (i = 0; i < ITEMS * NR; i++)
		if (i / NR != LANES + 5 || i % NR < 2 || i % NR > 4)
			EXPECT_EQ(1000 * (i / NR) + i % NR, arrays[i]);
	arrays += (LANES + 5) * NR;
	EXPECT_EQ((arrays[2] & 0xffffff) | 1u << 24, arrays[2]);
	EXPECT_EQ(0x05040302, arrays[3]);
	EXPECT_EQ(6, arrays[4] & 0xff);
}

/* a context whose waves are saved and come back, with memory written in between */
TEST_F(spaces, also_of_waves_that_are_saved)
{
	struct perf_event_attr attr = event_watch(self->k.out.va, 4, EVENT_STORES);
	const uint32_t *out = self->k.out.cpu, *arrays = self->k.arrays.cpu;
	int64_t at = find_array(&self->o, self->w[0], 7, self->buf);
	int64_t saves = books_device("saves");
	uint32_t word = 0x123;
	struct gpubp_sync sync = {};
	int fd;

	ASSERT_LE(0, at);
	EXPECT_EQ(4, put(&self->o, lds(self->w[0]), 0, &word, 4));
	/* running waves are changed for a watch: they are taken off the GPU */
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, session_sync(self->o.session, fd, PATIENCE, &sync));
	EXPECT_LT(saves, books_device("saves"));
	EXPECT_EQ(4, get(&self->o, lds(self->w[0]), 0, self->buf, 4));
	EXPECT_EQ(0x123, self->buf[0]);
	EXPECT_EQ(4, put(&self->o, lds(self->w[0]), 4, &word, 4));
	EXPECT_EQ(4, put(&self->o, private(self->w[0], 7), at, &word, 4));
	ASSERT_TRUE(finish(&self->k, &self->o));
	EXPECT_EQ(0x123, out[0]);
	EXPECT_EQ(0x123, out[1]);
	EXPECT_EQ(0x123, arrays[7 * NR]);
	EXPECT_EQ(1, event_count(fd));
	close(fd);
}

TEST_F(spaces, global_memory_is_written_up_to_the_end_of_its_mapping)
{
	const struct grun_mem *out = &self->k.out;
	int64_t n;

	memset(self->buf, 0x77, MOST);
	EXPECT_EQ(7, poke(&self->o, out->va + 1, self->buf, 7));
	EXPECT_EQ(0, memcmp((char *)out->cpu + 1, self->buf, 7));
	EXPECT_EQ(0, *(uint8_t *)out->cpu);
	n = poke(&self->o, out->va, self->buf, MOST);
	EXPECT_LE(ITEMS * 4, n);
	EXPECT_GT(MOST, n);
	EXPECT_EQ(-EFAULT, poke(&self->o, 0x10, self->buf, 16));
	EXPECT_EQ(-EFAULT, poke(&self->o, out->va, (void *)8, 16));
}

TEST_F(spaces, caches_are_flushed_on_request)
{
	struct space flushed = { .flags = GPUBP_MEM_FLUSH };
	uint32_t word = 0x55;

	EXPECT_EQ(4, put(&self->o, flushed, self->k.out.va, &word, 4));
	word = 0;
	EXPECT_EQ(4, get(&self->o, flushed, self->k.out.va, &word, 4));
	EXPECT_EQ(0x55, word);
}

/* ---- errors -------------------------------------------------------------- */

static struct space changed(struct space s, uint32_t space, uint32_t lane, uint32_t flags)
{
	s.space = space;
	s.lane = lane;
	s.flags = flags;
	return s;
}

TEST_F(spaces, what_is_wrong_changes_nothing)
{
	uint64_t w = self->w[0], va = self->k.out.va;
	uint32_t word = 0xdead;

	EXPECT_EQ(-EINVAL, put(&self->o, changed(lds(w), 3, 0, 0), 0, &word, 4));
	EXPECT_EQ(-EINVAL, put(&self->o, changed(lds(w), GPUBP_MEM_SPACE_LDS, 1, 0), 0, &word, 4));
	EXPECT_EQ(-EINVAL, put(&self->o, changed(lds(w), GPUBP_MEM_SPACE_LDS, 0, 2), 0, &word, 4));
	EXPECT_EQ(-EINVAL, put(&self->o, changed(lds(w), GPUBP_MEM_SPACE_GLOBAL, 0, 0), va, &word, 4));
	EXPECT_EQ(-EINVAL, put(&self->o, private(w, LANES), 0, &word, 4));
	EXPECT_EQ(-EINVAL, put(&self->o, lds(w), 0, &word, 0));
	EXPECT_EQ(-EINVAL, put(&self->o, lds(w), -2ULL, &word, 4));
	EXPECT_EQ(-ESRCH, put(&self->o, lds(w + 12345), 0, &word, 4));
	EXPECT_EQ(-ESRCH, get(&self->o, private(w + 12345, 0), 0, &word, 4));
	/* it may be read, but not behind the back of one that holds it */
	EXPECT_EQ(4, get(&self->other, lds(w), 0, &word, 4));
	EXPECT_EQ(0x5a0000, word);
	EXPECT_EQ(-EBADFD, put(&self->other, lds(w), 0, &word, 4));
	EXPECT_EQ(0, halt(&self->other, w));
	EXPECT_EQ(-EBUSY, put(&self->other, private(w, 0), 0, &word, 4));
	EXPECT_EQ(-EBUSY, put(&self->o, lds(w), 0, &word, 4));
	EXPECT_EQ(0, resume(&self->other, w));
	EXPECT_EQ(0, resume(&self->o, w));
	EXPECT_EQ(-EBADFD, get(&self->o, lds(w), 0, &word, 4));
	EXPECT_EQ(-EBADFD, put(&self->o, private(w, 0), 0, &word, 4));
	EXPECT_EQ(0, halt(&self->o, w));
	EXPECT_EQ(4, get(&self->o, lds(w), 0, &word, 4));
	EXPECT_EQ(0x5a0000, word);
}

TEST_F(spaces, to_write_takes_the_right)
{
	uint32_t word = 0xdead;
	struct owner reader;

	ASSERT_EQ(0, owner_open(&reader, 0, false));
	EXPECT_EQ(4, get(&reader, (struct space) {}, self->k.out.va, &word, 4));
	EXPECT_EQ(4, get(&reader, lds(self->w[0]), 0, &word, 4));
	EXPECT_EQ(-EPERM, poke(&reader, self->k.out.va, &word, 4));
	EXPECT_EQ(-EPERM, put(&reader, lds(self->w[0]), 0, &word, 4));
	owner_close(&reader);
}

/* ---- beside a target that changes its memory ------------------------------- */

#define PAGE		4096
#define PAGES		4	/* of what stays */
#define ROUNDS		(debug_kernel() ? 300 : 2000)
#define COMING		(1ULL << 40)	/* GPU address of what comes and goes */
#define FILLED		0xa5

/* a child that shares the pages of what stays, until it ends */
static int fork_once(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid < 0 || waitpid(pid, NULL, 0) != pid;
}

static int come_and_go(struct gpu *gpu, void **moving)
{
	struct grun_mem mem;
	struct grun_err err;

	if (grun_alloc(gpu->dev, &mem, PAGE, COMING, &err))
		return 1;
	memset(mem.cpu, FILLED, PAGE);
	*moving = mremap(*moving, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
	if (*moving == MAP_FAILED || mremap(*moving, 2 * PAGE, PAGE, 0) == MAP_FAILED)
		return 1;
	grun_release(gpu->dev, &mem);
	return fork_once();
}

/* memory that stays, device's and the process's own, and other that does not */
static int restless(int sock, void *arg)
{
	struct grun_mem stays[2];
	struct grun_err err;
	struct gpu gpu;
	uint64_t word;
	void *moving = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &stays[0], PAGES * PAGE, 0) ||
	    grun_userptr(gpu.dev, &stays[1], PAGES * PAGE, 0, &err) ||
	    !say(sock, stays[0].va) || !say(sock, stays[1].va) || !hear(sock, &word))
		return 1;
	while (recv(sock, &word, sizeof(word), MSG_DONTWAIT | MSG_PEEK) < 0)
		if (come_and_go(&gpu, &moving))
			return 1;
	say(sock, memcmp(stays[0].cpu, stays[1].cpu, PAGES * PAGE));
	return 0;
}

/* a write of random bytes to both, and a read that finds what was written so far */
static void write_and_read(struct __test_metadata *_metadata, struct owner *o,
			   const uint64_t *va, uint8_t *shadow)
{
	uint64_t at = random() % (PAGES * PAGE), len = 1 + random() % (PAGES * PAGE - at);
	uint8_t got[PAGES * PAGE];
	unsigned int i;

	for (i = 0; i < len; i++)
		shadow[at + i] = random();
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(len, poke(o, va[i] + at, shadow + at, len));
		ASSERT_EQ(PAGES * PAGE, peek(o, va[i], got, PAGES * PAGE));
		ASSERT_EQ(0, memcmp(got, shadow, PAGES * PAGE));
	}
}

/* it is not there, or it is all of it, filled or not yet */
static void look_at_what_comes(struct __test_metadata *_metadata, struct owner *o)
{
	uint8_t got[PAGE];
	int64_t n = peek(o, COMING, got, PAGE), i;

	ASSERT_TRUE(n == PAGE || n == -EFAULT) TH_LOG("%ld", n);
	for (i = 0; i < n; i++)
		ASSERT_TRUE(got[i] == FILLED || !got[i]);
	memset(got, FILLED, PAGE);
	n = poke(o, COMING, got, PAGE);
	ASSERT_TRUE(n == PAGE || n == -EFAULT) TH_LOG("%ld", n);
}

TEST(read_and_written_while_it_comes_and_goes)
{
	uint8_t *shadow = calloc(PAGES, PAGE);
	struct child child;
	struct owner o;
	uint64_t va[2];
	int i;

	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, child_start(&child, restless, NULL));
	ASSERT_TRUE(hear(child.sock, &va[0]) && hear(child.sock, &va[1]));
	ASSERT_EQ(0, owner_open(&o, child.pid, true));
	ASSERT_TRUE(say(child.sock, 1));
	for (i = 0; i < ROUNDS; i++) {
		write_and_read(_metadata, &o, va, shadow);
		look_at_what_comes(_metadata, &o);
	}
	ASSERT_TRUE(say(child.sock, 2));
	EXPECT_EQ(0, heard(child.sock));
	EXPECT_EQ(0, child_end(&child));
	EXPECT_GT(0, poke(&o, va[0], shadow, 1));
	owner_close(&o);
	free(shadow);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* killed between a call's beginning and its end, or before: an error, not a wait */
TEST(a_target_that_is_killed)
{
	uint8_t byte = 1;
	struct child child;
	uint64_t va[2];
	struct owner o;
	int64_t n;
	int i;

	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, child_start(&child, restless, NULL));
		ASSERT_TRUE(hear(child.sock, &va[0]) && hear(child.sock, &va[1]));
		ASSERT_EQ(0, owner_open(&o, child.pid, true));
		ASSERT_TRUE(say(child.sock, 1));
		EXPECT_EQ(1, poke(&o, va[1] + i, &byte, 1));
		EXPECT_EQ(0, kill(child.pid, SIGKILL));
		while ((n = poke(&o, va[1] + i, &byte, 1)) == 1)
			;
		EXPECT_TRUE(n == -ESRCH || n == -EFAULT) TH_LOG("%ld", n);
		EXPECT_EQ(128 + 9, child_end(&child));
		owner_close(&o);
	}
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

TEST_HARNESS_MAIN
