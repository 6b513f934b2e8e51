// SPDX-License-Identifier: GPL-2.0
/*
 * Every bit of PERF_SAMPLE_*, one at a time and all together: each byte of a
 * record is accounted for, and has its expected value. Values that perf core
 * would derive from a GPU address as if it were a CPU address are 0, although
 * the CPU has memory at the same addresses.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <asm/perf_regs.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define SIZE		4096
#define VA		0x320000000000ULL	/* of the GPU, and of the CPU */
#define LANE		5
#define ROUNDS		4
#define PAGES		16
#define PATIENCE	60	/* s */
#define STACK		4096	/* of stack bytes in a sample */
#define MAGIC		0x5ca1ab1e0ddba11ULL
#define CGROUPS		"/tmp/samples-cgroup"
#define FORMAT_ID	"/sys/kernel/tracing/events/gpubp/gpubp_hit/id"

/* missing from some headers */
#define SAMPLE_DATA_PAGE_SIZE	(1U << 22)
#define SAMPLE_CODE_PAGE_SIZE	(1U << 23)
#define SAMPLE_WEIGHT_STRUCT	(1U << 24)
#define SAMPLE_BITS		25

#define ALL_BITS	(((1U << SAMPLE_BITS) - 1) & \
			 ~(PERF_SAMPLE_BRANCH_STACK | SAMPLE_WEIGHT_STRUCT))

#define REGS	(1ULL << PERF_REG_X86_SP | 1ULL << PERF_REG_X86_IP | \
		 1ULL << PERF_REG_X86_CS | 1ULL << PERF_REG_X86_SS | \
		 1ULL << PERF_REG_X86_FLAGS | 1ULL << PERF_REG_X86_R12)
#define NR_REGS	6

enum { AT_SP, AT_IP, AT_FLAGS, AT_CS, AT_SS, AT_R12 };

#define FORMAT	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST | \
		 PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* a group of two, in the layout of FORMAT */
struct group_read {
	uint64_t nr, enabled, running;
	struct {
		uint64_t value, id, lost;
	} member[2];
};

struct regs {
	uint64_t abi;
	uint64_t reg[NR_REGS];
};

/* a parsed sample; fields that are not in it are all ones */
struct parsed {
	uint64_t identifier, ip, time, addr, id, stream_id, period;
	uint32_t pid, tid, cpu, cpu_reserved;
	struct group_read read;
	uint64_t nr_ips, ips[64];
	uint32_t raw_size;
	struct gpubp_hit_record raw;
	struct regs user, intr;
	uint64_t stack_size, stack_filled;
	unsigned char stack[STACK];
	uint64_t weight, data_src, txn, phys, cgroup, data_page, code_page, aux;
};

/* ---- parser ---------------------------------------------------------------- */

struct cursor {
	const unsigned char *at, *end;
	bool bad;
};

static void take(struct cursor *c, void *to, size_t len)
{
	if (c->bad || (size_t)(c->end - c->at) < len) {
		c->bad = true;
		return;
	}
	memcpy(to, c->at, len);
	c->at += len;
}

static void take_regs(struct cursor *c, struct regs *regs)
{
	take(c, &regs->abi, sizeof(regs->abi));
	if (regs->abi)
		take(c, regs->reg, sizeof(regs->reg));
}

static void take_stack(struct cursor *c, struct parsed *p)
{
	take(c, &p->stack_size, sizeof(p->stack_size));
	if (!p->stack_size || p->stack_size > STACK) {
		c->bad |= p->stack_size > STACK;
		return;
	}
	take(c, p->stack, p->stack_size);
	take(c, &p->stack_filled, sizeof(p->stack_filled));
}

static void take_callchain(struct cursor *c, struct parsed *p)
{
	take(c, &p->nr_ips, sizeof(p->nr_ips));
	if (p->nr_ips > sizeof(p->ips) / sizeof(p->ips[0]))
		c->bad = true;
	else
		take(c, p->ips, p->nr_ips * sizeof(p->ips[0]));
}

