/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in; the kernel declares kvmalloc() and similar here as well.
 */
#ifndef _SHIM_MM_H
#define _SHIM_MM_H

#include <linux/slab.h>

#endif
