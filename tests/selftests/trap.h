/* SPDX-License-Identifier: GPL-2.0 */
/* SIGTRAP of events with attr.sigtrap. */
#ifndef SELFTESTS_TRAP_H
#define SELFTESTS_TRAP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <linux/perf_event.h>

#ifndef TRAP_PERF
#define TRAP_PERF	6
#endif

#define TRAP_ASYNC	1	/* TRAP_PERF_FLAG_ASYNC: the signal was blocked */

/**
 * struct trap_info - siginfo_t of such a signal, for older C libraries
 * @signo: SIGTRAP
 * @err: 0
 * @code: TRAP_PERF
 * @addr: accessed address, as far as it fits into a pointer
 * @data: attr.sig_data
 * @type: attr.type
 * @flags: TRAP_ASYNC
 */
struct trap_info {
	int signo, err, code;
	unsigned long addr;
	unsigned long data;
	uint32_t type, flags;
};

/** trap_info() - siginfo_t of a handler as struct trap_info */
const struct trap_info *trap_info(const siginfo_t *info);

/** trap_handle() - install a handler of SIGTRAP; 0 or -1 */
int trap_handle(void (*fn)(int sig, siginfo_t *info, void *context), int flags);

/** trap_watch() - an event that sends a signal for each access */
struct perf_event_attr trap_watch(uint64_t addr, unsigned int access,
				  uint64_t data);

/**
 * trap_spin() - stay in user mode until a handler has counted to @until
 *
 * Return: false on timeout.
 */
bool trap_spin(const volatile int *count, int until);

#endif /* SELFTESTS_TRAP_H */
