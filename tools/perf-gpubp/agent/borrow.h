/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call a function in another process, by one of its threads, which notices nothing.
 *
 * The thread gets what the kernel gives it for a signal: a frame on its stack with all of its
 * registers, which rt_sigreturn() restores when the function returns. So it goes on as it
 * should even if this process is killed at any time, but that a system call begins anew then,
 * with all of its timeout, and also if a signal came that would have ended it. As long as this
 * process lives, it restores the registers itself, where the kernel decides on the system call:
 * it goes on with the rest of its time, or ends by a signal, whose handler runs when the
 * function has returned.
 */
#ifndef PERF_GPUBP_BORROW_H
#define PERF_GPUBP_BORROW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "gpubp_run.h"

#define BORROW_ARGS	3
#define BORROW_DATA	1024

/**
 * struct borrow_call - a call
 * @function: address
 * @arg: arguments
 * @is_data: bitmap of those that are offsets in @data: the function gets addresses
 * @data: what it can read and write; on return what is there then
 */
struct borrow_call {
	uint64_t function;
	uint64_t arg[BORROW_ARGS];
	unsigned int is_data;
	unsigned char data[BORROW_DATA];
};

/**
 * borrow_call() - have a thread call it
 * @pid: process, see target_check()
 * @call: call
 * @err: error
 *
 * A thread is taken that sleeps in a system call, or executes code that is not the C
 * library's; it is waited for, and the others run on.
 *
 * Return: 0 when the function has returned; or a negative errno, of which -ETIMEDOUT says that it
 * has not yet, and -EAGAIN that no thread could be taken.
 */
int borrow_call(pid_t pid, struct borrow_call *call, struct grun_err *err);

#endif /* PERF_GPUBP_BORROW_H */
