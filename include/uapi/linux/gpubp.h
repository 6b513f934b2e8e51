/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gpubp: GPU watch registers and trap slots as perf events.
 *
 * This header is the ABI between the PMU "gpubp" and tools that call
 * perf_event_open(2) themselves: the meaning of perf_event_attr.config,
 * config1 and config2, the raw record of each sample, and the ioctls of
 * /dev/gpubp for operations that perf_event_open(2) cannot express. Tools that
 * use stock perf do not need it; the same fields are described in
 * /sys/bus/event_source/devices/gpubp/format.
 */
#ifndef _UAPI_LINUX_GPUBP_H
#define _UAPI_LINUX_GPUBP_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * enum gpubp_kind - kind of an event, attr.config bits 0-7
 * @GPUBP_KIND_EXCEPTION: exceptions of the target, by class bitmap in code
 *	(GPUBP_EXC_*, 0: all); access, changed, named, config1 and config2 are
 *	0. See Documentation/gpubp/use/exceptions.rst
 * @GPUBP_KIND_WATCH: accesses to [config1, config1 + len), see GPUBP_CONFIG2_LEN;
 *	with named, config1 is an offset into each range whose name hash is code,
 *	and len may be 0: up to the end of the range. Those accesses that meet a
 *	condition, see GPUBP_CONFIG2_COND
 * @GPUBP_KIND_BREAK: execution of the instruction at config1; with named,
 *	config1 is an offset into the code object whose name hash is code.
 *	access, changed and config2 are 0. The instruction is replaced in memory
 *	by one that traps, and executed out of line: see
 *	Documentation/gpubp/use/breaks.rst
 * @GPUBP_KIND_TRAP: execution of s_trap with the id in code, 1 to 255, by the
 *	program itself; access, changed, named, config1 and config2 are 0
 * @GPUBP_KIND_WATCH_SET: accesses to the members of the watch set whose id is
 *	in code (GPUBP_SET_CREATE); each member has its own kinds of access, so
 *	that access, changed, named, config1 and config2 are 0
 *
 * With GPUBP_CONFIG_POSSIBLE a watch event gets only hits that are flagged
 * GPUBP_HIT_POSSIBLE. In a group with an equal event without the flag, it
 * counts how many hits of that event may be of other bytes. With
 * GPUBP_CONFIG_LOST a counting event does not count hits, but hits that may be
 * missing in an equal event without the flag: lost and stall_throttled of
 * struct gpubp_event_stats. -EINVAL: both flags, one of them with meter or
 * precise_ip, lost with changed or a period.
 *
 * A kind that the running kernel module does not support yet is refused with
 * -EOPNOTSUPP; a value not listed here with -EINVAL.
 */
enum gpubp_kind {
	GPUBP_KIND_EXCEPTION	= 0,
	GPUBP_KIND_WATCH	= 1,
	GPUBP_KIND_BREAK	= 2,
	GPUBP_KIND_TRAP		= 3,
	/* 4 is unused */
	GPUBP_KIND_WATCH_SET	= 5,
};

/* attr.config, field by field */
#define GPUBP_CONFIG_KIND	0x00000000000000ffULL	/* enum gpubp_kind */
#define GPUBP_CONFIG_ACCESS	0x0000000000000700ULL	/* GPUBP_ACCESS_* */
#define GPUBP_CONFIG_PROCESS	0x0000000000010000ULL	/* all queues of the process */
#define GPUBP_CONFIG_POSSIBLE	0x0000000000020000ULL	/* possible hits only */
#define GPUBP_CONFIG_CHANGED	0x0000000000040000ULL	/* only if the bytes changed */
#define GPUBP_CONFIG_NAMED	0x0000000000080000ULL	/* addr is relative to a name */
#define GPUBP_CONFIG_METER	0x0000000000100000ULL	/* counted by the trap handler */
#define GPUBP_CONFIG_LOST	0x0000000000200000ULL	/* hits that may be missing */
#define GPUBP_CONFIG_DEVICE	0x00000000ff000000ULL	/* 0 any, else device + 1 */
#define GPUBP_CONFIG_CODE	0xffffffff00000000ULL	/* name hash, trap id, ... */

/* attr.config2; of a watch, 0 of any other kind */
#define GPUBP_CONFIG2_LEN	0x0000ffffffffffffULL	/* bytes */
#define GPUBP_CONFIG2_COND	0xffff000000000000ULL	/* struct gpubp_condition */

/*
 * Device numbers are one byte everywhere (attr.config, records, structs of
 * /dev/gpubp, caps/). attr.config has no room for more, and the use of config3
 * makes perf 6.1 warn at every event. The largest machines have far fewer than
 * 255 devices, partitions included. A new device gets the next free number; a
 * number is reused only after 254 others. An event belongs to the device that
 * had the number when the event was opened, never to a later one.
 */
#define GPUBP_DEVICE_MAX		254

#define GPUBP_CONFIG_ACCESS_SHIFT	8
#define GPUBP_CONFIG_DEVICE_SHIFT	24
#define GPUBP_CONFIG_CODE_SHIFT		32
#define GPUBP_CONFIG2_COND_SHIFT	48

/* kinds of access, for GPUBP_CONFIG_ACCESS; 0 means store and atomic */
#define GPUBP_ACCESS_LOAD	1
#define GPUBP_ACCESS_STORE	2
#define GPUBP_ACCESS_ATOMIC	4

/*
 * Classes of exceptions: GPUBP_CONFIG_CODE of an event of
 * GPUBP_KIND_EXCEPTION, where 0 means all that the device can report; struct
 * gpubp_hit_record.exceptions. Floating point has the exceptions of IEEE 754,
 * and denormal operands.
 */
#define GPUBP_EXC_MEM_VIOL	0x0001	/* memory violation, e.g. unmapped */
#define GPUBP_EXC_ILLEGAL	0x0002	/* illegal instruction */
#define GPUBP_EXC_INT_DIV0	0x0004	/* integer division by 0 */
#define GPUBP_EXC_FP_INVALID	0x0008
#define GPUBP_EXC_FP_DENORMAL	0x0010
#define GPUBP_EXC_FP_DIV0	0x0020
#define GPUBP_EXC_FP_OVERFLOW	0x0040
#define GPUBP_EXC_FP_UNDERFLOW	0x0080
#define GPUBP_EXC_FP_INEXACT	0x0100
#define GPUBP_EXC_FP		0x01f8	/* any of these six */
#define GPUBP_EXC_WAVE_START	0x0200	/* a wave begins */
#define GPUBP_EXC_WAVE_END	0x0400	/* a wave is about to end */
#define GPUBP_EXC_ALL		0x07ff

/* maximum number of bytes compared for GPUBP_CONFIG_CHANGED */
#define GPUBP_CHANGED_MAX	64

/**
 * enum gpubp_addr_state - precision of the address of a hit
 * @GPUBP_ADDR_UNKNOWN: only known that the wave hit a slot, or faulted
 * @GPUBP_ADDR_BLOCK: in the block that the slot compares; of a memory
 *	violation: in the page of 4 KiB at the address
 * @GPUBP_ADDR_EXACT: computed from registers proven to be unchanged
 */
enum gpubp_addr_state {
	GPUBP_ADDR_UNKNOWN	= 0,
	GPUBP_ADDR_BLOCK	= 1,
	GPUBP_ADDR_EXACT	= 2,
};

/* struct gpubp_hit_record.flags */
#define GPUBP_HIT_PC_EXACT	0x0001	/* pc is the instruction that hit */
/* the hit may be of other bytes, or not meet the condition */
#define GPUBP_HIT_POSSIBLE	0x0002
#define GPUBP_HIT_OLD_VALUE	0x0004	/* old_value is valid */
#define GPUBP_HIT_NEW_VALUE	0x0008	/* new_value is valid */
#define GPUBP_HIT_COORDS	0x0010	/* wg_x, wg_y, wg_z and wave_in_group are valid */
#define GPUBP_HIT_DISPATCH	0x0020	/* dispatch is valid */
#define GPUBP_HIT_BYTES		0x0040	/* hit_addr and hit_len are valid */
#define GPUBP_HIT_DATA		0x0080	/* data is valid */
#define GPUBP_HIT_BEFORE	0x0100	/* before is valid */
#define GPUBP_HIT_SEEN		0x0200	/* seen is valid */
#define GPUBP_HIT_NOW		0x0400	/* now is valid */

