// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#include "turns.h"

#define LOG	"/sys/kernel/debug/gpubp/gpubp_sim0/log"
#define POLICY	"/sys/kernel/debug/gpubp/gpubp_sim0/policy"
#define STUCK	30000000	/* us without a change */
#define PAUSE	20000		/* us */

/* in the format of the kernel */
struct change {
	uint64_t number;
	uint64_t quantum;
	uint64_t start;
	unsigned int slots;
};

static bool parse(const char *line, struct change *c)
{
	return sscanf(line, "%" SCNu64 " %" SCNu64 " %*u %*u %*u %" SCNi64 " %*i %x",
		      &c->number, &c->quantum, &c->start, &c->slots) == 4;
}

static struct turn *turn_of(struct turns *t, uint64_t start)
{
	uint64_t n = (start - t->base) / t->stride;

	return t->open && start >= t->base && n < t->nr ? &t->turn[n] : NULL;
}

static uint64_t armed_until(const struct turn *turn, uint64_t quantum)
{
	return turn->armed + (turn->on && quantum > turn->since ?
			      quantum - turn->since : 0);
}

/*
 * a watch more than one quantum below its share had too few; worst right before
 * it is armed
 */
static void check(struct turns *t, const struct turn *turn, uint64_t quantum)
{
	if (t->first && quantum > t->first &&
	    (armed_until(turn, quantum) + 1) * t->nr <
	    (quantum - t->first) * t->places)
		t->short_of++;
}

static void end_gap(struct turn *turn, uint64_t quantum)
{
	if (quantum > turn->since && quantum - turn->since > turn->gap)
		turn->gap = quantum - turn->since;
}

static void apply(struct turns *t, const struct change *c)
{
	struct turn *turn = turn_of(t, c->start);

	if (!turn || turn->on == !!c->slots)
		return;
	if (c->slots) {
		check(t, turn, c->quantum);
		if (turn->since)
			end_gap(turn, c->quantum);
		turn->times++;
	} else {
		turn->armed = armed_until(turn, c->quantum);
	}
	turn->on = c->slots;
	turn->since = c->quantum;
}

bool turns_read(struct turns *t)
{
	struct change c;
	char line[256];

	clearerr(t->log);
	while (fgets(line, sizeof(line), t->log)) {
		if (!parse(line, &c))
			continue;	/* the header line */
		if (t->number && c.number != t->number + 1)
			t->lost += c.number - t->number - 1;
		t->number = c.number;
		t->quantum = c.quantum;
		apply(t, &c);
	}
	return !t->lost;
}

int turns_open(struct turns *t, uint64_t base, uint64_t stride, unsigned int nr,
	       unsigned int places)
{
	*t = (struct turns) {
		.log = fopen(LOG, "re"),
		.base = base,
		.stride = stride,
		.nr = nr,
		.turn = calloc(nr, sizeof(*t->turn)),
		.places = places,
	};
	if (!t->log)
		return -errno;
	if (!t->turn)
		return -ENOMEM;
	turns_read(t);		/* not ours yet, but possibly at the same addresses */
	t->lost = 0;
	t->open = true;
	return 0;
}

void turns_begin(struct turns *t)
{
	unsigned int i;

	turns_read(t);
	t->first = t->quantum + 1;
	for (i = 0; i < t->nr; i++) {
		struct turn *turn = &t->turn[i];

		if (!turn->since)
			turn->since = t->first;
		turn->times = turn->on;
		turn->before = armed_until(turn, t->first);
	}
}

uint64_t turns_ended(const struct turns *t)
{
	return t->quantum > t->first ? t->quantum - t->first : 0;
}

/* a watch that is not armed at the end is furthest below its share there */
static void check_all(struct turns *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		check(t, &t->turn[i], t->quantum);
}

bool turns_wait(struct turns *t, uint64_t quanta)
{
	unsigned int stuck = 0;
	uint64_t seen;

	do {
		seen = t->number;
		if (!turns_read(t))
			return false;
		if (turns_ended(t) >= quanta)
			break;
		usleep(PAUSE);
		stuck = t->number == seen ? stuck + PAUSE : 0;
	} while (stuck < STUCK);
	check_all(t);
	return turns_ended(t) >= quanta;
}

uint64_t turns_armed(const struct turns *t, unsigned int watch)
{
	return armed_until(&t->turn[watch], t->quantum) - t->turn[watch].before;
}

uint64_t turns_sum(const struct turns *t)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		sum += turns_armed(t, i);
	return sum;
}

uint64_t turns_longest_gap(const struct turns *t)
{
	uint64_t longest = 0;
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		struct turn turn = t->turn[i];

		if (!turn.on)
			end_gap(&turn, t->quantum);
		if (turn.gap > longest)
			longest = turn.gap;
	}
	return longest;
}

unsigned int turns_distinct(const struct turns *t)
{
	unsigned int i, n = 0;

	for (i = 0; i < t->nr; i++)
		n += t->turn[i].times > 0;
	return n;
}

void turns_close(struct turns *t)
{
	fclose(t->log);
	free(t->turn);
}

int turns_policy(const char *policy)
{
	FILE *file = fopen(POLICY, "we");
	int ret;

	if (!file)
		return -errno;
	ret = fputs(policy, file) < 0 || fflush(file) ? -errno : 0;
	fclose(file);
	return ret;
}
