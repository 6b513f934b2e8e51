/* SPDX-License-Identifier: GPL-2.0 */
/* Resources of this process: file descriptors, ids, addresses. */
#ifndef FUZZ_POOL_H
#define FUZZ_POOL_H

#include "syntax.h"

/** pool_add() - add a resource that a call returned */
void pool_add(const struct resource *res, uint64_t value);

/** pool_drop_fd() - remove a closed file descriptor */
void pool_drop_fd(uint64_t fd);

/** pool_have() - bit n: a value for resource n is available */
uint64_t pool_have(void);

/**
 * pool_pick() - choose a value for @res
 * @res: the resource
 * @choice: random; newer values are more likely
 * @foreign: a value of another process may be chosen
 *
 * Return: all ones if there is none.
 */
uint64_t pool_pick(const struct resource *res, uint64_t choice, bool foreign);

#endif /* FUZZ_POOL_H */
