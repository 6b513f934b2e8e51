// SPDX-License-Identifier: GPL-2.0
/*
 * Displaced steps while each call of the provider fails in turn: nothing
 * blocks, no buffer leaks, and the wave ends where the program would have it.
 */
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/quota.h"
#include "event/event.h"
#include "event/rights.h"
#include "mock.h"
#include "session/attach.h"
#include "session/displaced.h"
#include "session/hold.h"
#include "session/runctl.h"
#include "session/session.h"
#include "trap/trap.h"
#include "trap/trap_point.h"
#include "trap/xol.h"

#define CODE		MOCK_CODE
#define CODE_SIZE	0x100
#define PAGE_VA		0x7f1000000000ULL	/* of the buffers */
#define NOP		0xbf800000u
#define BRANCH		0xbf820003u		/* s_branch: over three dwords */
#define END		0xbf810000u
#define RESERVED	0xbfff0000u
#define WAVE		77
#define AT(n)		(CODE + 4 * (n))

/* instructions of the code */
enum {
	AT_NOP,
	AT_NOP2,
	AT_BRANCH,
	AT_RESERVED,
	AT_END,
};

/**
 * struct stage - a wave, and a provider that fails on demand
 * @c: its context
 * @page: memory at PAGE_VA, @size bytes of it
 * @size: 0: none
 * @pc: of the wave
 * @halts: number of halts of the wave
 * @gone: the wave has ended
 * @nothing: number of further steps that execute no instruction
 * @session: the session that holds the wave
 * @id: attachment
 * @task: the task whose calls fail
 * @calls: calls of that task
 * @fail_at: number of the call that fails, 0 none
 * @fail_err: errno of that call
 */
static struct stage {
	struct mock_ctx *c;
	u8 *page;
	size_t size;
	u64 pc;
	int halts;
	bool gone;
	unsigned int nothing;
	struct gpubp_session session;
	u64 id;
	struct task_struct *task;
	unsigned int calls;
	unsigned int fail_at;
	int fail_err;
} stage;

/* ---- the provider -------------------------------------------------------- */

static int fail(void)
{
	if (current != stage.task)
		return 0;
	return ++stage.calls == stage.fail_at ? stage.fail_err : 0;
}

static int code_alloc(void *ctx, size_t size, u64 *va)
{
	int err = fail();

	if (err)
		return err;
	if (!stage.c || !stage.c->code_size)
		return mock_ops.code_alloc(ctx, size, va);
	stage.page = kvzalloc(size, GFP_KERNEL);
	stage.size = size;
	*va = PAGE_VA;
	return stage.page ? 0 : -ENOMEM;
}

static void code_free(void *ctx, u64 va)
{
	if (va != PAGE_VA) {
		mock_ops.code_free(ctx, va);
		return;
	}
	kvfree(stage.page);
	stage.page = NULL;
	stage.size = 0;
}

static ssize_t mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
		      size_t len, unsigned int how)
{
	bool write = how & GPUBP_MEM_WRITE;
	u8 *mem = stage.page + (where->va - PAGE_VA);

	if (fail())
		return -EFAULT;
	if (where->va < PAGE_VA || where->va - PAGE_VA >= stage.size)
		return mock_ops.mem_rw(ctx, where, buf, len, how);
	memcpy(write ? mem : buf, write ? buf : mem, len);
	return len;
}

static int flush(void *ctx, u32 what, unsigned int timeout_ms)
{
	return fail();
}

static int list_waves(void *ctx, struct gpubp_wave_info *out, unsigned int max)
{
	if (stage.gone)
		return 0;
	if (max)
		*out = (struct gpubp_wave_info) {
			.wave = WAVE,
			.pc = stage.pc,
			.stopped = stage.halts,
		};
	return 1;
}

static int read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		     unsigned int nr, u32 *out)
{
	int err = fail();

	if (err || stage.gone)
		return err ?: -ESRCH;
	out[0] = lower_32_bits(stage.pc);
	out[1] = upper_32_bits(stage.pc);
	return 0;
}

static int write_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		      unsigned int nr, const u32 *in)
{
	int err = fail();

	if (err || stage.gone)
		return err ?: -ESRCH;
	if (!stage.halts)
		mock_complain(stage.c->m,
			      "registers of a running wave are written");
	stage.pc = in[0] | (u64)in[1] << 32;
	return 0;
}

static int stage_halt(void *dev, const struct gpubp_waves *waves)
{
	if (stage.gone)
		return -ESRCH;
	stage.halts++;
	return 0;
}

