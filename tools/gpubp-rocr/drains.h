/* SPDX-License-Identifier: GPL-2.0 */
/* Threads of the program that wait until who asks has the hits that were recorded. */
#ifndef GPUBP_ROCR_DRAINS_H
#define GPUBP_ROCR_DRAINS_H

#include <stdint.h>

/** drains_begin() - an agent begins: none waits */
void drains_begin(void);

/**
 * drains_wait() - wait for all hits until now
 * @kick: eventfd that wakes the agent's thread
 */
void drains_wait(int kick);

/** drains_asked() - of the agent's thread: for drains_answer(), once it has drained */
uint64_t drains_asked(void);

#define DRAINS_ALL	UINT64_MAX

/** drains_answer() - those that had asked by then go on; or all, as there are no more hits */
void drains_answer(uint64_t asked);

#endif /* GPUBP_ROCR_DRAINS_H */
