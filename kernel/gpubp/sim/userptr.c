// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of a process, one at a time and for a short time: what the process
 * unmaps or protects is gone for the GPU at its next instruction.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "vm.h"

/* a few microseconds: a mmap(2) or a page fault of the process */
#define LOCK_SPINS	1000

/* whoever changes the address space holds the lock for a moment, or for long */
static bool try_lock(struct mm_struct *mm)
{
	unsigned int spins = LOCK_SPINS;

	while (!mmap_read_trylock(mm)) {
		if (!--spins)
			return false;
		cpu_relax();
	}
	return true;
}

/* as far as is known at once */
static bool may_come(struct mm_struct *mm, unsigned long addr, bool write)
{
	vm_flags_t needed = write ? VM_WRITE : VM_READ;
	struct vm_area_struct *vma;
	bool may;

	if (!try_lock(mm))
		return true;
	vma = vma_lookup(mm, addr);
	may = vma && (vma->vm_flags & needed) &&
	      !(vma->vm_flags & (VM_IO | VM_PFNMAP));
	mmap_read_unlock(mm);
	return may;
}

/* 1; 0: it is on its way, or the process is busy; or an errno */
static long pin_now(struct mm_struct *mm, unsigned long addr, unsigned int flags,
		    struct page **page)
{
	int locked = 1;
	long n;

	if (!try_lock(mm))
		return 0;
	n = pin_user_pages_remote(mm, addr, 1, flags, page, &locked);
	if (locked)
		mmap_read_unlock(mm);
	return n;
}

static int pin_if_there(struct mm_struct *mm, unsigned long addr, bool write,
			struct page **page)
{
	long n = pin_now(mm, addr, FOLL_NOFAULT | (write ? FOLL_WRITE : 0), page);

	if (n == 1)
		return 0;
	return n && !may_come(mm, addr, write) ? -EFAULT : -EAGAIN;
}

/* without waiting for what it comes from, but for all else that it takes */
static int fault_in(struct mm_struct *mm, unsigned long addr, bool write,
		    struct page **page)
{
	long n = pin_now(mm, addr, FOLL_NOWAIT | (write ? FOLL_WRITE : 0), page);

	if (n == 1)
		return 0;
	return n ? -EFAULT : -EAGAIN;
}

static int pin_in_time(struct mm_struct *mm, unsigned long addr, bool write,
		       struct page **page)
{
	unsigned long end = jiffies + SIM_PAGE_TIMEOUT;
	int err;

	while ((err = fault_in(mm, addr, write, page)) == -EAGAIN) {
		if (time_after(jiffies, end) || fatal_signal_pending(current))
			return -EFAULT;
		usleep_range(200, 1000);
	}
	return err;
}

/**
 * sim_pin_get() - a page of a userptr
 * @pin: the result; empty
 * @map: userptr; a reference goes to @pin on success
 * @page: number of the page in @map
 * @flags: SIM_ACCESS_WRITE, SIM_ACCESS_NOWAIT
 *
 * As the process itself could access it: no forced access, and not at all once
 * its address space is gone. May sleep.
 *
 * Return: 0, -EFAULT, or -EAGAIN if it is not to be waited for.
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
	      pin_if_there(map->mm, addr, write, &pin->memory) :
	      pin_in_time(map->mm, addr, write, &pin->memory);
	/* possibly the last user: tearing it down is not for this thread */
	mmput_async(map->mm);
	if (err)
		return err;
	pin->map = map;
	pin->page = page;
	pin->writable = write;
	return 0;
}

/**
 * sim_map_fault_in() - bring a page of a userptr in
 * @map: userptr
 * @page: number of the page in @map
 * @write: so that it can be written to
 *
 * May sleep, and allocate memory at the cost of the process. Return: 0, -EFAULT, or
 * -EAGAIN if it is on its way.
 */
int sim_map_fault_in(struct sim_map *map, unsigned long page, bool write)
{
	struct page *memory;
	int err;

	if (!mmget_not_zero(map->mm))
		return -EFAULT;
	err = fault_in(map->mm, map->cpu_addr + (page << PAGE_SHIFT), write, &memory);
	mmput_async(map->mm);
	if (!err)
		unpin_user_page(memory);
	return err;
}

/** sim_pin_put() - forget the page, if there is one; may sleep */
void sim_pin_put(struct sim_pin *pin)
{
	struct sim_map *map = pin->map;

	if (!map)
		return;
	unpin_user_pages_dirty_lock(&pin->memory, 1, pin->writable);
	pin->map = NULL;
	sim_map_put(map);
}
