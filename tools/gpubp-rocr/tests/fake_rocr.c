// SPDX-License-Identifier: GPL-2.0
#include <hsa_ext_amd.h>

#include "fake.h"

/* of both libraries */
struct fake fake;

#define GIVES(function, params, to)					\
hsa_status_t function params;						\
hsa_status_t function params						\
{									\
	if (fake.fails)							\
		return HSA_STATUS_ERROR;				\
	to;								\
	return HSA_STATUS_SUCCESS;					\
}
#define FREES(function, params)						\
	GIVES(function, params, if (fake.freed) fake.freed(at))

GIVES(hsa_memory_allocate, (hsa_region_t region, size_t size, void **at), *at = fake.at)
GIVES(hsa_amd_memory_pool_allocate, (hsa_amd_memory_pool_t pool, size_t size,
				     uint32_t flags, void **at), *at = fake.at)
FREES(hsa_memory_free, (void *at))
FREES(hsa_amd_memory_pool_free, (void *at))
GIVES(hsa_amd_vmem_map, (void *at, size_t size, size_t offset,
			 hsa_amd_vmem_alloc_handle_t memory, uint64_t flags), )
FREES(hsa_amd_vmem_unmap, (void *at, size_t size))
GIVES(hsa_amd_ipc_memory_attach, (const hsa_amd_ipc_memory_t *handle, size_t size,
				  uint32_t nr, const hsa_agent_t *agents, void **at),
      *at = fake.at)
FREES(hsa_amd_ipc_memory_detach, (void *at))
GIVES(hsa_amd_memory_lock, (void *host, size_t size, hsa_agent_t *agents, int nr,
			    void **at), *at = fake.at)
GIVES(hsa_amd_memory_lock_to_pool, (void *host, size_t size, hsa_agent_t *agents, int nr,
				    hsa_amd_memory_pool_t pool, uint32_t flags, void **at),
      *at = fake.at)
FREES(hsa_amd_memory_unlock, (void *at))
GIVES(hsa_amd_svm_attributes_set, (void *at, size_t size,
				   hsa_amd_svm_attribute_pair_t *list, size_t nr), )
