// SPDX-License-Identifier: GPL-2.0
/*
 * Providers in user space: a GPU in the process that is watched, through
 * /dev/gpubp_agent.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "agentgpu.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "session.h"

#define ROUNDS		500
#define PATIENCE	60	/* s */
#define SLOTS		4

/* words, each in a block of its own, of memory that is there */
struct words {
	uint32_t at[32][16];
} __attribute__((aligned(4096)));

#define APART	(1 << 20)	/* no comparator is so wide for so little */

/* memory for words that cannot share a comparator; NULL: there is none */
static char *map_apart(unsigned int nr)
{
	void *memory = mmap(NULL, nr * APART, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static uint32_t *word_apart(char *memory, unsigned int n)
{
	return (uint32_t *)(memory + n * APART);
}

FIXTURE(agents) {
	struct agentgpu gpu;
	struct words *words;
	int session;
};

FIXTURE_SETUP(agents)
{
	struct gpubp_agent_join join = agentgpu_join();
	char name[64];

	self->words = mmap(NULL, sizeof(*self->words), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->words);
	self->session = session_open();
	ASSERT_LE(0, self->session);
	ASSERT_EQ(0, agentgpu_start(&self->gpu, &join));
	ASSERT_EQ(0, agentgpu_device(&self->gpu, name));
	books_of_name(name);
}

FIXTURE_TEARDOWN(agents)
{
	agentgpu_stop(&self->gpu);
	close(self->session);
	munmap(self->words, sizeof(*self->words));
}

static int open_word(uint32_t *word, uint64_t period)
{
	struct perf_event_attr attr = event_watch((uintptr_t)word, 4, EVENT_STORES);

	if (period)
		event_sample(&attr, period);
	return event_open(&attr, 0, -1);
}

TEST_F(agents, counts_are_exact)
{
	unsigned int hits[SLOTS] = { }, i, n;
	struct event_value value;
	int fd[SLOTS];

	for (n = 0; n < SLOTS; n++) {
		fd[n] = open_word(&self->words->at[n][n], 0);
		ASSERT_LE(0, fd[n]);
	}
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	srand(1);
	for (i = 0; i < ROUNDS; i++) {
		unsigned int line = rand() % 8, word = rand() % 4;

		ASSERT_LE(0, agentgpu_store_one(&self->gpu,
						&self->words->at[line][word], i));
		if (line < SLOTS && word == line)
			hits[line]++;
	}
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_TRUE(books_settle(PATIENCE));
	for (n = 0; n < SLOTS; n++) {
		ASSERT_EQ(0, event_read(fd[n], &value));
		EXPECT_EQ(hits[n], value.count);
		EXPECT_EQ(value.enabled, value.running);
		close(fd[n]);
	}
}

/* the comparator whose block has a word; NULL: there is none */
static const struct gpubp_agent_slot *slot_of(const struct agentgpu *gpu, uint32_t *word)
{
	unsigned int n;

	for (n = 0; n < GPUBP_AGENT_SLOTS; n++)
		if (gpu->prog.valid & 1 << n &&
		    ((uintptr_t)word & gpu->prog.slot[n].mask) == gpu->prog.slot[n].value)
			return &gpu->prog.slot[n];
	return NULL;
}

static bool range_is(const struct gpubp_agent_range *range, uint32_t *word, uint32_t flags)
{
	return range->start == (uintptr_t)word && range->len == 4 && range->flags == flags &&
	       range->access == EVENT_STORES;
}

/* what is only counted takes no message a hit, and none is missed */
TEST_F(agents, counts_at_full_rate)
{
	const unsigned int rounds = slow_kernel() ? 10000 : 100000;
	uint32_t *word = &self->words->at[0][3];
	const struct gpubp_agent_slot *slot;
	struct event_value value;
	unsigned int i;
	int fd = open_word(word, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	slot = slot_of(&self->gpu, word);
	ASSERT_NE(NULL, slot);
	ASSERT_EQ(1, slot->nr_ranges);
	EXPECT_TRUE(range_is(&slot->range[0], word, GPUBP_AGENT_RANGE_COUNT));
	for (i = 0; i < rounds; i++)
		ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, i));
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_TRUE(books_settle(PATIENCE));
	ASSERT_EQ(0, event_read(fd, &value));
	EXPECT_EQ(rounds, value.count);
	EXPECT_EQ(value.enabled, value.running);
	EXPECT_EQ(rounds, books_get("delivered"));
	EXPECT_EQ(0, self->gpu.nr_hits);
	EXPECT_LT(0, self->gpu.nr_counts);
	EXPECT_GT(rounds / 10, self->gpu.nr_counts);
	close(fd);
}

TEST_F(agents, strays_of_a_block_are_counted)
{
	struct event_value value;
	unsigned int i;
	int fd = open_word(&self->words->at[0][3], 1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	for (i = 0; i < ROUNDS; i++)
		ASSERT_EQ(0, agentgpu_store_one(&self->gpu, &self->words->at[0][4], i));
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_TRUE(books_settle(PATIENCE));
	ASSERT_EQ(0, event_read(fd, &value));
	EXPECT_EQ(0, value.count);
	EXPECT_EQ(ROUNDS, books_get("stray_filtered"));
	EXPECT_EQ(0, self->gpu.nr_hits);
	close(fd);
}

/* a store to one of them is counted, and one to both is a message */
TEST_F(agents, two_events_in_a_block)
{
	uint32_t *word = self->words->at[0];
	uint64_t addr[64] = { (uintptr_t)&word[2], (uintptr_t)&word[9] };
	uint32_t value[64] = { 1, 2 };
	int fd[2] = { open_word(&word[2], 0), open_word(&word[9], 0) };

	ASSERT_LE(0, fd[0]);
	ASSERT_LE(0, fd[1]);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	/* that each has a comparator is all right, too: then nothing is a message */
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, &word[2], 1));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, &word[9], 1));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, &word[9], 2));
	ASSERT_EQ(0, agentgpu_store_one(&self->gpu, &word[3], 3));
	EXPECT_EQ(0, self->gpu.nr_hits);
	ASSERT_EQ(1, agentgpu_store(&self->gpu, 3, addr, value));
	EXPECT_EQ(__builtin_popcount(self->gpu.prog.valid) == 1, self->gpu.nr_hits);
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_EQ(2, books_count(fd[0], PATIENCE));
	EXPECT_EQ(3, books_count(fd[1], PATIENCE));
	close(fd[0]);
	close(fd[1]);
}