static void take_raw(struct cursor *c, struct parsed *p)
{
	take(c, &p->raw_size, sizeof(p->raw_size));
	c->bad |= p->raw_size != sizeof(p->raw);
	take(c, &p->raw, sizeof(p->raw));
}

#define TAKE(bit, field) do {						\
	if (type & (bit))						\
		take(&c, &p->field, sizeof(p->field));			\
} while (0)

/* fields in the order of perf_event_open(2); false unless each byte belongs to a field */
static bool parse(const unsigned char *body, size_t len, uint32_t type,
		  struct parsed *p)
{
	struct cursor c = { body, body + len };

	memset(p, 0xff, sizeof(*p));
	TAKE(PERF_SAMPLE_IDENTIFIER, identifier);
	TAKE(PERF_SAMPLE_IP, ip);
	TAKE(PERF_SAMPLE_TID, pid);
	TAKE(PERF_SAMPLE_TID, tid);
	TAKE(PERF_SAMPLE_TIME, time);
	TAKE(PERF_SAMPLE_ADDR, addr);
	TAKE(PERF_SAMPLE_ID, id);
	TAKE(PERF_SAMPLE_STREAM_ID, stream_id);
	TAKE(PERF_SAMPLE_CPU, cpu);
	TAKE(PERF_SAMPLE_CPU, cpu_reserved);
	TAKE(PERF_SAMPLE_PERIOD, period);
	TAKE(PERF_SAMPLE_READ, read);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_callchain(&c, p);
	if (type & PERF_SAMPLE_RAW)
		take_raw(&c, p);
	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(&c, &p->user);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(&c, p);
	TAKE(PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, weight);
	TAKE(PERF_SAMPLE_DATA_SRC, data_src);
	TAKE(PERF_SAMPLE_TRANSACTION, txn);
	if (type & PERF_SAMPLE_REGS_INTR)
		take_regs(&c, &p->intr);
	TAKE(PERF_SAMPLE_PHYS_ADDR, phys);
	TAKE(PERF_SAMPLE_CGROUP, cgroup);
	TAKE(SAMPLE_DATA_PAGE_SIZE, data_page);
	TAKE(SAMPLE_CODE_PAGE_SIZE, code_page);
	TAKE(PERF_SAMPLE_AUX, aux);
	return !c.bad && c.at == c.end;
}

/* copy the next record of a ring; returns its length, 0 if there is none */
static size_t next_record(struct ring *ring, unsigned char *record)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct perf_event_header header;
	size_t i;

	if (tail == head)
		return 0;
	for (i = 0; i < sizeof(header); i++)
		((unsigned char *)&header)[i] = ring->data[(tail + i) & (ring->size - 1)];
	for (i = 0; i < header.size; i++)
		record[i] = ring->data[(tail + i) & (ring->size - 1)];
	__atomic_store_n(&ring->page->data_tail, tail + header.size,
			 __ATOMIC_RELEASE);
	return header.size;
}

/* ---- expected values ------------------------------------------------------- */

/* known properties of the hits */
static struct {
	struct gpubp_sim_info info;
	uint64_t since;			/* ns of CLOCK_MONOTONIC */
	uint64_t until;
	uint64_t stack[2];		/* of the thread, lowest and highest */
	uint64_t cgroup;
	uint64_t pc;
	uint32_t before;		/* last stored value */
	uint16_t tracepoint;
	int cpu;
	bool wide;			/* the events are CPU-wide, not of the task */
} known;

static bool is_kernel_address(uint64_t v)
{
	return v >= 0xffff800000000000ULL && v != UINT64_MAX;
}

/* the first of the words that looks like a kernel address, or -1 */
static int leak(const void *words, size_t bytes)
{
	uint64_t v;
	size_t i;

	for (i = 0; i + sizeof(v) <= bytes; i += sizeof(v)) {
		memcpy(&v, (const char *)words + i, sizeof(v));
		if (is_kernel_address(v))
			return i;
	}
	return -1;
}

