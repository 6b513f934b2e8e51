// SPDX-License-Identifier: GPL-2.0
/* Holds: which session keeps which waves halted, and what ends a hold. */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "core/ctx_ops.h"
#include "core/quota.h"
#include "event/event.h"
#include "mock.h"
#include "session/attach.h"
#include "session/catch.h"
#include "session/hold.h"
#include "session/holding.h"
#include "session/runctl.h"
#include "session/session.h"

#define NR_WAVES	8
#define FIRST		100	/* its id; the mock numbers hits from 0 */
#define SESSIONS	3
#define LONG_MS		60000	/* a guest may be stalled for long */
#define SOME_MS		50
#define ATTACHMENTS	(SESSIONS * NR_WAVES)
#define EVER		U64_MAX

/**
 * struct wave - a wave of the mock
 * @c: its context, NULL once it has ended
 * @halts: halts minus resumes
 */
struct wave {
	struct mock_ctx *c;
	int halts;
};

/**
 * struct stage - state of a test
 * @m: the mock
 * @process: all is of it. The thread of the test exits before stage_exit(), which another
 *	one runs: what it holds would be over in between, if there is a look at it.
 * @c: a context
 * @wave: its waves
 * @session: attached sessions
 * @event: the event by which they are attached
 * @id: id of the attachment
 * @halt_err: what further halts return
 * @resume_err: what further resumes return
 * @resume_ms: duration of a resume
 * @stuck: a wave whose resume blocks until @go_on, or NULL
 * @entered: completed when that resume is called
 * @go_on: see @stuck
 * @nr_resumes: number of resumes attempted
 * @in_halt: called by the next halt
 * @in_list: called behind the next list
 * @in_resume: called by the next resume, when the wave runs
 * @ce: what the first session catches
 */
static struct stage {
	struct mock *m;
	struct task_struct *process;
	struct mock_ctx *c;
	struct wave wave[NR_WAVES];
	struct gpubp_session session[SESSIONS];
	struct perf_event *event;
	u64 id;
	int halt_err;
	int resume_err;
	unsigned int resume_ms;
	struct wave *stuck;
	struct completion entered;
	struct completion go_on;
	atomic_t nr_resumes;
	void (*in_halt)(void);
	void (*in_list)(void);
	void (*in_resume)(void);
	struct gpubp_caught_event ce;
} stage;

/* ---- the provider -------------------------------------------------------- */

static int stage_list(void *ctx, struct gpubp_wave_info *out, unsigned int max)
{
	void (*in_list)(void) = stage.in_list;
	unsigned int i, n = 0;

	mock_check_ctx(ctx, "list_waves");
	for (i = 0; i < NR_WAVES; i++) {
		if (stage.wave[i].c != ctx)
			continue;
		if (n < max)
			out[n] = (struct gpubp_wave_info) {
				.wave = FIRST + i,
				.stopped = stage.wave[i].halts,
			};
		n++;
	}
	if (max && in_list) {
		stage.in_list = NULL;
		in_list();
	}
	return n;
}

static struct wave *find_wave(const struct gpubp_waves *waves, unsigned int i)
{
	u64 n = waves->wave[i] - FIRST;

	return n < NR_WAVES && stage.wave[n].c == waves->ctx ? &stage.wave[n] :
							       NULL;
}

static int check_waves(const struct gpubp_waves *waves, const char *op)
{
	unsigned int i;

	mock_check_ctx(waves->ctx, op);
	if (!waves->nr)
		mock_complain(stage.m, "%s for all waves", op);
	for (i = 0; i < waves->nr; i++)
		if (!find_wave(waves, i))
			return -ESRCH;
	return 0;
}

static int stage_halt(void *dev, const struct gpubp_waves *waves)
{
	void (*in_halt)(void) = stage.in_halt;
	int err = check_waves(waves, "halt") ?: stage.halt_err;
	unsigned int i;

	stage.in_halt = NULL;
	if (in_halt)
		in_halt();

	for (i = 0; !err && i < waves->nr; i++)
		find_wave(waves, i)->halts++;
	return err;
}

