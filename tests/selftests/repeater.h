/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Targets that store when told: kernel "repeat" stores so many times to each
 * word of a buffer.
 */
#ifndef SELFTESTS_REPEATER_H
#define SELFTESTS_REPEATER_H

#include <stdbool.h>
#include <stdint.h>
#include "child.h"
#include "gpu.h"

#define REPEATER_SIZE	4096	/* bytes of its buffer */

/* wait for the GPU by polling; else sleep */
extern bool repeat_polls;

/* free in every context: for those who must have the same address */
#define REPEATER_VA	0x200000000ULL

/** repeater_open() - a context with a buffer at @va, 0: anywhere; 0 or -errno */
int repeater_open(struct gpu *gpu, uint64_t *va);

/** repeat() - one wave of loop.elf stores @times to each word at @va */
int repeat(struct gpu *gpu, uint64_t va, unsigned int times);

/**
 * repeater() - for child_start(): a context and a buffer
 * @sock: says the address; then hears how often, and says 0 when it is done
 * @arg: address of the buffer (uint64_t), 0 for any
 *
 * Return: 0 once it hears 0, or that nobody is there.
 */
int repeater(int sock, void *arg);

/** repeater_run() - tell it; false if it is gone */
bool repeater_run(struct child *child, uint64_t times);

#endif /* SELFTESTS_REPEATER_H */
