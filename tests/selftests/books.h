/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The books: where every hit went, as debugfs tells; and whether anything is
 * left behind. Root only.
 */
#ifndef SELFTESTS_BOOKS_H
#define SELFTESTS_BOOKS_H

#include <stdbool.h>
#include <stdint.h>

/** books_of() - all that follows is about gpubp_sim<nr>; at first 0 */
void books_of(unsigned int nr);

/** books_get() - a counter of the core, e.g. "stray_bytes"; -1 if there is none */
int64_t books_get(const char *name);

/** books_state() - a number of the device's state, e.g. "watches" */
int64_t books_state(const char *name);

/** books_device() - a counter of the device itself, e.g. "swept"; -1 if there is none */
int64_t books_device(const char *name);

/**
 * books_raised() - hits that reached the driver, as the device itself counts
 *	them: those of waves that ended with nobody told are left out
 */
int64_t books_raised(void);

/** books_events() - events that exist */
int books_events(void);

/** books_break_error() - why the only break at @pc is not armed; 1: there is none */
int books_break_error(uint64_t pc);

/**
 * books_settle() - wait until every hit has arrived somewhere
 * @seconds: at most
 *
 * Return: true once raised = delivered + possible + step + strays + drops, the device
 * counts as many raised, and no cell is in use.
 */
bool books_settle(int seconds);

/** books_idle() - wait until, besides, no event, watch or break is left */
bool books_idle(int seconds);

/** books_wait_none() - wait until a number of the device's state is 0; false: never */
bool books_wait_none(const char *name, int seconds);

/** books_print() - everything, as TAP comments */
void books_print(void);

#endif /* SELFTESTS_BOOKS_H */
