// SPDX-License-Identifier: GPL-2.0
/*
 * usage: pacer ADDRESS WATCHES ROUNDS CHANCE PAUSE SEED
 *
 * A target of estimate.sh: stores at random times, once so many watches exist.
 *
 * In each round each of the first WATCHES granules from ADDRESS on is stored to
 * with probability CHANCE, independently of the others; before that is a pause
 * of PAUSE us on average, exponentially distributed. Prints the number of
 * stores to each, a line each; and to stderr "stalls SUM SQUARES": of the
 * rounds that took STALL_US longer than their pause, the excess as a fraction
 * of the total time, summed up, and the sum of its squares.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "books.h"
#include "event.h"
#include "gpu.h"

#define GRANULE		64
#define MAX_WATCHES	64	/* a lane each */
#define PATIENCE	60	/* s */
#define STALL_US	10000

/**
 * struct args - command line arguments
 * @va: address of the first granule
 * @watches: number of watches
 * @rounds: number of rounds
 * @chance: probability of each watch in a round
 * @us: mean pause before each round
 * @commits: number of commits before any watch existed
 */
struct args {
	uint64_t va;
	int watches;
	int rounds;
	double chance;
	double us;
	int64_t commits;
};

static bool wait_state(const char *name, int64_t least)
{
	int i;

	for (i = 0; i < PATIENCE * 1000; i++) {
		if (books_state(name) >= least)
			return true;
		usleep(1000);
	}
	return false;
}

/*
 * Wait until all watches exist and a commit has seen them, and no longer: the
 * time before the first store is in their times, too.
 */
static bool wait_watched(const struct args *args)
{
	return wait_state("watches", args->watches) &&
	       wait_state("commits", args->commits + 1);
}

static uint64_t random_mask(int bits, double chance)
{
	uint64_t mask = 0;

	while (bits--)
		mask = mask << 1 | (drand48() < chance);
	return mask;
}

/* returns the length, us */
static double pause_randomly(double us)
{
	double random_us = -us * log(1 - drand48());

	usleep((useconds_t)random_us);
	return random_us;
}

/**
 * struct stalls - times in which the machine was stopped
 * @sum: us
 * @squares: of us
 */
struct stalls {
	double sum;
	double squares;
};

static void add_stall(struct stalls *stalls, double us)
{
	if (us < STALL_US)
		return;
	stalls->sum += us;
	stalls->squares += us * us;
}

static int store(struct gpu *gpu, const struct args *args, unsigned int *stores)
{
	uint64_t mask = random_mask(args->watches, args->chance);
	int i;

	for (i = 0; i < args->watches; i++)
		stores[i] += mask >> i & 1;
	return gpu_run(gpu, "chosen", 1, GPU_ARGS(args->va, mask));
}

static int run(struct gpu *gpu, const struct args *args, unsigned int *stores)
{
	struct stalls stalls = {};
	double begin, start, us;
	struct grun_mem mem;
	int i, ret;

	ret = gpu_buffer(gpu, &mem, MAX_WATCHES * GRANULE, args->va);
	if (!ret && !wait_watched(args))
		ret = -ETIME;
	begin = now_ns() / 1e3;
	for (i = 0; i < args->rounds && !ret; i++) {
		start = now_ns() / 1e3;
		us = pause_randomly(args->us);
		ret = store(gpu, args, stores);
		add_stall(&stalls, now_ns() / 1e3 - start - us);
	}
	us = now_ns() / 1e3 - begin;
	fprintf(stderr, "stalls %.6f %.8f\n", stalls.sum / us,
		stalls.squares / us / us);
	return ret;
}

int main(int argc, char **argv)
{
	unsigned int stores[MAX_WATCHES] = {};
	struct args args;
	struct gpu gpu;
	int i;

	if (argc != 7)
		return 2;
	args = (struct args) {
		.va = strtoull(argv[1], NULL, 0),
		.watches = atoi(argv[2]),
		.rounds = atoi(argv[3]),
		.chance = strtod(argv[4], NULL),
		.us = strtod(argv[5], NULL),
		.commits = books_state("commits"),
	};
	srand48(atol(argv[6]));
	if (args.watches > MAX_WATCHES || gpu_open(&gpu, "loop") ||
	    run(&gpu, &args, stores))
		return 1;
	gpu_close(&gpu);
	for (i = 0; i < args.watches; i++)
		printf("%u\n", stores[i]);
	return 0;
}
