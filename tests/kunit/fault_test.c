// SPDX-License-Identifier: GPL-2.0
/*
 * Faults: what the record of a memory violation says of lanes and addresses. An
 * address that may be wrong must not be called exact.
 */
#include <linux/prandom.h>
#include <linux/string.h>

#include "mock.h"

#define SOME		(GPUBP_EXC_FP | GPUBP_EXC_MEM_VIOL | GPUBP_EXC_ILLEGAL)
#define STS_INVALID	BIT(0)		/* gfx90a: isa/gfx9/regs.h */
#define STS_MEM_VIOL	BIT(8)

#define FAULT_VA	0x40000000ULL
#define FAULT_PAGES	8
#define PAGE(n)		(FAULT_VA + (n) * PAGE_SIZE)
#define RO		GPUBP_MAP_READ
#define RW		(GPUBP_MAP_READ | GPUBP_MAP_WRITE)
#define USER		(RW | GPUBP_MAP_USERPTR)
#define BUSY		U32_MAX		/* -EAGAIN */

#define INSN_STORE_X4	0xdc7c8000, 0x007f0200	/* global_store_dwordx4 */
#define INSN_ATOMIC_X2	0xdd888000, 0x007f0200	/* global_atomic_add_x2 */
#define INSN_FLAT	0xdc700000, 0x00000200	/* flat_store_dword */
#define INSN_BUFFER	0xe0701000, 0x80000200	/* offen, v0, s[0:3], 0 */

/* flags of each page at FAULT_VA; 0: nothing is mapped */
static u32 pages[FAULT_PAGES];
static unsigned int asked;	/* calls of mem_translate */
static u32 scalars[4];

static int translate(void *ctx, const struct gpubp_where *where,
		     struct gpubp_mapping *out)
{
	u64 page = (where->va - FAULT_VA) / PAGE_SIZE;

	mock_check_ctx(ctx, "mem_translate");
	asked++;
	if (where->va < FAULT_VA || page >= FAULT_PAGES || !pages[page])
		return -EFAULT;
	if (pages[page] == BUSY)
		return -EAGAIN;
	*out = (struct gpubp_mapping) {
		.start = PAGE(page), .size = PAGE_SIZE, .flags = pages[page],
	};
	return 0;
}

/* the mock has no scalar registers */
static int read_regs(void *dev, u64 wave, const struct gpubp_reg_req *req,
		     unsigned int nr, u32 *out)
{
	if (req->file != GPUBP_REG_SCALAR || req->first)
		return mock_ops.read_wave(dev, wave, req, nr, out);
	memcpy(out, scalars, sizeof(scalars));
	return nr == 1 ? 0 : mock_ops.read_wave(dev, wave, req + 1, nr - 1,
						out + req->count);
}

static struct gpubp_ops ops;

struct kept {
	struct gpubp_hit_record rec;
	u64 addr;
	int nr;
};

static struct kept kept;

static void keep(struct perf_event *event, struct perf_sample_data *data,
		 struct pt_regs *regs)
{
	memcpy(&kept.rec, data->raw->frag.data, sizeof(kept.rec));
	kept.addr = data->addr;
	kept.nr++;
}

static void open_sampled(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct mock *m = test->priv;

	attr.config = GPUBP_KIND_EXCEPTION;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_ADDR;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mock_open_attr(test, &attr, current,
							  keep, NULL));
	mock_settle(m);
}

static int fault_init_caps(struct kunit *test, struct gpubp_caps *caps)
{
	ops = mock_ops;
	ops.mem_translate = translate;
	ops.read_wave = read_regs;
	memset(pages, 0, sizeof(pages));
	caps->exceptions = SOME;
	return mock_init_ops(test, &ops, caps);
}

static int fault_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	return fault_init_caps(test, &caps);
}

/* its waves stop some time after the access */
static int late_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.precise = false;
	return fault_init_caps(test, &caps);
}

