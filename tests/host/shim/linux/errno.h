/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in; also included by libc's <errno.h>. */
#ifndef _SHIM_ERRNO_H
#define _SHIM_ERRNO_H

#include_next <linux/errno.h>

#endif
