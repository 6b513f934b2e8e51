// SPDX-License-Identifier: GPL-2.0
#include <hsa_ext_amd.h>
#include <stdlib.h>
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

#define ADDS(function)							\
uint64_t function(const hsa_queue_t *queue, uint64_t value)		\
{									\
	fake.write_index += value;					\
	return fake.write_index - value;				\
}
ADDS(hsa_queue_add_write_index_relaxed)
ADDS(hsa_queue_add_write_index_acquire)
ADDS(hsa_queue_add_write_index_release)
ADDS(hsa_queue_add_write_index_acq_rel)
ADDS(hsa_queue_add_write_index_scacquire)
ADDS(hsa_queue_add_write_index_screlease)
ADDS(hsa_queue_add_write_index_scacq_screl)

/* ---- signals -------------------------------------------------------------------- */

static int64_t *signal_value(hsa_signal_t signal)
{
	return (int64_t *)(uintptr_t)signal.handle;
}

hsa_status_t hsa_signal_create(hsa_signal_value_t value, uint32_t nr, const hsa_agent_t *agents,
			       hsa_signal_t *signal)
{
	int64_t *new = malloc(sizeof(*new));

	*new = value;
	signal->handle = (uintptr_t)new;
	fake.nr_signals++;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal)
{
	free(signal_value(signal));
	fake.nr_signals--;
	return HSA_STATUS_SUCCESS;
}

hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal)
{
	return *signal_value(signal);
}

hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal,
					     hsa_signal_condition_t condition,
					     hsa_signal_value_t value, uint64_t timeout,
					     hsa_wait_state_t state)
{
	fake.waited(signal_value(signal));
	return *signal_value(signal);
}

#define STORES(function)							\
void function(hsa_signal_t signal, hsa_signal_value_t value)		\
{									\
	if (signal.handle >= FAKE_DOORBELLS) {				\
		*signal_value(signal) = value;				\
		return;							\
	}								\
	fake.rung[0] = signal.handle;					\
	fake.rung[1] = (uint64_t)value;					\
}
STORES(hsa_signal_store_relaxed)
STORES(hsa_signal_store_screlease)
STORES(hsa_signal_store_release)