static void stop_at(struct kunit *test, struct mock_ctx *c,
		    const struct mock_stop *stop)
{
	int before = kept.nr;

	KUNIT_EXPECT_EQ(test, mock_raise(c, stop), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_ASSERT_EQ(test, kept.nr, before + 1);
}

/* the wave stops behind @insn with a memory violation; the record is kept */
static void violate(struct kunit *test, struct mock_ctx *c, const u32 *insn,
		    u64 exec)
{
	struct mock_stop stop = {
		.pc = mock_put_insn(c, insn[0], insn[1]),
		.exec = exec,
		.trapsts = STS_MEM_VIOL,
	};

	stop_at(test, c, &stop);
	KUNIT_EXPECT_EQ(test, kept.rec.exceptions, (u16)GPUBP_EXC_MEM_VIOL);
}

static void expect_fault(struct kunit *test, u8 state, u64 addr, u64 lanes)
{
	KUNIT_EXPECT_EQ(test, kept.rec.addr_state, state);
	KUNIT_EXPECT_EQ(test, kept.rec.addr, addr);
	KUNIT_EXPECT_EQ(test, kept.addr, addr);
	KUNIT_EXPECT_EQ(test, kept.rec.lanes, lanes);
}

/* ---- one of each kind ---------------------------------------------------- */

/**
 * struct fault_case - lanes 0 to 3 execute an instruction
 * @name: of the test
 * @insn: the instruction
 * @at: addresses of the lanes
 * @state: expected, like the rest: page 0 is RW, 1 RO, 2 USER and 3 BUSY
 * @addr: address
 * @lanes: lanes
 * @access: access
 * @width: its width
 */
struct fault_case {
	const char *name;
	u32 insn[2];
	u64 at[4];
	u8 state;
	u64 addr;
	u64 lanes;
	u8 access;
	u16 width;
};

#define LOAD	GPUBP_ACCESS_LOAD
#define STORE	GPUBP_ACCESS_STORE
#define ATOMIC	GPUBP_ACCESS_ATOMIC
#define END	PAGE(4)		/* nothing is mapped here */
#define FAR	0x1234567890aaULL
#define HOLE	0x1000000000000ULL

static const struct fault_case fault_cases[] = {
	{ "one_lane", { INSN_STORE }, { PAGE(0), PAGE(0) + 4, FAR, PAGE(0) },
	  GPUBP_ADDR_EXACT, FAR, BIT(2), STORE, 4 },
	{ "two_lanes", { INSN_LOAD }, { PAGE(0), END + 8, PAGE(1), END },
	  GPUBP_ADDR_EXACT, END + 8, BIT(1) | BIT(3), LOAD, 4 },
	{ "before_memory", { INSN_STORE_X4 },
	  { PAGE(0) - 1, PAGE(0), PAGE(0) + 1, PAGE(0) + 2 },
	  GPUBP_ADDR_EXACT, PAGE(0) - 1, BIT(0), STORE, 16 },
	{ "last_byte_of_a_lane", { INSN_STORE_X4 },
	  { PAGE(0), PAGE(1) - 16, PAGE(1) - 15, PAGE(0) },
	  GPUBP_ADDR_EXACT, PAGE(1) - 15, BIT(2), STORE, 16 },
	{ "read_only", { INSN_STORE }, { PAGE(0), PAGE(1), PAGE(0), PAGE(1) },
	  GPUBP_ADDR_EXACT, PAGE(1), BIT(1) | BIT(3), STORE, 4 },
	{ "read_only_and_loaded", { INSN_LOAD },
	  { PAGE(0), PAGE(1), PAGE(0), PAGE(1) },
	  GPUBP_ADDR_UNKNOWN, 0, 0xf, LOAD, 4 },
	{ "null", { INSN_ATOMIC }, { PAGE(0), PAGE(0) + 4, 0, PAGE(0) },
	  GPUBP_ADDR_EXACT, 0, BIT(2), ATOMIC, 4 },
	{ "misaligned", { INSN_ATOMIC_X2 },
	  { PAGE(0), PAGE(0) + 8, PAGE(0) + 16, PAGE(0) + 12 },
	  GPUBP_ADDR_EXACT, PAGE(0) + 12, BIT(3), ATOMIC, 8 },
	{ "misaligned_store", { INSN_STORE },
	  { PAGE(0), PAGE(0) + 5, PAGE(0) + 1, PAGE(0) + 2 },
	  GPUBP_ADDR_UNKNOWN, 0, 0xf, STORE, 4 },
	{ "page_of_a_process", { INSN_STORE },
	  { PAGE(0), PAGE(2) + 64, PAGE(2), PAGE(0) },
	  GPUBP_ADDR_BLOCK, PAGE(2), BIT(1) | BIT(2), STORE, 4 },
	{ "two_pages_that_may_be_missing", { INSN_STORE },
	  { PAGE(0), PAGE(0), PAGE(2) + 64, PAGE(3) },
	  GPUBP_ADDR_UNKNOWN, 0, BIT(2) | BIT(3), STORE, 4 },
	{ "mapping_that_is_changing", { INSN_LOAD },
	  { PAGE(0), PAGE(0), PAGE(3) + 8, PAGE(3) + 4 },
	  GPUBP_ADDR_BLOCK, PAGE(3), BIT(2) | BIT(3), LOAD, 4 },
	{ "no_answer_and_no_further_question", { INSN_STORE },
	  { PAGE(0), PAGE(3), PAGE(0), END },
	  GPUBP_ADDR_UNKNOWN, 0, BIT(1) | BIT(2) | BIT(3), STORE, 4 },
	{ "page_of_a_process_and_none", { INSN_STORE },
	  { PAGE(2), END, PAGE(3), PAGE(0) },
	  GPUBP_ADDR_EXACT, END, BIT(1), STORE, 4 },
	{ "mapped_since", { INSN_STORE }, { PAGE(0), PAGE(0), PAGE(0), PAGE(0) },
	  GPUBP_ADDR_UNKNOWN, 0, 0xf, STORE, 4 },
	{ "overwritten_address", { INSN_LOAD_CLOBBER },
	  { END, END, END, END }, GPUBP_ADDR_UNKNOWN, 0, 0xf, LOAD, 4 },
	{ "another_instruction", { INSN_NOPS }, { END, END, END, END },
	  GPUBP_ADDR_UNKNOWN, 0, 0xf, 0, 0 },
	{ "other_aperture", { INSN_FLAT },
	  { PAGE(0), HOLE, PAGE(0), PAGE(2) },
	  GPUBP_ADDR_UNKNOWN, 0, BIT(1) | BIT(3), STORE, 4 },
	{ "other_aperture_and_none", { INSN_FLAT },
	  { PAGE(0), HOLE, END, PAGE(2) },
	  GPUBP_ADDR_EXACT, END, BIT(2), STORE, 4 },
};
KUNIT_ARRAY_PARAM_DESC(fault, fault_cases, name);

static struct mock_ctx *ctx_with_lanes(struct kunit *test, const u64 *at,
				       unsigned int nr)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int lane;

	for (lane = 0; lane < nr; lane++)
		mock_lane_addr(c->m, lane, at[lane]);
	pages[0] = RW;
	pages[1] = RO;
	pages[2] = USER;
	pages[3] = BUSY;
	open_sampled(test);
	return c;
}

