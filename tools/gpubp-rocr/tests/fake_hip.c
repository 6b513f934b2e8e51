// SPDX-License-Identifier: GPL-2.0
#include <hsa_ext_amd.h>
#include <string.h>

#include "fake.h"

#define NR_QUEUED	16

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t pool, size_t size,
					  uint32_t flags, void **at);
hsa_status_t hsa_amd_memory_pool_free(void *at);
hsa_status_t hsa_amd_memory_lock(void *host, size_t size, hsa_agent_t *agents, int nr,
				 void **at);
hsa_status_t hsa_amd_memory_unlock(void *host);
hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t *handle, size_t size,
				       uint32_t nr, const hsa_agent_t *agents, void **at);
hsa_status_t hsa_amd_ipc_memory_detach(void *at);
hsa_status_t hsa_amd_vmem_map(void *at, size_t size, size_t offset,
			      hsa_amd_vmem_alloc_handle_t memory, uint64_t flags);
hsa_status_t hsa_amd_vmem_unmap(void *at, size_t size);
hsa_status_t hsa_amd_svm_attributes_set(void *at, size_t size,
					hsa_amd_svm_attribute_pair_t *list, size_t nr);
extern struct fake fake;
fake_run_fn fake_run;

/* by functions of ROCr, as HIP does: those are not the program's */
static int fake_give(void **at)
{
	return hsa_amd_memory_pool_allocate((hsa_amd_memory_pool_t){}, 64, 0, at);
}

static int fake_free(void *at)
{
	return hsa_amd_memory_pool_free(at);
}

/* what fails later unlocks it again */
static int fake_lock(void *host, size_t size)
{
	void *at;

	if (hsa_amd_memory_lock(host, size, NULL, 0, &at))
		return 1;
	return fake.fails_later ? hsa_amd_memory_unlock(host), 1 : 0;
}

static hsa_amd_svm_attribute_pair_t no_access = { HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, 1 };

#define HIP(function, params, ret)					\
int function params;							\
int function params							\
{									\
	return ret;							\
}

HIP(hipMalloc, (void **at, size_t size), fake_give(at))
HIP(hipExtMallocWithFlags, (void **at, size_t size, unsigned int flags), fake_give(at))
HIP(hipMallocManaged, (void **at, size_t size, unsigned int flags), fake_give(at))
HIP(hipHostMalloc, (void **at, size_t size, unsigned int flags), fake_give(at))
HIP(hipHostAlloc, (void **at, size_t size, unsigned int flags), fake_give(at))
HIP(hipMallocHost, (void **at, size_t size), fake_give(at))
HIP(hipMemAllocHost, (void **at, size_t size), fake_give(at))
HIP(hipMallocPitch, (void **at, size_t *pitch, size_t width, size_t height),
    (*pitch = 512, fake_give(at)))
HIP(hipMemAllocPitch, (void **at, size_t *pitch, size_t width, size_t height,
		       unsigned int element), hipMallocPitch(at, pitch, width, height))
HIP(hipFree, (void *at), fake_free(at))
HIP(hipHostFree, (void *at), fake_free(at))
HIP(hipFreeHost, (void *at), fake_free(at))
HIP(hipHostRegister, (void *host, size_t size, unsigned int flags),
    fake_lock(host, size))
HIP(hipHostGetDevicePointer, (void **at, void *host, unsigned int flags), fake_give(at))
HIP(hipHostUnregister, (void *host), hsa_amd_memory_unlock(host))
HIP(hipIpcCloseMemHandle, (void *at), hsa_amd_ipc_memory_detach(at))
HIP(hipMemGetAddressRange, (void **base, size_t *size, void *at),
    (*base = at, *size = fake.size, fake.fails))
HIP(hipMemMap, (void *at, size_t size, size_t offset, void *handle,
		unsigned long long flags),
    hsa_amd_vmem_map(at, size, offset, (hsa_amd_vmem_alloc_handle_t){}, flags))
HIP(hipMemUnmap, (void *at, size_t size), hsa_amd_vmem_unmap(at, size))
/* of memory that all GPUs access: one does not any more */
HIP(hipMemAdvise, (const void *at, size_t size, int advice, int device),
    hsa_amd_svm_attributes_set((void *)(uintptr_t)at, size, &no_access, 1))
/* it frees what the program has */
void hipDeviceReset(void);
void hipDeviceReset(void)
{
	fake_free(fake.at);
}


struct fake_pitched {
	void *at;
	size_t pitch, width, height;
};

struct fake_extent {
	size_t width, height, depth;
};

struct fake_ipc {
	char reserved[64];
};

HIP(hipMalloc3D, (struct fake_pitched *to, struct fake_extent extent),
    (to->pitch = extent.width, fake_give(&to->at)))
HIP(hipIpcOpenMemHandle, (void **at, struct fake_ipc handle, unsigned int flags),
    handle.reserved[63] != 'h' ||
    hsa_amd_ipc_memory_attach(&(hsa_amd_ipc_memory_t){}, fake.size, 0, NULL, at))

/* ---- streams ------------------------------------------------------------------ */

static struct {
	void (*function)(void *data);
	void *data;
} queued[NR_QUEUED];
static int nr_queued;

static int fake_queue(void (*function)(void *data), void *data)
{
	if (fake.fails || fake.no_functions || nr_queued == NR_QUEUED)
		return 1;
	queued[nr_queued].function = function;
	queued[nr_queued++].data = data;
	return 0;
}

void fake_run(void)
{
	int i;

	for (i = 0; i < nr_queued; i++)
		queued[i].function(queued[i].data);
	nr_queued = 0;
}

HIP(hipStreamIsCapturing, (void *stream, int *status), (*status = fake.captured, 0))
HIP(hipLaunchHostFunc, (void *stream, void (*function)(void *data), void *data),
    fake_queue(function, data))
HIP(hipMallocAsync, (void **at, size_t size, void *stream), fake_give(at))
HIP(hipMallocFromPoolAsync, (void **at, size_t size, void *pool, void *stream),
    fake_give(at))
HIP(hipFreeAsync, (void *at, void *stream), fake.fails)

/* ---- launches ------------------------------------------------------------------- */

struct fake_dim {
	uint32_t x, y, z;
};

HIP(__hipPushCallConfiguration, (struct fake_dim grid, struct fake_dim block, size_t shared,
				 void *stream), fake.fails || block.z != 7)
HIP(hipLaunchKernel, (const void *kernel, struct fake_dim grid, struct fake_dim block,
		      void **args, size_t shared, void *stream),
    (fake.launched(), shared == 3 && stream == args ? 0 : 1))
