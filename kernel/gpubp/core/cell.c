// SPDX-License-Identifier: GPL-2.0
/*
 * Hit cells: preallocated, taken in hard interrupts, accounted when the last
 * reference is put.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "cell.h"
#include "context.h"
#include "device.h"
#include "tickets.h"
#include "tracepoint.h"

static LLIST_HEAD(dead_cells);

/**
 * gpubp_cells_needed() - how many cells a device has
 * @caps: of the device
 *
 * For waiting hits, for the hit being resolved, and one per wave that can stop. Of devices
 * that stop none, as a process has them that says what it saw, there may be very many.
 */
unsigned int gpubp_cells_needed(const struct gpubp_caps *caps)
{
	unsigned int nr = GPUBP_TICKETS_MAX + GPUBP_HIT_CELLS + caps->nr_waves;

	KUNIT_STATIC_STUB_REDIRECT(gpubp_cells_needed, caps);
	if (caps->stops == GPUBP_STOPS_NONE && caps->nr_waves)
		return nr;
	return max(nr, GPUBP_NR_CELLS);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_cells_needed);

/**
 * gpubp_cells_alloc() - allocate all cells of a device, once
 * @dev: device
 *
 * Return: 0 or -ENOMEM.
 */
int gpubp_cells_alloc(struct gpubp_device *dev)
{
	unsigned int i;

	init_llist_head(&dev->free_cells);
	init_llist_head(&dev->reported);
	init_waitqueue_head(&dev->resolved_wait);
	dev->nr_cells = gpubp_cells_needed(&dev->desc.caps);
	dev->cells = kvcalloc(dev->nr_cells, sizeof(*dev->cells), GFP_KERNEL_ACCOUNT);
	if (!dev->cells)
		return -ENOMEM;
	for (i = 0; i < dev->nr_cells; i++) {
		dev->cells[i].dev = dev;
		llist_add(&dev->cells[i].lnode, &dev->free_cells);
	}
	return 0;
}

/** gpubp_cells_free() - free the cells of a device, all of which are free */
void gpubp_cells_free(struct gpubp_device *dev)
{
	kvfree(dev->cells);
}

/* what is behind it is written when it is added */
static void cell_clear(struct gpubp_hit_cell *cell)
{
	const size_t from = offsetof(struct gpubp_hit_cell, first);
	u8 *bytes = (u8 *)cell;

	memset(bytes + from, 0, offsetof(struct gpubp_hit_cell, matches) - from);
}

/**
 * gpubp_cell_alloc() - take a free cell; it has one reference, no match and no ticket
 * @dev: device
 *
 * Any context. Return: the cell, or NULL when all are in use.
 */
struct gpubp_hit_cell *gpubp_cell_alloc(struct gpubp_device *dev)
{
	struct gpubp_hit_cell *cell;
	struct llist_node *node;
	unsigned long flags;

	raw_spin_lock_irqsave(&dev->cell_lock, flags);
	node = llist_del_first(&dev->free_cells);
	raw_spin_unlock_irqrestore(&dev->cell_lock, flags);
	if (!node)
		return NULL;
	cell = container_of(node, struct gpubp_hit_cell, lnode);
	cell_clear(cell);
	atomic_set(&cell->refs, 1);
	cell->first = cell;
	return cell;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_cell_alloc);

/**
 * gpubp_cell_extend() - add a cell for further matches of a hit
 * @cell: the last cell of the hit; called by the resolver only
 *
 * Return: the new cell, which is freed with the first one; NULL if all cells
 * are in use or the hit has GPUBP_HIT_CELLS.
 */
struct gpubp_hit_cell *gpubp_cell_extend(struct gpubp_hit_cell *cell)
{
	struct gpubp_hit_cell *more;

	if (cell->first->nr_more >= GPUBP_HIT_CELLS - 1)
		return NULL;
	more = gpubp_cell_alloc(cell->dev);
	if (!more)
		return NULL;
	cell->first->nr_more++;
	cell->next = more;
	more->first = cell->first;
	more->hit = cell->hit;
	more->record = cell->record;
	more->ctx = cell->ctx;
	kref_get(&more->ctx->ref);
	more->queue = cell->queue;
	if (more->queue)
		kref_get(&more->queue->ref);
	return more;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_cell_extend);

