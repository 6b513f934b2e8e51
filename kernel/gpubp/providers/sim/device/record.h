/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_RECORD_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_RECORD_H

#include <linux/types.h>

struct gpubp_trap_record;
struct sim_slot;

bool sim_record_read(struct sim_slot *slot, struct gpubp_trap_record *out);
bool sim_record_is_step(const struct sim_slot *slot,
			const struct gpubp_trap_record *record);
bool sim_record_sent_step(struct sim_slot *slot);
void sim_record_set_seen(struct sim_slot *slot);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_RECORD_H */