static int stage_resume(void *dev, const struct gpubp_waves *waves)
{
	int err = check_waves(waves, "resume") ?: READ_ONCE(stage.resume_err);
	void (*in_resume)(void) = stage.in_resume;
	unsigned int i;

	stage.in_resume = NULL;
	atomic_inc(&stage.nr_resumes);
	if (stage.resume_ms)
		msleep(stage.resume_ms);
	if (!err && stage.stuck && find_wave(waves, 0) == stage.stuck) {
		complete(&stage.entered);
		wait_for_completion(&stage.go_on);
	}
	for (i = 0; !err && i < waves->nr; i++)
		if (--find_wave(waves, i)->halts < 0)
			mock_complain(stage.m, "a wave that was not held");
	if (in_resume)
		in_resume();
	return err;
}

static struct gpubp_ops ops;

static void stage_open(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(MOCK_VA, 4, GPUBP_ACCESS_STORE);

	stage.event = mock_open_attr(test, &attr, stage.process, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(stage.event));
	stage.id = stage.event->id;
}

static void session_begin(struct kunit *test, struct gpubp_session *s)
{
	s->opener = get_pid(task_tgid(stage.process));
	s->user = gpubp_user_lookup(current_uid(), false);
	KUNIT_ASSERT_NOT_NULL(test, s->user);
	mutex_init(&s->lock);
	sema_init(&s->op_sem, 1);
	gpubp_holds_init_session(s);
	gpubp_notices_init(s);
	INIT_LIST_HEAD(&s->sets);
	gpubp_attachments_init(s);
}

static void attach_session(struct kunit *test, unsigned int s)
{
	struct xarray *attachments = &stage.session[s].attachments;

	KUNIT_ASSERT_EQ(test, 0, xa_err(xa_store(attachments, stage.id,
						 xa_mk_value(0), GFP_KERNEL)));
}

static void detach_session(unsigned int s, u64 id)
{
	xa_erase(&stage.session[s].attachments, id);
	gpubp_holdings_detached(&stage.session[s], id);
}

static int stage_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;
	unsigned int i;
	int err;

	memset(&stage, 0, sizeof(stage));
	init_completion(&stage.entered);
	init_completion(&stage.go_on);
	ops = mock_ops;
	ops.list_waves = stage_list;
	ops.halt = stage_halt;
	ops.resume = stage_resume;
	caps.stops = GPUBP_STOPS_WAVE;
	err = mock_init_ops(test, &ops, &caps);
	if (err)
		return err;
	stage.m = test->priv;
	stage.process = mock_thread(test);
	stage.c = mock_ctx_of(test, task_pid(stage.process));
	for (i = 0; i < NR_WAVES; i++)
		stage.wave[i].c = stage.c;
	stage_open(test);
	for (i = 0; i < SESSIONS; i++) {
		session_begin(test, &stage.session[i]);
		attach_session(test, i);
	}
	return 0;
}

/* if a session was closed before, the thread may be about to free a hold */
static bool no_hold_is_left(void)
{
	int ms;

	for (ms = 0; gpubp_holds_count() && ms < LONG_MS; ms += 5)
		msleep(5);
	return !gpubp_holds_count();
}

static void stage_exit(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < SESSIONS; i++) {
		gpubp_holds_exit_session(&stage.session[i]);
		gpubp_attachments_exit(&stage.session[i]);
		put_pid(stage.session[i].opener);
		gpubp_user_put(stage.session[i].user);
	}
	KUNIT_EXPECT_TRUE(test, no_hold_is_left());
	for (i = 0; i < NR_WAVES; i++)
		KUNIT_EXPECT_EQ(test, 0, stage.wave[i].c ?
				stage.wave[i].halts : 0);
	mock_exit(test);
}

/* ---- sessions ------------------------------------------------------------ */

static struct gpubp_holder begin(struct kunit *test, unsigned int s)
{
	struct gpubp_holder holder = {
		.session = &stage.session[s],
		.event = stage.id,
		.ctx = stage.c->ctx,
	};

	down(&holder.session->op_sem);
	KUNIT_ASSERT_EQ(test, 0, gpubp_ctx_op_begin(holder.ctx));
	return holder;
}

static void end(const struct gpubp_holder *holder)
{
	gpubp_ctx_op_end(holder->ctx);
	gpubp_holds_unlock(holder->session);
}

static int hold_until(struct kunit *test, unsigned int s, unsigned int wave,
		      u64 until)
{
	struct gpubp_holder holder = begin(test, s);
	u64 id = FIRST + wave;
	int err = gpubp_hold_waves(&holder, &id, 1, until);

	end(&holder);
	return err;
}

