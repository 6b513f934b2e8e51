/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in: <linux/gpubp.h> declares a key. */
#ifndef _SHIM_JUMP_LABEL_H
#define _SHIM_JUMP_LABEL_H

#include <stdbool.h>

#define DECLARE_STATIC_KEY_FALSE(name)	extern bool name
#define static_branch_unlikely(key)	(*(key))

#endif
