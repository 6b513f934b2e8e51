// SPDX-License-Identifier: GPL-2.0
/*
 * Registers as reference: events must agree with the registers.
 *
 * The register file is sampled as fast as possible while many watches rotate.
 * That gives a lower and an upper bound of the time in which a valid comparator
 * was there for each watch: between two samples that differ it changed at an
 * unknown time. The event's time must lie between the bounds, plus or minus a
 * quantum. And if a valid bit is cleared without the core's knowledge, the hits
 * stop.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "kselftest.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define SIM		"/sys/kernel/debug/gpubp_sim0/"

#define PATIENCE	60	/* s */
#define GRANULE		64
#define WATCHES		64
#define SIZE		(WATCHES * GRANULE)
#define COMMITS		70
#define WINDOW_NS	5000000000LL	/* of the software GPU */
#define QUANTUM_US	100000	/* the longer, the fewer changes are missed between samples */
#define PAUSE_US	200
#define SLOTS		4
#define VMIDS		16
#define NS		1000000000LL

/* the registers: isa/gfx9/regs.h */
#define WATCH0_ADDR_H	0x12a0
#define WATCH_STRIDE	3
#define CNTL_VALID	0x80000000u
#define CNTL_MASK	0x00ffffffu	/* compare all possible bits: one granule */
#define CNTL_NONREAD	(1u << 29)
#define CNTL_WANTED	(CNTL_VALID | CNTL_MASK | CNTL_NONREAD)

/* amdgpu's encoding of a VMID in a file offset */
#define POS_BY_VMID	(1ULL << 61)
#define POS_VMID_SHIFT	54

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS + ts.tv_nsec;
}

/* ---- the register file ----------------------------------------------------- */

/**
 * struct regs - comparators at one moment
 * @addr: of each comparator
 * @cntl: control words of each VMID
 */
struct regs {
	uint64_t addr[SLOTS];
	uint32_t cntl[VMIDS][SLOTS];
};

static ssize_t read_text(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	do {
		n = pread(fd, text + len, size - 1 - len, len);
		len += n > 0 ? n : 0;
	} while (n > 0);
	text[len] = '\0';
	return n < 0 ? n : (ssize_t)len;
}

static bool parse_bank(const char *line, struct regs *regs)
{
	const char *words = strstr(line, "TCP_WATCH_CNTL");
	unsigned int vmid = strtoul(line + 5, NULL, 10), n;
	char *end = (char *)words;

	if (!words || vmid >= VMIDS)
		return false;
	end += strlen("TCP_WATCH_CNTL");
	for (n = 0; n < SLOTS; n++)
		regs->cntl[vmid][n] = strtoul(end, &end, 16);
	return true;
}

static bool parse_line(const char *line, struct regs *regs)
{
	unsigned int n;

	if (!strncmp(line, "VMID ", 5))
		return parse_bank(line, regs);
	if (sscanf(line, "TCP_WATCH%u_ADDR", &n) != 1)
		return true;
	if (n >= SLOTS)
		return false;
	regs->addr[n] = strtoull(strchr(line, ' '), NULL, 16);
	return true;
}

static bool read_regs(int fd, struct regs *regs)
{
	static char text[8192];
	char *line = text, *next;

	if (read_text(fd, text, sizeof(text)) <= 0)
		return false;
	for (; *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (!parse_line(line, regs))
			return false;
	}
	return true;
}

/* ---- samples ----------------------------------------------------------------- */

/**
 * struct sample_regs - watches that comparators were set for
 * @time: when it was taken
 * @commits: completed by then
 * @valid: bit n: a valid comparator is for watch n
 */
struct sample_regs {
	int64_t time;
	int64_t commits;
	uint64_t valid;
};

/**
 * struct watching - the watches, and the bounds of each
 * @va: of the first, a granule each
 * @session: /dev/gpubp
 * @fd: events
 * @before: time armed that they reported at the beginning
 * @after: time armed that they reported at the end
 * @began: time of the first report
 * @least: ns in which a valid comparator was certainly there
 * @most: ns in which one may have been there, including the rest of the commit
 *	that removed it
 * @leaving: bit n: valid since the end of the last commit
 * @steady: bit n: valid in the first sample begun after the last commit
 * @begun: there was such a sample
 * @nr_samples: samples
 * @windows: commits that could not drain
 */
