/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gpubp: GPU watch registers and trap slots as perf events.
 *
 * This header is the ABI between the PMU "gpubp" and tools that call
 * perf_event_open(2) themselves: the meaning of perf_event_attr.config,
 * config1 and config2, and the raw record that each sample carries.
 * Tools that use stock perf never need it; the same fields stand in
 * /sys/bus/event_source/devices/gpubp/format.
 */
#ifndef _UAPI_LINUX_GPUBP_H
#define _UAPI_LINUX_GPUBP_H

#include <linux/types.h>

/**
 * enum gpubp_kind - what an event asks for, attr.config bits 0-7
 * @GPUBP_KIND_EXCEPTION: exceptions of the target, by class bitmap in code
 * @GPUBP_KIND_WATCH: accesses to [config1, config1 + config2)
 * @GPUBP_KIND_BREAK: execution of the instruction at config1
 * @GPUBP_KIND_TRAP: execution of s_trap with the id in code
 * @GPUBP_KIND_WATCH_SET: accesses to the members of a watch set
 *
 * A kind that the running kernel module does not serve yet is refused with
 * -EOPNOTSUPP; a value not listed here with -EINVAL.
 */
enum gpubp_kind {
	GPUBP_KIND_EXCEPTION	= 0,
	GPUBP_KIND_WATCH	= 1,
	GPUBP_KIND_BREAK	= 2,
	GPUBP_KIND_TRAP		= 3,
	GPUBP_KIND_WATCH_SET	= 5,
};

/* attr.config, field by field */
#define GPUBP_CONFIG_KIND	0x00000000000000ffULL	/* enum gpubp_kind */
#define GPUBP_CONFIG_ACCESS	0x0000000000000700ULL	/* GPUBP_ACCESS_* */
#define GPUBP_CONFIG_PROCESS	0x0000000000010000ULL	/* every queue of the process */
#define GPUBP_CONFIG_CHANGED	0x0000000000040000ULL	/* only if the bytes changed */
#define GPUBP_CONFIG_NAMED	0x0000000000080000ULL	/* addr is relative to a name */
#define GPUBP_CONFIG_DEVICE	0x00000000ff000000ULL	/* 0 any, else device + 1 */
#define GPUBP_CONFIG_CODE	0xffffffff00000000ULL	/* name hash, trap id, ... */

#define GPUBP_CONFIG_ACCESS_SHIFT	8
#define GPUBP_CONFIG_DEVICE_SHIFT	24
#define GPUBP_CONFIG_CODE_SHIFT		32

/* kinds of access, for GPUBP_CONFIG_ACCESS; 0 means store and atomic */
#define GPUBP_ACCESS_LOAD	1
#define GPUBP_ACCESS_STORE	2
#define GPUBP_ACCESS_ATOMIC	4

/* bytes compared for GPUBP_CONFIG_CHANGED at most */
#define GPUBP_CHANGED_MAX	64

/**
 * enum gpubp_addr_state - what is known of the address of a hit
 * @GPUBP_ADDR_UNKNOWN: nothing but that the wave hit a slot
 * @GPUBP_ADDR_BLOCK: somewhere in the block that the slot compares
 * @GPUBP_ADDR_EXACT: computed from registers proven to be unchanged
 */
enum gpubp_addr_state {
	GPUBP_ADDR_UNKNOWN	= 0,
	GPUBP_ADDR_BLOCK	= 1,
	GPUBP_ADDR_EXACT	= 2,
};

/* struct gpubp_hit_record.flags */
#define GPUBP_HIT_PC_EXACT	0x0001	/* pc is the instruction that hit */
#define GPUBP_HIT_POSSIBLE	0x0002	/* the watched bytes may not be hit */
#define GPUBP_HIT_OLD_VALUE	0x0004	/* old_value is valid */
#define GPUBP_HIT_NEW_VALUE	0x0008	/* new_value is valid */
#define GPUBP_HIT_COORDS	0x0010	/* wg_x, wg_y, wg_z and wave_in_group are valid */
#define GPUBP_HIT_DISPATCH	0x0020	/* dispatch is valid */

/**
 * struct gpubp_hit_record - PERF_SAMPLE_RAW payload, and the fields of the
 *	tracepoint gpubp:gpubp_hit
 * @common: the tracepoint header that tracefs calls common_*
 * @addr: GPU virtual address of the first matching lane (start of the watched
 *	bytes where @addr_state is not GPUBP_ADDR_EXACT)
 * @pc: GPU virtual address of the instruction (see GPUBP_HIT_PC_EXACT)
 * @lanes: lanes whose access meets the watch (active lanes if not exact)
 * @exec: active lanes of the wave
 * @old_value: first (up to 8) watched bytes before the access, zero-extended
 * @new_value: the same bytes when the hit was resolved
 * @gpu_time: time of the hit on the GPU's clock, in ns
 * @watch: id of the watch, unique since the module was loaded
 * @wave: id of the wave, opaque
 * @context: id of the GPU context, unique since the module was loaded
 * @queue: id of the queue in its context
 * @dispatch: number of the dispatch in its queue, modulo 2^25
 * @wg_x: workgroup coordinates
 * @wg_y: workgroup coordinates
 * @wg_z: workgroup coordinates
 * @nr_merged: accesses merged into this hit, a lower bound
 * @width: bytes a lane accesses
 * @flags: GPUBP_HIT_*
 * @addr_state: enum gpubp_addr_state
 * @access: one GPUBP_ACCESS_*
 * @value_len: bytes of @old_value and @new_value that are meaningful, 0-8
 * @device: number of the device
 * @wave_in_group: number of the wave in its workgroup
 * @reserved: 0
 *
 * The size is 4 modulo 8, so that the record and the u32 length in front of
 * it in the ring buffer need no padding.
 */
struct gpubp_hit_record {
	__u64 common;
	__u64 addr;
	__u64 pc;
	__u64 lanes;
	__u64 exec;
	__u64 old_value;
	__u64 new_value;
	__u64 gpu_time;
	__u64 watch;
	__u64 wave;
	__u32 context;
	__u32 queue;
	__u32 dispatch;
	__u32 wg_x;
	__u32 wg_y;
	__u32 wg_z;
	__u32 nr_merged;
	__u16 width;
	__u16 flags;
	__u8 addr_state;
	__u8 access;
	__u8 value_len;
	__u8 device;
	__u32 wave_in_group;
	__u32 reserved;
} __attribute__((packed, aligned(4)));

#define GPUBP_NAME_MAX	64	/* bytes of a buffer name, NUL included */

/**
 * gpubp_name_hash() - the code of a named event (GPUBP_CONFIG_NAMED)
 * @name: NUL-terminated name of a buffer or a code object
 *
 * FNV-1a, 32 bits. Names that collide are all watched.
 */
static inline __u32 gpubp_name_hash(const char *name)
{
	__u32 hash = 0x811c9dc5;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 0x01000193;
	return hash;
}

#endif /* _UAPI_LINUX_GPUBP_H */
