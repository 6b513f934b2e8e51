// SPDX-License-Identifier: GPL-2.0
/*
 * Hits come in the order in which their owners were reached, and what is there after a
 * hit may be of another wave whose hit comes later. So a value is compared with what
 * several hits before and after it left, or found, there.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include "strangers.h"

#define KEPT	16	/* values of an address */

/**
 * struct suspect - a value that no hit so far had left there
 * @time: of the hit that found it
 * @value: the value
 * @last: what the hit before had left
 * @left: how many hits may still explain it, 0 none
 */
struct suspect {
	uint64_t time;
	uint64_t value;
	uint64_t last;
	unsigned int left;
};

/**
 * struct found - the first value that nothing can explain any more
 * @nr: how many there are; the rest is only valid if it is not 0
 * @time: of the hit that found it
 * @value: the value
 * @last: what the hit before had left there
 */
struct found {
	uint64_t nr;
	uint64_t time;
	uint64_t value;
	uint64_t last;
};

/**
 * struct update - an atomic access, whose operation is not recorded, and behind which
 *	there were others before its hit was resolved
 * @old: what it found
 * @operand: operand
 */
struct update {
	uint64_t old;
	uint64_t operand;
};

/**
 * struct spot - bytes of a buffer that were hit in a process
 * @hit: the first hit there
 * @context: that has them, 0 all
 * @period: of the names there
 * @known: values that hits left there; the oldest is overwritten
 * @nr_known: how many ever
 * @updates: likewise, atomics that may have left another value
 * @nr_updates: how many ever
 * @nr_unknown: atomics of which nothing is known but that they left a value
 * @suspects: likewise, values
 * @nr_suspects: how many ever
 * @found: of the values
 * @epoch: of what is known
 */
struct spot {
	struct hit hit;
	uint32_t context;
	unsigned int period;
	uint64_t known[KEPT];
	uint64_t nr_known;
	struct update updates[KEPT];
	uint64_t nr_updates;
	uint64_t nr_unknown;
	struct suspect suspects[KEPT];
	uint64_t nr_suspects;
	struct found found;
	uint64_t epoch;
};

/* spots that overlap are equal: a tree has none of them twice */
static int by_place(const void *a, const void *b)
{
	const struct spot *p = a, *q = b;
	const struct hit *x = &p->hit, *y = &q->hit;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (p->context != q->context)
		return p->context < q->context ? -1 : 1;
	if (x->rec.hit_addr < y->rec.hit_addr)
		return -(y->rec.hit_addr - x->rec.hit_addr >= x->rec.hit_len);
	return x->rec.hit_addr - y->rec.hit_addr >= y->rec.hit_len;
}

static struct spot *spot_new(struct strangers *strangers, const struct hit *hit,
			     uint32_t context, unsigned int period)
{
	struct spot *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->hit = *hit;
	new->context = context;
	new->period = period;
	if (!tsearch(new, &strangers->tree, by_place)) {
		free(new);
		return NULL;
	}
	strangers->nr++;
	return new;
}

static void found_add(struct found *found, const struct suspect *s)
{
	if (!found->nr || s->time < found->time) {
		found->time = s->time;
		found->value = s->value;
		found->last = s->last;
	}
	found->nr++;
}

static bool is_float_sum(const struct update *u, unsigned int len, uint64_t value)
{
	double old, operand, sum;
	float small[3];

	if (len == sizeof(sum)) {
		memcpy(&old, &u->old, sizeof(old));
		memcpy(&operand, &u->operand, sizeof(operand));
		sum = old + operand;
		return !memcmp(&sum, &value, sizeof(sum));
	}
	memcpy(&small[0], &u->old, sizeof(small[0]));
	memcpy(&small[1], &u->operand, sizeof(small[1]));
	small[2] = small[0] + small[1];
	return !memcmp(&small[2], &value, sizeof(small[2]));
}

