/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in: everything is visible. */
#ifndef _SHIM_EXPORT_H
#define _SHIM_EXPORT_H

#define EXPORT_SYMBOL_GPL(sym)
#define EXPORT_SYMBOL_NS_GPL(sym, ns)

#endif
