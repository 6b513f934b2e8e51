// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers by address. They may lie in each other, as parts of a pool do.
 */
#include <stdlib.h>
#include <string.h>
#include "guard.h"

#define NO_BUFFER	SIZE_MAX

/**
 * struct guard_outer - of a buffer
 * @before: the last one before it that ends behind its begin, or NO_BUFFER
 * @end: the last end of it and those before it, of its process
 *
 * All buffers with a byte of it are among @before, its @before and so on.
 */
struct guard_outer {
	size_t before;
	uint64_t end;
};

static uint64_t buffer_end(const struct guard_buffer *b)
{
	return b->va + b->size;
}

/* how many are in front of that address, or begin there */
static size_t buffers_up_to(const struct guard_buffers *all, uint32_t pid, uint64_t va)
{
	size_t low = 0, high = all->nr, i;

	while (low < high) {
		i = (low + high) / 2;
		if (all->list[i].pid < pid ||
		    (all->list[i].pid == pid && all->list[i].va <= va))
			low = i + 1;
		else
			high = i;
	}
	return low;
}

/* ---- changes -------------------------------------------------------------- */

static void buffer_remove(struct guard_buffers *all, size_t i)
{
	all->nr--;
	memmove(&all->list[i], &all->list[i + 1], (all->nr - i) * sizeof(*all->list));
}

static bool buffer_insert(struct guard_buffers *all, size_t i,
			  const struct guard_buffer *buffer)
{
	struct guard_buffer *bigger = all->list;

	/* powers of two */
	if (!(all->nr & (all->nr - 1)))
		bigger = realloc(all->list, (all->nr ? 2 * all->nr : 1) * sizeof(*bigger));
	if (!bigger)
		return false;
	all->list = bigger;
	memmove(&bigger[i + 1], &bigger[i], (all->nr - i) * sizeof(*bigger));
	bigger[i] = *buffer;
	all->nr++;
	return true;
}

bool guard_buffer_set(struct guard_buffers *all, const struct guard_buffer *buffer)
{
	size_t i = buffers_up_to(all, buffer->pid, buffer->va);

	free(all->outer);
	all->outer = NULL;
	if (i && all->list[i - 1].pid == buffer->pid && all->list[i - 1].va == buffer->va)
		buffer_remove(all, --i);
	return !buffer->size || buffer_insert(all, i, buffer);
}

void guard_buffers_free(struct guard_buffers *all)
{
	free(all->list);
	free(all->outer);
	*all = (struct guard_buffers){};
}

/* ---- which one ------------------------------------------------------------ */

static bool buffers_nest(struct guard_buffers *all)
{
	struct guard_outer *outer = calloc(all->nr + 1, sizeof(*outer));
	const struct guard_buffer *b = all->list;
	size_t i, before = NO_BUFFER;
	uint64_t end = 0;

	if (!outer)
		return false;
	for (i = 0; i < all->nr; i++, b++) {
		if (!i || b[-1].pid != b->pid) {
			before = NO_BUFFER;
			end = 0;
		}
		while (before != NO_BUFFER && buffer_end(&all->list[before]) <= b->va)
			before = outer[before].before;
		if (buffer_end(b) > end)
			end = buffer_end(b);
		outer[i] = (struct guard_outer){ .before = before, .end = end };
		before = i;
	}
	all->outer = outer;
	return true;
}

/* bytes without a name; @next: the first buffer behind them */
static void buffers_gap(const struct guard_buffers *all, uint32_t pid, size_t next,
			struct guard_buffer *gap)
{
	const struct guard_buffer *b = &all->list[next];
	uint64_t end = next < all->nr && b->pid == pid ? b->va : UINT64_MAX;

	*gap = (struct guard_buffer){ .pid = pid };
	if (next && all->list[next - 1].pid == pid)
		gap->va = all->outer[next - 1].end;
	gap->size = end - gap->va;
}

bool guard_buffer_of(struct guard_buffers *all, uint32_t pid, uint64_t va,
		     struct guard_buffer *found)
{
	size_t i, next = buffers_up_to(all, pid, va);

	if (!all->outer && !buffers_nest(all))
		return false;
	i = next && all->list[next - 1].pid == pid ? next - 1 : NO_BUFFER;
	while (i != NO_BUFFER && !guard_buffer_holds(&all->list[i], va))
		i = all->outer[i].before;
	if (i == NO_BUFFER)
		buffers_gap(all, pid, next, found);
	else
		*found = all->list[i];
	return true;
}
