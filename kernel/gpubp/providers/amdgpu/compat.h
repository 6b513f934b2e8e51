/* SPDX-License-Identifier: GPL-2.0 */
/* What is not alike in the KFDs of 6.12 and 7.2. */
#ifndef _GPUBP_PROVIDERS_AMDGPU_COMPAT_H
#define _GPUBP_PROVIDERS_AMDGPU_COMPAT_H

#include "amdgpu_gmc.h"
#include "amdgpu_vm.h"
#include "kfd_priv.h"

/**
 * gpubp_amd_pasid() - PASID of a process's waves on a node
 * @pdd: process and node
 *
 * A KFD that can have several contexts of a process has one for each of them and
 * each GPU: that of the file of the render node. Others have one for a process.
 */
static inline u32 gpubp_amd_pasid(const struct kfd_process_device *pdd)
{
#ifdef KFD_CONTEXT_ID_PRIMARY
	return pdd->pasid;
#else
	return pdd->process->pasid;
#endif
}

/*
 * Bits of amdgpu_bo_va_mapping.flags: those of page table entries, or those of
 * the UAPI, if amdgpu translates them only when it fills page tables.
 */
#ifdef amdgpu_gmc_map_mtype
#define GPUBP_AMD_READABLE	AMDGPU_PTE_READABLE
#define GPUBP_AMD_WRITEABLE	AMDGPU_PTE_WRITEABLE
#define GPUBP_AMD_EXECUTABLE	AMDGPU_PTE_EXECUTABLE
#else
#define GPUBP_AMD_READABLE	AMDGPU_VM_PAGE_READABLE
#define GPUBP_AMD_WRITEABLE	AMDGPU_VM_PAGE_WRITEABLE
#define GPUBP_AMD_EXECUTABLE	AMDGPU_VM_PAGE_EXECUTABLE
#endif

#endif /* _GPUBP_PROVIDERS_AMDGPU_COMPAT_H */
