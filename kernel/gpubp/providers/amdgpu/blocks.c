// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks: our memory in a process's address space, for the trap handler, what it
 * records, and instructions that are executed elsewhere. The kernel has them mapped:
 * they are read at any time, also while the process changes its address space.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "amdgpu_vm.h"
#include "kfd_priv.h"

#include "provider.h"

/**
 * struct block - memory allocated in a context
 * @link: in ctx->blocks, by address
 * @va: first address
 * @size: bytes
 * @mem: the KFD's object
 * @kernel: its address in the kernel
 */
struct block {
	struct list_head link;
	u64 va;
	u64 size;
	struct kgd_mem *mem;
	void *kernel;
};

/* below what amdgpu reserves: see the patches */
static u64 area_start(const struct gpubp_amd_ctx *ctx)
{
	const struct amdgpu_device *adev = ctx->node->node->adev;

	return (adev->vm_manager.max_pfn << AMDGPU_GPU_PAGE_SHIFT) -
	       AMDGPU_VA_RESERVED_TOP - GPUBP_AMD_VA_SIZE;
}

/* first gap that @size fits in; @link is the entry to insert before */
static u64 block_find_gap(struct gpubp_amd_ctx *ctx, u64 size,
			  struct list_head **link)
{
	u64 start = area_start(ctx);
	u64 end = start + GPUBP_AMD_VA_SIZE;
	struct block *b;

	*link = &ctx->blocks;
	list_for_each_entry(b, &ctx->blocks, link) {
		if (b->va - start >= size) {
			*link = &b->link;
			break;
		}
		start = b->va + b->size;
	}
	return end - start >= size || *link != &ctx->blocks ? start : 0;
}

/*
 * Waves of the process can write to it, too: page tables of amdgpu have no
 * privilege bit, and the handler has to write. TTM zeroes system memory. What the
 * handler stores there must not stay in the GPU's L2 cache, which some of amdgpu's
 * memory types of coherent memory let it do on APUs.
 */
#define BLOCK_FLAGS	(KFD_IOC_ALLOC_MEM_FLAGS_GTT |			\
			 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE |	\
			 KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |		\
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |		\
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT |		\
			 KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED)

static void block_free(struct gpubp_amd_ctx *ctx, struct block *b)
{
	struct amdgpu_device *adev = ctx->node->node->adev;
	void *drm_priv = ctx->pdd->drm_priv;

	if (b->kernel)
		amdgpu_amdkfd_gpuvm_unmap_gtt_bo_from_kernel(b->mem);
	amdgpu_amdkfd_gpuvm_unmap_memory_from_gpu(adev, b->mem, drm_priv);
	amdgpu_amdkfd_gpuvm_free_memory_of_gpu(adev, b->mem, drm_priv, NULL);
}

static int block_map(struct gpubp_amd_ctx *ctx, struct block *b)
{
	struct amdgpu_device *adev = ctx->node->node->adev;
	void *drm_priv = ctx->pdd->drm_priv;
	int err;

	err = amdgpu_amdkfd_gpuvm_map_memory_to_gpu(adev, b->mem, drm_priv);
	if (!err)
		err = amdgpu_amdkfd_gpuvm_sync_memory(adev, b->mem, false);
	if (!err)
		err = amdgpu_amdkfd_gpuvm_map_gtt_bo_to_kernel(b->mem, &b->kernel,
							       NULL);
	return err;
}

static int block_alloc(struct gpubp_amd_ctx *ctx, struct block *b)
{
	struct amdgpu_device *adev = ctx->node->node->adev;
	int err;

	err = amdgpu_amdkfd_gpuvm_alloc_memory_of_gpu(adev, b->va, b->size,
						      ctx->pdd->drm_priv, &b->mem,
						      NULL, BLOCK_FLAGS, false);
	if (err)
		return err;
	err = block_map(ctx, b);
	if (err)
		block_free(ctx, b);
	return err;
}

int gpubp_amd_code_alloc(void *priv, size_t size, u64 *va)
{
	struct gpubp_amd_ctx *ctx = priv;
	struct list_head *before;
	struct block *b;

	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	guard(mutex)(&ctx->lock);
	b->size = PAGE_ALIGN(size);
	b->va = block_find_gap(ctx, b->size, &before);
	if (!b->va || block_alloc(ctx, b)) {
		kfree(b);
		return -ENOMEM;
	}
	guard(rwsem_write)(&ctx->blocks_lock);
	list_add_tail(&b->link, before);
	*va = b->va;
	return 0;
}

/* ctx->lock or ctx->blocks_lock is held */
static struct block *block_find(struct gpubp_amd_ctx *ctx, u64 va)
{
	struct block *b;

	list_for_each_entry(b, &ctx->blocks, link)
		if (va - b->va < b->size)
			return b;
	return NULL;
}

void gpubp_amd_code_free(void *priv, u64 va)
{
	struct gpubp_amd_ctx *ctx = priv;
	struct block *b;

	guard(mutex)(&ctx->lock);
	b = block_find(ctx, va);
	if (!b || b->va != va)
		return;
	scoped_guard(rwsem_write, &ctx->blocks_lock)
		list_del(&b->link);
	block_free(ctx, b);
	kfree(b);
}

void *gpubp_amd_code_map(void *priv, u64 va)
{
	struct gpubp_amd_ctx *ctx = priv;
	struct block *b;

	guard(rwsem_read)(&ctx->blocks_lock);
	b = block_find(ctx, va);
	return b ? b->kernel + (va - b->va) : NULL;
}

/**
 * gpubp_amd_block_rw() - access memory that is ours
 * @ctx: context
 * @va: GPU address
 * @buf: buffer
 * @len: bytes
 * @write: from @buf
 *
 * May sleep. Return: number of bytes, up to the end of the block; 0: there is none.
 */
size_t gpubp_amd_block_rw(struct gpubp_amd_ctx *ctx, u64 va, void *buf, size_t len,
			  bool write)
{
	struct block *b;
	void *memory;

	if (va - area_start(ctx) >= GPUBP_AMD_VA_SIZE)
		return 0;
	guard(rwsem_read)(&ctx->blocks_lock);
	b = block_find(ctx, va);
	if (!b)
		return 0;
	len = min_t(u64, len, b->va + b->size - va);
	memory = b->kernel + (va - b->va);
	if (write)
		memcpy(memory, buf, len);
	else
		memcpy(buf, memory, len);
	return len;
}