#define EXPECT_NO_LEAK(object) \
	EXPECT_EQ(-1, leak(&(object), sizeof(object))) TH_LOG(#object)

/* layout of struct trace_entry */
struct common {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt_count;
	int32_t pid;
};

static void check_raw(struct __test_metadata *_metadata,
		      const struct gpubp_hit_record *r, unsigned int nth)
{
	struct common common;

	memcpy(&common, &r->common, sizeof(common));
	EXPECT_EQ(known.tracepoint, common.type);
	/* the interrupted task, like in every tracepoint */
	EXPECT_TRUE(known.wide || common.pid == getpid());
	EXPECT_EQ(VA + 4 * LANE, r->addr);
	EXPECT_EQ(known.pc, r->pc);
	EXPECT_EQ(1ULL << LANE, r->lanes);
	EXPECT_EQ(~0ULL, r->exec);
	EXPECT_EQ(nth ? nth - 1 : known.before, r->old_value);
	EXPECT_EQ(nth, r->new_value) TH_LOG("hit %u", nth);
	EXPECT_LE(known.since, r->gpu_time);
	EXPECT_GE(known.until, r->gpu_time);
	EXPECT_LT(0, r->dispatch);
	EXPECT_LT(0, r->watch);
	EXPECT_FALSE(is_kernel_address(r->watch));
	EXPECT_FALSE(is_kernel_address(r->wave));
	EXPECT_EQ(known.info.context, r->context);
	EXPECT_EQ(1, r->queue);
	EXPECT_EQ(0, r->wg_x);
	EXPECT_EQ(0, r->wg_y);
	EXPECT_EQ(0, r->wg_z);
	EXPECT_EQ(1, r->nr_merged);
	EXPECT_EQ(4, r->width);
	EXPECT_EQ(GPUBP_HIT_PC_EXACT | GPUBP_HIT_OLD_VALUE | GPUBP_HIT_NEW_VALUE |
		  GPUBP_HIT_COORDS | GPUBP_HIT_DISPATCH | GPUBP_HIT_BYTES |
		  GPUBP_HIT_DATA | GPUBP_HIT_SEEN | GPUBP_HIT_NOW, r->flags);
	EXPECT_EQ(VA + 4 * LANE, r->hit_addr);
	EXPECT_EQ(4, r->hit_len);
	EXPECT_EQ(nth, r->data);
	EXPECT_EQ(0, r->before);
	EXPECT_EQ(r->old_value, r->seen);
	EXPECT_EQ(r->new_value, r->now);
	EXPECT_EQ(GPUBP_ADDR_EXACT, r->addr_state);
	EXPECT_EQ(GPUBP_ACCESS_STORE, r->access);
	EXPECT_EQ(4, r->value_len);
	EXPECT_EQ(known.info.device, r->device);
	EXPECT_EQ(0, r->wave_in_group);
	EXPECT_EQ(0, r->exceptions);
	EXPECT_EQ(GPUBP_KIND_WATCH, r->kind);
	EXPECT_EQ(0, r->trap_id);
	EXPECT_NO_LEAK(*r);
}

/* registers of the CPU: the owner's, in user mode */
static void check_regs(struct __test_metadata *_metadata, const struct regs *r)
{
	if (known.wide) {
		EXPECT_EQ(PERF_SAMPLE_REGS_ABI_NONE, r->abi);
		return;
	}
	EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, r->abi);
	EXPECT_LE(known.stack[0], r->reg[AT_SP]);
	EXPECT_GE(known.stack[1], r->reg[AT_SP]);
	EXPECT_EQ(3, r->reg[AT_CS] & 3);
	EXPECT_EQ(3, r->reg[AT_SS] & 3);
	EXPECT_EQ(1 << 1, r->reg[AT_FLAGS] & 1 << 1);
	EXPECT_NO_LEAK(*r);
}

extern const char __executable_start[], etext[];

/* where the owner waits; the event interrupted a GPU wave */
static void check_user_regs(struct __test_metadata *_metadata,
			    const struct regs *r)
{
	check_regs(_metadata, r);
	if (known.wide)
		return;
	EXPECT_LE((uintptr_t)__executable_start, r->reg[AT_IP]);
	EXPECT_GT((uintptr_t)etext, r->reg[AT_IP]);
}

