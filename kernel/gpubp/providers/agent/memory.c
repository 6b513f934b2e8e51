// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of the process that an agent serves: what its CPU threads could read at the
 * address, and the code that hits brought with them. GPU memory that the process has not
 * mapped is not reachable.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "agent.h"

static int mm_lock_for(struct mm_struct *mm, unsigned int how)
{
	if (how & GPUBP_MEM_WAIT)
		return mmap_read_lock_killable(mm) ? -EINTR : 0;
	return mmap_read_trylock(mm) ? 0 : -EAGAIN;
}

static void page_read(struct page *page, u64 addr, void *buf, size_t len)
{
	const void *memory = kmap_local_page(page);

	memcpy(buf, memory + offset_in_page(addr), len);
	kunmap_local(memory);
}

/* device memory that the process has mapped: by its driver, as ptrace does */
static int device_read(struct vm_area_struct *vma, u64 addr, void *buf, size_t len)
{
	int n = -EFAULT;

	if (vma->vm_ops && vma->vm_ops->access)
		n = vma->vm_ops->access(vma, addr, buf, len, 0);
	return n == len ? 0 : -EFAULT;
}

/* up to the end of a page; without GPUBP_MEM_WAIT nothing is faulted in */
static int page_rw(struct mm_struct *mm, u64 addr, void *buf, size_t len,
		   unsigned int how)
{
	unsigned int flags = how & GPUBP_MEM_WAIT ? 0 : FOLL_NOFAULT;
	int locked = 1, err = mm_lock_for(mm, how);
	struct vm_area_struct *vma;
	struct page *page;
	long n = -EFAULT;

	if (err)
		return err;
	vma = vma_lookup(mm, addr);
	if (!vma || !(vma->vm_flags & VM_READ))
		err = -EFAULT;
	else if (vma->vm_flags & (VM_IO | VM_PFNMAP))
		err = device_read(vma, addr, buf, len) ?: 1;
	else
		n = pin_user_pages_remote(mm, addr, 1, flags, &page, &locked);
	if (locked)
		mmap_read_unlock(mm);
	if (err)
		return min(err, 0);
	if (n != 1)
		return !(how & GPUBP_MEM_WAIT) ? -EAGAIN :
		       fatal_signal_pending(current) ? -EINTR : -EFAULT;
	page_read(page, addr, buf, len);
	unpin_user_page(page);
	return 0;
}

static ssize_t process_read(struct mm_struct *mm, u64 addr, void *buf, size_t len,
			    unsigned int how)
{
	size_t done = 0, n;
	int err = 0;

	while (done < len && !err) {
		n = min(len - done, PAGE_SIZE - offset_in_page(addr + done));
		err = fatal_signal_pending(current) ? -EINTR :
		      page_rw(mm, addr + done, buf + done, n, how);
		if (!err)
			done += n;
	}
	return done ?: err;
}

/** agent_mem_rw() - gpubp_ops.mem_rw; nothing is written */
ssize_t agent_mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
		     size_t len, unsigned int how)
{
	struct agent *a = ctx;
	ssize_t n;

	if (where->space != GPUBP_SPACE_GLOBAL)
		return -EOPNOTSUPP;
	if (how & GPUBP_MEM_WRITE)
		return -EFAULT;
	if (agent_hit_code(a, where->va, buf, len))
		return len;
	if (!mmget_not_zero(a->mm))
		return -EFAULT;
	n = process_read(a->mm, where->va, buf, len, how);
	mmput_async(a->mm);
	return n;
}

/* the process has done that */
static int memory_unmap(void *ctx, u64 va, u64 size)
{
	return 0;
}

/**
 * agent_freed() - memory is another buffer's from now on
 * @a: agent
 * @msg: message
 * @wait: wait for the hits of before, which are of the old one
 *
 * May sleep. Return: 0 or an errno as in <uapi/linux/gpubp_agent.h>.
 */
int agent_freed(struct agent *a, const struct gpubp_agent_freed *msg, bool wait)
{
	u64 last;
	int err;

	if (msg->header.size != sizeof(*msg) || !msg->len ||
	    check_add_overflow(msg->start, msg->len - 1, &last))
		return -EINVAL;
	err = agent_hits_await(a, wait);
	return err ?: gpubp_mem_unmap(a->ctx, msg->start, msg->len, memory_unmap);
}
