// SPDX-License-Identifier: GPL-2.0
/*
 * kfd_abi: what tools/gpubp-rocr/kfd_abi.h says of amdkfd's ABI is what the kernel's own
 * header says. It is compiled or not.
 */
#include <assert.h>
#include <stddef.h>
#include <linux/kfd_ioctl.h>

#include "../../../tools/gpubp-rocr/kfd_abi.h"

#define SAME(ours, theirs, our_member, their_member)			\
	static_assert(offsetof(struct agent_kfd_##ours, our_member) ==	\
		      offsetof(struct kfd_##theirs, their_member) &&	\
		      sizeof(((struct agent_kfd_##ours *)0)->our_member) == \
		      sizeof(((struct kfd_##theirs *)0)->their_member))
#define TRAP(our_member, their_member)					\
	SAME(trap, ioctl_dbg_trap_args, our_member, their_member)

SAME(set_trap_handler, ioctl_set_trap_handler_args, tba_addr, tba_addr);
SAME(set_trap_handler, ioctl_set_trap_handler_args, tma_addr, tma_addr);
SAME(set_trap_handler, ioctl_set_trap_handler_args, gpu_id, gpu_id);
SAME(acquire_vm, ioctl_acquire_vm_args, drm_fd, drm_fd);
SAME(acquire_vm, ioctl_acquire_vm_args, gpu_id, gpu_id);
SAME(alloc, ioctl_alloc_memory_of_gpu_args, va_addr, va_addr);
SAME(alloc, ioctl_alloc_memory_of_gpu_args, size, size);
SAME(alloc, ioctl_alloc_memory_of_gpu_args, handle, handle);
SAME(alloc, ioctl_alloc_memory_of_gpu_args, mmap_offset, mmap_offset);
SAME(alloc, ioctl_alloc_memory_of_gpu_args, gpu_id, gpu_id);
SAME(alloc, ioctl_alloc_memory_of_gpu_args, flags, flags);
SAME(map, ioctl_map_memory_to_gpu_args, handle, handle);
SAME(map, ioctl_map_memory_to_gpu_args, device_ids_array_ptr, device_ids_array_ptr);
SAME(map, ioctl_map_memory_to_gpu_args, n_devices, n_devices);
SAME(runtime_enable, ioctl_runtime_enable_args, mode_mask, mode_mask);
SAME(runtime_info, runtime_info, ttmp_setup, ttmp_setup);
SAME(clocks, ioctl_get_clock_counters_args, gpu, gpu_clock_counter);
SAME(clocks, ioctl_get_clock_counters_args, cpu, cpu_clock_counter);
SAME(clocks, ioctl_get_clock_counters_args, boottime, system_clock_counter);
SAME(clocks, ioctl_get_clock_counters_args, frequency, system_clock_freq);
SAME(clocks, ioctl_get_clock_counters_args, gpu_id, gpu_id);
SAME(create_queue, ioctl_create_queue_args, ring, ring_base_address);
SAME(create_queue, ioctl_create_queue_args, write_pointer, write_pointer_address);
SAME(create_queue, ioctl_create_queue_args, read_pointer, read_pointer_address);
SAME(create_queue, ioctl_create_queue_args, doorbell_offset, doorbell_offset);
SAME(create_queue, ioctl_create_queue_args, ring_size, ring_size);
SAME(create_queue, ioctl_create_queue_args, gpu_id, gpu_id);
SAME(create_queue, ioctl_create_queue_args, type, queue_type);
SAME(create_queue, ioctl_create_queue_args, percentage, queue_percentage);
SAME(create_queue, ioctl_create_queue_args, priority, queue_priority);
SAME(create_queue, ioctl_create_queue_args, queue_id, queue_id);
SAME(destroy_queue, ioctl_destroy_queue_args, queue_id, queue_id);
TRAP(pid, pid);
TRAP(op, op);
TRAP(enable.exception_mask, enable.exception_mask);
TRAP(enable.rinfo_ptr, enable.rinfo_ptr);
TRAP(enable.rinfo_size, enable.rinfo_size);
TRAP(enable.dbg_fd, enable.dbg_fd);
TRAP(override.override_mode, launch_override.override_mode);
TRAP(override.enable_mask, launch_override.enable_mask);
TRAP(override.support_request_mask, launch_override.support_request_mask);
TRAP(set_watch.address, set_node_address_watch.address);
TRAP(set_watch.mode, set_node_address_watch.mode);
TRAP(set_watch.mask, set_node_address_watch.mask);
TRAP(set_watch.gpu_id, set_node_address_watch.gpu_id);
TRAP(set_watch.id, set_node_address_watch.id);
TRAP(clear_watch.gpu_id, clear_node_address_watch.gpu_id);
TRAP(clear_watch.id, clear_node_address_watch.id);
TRAP(flags.flags, set_flags.flags);
TRAP(suspend.exception_mask, suspend_queues.exception_mask);
TRAP(suspend.queues, suspend_queues.queue_array_ptr);
TRAP(suspend.nr, suspend_queues.num_queues);
TRAP(suspend.grace_period, suspend_queues.grace_period);
TRAP(resume.queues, resume_queues.queue_array_ptr);
TRAP(resume.nr, resume_queues.num_queues);
TRAP(snapshot.exception_mask, queue_snapshot.exception_mask);
TRAP(snapshot.entries, queue_snapshot.snapshot_buf_ptr);
TRAP(snapshot.nr, queue_snapshot.num_queues);
TRAP(snapshot.entry_size, queue_snapshot.entry_size);
SAME(queue, queue_snapshot_entry, read_pointer, read_pointer_address);
SAME(queue, queue_snapshot_entry, save_area, ctx_save_restore_address);
SAME(queue, queue_snapshot_entry, id, queue_id);
SAME(queue, queue_snapshot_entry, gpu_id, gpu_id);
SAME(queue, queue_snapshot_entry, type, queue_type);
SAME(queue, queue_snapshot_entry, save_area_size, ctx_save_restore_area_size);
SAME(save_area, context_save_area_header, stack_offset, wave_state.control_stack_offset);
SAME(save_area, context_save_area_header, stack_size, wave_state.control_stack_size);
SAME(save_area, context_save_area_header, state_offset, wave_state.wave_state_offset);
SAME(save_area, context_save_area_header, state_size, wave_state.wave_state_size);
static_assert(sizeof(struct agent_kfd_queue) == sizeof(struct kfd_queue_snapshot_entry));
static_assert(AGENT_QUEUE_NEW == KFD_EC_MASK(EC_QUEUE_NEW));
static_assert(AGENT_QUEUE_ERROR == 1u << KFD_DBG_QUEUE_ERROR_BIT &&
	      AGENT_QUEUE_INVALID == 1u << KFD_DBG_QUEUE_INVALID_BIT);

static_assert(_IOC_NR(AGENT_KFD_CREATE_QUEUE) == _IOC_NR(AMDKFD_IOC_CREATE_QUEUE) &&
	      _IOC_DIR(AGENT_KFD_CREATE_QUEUE) == _IOC_DIR(AMDKFD_IOC_CREATE_QUEUE));
static_assert(AGENT_KFD_DESTROY_QUEUE == AMDKFD_IOC_DESTROY_QUEUE);
static_assert(AGENT_KFD_CLOCKS == AMDKFD_IOC_GET_CLOCK_COUNTERS);
static_assert(AGENT_KFD_SDMA == KFD_IOC_QUEUE_TYPE_SDMA);
static_assert(AGENT_KFD_AQL == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL);
static_assert(AGENT_KFD_SDMA_XGMI == KFD_IOC_QUEUE_TYPE_SDMA_XGMI);
static_assert(AGENT_KFD_SET_TRAP_HANDLER == AMDKFD_IOC_SET_TRAP_HANDLER);
static_assert(AGENT_KFD_ACQUIRE_VM == AMDKFD_IOC_ACQUIRE_VM);
static_assert(AGENT_KFD_ALLOC == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU);
static_assert(AGENT_KFD_MAP == AMDKFD_IOC_MAP_MEMORY_TO_GPU);
static_assert(AGENT_KFD_RUNTIME_ENABLE == AMDKFD_IOC_RUNTIME_ENABLE);
static_assert(AGENT_KFD_TRAP == AMDKFD_IOC_DBG_TRAP);
static_assert(AGENT_KFD_RUNTIME_ON == KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK);
static_assert((int)AGENT_TRAP_ENABLE == (int)KFD_IOC_DBG_TRAP_ENABLE);
static_assert((int)AGENT_TRAP_DISABLE == (int)KFD_IOC_DBG_TRAP_DISABLE);
static_assert((int)AGENT_TRAP_OVERRIDE == (int)KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE);
static_assert((int)AGENT_TRAP_SET_WATCH == (int)KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH);
static_assert((int)AGENT_TRAP_CLEAR_WATCH == (int)KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH);
static_assert((int)AGENT_TRAP_FLAGS == (int)KFD_IOC_DBG_TRAP_SET_FLAGS);
static_assert((int)AGENT_TRAP_SUSPEND == (int)KFD_IOC_DBG_TRAP_SUSPEND_QUEUES);
static_assert((int)AGENT_TRAP_RESUME == (int)KFD_IOC_DBG_TRAP_RESUME_QUEUES);
static_assert((int)AGENT_TRAP_SNAPSHOT == (int)KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT);
static_assert(AGENT_TRAP_PRECISE == KFD_DBG_TRAP_FLAG_SINGLE_MEM_OP);
static_assert(AGENT_TRAP_WATCHES == KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH);
static_assert(AGENT_ALLOC_FLAGS ==
	      (uint32_t)(KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT |
			 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE));

int main(void)
{
	return 0;
}
