// SPDX-License-Identifier: GPL-2.0
/* Budgets: constant spending, overspending, and boundary values. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../tap.h"
#include "lib/budget.h"

#define MS	1000000ULL
#define WINDOW	GPUBP_BUDGET_WINDOW
#define SLOTS	16

static const unsigned int percents[] = { 1, 10, 100, 6400, 100000 };

#define NR_PERCENTS	(int)(sizeof(percents) / sizeof(percents[0]))

static u64 share(u64 ns, unsigned int percent)
{
	return ns / 100 * percent;
}

static bool spend_at(struct gpubp_budget *b, unsigned int percent, u64 now,
		     u64 ns)
{
	return gpubp_budget_spend(b, percent, now, ns, 0);
}

/*
 * spends @spent percent in steps of 1 ms for 10 s; returns when it is too much
 */
static u64 spend_constantly(unsigned int percent, unsigned int spent)
{
	struct gpubp_budget b = {};
	u64 now = 5 * MS, end = now + 10000 * MS;

	gpubp_budget_fill(&b, percent, now);
	for (; now < end; now += MS)
		if (spend_at(&b, percent, now, share(MS, spent)))
			return now - 5 * MS;
	return U64_MAX;
}

static bool constant_spending_is_allowed(void)
{
	bool ok = true;
	int i;

	for (i = 0; i < NR_PERCENTS; i++)
		ok &= spend_constantly(percents[i], percents[i]) == U64_MAX;
	return ok;
}

/* twice as much as is earned: the savings last for a window */
static bool overspending_is_found(void)
{
	bool ok = true;
	int i;

	for (i = 0; i < NR_PERCENTS; i++) {
		u64 at = spend_constantly(percents[i], 2 * percents[i]);

		ok &= at >= WINDOW - 2 * MS && at <= WINDOW + 2 * MS;
	}
	return ok;
}

static bool no_limit(void)
{
	struct gpubp_budget b = {};
	int i;

	for (i = 0; i < 1000; i++)
		if (spend_at(&b, 0, i, U64_MAX))
			return false;
	return true;
}

/* larger percentages are clamped to the largest one */
static bool percentage_is_bounded(unsigned int percent)
{
	struct gpubp_budget a, b;
	u64 now = 7, spent;
	bool over;

	gpubp_budget_fill(&a, GPUBP_BUDGET_PERCENT, now);
	gpubp_budget_fill(&b, percent, now);
	for (spent = 1; spent < 10000 * WINDOW; spent *= 3) {
		now += spent / 2000;
		over = spend_at(&a, GPUBP_BUDGET_PERCENT, now, spent);
		if (spend_at(&b, percent, now, spent) != over ||
		    a.left != b.left)
			return false;
	}
	return over;
}

static bool a_debt_is_paid_by_a_window(unsigned int percent)
{
	struct gpubp_budget b;
	u64 now = 7 * MS;

	gpubp_budget_fill(&b, percent, now);
	return spend_at(&b, percent, now, U64_MAX) &&
	       spend_at(&b, percent, now, U64_MAX) &&
	       spend_at(&b, percent, now + WINDOW / 2, 0) &&
	       !spend_at(&b, percent, now + WINDOW, 0);
}

/* a long idle time saves no more than one window */
static bool saves_a_window(unsigned int percent)
{
	struct gpubp_budget b;
	u64 now = 3 * MS;

	gpubp_budget_fill(&b, percent, now);
	now += 1000 * WINDOW;
	return !spend_at(&b, percent, now, share(WINDOW, percent)) &&
	       spend_at(&b, percent, now, 1);
}

/*
 * @waves waves are stopped all the time. Their stall time is accounted once a
 *	second,
 * for one wave after another. Returns true if that exceeds the limit.
 */
static bool accounted_late(unsigned int percent, unsigned int waves)
{
	struct gpubp_budget b;
	u64 now = MS, span = 10 * WINDOW;
	unsigned int i, round;
	bool over = false;

	gpubp_budget_fill(&b, percent, now);
	for (round = 0; round < 20; round++) {
		now += span;
		for (i = 0; i < waves; i++)
			over |= gpubp_budget_spend(&b, percent, now + i, span,
						   span);
	}
	return over;
}

static bool stalls_are_reported_late(void)
{
	return !accounted_late(6400, 64) && accounted_late(6400, 65) &&
	       !accounted_late(100, 1) && accounted_late(100, 2) &&
	       accounted_late(1, 1);
}

static bool time_runs_backwards(void)
{
	struct gpubp_budget b;

	gpubp_budget_fill(&b, 100, 10 * WINDOW);
	spend_at(&b, 100, 10 * WINDOW, WINDOW);
	return spend_at(&b, 100, 9 * WINDOW, 1) &&
	       b.at == 10 * WINDOW &&
	       spend_at(&b, 100, 10 * WINDOW, 0) &&
	       !spend_at(&b, 100, 10 * WINDOW + 1, 0);
}

static bool limit_changes(void)
{
	struct gpubp_budget b;
	u64 now = WINDOW;

	gpubp_budget_fill(&b, 1000, now);
	/* savings made under the old limit are clamped to the new one */
	return !spend_at(&b, 10, now + 1, share(WINDOW, 10)) &&
	       spend_at(&b, 10, now + 1, 1000) &&
	       !spend_at(&b, 0, now + 1, WINDOW);
}

