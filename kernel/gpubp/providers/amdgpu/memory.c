// SPDX-License-Identifier: GPL-2.0
/* Memory of contexts: buffer objects, pages of the process, and SVM ranges. */
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/userfaultfd_k.h>

#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "amdgpu_vm.h"
#include "kfd_priv.h"
#include "kfd_svm.h"

#include "compat.h"
#include "provider.h"

/* some milliseconds: the time of a submission by the process */
#define RESERVE_TRIES	16

/**
 * struct va_target - what a GPU address refers to
 * @bo: buffer object, referenced; NULL for pages of the process
 * @offset: in @bo
 * @addr: address in the process, if it refers to its pages
 * @sparse: it is mapped without memory, so that accesses do nothing
 * @map: the mapping
 */
struct va_target {
	struct amdgpu_bo *bo;
	u64 offset;
	u64 addr;
	bool sparse;
	struct gpubp_mapping map;
};

static void page_copy(struct page *page, u64 addr, void *buf, size_t len,
		      bool write)
{
	void *memory = kmap_local_page(page) + offset_in_page(addr);

	if (write)
		memcpy(memory, buf, len);
	else
		memcpy(buf, memory, len);
	kunmap_local(memory);
}

static int mm_lock_for(struct mm_struct *mm, unsigned int how)
{
	if (how & GPUBP_MEM_WAIT)
		return mmap_read_lock_killable(mm) ? -EINTR : 0;
	return mmap_read_trylock(mm) ? 0 : -EAGAIN;
}

/* nothing but memory is waited for when a page is faulted in, or copied after a fork */
static bool mm_faults_at_once(struct mm_struct *mm, u64 addr)
{
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	return vma && vma_is_anonymous(vma) && !userfaultfd_armed(vma);
}

/* without GPUBP_MEM_WAIT, nothing is faulted in or copied */
static unsigned int mem_gup_flags(struct mm_struct *mm, u64 addr, unsigned int how)
{
	bool fault = how & GPUBP_MEM_WAIT ||
		     (how & GPUBP_AMD_MEM_FAULT && mm_faults_at_once(mm, addr));

	return (how & GPUBP_MEM_WRITE ? FOLL_WRITE : 0) | (fault ? 0 : FOLL_NOFAULT);
}

static bool mm_may_access(struct mm_struct *mm, u64 addr, unsigned int how)
{
	vm_flags_t needed = how & GPUBP_MEM_WRITE ? VM_WRITE : VM_READ;
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	return vma && (vma->vm_flags & needed) &&
	       !(vma->vm_flags & (VM_IO | VM_PFNMAP));
}

/* only accesses that the process itself could make: no FOLL_FORCE */
static int process_page_rw(struct mm_struct *mm, u64 addr, void *buf,
			   size_t len, unsigned int how)
{
	int locked = 1, err = mm_lock_for(mm, how);
	struct page *page;
	long n = -EFAULT;

	if (err)
		return err;
	if (!mm_may_access(mm, addr, how))
		err = -EFAULT;
	else
		n = pin_user_pages_remote(mm, addr, 1, mem_gup_flags(mm, addr, how),
					  &page, &locked);
	if (locked)
		mmap_read_unlock(mm);
	if (err)
		return err;
	if (n != 1)
		return !(how & GPUBP_MEM_WAIT) ? -EAGAIN :
		       fatal_signal_pending(current) ? -EINTR : -EFAULT;
	page_copy(page, addr, buf, len, how & GPUBP_MEM_WRITE);
	unpin_user_pages_dirty_lock(&page, 1, how & GPUBP_MEM_WRITE);
	return 0;
}

static ssize_t process_pages_rw(struct mm_struct *mm, u64 addr, void *buf,
				size_t len, unsigned int how)
{
	size_t done = 0, n;
	int err = 0;

	while (done < len && !err) {
		n = min(len - done, PAGE_SIZE - offset_in_page(addr + done));
		err = fatal_signal_pending(current) ? -EINTR :
		      process_page_rw(mm, addr + done, buf + done, n, how);
		if (!err)
			done += n;
	}
	return done ?: err;
}

/*
 * Access the address space that the process had when it opened the device, even
 * if its tasks executed another program since.
 */
static ssize_t process_rw(struct gpubp_amd_ctx *ctx, u64 addr, void *buf,
			  size_t len, unsigned int how)
{
	ssize_t n;

	if (!mmget_not_zero(ctx->mm))
		return -EFAULT;
	n = process_pages_rw(ctx->mm, addr, buf, len, how);
	mmput_async(ctx->mm);
	return n;
}

