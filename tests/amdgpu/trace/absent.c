// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that amdgpu's objects refer to, and that nothing here may call.
 * Their prototypes do not matter, so no header of amdgpu's is included.
 */
#include <linux/bug.h>

#define ABSENT(name)							\
long name(void);							\
long name(void)								\
{									\
	WARN(1, "the test called " #name "()\n");			\
	return 0;							\
}

ABSENT(__drm_err)
ABSENT(amdgpu_amdkfd_is_kfd_vmid)
ABSENT(amdgpu_amdkfd_ras_pasid_poison_consumption_handler)
ABSENT(amdgpu_amdkfd_ras_poison_consumption_handler)
ABSENT(amdgpu_device_ip_wait_for_idle)
ABSENT(amdgpu_gfx_rlc_enter_safe_mode)
ABSENT(amdgpu_gfx_rlc_exit_safe_mode)
ABSENT(amdgpu_in_reset)
ABSENT(amdgpu_ras_acquire_event_id)
ABSENT(amdgpu_ras_event_log_print)
ABSENT(amdgpu_ras_mark_ras_event_caller)
ABSENT(amdgpu_ring_alloc)
ABSENT(amdgpu_ring_commit)
ABSENT(amdgpu_sriov_rreg)
ABSENT(amdgpu_sriov_wreg)
ABSENT(kfd_dqm_suspend_bad_queue_mes)
ABSENT(kfd_lookup_process_by_pasid)
ABSENT(kfd_process_close_interrupt_drain)
ABSENT(kfd_signal_event_interrupt)
ABSENT(kfd_signal_poison_consumed_event)
ABSENT(kfd_smi_event_update_vmfault)
ABSENT(kfd_unref_process)
ABSENT(kgd_arcturus_hqd_sdma_destroy)
ABSENT(kgd_arcturus_hqd_sdma_dump)
ABSENT(kgd_arcturus_hqd_sdma_is_occupied)
ABSENT(kgd_arcturus_hqd_sdma_load)
ABSENT(soc21_grbm_select)
ABSENT(soc24_grbm_select)

int amdgpu_gpu_recovery;
int amdgpu_no_queue_eviction_on_vm_fault;
