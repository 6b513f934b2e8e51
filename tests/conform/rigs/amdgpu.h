/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a process that offers a context and its rig tell each other; also included in user space.
 * The process writes an offer, then reads work and writes what became of it, until a
 * read returns 0.
 */
#ifndef _GPUBP_CONFORM_AMDGPU_H
#define _GPUBP_CONFORM_AMDGPU_H

#include <linux/types.h>

#define RIG_OFFER_FILE	"gpubp_conform"	/* in /dev */
#define RIG_CODE_MAX	4096

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

/**
 * enum rig_op - what a process does for a case
 * @RIG_RUN: a wave that executes the code, until it has ended
 * @RIG_START: same, in a queue of its own, and not until it has ended
 * @RIG_FINISH: loops of waves that were started end, when they go on
 * @RIG_WAIT: until they have ended
 * @RIG_SETTLE: until the hits of work that has ended were reported
 */
enum rig_op {
	RIG_RUN,
	RIG_START,
	RIG_FINISH,
	RIG_WAIT,
	RIG_SETTLE,
};

/**
 * struct rig_work - what is read
 * @op: enum rig_op
 * @size: bytes of @code
 * @code: kernel descriptor and code; not all of it is read
 */
struct rig_work {
	__u32 op;
	__u32 size;
	__u8 code[RIG_CODE_MAX];
};

/**
 * struct rig_done - what became of it
 * @err: 0 or -errno
 */
struct rig_done {
	__s32 err;
};

#endif /* _GPUBP_CONFORM_AMDGPU_H */
