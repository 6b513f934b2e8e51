/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of struct perf_event_attr that older kernels lack. */
#ifndef _GPUBP_COMPAT_ATTR_H
#define _GPUBP_COMPAT_ATTR_H

#include <linux/types.h>
#include <uapi/linux/perf_event.h>

/*
 * 6.19, "perf: Add perf_event_attr::config4". Older perf cores refuse an attr
 * with a value in its place.
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
