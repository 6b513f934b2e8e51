// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of a process, pinned one by one and briefly: what the process unmaps or
 * protects is not accessible to the next instruction of the GPU.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "vm.h"

/*
 * Some tens of microseconds: as long as a mmap(2) or a page fault of the
 * process.
 */
#define LOCK_SPINS	1000

/* the lock may be held briefly, or for long: spin a while, then give up */
static bool mm_try_lock(struct mm_struct *mm)
{
	unsigned int spins = LOCK_SPINS;

	while (!mmap_read_trylock(mm)) {
		if (!--spins)
			return false;
		cpu_relax();
	}
	return true;
}

static bool is_in_memory(const struct super_block *sb)
{
	return sb->s_magic == TMPFS_MAGIC || sb->s_magic == RAMFS_MAGIC ||
	       sb->s_magic == HUGETLBFS_MAGIC;
}

/*
 * Do not wait for pages of file systems that users can mount: they may also
 * serve them (FUSE). Do not write to shared file pages: they are locked during
 * writeback.
 */
static bool vma_is_trusted(const struct vm_area_struct *vma, bool write,
			   bool fault)
{
	const struct super_block *sb;

	if (!vma->vm_file)
		return true;
	sb = vma->vm_file->f_mapping->host->i_sb;
	if (is_in_memory(sb))
		return true;
	if (write && (vma->vm_flags & VM_SHARED))
		return false;
	return !fault || !(sb->s_type->fs_flags & FS_USERNS_MOUNT);
}

/*
 * A buffer belongs to one context: its breaks must not stop waves of another
 * one.
 */
static bool vma_may_access(struct mm_struct *mm, unsigned long addr, bool write,
			   bool fault)
{
	vm_flags_t needed = write ? VM_WRITE : VM_READ;
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	return vma && (vma->vm_flags & needed) &&
	       !(vma->vm_flags & (VM_IO | VM_PFNMAP)) &&
	       !sim_vm_is_buffer(vma) && vma_is_trusted(vma, write, fault);
}

/* called with @mm locked, unlocks it; 0, -EFAULT or -EAGAIN */
static int pin_locked(struct mm_struct *mm, unsigned long addr, bool write,
		      bool fault, struct page **page)
{
	unsigned int flags = (write ? FOLL_WRITE : 0) |
			     (fault ? FOLL_NOWAIT : FOLL_NOFAULT);
	bool may = vma_may_access(mm, addr, write, fault);
	int locked = 1;
	long n = -EFAULT;

	if (may)
		n = pin_user_pages_remote(mm, addr, 1, flags, page, &locked);
	if (locked)
		mmap_read_unlock(mm);
	if (n == 1)
		return 0;
	/* a fault may be in progress; without @fault the reason is not known */
	return may && (!n || !fault) ? -EAGAIN : -EFAULT;
}

static int pin_resident(struct mm_struct *mm, unsigned long addr, bool write,
			struct page **page)
{
	return mm_try_lock(mm) ? pin_locked(mm, addr, write, false, page) :
				 -EAGAIN;
}

static int pin_with_timeout(struct mm_struct *mm, unsigned long addr,
			    bool write, struct page **page)
{
	unsigned long end = jiffies + SIM_PAGE_TIMEOUT;
	int err;

	for (;;) {
		err = mm_try_lock(mm) ?
			      pin_locked(mm, addr, write, true, page) :
			      -EAGAIN;
		if (err != -EAGAIN)
			return err;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (time_after(jiffies, end))
			return -EFAULT;
		usleep_range(200, 1000);
	}
}

/**
 * sim_pin_get() - pin a page of a userptr
 * @pin: the result; empty
 * @map: userptr; its reference is transferred to @pin on success
 * @page: number of the page in @map
 * @flags: SIM_ACCESS_WRITE, SIM_ACCESS_NOWAIT
 *
 * With the rights of the process: no forced access, and none once its address
 * space is gone. May sleep.
 *
 * Return: 0, -EFAULT; with SIM_ACCESS_NOWAIT -EAGAIN, else -EINTR.
 */
int sim_pin_get(struct sim_pin *pin, struct sim_map *map, unsigned long page,
		unsigned int flags)
{
	unsigned long addr = map->cpu_addr + (page << PAGE_SHIFT);
	bool write = flags & SIM_ACCESS_WRITE;
	int err;

	if (!mmget_not_zero(map->mm))
		return -EFAULT;
	err = flags & SIM_ACCESS_NOWAIT ?
	      pin_resident(map->mm, addr, write, &pin->memory) :
	      pin_with_timeout(map->mm, addr, write, &pin->memory);
	/* possibly the last user: do not tear it down in this thread */
	mmput_async(map->mm);
	if (err)
		return err;
	pin->map = map;
	pin->page = page;
	pin->writable = write;
	return 0;
}

/**
 * sim_map_fault_in() - fault in a page of a userptr
 * @map: userptr
 * @page: number of the page in @map
 * @write: for writing
 *
 * May sleep, and allocate memory charged to the process. Return: 0, -EFAULT,
 * -EAGAIN if the fault is in progress, or -EBUSY if mmap_lock is contended.
 */
int sim_map_fault_in(struct sim_map *map, unsigned long page, bool write)
{
	unsigned long addr = map->cpu_addr + (page << PAGE_SHIFT);
	struct page *memory;
	int err = -EBUSY;

	if (!mmget_not_zero(map->mm))
		return -EFAULT;
	if (mm_try_lock(map->mm))
		err = pin_locked(map->mm, addr, write, true, &memory);
	mmput_async(map->mm);
	if (!err)
		unpin_user_page(memory);
	return err;
}

/** sim_pin_put() - unpin the page, if there is one; may sleep */
void sim_pin_put(struct sim_pin *pin)
{
	struct sim_map *map = pin->map;

	if (!map)
		return;
	unpin_user_pages_dirty_lock(&pin->memory, 1, pin->writable);
	pin->map = NULL;
	sim_map_put(map);
}