static void fault_of(struct kunit *test)
{
	const struct fault_case *p = test->param_value;
	struct mock_ctx *c = ctx_with_lanes(test, p->at, 4);
	bool exact = p->insn[0] != 0xbf800000;

	violate(test, c, p->insn, 0xf);
	expect_fault(test, p->state, p->addr, p->lanes);
	KUNIT_EXPECT_EQ(test, kept.rec.access, p->access);
	KUNIT_EXPECT_EQ(test, kept.rec.width, p->width);
	KUNIT_EXPECT_EQ(test, kept.rec.flags,
			GPUBP_HIT_COORDS | GPUBP_HIT_DISPATCH |
			(exact ? GPUBP_HIT_PC_EXACT : 0));
	KUNIT_EXPECT_EQ(test, kept.rec.pc, MOCK_CODE + (exact ? 0 : 8));
}

static const u64 ends[] = { END, END + 4, END + 8, END + 12 };

static void lanes_that_are_off(struct kunit *test)
{
	const u32 insn[] = { INSN_STORE };

	violate(test, ctx_with_lanes(test, ends, 4), insn, BIT(2) | BIT(3));
	expect_fault(test, GPUBP_ADDR_EXACT, END + 8, BIT(2) | BIT(3));
}

/* the hits of all processes wait for the answer */
static void a_page_is_translated_once(struct kunit *test)
{
	static const u64 at[] = { PAGE(0), PAGE(0) + 4, PAGE(1), PAGE(1) + 8 };
	struct mock_ctx *c = ctx_with_lanes(test, at, 4);
	const u32 insn[] = { INSN_LOAD };

	asked = 0;
	violate(test, c, insn, 0xf);
	KUNIT_EXPECT_EQ(test, asked, 2u);
}

