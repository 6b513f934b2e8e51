// SPDX-License-Identifier: GPL-2.0
/*
 * Service of users in the long run: all slots by weight, but no user gets more
 * than it has watches for; the rest is distributed over the others (weighted
 * max-min). Every small configuration against a reference that distributes
 * small fractions of slots.
 */
#include <linux/kernel.h>

#include "../tap.h"
#include "crowd.h"
#include "parts.h"

#define QUANTA		3000
#define USERS		3
#define MOST_WATCHES	4
#define MOST_WEIGHT	2
#define KINDS		(MOST_WATCHES * MOST_WEIGHT)

/* fraction of a slot; all weights divide it */
#define DROP		0.0005

struct user {
	unsigned int watches;
	unsigned int weight;
	double due;
};

/* the next fraction goes to the user with least service per weight */
static void pour(struct user *u, unsigned int nr, double slots)
{
	unsigned int i;

	for (; slots > 0; slots -= DROP) {
		struct user *least = NULL;

		for (i = 0; i < nr; i++)
			if (u[i].due + DROP / 2 < u[i].watches &&
			    (!least || u[i].due * least->weight <
				       least->due * u[i].weight))
				least = &u[i];
		if (!least)
			return;
		least->due += DROP;
	}
}

/* random part: 5 sigma of half a slot, plus an unfinished turn */
static bool is_due(double got, double due)
{
	double off = got > due * QUANTA ? got - due * QUANTA :
					  due * QUANTA - got;

	return off <= 5 * 0.5 * 54.8 + 4;	/* 54.8^2 are QUANTA */
}

static bool crowd_has_its_due(struct user *u, unsigned int nr,
			      unsigned int slots)
{
	unsigned int i, at = 0;
	struct crowd c;
	bool ok = true;

	pour(u, nr, slots);
	crowd_init(&c, nr * MOST_WATCHES, slots, GPUBP_POLICY_FAIR, slots);
	for (i = 0; i < nr; i++) {
		gpubp_fairq_flow_init(&c.users[i], i, u[i].weight);
		crowd_give(&c, i, at, at + u[i].watches, 1);
		at += u[i].watches;
	}
	crowd_run(&c, QUANTA);
	for (i = 0; i < nr; i++)
		ok &= is_due(c.got[i], u[i].due);
	for (i = 0; i < nr && !ok; i++)
		tap_note("%u slots, weight %u, %u watches: due %.3f, had %.3f",
			 slots, u[i].weight, u[i].watches, u[i].due,
			 (double)c.got[i] / QUANTA);
	crowd_exit(&c);
	return ok;
}

/* the order of users does not matter */
static bool is_sorted(unsigned int n, unsigned int nr)
{
	while (--nr && n % KINDS >= n / KINDS % KINDS)
		n /= KINDS;
	return !nr;
}

static void every_crowd_of(unsigned int nr)
{
	unsigned int n, i, k, slots, worlds = 1, done = 0;
	struct user u[USERS];
	bool ok = true;

	for (i = 0; i < nr; i++)
		worlds *= KINDS;
	for (n = 0; n < worlds; n++)
		for (slots = 1; slots <= 4 && is_sorted(n, nr); slots++) {
			for (i = 0, k = n; i < nr; i++, k /= KINDS)
				u[i] = (struct user) {
					.watches = 1 + k % MOST_WATCHES,
					.weight = 1 + k / MOST_WATCHES % MOST_WEIGHT,
				};
			ok = crowd_has_its_due(u, nr, slots) && ok;
			done++;
		}
	tap_ok(ok, "%u_users_have_what_is_due: %u crowds", nr, done);
}

/*
 * For long, one of two users can use less than half of the slots. Once it can
 * use as many as the other it gets half of them, and no compensation for the
 * past.
 */
static bool saves_nothing_up(unsigned int few, unsigned int slots)
{
	const u64 quanta = 100;
	u64 had;
	struct crowd c;
	bool ok;

	crowd_init(&c, 400, slots, GPUBP_POLICY_FAIR, few);
	crowd_give(&c, 0, 0, few, 1);
	crowd_give(&c, 1, 200, 400, 1);
	crowd_run(&c, 1000);
	had = c.got[0];
	crowd_give(&c, 0, few, 200, 1);
	crowd_run(&c, quanta);
	had = c.got[0] - had;
	/* random part: 5 sigma, plus its deficit, plus a turn */
	ok = had >= quanta * slots / 2 - 26 && had <= quanta * slots / 2 + 26;
	if (!ok)
		tap_note("%u watches, then 200, on %u slots: %llu of the next %llu",
			 few, slots, had, quanta * slots);
	crowd_exit(&c);
	return ok;
}

static void what_was_not_used_is_gone(void)
{
	unsigned int slots, few;
	bool ok = true;

	for (slots = 4; slots <= GPUBP_MAX_SLOTS; slots++)
		for (few = 1; 2 * few < slots - 1; few++)
			ok &= saves_nothing_up(few, slots);
	tap_ok(ok, "what_was_not_used_is_gone");
}

void maxmin_tests(void)
{
	what_was_not_used_is_gone();
	every_crowd_of(2);
	every_crowd_of(3);
}
