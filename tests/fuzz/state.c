// SPDX-License-Identifier: GPL-2.0
#include <sys/mman.h>
#include "state.h"

struct state *state;

bool state_init(void)
{
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return state != MAP_FAILED;
}
