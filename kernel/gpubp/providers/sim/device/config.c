// SPDX-License-Identifier: GPL-2.0
/* Default configuration of a software GPU, and its checks. */
#include <linux/errno.h>

#include "../../../isa/gfx9/trap.h"
#include "config.h"
#include "device.h"
#include "field.h"

/** sim_config_init() - the default: gfx90a with four comparators */
void sim_config_init(struct sim_config *config)
{
	*config = (struct sim_config)SIM_CONFIG_DEFAULT;
}

/** sim_config_check() - 0, or -EINVAL if the configuration is not valid */
int sim_config_check(const struct sim_config *config)
{
	int i;

	for (i = 0; i < SIM_NR_FIELDS; i++)
		if (!sim_field_ok(config, &sim_fields[i]))
			return -EINVAL;
	/* one VMID is reserved, the others need at least one */
	if (config->residency == GPUBP_RESIDENCY_RESERVED &&
	    config->nr_vmids < 2)
		return -EINVAL;
	return 0;
}

/* index: [more comparators than silicon has][enum sim_personality] */
static const struct gpubp_isa * const isas[2][3] = {
	{
		[SIM_GFX90A] = &gpubp_isa_gfx90a,
		[SIM_GFX900] = &gpubp_isa_gfx900,
		[SIM_GFX942] = &gpubp_isa_gfx942,
	}, {
		[SIM_GFX90A] = &gpubp_isa_gfx90a_16,
		[SIM_GFX900] = &gpubp_isa_gfx900_16,
		[SIM_GFX942] = &gpubp_isa_gfx942_16,
	},
};

/** sim_config_isa() - the ISA table for the core */
const struct gpubp_isa *sim_config_isa(const struct sim_config *config)
{
	return isas[config->nr_watch > SIM_WATCH_FAR][config->personality];
}

/** sim_config_arch() - the instruction set for the decoder */
enum gfx9_arch sim_config_arch(const struct sim_config *config)
{
	switch (config->personality) {
	case SIM_GFX900:
		return GFX9_GFX900;
	case SIM_GFX942:
		return GFX9_GFX942;
	default:
		return GFX9_GFX90A;
	}
}
