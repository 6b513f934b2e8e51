/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Targets that store on request: kernel "repeat" stores so many times to each
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

/* free in every context: for tests that need the same address in each */
#define REPEATER_VA	0x200000000ULL

/** repeater_open() - a context with a buffer at @va, 0: anywhere; 0 or -errno */
int repeater_open(struct gpu *gpu, uint64_t *va);

/** repeat() - one wave of loop.elf stores @times to each word at @va */
int repeat(struct gpu *gpu, uint64_t va, unsigned int times);

/**
 * repeater() - for child_start(): a context and a buffer
 * @sock: sends the address; then receives the number of stores, and sends 0
 *	after each
 * @arg: address of the buffer (uint64_t), 0 for any
 *
 * Return: 0 once it receives 0 or the other side has exited.
 */
int repeater(int sock, void *arg);

/** repeater_run() - have it store; false if it has exited */
bool repeater_run(struct child *child, uint64_t times);

#endif /* SELFTESTS_REPEATER_H */
