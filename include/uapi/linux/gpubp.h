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
 * @GPUBP_KIND_WATCH: accesses to [config1, config1 + config2)
 * @GPUBP_KIND_BREAK: execution of the instruction at config1; with named,
 *	config1 is an offset into the code object whose name hash is code.
 *	access, changed and config2 are 0. The instruction is replaced in memory
 *	by one that traps, and executed elsewhere: see
 *	Documentation/gpubp/breaks.rst
 * @GPUBP_KIND_TRAP: execution of s_trap with the id in code, 1 to 255, by the
 *	program itself; access, changed, named, config1 and config2 are 0
 * @GPUBP_KIND_WATCH_SET: accesses to the members of the watch set whose id is
 *	in code (GPUBP_SET_CREATE); each member has its own kinds of access, so
 *	that access, changed, named, config1 and config2 are 0
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
 * @exceptions: of a sample of GPUBP_KIND_EXCEPTION its classes, else 0
 * @kind: enum gpubp_kind of what the sample is of
 * @trap_id: id of the program's own s_trap that stopped the wave, 0 none
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
 * /dev/gpubp: one open file is a session. Every struct below is given whole;
 * members said to be reserved, and undefined flags, must be 0: -EINVAL.
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
 * @config: as perf_event_attr.config; kind, process and device cannot change
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
 *	can cover it; no instruction of published code begins there, or it may
 *	not be replaced
 * @reserved: 0
 *
 * Returns when every change made before the call (PERF_EVENT_IOC_ENABLE and
 * GPUBP_MODIFY included) has been committed on every device. A disabled event
 * wants no watch.
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
	__u32 reserved;
};

/**
 * struct gpubp_event_stats - GPUBP_STATS: figures of an event, children added
 * @id: of the event
 * @resident_ns: (out) time that the contexts of its watches were resident while
 *	the event was enabled, each counted
 * @armed_ns: (out) of it, the time that its watches were armed; of the members of
 *	a watch set the mean in each context
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
 * @reserved: 0
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
	__u64 reserved[4];
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

/* members in one GPUBP_SET_UPDATE, and in one set, at most */
#define GPUBP_SET_MAX	1048576

/**
 * struct gpubp_set_update - GPUBP_SET_UPDATE: load, change and remove members
 * @set: id of the set
 * @nr: entries at @watches, at most GPUBP_SET_MAX
 * @watches: user address of struct gpubp_set_watch[]. An entry with id 0 is
 *	added, and its id written back; one with the id of a member changes
 *	it in place, its count stays; with len 0 it removes it.
 * @bad: (out) the first entry that was refused
 * @flags: 0
 *
 * All entries or none. Errors: -ENOENT (set, or a member), -EINVAL (an entry,
 * or a member named twice), -ENOSPC (GPUBP_SET_MAX), -ENOMEM, -EFAULT.
 */
struct gpubp_set_update {
	__u32 set;
	__u32 nr;
	__u64 watches;
	__u32 bad;
	__u32 flags;
};

/**
 * struct gpubp_set_read - GPUBP_SET_READ: members and their counts
 * @set: id of the set
 * @nr: entries that fit at @watches; (out) entries written
 * @watches: user address of struct gpubp_set_watch[]
 * @after: members with a larger id only, in order of their ids: 0 for the
 *	first call, then the last id that was returned
 *
 * Errors: -ENOENT, -EFAULT.
 */
struct gpubp_set_read {
	__u32 set;
	__u32 nr;
	__u64 watches;
	__u64 after;
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
 * @fd: perf fd of an event of PMU gpubp on a task, opened by this process
 *	(ATTACH only)
 * @rights: (out) GPUBP_RIGHT_*: with attr.sigtrap all, if perf asked whether
 *	the opener may trace the target, or it is the opener's own process;
 *	without, GPUBP_RIGHT_READ of its own process; otherwise 0
 * @id: (out of ATTACH, in for the others) id of the event
 * @flags: 0
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
	__s32 fd;
	__u32 rights;
	__u64 id;
	__u32 flags;
	__u32 pid;
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

#endif /* _UAPI_LINUX_GPUBP_H */
