/* SPDX-License-Identifier: GPL-2.0 */
/* What a process tells the rig of amdgpu; also included in user space. */
#ifndef _GPUBP_CONFORM_AMDGPU_H
#define _GPUBP_CONFORM_AMDGPU_H

#include <linux/types.h>

#define RIG_OFFER_FILE	"gpubp_conform"	/* in /dev */

/**
 * struct rig_offer - a context for a case
 * @data: memory that the GPU and the process can read and write, page-aligned;
 *	nothing is mapped behind it
 * @size: its bytes
 */
struct rig_offer {
	__u64 data;
	__u64 size;
};

#endif /* _GPUBP_CONFORM_AMDGPU_H */
