// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "ask.h"

/* KFD_DBG_TRAP_ADDRESS_WATCH_MODE_*: of those the comparator sees */
enum { MODE_READ, MODE_NONREAD, MODE_ATOMIC, MODE_ALL };

#define FLAGS_REFUSED	(GPUBP_CONFIG_CHANGED | GPUBP_CONFIG_METER | GPUBP_CONFIG_POSSIBLE | \
			 GPUBP_CONFIG_LOST | GPUBP_CONFIG_PROCESS)
#define ADDRESS_BITS	48

static int check_watch(const struct ask_watch *w, struct grun_err *err)
{
	if (w->e.conditional)
		return grun_fail(err, -EOPNOTSUPP,
				 "'%s': a condition needs gpubp.ko", w->text);
	if (w->e.flags & FLAGS_REFUSED)
		return grun_fail(err, -EOPNOTSUPP,
				 "'%s': its options need gpubp.ko; without it there are places and modes only",
				 w->text);
	if (!w->e.name[0] && (!w->e.len || w->e.addr >> ADDRESS_BITS ||
			      (w->e.addr + w->e.len - 1) >> ADDRESS_BITS))
		return grun_fail(err, -EINVAL, "'%s': addresses have %d bits", w->text,
				 ADDRESS_BITS);
	return 0;
}

int ask_add(struct ask *ask, const char *text, struct grun_err *err)
{
	struct ask_watch *w = &ask->watch[ask->nr];
	struct grun_err why;
	int ret;

	if (ask->nr == AGENT_SLOTS)
		return grun_fail(err, -E2BIG,
				 "'%s' is one watch too many: the GPU has %d comparators, and without gpubp.ko they are not taken in turns",
				 text, AGENT_SLOTS);
	*w = (struct ask_watch){ .text = text };
	ret = gexpr_watch(&w->e, text, NULL, &why);
	if (ret)
		return grun_fail(err, ret, "%s: %s", text, why.text);
	ret = check_watch(w, err);
	ask->nr += !ret;
	return ret;
}

/* ---- what is known of the process ------------------------------------------------- */

static void watch_bind(struct ask_watch *w, uint64_t buffer, uint64_t first, uint64_t len)
{
	w->bound = w->was_bound = true;
	w->buffer = buffer;
	w->first = first;
	w->last = first + len - 1;
}

void ask_begin(struct ask *ask, const struct agent_hello *hello)
{
	struct ask_watch *w;

	ask->granule = hello->granule;
	ask->largest = hello->largest;
	memset(&ask->program, 0, sizeof(ask->program));
	for (w = ask->watch; w < ask->watch + ask->nr; w++) {
		w->bound = false;
		if (!w->e.name[0])
			watch_bind(w, 0, w->e.addr, w->e.len);
	}
}

static void buffer_came(struct ask_watch *w, uint64_t va, uint64_t size)
{
	uint64_t len = w->e.len ? w->e.len : size;

	if (w->e.addr >= size || len > size - w->e.addr)
		w->small++;
	else if (w->bound)
		w->missed++;
	else
		watch_bind(w, va, va + w->e.addr, w->e.len ? len : size - w->e.addr);
}

void ask_buffer(struct ask *ask, uint64_t va, uint64_t size, const char *name)
{
	struct ask_watch *w;

	for (w = ask->watch; w < ask->watch + ask->nr; w++) {
		if (!w->e.name[0])
			continue;
		/* another name may be there now, without a message that the first one went */
		if (w->bound && w->buffer == va)
			w->bound = false;
		if (size && !strcmp(w->e.name, name))
			buffer_came(w, va, size);
	}
}

/* ---- comparators -------------------------------------------------------------------- */

static uint32_t mode_of(unsigned int access)
{
	if (access == GPUBP_ACCESS_LOAD)
		return MODE_READ;
	if (access & GPUBP_ACCESS_LOAD)
		return MODE_ALL;
	return access == GPUBP_ACCESS_ATOMIC ? MODE_ATOMIC : MODE_NONREAD;
}

/* the smallest block that has all bytes; 0 if there is none */
static uint64_t block_of(const struct ask *ask, const struct ask_watch *w)
{
	uint64_t size = ask->granule;

	while (size <= ask->largest && (w->first & -size) != (w->last & -size))
		size *= 2;
	return size <= ask->largest ? size : 0;
}

static void slot_fill(struct agent_slot *slot, const struct ask_watch *w, uint64_t block)
{
	*slot = (struct agent_slot) {
		.on = 1, .mode = mode_of(w->e.access), .value = w->first & -block,
		.mask = -block, .nr = 1,
	};
	slot->range[0].first = w->first;
	slot->range[0].last = w->last | (uint64_t)w->e.access << AGENT_KINDS_SHIFT;
}

void ask_program(struct ask *ask, struct agent_program *next)
{
	struct ask_watch *w;
	uint64_t block;
	unsigned int n;

	*next = (struct agent_program) {
		.type = AGENT_PROGRAM, .seq = ask->program.seq + 1,
	};
	for (n = 0; n < ask->nr && !ask->is_paused; n++) {
		w = &ask->watch[n];
		if (!w->bound)
			continue;
		block = block_of(ask, w);
		if (block)
			slot_fill(&next->slot[n], w, block);
		else
			w->err = -ERANGE;
	}
}

void ask_paused(struct ask *ask, bool on, uint64_t now)
{
	if (ask->is_paused == on)
		return;
	if (on)
		ask->paused_since = now;
	else
		ask->paused_ns += now - ask->paused_since;
	ask->is_paused = on;
}

void ask_nothing(struct ask *ask)
{
	unsigned int n;

	for (n = 0; n < ask->nr; n++)
		ask->watch[n].bound = false;
}

/* ---- counts --------------------------------------------------------------------------- */

static void counts_add(struct agent_counts *to, const struct agent_counts *c)
{
	to->counted += c->counted;
	to->strays += c->strays;
	to->undecided += c->undecided;
	to->lost += c->lost;
}

static void watch_ends(struct ask_watch *w)
{
	counts_add(&w->total, &w->now);
	w->now = (struct agent_counts){ 0 };
}

void ask_counted(struct ask *ask, const struct agent_counts counts[AGENT_SLOTS])
{
	unsigned int n;

	for (n = 0; n < ask->nr; n++)
		if (ask->program.slot[n].on)
			ask->watch[n].now = counts[n];
}

void ask_answered(struct ask *ask, const struct agent_program *next,
		  const struct agent_ack *ack)
{
	struct ask_watch *w;
	unsigned int n;

	ask_counted(ask, ack->counts);
	for (n = 0; n < ask->nr; n++) {
		w = &ask->watch[n];
		if (memcmp(&next->slot[n], &ask->program.slot[n], sizeof(next->slot[n])))
			watch_ends(w);
		if (next->slot[n].on)
			w->err = ack->err[n];
	}
	ask->program = *next;
}

void ask_ended(struct ask *ask, const struct agent_ack *bye, uint64_t now)
{
	unsigned int n;

	if (bye)
		ask_counted(ask, bye->counts);
	for (n = 0; n < ask->nr; n++) {
		watch_ends(&ask->watch[n]);
		ask->watch[n].bound = false;
	}
	ask_paused(ask, false, now);
	memset(&ask->program, 0, sizeof(ask->program));
}