static int hold(struct kunit *test, unsigned int s, unsigned int wave)
{
	return hold_until(test, s, wave, EVER);
}

static int hold_all(struct kunit *test, unsigned int s)
{
	struct gpubp_holder holder = begin(test, s);
	int nr = gpubp_hold_all(&holder, EVER);

	end(&holder);
	return nr;
}

static int drop(struct kunit *test, unsigned int s, unsigned int wave)
{
	struct gpubp_holder holder = begin(test, s);
	int err = gpubp_hold_release(&holder, FIRST + wave);

	end(&holder);
	return err;
}

/* wait until the work has resumed the wave */
static bool is_resumed(unsigned int wave)
{
	int ms;

	for (ms = 0; READ_ONCE(stage.wave[wave].halts) && ms < LONG_MS; ms += 5)
		msleep(5);
	return !READ_ONCE(stage.wave[wave].halts);
}

/* ---- owners of holds ----------------------------------------------------- */

/* the limit is over all sessions of a user; a call holds all waves or none */
static void a_user_holds_so_many(struct kunit *test)
{
	unsigned int limit = gpubp_max_holds_per_user;

	gpubp_max_holds_per_user = 2;
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	KUNIT_EXPECT_EQ(test, -EDQUOT, hold_all(test, 1));
	KUNIT_EXPECT_EQ(test, 1u, gpubp_holds_count());
	KUNIT_EXPECT_EQ(test, 0, hold(test, 1, 0));
	KUNIT_EXPECT_EQ(test, -EDQUOT, hold(test, 2, 1));
	/* waves that are held already do not count again */
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, stage.wave[1].halts);
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, hold(test, 2, 1));
	gpubp_max_holds_per_user = limit;
}

static void a_halt_that_fails_holds_nothing(struct kunit *test)
{
	static const int errs[] = { -ESRCH, -EBUSY, -ENOMEM };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errs); i++) {
		stage.halt_err = errs[i];
		KUNIT_EXPECT_EQ(test, errs[i], hold(test, 0, 0));
		KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
	}
	stage.halt_err = 0;
	KUNIT_EXPECT_EQ(test, -ESRCH, hold(test, 0, NR_WAVES));
	KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
}

static void a_wave_that_ended_is_held_no_more(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	stage.wave[0].c = NULL;
	KUNIT_EXPECT_EQ(test, -ESRCH, drop(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
}

static void what_cannot_go_on_is_held_still(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	stage.resume_err = -ENOMEM;
	KUNIT_EXPECT_EQ(test, -ENOMEM, drop(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 1u, gpubp_holds_count());
	stage.resume_err = 0;
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 0));
}

/* ---- moves --------------------------------------------------------------- */

static void only_its_one_holder_moves_a_wave(struct kunit *test)
{
	struct gpubp_holder holder;

	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, hold(test, 1, 0));
	holder = begin(test, 0);
	KUNIT_EXPECT_EQ(test, -EBUSY, gpubp_move_begin(&holder, FIRST));
	KUNIT_EXPECT_EQ(test, -EBADFD, gpubp_move_begin(&holder, FIRST + 1));
	end(&holder);
	KUNIT_EXPECT_EQ(test, 0, drop(test, 1, 0));
	holder = begin(test, 0);
	KUNIT_EXPECT_EQ(test, 0, gpubp_move_begin(&holder, FIRST));
	gpubp_move_end(&holder, FIRST);
	end(&holder);
}

static struct second_holder {
	struct kunit *test;
	struct completion done;
	int err;
} second_holder;

static int second_holder_fn(void *unused)
{
	second_holder.err = hold(second_holder.test, 1, 0);
	complete(&second_holder.done);
	return 0;
}

static void a_halt_waits_until_the_wave_has_moved(struct kunit *test)
{
	struct gpubp_holder holder;
	struct task_struct *task;

	second_holder.test = test;
	init_completion(&second_holder.done);
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	holder = begin(test, 0);
	KUNIT_EXPECT_EQ(test, 0, gpubp_move_begin(&holder, FIRST));
	task = kthread_run(second_holder_fn, NULL, "second_holder");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	msleep(SOME_MS);
	KUNIT_EXPECT_FALSE(test, completion_done(&second_holder.done));
	KUNIT_EXPECT_EQ(test, 1, stage.wave[0].halts);
	gpubp_move_end(&holder, FIRST);
	end(&holder);
	wait_for_completion(&second_holder.done);
	KUNIT_EXPECT_EQ(test, 0, second_holder.err);
	KUNIT_EXPECT_EQ(test, 2, stage.wave[0].halts);
}