/* one that samples needs each hit; when it is gone, the other one does not */
TEST_F(agents, sampling_and_counting_of_one_range)
{
	uint32_t *word = &self->words->at[5][6];
	int fd[2] = { open_word(word, 0), open_word(word, 1) };
	const struct gpubp_agent_slot *slot;
	struct sample sample;
	struct ring ring;
	unsigned int i;

	ASSERT_LE(0, fd[0]);
	ASSERT_EQ(0, ring_map(&ring, fd[1], 4));
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	slot = slot_of(&self->gpu, word);
	ASSERT_NE(NULL, slot);
	ASSERT_EQ(1, slot->nr_ranges);
	EXPECT_TRUE(range_is(&slot->range[0], word, 0));
	for (i = 0; i < 10; i++)
		ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, i));
	EXPECT_EQ(10, self->gpu.nr_hits);
	EXPECT_EQ(10, books_count(fd[0], PATIENCE));
	EXPECT_EQ(10, books_count(fd[1], PATIENCE));
	for (i = 0; ring_next(&ring, &sample); i++)
		EXPECT_EQ(i, sample.rec.data);
	EXPECT_EQ(10, i);
	ring_unmap(&ring);
	close(fd[1]);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	slot = slot_of(&self->gpu, word);
	ASSERT_NE(NULL, slot);
	EXPECT_TRUE(range_is(&slot->range[0], word, GPUBP_AGENT_RANGE_COUNT));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, i));
	EXPECT_EQ(10, self->gpu.nr_hits);
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_EQ(11, books_count(fd[0], PATIENCE));
	close(fd[0]);
}

TEST_F(agents, a_disabled_event_does_not_count)
{
	uint32_t *word = &self->words->at[2][1];
	int fd = open_word(word, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, 1));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_LE(0, agentgpu_store_one(&self->gpu, word, 2));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, 3));
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_EQ(2, books_count(fd, PATIENCE));
	close(fd);
}

/* what one has counted is not another one's, with the same range */
TEST_F(agents, an_event_in_place_of_another)
{
	uint32_t *word = &self->words->at[1][0];
	int fd = open_word(word, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, 1));
	close(fd);
	fd = open_word(word, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, 2));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, 3));
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_EQ(2, books_count(fd, PATIENCE));
	close(fd);
}

TEST_F(agents, samples_say_what_the_message_says)
{
	uint64_t addr[64];
	uint32_t value[64];
	struct sample sample;
	struct ring ring;
	unsigned int lane;
	int fd;

	fd = open_word(&self->words->at[3][5], 1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, 4));
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	for (lane = 0; lane < 64; lane++) {
		addr[lane] = (uintptr_t)&self->words->at[lane / 16][lane % 16];
		value[lane] = 1000 + lane;
	}
	ASSERT_EQ(1, agentgpu_store(&self->gpu, ~0ULL << 2, addr, value));
	EXPECT_TRUE(books_settle(PATIENCE));
	ASSERT_TRUE(ring_next(&ring, &sample));
	EXPECT_EQ(AGENT_PC - 8, sample.ip);
	EXPECT_EQ(1ULL << (3 * 16 + 5), sample.rec.lanes);
	EXPECT_EQ(~0ULL << 2, sample.rec.exec);
	EXPECT_EQ((uintptr_t)&self->words->at[3][5], sample.rec.hit_addr);
	EXPECT_EQ(4, sample.rec.hit_len);
	EXPECT_EQ(1000 + 3 * 16 + 5, sample.rec.data);
	EXPECT_EQ(GPUBP_ADDR_EXACT, sample.rec.addr_state);
	EXPECT_EQ(AGENT_QUEUE, sample.rec.queue);
	EXPECT_EQ(AGENT_DISPATCH, sample.rec.dispatch);
	EXPECT_EQ(1, sample.rec.wg_x);
	EXPECT_EQ(2, sample.rec.wg_y);
	EXPECT_EQ(3, sample.rec.wg_z);
	EXPECT_EQ(4, sample.rec.wave_in_group);
	EXPECT_EQ(0, sample.rec.wave);
	EXPECT_EQ(self->gpu.join.device, sample.rec.device);
	EXPECT_EQ(self->gpu.join.context, sample.rec.context);
	EXPECT_TRUE(record_is_clean(&sample.rec));
	EXPECT_FALSE(ring_next(&ring, &sample));
	ring_unmap(&ring);
	close(fd);
}

/**
 * struct two - events of the stores to a word
 * @changed: counts those that change it
 * @fd: samples all
 * @ring: of @fd
 */
struct two {
	int changed;
	int fd;
	struct ring ring;
};

/* 0, and armed, or a negative errno */
static int two_open(struct two *two, struct agentgpu *gpu, uint32_t *word,
		    unsigned int pages)
{
	struct perf_event_attr attr = event_watch((uintptr_t)word, 4, EVENT_STORES);
	int err;

	attr.config |= GPUBP_CONFIG_CHANGED;
	two->changed = event_open(&attr, 0, -1);
	if (two->changed < 0)
		return two->changed;
	two->fd = open_word(word, 1);
	if (two->fd < 0)
		return two->fd;
	err = ring_map(&two->ring, two->fd, pages);
	return err ? err : agentgpu_wait(gpu);
}

