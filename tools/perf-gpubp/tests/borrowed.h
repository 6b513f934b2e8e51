/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What test_borrow and the process that it borrows threads of share: memory of a file that is
 * inherited.
 */
#ifndef PERF_GPUBP_TESTS_BORROWED_H
#define PERF_GPUBP_TESTS_BORROWED_H

#include <stdint.h>

#define BORROWED_FD	9
#define BORROWED_QUICK	0	/* a call that does not sleep */
#define BORROWED_SIGNAL	7	/* one in which the process gets a signal */

/**
 * struct borrowed_shared - what it does
 * @ready: it does
 * @rounds: how often it did
 * @called: how often its function was called
 * @noticed: what it should not have seen: an error of a call, another value in a register
 */
struct borrowed_shared {
	volatile uint32_t ready;
	volatile uint32_t rounds;
	volatile uint32_t called;
	volatile uint32_t noticed;
};

#endif /* PERF_GPUBP_TESTS_BORROWED_H */
