/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in: <linux/gpubp.h> names the type. */
#ifndef _SHIM_PID_H
#define _SHIM_PID_H

struct pid;

#endif