static int resume(void *dev, const struct gpubp_waves *waves)
{
	if (stage.gone)
		return -ESRCH;
	if (stage.pc >= PAGE_VA)
		mock_complain(stage.c->m, "a wave is resumed in a buffer");
	stage.halts--;
	return 0;
}

/* at a pc in the buffer or in the code: all instructions are four bytes */
static int step(void *dev, const struct gpubp_waves *waves)
{
	int err = fail();
	u32 word = 0;

	if (err || stage.gone)
		return err ?: -ESRCH;
	if (stage.nothing) {
		stage.nothing--;
		return 0;
	}
	if (stage.pc >= PAGE_VA)
		memcpy(&word, stage.page + (stage.pc - PAGE_VA), sizeof(word));
	else
		memcpy(&word, stage.c->mem + (stage.pc - MOCK_VA),
		       sizeof(word));
	stage.gone = word == END;
	stage.pc += 4;
	return stage.gone ? -ESRCH : 0;
}

static struct gpubp_ops ops;

static const u32 code[] = {
	[AT_NOP] = NOP, [AT_NOP2] = NOP, [AT_BRANCH] = BRANCH,
	[AT_RESERVED] = RESERVED, [AT_END] = END,
};

static void attach(struct kunit *test)
{
	struct perf_event *event = mock_open(test, MOCK_VA, 4,
					     GPUBP_ACCESS_STORE);
	struct gpubp_event *gev = event->pmu_private;
	struct gpubp_session *s = &stage.session;

	gev->opener_rights.rights = GPUBP_RIGHTS_ALL;
	gev->opener_rights.init_ns = false;
	stage.id = event->id;
	s->opener = get_pid(task_tgid(current));
	s->user = gpubp_user_lookup(current_uid(), true);
	KUNIT_ASSERT_NOT_NULL(test, s->user);
	mutex_init(&s->lock);
	sema_init(&s->op_sem, 1);
	gpubp_holds_init_session(s);
	gpubp_notices_init(s);
	INIT_LIST_HEAD(&s->sets);
	gpubp_attachments_init(s);
	KUNIT_ASSERT_EQ(test, 0, xa_err(xa_store(&s->attachments, stage.id,
						 xa_mk_value(0), GFP_KERNEL)));
}

static struct gpubp_holder hold(struct kunit *test, u64 pc)
{
	struct gpubp_holder holder;
	u64 wave = WAVE;

	stage.pc = pc;
	KUNIT_ASSERT_EQ(test, 0,
			gpubp_runctl_begin(&stage.session, stage.id,
					   GPUBP_RIGHT_STOP, stage.c->ctx->id,
					   &holder));
	KUNIT_ASSERT_EQ(test, 0, gpubp_hold_waves(&holder, &wave, 1, U64_MAX));
	return holder;
}

static int displaced_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;
	int err;

	stage = (struct stage) {};
	ops = mock_ops;
	ops.code_alloc = code_alloc;
	ops.code_free = code_free;
	ops.mem_rw = mem_rw;
	ops.flush = flush;
	ops.list_waves = list_waves;
	ops.read_wave = read_wave;
	ops.write_wave = write_wave;
	ops.halt = stage_halt;
	ops.resume = resume;
	ops.step = step;
	caps.stops = GPUBP_STOPS_WAVE;
	caps.can_step = true;
	err = mock_init_ops(test, &ops, &caps);
	if (err)
		return err;
	stage.c = mock_ctx(test);
	memcpy(stage.c->mem + (CODE - MOCK_VA), code, sizeof(code));
	attach(test);
	mock_settle(test->priv);
	stage.task = current;
	return 0;
}

static void displaced_exit(struct kunit *test)
{
	gpubp_holds_exit_session(&stage.session);
	gpubp_attachments_exit(&stage.session);
	put_pid(stage.session.opener);
	gpubp_user_put(stage.session.user);
	KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
	KUNIT_EXPECT_TRUE(test, stage.gone || !stage.halts);
	mock_exit(test);
}

/* ---- one displaced step -------------------------------------------------- */

static struct gpubp_displaced arg(u64 id)
{
	return (struct gpubp_displaced) {
		.event = stage.id,
		.wave = WAVE,
		.id = id,
		.context = stage.c->ctx->id,
	};
}

static long start(u64 *id)
{
	struct gpubp_displaced a = arg(0);
	long err = gpubp_displaced_start_cmd(&stage.session, &a);

	*id = a.id;
	return err;
}

