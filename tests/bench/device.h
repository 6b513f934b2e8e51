/* SPDX-License-Identifier: GPL-2.0 */
/* The threads that are the software GPU, and those of the core for it. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/** device_runtime() - total run time of its compute units, ns */
uint64_t device_runtime(void);

/** device_threads_runtime() - total run time of all these threads, ns */
uint64_t device_threads_runtime(void);

/** device_first() - let all of them run before tasks that are not be_first() */
void device_first(void);

/** device_units_first() - let only the compute units do so, or no longer */
void device_units_first(bool first);

#endif /* DEVICE_H */
