// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints arm, disarm, rotate, step and done, as printed by tracefs:
 * each field is compared with the actions of the program, or with another
 * source: samples, statistics, registers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <linux/gpubp_sim.h>
#include <sys/ioctl.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "event.h"
#include "gpu.h"
#include "session.h"
#include "simdev.h"

#define INSTANCE	"/sys/kernel/tracing/instances/gpubp_selftest"
#define MAX_LINES	20000
#define LINE		256
#define SIZE		4096
#define PAGES		64
#define PATIENCE	60	/* s */
#define STORES		10
#define GRANULE		64
#define SLOTS		4	/* of the software GPU */
#define WATCHES		6
#define QUANTA		20
#define LOOPS		5

/* the registers: isa/gfx9/regs.h */
#define WATCH0_CNTL	0x12a2
#define WATCH_STRIDE	3
#define NR_VMIDS	16
#define CNTL_VALID	0x80000000u

static const char * const points[] = {
	"gpubp_arm", "gpubp_disarm", "gpubp_rotate", "gpubp_step", "gpubp_done",
};

/* ---- tracefs --------------------------------------------------------------- */

/* traced events, one a line, from their names on */
static char lines[MAX_LINES][LINE];
static unsigned int nr_lines;

static int put(const char *file, const char *text)
{
	char path[160];
	int fd, err = 0;

	snprintf(path, sizeof(path), INSTANCE "/%s", file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int trace_all(const char *on)
{
	char file[64];
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		snprintf(file, sizeof(file), "events/gpubp/%s/enable", points[i]);
		err = err ?: put(file, on);
	}
	return err;
}

static int take_lines(void)
{
	FILE *file = fopen(INSTANCE "/trace", "re");
	char line[512], *name;

	nr_lines = 0;
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		name = strstr(line, ": gpubp_");
		if (line[0] == '#' || !name || nr_lines == MAX_LINES)
			continue;
		snprintf(lines[nr_lines++], LINE, "%s", name + 2);
	}
	fclose(file);
	return 0;
}

/* overwritten entries of the buffers, over all CPUs; there must be none */
static unsigned long overruns(void)
{
	unsigned long n, sum = 0;
	char path[160];
	FILE *file;
	int cpu;

	for (cpu = 0; cpu < 64; cpu++) {
		snprintf(path, sizeof(path), INSTANCE "/per_cpu/cpu%d/stats", cpu);
		file = fopen(path, "re");
		if (!file)
			break;
		if (fscanf(file, "entries: %*u overrun: %lu", &n) != 1)
			n = 1;
		sum += n;
		fclose(file);
	}
	return cpu ? sum : 1;
}

/* ---- their fields ----------------------------------------------------------- */

struct slot_line {
	unsigned int dev, ctx, slots;
	unsigned long long watch, start, last;
};

static bool parse_slot(const char *line, const char *name, struct slot_line *s)
{
	size_t len = strlen(name);

	return !strncmp(line, name, len) && line[len] == ':' &&
	       sscanf(line + len, ": dev=%u ctx=%u watch=%llu [0x%llx-0x%llx] slots=0x%x",
		      &s->dev, &s->ctx, &s->watch, &s->start, &s->last,
		      &s->slots) == 6;
}

struct rotate_line {
	unsigned int dev, armed, watches, changed;
	unsigned long long quantum;
	long long ns;
};

static bool parse_rotate(const char *line, struct rotate_line *r)
{
	return sscanf(line, "gpubp_rotate: dev=%u quantum=%llu armed=%u/%u changed=0x%x ns=%lld",
		      &r->dev, &r->quantum, &r->armed, &r->watches,
		      &r->changed, &r->ns) == 6;
}

struct step_line {
	unsigned int dev, ctx;
	unsigned long long wave, pc, to;
	char how[16];
};

static bool parse_step(const char *line, struct step_line *s)
{
	return sscanf(line, "gpubp_step: dev=%u ctx=%u wave=0x%llx pc=0x%llx %15[a-z]=0x%llx",
		      &s->dev, &s->ctx, &s->wave, &s->pc, s->how, &s->to) == 6;
}

struct done_line {
	unsigned int dev;
	unsigned long long wave;
	char where[32];
};

static bool parse_done(const char *line, struct done_line *d)
{
	return sscanf(line, "gpubp_done: dev=%u wave=0x%llx %31s", &d->dev,
		      &d->wave, d->where) == 3;
}

/* the only line with that name for this address; returns how many there are */
static unsigned int find_slot_line(const char *name, uint64_t start,
				   struct slot_line *found)
{
	struct slot_line s;
	unsigned int i, n = 0;

	for (i = 0; i < nr_lines; i++)
		if (parse_slot(lines[i], name, &s) && s.start == start) {
			*found = s;
			n++;
		}
	return n;
}

/* ---- the tests --------------------------------------------------------------- */

