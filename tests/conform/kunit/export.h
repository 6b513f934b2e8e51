/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before all else where the conformance suite is built for a kernel without
 * KUnit: what the core exports to tests is exported there, too.
 */
#ifndef _GPUBP_CONFORM_EXPORT_H
#define _GPUBP_CONFORM_EXPORT_H

#include <kunit/visibility.h>
#include <linux/export.h>

#undef EXPORT_SYMBOL_IF_KUNIT
#define EXPORT_SYMBOL_IF_KUNIT(symbol) EXPORT_SYMBOL_GPL(symbol)

#endif /* _GPUBP_CONFORM_EXPORT_H */
