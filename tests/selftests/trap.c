// SPDX-License-Identifier: GPL-2.0
/* SIGTRAP. */
#include <string.h>
#include <time.h>
#include "event.h"
#include "trap.h"

#define PATIENCE	60	/* s */

const struct trap_info *trap_info(const siginfo_t *info)
{
	return (const struct trap_info *)info;
}

int trap_handle(void (*fn)(int sig, siginfo_t *info, void *context), int flags)
{
	struct sigaction action = {
		.sa_sigaction = fn,
		.sa_flags = SA_SIGINFO | flags,
	};

	return sigaction(SIGTRAP, &action, NULL);
}

struct perf_event_attr trap_watch(uint64_t addr, unsigned int access,
				  uint64_t data)
{
	struct perf_event_attr attr = event_watch(addr, 4, access);

	attr.sample_period = 1;
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;	/* required by sigtrap */
	attr.exclude_kernel = 1;
	attr.sig_data = data;
	return attr;
}

bool trap_spin(const volatile int *count, int until)
{
	struct timespec now, start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		if (*count >= until)
			return true;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - start.tv_sec < PATIENCE);
	return false;
}
