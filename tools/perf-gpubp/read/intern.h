/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings that occur many times are kept once, until the program ends.
 */
#ifndef PERF_GPUBP_INTERN_H
#define PERF_GPUBP_INTERN_H

/** intern() - the one copy of @text; ends the program without memory */
const char *intern(const char *text);

#endif /* PERF_GPUBP_INTERN_H */
