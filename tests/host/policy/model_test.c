// SPDX-License-Identifier: GPL-2.0
/*
 * The fair queue against a model of it: a queue of deferred entries, a number
 * of turns left for each, virtual times and deficits, with neither a tree nor a
 * partitioned array. After each step both must be in the same state, and each
 * choice must be one that the model allows. All short sequences of steps, and
 * long random ones.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "../tap.h"
#include "lib/fairq.h"
#include "parts.h"

#define SHARES		3
#define TURNS		6

/* of virtual time: a comparator quantum at weight 1 */
#define UNIT		BIT_ULL(20)

/*
 * the largest deficit; unplaceable entries that are charged like an armed one
 */
#define MAX_DEFICIT	(2 * UNIT)
#define MAX_UNPLACEABLE		4

/**
 * struct entry - the model of an entry
 * @share: its flow, NULL: not queued
 * @left: turns that it has left in this epoch
 * @armed: it is armed in this quantum
 * @unplaceable: it was proposed in this pass
 */
struct entry {
	struct share *share;
	unsigned int weight;
	unsigned int left;
	bool armed;
	bool unplaceable;
};

/**
 * struct share - the model of a user's flow
 * @queue: deferred entries, in order
 * @nr_queue: number of deferred entries
 * @deferrals: how often the first one was deferred again
 * @nr: entries
 * @deficit: deficit of the random slot
 * @since: when the deficit reached that of a draw, 0 if it has not
 * @skipped: it has nothing to propose in this pass
 */
struct share {
	u64 vtime;
	unsigned int weight;
	struct entry *queue[GPUBP_FAIRQ_MAX_DEFERRED];
	unsigned int nr_queue;
	unsigned int deferrals;
	unsigned int nr;
	u64 deficit;
	u64 since;
	bool skipped;
};

/**
 * struct model - the fair queue and its model
 * @last: virtual time of the flow that was served last, before that
 * @clock: number of flows for which @since was set
 * @wrong: the first difference, or NULL
 */
struct model {
	struct share share[SHARES];
	struct entry entry[TURNS];
	u64 last;
	u64 clock;
	const char *wrong;
	struct gpubp_fairq t;
	struct gpubp_fairq_flow shares[SHARES];
	struct gpubp_fairq_entry turns[TURNS];
};

static void check(struct model *m, bool ok, const char *what)
{
	if (!ok && !m->wrong)
		m->wrong = what;
}

static struct gpubp_fairq_flow *real_share(struct model *m, const struct share *s)
{
	return s ? &m->shares[s - m->share] : NULL;
}

static struct gpubp_fairq_entry *real_turn(struct model *m, const struct entry *e)
{
	return &m->turns[e - m->entry];
}

static struct share *model_share(struct model *m, const struct gpubp_fairq_flow *s)
{
	return s ? &m->share[s - m->shares] : NULL;
}

static struct entry *model_entry(struct model *m, const struct gpubp_fairq_entry *t)
{
	return t ? &m->entry[t - m->turns] : NULL;
}

/* iterates over entries of a flow: the one after @e, the first one if NULL */
static struct entry *entry_of(struct model *m, const struct share *s,
			      struct entry *e)
{
	for (e = e ? e + 1 : m->entry; e < m->entry + TURNS; e++)
		if (e->share == s)
			return e;
	return NULL;
}

/* iterates over flows that have entries */
static struct share *used_share(struct model *m, struct share *s)
{
	for (s = s ? s + 1 : m->share; s < m->share + SHARES; s++)
		if (s->nr)
			return s;
	return NULL;
}

/* ---- the model ----------------------------------------------------------- */

static bool is_eligible(const struct entry *e)
{
	return !e->armed && !e->unplaceable;
}

static struct share *least(struct model *m)
{
	struct share *s, *best = NULL;

	for (s = used_share(m, NULL); s; s = used_share(m, s))
		if (!s->skipped && (!best || s->vtime < best->vtime))
			best = s;
	return best;
}