/* from the GPU's pc to the frames of the task that waits for it */
static void check_callchain(struct __test_metadata *_metadata,
			    const struct parsed *p)
{
	unsigned int i;

	EXPECT_TRUE(known.wide ? p->nr_ips == 2 : p->nr_ips >= 2);
	EXPECT_EQ((uint64_t)PERF_CONTEXT_USER, p->ips[0]);
	EXPECT_EQ(known.pc, p->ips[1]);
	for (i = 1; i < p->nr_ips; i++)
		EXPECT_FALSE(is_kernel_address(p->ips[i]))
			TH_LOG("frame %u: %#lx", i, p->ips[i]);
}

static void check_stack(struct __test_metadata *_metadata, const struct parsed *p)
{
	const uint64_t magic[4] = { MAGIC, ~MAGIC, MAGIC, ~MAGIC };
	uint64_t filled = p->stack_filled;

	if (known.wide) {
		EXPECT_EQ(0, p->stack_size);
		return;
	}
	EXPECT_LT(0, p->stack_size);
	EXPECT_GE(p->stack_size, filled);
	EXPECT_LE(sizeof(magic), filled);
	EXPECT_NE(NULL, memmem(p->stack, filled, magic, sizeof(magic)));
}

static void check_read(struct __test_metadata *_metadata,
		       const struct group_read *r, const uint64_t id[2],
		       unsigned int nth)
{
	EXPECT_EQ(2, r->nr);
	EXPECT_LT(0, r->running);
	EXPECT_LE(r->running, r->enabled);
	EXPECT_EQ(nth + 1, r->member[0].value);
	EXPECT_EQ(id[0], r->member[0].id);
	EXPECT_EQ(id[1], r->member[1].id);
	EXPECT_EQ(0, r->member[0].lost);
	EXPECT_EQ(0, r->member[1].value);
	EXPECT_EQ(0, r->member[1].lost);
}

#define IF(bit) if (type & (bit))

static void check(struct __test_metadata *_metadata, const struct parsed *p,
		  uint32_t type, const uint64_t id[2], unsigned int nth)
{
	union perf_mem_data_src src = { .val = p->data_src };

	IF(PERF_SAMPLE_IDENTIFIER) EXPECT_EQ(id[0], p->identifier);
	IF(PERF_SAMPLE_IP) EXPECT_EQ(known.pc, p->ip);
	IF(PERF_SAMPLE_TID) EXPECT_EQ(getpid(), p->pid);
	IF(PERF_SAMPLE_TID) EXPECT_EQ(getpid(), p->tid);
	IF(PERF_SAMPLE_TIME) EXPECT_LE(known.since, p->time);
	IF(PERF_SAMPLE_TIME) EXPECT_GE(known.until, p->time);
	IF(PERF_SAMPLE_ADDR) EXPECT_EQ(VA + 4 * LANE, p->addr);
	IF(PERF_SAMPLE_ID) EXPECT_EQ(id[0], p->id);
	IF(PERF_SAMPLE_STREAM_ID) EXPECT_EQ(id[0], p->stream_id);
	IF(PERF_SAMPLE_CPU) EXPECT_EQ(known.cpu, p->cpu);
	IF(PERF_SAMPLE_CPU) EXPECT_EQ(0, p->cpu_reserved);
	IF(PERF_SAMPLE_PERIOD) EXPECT_EQ(1, p->period);
	IF(PERF_SAMPLE_READ) check_read(_metadata, &p->read, id, nth);
	IF(PERF_SAMPLE_CALLCHAIN) check_callchain(_metadata, p);
	IF(PERF_SAMPLE_RAW) check_raw(_metadata, &p->raw, nth);
	IF(PERF_SAMPLE_REGS_USER) check_user_regs(_metadata, &p->user);
	IF(PERF_SAMPLE_STACK_USER) check_stack(_metadata, p);
	IF(PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT) EXPECT_EQ(1, p->weight);
	IF(PERF_SAMPLE_DATA_SRC) EXPECT_EQ(PERF_MEM_OP_STORE, (uint64_t)src.mem_op);
	IF(PERF_SAMPLE_TRANSACTION) EXPECT_EQ(0, p->txn);
	IF(PERF_SAMPLE_REGS_INTR) check_regs(_metadata, &p->intr);
	IF(PERF_SAMPLE_PHYS_ADDR) EXPECT_EQ(0, p->phys);
	IF(PERF_SAMPLE_CGROUP) EXPECT_EQ(known.cgroup, p->cgroup);
	IF(SAMPLE_DATA_PAGE_SIZE) EXPECT_EQ(0, p->data_page);
	IF(SAMPLE_CODE_PAGE_SIZE) EXPECT_EQ(0, p->code_page);
	IF(PERF_SAMPLE_AUX) EXPECT_EQ(0, p->aux);
}