struct watching {
	uint64_t va;
	int session;
	int fd[WATCHES];
	uint64_t before[WATCHES];
	uint64_t after[WATCHES];
	int64_t began[WATCHES];
	int64_t least[WATCHES];
	int64_t most[WATCHES];
	uint64_t leaving;
	uint64_t steady;
	bool begun;
	unsigned int nr_samples;
	int64_t windows;
};

/* false: a comparator is valid without a watch */
static bool find_valid(const struct watching *w, const struct regs *regs,
		       uint64_t *valid)
{
	unsigned int vmid, n;

	*valid = 0;
	for (vmid = 0; vmid < VMIDS; vmid++)
		for (n = 0; n < SLOTS; n++) {
			uint64_t at = (regs->addr[n] - w->va) / GRANULE;

			if (!(regs->cntl[vmid][n] & CNTL_VALID))
				continue;
			if (regs->cntl[vmid][n] != CNTL_WANTED ||
			    regs->addr[n] % GRANULE || at >= WATCHES)
				return false;
			*valid |= 1ULL << at;
		}
	return true;
}

/* no commit ends within a sample, or its registers and its time would not agree */
static bool take_sample(const struct watching *w, int fd, struct sample_regs *s)
{
	int64_t commits = books_device("commits");

	do {
		struct regs regs = {};

		s->commits = commits;
		if (!read_regs(fd, &regs) || !find_valid(w, &regs, &s->valid))
			return false;
		s->time = now();
		commits = books_device("commits");
	} while (commits != s->commits);
	return true;
}

/*
 * Between two samples: a comparator changes only in a commit. It is invalid for
 * nearly all of the commit. The old watch is accounted as armed until the end
 * of the commit, and the new one from then on, so that the shares of all add up
 * to the number of comparators.
 */
static void add_interval(struct watching *w, const struct sample_regs *from,
			 const struct sample_regs *to)
{
	int64_t ns = to->time - from->time;
	int64_t commits = to->commits - from->commits;
	unsigned int i;

	w->leaving |= from->valid;
	for (i = 0; i < WATCHES; i++) {
		uint64_t bit = 1ULL << i;

		if ((w->steady & from->valid & to->valid & bit) && !commits)
			w->least[i] += ns;
		if (((w->leaving | to->valid) & bit) || commits > 1)
			w->most[i] += ns;
	}
	if (commits) {
		w->leaving = to->valid;
		w->steady = 0;
		w->begun = false;
	} else if (!w->begun) {
		w->steady = to->valid;
		w->begun = true;
	}
}

static bool sample(struct watching *w, int fd, struct sample_regs *first,
		   struct sample_regs *last)
{
	struct sample_regs s;

	if (!take_sample(w, fd, first))
		return false;
	*last = *first;
	while (last->commits - first->commits < COMMITS) {
		usleep(PAUSE_US);
		if (!take_sample(w, fd, &s))
			return false;
		add_interval(w, last, &s);
		*last = s;
		w->nr_samples++;
	}
	return true;
}

/* ---- times of events --------------------------------------------------------- */

static uint64_t time_armed(const struct watching *w, int i)
{
	struct gpubp_event_stats stats = { .id = session_id(w->fd[i]) };

	return session_call(w->session, GPUBP_STATS, &stats) ? 0 : stats.armed_ns;
}

/* events are read one by one: between that and the samples any change is possible */
static void ask_first(struct watching *w)
{
	int i;

	for (i = 0; i < WATCHES; i++) {
		w->began[i] = now();
		w->before[i] = time_armed(w, i);
	}
}

static void ask_last(struct watching *w, const struct sample_regs *first,
		     const struct sample_regs *last)
{
	int i;

	for (i = 0; i < WATCHES; i++) {
		w->after[i] = time_armed(w, i);
		w->most[i] += first->time - w->began[i] + now() - last->time;
	}
}

/* returns the old value, or -1 */
static long quantum_set(long us)
{
	return event_parameter("quantum_us", us);
}

/**
 * struct sums - sums over all watches, in ms
 * @least: see struct watching
 * @said: time armed by their events
 * @most: see struct watching
 */
