// SPDX-License-Identifier: GPL-2.0
/*
 * Precise stops: pending accesses of waves, how they are resolved, and where
 * the kernel places breaks of its own.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event/event.h"
#include "event/reconcile.h"
#include "lib/budget.h"
#include "mock.h"
#include "sched/sched.h"
#include "sched/watch.h"
#include "trap/patch.h"
#include "trap/pending_access.h"
#include "trap/precise.h"
#include "trap/trap.h"
#include "trap/xol.h"

#define CODE		MOCK_CODE
#define CODE_SIZE	0x200
#define PAGE_VA		0x7f1000000000ULL	/* of the buffers */
#define WORD		0xbf920001u		/* s_trap 1 */
#define DRAIN		0xbf8c0000u		/* s_waitcnt 0 */
#define NOP		0xbf800000u
#define DATA		(MOCK_VA + 0x40)
#define GUARD		12	/* its offset in an access's buffer */
#define LOADED		(GPUBP_HIT_BYTES | GPUBP_HIT_DATA | GPUBP_HIT_BEFORE)
#define LOADS		8u	/* of ctx_with_loads() */
#define AGAIN		(MOCK_WAVES - 1)	/* a wave that is never resumed */

static const u32 clobber[] = { INSN_LOAD_CLOBBER };

/* buffer_load_format_x v5, v0, s[0:3], 0 offen */
static const u32 format[] = { 0xe0001000, 0x80000500 };

/**
 * struct provider - what the provider of this suite adds to the mock
 * @page: memory at PAGE_VA, @size bytes of it
 * @size: 0: no memory
 * @pc: the last one written to a wave; 0 none
 * @again: a wave that stops once more
 */
static struct provider {
	u8 *page;
	size_t size;
	u64 pc;
	u64 again;
} provider;

static struct gpubp_hit_record kept;	/* of the last sample */
static unsigned int old_escalations, old_idle, old_slots;

/* ---- the provider -------------------------------------------------------- */

static int code_alloc(void *ctx, size_t size, u64 *va)
{
	struct mock_ctx *c = ctx;

	if (!c->code_size)
		return mock_ops.code_alloc(ctx, size, va);
	provider.page = kvzalloc(size, GFP_KERNEL);
	provider.size = size;
	*va = PAGE_VA;
	return provider.page ? 0 : -ENOMEM;
}

static void code_free(void *ctx, u64 va)
{
	if (va != PAGE_VA)
		return mock_ops.code_free(ctx, va);
	kvfree(provider.page);
	provider.page = NULL;
	provider.size = 0;
}

static u8 *memory(struct mock_ctx *c, u64 va, bool write)
{
	if (va >= PAGE_VA && va - PAGE_VA < provider.size)
		return provider.page + (va - PAGE_VA);
	if (write && va >= CODE && va < CODE + CODE_SIZE)
		return c->mem + (va - MOCK_VA);
	return NULL;
}

static ssize_t mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
		      size_t len, unsigned int how)
{
	bool write = how & GPUBP_MEM_WRITE;
	u8 *mem = memory(ctx, where->va, write);

	if (!mem)
		return mock_ops.mem_rw(ctx, where, buf, len, how);
	if (write)
		memcpy(mem, buf, len);
	else
		memcpy(buf, mem, len);
	return len;
}

static int flush(void *ctx, u32 what, unsigned int timeout_ms)
{
	return 0;
}

static int read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		     unsigned int nr, u32 *out)
{
	return mock_ops.read_wave(dev, wave == provider.again ? AGAIN : wave,
				  req, nr, out);
}

static int write_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		      unsigned int nr, const u32 *in)
{
	provider.pc = in[0] | (u64)in[1] << 32;
	return 0;
}

static struct gpubp_ops ops;

static int precise_init(struct kunit *test)
{
	ops = mock_ops;
	ops.code_alloc = code_alloc;
	ops.code_free = code_free;
	ops.mem_rw = mem_rw;
	ops.flush = flush;
	ops.read_wave = read_wave;
	ops.write_wave = write_wave;
	provider = (struct provider) { .again = U64_MAX };
	old_escalations = gpubp_max_precise_points;
	old_idle = gpubp_precise_idle_ms;
	old_slots = gpubp_break_slots;
	gpubp_precise_idle_ms = 3600000;
	return mock_init_ops(test, &ops, &mock_caps);
}

