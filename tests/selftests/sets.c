// SPDX-License-Identifier: GPL-2.0
/*
 * Watch sets: many watches behind one event, each with a count of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "repeater.h"
#include "session.h"

#define SIZE		4096
#define GRANULE		64
#define LANES		64
#define ROUNDS		20
#define PATIENCE	100	/* s */
#define RING_PAGES	128
#define USER		1000
#define MANY		100000
#define CHILD_VA	0x200000000ULL

/* number of members that four comparators cover: four granules of dwords */
#define FIT		(4 * GRANULE / 4)

FIXTURE(sets) {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem stop;
	int session;
	uint32_t set;
};

FIXTURE_SETUP(sets)
{
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->stop, SIZE, 0));
	self->session = session_open();
	ASSERT_LE(0, self->session);
	ASSERT_EQ(0, session_set(self->session, &self->set));
	ASSERT_NE(0, self->set);
}

FIXTURE_TEARDOWN(sets)
{
	close(self->session);
	gpu_close(&self->gpu);
}

static struct perf_event_attr of_set(uint32_t set)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);

	attr.config = GPUBP_KIND_WATCH_SET |
		      (uint64_t)set << GPUBP_CONFIG_CODE_SHIFT;
	return attr;
}

static int open_set(uint32_t set)
{
	struct perf_event_attr attr = of_set(set);

	return event_open(&attr, 0, -1);
}

/* entries for stores to @nr dwords from @va on; allocated */
static struct gpubp_set_watch *dwords(uint64_t va, unsigned int nr)
{
	struct gpubp_set_watch *w = calloc(nr, sizeof(*w));
	unsigned int i;

	for (i = 0; w && i < nr; i++) {
		w[i].addr = va + 4 * i;
		w[i].len = 4;
		w[i].access = GPUBP_ACCESS_STORE;
	}
	return w;
}

/* a member's count, -1 if it is not a member */
static int64_t count_of(int session, uint32_t set, uint64_t id)
{
	struct gpubp_set_watch w;

	if (session_read(session, set, id - 1, &w, 1) != 1 || w.id != id)
		return -1;
	return w.count;
}

static bool all_armed(int session, int fd, unsigned int nr)
{
	struct gpubp_sync sync;

	return !session_sync(session, fd, PATIENCE, &sync) &&
	       sync.nr_watches == nr && sync.nr_armed == nr;
}

/* ---- counts -------------------------------------------------------------- */

/* dispatch k stores k + 1 times to 64 dwords from the 16 k-th on */
static unsigned int model(unsigned int member, unsigned int dispatches)
{
	unsigned int k, n = 0;

	for (k = 0; k < dispatches; k++)
		if (member >= 16 * k && member < 16 * k + LANES)
			n += k + 1;
	return n;
}

TEST_F(sets, counts_equal_the_model)
{
	struct gpubp_set_watch got[FIT + 1], *w = dwords(self->out.va, FIT);
	unsigned int i, k, sum = 0;
	int fd = open_set(self->set);
	long long possible = books_get("possible");

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_update(self->session, self->set, w, FIT, NULL));
	for (i = 1; i < FIT; i++)
		ASSERT_LT(w[i - 1].id, w[i].id);
	ASSERT_TRUE(all_armed(self->session, fd, FIT));
	for (k = 0; k < 4; k++) {
		ASSERT_EQ(0, repeat(&self->gpu, self->out.va + 64 * k, k + 1));
		sum += k + 1;
	}
	/* a store of a wave is one count, however many members it hits */
	EXPECT_EQ(sum, books_count(fd, PATIENCE));
	ASSERT_EQ(FIT, session_read(self->session, self->set, 0, got, FIT + 1));
	for (i = 0; i < FIT; i++) {
		EXPECT_EQ(w[i].id, got[i].id);
		EXPECT_EQ(w[i].addr, got[i].addr);
		EXPECT_EQ(4, got[i].len);
		EXPECT_EQ(GPUBP_ACCESS_STORE, got[i].access);
		EXPECT_EQ(0, got[i].flags);
		EXPECT_EQ(model(i, 4), got[i].count) TH_LOG("member %u", i);
	}
	/* loads are not counted */
	EXPECT_EQ(possible, books_get("possible"));
	close(fd);
	free(w);
}

