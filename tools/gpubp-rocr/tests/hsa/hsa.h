/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What rocr.c has of ROCr's headers, for tests on machines without them. The library is
 * built with those, which have the functions, too.
 */
#ifndef TESTS_HSA_H
#define TESTS_HSA_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
	HSA_STATUS_SUCCESS	= 0,
	HSA_STATUS_ERROR	= 0x1000,
} hsa_status_t;

typedef struct { uint64_t handle; } hsa_agent_t;
typedef struct { uint64_t handle; } hsa_region_t;

#endif /* TESTS_HSA_H */
