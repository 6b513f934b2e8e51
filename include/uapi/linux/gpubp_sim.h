/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gpubp_sim: user interface of the software GPU, /dev/gpubp_simN.
 *
 * One open file is one GPU context: an address space, its queues and its
 * dispatches. The file may be inherited or passed on; a queue belongs to the
 * task that created it.
 */
#ifndef _UAPI_LINUX_GPUBP_SIM_H
#define _UAPI_LINUX_GPUBP_SIM_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * struct gpubp_sim_info - GPUBP_SIM_INFO: properties of the device
 * @isa: LLVM's name of the processor, "gfx90a", "gfx942" or "gfx900"
 * @va_start: lowest GPU virtual address that can be mapped
 * @va_end: first address behind the last one that can be mapped
 * @page_size: granule of mappings, bytes
 * @nr_wave_slots: waves that can be resident at once
 * @context: id of this file's context, as in struct gpubp_hit_record
 * @device: number of the device among all gpubp devices
 * @reserved: 0
 */
struct gpubp_sim_info {
	char isa[16];
	__u64 va_start;
	__u64 va_end;
	__u32 page_size;
	__u32 nr_wave_slots;
	__u32 context;
	__u8 device;
	__u8 reserved[3];
};

/**
 * struct gpubp_sim_bo - GPUBP_SIM_BO_CREATE: allocate and map device memory
 * @size: in bytes, rounded up to whole pages
 * @va: in: wanted GPU address, page-aligned, or 0; out: the address
 * @mmap_offset: out: offset for mmap() of the device file
 * @flags: GPUBP_SIM_INVISIBLE or 0
 * @reserved: must be 0
 *
 * New memory is zeroed. Invisible memory cannot be mapped by the CPU (mmap()
 * fails with -EACCES); programs write and read it with GPUBP_SIM_COPY.
 *
 * Errors: -EINVAL (size 0, misaligned or outside [va_start, va_end), reserved
 * fields), -EEXIST (the range is in use), -ENOMEM (also if the context exceeds
 * the module parameter ctx_mem_mb; memory counts until neither the GPU nor a
 * CPU maps it).
 */
struct gpubp_sim_bo {
	__u64 size;
	__u64 va;
	__u64 mmap_offset;
	__u32 flags;
	__u32 reserved;
};

#define GPUBP_SIM_INVISIBLE	0x1

/**
 * struct gpubp_sim_userptr - GPUBP_SIM_USERPTR: map memory of the process
 * @cpu_addr: page-aligned address in the caller's address space
 * @size: multiple of the page size
 * @va: in: wanted GPU address or 0; out: the address
 * @flags: GPUBP_SIM_READONLY or 0
 * @reserved: must be 0
 *
 * Pages are not pinned: an access to a page that the process has unmapped is a
 * memory violation of the wave, and so is an access to a buffer of the
 * software GPU that the process has mapped there. A mapping counts as 16 KiB
 * of the memory of the context. Errors as GPUBP_SIM_BO_CREATE.
 */
struct gpubp_sim_userptr {
	__u64 cpu_addr;
	__u64 size;
	__u64 va;
	__u32 flags;
	__u32 reserved;
};

#define GPUBP_SIM_READONLY	0x1

/**
 * struct gpubp_sim_unmap - GPUBP_SIM_UNMAP: remove one whole mapping
 * @va: its GPU address
 *
 * Code objects in it are destroyed. Errors, with nothing changed: -ENOENT (no
 * mapping starts there), -EBUSY (a break in it cannot be removed now), -EINTR.
 */
struct gpubp_sim_unmap {
	__u64 va;
};

/**
 * struct gpubp_sim_queue - GPUBP_SIM_QUEUE_CREATE, GPUBP_SIM_QUEUE_DESTROY
 * @id: out of create, in of destroy
 * @flags: must be 0
 *
 * Destroying a queue kills its running dispatches. Errors: -ENOENT, -ENOSPC
 * (no doorbell is left, or the user has a quarter of the 1024 of the device
 * and lacks CAP_SYS_RESOURCE).
 */
struct gpubp_sim_queue {
	__u32 id;
	__u32 flags;
};

/**
 * struct gpubp_sim_name - GPUBP_SIM_NAME: set the name of a range
 * @va: first GPU address
 * @size: bytes; 0 removes the name
 * @flags: GPUBP_SIM_NAME_CODE for a code object, else 0
 * @reserved: must be 0
 * @name: NUL-terminated, not empty
 *
 * Events on a name + offset bind when the name is set. Errors: -EINVAL, -EEXIST
 * (for code), -ENOSPC (the context has 8192 names already), -EINTR.
 */