/* read page by page, in order of ids */
TEST_F(sets, read_in_parts)
{
	struct gpubp_set_watch got[10], *w = dwords(self->out.va, FIT);
	unsigned int seen = 0;
	uint64_t after = 0;
	int n;

	ASSERT_EQ(0, session_update(self->session, self->set, w, FIT, NULL));
	while ((n = session_read(self->session, self->set, after, got, 10)) > 0) {
		int i;

		for (i = 0; i < n; i++)
			EXPECT_EQ(w[seen++].id, got[i].id);
		after = got[n - 1].id;
	}
	EXPECT_EQ(0, n);
	EXPECT_EQ(FIT, seen);
	EXPECT_EQ(0, session_read(self->session, self->set, UINT64_MAX, got, 10));
	free(w);
}

/* a watch and a member with the same bytes are independent, one hit each */
TEST_F(sets, beside_a_watch)
{
	struct perf_event_attr attr = event_watch(self->out.va, 4, EVENT_STORES);
	struct gpubp_set_watch *w = dwords(self->out.va, 1);
	int set = open_set(self->set), watch = event_open(&attr, 0, -1);

	ASSERT_LE(0, set);
	ASSERT_LE(0, watch);
	ASSERT_EQ(0, session_update(self->session, self->set, w, 1, NULL));
	ASSERT_TRUE(all_armed(self->session, set, 1));
	EXPECT_EQ(1, books_state("watches"));
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(set, PATIENCE));
	EXPECT_EQ(ROUNDS, event_count(watch));
	EXPECT_EQ(ROUNDS, count_of(self->session, self->set, w[0].id));
	close(watch);
	close(set);
	free(w);
}

/* members may overlap, and be equal */
TEST_F(sets, members_that_overlap)
{
	struct gpubp_set_watch w[3] = {
		{ .addr = self->out.va, .len = 4 },
		{ .addr = self->out.va, .len = 4 },
		{ .addr = self->out.va + 2, .len = 8, .access = EVENT_ANY },
	};
	int fd = open_set(self->set), i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_update(self->session, self->set, w, 3, NULL));
	ASSERT_TRUE(all_armed(self->session, fd, 3));
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(ROUNDS, count_of(self->session, self->set, w[i].id));
	close(fd);
}

TEST_F(sets, samples_carry_the_member)
{
	struct gpubp_set_watch *w = dwords(self->out.va, FIT);
	struct perf_event_attr attr = of_set(self->set);
	unsigned int nr = 0;
	struct sample sample;
	struct ring ring;
	int fd;

	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_EQ(0, session_update(self->session, self->set, w, FIT, NULL));
	ASSERT_TRUE(all_armed(self->session, fd, FIT));

	/* all lanes: one sample, for the first member */
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	for (nr = 0; ring_next(&ring, &sample); nr++) {
		EXPECT_EQ(w[0].id, sample.rec.watch);
		EXPECT_EQ(w[0].addr, sample.addr);
		EXPECT_EQ(1, sample.rec.lanes);
	}
	EXPECT_EQ(ROUNDS, nr);
	/* of the last granule only */
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va + 3 * GRANULE, ROUNDS));
	EXPECT_EQ(2 * ROUNDS, books_count(fd, PATIENCE));
	for (nr = 0; ring_next(&ring, &sample); nr++)
		EXPECT_EQ(w[48].id, sample.rec.watch);
	EXPECT_EQ(ROUNDS, nr);
	EXPECT_EQ(2 * ROUNDS, count_of(self->session, self->set, w[63].id));
	ring_unmap(&ring);
	close(fd);
	free(w);
}

/* ---- updates ------------------------------------------------------------- */

/* wait until a member's count is more than it was */
static bool goes_up(int session, uint32_t set, uint64_t id)
{
	int64_t before = count_of(session, set, id);
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		if (count_of(session, set, id) > before)
			return true;
		usleep(10000);
	}
	return false;
}

