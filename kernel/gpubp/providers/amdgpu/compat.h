/* SPDX-License-Identifier: GPL-2.0 */
/* What is not alike in the KFDs of 6.12 and 7.2. */
#ifndef _GPUBP_PROVIDERS_AMDGPU_COMPAT_H
#define _GPUBP_PROVIDERS_AMDGPU_COMPAT_H

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

#endif /* _GPUBP_PROVIDERS_AMDGPU_COMPAT_H */
