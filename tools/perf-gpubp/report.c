// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp report: one paragraph for each instruction that hit, in order of
 * their number of hits. Details are those of the first hit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "show.h"

#define WAVE_LANES	64

/**
 * struct culprit - the hits of one instruction in one process
 * @first: the first hit
 * @last: the last one
 * @nr: hits
 * @possible: of these, hits that may have touched other bytes of the block
 * @lanes: lanes of all of them
 * @low: lowest address
 * @high: highest address
 */
struct culprit {
	const struct hit *first;
	const struct hit *last;
	uint64_t nr;
	uint64_t possible;
	uint64_t lanes;
	uint64_t low;
	uint64_t high;
};

static bool same_culprit(const struct hit *a, const struct hit *b)
{
	return a->pid == b->pid && a->rec.pc == b->rec.pc &&
	       a->rec.access == b->rec.access &&
	       a->rec.exceptions == b->rec.exceptions;
}

/* a watch has an address in any case: that of the watched bytes */
static bool has_address(const struct hit *hit)
{
	return hit->rec.kind != GPUBP_KIND_EXCEPTION ||
	       hit->rec.addr_state != GPUBP_ADDR_UNKNOWN;
}

static void culprit_add(struct culprit *c, const struct hit *hit)
{
	if (!c->nr++) {
		c->first = hit;
		c->low = hit->rec.addr;
		c->high = hit->rec.addr;
	}
	c->last = hit;
	c->possible += !!(hit->rec.flags & GPUBP_HIT_POSSIBLE);
	c->lanes += (uint64_t)__builtin_popcountll(hit->rec.lanes);
	if (!has_address(hit))
		return;
	if (hit->rec.addr < c->low)
		c->low = hit->rec.addr;
	if (hit->rec.addr > c->high)
		c->high = hit->rec.addr;
}

static int by_hits(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;

	if (x->nr != y->nr)
		return (x->nr < y->nr) - (x->nr > y->nr);
	return (x->first > y->first) - (x->first < y->first);
}

/* at most as many as hits; the caller frees */
static struct culprit *find_culprits(const struct hits *hits, size_t *nr)
{
	struct culprit *culprits = calloc(hits->nr + 1, sizeof(*culprits));
	size_t i, c;

	*nr = 0;
	for (i = 0; culprits && i < hits->nr; i++) {
		for (c = 0; c < *nr; c++)
			if (same_culprit(culprits[c].first, &hits->hits[i]))
				break;
		*nr += c == *nr;
		culprit_add(&culprits[c], &hits->hits[i]);
	}
	if (*nr)
		qsort(culprits, *nr, sizeof(*culprits), by_hits);
	return culprits;
}

static void report_code(const struct show *show, const struct hit *hit)
{
	const struct sym *sym = symmap_find(&show->map, hit->rec.pc);
	uint64_t value;

	if (!show->code || !sym ||
	    !grun_code_symbol(show->code, sym->name, &value))
		return;
	printf("  code       %#" PRIx64 "\n",
	       (uint64_t)(value + hit->rec.pc - sym->start));
}

static void report_global_id(const struct show *show, const struct hit *hit)
{
	const struct sym *sym = symmap_find(&show->map, hit->rec.pc);
	const struct grun_kernel *kernel = NULL;
	unsigned int item = hit->rec.wave_in_group * WAVE_LANES + hit_lane(hit);
	const uint32_t *size;

	if (show->code && sym)
		kernel = grun_code_find(show->code, sym->name);
	/* the size of a workgroup is in no record, but often in the code */
	if (!kernel || !kernel->required[0])
		return;
	size = kernel->required;
	printf(", global id (%u,%u,%u)",
	       hit->rec.wg_x * size[0] + item % size[0],
	       hit->rec.wg_y * size[1] + item / size[0] % size[1],
	       hit->rec.wg_z * size[2] + item / size[0] / size[1]);
}

