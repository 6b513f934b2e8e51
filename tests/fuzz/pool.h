/* SPDX-License-Identifier: GPL-2.0 */
/* Resources that this process has: file descriptors, ids, addresses. */
#ifndef FUZZ_POOL_H
#define FUZZ_POOL_H

#include "syntax.h"

/** pool_add() - a call made one */
void pool_add(const struct resource *res, uint64_t value);

/** pool_drop_fd() - a file descriptor is closed */
void pool_drop_fd(uint64_t fd);

/** pool_have() - bit n: there is one that can be given for resource n */
uint64_t pool_have(void);

/**
 * pool_pick() - one that can be given for @res
 * @res: what is wanted
 * @choice: which: the newest ones more often
 * @foreign: perhaps one that another process made
 *
 * Return: all ones if there is none.
 */
uint64_t pool_pick(const struct resource *res, uint64_t choice, bool foreign);

#endif /* FUZZ_POOL_H */
