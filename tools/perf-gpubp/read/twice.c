// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "twice.h"

static unsigned int nr_kept(const struct twice *twice)
{
	return twice->nr < TWICE_MAX ? twice->nr : TWICE_MAX;
}

bool twice_is_known(struct twice *twice, const struct twice_sample *sample)
{
	unsigned int i;

	if (twice->nr && twice->sample[0].hit.time != sample->hit.time)
		twice->nr = 0;
	for (i = 0; i < nr_kept(twice); i++)
		if (sample->hit.time && !memcmp(&twice->sample[i], sample, sizeof(*sample)))
			return true;
	twice->sample[twice->nr++ % TWICE_MAX] = *sample;
	return false;
}
