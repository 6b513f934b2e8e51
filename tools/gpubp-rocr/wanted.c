// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "asker.h"
#include "session.h"
#include "wanted.h"

/* ---- messages ----------------------------------------------------------------------- */

static void all_counts(struct wanted *w, struct agent_counts counts[AGENT_SLOTS])
{
	unsigned int n;

	memset(counts, 0, AGENT_SLOTS * sizeof(*counts));
	for (n = 0; w->session && n < AGENT_SLOTS; n++)
		session_counts(w->session, n, &counts[n]);
}

bool wanted_hits(struct wanted *w)
{
	static unsigned char places[AGENT_BATCH][AGENT_PLACE] __attribute__((aligned(8)));
	struct agent_hits hits = { .type = AGENT_HITS };

	if (!w->session || !session_read(w->session, &hits, places, AGENT_BATCH))
		return false;
	all_counts(w, hits.counts);
	w->gone |= !w->asker->hits(&hits, places);
	return true;
}

/* ---- what is wanted ------------------------------------------------------------------ */

/* one whose wave was killed while it stored it does not become complete */
void wanted_drain(struct wanted *w)
{
	const uint32_t head = w->session ? session_head(w->session) : 0;
	unsigned int tries = 0;

	while (w->session && !w->gone && !session_is_drained(w->session, head)) {
		if (wanted_hits(w)) {
			tries = 0;
		} else if (tries++ < FILL_TRIES) {
			poll(NULL, 0, FILL_MS);
		} else {
			session_skip(w->session);
			tries = 0;
		}
	}
}

static bool is_same(const struct agent_slot *a, const struct agent_slot *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/**
 * enum change - what a program does to a slot
 * @STAYS: nothing
 * @UPDATED: its block stays
 * @ANEW: it is cleared and, if it is on, set
 */
enum change {
	STAYS,
	UPDATED,
	ANEW,
};

static enum change change_of(const struct wanted *w, unsigned int n, const struct agent_slot *is)
{
	const struct agent_slot *was = &w->program.slot[n];

	if (is_same(was, is))
		return STAYS;
	return w->asker->updates && !w->err[n] && was->on && is->on && agent_same_block(was, is) ?
	       UPDATED : ANEW;
}

/* it has been cleared; a debugger may have the session's place */
static void set_slot(struct wanted *w, unsigned int n, const struct agent_slot *slot)
{
	if (!slot->on)
		w->err[n] = 0;
	else
		w->err[n] = w->session ? session_set(w->session, n, slot) : -EBUSY;
}

static void clear_slot(struct wanted *w, unsigned int n)
{
	if (w->session)
		session_clear(w->session, n);
}

/* Return: bitmap of the slots that count from 0 */
static uint32_t set_slots(struct wanted *w, const struct agent_program *wanted,
			  const enum change change[AGENT_SLOTS])
{
	uint32_t anew = 0;
	unsigned int n;

	for (n = 0; n < AGENT_SLOTS; n++) {
		if (change[n] == STAYS ||
		    (change[n] == UPDATED && w->session &&
		     !session_update(w->session, n, &wanted->slot[n])))
			continue;
		clear_slot(w, n);
		set_slot(w, n, &wanted->slot[n]);
		anew |= 1u << n;
	}
	return anew;
}

/*
 * The counts of slots that are cleared are final when all hits have been sent. Their
 * numbers are sent before a comparator gets another slot.
 */
static void take_program(struct wanted *w, const struct agent_program *wanted)
{
	struct agent_ack ack = { .type = AGENT_ACK, .seq = wanted->seq };
	enum change change[AGENT_SLOTS];
	unsigned int n;
	uint32_t anew;

	/* no wave waits for a place while comparators change: now there are many */
	wanted_drain(w);
	for (n = 0; n < AGENT_SLOTS; n++) {
		change[n] = change_of(w, n, &wanted->slot[n]);
		if (change[n] == ANEW)
			clear_slot(w, n);
	}
	wanted_drain(w);
	all_counts(w, ack.counts);
	w->program = *wanted;
	anew = set_slots(w, wanted, change);
	memcpy(ack.err, w->err, sizeof(ack.err));
	w->gone |= !w->asker->ack(&ack, anew);
}

void wanted_program(struct wanted *w, bool wait)
{
	struct agent_program program;
	int ret = w->asker->program(&program, wait);

	w->gone |= ret < 0;
	if (ret > 0)
		take_program(w, &program);
}

bool wanted_is_nothing(const struct wanted *w)
{
	unsigned int n;

	for (n = 0; n < AGENT_SLOTS; n++)
		if (w->program.slot[n].on)
			return false;
	return true;
}

void wanted_counts(struct wanted *w)
{
	struct agent_counts counts[AGENT_SLOTS];

	/* also if they are not said: waves count in 32 bits */
	all_counts(w, counts);
	if (w->asker->counts)
		w->gone |= !w->asker->counts(counts);
}

void wanted_end(struct wanted *w)
{
	struct agent_ack ack = { .type = AGENT_BYE, .seq = w->program.seq };
	unsigned int n;

	for (n = 0; n < AGENT_SLOTS; n++)
		clear_slot(w, n);
	if (w->gone)
		return;
	wanted_drain(w);
	memcpy(ack.err, w->err, sizeof(ack.err));
	all_counts(w, ack.counts);
	w->asker->bye(&ack);
}
