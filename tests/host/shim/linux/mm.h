/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in; kvmalloc() and its kin are here, too, in the kernel. */
#ifndef _SHIM_MM_H
#define _SHIM_MM_H

#include <linux/slab.h>

#endif
