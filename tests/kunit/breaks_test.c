// SPDX-License-Identifier: GPL-2.0
/*
 * Breaks and traps: when the break word is in memory, where stopped waves
 * resume, and what happens on errors.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/buffers.h"
#include "core/quota.h"
#include "event/bind.h"
#include "event/event.h"
#include "mock.h"
#include "trap/break_sched.h"
#include "trap/insn_map.h"
#include "trap/patch.h"
#include "trap/trap.h"
#include "trap/trap_point.h"
#include "trap/xol.h"

#define CODE		MOCK_CODE
#define CODE_SIZE	0x100
#define PAGE_VA		0x7f1000000000ULL	/* of the buffers */
#define LARGE_VA	0x7f2000000000ULL	/* nops; writes are ignored */
#define LARGE_SIZE	GPUBP_CODE_MAX
#define WORD		0xbf920001u		/* s_trap 1 */
#define NOP		0xbf800000u
#define MARK		0xbf800007u		/* s_nop 7 */
#define BRANCH		0xbf820003u		/* s_branch: over three dwords */
#define END		0xbf810000u
#define MOVED		16			/* pcs written */
#define WAIT_MS		60000

/**
 * struct steps - what the provider of this suite adds to the mock
 * @m: the mock
 * @page: memory at PAGE_VA, @size bytes, shared by all contexts
 * @size: 0: no memory
 * @nr_pages: contexts that map @page
 * @run: gpubp_device.visits when large code was last read
 * @decoded: bytes read in that run
 * @most: largest value of @decoded
 * @map: what mem_translate returns for mappings
 * @patched: how often the break word was written
 * @flush_err: what flush returns
 * @flushes: calls of flush for code
 * @no_handler: writes to the program's memory fail
 * @busy: memory accesses that must not wait for the program's memory fail
 * @wave: waves whose pc was written
 * @pc: the pcs that were written
 * @nr: entries of @wave and @pc
 * @gone: write_wave returns -ESRCH
 * @failures: number of further write_wave calls that fail
 * @listed: pcs of all waves that exist
 * @nr_listed: entries of @listed
 */
static struct steps {
	struct mock *m;
	u8 *page;
	size_t size;
	unsigned int nr_pages;
	u64 run;
	u64 decoded;
	u64 most;
	u32 map;
	unsigned int patched;
	int flush_err;
	unsigned int flushes;
	bool no_handler;
	bool busy;
	u64 wave[MOVED];
	u64 pc[MOVED];
	unsigned int nr;
	bool gone;
	unsigned int failures;
	u64 listed[4];
	unsigned int nr_listed;
} steps;

/* ---- the provider -------------------------------------------------------- */

/* buffers take whole pages, a handler does not; either may be first */
static int code_alloc(void *ctx, size_t size, u64 *va)
{
	if (!PAGE_ALIGNED(size))
		return mock_ops.code_alloc(ctx, size, va);
	if (!steps.page)
		steps.page = kvzalloc(size, GFP_KERNEL);
	if (!steps.page)
		return -ENOMEM;
	steps.nr_pages++;
	steps.size = size;
	*va = PAGE_VA;
	return 0;
}

static void code_free(void *ctx, u64 va)
{
	if (va != PAGE_VA)
		return mock_ops.code_free(ctx, va);
	if (--steps.nr_pages)
		return;
	kvfree(steps.page);
	steps.page = NULL;
	steps.size = 0;
}

static bool is_word(const void *buf, size_t len)
{
	const u32 word = WORD;

	return len == sizeof(word) && !memcmp(buf, &word, len);
}

static bool is_large(u64 va)
{
	return va >= LARGE_VA && va - LARGE_VA < LARGE_SIZE;
}

/* whole dwords only */
static ssize_t large_rw(u64 va, u32 *buf, size_t len, bool write)
{
	if (write)
		return len;
	len = min_t(u64, len, LARGE_VA + LARGE_SIZE - va);
	memset32(buf, NOP, len / sizeof(*buf));
	if (steps.run != steps.m->dev->trap->walks)
		steps.decoded = 0;
	steps.run = steps.m->dev->trap->walks;
	steps.decoded += len;
	steps.most = max(steps.most, steps.decoded);
	return len;
}

static ssize_t mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
		      size_t len, unsigned int how)
{
	bool write = how & GPUBP_MEM_WRITE;
	struct mock_ctx *c = ctx;
	u64 va = where->va;
	u8 *mem;

	if (steps.busy && !(how & GPUBP_MEM_WAIT) && va >= CODE &&
	    va < CODE + CODE_SIZE)
		return -EAGAIN;
	if (is_large(va))
		return large_rw(va, buf, len, write);
	if (va >= PAGE_VA && va - PAGE_VA < steps.size)
		mem = steps.page + (va - PAGE_VA);
	else if (write && va >= CODE && va < CODE + CODE_SIZE &&
		 !steps.no_handler)
		mem = c->mem + (va - MOCK_VA);
	else if (write && va >= MOCK_VA && va < MOCK_VA + MOCK_SIZE)
		return -EFAULT;
	else
		return mock_ops.mem_rw(ctx, where, buf, len, how);
	steps.patched += write && is_word(buf, len);
	if (write)
		memcpy(mem, buf, len);
	else
		memcpy(buf, mem, len);
	return len;
}

static int mem_translate(void *ctx, const struct gpubp_where *where,
			 struct gpubp_mapping *out)
{
	out->flags = steps.map;
	return 0;
}

static int flush(void *ctx, u32 what, unsigned int timeout_ms)
{
	if (what != GPUBP_FLUSH_CODE)
		return 0;
	steps.flushes++;
	return steps.flush_err;
}

static int list_waves(void *ctx, struct gpubp_wave_info *out, unsigned int max)
{
	unsigned int i;

	for (i = 0; i < min(max, steps.nr_listed); i++)
		out[i] = (struct gpubp_wave_info) { .pc = steps.listed[i] };
	return steps.nr_listed;
}

static int write_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		      unsigned int nr, const u32 *in)
{
	if (steps.gone)
		return -ESRCH;
	if (steps.failures) {
		steps.failures--;
		return -EINVAL;
	}
	if (nr != 1 || memcmp(req, &gpubp_isa_gfx90a.pc_reg, sizeof(*req)) ||
	    steps.nr == MOVED) {
		mock_complain(steps.m, "unexpected registers written");
		return -EINVAL;
	}
	steps.wave[steps.nr] = wave;
	steps.pc[steps.nr++] = in[0] | (u64)in[1] << 32;
	return 0;
}

