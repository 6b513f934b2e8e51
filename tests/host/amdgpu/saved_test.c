// SPDX-License-Identifier: GPL-2.0
/* Queues that were taken off the GPU: which may have waves of before. */
#include "../tap.h"
#include "saved.h"

#define STACK	0x2000

static const struct {
	const char *name;
	struct gpubp_amd_saved saved;
	bool waves;
} cases[] = {
	{ "as the descriptor was made: nothing has run", { STACK, STACK }, false },
	{ "one entry", { STACK, STACK - 4 }, true },
	{ "a full stack", { STACK, 0 }, true },
	{ "no waves are saved on this GPU", { 0, 0 }, false },
	{ "an offset behind the stack", { STACK, STACK + 4 }, true },
	{ "an offset without a stack", { 0, 4 }, true },
};

#define NR_CASES	(int)(sizeof(cases) / sizeof(cases[0]))

int main(void)
{
	int i;

	tap_plan(NR_CASES);
	for (i = 0; i < NR_CASES; i++)
		tap_ok(gpubp_amd_saved_waves(&cases[i].saved) == cases[i].waves,
		       "%s", cases[i].name);
	return tap_status();
}
