// SPDX-License-Identifier: GPL-2.0
// hipcc: -lhsa-runtime64
/*
 * names: a program whose buffers come from all kinds of allocators, for live-names-hip. It
 * does not wait where a program need not, so that names and kernels have to be in order.
 * For each buffer, in the order in which they get their names, it prints
 *
 *	KIND ADDRESS STORES
 *
 * with how often a kernel stored to the first element.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "../hip/hip.h"
#include "../../../tools/gpubp-rocr/gpubp_rocr.h"

#define BYTES	4096

static __global__ void store(unsigned int *to, unsigned int value)
{
	to[threadIdx.x] = value;
}

/* it says it before the kernels run */
static void stores(const char *kind, void *at, int number, hipStream_t stream)
{
	printf("%s %p %d\n", kind, at, number);
	for (int i = 0; i < number; i++)
		store<<<1, 64, 0, stream>>>((unsigned int *)at, i + 1);
}

/* the same memory again, while kernels of its first owner may not have run */
static void of_streams(void)
{
	hipStream_t stream;
	void *at;

	MUST(hipStreamCreate(&stream));
	MUST(hipMallocAsync(&at, BYTES, stream));
	stores("async", at, 3, stream);
	MUST(hipFreeAsync(at, stream));
	MUST(hipMallocAsync(&at, BYTES, stream));
	stores("again", at, 5, stream);
	MUST(hipFreeAsync(at, stream));
	MUST(hipStreamSynchronize(stream));
	MUST(hipStreamDestroy(stream));
}

static void of_others(void)
{
	void *at, *host = aligned_alloc(4096, BYTES);

	MUST(hipMalloc(&at, BYTES));
	stores("plain", at, 7, 0);
	MUST(hipFree(at));
	MUST(hipMallocManaged(&at, BYTES));
	stores("managed", at, 4, 0);
	MUST(hipFree(at));
	MUST(hipHostRegister(host, BYTES, 0));
	MUST(hipHostGetDevicePointer(&at, host, 0));
	stores("host", at, 2, 0);
	MUST(hipDeviceSynchronize());
	MUST(hipHostUnregister(host));
	free(host);
}

/* by a kernel of HIP's own */
static void of_hip(void)
{
	void *at;

	MUST(hipMalloc(&at, BYTES));
	printf("filled %p 1\n", at);
	MUST(hipMemset(at, 1, BYTES));
	MUST(hipFree(at));
}

/* parts of an allocation, one after the other at the same address */
static void of_an_arena(void)
{
	char *arena;

	MUST(hipMalloc(&arena, 4 * BYTES));
	gpubp_name(arena + BYTES, BYTES, "part");
	stores("part", arena + BYTES, 6, 0);
	MUST(hipDeviceSynchronize());
	gpubp_name(arena + BYTES, 2 * BYTES, "larger");
	stores("larger", arena + BYTES, 1, 0);
	MUST(hipFree(arena));
}

/* ---- of ROCr ------------------------------------------------------------------ */

static hsa_status_t gpu_found(hsa_agent_t agent, void *found)
{
	hsa_device_type_t type;

	hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
	if (type != HSA_DEVICE_TYPE_GPU)
		return HSA_STATUS_SUCCESS;
	*(hsa_agent_t *)found = agent;
	return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t pool_found(hsa_amd_memory_pool_t pool, void *found)
{
	bool allocates = false;

	hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
				     &allocates);
	if (!allocates)
		return HSA_STATUS_SUCCESS;
	*(hsa_amd_memory_pool_t *)found = pool;
	return HSA_STATUS_INFO_BREAK;
}

static void of_virtual_memory(void)
{
	const size_t size = 2 << 20;
	hsa_amd_memory_access_desc_t access = { HSA_ACCESS_PERMISSION_RW, {} };
	hsa_amd_vmem_alloc_handle_t memory;
	hsa_amd_memory_pool_t pool = {};
	void *at;

	hsa_iterate_agents(gpu_found, &access.agent_handle);
	hsa_amd_agent_iterate_memory_pools(access.agent_handle, pool_found, &pool);
	if (hsa_amd_vmem_address_reserve(&at, size, 0, 0) ||
	    hsa_amd_vmem_handle_create(pool, size, MEMORY_TYPE_NONE, 0, &memory) ||
	    hsa_amd_vmem_map(at, size, 0, memory, 0) ||
	    hsa_amd_vmem_set_access(at, size, &access, 1)) {
		printf("no virtual memory\n");
		exit(1);
	}
	stores("virtual", at, 8, 0);
	MUST(hipDeviceSynchronize());
	hsa_amd_vmem_unmap(at, size);
	hsa_amd_vmem_handle_release(memory);
	hsa_amd_vmem_address_free(at, size);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	of_streams();
	of_others();
	of_an_arena();
	of_virtual_memory();
	of_hip();
	printf("end\n");
	return 0;
}