/* ---- events ---------------------------------------------------------------- */

/* a group of two, led by the sampling event */
struct pair {
	int fd[2];
	uint64_t id[2];
	uint32_t type;
	struct ring ring;
};

static struct perf_event_attr attr_of(uint32_t type)
{
	struct perf_event_attr attr = event_watch(VA + 4 * LANE, 4, EVENT_STORES);

	attr.sample_period = 1;
	attr.sample_type = type;
	attr.read_format = FORMAT;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	if (type & PERF_SAMPLE_BRANCH_STACK)
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	if (type & PERF_SAMPLE_REGS_USER)
		attr.sample_regs_user = REGS;
	if (type & PERF_SAMPLE_REGS_INTR)
		attr.sample_regs_intr = REGS;
	if (type & PERF_SAMPLE_STACK_USER)
		attr.sample_stack_user = STACK;
	return attr;
}

static int open_pair(struct pair *pair, uint32_t type)
{
	struct perf_event_attr attr = attr_of(type);
	pid_t pid = known.wide ? -1 : 0;
	int cpu = known.wide ? known.cpu : -1;

	pair->type = type;
	pair->fd[0] = event_open(&attr, pid, cpu);
	if (pair->fd[0] < 0)
		return pair->fd[0];
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.config1 = 0;
	attr.config2 = 0;
	attr.sample_period = 0;
	attr.sample_type = 0;
	attr.sample_regs_user = 0;
	attr.sample_regs_intr = 0;
	attr.sample_stack_user = 0;
	pair->fd[1] = syscall(SYS_perf_event_open, &attr, pid, cpu,
			      pair->fd[0], 0);
	pair->id[0] = session_id(pair->fd[0]);
	pair->id[1] = session_id(pair->fd[1]);
	return pair->fd[1] < 0 ? -errno : ring_map(&pair->ring, pair->fd[0], PAGES);
}

static void close_pair(struct pair *pair)
{
	ring_unmap(&pair->ring);
	close(pair->fd[1]);
	close(pair->fd[0]);
}

/* ---- the hits -------------------------------------------------------------- */

static uint64_t first_number_of(const char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t n = 0;

	if (file && fscanf(file, "%lu", &n) != 1)
		n = 0;
	if (file)
		fclose(file);
	return n;
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* enter a cgroup of its own, so that its id is not the default; 0 or -errno */
static int enter_cgroup(void)
{
	struct stat st;

	mkdir(CGROUPS, 0700);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL) && errno != EBUSY)
		return -errno;
	/* perf's controller is in all cgroups once one is enabled */
	write_text(CGROUPS "/cgroup.subtree_control", "+pids");
	mkdir(CGROUPS "/samples", 0700);
	if (stat(CGROUPS "/samples", &st))
		return -errno;
	known.cgroup = st.st_ino;
	return write_text(CGROUPS "/samples/cgroup.procs", "0");
}

static void leave_cgroup(void)
{
	write_text(CGROUPS "/cgroup.procs", "0");
	write_text(CGROUPS "/cgroup.subtree_control", "-pids");
	rmdir(CGROUPS "/samples");
	umount2(CGROUPS, MNT_DETACH);
}