/* spent <= earned + one window, for any sequence of amounts */
static bool spends_at_random(void)
{
	unsigned long long seed = 1;
	struct gpubp_budget b;
	u64 now = WINDOW, from = now, spent = 0, ns;
	int i, over = 0;

	gpubp_budget_fill(&b, 50, now);
	for (i = 0; i < 1000000; i++) {
		now += tap_random(&seed) % (2 * MS);
		ns = tap_random(&seed) % (2 * MS);
		if (spend_at(&b, 50, now, ns)) {
			over++;
			/* refused: undo */
			b.left += ns;
			continue;
		}
		spent += ns;
		if (spent > share(now - from + WINDOW, 50) + i)
			return false;
	}
	tap_note("%d of %d refused", over, i);
	return over > i / 4 && over < i * 3 / 4;
}

/* waves are stopped while the watch is armed; it is throttled over the limit */
static bool stall_is_bounded(unsigned int percent, unsigned int waves, u64 hit)
{
	struct gpubp_backoff away = {};
	struct gpubp_budget b;
	u64 now = MS, from = now, stalled = 0;
	int i;

	gpubp_budget_fill(&b, percent, now);
	for (i = 0; i < 10000; i++) {
		now += hit / waves ?: 1;
		stalled += hit;
		if (!spend_at(&b, percent, now, hit))
			continue;
		gpubp_backoff_begin(&away, now);
		now = away.until;
		gpubp_budget_fill(&b, percent, now);
	}
	return stalled <= share(now - from + WINDOW, percent) +
			  (now - from) / WINDOW * hit;
}

static bool stalls_are_bounded(void)
{
	return stall_is_bounded(100, 2, 100000) &&
	       stall_is_bounded(6400, 3000, 100000) &&
	       stall_is_bounded(6400, 3000, 20 * MS) &&
	       stall_is_bounded(1, 1, 20000);
}

/* ---- stall_ns ---------------------------------------------------------------- */

static bool the_hottest(void)
{
	u64 stall_ns[SLOTS] = {};
	int i;

	if (gpubp_stall_ns_max(stall_ns, SLOTS) != -1 ||
	    gpubp_stall_ns_max(stall_ns, 0) != -1)
		return false;
	for (i = 0; i < SLOTS; i++) {
		gpubp_stall_ns_add(stall_ns, SLOTS, 1U << i, 10 + i);
		if (gpubp_stall_ns_max(stall_ns, SLOTS) != i)
			return false;
	}
	gpubp_stall_ns_add(stall_ns, SLOTS, 0x11, 100);
	return gpubp_stall_ns_max(stall_ns, SLOTS) == 4 && stall_ns[0] == 110 &&
	       stall_ns[1] == 11;
}

static bool slots_that_are_not_there(void)
{
	u64 stall_ns[4] = {};

	gpubp_stall_ns_add(stall_ns, 3, U32_MAX, 7);
	return stall_ns[2] == 7 && !stall_ns[3];
}

/* ---- throttling ---------------------------------------------------------- */

static bool longer_each_time(void)
{
	struct gpubp_backoff b = {};
	u64 now = 42, len = GPUBP_BACKOFF_FIRST;
	int i;

	for (i = 0; i < 10; i++) {
		gpubp_backoff_begin(&b, now);
		if (b.until != now + len)
			return false;
		now = b.until;
		if (i < GPUBP_BACKOFF_LEVELS - 1)
			len *= 2;
	}
	return len == GPUBP_BACKOFF_FIRST << (GPUBP_BACKOFF_LEVELS - 1);
}

static bool a_good_stretch_resets(void)
{
	struct gpubp_backoff b = {};

	gpubp_backoff_begin(&b, 1000);
	gpubp_backoff_begin(&b, b.until);
	gpubp_backoff_begin(&b, b.until + 2 * GPUBP_BACKOFF_FIRST);
	if (b.level != 2)
		return false;
	gpubp_backoff_begin(&b, b.until + 4 * GPUBP_BACKOFF_FIRST + 1);
	return !b.level;
}

int main(void)
{
	tap_plan(21);
	tap_ok(constant_spending_is_allowed(), "who spends what is earned");
	tap_ok(overspending_is_found(), "who spends twice as much");
	tap_ok(no_limit(), "no limit");
	tap_ok(a_debt_is_paid_by_a_window(1), "a debt, 1%%");
	tap_ok(a_debt_is_paid_by_a_window(100), "a debt, 100%%");
	tap_ok(a_debt_is_paid_by_a_window(6400), "a debt, 6400%%");
	tap_ok(a_debt_is_paid_by_a_window(~0U), "a debt, no such percentage");
	tap_ok(percentage_is_bounded(GPUBP_BUDGET_PERCENT + 1),
	       "one more than the largest percentage");
	tap_ok(percentage_is_bounded(~0U), "the largest number as percentage");
	tap_ok(saves_a_window(1), "savings, 1%%");
	tap_ok(saves_a_window(100), "savings, 100%%");
	tap_ok(saves_a_window(6400), "savings, 6400%%");
	tap_ok(stalls_are_reported_late(), "hits that are looked at late");
	tap_ok(time_runs_backwards(), "time runs backwards");
	tap_ok(limit_changes(), "the limit changes");
	tap_ok(spends_at_random(), "spending at random");
	tap_ok(stalls_are_bounded(), "those who would stand still all the time");
	tap_ok(the_hottest(), "the hottest place");
	tap_ok(slots_that_are_not_there(), "slots that are not there");
	tap_ok(longer_each_time(), "longer each time, up to a bound");
	tap_ok(a_good_stretch_resets(), "a good stretch begins again");
	return tap_status();
}
