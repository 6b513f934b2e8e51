/* SPDX-License-Identifier: GPL-2.0 */
/* Words of struct perf_event_attr that older kernels do not have. */
#ifndef _GPUBP_COMPAT_ATTR_H
#define _GPUBP_COMPAT_ATTR_H

#include <linux/types.h>
#include <uapi/linux/perf_event.h>

/*
 * 6.19, "perf: Add perf_event_attr::config4". Before, perf core refuses what
 * is in its place.
 */
static inline u64 gpubp_attr_config4(const struct perf_event_attr *attr)
{
#ifdef PERF_ATTR_SIZE_VER9
	return attr->config4;
#else
	return 0;
#endif
}

#endif /* _GPUBP_COMPAT_ATTR_H */
