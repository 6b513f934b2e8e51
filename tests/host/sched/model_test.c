// SPDX-License-Identifier: GPL-2.0
/*
 * The model check of tests/kunit, in user space.
 *
 *	GPUBP_STEPS=10000000	number of steps; a million by default
 *	GPUBP_SEED=N		first seed; "random": another one in each run
 *
 * A run that breaks a rule prints its seed and step, and can be repeated alone.
 */
#include <stdlib.h>

#include <linux/kernel.h>

#include "../tap.h"
#include "model.h"
#include "world.h"

#define STEPS		1000000
#define WORLD		5000	/* steps */

static u64 steps_wanted(void)
{
	const char *text = getenv("GPUBP_STEPS");

	return text ? strtoull(text, NULL, 0) : STEPS;
}

int main(void)
{
	static struct model m;
	u64 seed, steps, done = 0, quanta = 0, worlds = 0;
	bool ok = true;

	tap_plan(1);
	seed = world_seed();
	steps = steps_wanted();
	for (; ok && done < steps; done += WORLD, worlds++) {
		ok = model_run(&m, seed + worlds, WORLD);
		quanta += m.quanta;
	}
	tap_ok(ok, "%llu steps in %llu worlds, %llu quanta%s%s", done, worlds,
	       quanta, ok ? "" : ": ", ok ? "" : m.broken);
	return tap_status();
}