struct sums {
	int64_t least;
	int64_t said;
	int64_t most;
};

/*
 * After a commit that could not drain, a watch is accounted as armed only once
 * no hit of the old program can arrive any more.
 */
static bool compare(const struct watching *w, struct sums *sums)
{
	const int64_t quantum = QUANTUM_US * 1000LL;
	const int64_t unsaid = w->windows * WINDOW_NS;
	bool ok = true;
	int i;

	for (i = 0; i < WATCHES; i++) {
		int64_t said = w->after[i] - w->before[i];

		sums->least += w->least[i] / 1000000;
		sums->said += said / 1000000;
		sums->most += w->most[i] / 1000000;
		if (said >= w->least[i] - quantum - unsaid &&
		    said <= w->most[i] + quantum)
			continue;
		ksft_print_msg("watch %d: armed %" PRId64 " us, valid %" PRId64
			       " to %" PRId64 " us\n", i, said / 1000,
			       w->least[i] / 1000, w->most[i] / 1000);
		ok = false;
	}
	return ok;
}

/* ---- many watches that rotate -------------------------------------------------- */

static bool open_watches(struct watching *w)
{
	bool ok = true;
	int i;

	for (i = 0; i < WATCHES; i++) {
		struct perf_event_attr attr =
			event_watch(w->va + i * GRANULE, 4, EVENT_STORES);

		w->fd[i] = event_open(&attr, 0, -1);
		ok &= w->fd[i] >= 0;
	}
	for (i = 0; ok && i < WATCHES; i++)
		ok = !session_sync(w->session, w->fd[i], PATIENCE, NULL);
	return ok;
}

static void close_watches(struct watching *w)
{
	int i;

	for (i = 0; i < WATCHES; i++)
		close(w->fd[i]);
}

static void test_turns(struct watching *w, int fd)
{
	struct sample_regs first, last;
	struct sums sums = {};
	bool sampled, same;

	w->windows = -books_device("undrained");
	ask_first(w);
	sampled = sample(w, fd, &first, &last);
	ksft_test_result(sampled, "every valid comparator belongs to a watch\n");
	if (!sampled) {
		ksft_test_result_fail("armed as long as valid\n");
		return;
	}
	ask_last(w, &first, &last);
	w->windows += books_device("undrained");
	same = compare(w, &sums);
	ksft_print_msg("%u samples in %" PRId64 " ms; valid %" PRId64 " to %"
		       PRId64 " ms in all, armed %" PRId64 " ms, %" PRId64
		       " commits undrained\n",
		       w->nr_samples, (last.time - first.time) / 1000000,
		       sums.least, sums.most, sums.said, w->windows);
	/* samples that are too rare prove nothing and are not used */
	if (2 * sums.least < sums.most)
		ksft_test_result_skip("too few samples\n");
	else
		ksft_test_result(same, "armed as long as valid\n");
}

/**
 * struct rig - a context that is resident all the time
 * @gpu: context
 * @out: words that its kernel stores to permanently
 * @quiet: words without accesses
 * @stop: ends the kernel
 */
struct rig {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem quiet;
	struct grun_mem stop;
};

static bool rig_start(struct rig *rig)
{
	return !gpu_open(&rig->gpu, "loop") &&
	       !gpu_buffer(&rig->gpu, &rig->out, SIZE, 0) &&
	       !gpu_buffer(&rig->gpu, &rig->quiet, SIZE, 0) &&
	       !gpu_buffer(&rig->gpu, &rig->stop, SIZE, 0);
}

static bool rig_busy(struct rig *rig)
{
	return !gpu_start(&rig->gpu, "until", 1,
			  GPU_ARGS(rig->out.va, rig->stop.va));
}

static void rig_end(struct rig *rig)
{
	*(volatile uint32_t *)rig->stop.cpu = 1;
	gpu_wait(&rig->gpu, PATIENCE);
	gpu_close(&rig->gpu);
}

/* the sampling thread must not wait for processes whose waves run */
static void be_first(bool yes)
{
	struct sched_param param = { .sched_priority = yes };

	sched_setscheduler(0, yes ? SCHED_FIFO : SCHED_OTHER, &param);
}

