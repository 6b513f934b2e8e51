// SPDX-License-Identifier: GPL-2.0
/*
 * Record rings: hits that a wave records in the ring of its context, and goes on.
 * Which hits are recorded and since when, and what becomes of what is in a ring,
 * which a process may write to.
 */
#include <linux/bits.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "core/cell.h"
#include "event/event.h"
#include "event/reconcile.h"
#include "event/set.h"
#include "handler_rig.h"
#include "sched/sched.h"
#include "sched/throttle.h"

#define BLOCK		64
#define AT		(MOCK_VA + 8)		/* in one block */
#define NEAR		(MOCK_VA + 16)		/* in the same */
#define FAR		(MOCK_VA + SZ_4K)
#define STORES		GPUBP_ACCESS_STORE
#define BELL		0x300			/* doorbell of a second queue */
#define ALL_SLOTS	GENMASK(MOCK_SLOTS - 1, 0)
#define BATCH		16			/* of a ring, before others */
#define KEPT		128
#define AWAIT_NS	(50 * NSEC_PER_MSEC)	/* for a place to be published */
#define WAIT		(60 * HZ)

/* ---- samples ------------------------------------------------------------- */

/*
 * Of the running test: the number of samples, and the first of them. An event with a
 * context for its handler would be a kernel consumer's.
 */
static struct {
	unsigned int nr;
	struct gpubp_hit_record rec[KEPT];
} kept;

static void keep(struct perf_event *event, struct perf_sample_data *data,
		 struct pt_regs *regs)
{
	if (kept.nr < KEPT)
		memcpy(&kept.rec[kept.nr], data->raw->frag.data,
		       sizeof(kept.rec[0]));
	kept.nr++;
}

static int suite_init(struct kunit *test)
{
	memset(&kept, 0, sizeof(kept));
	return handler_rig_init_records(test);
}

static struct perf_event_attr sampling_attr(u64 addr, u64 len)
{
	struct perf_event_attr attr = mock_attr(addr, len, STORES);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_ADDR;
	return attr;
}

static struct perf_event *open_for(struct kunit *test,
				   struct perf_event_attr attr,
				   struct task_struct *task)
{
	struct perf_event *event = mock_open_attr(test, &attr, task, keep,
						  NULL);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "event not opened: %ld",
			       PTR_ERR(event));
	return event;
}

static struct perf_event *sample(struct kunit *test, struct mock_ctx *c,
				 u64 addr)
{
	struct perf_event *event = open_for(test, sampling_attr(addr, 4),
					    current);

	handler_rig_settle(c);
	return event;
}

static struct perf_event *count(struct kunit *test, struct mock_ctx *c,
				u64 addr)
{
	struct perf_event *event = mock_open(test, addr, 4, STORES);

	handler_rig_settle(c);
	return event;
}

/* ---- rings --------------------------------------------------------------- */

/* comparators whose hits are recorded: all but atomics, and these where no event samples */
static u32 on(struct mock_ctx *c)
{
	return READ_ONCE(handler_rig_ring(c)->on) &
	       (BIT(GPUBP_HANDLER_ATOMICS_SHIFT) - 1);
}

static u32 on_atomics(struct mock_ctx *c)
{
	return READ_ONCE(handler_rig_ring(c)->on) >> GPUBP_HANDLER_ATOMICS_SHIFT;
}

/* of the slot that compares the byte at @addr */
static bool is_on(struct kunit *test, struct mock_ctx *c, u64 addr)
{
	return on(c) & BIT(handler_rig_slot(test, c, addr));
}

static struct gpubp_record_ring *core_ring(struct mock_ctx *c)
{
	return &c->ctx->sched->ring;
}

/* one run of the resolver */
static void run(struct mock *m)
{
	kthread_queue_work(m->dev->resolver, &m->dev->resolve_work);
	kthread_flush_worker(m->dev->resolver);
}

static void resolve(struct kunit *test, struct mock_ctx *c)
{
	KUNIT_EXPECT_EQ(test, gpubp_ctx_work_done(c->ctx), 0);
}

static void expect_booked(struct kunit *test, enum gpubp_stat want, s64 nr,
			  s64 raised)
{
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(test->priv, want), nr);
	KUNIT_EXPECT_EQ(test, mock_stat(test->priv, GPUBP_STAT_RAISED), raised);
}

static void expect_delivered(struct kunit *test, s64 nr)
{
	expect_booked(test, GPUBP_STAT_DELIVERED, nr, nr);
}

/* what was not delivered is lost for the events of the context, and they know */
static void expect_lost(struct kunit *test, struct mock_ctx *c, s64 lost,
			s64 raised)
{
	expect_booked(test, GPUBP_STAT_DROP_RECORD, lost, raised);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED),
			raised - lost);
	KUNIT_EXPECT_EQ(test, atomic64_read(&c->ctx->lost), lost);
}

/* ---- a recorded hit ------------------------------------------------------ */

static void no_hit_done(struct mock *m)
{
	mock_complain(m, "hit_done for a wave that did not stop");
}

static void expect_no_stall(struct kunit *test, struct mock_ctx *c)
{
	unsigned int i;

	for (i = 0; i < GPUBP_STALL_PLACES; i++)
		KUNIT_EXPECT_EQ(test, c->ctx->sched->throttle.stall_ns[i], 0);
}

static void what_it_tells(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	const struct gpubp_hit_record *r = &kept.rec[0];
	struct handler_rig_place *p;
	u32 number;

	sample(test, c, AT);
	c->m->in_hit_done = no_hit_done;
	/* it stalls no wave, however old it is */
	c->ctx->max_stall_ns = 0;
	number = handler_rig_take(test, c);
	p = handler_rig_fill(c, number, handler_rig_slot(test, c, AT), FAR);
	p->exec = 0x5;
	p->addr[0][2] = lower_32_bits(AT);
	p->addr[1][2] = upper_32_bits(AT);
	p->data[0][2] = 0x33;
	handler_rig_publish(c, number);
	resolve(test, c);
	expect_delivered(test, 1);
	KUNIT_ASSERT_EQ(test, kept.nr, 1);
	KUNIT_EXPECT_EQ(test, r->pc, MOCK_CODE);
	KUNIT_EXPECT_EQ(test, r->exec, 0x5);
	KUNIT_EXPECT_EQ(test, r->lanes, 0x4);
	KUNIT_EXPECT_EQ(test, r->hit_addr, AT);
	KUNIT_EXPECT_EQ(test, r->hit_len, 4);
	KUNIT_EXPECT_EQ(test, r->addr_state, GPUBP_ADDR_EXACT);
	KUNIT_EXPECT_EQ(test, r->access, STORES);
	KUNIT_EXPECT_EQ(test, r->width, 4);
	KUNIT_EXPECT_EQ(test, r->data, 0x33);
	KUNIT_EXPECT_EQ(test, r->gpu_time, p->time);
	KUNIT_EXPECT_EQ(test, r->context, gpubp_ctx_id(c->ctx));
	KUNIT_EXPECT_EQ(test, r->queue, 7);
	KUNIT_EXPECT_EQ(test, r->dispatch, 0x55);
	KUNIT_EXPECT_EQ(test, r->wg_x, 1);
	KUNIT_EXPECT_EQ(test, r->wave_in_group, 4);
	/* the mock's memory has no such value: what the access left there */
	KUNIT_EXPECT_EQ(test, r->flags,
			GPUBP_HIT_PC_EXACT | GPUBP_HIT_COORDS |
			GPUBP_HIT_DISPATCH | GPUBP_HIT_BYTES | GPUBP_HIT_DATA |
			GPUBP_HIT_OLD_VALUE | GPUBP_HIT_NEW_VALUE |
			GPUBP_HIT_SEEN | GPUBP_HIT_NOW);
	KUNIT_EXPECT_EQ(test, r->new_value, 0x33);
	KUNIT_EXPECT_EQ(test, r->now, 0x33);
	KUNIT_EXPECT_EQ(test, r->seen, 0);
	KUNIT_EXPECT_EQ(test, r->wave, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->at_gate), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&c->m->dev->sched->recording.nr_recorded),
			1);
	expect_no_stall(test, c);
}

/* no register has what they left: their waves stop where a sample is to say that */
static void atomics_that_are_sampled(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event_attr attr = mock_attr(AT, 4, STORES);
	struct perf_event *event;

	mock_open(test, AT, 4, STORES);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, on_atomics(c), on(c));
	KUNIT_EXPECT_NE(test, on(c), 0);
	attr.sample_period = 1;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, on_atomics(c), 0);
	KUNIT_EXPECT_NE(test, on(c), 0);
	mock_close(c->m, event);
}

static void all_events_count_it(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *one = count(test, c, AT);
	struct perf_event *same = count(test, c, AT);
	struct perf_event *near = count(test, c, NEAR);
	int i;

	for (i = 0; i < 3; i++)
		handler_rig_store(test, c, AT);
	handler_rig_store(test, c, NEAR);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(one), 3);
	KUNIT_EXPECT_EQ(test, mock_count(same), 3);
	KUNIT_EXPECT_EQ(test, mock_count(near), 1);
	expect_delivered(test, 4);
}