static void precise_exit(struct kunit *test)
{
	mock_exit(test);
	gpubp_max_precise_points = old_escalations;
	gpubp_precise_idle_ms = old_idle;
	gpubp_break_slots = old_slots;
}

/* ---- what tests do ------------------------------------------------------- */

static u32 *word_at(struct mock_ctx *c, u64 pc)
{
	return (u32 *)(c->mem + (pc - MOCK_VA));
}

static u64 load_at(unsigned int nr)
{
	return CODE + 16 * nr;
}

/*
 * a context whose code is nops, and loads that overwrite their address register
 */
static struct mock_ctx *ctx_with_loads(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int i;

	for (i = 0; i < CODE_SIZE; i += 4)
		*word_at(c, CODE + i) = NOP;
	for (i = 0; i < LOADS; i++)
		memcpy(word_at(c, load_at(i)), clobber, sizeof(clobber));
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE, CODE_SIZE, "code"),
			0);
	return c;
}

static struct perf_event *open_watch(struct kunit *test)
{
	struct mock *m = test->priv;
	struct perf_event *event = mock_open(test, DATA, 4, GPUBP_ACCESS_LOAD);

	mock_settle(m);
	return event;
}

static struct perf_event *open_break(struct kunit *test, u64 pc)
{
	struct perf_event_attr attr = mock_attr(pc, 0, 0);
	struct mock *m = test->priv;
	struct perf_event *event;

	attr.config = GPUBP_KIND_BREAK;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	mock_settle(m);
	return event;
}

static void close_event(struct mock_ctx *c, struct perf_event *event)
{
	mock_close(c->m, event);
	mock_settle(c->m);
	/* drop the state that the close left behind */
	gpubp_request_ctx(c->ctx);
	mock_settle(c->m);
}

static void keep(struct perf_event *event, struct perf_sample_data *data,
		 struct pt_regs *regs)
{
	memcpy(&kept, data->raw->frag.data, sizeof(kept));
}

/* a watch of the kernel's own, which may not patch code */
static struct perf_event *open_sampled(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(DATA, 4, GPUBP_ACCESS_LOAD);
	struct mock *m = test->priv;
	struct perf_event *event;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	event = mock_open_attr(test, &attr, current, keep, test);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	mock_settle(m);
	return event;
}

/* a wave loads watched data and stops behind the load */
static void load(struct kunit *test, struct mock_ctx *c, u64 at)
{
	struct mock_stop stop = {
		.pc = at + sizeof(clobber), .exec = 1,
		.slots = mock_slots(c, DATA),
	};

	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	mock_quiesce(test);
	mock_settle(c->m);
}

/* a wave stops at a load of @addr; returns its id */
static u64 stop_at_load(struct kunit *test, struct mock_ctx *c, u64 at,
			u64 addr)
{
	struct mock_stop stop = { .pc = at, .exec = 1, .trap_id = 1 };
	struct gpubp_hit hit;

	mock_lane_addr(c->m, 0, addr);
	hit = mock_hit(c, &stop);
	provider.pc = 0;
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
	mock_quiesce(test);
	/* the load overwrites its address */
	mock_lane_addr(c->m, 0, 0);
	return hit.wave;
}

/* the wave stops inside the buffer; returns the pc at which it resumes */
static u64 stop_inside(struct kunit *test, struct mock_ctx *c, u64 wave,
		       unsigned int at, u32 slots)
{
	struct mock_stop stop = {
		.pc = PAGE_VA + at, .exec = 1, .slots = slots,
		.trap_id = at >= GUARD,
	};
	struct gpubp_hit hit = mock_hit(c, &stop);

	hit.wave = wave;
	provider.again = wave;
	provider.pc = 0;
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
	mock_quiesce(test);
	provider.again = U64_MAX;
	return provider.pc;
}

