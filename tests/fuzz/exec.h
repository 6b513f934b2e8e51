/* SPDX-License-Identifier: GPL-2.0 */
/* Calls are made: those of the kernel, and those that only the fuzzer has. */
#ifndef FUZZ_EXEC_H
#define FUZZ_EXEC_H

#include "gen.h"

#define FIRST_OWN_FD	200	/* the fuzzer's own are not for programs */

/** exec_init() - ends the program if there is no executor for a call of the descriptions */
void exec_init(void);

/** exec_call() - make it; the result, or a negative errno */
int64_t exec_call(const struct made *made);

/**
 * struct own_call - one that is none of the kernel
 * @name: of it
 * @fn: the result, or a negative errno
 */
struct own_call {
	const char *name;
	int64_t (*fn)(const struct made *made);
};

/** exec_gpu[] - about code objects; exec_sys[] - about processes. Both end with NULL */
extern const struct own_call exec_gpu[], exec_sys[];

#endif /* FUZZ_EXEC_H */