TEST_F(sets, updated_while_the_kernel_runs)
{
	struct gpubp_set_watch *w = dwords(self->out.va, 3), got[4];
	int fd = open_set(self->set);
	int64_t count;
	int i;

	ASSERT_LE(0, fd);
	/* traps of a wave are set at launch, so load the first member before */
	ASSERT_EQ(0, session_update(self->session, self->set, w, 1, NULL));
	ASSERT_EQ(0, gpu_start(&self->gpu, "until", 1,
			       GPU_ARGS(self->out.va, self->stop.va)));
	ASSERT_EQ(0, session_update(self->session, self->set, w + 1, 1, NULL));
	for (i = 0; i < 2; i++)
		EXPECT_TRUE(goes_up(self->session, self->set, w[i].id));

	/* one member is moved to bytes without stores: its count stays unchanged */
	w[0].addr = self->out.va + 2 * LANES * 4;
	ASSERT_EQ(0, session_update(self->session, self->set, w, 1, NULL));
	ASSERT_TRUE(all_armed(self->session, fd, 2));
	count = count_of(self->session, self->set, w[0].id);
	EXPECT_LT(0, count);
	EXPECT_TRUE(goes_up(self->session, self->set, w[1].id));
	EXPECT_EQ(count, count_of(self->session, self->set, w[0].id));

	/* it is moved back, one is removed, one added, in one update */
	w[0].addr = self->out.va + 40;
	w[1].len = 0;
	ASSERT_EQ(0, session_update(self->session, self->set, w, 3, NULL));
	EXPECT_TRUE(goes_up(self->session, self->set, w[0].id));
	EXPECT_TRUE(goes_up(self->session, self->set, w[2].id));
	EXPECT_LT(count, count_of(self->session, self->set, w[0].id));
	EXPECT_EQ(-1, count_of(self->session, self->set, w[1].id));
	ASSERT_EQ(2, session_read(self->session, self->set, 0, got, 4));
	EXPECT_EQ(w[0].addr, got[0].addr);
	EXPECT_EQ(2, books_state("watches"));

	*(volatile uint32_t *)self->stop.cpu = 1;
	ASSERT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	EXPECT_LT(0, books_count(fd, PATIENCE));
	close(fd);
	free(w);
}

TEST_F(sets, update_to_what_it_is)
{
	struct gpubp_set_watch *w = dwords(self->out.va, FIT);
	int fd = open_set(self->set);
	int64_t commits;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_update(self->session, self->set, w, FIT, NULL));
	ASSERT_TRUE(all_armed(self->session, fd, FIT));
	commits = books_state("commits");
	ASSERT_EQ(0, session_update(self->session, self->set, w, FIT, NULL));
	ASSERT_TRUE(all_armed(self->session, fd, FIT));
	EXPECT_EQ(commits, books_state("commits"));
	close(fd);
	free(w);
}

/* ---- events -------------------------------------------------------------- */

static int store_in_own_context(int sock, void *arg)
{
	struct grun_mem mem;
	struct gpu gpu;
	int64_t ok;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &mem, SIZE, CHILD_VA) ||
	    !say(sock, 0))
		return 1;
	ok = heard(sock);
	if (ok || repeat(&gpu, mem.va, ROUNDS) || !say(sock, 0))
		return 1;
	heard(sock);
	gpu_close(&gpu);
	return 0;
}