FIXTURE(tracepoints) {
	int session;
};

FIXTURE_SETUP(tracepoints)
{
	self->session = session_open();
	ASSERT_LE(0, self->session);
	rmdir(INSTANCE);
	ASSERT_EQ(0, mkdir(INSTANCE, 0700));
	ASSERT_EQ(0, put("buffer_size_kb", "4096"));
	ASSERT_EQ(0, trace_all("1"));
}

FIXTURE_TEARDOWN(tracepoints)
{
	EXPECT_EQ(0, trace_all("0"));
	EXPECT_EQ(0, rmdir(INSTANCE));
	close(self->session);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* comparators whose valid bit is set, in any VMID */
static unsigned int valid_slots(void)
{
	unsigned int vmid, n, valid = 0;
	int fd = simdev_regs(0);

	for (vmid = 1; vmid < NR_VMIDS; vmid++)
		for (n = 0; n < SLOTS; n++)
			if (simdev_read(fd, WATCH0_CNTL + n * WATCH_STRIDE, vmid) &
			    CNTL_VALID)
				valid |= 1u << n;
	close(fd);
	return valid;
}

static unsigned int device_number(int fd)
{
	struct gpubp_sim_info info;

	return ioctl(fd, GPUBP_SIM_INFO, &info) ? ~0u : info.device;
}

static unsigned int context_number(int fd)
{
	struct gpubp_sim_info info;

	return ioctl(fd, GPUBP_SIM_INFO, &info) ? ~0u : info.context;
}

#define EXPECT_SAME(_what, _a, _b) EXPECT_EQ((_a)._what, (_b)._what)

/* a watch is added, hit and removed */
TEST_F(tracepoints, arm_disarm_done)
{
	unsigned int n = 0, i, ctx, dev, slots;
	uint64_t wave[STORES];
	struct slot_line arm = {}, disarm = {};
	struct perf_event_attr attr;
	struct done_line d;
	struct grun_mem out;
	struct sample s;
	struct ring ring;
	struct gpu gpu;
	int fd;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &out, SIZE, 0));
	ctx = context_number(grun_fd(gpu.dev));
	dev = device_number(grun_fd(gpu.dev));
	attr = event_watch(out.va + 8, 4, EVENT_STORES);
	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, PAGES));
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, NULL));
	ASSERT_EQ(0, gpu_run(&gpu, "repeat", 1, GPU_ARGS(out.va, STORES)));
	slots = valid_slots();
	for (i = 0; i < STORES; i++) {
		ASSERT_TRUE(ring_next(&ring, &s));
		wave[i] = s.rec.wave;
	}
	EXPECT_EQ(0, ring_drain(&ring));

	/* the line of a hit comes after its sample */
	ASSERT_TRUE(books_settle(PATIENCE));
	ASSERT_EQ(0, take_lines());
	ASSERT_EQ(1, find_slot_line("gpubp_arm", out.va + 8, &arm));
	EXPECT_EQ(0, find_slot_line("gpubp_disarm", out.va + 8, &disarm));
	EXPECT_EQ(dev, arm.dev);
	EXPECT_EQ(ctx, arm.ctx);
	EXPECT_EQ(s.rec.context, arm.ctx);
	EXPECT_EQ(s.rec.watch, arm.watch);
	EXPECT_EQ(out.va + 11, arm.last);
	EXPECT_EQ(slots, arm.slots);
	EXPECT_EQ(1, __builtin_popcount(arm.slots));

	for (i = 0; i < nr_lines; i++) {
		if (!parse_done(lines[i], &d))
			continue;
		EXPECT_EQ(dev, d.dev);
		EXPECT_TRUE(n < STORES && wave[n] == d.wave) TH_LOG("%s", lines[i]);
		EXPECT_STREQ("delivered", d.where);
		n++;
	}
	EXPECT_EQ(STORES, n);

	ring_unmap(&ring);
	close(fd);
	ASSERT_TRUE(books_idle(PATIENCE));
	ASSERT_EQ(0, take_lines());
	EXPECT_EQ(1, find_slot_line("gpubp_arm", out.va + 8, &arm));
	ASSERT_EQ(1, find_slot_line("gpubp_disarm", out.va + 8, &disarm));
	EXPECT_SAME(dev, arm, disarm);
	EXPECT_SAME(ctx, arm, disarm);
	EXPECT_SAME(watch, arm, disarm);
	EXPECT_SAME(last, arm, disarm);
	EXPECT_SAME(slots, arm, disarm);
	EXPECT_EQ(0, overruns());
	gpu_close(&gpu);
}