static u64 present(struct model *m)
{
	const struct share *s = least(m);

	return s ? s->vtime : m->last;
}

static bool is_full(struct model *m, const struct share *s)
{
	struct entry *e;

	for (e = entry_of(m, s, NULL); e; e = entry_of(m, s, e))
		if (!e->armed)
			return false;
	return s->nr;
}

static void unqueue(struct share *s, const struct entry *e)
{
	unsigned int i;

	for (i = 0; i < s->nr_queue && s->queue[i] != e; i++)
		;
	if (i == s->nr_queue)
		return;
	if (!i)
		s->deferrals = 0;
	s->nr_queue--;
	for (; i < s->nr_queue; i++)
		s->queue[i] = s->queue[i + 1];
}

static bool is_queued(const struct share *s, const struct entry *e)
{
	unsigned int i;

	for (i = 0; i < s->nr_queue; i++)
		if (s->queue[i] == e)
			return true;
	return false;
}

static void put_off(struct share *s, struct entry *e)
{
	if (s->nr_queue && s->queue[0] == e && s->deferrals < GPUBP_FAIRQ_MAX_DEFERRALS)
		s->deferrals++;
	if (!is_queued(s, e) && e->left && s->nr_queue < GPUBP_FAIRQ_MAX_DEFERRED)
		s->queue[s->nr_queue++] = e;
}

static void had(struct share *s, struct entry *e)
{
	if (!e->left)
		return;
	e->left--;
	unqueue(s, e);
}

static void charge(struct model *m, struct share *s, u64 places)
{
	m->last = max(m->last, s->vtime);
	s->vtime += places * UNIT / s->weight;
}

static void set_deficit(struct model *m, struct share *s, u64 deficit)
{
	s->deficit = min(deficit, MAX_DEFICIT);
	if (s->deficit < UNIT)
		s->since = 0;
	else if (!s->since)
		s->since = ++m->clock;
}

static void drawn(struct model *m, struct share *drawn, u64 places)
{
	struct share *s;
	u64 others = 0;

	if (drawn->since) {
		set_deficit(m, drawn, drawn->deficit -
			 min(drawn->deficit, places * UNIT));
		return;
	}
	for (s = used_share(m, NULL); s; s = used_share(m, s))
		if (s == drawn || !is_full(m, s))
			others += s->weight;
	for (s = used_share(m, NULL); s; s = used_share(m, s))
		if (s != drawn && is_full(m, s))
			s->deficit += places * UNIT * s->weight / others;
}

static struct share *deficit_share(struct model *m)
{
	struct share *s, *best = NULL;

	for (s = used_share(m, NULL); s; s = used_share(m, s))
		if (s->since && !s->skipped && !is_full(m, s) &&
		    (!best || s->since < best->since))
			best = s;
	return best;
}

/* ---- both are in the same state ------------------------------------------ */

static void compare_share(struct model *m, const struct share *s)
{
	const struct gpubp_fairq_flow *r = real_share(m, s);
	struct entry *e;
	unsigned int i;

	check(m, r->nr == s->nr, "entries");
	check(m, r->vtime == s->vtime, "virtual time");
	check(m, r->deferred == s->nr_queue, "how many are deferred");
	for (i = 0; i < s->nr_queue && i < r->deferred; i++)
		check(m, gpubp_fairq_flow_entry(r, i) == real_turn(m, s->queue[i]),
		      "order of those deferred");
	check(m, r->deferrals == s->deferrals, "how long the first waits");
	check(m, r->deficit == s->deficit, "deficit");
	check(m, list_empty(&r->deficits) == !s->since, "whose deficit is that of a draw");
	for (e = entry_of(m, s, NULL); e; e = entry_of(m, s, e)) {
		const struct gpubp_fairq_entry *t = real_turn(m, e);

		check(m, t->flow == r && gpubp_fairq_flow_entry(r, t->at) == t, "place");
		check(m, (t->at < r->pending) == !!e->left, "turns left");
		check(m, t->served == (e->left ? e->weight - e->left : 0),
		      "turns had");
		check(m, gpubp_fairq_entry_is_eligible(&m->t, t) == is_eligible(e),
		      "who may come");
	}
}