/* copies for each CPU share the watches; children have those of their own context */
TEST_F(sets, copies_and_children)
{
	struct gpubp_set_watch *w = dwords(CHILD_VA, FIT);
	struct perf_event_attr attr = of_set(self->set);
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), fd[8], i;
	struct grun_mem own;
	struct child child;
	int64_t sum = 0;

	cpus = cpus < 8 ? cpus : 8;
	attr.inherit = 1;
	for (i = 0; i < cpus; i++) {
		fd[i] = event_open(&attr, 0, i);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &own, SIZE, CHILD_VA));
	ASSERT_EQ(0, session_update(self->session, self->set, w, FIT, NULL));
	ASSERT_TRUE(all_armed(self->session, fd[0], FIT));
	EXPECT_EQ(FIT, books_state("watches"));
	ASSERT_EQ(0, child_start(&child, store_in_own_context, NULL));
	ASSERT_EQ(0, heard(child.sock));
	EXPECT_TRUE(all_armed(self->session, fd[0], 2 * FIT));
	EXPECT_EQ(2 * FIT, books_state("watches"));
	say(child.sock, 0);
	ASSERT_EQ(0, heard(child.sock));
	ASSERT_EQ(0, repeat(&self->gpu, own.va, ROUNDS));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	for (i = 0; i < cpus; i++)
		sum += event_count(fd[i]);
	EXPECT_EQ(2 * ROUNDS, sum);
	for (i = 0; i < FIT; i++)
		EXPECT_EQ(2 * ROUNDS, count_of(self->session, self->set, w[i].id));
	for (i = 0; i < cpus; i++)
		close(fd[i]);
	free(w);
}

TEST_F(sets, disabled)
{
	struct gpubp_set_watch *w = dwords(self->out.va, FIT);
	struct perf_event_attr attr = of_set(self->set);
	struct gpubp_sync sync;
	int fd;

	attr.disabled = 1;
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_update(self->session, self->set, w, FIT, NULL));
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
	EXPECT_EQ(0, sync.nr_watches);
	EXPECT_EQ(0, books_state("watches"));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(all_armed(self->session, fd, FIT));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
	EXPECT_EQ(0, sync.nr_watches);
	EXPECT_EQ(0, books_state("watches"));
	close(fd);
	free(w);
}

/* a hit belongs to members of the event's current set */
TEST_F(sets, event_moves_to_another_set)
{
	struct gpubp_set_watch *w[2];
	struct gpubp_modify modify;
	uint32_t set[2] = { self->set };
	int fd, i;

	ASSERT_EQ(0, session_set(self->session, &set[1]));
	for (i = 0; i < 2; i++) {
		w[i] = dwords(self->out.va + i * GRANULE, 1);
		ASSERT_EQ(0, session_update(self->session, set[i], w[i], 1, NULL));
	}
	fd = open_set(set[0]);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	modify = (struct gpubp_modify) {
		.id = session_id(fd),
		.config = of_set(set[1]).config,
	};
	ASSERT_EQ(0, session_call(self->session, GPUBP_MODIFY, &modify));
	EXPECT_EQ(1, books_state("watches"));
	ASSERT_EQ(0, repeat(&self->gpu, self->out.va, 2 * ROUNDS));
	EXPECT_EQ(3 * ROUNDS, books_count(fd, PATIENCE));
	EXPECT_EQ(ROUNDS, count_of(self->session, set[0], w[0]->id));
	EXPECT_EQ(2 * ROUNDS, count_of(self->session, set[1], w[1]->id));
	/* to a set that does not exist: nothing changes */
	modify.config = of_set(set[0] + set[1] + 1000).config;
	EXPECT_EQ(-EINVAL, session_call(self->session, GPUBP_MODIFY, &modify));
	modify.config = event_watch(self->out.va, 4, EVENT_STORES).config;
	EXPECT_EQ(-EINVAL, session_call(self->session, GPUBP_MODIFY, &modify));
	EXPECT_TRUE(all_armed(self->session, fd, 1));
	close(fd);
	for (i = 0; i < 2; i++)
		free(w[i]);
}

/* events continue with what they have; no new event can be opened for the set */
static void expect_orphaned(struct __test_metadata *_metadata,
			    struct gpu *gpu, uint64_t va, int fd, uint32_t set)
{
	EXPECT_EQ(-EINVAL, open_set(set));
	ASSERT_EQ(0, repeat(gpu, va, ROUNDS));
	EXPECT_EQ(ROUNDS, books_count(fd, PATIENCE));
	close(fd);
}

