/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The provider's trap handler. Its header and those of amdkfd have the same types'
 * names.
 */
#ifndef TESTS_SECOND_HANDLER_H
#define TESTS_SECOND_HANDLER_H

#include <stddef.h>
#include <stdint.h>

/** second_handler() - its words for waves of @arch, behind amdkfd's handler */
const uint32_t *second_handler(unsigned int arch, size_t *bytes);

/** second_handler_code() - what its interrupts say */
uint32_t second_handler_code(void);

/** second_handler_park() - where the one at @handler parks waves */
uint64_t second_handler_park(uint64_t handler);

#endif /* TESTS_SECOND_HANDLER_H */