/* ---- the end of a hold --------------------------------------------------- */

/*
 * the thread has already taken the expired hold and is about to resume the wave
 */
static void one_whose_time_was_up_is_no_different(struct kunit *test)
{
	stage.resume_ms = SOME_MS;
	KUNIT_EXPECT_EQ(test, 0, hold_until(test, 0, 0, ktime_get_ns()));
	while (!atomic_read(&stage.nr_resumes))
		msleep(1);
	gpubp_holds_exit_session(&stage.session[0]);
	KUNIT_EXPECT_EQ(test, 0, stage.wave[0].halts);
	KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
}

static struct closer {
	struct gpubp_session *session;
	struct completion done;
	struct work_struct work;
} closer;

static int closer_fn(void *unused)
{
	gpubp_holds_exit_session(closer.session);
	complete(&closer.done);
	return 0;
}

static void close_elsewhere(struct kunit *test, unsigned int s)
{
	struct task_struct *task;

	closer.session = &stage.session[s];
	init_completion(&closer.done);
	task = kthread_run(closer_fn, NULL, "closer");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
}

static bool is_closed(void)
{
	return wait_for_completion_timeout(&closer.done,
					   msecs_to_jiffies(LONG_MS));
}

/* the thread resumes a wave, which blocks until stage.go_on */
static void block_thread(struct kunit *test, unsigned int s,
			 unsigned int wave)
{
	stage.stuck = &stage.wave[wave];
	KUNIT_EXPECT_EQ(test, 0, hold_until(test, s, wave, ktime_get_ns()));
	wait_for_completion(&stage.entered);
}

static void what_others_held_keeps_no_session(struct kunit *test)
{
	bool closed;

	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	block_thread(test, 1, 1);
	close_elsewhere(test, 2);
	closed = is_closed();
	KUNIT_EXPECT_TRUE_MSG(test, closed, "a session without holds");
	if (closed) {
		close_elsewhere(test, 0);
		closed = is_closed();
		KUNIT_EXPECT_TRUE_MSG(test, closed, "a session with a hold");
		KUNIT_EXPECT_EQ(test, 0, stage.wave[0].halts);
		KUNIT_EXPECT_EQ(test, 1, stage.wave[1].halts);
	}
	complete_all(&stage.go_on);
	if (!closed)
		wait_for_completion(&closer.done);
}

/*
 * the thread resumes an expired hold of this session: closing it waits for that
 */
static void what_it_held_keeps_it(struct kunit *test)
{
	block_thread(test, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 1));
	close_elsewhere(test, 0);
	KUNIT_EXPECT_TRUE(test, is_resumed(1));
	msleep(SOME_MS);
	KUNIT_EXPECT_FALSE(test, completion_done(&closer.done));
	complete_all(&stage.go_on);
	wait_for_completion(&closer.done);
	KUNIT_EXPECT_EQ(test, 0, stage.wave[0].halts);
	KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
}

static void closer_work(struct work_struct *work)
{
	closer_fn(NULL);
}

/*
 * like a file that is released from a socket; no op is called in that context
 */
static void a_work_may_close_one(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	closer.session = &stage.session[0];
	init_completion(&closer.done);
	INIT_WORK(&closer.work, closer_work);
	schedule_work(&closer.work);
	flush_work(&closer.work);
	KUNIT_EXPECT_TRUE(test, is_resumed(0));
}

static void it_is_tried_again_until_it_goes_on(struct kunit *test)
{
	int tries;

	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	stage.resume_err = -ENOMEM;
	gpubp_holds_exit_session(&stage.session[0]);
	tries = atomic_read(&stage.nr_resumes);
	KUNIT_EXPECT_GE(test, tries, 1);
	KUNIT_EXPECT_EQ(test, 1, stage.wave[0].halts);
	while (atomic_read(&stage.nr_resumes) < tries + 2)
		msleep(5);
	WRITE_ONCE(stage.resume_err, 0);
	KUNIT_EXPECT_TRUE(test, is_resumed(0));
}

