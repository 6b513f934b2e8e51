/* SPDX-License-Identifier: GPL-2.0 */
/* Choices of a random program; by random(), so that srandom() repeats them. */
#ifndef SELFTESTS_SHADOW_PROGRAM_H
#define SELFTESTS_SHADOW_PROGRAM_H

#include "shadow.h"

/** random_below() - a number below @n */
unsigned int random_below(unsigned int n);

/** shadow_launch_make() - choose @s->launch; false: not this time */
bool shadow_launch_make(struct shadow *s);

/** shadow_watch_make() - choose what a watch watches; it is not open */
void shadow_watch_make(struct shadow_watch *w);

#endif /* SELFTESTS_SHADOW_PROGRAM_H */
