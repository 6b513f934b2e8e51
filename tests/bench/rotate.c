// SPDX-License-Identifier: GPL-2.0
/*
 * usage: rotate [ROWS]
 *
 * What a quantum of the policy costs with ever more watches, of one user, on
 * four comparators: the kernel's own code, in user space. Appends a row for each
 * number of watches to the file ROWS, as bench does; the clock is that of the
 * machine, or its instructions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <linux/kernel.h>
#include <linux/list.h>
#include "policy.h"

#define SLOTS	4
#define ROUNDS	20
#define QUANTA	500	/* a round: it is to end before the next tick */
#define CANDS	(16 * SLOTS)

struct watch {
	struct gpubp_turn turn;
	uint64_t addr;
	uint32_t slots;
};

static struct watch *watches;
static unsigned int nr_watches;
static struct gpubp_cand cands[CANDS];
static unsigned int nr_cands;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static struct gpubp_cand *describe(struct gpubp_turn *turn, void *arg)
{
	struct watch *w = container_of(turn, struct watch, turn);
	struct gpubp_cand *c = &cands[nr_cands++ % CANDS];

	*c = (struct gpubp_cand) {
		.nr_blocks = 1,
		.block = { { .value = w->addr, .mask = ~63ULL } },
		.slots = w->slots,
		.priv = w,
	};
	return c;
}

static void drop(struct gpubp_cand *c, void *arg)
{
}

static const struct gpubp_policy_ops ops = {
	.describe = describe,
	.drop = drop,
};

/* arm them; those of the quantum before are armed no more */
static void quantum(struct gpubp_policy *p, struct watch **old)
{
	static const struct gpubp_policy_caps caps = {
		.usable = (1u << SLOTS) - 1,
		.modes = ~0u,
		.cntl_banked = true,
		.kind = GPUBP_POLICY_FAIR,
	};
	LIST_HEAD(pinned);
	LIST_HEAD(armed);
	struct gpubp_cand *c;
	unsigned int i = 0;

	gpubp_policy_next(p, &caps, &ops, NULL, &pinned, &armed);
	for (i = 0; i < SLOTS && old[i]; i++)
		old[i]->slots = 0;
	i = 0;
	list_for_each_entry(c, &armed, node) {
		old[i] = c->priv;
		old[i++]->slots = c->slots;
	}
	if (i != SLOTS) {
		fprintf(stderr, "%u of %u armed\n", i, SLOTS);
		exit(1);
	}
}

static void add_watches(struct gpubp_policy *p, struct gpubp_share *share,
			unsigned int upper)
{
	struct watch *w;

	for (; nr_watches < upper; nr_watches++) {
		w = &watches[nr_watches];
		w->addr = 64ULL * nr_watches;
		if (gpubp_turn_add(&p->turns, share, &w->turn, 1)) {
			fprintf(stderr, "no memory\n");
			exit(1);
		}
	}
}

static double measure(struct gpubp_policy *p)
{
	static struct watch *old[SLOTS];
	uint64_t best = UINT64_MAX, ns;
	unsigned int i, round;

	for (round = 0; round < ROUNDS; round++) {
		ns = now_ns();
		for (i = 0; i < QUANTA; i++)
			quantum(p, old);
		ns = now_ns() - ns;
		if (ns < best)
			best = ns;
	}
	return (double)best / QUANTA;
}

static void tell(FILE *rows, unsigned int nr, double ns)
{
	char name[64];

	snprintf(name, sizeof(name), "quantum, %u watches", nr);
	printf("%-44s %10.0f\n", name, ns);
	fflush(stdout);
	if (rows)
		fprintf(rows, "%s\t-\t-\t-\t%.3f\t-\n", name, ns);
}

int main(int argc, char **argv)
{
	static const unsigned int sizes[] = { 16, 100, 1000, 10000, 100000,
					      1000000 };
	static const siphash_key_t key = { { 1, 2 } };
	FILE *rows = argc > 1 ? fopen(argv[1], "ae") : NULL;
	static struct gpubp_policy policy;
	static struct gpubp_share share;
	unsigned int i;

	watches = calloc(1000000, sizeof(*watches));
	if (!watches || (argc > 1 && !rows)) {
		perror("rotate");
		return 1;
	}
	gpubp_policy_init(&policy, &key);
	gpubp_share_init(&share, 1, 1);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		add_watches(&policy, &share, sizes[i]);
		tell(rows, sizes[i], measure(&policy));
	}
	if (rows)
		fclose(rows);
	return 0;
}
