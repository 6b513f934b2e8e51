// SPDX-License-Identifier: GPL-2.0
/* The mock's device and contexts, and the checks at the end of each test. */
#include <kunit/static_stub.h>
#include <linux/delay.h>
#include <linux/mm.h>

#include "core/cell.h"
#include "core/owner.h"
#include "core/stats.h"
#include "mock.h"
#include "sched/sched.h"
#include "sched/throttle.h"

#define WAIT_MS		60000	/* a guest may be stalled for long */

const struct gpubp_caps mock_caps = {
	.nr_slots = MOCK_SLOTS,
	.usable_slots = GENMASK(MOCK_SLOTS - 1, 0),
	.granule = 64,
	.max_block = SZ_1G,
	.va_bits = 48,
	.modes = GENMASK(GPUBP_MODE_ALL, 0),
	.paths = GPUBP_PATH_VECTOR,
	.residency = GPUBP_RESIDENCY_REPORTED,
	.cntl_banked = true,
	.precise = true,
	.interrupts = true,
	.dispatch_waits = true,
};

KUNIT_DEFINE_ACTION_WRAPPER(free_mock, kvfree, struct mock *);

/* its waves have a pc and nothing else: they can be halted, and saved, anywhere */
static struct gpubp_isa mock_isa;

static struct mock *new_mock(void)
{
	struct mock *m = kvzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return NULL;
	m->ops = &mock_ops;
	mock_isa = gpubp_isa_gfx90a;
	mock_isa.park_offset = 0;
	m->isa = &mock_isa;
	mutex_init(&m->lock);
	init_completion(&m->gate);
	complete_all(&m->gate);
	return m;
}

static unsigned int few_cells_needed(const struct gpubp_caps *caps)
{
	return MOCK_CELLS;
}

/* To allocate and free all cells takes longer than what most tests do. */
static void few_cells(struct kunit *test)
{
	kunit_activate_static_stub(test, gpubp_cells_needed, few_cells_needed);
}

/* a mock without a registered device */
struct mock *mock_alloc(struct kunit *test)
{
	struct mock *m = new_mock();

	few_cells(test);
	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_mock, m), 0);
	m->pid = task_pid(current);
	return m;
}

int mock_register(struct mock *m, const struct gpubp_caps *caps)
{
	struct gpubp_device_desc desc = {
		.name = "mock",
		.owner = THIS_MODULE,
		.isa = m->isa,
		.caps = *caps,
		.ops = m->ops,
	};
	struct gpubp_device *dev = gpubp_device_register(&desc, m);

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	m->dev = dev;
	m->registered = true;
	return 0;
}

void mock_unregister(struct mock *m)
{
	gpubp_device_unregister(m->dev);
	m->registered = false;
}

int mock_init_ops(struct kunit *test, const struct gpubp_ops *ops,
		  const struct gpubp_caps *caps)
{
	struct mock *m = mock_alloc(test);
	int err;

	m->ops = ops;
	err = mock_register(m, caps);
	if (err)
		return err;
	test->priv = m;
	return 0;
}

int mock_init_with(struct kunit *test, const struct gpubp_caps *caps)
{
	return mock_init_ops(test, &mock_ops, caps);
}

/* instead of the suite's device, which is unregistered */
struct mock *mock_replace(struct kunit *test, const struct gpubp_caps *caps)
{
	struct mock *old = test->priv;

	KUNIT_ASSERT_EQ(test, mock_init_with(test, caps), 0);
	mock_unregister(old);
	return test->priv;
}

/* A device registered from now on has as many cells as any. */
void mock_all_cells(struct kunit *test)
{
	kunit_deactivate_static_stub(test, gpubp_cells_needed);
}

/* likewise one instead of the suite's, which has no context yet */
void mock_replace_all_cells(struct kunit *test)
{
	struct mock *old = test->priv, *m = mock_alloc(test);

	mock_all_cells(test);
	m->ops = old->ops;
	KUNIT_ASSERT_EQ(test, mock_register(m, &old->dev->desc.caps), 0);
	mock_unregister(old);
	test->priv = m;
}

int mock_init(struct kunit *test)
{
	return mock_init_with(test, &mock_caps);
}

/* a context of this thread's process, with one queue, resident */
struct mock_ctx *mock_ctx(struct kunit *test)
{
	return mock_ctx_of(test, task_pid(current));
}