static bool compare(struct model *m)
{
	const struct share *s;
	u64 weight = 0;
	unsigned int nr = 0;

	for (s = m->share; s < m->share + SHARES; s++) {
		compare_share(m, s);
		nr += s->nr;
		weight += s->nr ? s->weight : 0;
	}
	check(m, m->t.nr == nr && m->t.weight == weight, "sums");
	check(m, gpubp_fairq_first_flow(&m->t) == real_share(m, least(m)),
	      "who had least");
	check(m, gpubp_fairq_deficit_flow(&m->t) == real_share(m, deficit_share(m)),
	      "who has the next draw");
	return !m->wrong;
}

/* ---- steps --------------------------------------------------------------- */

static void begin(struct model *m)
{
	struct entry *e;

	gpubp_fairq_pass_begin(&m->t);
	for (e = m->entry; e < m->entry + TURNS; e++)
		e->unplaceable = false;
}

static void end(struct model *m, bool by_turn)
{
	u64 now = present(m);
	struct share *s;

	gpubp_fairq_pass_end(&m->t, by_turn);
	for (s = used_share(m, NULL); s; s = used_share(m, s)) {
		if (s->skipped && by_turn && !s->nr_queue)
			s->vtime = max(s->vtime, now);
		s->skipped = false;
	}
}

static void next(struct model *m)
{
	struct entry *e;

	gpubp_fairq_next_quantum(&m->t);
	for (e = m->entry; e < m->entry + TURNS; e++)
		e->armed = false;
	begin(m);
}

static void skip_share(struct model *m, struct share *s)
{
	gpubp_fairq_skip_flow(&m->t, real_share(m, s));
	s->skipped = true;
}

/* number of eligible entries: with turns left, or without */
static unsigned int nr_eligible(struct model *m, const struct share *s, bool left)
{
	struct entry *e;
	unsigned int nr = 0;

	for (e = entry_of(m, s, NULL); e; e = entry_of(m, s, e))
		nr += is_eligible(e) && !!e->left == left;
	return nr;
}

static void begin_epoch(struct model *m, struct share *s)
{
	struct entry *e;

	for (e = entry_of(m, s, NULL); e; e = entry_of(m, s, e))
		if (e->left)
			return;
	for (e = entry_of(m, s, NULL); e; e = entry_of(m, s, e))
		e->left = e->weight;
}

/* true if gpubp_fairq_flow_next() may return this; the model allows several */
static bool next_is_right(struct model *m, struct share *s, bool wait,
			  const struct entry *got)
{
	unsigned int i;

	if (wait && s->nr_queue && s->deferrals == GPUBP_FAIRQ_MAX_DEFERRALS)
		return got == (is_eligible(s->queue[0]) ? s->queue[0] : NULL);
	for (i = 0; i < s->nr_queue; i++)
		if (is_eligible(s->queue[i]))
			return got == s->queue[i];
	begin_epoch(m, s);
	if (nr_eligible(m, s, true))
		return got && got->share == s && is_eligible(got) && got->left;
	if (nr_eligible(m, s, false))
		return got && got->share == s && is_eligible(got);
	return !got;
}

static struct entry *share_next(struct model *m, struct share *s, bool wait)
{
	struct entry *e = model_entry(m, gpubp_fairq_flow_next(&m->t,
							       real_share(m, s),
							       wait));

	check(m, next_is_right(m, s, wait, e), "whose entry it is");
	return e;
}

static void arm(struct model *m, struct entry *e)
{
	gpubp_fairq_entry_armed(&m->t, real_turn(m, e));
	e->armed = true;
}

