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

#include "vm.h"

/*
 * A page that has to come from a disk or from another process (userfaultfd)
 * may take long, or for ever; the compute unit waits for it this long.
 */
#define FAULT_TIMEOUT	HZ

static long pin_now(struct mm_struct *mm, unsigned long addr, bool write,
		    struct page **page)
{
	unsigned int flags = FOLL_NOWAIT | (write ? FOLL_WRITE : 0);
	int locked = 1;
	long n;

	mmap_read_lock(mm);
	n = pin_user_pages_remote(mm, addr, 1, flags, page, &locked);
	if (locked)
		mmap_read_unlock(mm);
	return n;
}

/* 0 or -EFAULT */
static int pin_page(struct sim_pin *pin, struct mm_struct *mm,
		    unsigned long addr, bool write)
{
	unsigned long end = jiffies + FAULT_TIMEOUT;
	long n;

	/* 0 pages and no error: the page is on its way */
	while (!(n = pin_now(mm, addr, write, &pin->memory))) {
		if (pin->impatient || time_after(jiffies, end)) {
			pin->impatient = true;
			break;
		}
		usleep_range(200, 1000);
	}
	return n == 1 ? 0 : -EFAULT;
}

/**
 * sim_pin_get() - a page of a userptr
 * @pin: the result; empty
 * @map: userptr; a reference goes to @pin on success
 * @page: number of the page in @map
 * @write: for writing
 *
 * As the process itself could access it: no forced access, and not at all once
 * its address space is gone. May sleep.
 *
 * Return: 0 or -EFAULT.
 */
int sim_pin_get(struct sim_pin *pin, struct sim_map *map, unsigned long page,
		bool write)
{
	int err;

	if (!mmget_not_zero(map->mm))
		return -EFAULT;
	err = pin_page(pin, map->mm, map->cpu_addr + (page << PAGE_SHIFT),
		       write);
	/* possibly the last user: tearing it down is not for this thread */
	mmput_async(map->mm);
	if (err)
		return err;
	pin->map = map;
	pin->page = page;
	pin->writable = write;
	return 0;
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