static int stay_on_this_cpu(void)
{
	known.cpu = sched_getcpu();
	return run_on_cpu(0, known.cpu);
}

/* map CPU memory at the addresses of GPU memory, and make it present */
static bool shadow(uint64_t va)
{
	char *page = mmap((void *)(va & -SIZE), SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (page == MAP_FAILED)
		return errno == EEXIST;
	*(volatile char *)page = 1;
	return true;
}

FIXTURE(samples) {
	struct gpu gpu;
	struct grun_mem mem;
	struct pair pair;
};

/* with recognizable data on the stack */
static __attribute__((noinline)) int run(struct gpu *gpu,
					 const struct grun_mem *mem)
{
	volatile uint64_t magic[4] = { MAGIC, ~MAGIC, MAGIC, ~MAGIC };
	int ret;

	known.before = ((volatile uint32_t *)mem->cpu)[LANE];
	known.since = now_ns();
	ret = gpu_run(gpu, "repeat", 1, GPU_ARGS(VA, ROUNDS));
	if (!ret && !books_settle(PATIENCE))
		ret = -ETIME;
	known.until = now_ns();
	return magic[0] == MAGIC ? ret : -EIO;
}

static void find_stack(void)
{
	char line[256];
	FILE *maps = fopen("/proc/self/maps", "re");

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]"))
			sscanf(line, "%lx-%lx", &known.stack[0], &known.stack[1]);
	if (maps)
		fclose(maps);
}

FIXTURE_VARIANT(samples) {
	bool wide;
};

FIXTURE_VARIANT_ADD(samples, of_a_task) { .wide = false };
FIXTURE_VARIANT_ADD(samples, of_a_cpu) { .wide = true };

FIXTURE_SETUP(samples)
{
	unsigned char record[65536];
	struct parsed p;
	struct pair pair;

	ASSERT_EQ(0, stay_on_this_cpu());
	ASSERT_EQ(0, enter_cgroup());
	mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);
	known.tracepoint = first_number_of(FORMAT_ID);
	ASSERT_LT(0, known.tracepoint);
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->mem, SIZE, VA));
	known.info = *grun_info(self->gpu.dev);
	find_stack();
	known.wide = variant->wide;

	/* the compiler determines the pc */
	ASSERT_EQ(0, open_pair(&pair, PERF_SAMPLE_RAW));
	ASSERT_EQ(0, run(&self->gpu, &self->mem));
	ASSERT_LT(0, next_record(&pair.ring, record));
	ASSERT_TRUE(parse(record + 8, ((struct perf_event_header *)record)->size - 8,
			  PERF_SAMPLE_RAW, &p));
	known.pc = p.raw.pc;
	close_pair(&pair);
	ASSERT_TRUE(shadow(VA)) TH_LOG("%#llx", VA);
	ASSERT_TRUE(shadow(known.pc)) TH_LOG("%#lx", known.pc);
}

FIXTURE_TEARDOWN(samples)
{
	gpu_close(&self->gpu);
	munmap((void *)VA, SIZE);
	leave_cgroup();
}

static void check_ring(struct __test_metadata *_metadata, struct pair *pair)
{
	unsigned char record[65536];
	struct perf_event_header header;
	unsigned int nr = 0;
	struct parsed p;
	size_t len;

	while ((len = next_record(&pair->ring, record))) {
		memcpy(&header, record, sizeof(header));
		ASSERT_EQ(PERF_RECORD_SAMPLE, header.type);
		EXPECT_EQ(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP,
			  header.misc);
		ASSERT_TRUE(parse(record + sizeof(header), len - sizeof(header),
				  pair->type, &p))
			TH_LOG("sample_type %#x: %zu bytes", pair->type, len);
		check(_metadata, &p, pair->type, pair->id, nr);
		nr++;
	}
	EXPECT_EQ(ROUNDS, nr) TH_LOG("sample_type %#x", pair->type);
}

