/* SPDX-License-Identifier: GPL-2.0 */
/* Scope: the devices that an event asks for, and whether they can serve it. */
#ifndef _GPUBP_EVENT_SCOPE_H
#define _GPUBP_EVENT_SCOPE_H

#include <linux/types.h>

struct gpubp_device;
struct gpubp_spec;

bool gpubp_may_serve(const struct gpubp_spec *spec,
		     const struct gpubp_device *dev);
int gpubp_scope_cover(const struct gpubp_spec *spec,
		      const struct gpubp_device *dev);

#endif /* _GPUBP_EVENT_SCOPE_H */