/* but for what it found: minimum, maximum, exchange and compare leave one of both */
static bool update_may_leave(const struct update *u, unsigned int len, uint64_t value)
{
	const uint64_t mask = len < sizeof(mask) ? ~(~0ULL << 8 * len) : ~0ULL;
	const uint64_t may[] = {
		u->operand, u->old + u->operand, u->old - u->operand,
		u->old & u->operand, u->old | u->operand, u->old ^ u->operand,
		/* an increment wraps at the operand, a decrement to it */
		u->old + 1, u->old - 1, u->old < u->operand ? u->operand : 0,
	};
	size_t i;

	for (i = 0; i < sizeof(may) / sizeof(may[0]); i++)
		if (((may[i] ^ value) & mask) == 0)
			return true;
	return is_float_sum(u, len, value);
}

static bool spot_knows(const struct spot *spot, uint64_t value)
{
	uint64_t i, nr = spot->nr_known < KEPT ? spot->nr_known : KEPT;

	for (i = 0; i < nr; i++)
		if (spot->known[i] == value)
			return true;
	nr = spot->nr_updates < KEPT ? spot->nr_updates : KEPT;
	for (i = 0; i < nr; i++)
		if (update_may_leave(&spot->updates[i], spot->hit.rec.hit_len, value))
			return true;
	return false;
}

static void spot_left(struct spot *spot, uint64_t value)
{
	unsigned int i;

	spot->known[spot->nr_known++ % KEPT] = value;
	for (i = 0; i < KEPT; i++)
		if (spot->suspects[i].value == value)
			spot->suspects[i].left = 0;
}

static void spot_updated(struct spot *spot, const struct gpubp_hit_record *rec)
{
	const uint16_t both = GPUBP_HIT_BEFORE | GPUBP_HIT_DATA;
	const struct update u = { .old = rec->before, .operand = rec->data };
	unsigned int i;

	if ((rec->flags & both) != both) {
		spot->nr_unknown++;
		return;
	}
	/* what is there is what it left, if an operation gives that */
	if (rec->flags & GPUBP_HIT_NOW && update_may_leave(&u, spot->hit.rec.hit_len, rec->now))
		return;
	spot->updates[spot->nr_updates++ % KEPT] = u;
	for (i = 0; i < KEPT; i++)
		if (update_may_leave(&u, spot->hit.rec.hit_len, spot->suspects[i].value))
			spot->suspects[i].left = 0;
}

static void spot_suspect(struct spot *spot, const struct hit *hit, uint64_t value)
{
	struct suspect *s;

	if (spot->nr_unknown) {
		spot->nr_unknown--;
		return;
	}
	s = &spot->suspects[spot->nr_suspects++ % KEPT];
	if (s->left)
		found_add(&spot->found, s);
	*s = (struct suspect) {
		.time = hit->rec.gpu_time, .value = value, .left = KEPT,
		.last = spot->known[(spot->nr_known - 1) % KEPT],
	};
}

/* suspects that no hit has explained for long are found */
static void spot_age(struct spot *spot)
{
	unsigned int i;

	for (i = 0; i < KEPT; i++)
		if (spot->suspects[i].left && !--spot->suspects[i].left)
			found_add(&spot->found, &spot->suspects[i]);
}

/* nothing is known of an epoch that has passed */
static void spot_begin(struct spot *spot, uint64_t epoch)
{
	unsigned int i;

	if (spot->epoch == epoch)
		return;
	spot->epoch = epoch;
	spot->nr_known = 0;
	spot->nr_updates = 0;
	spot->nr_unknown = 0;
	for (i = 0; i < KEPT; i++)
		spot->suspects[i].left = 0;
}

static bool hit_has_old(const struct hit *hit)
{
	return hit->rec.flags & (GPUBP_HIT_BEFORE | GPUBP_HIT_SEEN);
}

/* a load, and an atomic that changed nothing, leave what another one wrote */
static bool hit_leaves_now(const struct gpubp_hit_record *rec)
{
	if (!(rec->flags & GPUBP_HIT_NOW) || rec->access == GPUBP_ACCESS_LOAD)
		return false;
	return rec->access != GPUBP_ACCESS_ATOMIC ||
	       !(rec->flags & GPUBP_HIT_BEFORE) || rec->now != rec->before;
}