static struct gpubp_ops ops;

static int breaks_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;
	int err;

	caps.exceptions = GPUBP_EXC_INT_DIV0;
	ops = mock_ops;
	ops.code_alloc = code_alloc;
	ops.code_free = code_free;
	ops.mem_rw = mem_rw;
	ops.mem_translate = mem_translate;
	ops.flush = flush;
	ops.list_waves = list_waves;
	ops.write_wave = write_wave;
	err = mock_init_ops(test, &ops, &caps);
	steps = (struct steps) { .m = test->priv };
	return err;
}

/* ---- what tests do ------------------------------------------------------- */

static u32 *word_at(struct mock_ctx *c, u64 pc)
{
	return (u32 *)(c->mem + (pc - MOCK_VA));
}

/* a context whose published code consists of nops */
static struct mock_ctx *ctx_with_code(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int i;

	for (i = 0; i < CODE_SIZE; i += 4)
		*word_at(c, CODE + i) = NOP;
	*word_at(c, CODE + 8) = MARK;
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE, CODE_SIZE, "code"),
			0);
	return c;
}

static struct perf_event_attr break_attr(u64 pc)
{
	struct perf_event_attr attr = mock_attr(pc, 0, 0);

	attr.config = GPUBP_KIND_BREAK;
	return attr;
}

static struct perf_event *open_attr(struct kunit *test,
				    struct perf_event_attr *attr)
{
	struct mock *m = test->priv;
	struct perf_event *event;

	event = mock_open_attr(test, attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	mock_settle(m);
	return event;
}

static struct perf_event *open_break(struct kunit *test, u64 pc)
{
	struct perf_event_attr attr = break_attr(pc);

	return open_attr(test, &attr);
}

static struct perf_event *open_trap(struct kunit *test, u32 id)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);

	attr.config = GPUBP_KIND_TRAP | (u64)id << GPUBP_CONFIG_CODE_SHIFT;
	return open_attr(test, &attr);
}

/* a wave executes an s_trap; returns the pc that was written, 0 if none */
static u64 traps(struct kunit *test, struct mock_ctx *c, u64 pc, u8 id)
{
	struct mock_stop stop = { .pc = pc, .exec = 0xf0, .trap_id = id };
	unsigned int before = steps.nr;

	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	mock_quiesce(test);
	return steps.nr > before ? steps.pc[steps.nr - 1] : 0;
}

static unsigned int in_use(struct mock_ctx *c)
{
	guard(mutex)(&c->ctx->dev->lock);
	return gpubp_xol_in_use(c->ctx);
}

/* wait until the break is removed and no wave may still be resuming from it */
static void wait_removed(struct mock_ctx *c)
{
	unsigned int ms;
	bool left = true;

	for (ms = 0; left && ms < WAIT_MS; ms++) {
		gpubp_request_ctx(c->ctx);
		mock_settle(c->m);
		guard(mutex)(&c->m->dev->lock);
		left = !list_empty(&c->ctx->trap->traps.retired);
	}
}

static void close_break(struct mock_ctx *c, struct perf_event *event)
{
	mock_close(c->m, event);
	wait_removed(c);
}

/* the first dword of the XOL buffer of a break */
static u32 buffer_of(struct mock_ctx *c, u64 pc)
{
	struct gpubp_trap_point *trap;

	guard(mutex)(&c->ctx->dev->lock);
	trap = gpubp_trap_find(c->ctx, GPUBP_KIND_BREAK, pc);
	if (!trap || !trap->patch)
		return 0;
	return *(u32 *)(steps.page + (trap->patch->buf->to - PAGE_VA));
}

static int refused_for(struct mock_ctx *c, u64 pc)
{
	struct gpubp_trap_point *trap;

	guard(mutex)(&c->ctx->dev->lock);
	trap = gpubp_trap_find(c->ctx, GPUBP_KIND_BREAK, pc);
	return trap ? trap->err : -ENXIO;
}

static void commit_again(struct mock_ctx *c)
{
	gpubp_request_ctx(c->ctx);
	mock_settle(c->m);
}

/* ---- install and remove -------------------------------------------------- */

static void the_word_is_there_while_wanted(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);
	const u32 *buf = (u32 *)steps.page;
	struct gpubp_account before, after;
	unsigned int i;

	gpubp_event_time_read(event->pmu_private, &before);
	msleep(20);
	gpubp_event_time_read(event->pmu_private, &after);
	KUNIT_EXPECT_GT(test, after.armed, before.armed);
	KUNIT_EXPECT_TRUE_MSG(test, mock_is_idle(c->m), "nothing changes");
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 4), NOP);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 12), NOP);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_EXPECT_EQ(test, buf[0], MARK);
	for (i = 1; i < GPUBP_XOL_SIZE / 4; i++)
		KUNIT_EXPECT_EQ(test, buf[i], WORD);
	close_break(c, event);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
}

static void the_context_goes_first(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	open_break(test, CODE + 8);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	mock_ctx_destroy(c);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
}

/* the program overwrote the break: its new word stays */
static void what_the_program_wrote_stays(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);

	*word_at(c, CODE + 8) = 0x12345678;
	close_break(c, event);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), 0x12345678u);
}

static struct perf_event *closed_in_read;

static ssize_t read_and_close(void *ctx, const struct gpubp_where *where,
			      void *buf, size_t len, unsigned int how)
{
	ssize_t n = mem_rw(ctx, where, buf, len, how);
	struct perf_event *event = closed_in_read;

	closed_in_read = NULL;
	if (event)
		close_break(ctx, event);
	return n;
}

static void reads_see_the_original(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);
	u32 words[4];
	u8 bytes[2];

	KUNIT_EXPECT_EQ(test, gpubp_program_read(c->ctx, CODE, words,
						 sizeof(words), 0),
			(ssize_t)sizeof(words));
	KUNIT_EXPECT_EQ(test, words[1], NOP);
	KUNIT_EXPECT_EQ(test, words[2], MARK);
	KUNIT_EXPECT_EQ(test, gpubp_program_read(c->ctx, CODE + 9, bytes, 2, 0),
			2);
	KUNIT_EXPECT_EQ(test, bytes[0], (u8)(MARK >> 8));
	KUNIT_EXPECT_EQ(test, bytes[1], (u8)(MARK >> 16));
	/* also if the break is removed after memory was read */
	closed_in_read = event;
	c->m->dev->ops.mem_rw = read_and_close;
	KUNIT_EXPECT_EQ(test, gpubp_program_read(c->ctx, CODE, words,
						 sizeof(words), 0),
			(ssize_t)sizeof(words));
	KUNIT_EXPECT_EQ(test, words[2], MARK);
}