/* 25 groups of the same watch, each with one bit: each hit is a sample of each */
TEST_F(samples, bit_by_bit)
{
	struct pair pair[SAMPLE_BITS];
	unsigned int bit;

	for (bit = 0; bit < SAMPLE_BITS; bit++) {
		int want = 1U << bit == PERF_SAMPLE_BRANCH_STACK ? -EOPNOTSUPP : 0;

		ASSERT_EQ(want, open_pair(&pair[bit], 1U << bit))
			TH_LOG("bit %u", bit);
	}
	ASSERT_EQ(0, run(&self->gpu, &self->mem));
	for (bit = 0; bit < SAMPLE_BITS; bit++) {
		if (1U << bit == PERF_SAMPLE_BRANCH_STACK)
			continue;
		check_ring(_metadata, &pair[bit]);
		close_pair(&pair[bit]);
	}
}

TEST_F(samples, all_bits)
{
	static const uint32_t types[] = {
		ALL_BITS, (ALL_BITS & ~PERF_SAMPLE_WEIGHT) | SAMPLE_WEIGHT_STRUCT,
	};
	struct pair pair;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, open_pair(&pair, types[i]));
		ASSERT_EQ(0, run(&self->gpu, &self->mem));
		check_ring(_metadata, &pair);
		close_pair(&pair);
	}
	EXPECT_EQ(-EINVAL, open_pair(&pair, 1U << SAMPLE_BITS));
	EXPECT_EQ(-EINVAL, open_pair(&pair, PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT));
}

/* ---- effects of the hits on memory -------------------------------------------- */

struct operation {
	unsigned int access;
	uint64_t addr;
	uint64_t op, lock;
};

static union perf_mem_data_src source_of(struct gpu *gpu, const struct operation *o,
					 const uint64_t buffer[3])
{
	struct perf_event_attr attr = event_watch(o->addr, 4, o->access);
	union perf_mem_data_src none = {};
	struct sample sample;
	struct ring ring;
	int fd, ret;

	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	if (fd < 0 || ring_map(&ring, fd, PAGES))
		return none;
	/* a store and an atomic; then a load and a store */
	ret = gpu_run(gpu, "counted", 1, GPU_ARGS(buffer[0], buffer[1], 1)) ?:
	      gpu_run(gpu, "on_demand", 1, GPU_ARGS(buffer[0], buffer[2], buffer[1]));
	if (!ret && books_settle(PATIENCE) && ring_next(&ring, &sample))
		none.val = sample.data_src;
	ring_unmap(&ring);
	close(fd);
	return none;
}

TEST(operations)
{
	uint64_t buffer[3];
	struct operation o[] = {
		{ GPUBP_ACCESS_STORE, 0, PERF_MEM_OP_STORE, PERF_MEM_LOCK_NA },
		{ GPUBP_ACCESS_ATOMIC, 0, PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE,
		  PERF_MEM_LOCK_LOCKED },
		{ GPUBP_ACCESS_LOAD, 0, PERF_MEM_OP_LOAD, PERF_MEM_LOCK_NA },
	};
	struct grun_mem mem[3];
	struct gpu gpu;
	unsigned int i;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, gpu_buffer(&gpu, &mem[i], SIZE, 0));
		buffer[i] = mem[i].va;
		o[i].addr = mem[i].va;
	}
	*(volatile uint32_t *)mem[2].cpu = 2;	/* "on_demand" stops at once */
	for (i = 0; i < 3; i++) {
		union perf_mem_data_src src = source_of(&gpu, &o[i], buffer);

		EXPECT_EQ(o[i].op, (uint64_t)src.mem_op) TH_LOG("row %u", i);
		EXPECT_EQ(o[i].lock, (uint64_t)src.mem_lock) TH_LOG("row %u", i);
		EXPECT_EQ(PERF_MEM_LVL_NA, (uint64_t)src.mem_lvl);
		EXPECT_EQ(PERF_MEM_SNOOP_NA, (uint64_t)src.mem_snoop);
		EXPECT_EQ(PERF_MEM_TLB_NA, (uint64_t)src.mem_dtlb);
	}
	gpu_close(&gpu);
}

TEST_HARNESS_MAIN
