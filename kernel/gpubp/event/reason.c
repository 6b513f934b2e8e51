// SPDX-License-Identifier: GPL-2.0
/* Reasons: the errno and the sentence of each cause to refuse an event. Pure. */
#include <kunit/visibility.h>
#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <uapi/linux/gpubp.h>

#include "event.h"

static const struct {
	int error;
	const char *text;
} reasons[] = {
	[GPUBP_REASON_UNDEFINED_BITS] = { EINVAL,
		"config, config3 or config4 has a bit without a meaning" },
	[GPUBP_REASON_UNKNOWN_KIND] = { EINVAL,
		"kind is unknown: 0 exceptions, 1 watch, 2 break, 3 trap, 5 watch set" },
	[GPUBP_REASON_LEN_ZERO] = { EINVAL,
		"len is 0: a watch by address needs at least one byte" },
	[GPUBP_REASON_RANGE_WRAPS] = { EINVAL,
		"addr + len is beyond the end of 64-bit addresses" },
	[GPUBP_REASON_CODE_UNNAMED] = { EINVAL,
		"code is the hash of a name, which needs named=1" },
	[GPUBP_REASON_CHANGED_TOO_LONG] = { EINVAL,
		"changed compares at most 64 bytes: len is too large" },
	[GPUBP_REASON_SET_FIELDS] = { EINVAL,
		"a watch set has its own ranges: no access, changed, named, meter, addr or len" },
	[GPUBP_REASON_SET_ID_ZERO] = { EINVAL,
		"code is 0: it must be the id of a watch set" },
	[GPUBP_REASON_SET_PINNED] = { EOPNOTSUPP,
		"a watch set cannot be pinned: its members may change" },
	[GPUBP_REASON_BREAK_FIELDS] = { EINVAL,
		"a break has no access, changed, meter, possible or len" },
	[GPUBP_REASON_TRAP_FIELDS] = { EINVAL,
		"a trap has no access, changed, named, meter, possible, addr or len" },
	[GPUBP_REASON_TRAP_ID_ZERO] = { EINVAL,
		"code is 0: a trap needs the id of an s_trap, 1 to 255" },
	[GPUBP_REASON_TRAP_ID_LARGE] = { EINVAL,
		"code is above 255: ids of s_trap are 1 to 255" },
	[GPUBP_REASON_EXCEPTION_FIELDS] = { EINVAL,
		"exceptions have no access, changed, named, meter, possible, addr or len" },
	[GPUBP_REASON_EXCEPTION_UNKNOWN] = { EINVAL,
		"code has a bit that is no class of exceptions" },
	[GPUBP_REASON_POSSIBLE_FIELDS] = { EINVAL,
		"possible excludes lost, meter and precise_ip: possible hits are never exact" },
	[GPUBP_REASON_LOST_FIELDS] = { EINVAL,
		"lost excludes changed, meter, precise_ip and a period: it only counts" },
	[GPUBP_REASON_EXCLUSIVE] = { EOPNOTSUPP,
		"exclusive is not supported: events share comparators" },
	[GPUBP_REASON_BRANCH_STACK] = { EOPNOTSUPP,
		"GPUs have no branch stack: do not sample branches" },
	[GPUBP_REASON_NO_SUCH_DEVICE] = { ENODEV,
		"no device has this number: device is 1 + a number in caps/devices" },
	[GPUBP_REASON_NO_COMPARATORS] = { EOPNOTSUPP,
		"the device has no comparators for watches" },
	[GPUBP_REASON_NO_TRAPS] = { EOPNOTSUPP,
		"waves of the device cannot trap for breaks and traps: no ISA is loaded for it" },
	[GPUBP_REASON_EXCEPTION_UNREPORTED] = { EOPNOTSUPP,
		"the device does not report these exceptions: see caps/exceptions" },
	[GPUBP_REASON_EXCEPTION_IMPRECISE] = { EOPNOTSUPP,
		"precise_ip is not possible: the pc of these exceptions is not exact" },
	[GPUBP_REASON_BREAK_UNALIGNED] = { EINVAL,
		"no instruction can begin at addr: it is not aligned" },
	[GPUBP_REASON_IMPRECISE] = { EOPNOTSUPP,
		"precise_ip is not possible: the device does not report hits so precisely" },
	[GPUBP_REASON_RANGE_TOO_LONG] = { EOPNOTSUPP,
		"two comparators of the device cannot cover so many bytes: see caps/max_block" },
	[GPUBP_REASON_RANGE_BEYOND] = { EINVAL,
		"the bytes are beyond the addresses of the device" },
	[GPUBP_REASON_NO_SUCH_SET] = { EINVAL,
		"there is no watch set with this id" },
	[GPUBP_REASON_FOREIGN_SET] = { EACCES,
		"another user created this watch set: CAP_PERFMON is needed" },
	[GPUBP_REASON_SET_GROUP] = { EOPNOTSUPP,
		"a watch set cannot be in a group with counters of the CPU" },
	[GPUBP_REASON_BREAK_RIGHTS] = { EACCES,
		"a break changes code of its target: the right to trace the target is needed" },
	[GPUBP_REASON_CHANGED_RIGHTS] = { EACCES,
		"changed reveals memory of every process: choose a task, or have CAP_PERFMON" },
	[GPUBP_REASON_PINNED_COMPARATORS] = { ENOSPC,
		"pinned events have reserved all comparators that can be reserved" },
	[GPUBP_REASON_PINNED_BREAKS] = { ENOSPC,
		"pinned breaks have reserved all trap slots that can be reserved" },
	[GPUBP_REASON_PINNED_USER] = { ENOSPC,
		"a user may reserve one comparator for pinned events: more need CAP_PERFMON" },
	[GPUBP_REASON_PINNED_TOO_LONG] = { ERANGE,
		"two comparators of one of the devices cannot cover so many bytes: name a device" },
	[GPUBP_REASON_MODIFY_FIXED] = { EINVAL,
		"kind, process, possible, lost, device and cond of an open event cannot change" },
	[GPUBP_REASON_TARGET_EXITED] = { ESRCH,
		"the target of the event has exited" },
	[GPUBP_REASON_NO_MEMORY] = { ENOMEM,
		"the kernel is out of memory, or the memory cgroup is at its limit" },
	[GPUBP_REASON_COND_FIELDS] = { EINVAL,
		"only watches have a condition (cond), and not with meter or lost" },
	[GPUBP_REASON_NO_SUCH_COND] = { EINVAL,
		"cond is the id of none of the user's conditions" },
	[GPUBP_REASON_COND_LEN] = { EINVAL,
		"len is no multiple of the bytes of the condition's type" },
	[GPUBP_REASON_COND_RIGHTS] = { EACCES,
		"a condition reveals memory of every process: choose a task, or have CAP_PERFMON" },
};

static_assert(ARRAY_SIZE(reasons) == GPUBP_NR_REASONS);

/** gpubp_reason_error() - errno of a reason, positive; 0 for none; pure */
int gpubp_reason_error(enum gpubp_reason reason)
{
	return reasons[reason].error;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_reason_error);

/** gpubp_reason_text() - its sentence; NULL for none; pure */
const char *gpubp_reason_text(enum gpubp_reason reason)
{
	return reasons[reason].text;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_reason_text);