/* a wave without traps would be killed by the break word */
static void no_break_before_all_waves_trap(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	c->m->pending = BIT_ULL(0);
	open_break(test, CODE + 8);
	KUNIT_EXPECT_TRUE(test, c->prog.watch_traps);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	KUNIT_EXPECT_EQ_MSG(test, c->m->dev->trap->enable.nr_failed, 0,
			    "this device cannot change running waves");
	c->m->pending = 0;
	gpubp_ctx_settled(c->ctx, c->m->seq);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
}

/* waves that trap, but not for the wanted exception, still run into a break */
static void waves_that_lack_an_exception(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct mock_ctx *c = ctx_with_code(test);

	open_break(test, CODE + 8);
	attr.config = GPUBP_KIND_EXCEPTION |
		      (u64)GPUBP_EXC_INT_DIV0 << GPUBP_CONFIG_CODE_SHIFT;
	c->m->pending = BIT_ULL(0);
	steps.patched = 0;
	open_attr(test, &attr);
	KUNIT_EXPECT_EQ(test, c->prog.exceptions, (u32)GPUBP_EXC_INT_DIV0);
	commit_again(c);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	open_break(test, CODE + 16);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 16), WORD);
	KUNIT_EXPECT_EQ(test, steps.patched, 1u);
}

static void a_reset_puts_it_back(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	open_break(test, CODE + 8);
	*word_at(c, CODE + 8) = MARK;
	memset(steps.page, 0, steps.size);
	mock_reset(c->m);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, *(u32 *)steps.page, MARK);
}

/* waves launched since the reset would be killed by the break word */
static void not_back_before_all_waves_trap(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	open_break(test, CODE + 8);
	*word_at(c, CODE + 8) = MARK;
	memset(steps.page, 0, steps.size);
	c->m->pending = BIT_ULL(0);
	steps.patched = 0;
	mock_reset(c->m);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, steps.patched, 0u);
	c->m->pending = 0;
	gpubp_ctx_settled(c->ctx, c->m->seq);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, *(u32 *)steps.page, MARK);
}

/* ---- waves --------------------------------------------------------------- */

/* a session's step of the previous code at that address is still in progress */
static void other_code_in_a_shared_buffer(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	const u32 mark = MARK;
	struct gpubp_xol_buf *buf;

	/* makes the core install the trap handler */
	open_trap(test, 9);
	KUNIT_ASSERT_EQ(test, gpubp_xol_init(c->ctx), 0);
	scoped_guard(mutex, &c->m->dev->lock)
		buf = gpubp_xol_get(c->ctx, CODE + 8, &mark, 4,
				    GPUBP_XOL_SESSION);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_ASSERT_EQ(test, gpubp_xol_write(c->ctx, buf), 0);
	*word_at(c, CODE + 8) = NOP;
	open_break(test, CODE + 8);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, in_use(c), 2u);
	KUNIT_EXPECT_EQ(test, *(u32 *)steps.page, MARK);
	scoped_guard(mutex, &c->m->dev->lock)
		gpubp_xol_put(buf, GPUBP_XOL_SESSION);
}

/* executed in the buffer it would branch to the wrong address */
static void a_branch_that_cannot_be_done_for_the_wave(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event;

	*word_at(c, CODE + 8) = BRANCH;
	event = open_break(test, CODE + 8);
	steps.failures = 1;
	KUNIT_EXPECT_EQ_MSG(test, traps(test, c, CODE + 8, 1), 0,
			    "the wave stops again");
	KUNIT_EXPECT_EQ(test, traps(test, c, CODE + 8, 1), CODE + 24);
	close_break(c, event);
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
}

/* the buffer is not reused while a wave may be in it */
static void a_wave_that_stays_inside(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);

	traps(test, c, CODE + 8, 1);
	steps.listed[steps.nr_listed++] = PAGE_VA;
	close_break(c, event);
	KUNIT_EXPECT_EQ(test, in_use(c), 1u);
	open_break(test, CODE + 16);
	KUNIT_EXPECT_EQ(test, ((u32 *)steps.page)[0], MARK);
	KUNIT_EXPECT_EQ(test, in_use(c), 2u);
	/* a wave in the trap handler may be about to leave the buffer */
	steps.listed[0] = MOCK_HANDLER_VA;
	commit_again(c);
	KUNIT_EXPECT_EQ(test, in_use(c), 2u);
	/* whatever code the process publishes there */
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, MOCK_HANDLER_VA, 256,
						"forged"), 0);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, in_use(c), 2u);
	/* the wave leaves the buffer although its break was removed */
	KUNIT_EXPECT_EQ(test, traps(test, c, PAGE_VA + 4, 1), CODE + 12);
	KUNIT_EXPECT_EQ(test, in_use(c), 1u);
}

static void a_wave_that_ended_inside(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event;

	*word_at(c, CODE + 8) = END;
	event = open_break(test, CODE + 8);
	KUNIT_EXPECT_EQ(test, traps(test, c, CODE + 8, 1), PAGE_VA);
	/* other waves run code that is not published */
	steps.listed[steps.nr_listed++] = MOCK_VA;
	close_break(c, event);
	open_break(test, CODE + 16);
	commit_again(c);
	KUNIT_EXPECT_EQ(test, in_use(c), 1u);
}

static void a_wave_that_is_gone(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);

	steps.gone = true;
	KUNIT_EXPECT_EQ(test, traps(test, c, CODE + 8, 1), 0);
	close_break(c, event);
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
}

/* the break word was removed between the stop and its resolution */
/* its hit is dropped, but it must not stay at the break */
static void a_wave_that_was_stopped_for_too_long(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);
	struct mock_stop stop = {
		.pc = CODE + 8, .exec = 1, .trap_id = 1,
		.time = ktime_get_ns() - 11 * NSEC_PER_SEC,
	};

	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_ASSERT_EQ(test, steps.nr, 1u);
	KUNIT_EXPECT_EQ(test, steps.pc[0], PAGE_VA);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_STALL), 1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
}

static void a_break_that_is_gone(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	open_break(test, CODE + 16);
	KUNIT_EXPECT_EQ(test, traps(test, c, CODE + 8, 1), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_STALE), 1);
}