static unsigned int nr_pending(struct mock_ctx *c)
{
	guard(mutex)(&c->m->dev->lock);
	return c->ctx->trap->precise.pending.nr;
}

static unsigned int patched(struct mock_ctx *c)
{
	unsigned int i, n = 0;

	for (i = 0; i < LOADS; i++)
		n += *word_at(c, load_at(i)) == WORD;
	return n;
}

/* ---- pending accesses ---------------------------------------------------- */

static void a_note_makes_it_exact(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *event = open_watch(test);
	const u32 *buf;
	u64 at = load_at(1), wave;

	open_sampled(test);
	load(test, c, at);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_POSSIBLE), 1);
	KUNIT_EXPECT_EQ(test, *word_at(c, at), WORD);
	buf = (u32 *)provider.page;
	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_EXPECT_EQ(test, buf[0], clobber[0]);
	KUNIT_EXPECT_EQ(test, buf[1], clobber[1]);
	KUNIT_EXPECT_EQ(test, buf[2], DRAIN);
	KUNIT_EXPECT_EQ(test, buf[3], WORD);

	wave = stop_at_load(test, c, at, DATA);
	KUNIT_EXPECT_EQ(test, provider.pc, PAGE_VA);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 1u);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STEP), 1);
	/* it loads into v0, which had the address */
	c->m->vgprs[0][0] = 0xabcd;
	KUNIT_EXPECT_EQ(test, kept.flags & LOADED, 0);
	KUNIT_EXPECT_EQ(test, kept.data | kept.before, 0);
	KUNIT_EXPECT_EQ(test, stop_inside(test, c, wave, 8,
					  mock_slots(c, DATA)), at + 8);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_POSSIBLE), 1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	KUNIT_EXPECT_EQ(test, kept.pc, at);
	KUNIT_EXPECT_EQ(test, kept.addr, DATA);
	KUNIT_EXPECT_EQ(test, kept.flags & LOADED, LOADED);
	KUNIT_EXPECT_EQ(test, kept.hit_addr, DATA);
	KUNIT_EXPECT_EQ(test, kept.hit_len, 4);
	KUNIT_EXPECT_EQ(test, kept.data, 0xabcd);
	KUNIT_EXPECT_EQ(test, kept.before, 0xabcd);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 0u);
	close_event(c, event);
	KUNIT_EXPECT_EQ(test, *word_at(c, at), clobber[0]);
}

/* an access to neighbouring bytes in the compared block is no hit */
static void who_has_none_met_nothing(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *event = open_watch(test);
	u64 wave;

	load(test, c, CODE);
	wave = stop_at_load(test, c, CODE, DATA + 8);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 0u);
	stop_inside(test, c, wave, 8, mock_slots(c, DATA));
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

/*
 * its registers were unreadable: the access may have been to the watched bytes
 */
static void who_was_not_looked_at(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *event = open_watch(test);
	u64 wave;

	load(test, c, CODE);
	c->m->wave_gone = true;
	wave = stop_at_load(test, c, CODE, DATA);
	c->m->wave_gone = false;
	/* another wave, which is read, says nothing about the first one */
	stop_at_load(test, c, CODE, DATA + 8);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 0u);
	stop_inside(test, c, wave, 8, mock_slots(c, DATA));
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_POSSIBLE), 2);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
}

/* nor could the stop check a watch that was opened later */
static void a_watch_that_came_meanwhile(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *event = open_watch(test), *later;
	u64 wave;

	load(test, c, CODE);
	wave = stop_at_load(test, c, CODE, DATA + 8);
	later = mock_open(test, DATA + 8, 4, GPUBP_ACCESS_LOAD);
	mock_settle(c->m);
	stop_inside(test, c, wave, 8, mock_slots(c, DATA + 8));
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 0);
	KUNIT_EXPECT_EQ(test, mock_count(later), 1);
	/* the point stays as it is of use to the later one */
	stop_at_load(test, c, CODE, DATA + 8);
	close_event(c, event);
	KUNIT_EXPECT_EQ(test, patched(c), 1u);
}