static long complete_it(u64 id, u32 *state)
{
	struct gpubp_displaced a = arg(id);
	long err = gpubp_displaced_complete_cmd(&stage.session, &a);

	*state = a.state;
	return err;
}

static long step_it(struct kunit *test)
{
	struct gpubp_holder holder;
	long err;

	KUNIT_ASSERT_EQ(test, 0,
			gpubp_runctl_begin(&stage.session, stage.id,
					   GPUBP_RIGHT_STOP, stage.c->ctx->id,
					   &holder));
	err = gpubp_wave_step(&holder, WAVE);
	gpubp_runctl_end(&holder);
	return err;
}

static unsigned int in_use(void)
{
	guard(mutex)(&stage.c->ctx->dev->lock);
	return gpubp_xol_in_use(stage.c->ctx);
}

static void held_at(struct kunit *test, u64 pc)
{
	struct gpubp_holder holder = hold(test, pc);

	gpubp_runctl_end(&holder);
}

static void what_is_no_instruction_is_refused(struct kunit *test)
{
	u64 id;

	held_at(test, AT(AT_RESERVED));
	KUNIT_EXPECT_EQ(test, -EILSEQ, start(&id));
	stage.pc = 0x1000;
	KUNIT_EXPECT_EQ(test, -EFAULT, start(&id));
	stage.pc = AT(AT_NOP);
	KUNIT_EXPECT_EQ(test, 0u, in_use());
}

static void a_wave_that_ends_in_it_leaves_its_buffer(struct kunit *test)
{
	u32 state;
	u64 id;

	held_at(test, AT(AT_END));
	KUNIT_EXPECT_EQ(test, 0, start(&id));
	KUNIT_EXPECT_EQ(test, -ESRCH, step_it(test));
	KUNIT_EXPECT_EQ(test, -ENOENT, complete_it(id, &state));
	KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
	gpubp_xol_reclaim(stage.c->ctx);
	KUNIT_EXPECT_EQ(test, 0u, in_use());
}

/* only sessions use buffers here, and buffers are recycled */
static void any_number_of_waves_end(struct kunit *test)
{
	unsigned int i, nr;
	u64 id;

	KUNIT_ASSERT_EQ(test, 0, gpubp_code_create(stage.c->ctx, CODE,
						   CODE_SIZE, "code"));
	held_at(test, AT(AT_NOP));
	KUNIT_ASSERT_EQ(test, 0, start(&id));
	nr = stage.c->ctx->trap->traps.xol.nr;
	KUNIT_EXPECT_EQ(test, 0, step_it(test));
	gpubp_holds_exit_session(&stage.session);
	for (i = 0; i < 2 * nr; i++) {
		stage.gone = false;
		held_at(test, AT(AT_END));
		KUNIT_ASSERT_EQ_MSG(test, 0, start(&id), "step %u", i);
		KUNIT_EXPECT_EQ(test, -ESRCH, step_it(test));
	}
}

static void one_that_is_killed_leaves_it_too(struct kunit *test)
{
	u32 state;
	u64 id;

	held_at(test, AT(AT_NOP));
	KUNIT_EXPECT_EQ(test, 0, start(&id));
	stage.gone = true;
	KUNIT_EXPECT_EQ(test, -ESRCH, complete_it(id, &state));
	gpubp_xol_reclaim(stage.c->ctx);
	KUNIT_EXPECT_EQ(test, 0u, in_use());
}

/* the session is closed in each phase of a step */
static void closed_at_each_step(struct kunit *test)
{
	unsigned int phase;
	u64 id;

	for (phase = 0; phase < 3; phase++) {
		held_at(test, AT(AT_NOP));
		if (phase)
			KUNIT_EXPECT_EQ(test, 0, start(&id));
		if (phase > 1)
			KUNIT_EXPECT_EQ(test, 0, step_it(test));
		gpubp_holds_exit_session(&stage.session);
		KUNIT_EXPECT_EQ(test, 0, stage.halts);
		KUNIT_EXPECT_EQ(test, AT(phase > 1 ? AT_NOP2 : AT_NOP),
				stage.pc);
		KUNIT_EXPECT_EQ(test, 0u, in_use());
	}
}