static void two_close(struct two *two)
{
	ring_unmap(&two->ring);
	close(two->fd);
	close(two->changed);
}

/* its wave went on: when a hit is resolved, memory has what came behind it */
TEST_F(agents, values_are_of_the_hit_and_not_of_later)
{
	static const uint32_t stored[] = { 7, 7, 9 };
	uint32_t *word = &self->words->at[3][5], seen = 0;
	struct sample sample;
	unsigned int n;
	struct two two;

	ASSERT_EQ(0, two_open(&two, &self->gpu, word, 4));
	self->gpu.behind = 100;
	for (n = 0; n < 3; n++)
		ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, stored[n]));
	EXPECT_TRUE(books_settle(PATIENCE));
	for (n = 0; n < 3; n++) {
		ASSERT_TRUE(ring_next(&two.ring, &sample));
		EXPECT_EQ(stored[n], sample.rec.data);
		EXPECT_EQ(GPUBP_HIT_NOW, sample.rec.flags & GPUBP_HIT_NOW);
		EXPECT_EQ(stored[n], sample.rec.now);
		EXPECT_EQ(GPUBP_HIT_SEEN, sample.rec.flags & GPUBP_HIT_SEEN);
		EXPECT_EQ(seen, sample.rec.seen);
		seen = stored[n];
	}
	EXPECT_EQ(2, books_count(two.changed, PATIENCE));
	two_close(&two);
}

/* a hit knows what was there before, if it is the same buffer's; it is not resolved at once */
TEST_F(agents, memory_that_is_freed)
{
	const unsigned int was = GPUBP_HIT_SEEN | GPUBP_HIT_OLD_VALUE;
	struct words *words = self->words;
	uint32_t *word = &words->at[3][5];
	struct sample sample;
	unsigned int n;
	struct two two;

	ASSERT_EQ(0, two_open(&two, &self->gpu, word, 16));
	for (n = 0; n < 100; n++) {
		ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, n / 2 + 1));
		/* of another one, and of each second time this one */
		ASSERT_EQ(0, agentgpu_freed(&self->gpu, &words->at[4], sizeof(words->at[4])));
		if (n % 2)
			ASSERT_EQ(0, agentgpu_freed(&self->gpu, word, 1));
	}
	EXPECT_TRUE(books_settle(PATIENCE));
	for (n = 0; n < 100; n++) {
		bool first = n % 2 == 0;

		ASSERT_TRUE(ring_next(&two.ring, &sample));
		EXPECT_EQ(n / 2 + 1, sample.rec.data);
		EXPECT_EQ(first && n ? 0 : was, sample.rec.flags & was) TH_LOG("hit %u", n);
		if (!first)
			EXPECT_EQ(n / 2 + 1, sample.rec.seen);
	}
	/* the first one of each buffer: what was there is another value, or not known */
	EXPECT_EQ(50, books_count(two.changed, PATIENCE));
	two_close(&two);
}

/* ---- more watches than comparators --------------------------------------------------- */

#define MANY	16

/* most of them are not armed now, and will be */
static bool take_turns(FIXTURE_DATA(agents) *self, const int fd[MANY])
{
	unsigned int n, rotating = 0;
	struct gpubp_sync sync;

	for (n = 0; n < MANY; n++)
		rotating += !session_sync(self->session, fd[n], PATIENCE, &sync) &&
			    sync.nr_rotating;
	return rotating;
}

/* comparators are widened by the commits that follow those of the watches */
static bool await_exact(FIXTURE_DATA(agents) *self, int fd)
{
	unsigned int tries = 100 * PATIENCE;
	struct gpubp_sync sync = { };

	while ((session_sync(self->session, fd, PATIENCE, &sync) || sync.nr_armed != 1 ||
		sync.nr_rotating) && --tries)
		usleep(10000);
	return tries;
}

/* words of every second line */
static bool open_many(FIXTURE_DATA(agents) *self, int fd[MANY], uint64_t period)
{
	unsigned int n;

	for (n = 0; n < MANY; n++) {
		fd[n] = open_word(&self->words->at[n * 2][0], period);
		if (fd[n] < 0)
			return false;
	}
	if (agentgpu_wait(&self->gpu))
		return false;
	for (n = 0; n < MANY; n++)
		if (!await_exact(self, fd[n]))
			return false;
	return true;
}

static void close_many(int fd[MANY])
{
	unsigned int n;

	for (n = 0; n < MANY; n++)
		close(fd[n]);
}

/* stores to all words of all lines, the first lane alone; false: it cannot */
static bool store_to_lines(FIXTURE_DATA(agents) *self, unsigned int rounds)
{
	unsigned int i, n;

	for (n = 0; n < rounds; n++)
		for (i = 0; i < 32 * 16; i++)
			if (agentgpu_store_one(&self->gpu, &self->words->at[i / 16][i % 16],
					       n) < 0)
				return false;
	return true;
}

/* those near each other share wider comparators, and nothing is estimated */
TEST_F(agents, more_watches_than_comparators)
{
	struct event_value before[MANY];
	int64_t commits;
	int fd[MANY];

	ASSERT_TRUE(open_many(self, fd, 0));
	ASSERT_EQ(0, events_read(fd, MANY, before));
	commits = books_state("commits");
	ASSERT_TRUE(store_to_lines(self, 5));
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(0, events_wrong(fd, MANY, before, 5));
	EXPECT_EQ(commits, books_state("commits"));
	EXPECT_LT(0, books_strays());
	/* each of a few has a counter, in which it takes no message a hit */
	EXPECT_EQ(0, self->gpu.nr_hits);
	close_many(fd);
}

