// SPDX-License-Identifier: GPL-2.0
/*
 * A part of the list has its middle as root, and what is before and behind it as
 * subtrees. Entry i of lives->parts is about the part whose middle is i.
 */
#include <stdlib.h>
#include "lifetimes_index.h"

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* those of a range stand together, and what is within another range behind it */
static int by_range(const void *a, const void *b)
{
	const struct lifetime *x = a, *y = b;
	int ret = compare(x->context, y->context);

	if (!ret)
		ret = compare(x->sym.start, y->sym.start);
	if (!ret)
		ret = compare(y->sym.size, x->sym.size);
	return ret ? ret : compare(x->from, y->from);
}

static size_t part_middle(size_t low, size_t high)
{
	return low + (high - low) / 2;
}

static void part_add(struct lifetimes_part *part, const struct lifetimes_part *more)
{
	if (more->end_min < part->end_min)
		part->end_min = more->end_min;
	if (more->end_max > part->end_max)
		part->end_max = more->end_max;
	if (more->from_min < part->from_min)
		part->from_min = more->from_min;
	if (more->from_max > part->from_max)
		part->from_max = more->from_max;
	if (more->until_max > part->until_max)
		part->until_max = more->until_max;
}

/* entries @low to before @high, at least one */
static void part_build(struct lifetimes *lives, size_t low, size_t high)
{
	size_t mid = part_middle(low, high);
	const struct lifetime *life = &lives->list[mid];
	struct lifetimes_part *part = &lives->parts[mid];

	part->end_min = life->sym.start + life->sym.size;
	part->end_max = part->end_min;
	part->from_min = life->from;
	part->from_max = life->from;
	part->until_max = life->until;
	if (low < mid) {
		part_build(lives, low, mid);
		part_add(part, &lives->parts[part_middle(low, mid)]);
	}
	if (mid + 1 < high) {
		part_build(lives, mid + 1, high);
		part_add(part, &lives->parts[part_middle(mid + 1, high)]);
	}
}

/* the first name of a context, or of one with a higher number */
static size_t context_begin(const struct lifetimes *lives, uint64_t context)
{
	size_t low = 0, high = lives->nr, mid;

	while (low < high) {
		mid = part_middle(low, high);
		if (lives->list[mid].context < context)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t lifetimes_context(const struct lifetimes *lives, uint32_t context, size_t *end)
{
	size_t begin = context_begin(lives, context);

	*end = context_begin(lives, (uint64_t)context + 1);
	if (begin < *end)
		return begin;
	*end = context_begin(lives, 1);
	return 0;
}

void lifetimes_index(struct lifetimes *lives)
{
	size_t begin, end;

	if (!lives->nr)
		return;
	qsort(lives->list, lives->nr, sizeof(*lives->list), by_range);
	for (begin = 0; begin < lives->nr; begin = end) {
		end = context_begin(lives, (uint64_t)lives->list[begin].context + 1);
		part_build(lives, begin, end);
	}
}

/**
 * struct search - for the best name
 * @lives: names
 * @addr: address
 * @time: time
 * @state: in which it has to be at that time
 * @best: so far, NULL none
 */
struct search {
	const struct lifetimes *lives;
	uint64_t addr;
	uint64_t time;
	enum name_state state;
	const struct lifetime *best;
};

static bool life_is_better(const struct search *s, const struct lifetime *life)
{
	const struct lifetime *best = s->best;

	if (s->addr - life->sym.start >= life->sym.size ||
	    lifetime_state(life, s->time) != s->state)
		return false;
	if (!best)
		return true;
	if (s->state == NAME_LATER)
		return life->from < best->from;
	if (s->state == NAME_ENDED && life->until != best->until)
		return life->until > best->until;
	return life->from > best->from;
}

/* false only if no name of the part is better */
static bool part_may_be_better(const struct search *s,
			       const struct lifetimes_part *part)
{
	const struct lifetime *best = s->best;

	if (part->end_max <= s->addr)
		return false;
	if (s->state == NAME_LATER)
		return part->from_max > s->time &&
		       (!best || part->from_min < best->from);
	if (part->from_min > s->time)
		return false;
	if (s->state == NAME_VALID)
		return part->until_max > s->time &&
		       (!best || part->from_max > best->from);
	return !best || part->until_max >= best->until;
}

/* first where the better ones of a range are */
static void part_search(struct search *s, size_t low, size_t high)
{
	size_t mid = part_middle(low, high);
	const struct lifetime *life = &s->lives->list[mid];
	bool forward = s->state == NAME_LATER;

	if (low >= high || s->lives->list[low].sym.start > s->addr ||
	    !part_may_be_better(s, &s->lives->parts[mid]))
		return;
	part_search(s, forward ? low : mid + 1, forward ? mid : high);
	if (life_is_better(s, life))
		s->best = life;
	part_search(s, forward ? mid + 1 : low, forward ? high : mid);
}

const struct lifetime *lifetimes_best(const struct lifetimes *lives, uint32_t context,
				      uint64_t addr, uint64_t time,
				      enum name_state state)
{
	struct search search = {
		.lives = lives, .addr = addr, .time = time, .state = state,
	};
	size_t begin, end;

	begin = lifetimes_context(lives, context, &end);
	part_search(&search, begin, end);
	return search.best;
}

static size_t part_count(const struct lifetimes *lives, uint64_t addr, uint64_t time,
			 size_t low, size_t high)
{
	size_t mid = part_middle(low, high);
	const struct lifetimes_part *part = &lives->parts[mid];
	const struct lifetime *life = &lives->list[mid];

	if (low >= high || lives->list[low].sym.start > addr ||
	    part->end_max <= addr || part->from_min > time)
		return 0;
	if (lives->list[high - 1].sym.start <= addr && part->end_min > addr &&
	    part->from_max <= time)
		return high - low;
	return part_count(lives, addr, time, low, mid) +
	       (addr - life->sym.start < life->sym.size && life->from <= time) +
	       part_count(lives, addr, time, mid + 1, high);
}

size_t lifetimes_count(const struct lifetimes *lives, uint32_t context, uint64_t addr,
		       uint64_t time)
{
	size_t begin, end;

	begin = lifetimes_context(lives, context, &end);
	return part_count(lives, addr, time, begin, end);
}
