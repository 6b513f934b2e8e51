// SPDX-License-Identifier: GPL-2.0
/*
 * The software GPU with other hardware parameters: gfx900, whose waves stop
 * some instructions after the access that hit and whose control words contain a
 * VMID; granules of 128 bytes; one, two and sixteen comparators.
 *
 * Runs machine words of its own, without a code object: two stores, 16 bytes
 * apart and one right after the other, in a loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/gpubp.h>
#include <linux/gpubp_sim.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "rawgpu.h"

#define MODULE		"/lib/gpubp/gpubp_sim.ko"
#define DEVICE		"/dev/gpubp_sim0"
#define PATIENCE	20	/* s */
#define SECOND		1000000000LL
#define PAGE		4096
#define DATA_VA		0x200000000ULL
#define DATA_PAGES	17
#define CODE_VA		0x300000000ULL
#define CODE_OFFSET	256	/* of the code from the descriptor */
#define ARGS_OFFSET	1024
#define SECOND_STORE	16	/* bytes from the first one's address */
#define RING_PAGES	1024

/* bytes from the code's start */
#define LOOP		0x20
#define END		(LOOP + 0x24)

static const uint32_t code[] = {
	0xc0060100, 0x00000000,	/* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
	0xc0020180, 0x00000008,	/* s_load_dword s6, s[0:1], 0x8 */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0x7e020206,		/* v_mov_b32 v1, s6 */
	0xbf800000,		/* s_nop 0 */
	/* loop: */
	0xdc708000, 0x00040100,	/* global_store_dword v0, v1, s[4:5] */
	0xdc708010, 0x00040100,	/* global_store_dword v0, v1, s[4:5] offset:16 */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xbf800000,		/* s_nop 0 */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fff7,		/* s_cbranch_scc1 loop */
	0xbf810000,		/* s_endpgm */
};

/* 8 vector registers, kernel arguments in s[0:1], one id of three */
static const struct raw_descriptor descriptor = {
	.kernarg_size = 12,
	.entry = CODE_OFFSET,
	.rsrc3 = 1,
	.rsrc1 = 0x00af0041,
	.rsrc2 = 2 << 1 | 1 << 7,
	.properties = 0x8,
};

struct args {
	uint64_t addr;
	uint32_t loops;
};

/**
 * struct context - a context of the device with the program loaded
 * @fd: the open device
 * @id: its id in records
 * @queue: its queue
 * @code: descriptor, code and arguments
 * @last: the last dispatch
 */
struct context {
	int fd;
	uint32_t id;
	uint32_t queue;
	uint8_t *code;
	uint64_t last;
};

static int load(const char *parameters)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
	close(fd);
	return ret;
}

/* files and events are freed some time after their last close() */
static int unload(void)
{
	int i, ret = -EAGAIN;

	for (i = 0; i < PATIENCE * 100; i++) {
		ret = syscall(SYS_delete_module, "gpubp_sim", O_NONBLOCK) ?
			-errno : 0;
		if (ret != -EAGAIN && ret != -EBUSY)
			break;
		usleep(10000);
	}
	return ret;
}

static int reload(const char *parameters)
{
	int i, ret = unload();

	if (ret && ret != -ENOENT)
		return ret;
	ret = load(parameters);
	/* devtmpfs creates the file asynchronously */
	for (i = 0; !ret && i < PATIENCE * 100 && access(DEVICE, F_OK); i++)
		usleep(10000);
	return ret;
}

static int context_open(struct context *c)
{
	struct gpubp_sim_queue queue = {};
	struct gpubp_sim_info info;
	void *data;

	c->last = 0;
	c->fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (c->fd < 0)
		return -errno;
	data = raw_bo(c->fd, DATA_VA, DATA_PAGES * PAGE);
	c->code = raw_bo(c->fd, CODE_VA, PAGE);
	if (!data || !c->code || raw_call(c->fd, GPUBP_SIM_INFO, &info) ||
	    raw_call(c->fd, GPUBP_SIM_QUEUE_CREATE, &queue))
		return -EIO;
	munmap(data, DATA_PAGES * PAGE);
	memcpy(c->code, &descriptor, sizeof(descriptor));
	memcpy(c->code + CODE_OFFSET, code, sizeof(code));
	c->queue = queue.id;
	c->id = info.context;
	return 0;
}

