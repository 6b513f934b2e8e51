// SPDX-License-Identifier: GPL-2.0
/*
 * usage: rotate [ROWS]
 *
 * The cost of a quantum of the policy with increasing numbers of watches, of
 * one user, on four comparators, and of watches that share these comparators:
 * the kernel's own code, in user space. Appends a row for each number of
 * watches to the file ROWS, as bench does; the clock is that of the machine, or
 * its instructions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <linux/kernel.h>
#include <linux/list.h>
#include "lib/policy.h"

#define SLOTS	4
#define ROUNDS	20
#define QUANTA	500	/* per round: it should end before the next tick */
#define CANDS	(2 * SLOTS * SHARERS)	/* more than a quantum requests */
#define SHARERS	1024	/* per granule */
#define GRANULE	64

struct watch {
	struct gpubp_fairq_entry fq;
	uint64_t addr;
	uint32_t slots;
};

static struct watch *watches;
static unsigned int nr_watches;
static unsigned int per_granule = 1;
static struct gpubp_candidate cands[CANDS];
static unsigned int nr_cands;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static struct gpubp_candidate *describe(struct gpubp_fairq_entry *entry,
					void *arg)
{
	struct watch *w = container_of(entry, struct watch, fq);
	struct gpubp_candidate *c = &cands[nr_cands++];

	*c = (struct gpubp_candidate) {
		.nr_blocks = 1,
		.block = { { .value = w->addr, .mask = ~63ULL } },
		.slots = w->slots,
		.priv = w,
	};
	return c;
}

static void drop(struct gpubp_candidate *c, void *arg)
{
}

/* watches of a granule are consecutive */
static struct gpubp_fairq_entry *
share_next(u32 ctx, const struct gpubp_block *block,
	   struct gpubp_fairq_entry *prev, void *arg)
{
	struct watch *w = &watches[block->value / GRANULE * per_granule];
	struct watch *end = min(w + per_granule, watches + nr_watches);

	if (prev)
		w = container_of(prev, struct watch, fq) + 1;
	return w < end ? &w->fq : NULL;
}

static const struct gpubp_policy_ops ops = {
	.describe = describe,
	.drop = drop,
	.share_next = share_next,
};

/* arm the candidates of this quantum and disarm those of the last one */
static unsigned int quantum(struct gpubp_policy *p)
{
	static struct watch *old[SLOTS * SHARERS];
	static unsigned int nr_old;
	static const struct gpubp_policy_caps caps = {
		.usable = (1u << SLOTS) - 1,
		.modes = ~0u,
		.cntl_banked = true,
		.kind = GPUBP_POLICY_FAIR,
	};
	LIST_HEAD(pinned);
	LIST_HEAD(armed);
	struct gpubp_candidate *c;
	unsigned int i;

	nr_cands = 0;
	gpubp_policy_next(p, &caps, &ops, NULL, &pinned, &armed);
	for (i = 0; i < nr_old; i++)
		old[i]->slots = 0;
	nr_old = 0;
	list_for_each_entry(c, &armed, node) {
		old[nr_old] = c->priv;
		old[nr_old++]->slots = c->slots;
	}
	return nr_old;
}

static void add_watches(struct gpubp_policy *p, struct gpubp_fairq_flow *flow,
			unsigned int upper)
{
	struct watch *w;

	for (; nr_watches < upper; nr_watches++) {
		w = &watches[nr_watches];
		w->addr = GRANULE * (uint64_t)(nr_watches / per_granule);
		if (gpubp_fairq_add(&p->fairq, flow, &w->fq, 1)) {
			fprintf(stderr, "no memory\n");
			exit(1);
		}
	}
}

static double measure(struct gpubp_policy *p, unsigned int quanta,
		      unsigned int armed)
{
	uint64_t best = UINT64_MAX, ns;
	unsigned int i, round;

	for (round = 0; round < ROUNDS; round++) {
		ns = now_ns();
		for (i = 0; i < quanta; i++)
			if (quantum(p) != armed)
				break;
		ns = now_ns() - ns;
		if (i < quanta) {
			fprintf(stderr, "not all that fit are armed\n");
			exit(1);
		}
		if (ns < best)
			best = ns;
	}
	return (double)best / quanta;
}

static void tell(FILE *rows, const char *name, double ns)
{
	printf("%-44s %10.0f\n", name, ns);
	fflush(stdout);
	if (rows)
		fprintf(rows, "%s\t-\t-\t-\t%.3f\t-\n", name, ns);
}

/* watches of different granules; four of them are armed */
static void others(FILE *rows, struct gpubp_policy *p,
		   struct gpubp_fairq_flow *flow)
{
	static const unsigned int sizes[] = { 16, 100, 1000, 10000, 100000,
					      1000000 };
	char name[64];
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		add_watches(p, flow, sizes[i]);
		snprintf(name, sizeof(name), "quantum, %u watches", sizes[i]);
		tell(rows, name, measure(p, QUANTA, SLOTS));
	}
}

/* watches of as many granules as slots, all armed */
static void sharers(FILE *rows, struct gpubp_policy *p,
		    struct gpubp_fairq_flow *flow)
{
	char name[64];
	unsigned int i;

	while (nr_watches)
		gpubp_fairq_remove(&p->fairq, &watches[--nr_watches].fq);
	per_granule = SHARERS;
	for (i = 1; i <= SLOTS; i *= SLOTS) {
		add_watches(p, flow, i * SHARERS);
		snprintf(name, sizeof(name), "quantum, %u armed", i * SHARERS);
		tell(rows, name, measure(p, QUANTA / SHARERS + 1, i * SHARERS));
	}
}

int main(int argc, char **argv)
{
	static const siphash_key_t key = { { 1, 2 } };
	FILE *rows = argc > 1 ? fopen(argv[1], "ae") : NULL;
	static struct gpubp_policy policy;
	static struct gpubp_fairq_flow flow;

	watches = calloc(1000000, sizeof(*watches));
	if (!watches || (argc > 1 && !rows)) {
		perror("rotate");
		return 1;
	}
	gpubp_policy_init(&policy, &key);
	gpubp_fairq_flow_init(&flow, 1, 1);
	others(rows, &policy, &flow);
	sharers(rows, &policy, &flow);
	if (rows)
		fclose(rows);
	return 0;
}