/* access at most up to the end of a page */
static ssize_t bo_page_rw(struct amdgpu_bo *bo, u64 offset, void *buf,
			  size_t len, bool write)
{
	struct ttm_bo_kmap_obj map;
	bool is_iomem;
	u8 *page;
	int err;

	len = min_t(size_t, len, PAGE_SIZE - offset_in_page(offset));
	err = ttm_bo_kmap(&bo->tbo, offset >> PAGE_SHIFT, 1, &map);
	if (err)
		return -EFAULT;
	page = ttm_kmap_obj_virtual(&map, &is_iomem);
	if (write)
		memcpy(page + offset_in_page(offset), buf, len);
	else
		memcpy(buf, page + offset_in_page(offset), len);
	ttm_bo_kunmap(&map);
	return len;
}

/* @bo is reserved, so it does not move */
static ssize_t bo_rw(struct amdgpu_bo *bo, u64 offset, void *buf, size_t len,
		     bool write)
{
	size_t done = 0;
	ssize_t n;

	if (bo->tbo.resource->mem_type == TTM_PL_VRAM)
		return bo->tbo.bdev->funcs->access_memory(&bo->tbo, offset, buf,
							  len, write);
	while (done < len) {
		n = bo_page_rw(bo, offset + done, buf + done, len - done,
			       write);
		if (n < 0)
			return done ?: n;
		done += n;
	}
	return done;
}

/*
 * Return: 0; -EAGAIN or -EINTR if the reservation is contended for long: the
 * former without GPUBP_MEM_WAIT, the latter if current is killed. A killed task
 * that cleans up tries as long as one that does not wait.
 */
static int bo_reserve(struct amdgpu_bo *bo, unsigned int how)
{
	bool wait = how & GPUBP_MEM_WAIT;
	unsigned int tries;

	for (tries = 0; ttm_bo_reserve(&bo->tbo, false, true, NULL); tries++) {
		if (tries >= RESERVE_TRIES && !wait)
			return -EAGAIN;
		if (tries >= RESERVE_TRIES && fatal_signal_pending(current))
			return -EINTR;
		usleep_range(200, 500);
	}
	return 0;
}

static u32 bo_map_flags(const struct amdgpu_bo_va_mapping *m,
			struct amdgpu_bo *bo, bool userptr)
{
	u32 flags = 0;

	if (m->flags & GPUBP_AMD_READABLE)
		flags |= GPUBP_MAP_READ;
	if (m->flags & GPUBP_AMD_WRITEABLE)
		flags |= GPUBP_MAP_WRITE;
	if (m->flags & GPUBP_AMD_EXECUTABLE)
		flags |= GPUBP_MAP_EXEC;
	if (userptr)
		return flags | GPUBP_MAP_USERPTR | GPUBP_MAP_CPU |
		       GPUBP_MAP_SHARED;
	if (bo->preferred_domains & AMDGPU_GEM_DOMAIN_VRAM)
		flags |= GPUBP_MAP_DEVICE;
	if (!(bo->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS))
		flags |= GPUBP_MAP_CPU;
	if (bo->tbo.base.import_attach || bo->tbo.base.dma_buf)
		flags |= GPUBP_MAP_SHARED;
	return flags;
}

static void va_target_set_bo(const struct amdgpu_bo_va_mapping *m, u64 va,
			     struct va_target *p)
{
	u64 user;
	bool userptr = !amdgpu_ttm_tt_get_userptr(&p->bo->tbo, &user) && user;

	p->map.start = m->start << AMDGPU_GPU_PAGE_SHIFT;
	p->map.size = (m->last + 1 - m->start) << AMDGPU_GPU_PAGE_SHIFT;
	p->map.flags = bo_map_flags(m, p->bo, userptr);
	p->offset = m->offset + va - p->map.start;
	if (userptr)
		p->addr = user + p->offset;
}

static int va_target_find_bo(struct gpubp_amd_ctx *ctx, u64 va,
			     unsigned int how, struct va_target *p)
{
	struct amdgpu_vm *vm = drm_priv_to_vm(ctx->pdd->drm_priv);
	struct amdgpu_bo_va_mapping *m;
	int err = bo_reserve(vm->root.bo, how);

	if (err)
		return err;
	m = amdgpu_vm_bo_lookup_mapping(vm, va >> AMDGPU_GPU_PAGE_SHIFT);
	if (m && m->bo_va && m->bo_va->base.bo) {
		p->bo = amdgpu_bo_ref(m->bo_va->base.bo);
		va_target_set_bo(m, va, p);
	}
	p->sparse = m && !p->bo;
	amdgpu_bo_unreserve(vm->root.bo);
	return p->bo ? 0 : -EFAULT;
}