TEST_F(agents, and_they_are_sampled)
{
	struct event_value before[MANY];
	int fd[MANY];

	ASSERT_TRUE(open_many(self, fd, 1));
	ASSERT_EQ(0, events_read(fd, MANY, before));
	ASSERT_TRUE(store_to_lines(self, 3));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(0, events_wrong(fd, MANY, before, 3));
	EXPECT_EQ(3 * MANY, self->gpu.nr_hits);
	close_many(fd);
}

/* an access to several of them, and to none */
TEST_F(agents, wide_comparators_and_lanes)
{
	struct event_value before[MANY];
	uint64_t addr[64] = { };
	uint32_t value[64] = { };
	unsigned int lane;
	int fd[MANY];

	ASSERT_TRUE(open_many(self, fd, 0));
	ASSERT_EQ(0, events_read(fd, MANY, before));
	for (lane = 0; lane < 32; lane++)
		addr[lane] = (uintptr_t)&self->words->at[lane][0];
	ASSERT_EQ(1, agentgpu_store(&self->gpu, UINT32_MAX, addr, value));
	ASSERT_EQ(0, agentgpu_store(&self->gpu, 0xaaaaaaaa, addr, value));
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(0, events_wrong(fd, MANY, before, 1));
	close_many(fd);
}

/* more than the budget has: the watches take turns, and the clock says so */
TEST_F(agents, strays_that_cost_too_much)
{
	unsigned int n, less = 0, tries = 100;
	struct event_value value;
	int fd[MANY];

	ASSERT_TRUE(open_many(self, fd, 0));
	do {
		ASSERT_EQ(0, agentgpu_strays(&self->gpu, 1u << 30));
	} while (!take_turns(self, fd) && --tries);
	EXPECT_LT(0, tries);
	/* with none any more, all are armed again */
	EXPECT_TRUE(await_exact(self, fd[0]));
	for (n = 0; n < MANY; n++) {
		ASSERT_EQ(0, event_read(fd[n], &value));
		less += value.running < value.enabled;
	}
	EXPECT_LT(0, less);
	close_many(fd);
}

/* of which events they were is not known: none says that it has all */
TEST_F(agents, hits_that_are_lost_in_wide_comparators)
{
	struct gpubp_agent_lost lost = {
		.header = { sizeof(lost), GPUBP_AGENT_LOST }, .nr = 1,
	};
	unsigned int tries = 100;
	int fd[MANY];

	ASSERT_TRUE(open_many(self, fd, 0));
	do {
		ASSERT_EQ(0, agentgpu_write(self->gpu.fd, &lost));
	} while (!take_turns(self, fd) && --tries);
	EXPECT_LT(0, tries);
	EXPECT_TRUE(await_exact(self, fd[0]));
	close_many(fd);
}

/* what is too far apart takes turns, and the clock says so */
TEST_F(agents, watches_that_are_far_apart)
{
	char *memory = map_apart(MANY);
	struct event_value value;
	unsigned int i, n, programs;
	int fd[MANY];

	ASSERT_NE(NULL, memory);
	for (n = 0; n < MANY; n++) {
		fd[n] = open_word(word_apart(memory, n), 0);
		ASSERT_LE(0, fd[n]);
	}
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	EXPECT_TRUE(take_turns(self, fd));
	programs = self->gpu.nr_programs;
	while (self->gpu.nr_programs < programs + 20)
		for (i = 0; i < MANY; i++)
			ASSERT_LE(0, agentgpu_store_one(&self->gpu,
							word_apart(memory, i), i));
	EXPECT_TRUE(books_settle(PATIENCE));
	for (i = 0, n = 0; n < MANY; n++) {
		ASSERT_EQ(0, event_read(fd[n], &value));
		i += value.running < value.enabled;
		close(fd[n]);
	}
	EXPECT_LE(MANY - SLOTS, i);
	munmap(memory, MANY * APART);
}

/* ---- what is lost, or cannot be had ------------------------------------------------------ */

/* what the process has lost is a lost sample, and in the statistics */
TEST_F(agents, lost_hits)
{
	struct gpubp_agent_lost lost = {
		.header = { sizeof(lost), GPUBP_AGENT_LOST }, .nr = 12,
	};
	struct event_value value;
	int fd = open_word(&self->words->at[0][0], 1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_EQ(0, agentgpu_write(self->gpu.fd, &lost));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, &self->words->at[0][0], 1));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(13, books_get("raised"));
	EXPECT_EQ(12, books_get("drop_record"));
	ASSERT_EQ(0, event_read(fd, &value));
	EXPECT_EQ(1, value.count);
	EXPECT_EQ(12, value.lost);
	close(fd);
}

/* of one range, with one event: it counts them, too */
TEST_F(agents, records_that_are_lost)
{
	struct gpubp_agent_counts lost = {
		.header = { sizeof(lost), GPUBP_AGENT_COUNTS }, .hits[0] = 12,
	};
	struct event_value value;
	int fd = open_word(&self->words->at[0][0], 1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	lost.seq = self->gpu.prog.seq;
	lost.slot = __builtin_ctz(self->gpu.prog.valid);
	ASSERT_EQ(0, agentgpu_write(self->gpu.fd, &lost));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, &self->words->at[0][0], 1));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(13, books_get("raised"));
	EXPECT_EQ(12, books_get("drop_record"));
	ASSERT_EQ(0, event_read(fd, &value));
	EXPECT_EQ(13, value.count);
	EXPECT_EQ(12, value.lost);
	EXPECT_EQ(value.enabled, value.running);
	close(fd);
}