/* the memory outlives the context: an op after its end is a complaint */
static struct mock_ctx *ctx_alloc(struct kunit *test, struct mock *m)
{
	struct mock_ctx *c;

	KUNIT_ASSERT_LT(test, m->nr_ctxs, (unsigned int)MOCK_CTXS);
	c = &m->ctxs[m->nr_ctxs];
	c->m = m;
	c->mem = kunit_kzalloc(test, MOCK_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->mem);
	c->vmid = 1 + m->nr_ctxs % (GPUBP_MAX_VMIDS - 1);
	c->doorbell = 0x100 + m->nr_ctxs;
	c->pasid = 0x8000 + m->nr_ctxs;
	mutex_lock(&m->lock);
	c->alive = true;
	m->nr_ctxs++;
	mutex_unlock(&m->lock);
	return c;
}

struct gpubp_queue *mock_queue(struct gpubp_ctx *ctx, struct pid *creator,
			       u32 id, u32 doorbell)
{
	struct gpubp_queue_desc desc = {
		.creator = creator,
		.id = id,
		.doorbell = doorbell,
	};

	return gpubp_queue_create(ctx, &desc);
}

struct mock_ctx *mock_ctx_of(struct kunit *test, struct pid *pid)
{
	struct mock *m = test->priv;
	struct mock_ctx *c = ctx_alloc(test, m);
	struct gpubp_ctx_desc desc = {
		.pid = pid, .pasid = c->pasid, .doorbells = m->doorbells,
	};
	struct gpubp_ctx *ctx = gpubp_ctx_create(m->dev, c, &desc);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	c->ctx = ctx;
	c->queue = mock_queue(ctx, pid, 7, c->doorbell);
	KUNIT_ASSERT_FALSE(test, IS_ERR(c->queue));
	gpubp_ctx_resident(ctx, c->vmid);
	return c;
}

void mock_ctx_destroy(struct mock_ctx *c)
{
	struct mock *m = c->m;

	mutex_lock(&m->lock);
	c->unmap = true;
	mutex_unlock(&m->lock);
	if (!IS_ERR_OR_NULL(c->queue))
		gpubp_queue_destroy(c->queue);
	gpubp_ctx_destroy(c->ctx);
	mutex_lock(&m->lock);
	c->alive = false;
	c->valid = 0;
	mutex_unlock(&m->lock);
	if (c->code_size || c->ring_size)
		mock_complain(m,
			      "a context was freed before its handler or ring");
}

/* wait until the hardware has what the events ask for, retries included */
void mock_settle(struct mock *m)
{
	unsigned int i;

	for (i = 0; i < m->nr_ctxs; i++)
		if (m->ctxs[i].alive)
			gpubp_ctx_wait_armed(m->ctxs[i].ctx);
	gpubp_request_wait(m->dev);
	kthread_flush_worker(m->dev->requests.worker);
}

/* wait until every reported hit is accounted */
void mock_quiesce(struct kunit *test)
{
	struct mock *m = test->priv;
	int ms;

	kthread_flush_worker(m->dev->resolver);
	for (ms = 0; ms < WAIT_MS; ms += 2) {
		gpubp_cells_sync();
		if (!gpubp_cells_in_use(m->dev))
			break;
		msleep(2);
	}
	KUNIT_EXPECT_EQ_MSG(test, gpubp_cells_in_use(m->dev), 0u,
			    "cells are still in use");
}

s64 mock_stat(struct mock *m, enum gpubp_stat s)
{
	return atomic64_read(&m->dev->stats.v[s]);
}

/* thousands of waves in each test: KUnit's comparison macros are too slow */
static void expect_waves_released_once(struct kunit *test)
{
	struct mock *m = test->priv;
	unsigned int i;

	for (i = 0; i < MOCK_WAVES; i++)
		if (atomic_read(&m->taken[i]) != atomic_read(&m->done[i]))
			KUNIT_FAIL(test, "wave %u: taken %d times, done %d", i,
				   atomic_read(&m->taken[i]),
				   atomic_read(&m->done[i]));
}

/* raised = the sum of all other statistics, and each wave was resumed */
void mock_expect_stats_balance(struct kunit *test)
{
	struct mock *m = test->priv;
	s64 sum = 0;
	int s;

	mock_quiesce(test);
	for (s = 0; s < GPUBP_NR_STATS; s++)
		if (s != GPUBP_STAT_RAISED)
			sum += mock_stat(m, s);
	KUNIT_EXPECT_EQ(test, mock_stat(m, GPUBP_STAT_RAISED), sum);
	expect_waves_released_once(test);
}