static void cell_account(struct gpubp_hit_cell *cell)
{
	enum gpubp_stat s = cell->outcome;

	if (READ_ONCE(cell->delivered))
		s = GPUBP_STAT_DELIVERED;
	else if (READ_ONCE(cell->possible))
		s = GPUBP_STAT_POSSIBLE;
	gpubp_stat_inc(&cell->dev->stats, s);
	if (s == GPUBP_STAT_DROP_STALL || s == GPUBP_STAT_DROP_RECORD)
		atomic64_inc(&cell->ctx->lost);
	trace_gpubp_done(cell->dev->number, gpubp_cell_wave(cell), gpubp_stat_name(s));
}

static void cell_free(struct gpubp_hit_cell *cell)
{
	struct gpubp_queue *queue = cell->queue;
	struct gpubp_ctx *ctx = cell->ctx;

	llist_add(&cell->lnode, &cell->dev->free_cells);
	if (queue)
		gpubp_queue_put(queue);
	if (ctx)
		gpubp_ctx_put(ctx);
}

static void dead_cells_free(struct irq_work *work)
{
	struct gpubp_hit_cell *cell, *tmp;

	llist_for_each_entry_safe(cell, tmp, llist_del_all(&dead_cells), lnode)
		cell_free(cell);
}

/*
 * The last reference may be put by perf scheduling a task out, under the run
 * queue's lock, where the wakeups of freeing are not allowed: free in a later
 * interrupt.
 */
static DEFINE_IRQ_WORK(dead_cells_work, dead_cells_free);

static void cell_chain_free(struct gpubp_hit_cell *cell)
{
	struct gpubp_hit_cell *next;
	bool was_empty = false;

	for (; cell; cell = next) {
		next = cell->next;
		atomic_set(&cell->refs, 0);
		was_empty |= llist_add(&cell->lnode, &dead_cells);
	}
	if (was_empty)
		irq_work_queue(&dead_cells_work);
}

/**
 * gpubp_cell_put() - put a reference to a hit
 * @cell: its first cell
 *
 * Any context. The last put accounts the hit and frees its cells.
 */
void gpubp_cell_put(struct gpubp_hit_cell *cell)
{
	if (!atomic_dec_and_test(&cell->refs))
		return;
	cell_account(cell);
	cell_chain_free(cell);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_cell_put);

/**
 * gpubp_cells_sync() - wait until all cells that were put are free; may sleep
 */
void gpubp_cells_sync(void)
{
	irq_work_sync(&dead_cells_work);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_cells_sync);

/**
 * gpubp_hits_take() - take all reported hits, newest first
 * @dev: device
 *
 * Called by the resolver, which calls gpubp_hits_done() when they are resolved.
 */
struct llist_node *gpubp_hits_take(struct gpubp_device *dev)
{
	/*
	 * Set it before llist_del_all(), which is a full barrier; pairs with
	 * hits_none_left().
	 */
	WRITE_ONCE(dev->resolving, true);
	return llist_del_all(&dev->reported);
}

/**
 * gpubp_hits_done() - all hits of the last gpubp_hits_take() are resolved
 * @dev: device
 * @asked: value of @dev->round_asked when the round began
 */
void gpubp_hits_done(struct gpubp_device *dev, u64 asked)
{
	WRITE_ONCE(dev->nr_rounds, dev->nr_rounds + 1);
	/* pairs with round_wait() */
	smp_store_release(&dev->round_answered, asked);
	/* publish the results, then this; pairs with hits_none_left() */
	smp_store_release(&dev->resolving, false);
	if (wq_has_sleeper(&dev->resolved_wait))
		wake_up_all(&dev->resolved_wait);
}

/**
 * gpubp_hits_part_done() - all hits that were reported before a part of a round are resolved
 * @dev: device
 * @asked: value of @dev->round_asked when the part began
 */
void gpubp_hits_part_done(struct gpubp_device *dev, u64 asked)
{
	/* pairs with part_is_answered() */
	smp_store_release(&dev->part_answered, asked);
	if (wq_has_sleeper(&dev->resolved_wait))
		wake_up_all(&dev->resolved_wait);
}