/* a comparator that another program has: its watch is not armed, until it is free */
TEST_F(agents, comparators_that_cannot_be_programmed)
{
	struct gpubp_agent_retry retry = {
		.header = { sizeof(retry), GPUBP_AGENT_RETRY }, .slots = 0xf,
	};
	struct event_value value;
	unsigned int n;
	int fd;

	for (n = 0; n < SLOTS; n++)
		self->gpu.err[n] = -EBUSY;
	fd = open_word(&self->words->at[0][0], 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_EQ(0, agentgpu_store_one(&self->gpu, &self->words->at[0][0], 1));
	ASSERT_EQ(0, event_read(fd, &value));
	/* not 0, which tools take for "not counted" */
	EXPECT_GT(1000, value.running);
	EXPECT_LT(1000, value.enabled);
	memset(self->gpu.err, 0, sizeof(self->gpu.err));
	ASSERT_EQ(0, agentgpu_write(self->gpu.fd, &retry));
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, &self->words->at[0][0], 2));
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_EQ(1, books_count(fd, PATIENCE));
	close(fd);
}

/* until it compares something, or nothing */
static void await_compares(struct agentgpu *gpu, bool compares)
{
	bool is;

	do {
		pthread_mutex_lock(&gpu->lock);
		is = gpu->prog.valid;
		pthread_mutex_unlock(&gpu->lock);
		usleep(is == compares ? 0 : 1000);
	} while (is != compares);
}

static bool agents_are_paused(void)
{
	FILE *file = fopen("/sys/kernel/debug/gpubp_agents", "re");
	char line[256];
	bool is = false;

	while (file && fgets(line, sizeof(line), file))
		is |= strstr(line, " paused ") && strstr(line, " armed 0x0 ");
	if (file)
		fclose(file);
	return is;
}

/* it counts before and afterwards, and the clock says that it did not in between */
TEST_F(agents, a_pause)
{
	struct event_value value, later;
	uint32_t *word = &self->words->at[0][0];
	int fd = open_word(word, 0), n;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	for (n = 0; n < 5; n++)
		ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, n));
	ASSERT_EQ(0, agentgpu_pause(&self->gpu, true));
	await_compares(&self->gpu, false);
	/* a dispatch does not wait for it, and nothing is armed by a new event */
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_EQ(0, agentgpu_pause(&self->gpu, true));
	EXPECT_EQ(5, books_count(fd, PATIENCE));
	EXPECT_TRUE(agents_are_paused());
	ASSERT_EQ(0, event_read(fd, &value));
	for (n = 0; n < 7; n++)
		EXPECT_EQ(0, agentgpu_store_one(&self->gpu, word, n));
	do {
		ASSERT_EQ(0, event_read(fd, &later));
	} while (later.enabled < value.enabled + 20000000);
	EXPECT_EQ(value.running, later.running);
	EXPECT_EQ(5, later.count);
	ASSERT_EQ(0, agentgpu_pause(&self->gpu, false));
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	EXPECT_FALSE(agents_are_paused());
	for (n = 0; n < 3; n++)
		ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, n));
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_EQ(8, books_count(fd, PATIENCE));
	ASSERT_EQ(0, event_read(fd, &value));
	EXPECT_LT(later.running, value.running);
	EXPECT_LE(20000000, value.enabled - value.running);
	close(fd);
}

/* what is wanted during a pause is armed behind it */
TEST_F(agents, an_event_of_a_pause)
{
	uint32_t *word = &self->words->at[0][0];
	struct event_value value;
	int fd;

	ASSERT_EQ(0, agentgpu_pause(&self->gpu, true));
	fd = open_word(word, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_EQ(0, agentgpu_store_one(&self->gpu, word, 1));
	ASSERT_EQ(0, agentgpu_pause(&self->gpu, false));
	EXPECT_EQ(1, session_armed(self->session, fd, PATIENCE));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, word, 1));
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_EQ(1, books_count(fd, PATIENCE));
	ASSERT_EQ(0, event_read(fd, &value));
	EXPECT_LT(value.running, value.enabled);
	/* closed in a pause */
	ASSERT_EQ(0, agentgpu_pause(&self->gpu, true));
	close(fd);
	ASSERT_EQ(0, agentgpu_pause(&self->gpu, false));
	await_compares(&self->gpu, false);
}

/* of an event that was opened before the queue is used nothing is missing; of a later one is */
TEST_F(agents, a_queue_that_is_held)
{
	struct event_value value;
	int fd, late;

	fd = open_word(&self->words->at[0][0], 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, &self->words->at[0][0], 1));
	ASSERT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_EQ(1, books_count(fd, PATIENCE));
	ASSERT_EQ(0, event_read(fd, &value));
	EXPECT_LT(0, value.running);
	EXPECT_EQ(value.enabled, value.running);
	late = open_word(&self->words->at[1][0], 0);
	ASSERT_LE(0, late);
	EXPECT_EQ(1, session_armed(self->session, late, PATIENCE));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, &self->words->at[1][0], 1));
	ASSERT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_EQ(1, books_count(late, PATIENCE));
	ASSERT_EQ(0, event_read(late, &value));
	EXPECT_LT(0, value.running);
	EXPECT_GT(value.enabled, value.running);
	close(late);
	close(fd);
}

/* once the agent has answered */
static bool armed_in_time(int session, int fd)
{
	uint64_t until = now_ns() + PATIENCE * 1000000000ULL;

	while (!session_armed(session, fd, PATIENCE)) {
		if (now_ns() > until)
			return false;
		usleep(1000);
	}
	return true;
}

/* no call hangs: what is wanted of it is not armed, and is when it answers */
TEST_F(agents, an_agent_that_does_not_answer)
{
	struct gpubp_sync sync;
	int fd;

	agentgpu_mute(&self->gpu, true);
	fd = open_word(&self->words->at[0][0], 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, agentgpu_wait(&self->gpu));
	EXPECT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
	EXPECT_EQ(1, sync.nr_watches);
	EXPECT_EQ(0, sync.nr_armed);
	ASSERT_EQ(0, agentgpu_store_one(&self->gpu, &self->words->at[0][0], 1));
	agentgpu_mute(&self->gpu, false);
	EXPECT_TRUE(armed_in_time(self->session, fd));
	ASSERT_EQ(1, agentgpu_store_one(&self->gpu, &self->words->at[0][0], 2));
	EXPECT_EQ(0, agentgpu_flush(&self->gpu));
	EXPECT_EQ(1, books_count(fd, PATIENCE));
	agentgpu_mute(&self->gpu, true);
	close(fd);
}