/* it is held by the attachment that was used last */
static void a_hold_moves_to_another_attachment(struct kunit *test)
{
	struct perf_event *first = stage.event;
	u64 first_id = stage.id;

	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 1));
	stage_open(test);
	attach_session(test, 0);
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	mock_close(stage.m, first);
	KUNIT_EXPECT_TRUE(test, is_resumed(1));
	KUNIT_EXPECT_EQ(test, 1, stage.wave[0].halts);
	detach_session(0, first_id);
	msleep(SOME_MS);
	KUNIT_EXPECT_EQ(test, 1, stage.wave[0].halts);
	mock_close(stage.m, stage.event);
	KUNIT_EXPECT_TRUE(test, is_resumed(0));
}

/* what the session holds by the new attachment is not due by the old one */
static void it_may_attach_again_before_they_ended(struct kunit *test)
{
	struct gpubp_holder holder;
	u64 id = FIRST + 1;

	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	holder = begin(test, 0);
	detach_session(0, stage.id);
	attach_session(test, 0);
	KUNIT_EXPECT_EQ(test, 0, gpubp_hold_waves(&holder, &id, 1, EVER));
	end(&holder);
	KUNIT_EXPECT_TRUE(test, is_resumed(0));
	msleep(SOME_MS);
	KUNIT_EXPECT_EQ(test, 1, stage.wave[1].halts);
}

/* each wave has its own limit, whatever the order in which they are set */
static void limits_expire_one_by_one(struct kunit *test)
{
	static const unsigned int ms[] = { 300000, 40, 200000, 1, 100000, 20 };
	u64 now = ktime_get_ns();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ms); i++)
		KUNIT_EXPECT_EQ(test, 0,
				hold_until(test, i % SESSIONS, i,
					   now + ms[i] * NSEC_PER_MSEC));
	for (i = 1; i < ARRAY_SIZE(ms); i += 2)
		KUNIT_EXPECT_TRUE(test, is_resumed(i));
	for (i = 0; i < ARRAY_SIZE(ms); i += 2)
		KUNIT_EXPECT_EQ(test, 1, stage.wave[i].halts);
}

/* each wave of each session by an event of its own */
static void however_many_attachments_hold_waves(struct kunit *test)
{
	struct perf_event *events[ATTACHMENTS];
	u64 first = stage.id;
	unsigned int i;

	for (i = 0; i < ATTACHMENTS; i++) {
		events[i] = mock_open(test, MOCK_VA, 4, GPUBP_ACCESS_STORE);
		stage.id = events[i]->id;
		attach_session(test, i % SESSIONS);
		KUNIT_ASSERT_EQ(test, 0,
				hold(test, i % SESSIONS, i % NR_WAVES));
	}
	KUNIT_EXPECT_EQ(test, SESSIONS * NR_WAVES, gpubp_holds_count());
	stage.id = first;
	/* no call reports this one */
	for (i = 0; i < SESSIONS; i++)
		xa_destroy(&stage.session[i].attachments);
	KUNIT_EXPECT_TRUE(test, no_hold_is_left());
}

/* a call of the session is in progress: its hold must stay */
static void not_in_the_middle_of_a_call(struct kunit *test)
{
	struct gpubp_holder holder;

	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	holder = begin(test, 0);
	mock_close(stage.m, stage.event);
	msleep(SOME_MS);
	KUNIT_EXPECT_EQ(test, 1, stage.wave[0].halts);
	KUNIT_EXPECT_TRUE(test, gpubp_hold_state(&holder, FIRST).mine);
	end(&holder);
	KUNIT_EXPECT_TRUE(test, is_resumed(0));
}

/*
 * calls follow each other without a gap: each checks for ended holds at its end
 */
static void nor_for_as_long_as_calls_follow_each_other(struct kunit *test)
{
	struct gpubp_holder holder;

	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, hold(test, 1, 1));
	holder = begin(test, 0);
	detach_session(0, stage.id);
	while (!READ_ONCE(holder.session->holds_ended))
		msleep(1);
	gpubp_holds_yield(holder.session);
	KUNIT_EXPECT_TRUE(test, is_resumed(0));
	KUNIT_EXPECT_FALSE(test, gpubp_hold_state(&holder, FIRST).mine);
	KUNIT_EXPECT_EQ(test, 1, stage.wave[1].halts);
	end(&holder);
}