/* each hit has its reason: here the watch next to it is not hit */
TEST_F(tracepoints, done_stray)
{
	long filters = event_parameter("handler_filters", 0);
	int64_t before = books_get("stray_bytes");
	struct perf_event_attr attr;
	unsigned int i, n = 0;
	struct done_line d;
	struct grun_mem out;
	struct gpu gpu;
	int fd;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &out, SIZE, 0));
	attr = event_watch(out.va + 8, 4, EVENT_STORES);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, NULL));
	ASSERT_EQ(0, gpu_run(&gpu, "chosen", 1, GPU_ARGS(out.va, 1)));
	/* the line of a hit comes after its wave has resumed */
	ASSERT_TRUE(books_settle(PATIENCE));
	ASSERT_EQ(0, take_lines());
	for (i = 0; i < nr_lines; i++)
		if (parse_done(lines[i], &d)) {
			EXPECT_STREQ("stray_bytes", d.where);
			n++;
		}
	EXPECT_EQ(1, n);
	EXPECT_EQ(before + 1, books_get("stray_bytes"));
	event_parameter("handler_filters", filters);
	close(fd);
	gpu_close(&gpu);
}

/**
 * struct armed - state after the lines so far
 * @watch: armed watches
 * @slots: comparators of each
 * @nr: number of entries
 * @came: comparators of watches that were armed since the last rotation
 * @went: comparators of watches that were disarmed since the last rotation
 */
struct armed {
	unsigned long long watch[SLOTS + WATCHES];
	unsigned int slots[SLOTS + WATCHES];
	unsigned int nr;
	unsigned int came;
	unsigned int went;
};

static int find_armed(const struct armed *a, unsigned long long watch)
{
	unsigned int i;

	for (i = 0; i < a->nr; i++)
		if (a->watch[i] == watch)
			return i;
	return -1;
}

static bool add_armed(struct armed *a, const struct slot_line *s)
{
	if (find_armed(a, s->watch) >= 0 || a->nr == ARRAY_SIZE(a->watch))
		return false;
	a->watch[a->nr] = s->watch;
	a->slots[a->nr++] = s->slots;
	a->came |= s->slots;
	return true;
}

/* false: it was armed in other comparators */
static bool drop_armed(struct armed *a, const struct slot_line *s)
{
	int i = find_armed(a, s->watch);

	if (i < 0 || a->slots[i] != s->slots)
		return false;
	a->watch[i] = a->watch[--a->nr];
	a->slots[i] = a->slots[a->nr];
	a->went |= s->slots;
	return true;
}

/* the last rotation so far */
static struct rotate_line last_rotate(void)
{
	struct rotate_line r, last = {};
	unsigned int i;

	take_lines();
	for (i = 0; i < nr_lines; i++)
		if (parse_rotate(lines[i], &r))
			last = r;
	return last;
}

static bool wait_rotate(bool (*is_there)(const struct rotate_line *r,
					 unsigned long quantum),
			unsigned long quantum)
{
	struct rotate_line r;
	int i;

	for (i = 0; i < PATIENCE * 50; i++) {
		r = last_rotate();
		if (is_there(&r, quantum))
			return true;
		usleep(20000);
	}
	return false;
}

static bool is_past(const struct rotate_line *r, unsigned long quantum)
{
	return r->quantum > quantum;
}

static bool is_empty(const struct rotate_line *r, unsigned long quantum)
{
	return r->quantum > quantum && !r->watches;
}