TEST_F(sets, destroyed_under_an_event)
{
	struct gpubp_set_watch *w = dwords(self->out.va, FIT);
	int fd = open_set(self->set);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_update(self->session, self->set, w, FIT, NULL));
	ASSERT_EQ(0, session_drop_set(self->session, self->set));
	EXPECT_EQ(-ENOENT, session_drop_set(self->session, self->set));
	EXPECT_EQ(-ENOENT, session_update(self->session, self->set, w, FIT, NULL));
	EXPECT_EQ(-ENOENT, session_read(self->session, self->set, 0, w, FIT));
	expect_orphaned(_metadata, &self->gpu, self->out.va, fd, self->set);
	free(w);
}

TEST_F(sets, session_closed_under_an_event)
{
	struct gpubp_set_watch *w = dwords(self->out.va, FIT);
	int session = session_open(), fd;
	uint32_t set;

	ASSERT_LE(0, session);
	ASSERT_EQ(0, session_set(session, &set));
	EXPECT_NE(self->set, set);
	fd = open_set(set);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_update(session, set, w, FIT, NULL));
	/* a set belongs to its session */
	EXPECT_EQ(-ENOENT, session_update(self->session, set, w, FIT, NULL));
	EXPECT_EQ(-ENOENT, session_read(self->session, set, 0, w, FIT));
	EXPECT_EQ(-ENOENT, session_drop_set(self->session, set));
	close(session);
	expect_orphaned(_metadata, &self->gpu, self->out.va, fd, set);
	free(w);
}

/* ---- errno --------------------------------------------------------------- */

static int open_as_user(int sock, void *arg)
{
	uint64_t set = *(uint32_t *)arg;
	struct perf_event_attr attr = of_set(set);
	uint32_t own;
	int fd, session;

	attr.exclude_kernel = 1;
	if (become(USER))
		return 1;
	fd = event_open(&attr, 0, -1);
	if (!say(sock, fd < 0 ? fd : 0))
		return 1;
	session = session_open();
	if (session < 0 || session_set(session, &own))
		return 1;
	attr.config = of_set(own).config;
	fd = event_open(&attr, 0, -1);
	if (!say(sock, fd < 0 ? fd : 0) || !say(sock, own))
		return 1;
	heard(sock);
	return 0;
}

TEST_F(sets, another_user_s)
{
	int paranoid = event_paranoid(2), fd;
	struct child child;

	ASSERT_NE(-1, paranoid);
	ASSERT_EQ(0, child_start(&child, open_as_user, &self->set));
	EXPECT_EQ(-EACCES, heard(child.sock));
	EXPECT_EQ(0, heard(child.sock));
	/* CAP_PERFMON lifts the limit */
	fd = open_set(heard(child.sock));
	EXPECT_LE(0, fd);
	close(fd);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	event_paranoid(paranoid);
}

struct refused {
	const char *what;
	struct gpubp_set_watch w;
	int want;
};

static const struct refused refused[] = {
	{ "unknown member", { .id = 1, .addr = 1, .len = 1 }, -ENOENT },
	{ "remove an unknown member", { .id = UINT64_MAX }, -ENOENT },
	{ "remove nothing", { .addr = 4 }, -EINVAL },
	{ "flags", { .addr = 4, .len = 4, .flags = 1 }, -EINVAL },
	{ "undefined access", { .addr = 4, .len = 4, .access = 8 }, -EINVAL },
	{ "wraps", { .addr = UINT64_MAX, .len = 2 }, -EINVAL },
	{ "wraps all around", { .addr = 4, .len = UINT64_MAX }, -EINVAL },
};

