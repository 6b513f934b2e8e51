/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in. */
#ifndef _SHIM_STRING_H
#define _SHIM_STRING_H

#include <string.h>
#include <linux/types.h>

#endif
