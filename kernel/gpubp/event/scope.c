// SPDX-License-Identifier: GPL-2.0
/* Scope: the devices that an event asks for, and whether they can serve it. */
#include <linux/errno.h>
#include <linux/list.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../lib/block_cover.h"
#include "../trap/trap.h"
#include "event.h"
#include "scope.h"

/**
 * gpubp_in_scope() - does an event ask for this device, or for all
 * @spec: spec of the event, which has passed gpubp_scope_check()
 * @dev: device
 *
 * Compares serials: a device number may be reused, a serial is not.
 */
bool gpubp_in_scope(const struct gpubp_spec *spec,
		    const struct gpubp_device *dev)
{
	return !spec->device || spec->serial == dev->serial;
}

/* serial of the device that has this number now; gpubp_devices_lock is held */
static u64 device_serial(u8 number)
{
	struct gpubp_device *dev;

	list_for_each_entry(dev, &gpubp_devices, node)
		if (dev->number == number)
			return dev->serial;
	return 0;
}

/** gpubp_may_serve() - does a device have what events of this kind need */
bool gpubp_may_serve(const struct gpubp_spec *spec,
		     const struct gpubp_device *dev)
{
	if (spec->kind == GPUBP_KIND_EXCEPTION)
		return gpubp_exceptions_of(dev, spec->code);
	return gpubp_kind_is_trap(spec->kind) ? dev->can_trap :
						dev->desc.caps.nr_slots;
}

static enum gpubp_reason why_not_served(const struct gpubp_spec *spec)
{
	if (spec->kind == GPUBP_KIND_EXCEPTION)
		return GPUBP_REASON_EXCEPTION_UNREPORTED;
	return gpubp_kind_is_trap(spec->kind) ? GPUBP_REASON_NO_TRAPS :
						GPUBP_REASON_NO_COMPARATORS;
}

/*
 * Exceptions whose pc is exact. An arithmetic exception traps some instructions
 * later, and without precise memory operations so may an access.
 */
static u32 exact_exceptions(const struct gpubp_caps *caps)
{
	return GPUBP_EXC_ILLEGAL | (caps->precise ? GPUBP_EXC_MEM_VIOL : 0);
}

static enum gpubp_reason exception_check(const struct gpubp_spec *spec,
					 const struct gpubp_device *dev)
{
	u32 can = gpubp_exceptions_of(dev, spec->code);

	if (spec->code & ~can)
		return GPUBP_REASON_EXCEPTION_UNREPORTED;
	if (spec->precise_ip && (can & ~exact_exceptions(&dev->desc.caps)))
		return GPUBP_REASON_EXCEPTION_IMPRECISE;
	return GPUBP_REASON_NONE;
}

static enum gpubp_reason break_check(const struct gpubp_spec *spec,
				     const struct gpubp_device *dev)
{
	return spec->addr % dev->desc.isa->insn_align ?
		GPUBP_REASON_BREAK_UNALIGNED : GPUBP_REASON_NONE;
}

/**
 * gpubp_scope_cover() - comparators that a watch needs on a device at worst
 * @spec: spec of the event
 * @dev: device
 *
 * A named watch has no address yet and may straddle a boundary of blocks; one of
 * all bytes of its name has no length, either.
 *
 * Return: 1 or 2, -ERANGE if two blocks cannot cover it, -EINVAL beyond the
 * device's addresses.
 */
int gpubp_scope_cover(const struct gpubp_spec *spec,
		      const struct gpubp_device *dev)
{
	struct gpubp_block_caps cover = gpubp_device_cover(dev);
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
	int nr;

	if (!spec->named)
		return gpubp_block_cover(&cover, spec->addr, spec->len,
					 GPUBP_MAX_BLOCKS, block);
	if (!spec->len)
		return GPUBP_MAX_BLOCKS;
	nr = gpubp_block_cover(&cover, 0, spec->len, GPUBP_MAX_BLOCKS, block);
	return nr < 0 || spec->len == 1 ? nr : GPUBP_MAX_BLOCKS;
}

/* precise_ip 1 asks for an exact pc or an exact address, above 1 for both */
static bool is_precise_enough(const struct gpubp_spec *spec,
			      const struct gpubp_caps *caps)
{
	if (!spec->precise_ip || caps->precise)
		return true;
	return spec->precise_ip == 1 && (caps->hit_fields & GPUBP_HITF_ADDR);
}

/* also of sets, whose members have their own ranges */
static enum gpubp_reason watch_check(const struct gpubp_spec *spec,
				     const struct gpubp_device *dev)
{
	int nr;

	if (!is_precise_enough(spec, &dev->desc.caps))
		return GPUBP_REASON_IMPRECISE;
	if (spec->kind == GPUBP_KIND_WATCH_SET)
		return GPUBP_REASON_NONE;
	nr = gpubp_scope_cover(spec, dev);
	if (nr >= 0)
		return GPUBP_REASON_NONE;
	return nr == -ERANGE ? GPUBP_REASON_RANGE_TOO_LONG :
			       GPUBP_REASON_RANGE_BEYOND;
}

static enum gpubp_reason device_check(const struct gpubp_spec *spec,
				      const struct gpubp_device *dev)
{
	if (!gpubp_may_serve(spec, dev))
		return why_not_served(spec);
	switch (spec->kind) {
	case GPUBP_KIND_BREAK:
		return break_check(spec, dev);
	case GPUBP_KIND_EXCEPTION:
		return exception_check(spec, dev);
	case GPUBP_KIND_TRAP:
		return GPUBP_REASON_NONE;
	default:
		return watch_check(spec, dev);
	}
}

/**
 * gpubp_scope_reason() - why no device can serve this event
 * @spec: spec of an event; sets @spec->serial unless it is set
 *
 * An event for any device may be opened before the first device appears.
 * May sleep.
 *
 * Return: GPUBP_REASON_NONE if a device can, else the reason of the last device
 * in scope.
 */
enum gpubp_reason gpubp_scope_reason(struct gpubp_spec *spec)
{
	enum gpubp_reason reason = spec->device ? GPUBP_REASON_NO_SUCH_DEVICE :
						  GPUBP_REASON_NONE;
	struct gpubp_device *dev;

	guard(mutex)(&gpubp_devices_lock);
	if (spec->device && !spec->serial)
		spec->serial = device_serial(spec->device - 1);
	list_for_each_entry(dev, &gpubp_devices, node) {
		if (!gpubp_in_scope(spec, dev))
			continue;
		reason = device_check(spec, dev);
		if (!reason)
			break;
	}
	return reason;
}

/** gpubp_scope_check() - refuse an event for gpubp_scope_reason(); 0 or errno */
int gpubp_scope_check(struct gpubp_spec *spec)
{
	return gpubp_refuse(gpubp_scope_reason(spec));
}
