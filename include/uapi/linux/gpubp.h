/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gpubp: GPU watch registers and trap slots as perf events.
 *
 * This header is the ABI between the PMU "gpubp" and tools that call
 * perf_event_open(2) themselves: the meaning of perf_event_attr.config,
 * config1 and config2, the raw record that each sample carries, and the
 * ioctls of /dev/gpubp for what perf_event_open(2) has no place for.
 * Tools that use stock perf never need it; the same fields stand in
 * /sys/bus/event_source/devices/gpubp/format.
 */
#ifndef _UAPI_LINUX_GPUBP_H
#define _UAPI_LINUX_GPUBP_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * enum gpubp_kind - what an event asks for, attr.config bits 0-7
 * @GPUBP_KIND_EXCEPTION: exceptions of the target, by class bitmap in code
 *	(GPUBP_EXC_*, 0: all); access, changed, named, config1 and config2 are 0.
 *	See Documentation/gpubp/use/exceptions.rst
 * @GPUBP_KIND_WATCH: accesses to [config1, config1 + config2)
 * @GPUBP_KIND_BREAK: execution of the instruction at config1; with named,
 *	config1 is an offset into the code object whose name hash is code.
 *	access, changed and config2 are 0. The instruction is replaced in memory
 *	by one that traps, and executed elsewhere: see
 *	Documentation/gpubp/use/breaks.rst
 * @GPUBP_KIND_TRAP: execution of s_trap with the id in code, 1 to 255, by the
 *	program itself; access, changed, named, config1 and config2 are 0
 * @GPUBP_KIND_WATCH_SET: accesses to the members of the watch set whose id is
 *	in code (GPUBP_SET_CREATE); each member has its own kinds of access, so
 *	that access, changed, named, config1 and config2 are 0
 *
 * With GPUBP_CONFIG_POSSIBLE an event of watches has only those of its hits that are
 * flagged GPUBP_HIT_POSSIBLE: beside one without, in a group, it says how many of that
 * one's may be of other bytes. With GPUBP_CONFIG_LOST a counting event counts, instead
 * of hits, what may be missing in an equal event without: lost and stall_throttled of
 * struct gpubp_event_stats. -EINVAL: both, one of them with meter or precise_ip, lost
 * with changed or a period.
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
#define GPUBP_CONFIG_POSSIBLE	0x0000000000020000ULL	/* possible hits alone */
#define GPUBP_CONFIG_CHANGED	0x0000000000040000ULL	/* only if the bytes changed */
#define GPUBP_CONFIG_NAMED	0x0000000000080000ULL	/* addr is relative to a name */
#define GPUBP_CONFIG_METER	0x0000000000100000ULL	/* counted by the trap handler */
#define GPUBP_CONFIG_LOST	0x0000000000200000ULL	/* hits that may be missing */
#define GPUBP_CONFIG_DEVICE	0x00000000ff000000ULL	/* 0 any, else device + 1 */
#define GPUBP_CONFIG_CODE	0xffffffff00000000ULL	/* name hash, trap id, ... */

/*
 * Numbers of devices: a byte wherever one stands (attr.config, records, structs of
 * /dev/gpubp, caps/). A byte is what attr.config has room for, and config3, the next
 * word, makes perf 6.1 warn at every event; 255 devices at a time are several times
 * what the largest machines have, partitions counted. A new device gets the next
 * number that is free, so that one is used again when 254 others have been. An event
 * belongs to the device that had the number when it was opened, never to a later one.
 */
#define GPUBP_DEVICE_MAX		254

#define GPUBP_CONFIG_ACCESS_SHIFT	8
#define GPUBP_CONFIG_DEVICE_SHIFT	24
#define GPUBP_CONFIG_CODE_SHIFT		32

/* kinds of access, for GPUBP_CONFIG_ACCESS; 0 means store and atomic */
#define GPUBP_ACCESS_LOAD	1
#define GPUBP_ACCESS_STORE	2
#define GPUBP_ACCESS_ATOMIC	4