/* halted at the guard, which is not an instruction of the program */
static void a_wave_behind_a_copy_steps_in_the_program(struct kunit *test)
{
	u32 state;
	u64 id, to;

	held_at(test, AT(AT_NOP));
	KUNIT_ASSERT_EQ(test, 0, start(&id));
	to = stage.pc;
	KUNIT_EXPECT_EQ(test, 0, complete_it(id, &state));
	stage.pc = to + 4;
	KUNIT_EXPECT_EQ(test, 0, step_it(test));
	KUNIT_EXPECT_EQ(test, AT(AT_NOP2) + 4, stage.pc);
}

/* a trap was taken instead of the instruction, as may happen on silicon */
static void a_step_that_executes_nothing_is_repeated(struct kunit *test)
{
	held_at(test, AT(AT_NOP));
	stage.nothing = 2;
	KUNIT_EXPECT_EQ(test, 0, step_it(test));
	KUNIT_EXPECT_EQ(test, AT(AT_NOP) + 4, stage.pc);
	KUNIT_EXPECT_EQ(test, stage.nothing, 0u);
	/* the number of retries is limited */
	stage.nothing = 1000;
	KUNIT_EXPECT_EQ(test, -EAGAIN, step_it(test));
	KUNIT_EXPECT_EQ(test, AT(AT_NOP) + 4, stage.pc);
}

/* likewise in a buffer */
static void a_displaced_step_is_repeated(struct kunit *test)
{
	u32 state;
	u64 id, to;

	held_at(test, AT(AT_NOP));
	KUNIT_ASSERT_EQ(test, 0, start(&id));
	to = stage.pc;
	stage.nothing = 3;
	KUNIT_EXPECT_EQ(test, 0, step_it(test));
	KUNIT_EXPECT_EQ(test, to + 4, stage.pc);
	KUNIT_EXPECT_EQ(test, stage.nothing, 0u);
	KUNIT_EXPECT_EQ(test, 0, complete_it(id, &state));
	KUNIT_EXPECT_EQ(test, AT(AT_NOP) + 4, stage.pc);
}

/* the instruction differs from the one in the buffer that others use */
static void what_has_changed_has_a_buffer_of_its_own(struct kunit *test)
{
	static const u32 other = NOP + 1;
	u32 state, word;
	struct gpubp_xol_buf *buf;
	u64 id;

	held_at(test, AT(AT_NOP));
	KUNIT_ASSERT_EQ(test, 0, start(&id));
	KUNIT_EXPECT_EQ(test, 0, complete_it(id, &state));
	scoped_guard(mutex, &stage.c->ctx->dev->lock)
		buf = gpubp_xol_get(stage.c->ctx, AT(AT_NOP), &code[AT_NOP], 4,
				    GPUBP_XOL_BREAK);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_ASSERT_EQ(test, 0, gpubp_xol_write(stage.c->ctx, buf));
	memcpy(stage.c->mem + (AT(AT_NOP) - MOCK_VA), &other, sizeof(other));
	KUNIT_EXPECT_EQ(test, 0, start(&id));
	KUNIT_EXPECT_NE(test, buf->to, stage.pc);
	memcpy(&word, stage.page + (stage.pc - PAGE_VA), sizeof(word));
	KUNIT_EXPECT_EQ(test, other, word);
	KUNIT_EXPECT_EQ(test, 0, complete_it(id, &state));
	scoped_guard(mutex, &stage.c->ctx->dev->lock)
		gpubp_xol_put(buf, GPUBP_XOL_BREAK);
}

/* ---- shares of buffers --------------------------------------------------- */

static struct gpubp_xol_buf *take(unsigned int n, enum gpubp_xol_user user)
{
	static const u32 nop = NOP;

	guard(mutex)(&stage.c->ctx->dev->lock);
	return gpubp_xol_get(stage.c->ctx, AT(4 * n), &nop, 4, user);
}

static void give_back(struct gpubp_xol_buf *buf, enum gpubp_xol_user user)
{
	guard(mutex)(&stage.c->ctx->dev->lock);
	gpubp_xol_put(buf, user);
}