static void expect_no_watch(struct kunit *test, struct gpubp_device *dev)
{
	guard(mutex)(&dev->lock);
	KUNIT_EXPECT_EQ_MSG(test, dev->nr_watches, 0u, "watches leaked");
	KUNIT_EXPECT_EQ_MSG(test, dev->sched->policy.fairq.nr, 0u, "turns leaked");
	KUNIT_EXPECT_TRUE_MSG(test, list_empty(&dev->shares), "a share leaked");
	KUNIT_EXPECT_TRUE(test, list_empty(&dev->armed));
	KUNIT_EXPECT_TRUE(test, list_empty(&dev->fresh));
	KUNIT_EXPECT_TRUE(test, list_empty(&dev->pinned));
}

static void close_events(struct kunit *test, struct mock *m)
{
	while (m->nr_events)
		mock_close(m, m->events[0]);
	gpubp_request_wait(m->dev);
	KUNIT_EXPECT_EQ_MSG(test, mock_valid(m), 0u,
			    "slots are in use for closed events");
	expect_no_watch(test, m->dev);
}

static void destroy_ctxs(struct kunit *test, struct mock *m)
{
	unsigned int i;

	for (i = 0; i < m->nr_ctxs; i++)
		if (m->ctxs[i].alive && m->ctxs[i].ctx)
			mock_ctx_destroy(&m->ctxs[i]);
	rcu_read_lock();
	KUNIT_EXPECT_TRUE_MSG(test, !gpubp_owner_find(m->pid),
			      "an owner leaked");
	rcu_read_unlock();
}

static void leave(struct kunit *test, struct mock *m)
{
	mock_gate_open(m);
	close_events(test, m);
	mock_expect_stats_balance(test);
	destroy_ctxs(test, m);
}

static void expect_no_complaint(struct kunit *test, struct mock *m)
{
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&m->nr_complaints), 0,
			    "first complaint: %s", m->complaint);
}

void mock_exit(struct kunit *test)
{
	struct mock *m = test->priv;

	if (!m)
		return;
	if (m->registered) {
		leave(test, m);
		mock_unregister(m);
		KUNIT_EXPECT_EQ(test, m->quiesced, 1u);
	}
	KUNIT_EXPECT_EQ_MSG(test, m->acquired, 0u, "slots were not released");
	expect_no_complaint(test, m);
}

/* ---- throttling ---------------------------------------------------------- */

static void limit_again(void *percent)
{
	gpubp_max_stall_percent = (unsigned long)percent;
}

/*
 * For the rest of a test with dozens of waves at once: in a guest without CPU
 * time they are stopped for so long that their watch is throttled, and later
 * ones match no comparator.
 */
void mock_never_throttle(struct kunit *test)
{
	unsigned long percent = gpubp_max_stall_percent;

	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, limit_again,
							(void *)percent), 0);
	gpubp_max_stall_percent = 0;
}

/* ---- one device for all tests of a suite: there are only 255 numbers ----- */

static struct mock *shared;	/* suites do not run at the same time */

void mock_suite_exit(struct kunit_suite *suite)
{
	if (!shared)
		return;
	mock_unregister(shared);
	kvfree(shared);
	shared = NULL;
}

static int make_shared(struct kunit *test)
{
	struct mock *m = new_mock();
	int err;

	if (!m)
		return -ENOMEM;
	few_cells(test);
	err = mock_register(m, &mock_caps);
	if (err)
		kvfree(m);
	else
		shared = m;
	return err;
}

/* called for the first test: a suite's own init runs under a lock of KUnit's */
int mock_init_shared(struct kunit *test)
{
	int err = shared ? 0 : make_shared(test);

	if (err)
		return err;
	shared->pid = task_pid(current);
	test->priv = shared;
	return 0;
}

void mock_exit_shared(struct kunit *test)
{
	struct mock *m = test->priv;

	if (!m)
		return;
	leave(test, m);
	expect_no_complaint(test, m);
	atomic_set(&m->nr_complaints, 0);
	mutex_lock(&m->lock);
	memset(m->ctxs, 0, sizeof(m->ctxs));
	m->nr_ctxs = 0;
	m->nr_probes = 0;
	mutex_unlock(&m->lock);
}
