// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs: one that runs for each sample of an event and may suppress it,
 * and one for each gpubp:gpubp_hit. Written as instructions, because the guest
 * has no compiler for them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <asm/ptrace.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"

#define SIZE		4096
#define ROUNDS		40	/* fewer than are delivered at once */
#define PERIOD		7
#define PATIENCE	60
#define HIT		"/sys/kernel/tracing/events/gpubp/gpubp_hit/"

/**
 * struct result - value of the map: what a program saw
 * @verdict: return value of the program
 * @nr: number of runs
 * @field: fields of the last run, chosen by the test
 */
struct result {
	uint64_t verdict;
	uint64_t nr;
	uint64_t field[4];
};

/** struct field - location of a field in the program's context */
struct field {
	int size;	/* BPF_DW or BPF_W */
	int offset;
};

/* ---- bpf(2) -------------------------------------------------------------- */

static int bpf(int cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

static int map_create(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(struct result),
		.max_entries = 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static int map_op(int cmd, int map, struct result *result)
{
	uint32_t key = 0;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)result,
	};

	return bpf(cmd, &attr);
}

static struct result result_of(int map)
{
	struct result result = {};

	if (map_op(BPF_MAP_LOOKUP_ELEM, map, &result))
		result.nr = -1;
	return result;
}

/* set the verdict and clear what the program saw */
static int have_return(int map, uint64_t verdict)
{
	struct result result = { .verdict = verdict };

	return map_op(BPF_MAP_UPDATE_ELEM, map, &result);
}

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), \
			    .off = (o), .imm = (i) })
#define LOAD(size, d, s, o)	INSN(BPF_LDX | (size) | BPF_MEM, d, s, o, 0)
#define STORE(size, d, o, s)	INSN(BPF_STX | (size) | BPF_MEM, d, s, o, 0)
#define MOVE(d, s)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, i)		INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD(d, i)		INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define IF_NOT(d, o)		INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, 0)
#define CALL(f)			INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT()			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define ATOMIC_ADD(d, o, s) \
	INSN(BPF_STX | BPF_DW | BPF_ATOMIC, d, s, o, BPF_ADD)

#define RESULT(member)	((int)offsetof(struct result, member))

static unsigned int put_body(struct bpf_insn *insn,
			     const struct field *fields, unsigned int nr)
{
	unsigned int n = 0, i;

	for (i = 0; i < nr; i++) {
		insn[n++] = LOAD(fields[i].size, 1, 6, fields[i].offset);
		insn[n++] = STORE(BPF_DW, 7, RESULT(field) + 8 * i, 1);
	}
	insn[n++] = SET(1, 1);
	insn[n++] = ATOMIC_ADD(7, RESULT(nr), 1);
	insn[n++] = LOAD(BPF_DW, 0, 7, RESULT(verdict));
	insn[n++] = EXIT();
	return n;
}

/* r6 the context, r7 the value of the map */
static unsigned int put_program(struct bpf_insn *insn, int map,
				const struct field *fields, unsigned int nr)
{
	const struct bpf_insn head[] = {
		MOVE(6, 1),
		SET(1, 0),
		STORE(BPF_W, 10, -4, 1),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		MOVE(2, 10),
		ADD(2, -4),
		CALL(BPF_FUNC_map_lookup_elem),
		MOVE(7, 0),
		SET(0, 1),
		IF_NOT(7, 4 + 2 * nr - 1),
	};
	unsigned int n = sizeof(head) / sizeof(*head);

	memcpy(insn, head, sizeof(head));
	return n + put_body(insn + n, fields, nr);
}

static int load(int type, int map, const struct field *fields, unsigned int nr)
{
	struct bpf_insn insn[64];
	char log[4096] = "";
	union bpf_attr attr = {
		.prog_type = type,
		.insns = (uintptr_t)insn,
		.insn_cnt = put_program(insn, map, fields, nr),
		.license = (uintptr_t)"GPL",
		.log_buf = (uintptr_t)log,
		.log_size = sizeof(log),
		.log_level = 1,
	};
	int fd = bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		printf("# bpf: %s: %s\n", strerror(-fd), log);
	return fd;
}

