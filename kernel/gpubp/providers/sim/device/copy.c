// SPDX-License-Identifier: GPL-2.0
/*
 * The copy engine: accesses memory that the CPU cannot map; comparators do not
 * see its accesses.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "vm.h"

static int engine_copy_part(struct sim_vm *vm, u64 dst, u64 src, void *buf,
			    size_t len)
{
	size_t n = sim_vm_access(vm, NULL, src, buf, len, 0);

	if (sim_vm_access(vm, NULL, dst, buf, n, SIM_ACCESS_WRITE) < len)
		return -EFAULT;
	return 0;
}

/*
 * Like a read or write of a file, only a fatal signal ends it: the caller would
 * not know how much was copied, and a large copy that restarts from its
 * beginning might never end.
 */
static int engine_check(const bool *gone)
{
	if (READ_ONCE(*gone))
		return -ENODEV;
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int engine_copy(struct sim_vm *vm, u64 dst, u64 src, u64 size, void *buf,
		       const bool *gone)
{
	int err = 0;

	while (size && !err) {
		size_t len = min_t(u64, size, PAGE_SIZE);

		err = engine_check(gone) ?:
		      engine_copy_part(vm, dst, src, buf, len);
		dst += len;
		src += len;
		size -= len;
		cond_resched();
	}
	return err;
}

/**
 * sim_vm_copy() - copy from one GPU address to another
 * @vm: address space
 * @dst: destination
 * @src: source
 * @size: bytes
 * @gone: once it is set, the copy ends
 *
 * With the rights of a user program. May sleep.
 *
 * Return: 0, -EFAULT, -EINTR (a fatal signal), -ENODEV (@gone), -ENOMEM.
 */
int sim_vm_copy(struct sim_vm *vm, u64 dst, u64 src, u64 size,
		const bool *gone)
{
	void *buf = kmalloc(PAGE_SIZE, GFP_KERNEL_ACCOUNT);
	int err;

	if (!buf)
		return -ENOMEM;
	err = engine_copy(vm, dst, src, size, buf, gone);
	kfree(buf);
	return err;
}