/* ---- what is refused ------------------------------------------------------ */

static int join_with(const struct gpubp_agent_join *wanted)
{
	struct gpubp_agent_join join = *wanted;
	int fd = agentgpu_file(), err;

	if (fd < 0)
		return fd;
	err = agentgpu_call(fd, GPUBP_AGENT_JOIN, &join);
	close(fd);
	return err;
}

#define EXPECT_JOIN(_errno, _field, _value) ({				\
	struct gpubp_agent_join wrong = agentgpu_join();		\
									\
	wrong._field = _value;						\
	EXPECT_EQ(-(_errno), join_with(&wrong)) {			\
		TH_LOG(#_field " = " #_value);				\
	}								\
})

TEST(joins_that_are_refused)
{
	struct gpubp_agent_join join = agentgpu_join();
	int reads = open("/dev/zero", O_RDONLY), file = open("/proc/self/exe", O_RDONLY);

	EXPECT_EQ(0, join_with(&join));
	EXPECT_JOIN(EINVAL, isa[0], 'x');
	EXPECT_JOIN(EINVAL, name[0], 0);
	EXPECT_JOIN(EINVAL, name[0], '\n');
	EXPECT_JOIN(EINVAL, name[0], '/');
	EXPECT_JOIN(EINVAL, name[0], '.');
	EXPECT_JOIN(EINVAL, nr_slots, 0);
	EXPECT_JOIN(EINVAL, nr_slots, GPUBP_AGENT_SLOTS + 1);
	EXPECT_JOIN(EINVAL, granule, 48);
	EXPECT_JOIN(EINVAL, granule, 0);
	EXPECT_JOIN(EINVAL, max_block, 32);
	EXPECT_JOIN(EINVAL, max_block, 96);
	EXPECT_JOIN(EINVAL, va_bits, 31);
	EXPECT_JOIN(EINVAL, va_bits, 65);
	EXPECT_JOIN(EINVAL, modes, 0x7);
	EXPECT_JOIN(EINVAL, modes, 0x1f);
	EXPECT_JOIN(EINVAL, flags, 2);
	EXPECT_JOIN(EBADF, node_fd, 999);
	EXPECT_JOIN(EBADF, node_fd, -2);
	EXPECT_JOIN(ENOTTY, node_fd, reads);
	EXPECT_JOIN(ENOTTY, node_fd, file);
	memset(join.isa, 'g', sizeof(join.isa));
	EXPECT_EQ(-EINVAL, join_with(&join));
	close(reads);
	close(file);
}

TEST(before_it_joins)
{
	struct gpubp_agent_queue queue = { .id = 1 };
	struct gpubp_agent_program prog;
	struct gpubp_agent_lost lost = {
		.header = { sizeof(lost), GPUBP_AGENT_LOST }, .nr = 1,
	};
	int fd = agentgpu_file();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, &prog, sizeof(prog)));
	EXPECT_EQ(ENOTCONN, errno);
	EXPECT_EQ(-ENOTCONN, agentgpu_write(fd, &lost));
	EXPECT_EQ(-ENOTCONN, agentgpu_call(fd, GPUBP_AGENT_QUEUE_CREATE, &queue));
	EXPECT_EQ(-ENOTCONN, agentgpu_call(fd, GPUBP_AGENT_WAIT_ARMED, &queue));
	EXPECT_EQ(-ENOTTY, agentgpu_call(fd, _IO('B', 0xcf), NULL));
	EXPECT_EQ(-EFAULT, agentgpu_call(fd, GPUBP_AGENT_JOIN, NULL));
	close(fd);
}

TEST_F(agents, queues)
{
	struct gpubp_agent_queue queue = { .id = 1, .tid = getpid() };
	int fd = self->gpu.fd;

	EXPECT_EQ(0, agentgpu_call(fd, GPUBP_AGENT_QUEUE_CREATE, &queue));
	EXPECT_EQ(-EEXIST, agentgpu_call(fd, GPUBP_AGENT_QUEUE_CREATE, &queue));
	queue.id = 2;
	queue.tid = getppid();
	EXPECT_EQ(-ESRCH, agentgpu_call(fd, GPUBP_AGENT_QUEUE_CREATE, &queue));
	queue.id = GPUBP_AGENT_NO_QUEUE;
	EXPECT_EQ(-EINVAL, agentgpu_call(fd, GPUBP_AGENT_QUEUE_CREATE, &queue));
	queue.id = 0;
	queue.tid = 0;
	EXPECT_EQ(0, agentgpu_call(fd, GPUBP_AGENT_QUEUE_CREATE, &queue));
	queue.id = 1;
	EXPECT_EQ(0, agentgpu_call(fd, GPUBP_AGENT_QUEUE_DESTROY, &queue));
	EXPECT_EQ(-ENOENT, agentgpu_call(fd, GPUBP_AGENT_QUEUE_DESTROY, &queue));
	EXPECT_EQ(-ENOENT, agentgpu_call(fd, GPUBP_AGENT_WAIT_ARMED, &queue));
	queue.flags = GPUBP_AGENT_QUEUE_HELD << 1;
	EXPECT_EQ(-EINVAL, agentgpu_call(fd, GPUBP_AGENT_QUEUE_CREATE, &queue));
	queue.flags = GPUBP_AGENT_QUEUE_HELD;
	queue.reserved = 1;
	EXPECT_EQ(-EINVAL, agentgpu_call(fd, GPUBP_AGENT_QUEUE_CREATE, &queue));
	queue.reserved = 0;
	EXPECT_EQ(0, agentgpu_call(fd, GPUBP_AGENT_QUEUE_CREATE, &queue));
	EXPECT_EQ(0, agentgpu_call(fd, GPUBP_AGENT_QUEUE_DESTROY, &queue));
	EXPECT_EQ(-EISCONN, agentgpu_call(fd, GPUBP_AGENT_JOIN, &self->gpu.join));
}