static void context_close(struct context *c)
{
	munmap(c->code, PAGE);
	close(c->fd);
}

/* start @waves waves of one lane, with @loops iterations each */
static int start(struct context *c, uint64_t addr, uint32_t loops,
		 unsigned int waves)
{
	struct args args = { addr, loops };
	struct gpubp_sim_dispatch d = {
		.kernel_object = CODE_VA,
		.kernarg = CODE_VA + ARGS_OFFSET,
		.grid = { waves, 1, 1 },
		.workgroup = { 1, 1, 1 },
		.queue = c->queue,
	};
	int ret;

	memcpy(c->code + ARGS_OFFSET, &args, sizeof(args));
	ret = raw_call(c->fd, GPUBP_SIM_DISPATCH, &d);
	c->last = d.seq;
	return ret;
}

static int finished(struct context *c, int64_t timeout_ns)
{
	struct gpubp_sim_wait wait = {
		.seq = c->last, .queue = c->queue, .timeout_ns = timeout_ns,
	};

	return raw_call(c->fd, GPUBP_SIM_WAIT, &wait) ?: -(int)wait.status;
}

static int run(struct context *c, uint64_t addr, uint32_t loops,
	       unsigned int waves)
{
	return start(c, addr, loops, waves) ?: finished(c, -1);
}

static int watch(uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = event_watch(addr, len, EVENT_STORES);

	return event_open(&attr, 0, -1);
}

FIXTURE(skid) {
	struct context gpu;
};

FIXTURE_SETUP(skid)
{
	self->gpu.fd = -1;
}

FIXTURE_TEARDOWN(skid)
{
	EXPECT_EQ(0, reload(""));
}

/* ---- two stores, one right after the other ------------------------------- */

#define WAVES		4
#define LOOPS		500

/**
 * struct tally - results from the samples of one event
 * @nr: number of samples
 * @claims: of them, those marked as exact, or not marked as possible only
 * @strange: of them, those with an impossible pc, wave or number
 * @pcs: bitmap of the loop's instructions at which waves stopped
 * @waves: bitmap of the workgroups
 */
struct tally {
	uint64_t nr;
	uint64_t claims;
	uint64_t strange;
	uint32_t pcs;
	uint32_t waves;
};

static void add(struct tally *t, const struct sample *s, const struct context *c)
{
	const struct gpubp_hit_record *rec = &s->rec;
	uint64_t at = rec->pc - CODE_VA - CODE_OFFSET;

	t->nr++;
	t->claims += rec->addr_state == GPUBP_ADDR_EXACT ||
		     !(rec->flags & GPUBP_HIT_POSSIBLE) ||
		     (rec->flags & GPUBP_HIT_PC_EXACT);
	if (at < LOOP || at > END || rec->wg_x >= WAVES || rec->wg_y ||
	    rec->context != c->id || rec->nr_merged != 1) {
		t->strange++;
		return;
	}
	t->pcs |= 1u << (at - LOOP) / 4;
	t->waves |= 1u << rec->wg_x;
}

static void take(struct tally *t, struct ring *ring, const struct context *c)
{
	struct sample s;

	while (ring_next(ring, &s))
		add(t, &s, c);
}