/* ---- the tests ----------------------------------------------------------- */

FIXTURE(bpf) {
	struct gpu gpu;
	struct grun_mem out;
	struct perf_event_attr attr;
	uint64_t addr;
	int map, prog, fd;
};

FIXTURE_SETUP(bpf)
{
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	self->addr = self->out.va + 8;
	self->attr = event_watch(self->addr, 4, EVENT_STORES);
	self->map = map_create();
	ASSERT_LE(0, self->map);
	ASSERT_EQ(0, have_return(self->map, 1));
	self->prog = -1;
	self->fd = -1;
}

FIXTURE_TEARDOWN(bpf)
{
	if (self->fd >= 0)
		close(self->fd);
	if (self->prog >= 0)
		close(self->prog);
	close(self->map);
	gpu_close(&self->gpu);
}

static bool stores(struct gpu *gpu, const struct grun_mem *out)
{
	return !gpu_run(gpu, "repeat", 1, GPU_ARGS(out->va, ROUNDS)) &&
	       books_settle(PATIENCE);
}

/* a number of an event in debugfs */
static int64_t figure(int fd, const char *name)
{
	char line[1024], start[64], *at;
	int64_t value = -1;
	uint64_t id = 0;
	FILE *file;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return -1;
	file = fopen("/sys/kernel/debug/gpubp/events", "re");
	if (!file)
		return -1;
	snprintf(start, sizeof(start), "event %llu ", (unsigned long long)id);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, start, strlen(start)))
			continue;
		at = strstr(line, name);
		if (at)
			value = strtoll(at + strlen(name), NULL, 10);
	}
	fclose(file);
	return value;
}

#if defined(__x86_64__)

static const struct field sample_fields[] = {
	{ BPF_DW, offsetof(struct bpf_perf_event_data, regs.rip) },
	{ BPF_DW, offsetof(struct bpf_perf_event_data, regs.orig_rax) },
	{ BPF_DW, offsetof(struct bpf_perf_event_data, addr) },
	{ BPF_DW, offsetof(struct bpf_perf_event_data, sample_period) },
};

static int attach_to_samples(int map, int fd)
{
	int prog = load(BPF_PROG_TYPE_PERF_EVENT, map, sample_fields, 4);

	if (prog < 0)
		return prog;
	if (!ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog))
		return prog;
	close(prog);
	return -errno;
}

/* samples in the ring with @period, once with each verdict */
static void two_verdicts(struct __test_metadata *_metadata,
			 FIXTURE_DATA(bpf) *self, unsigned int period)
{
	unsigned int due, seen;
	struct sample last = {};
	struct ring ring;
	struct result result;

	event_sample(&self->attr, period);
	self->fd = event_open(&self->attr, 0, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&ring, self->fd, 8));
	self->prog = attach_to_samples(self->map, self->fd);
	ASSERT_LE(0, self->prog);

	ASSERT_TRUE(stores(&self->gpu, &self->out));
	due = ROUNDS / period;
	for (seen = 0; ring_next(&ring, &last); seen++)
		;
	result = result_of(self->map);
	EXPECT_EQ(due, result.nr);
	EXPECT_EQ(due, seen);
	EXPECT_NE(0, last.ip);
	EXPECT_EQ(last.ip, result.field[0]);
	EXPECT_EQ(self->addr, last.addr);
	EXPECT_EQ(self->addr, result.field[1]);
	EXPECT_EQ(0, result.field[2]);
	EXPECT_EQ(period, result.field[3]);
	EXPECT_EQ(0, figure(self->fd, " suppressed "));

	ASSERT_EQ(0, have_return(self->map, 0));
	ASSERT_TRUE(stores(&self->gpu, &self->out));
	due = 2 * ROUNDS / period - due;
	EXPECT_EQ(due, result_of(self->map).nr);
	EXPECT_EQ(0, ring_drain(&ring));
	EXPECT_EQ(due, figure(self->fd, " suppressed "));
	EXPECT_EQ(2 * ROUNDS, figure(self->fd, " matched "));
	EXPECT_EQ(2 * ROUNDS, event_count(self->fd));
	ring_unmap(&ring);
}

