// SPDX-License-Identifier: GPL-2.0
/* Spec: attr.config, config1 and config2, checked bit by bit. */
#include <kunit/visibility.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include <uapi/linux/gpubp.h>

#include "../compat/attr.h"
#include "event.h"

#define CONFIG_KNOWN (GPUBP_CONFIG_KIND | GPUBP_CONFIG_ACCESS |		\
		      GPUBP_CONFIG_PROCESS | GPUBP_CONFIG_CHANGED |	\
		      GPUBP_CONFIG_NAMED | GPUBP_CONFIG_METER |		\
		      GPUBP_CONFIG_POSSIBLE | GPUBP_CONFIG_LOST |	\
		      GPUBP_CONFIG_DEVICE | GPUBP_CONFIG_CODE)

static void spec_fields(const struct perf_event_attr *attr,
			struct gpubp_spec *spec)
{
	u64 config = attr->config;

	*spec = (struct gpubp_spec) {
		.kind = FIELD_GET(GPUBP_CONFIG_KIND, config),
		.access = FIELD_GET(GPUBP_CONFIG_ACCESS, config),
		.process = config & GPUBP_CONFIG_PROCESS,
		.changed = config & GPUBP_CONFIG_CHANGED,
		.named = config & GPUBP_CONFIG_NAMED,
		.meter = config & GPUBP_CONFIG_METER,
		.possible = config & GPUBP_CONFIG_POSSIBLE,
		.lost = config & GPUBP_CONFIG_LOST,
		.device = FIELD_GET(GPUBP_CONFIG_DEVICE, config),
		.code = FIELD_GET(GPUBP_CONFIG_CODE, config),
		.addr = attr->config1,
		.len = FIELD_GET(GPUBP_CONFIG2_LEN, attr->config2),
		.condition = FIELD_GET(GPUBP_CONFIG2_COND, attr->config2),
		.precise_ip = attr->precise_ip,
	};
}

static enum gpubp_reason check_watch(struct gpubp_spec *spec)
{
	u64 end;

	/* of a name: up to the end of its range */
	if (!spec->len && !spec->named)
		return GPUBP_REASON_LEN_ZERO;
	if (spec->len && check_add_overflow(spec->addr, spec->len - 1, &end))
		return GPUBP_REASON_RANGE_WRAPS;
	if (spec->code && !spec->named)
		return GPUBP_REASON_CODE_UNNAMED;
	if (spec->changed && (!spec->len || spec->len > GPUBP_CHANGED_MAX))
		return GPUBP_REASON_CHANGED_TOO_LONG;
	if (!spec->access)
		spec->access = GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC;
	return GPUBP_REASON_NONE;
}

/* each member has its own bytes and kinds of access */
static enum gpubp_reason check_set(const struct gpubp_spec *spec,
				   const struct perf_event_attr *attr)
{
	if (spec->access || spec->changed || spec->named || spec->meter ||
	    spec->addr || spec->len)
		return GPUBP_REASON_SET_FIELDS;
	if (!spec->code)
		return GPUBP_REASON_SET_ID_ZERO;
	/* members may change, so there is no fixed number to reserve */
	return attr->pinned ? GPUBP_REASON_SET_PINNED : GPUBP_REASON_NONE;
}

/* fields that only a watch on a range of bytes uses */
static bool has_watch_fields(const struct gpubp_spec *spec)
{
	return spec->access || spec->changed || spec->meter ||
	       spec->possible || spec->len;
}

static enum gpubp_reason check_break(const struct gpubp_spec *spec)
{
	if (has_watch_fields(spec))
		return GPUBP_REASON_BREAK_FIELDS;
	return spec->code && !spec->named ? GPUBP_REASON_CODE_UNNAMED :
					    GPUBP_REASON_NONE;
}

/* code is the trap id; 0 is reserved for hardware */
static enum gpubp_reason check_trap(const struct gpubp_spec *spec)
{
	if (has_watch_fields(spec) || spec->named || spec->addr)
		return GPUBP_REASON_TRAP_FIELDS;
	if (!spec->code)
		return GPUBP_REASON_TRAP_ID_ZERO;
	return spec->code > U8_MAX ? GPUBP_REASON_TRAP_ID_LARGE :
				     GPUBP_REASON_NONE;
}

static enum gpubp_reason check_exception(const struct gpubp_spec *spec)
{
	if (has_watch_fields(spec) || spec->named || spec->addr)
		return GPUBP_REASON_EXCEPTION_FIELDS;
	return spec->code & ~GPUBP_EXC_ALL ? GPUBP_REASON_EXCEPTION_UNKNOWN :
					     GPUBP_REASON_NONE;
}

static enum gpubp_reason check_kind(struct gpubp_spec *spec,
				    const struct perf_event_attr *attr)
{
	switch (spec->kind) {
	case GPUBP_KIND_WATCH:
		return check_watch(spec);
	case GPUBP_KIND_WATCH_SET:
		return check_set(spec, attr);
	case GPUBP_KIND_BREAK:
		return check_break(spec);
	case GPUBP_KIND_TRAP:
		return check_trap(spec);
	case GPUBP_KIND_EXCEPTION:
		return check_exception(spec);
	default:
		return GPUBP_REASON_UNKNOWN_KIND;
	}
}

/* possible hits are never exact; of lost hits only the number is known */
static enum gpubp_reason check_part(const struct gpubp_spec *spec,
				    const struct perf_event_attr *attr)
{
	if (spec->possible && (spec->lost || spec->meter || spec->precise_ip))
		return GPUBP_REASON_POSSIBLE_FIELDS;
	if (spec->lost && (spec->changed || spec->meter || spec->precise_ip ||
			   attr->sample_period))
		return GPUBP_REASON_LOST_FIELDS;
	return GPUBP_REASON_NONE;
}

/* hits that the handler counts are not looked at, and lost ones are gone */
static enum gpubp_reason check_condition(const struct gpubp_spec *spec)
{
	if (spec->condition && (spec->kind != GPUBP_KIND_WATCH || spec->meter ||
				spec->lost))
		return GPUBP_REASON_COND_FIELDS;
	return GPUBP_REASON_NONE;
}

/**
 * gpubp_spec_decode() - decode and check the attr of an event
 * @attr: attr of an event of PMU gpubp
 * @spec: result
 *
 * Pure. Return: GPUBP_REASON_NONE, or why such an event is refused.
 */
enum gpubp_reason gpubp_spec_decode(const struct perf_event_attr *attr,
				    struct gpubp_spec *spec)
{
	if ((attr->config & ~CONFIG_KNOWN) || attr->config3 ||
	    gpubp_attr_config4(attr))
		return GPUBP_REASON_UNDEFINED_BITS;
	spec_fields(attr, spec);
	return check_condition(spec) ?: check_kind(spec, attr) ?:
	       check_part(spec, attr);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_spec_decode);

/** gpubp_spec_equal() - are two specs equal; pure */
bool gpubp_spec_equal(const struct gpubp_spec *a, const struct gpubp_spec *b)
{
	return a->kind == b->kind && a->access == b->access &&
	       a->process == b->process && a->changed == b->changed &&
	       a->named == b->named && a->meter == b->meter &&
	       a->device == b->device && a->possible == b->possible &&
	       a->lost == b->lost && a->precise_ip == b->precise_ip &&
	       a->code == b->code && a->addr == b->addr && a->len == b->len &&
	       a->condition == b->condition && a->serial == b->serial;
}
