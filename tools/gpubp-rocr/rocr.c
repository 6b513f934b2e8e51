// SPDX-License-Identifier: GPL-2.0
/* ROCr's functions that make ranges which a GPU can access, and end them. */
#include <hsa.h>
#include <hsa_ext_amd.h>
#include <sys/mman.h>

#include "buffers.h"
#include "names.h"
#include "next.h"

/* ROCr 5.2 of Debian 12 has none, and programs that are compiled for a later one do */
#if HSA_AMD_INTERFACE_VERSION_MAJOR == 1 && HSA_AMD_INTERFACE_VERSION_MINOR < 4
typedef struct hsa_amd_vmem_alloc_handle_s {
	uint64_t handle;
} hsa_amd_vmem_alloc_handle_t;
#endif

#define HSA_ALLOCATES(function, params, args, name)			\
	ALLOCATES(hsa_status_t, function, params, args, HSA_STATUS_ERROR, name)
#define HSA_FREES(function, params, args, to_free)			\
	FREES(hsa_status_t, function, params, args, HSA_STATUS_ERROR, to_free)

HSA_ALLOCATES(hsa_memory_allocate, (hsa_region_t region, size_t size, void **at),
	      (region, size, at), buffer_allocated(*at, size, CALLER))
HSA_ALLOCATES(hsa_amd_memory_pool_allocate,
	      (hsa_amd_memory_pool_t pool, size_t size, uint32_t flags, void **at),
	      (pool, size, flags, at), buffer_allocated(*at, size, CALLER))
HSA_FREES(hsa_memory_free, (void *at), (at), buffers_take(at))
HSA_FREES(hsa_amd_memory_pool_free, (void *at), (at), buffers_take(at))

HSA_ALLOCATES(hsa_amd_vmem_map,
	      (void *at, size_t size, size_t offset, hsa_amd_vmem_alloc_handle_t memory,
	       uint64_t flags),
	      (at, size, offset, memory, flags), buffer_allocated(at, size, CALLER))
HSA_FREES(hsa_amd_vmem_unmap, (void *at, size_t size), (at, size),
	  buffers_take_range(at, size))

HSA_ALLOCATES(hsa_amd_ipc_memory_attach,
	      (const hsa_amd_ipc_memory_t *handle, size_t size, uint32_t nr_agents,
	       const hsa_agent_t *agents, void **at),
	      (handle, size, nr_agents, agents, at),
	      buffer_mapped(*at, *at, size, CALLER))
HSA_FREES(hsa_amd_ipc_memory_detach, (void *at), (at), buffers_take(at))

HSA_ALLOCATES(hsa_amd_memory_lock,
	      (void *host, size_t size, hsa_agent_t *agents, int nr_agents, void **at),
	      (host, size, agents, nr_agents, at), buffer_mapped(host, *at, size, CALLER))
HSA_ALLOCATES(hsa_amd_memory_lock_to_pool,
	      (void *host, size_t size, hsa_agent_t *agents, int nr_agents,
	       hsa_amd_memory_pool_t pool, uint32_t flags, void **at),
	      (host, size, agents, nr_agents, pool, flags, at),
	      buffer_mapped(host, *at, size, CALLER))
HSA_FREES(hsa_amd_memory_unlock, (void *host), (host), buffers_take(host))

/* ---- memory of the host that GPUs access by attributes of its pages ------------- */

/* munmap() ends it. Other memory has calls of its own */
static bool svm_is_used;

static bool svm_has(const hsa_amd_svm_attribute_pair_t *list, size_t nr, uint64_t attribute)
{
	while (nr--)
		if (list[nr].attribute == attribute)
			return true;
	return false;
}

static void svm_changed(void *at, size_t size, const hsa_amd_svm_attribute_pair_t *list,
			size_t nr, const void *caller)
{
	if (svm_has(list, nr, HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE) ||
	    svm_has(list, nr, HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE)) {
		svm_is_used = true;
		if (!buffer_is_known(at, size))
			buffer_allocated(at, size, caller);
	} else if (svm_has(list, nr, HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS) &&
		   !caller_is_runtime(caller)) {
		/* not hipMemAdvise() of managed memory, which the other GPUs access */
		buffers_end(buffers_take_range(at, size));
	}
}

HSA_ALLOCATES(hsa_amd_svm_attributes_set,
	      (void *at, size_t size, hsa_amd_svm_attribute_pair_t *list, size_t nr),
	      (at, size, list, nr), svm_changed(at, size, list, nr, CALLER))
FREES(int, munmap, (void *at, size_t size), (at, size), -1,
      svm_is_used ? buffers_take_range(at, size) : NULL)