/*
 * Classes of exceptions: GPUBP_CONFIG_CODE of an event of GPUBP_KIND_EXCEPTION,
 * 0 means all that the device can tell; struct gpubp_hit_record.exceptions. Those
 * of floating point are IEEE 754's, and a denormal operand.
 */
#define GPUBP_EXC_MEM_VIOL	0x0001	/* access to memory that is not there */
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
 * struct gpubp_hit_record - PERF_SAMPLE_RAW payload, and the first fields of
 *	the tracepoint gpubp:gpubp_hit
 * @common: the tracepoint header that tracefs calls common_*
 * @addr: GPU virtual address of the first matching lane (start of the watched
 *	bytes where @addr_state is not GPUBP_ADDR_EXACT)
 * @pc: GPU virtual address of the instruction (see GPUBP_HIT_PC_EXACT)
 * @lanes: lanes whose access meets the watch; if not exact those that may:
 *	active lanes, or all lanes without precise memory
 * @exec: active lanes of the wave
 * @old_value: first (up to 8) watched bytes before the access, zero-extended
 * @new_value: the same bytes when the hit was resolved
 * @gpu_time: time of the hit on the GPU's clock, in ns
 * @watch: id of the watch, unique since the module was loaded; for an event of
 *	kind GPUBP_KIND_WATCH_SET that of the member (struct gpubp_set_watch)
 * @wave: id of the wave, opaque
 * @context: id of the GPU context, unique since the module was loaded
 * @queue: id of the queue in its context
 * @dispatch: number of the dispatch in its queue, modulo a power of two: the low
 *	bits that the device tells, at most 32; see the page of its provider
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
 * @exceptions: of a sample of GPUBP_KIND_EXCEPTION all GPUBP_EXC_* that stopped
 *	the wave, else 0
 * @kind: enum gpubp_kind of what the sample is of
 * @trap_id: id of the program's own s_trap that stopped the wave, 0 none
 *
 * Members are only ever added, at the end, and the size of the raw data says which
 * there are: a reader takes the smaller of that size and its own.
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

/*
 * /dev/gpubp: one open file is a session.
 *
 * Commands grow with their structs. A command is its type and its number; the size
 * in an ioctl's code says how much of the struct the caller has:
 *
 *	- A struct may end anywhere behind its member @flags, which follows all that
 *	  the first version reads: -EINVAL if it is shorter. What the kernel knows
 *	  behind its end is read as 0, and results there are not written.
 *	- A struct may be longer than the kernel knows if the rest is 0, room for
 *	  results included, and stays so: -E2BIG otherwise, with nothing done.
 *	- Nothing outside [argument, argument + size) is read or written. Results are
 *	  written if the direction has _IOC_READ, also where a command fails; -ENOTTY
 *	  without _IOC_WRITE.
 *	- Undefined flags and reserved members must be 0: -EINVAL, with nothing done.
 *	- Members are only ever added, at the end; a new meaning is a flag.
 *
 * Where a struct points to an array of structs, @entry_len is the caller's size of
 * an entry: at least that of the first version, -EINVAL, and at most
 * GPUBP_ENTRY_LEN_MAX, -E2BIG. Entries that are read follow the rules above; of
 * those that are written, what the kernel does not know is set to 0.
 *
 * Events are named by their perf id (PERF_EVENT_IOC_ID). A session may name
 * those that its own process opened; any other id is -ENOENT, whether it exists
 * or not. What is said of an event holds for its inherited children, too.
 *
 * A session serves the process that opened it: in any other, which inherited
 * the file or was sent it, every ioctl is -EPERM.
 */