static void each_has_a_share(struct kunit *test)
{
	const struct gpubp_xol *xol = &stage.c->ctx->trap->traps.xol;
	struct gpubp_xol_buf *buf[GPUBP_XOL_NR_USERS] = {};
	unsigned int user, n, at = 0;

	KUNIT_ASSERT_EQ(test, 0, gpubp_xol_init(stage.c->ctx));
	for (user = 0; user < GPUBP_XOL_NR_USERS; user++) {
		for (n = 0; n < xol->share[user]; n++) {
			buf[user] = take(at++, user);
			KUNIT_ASSERT_NOT_NULL(test, buf[user]);
		}
		KUNIT_EXPECT_NULL(test, take(at++, user));
	}
	KUNIT_EXPECT_EQ(test, xol->nr, in_use());
	/*
	 * a session does not share a break's buffer that would then be charged
	 * to it
	 */
	KUNIT_EXPECT_NULL(test, take(0, GPUBP_XOL_SESSION));
	give_back(buf[GPUBP_XOL_SESSION], GPUBP_XOL_SESSION);
	KUNIT_EXPECT_NULL(test, take(at, GPUBP_XOL_BREAK));
	KUNIT_EXPECT_NULL(test, take(at, GPUBP_XOL_PRECISE));
	KUNIT_EXPECT_PTR_EQ(test, &xol->buf[0], take(0, GPUBP_XOL_SESSION));
	KUNIT_EXPECT_PTR_EQ(test, &xol->buf[0], take(0, GPUBP_XOL_SESSION));
	KUNIT_EXPECT_NULL(test, take(at, GPUBP_XOL_SESSION));
}

/* ---- when the provider fails --------------------------------------------- */

/* a whole step; returns the first error after undoing what can be undone */
static long whole_step(struct kunit *test, u32 *state)
{
	long err, again;
	u64 id;

	err = start(&id);
	if (err)
		return err;
	err = step_it(test);
	again = complete_it(id, state);
	if (!again)
		return err;
	/* more than one call could fail */
	stage.fail_at = 0;
	KUNIT_EXPECT_EQ(test, 0, complete_it(id, state));
	return again;
}

static void fails_once(struct kunit *test, unsigned int nth, int how)
{
	u32 state = GPUBP_DISPLACED_PLACED;
	long err;

	stage.pc = AT(AT_NOP);
	stage.calls = 0;
	stage.fail_at = nth;
	stage.fail_err = how;
	err = whole_step(test, &state);
	KUNIT_EXPECT_EQ_MSG(test, !err, stage.calls < nth, "call %u: %ld", nth,
			    err);
	stage.fail_at = 0;
	KUNIT_EXPECT_EQ_MSG(test, state == GPUBP_DISPLACED_DONE ? AT(AT_NOP2) :
			    AT(AT_NOP), stage.pc, "call %u", nth);
	KUNIT_EXPECT_EQ_MSG(test, 0u, in_use(), "call %u", nth);
}

static void each_call_fails_once(struct kunit *test)
{
	unsigned int nth = 0;
	u32 state;

	held_at(test, AT(AT_NOP));
	/* allocate the trap handler and the buffers first */
	KUNIT_ASSERT_EQ(test, 0, whole_step(test, &state));
	do {
		fails_once(test, ++nth, -EIO);
	} while (stage.calls >= nth);
	KUNIT_EXPECT_GT(test, nth, 5u);
}

static void no_memory_for_buffers(struct kunit *test)
{
	u64 id;

	held_at(test, AT(AT_NOP));
	KUNIT_ASSERT_EQ(test, 0, step_it(test));
	stage.pc = AT(AT_NOP);
	stage.calls = 0;
	stage.fail_at = 3;	/* after two reads: pc, code */
	stage.fail_err = -ENOMEM;
	KUNIT_EXPECT_EQ(test, -ENOMEM, start(&id));
	KUNIT_EXPECT_EQ(test, AT(AT_NOP), stage.pc);
	KUNIT_EXPECT_EQ(test, 0, start(&id));
}

static struct kunit_case displaced_test_cases[] = {
	KUNIT_CASE(what_is_no_instruction_is_refused),
	KUNIT_CASE(a_wave_that_ends_in_it_leaves_its_buffer),
	KUNIT_CASE(any_number_of_waves_end),
	KUNIT_CASE(one_that_is_killed_leaves_it_too),
	KUNIT_CASE(closed_at_each_step),
	KUNIT_CASE(a_wave_behind_a_copy_steps_in_the_program),
	KUNIT_CASE(a_step_that_executes_nothing_is_repeated),
	KUNIT_CASE(a_displaced_step_is_repeated),
	KUNIT_CASE(what_has_changed_has_a_buffer_of_its_own),
	KUNIT_CASE(each_call_fails_once),
	KUNIT_CASE(each_has_a_share),
	KUNIT_CASE(no_memory_for_buffers),
	{}
};

static struct kunit_suite displaced_test_suite = {
	.name = "gpubp_displaced",
	.init = displaced_init,
	.exit = displaced_exit,
	.test_cases = displaced_test_cases,
};
kunit_test_suite(displaced_test_suite);
