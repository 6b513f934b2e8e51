// SPDX-License-Identifier: GPL-2.0
/* Memory limits of address spaces and users. */
#include <linux/mm.h>
#include <linux/moduleparam.h>

#include "user.h"
#include "vm.h"

static unsigned int ctx_mem_mb = 1024;
module_param(ctx_mem_mb, uint, 0644);
MODULE_PARM_DESC(ctx_mem_mb, "Memory that one context may allocate, MiB");

static unsigned int user_mem_mb;
module_param(user_mem_mb, uint, 0644);
MODULE_PARM_DESC(user_mem_mb,
		 "Memory of all contexts of a user without CAP_SYS_RESOURCE on a device, MiB (default 0: a quarter of all memory)");

/* bounds the kernel memory for mappings; no program needs more */
#define MAX_MAPS	65536

static u64 user_limit(void)
{
	unsigned int mb = READ_ONCE(user_mem_mb);

	return mb ? (u64)mb << 20 : (u64)totalram_pages() << PAGE_SHIFT >> 2;
}

/* false if that exceeds the limit of the user */
static bool charge_user(struct sim_vm *vm, u64 size)
{
	u64 used = atomic64_add_return(size, &vm->user->memory);

	if (!size || vm->unlimited || used <= user_limit())
		return true;
	atomic64_sub(size, &vm->user->memory);
	return false;
}

/**
 * sim_vm_charge() - charge memory before its allocation
 * @vm: address space
 * @size: bytes
 * @maps: mappings
 *
 * Return: 0, or -ENOMEM if that exceeds a limit.
 */
int sim_vm_charge(struct sim_vm *vm, u64 size, unsigned int maps)
{
	u64 limit = (u64)READ_ONCE(ctx_mem_mb) << 20;

	guard(spinlock)(&vm->charge_lock);
	if (vm->used + size > limit || vm->nr_maps + maps > MAX_MAPS ||
	    !charge_user(vm, size))
		return -ENOMEM;
	vm->used += size;
	vm->nr_maps += maps;
	return 0;
}

/** sim_vm_uncharge() - uncharge freed memory */
void sim_vm_uncharge(struct sim_vm *vm, u64 size, unsigned int maps)
{
	guard(spinlock)(&vm->charge_lock);
	atomic64_sub(size, &vm->user->memory);
	vm->used -= size;
	vm->nr_maps -= maps;
}
