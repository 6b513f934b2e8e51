// SPDX-License-Identifier: GPL-2.0
#include <hsa_ext_amd.h>
#include <sys/ioctl.h>

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

/* ---- queues --------------------------------------------------------------------- */

hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
			      void (*callback)(hsa_status_t, hsa_queue_t *, void *),
			      void *data, uint32_t private_size, uint32_t group_size,
			      hsa_queue_t **queue)
{
	struct fake_kfd_queue kfd = { .ring = fake.kfd_ring, .type = 2 };

	if (fake.fails)
		return HSA_STATUS_ERROR;
	if (fake.kfd_ring)
		ioctl(FAKE_KFD_FD, FAKE_KFD_CREATE, &kfd);
	*queue = fake.queue;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_queue_destroy(hsa_queue_t *queue)
{
	uint64_t kfd = queue->id;

	return ioctl(FAKE_KFD_FD, FAKE_KFD_DESTROY, &kfd) ? HSA_STATUS_ERROR :
							    HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_shut_down(void)
{
	if (fake.users)
		fake.users--;
	else
		fake.is_off = true;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void *value)
{
	if (fake.is_off)
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	*(uint16_t *)value = 1;
	return HSA_STATUS_SUCCESS;
}

uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t *queue)
{
	return fake.write_index;
}

#define RINGS(function)							\
void function(hsa_signal_t signal, hsa_signal_value_t value)		\
{									\
	fake.rung[0] = signal.handle;					\
	fake.rung[1] = (uint64_t)value;					\
}
RINGS(hsa_signal_store_relaxed)
RINGS(hsa_signal_store_screlease)
RINGS(hsa_signal_store_release)
