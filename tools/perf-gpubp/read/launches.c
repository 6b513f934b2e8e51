// SPDX-License-Identifier: GPL-2.0
/*
 * Which launch a hit is of.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "intern.h"
#include "launches.h"
#include "lifetimes.h"

#define MAX_WORKGROUP	1024
#define KINDS_MAX	(1U << 16)
#define PLACES_MAX	(1U << 25)
/* of changes of the queue itself */
#define NO_PLACE	UINT32_MAX

/**
 * struct launch_change - a line
 * @time: when
 * @nr: number of the line: the last one of those at once counts
 * @context: that has the queue, 0 all
 * @queue: id
 * @place: which dispatches of the queue, or NO_PLACE
 * @value: number of the kind of launch; of a queue its places
 */
struct launch_change {
	uint64_t time;
	size_t nr;
	uint32_t context;
	uint32_t queue;
	uint32_t place;
	uint32_t value;
};

/* ---- lines -------------------------------------------------------------------- */

static bool launch_is_valid(const struct launch *launch)
{
	unsigned int i;
	uint64_t items = 1;

	for (i = 0; i < 3; i++) {
		if (!launch->grid[i] || launch->workgroup[i] > MAX_WORKGROUP)
			return false;
		items *= launch->workgroup[i];
	}
	return items && items <= MAX_WORKGROUP;
}

static bool text_is_printable(const char *text)
{
	while (*text && (!iscntrl((unsigned char)*text) || *text == '\t'))
		text++;
	return !*text;
}

static bool kind_parse(struct launch *launch, char *line)
{
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "kind %" SCNu32 " %" SCNx64 " %" SCNu32 " %" SCNu32 " %" SCNu32
		   " %" SCNu32 " %" SCNu32 " %" SCNu32 "%n", &launch->nr,
		   &launch->kernel, &launch->workgroup[0], &launch->workgroup[1],
		   &launch->workgroup[2], &launch->grid[0], &launch->grid[1],
		   &launch->grid[2], &at) != 8 ||
	    line[at] != '\t' || !launch->nr || launch->nr > KINDS_MAX ||
	    !launch_is_valid(launch) || !text_is_printable(line))
		return false;
	launch->site = intern(line + at + 1);
	return true;
}

static void kind_add(struct launches *launches, char *line)
{
	struct launch kind, *grown;
	uint32_t nr = launches->nr_kinds;

	if (!kind_parse(&kind, line))
		return;
	if (kind.nr >= nr) {
		nr = kind.nr + kind.nr / 2 + 16;
		grown = realloc(launches->kinds, nr * sizeof(*grown));
		if (!grown)
			return;
		memset(grown + launches->nr_kinds, 0,
		       (nr - launches->nr_kinds) * sizeof(*grown));
		launches->kinds = grown;
		launches->nr_kinds = nr;
	}
	launches->kinds[kind.nr] = kind;
}

static bool change_parse(struct launch_change *change, const char *line)
{
	uint32_t a, b;

	change->context = 0;
	if (sscanf(line, "launch %" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32,
		   &change->time, &change->queue, &a, &b, &change->context) >= 4) {
		change->place = a;
		change->value = b;
		return a < PLACES_MAX;
	}
	if (sscanf(line, "queue %" SCNu64 " %" SCNu32 " %" SCNu32 " %*u %" SCNu32,
		   &change->time, &change->queue, &a, &change->context) < 3)
		return false;
	change->place = NO_PLACE;
	change->value = a;
	return a <= PLACES_MAX && !(a & (a - 1));
}

static int change_add(struct launches *launches, const struct launch_change *change)
{
	struct launch_change *grown = launches->changes;
	size_t nr = launches->nr;

	if (!(nr & (nr - 1)))
		grown = realloc(grown, (nr ? 2 * nr : 1) * sizeof(*grown));
	if (!grown)
		return -1;
	launches->changes = grown;
	grown[nr] = *change;
	grown[nr].nr = nr;
	launches->nr++;
	return 0;
}

static int line_add(struct launches *launches, char *line)
{
	struct launch_change change;
	uint64_t end;

	if (change_parse(&change, line))
		return change_add(launches, &change);
	if (sscanf(line, "unlaunched %" SCNu64, &end) == 1 && end < launches->end)
		launches->end = end;
	else
		kind_add(launches, line);
	return 0;
}

static int change_compare(const void *a, const void *b)
{
	const struct launch_change *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	if (x->queue != y->queue)
		return x->queue < y->queue ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

void launches_read(struct launches *launches, FILE *file)
{
	char line[NAME_LINE_MAX];
	unsigned int i;
	int ret = 0;

	*launches = (struct launches){ .end = UINT64_MAX };
	for (i = 0; !ret && i < NAME_RECORDS_MAX && fgets(line, sizeof(line), file); i++)
		if (isalpha((unsigned char)line[0]))
			ret = line_add(launches, line);
	/* what is cut may lack the line that says what a place has now */
	if (ret || i == NAME_RECORDS_MAX)
		launches_free(launches);
	if (launches->nr)
		qsort(launches->changes, launches->nr, sizeof(*launches->changes),
		      change_compare);
}

void launches_free(struct launches *launches)
{
	free(launches->kinds);
	free(launches->changes);
	memset(launches, 0, sizeof(*launches));
}

/* ---- hits --------------------------------------------------------------------- */

/* the last one of @key's queue and place up to its time; NULL: there is none */
static const struct launch_change *change_find(const struct launches *launches,
					       const struct launch_change *key)
{
	size_t low = 0, high = launches->nr, mid;
	const struct launch_change *change;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (change_compare(&launches->changes[mid], key) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	change = &launches->changes[low - 1];
	return change->context == key->context && change->queue == key->queue &&
	       change->place == key->place ? change : NULL;
}

/* @context: that has the queue, 0 all */
static const struct launch *launch_find(const struct launches *launches, uint32_t context,
					const struct gpubp_hit_record *rec)
{
	struct launch_change key = {
		.context = context, .queue = rec->queue, .place = NO_PLACE,
		.time = rec->gpu_time, .nr = SIZE_MAX,
	};
	const struct launch_change *queue = change_find(launches, &key), *place;

	if (!queue || !queue->value)
		return NULL;
	key.place = rec->dispatch & (queue->value - 1);
	place = change_find(launches, &key);
	/* of a queue that had this id before */
	if (!place || place->nr < queue->nr || place->value >= launches->nr_kinds ||
	    !launches->kinds[place->value].nr)
		return NULL;
	return &launches->kinds[place->value];
}

const struct launch *launches_find(const struct launches *launches,
				   const struct gpubp_hit_record *rec)
{
	const struct launch *launch;

	if (!(rec->flags & GPUBP_HIT_DISPATCH) || rec->gpu_time >= launches->end)
		return NULL;
	launch = launch_find(launches, rec->context, rec);
	return launch ? launch : launch_find(launches, 0, rec);
}
