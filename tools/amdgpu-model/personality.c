// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "personality.h"

const struct personality *personality_find(const char *name)
{
	static const struct personality * const all[] = { &personality_gfx90a };
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}