/* without a request */
static void soon_enough(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);
	unsigned long end = jiffies + WAIT;

	handler_rig_store(test, c, AT);
	while (!mock_count(event) && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

static bool is_asked_for_notice(struct mock_ctx *c)
{
	const struct gpubp_handler_ring *ring = handler_rig_ring(c);

	return READ_ONCE(ring->notify) == READ_ONCE(ring->head);
}

/* the first wave, and the first one after some milliseconds without another */
static void with_an_interrupt_after_a_rest(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	KUNIT_EXPECT_TRUE(test, is_asked_for_notice(c));
	handler_rig_store(test, c, AT);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_ASSERT_TRUE(test, handler_rig_wait(c, is_asked_for_notice));
	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	gpubp_recorded(c->m->dev);
	kthread_flush_worker(c->m->dev->resolver);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	expect_delivered(test, 2);
}

/* not as soon as there is none: an interrupt is no cheaper than a look */
static void without_one_while_others_come(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	count(test, c, AT);
	handler_rig_stop_poll(c->m);
	for (i = 0; i < 3; i++) {
		handler_rig_store(test, c, AT);
		resolve(test, c);
		resolve(test, c);
		KUNIT_EXPECT_FALSE(test, is_asked_for_notice(c));
	}
	expect_delivered(test, 3);
}

/* one that had its number before it was asked for sends nothing */
static void while_a_wave_records(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	count(test, c, AT);
	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	resolve(test, c);
	handler_rig_store(test, c, AT);
	KUNIT_EXPECT_TRUE(test, gpubp_record_ring_ask_notice(core_ring(c)));
	resolve(test, c);
	KUNIT_EXPECT_FALSE(test, gpubp_record_ring_ask_notice(core_ring(c)));
	KUNIT_EXPECT_TRUE(test, is_asked_for_notice(c));
	expect_delivered(test, 2);
}

#define REST_MS	3000

/* the resolver looks again and again, but ever less while there is nothing */
static void seldom_at_rest(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);
	unsigned long end;
	u64 before;

	before = READ_ONCE(c->m->dev->nr_rounds);
	schedule_timeout_uninterruptible(msecs_to_jiffies(REST_MS));
	KUNIT_EXPECT_LE(test, READ_ONCE(c->m->dev->nr_rounds) - before, 16);
	KUNIT_EXPECT_GE(test, READ_ONCE(c->m->dev->nr_rounds) - before, 1);
	handler_rig_store(test, c, AT);
	end = jiffies + WAIT;
	while (!mock_count(event) && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	expect_delivered(test, 1);
}

/* not at all where no wave can be */
static void never_without_a_queue(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned long end = jiffies + WAIT;
	struct perf_event *event;
	struct gpubp_queue *queue;
	u64 before;

	event = count(test, c, AT);
	gpubp_queue_destroy(c->queue);
	c->queue = NULL;
	while (READ_ONCE(c->m->dev->ring_poll.ms) && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	before = READ_ONCE(c->m->dev->nr_rounds);
	schedule_timeout_uninterruptible(msecs_to_jiffies(REST_MS));
	KUNIT_EXPECT_EQ(test, READ_ONCE(c->m->dev->nr_rounds), before);
	/* and no wait for hits depends on that */
	KUNIT_EXPECT_TRUE(test, gpubp_hits_passed(c->m->dev,
						  gpubp_hits_mark(c->m->dev)));
	queue = mock_queue(c->ctx, task_pid(current), 8, BELL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(queue));
	handler_rig_settle(c);
	handler_rig_store(test, c, AT);
	end = jiffies + WAIT;
	while (!mock_count(event) && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	expect_delivered(test, 1);
	gpubp_queue_destroy(queue);
}

/* the handler filters a comparator only if it knows that it must */
static void where_each_hit_matches(struct kunit *test)
{
	struct perf_event_attr attr = sampling_attr(MOCK_VA, BLOCK);
	struct mock_ctx *c = mock_ctx(test);

	attr.config |= GPUBP_ACCESS_ATOMIC << GPUBP_CONFIG_ACCESS_SHIFT;
	open_for(test, attr, current);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	KUNIT_EXPECT_EQ(test,
			handler_rig_filter(c, handler_rig_slot(test, c, AT))->nr,
			1);
	handler_rig_store(test, c, AT);
	resolve(test, c);
	expect_delivered(test, 1);
}

static void the_ring_is_as_long_as_root_says(struct kunit *test)
{
	const struct gpubp_handler_ring *ring;
	struct mock_ctx *c;

	mock_param(test, "record_places", 1000);
	c = mock_ctx(test);
	count(test, c, AT);
	ring = handler_rig_ring(c);
	KUNIT_EXPECT_EQ(test, ring->mask + 1, 2048);
	KUNIT_EXPECT_EQ(test, ring->limit, 2048 - RIG_WAVES);
	KUNIT_EXPECT_EQ(test, c->ring_size,
			2048 * sizeof(struct handler_rig_place));
}

/* ---- what is not recorded ------------------------------------------------ */

static void never_called(struct gpubp_consumer *consumer,
			 const struct gpubp_watch_hit *hit, void *data)
{
}

static struct gpubp_consumer *consumer;	/* of the running test */

static void suite_exit(struct kunit *test)
{
	if (consumer)
		gpubp_unregister_watch(consumer);
	consumer = NULL;
	mock_exit(test);
}

static void open_consumer(struct kunit *test, u64 addr)
{
	struct gpubp_consumer *new;
	struct perf_event_attr attr;

	gpubp_watch_attr_init(&attr, addr, 4, STORES);
	attr.pinned = 0;
	new = gpubp_register_watch(current, &attr, never_called, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(new));
	consumer = new;
}

static void open_sigtrap(struct kunit *test, u64 addr)
{
	struct perf_event_attr attr = sampling_attr(addr, 4);

	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	open_for(test, attr, current);
}

static void open_changed(struct kunit *test, u64 addr)
{
	struct perf_event_attr attr = sampling_attr(addr, 4);

	attr.config |= GPUBP_CONFIG_CHANGED;
	open_for(test, attr, current);
}

struct stop_case {
	const char *name;
	void (*open)(struct kunit *test, u64 addr);
};

static const struct stop_case stop_cases[] = {
	{ "signals", open_sigtrap },
	{ "only_if_the_bytes_changed", open_changed },
	{ "a_kernel_consumer", open_consumer },
};
KUNIT_ARRAY_PARAM_DESC(stop, stop_cases, name);

/* of the comparator that others share, and of no other */
static void hits_that_must_stop(struct kunit *test)
{
	const struct stop_case *s = test->param_value;
	struct mock_ctx *c = mock_ctx(test);

	count(test, c, AT);
	count(test, c, FAR);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	KUNIT_EXPECT_TRUE(test, is_on(test, c, FAR));
	s->open(test, NEAR);
	handler_rig_settle(c);
	KUNIT_EXPECT_FALSE(test, is_on(test, c, AT));
	KUNIT_EXPECT_TRUE(test, is_on(test, c, FAR));
	/* in the other order, too */
	count(test, c, NEAR);
	KUNIT_EXPECT_FALSE(test, is_on(test, c, NEAR));
}

/*
 * perf opens one on each CPU. The task sleeps: for one that runs, perf schedules all of
 * them for each new one.
 */
static void many_events(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	int i;

	for (i = 0; i < 256; i++)
		open_for(test, mock_attr(AT, 4, STORES), thread);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
}

static void again_without_that_event(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_changed(test, AT);
	count(test, c, AT);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	mock_close(c->m, c->m->events[0]);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
}

static void not_if_root_does_not_want_it(struct kunit *test)
{
	struct mock_ctx *c;

	mock_param(test, "handler_records", 0);
	c = mock_ctx(test);
	count(test, c, AT);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	KUNIT_EXPECT_EQ(test, c->ring_size, 0);
	KUNIT_EXPECT_EQ(test, mock_store(c, AT), GPUBP_TAKEN);
	expect_delivered(test, 1);
}

/* nor any more: from the next commit on */
static void off_when_root_wants_it_off(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	count(test, c, AT);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	mock_param(test, "handler_records", 0);
	count(test, c, FAR);
	KUNIT_EXPECT_EQ(test, on(c), 0);
}

/* nor without what says which hits are of watched bytes */
static void not_without_filters(struct kunit *test)
{
	struct mock_ctx *c;

	mock_param(test, "handler_filters", 0);
	c = mock_ctx(test);
	count(test, c, AT);
	KUNIT_EXPECT_EQ(test, on(c), 0);
}

static struct mock_ctx *ctx_with_unseen_ends(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.atomics = true;
	caps.records = true;
	caps.unseen_ends = true;
	mock_replace(test, &caps);
	return mock_ctx(test);
}

/* nor where a count is read when work has ended, and the provider does not see that */
static void counts_where_ends_are_unseen(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_unseen_ends(test);
	struct perf_event *event = count(test, c, AT);

	KUNIT_EXPECT_EQ(test, on(c), 0);
	KUNIT_EXPECT_EQ(test, mock_store(c, AT), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	/* of one comparator: those of the other event, too, but of no other comparator */
	sample(test, c, AT);
	sample(test, c, FAR);
	KUNIT_EXPECT_FALSE(test, is_on(test, c, AT));
	KUNIT_EXPECT_TRUE(test, is_on(test, c, FAR));
	mock_close(c->m, event);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
}

static void samples_where_ends_are_unseen(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_unseen_ends(test);

	sample(test, c, AT);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	/* as GPUBP_SYNC does */
	KUNIT_EXPECT_EQ(test, gpubp_hits_wait(c->m->dev, WAIT), 0);
	KUNIT_EXPECT_EQ(test, kept.nr, 1);
	expect_delivered(test, 1);
}

/* unless root wants that */
static void all_where_ends_are_unseen(struct kunit *test)
{
	struct mock_ctx *c = ctx_with_unseen_ends(test);
	struct perf_event *event = count(test, c, AT);

	KUNIT_EXPECT_EQ(test, mock_store(c, AT), GPUBP_TAKEN);
	mock_quiesce(test);
	mock_param(test, "handler_records", 2);
	count(test, c, FAR);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	/* as GPUBP_SYNC does */
	KUNIT_EXPECT_EQ(test, gpubp_hits_wait(c->m->dev, WAIT), 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	expect_delivered(test, 2);
}

static void not_if_waves_are_stepped(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_ctx *other = mock_ctx(test);

	count(test, c, AT);
	scoped_guard(mutex, &c->m->dev->lock)
		c->ctx->stepped = true;
	count(test, c, FAR);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	KUNIT_EXPECT_NE(test, on(other), 0);
}

/* ---- breaks -------------------------------------------------------------- */

static int write_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		      unsigned int nr, const u32 *in)
{
	return -ESRCH;
}

static struct gpubp_ops ops_with_breaks;

static int init_with_breaks(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.atomics = true;
	caps.records = true;
	ops_with_breaks = mock_ops;
	ops_with_breaks.write_wave = write_wave;
	return mock_init_ops(test, &ops_with_breaks, &caps);
}

static void not_where_waves_trap(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *trap;

	attr.config = GPUBP_KIND_TRAP | 7ULL << GPUBP_CONFIG_CODE_SHIFT;
	count(test, c, AT);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	trap = open_for(test, attr, current);
	count(test, c, FAR);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	mock_close(c->m, trap);
	handler_rig_settle(c);
	count(test, c, NEAR);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	KUNIT_EXPECT_TRUE(test, is_on(test, c, FAR));
}

/* ---- commits ------------------------------------------------------------- */

/**
 * struct stage - what a wave does in a commit
 * @slot: comparator that it hits
 * @addr: at this address, 0: nothing
 * @on: comparators whose hits were recorded then
 * @nr: number of commits
 */
static struct stage {
	u32 slot;
	u64 addr;
	u32 on;
	unsigned int nr;
} stage;

/* a wave that was in the handler, and that the provider waits for */
static void in_commit(struct mock *m, u64 seq)
{
	struct mock_ctx *c = &m->ctxs[0];
	struct gpubp_handler_ring *ring = handler_rig_ring(c);
	u32 number = ring->head;

	stage.on = on(c);
	stage.nr++;
	if (!stage.addr)
		return;
	WRITE_ONCE(ring->head, number + 1);
	handler_rig_fill(c, number, stage.slot, stage.addr);
	handler_rig_publish(c, number);
	stage.addr = 0;
}

static void stage_set(struct kunit *test, struct mock_ctx *c, u64 addr)
{
	memset(&stage, 0, sizeof(stage));
	stage.slot = handler_rig_slot(test, c, addr);
	stage.addr = addr;
	c->m->in_commit = in_commit;
}

/* another driver takes all comparators */
static void lose_slots(struct mock_ctx *c)
{
	c->m->loose = true;
	scoped_guard(mutex, &c->m->lock) {
		memset(c->m->slot, 0, sizeof(c->m->slot));
		c->prog.valid = 0;
		c->valid = 0;
	}
	gpubp_slots_lost(c->m->dev, ALL_SLOTS);
	handler_rig_settle(c);
}

/* for halts of single waves, where the device cannot do both: of one context, for good */
static void not_after_it_was_stopped(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_ctx *other = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_store(test, c, AT);
	KUNIT_EXPECT_TRUE(test, gpubp_records_stop(c->ctx));
	KUNIT_EXPECT_EQ(test, on(c), 0);
	KUNIT_EXPECT_NE(test, on(other), 0);
	/* it has what was recorded before */
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_FALSE(test, gpubp_records_stop(c->ctx));
	count(test, c, FAR);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	KUNIT_EXPECT_EQ(test, mock_store(c, AT), GPUBP_TAKEN);
	expect_delivered(test, 2);
}

/* what it records is of the old filter */
static void off_while_its_filter_changes(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);
	struct perf_event *late;

	stage_set(test, c, AT);
	late = count(test, c, NEAR);
	c->m->in_commit = NULL;
	KUNIT_EXPECT_GE(test, stage.nr, 1);
	KUNIT_EXPECT_EQ(test, stage.on, 0);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	expect_delivered(test, 1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, mock_count(late), 0);
}

/* the commit takes its comparator away, and its hits are its own nevertheless */
static void hits_of_a_watch_that_is_disarmed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	stage_set(test, c, AT);
	lose_slots(c);
	c->m->in_commit = NULL;
	KUNIT_EXPECT_EQ(test, stage.on, 0);
	KUNIT_EXPECT_EQ(test, mock_slots(c, AT), 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	expect_delivered(test, 2);
	gpubp_slots_returned(c->m->dev, ALL_SLOTS);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
}

/* another comparator is programmed: this one goes on comparing, and recording */
static void on_while_another_changes(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	stage_set(test, c, AT);
	count(test, c, FAR);
	c->m->in_commit = NULL;
	KUNIT_EXPECT_GE(test, stage.nr, 1);
	KUNIT_EXPECT_EQ(test, stage.on, BIT(stage.slot));
	KUNIT_EXPECT_TRUE(test, is_on(test, c, FAR));
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	expect_delivered(test, 1);
}

/* in a commit: what is recorded are hits of what the comparator compares */
static void check_on(struct mock *m, u64 seq)
{
	struct mock_ctx *c = &m->ctxs[0];
	unsigned long slots = c->tma ? on(c) : 0;
	const struct gpubp_handler_filter *f;
	unsigned int s;

	for_each_set_bit(s, &slots, MOCK_SLOTS) {
		f = handler_rig_filter(c, s);
		if (!(c->prog.valid & BIT(s)) || !f->nr ||
		    (f->range[0].first & c->prog.mask[s]) != m->slot[s].value)
			mock_complain(m, "hits of slot %u are recorded", s);
	}
	stage.on |= slots;
}

static void off_while_its_slot_changes(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int i;

	mock_param(test, "max_filter_percent", 0);
	mock_short_quanta(test);
	memset(&stage, 0, sizeof(stage));
	count(test, c, MOCK_VA);
	c->m->in_commit = check_on;
	/* the first comparator is left as it is */
	count(test, c, MOCK_VA + SZ_4K);
	for (i = 2; i < 3 * MOCK_SLOTS; i++)
		mock_open(test, MOCK_VA + SZ_4K * i, 4, STORES);
	gpubp_events_reconcile();
	KUNIT_EXPECT_TRUE(test, mock_wait_commits(c->m, 50));
	c->m->in_commit = NULL;
	KUNIT_EXPECT_NE(test, stage.on, 0);
}

static void on_again_after_a_reset(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_store(test, c, AT);
	resolve(test, c);
	mock_reset(c->m);
	handler_rig_settle(c);
	handler_rig_store(test, c, AT);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->code_allocs), 2);
	expect_delivered(test, 2);
}

static void off_with_the_last_event(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->dev->nr_recording), 1);
	mock_close(c->m, event);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->dev->nr_recording), 0);
}