/**
 * struct gpubp_modify - GPUBP_MODIFY: change what an event watches, in place
 * @id: of the event
 * @config: as perf_event_attr.config; kind, process, possible, lost and device cannot
 *	change
 * @config1: as perf_event_attr.config1
 * @config2: as perf_event_attr.config2
 * @flags: 0
 * @reserved: 0
 *
 * Counts, the enabled state and a pinned event's reservation stay; asking for
 * what the event has already changes nothing. What is wanted changes at once,
 * the hardware with the next commit (GPUBP_SYNC). An event of a watch set can
 * be given another set.
 *
 * A reservation is shared by the copies that a process opens of a pinned event
 * for each CPU. It goes along with the first copy that is modified; the others
 * are flexible until they follow.
 *
 * Errors: -ENOENT; -EINVAL, -EOPNOTSUPP, -ENODEV, -EACCES, -ENOMEM as
 * perf_event_open(2) for such an attr; -EINVAL if kind, process or device
 * differ; -ENOSPC if a pinned event needs more comparators than are left.
 * Nothing has changed then.
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
 * struct gpubp_sync - GPUBP_SYNC: wait until what an event asks for is armed
 * @id: of the event
 * @timeout_ms: longest wait; 0 does not wait, but tells whether it would have to
 * @flags: 0
 * @nr_watches: (out) watches that the event and its children want now; of a break
 *	or a trap, one in each context where it is wanted
 * @nr_armed: (out) of them, live in hardware at the moment
 * @nr_rotating: (out) of them, not armed at the moment because others have
 *	their turn
 * @nr_pending: (out) of them, not armed because waves of the context run
 *	without traps, having been launched before its first watch
 * @nr_unserved: (out) of them, not to be armed: no memory, or no comparator
 *	can cover it; with -ETIMEDOUT and -EINTR also members of a set to which the
 *	call did not come; no instruction of published code begins there, or it may
 *	not be replaced
 * @nr_lost: (out) hits that were dropped, and may have been the event's: lost of
 *	GPUBP_STATS, at most 2^32 - 1
 *
 * Returns when every change made before the call (PERF_EVENT_IOC_ENABLE and
 * GPUBP_MODIFY included) has been committed on every device; of watch sets the
 * event's own: those of other events may take longer. A disabled event wants no
 * watch. Counts then have all hits that were over before the call, those
 * that the trap handler counted (GPUBP_CONFIG_METER) and samples that waited for
 * their owner included; with a timeout of 0 perhaps not. A sample needs its owner
 * to run: while that is stopped, -ETIMEDOUT.
 *
 * Errors: -ENOENT, -ETIMEDOUT and -EINTR (the counts are valid).
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
 * struct gpubp_event_stats - GPUBP_STATS: figures of an event, children added
 * @id: of the event
 * @flags: 0
 * @reserved: 0
 * @resident_ns: (out) time that the contexts of its watches were resident while
 *	the event was enabled, each counted
 * @armed_ns: (out) of it, the time that its watches were armed, or throttled (see
 *	@stall_throttled); of the members of a watch set the mean in each context
 * @matched: (out) hits matched
 * @possible: (out) of them, whose address was not exact
 * @throttled: (out) of them, cut by the rate limit
 * @strays: (out) hits of comparators that served its watches, at bytes that no
 *	watch covers; each counts for all events so served, but where more than a
 *	thousand watches are armed, not for all of them
 * @wanted_quanta: (out) quanta of the scheduler in which its watches were
 *	wanted, those of each watch counted; up to the one that runs, which
 *	is not
 * @armed_quanta: (out) of them, those in which the watches were armed
 * @longest_gap: (out) the most quanta in a row that one of its watches was
 *	wanted and not armed; of members of watch sets, until it was armed
 * @longest_gap_ns: (out) the longest time, likewise
 * @stall_throttled: (out) times that one of its watches was left alone for a
 *	while, as hits of it kept too many waves standing still
 * @metered: (out) of @matched, hits that the trap handler counted and no wave
 *	was stopped for (GPUBP_CONFIG_METER)
 * @lost: (out) hits of the contexts of its watches that were dropped, whosever
 *	they were: no cell was free, they were resolved too late, the GPU told too
 *	little of them, or their owner did not come for them. No more than these
 *	are missing in the count, but for @throttled and @stall_throttled
 * @stopped_ns: (out) time in @resident_ns that waves were stopped for hits and
 *	breaks, whosever these were; that of each wave counted
 * @stopped_armed_ns: (out) likewise in @armed_ns
 *
 * A stopped wave does not run its program, and trap handlers take time that is in
 * neither. The larger @stopped_armed_ns is beside @armed_ns, the slower the program
 * was while it was watched, and the less @matched * @resident_ns / @armed_ns says.
 *
 * A quantum begins whenever the scheduler chooses who is armed: while more is
 * wanted than there are comparators, again and again; else when something else
 * is wanted. A context need not be resident, or able to be watched, for one to
 * pass.
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
};

/**
 * struct gpubp_set - GPUBP_SET_CREATE, GPUBP_SET_DESTROY: a watch set
 * @id: (out of CREATE) its id, for attr.config's code; not 0, unique while
 *	the set exists
 * @flags: 0
 *
 * Events of the user who created the set may use it, and those of holders of
 * CAP_PERFMON. It lives until it is destroyed or its session is closed; events
 * that use it then go on with the members they have.
 *
 * A hit that meets several members is one count of an event and one sample,
 * which names the first of them by address; each of them counts it. A member
 * counts a hit that at least one event of the set gets. perf_event_open(2) for
 * a set that does not exist is -EINVAL, for another user's -EACCES, for a
 * pinned event -EOPNOTSUPP.
 *
 * On 64-bit kernels a member takes about 60 bytes, and 320 for each context in
 * which an event wants the set, however many events do; its creator's memory
 * cgroup is charged.
 *
 * Errors: -ENOMEM; -ENOENT (not a set of this session).
 */