static void a_watch_hit_inside_is_the_programs(struct kunit *test)
{
	struct mock_stop stop = { .pc = PAGE_VA + 8, .exec = 1 };
	struct mock_ctx *c = ctx_with_code(test);
	u32 store[] = { INSN_STORE };
	struct perf_event *watch;

	memcpy(word_at(c, CODE + 8), store, sizeof(store));
	open_break(test, CODE + 8);
	watch = mock_open(test, MOCK_VA, 4, GPUBP_ACCESS_STORE);
	mock_settle(c->m);
	mock_lane_addr(c->m, 0, MOCK_VA);
	KUNIT_EXPECT_EQ(test, traps(test, c, CODE + 8, 1), PAGE_VA);
	stop.slots = mock_slots(c, MOCK_VA);
	mock_raise(c, &stop);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(watch), 1);
	KUNIT_EXPECT_EQ_MSG(test, steps.pc[steps.nr - 1], CODE + 16,
			    "the wave leaves the buffer before the guard");
}

/* ---- s_trap -------------------------------------------------------------- */

static void s_traps_by_their_ids(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *three = open_trap(test, 3);
	struct perf_event *one = open_trap(test, 1);

	KUNIT_EXPECT_TRUE(test, c->prog.watch_traps);
	KUNIT_EXPECT_EQ(test, traps(test, c, CODE, 3), 0);
	KUNIT_EXPECT_EQ(test, mock_count(three), 1);
	KUNIT_EXPECT_EQ(test, traps(test, c, CODE, 4), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_TRAP), 1);
	/* the program's own break word: the wave stopped at it */
	*word_at(c, CODE + 4) = WORD;
	KUNIT_EXPECT_EQ(test, traps(test, c, CODE + 4, 1), CODE + 8);
	KUNIT_EXPECT_EQ(test, mock_count(one), 1);
	KUNIT_EXPECT_EQ(test, mock_count(three), 1);
}

static void a_break_on_the_programs_break_word(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *trap = open_trap(test, 1), *event;

	*word_at(c, CODE + 8) = WORD;
	event = open_break(test, CODE + 8);
	KUNIT_EXPECT_EQ(test, traps(test, c, CODE + 8, 1), PAGE_VA);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, mock_count(trap), 0);
	KUNIT_EXPECT_EQ(test, traps(test, c, PAGE_VA, 1), CODE + 12);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, mock_count(trap), 1);
}

/* ---- refusals ------------------------------------------------------------ */

struct refused_case {
	const char *name;
	u64 pc;
	u32 map;
	u32 word;	/* instruction at that address */
	int err;
};

static const struct refused_case refused_cases[] = {
	{ "second_dword", CODE + 12, 0, NOP, -EINVAL },
	{ "no_code_there", CODE + CODE_SIZE, 0, 0, -ENOENT },
	{ "shared_memory", CODE + 4, GPUBP_MAP_SHARED, 0, -EOPNOTSUPP },
	{ "pages_of_a_process", CODE + 4, GPUBP_MAP_USERPTR, 0, -EOPNOTSUPP },
	{ "the_handler", MOCK_HANDLER_VA, 0, 0, -EOPNOTSUPP },
	{ "no_instruction", CODE + 4, 0, 0xffffffff, -EOPNOTSUPP },
	{ "leaves_the_handler", CODE + 4, 0, 0xbe801f6c, -EOPNOTSUPP },
};
KUNIT_ARRAY_PARAM_DESC(refused, refused_cases, name);

static void refused(struct kunit *test)
{
	const struct refused_case *r = test->param_value;
	struct mock_ctx *c = ctx_with_code(test);
	u32 store[] = { INSN_STORE };

	memcpy(word_at(c, CODE + 8), store, sizeof(store));
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, MOCK_HANDLER_VA, 256,
						"forged"), 0);
	/* makes the core install the trap handler */
	open_trap(test, 9);
	if (r->word && r->pc != CODE + 12)
		*word_at(c, r->pc) = r->word;
	steps.map = r->map;
	open_break(test, r->pc);
	KUNIT_EXPECT_EQ(test, refused_for(c, r->pc), r->err);
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
	KUNIT_EXPECT_FALSE(test, c->ctx->trap->traps.nr_patches);
}

static void refused_until_code_comes(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	gpubp_code_destroy(c->ctx, CODE);
	open_break(test, CODE + 8);
	KUNIT_EXPECT_EQ(test, refused_for(c, CODE + 8), -ENOENT);
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE, CODE_SIZE, "code"),
			0);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, refused_for(c, CODE + 8), 0);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
}

/*
 * like a program that loads another library at the address of the previous one
 */
static void other_code_in_its_place(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);

	gpubp_code_destroy(c->ctx, CODE);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, refused_for(c, CODE + 8), -ENOENT);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	*word_at(c, CODE + 8) = NOP;
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE, CODE_SIZE, "new"),
			0);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	/* destroy and create, both before the core can read the code */
	*word_at(c, CODE + 8) = MARK;
	steps.busy = true;
	gpubp_code_destroy(c->ctx, CODE);
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE, CODE_SIZE, "code"),
			0);
	commit_again(c);
	steps.busy = false;
	commit_again(c);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, buffer_of(c, CODE + 8), MARK);
	close_break(c, event);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
}

/* it goes before its bindings do; but for the time of an unmapping, which may fail */
static void code_that_is_gone_is_not_missed(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);
	struct gpubp_account acc;

	gpubp_code_destroy(c->ctx, CODE);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	msleep(20);
	gpubp_event_time_read(event->pmu_private, &acc);
	KUNIT_EXPECT_GT(test, acc.armed, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, acc.resident);
	/* there was none: what it is at may be executed */
	event = open_break(test, CODE + 12);
	msleep(20);
	gpubp_event_time_read(event->pmu_private, &acc);
	KUNIT_EXPECT_GT(test, acc.resident, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
}

/* a debugger's bytes are below the break */
static void what_a_debugger_writes_is_below_it(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);
	const u32 nops[] = { NOP, NOP }, marks[] = { MARK, MARK };
	u32 got[2];

	KUNIT_EXPECT_EQ(test, gpubp_program_write(c->ctx, CODE + 8, nops, 8), 8);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 12), NOP);
	KUNIT_EXPECT_EQ(test, buffer_of(c, CODE + 8), NOP);
	KUNIT_EXPECT_EQ(test, gpubp_program_read(c->ctx, CODE + 8, got, 8, 0), 8);
	KUNIT_EXPECT_EQ(test, got[0], NOP);
	/* a part of the break word */
	KUNIT_EXPECT_EQ(test, gpubp_program_write(c->ctx, CODE + 10,
						  (u8 *)marks + 2, 2), 2);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, gpubp_program_read(c->ctx, CODE + 8, got, 4, 0), 4);
	KUNIT_EXPECT_EQ(test, got[0], (NOP & 0xffff) | (MARK & ~0xffffu));
	KUNIT_EXPECT_EQ(test, gpubp_program_write(c->ctx, CODE + 8, marks, 8), 8);
	mock_settle(c->m);
	close_break(c, event);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 12), MARK);
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
}

