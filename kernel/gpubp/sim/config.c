// SPDX-License-Identifier: GPL-2.0
/* What a software GPU is by default, and what it cannot be. */
#include <linux/errno.h>

#include "config.h"
#include "device.h"
#include "field.h"

/** sim_config_init() - the default: gfx90a with four comparators */
void sim_config_init(struct sim_config *config)
{
	*config = (struct sim_config)SIM_CONFIG_DEFAULT;
}

/** sim_config_check() - 0, or -EINVAL if there is no such GPU */
int sim_config_check(const struct sim_config *config)
{
	int i;

	for (i = 0; i < SIM_NR_FIELDS; i++)
		if (!sim_field_ok(config, &sim_fields[i]))
			return -EINVAL;
	return 0;
}