/* ---- places that are not published --------------------------------------- */

/* a wave is slow, and one after it is not: they are resolved in order */
static void it_waits_for_those_before(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u32 slow;

	sample(test, c, AT);
	slow = handler_rig_take(test, c);
	handler_rig_store(test, c, AT);
	run(c->m);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), 0);
	handler_rig_fill(c, slow, handler_rig_slot(test, c, AT), AT);
	handler_rig_publish(c, slow);
	resolve(test, c);
	expect_delivered(test, 2);
	KUNIT_EXPECT_EQ(test, kept.nr, 2);
	KUNIT_EXPECT_EQ(test, kept.rec[0].data, slow);
	KUNIT_EXPECT_EQ(test, kept.rec[1].data, slow + 1);
}

/*
 * A wave records a hit and is reported at its next one, beside another wave that has not
 * published a place: of each wave, hits come in order, and each once.
 */
static void not_if_one_is_reported(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u32 slow, next;

	mock_param(test, "record_places", 64);
	sample(test, c, AT);
	handler_rig_stop_poll(c->m);
	/* over the end of the ring */
	for (next = 0; next < handler_rig_ring(c)->mask - 1; next++) {
		handler_rig_store(test, c, AT);
		resolve(test, c);
	}
	mock_quiesce(test);
	kept.nr = 0;
	slow = handler_rig_take(test, c);
	handler_rig_store(test, c, AT);
	handler_rig_store(test, c, AT);
	c->m->vgprs[2][0] = 77;
	KUNIT_EXPECT_EQ(test, mock_store(c, AT), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_ASSERT_EQ(test, kept.nr, 3);
	KUNIT_EXPECT_EQ(test, kept.rec[0].data, slow + 1);
	KUNIT_EXPECT_EQ(test, kept.rec[1].data, slow + 2);
	KUNIT_EXPECT_EQ(test, kept.rec[2].data, 77);
	handler_rig_store(test, c, AT);
	handler_rig_fill(c, slow, handler_rig_slot(test, c, AT), AT);
	handler_rig_publish(c, slow);
	resolve(test, c);
	expect_delivered(test, next + 5);
	KUNIT_ASSERT_EQ(test, kept.nr, 5);
	KUNIT_EXPECT_EQ(test, kept.rec[3].data, slow);
	KUNIT_EXPECT_EQ(test, kept.rec[4].data, slow + 3);
	KUNIT_EXPECT_EQ(test, handler_rig_ring(c)->tail, slow + 4);
}

/*
 * The bytes of a record are read when the hit of another wave, which is reported, is in
 * them already: that hit has not seen its own value.
 */
static void what_a_reported_hit_has_seen(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_hit_record *rec = &kept.rec[2];

	open_for(test, sampling_attr(AT, 16), current);
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	resolve(test, c);
	handler_rig_store(test, c, AT);
	put_unaligned_le32(77, c->mem + (NEAR - MOCK_VA));
	KUNIT_EXPECT_EQ(test, mock_store(c, NEAR), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_ASSERT_EQ(test, kept.nr, 3);
	KUNIT_EXPECT_EQ(test, rec->hit_addr, NEAR);
	KUNIT_EXPECT_TRUE(test, rec->flags & GPUBP_HIT_NOW);
	KUNIT_EXPECT_EQ(test, rec->now, 77);
	KUNIT_EXPECT_TRUE(test, rec->flags & GPUBP_HIT_SEEN);
	KUNIT_EXPECT_EQ(test, rec->seen, 0);
}

/*
 * With handler_check the wave of each record is reported, too: what the CPU wrote before
 * a record is seen all the same.
 */
static void what_a_checked_hit_has_seen(struct kunit *test)
{
	struct gpubp_hit_record *rec = &kept.rec[1];
	struct mock_stop stop = { .exec = 1, .trapsts = BIT(30) };
	struct mock *m = test->priv;
	struct mock_ctx *c;

	mock_param(test, "handler_check", 1);
	WRITE_ONCE(m->checked, true);
	c = mock_ctx(test);
	open_for(test, sampling_attr(AT, 16), current);
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	put_unaligned_le32(77, c->mem + (NEAR - MOCK_VA));
	handler_rig_store(test, c, AT);
	stop.pc = mock_put_insn(c, INSN_STORE);
	stop.slots = mock_slots(c, AT);
	mock_lane_addr(c->m, 0, AT);
	mock_raise(c, &stop);
	mock_quiesce(test);
	KUNIT_ASSERT_EQ(test, kept.nr, 1);
	handler_rig_store(test, c, NEAR);
	resolve(test, c);
	KUNIT_ASSERT_EQ(test, kept.nr, 2);
	KUNIT_EXPECT_TRUE(test, rec->flags & GPUBP_HIT_SEEN);
	KUNIT_EXPECT_EQ(test, rec->seen, 77);
}

/* what was there before is of another number, a lap ago */
static void a_place_that_was_in_use_before(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;
	u32 i, nr;

	mock_param(test, "record_places", 64);
	event = count(test, c, AT);
	nr = handler_rig_ring(c)->mask + 1;
	for (i = 0; i < nr; i++) {
		handler_rig_store(test, c, AT);
		resolve(test, c);
	}
	KUNIT_EXPECT_EQ(test, mock_count(event), nr);
	handler_rig_take(test, c);
	run(c->m);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), nr);
	handler_rig_publish(c, nr);
	resolve(test, c);
	expect_delivered(test, nr + 1);
}