/* ---- contexts and devices that are removed ------------------------------- */

static void a_context_takes_its_holds_along(struct kunit *test)
{
	struct gpubp_ctx *ctx = stage.c->ctx;

	kref_get(&ctx->ref);
	KUNIT_EXPECT_EQ(test, NR_WAVES, hold_all(test, 0));
	mock_ctx_destroy(stage.c);
	memset(stage.wave, 0, sizeof(stage.wave));
	KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
	KUNIT_EXPECT_EQ(test, -ESRCH, gpubp_ctx_op_begin(ctx));
	gpubp_ctx_put(ctx);
}

static struct completion destroyed;

static int destroy_fn(void *unused)
{
	mock_ctx_destroy(stage.c);
	complete(&destroyed);
	return 0;
}

static void it_waits_for_visits(struct kunit *test)
{
	struct gpubp_holder holder = begin(test, 0);
	struct task_struct *task;
	u64 id = FIRST;

	init_completion(&destroyed);
	kref_get(&holder.ctx->ref);
	task = kthread_run(destroy_fn, NULL, "destroy");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	while (!READ_ONCE(holder.ctx->dead))
		msleep(1);
	msleep(SOME_MS);
	KUNIT_EXPECT_FALSE(test, completion_done(&destroyed));
	KUNIT_EXPECT_EQ(test, 0, gpubp_hold_waves(&holder, &id, 1, EVER));
	KUNIT_EXPECT_EQ(test, -ESRCH, gpubp_ctx_op_begin(holder.ctx));
	end(&holder);
	wait_for_completion(&destroyed);
	KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
	memset(stage.wave, 0, sizeof(stage.wave));
	gpubp_ctx_put(holder.ctx);
}

/*
 * A context is destroyed while one of its holds has no owner and an operation
 * on the context wants the same wave: neither may wait for the other.
 */
static void what_is_over_keeps_nobody_in_a_dead_one(struct kunit *test)
{
	struct gpubp_holder holder = begin(test, 0);
	struct task_struct *task;
	u64 id = FIRST;

	kref_get(&holder.ctx->ref);
	KUNIT_EXPECT_EQ(test, 0, hold(test, 1, 0));
	init_completion(&destroyed);
	task = kthread_run(destroy_fn, NULL, "destroy");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	while (!READ_ONCE(holder.ctx->dead))
		msleep(1);
	gpubp_holds_exit_session(&stage.session[1]);
	KUNIT_EXPECT_EQ(test, 0, gpubp_hold_waves(&holder, &id, 1, EVER));
	end(&holder);
	wait_for_completion(&destroyed);
	KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
	memset(stage.wave, 0, sizeof(stage.wave));
	gpubp_ctx_put(holder.ctx);
}

static void without_power_it_waits_for_power(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	gpubp_device_suspend(stage.m->dev);
	KUNIT_EXPECT_EQ(test, -EAGAIN, gpubp_ctx_op_begin(stage.c->ctx));
	gpubp_holds_exit_session(&stage.session[0]);
	KUNIT_EXPECT_EQ(test, 1, stage.wave[0].halts);
	KUNIT_EXPECT_EQ(test, 1u, gpubp_holds_count());
	mock_resume(stage.m);
	KUNIT_EXPECT_TRUE(test, is_resumed(0));
}

/* ---- the waves of hits --------------------------------------------------- */

static struct gpubp_holder catcher(unsigned int s)
{
	return (struct gpubp_holder) {
		.session = &stage.session[s], .event = stage.id,
		.ctx = stage.c->ctx,
	};
}

/* as the resolver does for a hit of a wave; returns what that comes to */
static int hit(unsigned int s, unsigned int wave)
{
	struct gpubp_holder holder = catcher(s);
	bool needs;
	int err;

	scoped_guard(mutex, &gpubp_holds_lock)
		needs = gpubp_hold_needs_halt(&holder, FIRST + wave, &err);
	if (!needs)
		return err;
	stage.wave[wave].halts++;
	guard(mutex)(&gpubp_holds_lock);
	gpubp_hold_caught(&holder, FIRST + wave, &stage.ce, false);
	return 1;
}

static void hit_first(void)
{
	if (hit(0, 0) != 1)
		mock_complain(stage.m, "a hit does not hold its wave");
}