/* more watches than comparators: arm and disarm lines add up to those of rotate */
TEST_F(tracepoints, rotate)
{
	long percent = event_parameter("max_filter_percent", 0);
	unsigned int i, full = 0, n = 0, min_ns = 0;
	unsigned long first, end;
	struct perf_event_attr attr;
	struct rotate_line r, last = {};
	struct armed a = {};
	struct slot_line s;
	struct grun_mem out, stop;
	struct gpu gpu;
	int fd[WATCHES];
	int64_t commits;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &out, SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&gpu, &stop, SIZE, 0));
	commits = books_state("commits");
	ASSERT_EQ(0, gpu_start(&gpu, "paced", 1,
			       GPU_ARGS(out.va, stop.va, 1000)));
	for (i = 0; i < WATCHES; i++) {
		/* no store hits them */
		attr = event_watch(out.va + SIZE / 2 + i * GRANULE, 4, EVENT_STORES);
		fd[i] = event_open(&attr, 0, -1);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, session_sync(self->session, fd[WATCHES - 1], PATIENCE, NULL));
	first = last_rotate().quantum;
	ASSERT_NE(0, first);
	EXPECT_TRUE(wait_rotate(is_past, first + QUANTA));
	/*
	 * The disarm of an event that is closed while a commit runs precedes
	 * that commit's rotate; the change of its comparator is in the next
	 * one.
	 */
	end = last_rotate().quantum;
	for (i = 0; i < WATCHES; i++)
		close(fd[i]);
	*(volatile uint32_t *)stop.cpu = 1;
	EXPECT_EQ(0, gpu_wait(&gpu, PATIENCE));
	EXPECT_TRUE(wait_rotate(is_empty, end));
	ASSERT_TRUE(books_idle(PATIENCE));
	commits = books_state("commits") - commits;
	ASSERT_EQ(0, take_lines());
	ASSERT_EQ(0, overruns());
	for (i = 0; i < nr_lines; i++) {
		if (parse_slot(lines[i], "gpubp_arm", &s))
			EXPECT_TRUE(add_armed(&a, &s)) TH_LOG("%s", lines[i]);
		if (parse_slot(lines[i], "gpubp_disarm", &s))
			EXPECT_TRUE(drop_armed(&a, &s)) TH_LOG("%s", lines[i]);
		if (!parse_rotate(lines[i], &r))
			continue;
		n += r.changed != 0;
		EXPECT_EQ(device_number(grun_fd(gpu.dev)), r.dev);
		if (r.quantum <= end || !r.watches)
			EXPECT_EQ(a.nr, r.armed) TH_LOG("%s", lines[i]);
		EXPECT_GE(SLOTS, r.armed);
		EXPECT_GE(WATCHES, r.watches);
		EXPECT_LE(r.armed, r.watches);
		/*
		 * comparators of watches that were armed changed; no other did,
		 * except those disarmed
		 */
		EXPECT_EQ(0, a.came & ~r.changed) TH_LOG("%s", lines[i]);
		if (r.quantum <= end)
			EXPECT_EQ(0, r.changed & ~(a.came | a.went))
				TH_LOG("%s", lines[i]);
		EXPECT_LE(0, r.ns);
		min_ns += r.changed && !r.ns;
		if (last.quantum)
			EXPECT_EQ(last.quantum + 1, r.quantum);
		full += r.armed == SLOTS && r.watches == WATCHES;
		a.came = 0;
		a.went = 0;
		last = r;
	}
	EXPECT_EQ(commits, n);
	EXPECT_EQ(0, min_ns);	/* a commit that changes a register takes time */
	EXPECT_LE(QUANTA - 1, full);
	EXPECT_EQ(0, a.nr);
	EXPECT_EQ(0, last.armed);
	EXPECT_EQ(0, last.watches);
	gpu_close(&gpu);
	event_parameter("max_filter_percent", percent);
}

/*
 * Steps from an instruction, done in this way, to @to; 0: to any other address.
 * For a simulated step, "to" is the buffer that it would have used.
 */
static unsigned int steps(struct __test_metadata *_metadata, int context,
			  uint64_t pc, const char *how, uint64_t to)
{
	unsigned int i, n = 0;
	struct step_line s;

	for (i = 0; i < nr_lines; i++) {
		if (!parse_step(lines[i], &s) || s.pc != pc)
			continue;
		EXPECT_EQ(device_number(context), s.dev);
		EXPECT_EQ(context_number(context), s.ctx);
		EXPECT_NE(pc, s.to);
		n += !strcmp(s.how, how) && (to ? s.to == to : 1);
	}
	return n;
}

/* an atomic is executed in a buffer, a branch is simulated */
TEST_F(tracepoints, step)
{
	uint64_t add = BC_PC(BC_LOOP_ADD), branch = BC_PC(BC_LOOP_BRANCH);
	struct breakcode bc;
	int fd[2];

	ASSERT_EQ(0, bc_open(&bc));
	fd[0] = event_open_break(add, 0);
	fd[1] = event_open_break(branch, 0);
	ASSERT_LE(0, fd[0]);
	ASSERT_LE(0, fd[1]);
	ASSERT_EQ(0, session_sync(self->session, fd[0], PATIENCE, NULL));
	ASSERT_EQ(0, session_sync(self->session, fd[1], PATIENCE, NULL));
	ASSERT_EQ(0, bc_run(&bc, BC_LOOP, 1, LOOPS));
	EXPECT_EQ(BC_WAVES * LOOPS, event_count(fd[0]));
	EXPECT_EQ(BC_WAVES * LOOPS, event_count(fd[1]));
	ASSERT_EQ(0, take_lines());
	EXPECT_EQ(0, overruns());

	EXPECT_EQ(BC_WAVES * LOOPS,
		  steps(_metadata, bc.fd, branch, "simulated", 0));
	EXPECT_EQ(0, steps(_metadata, bc.fd, branch, "to", 0));
	/* into a buffer, and from its end to the next instruction */
	EXPECT_EQ(0, steps(_metadata, bc.fd, add, "simulated", 0));
	EXPECT_EQ(BC_WAVES * LOOPS, steps(_metadata, bc.fd, add, "to", add + 8));
	EXPECT_EQ(2 * BC_WAVES * LOOPS, steps(_metadata, bc.fd, add, "to", 0));
	close(fd[0]);
	close(fd[1]);
	bc_close(&bc);
}

TEST_HARNESS_MAIN