struct gpubp_set {
	__u32 id;
	__u32 flags;
};

/**
 * struct gpubp_set_watch - a member of a watch set
 * @id: as the kernel numbered it, unique since the module was loaded
 * @addr: first GPU virtual address
 * @len: bytes; 0 removes the member
 * @count: (out of GPUBP_SET_READ) hits that matched it since it was added; of a
 *	hit that meets more than a thousand watches, not all count it
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

/* entries of one GPUBP_SET_UPDATE, and members of one set, at most: -ENOSPC */
#define GPUBP_SET_MAX		1048576
#define GPUBP_ENTRY_LEN_MAX	256	/* bytes of an entry of an array */

/**
 * struct gpubp_set_update - GPUBP_SET_UPDATE: load, change and remove members
 * @set: id of the set
 * @nr: entries at @watches, at most GPUBP_SET_MAX
 * @watches: user address of struct gpubp_set_watch[]. An entry with id 0 is
 *	added, and its id written back; one with the id of a member changes
 *	it in place, its count stays; with len 0 it removes it.
 * @entry_len: bytes of an entry
 * @flags: 0
 * @bad: (out) the first entry that was refused
 * @reserved: 0
 *
 * All entries or none. Errors: -ENOENT (set, or a member), -EINVAL (an entry,
 * or a member named twice), -E2BIG (an entry's unknown rest is not 0), -ENOSPC
 * (GPUBP_SET_MAX), -ENOMEM, -EFAULT, -EINTR (a fatal signal).
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
 * @nr: entries that fit at @watches, any number; (out) entries written
 * @watches: user address of struct gpubp_set_watch[]
 * @after: members with a larger id only, in order of their ids: 0 for the
 *	first call, then the last id that was returned
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

/* what an attached event allows a session to do to its target */
#define GPUBP_RIGHT_READ	0x1	/* memory and registers */
#define GPUBP_RIGHT_WRITE	0x2	/* memory and registers */
#define GPUBP_RIGHT_STOP	0x4	/* halt, resume and step waves */
#define GPUBP_RIGHT_SIGNAL	0x8	/* raise exceptions and signals */

/* attachments of one session at most */
#define GPUBP_ATTACH_MAX	4096