static void catch_begin(struct kunit *test, unsigned int nr)
{
	stage.ce = (struct gpubp_caught_event) {
		.session = &stage.session[0], .attachment = stage.id,
		.timeout_ns = EVER,
		.spare = kunit_kzalloc(test, sizeof(struct gpubp_holding),
				       GFP_KERNEL),
	};
	KUNIT_ASSERT_NOT_NULL(test, stage.ce.spare);
	KUNIT_ASSERT_EQ(test, 0, gpubp_holds_reserve(&stage.session[0], nr));
}

static void a_reserve_counts_as_what_is_held(struct kunit *test)
{
	unsigned int limit = gpubp_max_holds_per_user;

	gpubp_max_holds_per_user = 3;
	catch_begin(test, 2);
	KUNIT_EXPECT_EQ(test, 0, hold(test, 1, 0));
	KUNIT_EXPECT_EQ(test, -EDQUOT, hold(test, 1, 1));
	/* a hit takes what is charged already, and gives it back */
	KUNIT_EXPECT_EQ(test, 1, hit(0, 1));
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 1));
	KUNIT_EXPECT_EQ(test, -EDQUOT, hold(test, 1, 1));
	/* all or nothing */
	KUNIT_EXPECT_EQ(test, 0, drop(test, 1, 0));
	KUNIT_EXPECT_EQ(test, -EDQUOT,
			gpubp_holds_reserve(&stage.session[1], 2));
	KUNIT_EXPECT_EQ(test, 0, hold(test, 1, 0));
	KUNIT_EXPECT_EQ(test, 0, drop(test, 1, 0));
	gpubp_holds_unreserve(&stage.session[0], 2);
	KUNIT_EXPECT_EQ(test, 0, gpubp_holds_reserve(&stage.session[1], 3));
	gpubp_max_holds_per_user = limit;
}

static void hits_hold_what_is_reserved(struct kunit *test)
{
	catch_begin(test, 2);
	KUNIT_EXPECT_EQ(test, 1, hit(0, 0));
	KUNIT_EXPECT_EQ(test, 1, hit(0, 1));
	KUNIT_EXPECT_EQ(test, -ENOSPC, hit(0, 2));
	/* it is held already */
	KUNIT_EXPECT_EQ(test, 0, hit(0, 0));
	KUNIT_EXPECT_EQ(test, 1, stage.wave[0].halts);
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 1, hit(0, 2));
	/* closed with some in use, and some not */
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 2));
	gpubp_holds_exit_session(&stage.session[0]);
	KUNIT_EXPECT_EQ(test, 0u, gpubp_holds_count());
}

static void a_hit_while_its_session_halts_the_wave(struct kunit *test)
{
	catch_begin(test, 1);
	stage.in_halt = hit_first;
	KUNIT_EXPECT_EQ(test, 0, hold(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 2, stage.wave[0].halts);
	KUNIT_EXPECT_EQ(test, 1u, gpubp_holds_count());
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, stage.wave[0].halts);
	/* the halt of the hit stays, though the other one fails */
	stage.in_halt = hit_first;
	stage.halt_err = -EBUSY;
	KUNIT_EXPECT_EQ(test, -EBUSY, hold(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 1, stage.wave[0].halts);
	KUNIT_EXPECT_EQ(test, 1u, gpubp_holds_count());
	stage.halt_err = 0;
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 0));
}

/* it ran when it was listed, and is caught before its holds are looked at */
static void a_hit_while_waves_are_listed(struct kunit *test)
{
	struct gpubp_holder holder = catcher(0);
	struct gpubp_wave_entry *entries;

	catch_begin(test, 1);
	stage.in_list = hit_first;
	KUNIT_ASSERT_EQ(test, NR_WAVES, gpubp_wave_entries(&holder, &entries));
	KUNIT_EXPECT_EQ(test, FIRST, entries[0].wave);
	KUNIT_EXPECT_EQ(test, entries[0].flags,
			GPUBP_WAVE_STOPPED | GPUBP_WAVE_HELD |
				GPUBP_WAVE_MINE | GPUBP_WAVE_CAUGHT);
	KUNIT_EXPECT_EQ(test, entries[1].flags, 0);
	kvfree(entries);
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 0));
}

