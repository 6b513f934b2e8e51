/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hit statistics from the debugfs file "books": where every hit went, and
 * whether any object is left. Root only.
 */
#ifndef SELFTESTS_BOOKS_H
#define SELFTESTS_BOOKS_H

#include <stdbool.h>
#include <stdint.h>

/** books_of() - select gpubp_sim<nr> for all calls that follow; initially 0 */
void books_of(unsigned int nr);

/** books_of_name() - likewise a device that has no count of its own: it is that of the core */
void books_of_name(const char *name);

/**
 * books_of_none() - the device is gone, and its statistics with it
 *
 * Numbers of its state are 0, and what is left of it can only be events.
 */
void books_of_none(void);

/** books_agent_name() - that of the device of an agent, as root's debugfs has it; 0 or -ENOENT */
int books_agent_name(unsigned int device, char name[64]);

/** books_get() - a counter of the core, e.g. "stray_bytes"; -1 if it does not exist */
int64_t books_get(const char *name);

/** books_strays() - hits at bytes that are not watched, as the handler or the resolver found */
int64_t books_strays(void);

/** books_state() - a number from the device's state, e.g. "watches" */
int64_t books_state(const char *name);

/** books_device() - a counter of the device itself, e.g. "swept"; -1 if there is none */
int64_t books_device(const char *name);

/** books_checks() - stops by handler_check, at hits that the handler had decided */
int64_t books_checks(void);

/**
 * books_raised() - hits that reached the driver, by a software GPU's own count:
 *	without those of waves that ended before any interrupt was seen, and with
 *	those that the trap handler let go on
 */
int64_t books_raised(void);

/** books_events() - number of existing events */
int books_events(void);

/** books_break_error() - why the only break at @pc is not armed; 1: no such break */
int books_break_error(uint64_t pc);

/**
 * books_settle() - wait until every hit is accounted for
 * @seconds: timeout
 *
 * Return: true once raised = delivered + possible + step + strays + drops, the
 * device counts as many raised, and no cell is in use.
 */
bool books_settle(int seconds);

/** books_count() - an event's count after books_settle(); -1: timeout */
int64_t books_count(int fd, int seconds);

/** books_idle() - books_settle(), then wait until no event, watch or break is left */
bool books_idle(int seconds);

/** books_wait_none() - wait until a number of the device's state is 0; false: timeout */
bool books_wait_none(const char *name, int seconds);

/** books_print() - print everything as TAP comments */
void books_print(void);

#endif /* SELFTESTS_BOOKS_H */