TEST_F(skid, two_stores_in_a_row)
{
	const uint64_t stores = 2ULL * WAVES * LOOPS;
	const uint64_t addr[2] = { DATA_VA, DATA_VA + SECOND_STORE };
	struct context *gpu = &self->gpu;
	struct tally tally[2] = {};
	struct ring ring[2];
	int fd[2], i, ret;
	int64_t raised;

	ASSERT_EQ(0, reload("personality=gfx900 skid=4"));
	ASSERT_EQ(0, context_open(gpu));
	for (i = 0; i < 2; i++) {
		struct perf_event_attr attr = event_watch(addr[i], 4,
							  EVENT_STORES);

		event_sample(&attr, 1);
		fd[i] = event_open(&attr, 0, -1);
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, ring_map(&ring[i], fd[i], RING_PAGES));
	}
	ASSERT_EQ(0, start(gpu, DATA_VA, LOOPS, WAVES));
	do {
		ret = finished(gpu, SECOND / 100);
		for (i = 0; i < 2; i++)
			take(&tally[i], &ring[i], gpu);
	} while (ret == -ETIME);
	ASSERT_EQ(0, ret);
	EXPECT_TRUE(books_settle(60));

	raised = books_get("raised");
	TH_LOG("%lld hits of %llu stores", (long long)raised,
	       (unsigned long long)stores);
	/* the second store is one hit with the first if the wave stops after it */
	EXPECT_GT(stores, (uint64_t)raised);
	EXPECT_LE(stores / 2, (uint64_t)raised);
	EXPECT_EQ(raised, books_get("possible"));
	for (i = 0; i < 2; i++) {
		struct event_value value;

		take(&tally[i], &ring[i], gpu);
		ASSERT_EQ(0, event_read(fd[i], &value));
		TH_LOG("watch %d: %llu counted, %llu samples, %llu lost, stopped at %x",
		       i, (unsigned long long)value.count,
		       (unsigned long long)tally[i].nr,
		       (unsigned long long)value.lost, tally[i].pcs);
		/* both are in the range that the comparator compares */
		EXPECT_EQ((uint64_t)raised, value.count);
		EXPECT_EQ(value.count, tally[i].nr + value.lost);
		EXPECT_LT(0, tally[i].nr);
		EXPECT_EQ(0, tally[i].claims);
		EXPECT_EQ(0, tally[i].strange);
		EXPECT_EQ((1u << WAVES) - 1, tally[i].waves);
		EXPECT_LT(1, __builtin_popcount(tally[i].pcs));
		/* also after the s_waitcnt */
		EXPECT_NE(0, tally[i].pcs >> 5);
		ring_unmap(&ring[i]);
		close(fd[i]);
	}
	context_close(gpu);
}

/* a wave may also stop right after the store: then each is a hit, but not exact */
TEST_F(skid, no_instruction)
{
	struct context *gpu = &self->gpu;
	int fd;

	ASSERT_EQ(0, reload("personality=gfx900 skid=0"));
	ASSERT_EQ(0, context_open(gpu));
	fd = watch(DATA_VA, 64);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, run(gpu, DATA_VA, 50, WAVES));
	EXPECT_EQ(2 * 50 * WAVES, event_count(fd));
	EXPECT_TRUE(books_settle(60));
	EXPECT_EQ(2 * 50 * WAVES, books_get("raised"));
	EXPECT_EQ(2 * 50 * WAVES, books_get("possible"));
	EXPECT_EQ(0, books_get("delivered"));
	close(fd);
	context_close(gpu);
}

/* a precision that the device cannot provide is refused */
TEST_F(skid, precise_events)
{
	struct perf_event_attr attr = event_watch(DATA_VA, 4, EVENT_STORES);

	ASSERT_EQ(0, reload("personality=gfx900"));
	for (attr.precise_ip = 1; attr.precise_ip; attr.precise_ip++)
		EXPECT_EQ(-EOPNOTSUPP, event_open(&attr, 0, -1));
}

/* ---- control words that contain a VMID ----------------------------------- */

/* all contexts use this address; nothing is exact, so both stores count */
static int own_hits(uint32_t loops, bool watched)
{
	struct context gpu;
	int64_t want = watched ? 2 * WAVES * loops : 0;
	int fd = -1, ret;

	if (context_open(&gpu))
		return 1;
	if (watched)
		fd = watch(DATA_VA, 4);
	ret = run(&gpu, DATA_VA, loops, WAVES) || !books_settle(60);
	if (watched && event_count(fd) != want) {
		printf("# %lld counted, not %lld\n",
		       (long long)event_count(fd), (long long)want);
		ret = 1;
	}
	close(fd);
	context_close(&gpu);
	return ret;
}