/* it may access nothing of a lane that is not in range with all bytes */
static void lanes_of_a_buffer(struct kunit *test)
{
	static const u64 offsets[] = { 0, 8, 4096, 62 };
	struct mock_ctx *c = ctx_with_lanes(test, offsets, 4);
	const u32 insn[] = { INSN_BUFFER };

	scalars[0] = (u32)END;
	scalars[2] = 64;
	violate(test, c, insn, 0xf);
	expect_fault(test, GPUBP_ADDR_EXACT, END, 0x3);
	violate(test, c, insn, 0xc);
	expect_fault(test, GPUBP_ADDR_UNKNOWN, 0, 0xc);
	violate(test, c, insn, 0x8);
	expect_fault(test, GPUBP_ADDR_BLOCK, END, 0x8);
}

/* also with the bytes that it may not access */
static void lanes_of_a_mapped_buffer(struct kunit *test)
{
	static const u64 offsets[] = { 0, 62, 4096, 0x2000 };
	struct mock_ctx *c = ctx_with_lanes(test, offsets, 4);
	const u32 insn[] = { INSN_BUFFER };

	scalars[0] = (u32)PAGE(0);
	scalars[2] = 64;
	violate(test, c, insn, 0x7);
	expect_fault(test, GPUBP_ADDR_UNKNOWN, 0, 0x4);
}

/* the program set the bit: the store before the s_trap was perhaps not executed */
static void a_violation_before_an_s_trap(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_lanes(test, ends, 4);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 0xf,
		.trapsts = STS_MEM_VIOL,
		.trap_id = 3,
	};

	stop_at(test, c, &stop);
	expect_fault(test, GPUBP_ADDR_UNKNOWN, 0, 0xf);
	KUNIT_EXPECT_EQ(test, kept.rec.access, 0);
}

/* likewise, and the pc is not that of the store */
static void a_violation_before_an_illegal_instruction(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_lanes(test, ends, 4);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 0xf,
		.trapsts = STS_MEM_VIOL,
		.illegal = true,
	};

	stop_at(test, c, &stop);
	KUNIT_EXPECT_EQ(test, kept.rec.exceptions,
			(u16)(GPUBP_EXC_MEM_VIOL | GPUBP_EXC_ILLEGAL));
	expect_fault(test, GPUBP_ADDR_UNKNOWN, 0, 0xf);
	KUNIT_EXPECT_EQ(test, kept.rec.access, 0);
	KUNIT_EXPECT_EQ(test, kept.rec.pc, stop.pc);
	KUNIT_EXPECT_EQ(test, kept.rec.flags & GPUBP_HIT_PC_EXACT, 0);
}

/* the address that a device reports is of no lane */
static void no_active_lane(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_lanes(test, ends, 4);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.trapsts = STS_MEM_VIOL,
	};
	struct gpubp_hit hit = mock_hit(c, &stop);
	int before = kept.nr;

	hit.valid |= GPUBP_HITF_ADDR;
	hit.addr = FAR;
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_ASSERT_EQ(test, kept.nr, before + 1);
	expect_fault(test, GPUBP_ADDR_UNKNOWN, 0, 0);
}

/* without registers nothing is known of the lanes */
static void a_wave_that_is_gone(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_lanes(test, ends, 4);
	const u32 insn[] = { INSN_STORE };

	c->m->wave_gone = true;
	violate(test, c, insn, 0xf);
	expect_fault(test, GPUBP_ADDR_UNKNOWN, 0, 0xf);
	KUNIT_EXPECT_EQ(test, kept.rec.access, STORE);
}

/* others have no data address: theirs is the pc's */
static void other_exceptions(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_lanes(test, ends, 4);
	struct mock_stop stop = { .pc = MOCK_CODE, .exec = 3, .illegal = true };

	stop_at(test, c, &stop);
	expect_fault(test, GPUBP_ADDR_EXACT, MOCK_CODE, 3);
	KUNIT_EXPECT_EQ(test, kept.rec.width, 0);
	stop.illegal = false;
	stop.trapsts = STS_INVALID;
	stop_at(test, c, &stop);
	expect_fault(test, GPUBP_ADDR_UNKNOWN, MOCK_CODE, 3);
	KUNIT_EXPECT_EQ(test, kept.rec.access, 0);
}

/* ---- a model ------------------------------------------------------------- */

#define ROUNDS	300

/**
 * struct model_lane - the verdict of a model that looks at each byte
 * @fails: a byte cannot be accessed
 * @may: it may be that it cannot
 */
struct model_lane {
	bool fails;
	bool may;
};