/* the message @right, but for a field, is refused */
#define EXPECT_REFUSED(_errno, _field, _value) ({			\
	typeof(right) wrong = right;					\
									\
	wrong._field = _value;						\
	EXPECT_EQ(-(_errno), agentgpu_write(self->gpu.fd, &wrong)) {	\
		TH_LOG(#_field " = " #_value);				\
	}								\
})

TEST_F(agents, hits_that_are_refused)
{
	struct gpubp_agent_hit right = {
		.header = { sizeof(right), GPUBP_AGENT_HIT },
		.pc = AGENT_PC, .exec = 1, .time = now_ns(), .slots = 1,
		.queue = GPUBP_AGENT_NO_QUEUE,
	};
	struct gpubp_agent_ack ack = { { sizeof(ack), GPUBP_AGENT_ACK }, 999 };
	struct event_value value;
	int fd;

	EXPECT_EQ(-EINVAL, agentgpu_write(self->gpu.fd, &right));
	fd = open_word(&self->words->at[0][0], 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	ASSERT_NE(0, self->gpu.prog.valid);
	right.slots = self->gpu.prog.valid;
	EXPECT_REFUSED(EINVAL, exec, 0);
	EXPECT_REFUSED(EINVAL, slots, 0);
	EXPECT_REFUSED(EINVAL, slots, 0x10);
	EXPECT_REFUSED(EINVAL, flags, 8);
	EXPECT_REFUSED(EINVAL, flags, GPUBP_AGENT_HIT_ADDR);
	EXPECT_REFUSED(EINVAL, code_len, GPUBP_AGENT_CODE + 1);
	EXPECT_REFUSED(EINVAL, nr_regs, 1);
	EXPECT_REFUSED(EINVAL, reserved[2], 1);
	EXPECT_REFUSED(ENOENT, queue, 99);
	EXPECT_REFUSED(EINVAL, header.size, sizeof(right) - 8);
	EXPECT_REFUSED(EINVAL, header.size, 4);
	EXPECT_REFUSED(EINVAL, header.type, 99);
	EXPECT_EQ(-EINVAL, agentgpu_write(self->gpu.fd, &ack));
	/* none of these is in the statistics */
	EXPECT_EQ(0, books_get("raised"));
	EXPECT_EQ(0, agentgpu_write(self->gpu.fd, &right));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(1, books_get("raised"));
	ASSERT_EQ(0, event_read(fd, &value));
	EXPECT_EQ(0, value.count);
	close(fd);
}

TEST_F(agents, counts_that_are_refused)
{
	struct gpubp_agent_counts right = {
		.header = { sizeof(right), GPUBP_AGENT_COUNTS },
		.strays = 2, .hits[0] = 3,
	};
	int fd, other = open_word(&self->words->at[7][0], 0);

	EXPECT_EQ(-EINVAL, agentgpu_write(self->gpu.fd, &right));
	ASSERT_LE(0, other);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	fd = open_word(&self->words->at[0][0], 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	right.seq = self->gpu.prog.seq;
	right.slot = slot_of(&self->gpu, &self->words->at[0][0]) - self->gpu.prog.slot;
	ASSERT_EQ(0, books_get("raised"));
	EXPECT_REFUSED(EINVAL, seq, 0);
	EXPECT_REFUSED(EINVAL, seq, right.seq - 1);
	EXPECT_REFUSED(EINVAL, seq, right.seq + 1);
	EXPECT_REFUSED(EINVAL, slot, SLOTS - 1);
	EXPECT_REFUSED(EINVAL, slot, GPUBP_AGENT_SLOTS);
	EXPECT_REFUSED(EINVAL, slot, 0xffffffff);
	EXPECT_REFUSED(EINVAL, hits[1], 1);
	EXPECT_REFUSED(EINVAL, hits[GPUBP_AGENT_RANGES - 1], 1);
	EXPECT_REFUSED(EINVAL, hits[0], 0xfffffffe);
	EXPECT_REFUSED(EINVAL, strays, 0xffffffff);
	EXPECT_REFUSED(EINVAL, header.size, sizeof(right) - 8);
	EXPECT_EQ(0, books_get("raised"));
	EXPECT_EQ(0, agentgpu_write(self->gpu.fd, &right));
	EXPECT_EQ(3, books_count(fd, PATIENCE));
	EXPECT_EQ(5, books_get("raised"));
	/* withdrawn */
	close(fd);
	ASSERT_EQ(0, agentgpu_wait(&self->gpu));
	EXPECT_REFUSED(EINVAL, strays, 0);
	EXPECT_REFUSED(EINVAL, seq, self->gpu.prog.seq);
	EXPECT_EQ(0, books_count(other, PATIENCE));
	EXPECT_EQ(5, books_get("raised"));
	close(other);
}

TEST_F(agents, what_is_freed_is_checked)
{
	struct gpubp_agent_freed right = {
		.header = { sizeof(right), GPUBP_AGENT_FREED },
		.start = (uintptr_t)self->words, .len = 4096,
	};

	EXPECT_EQ(0, agentgpu_write(self->gpu.fd, &right));
	EXPECT_REFUSED(EINVAL, len, 0);
	EXPECT_REFUSED(EINVAL, len, -right.start + 1);
	EXPECT_REFUSED(EINVAL, start, -4095ULL);
	EXPECT_REFUSED(EINVAL, header.size, sizeof(right) - 8);
	right.start = -4096ULL;
	EXPECT_EQ(0, agentgpu_write(self->gpu.fd, &right));
	right = (struct gpubp_agent_freed){ right.header, 0, -1ULL };
	EXPECT_EQ(0, agentgpu_write(self->gpu.fd, &right));
}

TEST_F(agents, pauses_that_are_refused)
{
	struct gpubp_agent_pause right = {
		.header = { sizeof(right), GPUBP_AGENT_PAUSE },
	};

	EXPECT_EQ(0, agentgpu_write(self->gpu.fd, &right));
	EXPECT_REFUSED(EINVAL, on, 2);
	EXPECT_REFUSED(EINVAL, reserved, 1);
	EXPECT_REFUSED(EINVAL, header.size, 24);
}

/* ---- other processes ------------------------------------------------------ */

static int speaks_for_its_parent(int sock, void *arg)
{
	struct gpubp_agent_lost lost = {
		.header = { sizeof(lost), GPUBP_AGENT_LOST }, .nr = 1,
	};
	struct gpubp_agent_program prog;
	struct agentgpu *gpu = arg;

	if (agentgpu_write(gpu->fd, &lost) != -EPERM ||
	    agentgpu_wait(gpu) != -EPERM)
		return 1;
	return read(gpu->fd, &prog, sizeof(prog)) == -1 && errno == EPERM ? 0 : 2;
}

TEST_F(agents, a_file_speaks_for_the_process_that_joined)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, speaks_for_its_parent, &self->gpu));
	EXPECT_EQ(0, child_end(&child));
}