TEST_F(sets, refused_updates_change_nothing)
{
	struct gpubp_set_watch *w = dwords(self->out.va, 4), got[4];
	int fd = open_set(self->set);
	unsigned int i;
	uint32_t bad;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_update(self->session, self->set, w, 2, NULL));
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct gpubp_set_watch mixed[4] = {
			w[2],			/* added */
			w[0],			/* changed */
			{ .id = w[1].id },	/* removed */
			refused[i].w,
		};

		mixed[1].addr += GRANULE;
		EXPECT_EQ(refused[i].want, session_update(self->session, self->set,
							  mixed, 4, &bad))
			TH_LOG("%s", refused[i].what);
		EXPECT_EQ(3, bad) TH_LOG("%s", refused[i].what);
		ASSERT_EQ(2, session_read(self->session, self->set, 0, got, 4));
		EXPECT_EQ(w[0].addr, got[0].addr);
		EXPECT_EQ(w[1].id, got[1].id);
	}
	/* a member named twice, also if the second time removes it */
	w[3] = w[0];
	EXPECT_EQ(-EINVAL, session_update(self->session, self->set, w, 4, &bad));
	EXPECT_EQ(3, bad);
	w[3].len = 0;
	EXPECT_EQ(-EINVAL, session_update(self->session, self->set, w, 4, &bad));
	EXPECT_EQ(2, session_read(self->session, self->set, 0, got, 4));
	EXPECT_TRUE(all_armed(self->session, fd, 2));
	close(fd);
	free(w);
}

/* user memory that is readable but not writable: ids cannot be returned */
TEST_F(sets, bad_memory)
{
	struct gpubp_set_watch *w, got[4];
	long page = sysconf(_SC_PAGESIZE);

	w = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		 -1, 0);
	ASSERT_NE(MAP_FAILED, w);
	w[0].addr = 4;
	w[0].len = 4;
	ASSERT_EQ(0, mprotect(w, page, PROT_READ));
	EXPECT_EQ(-EFAULT, session_update(self->session, self->set, w, 1, NULL));
	EXPECT_EQ(0, session_read(self->session, self->set, 0, got, 4));
	munmap(w, page);
	EXPECT_EQ(-EFAULT, session_update(self->session, self->set, w, 1, NULL));
	EXPECT_EQ(0, session_update(self->session, self->set, NULL, 0, NULL));
	got[0] = (struct gpubp_set_watch) { .addr = 4, .len = 4 };
	EXPECT_EQ(0, session_update(self->session, self->set, got, 1, NULL));
	EXPECT_EQ(-EFAULT, session_read(self->session, self->set, 0, NULL, 1));
	EXPECT_EQ(0, session_read(self->session, self->set, 0, NULL, 0));
}

TEST_F(sets, reserved_members)
{
	struct gpubp_set made = { .flags = 1 };
	struct gpubp_set_update update = {
		.set = self->set,
		.entry_len = sizeof(struct gpubp_set_watch),
		.flags = 1,
	};

	EXPECT_EQ(-EINVAL, session_call(self->session, GPUBP_SET_CREATE, &made));
	made.id = self->set;
	EXPECT_EQ(-EINVAL, session_call(self->session, GPUBP_SET_DESTROY, &made));
	EXPECT_EQ(-EINVAL, session_call(self->session, GPUBP_SET_UPDATE, &update));
	update.flags = 0;
	update.nr = GPUBP_SET_MAX + 1;
	EXPECT_EQ(-ENOSPC, session_call(self->session, GPUBP_SET_UPDATE, &update));
	EXPECT_EQ(-ENOENT, session_drop_set(self->session, 0));
}

/* ---- many ---------------------------------------------------------------- */

/* of all kernel objects; our caches may be merged with others */
static long slab_kb(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	long kb = -1;

	while (file && kb < 0 && fgets(line, sizeof(line), file))
		(void)!sscanf(line, "Slab: %ld", &kb);
	if (file)
		fclose(file);
	return kb;
}

/* for a member and its watch; a debug kernel puts red zones around each object */
static long most_bytes(void)
{
	return debug_kernel() ? 640 : 448;
}

#define STORED		(16 * 1024)	/* bytes that the kernel stores to */
#define DWORDS		(GRANULE / 4)	/* of a granule, one member for each */
#define ENOUGH		10	/* hits, each of 16 members or more */

/*
 * A hit is counted for all members in those granules, of the four that a wave
 * stores to, that are armed: these have equal counts, at most the event's
 * count, and no more than the kernel stored. Returns the sum.
 */