/* it runs, and hits again, before the call that resumed it has returned */
static void a_hit_while_its_session_resumes_the_wave(struct kunit *test)
{
	catch_begin(test, 2);
	KUNIT_EXPECT_EQ(test, 1, hit(0, 0));
	stage.in_resume = hit_first;
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 1, stage.wave[0].halts);
	KUNIT_EXPECT_EQ(test, 1u, gpubp_holds_count());
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 0));
}

static void a_hit_of_a_wave_that_another_session_moves(struct kunit *test)
{
	struct gpubp_holder holder;

	catch_begin(test, 1);
	KUNIT_EXPECT_EQ(test, 0, hold(test, 1, 0));
	holder = begin(test, 1);
	KUNIT_EXPECT_EQ(test, 0, gpubp_move_begin(&holder, FIRST));
	KUNIT_EXPECT_EQ(test, -EBUSY, hit(0, 0));
	gpubp_move_end(&holder, FIRST);
	end(&holder);
	KUNIT_EXPECT_EQ(test, 1, hit(0, 0));
	KUNIT_EXPECT_EQ(test, 2, stage.wave[0].halts);
}

static void a_hit_of_one_that_the_thread_resumes(struct kunit *test)
{
	catch_begin(test, 1);
	stage.in_resume = hit_first;
	KUNIT_EXPECT_EQ(test, 0, hold_until(test, 1, 0, ktime_get_ns()));
	while (!atomic_read(&stage.nr_resumes) || gpubp_holds_count() != 1)
		msleep(1);
	KUNIT_EXPECT_EQ(test, 1, stage.wave[0].halts);
	KUNIT_EXPECT_EQ(test, 0, drop(test, 0, 0));
}

static void what_a_hit_holds_has_its_limit(struct kunit *test)
{
	catch_begin(test, 1);
	stage.ce.timeout_ns = 1;
	KUNIT_EXPECT_EQ(test, 1, hit(0, 0));
	gpubp_holds_check();
	KUNIT_EXPECT_TRUE(test, is_resumed(0));
}

static struct kunit_case hold_test_cases[] = {
	KUNIT_CASE(a_reserve_counts_as_what_is_held),
	KUNIT_CASE(hits_hold_what_is_reserved),
	KUNIT_CASE(a_hit_while_its_session_halts_the_wave),
	KUNIT_CASE(a_hit_while_waves_are_listed),
	KUNIT_CASE(a_hit_while_its_session_resumes_the_wave),
	KUNIT_CASE(a_hit_of_a_wave_that_another_session_moves),
	KUNIT_CASE(a_hit_of_one_that_the_thread_resumes),
	KUNIT_CASE(what_a_hit_holds_has_its_limit),
	KUNIT_CASE(a_user_holds_so_many),
	KUNIT_CASE(a_halt_that_fails_holds_nothing),
	KUNIT_CASE(a_wave_that_ended_is_held_no_more),
	KUNIT_CASE(what_cannot_go_on_is_held_still),
	KUNIT_CASE(only_its_one_holder_moves_a_wave),
	KUNIT_CASE(a_halt_waits_until_the_wave_has_moved),
	KUNIT_CASE(one_whose_time_was_up_is_no_different),
	KUNIT_CASE(what_others_held_keeps_no_session),
	KUNIT_CASE(what_it_held_keeps_it),
	KUNIT_CASE(a_work_may_close_one),
	KUNIT_CASE(it_is_tried_again_until_it_goes_on),
	KUNIT_CASE(a_hold_moves_to_another_attachment),
	KUNIT_CASE(it_may_attach_again_before_they_ended),
	KUNIT_CASE(limits_expire_one_by_one),
	KUNIT_CASE(however_many_attachments_hold_waves),
	KUNIT_CASE(not_in_the_middle_of_a_call),
	KUNIT_CASE(nor_for_as_long_as_calls_follow_each_other),
	KUNIT_CASE(a_context_takes_its_holds_along),
	KUNIT_CASE(it_waits_for_visits),
	KUNIT_CASE(what_is_over_keeps_nobody_in_a_dead_one),
	KUNIT_CASE(without_power_it_waits_for_power),
	{}
};

static struct kunit_suite hold_test_suite = {
	.name = "gpubp_hold",
	.init = stage_init,
	.exit = stage_exit,
	.test_cases = hold_test_cases,
};
kunit_test_suite(hold_test_suite);