/**
 * struct gpubp_hit_record - PERF_SAMPLE_RAW payload, and the first fields of
 *	the tracepoint gpubp:gpubp_hit
 * @common: the tracepoint header, fields common_* in tracefs
 * @addr: GPU virtual address of the first matching lane; the start of the
 *	watched bytes if @addr_state is not GPUBP_ADDR_EXACT. Of exceptions:
 *	with GPUBP_EXC_MEM_VIOL that of the first of @lanes, the page with
 *	GPUBP_ADDR_BLOCK, and 0 with GPUBP_ADDR_UNKNOWN; otherwise @pc, and
 *	@addr_state says whether that is the instruction
 * @pc: GPU virtual address of the instruction (see GPUBP_HIT_PC_EXACT)
 * @lanes: lanes whose access overlaps the watch; if not exact, those that may:
 *	the active lanes, or all lanes without precise memory. Of an event with a
 *	condition those of them that meet it, or that may if
 *	GPUBP_HIT_POSSIBLE. With
 *	GPUBP_EXC_MEM_VIOL lanes that faulted, each of them at its address; if
 *	not exact, those that may have
 * @exec: active lanes of the wave
 * @old_value: first (up to 8) watched bytes when they were last read: at the hit
 *	before, or when the watch was armed, or before the first work after they
 *	were mapped; zero-extended. What wrote since and raised no hit (the CPU, a
 *	copy engine, a program that is not watched) does not show: see @before
 * @new_value: the same bytes when the hit was resolved: other waves may have
 *	stored there after this access: see @data. If the wave went on, which may have been a
 *	while ago, what this access left in those that it touched
 * @gpu_time: time of the hit on the GPU's clock, in ns
 * @watch: id of the watch, unique since the module was loaded; for an event of
 *	kind GPUBP_KIND_WATCH_SET the id of the member (struct gpubp_set_watch)
 * @wave: id of the wave that stopped, as GPUBP_WAVES lists it where the device can
 *	list waves, else opaque; 0 if it recorded the hit and went on
 * @context: id of the GPU context, unique since the module was loaded
 * @queue: id of the queue in its context
 * @dispatch: number of the dispatch in its queue, modulo a power of two: the
 *	low bits that the device provides, at most 32; see the page of its
 *	provider
 * @wg_x: workgroup coordinates
 * @wg_y: workgroup coordinates
 * @wg_z: workgroup coordinates
 * @nr_merged: lower bound of the number of accesses merged into this hit
 * @width: bytes accessed per lane; of exceptions without GPUBP_EXC_MEM_VIOL,
 *	or if the instruction is not known, 0
 * @flags: GPUBP_HIT_*
 * @addr_state: enum gpubp_addr_state
 * @access: one GPUBP_ACCESS_*; 0 where @width is
 * @value_len: bytes of @old_value and @new_value that are meaningful, 0-8
 * @device: number of the device
 * @wave_in_group: number of the wave in its workgroup
 * @exceptions: in a sample of GPUBP_KIND_EXCEPTION all GPUBP_EXC_* that stopped
 *	the wave, else 0
 * @kind: enum gpubp_kind of the hit
 * @trap_id: id of the program's own s_trap that stopped the wave, 0 none
 * @hit_len: watched bytes that the first of @lanes accessed, one after another;
 *	255: that many or more. Of an event with a condition on the value: of the
 *	first element that meets it, or may
 * @unused: 0
 * @hit_addr: the first of them
 * @data: first (up to 8) of these bytes as that lane's registers have them: what
 *	it stored, the operand of an atomic (of a compare-and-swap the new value),
 *	or what it loaded; zero-extended like the following. Not valid if the
 *	access overwrote the registers or converted the data on the way, or if
 *	other lanes of a store wrote something else there
 * @before: the same bytes directly before the access, by proof: what it loaded,
 *	or what an atomic returned
 * @seen: the same bytes as in @old_value: when they were last read
 * @now: the same bytes as in @new_value: when the hit was resolved
 * @unused2: 0
 *
 * Which lanes faulted is decided by the mappings when the hit is resolved: lanes
 * whose memory the process has mapped since do not count, and those whose
 * memory it has unmapped do.
 *
 * New members are only added at the end. The size of the raw data says which
 * members are present: a reader uses the smaller of that size and its own. Those
 * from @hit_len on are 0 where their flag is not set.
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
	__u16 exceptions;
	__u8 kind;
	__u8 trap_id;
	__u8 hit_len;
	__u8 unused[3];
	__u64 hit_addr;
	__u64 data;
	__u64 before;
	__u64 seen;
	__u64 now;
	__u32 unused2;
} __attribute__((packed, aligned(4)));

#define GPUBP_NAME_MAX	64	/* bytes of a buffer name, NUL included */

/**
 * gpubp_name_hash() - compute code for a named event (GPUBP_CONFIG_NAMED)
 * @name: NUL-terminated name of a buffer or a code object
 *
 * FNV-1a, 32 bits. All names with the same hash are watched.
 */
static inline __u32 gpubp_name_hash(const char *name)
{
	__u32 hash = 0x811c9dc5;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 0x01000193;
	return hash;
}

/*
 * /dev/gpubp: one open file is a session.
 *
 * Ioctls are extensible. An ioctl is identified by its type and number; the
 * size in its code is the caller's size of the struct:
 *
 *	- A struct may end anywhere behind its member @flags, which follows all
 *	  members that the first version reads: -EINVAL if it is shorter.
 *	  Members that the kernel knows beyond the end are read as 0, and
 *	  results there are not written.
 *	- A struct may be longer than the kernel knows if the rest is 0, space
 *	  for results included, and remains 0: -E2BIG otherwise, with nothing
 *	  done.
 *	- The kernel accesses only [argument, argument + size). Results are
 *	  written if the direction has _IOC_READ, also after an error; -ENOTTY
 *	  without _IOC_WRITE.
 *	- Undefined flags and reserved members must be 0: -EINVAL, with nothing
 *	  done.
 *	- New members are only added at the end; a new meaning gets a flag.
 *
 * If a struct points to an array of structs, @entry_len is the caller's size
 * of an entry: at least that of the first version, else -EINVAL, and at most
 * GPUBP_ENTRY_LEN_MAX, else -E2BIG. Entries that are read follow the rules
 * above; in entries that are written, bytes beyond the kernel's size are set
 * to 0.
 *
 * Events are identified by their perf id (PERF_EVENT_IOC_ID). A session may
 * use events that its own process opened; any other id is -ENOENT, whether it
 * exists or not. Operations on an event include its inherited children.
 *
 * A session may only be used by the process that opened it. In any other
 * process, which inherited or received the file, every ioctl is -EPERM.
 */

/**
 * struct gpubp_modify - GPUBP_MODIFY: change what an event watches, in place
 * @id: id of the event
 * @config: as perf_event_attr.config; kind, process, possible, lost and device
 *	cannot change
 * @config1: as perf_event_attr.config1
 * @config2: as perf_event_attr.config2; the condition cannot change
 * @flags: 0
 * @reserved: 0
 *
 * Counts, the enabled state and the reservation of a pinned event are kept;
 * equal values change nothing. The event changes at once, the hardware with
 * the next commit (GPUBP_SYNC). An event of a watch set can be switched to
 * another set.
 *
 * If a process opens a pinned event on each CPU, the events share one
 * reservation. It follows the first of them that is modified; the others are
 * flexible until they are modified likewise.
 *
 * Errors, with nothing changed: -ENOENT; -EINVAL, -EOPNOTSUPP, -ENODEV,
 * -EACCES, -ENOMEM as of perf_event_open(2) for such an attr; -EINVAL if kind,
 * process, possible, lost, device or the condition differ; -ENOSPC if a pinned
 * event needs more comparators than are left.
 */
