// SPDX-License-Identifier: GPL-2.0
/* What random programs do: kernels, where they access, what they watch. */
#include <stdlib.h>
#include "shadow_program.h"

#define LOAD	GPUBP_ACCESS_LOAD
#define STORE	GPUBP_ACCESS_STORE
#define ATOMIC	GPUBP_ACCESS_ATOMIC

static const struct shadow_kernel shadow_kernels[] = {
	{ "store8", 1, STORE, 0 },
	{ "store16", 2, STORE, 0 },
	{ "store16_high", 2, STORE, QUIRK_CONVERTS },
	{ "store32", 4, STORE, 0 },
	{ "store64", 8, STORE, 0 },
	{ "store96", 12, STORE, 0 },
	{ "store128", 16, STORE, 0 },
	{ "store_same", 4, STORE, 0 },
	{ "store64_flat", 8, STORE, 0 },
	{ "store64_offset", 8, STORE, 0 },
	{ "store32_base", 4, STORE, 0 },
	{ "load8", 1, LOAD, 0 },
	{ "load8_signed", 1, LOAD, QUIRK_CONVERTS },
	{ "load16", 2, LOAD, 0 },
	{ "load16_high", 2, LOAD, QUIRK_CONVERTS },
	{ "load32", 4, LOAD, 0 },
	{ "load64", 8, LOAD, 0 },
	{ "load96", 12, LOAD, 0 },
	{ "load128", 16, LOAD, 0 },
	{ "load64_flat", 8, LOAD, 0 },
	{ "load32_base", 4, LOAD, 0 },
	{ "load32_eats", 4, LOAD, QUIRK_EATS },
	{ "add32", 4, ATOMIC, 0 },
	{ "add64", 8, ATOMIC, 0 },
	{ "swap32", 4, ATOMIC, 0 },
	{ "cmpswap32", 4, ATOMIC, 0 },
	{ "cmpswap64", 8, ATOMIC, 0 },
	{ "add32_returning", 4, ATOMIC, 0 },
	{ "add64_returning", 8, ATOMIC, 0 },
	{ "swap32_returning", 4, ATOMIC, 0 },
	{ "cmpswap32_returning", 4, ATOMIC, 0 },
	{ "cmpswap64_returning", 8, ATOMIC, 0 },
	{ "add32_loses", 4, ATOMIC, QUIRK_LOSES },
};

#define NR_KERNELS	(sizeof(shadow_kernels) / sizeof(shadow_kernels[0]))

unsigned int random_below(unsigned int n)
{
	return (unsigned int)random() % n;
}

static unsigned int min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* [lo, hi): mapped bytes on both sides of a page */
struct run {
	unsigned int lo;
	unsigned int hi;
};

static struct run run_of(const struct shadow *s, unsigned int page)
{
	struct run run = { page, page };

	while (run.lo && s->mapped[run.lo - 1])
		run.lo--;
	while (run.hi < SHADOW_PAGES && s->mapped[run.hi])
		run.hi++;
	run.lo *= SHADOW_PAGE;
	run.hi *= SHADOW_PAGE;
	return run;
}

/* a byte that some lane is to access: often a watched one, or near the end of a page */
static unsigned int launch_target(const struct shadow *s)
{
	const struct shadow_watch *w = &s->watches[random_below(SHADOW_WATCHES)];
	unsigned int at = random_below(SHADOW_SIZE);

	if (w->fd >= 0 && w->bound && random_below(8))
		return w->place + random_below(w->len);
	if (!random_below(2))
		at = at / SHADOW_PAGE * SHADOW_PAGE + SHADOW_PAGE - 1 - random_below(4);
	return at;
}

static unsigned int launch_stride(const struct shadow_kernel *k)
{
	static const unsigned int times[] = { 0, 1, 1, 2, 3 };
	unsigned int stride = k->width * times[random_below(5)];

	/* an atomic that is not aligned is a fault of the program */
	if (k->access == ATOMIC)
		return stride;
	switch (random_below(4)) {
	case 0:
		return stride + random_below(4);
	case 1:
		return random_below(k->width + 1);
	default:
		return stride;
	}
}

static uint64_t launch_mask(void)
{
	switch (random_below(4)) {
	case 0:
		return 1ULL << random_below(64);
	case 1:
		return (uint64_t)random() << 33 ^ (uint64_t)random() << 15 ^ (uint64_t)random();
	default:
		return ~0ULL;
	}
}

static unsigned int launch_span(const struct shadow_launch *l)
{
	return l->stride * ((64 * l->groups - 1) & l->wrap) + l->kernel->width;
}

bool shadow_launch_make(struct shadow *s)
{
	struct shadow_launch *l = &s->launch;
	unsigned int target = launch_target(s), tries = 8, back;
	struct run run;

	while (!shadow_is_mapped(s, target, 1) && tries--)
		target = launch_target(s);
	if (!shadow_is_mapped(s, target, 1))
		return false;
	run = run_of(s, target / SHADOW_PAGE);
	*l = (struct shadow_launch){
		.kernel = &shadow_kernels[random_below(NR_KERNELS)],
		.groups = 1,
		.wrap = random_below(2) ? ~0U : (1U << random_below(7)) - 1,
		.mask = launch_mask(),
		.salt = (unsigned int)random(),
	};
	l->stride = launch_stride(l->kernel);
	if (l->wrap == ~0U && l->stride >= l->kernel->width)
		l->groups = 1 + random_below(SHADOW_GROUPS);
	while (launch_span(l) > run.hi - run.lo && l->groups > 1)
		l->groups--;
	back = l->stride * (random_below(64 * l->groups) & l->wrap) +
	       random_below(l->kernel->width);
	l->at = target - min(back, target - run.lo);
	l->at = min(l->at, run.hi - launch_span(l));
	if (l->kernel->access == ATOMIC)
		l->at -= l->at % l->kernel->width;
	return true;
}

void shadow_watch_make(struct shadow_watch *w)
{
	static const unsigned int lens[] = { 1, 2, 3, 4, 8, 13, 64, 100, 1000 };
	unsigned int size;

	w->len = lens[random_below(sizeof(lens) / sizeof(lens[0]))];
	w->access = random_below(2) ? EVENT_ANY : 1 + random_below(EVENT_ANY);
	w->named = !random_below(3);
	size = w->named ? SHADOW_PAGE : SHADOW_SIZE;
	w->start = random_below(size - w->len + 1);
	/* across the end of a page, sometimes */
	if (!w->named && !random_below(3))
		w->start = SHADOW_PAGE * (1 + random_below(SHADOW_PAGES - 1)) -
			   random_below(w->len + 1);
	w->start = min(w->start, size - w->len);
	w->bound = false;
	w->place = SHADOW_SIZE;
	w->places = 0;
	w->count = 0;
}
