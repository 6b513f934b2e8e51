/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in: to standard output, as a comment of TAP. */
#ifndef _SHIM_PRINTK_H
#define _SHIM_PRINTK_H

#include <stdio.h>

#define pr_info(fmt, ...)	printf("# " fmt, ##__VA_ARGS__)

#endif
