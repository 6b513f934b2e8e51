/* SPDX-License-Identifier: GPL-2.0 */
/* Execution of calls: system calls, and calls that only the fuzzer has. */
#ifndef FUZZ_EXEC_H
#define FUZZ_EXEC_H

#include "gen.h"

#define FIRST_OWN_FD	200	/* the fuzzer's own, hidden from programs */

/** exec_init() - exits if a described call has no executor */
void exec_init(void);

/** exec_call() - execute the call; returns the result, or a negative errno */
int64_t exec_call(const struct made *made);

/**
 * struct own_call - a call that is not a system call
 * @name: its name
 * @fn: returns the result, or a negative errno
 */
struct own_call {
	const char *name;
	int64_t (*fn)(const struct made *made);
};

/**
 * exec_gpu[] - code objects; exec_sys[] - processes. Both terminated by NULL
 */
extern const struct own_call exec_gpu[], exec_sys[];

#endif /* FUZZ_EXEC_H */