/* what it loads is known behind the load, and its address from before it */
static void a_condition_on_what_it_loads(struct kunit *test)
{
	static const struct gpubp_condition is_abcd = {
		.type = GPUBP_VALUE_U32, .low = 0xabcd, .high = 0xabcd,
	};
	struct perf_event_attr attr = mock_attr(DATA, 4, GPUBP_ACCESS_LOAD);
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *event;
	struct gpubp_event *gev;
	u64 wave;

	attr.config2 = mock_with_condition(4, mock_condition(test, &is_abcd));
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	gev = event->pmu_private;
	mock_settle(c->m);
	load(test, c, CODE);
	KUNIT_EXPECT_EQ(test, atomic64_read(&gev->possible), 1);

	wave = stop_at_load(test, c, CODE, DATA);
	c->m->vgprs[0][0] = 0xabcd;
	stop_inside(test, c, wave, 8, mock_slots(c, DATA));
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	KUNIT_EXPECT_EQ(test, atomic64_read(&gev->possible), 1);
	wave = stop_at_load(test, c, CODE, DATA);
	c->m->vgprs[0][0] = 0xabce;
	stop_inside(test, c, wave, 8, mock_slots(c, DATA));
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	KUNIT_EXPECT_EQ(test, atomic64_read(&gev->filtered), 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_VALUE), 1);
}

/* its descriptor has how many bytes it accesses */
static void a_formatted_access_has_no_point(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *event = open_watch(test);

	memcpy(word_at(c, load_at(1)), format, sizeof(format));
	load(test, c, load_at(1));
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_POSSIBLE), 1);
	KUNIT_EXPECT_EQ(test, patched(c), 0u);
}

static void no_hit_came_of_it(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *event = open_watch(test);
	u64 wave;

	load(test, c, CODE);
	wave = stop_at_load(test, c, CODE, DATA);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 1u);
	KUNIT_EXPECT_EQ(test, stop_inside(test, c, wave, GUARD, 0), CODE + 8);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 0u);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STEP), 2);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

/* the wave left one buffer and is in another one, whose access did not match */
static void a_hit_told_late_is_no_exact_stray(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *event = open_watch(test);
	u64 wave, count;
	unsigned int i;

	c->m->dev->desc.caps.precise = false;
	/* four accesses before the pc are candidates */
	load(test, c, load_at(1));
	KUNIT_EXPECT_EQ(test, patched(c), 2u);
	/* reported in time: exact, and so is the next one */
	for (i = 0; i < 2; i++) {
		wave = stop_at_load(test, c, load_at(0), DATA);
		stop_inside(test, c, wave, provider.pc - PAGE_VA + 8,
			    mock_slots(c, DATA));
	}
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 2);
	count = mock_count(event);
	wave = stop_at_load(test, c, load_at(0), DATA);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 1u);
	stop_inside(test, c, wave, provider.pc - PAGE_VA + GUARD, 0);
	wave = stop_at_load(test, c, load_at(1), DATA + 8);
	stop_inside(test, c, wave, provider.pc - PAGE_VA + 8,
		    mock_slots(c, DATA));
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), count + 1);
}

/* the pc of its record is that of the load, not of what follows it in the buffer */
static void a_hit_behind_the_drain(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	u64 wave;

	c->m->dev->desc.caps.precise = false;
	open_watch(test);
	open_sampled(test);
	load(test, c, load_at(0));
	wave = stop_at_load(test, c, load_at(0), DATA);
	c->m->vgprs[0][0] = 0xabcd;
	stop_inside(test, c, wave, provider.pc - PAGE_VA + GUARD,
		    mock_slots(c, DATA));
	KUNIT_EXPECT_EQ(test, kept.pc, load_at(0));
	KUNIT_EXPECT_EQ(test, kept.addr, DATA);
	KUNIT_EXPECT_EQ(test, kept.flags & LOADED, LOADED);
	KUNIT_EXPECT_EQ(test, kept.data, 0xabcd);
}

