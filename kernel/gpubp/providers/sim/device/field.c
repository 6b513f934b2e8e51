// SPDX-License-Identifier: GPL-2.0
/* Names and valid values of the configuration fields. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "config.h"
#include "device.h"
#include "field.h"

static const char * const personalities[] = {
	[SIM_GFX90A]	= "gfx90a",
	[SIM_GFX900]	= "gfx900",
	[SIM_GFX942]	= "gfx942",
};

static const char * const residencies[] = {
	[GPUBP_RESIDENCY_REPORTED]	= "reported",
	[GPUBP_RESIDENCY_RESERVED]	= "reserved_vmid",
	[GPUBP_RESIDENCY_FIRMWARE]	= "firmware",
};

/* all fields are stored as u32 */
#define FIELD(_name, _field, ...)					     \
	{								     \
		.name = (_name),					     \
		.offset = offsetof(struct sim_config, _field) +		     \
			  BUILD_BUG_ON_ZERO(sizeof_field(struct sim_config, \
							 _field) != 4),	     \
		__VA_ARGS__						     \
	}
#define WORDS(_words)	.words = (_words), .max = ARRAY_SIZE(_words) - 1
#define NUMBER(_min, _max) .min = (_min), .max = (_max)

const struct sim_field sim_fields[SIM_NR_FIELDS] = {
	[SIM_FIELD_PERSONALITY]	= FIELD("personality", personality,
					WORDS(personalities)),
	[SIM_FIELD_RESIDENCY]	= FIELD("residency", residency,
					WORDS(residencies)),
	[SIM_FIELD_CUS]		= FIELD("cus", nr_cus, NUMBER(1, SIM_MAX_CUS)),
	[SIM_FIELD_SIMD_SLOTS]	= FIELD("simd_slots", simd_slots,
					NUMBER(1, SIM_SIMD_SLOTS)),
	[SIM_FIELD_WATCHES]	= FIELD("watches", nr_watch,
					NUMBER(1, GPUBP_MAX_SLOTS)),
	[SIM_FIELD_GRANULE]	= FIELD("granule", granule,
					NUMBER(64, 128), .pow2 = true),
	[SIM_FIELD_VMIDS]	= FIELD("vmids", nr_vmids,
					NUMBER(1, SIM_NR_VMIDS - 1)),
	[SIM_FIELD_IH_ENTRIES]	= FIELD("ih_entries", ih_entries,
					NUMBER(1, 65536)),
	[SIM_FIELD_SKID]	= FIELD("skid", skid, NUMBER(0, 64)),
	[SIM_FIELD_QUANTUM_MS]	= FIELD("quantum_ms", quantum_ms,
					NUMBER(1, 10000)),
	[SIM_FIELD_PREEMPT_MS]	= FIELD("preempt_ms", preempt_ms,
					NUMBER(1, 60000)),
	[SIM_FIELD_TERNARY]	= FIELD("ternary", ternary, NUMBER(0, 1)),
	[SIM_FIELD_TTMPS]	= FIELD("ttmps", ttmps, NUMBER(0, 1)),
	[SIM_FIELD_END_HALTS]	= FIELD("end_halts", end_halts, NUMBER(0, 1)),
};

static u32 field_get(const struct sim_config *config,
		     const struct sim_field *field)
{
	return *(const u32 *)((const void *)config + field->offset);
}

static bool field_value_ok(const struct sim_field *field, u32 value)
{
	return value >= field->min && value <= field->max &&
	       (!field->pow2 || is_power_of_2(value));
}

/** sim_field_ok() - is the field's value valid? */
bool sim_field_ok(const struct sim_config *config,
		  const struct sim_field *field)
{
	return field_value_ok(field, field_get(config, field));
}

static int field_parse(const struct sim_field *field, const char *text,
		       u32 *value)
{
	int i;

	if (!field->words)
		return kstrtou32(text, 0, value);
	i = __sysfs_match_string(field->words, field->max + 1, text);
	*value = i;
	return min(i, 0);
}

/**
 * sim_field_set() - set a field from text, with or without a newline
 * @config: configuration
 * @field: field
 * @text: a word or a number
 *
 * Return: 0, or -EINVAL and @config is unchanged.
 */
int sim_field_set(struct sim_config *config, const struct sim_field *field,
		  const char *text)
{
	u32 value;

	if (field_parse(field, text, &value) || !field_value_ok(field, value))
		return -EINVAL;
	*(u32 *)((void *)config + field->offset) = value;
	return 0;
}

/*
 * sim_field_show() - format a field without a newline; returns bytes written
 */
int sim_field_show(const struct sim_config *config,
		   const struct sim_field *field, char *buf, size_t size)
{
	u32 value = field_get(config, field);

	if (field->words)
		return scnprintf(buf, size, "%s", field->words[value]);
	return scnprintf(buf, size, "%u", value);
}

static int field_show_words(const struct sim_field *field, char *buf,
			    size_t size)
{
	int n = 0;
	u32 i;

	for (i = 0; i <= field->max; i++)
		n += scnprintf(buf + n, size - n, "%s%s", i ? " or " : "",
			       field->words[i]);
	return n;
}

/*
 * sim_field_range() - format the valid values of a field; returns bytes written
 */
int sim_field_range(const struct sim_field *field, char *buf, size_t size)
{
	if (field->words)
		return field_show_words(field, buf, size);
	return scnprintf(buf, size, "%s%u to %u",
			 field->pow2 ? "a power of two from " : "",
			 field->min, field->max);
}