/* @busy: nothing is asked after the first page that gave no answer */
static void model_byte(u64 va, u8 access, struct model_lane *lane, bool *busy)
{
	u64 page = (va - FAULT_VA) >> PAGE_SHIFT;
	u32 flags = page < FAULT_PAGES ? pages[page] : 0;

	*busy |= flags == BUSY;
	if (*busy)
		lane->may = true;
	else if (access == LOAD ? !(flags & RO) : !(flags & GPUBP_MAP_WRITE))
		lane->fails = true;
	else if (flags & GPUBP_MAP_USERPTR)
		lane->may = true;
}

static struct model_lane model_access(u64 va, u8 access, unsigned int width,
				      bool *busy)
{
	struct model_lane lane = {};
	unsigned int i;

	if (access == ATOMIC && va % width)
		return (struct model_lane) { .fails = true };
	for (i = 0; i < width; i++)
		model_byte(va + i, access, &lane, busy);
	return lane;
}

struct model_fault {
	u64 fails, may, addr, first, last;
};

static struct model_fault model_lanes(const u64 *at, u64 exec, u8 access,
				      unsigned int width)
{
	struct model_fault f = { .first = U64_MAX };
	bool busy = false;
	int i;

	for (i = 0; i < 64; i++) {
		struct model_lane lane;

		if (!(exec >> i & 1))
			continue;
		lane = model_access(at[i], access, width, &busy);
		if (lane.fails) {
			f.addr = f.fails ? f.addr : at[i];
			f.fails |= BIT_ULL(i);
		} else if (lane.may) {
			f.may |= BIT_ULL(i);
			f.first = min(f.first, at[i]);
			f.last = max(f.last, at[i] + width - 1);
		}
	}
	return f;
}

static void expect_model(struct kunit *test, const struct model_fault *f,
			 u64 exec)
{
	if (f->fails)
		expect_fault(test, GPUBP_ADDR_EXACT, f->addr, f->fails);
	else if (f->may && f->first >> PAGE_SHIFT == f->last >> PAGE_SHIFT)
		expect_fault(test, GPUBP_ADDR_BLOCK, f->first & PAGE_MASK,
			     f->may);
	else
		expect_fault(test, GPUBP_ADDR_UNKNOWN, 0, f->may ?: exec);
}

static const struct {
	u32 insn[2];
	u8 access;
	u8 width;
} model_insns[] = {
	{ { INSN_STORE }, STORE, 4 }, { { INSN_STORE_X4 }, STORE, 16 },
	{ { INSN_LOAD }, LOAD, 4 }, { { INSN_ATOMIC }, ATOMIC, 4 },
	{ { INSN_ATOMIC_X2 }, ATOMIC, 8 },
};

/* mostly in @span pages, often at their ends, rarely in the page beside them */
static u64 random_addr(struct rnd_state *rnd, unsigned int span, bool aligned)
{
	u32 r = prandom_u32_state(rnd);
	u64 va = PAGE(r % span) + (r >> 8) % PAGE_SIZE;

	if (r >> 28 < 3)
		va = PAGE(r % (span + 1)) - (r >> 8) % 32;
	return aligned ? va & ~7ULL : va;
}

static void model_round(struct kunit *test, struct mock_ctx *c,
			struct rnd_state *rnd, u64 *at)
{
	static const u32 flags[] = { 0, RW, RW, RW, RW, RO, USER, BUSY };
	u32 r = prandom_u32_state(rnd);
	unsigned int i, n = r % ARRAY_SIZE(model_insns), span = 1 + r / 8 % 8;
	u64 exec = (u64)prandom_u32_state(rnd) << 32 | prandom_u32_state(rnd);
	struct model_fault f;

	exec = r >> 16 & 1 ? exec : 1ULL << (r >> 17) % 64;
	for (i = 0; i < FAULT_PAGES; i++)
		pages[i] = flags[prandom_u32_state(rnd) %
				 (r >> 24 & 1 ? ARRAY_SIZE(flags) : 5)];
	for (i = 0; i < 64; i++) {
		at[i] = random_addr(rnd, span, r >> 25 & 1);
		mock_lane_addr(c->m, i, at[i]);
	}
	violate(test, c, model_insns[n].insn, exec);
	f = model_lanes(at, exec, model_insns[n].access, model_insns[n].width);
	expect_model(test, &f, exec);
	KUNIT_EXPECT_EQ(test, kept.rec.access, model_insns[n].access);
	KUNIT_EXPECT_EQ(test, kept.rec.width, model_insns[n].width);
}