static void unplaceable(struct model *m, struct entry *e)
{
	gpubp_fairq_entry_unplaceable(&m->t, real_turn(m, e));
	e->unplaceable = true;
}

enum step {
	NEXT_QUANTUM,
	NEXT_PASS,
	PUT_OFF,
	PUT_OFF_WAITING,
	ARM_ONE,
	ARM_TWO_WAITING,
	REFUSE,
	DRAW,
	COME_OR_GO,
	NR_STEPS,
};

static void take_turn(struct model *m, struct share *s, struct entry *e,
		      enum step step)
{
	if (step == PUT_OFF || step == PUT_OFF_WAITING) {
		gpubp_fairq_entry_defer(real_turn(m, e));
		put_off(s, e);
		unplaceable(m, e);
		return;
	}
	gpubp_fairq_entry_served(real_turn(m, e));
	had(s, e);
	if (step == REFUSE) {
		gpubp_fairq_flow_charge_unplaceable(&m->t, real_share(m, s));
		s->vtime += UNIT / MAX_UNPLACEABLE / s->weight;
		unplaceable(m, e);
		return;
	}
	arm(m, e);
	gpubp_fairq_flow_charge(&m->t, real_share(m, s), step == ARM_ONE ? 1 : 2);
	charge(m, s, step == ARM_ONE ? 1 : 2);
}

static void turn(struct model *m, enum step step)
{
	bool wait = step == PUT_OFF_WAITING || step == ARM_TWO_WAITING;
	struct share *s = least(m);
	struct entry *e;

	if (!s)
		return;
	e = share_next(m, s, wait);
	if (m->wrong)
		return;
	if (e)
		take_turn(m, s, e, step);
	else
		skip_share(m, s);
}

/* the drawn entry may saturate its flow, which then has no deficit */
static void draw(struct model *m)
{
	struct share *s = deficit_share(m), *o;
	struct entry *e;

	if (!s)
		s = model_share(m, gpubp_fairq_draw_flow(&m->t));
	check(m, !s == !least(m) && (!s || (s->nr && !s->skipped)),
	      "who is drawn");
	if (m->wrong || !s)
		return;
	e = model_entry(m, gpubp_fairq_flow_draw(&m->t, real_share(m, s)));
	check(m, e ? e->share == s && is_eligible(e) :
		     !nr_eligible(m, s, true) && !nr_eligible(m, s, false),
	      "what is drawn of it");
	if (m->wrong)
		return;
	if (!e) {
		skip_share(m, s);
		return;
	}
	arm(m, e);
	gpubp_fairq_flow_drawn(&m->t, real_share(m, s), 1);
	drawn(m, s, 1);
	/*
	 * order in which flows became saturated: copied from @t, the model has
	 * none
	 */
	for (struct gpubp_fairq_flow *f = m->t.saturated; f; f = f->saturated)
		set_deficit(m, model_share(m, f), model_share(m, f)->deficit);
	for (o = used_share(m, NULL); o; o = used_share(m, o))
		set_deficit(m, o, o->deficit);
}

static void add_entry(struct model *m, struct entry *e, struct share *s,
		 unsigned int weight)
{
	u64 arrival = present(m) + 1;

	check(m, !gpubp_fairq_add(&m->t, real_share(m, s), real_turn(m, e),
				  weight), "memory");
	if (!s->nr++)
		s->vtime = max(s->vtime, arrival);
	*e = (struct entry) { .share = s, .weight = weight, .left = weight };
}

static void remove_entry(struct model *m, struct entry *e)
{
	struct share *s = e->share;

	gpubp_fairq_remove(&m->t, real_turn(m, e));
	unqueue(s, e);
	e->share = NULL;
	if (--s->nr)
		return;
	s->deficit = 0;
	s->since = 0;
}

static void come_or_go(struct model *m, unsigned int which)
{
	struct entry *e = &m->entry[which % TURNS];

	end(m, true);
	if (e->share)
		remove_entry(m, e);
	else
		add_entry(m, e, &m->share[which / TURNS % SHARES],
		     1 + which / TURNS / SHARES % 2);
	next(m);
}