/* its wave was killed: no wave of before the commit is in the handler any more */
static void one_that_is_never_published(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_take(test, c);
	handler_rig_store(test, c, AT);
	handler_rig_take(test, c);
	run(c->m);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), 0);
	count(test, c, NEAR);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	expect_lost(test, c, 2, 3);
	/* and nothing is lost later */
	handler_rig_store(test, c, AT);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	expect_lost(test, c, 2, 4);
}

static struct perf_event *awaited;

static bool has_come(struct mock_ctx *c)
{
	return mock_count(awaited) == 1;
}

/* no commit is due: recording ends for a moment for that */
static void one_that_holds_back_another(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	awaited = count(test, c, AT);
	handler_rig_take(test, c);
	handler_rig_store(test, c, AT);
	KUNIT_EXPECT_TRUE(test, handler_rig_wait(c, has_come));
	expect_lost(test, c, 1, 2);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
}

/* one that is taken after that may be published */
static void only_of_before_the_commit(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u32 slow;

	count(test, c, AT);
	handler_rig_take(test, c);
	count(test, c, NEAR);
	expect_lost(test, c, 1, 1);
	slow = handler_rig_take(test, c);
	run(c->m);
	expect_lost(test, c, 1, 1);
	handler_rig_fill(c, slow, handler_rig_slot(test, c, AT), AT);
	handler_rig_publish(c, slow);
	resolve(test, c);
	expect_lost(test, c, 1, 2);
}

/* not if that of another comparator, or in another context, begins or ends */
static void only_if_its_recording_ends(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c = mock_ctx(test);

	mock_ctx_of(test, task_pid(thread));
	open_for(test, mock_attr(AT, 4, STORES), thread);
	count(test, c, AT);
	handler_rig_stop_poll(c->m);
	handler_rig_take(test, c);
	count(test, c, FAR);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), 0);
	open_for(test, mock_attr(NEAR, 4, STORES), thread);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	/* the first look at it: it is not awaited for long */
	run(c->m);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), 0);
	count(test, c, NEAR);
	expect_lost(test, c, 1, 1);
}

/* waves may be in the handler for long after the commit */
static void not_if_it_did_not_drain(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);
	u32 slot = handler_rig_slot(test, c, AT);
	u32 slow = handler_rig_take(test, c);

	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	c->m->keep_window = true;
	count(test, c, NEAR);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), 0);
	/* and may even record more */
	handler_rig_record(test, c, slot, AT);
	handler_rig_fill(c, slow, slot, AT);
	handler_rig_publish(c, slow);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 3);
	expect_delivered(test, 3);
}

/*
 * The handler of another context is out of reach: nothing is committed, and the run
 * after that is the one that drains.
 */
static void a_run_that_failed_before(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_ctx *other = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	KUNIT_EXPECT_NE(test, on(other), 0);
	handler_rig_take(test, c);
	handler_rig_store(test, c, AT);
	other->mem_broken = true;
	count(test, c, NEAR);
	other->mem_broken = false;
	KUNIT_EXPECT_EQ(test, mock_slots(other, AT), 0);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	expect_lost(test, c, 1, 2);
}

/* ---- what no handler writes ---------------------------------------------- */

static void no_lanes(struct handler_rig_place *p)
{
	p->exec = 0;
}

static void no_pc(struct handler_rig_place *p)
{
	p->pc_lo |= 1;
}

static void no_kind(struct handler_rig_place *p)
{
	p->pc_hi &= ~(7 << RIG_KINDS_SHIFT);
}

static void two_kinds(struct handler_rig_place *p)
{
	p->pc_hi |= GPUBP_ACCESS_LOAD << RIG_KINDS_SHIFT;
}

static void no_flat_access(struct handler_rig_place *p)
{
	handler_rig_access(p, INSN_NOPS);
}

/* global, with an opcode that does not exist */
static void no_instruction(struct handler_rig_place *p)
{
	p->code[0] |= 0x7f << 18;
}

/* the address is not in registers any more: the handler would have reported it */
static void no_address(struct handler_rig_place *p)
{
	handler_rig_access(p, INSN_LOAD_CLOBBER);
}

static void another_comparator(struct handler_rig_place *p)
{
	p->pc_hi ^= 1 << RIG_COMPARATOR_SHIFT;
}

static void no_comparator(struct handler_rig_place *p)
{
	p->pc_hi |= 15 << RIG_COMPARATOR_SHIFT;
}

struct bad_case {
	const char *name;
	void (*spoil)(struct handler_rig_place *p);
};

static const struct bad_case bad_cases[] = {
	{ "no_lanes", no_lanes },
	{ "no_pc", no_pc },
	{ "no_kind", no_kind },
	{ "two_kinds", two_kinds },
	{ "no_flat_access", no_flat_access },
	{ "no_instruction", no_instruction },
	{ "no_address", no_address },
	{ "another_comparator", another_comparator },
	{ "no_comparator", no_comparator },
};
KUNIT_ARRAY_PARAM_DESC(bad, bad_cases, name);

static void impossible_places(struct kunit *test)
{
	const struct bad_case *b = test->param_value;
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);
	u32 number;

	KUNIT_ASSERT_EQ(test, hweight32(on(c)), 1);
	handler_rig_store(test, c, AT);
	number = handler_rig_take(test, c);
	b->spoil(handler_rig_fill(c, number, handler_rig_slot(test, c, AT),
				  AT));
	handler_rig_publish(c, number);
	handler_rig_store(test, c, AT);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	expect_lost(test, c, 1, 3);
}

/* the comparator is one of another watch by now, whose hits these are not */
static void a_comparator_that_is_no_more_allowed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);
	u32 slot = handler_rig_slot(test, c, AT);

	count(test, c, FAR);
	open_changed(test, AT);
	handler_rig_settle(c);
	KUNIT_EXPECT_FALSE(test, is_on(test, c, AT));
	KUNIT_EXPECT_TRUE(test, is_on(test, c, FAR));
	handler_rig_record(test, c, slot, AT);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
	expect_lost(test, c, 1, 1);
}

/* an address that it does not watch, by a process that writes what it likes */
static void bytes_that_are_not_watched(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_record(test, c, handler_rig_slot(test, c, AT), AT + 4);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
	expect_booked(test, GPUBP_STAT_STRAY_BYTES, 1, 1);
}

/* no run is as long as a process says */
static void more_than_fits_into_the_ring(struct kunit *test, u32 by)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);
	struct gpubp_handler_ring *ring = handler_rig_ring(c);

	handler_rig_store(test, c, AT);
	resolve(test, c);
	WRITE_ONCE(ring->head, ring->head + by);
	resolve(test, c);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, core_ring(c)->broken);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->dev->nr_recording), 0);
	/* not even if it has second thoughts */
	WRITE_ONCE(ring->head, 1);
	count(test, c, FAR);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->code_allocs), 2);
	handler_rig_record(test, c, handler_rig_slot(test, c, AT), AT);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	/* hits stop their waves again */
	KUNIT_EXPECT_EQ(test, mock_store(c, AT), GPUBP_TAKEN);
	expect_delivered(test, 2);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
}

static void a_head_too_far_ahead(struct kunit *test)
{
	more_than_fits_into_the_ring(test, 512 + 1);
}

static void a_head_that_goes_back(struct kunit *test)
{
	more_than_fits_into_the_ring(test, -1);
}

/* all places, of which the last are those of waves that took one at the limit */
static void a_head_as_far_ahead_as_possible(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;
	u32 slot, i, nr;

	mock_param(test, "record_places", 64);
	event = count(test, c, AT);
	handler_rig_stop_poll(c->m);
	slot = handler_rig_slot(test, c, AT);
	nr = handler_rig_ring(c)->mask + 1;
	for (i = 0; i < nr; i++) {
		handler_rig_fill(c, i, slot, AT);
		handler_rig_publish(c, i);
	}
	WRITE_ONCE(handler_rig_ring(c)->head, nr);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), nr);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	expect_delivered(test, nr);
}

/* ---- times --------------------------------------------------------------- */

struct time_case {
	const char *name;
	u64 clock;
};

static const struct time_case time_cases[] = {
	{ "long_ago", 0 },
	{ "in_the_future", U64_MAX },
};
KUNIT_ARRAY_PARAM_DESC(time, time_cases, name);

static void record_at(struct kunit *test, struct mock_ctx *c, u64 addr,
		      u64 clock)
{
	u32 number = handler_rig_take(test, c);

	handler_rig_fill(c, number, handler_rig_slot(test, c, addr),
			 addr)->time = clock;
	handler_rig_publish(c, number);
}

static void times_that_cannot_be(struct kunit *test)
{
	const struct time_case *t = test->param_value;
	struct mock_ctx *c = mock_ctx(test);
	u64 before = ktime_get_ns();

	sample(test, c, AT);
	record_at(test, c, AT, t->clock);
	resolve(test, c);
	expect_delivered(test, 1);
	KUNIT_ASSERT_EQ(test, kept.nr, 1);
	KUNIT_EXPECT_GE(test, kept.rec[0].gpu_time, before);
	KUNIT_EXPECT_LE(test, kept.rec[0].gpu_time, ktime_get_ns());
}