/* code that is published elsewhere does not affect a break */
static void more_code_elsewhere(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	open_break(test, CODE + 8);
	steps.patched = 0;
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, MOCK_HANDLER_VA, 256,
						"more"), 0);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, steps.patched, 0u);
}

static void nothing_half_patched(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event;
	unsigned int ms;

	steps.no_handler = true;
	event = open_break(test, CODE + 8);
	KUNIT_EXPECT_EQ(test, refused_for(c, CODE + 8), -EFAULT);
	/* it may be in memory: removed as soon as possible, unasked */
	steps.no_handler = false;
	for (ms = 0; in_use(c) && ms < WAIT_MS; ms++)
		msleep(1);
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
	mock_close(c->m, event);
	steps.flush_err = -ETIMEDOUT;
	open_break(test, CODE + 16);
	KUNIT_EXPECT_EQ(test, refused_for(c, CODE + 16), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 16), NOP);
	steps.flush_err = 0;
	wait_removed(c);
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
}

/* waves may fetch the old word until the code is flushed */
static void not_out_before_it_is_flushed(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);

	steps.flush_err = -ETIMEDOUT;
	mock_close(c->m, event);
	commit_again(c);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	KUNIT_EXPECT_EQ(test, c->ctx->trap->traps.nr_patches, 1u);
	KUNIT_EXPECT_EQ_MSG(test, traps(test, c, CODE + 8, 1), PAGE_VA,
			    "the wave had fetched the break word");
	steps.flushes = 0;
	steps.flush_err = 0;
	commit_again(c);
	KUNIT_EXPECT_GT(test, steps.flushes, 0u);
	wait_removed(c);
	KUNIT_EXPECT_EQ(test, c->ctx->trap->traps.nr_patches, 0u);
	KUNIT_EXPECT_EQ(test, traps(test, c, PAGE_VA + 4, 1), CODE + 12);
}

/* an event that wants the break again gets it after the removal is complete */
static void wanted_again_before_it_is_out(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);

	steps.flush_err = -ETIMEDOUT;
	mock_close(c->m, event);
	commit_again(c);
	event = open_break(test, CODE + 8);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	steps.flush_err = 0;
	commit_again(c);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	close_break(c, event);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
}

/* the removal is retried while the process keeps its address space busy */
static void out_once_its_memory_is_there(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);

	steps.busy = true;
	mock_close(c->m, event);
	commit_again(c);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, c->ctx->trap->traps.nr_patches, 1u);
	steps.busy = false;
	commit_again(c);
	wait_removed(c);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
}

static void the_context_goes_while_its_memory_is_busy(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	open_break(test, CODE + 8);
	steps.busy = true;
	mock_ctx_destroy(c);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
}

/* ---- memory that is unmapped --------------------------------------------- */

static int unmap_err;
static u32 word_then;

static int unmap(void *priv, u64 va, u64 size)
{
	struct mock_ctx *c = priv;

	word_then = *word_at(c, CODE + 8);
	return unmap_err;
}

static void not_in_memory_that_goes(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	unmap_err = 0;
	open_break(test, CODE + 8);
	KUNIT_EXPECT_EQ(test,
			gpubp_mem_unmap(c->ctx, CODE + CODE_SIZE, SZ_4K, unmap),
			0);
	KUNIT_EXPECT_EQ_MSG(test, word_then, WORD,
			    "outside of the break's memory");
	KUNIT_EXPECT_EQ(test, gpubp_mem_unmap(c->ctx, CODE - 4, 4, unmap), 0);
	KUNIT_EXPECT_EQ(test, word_then, WORD);
	KUNIT_EXPECT_EQ(test, gpubp_mem_unmap(c->ctx, CODE, CODE_SIZE, unmap),
			0);
	KUNIT_EXPECT_EQ(test, word_then, MARK);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	KUNIT_EXPECT_EQ_MSG(test, refused_for(c, CODE + 8), -ENOENT,
			    "its code object was unmapped with it");
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE, CODE_SIZE, "code"),
			0);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
}

/* the unmap fails and changes nothing */
static void memory_that_does_not_go(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	unmap_err = -ENOENT;
	word_then = 0;
	open_break(test, CODE + 8);
	steps.no_handler = true;
	KUNIT_EXPECT_EQ(test,
			gpubp_mem_unmap(c->ctx, MOCK_VA, MOCK_SIZE, unmap),
			-EBUSY);
	KUNIT_EXPECT_EQ_MSG(test, word_then, 0,
			    "the break word is still in memory");
	steps.no_handler = false;
	KUNIT_EXPECT_EQ(test,
			gpubp_mem_unmap(c->ctx, MOCK_VA, MOCK_SIZE, unmap),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, word_then, MARK);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
}

static int is_going(void *priv, u64 va, u64 size)
{
	struct mock_ctx *c = priv;

	guard(mutex)(&c->ctx->dev->lock);
	return gpubp_name_is_unmapping(c->ctx, va + size - 4, 4) &&
	       !gpubp_name_is_unmapping(c->ctx, va + size, 4) &&
	       !gpubp_name_is_unmapping(c->ctx, va - 4, 4) ? -EXDEV : 0;
}

static void no_code_comes_to_memory_that_goes(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);

	KUNIT_EXPECT_EQ(test, gpubp_mem_unmap(c->ctx, CODE + CODE_SIZE, SZ_4K,
					      is_going), -EXDEV);
	KUNIT_EXPECT_EQ(test, is_going(c, CODE + CODE_SIZE, SZ_4K), 0);
}

/* ---- hits of removed breaks ---------------------------------------------- */

/* a wave hit the break at @time; the hit is resolved now */
static u64 raise_hit_at(struct kunit *test, struct mock_ctx *c, u64 time)
{
	struct mock_stop stop = {
		.pc = CODE + 8, .exec = 1, .trap_id = 1, .time = time,
	};
	unsigned int before = steps.nr;

	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	mock_quiesce(test);
	return steps.nr > before ? steps.pc[steps.nr - 1] : 0;
}