/**
 * struct gpubp_attach - GPUBP_ATTACH, GPUBP_DETACH, GPUBP_RIGHTS
 * @id: (out of ATTACH, in for the others) id of the event
 * @fd: perf fd of an event of PMU gpubp on a task, opened by this process
 *	(ATTACH only)
 * @flags: 0
 * @rights: (out) GPUBP_RIGHT_*: with attr.sigtrap all, if perf asked whether
 *	the opener may trace the target, or it is the opener's own process;
 *	without, GPUBP_RIGHT_READ of its own process; otherwise 0
 * @pid: (out) thread group of the target, in the caller's pid namespace
 *
 * The rights come from perf core's check when the event was opened. It makes
 * none for an opener with CAP_PERFMON (or CAP_SYS_ADMIN) and CAP_KILL over the
 * target: drop CAP_KILL from the effective set while opening the event. With
 * CAP_PERFMON, there are none in a target in a user namespace.
 *
 * They end with the event: once its target executes a program that took its
 * events away, or its thread exits, or the event's last fd is closed,
 * GPUBP_RIGHTS is -ESRCH for good. The session holds no reference to it.
 *
 * Errors: -EBADF; -EINVAL (not an event of ours, not on a task, or with
 * attr.inherit); -EPERM (opened by another process); -ESRCH; -EEXIST
 * (attached); -ENOENT (not attached); -ENOSPC (GPUBP_ATTACH_MAX, those that
 * have ended and were not detached included); -ENOMEM.
 */
struct gpubp_attach {
	__u64 id;
	__s32 fd;
	__u32 flags;
	__u32 rights;
	__u32 pid;
};

/*
 * Run control: the waves of a target's contexts.
 *
 * Each call names an attachment (@event, the id from GPUBP_ATTACH), which has to
 * stand and to have the right that is said, and a context of its target. What
 * all of them can fail with:
 *
 *	-EINVAL		flags, reserved members, counts; no such register
 *	-ENOENT		not attached
 *	-ESRCH		the event stands no more; there is no such context of the
 *			target (any more); there is no such wave (any more), or it
 *			ended while this was done
 *	-EPERM		the attachment lacks the right
 *	-EOPNOTSUPP	the device cannot do this; waves of this context must not be
 *			halted (GPUBP_CONTEXT_FENCED)
 *	-EAGAIN		the device is suspended
 *	-EBADFD		the wave is not in the state for this: it runs, or this
 *			session does not hold it
 *	-EBUSY		another session holds the wave, too; or it is being saved
 *	-EINTR		a signal came first: a fatal one, but where the first step in
 *			a context waits for its waves
 *	-EDQUOT		(GPUBP_HALT) sessions of this user hold as many waves as
 *			they may (module parameter max_holds_per_user)
 *	-ENOMEM, -EFAULT
 *
 * A wave that was halted is *held* by the session, by that attachment. It goes
 * on when nobody holds it. A session lets go of it by GPUBP_RESUME and when it
 * is closed; it is made to, within a second, when its attachment ends (also by
 * GPUBP_DETACH), when the process that opened it exits, and when the time limit
 * given with GPUBP_HALT is over. Wave ids are opaque, and never used again.
 *
 * Calls of one session's run control come one after another. They never stop,
 * signal or trace a thread of the target.
 */

/* waves named in one call, ranges of registers, and their values, at most */
#define GPUBP_WAVES_MAX		4096
#define GPUBP_REG_RANGES_MAX	1024
#define GPUBP_REG_VALUES_MAX	65536
#define GPUBP_CONTEXTS_MAX	65536	/* contexts that one call writes */
#define GPUBP_MEM_MAX		1048576	/* bytes of memory in one call */
#define GPUBP_INSN_MAX		24	/* bytes of an instruction */

/**
 * enum gpubp_scope - what stops, and goes on, with a wave
 * @GPUBP_SCOPE_NONE: nothing can be stopped
 * @GPUBP_SCOPE_WAVE: that wave
 * @GPUBP_SCOPE_UNIT: all waves of its compute unit, whatever the vendor calls it
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
 * @nr: entries that fit there, any number; (out) how many contexts there are, of
 *	which as many as fit were written, and GPUBP_CONTEXTS_MAX at most
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
#define GPUBP_WAVE_STOPPED	0x1	/* it executes nothing at the moment */
#define GPUBP_WAVE_HELD		0x2	/* some session holds it */
#define GPUBP_WAVE_MINE		0x4	/* this session does */
#define GPUBP_WAVE_DISPLACED	0x8	/* a displaced step is not complete */