/* hits of the first one are recorded since before the second was armed */
static void of_a_comparator_that_came_later(struct kunit *test)
{
	const struct time_case *t = test->param_value;
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *late;

	count(test, c, AT);
	late = count(test, c, FAR);
	record_at(test, c, FAR, t->clock);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(late), 1);
	expect_delivered(test, 1);
}

/* ---- numbers, order ------------------------------------------------------ */

#define NR_WRAP	6

static void numbers_wrap(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_handler_ring *ring;
	u32 first = U32_MAX - 2, i;

	sample(test, c, AT);
	ring = handler_rig_ring(c);
	handler_rig_stop_poll(c->m);
	kthread_flush_worker(c->m->dev->resolver);
	core_ring(c)->tail = first;
	ring->tail = first;
	ring->head = first;
	for (i = 0; i < NR_WRAP; i++)
		KUNIT_EXPECT_EQ(test, handler_rig_store(test, c, AT),
				first + i);
	resolve(test, c);
	expect_delivered(test, NR_WRAP);
	KUNIT_EXPECT_EQ(test, kept.nr, NR_WRAP);
	for (i = 0; i < NR_WRAP; i++)
		KUNIT_EXPECT_EQ(test, kept.rec[i].data, first + i);
	KUNIT_EXPECT_EQ(test, ring->tail, first + NR_WRAP);
	KUNIT_EXPECT_EQ(test, core_ring(c)->tail, (u64)first + NR_WRAP);
	/* what is gone is so beyond the end, too */
	handler_rig_take(test, c);
	handler_rig_store(test, c, AT);
	count(test, c, NEAR);
	expect_lost(test, c, 1, NR_WRAP + 2);
	KUNIT_EXPECT_EQ(test, kept.nr, NR_WRAP + 1);
}

static void lost_at_the_end_of_numbers(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_handler_ring *ring;
	u32 first = U32_MAX, i;

	count(test, c, AT);
	ring = handler_rig_ring(c);
	handler_rig_stop_poll(c->m);
	kthread_flush_worker(c->m->dev->resolver);
	core_ring(c)->tail = first;
	ring->tail = first;
	ring->head = first;
	for (i = 0; i < 3; i++)
		handler_rig_take(test, c);
	handler_rig_store(test, c, AT);
	count(test, c, NEAR);
	expect_lost(test, c, 3, 4);
}

/* of a context whose ring is full */
static void fill_ring(struct kunit *test, struct mock_ctx *c)
{
	const struct gpubp_handler_ring *ring = handler_rig_ring(c);
	unsigned int i;

	for (i = 0; i < ring->limit; i++)
		handler_rig_store(test, c, AT);
}

/* the resolver does something else, until the gate is open */
static void jam(struct kunit *test, struct mock_ctx *c)
{
	mock_gate_close(c->m);
	KUNIT_EXPECT_EQ(test, mock_store(c, AT), GPUBP_TAKEN);
	while (!atomic_read(&c->m->at_gate))
		schedule_timeout_uninterruptible(1);
}

/* numbers of samples of this context before the first of another one */
static unsigned int kept_before(u32 context)
{
	unsigned int i;

	for (i = 0; i < kept.nr && kept.rec[i].context != context; i++)
		;
	return i;
}

static void in_order(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int i, nr;

	mock_param(test, "record_places", 64);
	sample(test, c, AT);
	/* it begins anywhere in a ring, so that it goes over its end */
	for (i = 0; i < 100; i++) {
		handler_rig_store(test, c, AT);
		resolve(test, c);
	}
	mock_quiesce(test);
	kept.nr = 0;
	handler_rig_stop_poll(c->m);
	fill_ring(test, c);
	resolve(test, c);
	nr = handler_rig_ring(c)->limit;
	expect_delivered(test, 100 + nr);
	KUNIT_ASSERT_EQ(test, kept.nr, nr);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, kept.rec[i].data, 100 + i);
	KUNIT_EXPECT_EQ(test, handler_rig_ring(c)->tail, 100 + nr);
}

static void fair_to_other_contexts(struct kunit *test)
{
	struct mock_ctx *full = mock_ctx(test);
	struct mock_ctx *c = mock_ctx(test);

	mock_param(test, "record_places", 64);
	sample(test, full, AT);
	jam(test, full);
	fill_ring(test, full);
	handler_rig_store(test, c, AT);
	mock_gate_open(c->m);
	resolve(test, c);
	resolve(test, full);
	expect_delivered(test, 2 + handler_rig_ring(full)->limit);
	/* and the hit in the jam */
	KUNIT_EXPECT_LE(test, kept_before(gpubp_ctx_id(c->ctx)), 1 + BATCH);
}

/* they stand still, and those that recorded do not */
static void fair_to_waves_that_stop(struct kunit *test)
{
	struct mock_ctx *full = mock_ctx(test);
	struct mock_ctx *c = mock_ctx(test);

	mock_param(test, "record_places", 64);
	sample(test, full, AT);
	jam(test, full);
	fill_ring(test, full);
	KUNIT_EXPECT_EQ(test, mock_store(c, AT), GPUBP_TAKEN);
	mock_gate_open(c->m);
	resolve(test, full);
	expect_delivered(test, 2 + handler_rig_ring(full)->limit);
	KUNIT_EXPECT_LE(test, kept_before(gpubp_ctx_id(c->ctx)), 1 + BATCH);
}

/* ---- ends ---------------------------------------------------------------- */

static void a_context_that_ends(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	mock_ctx_destroy(c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, c->ring_size, 0);
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_rings, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->dev->nr_recording), 0);
	expect_delivered(test, 1);
}

/* with the last queue no wave exists: a place that is not published never will be */
static void a_context_whose_wave_was_killed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_stop_poll(c->m);
	handler_rig_take(test, c);
	handler_rig_store(test, c, AT);
	gpubp_queue_destroy(c->queue);
	c->queue = NULL;
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	expect_booked(test, GPUBP_STAT_DROP_RECORD, 1, 2);
}

static void a_queue_that_ends(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *mine = count(test, c, AT);
	struct perf_event *theirs = open_for(test, mock_attr(AT, 4, STORES),
					     thread);
	struct gpubp_queue *queue;
	u32 number, slot;

	queue = mock_queue(c->ctx, task_pid(thread), 8, BELL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(queue));
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	slot = handler_rig_slot(test, c, AT);
	number = handler_rig_take(test, c);
	handler_rig_fill(c, number, slot, AT)->doorbell = BELL;
	handler_rig_publish(c, number);
	gpubp_queue_destroy(queue);
	KUNIT_EXPECT_EQ(test, mock_count(theirs), 1);
	KUNIT_EXPECT_EQ(test, mock_count(mine), 0);
	expect_delivered(test, 1);
	/* of one that is gone already nothing is known */
	handler_rig_settle(c);
	slot = handler_rig_slot(test, c, AT);
	number = handler_rig_take(test, c);
	handler_rig_fill(c, number, slot, AT)->doorbell = BELL;
	handler_rig_publish(c, number);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(theirs), 1);
	KUNIT_EXPECT_EQ(test, mock_count(mine), 1);
	expect_delivered(test, 2);
}

/* bits of doorbells that its waves do not know */
static void a_queue_of_many_doorbells(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c;
	struct perf_event *mine, *theirs;
	struct gpubp_queue *queue;
	u32 number;

	((struct mock *)test->priv)->doorbells = SZ_64K;
	c = mock_ctx(test);
	mine = count(test, c, AT);
	theirs = open_for(test, mock_attr(AT, 4, STORES), thread);
	queue = mock_queue(c->ctx, task_pid(thread), 8, SZ_64K | BELL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(queue));
	handler_rig_settle(c);
	number = handler_rig_take(test, c);
	handler_rig_fill(c, number, handler_rig_slot(test, c, AT), AT)->doorbell = BELL;
	handler_rig_publish(c, number);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(theirs), 1);
	KUNIT_EXPECT_EQ(test, mock_count(mine), 0);
	gpubp_queue_destroy(queue);
	expect_delivered(test, 1);
}

/* the waves of other queues are still there */
static void one_of_two_queues_ends(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_queue *queue;
	u32 slow;

	count(test, c, AT);
	queue = mock_queue(c->ctx, task_pid(current), 8, BELL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(queue));
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	slow = handler_rig_take(test, c);
	gpubp_queue_destroy(queue);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), 0);
	handler_rig_fill(c, slow, handler_rig_slot(test, c, AT), AT);
	handler_rig_publish(c, slow);
	resolve(test, c);
	expect_delivered(test, 1);
}

/* its hit is its own, although it is known only after that, and no later one is */
static void a_queue_that_ends_before_others(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *mine = count(test, c, AT);
	struct perf_event *theirs = open_for(test, mock_attr(AT, 4, STORES),
					     thread);
	struct gpubp_queue *queue;
	u32 slow, number, slot;

	queue = mock_queue(c->ctx, task_pid(thread), 8, BELL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(queue));
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	slot = handler_rig_slot(test, c, AT);
	slow = handler_rig_take(test, c);
	number = handler_rig_take(test, c);
	handler_rig_fill(c, number, slot, AT)->doorbell = BELL;
	handler_rig_publish(c, number);
	gpubp_queue_destroy(queue);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), 0);
	number = handler_rig_take(test, c);
	handler_rig_fill(c, number, slot, AT)->doorbell = BELL;
	handler_rig_publish(c, number);
	handler_rig_fill(c, slow, slot, AT);
	handler_rig_publish(c, slow);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(theirs), 1);
	KUNIT_EXPECT_EQ(test, mock_count(mine), 2);
	expect_delivered(test, 3);
	KUNIT_EXPECT_TRUE(test, list_empty(&core_ring(c)->queues));
}

static struct gpubp_watch_set *make_set(struct kunit *test)
{
	struct gpubp_watch_set *set = gpubp_set_create();

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	return set;
}

static struct perf_event_attr set_attr(const struct gpubp_watch_set *set)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);

	attr.config = GPUBP_KIND_WATCH_SET |
		      (u64)set->id << GPUBP_CONFIG_CODE_SHIFT;
	return attr;
}