#if IS_ENABLED(CONFIG_HSA_AMD_SVM)
/* shared virtual memory: the same address in the process */
static int va_target_set_svm(struct svm_range_list *svms, u64 va,
			     struct va_target *p)
{
	struct svm_range *range;

	lockdep_assert_held(&svms->lock);
	range = svm_range_from_addr(svms, va >> PAGE_SHIFT, NULL);
	if (!range)
		return -EFAULT;
	p->addr = va;
	p->map.start = (u64)range->start << PAGE_SHIFT;
	p->map.size = (u64)(range->last + 1 - range->start) << PAGE_SHIFT;
	p->map.flags = GPUBP_MAP_READ | GPUBP_MAP_USERPTR | GPUBP_MAP_CPU |
		       GPUBP_MAP_SHARED;
	if (!(range->flags & KFD_IOCTL_SVM_FLAG_GPU_RO))
		p->map.flags |= GPUBP_MAP_WRITE;
	if (range->flags & KFD_IOCTL_SVM_FLAG_GPU_EXEC)
		p->map.flags |= GPUBP_MAP_EXEC;
	return 0;
}

static int va_target_find_svm(struct gpubp_amd_ctx *ctx, u64 va,
			      unsigned int how, struct va_target *p)
{
	struct svm_range_list *svms = &ctx->pdd->process->svms;
	int err;

	if (how & GPUBP_MEM_WAIT)
		mutex_lock(&svms->lock);
	else if (!mutex_trylock(&svms->lock))
		return -EAGAIN;
	err = va_target_set_svm(svms, va, p);
	mutex_unlock(&svms->lock);
	return err;
}
#else
static int va_target_find_svm(struct gpubp_amd_ctx *ctx, u64 va,
			      unsigned int how, struct va_target *p)
{
	return -EFAULT;
}
#endif

static int va_target_find(struct gpubp_amd_ctx *ctx,
			  const struct gpubp_where *where, unsigned int how,
			  struct va_target *p)
{
	int err;

	*p = (struct va_target){};
	if (where->space != GPUBP_SPACE_GLOBAL)
		return -EOPNOTSUPP;
	err = va_target_find_bo(ctx, where->va, how, p);
	return err == -EFAULT ? va_target_find_svm(ctx, where->va, how, p) :
				err;
}

static ssize_t va_target_rw(struct gpubp_amd_ctx *ctx,
			    const struct va_target *p, void *buf, size_t len,
			    unsigned int how)
{
	ssize_t n;

	if (p->addr)
		return process_rw(ctx, p->addr, buf, len, how);
	n = bo_reserve(p->bo, how);
	if (n)
		return n;
	n = bo_rw(p->bo, p->offset, buf, len, how & GPUBP_MEM_WRITE);
	amdgpu_bo_unreserve(p->bo);
	return n > 0 ? n : -EFAULT;
}

ssize_t gpubp_amd_mem_rw(void *priv, const struct gpubp_where *where, void *buf,
			 size_t len, unsigned int how)
{
	struct gpubp_amd_ctx *ctx = priv;
	struct va_target p;
	ssize_t n = 0;

	if (where->space == GPUBP_SPACE_GLOBAL)
		n = gpubp_amd_block_rw(ctx, where->va, buf, len, how & GPUBP_MEM_WRITE);
	if (n)
		return n;
	n = va_target_find(ctx, where, how, &p);
	if (n)
		return n;
	len = min_t(u64, len, p.map.start + p.map.size - where->va);
	n = len ? va_target_rw(ctx, &p, buf, len, how) : 0;
	amdgpu_bo_unref(&p.bo);
	return n;
}

int gpubp_amd_mem_translate(void *priv, const struct gpubp_where *where,
			    struct gpubp_mapping *out)
{
	struct va_target p;
	int err = va_target_find(priv, where, 0, &p);

	if (err)
		return p.sparse ? -EOPNOTSUPP : err;
	*out = p.map;
	amdgpu_bo_unref(&p.bo);
	return 0;
}

/*
 * Data: the path between the CPU and device memory. Only packets can invalidate
 * the caches of the GPU, including instruction caches; firmware does so when it
 * maps the queues again.
 */
int gpubp_amd_flush(void *priv, u32 what, unsigned int timeout_ms)
{
	struct gpubp_amd_ctx *ctx = priv;
	struct amdgpu_device *adev = ctx->node->node->adev;

	if (what & GPUBP_FLUSH_DATA)
		amdgpu_device_flush_hdp(adev, NULL);
	if (!(what & GPUBP_FLUSH_CODE))
		return 0;
	if (gpubp_amd_ctx_evict(ctx))
		return -ETIMEDOUT;
	gpubp_amd_ctx_restore(ctx);
	return 0;
}