struct gpubp_modify {
	__u64 id;
	__u64 config;
	__u64 config1;
	__u64 config2;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct gpubp_sync - GPUBP_SYNC: wait until the watches of an event are armed
 * @id: id of the event
 * @timeout_ms: longest wait; 0 does not wait, but returns whether it would
 *	have to
 * @flags: 0
 * @nr_watches: (out) watches that the event and its children want now; for a
 *	break or a trap, one in each context where it is wanted
 * @nr_armed: (out) of these, armed in hardware now
 * @nr_rotating: (out) of these, not armed now because other watches have the
 *	comparators in this quantum
 * @nr_pending: (out) of these, not armed because waves of the context run
 *	without traps, as they were launched before its first watch
 * @nr_unserved: (out) of these, cannot be armed: no memory, or no comparator
 *	can cover it; no instruction of a published code object begins there,
 *	or it cannot be replaced. With -ETIMEDOUT and -EINTR also members of a
 *	set that the call did not reach
 * @nr_lost: (out) dropped hits that may have been hits of the event: lost of
 *	GPUBP_STATS, at most 2^32 - 1
 *
 * Returns when all changes made before the call (PERF_EVENT_IOC_ENABLE and
 * GPUBP_MODIFY included) have been committed on all devices; watch sets of
 * other events may take longer. A disabled event wants no watch. The counts
 * then include all hits that were completed before the call, also hits counted
 * by the trap handler (GPUBP_CONFIG_METER) and samples that waited for their
 * owner; with a timeout of 0 they may not. A sample needs its owner to run:
 * while the owner is stopped, -ETIMEDOUT.
 *
 * Errors: -ENOENT, -ETIMEDOUT and -EINTR (the counts are valid). After a signal
 * without a handler, or with SA_RESTART, the call goes on for the time that is
 * left; with -EINTR @timeout_ms is that time.
 */
struct gpubp_sync {
	__u64 id;
	__u32 timeout_ms;
	__u32 flags;
	__u32 nr_watches;
	__u32 nr_armed;
	__u32 nr_rotating;
	__u32 nr_pending;
	__u32 nr_unserved;
	__u32 nr_lost;
};

/**
 * struct gpubp_event_stats - GPUBP_STATS: statistics of an event and its
 *	children
 * @id: id of the event
 * @flags: 0
 * @reserved: 0
 * @resident_ns: (out) time that the contexts of its watches were resident while
 *	the event was enabled, summed over the contexts
 * @armed_ns: (out) part of @resident_ns in which its watches were armed, or
 *	throttled (see @stall_throttled); for a watch set, the mean of the
 *	members in each context
 * @matched: (out) hits matched
 * @possible: (out) part of @matched whose address was not exact
 * @throttled: (out) part of @matched without a sample due to the rate limit
 * @strays: (out) hits of comparators armed for its watches, at bytes that no
 *	watch covers. Each counts for all events with a watch there, but if
 *	more than a thousand watches are armed, not for all of them
 * @wanted_quanta: (out) scheduler quanta in which its watches were wanted,
 *	summed over the watches, without the current quantum
 * @armed_quanta: (out) part of @wanted_quanta in which the watches were armed
 * @longest_gap: (out) largest number of successive quanta in which one of its
 *	watches was wanted and not armed; for members of watch sets, only gaps
 *	that have ended
 * @longest_gap_ns: (out) likewise, the longest time
 * @stall_throttled: (out) how often one of its watches was throttled for some
 *	time because its hits stopped too many waves
 * @metered: (out) part of @matched that the trap handler counted without
 *	stopping the wave (GPUBP_CONFIG_METER)
 * @lost: (out) dropped hits in the contexts of its watches, of any event: no
 *	cell was free, they were resolved too late, the GPU reported too
 *	little, or their owner did not run; and hits of its own watches for
 *	which its condition was not tested (struct gpubp_condition). The count
 *	misses at most these hits, besides @throttled and @stall_throttled
 * @stopped_ns: (out) time in @resident_ns that waves were stopped for hits and
 *	breaks of any event, summed over the waves
 * @stopped_armed_ns: (out) likewise in @armed_ns
 * @unchanged: (out) hits that did not count because the bytes had not changed
 *	(GPUBP_CONFIG_CHANGED)
 * @filtered: (out) hits that did not count because they did not meet the
 *	condition (GPUBP_CONFIG2_COND)
 * @elsewhere: (out) GPU contexts of its target's process, now, that the event
 *	itself, without its children, has nothing to do with: other threads
 *	created their queues (see GPUBP_CONFIG_PROCESS). 0 if the target is no
 *	task
 * @places: (out) watches that the event has had: one in each context, of a
 *	name one at each of its ranges; not those of watch sets
 * @unmapped: (out) of these, those in whose context neither the first nor the
 *	last byte was mapped whenever the kernel looked: when the watch was
 *	armed, and before each dispatch while it was. 0 on devices that announce
 *	no dispatches: there it is not known
 * @recorded: (out) part of @matched that waves recorded, and went on
 * @handler_ns: (out) about how long a wave is in the trap handler for a hit, as the
 *	device's provider says; the longest of the devices that the event has had
 *	watches on, 0 if there were none
 *
 * A stopped wave does not run its program; the time spent in trap handlers,
 * @handler_ns for each hit, is in neither value. The larger @stopped_armed_ns and
 * that are relative to @armed_ns, the slower the program was while it was watched,
 * and the less accurate is the estimate @matched * @resident_ns / @armed_ns.
 *
 * A quantum begins whenever the scheduler chooses the watches to arm:
 * periodically while more comparators are wanted than there are, else when the
 * wanted watches change. Quanta also pass while a context is not resident or
 * cannot be watched.
 *
 * Errors: -ENOENT.
 */
struct gpubp_event_stats {
	__u64 id;
	__u32 flags;
	__u32 reserved;
	__u64 resident_ns;
	__u64 armed_ns;
	__u64 matched;
	__u64 possible;
	__u64 throttled;
	__u64 strays;
	__u64 wanted_quanta;
	__u64 armed_quanta;
	__u64 longest_gap;
	__u64 longest_gap_ns;
	__u64 stall_throttled;
	__u64 metered;
	__u64 lost;
	__u64 stopped_ns;
	__u64 stopped_armed_ns;
	__u64 unchanged;
	__u64 filtered;
	__u64 elsewhere;
	__u64 places;
	__u64 unmapped;
	__u64 recorded;
	__u64 handler_ns;
};

/**
 * enum gpubp_reason - why gpubp refused an event
 * @GPUBP_REASON_NONE: not refused
 * @GPUBP_REASON_UNDEFINED_BITS: -EINVAL, an undefined bit of config, or config3
 *	or config4
 * @GPUBP_REASON_UNKNOWN_KIND: -EINVAL, kind is none of enum gpubp_kind
 * @GPUBP_REASON_LEN_ZERO: -EINVAL, a watch of no bytes by address
 * @GPUBP_REASON_RANGE_WRAPS: -EINVAL, addr + len exceeds 2^64
 * @GPUBP_REASON_CODE_UNNAMED: -EINVAL, code of a watch or break without named
 * @GPUBP_REASON_CHANGED_TOO_LONG: -EINVAL, changed with more than
 *	GPUBP_CHANGED_MAX bytes, or with all bytes of a name
 * @GPUBP_REASON_SET_FIELDS: -EINVAL, a field that a watch set does not use
 * @GPUBP_REASON_SET_ID_ZERO: -EINVAL, code of a watch set is 0
 * @GPUBP_REASON_SET_PINNED: -EOPNOTSUPP, a pinned watch set
 * @GPUBP_REASON_BREAK_FIELDS: -EINVAL, a field that a break does not use
 * @GPUBP_REASON_TRAP_FIELDS: -EINVAL, a field that a trap does not use
 * @GPUBP_REASON_TRAP_ID_ZERO: -EINVAL, code of a trap is 0
 * @GPUBP_REASON_TRAP_ID_LARGE: -EINVAL, code of a trap is above 255
 * @GPUBP_REASON_EXCEPTION_FIELDS: -EINVAL, a field that exceptions do not use
 * @GPUBP_REASON_EXCEPTION_UNKNOWN: -EINVAL, code has a bit outside
 *	GPUBP_EXC_ALL
 * @GPUBP_REASON_POSSIBLE_FIELDS: -EINVAL, possible with lost, meter or
 *	precise_ip
 * @GPUBP_REASON_LOST_FIELDS: -EINVAL, lost with changed, meter, precise_ip or a
 *	period
 * @GPUBP_REASON_EXCLUSIVE: -EOPNOTSUPP, attr.exclusive
 * @GPUBP_REASON_BRANCH_STACK: -EOPNOTSUPP, PERF_SAMPLE_BRANCH_STACK
 * @GPUBP_REASON_NO_SUCH_DEVICE: -ENODEV, no device has the number in device
 * @GPUBP_REASON_NO_COMPARATORS: -EOPNOTSUPP, a watch, and the device has no
 *	comparators
 * @GPUBP_REASON_NO_TRAPS: -EOPNOTSUPP, a break or trap, and waves of the device
 *	cannot trap for events: it has no ISA
 * @GPUBP_REASON_EXCEPTION_UNREPORTED: -EOPNOTSUPP, the device does not report
 *	an exception in code
 * @GPUBP_REASON_EXCEPTION_IMPRECISE: -EOPNOTSUPP, precise_ip with an exception
 *	whose pc is not exact
 * @GPUBP_REASON_BREAK_UNALIGNED: -EINVAL, no instruction can begin at addr
 * @GPUBP_REASON_IMPRECISE: -EOPNOTSUPP, precise_ip is more than the device can
 *	do for a watch
 * @GPUBP_REASON_RANGE_TOO_LONG: -EOPNOTSUPP, comparators cannot cover the bytes
 * @GPUBP_REASON_RANGE_BEYOND: -EINVAL, bytes beyond the addresses of the device
 * @GPUBP_REASON_NO_SUCH_SET: -EINVAL, no watch set has the id in code
 * @GPUBP_REASON_FOREIGN_SET: -EACCES, another user created the watch set
 * @GPUBP_REASON_SET_GROUP: -EOPNOTSUPP, a watch set in a group that counts on
 *	counters of the CPU
 * @GPUBP_REASON_BREAK_RIGHTS: -EACCES, the caller may not change the target's
 *	code
 * @GPUBP_REASON_CHANGED_RIGHTS: -EACCES, changed without a target task and
 *	without CAP_PERFMON
 * @GPUBP_REASON_PINNED_COMPARATORS: -ENOSPC, a pinned watch, and no comparator
 *	is left to reserve
 * @GPUBP_REASON_PINNED_BREAKS: -ENOSPC, a pinned break, and no trap slot is
 *	left to reserve
 * @GPUBP_REASON_PINNED_USER: -ENOSPC, a user without CAP_PERFMON may reserve
 *	only one comparator
 * @GPUBP_REASON_PINNED_TOO_LONG: -ERANGE, a pinned watch, and the comparators
 *	of one of the devices cannot cover the bytes
 * @GPUBP_REASON_MODIFY_FIXED: -EINVAL, GPUBP_MODIFY of kind, process, possible,
 *	lost, device or the condition
 * @GPUBP_REASON_TARGET_EXITED: -ESRCH, the target of a pinned event has exited
 * @GPUBP_REASON_NO_MEMORY: -ENOMEM
 * @GPUBP_REASON_COND_FIELDS: -EINVAL, a condition of an event that is no watch,
 *	or with lost or meter
 * @GPUBP_REASON_NO_SUCH_COND: -EINVAL, the user has no condition with that id
 * @GPUBP_REASON_COND_LEN: -EINVAL, len is no multiple of the condition's type
 * @GPUBP_REASON_COND_RIGHTS: -EACCES, a condition without a target task and
 *	without CAP_PERFMON
 * @GPUBP_NR_REASONS: number of reasons that this header knows; a newer kernel
 *	may know more
 *
 * If several devices are in the scope of an event and none can serve it, it is
 * the reason of one of them.
 *
 * Values are never renumbered, nor used again for another reason.
 */
enum gpubp_reason {
	GPUBP_REASON_NONE			= 0,
	GPUBP_REASON_UNDEFINED_BITS		= 1,
	GPUBP_REASON_UNKNOWN_KIND		= 2,
	GPUBP_REASON_LEN_ZERO			= 3,
	GPUBP_REASON_RANGE_WRAPS		= 4,
	GPUBP_REASON_CODE_UNNAMED		= 5,
	GPUBP_REASON_CHANGED_TOO_LONG		= 6,
	GPUBP_REASON_SET_FIELDS			= 7,
	GPUBP_REASON_SET_ID_ZERO		= 8,
	GPUBP_REASON_SET_PINNED			= 9,
	GPUBP_REASON_BREAK_FIELDS		= 10,
	GPUBP_REASON_TRAP_FIELDS		= 11,
	GPUBP_REASON_TRAP_ID_ZERO		= 12,
	GPUBP_REASON_TRAP_ID_LARGE		= 13,
	GPUBP_REASON_EXCEPTION_FIELDS		= 14,
	GPUBP_REASON_EXCEPTION_UNKNOWN		= 15,
	GPUBP_REASON_POSSIBLE_FIELDS		= 16,
	GPUBP_REASON_LOST_FIELDS		= 17,
	GPUBP_REASON_EXCLUSIVE			= 18,
	GPUBP_REASON_BRANCH_STACK		= 19,
	GPUBP_REASON_NO_SUCH_DEVICE		= 20,
	GPUBP_REASON_NO_COMPARATORS		= 21,
	GPUBP_REASON_NO_TRAPS			= 22,
	GPUBP_REASON_EXCEPTION_UNREPORTED	= 23,
	GPUBP_REASON_EXCEPTION_IMPRECISE	= 24,
	GPUBP_REASON_BREAK_UNALIGNED		= 25,
	GPUBP_REASON_IMPRECISE			= 26,
	GPUBP_REASON_RANGE_TOO_LONG		= 27,
	GPUBP_REASON_RANGE_BEYOND		= 28,
	GPUBP_REASON_NO_SUCH_SET		= 29,
	GPUBP_REASON_FOREIGN_SET		= 30,
	GPUBP_REASON_SET_GROUP			= 31,
	GPUBP_REASON_BREAK_RIGHTS		= 32,
	GPUBP_REASON_CHANGED_RIGHTS		= 33,
	GPUBP_REASON_PINNED_COMPARATORS		= 34,
	GPUBP_REASON_PINNED_BREAKS		= 35,
	GPUBP_REASON_PINNED_USER		= 36,
	GPUBP_REASON_PINNED_TOO_LONG		= 37,
	GPUBP_REASON_MODIFY_FIXED		= 38,
	GPUBP_REASON_TARGET_EXITED		= 39,
	GPUBP_REASON_NO_MEMORY			= 40,
	GPUBP_REASON_COND_FIELDS		= 41,
	GPUBP_REASON_NO_SUCH_COND		= 42,
	GPUBP_REASON_COND_LEN			= 43,
	GPUBP_REASON_COND_RIGHTS		= 44,
	GPUBP_NR_REASONS
};

#define GPUBP_REASON_TEXT	128	/* bytes of a sentence, NUL included */

/**
 * struct gpubp_refusal - GPUBP_REASON: why the last event was refused
 * @flags: 0
 * @reason: (out, as all that follow) enum gpubp_reason
 * @error: errno that the refused call failed with, e.g. EINVAL
 * @text: a sentence for users, in English, NUL-terminated; it may change, the
 *	reason does not
 *
 * Returns the reason of the last perf_event_open(2) of a gpubp event, or
 * GPUBP_MODIFY, of the calling thread, and clears it; so does the next such
 * call, unless it is refused, too.
 *
 * perf core refuses some events before gpubp sees them, or after gpubp has
 * accepted them: by perf_event_paranoid, for want of access to the target, for
 * attributes that are wrong for every PMU. These have no reason, and the reason
 * of an earlier refusal may still be there: call GPUBP_REASON before
 * perf_event_open(2) to clear it, or compare @error.
 *
 * The kernel stores the reasons of a limited number of threads, and only the
 * thread itself can read its own.
 *
 * Errors: -ENOENT: there is no reason, or refusals of other threads displaced
 * it.
 */
struct gpubp_refusal {
	__u32 flags;
	__u32 reason;
	__u32 error;
	char text[GPUBP_REASON_TEXT];
};

/* ranges that GPUBP_PUBLISH names */
enum gpubp_publish_kind {
	GPUBP_PUBLISH_BUFFER	= 0,
	GPUBP_PUBLISH_CODE	= 1,	/* a code object */
};

/**
 * struct gpubp_publish - GPUBP_PUBLISH: name a range of the process's addresses
 * @va: first GPU address
 * @size: bytes; 0 removes the name, of a buffer, or the code object at @va
 * @kind: enum gpubp_publish_kind
 * @device: 0: in each GPU context of the process; else only on this device:
 *	its number + 1
 * @name: NUL-terminated, not empty. Other buffers of this name lose it, and so
 *	does a code object at @va
 * @flags: 0
 * @nr: (out) contexts in which that was done
 *
 * For runtimes, and libraries beside them, on GPUs whose driver has no names of
 * its own. Events on the name bind (GPUBP_CONFIG_NAMED): when the call returns,
 * what they watch is armed, or was attempted to arm, so that the next dispatch is
 * watched. That takes a quantum and a commit where something was to be armed, and
 * no time without events.
 *
 * A name belongs to the context, not to the session: it is there until it is
 * removed or the context is destroyed. What is freed has to be removed.
 *
 * Errors: -EINVAL; -ESRCH (the process has no context there); -ENOMEM;
 * -ENOSPC (the context has 8192 names already); -EAGAIN (a device is
 * suspended); -EINTR (killed). After one of the last four, @nr contexts
 * have the name.
 */
struct gpubp_publish {
	__u64 va;
	__u64 size;
	__u32 kind;
	__u32 device;
	char name[GPUBP_NAME_MAX];
	__u32 flags;
	__u32 nr;
};

/**
 * enum gpubp_value_type - what an element of watched bytes is, for conditions
 * @GPUBP_VALUE_NONE: no test of the value
 * @GPUBP_VALUE_U8: unsigned; likewise the next
 * @GPUBP_VALUE_U16: 16 bits
 * @GPUBP_VALUE_U32: 32 bits
 * @GPUBP_VALUE_U64: 64 bits
 * @GPUBP_VALUE_I8: signed, two's complement; likewise the next
 * @GPUBP_VALUE_I16: 16 bits
 * @GPUBP_VALUE_I32: 32 bits
 * @GPUBP_VALUE_I64: 64 bits
 * @GPUBP_VALUE_F16: IEEE 754, 16 bits
 * @GPUBP_VALUE_F32: 32 bits
 * @GPUBP_VALUE_F64: 64 bits
 * @GPUBP_VALUE_BF16: the upper 16 bits of an F32
 */
enum gpubp_value_type {
	GPUBP_VALUE_NONE	= 0,
	GPUBP_VALUE_U8		= 1,
	GPUBP_VALUE_U16		= 2,
	GPUBP_VALUE_U32		= 3,
	GPUBP_VALUE_U64		= 4,
	GPUBP_VALUE_I8		= 5,
	GPUBP_VALUE_I16		= 6,
	GPUBP_VALUE_I32		= 7,
	GPUBP_VALUE_I64		= 8,
	GPUBP_VALUE_F16		= 9,
	GPUBP_VALUE_F32		= 10,
	GPUBP_VALUE_F64		= 11,
	GPUBP_VALUE_BF16	= 12,
};

/**
 * enum gpubp_condition_test - test of an element's value
 * @GPUBP_TEST_INSIDE: low <= value <= high
 * @GPUBP_TEST_OUTSIDE: anything else, a NaN included
 * @GPUBP_TEST_NAN: it is not a number; of floating-point types only
 *
 * As IEEE 754 has it, -0 is equal to 0, and a NaN is inside of no range.
 */
enum gpubp_condition_test {
	GPUBP_TEST_INSIDE	= 0,
	GPUBP_TEST_OUTSIDE	= 1,
	GPUBP_TEST_NAN		= 2,
};

/* struct gpubp_condition.places: what has to be equal */
#define GPUBP_PLACE_WG_X	0x1
#define GPUBP_PLACE_WG_Y	0x2
#define GPUBP_PLACE_WG_Z	0x4
#define GPUBP_PLACE_ITEM	0x8
#define GPUBP_PLACE_ALL		0xf

/**
 * struct gpubp_condition - GPUBP_CONDITION_CREATE, GPUBP_CONDITION_DESTROY: a
 *	condition on hits of watches
 * @id: (out of CREATE) its id, for GPUBP_CONFIG2_COND in attr.config2; not 0,
 *	unique among the conditions of the user
 * @type: enum gpubp_value_type: the elements of the watched bytes, from their
 *	first one on
 * @test: enum gpubp_condition_test; 0 with GPUBP_VALUE_NONE
 * @places: GPUBP_PLACE_*: which of @wg_x, @wg_y, @wg_z and @item are compared
 * @low: value of the type, zero-extended; 0 where there is nothing to compare
 * @high: likewise, not below @low
 * @wg_x: workgroup coordinates; 0, like the next, if @places does not name it
 * @wg_y: workgroup coordinates
 * @wg_z: workgroup coordinates
 * @item: work-item, by its flat number in its workgroup: x first, then y, then z
 * @flags: 0
 * @reserved: 0
 *
 * An event with a condition gets only hits of lanes that are at the place and
 * have an element with such a value in what they stored, loaded or, of an atomic,
 * in its operand (of a compare-and-swap the new value): what a sample has as
 * gpubp_hit_record.data. Of several such lanes the first is in the sample. Hits
 * that do not meet it are counted as filtered (GPUBP_STATS) and write nothing.
 * Where a value or a place is not known, as the address is not exact, or the
 * access stored a part of an element only, or overwrote the registers, or the
 * range of a buffer descriptor may end in it, the hit is a possible one
 * (GPUBP_HIT_POSSIBLE), and none of an event with precise_ip 2. Of one watch at
 * most 8 different conditions of a user are tested, and 32 of all users; events
 * with others lose the hit (gpubp_event_stats.lost).
 *
 * A condition is the user's, not the session's: any event that the same user
 * opens, with or without capabilities, may have it. It exists until it is
 * destroyed or its session is closed; events that have it keep it. DESTROY reads
 * @id and @flags alone.
 *
 * Errors: -EINVAL (an undefined type, test or place; a NaN, or more bits than the
 * type has, as @low or @high; @low above @high; neither type nor places);
 * -EDQUOT (the user has as many as it may without CAP_PERFMON: module parameter
 * max_conditions_per_user; one that is destroyed counts while an event has it);
 * -ENOSPC (the user has 65535); -ENOMEM; -ENOENT (of DESTROY: not a condition of
 * this session).
 */
struct gpubp_condition {
	__u32 id;
	__u32 type;
	__u32 test;
	__u32 places;
	__u64 low;
	__u64 high;
	__u32 wg_x;
	__u32 wg_y;
	__u32 wg_z;
	__u32 item;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct gpubp_set - GPUBP_SET_CREATE, GPUBP_SET_DESTROY: a watch set
 * @id: (out of CREATE) its id, for code in attr.config; not 0, unique while the
 *	set exists
 * @flags: 0
 *
 * The user that created the set may open events on it, and so may processes
 * with CAP_PERFMON. It exists until it is destroyed or its session is closed;
 * events that use it then keep its members.
 *
 * A hit that matches several members is one count of an event and one sample,
 * which has the id of the first of them by address; each of these members
 * counts it. A member counts a hit that at least one event of the set gets.
 * perf_event_open(2) fails with -EINVAL if the set does not exist, with
 * -EACCES if another user created it, and with -EOPNOTSUPP for a pinned event.
 *
 * On 64-bit kernels a member takes about 65 bytes, and about 300 for each
 * context in which an event wants the set, however many events do; the memory
 * cgroup of its creator is charged.
 *
 * Errors: -ENOMEM; -EDQUOT (a user without CAP_PERFMON has as many as module
 * parameter max_sets_per_user; one that is destroyed counts while an event uses
 * it); -ENOENT (not a set of this session).
 */
struct gpubp_set {
	__u32 id;
	__u32 flags;
};

/**
 * struct gpubp_set_watch - a member of a watch set
 * @id: id assigned by the kernel, unique since the module was loaded
 * @addr: first GPU virtual address
 * @len: bytes; 0 removes the member
 * @count: (out of GPUBP_SET_READ) hits that matched it since it was added; if a
 *	hit matches more than a thousand watches, not all of them count it
 * @access: GPUBP_ACCESS_*; 0 means store and atomic
 * @flags: 0
 */
struct gpubp_set_watch {
	__u64 id;
	__u64 addr;
	__u64 len;
	__u64 count;
	__u32 access;
	__u32 flags;
};

/* maximum of entries of one GPUBP_SET_UPDATE, and of members: else -ENOSPC */
#define GPUBP_SET_MAX		1048576
#define GPUBP_ENTRY_LEN_MAX	256	/* bytes of an array entry */

/**
 * struct gpubp_set_update - GPUBP_SET_UPDATE: add, change and remove members
 * @set: id of the set
 * @nr: entries at @watches, at most GPUBP_SET_MAX
 * @watches: user address of struct gpubp_set_watch[]. An entry with id 0 is
 *	added, and its id written back. An entry with the id of a member changes
 *	it in place, keeping its count, or removes it if len is 0
 * @entry_len: bytes of an entry
 * @flags: 0
 * @bad: (out) the first entry that was refused
 * @reserved: 0
 *
 * Applies all entries or none. Errors: -ENOENT (set, or a member), -EINVAL (an
 * entry, or a member named twice), -E2BIG (an entry is not 0 beyond the
 * kernel's size), -ENOSPC (GPUBP_SET_MAX), -ENOMEM, -EFAULT, -EINTR (a fatal
 * signal).
 */
struct gpubp_set_update {
	__u32 set;
	__u32 nr;
	__u64 watches;
	__u32 entry_len;
	__u32 flags;
	__u32 bad;
	__u32 reserved;
};

/**
 * struct gpubp_set_read - GPUBP_SET_READ: members and their counts
 * @set: id of the set
 * @nr: number of entries that fit at @watches; (out) entries written
 * @watches: user address of struct gpubp_set_watch[]
 * @after: return only members with a larger id, in order of their ids: 0 for
 *	the first call, then the last id that was returned
 * @entry_len: bytes of an entry
 * @flags: 0
 *
 * Errors: -ENOENT, -EFAULT, -EINVAL and -E2BIG (@entry_len).
 */
struct gpubp_set_read {
	__u32 set;
	__u32 nr;
	__u64 watches;
	__u64 after;
	__u32 entry_len;
	__u32 flags;
};

/* rights that an attached event gives a session on its target */
#define GPUBP_RIGHT_READ	0x1	/* memory and registers */
#define GPUBP_RIGHT_WRITE	0x2	/* memory and registers */
#define GPUBP_RIGHT_STOP	0x4	/* halt, resume and step waves */
#define GPUBP_RIGHT_SIGNAL	0x8	/* raise exceptions and signals */

/* maximum number of attachments of a session */
#define GPUBP_ATTACH_MAX	4096

/**
 * struct gpubp_attach - GPUBP_ATTACH, GPUBP_DETACH, GPUBP_RIGHTS
 * @id: (out of ATTACH, in for the others) id of the event
 * @fd: perf fd of an event of PMU gpubp on a task, opened by this process
 *	(ATTACH only)
 * @flags: 0
 * @rights: (out) GPUBP_RIGHT_*. With attr.sigtrap: all, if perf checked that
 *	the opener may trace the target, or if the target is the opener's own
 *	process. Without: GPUBP_RIGHT_READ for its own process. Otherwise 0
 * @pid: (out) thread group of the target, in the caller's pid namespace
 * @seq: (out of ATTACH) see struct gpubp_notice
 *
 * The rights depend on the check of perf core when the event was opened. perf
 * core does not check an opener with CAP_PERFMON (or CAP_SYS_ADMIN) and
 * CAP_KILL over the target: drop CAP_KILL from the effective set while opening
 * the event. With CAP_PERFMON, there are no rights on a target in a user
 * namespace.
 *
 * The rights end with the event: when its target executes a program that
 * removes its events, when its thread exits, or when the last fd of the event
 * is closed. GPUBP_RIGHTS is -ESRCH from then on. The session holds no
 * reference to the event.
 *
 * Errors: -EBADF; -EINVAL (not an event of this PMU, not on a task, or with
 * attr.inherit); -EPERM (opened by another process); -ESRCH; -EEXIST (already
 * attached); -ENOENT (not attached); -ENOSPC (GPUBP_ATTACH_MAX, including
 * attachments that have ended and were not detached); -ENOMEM.
 */
struct gpubp_attach {
	__u64 id;
	__s32 fd;
	__u32 flags;
	__u32 rights;
	__u32 pid;
	__u64 seq;
};

/*
 * Run control: the waves of a target's contexts.
 *
 * Each call has an attachment (@event, the id from GPUBP_ATTACH), which must be
 * valid and have the right stated there, and a context of its target. Errors of
 * all calls:
 *
 *	-EINVAL		flags, reserved members, counts; no such register
 *	-ENOENT		not attached
 *	-ESRCH		the event is no longer valid; the target has no such
 *			context (any more); there is no such wave (any more), or
 *			it ended during the call
 *	-EPERM		the attachment lacks the right
 *	-EOPNOTSUPP	the device cannot do this; waves of this context must
 *			not be halted (GPUBP_CONTEXT_FENCED)
 *	-EAGAIN		the device is suspended; or the waves are in memory of their
 *			process that cannot be accessed now
 *	-EBADFD		the wave is in the wrong state: it runs, or this session
 *			does not hold it
 *	-EBUSY		another session holds the wave, too; or it is being
 *			saved
 *	-EINTR		interrupted by a signal: a fatal one, except while the
 *			first step in a context waits for its waves: that call
 *			is restarted if the signal has no handler, or SA_RESTART,
 *			unless a wave was stepped already
 *	-EDQUOT		(GPUBP_HALT) sessions of this user hold as many waves as
 *			they may (module parameter max_holds_per_user)
 *	-ENOMEM, -EFAULT
 *
 * A halted wave is *held* by the session and that attachment, and so is one that
 * a hit stops whose event the session catches (GPUBP_CATCH). It continues
 * when no session holds it. A session releases it by GPUBP_RESUME, and when it
 * is closed. The kernel releases it, within a second, when the attachment ends
 * (also by GPUBP_DETACH), when the process that opened the session exits, when
 * the time limit of GPUBP_HALT or GPUBP_CATCH expires, and when the caught event is
 * closed. Wave ids are opaque, and never
 * reused.
 *
 * Run control calls of one session are serialised. They never stop, signal or
 * trace a thread of the target.
 */

/* maximum of waves, of register ranges and of their values in one call */
#define GPUBP_WAVES_MAX		4096
#define GPUBP_REG_RANGES_MAX	1024
#define GPUBP_REG_VALUES_MAX	65536
#define GPUBP_CONTEXTS_MAX	65536	/* contexts returned by one call */
#define GPUBP_MEM_MAX		1048576	/* bytes of memory in one call */
#define GPUBP_INSN_MAX		24	/* bytes of an instruction */

/**
 * enum gpubp_scope - which waves stop and continue together with a wave
 * @GPUBP_SCOPE_NONE: waves cannot be stopped
 * @GPUBP_SCOPE_WAVE: only that wave
 * @GPUBP_SCOPE_UNIT: all waves of its compute unit (or multiprocessor)
 * @GPUBP_SCOPE_QUEUE: all waves of its queue
 * @GPUBP_SCOPE_CONTEXT: all waves of its context
 */
enum gpubp_scope {
	GPUBP_SCOPE_NONE	= 0,
	GPUBP_SCOPE_WAVE	= 1,
	GPUBP_SCOPE_UNIT	= 2,
	GPUBP_SCOPE_QUEUE	= 3,
	GPUBP_SCOPE_CONTEXT	= 4,
};

/* struct gpubp_context.flags */
#define GPUBP_CONTEXT_FENCED	0x1	/* its waves must not be halted */
#define GPUBP_CONTEXT_STEPS	0x2	/* its waves can be stepped */
#define GPUBP_CONTEXT_CATCHES	0x4	/* hits can hold its waves: GPUBP_CATCH */

/**
 * struct gpubp_context - a GPU address space
 * @id: its id, unique since the module was loaded
 * @flags: GPUBP_CONTEXT_*
 * @device: number of its device
 * @scope: enum gpubp_scope
 * @reserved: 0
 */
struct gpubp_context {
	__u32 id;
	__u32 flags;
	__u8 device;
	__u8 scope;
	__u8 reserved[6];
};

/**
 * struct gpubp_contexts - GPUBP_CONTEXTS: contexts of a target
 * @event: attachment; GPUBP_RIGHT_READ
 * @contexts: user address of struct gpubp_context[]
 * @nr: number of entries that fit at @contexts; (out) number of contexts. As
 *	many as fit were written, at most GPUBP_CONTEXTS_MAX
 * @entry_len: bytes of an entry
 * @flags: 0
 * @reserved: 0
 */
struct gpubp_contexts {
	__u64 event;
	__u64 contexts;
	__u32 nr;
	__u32 entry_len;
	__u32 flags;
	__u32 reserved;
};

/* struct gpubp_wave_entry.flags */
#define GPUBP_WAVE_STOPPED	0x1	/* it is stopped now */
#define GPUBP_WAVE_HELD		0x2	/* at least one session holds it */
#define GPUBP_WAVE_MINE		0x4	/* this session holds it */
#define GPUBP_WAVE_DISPLACED	0x8	/* a displaced step is not completed */
#define GPUBP_WAVE_CAUGHT	0x10	/* by this session, and not stepped since */

/**
 * struct gpubp_wave_entry - a wave
 * @wave: id of the wave
 * @pc: its pc; a recent one if the wave runs
 * @queue: id of its queue in its context
 * @flags: GPUBP_WAVE_*
 * @nr_holders: sessions that hold it
 * @reserved: 0
 */
struct gpubp_wave_entry {
	__u64 wave;
	__u64 pc;
	__u32 queue;
	__u32 flags;
	__u32 nr_holders;
	__u32 reserved;
};

/**
 * struct gpubp_wave_list - GPUBP_WAVES: waves of a context
 * @event: attachment; GPUBP_RIGHT_READ
 * @waves: user address of struct gpubp_wave_entry[]
 * @context: id of the context
 * @nr: number of entries that fit at @waves; (out) number of waves. As many as
 *	fit were written
 * @entry_len: bytes of an entry
 * @flags: 0
 *
 * Lists waves that run, are stopped or are saved, each once.
 */
struct gpubp_wave_list {
	__u64 event;
	__u64 waves;
	__u32 context;
	__u32 nr;
	__u32 entry_len;
	__u32 flags;
};

/**
 * struct gpubp_run - GPUBP_HALT, GPUBP_RESUME, GPUBP_STEP
 * @event: attachment; GPUBP_RIGHT_STOP
 * @waves: user address of ids (__u64[])
 * @context: id of the context
 * @nr: number of ids, at most GPUBP_WAVES_MAX. 0: all waves of the context
 *	(HALT), all waves of the context that the session holds (RESUME); not
 *	for STEP
 * @timeout_ms: (HALT) release the waves after this time; 0: never
 * @flags: 0
 * @scope: (out) enum gpubp_scope: which waves were stopped or released with
 *	them
 * @nr_done: (out) number of waves for which the operation succeeded
 * @seq: (out) see struct gpubp_notice
 *
 * HALT: on return the waves are stopped and execute no instruction until they
 * are resumed. If a named wave ended, or after any other error, none was
 * halted. Halting a wave that the session already holds changes its time
 * limit. With @nr 0, waves that are launched after the call run.
 *
 * RESUME: if a wave ended, the others are still resumed, and -ESRCH is
 * returned. -EINPROGRESS: one has a displaced step that is not completed;
 * nothing was done.
 *
 * STEP: the waves execute one instruction each, one wave after another, and
 * are stopped again. If a wave took a trap and executed nothing, it is stepped
 * again, 16 times in all (then -EAGAIN). At a break, the break is counted and
 * the replaced instruction is executed. Stops at the first wave that cannot be
 * stepped. A wave that ends in its step is -ESRCH, and no longer held.
 */
struct gpubp_run {
	__u64 event;
	__u64 waves;
	__u32 context;
	__u32 nr;
	__u32 timeout_ms;
	__u32 flags;
	__u32 scope;
	__u32 nr_done;
	__u64 seq;
};

/* maximum of events that a session catches, and of waves that are reserved for hits */
#define GPUBP_CATCH_MAX		1024
#define GPUBP_CATCH_WAVES_MAX	65536

/**
 * struct gpubp_catch - GPUBP_CATCH, GPUBP_UNCATCH: hits of an event hold their waves
 * @event: attachment; GPUBP_RIGHT_STOP
 * @id: (out of CATCH, in of UNCATCH) id of the caught event
 * @fd: (CATCH) perf fd of an event of PMU gpubp, opened by this process on a thread of
 *	the attachment's target, without attr.inherit; of any kind but lost
 * @timeout_ms: (CATCH) release a wave that was caught after this time; 0: never
 * @waves: (CATCH) how many waves the catches of the session are to be able to hold at a
 *	time, at most GPUBP_CATCH_WAVES_MAX; 0: 256. Never fewer than an earlier CATCH
 *	of the session asked for
 * @flags: 0
 * @missed: (out of both) hits of the event that did not hold their wave
 * @seq: (out of both) see struct gpubp_notice
 *
 * CATCH: from the return on each hit that the event counts, or samples, holds its wave for
 * the session, as GPUBP_HALT would, before the wave goes on: at a break in front of the
 * instruction, behind a watched access, at the instruction that raised an exception or
 * behind an s_trap, as far as the device stops there. The event's own condition and period
 * are its filter: of a period each hit is caught. The hit is counted and sampled as ever; a
 * sample's gpubp_hit_record.wave is the id of the wave. Hits are not decided on the GPU
 * any more (meter, records), until UNCATCH. An event that is armed in turn, or throttled,
 * has no hits, and catches none, while it is not armed.
 *
 * An event may be caught before the code or the buffer that it names exists, and before
 * the target has a context: a break at offset 0 of a kernel then catches each wave before it
 * executes anything.
 *
 * A second CATCH of the same event by the same session and attachment sets @timeout_ms
 * for waves caught from then on.
 *
 * A hit does not hold its wave, and is counted as missed, if as many waves as were reserved
 * are held, if another session steps the wave, if more than 16 caught events have the hit,
 * or if the device cannot (GPUBP_CONTEXT_CATCHES). The reserve counts as held waves do
 * (-EDQUOT), until the session is closed.
 *
 * UNCATCH: no further hit of the event holds its wave. Waves that it held stay held, by the
 * attachment: it does not matter any more whether the event is closed.
 *
 * Errors, besides those of all calls:
 *
 *	-EBADF		@fd
 *	-EINVAL		the event is not of this PMU, not on a task, inherited or lost;
 *			@waves; an unused member is not 0
 *	-EPERM		another process opened the event
 *	-ESRCH		it is no longer valid
 *	-EXDEV		it is on another process than the attachment
 *	-EOPNOTSUPP	no device that it watches can hold waves of hits
 *	-EBUSY		another session, or attachment, catches it
 *	-ENOSPC		GPUBP_CATCH_MAX
 *	-EDQUOT		the user may not hold so many waves (max_holds_per_user)
 *	-ENOENT		(UNCATCH) the session does not catch it, by that attachment
 *	-EINTR		interrupted; if the signal has no handler, or SA_RESTART, the
 *			call is restarted. The event may be caught already
 */
struct gpubp_catch {
	__u64 event;
	__u64 id;
	__s32 fd;
	__u32 timeout_ms;
	__u32 waves;
	__u32 flags;
	__u64 missed;
	__u64 seq;
};

/**
 * enum gpubp_notice_type - records that read(2) of a session returns
 * @GPUBP_NOTICE_LOST: records before this one were lost, as they were not read in time;
 *	struct gpubp_notice_lost
 * @GPUBP_NOTICE_STOP: the session holds a wave; struct gpubp_notice_stop
 * @GPUBP_NOTICE_STEPPED: a wave executed an instruction by GPUBP_STEP; struct
 *	gpubp_notice_wave
 * @GPUBP_NOTICE_ENDED: a wave that the session held has ended; struct gpubp_notice_wave
 * @GPUBP_NOTICE_CONTEXT: a context of a target; struct gpubp_notice_context
 * @GPUBP_NOTICE_DETACHED: an attachment is over; struct gpubp_notice_detached
 * @GPUBP_NOTICE_FAULT: a wave that is caught had a memory violation; struct
 *	gpubp_notice_fault, before its GPUBP_NOTICE_STOP
 */
enum gpubp_notice_type {
	GPUBP_NOTICE_LOST	= 1,
	GPUBP_NOTICE_STOP	= 2,
	GPUBP_NOTICE_STEPPED	= 3,
	GPUBP_NOTICE_ENDED	= 4,
	GPUBP_NOTICE_CONTEXT	= 5,
	GPUBP_NOTICE_DETACHED	= 6,
	GPUBP_NOTICE_FAULT	= 7,
};

/**
 * struct gpubp_notice - what each record begins with
 * @size: bytes of the record, a multiple of 8; more than the reader knows can be added
 * @type: enum gpubp_notice_type; others may be added, and are to be skipped
 * @seq: its number in the session, from 1; without gaps but for what was lost
 * @time: when it was made, ns of CLOCK_MONOTONIC
 *
 * read(2) of a session returns as many whole records as fit, in order. It waits for one, if
 * there is none, or returns -EAGAIN with O_NONBLOCK; -EINVAL if not even the first one
 * fits, or nothing was ever attached; -EPERM to another process than the session's.
 * poll(2) reports EPOLLIN when there is a record.
 *
 * Records are kept from the first GPUBP_ATTACH on, GPUBP_NOTICES of them; there are none of an
 * attachment without GPUBP_RIGHT_READ. Nothing waits for
 * a reader: when it is too slow, new ones are lost. Which waves are held is always what
 * GPUBP_WAVES says. Results named seq are the number of the first record that was made after
 * the call had its effect, or by it.
 */
struct gpubp_notice {
	__u32 size;
	__u32 type;
	__u64 seq;
	__u64 time;
};

#define GPUBP_NOTICES	512	/* records that a session keeps */

/**
 * struct gpubp_notice_lost - records before this one were lost
 * @head: header; its seq is that of the last one that was lost
 * @nr: how many
 */
struct gpubp_notice_lost {
	struct gpubp_notice head;
	__u64 nr;
};

/**
 * enum gpubp_stop_why - why the session holds a wave
 * @GPUBP_WHY_HALT: by GPUBP_HALT
 * @GPUBP_WHY_CATCH: by a hit of a caught event
 * @GPUBP_WHY_STEP: it did already: a hit of a caught event while it stepped the wave
 * @GPUBP_WHY_HELD: it did already, when it attached
 */
enum gpubp_stop_why {
	GPUBP_WHY_HALT		= 1,
	GPUBP_WHY_CATCH	= 2,
	GPUBP_WHY_STEP		= 3,
	GPUBP_WHY_HELD		= 4,
};

/**
 * struct gpubp_notice_stop - the session holds a wave
 * @head: header
 * @event: attachment
 * @wave: id of the wave
 * @caught: id of the event whose hit it was, 0: none. What follows is 0 then
 * @pc: address of the instruction that hit
 * @addr: address of the first lane that hit, as in the event's sample; 0 unknown
 * @lanes: lanes that hit; of a break the active ones
 * @context: id of the context
 * @why: enum gpubp_stop_why
 */
struct gpubp_notice_stop {
	struct gpubp_notice head;
	__u64 event;
	__u64 wave;
	__u64 caught;
	__u64 pc;
	__u64 addr;
	__u64 lanes;
	__u32 context;
	__u32 why;
};

/**
 * struct gpubp_notice_wave - something happened to a wave that the session holds, or held
 * @head: header
 * @event: attachment; 0 if it is over
 * @wave: id of the wave
 * @context: id of the context
 * @reserved: 0
 */
struct gpubp_notice_wave {
	struct gpubp_notice head;
	__u64 event;
	__u64 wave;
	__u32 context;
	__u32 reserved;
};

/**
 * struct gpubp_notice_context - a context of a target
 * @head: header
 * @event: attachment; of several by which a session is attached, each has a record
 * @context: id of the context
 * @gone: 1: it is being destroyed; else it exists, and did when the session attached, or
 *	has just been created
 * @device: number of its device
 * @reserved: 0
 */
struct gpubp_notice_context {
	struct gpubp_notice head;
	__u64 event;
	__u32 context;
	__u32 gone;
	__u32 device;
	__u32 reserved;
};

/**
 * enum gpubp_detach_why - why an attachment is over
 * @GPUBP_DETACH_CALL: GPUBP_DETACH
 * @GPUBP_DETACH_CLOSED: its event was closed, or perf removed it
 * @GPUBP_DETACH_EXEC: the target executes another program
 * @GPUBP_DETACH_EXIT: the target's thread has exited
 */
enum gpubp_detach_why {
	GPUBP_DETACH_CALL	= 1,
	GPUBP_DETACH_CLOSED	= 2,
	GPUBP_DETACH_EXEC	= 3,
	GPUBP_DETACH_EXIT	= 4,
};

/**
 * struct gpubp_notice_detached - an attachment is over
 * @head: header
 * @event: attachment
 * @why: enum gpubp_detach_why; the last two are noticed within a second
 * @reserved: 0
 */
struct gpubp_notice_detached {
	struct gpubp_notice head;
	__u64 event;
	__u32 why;
	__u32 reserved;
};

/**
 * struct gpubp_notice_fault - a wave that is caught had a memory violation
 * @head: header
 * @event: attachment
 * @wave: id of the wave
 * @addr: as struct gpubp_hit_record has it, like the next
 * @lanes: likewise
 * @context: id of the context
 * @width: bytes accessed per lane
 * @access: one GPUBP_ACCESS_*, 0 unknown
 * @addr_state: enum gpubp_addr_state
 */
struct gpubp_notice_fault {
	struct gpubp_notice head;
	__u64 event;
	__u64 wave;
	__u64 addr;
	__u64 lanes;
	__u32 context;
	__u16 width;
	__u8 access;
	__u8 addr_state;
};

/**
 * enum gpubp_reg_file - register files
 * @GPUBP_REGS_SCALAR: one value per wave, numbered as the ISA encodes its
 *	scalar operands (gfx9: 0-101 s0-s101, 106 vcc, 108-123 ttmp0-15, 124
 *	m0, 126 exec)
 * @GPUBP_REGS_VECTOR: one value per lane, register by register, lane by lane
 *	within a register (gfx90a: accumulation registers from 256 on, as far as
 *	the wave has VGPRs)
 * @GPUBP_REGS_CONTROL: one value per wave, as the ISA numbers hardware
 *	registers (gfx9: MODE 1, STATUS 2, TRAPSTS 3, HW_ID 4, GPR_ALLOC 5,
 *	LDS_ALLOC 6, IB_STS 7, PC_LO 8, PC_HI 9)
 */
enum gpubp_reg_file {
	GPUBP_REGS_SCALAR	= 0,
	GPUBP_REGS_VECTOR	= 1,
	GPUBP_REGS_CONTROL	= 2,
};

/**
 * struct gpubp_reg_range - registers of one file
 * @file: enum gpubp_reg_file
 * @first: first register
 * @count: number of registers
 * @reserved: 0
 */
struct gpubp_reg_range {
	__u32 file;
	__u32 first;
	__u32 count;
	__u32 reserved;
};

/**
 * struct gpubp_regs - GPUBP_READ_REGS, GPUBP_WRITE_REGS: registers of a wave
 * @event: attachment; GPUBP_RIGHT_READ, or GPUBP_RIGHT_WRITE
 * @wave: id of the wave, which is stopped; for WRITE, the session must hold it
 * @ranges: user address of struct gpubp_reg_range[]
 * @values: user address of __u32[], one range after another
 * @context: id of the context
 * @nr_ranges: entries of @ranges, 1 to GPUBP_REG_RANGES_MAX
 * @nr_values: entries of @values, exactly the sum of the ranges; at most
 *	GPUBP_REG_VALUES_MAX
 * @entry_len: bytes of an entry of @ranges
 * @flags: 0
 * @reserved: 0
 *
 * Reads are one consistent snapshot; all registers are written or none.
 * Registers of the trap handler cannot be written (-EACCES). In control
 * registers, only the pc and bits that the wave could write itself are
 * written; other bits are kept. Read both registers of the pc in one call;
 * otherwise the value may point into a buffer of the kernel. One of them alone
 * cannot be written (-EINVAL).
 */
struct gpubp_regs {
	__u64 event;
	__u64 wave;
	__u64 ranges;
	__u64 values;
	__u32 context;
	__u32 nr_ranges;
	__u32 nr_values;
	__u32 entry_len;
	__u32 flags;
	__u32 reserved;
};

/**
 * enum gpubp_mem_space - which memory an address is in
 * @GPUBP_MEM_SPACE_GLOBAL: GPU virtual addresses of the context
 * @GPUBP_MEM_SPACE_LDS: bytes of the LDS of a stopped wave's workgroup
 * @GPUBP_MEM_SPACE_PRIVATE: bytes of the private memory of a lane of a stopped wave
 */
enum gpubp_mem_space {
	GPUBP_MEM_SPACE_GLOBAL	= 0,
	GPUBP_MEM_SPACE_LDS	= 1,
	GPUBP_MEM_SPACE_PRIVATE	= 2,
};

/*
 * gpubp_mem.flags: caches of data are written back before memory is read; they and
 * caches of instructions are invalidated behind a write
 */
#define GPUBP_MEM_FLUSH		0x1

/**
 * struct gpubp_mem - GPUBP_READ_MEM, GPUBP_WRITE_MEM: memory of a context
 * @event: attachment; GPUBP_RIGHT_READ or GPUBP_RIGHT_WRITE
 * @addr: address in @space
 * @buf: user address
 * @len: bytes, 1 to GPUBP_MEM_MAX; (out) bytes that were read or written, fewer at
 *	the end of a mapping, of the LDS or of private memory
 * @context: id of the context
 * @flags: 0 or GPUBP_MEM_FLUSH
 * @wave: id of a wave, for all spaces but GPUBP_MEM_SPACE_GLOBAL: a stopped one to
 *	read, one that only this session holds to write; else 0
 * @space: enum gpubp_mem_space
 * @lane: lane for GPUBP_MEM_SPACE_PRIVATE, else 0
 *
 * Memory is read as the program has it, without patches of breaks, and written below
 * them: breaks are taken out of a page of code while it is written, and armed
 * again. Errors: -EFAULT (nothing is mapped at @addr, or it cannot be written; a page was
 * not available within a second; @addr is behind the end of LDS or private memory; or
 * @buf), -EAGAIN (breaks are inserted and removed there all the time), -EBUSY
 * (breaks could not be taken out), -EOPNOTSUPP (a space that the device does not show),
 * -ESRCH, -EBADFD, -EBUSY (the wave, as for registers), -EINTR (a fatal signal).
 */
struct gpubp_mem {
	__u64 event;
	__u64 addr;
	__u64 buf;
	__u64 len;
	__u32 context;
	__u32 flags;
	__u64 wave;
	__u32 space;
	__u32 lane;
};

/**
 * enum gpubp_displaced_state - state of a displaced step
 * @GPUBP_DISPLACED_PLACED: the instruction was not executed
 * @GPUBP_DISPLACED_DONE: the instruction was executed
 */
enum gpubp_displaced_state {
	GPUBP_DISPLACED_PLACED	= 0,
	GPUBP_DISPLACED_DONE	= 1,
};

/**
 * struct gpubp_displaced - GPUBP_DISPLACED_START, GPUBP_DISPLACED_COMPLETE,
 *	GPUBP_DISPLACED_INFO
 * @event: attachment; GPUBP_RIGHT_STOP
 * @wave: id of the wave, which the session holds
 * @id: (out of START, in for the others) id of the displaced step
 * @insn: (START) user address of the instruction, if the debugger replaced it
 *	by a breakpoint of its own; also needs GPUBP_RIGHT_WRITE. 0: the
 *	instruction in memory, without patches of breaks
 * @context: id of the context
 * @len: (in of START) bytes at @insn, at most GPUBP_INSN_MAX; (out) bytes of
 *	the instruction
 * @flags: 0
 * @state: (out, as all that follow) enum gpubp_displaced_state
 * @from: address of the instruction in the program
 * @to: address at which it is executed; 0: it reads or writes the pc, and is
 *	simulated
 *
 * START copies the instruction at the pc of the wave to a buffer and moves the
 * wave there. GPUBP_STEP executes it. COMPLETE moves the wave behind the
 * instruction in the program and frees the buffer; before the step it undoes
 * START, which can then be repeated. Until then, other waves execute what
 * replaces the instruction in the program.
 *
 * Register reads and dumps show the pc of the wave in the program.
 *
 * Errors, besides those of all calls:
 *
 *	-EILSEQ		(START) there is no instruction at the pc, or one that
 *			cannot be executed elsewhere
 *	-ENOBUFS	(START) no free buffer: in a context, the sessions of a
 *			user get at most half of the buffers for sessions
 *	-EALREADY	(START) the wave has a displaced step already
 *	-ENOENT		the wave has no displaced step with this id
 *	-EINPROGRESS	(GPUBP_RESUME, GPUBP_WRITE_REGS of the pc, and
 *			GPUBP_STEP after the step) the displaced step is not
 *			completed
 *	-EFAULT		(START) the instruction cannot be read
 *	-EINVAL		(START) @len with @insn
 *	-EAGAIN		waves of this context cannot be made to stop behind an
 *			instruction now
 *
 * If the wave is released in another way, the displaced step is completed.
 */
struct gpubp_displaced {
	__u64 event;
	__u64 wave;
	__u64 id;
	__u64 insn;
	__u32 context;
	__u32 len;
	__u32 flags;
	__u32 state;
	__u64 from;
	__u64 to;
};

#define GPUBP_DUMP_BEFORE	4	/* dwords of code in front of the pc */
#define GPUBP_DUMP_WORDS	12	/* dwords of code in total */
#define GPUBP_DUMP_REGS		7

/**
 * enum gpubp_place_gfx9 - struct gpubp_wave_dump.place of gfx9
 * @GPUBP_PLACE_GFX9_SE: shader engine
 * @GPUBP_PLACE_GFX9_SH: shader array
 * @GPUBP_PLACE_GFX9_CU: compute unit
 * @GPUBP_PLACE_GFX9_SIMD: SIMD of the compute unit
 * @GPUBP_PLACE_GFX9_SLOT: wave slot of the SIMD
 * @GPUBP_PLACE_GFX9_VMID: address space
 * @GPUBP_PLACE_GFX9_ME: micro engine of its hardware queue
 * @GPUBP_PLACE_GFX9_PIPE: pipe of the micro engine
 * @GPUBP_PLACE_GFX9_QUEUE: hardware queue of the pipe
 * @GPUBP_PLACE_GFX9_GROUP: workgroup slot of the compute unit
 * @GPUBP_PLACE_GFX9_STATE: graphics state, 0 for compute
 */
enum gpubp_place_gfx9 {
	GPUBP_PLACE_GFX9_SE	= 0,
	GPUBP_PLACE_GFX9_SH	= 1,
	GPUBP_PLACE_GFX9_CU	= 2,
	GPUBP_PLACE_GFX9_SIMD	= 3,
	GPUBP_PLACE_GFX9_SLOT	= 4,
	GPUBP_PLACE_GFX9_VMID	= 5,
	GPUBP_PLACE_GFX9_ME	= 6,
	GPUBP_PLACE_GFX9_PIPE	= 7,
	GPUBP_PLACE_GFX9_QUEUE	= 8,
	GPUBP_PLACE_GFX9_GROUP	= 9,
	GPUBP_PLACE_GFX9_STATE	= 10,
};

#define GPUBP_DUMP_PLACES	12

/* struct gpubp_wave_dump.valid */
#define GPUBP_DUMP_PLACE	0x1	/* place */
#define GPUBP_DUMP_ALLOC	0x2	/* nr_scalars to lds_bytes */
#define GPUBP_DUMP_CODE		0x4	/* code_start, code_size, code_name */

/**
 * struct gpubp_wave_dump - GPUBP_DUMP_WAVE: position, state and code of a wave
 * @event: attachment; GPUBP_RIGHT_READ
 * @wave: id of the wave, which is stopped
 * @context: id of the context
 * @flags: 0
 * @pc: (out, as all that follow) pc of the next instruction
 * @exec: active lanes
 * @regs: control registers as the ISA numbers them, from 1 on (gfx9: MODE,
 *	STATUS, TRAPSTS, HW_ID, GPR_ALLOC, LDS_ALLOC, IB_STS)
 * @valid: GPUBP_DUMP_*
 * @queue: id of its queue in its context
 * @words_addr: address of @words
 * @words: code around @pc; words that cannot be read are 0
 * @nr_words: entries of @words that could be read, from @words_addr on
 * @wave_flags: GPUBP_WAVE_*
 * @code_start: address of the code object that contains @pc
 * @code_size: its size in bytes
 * @code_name: its name
 * @place: position of the wave in the device, in entries that the family of
 *	ISAs defines (gfx9: enum gpubp_place_gfx9); unused entries are 0
 * @nr_scalars: number of its scalar registers
 * @nr_vectors: number of its vector registers
 * @lds_base: first byte of its LDS
 * @lds_bytes: bytes of its LDS
 */
struct gpubp_wave_dump {
	__u64 event;
	__u64 wave;
	__u32 context;
	__u32 flags;
	__u64 pc;
	__u64 exec;
	__u32 regs[GPUBP_DUMP_REGS];
	__u32 valid;
	__u64 words_addr;
	__u32 words[GPUBP_DUMP_WORDS];
	__u32 nr_words;
	__u32 queue;
	__u64 code_start;
	__u64 code_size;
	char code_name[GPUBP_NAME_MAX];
	__u32 wave_flags;
	__u8 place[GPUBP_DUMP_PLACES];
	__u32 nr_scalars;
	__u32 nr_vectors;
	__u32 lds_base;
	__u32 lds_bytes;
};

#define GPUBP_MODIFY		_IOW('B', 0x40, struct gpubp_modify)
#define GPUBP_SYNC		_IOWR('B', 0x41, struct gpubp_sync)
#define GPUBP_STATS		_IOWR('B', 0x42, struct gpubp_event_stats)
#define GPUBP_REASON		_IOWR('B', 0x43, struct gpubp_refusal)
#define GPUBP_PUBLISH		_IOWR('B', 0x44, struct gpubp_publish)
#define GPUBP_CONDITION_CREATE	_IOWR('B', 0x45, struct gpubp_condition)
#define GPUBP_CONDITION_DESTROY	_IOW('B', 0x46, struct gpubp_condition)
#define GPUBP_SET_CREATE	_IOWR('B', 0x48, struct gpubp_set)
#define GPUBP_SET_DESTROY	_IOW('B', 0x49, struct gpubp_set)
#define GPUBP_SET_UPDATE	_IOWR('B', 0x4a, struct gpubp_set_update)
#define GPUBP_SET_READ		_IOWR('B', 0x4b, struct gpubp_set_read)
#define GPUBP_ATTACH		_IOWR('B', 0x50, struct gpubp_attach)
#define GPUBP_DETACH		_IOW('B', 0x51, struct gpubp_attach)
#define GPUBP_RIGHTS		_IOWR('B', 0x52, struct gpubp_attach)
#define GPUBP_CONTEXTS		_IOWR('B', 0x58, struct gpubp_contexts)
#define GPUBP_WAVES		_IOWR('B', 0x59, struct gpubp_wave_list)
#define GPUBP_HALT		_IOWR('B', 0x5a, struct gpubp_run)
#define GPUBP_RESUME		_IOWR('B', 0x5b, struct gpubp_run)
#define GPUBP_STEP		_IOWR('B', 0x5c, struct gpubp_run)
#define GPUBP_READ_REGS		_IOWR('B', 0x5d, struct gpubp_regs)
#define GPUBP_WRITE_REGS	_IOWR('B', 0x5e, struct gpubp_regs)
#define GPUBP_READ_MEM		_IOWR('B', 0x5f, struct gpubp_mem)
#define GPUBP_DUMP_WAVE		_IOWR('B', 0x60, struct gpubp_wave_dump)
#define GPUBP_DISPLACED_START	_IOWR('B', 0x61, struct gpubp_displaced)
#define GPUBP_DISPLACED_COMPLETE _IOWR('B', 0x62, struct gpubp_displaced)
#define GPUBP_DISPLACED_INFO	_IOWR('B', 0x63, struct gpubp_displaced)
#define GPUBP_CATCH		_IOWR('B', 0x64, struct gpubp_catch)
#define GPUBP_UNCATCH		_IOWR('B', 0x65, struct gpubp_catch)
#define GPUBP_WRITE_MEM		_IOWR('B', 0x66, struct gpubp_mem)

#endif /* _UAPI_LINUX_GPUBP_H */