static u64 add_member(struct kunit *test, struct gpubp_watch_set *set, u64 addr)
{
	struct gpubp_set_watch w = {
		.addr = addr, .len = 4, .access = STORES,
	};
	unsigned int bad;

	KUNIT_ASSERT_EQ(test, gpubp_set_update(set, &w, 1, &bad, NULL, NULL), 0);
	return w.id;
}

/* as of an event that is bound later */
static void a_member_that_came_later(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_watch_set *set = make_set(test);
	struct perf_event *event = count(test, c, AT);
	struct perf_event *of_set = open_for(test, set_attr(set), current);

	add_member(test, set, FAR);
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	add_member(test, set, AT);
	handler_rig_settle(c);
	run(c->m);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, mock_count(of_set), 0);
	handler_rig_store(test, c, AT);
	run(c->m);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	KUNIT_EXPECT_EQ(test, mock_count(of_set), 1);
	expect_delivered(test, 2);
	mock_close(c->m, of_set);
	gpubp_set_destroy(set);
}

static void a_set_event_that_came_later(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_watch_set *set = make_set(test);
	struct perf_event_attr attr = set_attr(set);
	struct perf_event *first, *late;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	add_member(test, set, AT);
	first = open_for(test, attr, current);
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	late = open_for(test, attr, current);
	handler_rig_settle(c);
	run(c->m);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, kept.nr, 1);
	KUNIT_EXPECT_EQ(test, mock_count(late), 0);
	expect_delivered(test, 1);
	mock_close(c->m, late);
	mock_close(c->m, first);
	gpubp_set_destroy(set);
}

/* no process makes up hits of another's queue */
static void a_queue_of_another_context(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c = mock_ctx(test);
	struct mock_ctx *other = mock_ctx_of(test, task_pid(thread));
	struct perf_event *mine = count(test, c, AT);
	struct perf_event *theirs = open_for(test, mock_attr(AT, 4, STORES),
					     thread);
	u32 number;

	handler_rig_settle(c);
	number = handler_rig_take(test, c);
	handler_rig_fill(c, number, handler_rig_slot(test, c, AT),
			 AT)->doorbell = other->doorbell;
	handler_rig_publish(c, number);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(theirs), 0);
	KUNIT_EXPECT_EQ(test, mock_count(mine), 1);
	expect_delivered(test, 1);
}

static void a_device_that_is_suspended(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	gpubp_device_suspend(c->m->dev);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	/* no op may be called now: nothing is known of this */
	handler_rig_take(test, c);
	resolve(test, c);
	run(c->m);
	KUNIT_EXPECT_EQ(test, core_ring(c)->target, 1);
	mock_resume(c->m);
	handler_rig_settle(c);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	handler_rig_store(test, c, AT);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	expect_lost(test, c, 1, 3);
}

/* ---- memory -------------------------------------------------------------- */

static void no_memory_for_a_ring(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	mock_param(test, "handler_records", 0);
	event = count(test, c, AT);
	mock_param(test, "handler_records", 1);
	c->code_err = -ENOMEM;
	count(test, c, FAR);
	KUNIT_EXPECT_GT(test, atomic_read(&c->code_allocs), 1);
	c->code_err = 0;
	c->map_broken = true;
	count(test, c, FAR + 64);
	KUNIT_EXPECT_EQ(test, c->ring_size, 0);
	KUNIT_EXPECT_EQ(test, on(c), 0);
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_rings, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->dev->nr_recording), 0);
	KUNIT_EXPECT_EQ(test, mock_store(c, AT), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	/* later there is some */
	c->map_broken = false;
	count(test, c, NEAR);
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	KUNIT_EXPECT_TRUE(test, is_on(test, c, FAR));
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_rings, 1);
	handler_rig_store(test, c, AT);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	expect_delivered(test, 2);
}

/* as another task would */
static void a_queue_ends(struct mock_ctx *c)
{
	gpubp_records_flush(c->ctx);
	gpubp_records_keep_queue(c->queue);
}

static void a_queue_ends_while_a_ring_is_made(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	c->on_map = a_queue_ends;
	event = count(test, c, AT);
	c->on_map = NULL;
	KUNIT_EXPECT_TRUE(test, is_on(test, c, AT));
	handler_rig_store(test, c, AT);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

static int another_user(void *arg)
{
	struct cred *cred = prepare_creds();

	if (cred) {
		cred->uid = KUIDT_INIT(1234);
		commit_creds(cred);
	}
	complete(arg);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* one user does not take what another one's rings need */
static void rings_of_a_user(struct kunit *test)
{
	struct mock *m = test->priv;
	struct perf_event *event;
	struct mock_ctx *c[3];
	unsigned int i;

	mock_param(test, "record_places", 4096);
	for (i = 0; i < ARRAY_SIZE(c); i++)
		c[i] = mock_ctx(test);
	event = mock_open(test, AT, 4, STORES);
	handler_rig_settle(c[0]);
	KUNIT_ASSERT_EQ(test, !on(c[0]) + !on(c[1]) + !on(c[2]), 1);
	scoped_guard(mutex, &m->dev->lock)
		KUNIT_EXPECT_EQ(test, m->dev->sched->recording.memory, SZ_32M);
	for (i = 0; on(c[i]); i++)
		;
	/* its waves stop */
	KUNIT_EXPECT_EQ(test, c[i]->ring_size, 0);
	KUNIT_EXPECT_EQ(test, mock_store(c[i], AT), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	/* until there is room */
	mock_ctx_destroy(c[!i]);
	mock_open(test, FAR, 4, STORES);
	handler_rig_settle(c[i]);
	KUNIT_EXPECT_NE(test, on(c[i]), 0);
	expect_delivered(test, 1);
}

/* whose contexts have rings as large */
static void rings_of_another_user(struct kunit *test)
{
	struct completion done;
	struct task_struct *thread;
	struct mock_ctx *c, *other;
	unsigned int i;

	mock_param(test, "record_places", 4096);
	init_completion(&done);
	thread = kthread_run(another_user, &done, "gpubp_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	wait_for_completion(&done);
	for (i = 0; i < 3; i++)
		c = mock_ctx(test);
	mock_open(test, AT, 4, STORES);
	handler_rig_settle(c);
	other = mock_ctx_of(test, task_pid(thread));
	open_for(test, mock_attr(AT, 4, STORES), thread);
	handler_rig_settle(other);
	KUNIT_EXPECT_NE(test, on(other), 0);
	kthread_stop(thread);
}

static void memory_that_cannot_be_flushed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	c->flush_err = -ETIMEDOUT;
	handler_rig_store(test, c, AT);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
	c->flush_err = 0;
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	expect_delivered(test, 1);
}

/* ---- the end of work ----------------------------------------------------- */

/**
 * struct waiter - a task that waits for the end of work
 * @c: context
 * @event: event whose count it reads then
 * @err: what gpubp_ctx_work_done() returned
 * @count: the count
 * @done: completed then
 */
struct waiter {
	struct mock_ctx *c;
	struct perf_event *event;
	int err;
	u64 count;
	struct completion done;
};

static int wait_for_work(void *arg)
{
	struct waiter *w = arg;

	w->err = gpubp_ctx_work_done(w->c->ctx);
	w->count = mock_count(w->event);
	complete_all(&w->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* until what was reported is with its events */
static int wait_for_reports(void *arg)
{
	struct waiter *w = arg;

	w->err = gpubp_reports_wait(w->c->m->dev, WAIT);
	complete_all(&w->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* returns when it waits */
static struct task_struct *start_fn(struct kunit *test, struct waiter *w,
				    int (*fn)(void *arg))
{
	struct task_struct *thread;

	init_completion(&w->done);
	thread = kthread_run(fn, w, "gpubp_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	while (!wq_has_sleeper(&w->c->m->dev->resolved_wait) &&
	       !completion_done(&w->done))
		schedule_timeout_uninterruptible(1);
	return thread;
}

static struct task_struct *start(struct kunit *test, struct waiter *w)
{
	return start_fn(test, w, wait_for_work);
}

/* a stop would interrupt it */
static void end(struct kunit *test, struct waiter *w, struct task_struct *thread)
{
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&w->done, WAIT), 0);
	kthread_stop(thread);
	KUNIT_EXPECT_EQ(test, w->err, 0);
}

/* what the resolver does when it is asked began before the hit */
static void what_was_recorded_before(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct waiter w = { .c = c, .event = count(test, c, AT) };
	struct task_struct *thread;

	handler_rig_stop_poll(c->m);
	jam(test, c);
	handler_rig_store(test, c, AT);
	thread = start(test, &w);
	mock_gate_open(c->m);
	end(test, &w, thread);
	KUNIT_EXPECT_EQ(test, w.count, 2);
	expect_delivered(test, 2);
}

static void more_than_a_batch(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);
	u32 nr = handler_rig_ring(c)->limit;

	handler_rig_stop_poll(c->m);
	fill_ring(test, c);
	resolve(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), nr);
	expect_delivered(test, nr);
}

static void no_ring_no_wait(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	resolve(test, c);
}

/* a wave never publishes its place */
static void it_waits_until(struct kunit *test, void (*fn)(struct kunit *test,
							  struct mock_ctx *c))
{
	struct mock_ctx *c = mock_ctx(test);
	struct waiter w = {
		.c = c,
		.event = count(test, c, AT),
		.err = -EINPROGRESS,
	};
	struct task_struct *thread;
	u64 began = ktime_get_ns();
	int err;

	handler_rig_take(test, c);
	thread = start(test, &w);
	run(c->m);
	err = READ_ONCE(w.err);
	/* after that, the place may be given up */
	if (ktime_get_ns() - began < AWAIT_NS)
		KUNIT_EXPECT_EQ(test, err, -EINPROGRESS);
	fn(test, c);
	end(test, &w, thread);
}

static void publish(struct kunit *test, struct mock_ctx *c)
{
	handler_rig_fill(c, 0, handler_rig_slot(test, c, AT), AT);
	handler_rig_publish(c, 0);
}

static void suspend(struct kunit *test, struct mock_ctx *c)
{
	handler_rig_stop_poll(c->m);
	gpubp_device_suspend(c->m->dev);
}

static void spoil_head(struct kunit *test, struct mock_ctx *c)
{
	WRITE_ONCE(handler_rig_ring(c)->head, U32_MAX);
}

static void change(struct kunit *test, struct mock_ctx *c)
{
	count(test, c, NEAR);
}

static void until_it_is_published(struct kunit *test)
{
	it_waits_until(test, publish);
	expect_delivered(test, 1);
}

static void until_its_wave_is_gone(struct kunit *test)
{
	it_waits_until(test, change);
	expect_booked(test, GPUBP_STAT_DROP_RECORD, 1, 1);
}

static void until_the_device_is_suspended(struct kunit *test)
{
	struct mock *m = test->priv;

	it_waits_until(test, suspend);
	mock_resume(m);
}

static void until_the_ring_is_broken(struct kunit *test)
{
	it_waits_until(test, spoil_head);
}

/* ---- what others do while one waits -------------------------------------- */

/**
 * struct busy - a context whose waves stop again and again
 * @c: the context
 * @w: who waits, for none of that
 * @nr: how often they stopped
 */
static struct busy {
	struct mock_ctx *c;
	struct waiter *w;
	unsigned int nr;
} busy;

#define NR_BUSY	16

static void stop_again(struct mock *m)
{
	if (++busy.nr > NR_BUSY)
		return;
	if (busy.nr == NR_BUSY / 2)
		wait_for_completion_timeout(&busy.w->done, WAIT);
	mock_store(busy.c, AT);
}

/* a ring that is full is taken in parts, and waves stop in each of them */
static void not_for_all_that_others_do(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *full = mock_ctx_of(test, task_pid(thread));
	struct mock_ctx *c = mock_ctx(test);
	struct waiter w = { .c = c };
	struct task_struct *waits;

	mock_param(test, "record_places", 1024);
	open_for(test, mock_attr(AT, 4, STORES), thread);
	count(test, c, AT);
	handler_rig_settle(full);
	handler_rig_stop_poll(c->m);
	fill_ring(test, full);
	jam(test, c);
	waits = start_fn(test, &w, wait_for_reports);
	busy = (struct busy) { .c = c, .w = &w };
	c->m->in_hit_done = stop_again;
	mock_gate_open(c->m);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&w.done, WAIT), 0);
	KUNIT_EXPECT_LE(test, READ_ONCE(busy.nr), NR_BUSY / 2);
	KUNIT_EXPECT_EQ(test, w.err, 0);
	kthread_stop(waits);
	resolve(test, full);
	run(c->m);
	c->m->in_hit_done = NULL;
	expect_delivered(test, 1 + NR_BUSY + handler_rig_ring(full)->limit);
}

/* a commit waits for the ring that ends, and not for all that is in another one */
static void a_commit_takes_what_ends(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct task_struct *third = mock_thread(test);
	struct mock_ctx *full = mock_ctx_of(test, task_pid(thread));
	struct mock_ctx *stops = mock_ctx_of(test, task_pid(third));
	struct mock_ctx *c = mock_ctx(test);
	struct waiter w = { .c = c };
	struct perf_event *event;

	mock_param(test, "record_places", 1024);
	init_completion(&w.done);
	open_for(test, mock_attr(AT, 4, STORES), thread);
	open_for(test, mock_attr(AT, 4, STORES), third);
	event = count(test, c, AT);
	handler_rig_settle(full);
	handler_rig_stop_poll(c->m);
	fill_ring(test, full);
	handler_rig_store(test, c, AT);
	jam(test, stops);
	handler_rig_store(test, c, AT);
	busy = (struct busy) { .c = stops, .w = &w };
	c->m->in_hit_done = stop_again;
	mock_open(test, NEAR, 4, STORES);
	gpubp_events_reconcile();
	mock_gate_open(c->m);
	handler_rig_settle(c);
	complete_all(&w.done);
	KUNIT_EXPECT_LE(test, READ_ONCE(busy.nr), NR_BUSY / 2);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	resolve(test, full);
	run(c->m);
	c->m->in_hit_done = NULL;
	expect_delivered(test, 3 + NR_BUSY + handler_rig_ring(full)->limit);
}

/* ---- owners that do not run ---------------------------------------------- */

#define NR_CROWD	600	/* more than half of what may wait for a task */

/* hits of a task that sleeps are in the ring, and some of them wait for it */
static struct mock_ctx *crowd(struct kunit *test, struct task_struct *thread)
{
	struct mock_ctx *c;
	unsigned int i;

	mock_replace_all_cells(test);
	c = mock_ctx_of(test, task_pid(thread));
	mock_param(test, "record_places", 1024);
	open_for(test, sampling_attr(AT, 4), thread);
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	for (i = 0; i < NR_CROWD; i++)
		handler_rig_store(test, c, AT);
	run(c->m);
	return c;
}

/* a kernel thread never returns to user mode, where the rest would be drained */
static void run_until_drained(struct mock *m, struct task_struct *thread)
{
	unsigned long end = jiffies + WAIT;

	while (gpubp_cells_in_use(m->dev) && time_before(jiffies, end)) {
		wake_up_process(thread);
		schedule_timeout_uninterruptible(1);
	}
}

/* they stay in the ring, and once that is full, their waves stop */
static void many_hits_wait_for_it(struct kunit *test)
{
	struct task_struct *thread = mock_thread_in(test, TASK_IDLE);
	struct mock_ctx *c = crowd(test, thread);

	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED),
			GPUBP_TICKETS_MAX / 2 + 1);
	run_until_drained(c->m, thread);
	run(c->m);
	run_until_drained(c->m, thread);
	expect_delivered(test, NR_CROWD);
}

