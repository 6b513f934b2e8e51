// SPDX-License-Identifier: GPL-2.0
/*
 * Root flips the selects of the GPU's registers while the driver works: the
 * state of each VMID stays separate, VMID 0 is never touched, and hits are
 * right.
 *
 * environment:
 *	GPUBP_STORM	contexts created and destroyed, default 4
 */
#include <pthread.h>
#include <stdlib.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "simdev.h"

#define SIZE		4096
#define PATIENCE	60	/* s */
#define NR_FLIPPERS	2
#define NR_CHURNERS	3
#define NR_RESIDENT	3
#define NR_VMIDS	16
#define NR_WATCH	4
#define STORES		5
#define LOOKS		64

/* dword offsets */
#define GRBM_GFX_CNTL	0x0022
#define GRBM_GFX_INDEX	0xa200
#define TBA_LO		0x031c	/* TBA_HI, TMA_LO, TMA_HI follow */
#define WATCH0_CNTL	0x12a2
#define WATCH_STRIDE	3
#define PER_VMID_CNTL	0x11d3

#define CNTL_VALID	0x80000000u
#define TRAP_EN		0x8u

static int churns(void)
{
	return env_number("GPUBP_STORM", 4);
}

/*
 * Flippers.
 */

static volatile bool enough;
static int nr_flips;

static void flip(int fd, unsigned int *seed)
{
	uint32_t value = rand_r(seed);
	char text[32];

	switch (rand_r(seed) % 5) {
	case 0:
		snprintf(text, sizeof(text), "vmid %u", value % NR_VMIDS);
		simdev_select(0, text);
		break;
	case 1:
		snprintf(text, sizeof(text), "grbm 0 0 %u", value % 4);
		simdev_select(0, text);
		break;
	case 2:
		simdev_select(0, "grbm broadcast");
		break;
	case 3:
		value = value % NR_VMIDS << 4;
		pwrite(fd, &value, 4, GRBM_GFX_CNTL * 4);
		break;
	case 4:
		value %= 4;
		pwrite(fd, &value, 4, GRBM_GFX_INDEX * 4);
	}
	__atomic_add_fetch(&nr_flips, 1, __ATOMIC_RELAXED);
}

static void *flipper(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	int fd = simdev_regs(0);

	while (!enough) {
		flip(fd, &seed);
		usleep(200);	/* let the other threads run */
	}
	close(fd);
	return NULL;
}

/*
 * Banks.
 */

struct bank {
	uint64_t tba;
	uint64_t tma;
	uint32_t traps;
	unsigned int valid;
};

static uint64_t read_address(int fd, uint32_t reg, unsigned int vmid)
{
	return (uint64_t)simdev_read(fd, reg + 1, vmid) << 40 |
	       (uint64_t)simdev_read(fd, reg, vmid) << 8;
}

static struct bank read_bank(int fd, unsigned int vmid)
{
	struct bank bank = {
		.tba = read_address(fd, TBA_LO, vmid),
		.tma = read_address(fd, TBA_LO + 2, vmid),
		.traps = simdev_read(fd, PER_VMID_CNTL, vmid) & TRAP_EN,
	};
	unsigned int n;

	for (n = 0; n < NR_WATCH; n++)
		if (simdev_read(fd, WATCH0_CNTL + n * WATCH_STRIDE, vmid) &
		    CNTL_VALID)
			bank.valid |= 1u << n;
	return bank;
}

static bool is_empty(const struct bank *bank)
{
	return !bank->tba && !bank->tma && !bank->traps && !bank->valid;
}

/* the driver writes concurrently: two equal reads are a value that was in the register */
static struct bank read_still(int fd, unsigned int vmid)
{
	struct bank last = read_bank(fd, vmid), bank;

	for (;;) {
		bank = read_bank(fd, vmid);
		if (bank.tba == last.tba && bank.tma == last.tma)
			return bank;
		last = bank;
	}
}

/*
 * Contexts.
 */