static void spot_add(struct spot *spot, const struct hit *hit)
{
	const uint16_t both = GPUBP_HIT_BEFORE | GPUBP_HIT_SEEN;
	const struct gpubp_hit_record *rec = &hit->rec;
	bool has_old = hit_has_old(hit);
	uint64_t old = rec->flags & GPUBP_HIT_BEFORE ? rec->before : rec->seen;
	bool stranger = has_old && spot->nr_known && !spot_knows(spot, old);

	spot_age(spot);
	if (stranger)
		spot_suspect(spot, hit, old);
	/* it may be what an access found whose hit comes later */
	if ((rec->flags & both) == both)
		spot_left(spot, rec->seen);
	if (has_old)
		spot->known[spot->nr_known++ % KEPT] = old;
	if (rec->access == GPUBP_ACCESS_ATOMIC)
		spot_updated(spot, rec);
	if (rec->flags & GPUBP_HIT_DATA && rec->access == GPUBP_ACCESS_STORE)
		spot_left(spot, rec->data);
	if (hit_leaves_now(rec))
		spot_left(spot, rec->now);
}

/* add to what was found what was found there */
static void spot_sum(const struct spot *spot, struct stranger *sum)
{
	const struct found *all = &spot->found;

	if (all->nr && (!sum->nr || all->time < sum->hit.rec.gpu_time)) {
		sum->hit = spot->hit;
		sum->hit.rec.gpu_time = all->time;
		sum->value = all->value;
		sum->last = all->last;
	}
	sum->nr += all->nr;
}

static void spot_end(struct strangers *strangers, struct spot *spot)
{
	spot_sum(spot, &strangers->ended);
	tdelete(spot, &strangers->tree, by_place);
	strangers->nr--;
	free(spot);
}

/*
 * NULL: nothing is known of its bytes. Of others that it overlaps, which have other bounds
 * or were another buffer's, it is not known which parts it has changed.
 */
static struct spot *spot_find(struct strangers *strangers, const struct hit *hit,
			      uint32_t context, unsigned int period)
{
	const struct spot key = { .hit = *hit, .context = context };
	struct spot *const *found, *spot;

	while ((found = tfind(&key, &strangers->tree, by_place))) {
		spot = *found;
		if (spot->hit.rec.hit_addr == hit->rec.hit_addr &&
		    spot->hit.rec.hit_len == hit->rec.hit_len && spot->period == period)
			return spot;
		spot_end(strangers, spot);
	}
	return NULL;
}

int strangers_add(struct strangers *strangers, const struct hit *hit, uint32_t context,
		  unsigned int period)
{
	const struct gpubp_hit_record *rec = &hit->rec;
	struct spot *spot;

	if (!(rec->flags & GPUBP_HIT_BYTES) || !rec->hit_len)
		return 0;
	/* what other lanes and merged accesses left, and where, is not known */
	if (rec->nr_merged > 1 || rec->lanes & (rec->lanes - 1)) {
		strangers->epoch++;
		return 0;
	}
	spot = spot_find(strangers, hit, context, period);
	if (!spot && strangers->nr == SPOTS_MAX) {
		strangers->left_out += hit_has_old(hit);
		return 0;
	}
	if (!spot)
		spot = spot_new(strangers, hit, context, period);
	if (!spot)
		return -1;
	spot_begin(spot, strangers->epoch);
	spot_add(spot, hit);
	return 0;
}

/**
 * struct summing - strangers_get()
 * @epoch: of what is known
 * @sum: out
 */
struct summing {
	uint64_t epoch;
	struct stranger *sum;
};

/* a value that no hit has explained until now */
static void spot_visit(const void *node, VISIT visit, void *data)
{
	struct spot spot = **(struct spot *const *)node;
	struct summing *summing = data;
	unsigned int i;

	if (visit != postorder && visit != leaf)
		return;
	for (i = 0; i < KEPT; i++)
		if (spot.suspects[i].left && spot.epoch == summing->epoch)
			found_add(&spot.found, &spot.suspects[i]);
	spot_sum(&spot, summing->sum);
}

void strangers_get(const struct strangers *strangers, struct stranger *found)
{
	struct summing summing = { .epoch = strangers->epoch, .sum = found };

	*found = strangers->ended;
	twalk_r(strangers->tree, spot_visit, &summing);
}

void strangers_free(struct strangers *strangers)
{
	tdestroy(strangers->tree, free);
	memset(strangers, 0, sizeof(*strangers));
}