/*
 * A hit that is older than @ms when it is taken: false if it was dropped, as its owner did
 * not run for that long since
 */
static bool an_old_one_is_delivered(struct kunit *test, struct mock_ctx *c,
				    struct task_struct *thread, unsigned int ms)
{
	u64 dropped = mock_stat(c->m, GPUBP_STAT_DROP_UNREACHABLE), taken;

	mock_param(test, "unreachable_ms", ms);
	handler_rig_store(test, c, AT);
	schedule_timeout_uninterruptible(msecs_to_jiffies(ms + ms / 4));
	taken = ktime_get_ns();
	run(c->m);
	/* some looks at what waits too long already */
	schedule_timeout_uninterruptible(msecs_to_jiffies(100));
	run_until_drained(c->m, thread);
	if (mock_stat(c->m, GPUBP_STAT_DROP_UNREACHABLE) == dropped)
		return true;
	KUNIT_EXPECT_GT_MSG(test, ktime_get_ns() - taken, (u64)ms * NSEC_PER_MSEC,
			    "dropped for the age of the hit");
	return false;
}

/*
 * It waits for its owner since its record was taken, however old that is. A machine may
 * stand still for longer than that: then it is right that the hit is dropped.
 */
static void one_that_is_old_when_it_is_taken(struct kunit *test)
{
	struct task_struct *thread = mock_thread_in(test, TASK_IDLE);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	unsigned int ms = 1000;

	open_for(test, sampling_attr(AT, 4), thread);
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	while (!an_old_one_is_delivered(test, c, thread, ms)) {
		ms *= 2;
		KUNIT_ASSERT_LE_MSG(test, ms, 32000, "none was delivered");
	}
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 1);
}

/* not after their watch */
static void many_hits_of_a_watch_that_is_disarmed(struct kunit *test)
{
	struct task_struct *thread = mock_thread_in(test, TASK_IDLE);
	struct mock_ctx *c = crowd(test, thread);

	lose_slots(c);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), NR_CROWD);
	run_until_drained(c->m, thread);
	expect_delivered(test, NR_CROWD);
}

/* nor after their owner is */
static void many_hits_of_a_context_that_ends(struct kunit *test)
{
	struct task_struct *thread = mock_thread_in(test, TASK_IDLE);
	struct mock_ctx *c = crowd(test, thread);

	mock_ctx_destroy(c);
	run_until_drained(c->m, thread);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), NR_CROWD);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED) +
			mock_stat(c->m, GPUBP_STAT_DROP_EXITED), NR_CROWD);
}

/* ---- events that go while work runs -------------------------------------- */

static void expect_soon(struct kunit *test, struct perf_event *event, u64 nr)
{
	unsigned long end = jiffies + WAIT;

	while (mock_count(event) != nr && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, mock_count(event), nr);
}

/* what was recorded before is its own, and what is recorded after is not */
static void an_event_that_is_disabled(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);
	struct perf_event *stays = count(test, c, AT);

	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	perf_event_disable(event);
	handler_rig_store(test, c, AT);
	run(c->m);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, mock_count(stays), 2);
	expect_delivered(test, 2);
}

/* it has no binding after that, and its watch no comparator */
static void bindings_of_one_that_is_disabled(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	perf_event_disable(event);
	gpubp_events_reconcile();
	expect_soon(test, event, 1);
	mock_settle(c->m);
	while (mock_slots(c, AT)) {
		schedule_timeout_uninterruptible(1);
		handler_rig_settle(c);
	}
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	expect_delivered(test, 1);
}

/* hits of a pause are not its own, whichever way it ends */
static void an_event_that_pauses(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);
	unsigned int i;

	handler_rig_stop_poll(c->m);
	/* its watch stays armed */
	mock_commits_wait(c->m);
	for (i = 0; i < 3; i++) {
		handler_rig_store(test, c, AT);
		perf_event_disable(event);
		handler_rig_store(test, c, AT);
		perf_event_enable(event);
	}
	handler_rig_store(test, c, AT);
	run(c->m);
	mock_commits_go_on(c->m);
	KUNIT_EXPECT_EQ(test, mock_count(event), 4);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 4);
	mock_expect_stats_balance(test);
}

/* likewise, and its samples are written where it was active */
static void samples_of_one_that_is_disabled(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = sample(test, c, AT);
	unsigned long end = jiffies + WAIT;
	unsigned int i;

	handler_rig_stop_poll(c->m);
	for (i = 0; i < 3; i++)
		handler_rig_store(test, c, AT);
	perf_event_disable(event);
	handler_rig_store(test, c, AT);
	run(c->m);
	/* a kernel thread takes its samples while it runs */
	while (READ_ONCE(kept.nr) < 3 && time_before(jiffies, end))
		cond_resched();
	mock_quiesce(test);
	KUNIT_ASSERT_EQ(test, kept.nr, 3);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, kept.rec[i].data, i);
	KUNIT_EXPECT_EQ(test, mock_count(event), 3);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 3);
	mock_expect_stats_balance(test);
}

