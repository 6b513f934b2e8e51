// SPDX-License-Identifier: GPL-2.0
/* Cells: allocated, accounted once, all returned. */
#include <linux/irq_work.h>

#include "core/cell.h"
#include "mock.h"

static struct gpubp_hit_cell *take(struct kunit *test, struct mock_ctx *c)
{
	struct gpubp_hit_cell *cell = gpubp_cell_alloc(c->m->dev);

	KUNIT_ASSERT_NOT_NULL(test, cell);
	cell->outcome = GPUBP_STAT_STRAY_BYTES;
	cell->ctx = c->ctx;
	kref_get(&c->ctx->ref);
	/* keeps the statistics balanced, though the hit was not reported */
	gpubp_stat_inc(&c->m->dev->stats, GPUBP_STAT_RAISED);
	return cell;
}

static unsigned int in_use(struct mock *m)
{
	gpubp_cells_sync();
	return gpubp_cells_in_use(m->dev);
}

static void a_new_cell_is_empty(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_hit_cell *cell = take(test, c);

	KUNIT_EXPECT_EQ(test, in_use(c->m), 1u);
	cell->nr_matches = 3;
	cell->delivered = true;
	gpubp_cell_put(cell);
	KUNIT_EXPECT_EQ(test, in_use(c->m), 0u);

	cell = take(test, c);	/* the same one: last in, first out */
	KUNIT_EXPECT_EQ(test, cell->nr_matches, 0u);
	KUNIT_EXPECT_FALSE(test, cell->delivered);
	KUNIT_EXPECT_PTR_EQ(test, cell->first, cell);
	KUNIT_EXPECT_PTR_EQ(test, cell->dev, c->m->dev);
	gpubp_cell_put(cell);
}

struct book_case {
	const char *name;
	bool delivered, possible;
	enum gpubp_stat outcome, booked;
};

static const struct book_case book_cases[] = {
	{ "nobody_got_it", false, false, GPUBP_STAT_STRAY_KIND,
	  GPUBP_STAT_STRAY_KIND },
	{ "dropped", false, false, GPUBP_STAT_DROP_EXITED,
	  GPUBP_STAT_DROP_EXITED },
	{ "an_event_got_it", true, false, GPUBP_STAT_STRAY_OWNER,
	  GPUBP_STAT_DELIVERED },
	{ "an_event_got_it_as_possible", false, true, GPUBP_STAT_STRAY_OWNER,
	  GPUBP_STAT_POSSIBLE },
	{ "certain_for_one_possible_for_another", true, true,
	  GPUBP_STAT_STRAY_OWNER, GPUBP_STAT_DELIVERED },
	{ "got_it_and_another_ticket_dropped", true, false,
	  GPUBP_STAT_DROP_EXITED, GPUBP_STAT_DELIVERED },
};
KUNIT_ARRAY_PARAM_DESC(book, book_cases, name);

static void booked_as(struct kunit *test)
{
	const struct book_case *b = test->param_value;
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_hit_cell *cell = take(test, c);
	int s;

	cell->delivered = b->delivered;
	cell->possible = b->possible;
	cell->outcome = b->outcome;
	gpubp_cell_put(cell);
	for (s = GPUBP_STAT_RAISED + 1; s < GPUBP_NR_STATS; s++)
		KUNIT_EXPECT_EQ(test, mock_stat(c->m, s), s == b->booked);
}

static void the_last_put_books(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_hit_cell *cell = take(test, c);
	int i;

	for (i = 0; i < 3; i++)
		gpubp_cell_get(cell);
	for (i = 0; i < 3; i++) {
		gpubp_cell_put(cell);
		KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES),
				0);
		KUNIT_EXPECT_EQ(test, in_use(c->m), 1u);
	}
	gpubp_cell_put(cell);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 1);
	KUNIT_EXPECT_EQ(test, in_use(c->m), 0u);
}