/**
 * struct gpubp_wave_entry - a wave
 * @wave: its id
 * @pc: where it is; if it runs, was lately
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
 * @nr: entries that fit there, any number; (out) how many waves there are, of
 *	which as many as fit were written
 * @entry_len: bytes of an entry
 * @flags: 0
 *
 * Waves that run, stand still or are saved, each once.
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
 * @nr: how many, at most GPUBP_WAVES_MAX. 0: every wave of the context (HALT),
 *	every one that the session holds there (RESUME); not for STEP
 * @timeout_ms: (HALT) let go of them then; 0 never
 * @flags: 0
 * @scope: (out) enum gpubp_scope: what else was stopped or let go with them
 * @nr_done: (out) waves for which it was done
 *
 * HALT: on return they stand still, and none executes an instruction until it
 * goes on. If one of those named is gone, or any other error, none was halted.
 * Halting a wave that the session holds changes its time limit. With @nr 0, waves
 * that are launched after the call run.
 *
 * RESUME: a wave that is gone does not keep the others: -ESRCH is told when they
 * were let go. -EINPROGRESS: a displaced step of one is not complete, nothing was
 * done.
 *
 * STEP: each executes one instruction, one after another, and stands still
 * again; if a trap came first and nothing was executed, it is stepped again, four
 * times at most (-EAGAIN). Where there is a break, it is counted and the
 * instruction in its place is executed. Ends with the first that cannot; a wave
 * that ends in it is -ESRCH, and held no more.
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
};

/**
 * enum gpubp_reg_file - register files
 * @GPUBP_REGS_SCALAR: a value a wave, numbered as the ISA encodes its scalar
 *	operands (gfx9: 0-101 s0-s101, 106 vcc, 108-123 ttmp0-15, 124 m0, 126 exec)
 * @GPUBP_REGS_VECTOR: a value a lane, register by register, lane by lane within
 *	a register (gfx90a: accumulation registers from 256 on, as far as the
 *	wave's VGPRs go)
 * @GPUBP_REGS_CONTROL: a value a wave, as the ISA numbers its hardware registers
 *	(gfx9: MODE 1, STATUS 2, TRAPSTS 3, HW_ID 4, GPR_ALLOC 5, LDS_ALLOC 6,
 *	IB_STS 7, PC_LO 8, PC_HI 9)
 */
enum gpubp_reg_file {
	GPUBP_REGS_SCALAR	= 0,
	GPUBP_REGS_VECTOR	= 1,
	GPUBP_REGS_CONTROL	= 2,
};

/**
 * struct gpubp_reg_range - registers of one file
 * @file: enum gpubp_reg_file
 * @first: the first
 * @count: how many
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
 * @wave: its id; it stands still. To be written to, the session holds it
 * @ranges: user address of struct gpubp_reg_range[]
 * @values: user address of __u32[], one range after another
 * @context: id of the context
 * @nr_ranges: entries of @ranges, 1 to GPUBP_REG_RANGES_MAX
 * @nr_values: entries of @values, exactly what the ranges have together; at
 *	most GPUBP_REG_VALUES_MAX
 * @entry_len: bytes of an entry of @ranges
 * @flags: 0
 * @reserved: 0
 *
 * One consistent snapshot; all are written or none. The trap handler's registers
 * cannot be written (-EACCES); of control registers the bits are that the wave
 * could write itself, and the pc: others stay as they are. Both registers of the
 * pc are read and written in one call, or what they say may be where a kernel's
 * copy of the instruction is, and they cannot be written (-EINVAL).
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
 * struct gpubp_mem - GPUBP_READ_MEM: memory of a context
 * @event: attachment; GPUBP_RIGHT_READ
 * @addr: GPU virtual address
 * @buf: user address
 * @len: bytes, 1 to GPUBP_MEM_MAX; (out) bytes read, fewer at the end of a
 *	mapping
 * @context: id of the context
 * @flags: 0
 *
 * Where breaks are patched in, what stands there without them. Errors: -EFAULT (nothing
 * is mapped at @addr, a page did not come in a second, or @buf), -EAGAIN (breaks come and
 * go there all the time), -EINTR (a fatal signal).
 */