TEST_F(bpf, a_program_sees_and_keeps_back_each_hit)
{
	two_verdicts(_metadata, self, 1);
}

/* matched = (samples + suppressed) * period + residue */
TEST_F(bpf, or_each_seventh)
{
	two_verdicts(_metadata, self, PERIOD);
	EXPECT_EQ(2 * ROUNDS, (ROUNDS / PERIOD +
			       figure(self->fd, " suppressed ")) * PERIOD +
			      2 * ROUNDS % PERIOD);
}

TEST_F(bpf, no_second_program)
{
	event_sample(&self->attr, 1);
	self->fd = event_open(&self->attr, 0, -1);
	ASSERT_LE(0, self->fd);
	self->prog = attach_to_samples(self->map, self->fd);
	ASSERT_LE(0, self->prog);
	EXPECT_EQ(-EEXIST, attach_to_samples(self->map, self->fd));
}

#endif

static struct field field_of(const char *name)
{
	struct field field = { BPF_DW, -1 };
	char line[256], want[64];
	int offset, size;
	FILE *file = fopen(HIT "format", "re");

	if (!file)
		return field;
	snprintf(want, sizeof(want), " %s;", name);
	while (fgets(line, sizeof(line), file)) {
		char *at = strstr(line, want);

		if (at && sscanf(at + strlen(want), " offset:%d; size:%d;",
				 &offset, &size) == 2)
			field = (struct field){ size == 8 ? BPF_DW : BPF_W,
						offset };
	}
	fclose(file);
	return field;
}

static int hit_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
	};
	FILE *file = fopen(HIT "id", "re");
	unsigned long long id = 0;

	if (!file)
		return -errno;
	if (fscanf(file, "%llu", &id) != 1)
		id = 0;
	fclose(file);
	attr.config = id;
	return event_open(&attr, -1, 0);
}

TEST_F(bpf, the_tracepoint_tells_whose_hit_it_is)
{
	const struct field fields[] = {
		field_of("pid"), field_of("tid"), field_of("pc"),
		field_of("addr"),
	};
	struct sample last = {};
	struct ring ring;
	struct result result;
	unsigned int i;
	int hits;

	for (i = 0; i < 4; i++)
		ASSERT_LE(0, fields[i].offset);
	event_sample(&self->attr, 1);
	self->fd = event_open(&self->attr, 0, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&ring, self->fd, 8));
	self->prog = load(BPF_PROG_TYPE_TRACEPOINT, self->map, fields, 4);
	ASSERT_LE(0, self->prog);
	hits = hit_event();
	ASSERT_LE(0, hits);
	ASSERT_EQ(0, ioctl(hits, PERF_EVENT_IOC_SET_BPF, self->prog));

	ASSERT_TRUE(stores(&self->gpu, &self->out));
	for (i = 0; ring_next(&ring, &last); i++)
		;
	result = result_of(self->map);
	EXPECT_EQ(ROUNDS, i);
	EXPECT_EQ(ROUNDS, result.nr);
	EXPECT_EQ(getpid(), result.field[0]);
	EXPECT_EQ(syscall(SYS_gettid), result.field[1]);
	EXPECT_EQ(last.ip, result.field[2]);
	EXPECT_EQ(self->addr, result.field[3]);
	close(hits);
	ring_unmap(&ring);
}

TEST_HARNESS_MAIN