static void throttle_point(struct kunit *test, struct mock_ctx *c, u64 pc)
{
	struct gpubp_precise_point *point;

	scoped_guard(mutex, &c->m->dev->lock) {
		point = gpubp_precise_point_find(c->ctx, pc);
		KUNIT_ASSERT_NOT_NULL(test, point);
		while (!point->throttled)
			gpubp_precise_useless(c->ctx, point);
	}
	mock_settle(c->m);
}

/* its stop began at a precise point and ends at none */
static void the_point_goes_while_a_wave_is_read(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct mock_stop stop = { .pc = CODE, .exec = 1, .trap_id = 1 };
	int before;

	open_watch(test);
	load(test, c, CODE);
	mock_lane_addr(c->m, 0, DATA);
	mock_gate_close(c->m);
	before = atomic_read(&c->m->at_gate);
	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	while (atomic_read(&c->m->at_gate) == before)
		msleep(20);
	throttle_point(test, c, CODE);
	KUNIT_EXPECT_EQ(test, patched(c), 0u);
	mock_gate_open(c->m);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 0u);
	KUNIT_EXPECT_EQ(test, provider.pc, PAGE_VA);
}

static void the_queue_goes(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);

	open_watch(test);
	load(test, c, CODE);
	stop_at_load(test, c, CODE, DATA);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 1u);
	scoped_guard(mutex, &c->m->dev->lock)
		gpubp_pending_accesses_drop_queue(c->ctx, c->queue);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 0u);
	/* as do all in a reset */
	stop_at_load(test, c, CODE, DATA);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 1u);
	mock_reset(c->m);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 0u);
}

static bool takes(struct mock_ctx *c, const struct gpubp_wave_key *wave, u64 pc)
{
	const struct gpubp_access access = { .lanes = 1, .width = 4 };
	const struct gpubp_insn insn = { .len = 8 };

	return gpubp_pending_access_add(c->ctx, wave, pc, &insn, &access);
}

static void a_table_of_notes(struct kunit *test)
{
	const struct gpubp_wave_key other = { .dispatch = 5 };
	struct mock_ctx *c = ctx_with_loads(test);
	struct gpubp_wave_key wave = { .queue = c->queue };
	unsigned int n = 0;

	open_watch(test);
	load(test, c, CODE);
	guard(mutex)(&c->m->dev->lock);
	for (wave.wg[1] = 0; wave.wg[1] < GPUBP_MAX_PENDING; wave.wg[1]++)
		n += takes(c, &wave, CODE);
	KUNIT_EXPECT_EQ(test, n, (unsigned int)GPUBP_MAX_PENDING);
	KUNIT_EXPECT_FALSE(test, takes(c, &other, CODE));
	wave.wg[1] = 5;
	KUNIT_EXPECT_TRUE(test, takes(c, &wave, CODE + 16));
	KUNIT_ASSERT_NOT_NULL(test, gpubp_pending_access_find(c->ctx, &wave));
	KUNIT_EXPECT_EQ(test, gpubp_pending_access_find(c->ctx, &wave)->pc,
			CODE + 16);
	gpubp_pending_access_drop(c->ctx, &wave);
	KUNIT_EXPECT_NULL(test, gpubp_pending_access_find(c->ctx, &wave));
	KUNIT_EXPECT_TRUE(test, takes(c, &other, CODE));
	gpubp_pending_accesses_drop_queue(c->ctx, c->queue);
	KUNIT_EXPECT_EQ(test, c->ctx->trap->precise.pending.nr, 1u);
	KUNIT_EXPECT_NOT_NULL(test, gpubp_pending_access_find(c->ctx, &other));
}

/* ---- precise points ------------------------------------------------------ */

static void no_more_than_allowed(struct kunit *test)
{
	struct mock_ctx *c;
	unsigned int i;

	gpubp_max_precise_points = 2;
	c = ctx_with_loads(test);
	open_watch(test);
	for (i = 0; i < LOADS; i++)
		load(test, c, load_at(i));
	KUNIT_EXPECT_EQ(test, patched(c), 2u);
}