/* the dispatch has ended: each of its stores was counted once */
static bool counted(int fd, uint64_t stores)
{
	struct event_value v = {};

	if (!event_read(fd, &v) && v.count == stores)
		return true;
	printf("# %llu of %llu stores, %llu of %llu ns\n",
	       (unsigned long long)v.count, (unsigned long long)stores,
	       (unsigned long long)v.running, (unsigned long long)v.enabled);
	books_print();
	return false;
}

static int one_context(void)
{
	struct perf_event_attr attr;
	struct grun_mem mem;
	struct gpu gpu;
	int fd, ret = 1;

	if (gpu_open(&gpu, "loop"))
		return 1;
	if (gpu_buffer(&gpu, &mem, SIZE, 0))
		goto close_gpu;
	attr = event_watch(mem.va, 4, EVENT_STORES);
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		goto close_gpu;
	if (!gpu_run(&gpu, "repeat", 1, GPU_ARGS(mem.va, STORES)) &&
	    counted(fd, STORES))
		ret = 0;
	close(fd);
close_gpu:
	gpu_close(&gpu);
	return ret;
}

static int churner(int sock, void *arg)
{
	int i;

	for (i = 0; i < churns(); i++)
		if (one_context())
			return 1;
	return 0;
}

FIXTURE(banks) {
	pthread_t flipper[NR_FLIPPERS];
	int fd;
};

FIXTURE_SETUP(banks)
{
	uintptr_t i;

	self->fd = simdev_regs(0);
	ASSERT_LE(0, self->fd);
	enough = false;
	nr_flips = 0;
	for (i = 0; i < NR_FLIPPERS; i++)
		ASSERT_EQ(0, pthread_create(&self->flipper[i], NULL, flipper,
					    (void *)(i + 1)));
}

FIXTURE_TEARDOWN(banks)
{
	int i;

	enough = true;
	for (i = 0; i < NR_FLIPPERS; i++)
		pthread_join(self->flipper[i], NULL);
	close(self->fd);
	EXPECT_EQ(0, simdev_select(0, "vmid 0"));
	EXPECT_EQ(0, simdev_select(0, "grbm broadcast"));
}

static bool ended(struct child *child, int *status)
{
	char state = task_state(child->pid);

	if (state && state != 'Z')
		return false;
	*status |= child_end(child);
	child->pid = 0;
	return true;
}

/* contexts are opened, watched, hit and closed */
TEST_F_TIMEOUT(banks, storm, 600)
{
	struct child child[NR_CHURNERS];
	uint64_t distance = 0;
	int i, left, status = 0, seen = 0;
	unsigned int vmid;

	for (i = 0; i < NR_CHURNERS; i++)
		ASSERT_EQ(0, child_start(&child[i], churner, NULL));
	for (left = NR_CHURNERS; left; usleep(10000)) {
		struct bank bank = read_bank(self->fd, 0);

		ASSERT_TRUE(is_empty(&bank));
		for (vmid = 1; vmid < NR_VMIDS; vmid++) {
			bank = read_still(self->fd, vmid);
			if (!bank.tba && !bank.tma)
				continue;
			if (!bank.tba || !bank.tma)
				continue;	/* between the two register writes */
			if (!distance)
				distance = bank.tma - bank.tba;
			seen++;
			EXPECT_EQ(distance, bank.tma - bank.tba);
		}
		for (i = 0; i < NR_CHURNERS; i++)
			if (child[i].pid && ended(&child[i], &status))
				left--;
	}
	EXPECT_EQ(0, status);
	EXPECT_LT(0, seen);
	EXPECT_LT(0, nr_flips);
	TH_LOG("%d flips, %d banks with a handler", nr_flips, seen);
	EXPECT_TRUE(books_settle(PATIENCE)) books_print();
}

/*
 * Contexts that stay resident: each a process with a kernel that stores until
 * it receives the order to stop. The process sends 1 when the kernel runs, and
 * after the stop whether each store was counted.
 */

struct resident {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem stop;
	int event;
};

