// SPDX-License-Identifier: GPL-2.0
/* Spec: attr.config, config1 and config2, checked bit by bit. */
#include <kunit/visibility.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/errno.h>
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
		.len = attr->config2,
		.precise_ip = attr->precise_ip,
	};
}

static int check_watch(struct gpubp_spec *spec)
{
	u64 end;

	if (!spec->len || check_add_overflow(spec->addr, spec->len - 1, &end))
		return -EINVAL;
	if (spec->code && !spec->named)
		return -EINVAL;
	if (spec->changed && spec->len > GPUBP_CHANGED_MAX)
		return -EINVAL;
	if (!spec->access)
		spec->access = GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC;
	return 0;
}

/* each member has its own bytes and kinds of access */
static int check_set(const struct gpubp_spec *spec,
		     const struct perf_event_attr *attr)
{
	if (spec->access || spec->changed || spec->named || spec->meter ||
	    spec->addr || spec->len || !spec->code)
		return -EINVAL;
	/* members may change, so there is no fixed number to reserve */
	return attr->pinned ? -EOPNOTSUPP : 0;
}

/* fields that only a watch on a range of bytes uses */
static bool has_watch_fields(const struct gpubp_spec *spec)
{
	return spec->access || spec->changed || spec->meter ||
	       spec->possible || spec->len;
}

static int check_break(const struct gpubp_spec *spec)
{
	if (has_watch_fields(spec) || (spec->code && !spec->named))
		return -EINVAL;
	return 0;
}

/* code is the trap id; 0 is reserved for hardware */
static int check_trap(const struct gpubp_spec *spec)
{
	if (has_watch_fields(spec) || spec->named || spec->addr ||
	    !spec->code || spec->code > U8_MAX)
		return -EINVAL;
	return 0;
}

static int check_exception(const struct gpubp_spec *spec)
{
	if (has_watch_fields(spec) || spec->named || spec->addr ||
	    (spec->code & ~GPUBP_EXC_ALL))
		return -EINVAL;
	return 0;
}

static int check_kind(struct gpubp_spec *spec,
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
		return -EINVAL;
	}
}

/* possible hits are never exact; of lost hits only the number is known */
static int check_part(const struct gpubp_spec *spec,
		      const struct perf_event_attr *attr)
{
	if (spec->possible && (spec->lost || spec->meter || spec->precise_ip))
		return -EINVAL;
	if (spec->lost && (spec->changed || spec->meter || spec->precise_ip ||
			   attr->sample_period))
		return -EINVAL;
	return 0;
}

/**
 * gpubp_spec_decode() - decode and check the attr of an event
 * @attr: attr of an event of PMU gpubp
 * @spec: result
 *
 * Pure. Return: 0, -EINVAL (an undefined bit, a field that the kind does not
 * use, len 0, a range that wraps), -EOPNOTSUPP (a kind that is not supported, a
 * pinned set).
 */
int gpubp_spec_decode(const struct perf_event_attr *attr,
		      struct gpubp_spec *spec)
{
	if ((attr->config & ~CONFIG_KNOWN) || attr->config3 ||
	    gpubp_attr_config4(attr))
		return -EINVAL;
	spec_fields(attr, spec);
	return check_kind(spec, attr) ?: check_part(spec, attr);
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
	       a->serial == b->serial;
}