/* a throttled one that is of use again does not exceed the limit */
static void no_more_when_throttling_ends(struct kunit *test)
{
	struct mock_ctx *c;

	gpubp_max_precise_points = 1;
	c = ctx_with_loads(test);
	open_watch(test);
	load(test, c, load_at(0));
	throttle_point(test, c, load_at(0));
	KUNIT_EXPECT_EQ(test, patched(c), 0u);
	load(test, c, load_at(1));
	KUNIT_EXPECT_EQ(test, patched(c), 1u);
	/* equal requests of one watch are ignored for longer */
	msleep(GPUBP_BACKOFF_FIRST / NSEC_PER_MSEC);
	mock_open(test, DATA + 4, 4, GPUBP_ACCESS_LOAD);
	mock_settle(c->m);
	load(test, c, load_at(0));
	/* it is patched, and the next commit removes one of them, if none has */
	KUNIT_EXPECT_GE(test, patched(c), 1u);
	gpubp_request_ctx(c->ctx);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, patched(c), 1u);
}

static void none_is_allowed(struct kunit *test)
{
	struct mock_ctx *c;

	gpubp_max_precise_points = 0;
	c = ctx_with_loads(test);
	open_watch(test);
	load(test, c, CODE);
	KUNIT_EXPECT_EQ(test, patched(c), 0u);
	KUNIT_EXPECT_EQ(test, provider.size, (size_t)0);
}

/* watches of the kernel, or of a user without write access to the target */
static void no_right(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *event = open_sampled(test);

	load(test, c, CODE);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, patched(c), 0u);
}

/* all bytes that the slot compares are watched: only the address is missing */
static void certain_without_its_address(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(DATA, 64, GPUBP_ACCESS_LOAD);
	struct mock_ctx *c = ctx_with_loads(test);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mock_open_attr(test, &attr, current,
							  NULL, NULL));
	mock_settle(c->m);
	load(test, c, CODE);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 1);
	KUNIT_EXPECT_EQ(test, patched(c), 0u);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_ADDR;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mock_open_attr(test, &attr, current,
							  NULL, NULL));
	mock_settle(c->m);
	load(test, c, CODE);
	KUNIT_EXPECT_EQ(test, patched(c), 1u);
}

/* the next hit probably has its address, without a stop before it */
static void the_device_reports_addresses(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct mock_stop stop = { .pc = CODE + sizeof(clobber) };
	struct gpubp_hit hit;

	open_watch(test);
	stop.slots = mock_slots(c, DATA);
	hit = mock_hit(c, &stop);
	hit.valid |= GPUBP_HITF_ADDR;
	hit.addr = DATA;
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
	mock_quiesce(test);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_POSSIBLE), 1);
	KUNIT_EXPECT_EQ(test, patched(c), 0u);
}

static void a_cold_one_makes_room(struct kunit *test)
{
	struct mock_ctx *c;

	gpubp_max_precise_points = 1;
	c = ctx_with_loads(test);
	open_watch(test);
	load(test, c, CODE);
	KUNIT_EXPECT_EQ(test, patched(c), 1u);
	gpubp_precise_idle_ms = 0;
	gpubp_request_ctx(c->ctx);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, patched(c), 1u);
	KUNIT_EXPECT_EQ(test, c->m->dev->trap->precise.throttled, 0u);
	load(test, c, load_at(3));
	gpubp_request_ctx(c->ctx);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->dev->trap->precise.throttled, 1u);
	KUNIT_EXPECT_EQ(test, patched(c), 1u);
	KUNIT_EXPECT_EQ(test, *word_at(c, load_at(3)), WORD);
}

/*
 * half of the waves miss: the bound is a rate, not a number of misses in a row
 */
static void the_bound_is_over_time(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct gpubp_precise_point *point;
	struct gpubp_watch *w;
	unsigned int i;

	open_watch(test);
	load(test, c, CODE);
	guard(mutex)(&c->m->dev->lock);
	point = gpubp_precise_point_find(c->ctx, CODE);
	w = gpubp_watch_first(c->ctx, DATA, DATA);
	KUNIT_ASSERT_NOT_NULL(test, point);
	KUNIT_ASSERT_NOT_NULL(test, w);
	for (i = 0; i < 100000 && !point->throttled; i++) {
		gpubp_precise_useless(c->ctx, point);
		gpubp_precise_useful(point, w);
	}
	KUNIT_EXPECT_TRUE(test, point->throttled);
	/* waves that classified a hit as a stray are no misses */
	point->throttled = false;
	point->misses = 0;
	for (i = 0; i < 1000; i++) {
		gpubp_precise_useless(c->ctx, point);
		gpubp_precise_stray(point);
	}
	KUNIT_EXPECT_FALSE(test, point->throttled);
}

