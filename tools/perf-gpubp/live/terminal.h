/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A terminal that shows a page and sends keys.
 */
#ifndef PERF_GPUBP_TERMINAL_H
#define PERF_GPUBP_TERMINAL_H

#include <stdbool.h>

/** terminal_enter() - its second screen, and keys one by one; false: none */
bool terminal_enter(void);

/** terminal_leave() - as it was before; by itself at exit(3), too */
void terminal_leave(void);

/** terminal_size() - now */
void terminal_size(int *width, int *height);

/** terminal_key() - a key that was pressed, 0 none */
int terminal_key(void);

/* printed in front of a page, behind each of its lines, and behind it */
#define TERMINAL_HOME	"\033[H"
#define TERMINAL_EOL	"\033[K"
#define TERMINAL_REST	"\033[J"

#endif /* PERF_GPUBP_TERMINAL_H */
