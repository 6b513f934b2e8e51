// SPDX-License-Identifier: GPL-2.0
/*
 * What a queue was given: from which launch a dispatch number of a hit is. The lines go to
 * /tmp/gpubp-PID.names, the format is in perfmap.c.
 *
 * Numbers of dispatches repeat, and so do the places of packets in the ring of a queue: a
 * dispatch is over when another one gets its place. What is written is therefore what
 * each place has, and only if that is not what it had before: a program that launches the
 * same kernels again and again writes as many lines as the ring has places.
 */
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"

#define KINDS_MAX	(1U << 16)
#define LINES_MAX	(1U << 20)
/* what hits have of the number of a dispatch */
#define PLACES_MAX	(1U << 25)

/**
 * struct grun_launches - the launches of a queue
 * @context: number of the GPU context that has it, 0 all of the process
 * @queue: its id
 * @nr_places: places of its ring
 * @kinds: what each place has: a number of a launch_kind, 0 not known
 */
struct grun_launches {
	uint32_t context;
	uint32_t queue;
	uint32_t nr_places;
	uint32_t kinds[];
};

/**
 * struct launch_kind - launches that are equal
 * @nr: its number
 * @kernel: GPU address of the kernel's descriptor
 * @launch: sizes
 * @site: where the program launched
 */
struct launch_kind {
	uint32_t nr;
	uint64_t kernel;
	struct grun_launch launch;
	const char *site;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *kinds;	/* tree; under lock */
static uint32_t nr_kinds, nr_lines;	/* likewise */

/*
 * A child has a file of its own, in which there are no kinds yet, and not the thread of
 * its parent that may have had the lock.
 */
static void launches_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	kinds = NULL;
	nr_kinds = 0;
	nr_lines = 0;
}

static void __attribute__((constructor)) launches_begin(void)
{
	pthread_atfork(NULL, NULL, launches_forked);
}

static int kind_compare(const void *a, const void *b)
{
	const struct launch_kind *x = a, *y = b;

	if (x->kernel != y->kernel)
		return (x->kernel > y->kernel) - (x->kernel < y->kernel);
	return memcmp(&x->launch, &y->launch, sizeof(x->launch)) ?:
	       strcmp(x->site, y->site);
}

/* of which @key was the first one; 0: there are too many */
static uint32_t kind_add(const struct launch_kind *key)
{
	struct launch_kind *kind;
	const struct grun_launch *l = &key->launch;
	char line[GRUN_CALLSITE_MAX + 128];

	if (nr_kinds == KINDS_MAX)
		return 0;
	kind = malloc(sizeof(*kind));
	if (!kind)
		return 0;
	*kind = *key;
	kind->nr = nr_kinds + 1;
	kind->site = strdup(key->site);
	if (!kind->site || !tsearch(kind, &kinds, kind_compare)) {
		free((void *)(uintptr_t)kind->site);
		free(kind);
		return 0;
	}
	nr_kinds++;
	snprintf(line, sizeof(line), "kind %u %llx %u %u %u %u %u %u\t%s\n", kind->nr,
		 (unsigned long long)key->kernel, l->workgroup[0], l->workgroup[1],
		 l->workgroup[2], l->grid[0], l->grid[1], l->grid[2], kind->site);
	grun_name_line(line);
	return kind->nr;
}

static uint32_t kind_number(const struct launch_kind *key)
{
	struct launch_kind *const *found = tfind(key, &kinds, kind_compare);

	return found ? (*found)->nr : kind_add(key);
}

/* under the lock; the last line says that there are no more */
static void launch_line(const char *what, const struct grun_launches *launches, uint32_t a,
			uint32_t b)
{
	char line[96], context[16] = "";

	if (nr_lines >= LINES_MAX)
		return;
	if (++nr_lines == LINES_MAX)
		what = "unlaunched";
	if (launches->context)
		snprintf(context, sizeof(context), " %u", launches->context);
	snprintf(line, sizeof(line), "%s %llu %u %u %u%s\n", what,
		 (unsigned long long)grun_name_time(), launches->queue, a, b, context);
	grun_name_line(line);
}

struct grun_launches *grun_launches_new(uint32_t context, uint32_t queue,
					uint32_t nr_places)
{
	struct grun_launches *launches;

	if (nr_places > PLACES_MAX)
		nr_places = PLACES_MAX;
	if (!nr_places || nr_places & (nr_places - 1))
		return NULL;
	launches = calloc(1, sizeof(*launches) + nr_places * sizeof(*launches->kinds));
	if (!launches)
		return NULL;
	launches->context = context;
	launches->queue = queue;
	launches->nr_places = nr_places;
	pthread_mutex_lock(&lock);
	launch_line("queue", launches, nr_places, 0);
	pthread_mutex_unlock(&lock);
	return launches;
}

void grun_launches_free(struct grun_launches *launches)
{
	if (!launches)
		return;
	pthread_mutex_lock(&lock);
	launch_line("queue", launches, 0, 0);
	pthread_mutex_unlock(&lock);
	free(launches);
}

void grun_launches_add(struct grun_launches *launches, uint64_t index, uint64_t kernel,
		       const struct grun_launch *launch, const char *site)
{
	struct launch_kind key = { .kernel = kernel, .site = site };
	uint32_t place, nr;

	if (!launches)
		return;
	place = index & (launches->nr_places - 1);
	pthread_mutex_lock(&lock);
	if (launch)
		key.launch = *launch;
	nr = launch && nr_lines < LINES_MAX ? kind_number(&key) : 0;
	if (launches->kinds[place] != nr)
		launch_line("launch", launches, place, nr);
	launches->kinds[place] = nr;
	pthread_mutex_unlock(&lock);
}