static struct perf_event *open_exact(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(DATA, 4, GPUBP_ACCESS_LOAD);
	struct mock *m = test->priv;
	struct perf_event *event;

	attr.precise_ip = 2;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	mock_settle(m);
	return event;
}

/*
 * before the first hit, as far as slots are free; also in code published later
 */
static void ahead_of_the_first_hit(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *c;

	gpubp_max_precise_points = 3;
	c = ctx_with_loads(test);
	event = open_exact(test);
	KUNIT_EXPECT_EQ(test, patched(c), 3u);
	gpubp_code_destroy(c->ctx, CODE);
	mock_settle(c->m);
	KUNIT_ASSERT_EQ(test, gpubp_code_create(c->ctx, CODE, CODE_SIZE, "code"),
			0);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, patched(c), 3u);
	close_event(c, event);
	KUNIT_EXPECT_EQ(test, patched(c), 0u);
	KUNIT_EXPECT_EQ(test, c->ctx->trap->precise.nr_exact, 0u);
	open_exact(test);
	KUNIT_EXPECT_EQ(test, patched(c), 3u);
}

static struct completion last_commit, next_event;

static void wait_in_commit(struct mock *m, u64 seq)
{
	m->in_commit = NULL;
	complete(&last_commit);
	wait_for_completion(&next_event);
}

/* a run chooses points before its commit, and scans code for new ones behind it */
static void as_those_of_the_last_event_go(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(DATA, 4, GPUBP_ACCESS_LOAD);
	struct perf_event *event;
	struct mock_ctx *c;

	gpubp_max_precise_points = LOADS;
	c = ctx_with_loads(test);
	event = open_exact(test);
	init_completion(&last_commit);
	init_completion(&next_event);
	c->m->in_commit = wait_in_commit;
	mock_close(c->m, event);
	gpubp_request_ctx(c->ctx);
	gpubp_events_reconcile();
	wait_for_completion(&last_commit);
	KUNIT_EXPECT_EQ(test, patched(c), 0u);
	attr.precise_ip = 2;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	gpubp_events_reconcile();
	complete(&next_event);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, patched(c), LOADS);
	KUNIT_EXPECT_TRUE(test, c->ctx->prog.watch_traps);
	/* they stay */
	gpubp_request_ctx(c->ctx);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, patched(c), LOADS);
}

/* one that a hit has asked for, of an event that is closed while another one needs it */
static void as_well_as_for_a_hit(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(DATA + 16, 4, GPUBP_ACCESS_LOAD);
	struct perf_event *event;
	struct mock_ctx *c;

	attr.precise_ip = 2;
	c = ctx_with_loads(test);
	event = open_watch(test);
	load(test, c, load_at(1));
	KUNIT_EXPECT_EQ(test, *word_at(c, load_at(1)), WORD);
	/* of other bytes: equal ones would be the same watch */
	mock_open_attr(test, &attr, current, NULL, NULL);
	mock_settle(c->m);
	close_event(c, event);
	KUNIT_EXPECT_EQ(test, *word_at(c, load_at(1)), WORD);
}

static void ahead_of_formatted_accesses(struct kunit *test)
{
	struct mock_ctx *c;

	gpubp_max_precise_points = 1;
	c = ctx_with_loads(test);
	memcpy(word_at(c, load_at(0)), format, sizeof(format));
	open_exact(test);
	KUNIT_EXPECT_EQ(test, *word_at(c, load_at(1)), WORD);
}