static void keep_patches(struct kunit *test, unsigned int ms)
{
	static unsigned int was;

	if (!was)
		was = gpubp_patch_keep_ms;
	gpubp_patch_keep_ms = ms ?: was;
}

/* rotate to the second of two breaks of one slot; @time: the first was armed */
static struct perf_event *rotate_away(struct kunit *test, struct mock_ctx *c,
				      u64 *time)
{
	struct perf_event *event = open_break(test, CODE + 8);
	unsigned int ms;

	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	*time = ktime_get_ns();
	open_break(test, CODE + 16);
	for (ms = 0; *word_at(c, CODE + 8) == WORD && ms < WAIT_MS; ms++)
		commit_again(c);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	return event;
}

static void met_in_its_turn(struct kunit *test)
{
	unsigned int slots = gpubp_break_slots;
	struct perf_event *event;
	struct mock_ctx *c;
	u64 time;

	gpubp_break_slots = 1;
	keep_patches(test, WAIT_MS);
	c = ctx_with_code(test);
	event = rotate_away(test, c, &time);
	KUNIT_EXPECT_EQ_MSG(test, raise_hit_at(test, c, time), PAGE_VA,
			    "not at a pc that may hit the next break");
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 1);
	KUNIT_EXPECT_EQ(test, traps(test, c, PAGE_VA + 4, 1), CODE + 12);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	/* it fetched the word before the removal and stopped a little later */
	KUNIT_EXPECT_EQ(test, raise_hit_at(test, c, ktime_get_ns()), PAGE_VA);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_STALE), 0);
	keep_patches(test, 0);
	gpubp_break_slots = slots;
}

/* no event wants it any more, or only one that was opened after the hit */
static void met_before_it_was_closed(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);
	u64 time = ktime_get_ns();

	keep_patches(test, WAIT_MS);
	mock_close(c->m, event);
	commit_again(c);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), MARK);
	KUNIT_EXPECT_EQ(test, raise_hit_at(test, c, time), PAGE_VA);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_STALE), 1);
	event = open_break(test, CODE + 8);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, raise_hit_at(test, c, time), PAGE_VA);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
	KUNIT_EXPECT_NE(test, raise_hit_at(test, c, ktime_get_ns()), 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	keep_patches(test, 0);
	close_break(c, event);
	/* no wave is listed in the buffer any more */
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
}

/* the program now has a break word of its own at that address */
static void met_after_it_was_closed(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_code(test);
	struct perf_event *event = open_break(test, CODE + 8);

	keep_patches(test, WAIT_MS);
	mock_close(c->m, event);
	commit_again(c);
	/* keeps traps enabled */
	open_trap(test, 9);
	*word_at(c, CODE + 8) = WORD;
	KUNIT_EXPECT_EQ(test, raise_hit_at(test, c, ktime_get_ns()), CODE + 12);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_TRAP), 1);
	keep_patches(test, 0);
	wait_removed(c);
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
}

static struct perf_event_attr pinned_by_name(const char *name, u64 at)
{
	struct perf_event_attr attr = mock_attr(at, 0, 0);

	attr.config = GPUBP_KIND_BREAK | GPUBP_CONFIG_NAMED |
		      (u64)gpubp_name_hash(name) << GPUBP_CONFIG_CODE_SHIFT;
	attr.pinned = 1;
	return attr;
}

/* a break by name takes one slot for each object with that name */
static int pin_named(struct kunit *test, const char *name, u64 at)
{
	struct perf_event_attr attr = pinned_by_name(name, at);

	return PTR_ERR_OR_ZERO(mock_open_attr(test, &attr, current, NULL,
					      NULL));
}

/* likewise of all processes, while they run on the first CPU */
static int pin_named_in_all(struct kunit *test, const char *name, u64 at)
{
	struct perf_event_attr attr = pinned_by_name(name, at);

	return PTR_ERR_OR_ZERO(mock_open_on(test, &attr, NULL, 0));
}

static unsigned int nr_pinned(struct mock_ctx *c)
{
	struct gpubp_trap_point *trap;
	unsigned int n = 0;

	mock_settle(c->m);
	guard(mutex)(&c->m->dev->lock);
	list_for_each_entry(trap, &c->ctx->trap->traps.traps, node)
		n += trap->pinned;
	return n;
}

static void publish_many(struct kunit *test, struct mock_ctx *c, unsigned int nr,
			 const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE + 64 * i,
							64, name), 0);
}

#define NR_OBJECTS	40	/* more than there are slots */

/* its names are its own matter */
static void objects_do_not_refuse_breaks_of_all(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *many = mock_ctx_of(test, task_pid(thread));
	struct mock_ctx *one = mock_ctx(test);

	KUNIT_ASSERT_GT(test, NR_OBJECTS + 0u, gpubp_break_slots);
	publish_many(test, many, NR_OBJECTS, "many");
	publish_many(test, one, 1, "many");
	KUNIT_EXPECT_EQ(test, pin_named_in_all(test, "many", 0), 0);
	/* of all objects one is certain, in each context */
	KUNIT_EXPECT_EQ(test, nr_pinned(many), 1u);
	KUNIT_EXPECT_EQ(test, nr_pinned(one), 1u);
	/* it took no more of the others, either */
	KUNIT_EXPECT_EQ(test, pin_named(test, "many", 4), 0);
	KUNIT_EXPECT_EQ(test, nr_pinned(one), 2u);
	/* the next object is the first one then */
	gpubp_code_destroy(many->ctx, CODE);
	KUNIT_EXPECT_EQ(test, nr_pinned(many), 1u);
}

/* the certain one is the first in which the break can be */
static void an_object_that_is_too_small(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE, 8, "small"), 0);
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE + 64, 64, "small"),
			0);
	KUNIT_EXPECT_EQ(test, pin_named_in_all(test, "small", 32), 0);
	KUNIT_EXPECT_EQ(test, nr_pinned(c), 1u);
}

/* with that many slots: at 4 * 3 is the break of all */
static void expect_chosen_of_one(struct kunit *test, struct mock_ctx *c,
				 unsigned int slots)
{
	struct gpubp_trap_point *trap;
	unsigned int first = 0, all = 0;

	guard(mutex)(&c->m->dev->lock);
	gpubp_break_sched_choose(c->ctx, slots);
	list_for_each_entry(trap, &c->ctx->trap->traps.traps, node) {
		KUNIT_EXPECT_EQ(test, trap->err, 0);
		first += trap->chosen && trap->key != CODE + 4 * 3;
		all += trap->chosen;
	}
	KUNIT_EXPECT_EQ(test, first, slots);
	KUNIT_EXPECT_EQ(test, all, slots);
}

