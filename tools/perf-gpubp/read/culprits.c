// SPDX-License-Identifier: GPL-2.0
/*
 * Hits added up. Memory depends on the number of instructions and buffers, up to a
 * limit, and not of hits.
 */
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "culprits.h"
#include "plural.h"

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_instruction(const void *a, const void *b)
{
	const struct hit *x = &((const struct culprit *)a)->first;
	const struct hit *y = &((const struct culprit *)b)->first;
	int ret = compare(((const struct culprit *)a)->period,
			  ((const struct culprit *)b)->period);

	if (!ret)
		ret = compare(((const struct culprit *)a)->context,
			      ((const struct culprit *)b)->context);
	if (!ret)
		ret = compare(x->pid, y->pid);
	if (!ret)
		ret = compare(x->rec.pc, y->rec.pc);
	if (!ret)
		ret = compare(x->rec.access, y->rec.access);
	if (!ret)
		ret = compare(x->rec.exceptions, y->rec.exceptions);
	return ret ? ret : strcmp(x->event, y->event);
}

static struct culprit *culprit_new(struct culprits *culprits,
				   const struct culprit *key)
{
	const struct hit *hit = &key->first;
	struct culprit *c = calloc(1, sizeof(*c)), **grown = culprits->list;

	if (!(culprits->nr & (culprits->nr - 1)))
		grown = realloc(grown, (culprits->nr ? 2 * culprits->nr : 1) *
				sizeof(*grown));
	if (grown)
		culprits->list = grown;
	if (!grown || !c)
		goto err;
	*c = *key;
	c->last = *hit;
	c->low = hit_addr(hit);
	c->high = hit_addr(hit);
	c->places = 1;
	if (!tsearch(c, &culprits->tree, by_instruction))
		goto err;
	culprits->list[culprits->nr++] = c;
	return c;
err:
	free(c);
	return NULL;
}

/* hits come in the order in which their owners were reached */
static void culprit_add(struct culprit *c, const struct hit *hit)
{
	if (hit->rec.gpu_time < c->first.rec.gpu_time)
		c->first = *hit;
	if (hit->rec.gpu_time >= c->last.rec.gpu_time)
		c->last = *hit;
	c->nr++;
	c->possible += !!(hit->rec.flags & GPUBP_HIT_POSSIBLE);
	c->lanes += (uint64_t)__builtin_popcountll(hit->rec.lanes);
	if (hit_addr(hit) < c->low)
		c->low = hit_addr(hit);
	if (hit_addr(hit) > c->high)
		c->high = hit_addr(hit);
}

/* two events of one name, as those of 'a[5]:w' and 'a[5]', have a sample each of it */
static bool is_same_access(const struct gpubp_hit_record *a,
			   const struct gpubp_hit_record *b)
{
	return a->gpu_time == b->gpu_time && a->device == b->device &&
	       a->context == b->context && a->wave == b->wave &&
	       a->queue == b->queue && a->dispatch == b->dispatch &&
	       a->wg_x == b->wg_x && a->wg_y == b->wg_y && a->wg_z == b->wg_z &&
	       a->wave_in_group == b->wave_in_group &&
	       a->lanes == b->lanes && record_addr(a) == record_addr(b);
}

int culprits_add(struct culprits *culprits, const struct hit *hit, uint32_t context,
		 unsigned int period)
{
	struct culprit key = { .first = *hit, .context = context, .period = period };
	struct culprit *const *found = tfind(&key, &culprits->tree, by_instruction);
	struct culprit *c = found ? *found : NULL;

	if (!c && culprits->nr == CULPRITS_MAX) {
		culprits->more++;
		return 0;
	}
	if (!c)
		c = culprit_new(culprits, &key);
	if (!c)
		return -1;
	if (found && is_same_access(&c->last.rec, &hit->rec))
		return 0;
	culprit_add(c, hit);
	culprits->hits++;
	return 0;
}

static bool is_same_break(const struct culprit *a, const struct culprit *b)
{
	return a->first.rec.kind == GPUBP_KIND_BREAK &&
	       b->first.rec.kind == GPUBP_KIND_BREAK &&
	       a->first.pid == b->first.pid && !strcmp(a->first.event, b->first.event);
}

/* what is of accesses, breaks do not have */
static void culprit_join(struct culprit *c, const struct culprit *more)
{
	if (more->first.rec.gpu_time < c->first.rec.gpu_time)
		c->first = more->first;
	if (more->last.rec.gpu_time >= c->last.rec.gpu_time)
		c->last = more->last;
	c->nr += more->nr;
	c->lanes += more->lanes;
	c->places += more->places;
}

void culprits_join_breaks(struct culprits *culprits)
{
	size_t i, j, nr = 0;

	/* @first may change: the tree is of no use any more */
	for (i = 0; i < culprits->nr; i++)
		tdelete(culprits->list[i], &culprits->tree, by_instruction);
	for (i = 0; i < culprits->nr; i++) {
		for (j = 0; j < nr; j++)
			if (is_same_break(culprits->list[j], culprits->list[i]))
				break;
		if (j == nr) {
			culprits->list[nr++] = culprits->list[i];
			continue;
		}
		culprit_join(culprits->list[j], culprits->list[i]);
		free(culprits->list[i]);
	}
	culprits->nr = nr;
}

static int by_hits(const void *a, const void *b)
{
	const struct culprit *x = *(struct culprit * const *)a;
	const struct culprit *y = *(struct culprit * const *)b;

	return x->nr != y->nr ? compare(y->nr, x->nr) :
	       compare(x->first.rec.gpu_time, y->first.rec.gpu_time);
}

void culprits_sort(struct culprits *culprits)
{
	if (culprits->nr)
		qsort(culprits->list, culprits->nr, sizeof(*culprits->list),
		      by_hits);
}

static int by_time(const void *a, const void *b)
{
	const struct culprit *x = *(struct culprit * const *)a;
	const struct culprit *y = *(struct culprit * const *)b;

	return compare(x->first.rec.gpu_time, y->first.rec.gpu_time);
}

void culprits_sort_by_time(struct culprits *culprits)
{
	if (culprits->nr)
		qsort(culprits->list, culprits->nr, sizeof(*culprits->list),
		      by_time);
}

const char *culprits_more(const struct culprits *culprits, char *out, size_t len)
{
	out[0] = '\0';
	if (culprits->more)
		snprintf(out, len, "%" PRIu64 " more hit%s, of other instructions or buffers than the first %u",
			 culprits->more, plural(culprits->more), CULPRITS_MAX);
	return out;
}

void culprits_free(struct culprits *culprits)
{
	size_t i;

	for (i = 0; i < culprits->nr; i++) {
		tdelete(culprits->list[i], &culprits->tree, by_instruction);
		free(culprits->list[i]);
	}
	free(culprits->list);
	memset(culprits, 0, sizeof(*culprits));
}