/* a user's points do not take the slots of another user */
static void users_have_all_their_slots(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *c;

	gpubp_break_slots = 1;
	c = ctx_with_loads(test);
	open_watch(test);
	load(test, c, load_at(0));
	load(test, c, load_at(1));
	load(test, c, load_at(2));
	KUNIT_EXPECT_EQ(test, patched(c), 3u);
	event = open_break(test, CODE + 8);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), WORD);
	KUNIT_EXPECT_EQ(test, patched(c), 3u);
	close_event(c, event);
	KUNIT_EXPECT_EQ(test, *word_at(c, CODE + 8), NOP);
	KUNIT_EXPECT_EQ(test, patched(c), 3u);
}

static void a_break_at_the_same_place(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *watch = open_watch(test), *event;
	u64 wave;

	load(test, c, CODE);
	event = open_break(test, CODE);
	wave = stop_at_load(test, c, CODE, DATA);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	stop_inside(test, c, wave, 8, mock_slots(c, DATA));
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 2);
	close_event(c, event);
	KUNIT_EXPECT_EQ(test, patched(c), 1u);
	event = open_break(test, CODE);
	close_event(c, watch);
	KUNIT_EXPECT_EQ(test, patched(c), 1u);
	stop_at_load(test, c, CODE, DATA);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, nr_pending(c), 0u);
	close_event(c, event);
	KUNIT_EXPECT_EQ(test, patched(c), 0u);
}

static unsigned int in_use(struct mock_ctx *c)
{
	guard(mutex)(&c->m->dev->lock);
	return gpubp_xol_in_use(c->ctx);
}

/* joined to the patch of a break for a while, then the last user of a patch */
static void its_buffer_is_free_again(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_loads(test);
	struct perf_event *event = open_break(test, CODE), *watch;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		watch = open_watch(test);
		load(test, c, CODE);
		KUNIT_EXPECT_EQ(test, c->ctx->trap->precise.nr, 1u);
		close_event(c, i ? event : watch);
	}
	KUNIT_EXPECT_EQ(test, patched(c), 1u);
	KUNIT_EXPECT_EQ(test, in_use(c), 1u);
	mock_close(c->m, watch);
	for (i = 0; in_use(c) && i < 60000; i++)
		msleep(1);
	KUNIT_EXPECT_EQ(test, in_use(c), 0u);
}

static struct kunit_case precise_test_cases[] = {
	KUNIT_CASE(a_note_makes_it_exact),
	KUNIT_CASE(who_has_none_met_nothing),
	KUNIT_CASE(who_was_not_looked_at),
	KUNIT_CASE(a_watch_that_came_meanwhile),
	KUNIT_CASE(a_condition_on_what_it_loads),
	KUNIT_CASE(a_formatted_access_has_no_point),
	KUNIT_CASE(no_hit_came_of_it),
	KUNIT_CASE(a_hit_told_late_is_no_exact_stray),
	KUNIT_CASE(a_hit_behind_the_drain),
	KUNIT_CASE(the_point_goes_while_a_wave_is_read),
	KUNIT_CASE(the_queue_goes),
	KUNIT_CASE(a_table_of_notes),
	KUNIT_CASE(no_more_than_allowed),
	KUNIT_CASE(no_more_when_throttling_ends),
	KUNIT_CASE(none_is_allowed),
	KUNIT_CASE(no_right),
	KUNIT_CASE(certain_without_its_address),
	KUNIT_CASE(the_device_reports_addresses),
	KUNIT_CASE(a_cold_one_makes_room),
	KUNIT_CASE(the_bound_is_over_time),
	KUNIT_CASE(ahead_of_the_first_hit),
	KUNIT_CASE(as_those_of_the_last_event_go),
	KUNIT_CASE(as_well_as_for_a_hit),
	KUNIT_CASE(ahead_of_formatted_accesses),
	KUNIT_CASE(users_have_all_their_slots),
	KUNIT_CASE(a_break_at_the_same_place),
	KUNIT_CASE(its_buffer_is_free_again),
	{}
};

static struct kunit_suite precise_test_suite = {
	.name = "gpubp_precise",
	.init = precise_init,
	.exit = precise_exit,
	.test_cases = precise_test_cases,
};
kunit_test_suite(precise_test_suite);