struct gpubp_sim_name {
	__u64 va;
	__u64 size;
	__u32 flags;
	__u32 reserved;
	char name[64];
};

#define GPUBP_SIM_NAME_CODE	0x1

/**
 * struct gpubp_sim_dispatch - GPUBP_SIM_DISPATCH: start a grid
 * @kernel_object: GPU address of the 64-byte kernel descriptor
 * @kernarg: GPU address of the kernel arguments, 16-byte aligned
 * @grid: size in work-items, each dimension at least 1
 * @workgroup: size in work-items, product at most 1024
 * @queue: id of the queue
 * @flags: must be 0
 * @seq: out: number of the dispatch in its queue, from 1
 *
 * Dispatches of a queue run in order; if 64 are queued, the call waits. In a
 * queue that had an exception a dispatch ends at once. Errors: -ENOENT
 * (queue), -EFAULT (descriptor not mapped), -EINVAL (a size, or a descriptor
 * that the device does not support), -ENOMEM (private memory, or the save area
 * of workgroups: both count like memory of GPUBP_SIM_BO_CREATE), -EINTR
 * (nothing is queued; restarted by SA_RESTART, and if there is no handler).
 */
struct gpubp_sim_dispatch {
	__u64 kernel_object;
	__u64 kernarg;
	__u32 grid[3];
	__u32 workgroup[3];
	__u32 queue;
	__u32 flags;
	__u64 seq;
};

/**
 * struct gpubp_sim_wait - GPUBP_SIM_WAIT: wait until a dispatch has ended
 * @seq: number of the dispatch
 * @timeout_ns: longest wait, relative; -1: no limit; with -EINTR (out) what is
 *	left of it
 * @queue: id of the queue
 * @status: out: GPUBP_SIM_DONE or the first exception of the queue
 * @pc: out: pc of the exception, if any
 * @addr: out: faulting address of a memory violation
 *
 * Errors: -ETIME, -ENOENT, -EINTR (restarted by SA_RESTART, and if there is no
 * handler; for the time that is left).
 */
struct gpubp_sim_wait {
	__u64 seq;
	__s64 timeout_ns;
	__u32 queue;
	__u32 status;
	__u64 pc;
	__u64 addr;
};

/**
 * struct gpubp_sim_copy - GPUBP_SIM_COPY: copy with the copy engine
 * @dst: GPU address
 * @src: GPU address
 * @size: bytes
 *
 * Returns when the copy has ended. It copies upwards, page by page: the
 * program must avoid overlapping ranges. It is not ordered with dispatches,
 * and comparators do not see it. As with files, only a fatal signal ends it.
 *
 * Errors: -EFAULT (a page is not mapped or not writable; the pages before it
 * are copied), -ENODEV (the device was removed; a part is copied), -ENOMEM.
 */
struct gpubp_sim_copy {
	__u64 dst;
	__u64 src;
	__u64 size;
};

#define GPUBP_SIM_DONE		0
#define GPUBP_SIM_MEM_VIOL	1
#define GPUBP_SIM_ILLEGAL_INST	2
#define GPUBP_SIM_KILLED	3	/* queue destroyed, killed or device gone */
#define GPUBP_SIM_TRAP		4	/* s_trap that no handler handles */
#define GPUBP_SIM_RESET		5	/* reset of the GPU or this context */

#define GPUBP_SIM_INFO		_IOR('B', 0x80, struct gpubp_sim_info)
#define GPUBP_SIM_BO_CREATE	_IOWR('B', 0x81, struct gpubp_sim_bo)
#define GPUBP_SIM_USERPTR	_IOWR('B', 0x82, struct gpubp_sim_userptr)
#define GPUBP_SIM_UNMAP		_IOW('B', 0x83, struct gpubp_sim_unmap)
#define GPUBP_SIM_QUEUE_CREATE	_IOWR('B', 0x84, struct gpubp_sim_queue)
#define GPUBP_SIM_QUEUE_DESTROY	_IOW('B', 0x85, struct gpubp_sim_queue)
#define GPUBP_SIM_NAME		_IOW('B', 0x86, struct gpubp_sim_name)
#define GPUBP_SIM_DISPATCH	_IOWR('B', 0x87, struct gpubp_sim_dispatch)
#define GPUBP_SIM_WAIT		_IOWR('B', 0x88, struct gpubp_sim_wait)
#define GPUBP_SIM_COPY		_IOW('B', 0x89, struct gpubp_sim_copy)

#endif /* _UAPI_LINUX_GPUBP_SIM_H */
