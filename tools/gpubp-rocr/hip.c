// SPDX-License-Identifier: GPL-2.0
/* HIP's functions that allocate and free at once. Its headers are not needed. */
#include "buffers.h"
#include "names.h"
#include "next.h"
#include "queues.h"

/* of HIP, and as its hipPitchedPtr, hipExtent and hipIpcMemHandle_t */
struct hip_pitched {
	void *at;
	size_t pitch, width, height;
};

struct hip_extent {
	size_t width, height, depth;
};

struct hip_ipc {
	char reserved[64];
};

#define HIP_ALLOCATES(function, params, args, name)			\
	ALLOCATES(int, function, params, args, HIP_LACKS, name)
#define HIP_FREES(function, params, args, to_free)			\
	FREES(int, function, params, args, HIP_LACKS, to_free)

/* from @at to the end of its allocation */
static size_t hip_size(void *at)
{
	static int (*next)(void **base, size_t *size, void *at);
	char *base = NULL;
	size_t size = 0;

	if (!NEXT(next, hipMemGetAddressRange) || next((void **)&base, &size, at))
		return 0;
	return size - (size_t)((char *)at - base);
}

/* the GPU's address of memory of the host may be another one */
static void hip_registered(void *host, size_t size, const void *caller)
{
	static int (*next)(void **at, void *host, unsigned int flags);
	void *at = NULL;

	if (NEXT(next, hipHostGetDevicePointer) && !next(&at, host, 0))
		buffer_mapped(host, at, size, caller);
}

HIP_ALLOCATES(hipMalloc, (void **at, size_t size), (at, size),
	      buffer_allocated(*at, size, CALLER))
HIP_ALLOCATES(hipExtMallocWithFlags, (void **at, size_t size, unsigned int flags),
	      (at, size, flags), buffer_allocated(*at, size, CALLER))
HIP_ALLOCATES(hipMallocManaged, (void **at, size_t size, unsigned int flags),
	      (at, size, flags), buffer_allocated(*at, size, CALLER))
HIP_ALLOCATES(hipHostMalloc, (void **at, size_t size, unsigned int flags),
	      (at, size, flags), buffer_allocated(*at, size, CALLER))
HIP_ALLOCATES(hipHostAlloc, (void **at, size_t size, unsigned int flags),
	      (at, size, flags), buffer_allocated(*at, size, CALLER))
HIP_ALLOCATES(hipMallocHost, (void **at, size_t size), (at, size),
	      buffer_allocated(*at, size, CALLER))
HIP_ALLOCATES(hipMemAllocHost, (void **at, size_t size), (at, size),
	      buffer_allocated(*at, size, CALLER))
HIP_ALLOCATES(hipMallocPitch, (void **at, size_t *pitch, size_t width, size_t height),
	      (at, pitch, width, height),
	      buffer_allocated(*at, *pitch * height, CALLER))
HIP_ALLOCATES(hipMemAllocPitch, (void **at, size_t *pitch, size_t width, size_t height,
				 unsigned int element),
	      (at, pitch, width, height, element),
	      buffer_allocated(*at, *pitch * height, CALLER))
HIP_ALLOCATES(hipMalloc3D, (struct hip_pitched *to, struct hip_extent extent), (to, extent),
	      buffer_allocated(to->at, to->pitch * extent.height * extent.depth, CALLER))
HIP_FREES(hipFree, (void *at), (at), buffers_take(at))
HIP_FREES(hipHostFree, (void *at), (at), buffers_take(at))
HIP_FREES(hipFreeHost, (void *at), (at), buffers_take(at))

HIP_ALLOCATES(hipHostRegister, (void *host, size_t size, unsigned int flags),
	      (host, size, flags), hip_registered(host, size, CALLER))
HIP_FREES(hipHostUnregister, (void *host), (host), buffers_take(host))

HIP_ALLOCATES(hipIpcOpenMemHandle, (void **at, struct hip_ipc handle, unsigned int flags),
	      (at, handle, flags), buffer_mapped(*at, *at, hip_size(*at), CALLER))
HIP_FREES(hipIpcCloseMemHandle, (void *at), (at), buffers_take(at))

HIP_ALLOCATES(hipMemMap, (void *at, size_t size, size_t offset, void *handle,
			  unsigned long long flags),
	      (at, size, offset, handle, flags), buffer_allocated(at, size, CALLER))
HIP_FREES(hipMemUnmap, (void *at, size_t size), (at, size), buffers_take_range(at, size))

/* ---- launches: <<<>>> is a call of the first, and of the second in a function of its own */

struct hip_dim {
	uint32_t x, y, z;
};

WRAPPER int __hipPushCallConfiguration(struct hip_dim grid, struct hip_dim block,
				       size_t shared, void *stream);
int __hipPushCallConfiguration(struct hip_dim grid, struct hip_dim block, size_t shared,
			       void *stream)
{
	static int (*next)(struct hip_dim grid, struct hip_dim block, size_t shared,
			   void *stream);

	int ret = HIP_LACKS;

	launch_begin(CALLER);
	if (NEXT(next, __hipPushCallConfiguration))
		ret = next(grid, block, shared, stream);
	/* <<<>>> calls nothing more then */
	if (ret)
		launch_end();
	return ret;
}

#define HIP_LAUNCHES(function)						\
WRAPPER int function(const void *kernel, struct hip_dim grid, struct hip_dim block, \
		     void **args, size_t shared, void *stream);		\
int function(const void *kernel, struct hip_dim grid, struct hip_dim block, \
	     void **args, size_t shared, void *stream)			\
{									\
	static int (*next)(const void *kernel, struct hip_dim grid,	\
			   struct hip_dim block, void **args, size_t shared, \
			   void *stream);				\
	int ret = HIP_LACKS;						\
									\
	if (NEXT(next, function))					\
		ret = next(kernel, grid, block, args, shared, stream);	\
	launch_end();							\
	return ret;							\
}
HIP_LAUNCHES(hipLaunchKernel)
HIP_LAUNCHES(hipLaunchKernel_spt)
