// SPDX-License-Identifier: GPL-2.0
/*
 * The core's trap handler in a process: second level behind the KFD's handler,
 * which saves preempted waves (CWSR), or, without CWSR, first level.
 */
#include <linux/slab.h>

#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "amdgpu_vm.h"
#include "kfd_debug.h"
#include "kfd_device_queue_manager.h"

#include "provider.h"

/*
 * The range for our memory in each address space: in the range that amdgpu
 * reserves, behind the context save area of graphics, which is 128 KiB.
 */
#define AREA_OFFSET	SZ_1M
#define AREA_SIZE	SZ_1M

/**
 * struct block - memory allocated in a context
 * @link: in ctx->blocks, by address
 * @va: first address
 * @size: bytes
 * @mem: the KFD's object
 */
struct block {
	struct list_head link;
	u64 va;
	u64 size;
	struct kgd_mem *mem;
};

/* ---- handler ------------------------------------------------------------- */

static void handler_set(struct gpubp_amd_ctx *ctx, u64 tba, u64 tma)
{
	lockdep_assert_held(&ctx->lock);
	kfd_process_set_trap_handler(&ctx->pdd->qpd, tba, tma);
}

static void handler_get(struct gpubp_amd_ctx *ctx, u64 *tba, u64 *tma)
{
	struct qcm_process_device *qpd = &ctx->pdd->qpd;
	u64 *second = qpd->cwsr_kaddr ?
		      qpd->cwsr_kaddr + KFD_CWSR_TMA_OFFSET : NULL;

	*tba = second ? second[0] : qpd->tba_addr;
	*tma = second ? second[1] : qpd->tma_addr;
}

static void handler_apply(struct gpubp_amd_ctx *ctx)
{
	if (ctx->hidden)
		handler_set(ctx, ctx->user_tba, ctx->user_tma);
	else
		handler_set(ctx, ctx->tba, ctx->tma);
}

static int handler_write(struct gpubp_amd_ctx *ctx, u64 offset, void *data,
			 size_t len)
{
	const struct gpubp_where where = {
		.space = GPUBP_SPACE_GLOBAL,
		.va = ctx->tma + offset,
	};

	return gpubp_amd_mem_rw(ctx, &where, data, len, GPUBP_MEM_WRITE) ==
	       len ? 0 : -EIO;
}

/* the process's own handler, for what ours does not handle */
static int handler_write_third(struct gpubp_amd_ctx *ctx)
{
	u64 third[] = { ctx->user_tba, ctx->user_tma };

	lockdep_assert_held(&ctx->lock);
	return handler_write(ctx, ctx->node->isa->handler->third_offset, third,
			     sizeof(third));
}

static int handler_write_memory(struct gpubp_amd_ctx *ctx)
{
	u32 first[GPUBP_AMD_HANDLER_ARRAYS];

	gpubp_amd_first_records(first);
	return handler_write(ctx, 0, first, sizeof(first)) ?:
	       handler_write_third(ctx);
}

/* while a debugger is attached, it is not entered */
int gpubp_amd_trap_install(void *priv, u64 tba, u64 tma)
{
	struct gpubp_amd_ctx *ctx = priv;
	int err;

	if ((tba | tma) & 0xff)
		return -EIO;
	guard(mutex)(&ctx->lock);
	ctx->tba = tba;
	ctx->tma = tma;
	if (!ctx->handler)
		handler_get(ctx, &ctx->user_tba, &ctx->user_tma);
	err = handler_write_memory(ctx);
	if (err)
		return err;
	handler_apply(ctx);
	WRITE_ONCE(ctx->handler, true);
	return 0;
}

void gpubp_amd_trap_remove(void *priv)
{
	struct gpubp_amd_ctx *ctx = priv;

	guard(mutex)(&ctx->lock);
	if (!ctx->handler)
		return;
	handler_set(ctx, ctx->user_tba, ctx->user_tma);
	WRITE_ONCE(ctx->handler, false);
}

/**
 * gpubp_amd_handler_hide() - a debugger attached or detached
 * @ctx: context without watches that are armed
 * @hide: it expects that only the process's own handler stops waves
 */
void gpubp_amd_handler_hide(struct gpubp_amd_ctx *ctx, bool hide)
{
	guard(mutex)(&ctx->lock);
	ctx->hidden = hide;
	if (ctx->handler)
		handler_apply(ctx);
}

bool gpubp_amd_set_handler(struct kfd_process_device *pdd, u64 tba, u64 tma)
{
	struct gpubp_amd_ctx *ctx = pdd->gpubp;

	if (!ctx)
		return false;
	guard(mutex)(&ctx->lock);
	if (!ctx->handler)
		return false;
	ctx->user_tba = tba;
	ctx->user_tma = tma;
	if (handler_write_third(ctx))
		dev_err(ctx->node->node->adev->dev,
			"gpubp: process %d: its trap handler is not called\n",
			pdd->process->lead_thread->tgid);
	handler_apply(ctx);
	return true;
}

/* ---- memory -------------------------------------------------------------- */

/* first gap that @size fits in; @link is the entry to insert before */
static u64 block_find_gap(struct gpubp_amd_ctx *ctx, u64 size,
			  struct list_head **link)
{
	u64 start = AMDGPU_VA_RESERVED_CSA_START(ctx->node->node->adev) +
		    AREA_OFFSET;
	u64 end = start + AREA_SIZE;
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
 * privilege bit, and the handler has to write. TTM zeroes system memory.
 */
#define BLOCK_FLAGS	(KFD_IOC_ALLOC_MEM_FLAGS_GTT |			\
			 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE |	\
			 KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |		\
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |		\
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT)

static int block_map(struct gpubp_amd_ctx *ctx, struct block *b)
{
	struct amdgpu_device *adev = ctx->node->node->adev;
	void *drm_priv = ctx->pdd->drm_priv;
	int err;

	err = amdgpu_amdkfd_gpuvm_alloc_memory_of_gpu(adev, b->va, b->size,
						      drm_priv, &b->mem, NULL,
						      BLOCK_FLAGS, false);
	if (err)
		return err;
	err = amdgpu_amdkfd_gpuvm_map_memory_to_gpu(adev, b->mem, drm_priv);
	if (!err)
		err = amdgpu_amdkfd_gpuvm_sync_memory(adev, b->mem, false);
	if (err) {
		amdgpu_amdkfd_gpuvm_unmap_memory_from_gpu(adev, b->mem,
							  drm_priv);
		amdgpu_amdkfd_gpuvm_free_memory_of_gpu(adev, b->mem, drm_priv,
						       NULL);
	}
	return err;
}

static void block_unmap(struct gpubp_amd_ctx *ctx, struct block *b)
{
	struct amdgpu_device *adev = ctx->node->node->adev;
	void *drm_priv = ctx->pdd->drm_priv;

	amdgpu_amdkfd_gpuvm_unmap_memory_from_gpu(adev, b->mem, drm_priv);
	amdgpu_amdkfd_gpuvm_free_memory_of_gpu(adev, b->mem, drm_priv, NULL);
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
	if (!b->va || block_map(ctx, b)) {
		kfree(b);
		return -ENOMEM;
	}
	list_add_tail(&b->link, before);
	*va = b->va;
	return 0;
}

void gpubp_amd_code_free(void *priv, u64 va)
{
	struct gpubp_amd_ctx *ctx = priv;
	struct block *b, *next;

	guard(mutex)(&ctx->lock);
	list_for_each_entry_safe(b, next, &ctx->blocks, link) {
		if (b->va != va)
			continue;
		list_del(&b->link);
		block_unmap(ctx, b);
		kfree(b);
	}
}
