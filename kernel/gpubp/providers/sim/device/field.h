/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of struct sim_config as text: module parameters, configfs. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_FIELD_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_FIELD_H

#include <linux/types.h>

struct sim_config;

enum sim_field_nr {
	SIM_FIELD_PERSONALITY,
	SIM_FIELD_RESIDENCY,
	SIM_FIELD_CUS,
	SIM_FIELD_SIMD_SLOTS,
	SIM_FIELD_WATCHES,
	SIM_FIELD_GRANULE,
	SIM_FIELD_VMIDS,
	SIM_FIELD_IH_ENTRIES,
	SIM_FIELD_SKID,
	SIM_FIELD_QUANTUM_MS,
	SIM_FIELD_PREEMPT_MS,
	SIM_FIELD_TERNARY,
	SIM_FIELD_TTMPS,
	SIM_FIELD_END_HALTS,
	SIM_NR_FIELDS,
};

/**
 * struct sim_field - a field of struct sim_config
 * @name: name of the parameter and of the file
 * @words: words for the values from 0 on; NULL for a number
 * @offset: in struct sim_config
 * @min: smallest value
 * @max: largest value
 * @pow2: only powers of two
 */
struct sim_field {
	const char *name;
	const char * const *words;
	u16 offset;
	u32 min;
	u32 max;
	bool pow2;
};

extern const struct sim_field sim_fields[SIM_NR_FIELDS];

#define SIM_FIELD_TEXT	64	/* buffer size for a field or a range */

int sim_field_set(struct sim_config *config, const struct sim_field *field,
		  const char *text);
int sim_field_show(const struct sim_config *config,
		   const struct sim_field *field, char *buf, size_t size);
int sim_field_range(const struct sim_field *field, char *buf, size_t size);
bool sim_field_ok(const struct sim_config *config,
		  const struct sim_field *field);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_FIELD_H */