static void turns(int session)
{
	struct watching w = { .session = session };
	long quantum = quantum_set(QUANTUM_US);
	int fd = open(SIM "registers", O_RDONLY | O_CLOEXEC);
	struct rig rig;

	if (fd < 0 || quantum < 0 || !rig_start(&rig))
		ksft_exit_fail_msg("no registers, or no context\n");
	w.va = rig.quiet.va;
	if (!open_watches(&w) || !rig_busy(&rig))
		ksft_exit_fail_msg("no watches, or no kernel\n");
	be_first(true);
	test_turns(&w, fd);
	be_first(false);
	quantum_set(quantum);
	close_watches(&w);
	rig_end(&rig);
	close(fd);
}

/* ---- a valid bit that is cleared ------------------------------------------------- */

/* clear it in every control word that has it; returns how many had it */
static int clear_valid(int fd, const struct regs *regs)
{
	unsigned int vmid, n;
	int nr = 0;

	for (vmid = 0; vmid < VMIDS; vmid++)
		for (n = 0; n < SLOTS; n++) {
			uint32_t word = regs->cntl[vmid][n] & ~CNTL_VALID;
			uint64_t reg = WATCH0_ADDR_H + WATCH_STRIDE * n + 2;
			off_t pos = reg * 4 | POS_BY_VMID |
				    (uint64_t)vmid << POS_VMID_SHIFT;

			if (!(regs->cntl[vmid][n] & CNTL_VALID))
				continue;
			if (pwrite(fd, &word, sizeof(word), pos) != sizeof(word))
				return -errno;
			nr++;
		}
	return nr;
}

/* wait until the kernel has executed so many more instructions */
static bool go_on(int64_t more)
{
	int64_t from = books_device("instructions");
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		if (books_device("instructions") - from >= more)
			return true;
		usleep(10000);
	}
	return false;
}

static bool count_grows(int fd)
{
	int64_t from = event_count(fd);
	int i;

	for (i = 0; i < PATIENCE * 100 && event_count(fd) == from; i++)
		usleep(10000);
	return event_count(fd) > from;
}

#define PROGRESS	20000	/* instructions; a store takes about ten */

static void test_gone(struct rig *rig, int session, int registers, int hand)
{
	struct perf_event_attr attr = event_watch(rig->out.va, 4, EVENT_STORES);
	struct perf_event_attr other = event_watch(rig->quiet.va, 4, EVENT_STORES);
	int fd = event_open(&attr, 0, -1), another;
	struct regs regs = {};
	int64_t count;

	/* waves are launched with the traps requested at that time */
	session_sync(session, fd, PATIENCE, NULL);
	ksft_test_result(rig_busy(rig) && count_grows(fd), "hits are counted\n");
	ksft_test_result(read_regs(registers, &regs) &&
			 clear_valid(hand, &regs) == 1, "one valid bit is cleared\n");
	/* let pending hits arrive */
	go_on(PROGRESS);
	books_settle(PATIENCE);
	count = event_count(fd);
	ksft_test_result(go_on(PROGRESS) && books_settle(PATIENCE) &&
			 event_count(fd) == count, "there are no more hits\n");
	another = event_open(&other, 0, -1);
	session_sync(session, another, PATIENCE, NULL);
	ksft_test_result(count_grows(fd), "until the next commit\n");
	close(another);
	close(fd);
}

#define GONE_TESTS	4

static void gone(int session)
{
	int registers = open(SIM "registers", O_RDONLY | O_CLOEXEC);
	int hand = open(SIM "regs", O_RDWR | O_CLOEXEC), i;
	struct rig rig;

	if (hand < 0) {
		for (i = 0; i < GONE_TESTS; i++)
			ksft_test_result_skip("registers cannot be written\n");
		return;
	}
	if (!rig_start(&rig))
		ksft_exit_fail_msg("no context\n");
	test_gone(&rig, session, registers, hand);
	rig_end(&rig);
	close(hand);
	close(registers);
}

int main(void)
{
	int session = session_open();

	ksft_print_header();
	ksft_set_plan(2 + GONE_TESTS);
	if (session < 0)
		ksft_exit_fail_msg("no session\n");
	turns(session);
	gone(session);
	close(session);
	ksft_finished();
}