/* a hit that takes several cells for its matches is one hit */
static void further_cells_go_with_the_first(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_hit_cell *first = take(test, c), *second, *third;

	second = gpubp_cell_extend(first);
	KUNIT_ASSERT_NOT_NULL(test, second);
	third = gpubp_cell_extend(second);
	KUNIT_ASSERT_NOT_NULL(test, third);
	KUNIT_EXPECT_PTR_EQ(test, first->next, second);
	KUNIT_EXPECT_PTR_EQ(test, second->next, third);
	KUNIT_EXPECT_PTR_EQ(test, third->first, first);
	KUNIT_EXPECT_PTR_EQ(test, third->ctx, c->ctx);
	KUNIT_EXPECT_EQ(test, in_use(c->m), 3u);

	gpubp_cell_get(first);
	gpubp_cell_put(first);
	KUNIT_EXPECT_EQ(test, in_use(c->m), 3u);
	third->first->delivered = true;
	gpubp_cell_put(first);
	KUNIT_EXPECT_EQ(test, in_use(c->m), 0u);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 0);
}

static void all_cells_are_taken(struct kunit *test)
{
	struct gpubp_hit_cell **cells;
	struct mock_ctx *c;
	int i;

	mock_replace_all_cells(test);
	c = mock_ctx(test);
	cells = kunit_kcalloc(test, GPUBP_NR_CELLS, sizeof(*cells), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cells);
	for (i = 0; i < GPUBP_NR_CELLS; i++)
		cells[i] = take(test, c);
	KUNIT_EXPECT_NULL(test, gpubp_cell_alloc(c->m->dev));
	KUNIT_EXPECT_NULL(test, gpubp_cell_extend(cells[0]));
	KUNIT_EXPECT_EQ(test, in_use(c->m), (unsigned int)GPUBP_NR_CELLS);

	gpubp_cell_put(cells[0]);
	KUNIT_EXPECT_EQ(test, in_use(c->m), GPUBP_NR_CELLS - 1u);
	cells[0] = take(test, c);
	for (i = 0; i < GPUBP_NR_CELLS; i++)
		gpubp_cell_put(cells[i]);
	KUNIT_EXPECT_EQ(test, in_use(c->m), 0u);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES),
			GPUBP_NR_CELLS + 1);
}

struct in_interrupt {
	struct irq_work work;
	struct gpubp_device *dev;
	struct gpubp_hit_cell *cell;
};

static void get_and_put(struct irq_work *work)
{
	struct in_interrupt *i = container_of(work, struct in_interrupt, work);

	i->cell = gpubp_cell_alloc(i->dev);
	i->cell->outcome = GPUBP_STAT_STRAY_TRAP;
	gpubp_stat_inc(&i->dev->stats, GPUBP_STAT_RAISED);
	gpubp_cell_put(i->cell);
}

static void taken_and_put_in_a_hard_interrupt(struct kunit *test)
{
	struct mock *m = test->priv;
	struct in_interrupt i = {
		.work = IRQ_WORK_INIT_HARD(get_and_put),
		.dev = m->dev,
	};

	irq_work_queue(&i.work);
	irq_work_sync(&i.work);
	KUNIT_EXPECT_NOT_NULL(test, i.cell);
	KUNIT_EXPECT_EQ(test, in_use(m), 0u);
	KUNIT_EXPECT_EQ(test, mock_stat(m, GPUBP_STAT_STRAY_TRAP), 1);
}

/* the cell may have the last reference to context and queue */
static void a_cell_keeps_its_context(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_hit_cell *cell = take(test, c);
	u32 id = gpubp_ctx_id(c->ctx);

	cell->queue = gpubp_queue_by_doorbell(c->m->dev, c->doorbell);
	KUNIT_EXPECT_PTR_EQ(test, cell->queue, c->queue);
	mock_ctx_destroy(c);
	/* KASAN checks this access */
	KUNIT_EXPECT_EQ(test, gpubp_ctx_id(cell->ctx), id);
	KUNIT_EXPECT_EQ(test, cell->queue->doorbell, c->doorbell);
	gpubp_cell_put(cell);
	KUNIT_EXPECT_EQ(test, in_use(c->m), 0u);
}

static struct kunit_case hit_test_cases[] = {
	KUNIT_CASE(a_new_cell_is_empty),
	KUNIT_CASE_PARAM(booked_as, book_gen_params),
	KUNIT_CASE(the_last_put_books),
	KUNIT_CASE(further_cells_go_with_the_first),
	KUNIT_CASE(all_cells_are_taken),
	KUNIT_CASE(taken_and_put_in_a_hard_interrupt),
	KUNIT_CASE(a_cell_keeps_its_context),
	{}
};

static struct kunit_suite hit_test_suite = {
	.name = "gpubp_hit",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = hit_test_cases,
};
kunit_test_suite(hit_test_suite);
