// SPDX-License-Identifier: GPL-2.0
/* What a software GPU is by default, and what it cannot be. */
#include <linux/errno.h>
#include <linux/minmax.h>

#include "config.h"
#include "device.h"

/** sim_config_init() - the default: gfx90a with four comparators */
void sim_config_init(struct sim_config *config)
{
	*config = (struct sim_config){
		.personality	= SIM_GFX90A,
		.residency	= GPUBP_RESIDENCY_REPORTED,
		.nr_cus		= 2,
		.simd_slots	= SIM_SIMD_SLOTS,
		.nr_watch	= 4,
		.granule	= 64,
		.nr_vmids	= SIM_NR_VMIDS - 1,
		.ih_entries	= 256,
		.skid		= 4,
		.quantum_ms	= 20,
		.preempt_ms	= 2000,
	};
}

/** sim_config_check() - 0, or -EINVAL if there is no such GPU */
int sim_config_check(const struct sim_config *config)
{
	if (config->personality > SIM_GFX900 ||
	    config->residency > GPUBP_RESIDENCY_FIRMWARE ||
	    !in_range(config->nr_cus, 1, SIM_MAX_CUS) ||
	    !in_range(config->simd_slots, 1, SIM_SIMD_SLOTS) ||
	    !in_range(config->nr_watch, 1, GPUBP_MAX_SLOTS) ||
	    (config->granule != 64 && config->granule != 128) ||
	    !in_range(config->nr_vmids, 1, SIM_NR_VMIDS - 1) ||
	    !in_range(config->ih_entries, 1, 65536) ||
	    config->skid > 64 ||
	    !in_range(config->quantum_ms, 1, 10000) ||
	    !in_range(config->preempt_ms, 1, 60000))
		return -EINVAL;
	return 0;
}
