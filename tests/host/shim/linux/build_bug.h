/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in. */
#ifndef _SHIM_BUILD_BUG_H
#define _SHIM_BUILD_BUG_H

#include <assert.h>

#define BUILD_BUG_ON(cond)		_Static_assert(!(cond), #cond)
#define BUILD_BUG_ON_ZERO(cond)		((int)sizeof(struct { int : (-!!(cond)); }))

/* the message is optional, as in the kernel */
#undef static_assert
#define static_assert(expr, ...)	_Static_assert(expr, #expr)

#endif