static void as_a_model_says(struct kunit *test)
{
	unsigned int i, states[3] = {};
	struct mock_ctx *c = mock_ctx(test);
	u64 *at = kunit_kcalloc(test, 64, sizeof(*at), GFP_KERNEL);
	struct rnd_state rnd;

	KUNIT_ASSERT_NOT_NULL(test, at);
	prandom_seed_state(&rnd, 20);
	mock_never_throttle(test);
	open_sampled(test);
	for (i = 0; i < ROUNDS && test->status != KUNIT_FAILURE; i++) {
		model_round(test, c, &rnd, at);
		states[kept.rec.addr_state]++;
	}
	/* the rounds are of all kinds */
	for (i = 0; i < ARRAY_SIZE(states); i++)
		KUNIT_EXPECT_GT(test, states[i], ROUNDS / 30);
}

static struct kunit_case fault_test_cases[] = {
	KUNIT_CASE_PARAM(fault_of, fault_gen_params),
	KUNIT_CASE(lanes_that_are_off),
	KUNIT_CASE(a_page_is_translated_once),
	KUNIT_CASE(lanes_of_a_buffer),
	KUNIT_CASE(lanes_of_a_mapped_buffer),
	KUNIT_CASE(a_violation_before_an_s_trap),
	KUNIT_CASE(a_violation_before_an_illegal_instruction),
	KUNIT_CASE(no_active_lane),
	KUNIT_CASE(a_wave_that_is_gone),
	KUNIT_CASE(other_exceptions),
	KUNIT_CASE(as_a_model_says),
	{}
};

static struct kunit_suite fault_test_suite = {
	.name = "gpubp_fault",
	.init = fault_init,
	.exit = mock_exit,
	.test_cases = fault_test_cases,
};

/* ---- devices without precise memory -------------------------------------- */

/* the instruction before the pc proves nothing, nor do the lanes of now */
static void known_of_a_late_stop(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_lanes(test, ends, 4);
	const u32 insn[] = { INSN_STORE };

	violate(test, c, insn, 0xf);
	expect_fault(test, GPUBP_ADDR_UNKNOWN, 0, U64_MAX);
	KUNIT_EXPECT_EQ(test, kept.rec.access, 0);
	KUNIT_EXPECT_EQ(test, kept.rec.pc, MOCK_CODE + 8);
	KUNIT_EXPECT_EQ(test, kept.rec.flags & GPUBP_HIT_PC_EXACT, 0);
}

static struct kunit_case late_test_cases[] = {
	KUNIT_CASE(known_of_a_late_stop),
	{}
};

static struct kunit_suite late_test_suite = {
	.name = "gpubp_fault_late",
	.init = late_init,
	.exit = mock_exit,
	.test_cases = late_test_cases,
};

#define REPORTED	(GPUBP_HITF_PC | GPUBP_HITF_SLOTS | GPUBP_HITF_EXEC | \
			 GPUBP_HITF_EXCEPTIONS | GPUBP_HITF_ADDR)

static int reporting_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;
	struct mock *m = mock_alloc(test);

	caps.exceptions = SOME;
	caps.hit_fields = REPORTED;
	caps.precise = false;
	m->isa = NULL;
	test->priv = m;
	return mock_register(m, &caps);
}

/* the device reports the address, whatever its waves do */
static void reported_by_the_device(struct kunit *test)
{
	struct mock_stop stop = { .pc = MOCK_CODE, .exec = 6 };
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_hit hit = mock_hit(c, &stop);

	open_sampled(test);
	hit.valid |= REPORTED;
	hit.pc = MOCK_CODE;
	hit.exec = 6;
	hit.exceptions = GPUBP_EXC_MEM_VIOL;
	hit.addr = FAR;
	hit.width = 8;
	hit.access = LOAD;
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
	mock_quiesce(test);
	expect_fault(test, GPUBP_ADDR_EXACT, FAR, BIT(1));
	KUNIT_EXPECT_EQ(test, kept.rec.width, 8);
	KUNIT_EXPECT_EQ(test, kept.rec.access, LOAD);
	KUNIT_EXPECT_EQ(test, kept.rec.flags & GPUBP_HIT_PC_EXACT, 0);
}

static struct kunit_case reported_test_cases[] = {
	KUNIT_CASE(reported_by_the_device),
	{}
};

static struct kunit_suite reported_test_suite = {
	.name = "gpubp_fault_reported",
	.init = reporting_init,
	.exit = mock_exit,
	.test_cases = reported_test_cases,
};
kunit_test_suites(&fault_test_suite, &late_test_suite, &reported_test_suite);
