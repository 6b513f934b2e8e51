/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_IDS_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_IDS_H

#include <linux/types.h>

#include "place.h"

struct gpubp_wave_info;
struct gpubp_waves;
struct sim_ctx;

/**
 * struct sim_ids - waves that a call names
 * @ctx: their context
 * @id: wave ids
 * @one: of a call for one wave, which needs no memory
 * @nr: entries of @id
 * @all: all waves of the context: a wave that ends is no error
 */
struct sim_ids {
	struct sim_ctx *ctx;
	u64 *id;
	u64 one;
	unsigned int nr;
	bool all;
};

int sim_ids_collect(struct sim_ids *ids, const struct gpubp_waves *waves);
void sim_ids_free(struct sim_ids *ids);
struct sim_place sim_ids_find(const struct sim_ids *ids, unsigned int i);

/* gpubp_ops */
int sim_list_waves(void *ctx, struct gpubp_wave_info *out, unsigned int max);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_IDS_H */
