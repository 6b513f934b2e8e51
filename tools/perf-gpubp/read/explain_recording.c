// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "culprits.h"
#include "explain_recording.h"
#include "intern.h"
#include "plural.h"
#include "verb.h"

/* instructions that are named one by one */
#define MOST	5

/**
 * struct tally - what kinds of hits there are
 * @nr: all
 * @possible: may have touched other bytes of the block
 * @inexact: without an exact address, @possible included
 * @undecided: with an exact address, but may not meet the condition of the event
 * @skid: stopped behind the instruction
 * @merged: accesses that were merged into these hits, at least
 */
static struct tally {
	uint64_t nr;
	uint64_t possible;
	uint64_t inexact;
	uint64_t undecided;
	uint64_t skid;
	uint64_t merged;
} tally;

static struct culprits inexact;

static int tally_hit(struct reading *r, const struct hit *hit)
{
	const struct gpubp_hit_record *rec = &hit->rec;
	bool exact = rec->addr_state == GPUBP_ADDR_EXACT;

	tally.nr++;
	tally.possible += !exact && (rec->flags & GPUBP_HIT_POSSIBLE);
	tally.inexact += !exact;
	tally.skid += !(rec->flags & GPUBP_HIT_PC_EXACT);
	tally.merged += rec->nr_merged > 1 ? rec->nr_merged - 1 : 0;
	tally.undecided += exact && (rec->flags & GPUBP_HIT_POSSIBLE);
	if (exact || !culprits_add(&inexact, hit, 0, 0))
		return EXIT_OK;
	return complain("out of memory");
}

/**
 * struct instruction - of any event, in any process
 * @pc: as it is printed
 * @nr: hits
 */
struct instruction {
	const char *pc;
	uint64_t nr;
};

static int by_pc(const void *a, const void *b)
{
	const struct instruction *x = a, *y = b;

	return strcmp(x->pc, y->pc);
}

static int by_nr(const void *a, const void *b)
{
	const struct instruction *x = a, *y = b;

	return x->nr != y->nr ? (x->nr < y->nr) - (x->nr > y->nr) : by_pc(a, b);
}

/* those of the hits without an exact address, most hits first; returns how many */
static size_t instructions_of(struct show *show, struct instruction *list)
{
	char pc[256];
	size_t i, nr = 0;

	for (i = 0; i < inexact.nr; i++) {
		list[i].pc = intern(show_pc(show, &inexact.list[i]->first, pc, sizeof(pc)));
		list[i].nr = inexact.list[i]->nr;
	}
	qsort(list, inexact.nr, sizeof(*list), by_pc);
	for (i = 0; i < inexact.nr; i++)
		if (nr && list[nr - 1].pc == list[i].pc)
			list[nr - 1].nr += list[i].nr;
		else
			list[nr++] = list[i];
	qsort(list, nr, sizeof(*list), by_nr);
	return nr;
}

static void print_inexact(struct reading *r)
{
	struct instruction *list = calloc(inexact.nr, sizeof(*list));
	size_t i, nr = list ? instructions_of(&r->show, list) : 0;

	printf("  * %" PRIu64 " %s no exact address, %" PRIu64 " of them possible only: the access overwrote the registers that it came from, or the wave ran on before it stopped\n",
	       tally.inexact, tally.inexact == 1 ? "has" : "have", tally.possible);
	for (i = 0; i < nr && i < MOST; i++)
		printf("      %s: %" PRIu64 "\n", list[i].pc, list[i].nr);
	free(list);
}

static void print_tally(struct reading *r)
{
	printf("%" PRIu64 " hit%s, %" PRIu64 " of them exact\n", tally.nr,
	       plural(tally.nr), tally.nr - tally.inexact);
	if (!tally.nr)
		puts("  * a recording does not have the time that its events were armed: perf-gpubp run or stat, with the same events, says why there is no hit");
	if (tally.inexact)
		print_inexact(r);
	if (tally.undecided)
		printf("  * %" PRIu64 " may not meet the condition: the access overwrote the registers, stored a part of an element, or reached over the end of a buffer descriptor's range\n",
		       tally.undecided);
	if (tally.skid)
		printf("  * %" PRIu64 " stopped behind the instruction: there is no precise memory\n",
		       tally.skid);
	if (tally.merged)
		printf("  * at least %" PRIu64 " more access%s merged into them\n",
		       tally.merged, tally.merged == 1 ? " was" : "es were");
	if (r->lost)
		printf("  * %" PRIu64 " %s lost: the ring buffer was full (perf record -m), or hits were dropped\n",
		       r->lost, r->lost == 1 ? "was" : "were");
}

int explain_recording(struct reading *r)
{
	int status = reading_hits(r, tally_hit);

	if (!status)
		print_tally(r);
	culprits_free(&inexact);
	return status;
}
