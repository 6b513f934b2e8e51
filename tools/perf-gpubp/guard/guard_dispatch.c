// SPDX-License-Identifier: GPL-2.0
/*
 * What each dispatch may access: the buffers of its own arguments.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "guard.h"

/* what hits have of the number of a dispatch; devices that have less launch less at once */
#define SEQ_MASK	((1U << 25) - 1)

/* ---- which ones are known -------------------------------------------------- */

/* the last one first */
static struct guard_dispatch *dispatch_nth(const struct guard_map *map, size_t n)
{
	if (n >= map->nr_dispatches || n >= GUARD_DISPATCHES)
		return NULL;
	return &map->dispatches[(map->nr_dispatches - 1 - n) % GUARD_DISPATCHES];
}

struct guard_dispatch *guard_dispatch_running(const struct guard_map *map, size_t *n)
{
	struct guard_dispatch *d;

	while (*n < map->nr_dispatches - map->nr_ended) {
		d = dispatch_nth(map, (*n)++);
		if (!d || d->runs)
			return d;
	}
	return NULL;
}

static bool dispatch_is_on(const struct guard_dispatch *d, const struct guard_dispatch *other)
{
	return d->pid == other->pid && d->context == other->context &&
	       d->queue == other->queue;
}

/* those on the queue of @new up to @done, and those of processes that are gone */
static void dispatches_end(struct guard_map *map, const struct guard_dispatch *new,
			   uint64_t done)
{
	struct guard_dispatch *d;
	size_t n = 0;

	while ((d = guard_dispatch_running(map, &n))) {
		if (d->pid == new->pid)
			d->runs = !dispatch_is_on(d, new) || d->seq > done;
		else
			d->runs = !kill((pid_t)d->pid, 0) || errno != ESRCH;
	}
	while (map->nr_ended < map->nr_dispatches &&
	       !map->dispatches[map->nr_ended % GUARD_DISPATCHES].runs)
		map->nr_ended++;
}

size_t guard_dispatches_running(const struct guard_map *map)
{
	size_t n = 0, nr = 0;

	while (guard_dispatch_running(map, &n))
		nr++;
	return nr;
}

/* the only one of its process that runs */
static const struct guard_dispatch *dispatch_alone(const struct guard_map *map, uint32_t pid)
{
	const struct guard_dispatch *d, *found = NULL;
	size_t n = 0;

	while ((d = guard_dispatch_running(map, &n))) {
		if (d->pid != pid)
			continue;
		if (found)
			return NULL;
		found = d;
	}
	return found;
}

static bool dispatch_has(const struct guard_dispatch *d, uint32_t pid,
			 const struct gpubp_hit_record *rec)
{
	return d->pid == pid && (!d->context || d->context == rec->context) &&
	       d->queue == rec->queue && !((d->seq ^ rec->dispatch) & SEQ_MASK);
}

const struct guard_dispatch *guard_dispatch_of(const struct guard_map *map, uint32_t pid,
					       const struct gpubp_hit_record *rec)
{
	const struct guard_dispatch *d;
	size_t n;

	if (!(rec->flags & GPUBP_HIT_DISPATCH))
		return dispatch_alone(map, pid);
	for (n = 0; (d = dispatch_nth(map, n)); n++)
		if (dispatch_has(d, pid, rec))
			return d;
	return NULL;
}

/* ---- arguments -------------------------------------------------------------- */

static int arg_compare(const void *a, const void *b)
{
	const struct guard_argument *x = a, *y = b;

	return x->buffer.va < y->buffer.va ? -1 : x->buffer.va > y->buffer.va;
}

static bool arg_add(struct guard_map *map, struct guard_dispatch *d, uint64_t va,
		    bool is_const)
{
	struct guard_argument *args;

	if (!va)
		return true;
	args = realloc(d->args, (d->nr + 1) * sizeof(*args));
	if (!args)
		return false;
	d->args = args;
	args[d->nr].is_const = is_const;
	return guard_buffer_of(&map->buffers, d->pid, va, &args[d->nr++].buffer);
}

/* "-", or "VA[,VA...]" in which "=VA" is no pointer argument and "..." one that is missing */
static enum guard_news take_arguments(struct guard_map *map, struct guard_dispatch *d,
				      const char *text)
{
	unsigned int n = 0;
	bool is_const;
	uint64_t va;
	char *end;

	for (; *text && *text != '-' && strcmp(text, "..."); text = end + (*end == ',')) {
		is_const = *text != '=' &&
			   guard_pointer_is_const(map, d->pid, d->kernel, n++);
		text += *text == '=';
		va = strtoull(text, &end, 0);
		if (end == text || (*end && *end != ','))
			return GUARD_MALFORMED;
		if (!arg_add(map, d, va, is_const))
			return GUARD_NO_MEMORY;
	}
	d->is_open = *text == '.';
	if (d->nr)
		qsort(d->args, d->nr, sizeof(*d->args), arg_compare);
	return GUARD_DISPATCH;
}

/* ---- messages --------------------------------------------------------------- */

/* "dispatch PID CONTEXT/QUEUE/SEQ DONE KERNEL VA[,VA...]", or "began ..." */
enum guard_news guard_dispatch_take(struct guard_map *map, const char *text)
{
	struct guard_dispatch new = { .runs = true }, *place;
	enum guard_news news;
	uint64_t done;
	int list = 0;

	if (sscanf(text, "%*s %" SCNu32 " %" SCNu32 "/%" SCNu32 "/%" SCNu64 " %" SCNu64
		   " %1023s %n", &new.pid, &new.context, &new.queue, &new.seq, &done,
		   new.kernel, &list) != 6 || !list || !text[list])
		return GUARD_MALFORMED;
	if (!map->dispatches)
		map->dispatches = calloc(GUARD_DISPATCHES, sizeof(*map->dispatches));
	if (!map->dispatches)
		return GUARD_NO_MEMORY;
	news = take_arguments(map, &new, text + list);
	if (news != GUARD_DISPATCH) {
		free(new.args);
		return news;
	}
	dispatches_end(map, &new, done);
	place = &map->dispatches[map->nr_dispatches++ % GUARD_DISPATCHES];
	if (map->nr_dispatches - map->nr_ended > GUARD_DISPATCHES)
		map->nr_ended++;
	map->nr_began += text[0] == 'b';
	map->nr_unread += new.is_open && !new.nr;
	free(place->args);
	*place = new;
	return news;
}

/* "close PID CONTEXT/QUEUE" */
enum guard_news guard_dispatch_close(struct guard_map *map, const char *text)
{
	struct guard_dispatch queue = {};

	if (sscanf(text, "close %" SCNu32 " %" SCNu32 "/%" SCNu32, &queue.pid,
		   &queue.context, &queue.queue) != 3)
		return GUARD_MALFORMED;
	dispatches_end(map, &queue, UINT64_MAX);
	return GUARD_NAMES;
}

void guard_dispatches_free(struct guard_map *map)
{
	size_t i;

	for (i = 0; map->dispatches && i < GUARD_DISPATCHES; i++)
		free(map->dispatches[i].args);
	free(map->dispatches);
	map->dispatches = NULL;
	map->nr_dispatches = map->nr_ended = 0;
	map->nr_began = map->nr_unread = 0;
}
