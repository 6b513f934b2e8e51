/* SPDX-License-Identifier: GPL-2.0 */
/* Catches: events whose hits hold their waves for a session. */
#ifndef SELFTESTS_CATCH_H
#define SELFTESTS_CATCH_H

#include <stdint.h>
#include <unistd.h>
#include "session.h"
#include "waves.h"

#define CATCH_PATIENCE	60	/* s */

/** catch() - GPUBP_CATCH of an event, by the owner's attachment */
static inline int catch(struct owner *o, int fd)
{
	struct gpubp_catch c = { .event = o->id, .fd = fd };

	return session_call(o->session, GPUBP_CATCH, &c);
}

/** uncatch() - GPUBP_UNCATCH */
static inline int uncatch(struct owner *o, int fd)
{
	struct gpubp_catch c = { .event = o->id, .id = session_id(fd) };

	return session_call(o->session, GPUBP_UNCATCH, &c);
}

/** nr_caught() - waves that hits hold for the owner: how many, and their entries */
static inline int nr_caught(struct owner *o, struct gpubp_wave_entry *caught)
{
	struct gpubp_wave_entry e[MAX_WAVES];
	int i, nr = 0, n = list(o, e, MAX_WAVES);

	for (i = 0; i < n && i < MAX_WAVES; i++)
		if (e[i].flags & GPUBP_WAVE_CAUGHT)
			caught[nr++] = e[i];
	return nr;
}

/** await_caught() - wait until there are @nr; how many there are in the end */
static inline int await_caught(struct owner *o, struct gpubp_wave_entry *caught, int nr)
{
	int n = 0, ms;

	for (ms = 0; n < nr && ms < CATCH_PATIENCE * 1000; ms++) {
		n = nr_caught(o, caught);
		if (n < nr)
			usleep(1000);
	}
	return n;
}

/** step_displaced() - a whole displaced step of a held wave; 0 or a negative errno */
static inline int step_displaced(struct owner *o, uint64_t wave)
{
	struct gpubp_displaced d = {};

	return displaced(o, GPUBP_DISPLACED_START, wave, &d) ?: step(o, wave) ?:
	       displaced(o, GPUBP_DISPLACED_COMPLETE, wave, &d);
}

#endif /* SELFTESTS_CATCH_H */