/* of a period only the hits that end it are samples */
static void periods_of_one_that_is_disabled(struct kunit *test)
{
	struct perf_event_attr attr = sampling_attr(AT, 4);
	struct mock_ctx *c = mock_ctx(test);
	unsigned long end = jiffies + WAIT;
	struct perf_event *event;
	unsigned int i;

	attr.sample_period = 3;
	event = open_for(test, attr, current);
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	resolve(test, c);
	for (i = 0; i < 7; i++)
		handler_rig_store(test, c, AT);
	perf_event_disable(event);
	run(c->m);
	while (mock_count(event) < 8 && time_before(jiffies, end))
		cond_resched();
	KUNIT_EXPECT_EQ(test, mock_count(event), 8);
	KUNIT_ASSERT_EQ(test, kept.nr, 2);
	KUNIT_EXPECT_EQ(test, kept.rec[0].data, 2);
	KUNIT_EXPECT_EQ(test, kept.rec[1].data, 5);
	expect_delivered(test, 8);
}

/* hits that were recorded between the last one and its end are not its */
static void samples_until_its_limit(struct kunit *test)
{
	struct perf_event_attr attr = sampling_attr(AT, 4);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;
	unsigned int i;

	attr.disabled = 1;
	event = open_for(test, attr, current);
	KUNIT_ASSERT_EQ(test, perf_event_refresh(event, 2), 0);
	gpubp_events_reconcile();
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	for (i = 0; i < 4; i++)
		handler_rig_store(test, c, AT);
	run(c->m);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, kept.nr, 2);
	KUNIT_ASSERT_EQ(test, perf_event_refresh(event, 1), 0);
	gpubp_events_reconcile();
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	KUNIT_EXPECT_EQ(test, kept.nr, 2);
	handler_rig_store(test, c, AT);
	run(c->m);
	mock_quiesce(test);
	KUNIT_ASSERT_EQ(test, kept.nr, 3);
	KUNIT_EXPECT_EQ(test, kept.rec[2].data, 4);
	mock_expect_stats_balance(test);
}

/* its buffer may be that of others, and its parent has its count */
static void an_event_that_is_closed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = sample(test, c, AT);

	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	handler_rig_store(test, c, AT);
	mock_close(c->m, event);
	/* it had them before it went; perf writes no sample of an event that is gone */
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), 2);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, on(c), 0);
}

/* a wave that was killed does not hold it back for ever */
static void closed_while_a_place_is_awaited(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_take(test, c);
	mock_close(c->m, event);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, on(c), 0);
}

/* the name goes, and with it the binding */
static void memory_that_is_unmapped(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(8, 4, STORES);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	attr.config |= GPUBP_CONFIG_NAMED | (u64)gpubp_name_hash("buffer") <<
						    GPUBP_CONFIG_CODE_SHIFT;
	KUNIT_ASSERT_EQ(test, gpubp_buffer_name(c->ctx, MOCK_VA, 64, "buffer"), 0);
	event = open_for(test, attr, current);
	handler_rig_settle(c);
	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	KUNIT_EXPECT_EQ(test, gpubp_buffer_name(c->ctx, 0, 0, "buffer"), 0);
	gpubp_events_reconcile();
	handler_rig_store(test, c, AT);
	expect_soon(test, event, 1);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

/* its watch takes no comparator of the next dispatch's watches */
static void an_event_that_goes_before_a_dispatch(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c, AT);

	handler_rig_stop_poll(c->m);
	handler_rig_store(test, c, AT);
	perf_event_disable(event);
	gpubp_events_reconcile();
	KUNIT_EXPECT_EQ(test, gpubp_ctx_wait_armed(c->ctx), 0);
	KUNIT_EXPECT_EQ(test, mock_slots(c, AT), 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	expect_delivered(test, 1);
}

static struct kunit_case record_ring_test_cases[] = {
	KUNIT_CASE(what_it_tells),
	KUNIT_CASE(atomics_that_are_sampled),
	KUNIT_CASE(all_events_count_it),
	KUNIT_CASE(soon_enough),
	KUNIT_CASE(with_an_interrupt_after_a_rest),
	KUNIT_CASE(without_one_while_others_come),
	KUNIT_CASE(while_a_wave_records),
	KUNIT_CASE(seldom_at_rest),
	KUNIT_CASE(never_without_a_queue),
	KUNIT_CASE(where_each_hit_matches),
	KUNIT_CASE(the_ring_is_as_long_as_root_says),
	KUNIT_CASE_PARAM(hits_that_must_stop, stop_gen_params),
	KUNIT_CASE(many_events),
	KUNIT_CASE(again_without_that_event),
	KUNIT_CASE(not_if_root_does_not_want_it),
	KUNIT_CASE(off_when_root_wants_it_off),
	KUNIT_CASE(not_without_filters),
	KUNIT_CASE(counts_where_ends_are_unseen),
	KUNIT_CASE(samples_where_ends_are_unseen),
	KUNIT_CASE(all_where_ends_are_unseen),
	KUNIT_CASE(not_if_waves_are_stepped),
	KUNIT_CASE(not_after_it_was_stopped),
	KUNIT_CASE(off_while_its_filter_changes),
	KUNIT_CASE(hits_of_a_watch_that_is_disarmed),
	KUNIT_CASE(on_while_another_changes),
	KUNIT_CASE(off_while_its_slot_changes),
	KUNIT_CASE(on_again_after_a_reset),
	KUNIT_CASE(off_with_the_last_event),
	KUNIT_CASE(it_waits_for_those_before),
	KUNIT_CASE(not_if_one_is_reported),
	KUNIT_CASE(what_a_reported_hit_has_seen),
	KUNIT_CASE(what_a_checked_hit_has_seen),
	KUNIT_CASE(a_place_that_was_in_use_before),
	KUNIT_CASE(one_that_is_never_published),
	KUNIT_CASE(one_that_holds_back_another),
	KUNIT_CASE(only_of_before_the_commit),
	KUNIT_CASE(only_if_its_recording_ends),
	KUNIT_CASE(not_if_it_did_not_drain),
	KUNIT_CASE(a_run_that_failed_before),
	KUNIT_CASE_PARAM(impossible_places, bad_gen_params),
	KUNIT_CASE(a_comparator_that_is_no_more_allowed),
	KUNIT_CASE(bytes_that_are_not_watched),
	KUNIT_CASE(a_head_too_far_ahead),
	KUNIT_CASE(a_head_that_goes_back),
	KUNIT_CASE(a_head_as_far_ahead_as_possible),
	KUNIT_CASE_PARAM(times_that_cannot_be, time_gen_params),
	KUNIT_CASE_PARAM(of_a_comparator_that_came_later, time_gen_params),
	KUNIT_CASE(numbers_wrap),
	KUNIT_CASE(lost_at_the_end_of_numbers),
	KUNIT_CASE(in_order),
	KUNIT_CASE(fair_to_other_contexts),
	KUNIT_CASE(fair_to_waves_that_stop),
	KUNIT_CASE(a_context_that_ends),
	KUNIT_CASE(a_context_whose_wave_was_killed),
	KUNIT_CASE(a_queue_that_ends),
	KUNIT_CASE(a_queue_of_many_doorbells),
	KUNIT_CASE(one_of_two_queues_ends),
	KUNIT_CASE(a_queue_that_ends_before_others),
	KUNIT_CASE(a_member_that_came_later),
	KUNIT_CASE(a_set_event_that_came_later),
	KUNIT_CASE(a_queue_of_another_context),
	KUNIT_CASE(a_device_that_is_suspended),
	KUNIT_CASE(no_memory_for_a_ring),
	KUNIT_CASE(a_queue_ends_while_a_ring_is_made),
	KUNIT_CASE(rings_of_a_user),
	KUNIT_CASE(rings_of_another_user),
	KUNIT_CASE(memory_that_cannot_be_flushed),
	KUNIT_CASE(what_was_recorded_before),
	KUNIT_CASE(more_than_a_batch),
	KUNIT_CASE(no_ring_no_wait),
	KUNIT_CASE(until_it_is_published),
	KUNIT_CASE(until_its_wave_is_gone),
	KUNIT_CASE(until_the_device_is_suspended),
	KUNIT_CASE(until_the_ring_is_broken),
	KUNIT_CASE(not_for_all_that_others_do),
	KUNIT_CASE(a_commit_takes_what_ends),
	KUNIT_CASE(many_hits_wait_for_it),
	KUNIT_CASE(one_that_is_old_when_it_is_taken),
	KUNIT_CASE(many_hits_of_a_watch_that_is_disarmed),
	KUNIT_CASE(many_hits_of_a_context_that_ends),
	KUNIT_CASE(an_event_that_is_disabled),
	KUNIT_CASE(bindings_of_one_that_is_disabled),
	KUNIT_CASE(an_event_that_pauses),
	KUNIT_CASE(samples_of_one_that_is_disabled),
	KUNIT_CASE(periods_of_one_that_is_disabled),
	KUNIT_CASE(samples_until_its_limit),
	KUNIT_CASE(an_event_that_is_closed),
	KUNIT_CASE(closed_while_a_place_is_awaited),
	KUNIT_CASE(memory_that_is_unmapped),
	KUNIT_CASE(an_event_that_goes_before_a_dispatch),
	{}
};

static struct kunit_suite record_ring_test_suite = {
	.name = "gpubp_record_ring",
	.init = suite_init,
	.exit = suite_exit,
	.test_cases = record_ring_test_cases,
};

static struct kunit_case record_breaks_test_cases[] = {
	KUNIT_CASE(not_where_waves_trap),
	{}
};

static struct kunit_suite record_breaks_test_suite = {
	.name = "gpubp_record_ring_breaks",
	.init = init_with_breaks,
	.exit = mock_exit,
	.test_cases = record_breaks_test_cases,
};
kunit_test_suites(&record_ring_test_suite, &record_breaks_test_suite);
