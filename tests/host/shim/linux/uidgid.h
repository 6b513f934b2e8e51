/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in: <linux/gpubp.h> names the type. */
#ifndef _SHIM_UIDGID_H
#define _SHIM_UIDGID_H

typedef struct {
	unsigned int val;
} kuid_t;

#endif
