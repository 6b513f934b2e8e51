// SPDX-License-Identifier: GPL-2.0
#include "pool.h"
#include "state.h"

#define POOL	256

static struct {
	const struct resource *res;
	uint64_t value;
} pool[POOL];
static unsigned int nr;		/* added so far; the last POOL are kept */

void pool_add(const struct resource *res, uint64_t value)
{
	pool[nr % POOL].res = res;
	pool[nr++ % POOL].value = value;
	state->published[res->nr] = value;
}

void pool_drop_fd(uint64_t fd)
{
	unsigned int i;

	for (i = 0; i < POOL; i++)
		if (syntax_is_a(pool[i].res, syntax_resource("fd")) &&
		    pool[i].value == fd)
			pool[i].res = NULL;
}

uint64_t pool_have(void)
{
	const struct resource *res;
	uint64_t have = 0;
	unsigned int i;

	for (i = 0; i < POOL; i++)
		for (res = pool[i].res; res; res = res->base)
			have |= 1ULL << res->nr;
	return have;
}

uint64_t pool_pick(const struct resource *res, uint64_t choice, bool foreign)
{
	unsigned int found[POOL], n = 0, i;

	if (foreign)
		return state->published[res->nr];
	for (i = 1; i <= POOL && i <= nr; i++)
		if (syntax_is_a(pool[(nr - i) % POOL].res, res))
			found[n++] = (nr - i) % POOL;
	if (!n)
		return ~0ULL;
	/* resources made by one call fit together */
	if (choice % 8 < 6)
		n = 1;
	return pool[found[(choice >> 3) % n]].value;
}