static int64_t sum_members(struct __test_metadata *_metadata,
			   const struct gpubp_set_watch *w, int nr,
			   const struct grun_mem *out, int64_t hits)
{
	const volatile uint32_t *made = out->cpu;
	int64_t sum = 0;
	int i;

	for (i = 0; i < nr; i++) {
		sum += w[i].count;
		ASSERT_EQ(w[i - i % DWORDS].count, w[i].count)
			TH_LOG("member %d", i);
		ASSERT_GE(i < STORED / 4 ? made[i] : 0, w[i].count)
			TH_LOG("member %d", i);
		ASSERT_GE(hits, w[i].count) TH_LOG("member %d", i);
	}
	return sum;
}

/* on a debug kernel a tenth of them, more than twice as many as are bound at a time */
TEST_F(sets, a_hundred_thousand)
{
	const int many = debug_kernel() ? MANY / 10 : MANY;
	struct gpubp_set_watch *w;
	struct gpubp_sync sync;
	int64_t commits, hits, sum;
	struct grun_mem out;
	long kb[3];
	int fd, i;
	uint64_t t;

	ASSERT_EQ(0, gpu_buffer(&self->gpu, &out, STORED, 0));
	w = dwords(out.va, many);
	ASSERT_NE(NULL, w);
	for (i = 0; i < many; i++)
		ASSERT_EQ(0, w[i].id);
	kb[0] = slab_kb();
	t = now_ns();
	ASSERT_EQ(0, session_update(self->session, self->set, w, many, NULL));
	printf("# loaded in %.3f s\n", (now_ns() - t) / 1e9);
	kb[1] = slab_kb();
	t = now_ns();
	fd = open_set(self->set);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
	printf("# armed after %.3f s\n", (now_ns() - t) / 1e9);
	kb[2] = slab_kb();
	printf("# bytes a member: %ld in the set, %ld in a context\n",
	       (kb[1] - kb[0]) * 1024 / many, (kb[2] - kb[1]) * 1024 / many);
	EXPECT_GT(most_bytes(), (kb[2] - kb[0]) * 1024 / many);
	EXPECT_EQ(many, sync.nr_watches);
	EXPECT_EQ(0, sync.nr_unserved + sync.nr_pending);
	EXPECT_LT(0, sync.nr_armed);
	EXPECT_EQ(many, books_state("watches"));

	/*
	 * modify some in place: the cost depends on their number, not on the
	 * size of the set
	 */
	t = now_ns();
	for (i = 0; i < 100; i++)
		w[i * (many / 100)].access = EVENT_WRITES;
	ASSERT_EQ(0, session_update(self->session, self->set, w, 1, NULL));
	printf("# one changed in %.6f s\n", (now_ns() - t) / 1e9);
	t = now_ns();
	ASSERT_EQ(0, session_update(self->session, self->set, w, many, NULL));
	printf("# all named, 100 changed, in %.3f s\n", (now_ns() - t) / 1e9);

	/* members that are armed count */
	commits = books_state("commits");
	t = now_ns();
	ASSERT_EQ(0, gpu_start(&self->gpu, "until", STORED / 4 / LANES,
			       GPU_ARGS(out.va, self->stop.va)));
	while (event_count(fd) < ENOUGH && now_ns() - t < PATIENCE * 1000000000ULL)
		usleep(10000);
	*(volatile uint32_t *)self->stop.cpu = 1;
	ASSERT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	hits = books_count(fd, PATIENCE);
	EXPECT_LT(0, hits);
	printf("# %lld rotations in %.1f s\n",
	       (long long)(books_state("commits") - commits), (now_ns() - t) / 1e9);
	ASSERT_EQ(many, session_read(self->session, self->set, 0, w, many));
	sum = sum_members(_metadata, w, many, &out, hits);
	printf("# members counted %lld, the event %lld\n", (long long)sum,
	       (long long)hits);
	EXPECT_LE(DWORDS * hits, sum);
	EXPECT_GE(LANES * hits, sum);

	t = now_ns();
	close(fd);
	printf("# closed in %.3f s\n", (now_ns() - t) / 1e9);
	t = now_ns();
	ASSERT_EQ(0, session_drop_set(self->session, self->set));
	printf("# destroyed in %.3f s\n", (now_ns() - t) / 1e9);
	free(w);
}

TEST_HARNESS_MAIN