TEST_F(skid, each_context_has_its_own_hits)
{
	static const uint32_t loops[3] = { 30, 50, 70 };
	pid_t child[3];
	int i, status;

	ASSERT_EQ(0, reload("personality=gfx900 skid=0"));
	/* the last one has no watch */
	for (i = 0; i < 3; i++) {
		child[i] = fork();
		if (!child[i])
			_exit(own_hits(loops[i], i < 2));
	}
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(child[i], waitpid(child[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(2 * WAVES * (loops[0] + loops[1]), books_get("raised"));
	EXPECT_EQ(books_get("raised"), books_get("possible"));
}

/* ---- granules and numbers of comparators --------------------------------- */

/* hits raised by stores to @addr while the first 4 bytes are watched */
static int64_t raised_by(struct context *c, uint64_t addr)
{
	int64_t before = books_get("raised");

	if (run(c, addr, 5, 1) || !books_settle(60))
		return -1;
	return books_get("raised") - before;
}

TEST_F(skid, granule)
{
	struct context *gpu = &self->gpu;
	int fd;

	ASSERT_EQ(0, reload("granule=128"));
	ASSERT_EQ(0, context_open(gpu));
	fd = watch(DATA_VA + 128, 4);
	ASSERT_LE(0, fd);
	EXPECT_EQ(10, raised_by(gpu, DATA_VA + 128));
	EXPECT_EQ(5, event_count(fd));
	/* at the other end of the granule, half outside of it, outside */
	EXPECT_EQ(10, raised_by(gpu, DATA_VA + 128 + 96));
	EXPECT_EQ(5, raised_by(gpu, DATA_VA + 128 + 112));
	EXPECT_EQ(0, raised_by(gpu, DATA_VA + 256));
	EXPECT_EQ(5, raised_by(gpu, DATA_VA + 112));
	EXPECT_EQ(0, raised_by(gpu, DATA_VA + 96));
	EXPECT_EQ(5 + 5, event_count(fd));
	EXPECT_EQ(5 + 10 + 5, books_strays());
	close(fd);
	context_close(gpu);

	ASSERT_EQ(0, reload("granule=64"));
	ASSERT_EQ(0, context_open(gpu));
	fd = watch(DATA_VA + 128, 4);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, raised_by(gpu, DATA_VA + 128 + 64));
	EXPECT_EQ(5, raised_by(gpu, DATA_VA + 128 + 48));
	close(fd);
	context_close(gpu);
}

/* one watch for each comparator: all armed at once, each counts its own hits */
static bool all_count(const char *parameters, unsigned int nr, int64_t want)
{
	struct context gpu;
	unsigned int i;
	bool ok = true;
	int fd[16];

	if (reload(parameters) || context_open(&gpu))
		return false;
	for (i = 0; i < nr; i++) {
		fd[i] = watch(DATA_VA + i * PAGE, 4);
		ok &= fd[i] >= 0;
	}
	for (i = 0; i < nr; i++)
		ok &= !run(&gpu, DATA_VA + i * PAGE, i + 1, 1);
	/* and a store without a watch */
	ok &= !run(&gpu, DATA_VA + nr * PAGE, 3, 1) && books_settle(60);
	for (i = 0; ok && i < nr; i++) {
		ok = event_count(fd[i]) == want * (i + 1);
		if (!ok)
			printf("# %s: watch %u: %lld\n", parameters, i,
			       (long long)event_count(fd[i]));
	}
	for (i = 0; i < nr; i++)
		close(fd[i]);
	context_close(&gpu);
	return ok;
}

TEST_F(skid, comparators)
{
	EXPECT_TRUE(all_count("watches=1", 1, 1));
	EXPECT_TRUE(all_count("watches=2", 2, 1));
	EXPECT_TRUE(all_count("watches=16", 16, 1));
	EXPECT_TRUE(all_count("watches=16 granule=128", 16, 1));
	/* not exact: the other store is in the block, too */
	EXPECT_TRUE(all_count("personality=gfx900 skid=0 watches=1", 1, 2));
	EXPECT_TRUE(all_count("personality=gfx900 skid=0 watches=16", 16, 2));
	EXPECT_EQ(-EINVAL, reload("watches=0"));
	EXPECT_EQ(-EINVAL, reload("watches=17"));
	EXPECT_EQ(-EINVAL, reload("granule=32"));
	EXPECT_EQ(-EINVAL, reload("personality=gfx8"));
}

TEST_HARNESS_MAIN