struct gpubp_mem {
	__u64 event;
	__u64 addr;
	__u64 buf;
	__u64 len;
	__u32 context;
	__u32 flags;
};

/**
 * enum gpubp_displaced_state - how far a displaced step is
 * @GPUBP_DISPLACED_PLACED: the instruction was not executed
 * @GPUBP_DISPLACED_DONE: it was
 */
enum gpubp_displaced_state {
	GPUBP_DISPLACED_PLACED	= 0,
	GPUBP_DISPLACED_DONE	= 1,
};

/**
 * struct gpubp_displaced - GPUBP_DISPLACED_START, GPUBP_DISPLACED_COMPLETE,
 *	GPUBP_DISPLACED_INFO
 * @event: attachment; GPUBP_RIGHT_STOP
 * @wave: its id; the session holds it
 * @id: (out of START, in for the others) of the displaced step
 * @insn: (START) user address of the instruction, for who wrote a breakpoint of
 *	its own in its place: GPUBP_RIGHT_WRITE, too. 0: what is in memory, as it
 *	is without events' breaks
 * @context: id of the context
 * @len: (in of START) bytes at @insn, at most GPUBP_INSN_MAX; (out) bytes of the
 *	instruction
 * @flags: 0
 * @state: (out, as all that follows) enum gpubp_displaced_state
 * @from: where the instruction is
 * @to: where it is executed; 0: it reads or writes the pc, and is done for the
 *	wave
 *
 * START puts the instruction at the wave's pc into a buffer and the wave to it;
 * GPUBP_STEP executes it; COMPLETE puts the wave behind the place where the
 * instruction is and gives the buffer back. Before the step it takes START back,
 * which can be tried again. Meanwhile other waves meet whatever stands in the place
 * of the instruction.
 *
 * Registers that are read and dumps show the pc that the wave has in the program.
 *
 * Errors, besides those of all calls:
 *
 *	-EILSEQ		(START) there is no instruction at the pc, or one that
 *			cannot be executed elsewhere
 *	-ENOBUFS	(START) no buffer: all sessions of a user have half of those
 *			for sessions at most, of a context
 *	-EALREADY	(START) one of this wave is not complete
 *	-ENOENT		there is none of this wave with this id
 *	-EINPROGRESS	(GPUBP_RESUME, GPUBP_WRITE_REGS of the pc, and GPUBP_STEP
 *			when the step was done) one is not complete
 *	-EFAULT		(START) the instruction cannot be read
 *	-EINVAL		(START) @len with @insn
 *	-EAGAIN		waves of this context cannot be made to stop behind an
 *			instruction now
 *
 * When the session lets go of the wave in another way, it is completed.
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
#define GPUBP_DUMP_WORDS	12	/* and altogether */
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
 * @GPUBP_PLACE_GFX9_PIPE: pipe of it
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
 * struct gpubp_wave_dump - GPUBP_DUMP_WAVE: where a wave is and how it is
 * @event: attachment; GPUBP_RIGHT_READ
 * @wave: its id; it stands still
 * @context: id of the context
 * @flags: 0
 * @pc: (out, as all that follows) of the next instruction
 * @exec: active lanes
 * @regs: control registers as the ISA numbers them, from 1 on (gfx9: MODE,
 *	STATUS, TRAPSTS, HW_ID, GPR_ALLOC, LDS_ALLOC, IB_STS)
 * @valid: GPUBP_DUMP_*
 * @queue: id of its queue in its context
 * @words_addr: address of @words
 * @words: code around @pc; what cannot be read is 0
 * @nr_words: entries of @words that could be read, from @words_addr on
 * @wave_flags: GPUBP_WAVE_*
 * @code_start: address of the code object that has @pc
 * @code_size: its bytes
 * @code_name: its name
 * @place: where it is in the device, numbers as the family of ISAs has them (gfx9:
 *	enum gpubp_place_gfx9); 0 where it has fewer
 * @nr_scalars: scalar registers that it has
 * @nr_vectors: vector registers that it has
 * @lds_base: first byte of LDS that it has
 * @lds_bytes: bytes of it
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

#endif /* _UAPI_LINUX_GPUBP_H */
