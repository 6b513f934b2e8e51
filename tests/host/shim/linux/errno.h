/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in; libc's <errno.h> comes here too. */
#ifndef _SHIM_ERRNO_H
#define _SHIM_ERRNO_H

#include_next <linux/errno.h>

#endif
