/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TESTS_HSA_EXT_AMD_H
#define TESTS_HSA_EXT_AMD_H

#include "hsa.h"

typedef struct { uint64_t handle; } hsa_amd_memory_pool_t;
typedef struct { uint64_t handle; } hsa_amd_vmem_alloc_handle_t;
typedef struct { uint32_t handle[8]; } hsa_amd_ipc_memory_t;

enum {
	HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE		= 0x200,
	HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE	= 0x201,
	HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS		= 0x202,
};

typedef struct {
	uint64_t attribute;
	uint64_t value;
} hsa_amd_svm_attribute_pair_t;

#endif /* TESTS_HSA_EXT_AMD_H */