/* what is pinned in it comes first, and one slot is for all others */
static void breaks_of_one_do_not_refuse_breaks_of_all(struct kunit *test)
{
	unsigned int slots = gpubp_break_slots, i;
	struct mock_ctx *c = mock_ctx(test);

	gpubp_break_slots = 4;
	publish_many(test, c, 1, "one");
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, pin_named(test, "one", 4 * i), 0);
	KUNIT_EXPECT_EQ(test, pin_named(test, "one", 4 * i), -ENOSPC);
	KUNIT_EXPECT_EQ(test, pin_named_in_all(test, "one", 4 * i), 0);
	KUNIT_EXPECT_EQ(test, nr_pinned(c), 4u);
	for (i = 0; i < 10; i++)
		expect_chosen_of_one(test, c, i % 4);
	gpubp_break_slots = slots;
}

/* more objects than there were when it was opened have no slots of others */
static void later_objects_rotate(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	publish_many(test, c, 2, "more");
	KUNIT_EXPECT_EQ(test, pin_named(test, "more", 0), 0);
	KUNIT_EXPECT_EQ(test, nr_pinned(c), 2u);
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE + 64 * 2, 64,
						"more"), 0);
	KUNIT_EXPECT_EQ(test, nr_pinned(c), 2u);
}

static void a_break_needs_a_slot_an_object(struct kunit *test)
{
	unsigned int slots = gpubp_break_slots;
	struct mock_ctx *c = mock_ctx(test);
	int i;

	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test,
				gpubp_code_create(c->ctx, CODE + 64 * i, 64,
						  i ? "twice" : "once"),
				0);
	gpubp_break_slots = 3;
	KUNIT_EXPECT_EQ(test, pin_named(test, "once", 0), 0);
	KUNIT_EXPECT_EQ_MSG(test, pin_named(test, "twice", 0), -ENOSPC,
			    "one slot stays flexible");
	gpubp_break_slots = 4;
	KUNIT_EXPECT_EQ(test, pin_named(test, "twice", 0), 0);
	KUNIT_EXPECT_EQ(test, pin_named(test, "once", 4), -ENOSPC);
	gpubp_break_slots = slots;
}

/* ---- many ---------------------------------------------------------------- */

#define USER		KUIDT_INIT(40001)
#define MANY		300
#define NR_BREAKS	5

static const u8 kinds[] = {
	GPUBP_KIND_BREAK, GPUBP_KIND_TRAP, GPUBP_KIND_EXCEPTION,
};

static u8 kind_of(unsigned int i)
{
	return kinds[i % ARRAY_SIZE(kinds)];
}

/* unsorted, and the same keys for all kinds */
static u64 key_of(unsigned int i)
{
	return i / ARRAY_SIZE(kinds) * 7 % MANY * 4;
}

static struct gpubp_trap_point *find(struct mock_ctx *c, unsigned int i)
{
	return gpubp_trap_find(c->ctx, kind_of(i), key_of(i));
}

static void get_many(struct kunit *test, struct mock_ctx *c)
{
	struct gpubp_user *user = gpubp_user_lookup(USER, false);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, user);
	guard(mutex)(&c->m->dev->lock);
	for (i = 0; i < MANY; i++) {
		void *trap = gpubp_trap_get(c->ctx, kind_of(i), key_of(i),
					    user, false);

		KUNIT_EXPECT_FALSE(test, IS_ERR(trap));
	}
	gpubp_user_put(user);
}

/* put every second trap, starting at @i */
static void put_half(struct mock_ctx *c, unsigned int i)
{
	struct gpubp_trap_point *trap;

	guard(mutex)(&c->m->dev->lock);
	for (; i < MANY; i += 2) {
		trap = find(c, i);
		if (trap)
			gpubp_trap_free_unused(trap);
	}
}

static void found_by_kind_and_key(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_trap_point *trap;
	unsigned int i;

	get_many(test, c);
	put_half(c, 0);
	scoped_guard(mutex, &c->m->dev->lock)
		for (i = 0; i < MANY; i++) {
			trap = find(c, i);
			KUNIT_EXPECT_EQ(test, !trap, i % 2 == 0);
			if (!trap)
				continue;
			KUNIT_EXPECT_EQ(test, trap->kind, kind_of(i));
			KUNIT_EXPECT_EQ(test, trap->key, key_of(i));
		}
	put_half(c, 1);
}

/* 0 or an errno */
static int get_break(struct mock_ctx *c, struct gpubp_user *user, u64 pc,
		     bool reserved)
{
	guard(mutex)(&c->m->dev->lock);
	return PTR_ERR_OR_ZERO(gpubp_trap_get(c->ctx, GPUBP_KIND_BREAK, pc,
					      user, reserved));
}

static void put_break(struct mock_ctx *c, u64 pc)
{
	guard(mutex)(&c->m->dev->lock);
	gpubp_trap_free_unused(gpubp_trap_find(c->ctx, GPUBP_KIND_BREAK, pc));
}

/* over all contexts; pinned breaks and CAP_PERFMON openers are exempt */
static void a_user_has_no_more_than_he_may(struct kunit *test)
{
	struct gpubp_user *user = gpubp_user_lookup(USER, false);
	struct gpubp_user *other = gpubp_user_lookup(USER, true);
	struct mock_ctx *c[2] = { mock_ctx(test), mock_ctx(test) };
	unsigned int i;

	mock_param(test, "max_breaks_per_user", NR_BREAKS);
	KUNIT_ASSERT_TRUE(test, user && other);
	for (i = 0; i < NR_BREAKS; i++)
		KUNIT_EXPECT_EQ(test,
				get_break(c[i % 2], user, CODE + 4 * i, false),
				0);
	KUNIT_EXPECT_EQ(test, get_break(c[0], user, CODE + 4 * i, false),
			-EDQUOT);
	KUNIT_EXPECT_EQ_MSG(test, get_break(c[0], user, CODE, false), 0,
			    "the break exists already");
	KUNIT_EXPECT_EQ(test, get_break(c[0], other, CODE + 4 * i, false), 0);
	KUNIT_EXPECT_EQ(test, get_break(c[1], user, CODE + 4 * i, true), 0);
	put_break(c[0], CODE + 4 * i);
	put_break(c[1], CODE + 4 * i);
	put_break(c[0], CODE);
	KUNIT_EXPECT_EQ(test, get_break(c[0], user, CODE, false), 0);
	KUNIT_EXPECT_EQ(test, get_break(c[0], user, CODE + 4 * i, false),
			-EDQUOT);
	for (i = 0; i < NR_BREAKS; i++)
		put_break(c[i % 2], CODE + 4 * i);
	gpubp_user_put(user);
	gpubp_user_put(other);
}