static bool hits_none_left(const struct gpubp_device *dev)
{
	/* while something may be in a ring the resolver looks at it, and counts that */
	if (!llist_empty(&dev->reported) || READ_ONCE(dev->ring_poll.ms))
		return false;
	smp_rmb();	/* pairs with gpubp_hits_take() */
	/* pairs with gpubp_hits_done() */
	return !smp_load_acquire(&dev->resolving);
}

/**
 * gpubp_hits_mark() - a mark behind all hits reported until now
 * @dev: device
 *
 * Any context. Return: a mark above 0, for gpubp_hits_passed().
 */
u64 gpubp_hits_mark(const struct gpubp_device *dev)
{
	/* the round that runs now, and the next one */
	return READ_ONCE(dev->nr_rounds) + 2;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hits_mark);

/** gpubp_hits_passed() - are all hits before a gpubp_hits_mark() resolved */
bool gpubp_hits_passed(const struct gpubp_device *dev, u64 mark)
{
	return READ_ONCE(dev->nr_rounds) >= mark || hits_none_left(dev);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hits_passed);

static bool round_is_answered(const struct gpubp_device *dev, u64 seq)
{
	/* pairs with gpubp_hits_done() */
	return smp_load_acquire(&dev->round_answered) >= seq;
}

static bool part_is_answered(const struct gpubp_device *dev, u64 seq)
{
	/* pairs with gpubp_hits_part_done() */
	return smp_load_acquire(&dev->part_answered) >= seq;
}

static int round_wait(struct gpubp_device *dev, unsigned long timeout,
		      bool (*is_answered)(const struct gpubp_device *dev,
					  u64 seq))
{
	u64 seq;
	long left;

	scoped_guard(mutex, &dev->lock) {
		if (dev->requests.stopped)
			return 0;
		seq = atomic64_inc_return(&dev->round_asked);
		kthread_queue_work(dev->resolver, &dev->resolve_work);
	}
	left = wait_event_interruptible_timeout(dev->resolved_wait,
						is_answered(dev, seq),
						timeout);
	return gpubp_wait_error(left);
}

static int hits_wait(struct gpubp_device *dev, unsigned long timeout,
		     bool (*is_answered)(const struct gpubp_device *dev,
					 u64 seq))
{
	u64 mark = gpubp_hits_mark(dev);
	long left;

	if (atomic_read(&dev->nr_recording))
		return round_wait(dev, timeout, is_answered);
	left = wait_event_interruptible_timeout(dev->resolved_wait,
						gpubp_hits_passed(dev, mark),
						timeout);
	return gpubp_wait_error(left);
}

/**
 * gpubp_hits_wait() - wait until hits reported so far are counted, or queued
 *	for their owners, and those that waves recorded
 * @dev: device; a reference is held
 * @timeout: jiffies
 *
 * As long as others have filled all rings. May sleep. Return: 0, -ERESTARTSYS or
 * -ETIMEDOUT.
 */
int gpubp_hits_wait(struct gpubp_device *dev, unsigned long timeout)
{
	/* hits that waves recorded are found by a look at their rings only */
	return hits_wait(dev, timeout, round_is_answered);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hits_wait);

/**
 * gpubp_reports_wait() - likewise, for those that were reported
 * @dev: device; a reference is held
 * @timeout: jiffies
 *
 * May sleep. Return: 0, -ERESTARTSYS or -ETIMEDOUT.
 */
int gpubp_reports_wait(struct gpubp_device *dev, unsigned long timeout)
{
	return hits_wait(dev, timeout, part_is_answered);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_reports_wait);

/**
 * gpubp_cells_drain() - put reported hits that will not be resolved
 * @dev: device; its provider is quiescent and its resolver has stopped
 */
void gpubp_cells_drain(struct gpubp_device *dev)
{
	struct gpubp_hit_cell *cell, *tmp;

	llist_for_each_entry_safe(cell, tmp, llist_del_all(&dev->reported),
				  lnode)
		gpubp_cell_put(cell);
	gpubp_cells_sync();
}

/** gpubp_cells_in_use() - for tests: 0 proves that nothing leaked */
unsigned int gpubp_cells_in_use(struct gpubp_device *dev)
{
	unsigned int i, n = 0;

	for (i = 0; i < dev->nr_cells; i++)
		n += atomic_read(&dev->cells[i].refs) > 0;
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_cells_in_use);