static bool model_step(struct model *m, enum step what, unsigned int which)
{
	switch (what) {
	case NEXT_QUANTUM:
		end(m, true);
		next(m);
		break;
	case NEXT_PASS:
		end(m, false);
		begin(m);
		break;
	case DRAW:
		draw(m);
		break;
	case COME_OR_GO:
		come_or_go(m, which);
		break;
	default:
		turn(m, what);
	}
	return compare(m);
}

/* ---- sequences ----------------------------------------------------------- */

/* @whose: flow of each entry, '-' none */
static void model_init(struct model *m, const char *whose, u64 key)
{
	const siphash_key_t k = { { key, 9 } };
	unsigned int i;

	memset(m, 0, sizeof(*m));
	gpubp_fairq_init(&m->t, &k);
	for (i = 0; i < SHARES; i++) {
		m->share[i].weight = 1 + (key + i) % 3;
		gpubp_fairq_flow_init(&m->shares[i], i, m->share[i].weight);
	}
	for (i = 0; i < TURNS; i++)
		if (whose[i] != '-')
			add_entry(m, &m->entry[i], &m->share[whose[i] - 'a'], 1);
	next(m);
}

static void model_exit(struct model *m)
{
	unsigned int i;

	gpubp_fairq_pass_end(&m->t, false);
	for (i = 0; i < TURNS; i++)
		gpubp_fairq_remove(&m->t, &m->turns[i]);
	for (i = 0; i < SHARES; i++)
		gpubp_fairq_flow_exit(&m->shares[i]);
}

static const char *const worlds[] = { "aaa---", "aab---", "abc---", "aaaaa-" };

#define DEPTH	(long_run() ? 6 : 5)

static bool short_sequence(const char *whose, unsigned int n)
{
	static struct model m;
	unsigned int i, steps = n;

	model_init(&m, whose, 1);
	for (i = 0; i < DEPTH && !m.wrong; i++, n /= NR_STEPS)
		model_step(&m, n % NR_STEPS, i);
	if (m.wrong)
		tap_note("%s, sequence %u, step %u: %s", whose, steps, i,
			 m.wrong);
	model_exit(&m);
	return !m.wrong;
}

static void short_sequences(void)
{
	unsigned int w, n, nr = 1, i;
	bool ok = true;

	for (i = 0; i < DEPTH; i++)
		nr *= NR_STEPS;
	for (w = 0; w < ARRAY_SIZE(worlds); w++)
		for (n = 0; n < nr && ok; n++)
			ok = short_sequence(worlds[w], n);
	tap_ok(ok, "turns_are_the_models_after_every_%u_steps", DEPTH);
}

/* the probabilities of steps differ from seed to seed */
static bool random_sequence(unsigned long long seed, unsigned int steps)
{
	static struct model m;
	unsigned int rare = tap_random(&seed) % NR_STEPS, i;

	model_init(&m, worlds[tap_random(&seed) % ARRAY_SIZE(worlds)], seed);
	for (i = 0; i < steps && !m.wrong; i++) {
		unsigned int step = tap_random(&seed) % NR_STEPS;

		if (step == rare || step >= COME_OR_GO)
			step = tap_random(&seed) % NR_STEPS;
		model_step(&m, step, tap_random(&seed) % 1000);
	}
	if (m.wrong)
		tap_note("seed %llu, step %u: %s", seed, i, m.wrong);
	model_exit(&m);
	return !m.wrong;
}

static void long_sequences(void)
{
	unsigned int i;
	bool ok = true;

	for (i = 1; i <= 400 && ok; i++)
		ok = random_sequence(i * 0x9e3779b97f4a7c15ULL, 500);
	tap_ok(ok, "turns_are_the_models_after_long_random_sequences");
}

void model_tests(void)
{
	short_sequences();
	long_sequences();
}