#define PAUSES	2
#define GOES_ON	3

/*
 * a GPU of a node that others program, too: counts stores to its words until it hears 0, and
 * has a pause where it hears that
 */
static int shares_a_node(int sock, void *arg)
{
	struct gpubp_agent_join join = agentgpu_join();
	char *memory = map_apart(SLOTS);
	struct agentgpu gpu;
	uint64_t more = 1;
	int fd[SLOTS], n;

	join.node_fd = open("/dev/null", O_RDWR);
	if (!memory || (arg && become(1000)) || agentgpu_start(&gpu, &join))
		return 1;
	for (n = 0; n < SLOTS; n++)
		fd[n] = open_word(word_apart(memory, n), 0);
	while (say(sock, __builtin_popcount(gpu.prog.valid)) && hear(sock, &more) && more) {
		if (more != 1 && agentgpu_pause(&gpu, more == PAUSES))
			return 3;
		for (n = 0; n < SLOTS; n++)
			if (fd[n] < 0 || agentgpu_store_one(&gpu, word_apart(memory, n), 1) < 0)
				return 2;
	}
	agentgpu_stop(&gpu);
	return 0;
}

/* until children have that many comparators; false: not in time */
static bool children_have(struct child *child, int nr, int each)
{
	uint64_t until = now_ns() + PATIENCE * 1000000000ULL;
	int n, right;

	do {
		for (right = 0, n = 0; n < nr; n++) {
			right += heard(child[n].sock) == each;
			say(child[n].sock, 1);
		}
	} while (right < nr && now_ns() < until);
	return right == nr;
}

TEST(processes_share_comparators)
{
	struct child child[2];

	ASSERT_EQ(0, child_start(&child[0], shares_a_node, NULL));
	EXPECT_TRUE(children_have(child, 1, 4));
	ASSERT_EQ(0, child_start(&child[1], shares_a_node, NULL));
	EXPECT_TRUE(children_have(child, 2, 2));
	say(child[0].sock, PAUSES);
	EXPECT_TRUE(children_have(&child[1], 1, 4));
	say(child[0].sock, GOES_ON);
	EXPECT_TRUE(children_have(child, 2, 2));
	child_kill(&child[0]);
	EXPECT_TRUE(children_have(&child[1], 1, 4));
	say(child[1].sock, 0);
	while (heard(child[1].sock) >= 0)
		say(child[1].sock, 0);
	EXPECT_EQ(0, child_end(&child[1]));
}

/* a stopped one keeps what it has, and the other one what it has */
TEST(a_stopped_process_keeps_its_comparators)
{
	struct child child[2];

	ASSERT_EQ(0, child_start(&child[0], shares_a_node, NULL));
	EXPECT_TRUE(children_have(child, 1, 4));
	kill(child[0].pid, SIGSTOP);
	ASSERT_EQ(0, child_start(&child[1], shares_a_node, NULL));
	EXPECT_TRUE(children_have(&child[1], 1, 0));
	kill(child[0].pid, SIGCONT);
	EXPECT_TRUE(children_have(child, 2, 2));
	child_kill(&child[0]);
	child_kill(&child[1]);
}

static int joins_many(int sock, void *arg)
{
	struct gpubp_agent_join join;
	int n, err = 0;

	if (become(1000))
		return 1;
	for (n = 0; !err && n < 100; n++) {
		join = agentgpu_join();
		err = agentgpu_call(agentgpu_file(), GPUBP_AGENT_JOIN, &join);
	}
	return err == -EUSERS && n == 33 ? 0 : 2;
}

TEST(a_user_has_so_many_agents)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, joins_many, NULL));
	EXPECT_EQ(0, child_end(&child));
}

/* killed at any time: nothing is left, which the end of this suite shows */
static int stores_for_ever(int sock, void *arg)
{
	struct gpubp_agent_join join = agentgpu_join();
	static struct words words;
	struct agentgpu gpu;

	say(sock, 1);
	if (agentgpu_start(&gpu, &join) || open_word(&words.at[0][0], 1) < 0)
		return 1;
	while (agentgpu_store_one(&gpu, &words.at[0][0], 1) >= 0)
		;
	return 2;
}

TEST(killed_at_any_time)
{
	struct child child;
	int i;

	srand(2);
	for (i = 0; i < (slow_kernel() ? 10 : 40); i++) {
		ASSERT_EQ(0, child_start(&child, stores_for_ever, NULL));
		ASSERT_EQ(1, heard(child.sock));
		usleep(rand() % 50000);
		EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	}
}

TEST_HARNESS_MAIN