static void report_work_item(const struct show *show, const struct culprit *c)
{
	const struct hit *hit = c->first;
	bool exact = hit->rec.addr_state == GPUBP_ADDR_EXACT;

	printf("  work-item  ");
	if (hit->rec.flags & GPUBP_HIT_COORDS)
		printf("workgroup (%u,%u,%u) wave %u, ", hit->rec.wg_x,
		       hit->rec.wg_y, hit->rec.wg_z, hit->rec.wave_in_group);
	if (exact)
		printf("lane %u", hit_lane(hit));
	else
		printf("one of lanes %#" PRIx64, (uint64_t)hit->rec.lanes);
	if (exact && (hit->rec.flags & GPUBP_HIT_COORDS))
		report_global_id(show, hit);
	if (c->lanes > 1)
		printf("; %" PRIu64 " lanes in all", c->lanes);
	putchar('\n');
}

static void report_address(const struct show *show, const struct culprit *c)
{
	const struct hit *hit = c->first;
	char text[160], beside[160], high[160];

	printf("  address    %s (%#" PRIx64 ")",
	       symmap_text(&show->map, hit->rec.addr, text, sizeof(text)),
	       (uint64_t)hit->rec.addr);
	if (hit->rec.addr_state != GPUBP_ADDR_EXACT)
		printf(", %s", hit_state(hit));
	symmap_beside(&show->map, hit->rec.addr, beside, sizeof(beside));
	if (beside[0])
		printf(", %s", beside);
	if (c->low != c->high)
		printf("; in all %s to %s",
		       symmap_text(&show->map, c->low, text, sizeof(text)),
		       symmap_text(&show->map, c->high, high, sizeof(high)));
	putchar('\n');
}

static void report_access(const struct hit *hit)
{
	printf("  access     %s of %u bytes a lane\n", hit_access(hit),
	       hit->rec.width);
}

static void report_values(const struct culprit *c)
{
	char text[64];

	printf("  value      %s", hit_value(c->first, text, sizeof(text)));
	if (c->nr > 1)
		printf("; last %s", hit_value(c->last, text, sizeof(text)));
	putchar('\n');
}

/* only a memory violation has an access and an address, as far as known */
static void report_exception(const struct show *show, const struct culprit *c)
{
	const struct hit *hit = c->first;
	char text[256];

	printf("  exception  %s\n", hit_exceptions(hit, text, sizeof(text)));
	if (hit->rec.access)
		report_access(hit);
	report_work_item(show, c);
	if (!(hit->rec.exceptions & GPUBP_EXC_MEM_VIOL))
		return;
	if (has_address(hit))
		report_address(show, c);
	else
		puts("  address    unknown");
}

static void report_what(const struct show *show, const struct culprit *c)
{
	if (c->first->rec.kind == GPUBP_KIND_EXCEPTION)
		return report_exception(show, c);
	report_access(c->first);
	report_work_item(show, c);
	report_address(show, c);
	report_values(c);
}

static void report_culprit(const struct show *show, const struct culprit *c)
{
	const struct hit *hit = c->first;
	char text[160];

	printf("%s[%u] %s%s: %" PRIu64 " hit%s", hit->comm[0] ? hit->comm : "?",
	       hit->pid, hit->rec.flags & GPUBP_HIT_PC_EXACT ? "" : "before ",
	       symmap_text(&show->map, hit->rec.pc, text, sizeof(text)),
	       c->nr, c->nr == 1 ? "" : "s");
	if (c->possible)
		printf(", %" PRIu64 " of them possible only", c->possible);
	putchar('\n');
	report_code(show, hit);
	report_what(show, c);
	if ((hit->rec.flags & GPUBP_HIT_DISPATCH) && c->nr > 1)
		printf("  dispatch   %u to %u of queue %u\n", hit->rec.dispatch,
		       c->last->rec.dispatch, hit->rec.queue);
	else if (hit->rec.flags & GPUBP_HIT_DISPATCH)
		printf("  dispatch   %u of queue %u\n", hit->rec.dispatch,
		       hit->rec.queue);
}

void show_report(const struct show *show)
{
	size_t i, nr;
	struct culprit *culprits = find_culprits(&show->hits, &nr);

	for (i = 0; culprits && i < nr; i++)
		report_culprit(show, &culprits[i]);
	if (!nr)
		puts("no hits (scalar loads, LDS, DMA and the CPU are not watched)");
	if (show->hits.lost)
		printf("lost %" PRIu64 " records\n", show->hits.lost);
	free(culprits);
}