/* ---- large code ---------------------------------------------------------- */

#define NR_LARGE	4
#define LARGE_PC	(LARGE_VA + SZ_1M)
#define RUNS		64	/* four times the runs that it takes */

static struct mock_ctx *ctx_with_large_code(struct kunit *test, u64 size)
{
	struct mock_ctx *c = mock_ctx(test);

	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, LARGE_VA, size, "large"),
			0);
	return c;
}

static bool is_installed(struct mock_ctx *c, u64 pc)
{
	struct gpubp_trap_point *trap;

	guard(mutex)(&c->m->dev->lock);
	trap = gpubp_trap_find(c->ctx, GPUBP_KIND_BREAK, pc);
	return trap && trap->patch &&
	       trap->patch->state == GPUBP_PATCH_INSTALLED;
}

/* all wait for a run: more contexts take more runs */
static void one_budget_for_all_contexts(struct kunit *test)
{
	struct mock_ctx *c[NR_LARGE];
	unsigned int i, runs = 0;

	mock_short_quanta(test);
	for (i = 0; i < NR_LARGE; i++)
		c[i] = ctx_with_large_code(test, SZ_4M);
	open_break(test, LARGE_PC);
	for (i = 0; i < NR_LARGE; i++) {
		while (!is_installed(c[i], LARGE_PC) && runs++ < RUNS)
			commit_again(c[i]);
		KUNIT_EXPECT_TRUE(test, is_installed(c[i], LARGE_PC));
	}
	/*
	 * plus the span that is always decoded: the last bytes of a span are
	 * read twice
	 */
	KUNIT_EXPECT_LE(test, steps.most, GPUBP_CODE_BUDGET + SZ_64K + 0ULL);
}

/* it uses up the whole decode budget in each run */
static void expect_turn_beside_busy(struct kunit *test)
{
	struct mock_ctx *busy, *c;
	unsigned int runs;

	mock_short_quanta(test);
	busy = ctx_with_large_code(test, LARGE_SIZE);
	c = ctx_with_large_code(test, SZ_4M);
	open_break(test, LARGE_VA + LARGE_SIZE - 4);
	open_break(test, LARGE_PC);
	for (runs = 0; !is_installed(c, LARGE_PC) && runs < RUNS; runs++) {
		gpubp_code_destroy(busy->ctx, LARGE_VA);
		KUNIT_ASSERT_EQ(test, gpubp_code_create(busy->ctx, LARGE_VA,
							LARGE_SIZE, "large"), 0);
		commit_again(c);
	}
	KUNIT_EXPECT_TRUE(test, is_installed(c, LARGE_PC));
}

static void code_that_changes_all_the_time(struct kunit *test)
{
	expect_turn_beside_busy(test);
}

/* the busy one has the last number of all, the newer one the first */
static void turns_when_numbers_begin_again(struct kunit *test)
{
	gpubp_next_ctx_id = U32_MAX - 1;
	expect_turn_beside_busy(test);
}

static struct kunit_case breaks_test_cases[] = {
	KUNIT_CASE(the_word_is_there_while_wanted),
	KUNIT_CASE(the_context_goes_first),
	KUNIT_CASE(what_the_program_wrote_stays),
	KUNIT_CASE(reads_see_the_original),
	KUNIT_CASE(no_break_before_all_waves_trap),
	KUNIT_CASE(waves_that_lack_an_exception),
	KUNIT_CASE(a_reset_puts_it_back),
	KUNIT_CASE(not_back_before_all_waves_trap),
	KUNIT_CASE(other_code_in_a_shared_buffer),
	KUNIT_CASE(a_branch_that_cannot_be_done_for_the_wave),
	KUNIT_CASE(a_wave_that_stays_inside),
	KUNIT_CASE(a_wave_that_ended_inside),
	KUNIT_CASE(a_wave_that_is_gone),
	KUNIT_CASE(a_wave_that_was_stopped_for_too_long),
	KUNIT_CASE(a_break_that_is_gone),
	KUNIT_CASE(a_watch_hit_inside_is_the_programs),
	KUNIT_CASE(s_traps_by_their_ids),
	KUNIT_CASE(a_break_on_the_programs_break_word),
	KUNIT_CASE_PARAM(refused, refused_gen_params),
	KUNIT_CASE(refused_until_code_comes),
	KUNIT_CASE(other_code_in_its_place),
	KUNIT_CASE(code_that_is_gone_is_not_missed),
	KUNIT_CASE(what_a_debugger_writes_is_below_it),
	KUNIT_CASE(more_code_elsewhere),
	KUNIT_CASE(nothing_half_patched),
	KUNIT_CASE(not_out_before_it_is_flushed),
	KUNIT_CASE(wanted_again_before_it_is_out),
	KUNIT_CASE(out_once_its_memory_is_there),
	KUNIT_CASE(the_context_goes_while_its_memory_is_busy),
	KUNIT_CASE(not_in_memory_that_goes),
	KUNIT_CASE(memory_that_does_not_go),
	KUNIT_CASE(no_code_comes_to_memory_that_goes),
	KUNIT_CASE(met_in_its_turn),
	KUNIT_CASE(met_before_it_was_closed),
	KUNIT_CASE(met_after_it_was_closed),
	KUNIT_CASE(a_break_needs_a_slot_an_object),
	KUNIT_CASE(objects_do_not_refuse_breaks_of_all),
	KUNIT_CASE(an_object_that_is_too_small),
	KUNIT_CASE(breaks_of_one_do_not_refuse_breaks_of_all),
	KUNIT_CASE(later_objects_rotate),
	KUNIT_CASE(found_by_kind_and_key),
	KUNIT_CASE(a_user_has_no_more_than_he_may),
	KUNIT_CASE(one_budget_for_all_contexts),
	KUNIT_CASE(code_that_changes_all_the_time),
	KUNIT_CASE(turns_when_numbers_begin_again),
	{}
};

static struct kunit_suite breaks_test_suite = {
	.name = "gpubp_breaks",
	.init = breaks_init,
	.exit = mock_exit,
	.test_cases = breaks_test_cases,
};
kunit_test_suite(breaks_test_suite);