static int resident_start(struct resident *r, bool watched)
{
	struct perf_event_attr attr;

	if (gpu_open(&r->gpu, "loop") || gpu_buffer(&r->gpu, &r->out, SIZE, 0) ||
	    gpu_buffer(&r->gpu, &r->stop, SIZE, 0))
		return -1;
	attr = event_watch(r->out.va, 4, EVENT_STORES);
	r->event = watched ? event_open(&attr, 0, -1) : -1;
	if (watched && r->event < 0)
		return r->event;
	return gpu_start(&r->gpu, "until", 1, GPU_ARGS(r->out.va, r->stop.va));
}

static uint32_t resident_stores(const struct resident *r)
{
	return *(volatile uint32_t *)r->out.cpu;
}

static bool resident_runs(const struct resident *r)
{
	int i;

	for (i = 0; i < PATIENCE * 100 && !resident_stores(r); i++)
		usleep(10000);
	return resident_stores(r);
}

static bool resident_stop(struct resident *r)
{
	*(volatile uint32_t *)r->stop.cpu = 1;
	if (gpu_wait(&r->gpu, PATIENCE))
		return false;
	return r->event < 0 || counted(r->event, resident_stores(r));
}

static int resident(int sock, void *arg)
{
	const bool *watched = arg;
	struct resident r;

	if (resident_start(&r, *watched) || !say(sock, resident_runs(&r)))
		return 1;
	heard(sock);
	say(sock, resident_stop(&r));
	heard(sock);
	gpu_close(&r.gpu);
	return 0;
}

static void expect_bank(struct __test_metadata *_metadata,
			const struct bank *bank)
{
	EXPECT_EQ(!bank->tba, is_empty(bank));
	EXPECT_EQ(!!bank->tba, !!bank->tma);
	EXPECT_EQ(!!bank->tba, !!bank->traps);
	EXPECT_EQ(!!bank->tba, __builtin_popcount(bank->valid));
}

static void expect_same(struct __test_metadata *_metadata,
			const struct bank *a, const struct bank *b)
{
	EXPECT_EQ(a->tba, b->tba);
	EXPECT_EQ(a->tma, b->tma);
	EXPECT_EQ(a->traps, b->traps);
	EXPECT_EQ(a->valid, b->valid);
}

/* handler, traps and comparators are set for the watched VMIDs only */
TEST_F_TIMEOUT(banks, resident, 600)
{
	struct child child[NR_RESIDENT + 2];
	struct bank first[NR_VMIDS], bank;
	unsigned int vmid, handlers = 0;
	bool watched;
	int i;

	for (i = 0; i < NR_RESIDENT + 2; i++) {
		watched = i < NR_RESIDENT;
		ASSERT_EQ(0, child_start(&child[i], resident, &watched));
		ASSERT_EQ(1, heard(child[i].sock));
	}
	for (vmid = 0; vmid < NR_VMIDS; vmid++) {
		first[vmid] = read_bank(self->fd, vmid);
		expect_bank(_metadata, &first[vmid]);
		handlers += !!first[vmid].tba;
	}
	EXPECT_EQ(NR_RESIDENT, handlers);
	EXPECT_TRUE(is_empty(&first[0]));
	for (i = 0; i < LOOKS; i++) {
		bank = read_bank(self->fd, i % NR_VMIDS);
		expect_same(_metadata, &first[i % NR_VMIDS], &bank);
	}
	for (i = 0; i < NR_RESIDENT + 2; i++) {
		say(child[i].sock, 0);
		EXPECT_EQ(1, heard(child[i].sock)) TH_LOG("context %d", i);
	}
	EXPECT_TRUE(books_settle(PATIENCE)) books_print();
	for (i = 0; i < NR_RESIDENT + 2; i++) {
		say(child[i].sock, 0);
		EXPECT_EQ(0, child_end(&child[i]));
	}
	for (vmid = 0; vmid < NR_VMIDS; vmid++) {
		bank = read_bank(self->fd, vmid);
		EXPECT_TRUE(is_empty(&bank)) TH_LOG("VMID %u", vmid);
	}
}

TEST_HARNESS_MAIN
