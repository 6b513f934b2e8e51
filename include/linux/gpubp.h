/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gpubp: the interface between the core and GPU drivers ("providers"), and
 * between the core and other kernel code that watches memory ("consumers").
 *
 * A provider includes this header and no other of gpubp. It registers a device
 * with its capabilities and ops, notifies the core when contexts, queues, code
 * objects and buffers are created and destroyed, and reports hits. The core
 * decides which comparator compares what, and calls the ops.
 *
 * A consumer includes this header, and <uapi/linux/gpubp.h> for the record of a
 * hit. It registers a watch and is called back at each hit.
 */
#ifndef _LINUX_GPUBP_H
#define _LINUX_GPUBP_H

#include <linux/bits.h>
#include <linux/gpubp_isa.h>
#include <linux/jump_label.h>
#include <linux/pid.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <uapi/linux/gpubp.h>

struct cred;
struct gpubp_hit_record;
struct module;
struct perf_event_attr;
struct task_struct;

/* objects of the core; providers only hold pointers */
struct gpubp_device;
struct gpubp_ctx;
struct gpubp_queue;
struct gpubp_ranges;

#define GPUBP_MAX_SLOTS		16
#define GPUBP_MAX_VMIDS		16

/**
 * enum gpubp_residency - how the core learns which contexts are resident
 * @GPUBP_RESIDENCY_REPORTED: the provider calls gpubp_ctx_resident() and
 *	gpubp_ctx_evicted()
 * @GPUBP_RESIDENCY_RESERVED: one VMID is reserved for watched contexts
 * @GPUBP_RESIDENCY_FIRMWARE: hidden by firmware; a context with queues is taken
 *	for resident
 */
enum gpubp_residency {
	GPUBP_RESIDENCY_REPORTED,
	GPUBP_RESIDENCY_RESERVED,
	GPUBP_RESIDENCY_FIRMWARE,
};

/**
 * enum gpubp_stops - which waves stop and continue together
 * @GPUBP_STOPS_NONE: of a device: nothing can be stopped on demand; of a hit: no
 *	wave stopped, and none waits until it is resolved
 * @GPUBP_STOPS_WAVE: each wave by itself (AMD)
 * @GPUBP_STOPS_UNIT: all waves of a compute unit or multiprocessor
 * @GPUBP_STOPS_QUEUE: all waves of a queue
 * @GPUBP_STOPS_CTX: all waves of a context (Intel's attention)
 */
enum gpubp_stops {
	GPUBP_STOPS_NONE,
	GPUBP_STOPS_WAVE,
	GPUBP_STOPS_UNIT,
	GPUBP_STOPS_QUEUE,
	GPUBP_STOPS_CTX,
};

/**
 * enum gpubp_trap_level - position of the core's handler in the trap chain
 * @GPUBP_TRAP_FIRST: entered by the hardware
 * @GPUBP_TRAP_SECOND: entered by the driver's first-level handler, which saves
 *	preempted waves; passes on to the process's own handler
 */
enum gpubp_trap_level {
	GPUBP_TRAP_FIRST,
	GPUBP_TRAP_SECOND,
};

/* paths that comparators see, gpubp_caps.paths */
#define GPUBP_PATH_VECTOR	BIT(0)	/* vector memory, flat included */
#define GPUBP_PATH_SCALAR	BIT(1)	/* scalar loads and stores */
#define GPUBP_PATH_LDS		BIT(2)
#define GPUBP_PATH_DMA		BIT(3)	/* copy engines */
#define GPUBP_PATH_CP		BIT(4)	/* command processor */

/* comparator modes, gpubp_caps.modes and struct gpubp_ctx_prog */
enum gpubp_mode {
	GPUBP_MODE_READ,	/* loads */
	GPUBP_MODE_NONREAD,	/* stores and atomics */
	GPUBP_MODE_ATOMIC,	/* atomics */
	GPUBP_MODE_ALL,
};

/* waves of a device; each needs a hit cell of about 2.5 KiB */
#define GPUBP_MAX_WAVES		65536

/**
 * struct gpubp_caps - what a device can do
 * @nr_slots: comparators, at most GPUBP_MAX_SLOTS; 0 is legal
 * @usable_slots: bitmap of comparators that the core may use now
 * @nr_waves: waves that may be stopped at a time, at most GPUBP_MAX_WAVES:
 *	each of their hits has a cell, so that none is dropped for lack of
 *	cells. 0 if unknown: there are GPUBP_NR_CELLS cells (2048), less those
 *	for waiting hits (1024) and for further matches of one hit (128)
 * @granule: smallest block a comparator can compare, bytes, power of two
 * @max_block: largest block, bytes, power of two
 * @va_bits: bits of a GPU virtual address that are compared
 * @modes: bitmap of enum gpubp_mode
 * @paths: bitmap of GPUBP_PATH_*
 * @residency: enum gpubp_residency
 * @cntl_banked: mask, mode and valid bit of a comparator are per VMID (the
 *	address is not)
 * @precise: a wave can be made to stop right behind the access that hit
 * @interrupts: hits are reported by interrupt; else the core polls
 * @dispatch_waits: gpubp_ctx_wait_armed() is called before each dispatch of a
 *	context, gpubp_ctx_dispatch_begins() after it, and gpubp_ctx_dispatch_ended()
 * @ternary: a mask may have holes: any bits from @granule up to @max_block may
 *	be excluded from the comparison {address & mask == value}, so that one
 *	comparator can cover a field of every second struct of an array.
 *	Otherwise a mask is a run of ones above a run of zeroes. Set it only for
 *	hardware that is known to compare so: other hardware misses hits. Needs
 *	@max_block above @granule.
 * @commit_preempts: a commit takes running queues off the GPU; the core
 *	commits less often
 * @saves_waves: waves can be preempted in mid-kernel and their state saved
 *	(AMD's CWSR), except waves stopped inside a trap handler
 * @atomics: scalar atomics of waves work in memory of ops->code_alloc, and
 *	ops->flush of data makes new limits visible to waves and counts visible
 *	to the CPU: the handler can count hits (gpubp_handler.nr_counters)
 * @records: waves may record hits in memory of ops->code_alloc and go on: the provider
 *	calls gpubp_ctx_work_done() and gpubp_recorded(), has @clock_ns, and
 *	gpubp_queue_desc.doorbell is what waves find out themselves (AMD:
 *	MSG_GET_DOORBELL), but for bits of gpubp_ctx_desc.doorbells. Needs an ISA whose
 *	handler has a ring; not used without @precise and @atomics
 * @unseen_ends: with @records: the provider does not know when work has ended, so that
 *	events have what waves recorded some milliseconds later. Hits of events that only
 *	count stop their waves, then, unless root wants it otherwise (the module parameter
 *	handler_records)
 * @ranges: hits are decided, and counted, before they are reported, by what is not the
 *	core's handler: gpubp_ctx_prog.ranges says what is watched, and the provider may
 *	call gpubp_report_counts(). With @precise, comparators may compare much more than
 *	is watched. Not for an ISA with a handler
 * @stray_ns: about how long a wave is in the handler, or with @ranges in what is in its
 *	place, for a hit that it finds to be a stray, ns; 0 if unknown, and taken for 2000
 * @exceptions: GPUBP_EXC_* that gpubp_ctx_prog.exceptions may contain: waves
 *	launched then stop for them, and the handler's record, or
 *	GPUBP_HITF_EXCEPTIONS, says which occurred
 * @stops: enum gpubp_stops, for ops->halt and for hits
 * @can_step: ops->step executes one instruction
 * @can_catch: each report of a stopped wave has gpubp_hit.listed, and ops->halt of
 *	that wave waits for no other wave, memory or commit: a session can keep it
 *	halted when its hit is done
 * @trap_level: enum gpubp_trap_level of the core's trap handler
 * @hit_fields: GPUBP_HITF_* that are valid in each reported hit. A device
 *	whose ISA has no trap handler must itself report at least GPUBP_HITF_PC
 *	and GPUBP_HITF_SLOTS for a comparator hit, and with @exceptions
 *	GPUBP_HITF_PC and GPUBP_HITF_EXCEPTIONS
 * @poll_us: without @interrupts: approximate time between two calls of
 *	ops->poll while waves may stop, in us; 0 lets the core choose
 */
struct gpubp_caps {
	u32 nr_slots;
	u32 usable_slots;
	u32 nr_waves;
	u32 granule;
	u64 max_block;
	u32 va_bits;
	u32 modes;
	u32 paths;
	enum gpubp_residency residency;
	bool cntl_banked;
	bool precise;
	bool interrupts;
	bool dispatch_waits;
	bool ternary;
	bool commit_preempts;
	bool saves_waves;
	bool atomics;
	bool records;
	bool unseen_ends;
	bool ranges;
	u32 stray_ns;
	u32 exceptions;
	enum gpubp_stops stops;
	bool can_step;
	bool can_catch;
	enum gpubp_trap_level trap_level;
	u32 hit_fields;
	u32 poll_us;
};

/**
 * struct gpubp_slot_prog - the device-wide part of a comparator
 * @value: compared address; 0 in an unused slot
 * @used: at least one context validates it
 */
struct gpubp_slot_prog {
	u64 value;
	bool used;
};

/**
 * struct gpubp_ctx_prog - the per-context part of the comparators
 * @ctx: the provider's pointer of the context, see gpubp_ctx_create()
 * @valid: bitmap of slots that compare this context's accesses
 * @mask: address bits compared, one word a slot
 * @mode: enum gpubp_mode, one a slot
 * @watch_traps: waves must enter the trap handler: for s_trap, and for
 *	comparator hits
 * @precise: make memory operations precise
 * @exceptions: GPUBP_EXC_* that enter the trap handler
 * @ranges: with caps.ranges, what is watched in the blocks of @valid; NULL: that is not
 *	known, and all hits are reported. It is there until the commit is over, and as
 *	long as gpubp_ranges_get() says
 */
struct gpubp_ctx_prog {
	void *ctx;
	u32 valid;
	u64 mask[GPUBP_MAX_SLOTS];
	u8 mode[GPUBP_MAX_SLOTS];
	bool watch_traps;
	bool precise;
	u32 exceptions;
	struct gpubp_ranges *ranges;
};

/**
 * struct gpubp_slot_ranges - what is watched in the block of a comparator
 * @nr: ranges; 0: that is not known, and all hits are reported
 * @counted: bitmap of ranges whose hits need only be counted
 * @range: the ranges; they may overlap
 */
struct gpubp_slot_ranges {
	u32 nr;
	u32 counted;
	const struct gpubp_handler_range *range;
};

/**
 * struct gpubp_slot_counts - hits of a comparator that were not reported one by one
 * @strays: that accessed no byte of a range, in a way for which it is watched
 * @hits: by range, that did, and of no other range of the comparator. Of a range that is
 *	not in gpubp_slot_ranges.counted these are hits that were lost: the event counts
 *	them, and they are lost samples
 */
struct gpubp_slot_counts {
	u32 strays;
	u32 hits[GPUBP_HANDLER_RANGES];
};

/**
 * struct gpubp_program - one commit: the state to program into the hardware
 * @seq: its number, higher than those of all earlier commits; see
 *	gpubp_ctx_settled()
 * @nr_slots: entries of @slot
 * @slot: device-wide part, entry n for comparator n
 * @changed_slots: slots whose value, or control word in any context, changed
 * @nr_ctxs: entries of @ctxs: every context whose part differs from the last
 *	program that was committed (all, after gpubp_device_reset())
 * @ctxs: per-context parts
 */
struct gpubp_program {
	u64 seq;
	u32 nr_slots;
	struct gpubp_slot_prog slot[GPUBP_MAX_SLOTS];
	u32 changed_slots;
	u32 nr_ctxs;
	struct gpubp_ctx_prog *ctxs;
};

/**
 * struct gpubp_commit_result - result of a commit
 * @slot_err: 0 or a negative errno for each slot; a slot that failed compares
 *	nothing and is quarantined
 * @drained: all hits of the old program have been reported. Otherwise hits of
 *	the old program may still be reported until @window_end
 * @window_end: ns of CLOCK_MONOTONIC. U64_MAX: it is not known until when, and waves may
 *	stay in the trap handler; another commit follows
 * @pending: bitmap, bit n for ctxs[n] (n < 64): waves launched before this
 *	commit run without the requested traps. The provider calls
 *	gpubp_ctx_settled() when they have ended, unless the core enables their
 *	traps before (ops->ctx_suspend)
 */
struct gpubp_commit_result {
	int slot_err[GPUBP_MAX_SLOTS];
	bool drained;
	u64 window_end;
	u64 pending;
};

/* which members of struct gpubp_hit are set */
#define GPUBP_HITF_VMID		BIT(0)
#define GPUBP_HITF_PASID	BIT(1)
#define GPUBP_HITF_DOORBELL	BIT(2)
#define GPUBP_HITF_POSITION	BIT(3)	/* se, sh, cu, simd, wave_slot */
#define GPUBP_HITF_CODE		BIT(4)
#define GPUBP_HITF_TIME		BIT(5)
#define GPUBP_HITF_CTX		BIT(6)
#define GPUBP_HITF_PC		BIT(7)
#define GPUBP_HITF_EXEC		BIT(8)
#define GPUBP_HITF_SLOTS	BIT(9)
#define GPUBP_HITF_ADDR		BIT(10)	/* addr, width, access */
#define GPUBP_HITF_EXCEPTIONS	BIT(11)
#define GPUBP_HITF_DISPATCH	BIT(12)
#define GPUBP_HITF_COORDS	BIT(13)	/* wg, wave_in_group */

/**
 * struct gpubp_hit - report of a wave that stopped
 * @valid: GPUBP_HITF_*
 * @vmid: address space, as resident now
 * @pasid: process address space id
 * @doorbell: doorbell of the queue
 * @se: shader engine
 * @sh: shader array
 * @cu: compute unit
 * @simd: SIMD of the compute unit
 * @wave_slot: wave slot of the SIMD
 * @code: code field of the interrupt
 * @wave: the provider's id of the wave, for read_wave, write_wave and hit_done;
 *	never reused while the wave is stopped. It may be an id of this stop and
 *	differ from the id in ops->list_waves
 * @listed: the wave's id in ops->list_waves; 0 unknown
 * @gpu_time: when the interrupt was raised, ns of CLOCK_MONOTONIC as the
 *	provider correlates it with its own clock
 * @stopped: which waves stopped together; always set
 * @ctx: the context itself, if the device reports no VMID. One of @ctx, @vmid
 *	and @doorbell must identify the context; a valid PASID is compared, too
 * @pc: pc at which the wave continues
 * @exec: active lanes; if not valid, all lanes are taken for active
 * @slots: comparators that matched since their bits were last cleared
 * @addr: first byte accessed, with GPUBP_EXC_MEM_VIOL the one that faulted
 * @width: bytes accessed at @addr
 * @access: GPUBP_ACCESS_* (include/uapi/linux/gpubp.h)
 * @exceptions: GPUBP_EXC_* since they were last cleared; in ops->hit_done those of
 *	the handler's record, if there was one
 * @dispatch: number of its dispatch; like @wg, of a device whose ISA has no trap handler:
 *	others have these in the handler's record
 * @wg: its workgroup
 * @wave_in_group: its number in the workgroup
 */
struct gpubp_hit {
	u32 valid;
	u32 vmid;
	u32 pasid;
	u32 doorbell;
	u8 se;
	u8 sh;
	u8 cu;
	u8 simd;
	u8 wave_slot;
	u32 code;
	u64 wave;
	u64 listed;
	u64 gpu_time;
	enum gpubp_stops stopped;
	struct gpubp_ctx *ctx;
	u64 pc;
	u64 exec;
	u32 slots;
	u64 addr;
	u16 width;
	u8 access;
	u32 exceptions;
	u32 dispatch;
	u32 wg[3];
	u32 wave_in_group;
};

/**
 * enum gpubp_verdict - result of gpubp_report()
 * @GPUBP_TAKEN: the wave stays stopped until ops->hit_done
 * @GPUBP_DROP: dropped and counted; the provider lets the wave continue
 */
enum gpubp_verdict {
	GPUBP_TAKEN,
	GPUBP_DROP,
};

/**
 * enum gpubp_space - address spaces of a context
 * @GPUBP_SPACE_GLOBAL: GPU virtual memory
 * @GPUBP_SPACE_LDS: LDS of the workgroup of a stopped wave
 * @GPUBP_SPACE_PRIVATE: private memory of one lane of a stopped wave
 * @GPUBP_SPACE_SCRATCH: scratch memory of a stopped wave, in its queue's layout
 */
enum gpubp_space {
	GPUBP_SPACE_GLOBAL,
	GPUBP_SPACE_LDS,
	GPUBP_SPACE_PRIVATE,
	GPUBP_SPACE_SCRATCH,
};

/**
 * struct gpubp_where - an address in an address space
 * @space: enum gpubp_space
 * @lane: lane, for GPUBP_SPACE_PRIVATE
 * @wave: a stopped wave, for all spaces but GPUBP_SPACE_GLOBAL
 * @va: address in that space
 */
struct gpubp_where {
	enum gpubp_space space;
	u32 lane;
	u64 wave;
	u64 va;
};

/*
 * gpubp_ops.mem_rw: without GPUBP_MEM_WAIT it does not wait for pages, as the
 * calling thread serves all contexts. A caller that works for one task may
 * wait.
 */
#define GPUBP_MEM_WRITE		BIT(0)
#define GPUBP_MEM_WAIT		BIT(1)

/* gpubp_mapping.flags */
#define GPUBP_MAP_READ		BIT(0)
#define GPUBP_MAP_WRITE		BIT(1)
#define GPUBP_MAP_EXEC		BIT(2)
#define GPUBP_MAP_DEVICE	BIT(3)	/* device memory */
#define GPUBP_MAP_USERPTR	BIT(4)	/* process pages, COW at fork() */
#define GPUBP_MAP_SHARED	BIT(5)	/* with another address space */
#define GPUBP_MAP_CPU		BIT(6)	/* the CPU can map it */

/**
 * struct gpubp_mapping - mapping at an address
 * @start: first address of the mapping
 * @size: bytes
 * @flags: GPUBP_MAP_*
 */
struct gpubp_mapping {
	u64 start;
	u64 size;
	u32 flags;
};

/* caches for ops->flush */
#define GPUBP_FLUSH_DATA	BIT(0)	/* write back data caches */
#define GPUBP_FLUSH_CODE	BIT(1)	/* invalidate instruction caches */

/**
 * struct gpubp_wave_info - a wave that exists
 * @wave: id of the wave, never reused on the device: debuggers see it
 * @stopped: a hit or a halt stops it, or its context is suspended
 * @doorbell: doorbell of its queue
 * @pc: its pc; a recent one if the wave runs
 */
struct gpubp_wave_info {
	u64 wave;
	bool stopped;
	u32 doorbell;
	u64 pc;
};

/**
 * struct gpubp_waves - waves for ops->halt, resume and step
 * @ctx: the provider's pointer of the context
 * @wave: ids of waves of that context, as in ops->list_waves. If gpubp_hit.wave
 *	is the id of a stop instead, that id is -ESRCH here: a wave would have
 *	two ids, and one of them could become invalid while a halt uses it
 * @nr: entries of @wave; 0 means all waves of the context
 *
 * If caps.stops is larger than a wave, a halt or a hit of one wave stops all
 * waves of that unit, queue or context, until all halts and hits of these are
 * over.
 */
struct gpubp_waves {
	void *ctx;
	const u64 *wave;
	unsigned int nr;
};

/**
 * struct gpubp_ops - callbacks of a provider
 *
 * @commit: make the hardware equal to @prog, in this order: invalidate slots
 *	whose value changes in all VMIDs, and other changed slots in the VMIDs
 *	where they changed; wait for their hits (or give a window); write
 *	addresses; validate. A context whose part and whose slot values do not
 *	change keeps comparing all the time. A program in which nothing changes
 *	only waits: for hits, and until waves have left the trap handler in which
 *	they were. One call per rotation, by the device's worker only, never
 *	concurrent. May sleep. Must not fail as a whole: a slot that cannot be
 *	programmed is left invalid and reported in @res->slot_err. Required if
 *	caps.nr_slots or caps.exceptions.
 * @acquire: take comparators from other users (another debugger), when the
 *	first watch of the device needs one. May sleep. Returns the bitmap of
 *	the comparators granted, which may be 0, or an errno, which is as 0. The
 *	provider reports the others with gpubp_slots_returned() once they are
 *	free. Optional: all are granted.
 * @release: give back the comparators among @slots that were granted, and
 *	return no others: the last watch was removed, and the hardware compares
 *	nothing. @acquire may follow. May sleep. Required with @acquire.
 * @trap_install: run the handler at GPU address @tba, with its memory at @tma,
 *	at caps.trap_level, for waves of @ctx launched from the next commit on.
 *	May sleep. -EIO, -EBUSY. Required if the ISA has a handler.
 * @trap_remove: undo @trap_install. May sleep. Required with @trap_install.
 * @code_alloc: allocate @size bytes of memory in @ctx, executable and readable
 *	by waves, writable by the trap handler and, where the device can tell
 *	the two apart, not by user code; page-aligned, zeroed, not mapped for
 *	the owner of the context. May sleep. -ENOMEM, -ESRCH (the context is
 *	being destroyed). Required if the ISA has a handler.
 * @code_free: undo @code_alloc. May sleep. Required with @code_alloc.
 * @code_map: the kernel's address of the byte at @va of memory of @code_alloc, whose
 *	neighbours up to the end of that memory follow: the core reads there what waves
 *	have stored, until it calls @code_free. NULL if it cannot be mapped. May sleep.
 *	Required with caps.records.
 * @ctx_suspend: take @nr contexts off the GPU. On return their waves are saved;
 *	none runs and none is launched until @ctx_resume. They are listed as
 *	stopped, and @read_wave and @write_wave work on them as on any stopped
 *	wave, under unchanged ids. A wave that was stopped before stays stopped
 *	afterwards; its hit is reported and done as usual, also during the
 *	suspension. Other ops, commits included, are called while this waits and
 *	until @ctx_resume; a commit also applies to waves that are restored.
 *	Waves that do not save themselves within @grace_ms may be given up as by
 *	a GPU reset. May sleep. -ETIMEDOUT or any other error: no context is
 *	suspended. Optional, and unused without @list_waves, @read_wave and
 *	@write_wave: running waves then keep the traps of their launch.
 * @ctx_resume: undo @ctx_suspend. May sleep. Called for each context that was
 *	suspended, even if a reset has destroyed its state. Required with
 *	@ctx_suspend.
 * @mem_rw: copy between @buf and memory of @ctx, as GPUBP_MEM_* in @how say.
 *	Returns the bytes copied, which may be fewer than @len at the end of a
 *	mapping, or an errno: -EFAULT (nothing is mapped at @where, or it is not
 *	writable with GPUBP_MEM_WRITE, or the process that owns its pages is
 *	gone), -ESRCH (no such stopped wave), -EOPNOTSUPP (an unreachable
 *	address space). Without GPUBP_MEM_WAIT also -EAGAIN, at once: its pages
 *	are not present, or the process is changing its address space. With
 *	GPUBP_MEM_WAIT, -EINTR if current is killed. May sleep. Required.
 * @mem_translate: describe the mapping at @where: what waves of @ctx outside
 *	the trap handler may do there. -EFAULT if nothing is mapped, so that any
 *	access is a memory violation; -ESRCH, -EOPNOTSUPP, or -EAGAIN: the
 *	process is changing it. May sleep, but waits for no process. Optional:
 *	nothing is known of mappings.
 * @flush: make writes by @mem_rw visible to waves of @ctx, or writes by waves
 *	visible to @mem_rw: @what is GPUBP_FLUSH_*. May sleep. -ETIMEDOUT after
 *	@timeout_ms. Optional: memory is coherent.
 * @list_waves: list the waves of @ctx that run, are stopped or are saved, each
 *	once. Returns the number of waves and fills at most @max entries of
 *	@out. While a context is suspended, waves may only disappear, by being
 *	killed. May sleep. -EAGAIN: they are in memory that cannot be accessed
 *	now. Optional: waves cannot be listed.
 * @read_wave: read registers of a wave that is stopped, on the GPU or saved,
 *	for @nr requests in @req, into @out as struct gpubp_reg_req says: one
 *	consistent snapshot. The id is that of gpubp_hit or of @list_waves. May
 *	sleep. -ESRCH if the wave ended or is not stopped, -EINVAL for a
 *	register that it does not have. Required if hits are resolved with an
 *	ISA.
 * @write_wave: likewise write registers from @in, of a wave that a hit or @halt
 *	stops or that is off the GPU; never of a wave that runs. All registers
 *	or none. The values are in effect when the wave continues, privileged
 *	control registers included. Bits that hardware derives or that describe
 *	the position of the wave do not change, nor does the bit that halts a
 *	wave (AMD: STATUS.HALT): only @resume and @hit_done let it continue. The
 *	pc, in the registers that the ISA names, is that of the instruction
 *	executed next, whatever a handler does to it in order to save the wave;
 *	a pending trap is taken at the pc that is written. Optional.
 * @halt: stop waves; on return they are stopped and execute no instruction
 *	until they are resumed, except by @step. Hits that stopped one of them
 *	before have been reported on return: the core resolves them, and then
 *	only a session moves the wave. With caps.can_catch the resolver calls it, too,
 *	for the wave of a hit that is not done. May sleep. -ESRCH (a wave ended; no
 *	other wave was stopped), -EBUSY (a wave is being saved, or the waves of its
 *	context record hits: the core ends that and tries again). Required
 *	unless caps.stops is GPUBP_STOPS_NONE. Halts nest with each other and
 *	with hits: a wave continues when all of them are over.
 * @resume: undo one @halt. May sleep. -ESRCH. Required with @halt.
 * @step: let each wave, which a hit or @halt stops, execute one instruction.
 *	On return the waves are stopped again by what stopped them before, or
 *	continue if that is over, and a hit in the instruction has been
 *	reported; the core never steps a wave whose hit is not resolved. A pending
 *	trap is taken in place of the instruction. A wave that waits for others
 *	in the instruction, at a barrier, stops there. -ESRCH (a wave ended, is
 *	not stopped, or ends in the step), -EBUSY (suspended, being stepped, or
 *	it takes very long), -EOPNOTSUPP (needs the ISA's trap handler, which
 *	is not installed). No wave is stepped unless all can be. May sleep.
 *	Required if caps.can_step.
 * @hit_done: a hit that was TAKEN has been resolved and delivered; the wave may
 *	continue now, unless a @halt still stops it, and not before. Whatever
 *	notifies a program of the end of its work (a signal, a fence, an
 *	interrupt) comes after @hit_done of all hits of that work, so that the
 *	events have them when the program reads its counts. Called by the
 *	device's resolver, also for hits of a context that is being destroyed or
 *	of a suspended device. Process context; must not sleep. Required if the
 *	device reports hits at all: caps.nr_slots, caps.exceptions, an ISA with
 *	a break word, or no interrupts.
 * @clock_ns: time at which the clock that waves of @dev read in the trap handler
 *	(AMD: s_memrealtime) was @clock, ns of CLOCK_MONOTONIC; of any value of @clock.
 *	Called by the device's resolver. May sleep. Required with caps.records.
 * @poll: look for stopped waves and report them. Called by the device's
 *	resolver about every caps.poll_us while events exist, for a while after
 *	each commit, and while waves step over breaks. May sleep. Required
 *	unless caps.interrupts.
 * @quiesce: stop reporting; on return no gpubp_report() runs or will run.
 *	Stopped waves continue. May sleep. Required.
 *
 * The pointers @dev and @ctx are the provider's own, as passed to
 * gpubp_device_register() and gpubp_ctx_create(). No op is called with a lock
 * of the core held that a function below takes, nor for a context after
 * gpubp_ctx_destroy() returned.
 */
struct gpubp_ops {
	void (*commit)(void *dev, const struct gpubp_program *prog,
		       struct gpubp_commit_result *res);
	int (*acquire)(void *dev, u32 slots);
	void (*release)(void *dev, u32 slots);
	int (*trap_install)(void *ctx, u64 tba, u64 tma);
	void (*trap_remove)(void *ctx);
	int (*code_alloc)(void *ctx, size_t size, u64 *va);
	void (*code_free)(void *ctx, u64 va);
	void *(*code_map)(void *ctx, u64 va);
	int (*ctx_suspend)(void *dev, void * const *ctxs, unsigned int nr,
			   unsigned int grace_ms);
	void (*ctx_resume)(void *dev, void * const *ctxs, unsigned int nr);
	ssize_t (*mem_rw)(void *ctx, const struct gpubp_where *where, void *buf,
			  size_t len, unsigned int how);
	int (*mem_translate)(void *ctx, const struct gpubp_where *where,
			     struct gpubp_mapping *out);
	int (*flush)(void *ctx, u32 what, unsigned int timeout_ms);
	int (*list_waves)(void *ctx, struct gpubp_wave_info *out,
			  unsigned int max);
	int (*read_wave)(void *dev, u64 wave, const struct gpubp_reg_req *req,
			 unsigned int nr, u32 *out);
	int (*write_wave)(void *dev, u64 wave, const struct gpubp_reg_req *req,
			  unsigned int nr, const u32 *in);
	int (*halt)(void *dev, const struct gpubp_waves *waves);
	int (*resume)(void *dev, const struct gpubp_waves *waves);
	int (*step)(void *dev, const struct gpubp_waves *waves);
	void (*hit_done)(void *dev, const struct gpubp_hit *hit);
	u64 (*clock_ns)(void *dev, u64 clock);
	void (*poll)(void *dev);
	void (*quiesce)(void *dev);
};

/**
 * struct gpubp_device_desc - description of a device
 * @name: for messages and caps, e.g. "gpubp_sim0"
 * @owner: THIS_MODULE
 * @isa: instruction set of its waves; NULL if unknown: then only the fields of
 *	caps.hit_fields are known of a hit, and code is neither patched nor
 *	stepped
 * @caps: capabilities, copied
 * @ops: operations, valid until unregistration
 */
struct gpubp_device_desc {
	const char *name;
	struct module *owner;
	const struct gpubp_isa *isa;
	struct gpubp_caps caps;
	const struct gpubp_ops *ops;
};

/*
 * Calls from provider to core. Unless stated otherwise: process context, may
 * sleep, and the provider makes no concurrent calls for the same object.
 *
 * *Any context* is a task, a softirq or a hard interrupt, not an NMI: these
 * functions take raw spinlocks with interrupts off.
 *
 * A function that waits for ops says so. It must not be called from an op, nor
 * with a lock held that an op takes.
 */

/**
 * gpubp_device_register() - register a GPU
 * @desc: description; missing ops are reported with a message
 * @priv: the provider's pointer, first argument of device ops
 *
 * Ops may be called, with @priv, before this function has returned.
 *
 * Return: the device; or ERR_PTR() of -EINVAL, -ENOMEM, -ENOSPC (there are 255
 * devices), -EINTR (killed while a worker was created).
 */
struct gpubp_device *gpubp_device_register(const struct gpubp_device_desc *desc,
					   void *priv);

/**
 * gpubp_device_unregister() - unregister a GPU
 * @dev: device; its contexts must have been destroyed
 *
 * Calls ops->quiesce. Events stay open and stop counting. Waits for running ops
 * of @dev, and for hits that are being resolved.
 */
void gpubp_device_unregister(struct gpubp_device *dev);

/**
 * gpubp_slots_lost() - another user took comparators at run time
 * @dev: device
 * @slots: bitmap
 *
 * The core no longer uses them. Pinned events without a comparator stop
 * counting, which shows in their times. Any context.
 */
void gpubp_slots_lost(struct gpubp_device *dev, u32 slots);

/**
 * gpubp_slots_returned() - the core may use comparators (again)
 * @dev: device
 * @slots: bitmap; quarantined slots are retried
 *
 * Any context.
 */
void gpubp_slots_returned(struct gpubp_device *dev, u32 slots);

/**
 * gpubp_device_suspend() - the device is about to lose power
 * @dev: device
 *
 * On return no op but hit_done and quiesce is called until
 * gpubp_device_resume(), unless the provider destroys a context or unregisters
 * the device. Hits reported until then are dropped. Events stay open and stop
 * counting. Waits for running ops of @dev, and for hits that are being
 * resolved; may sleep.
 */
void gpubp_device_suspend(struct gpubp_device *dev);

/**
 * gpubp_device_resume() - power is back, the hardware lost all its state
 * @dev: device
 *
 * May sleep.
 */
void gpubp_device_resume(struct gpubp_device *dev);

/** gpubp_device_number() - number of @dev among all devices, from 0 */
u8 gpubp_device_number(const struct gpubp_device *dev);

/**
 * gpubp_device_reset() - the GPU was reset
 * @dev: device
 *
 * Comparators are invalid, no wave runs, and waves of hits that were TAKEN are
 * gone (hit_done is still called for them). Any context.
 */
void gpubp_device_reset(struct gpubp_device *dev);

/**
 * struct gpubp_ctx_desc - a GPU address space
 * @pid: thread group that owns it; the core takes a reference
 * @pasid: process address space id as interrupts report it, 0 none
 * @doorbells: bits that the provider has added to the doorbells of all its queues,
 *	which waves do not know (gpubp_queue_desc.doorbell)
 * @fenced: other work waits for its waves (graphics, kernel queues): they must
 *	never be halted, so no watch or trap that halts them is armed
 * @max_stall_us: longest time that a hit may wait, with its wave stopped, until
 *	it is resolved; a hit that waited longer is dropped and counted, and the
 *	wave continues at once. The duration of the resolution itself depends on
 *	the provider's mem_rw and read_wave. 0 means ten seconds
 */
struct gpubp_ctx_desc {
	struct pid *pid;
	u32 pasid;
	u32 doorbells;
	bool fenced;
	u32 max_stall_us;
};

/**
 * gpubp_ctx_create() - create the context of a GPU address space
 * @dev: device
 * @priv: the provider's pointer, argument of context ops
 * @desc: description, copied
 *
 * Ops may be called for the context, with @priv, before this function has
 * returned. So an op must not rely on the returned pointer being stored: a
 * commit that is *pending* for @priv may have to wait for it before it calls
 * gpubp_ctx_settled().
 *
 * Return: the context, or ERR_PTR(-ENOMEM).
 */
struct gpubp_ctx *gpubp_ctx_create(struct gpubp_device *dev, void *priv,
				   const struct gpubp_ctx_desc *desc);

/**
 * gpubp_ctx_destroy() - destroy a context
 * @ctx: context; its queues must have been destroyed
 *
 * No op is called for this context after the return. Waits for running ops of
 * the context, and for hits of the device that are being resolved.
 */
void gpubp_ctx_destroy(struct gpubp_ctx *ctx);

/**
 * gpubp_uid_of() - user to charge for quotas
 * @cred: credentials of the task that uses a resource
 *
 * A user cannot evade quotas by ids of user namespaces that it created: these
 * are charged to the creator. Any context.
 *
 * Return: the user; for a task in user namespaces, the creator of the
 * outermost.
 */
kuid_t gpubp_uid_of(const struct cred *cred);

/** gpubp_ctx_id() - id of a context, > 0, reused only after all others were */
u32 gpubp_ctx_id(const struct gpubp_ctx *ctx);

/**
 * gpubp_ctx_resident() - a context got a VMID
 * @ctx: context
 * @vmid: its VMID, below GPUBP_MAX_VMIDS
 *
 * Call it before waves of @ctx run there. Any context. The provider itself
 * loads the control words that the last commit had for @ctx.
 */
void gpubp_ctx_resident(struct gpubp_ctx *ctx, u32 vmid);

/**
 * gpubp_ctx_evicted() - a context lost its VMID
 * @ctx: context, all hits of which have been reported
 *
 * Any context.
 */
void gpubp_ctx_evicted(struct gpubp_ctx *ctx);

/**
 * gpubp_ctx_settled() - the waves for which a commit was *pending* have ended,
 *	or their traps have been enabled
 * @ctx: context
 * @seq: gpubp_program.seq of the last commit that returned *pending* for @ctx.
 *	A newer commit that is pending for other waves is not affected
 *
 * Any context, also while that commit still runs.
 */
void gpubp_ctx_settled(struct gpubp_ctx *ctx, u64 seq);

/**
 * struct gpubp_queue_desc - a queue of a context
 * @creator: the thread that owns its hits; the core takes a reference. For
 *	io_uring workers (PF_IO_WORKER), which are short-lived and get no
 *	signals, pass the leader of their thread group
 * @id: the provider's number of the queue in its context, shown to users
 * @doorbell: doorbell as interrupts report it, unique on the device. If
 *	doorbells are per process, the provider adds bits that identify the
 *	process, here and in its hits
 * @held: nothing executes of it before gpubp_queue_wait_armed() returns
 */
struct gpubp_queue_desc {
	struct pid *creator;
	u32 id;
	u32 doorbell;
	bool held;
};

/**
 * gpubp_queue_create() - create a queue
 * @ctx: its context
 * @desc: description, copied
 *
 * Return: the queue; or ERR_PTR() of -ENOMEM, -EBUSY (the doorbell is in use).
 */
struct gpubp_queue *gpubp_queue_create(struct gpubp_ctx *ctx,
				       const struct gpubp_queue_desc *desc);

/**
 * gpubp_queue_wait_armed() - wait until the watches wanted of a new queue are armed
 * @queue: queue that was created with gpubp_queue_desc.held. It may be destroyed during
 *	the wait, or before; its context may not
 *
 * To be called once for each such queue, before user space may use it: where dispatches
 * cannot wait (caps.dispatch_waits), that of a program which was started to be watched is
 * so from its first dispatch on. Without it such a queue counts as one that executes before
 * its watches are armed, and as much of the time as that takes they are not running. As
 * gpubp_ctx_wait_armed() otherwise, but for at most the module parameter queue_wait_ms;
 * from then on the watches that are not armed yet are not running.
 *
 * Return: 0, -EINTR when a fatal signal came first, or -ETIMEDOUT.
 */
int gpubp_queue_wait_armed(struct gpubp_queue *queue);

/**
 * gpubp_queue_release() - let a queue execute whether its watches are armed or not
 * @queue: queue, as for gpubp_queue_wait_armed(), in place of which it is called
 *
 * Any context.
 */
void gpubp_queue_release(struct gpubp_queue *queue);

/**
 * gpubp_queue_destroy() - destroy a queue, no wave of which exists any more
 * @queue: queue
 *
 * With caps.records, waits for hits of the device that are being resolved.
 */
void gpubp_queue_destroy(struct gpubp_queue *queue);

/**
 * gpubp_buffer_name() - set, move or remove the name of a range
 * @ctx: context
 * @va: first address
 * @size: bytes; 0 removes the name
 * @name: at most GPUBP_NAME_MAX - 1 bytes, not empty
 *
 * What watches have read where the name was is forgotten: the memory may belong to
 * another buffer next. Takes the device's mutex, so not from ops->hit_done. May
 * sleep.
 *
 * Return: 0, -EINVAL, -ENOMEM, -ENOSPC (the context has 8192 names already).
 */
int gpubp_buffer_name(struct gpubp_ctx *ctx, u64 va, u64 size,
		      const char *name);

/**
 * gpubp_code_create() - announce a code object that was loaded
 * @ctx: context
 * @va: first address
 * @size: bytes
 * @label: its name, as for gpubp_buffer_name()
 *
 * May sleep. Waits for a gpubp_mem_unmap() of this range, or a debugger's write to it,
 * and so for ops, if one is running.
 *
 * Return: 0, -EINVAL, -EEXIST (there is a code object at @va already), -EINTR
 * (killed while memory there was being unmapped), -ENOMEM, -ENOSPC (as above).
 */
int gpubp_code_create(struct gpubp_ctx *ctx, u64 va, u64 size,
		      const char *label);

/**
 * gpubp_code_destroy() - remove a code object
 * @ctx: context
 * @va: first address of the code object, which no wave executes any more
 *
 * Takes the device's mutex, so not from ops->hit_done. May sleep. Does nothing
 * if there is no code object at @va.
 */
void gpubp_code_destroy(struct gpubp_ctx *ctx, u64 va);

/**
 * gpubp_mem_unmap() - unmap memory of a context that may contain code, or may be
 *	watched
 * @ctx: context
 * @va: first address
 * @size: bytes, not 0
 * @unmap: unmaps it, called with the @priv of gpubp_ctx_create(), @va and
 *	@size; returns 0 or an errno, also if the mapping has changed
 *
 * The memory may still be visible elsewhere, to CPUs or in a later mapping. So
 * the core removes all its patches before it calls @unmap and inserts no new
 * ones. Code objects in the range are destroyed, and what watches have read there
 * is forgotten: it is not the old value of memory that is mapped there later. Not
 * needed if the context is destroyed. Waits for some commits, for other unmappings of
 * @ctx and for a debugger's writes to its memory, so for ops; may sleep; killable.
 * @unmap is called as ops are, but with other unmappings of @ctx excluded: it must not
 * call this function or gpubp_code_create() for @ctx.
 *
 * Return: the result of @unmap; or, without calling it, -EINTR, or -EBUSY (a
 * patch cannot be removed now).
 */
int gpubp_mem_unmap(struct gpubp_ctx *ctx, u64 va, u64 size,
		    int (*unmap)(void *ctx, u64 va, u64 size));

/**
 * gpubp_ctx_work_done() - work of a context has ended
 * @ctx: context
 *
 * With caps.records, but not with caps.unseen_ends, called before the end of work is made
 * known to those who wait for it: events have the hits that its waves recorded when
 * they read their counts. Called by a task that waits, as this function does;
 * concurrent calls are allowed.
 *
 * Return: 0 or -ERESTARTSYS, after which it is to be called again.
 */
int gpubp_ctx_work_done(struct gpubp_ctx *ctx);

/**
 * gpubp_report() - report a wave that stopped
 * @dev: device
 * @hit: data of the interrupt; copied
 *
 * Any context. ops->hit_done may be called, on another CPU, before this
 * function has returned. A hit of a suspended device is dropped.
 *
 * Return: enum gpubp_verdict.
 */
enum gpubp_verdict gpubp_report(struct gpubp_device *dev,
				const struct gpubp_hit *hit);

/**
 * gpubp_report_lost() - hits of a context were lost before they could be reported
 * @ctx: context
 * @nr: how many
 *
 * They are raised and dropped, and lost samples of the context's events. Any context.
 */
void gpubp_report_lost(struct gpubp_ctx *ctx, u64 nr);

/**
 * gpubp_ranges_of() - what is watched in the block of a comparator
 * @ranges: of a program
 * @slot: comparator
 *
 * Any context. What is returned is there as long as @ranges.
 */
struct gpubp_slot_ranges gpubp_ranges_of(const struct gpubp_ranges *ranges,
					 unsigned int slot);

/** gpubp_ranges_get() - keep it when its commit is over; any context; @ranges may be NULL */
struct gpubp_ranges *gpubp_ranges_get(struct gpubp_ranges *ranges);

/** gpubp_ranges_put() - undo gpubp_ranges_get(); any context; @ranges may be NULL */
void gpubp_ranges_put(struct gpubp_ranges *ranges);

/**
 * gpubp_report_counts() - report hits that were decided before
 * @ctx: context
 * @ranges: of the program in which they hit
 * @slot: comparator
 * @counts: how many
 *
 * With caps.ranges. The events that were in the program count them, if they still exist.
 * Takes the device's mutex, so not from ops->hit_done.
 */
void gpubp_report_counts(struct gpubp_ctx *ctx, const struct gpubp_ranges *ranges,
			 unsigned int slot, const struct gpubp_slot_counts *counts);

/**
 * gpubp_recorded() - an interrupt has gpubp_handler.notify_code
 * @dev: device
 *
 * With caps.records: some wave has recorded a hit, and has gone on, after a while
 * without one. If it is lost, events have the hit up to a second later. Any context.
 */
void gpubp_recorded(struct gpubp_device *dev);

/**
 * gpubp_ctx_dispatch_begins() - waves of a dispatch may be launched from now on
 * @ctx: context; gpubp_ctx_wait_armed() has returned 0
 *
 * With caps.dispatch_waits, also while no event exists: a watch that is wanted after that,
 * and before the dispatch has ended, may miss hits of it, and has the time until it is armed
 * as not running. One call may stand for several dispatches, as long as one of them has
 * not ended. Any context.
 */
void gpubp_ctx_dispatch_begins(struct gpubp_ctx *ctx);

/**
 * gpubp_ctx_dispatch_ended() - no wave of such a dispatch exists any more
 * @ctx: context; before waiters see the end. Any context
 */
void gpubp_ctx_dispatch_ended(struct gpubp_ctx *ctx);

DECLARE_STATIC_KEY_FALSE(gpubp_active);
int __gpubp_ctx_wait_armed(struct gpubp_ctx *ctx);

/**
 * gpubp_ctx_wait_armed() - wait until the watches wanted in @ctx are armed
 * @ctx: context about to dispatch
 *
 * For providers with caps.dispatch_waits, before each dispatch. A static
 * branch: a nop while no event exists. May sleep: for a quantum and a commit
 * if something changed in @ctx; and, if waves of @ctx run without their traps,
 * until these are enabled, for at most the module parameter suspend_grace_ms.
 * It never waits for waves of other contexts. Then the bytes of up to 64
 * watches that were not mapped before are read by mem_rw. Call it without
 * locks that an op takes.
 *
 * Return: 0, or -EINTR when a fatal signal came first.
 */
static inline int gpubp_ctx_wait_armed(struct gpubp_ctx *ctx)
{
	if (static_branch_unlikely(&gpubp_active))
		return __gpubp_ctx_wait_armed(ctx);
	return 0;
}

/*
 * Consumers: the counterpart of register_user_hw_breakpoint() for GPUs.
 */

/* a registered watch */
struct gpubp_consumer;

/**
 * struct gpubp_watch_hit - argument of a callback
 * @record: the hit; .common is undefined
 * @pid: process id of the task that owns the hit, in the initial pid namespace;
 *	0 if the task is gone
 * @tid: likewise its thread id
 *
 * Valid during the call.
 */
struct gpubp_watch_hit {
	const struct gpubp_hit_record *record;
	pid_t pid;
	pid_t tid;
};

/**
 * typedef gpubp_watch_fn - callback for a hit of a watch
 * @consumer: the watch
 * @hit: the hit
 * @data: as registered
 *
 * Called with interrupts off, in a hard interrupt, except where the kernel
 * runs pending irq_works itself: on a CPU that is idle or goes offline, and
 * before a task migrates. No lock of the scheduler or of perf is held, so the
 * callback may print and wake up a task. @current is the owner of the hit,
 * unless the owner was leaving its CPU or the watch is for every process: use
 * @hit.
 *
 * Callbacks of one watch are serialised; they run on any CPU. A callback may
 * call gpubp_unregister_watch() for its own @consumer, and no other function
 * of this section. It delays the task and other hits of the watch: keep it
 * short.
 */
typedef void (*gpubp_watch_fn)(struct gpubp_consumer *consumer,
			       const struct gpubp_watch_hit *hit, void *data);

/**
 * gpubp_watch_attr_init() - initialise the attributes of a typical watch
 * @attr: (out) attributes
 * @addr: first GPU address
 * @len: bytes
 * @access: GPUBP_ACCESS_*, 0 as GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC
 *
 * The watch has comparators reserved (pinned) and is called back at each hit.
 * Without .pinned it rotates with other watches. .inherit also watches children
 * of the target. With .disabled it is off until gpubp_modify_watch(). For other
 * options in .config see <uapi/linux/gpubp.h>.
 */
void gpubp_watch_attr_init(struct perf_event_attr *attr, u64 addr, u64 len,
			   u32 access);

/**
 * gpubp_register_watch() - watch the GPU memory of a task
 * @target: task whose queues are watched, NULL every process
 * @attr: what to watch, from gpubp_watch_attr_init(); copied
 * @fn: called at every .sample_period-th hit
 * @data: for @fn
 *
 * May sleep; not from a callback. The caller has a reference to @target up to
 * the return; perf takes its own. The watch is armed by the next commit;
 * callbacks may run before this function returns. When @target exits, or
 * executes a program that is not dumpable, the watch silently ends but stays
 * registered. A watch of every process sees hits whose owner runs on a CPU that
 * was online at this call.
 *
 * Hits beyond the module parameter max_sample_rate are not called back. Nor are
 * hits that are pending when a task leaves its CPU if 64 hits of the watch wait
 * already. If the caller lacks CAP_PERFMON, records of a watch of every process
 * have no memory values.
 *
 * Return: the watch; or ERR_PTR() of -ENOENT (.type is not that of gpubp),
 * -EINVAL (no @fn, .freq, no .sample_period, .sigtrap, .inherit for every
 * process, or refused by the PMU), -EOPNOTSUPP, -ENOSPC (.pinned and no
 * comparator is left, or the caller lacks CAP_PERFMON and its user would have
 * more than one reserved), -ERANGE (.pinned and too long for what a watch may
 * reserve), -EACCES (without CAP_PERFMON: changed in .config for every process,
 * or the watch set of another user), -ESRCH (@target exits), -ENODEV (no such
 * device), -ENOMEM.
 */
struct gpubp_consumer *gpubp_register_watch(struct task_struct *target,
					    const struct perf_event_attr *attr,
					    gpubp_watch_fn fn, void *data);

/**
 * gpubp_modify_watch() - change what a watch watches, in place
 * @consumer: watch
 * @attr: as for gpubp_register_watch()
 *
 * A pinned watch keeps its reservation, also while it is .disabled. Equal
 * attributes change nothing. Only .config, .config1, .config2 and .disabled may
 * differ from the current ones; in .config, kind, process, possible, lost and
 * device may not.
 *
 * May sleep. The change is armed by the next commit; until then, hits of the
 * old range may still be called back.
 *
 * Return: 0; or, with nothing changed, -EINVAL (another field differs, or as
 * for gpubp_register_watch()), -EOPNOTSUPP (.disabled differs with .inherit,
 * or as for gpubp_register_watch()), -ENOSPC, -ERANGE, -EACCES, -ENODEV,
 * -ENOMEM.
 */
int gpubp_modify_watch(struct gpubp_consumer *consumer,
		       const struct perf_event_attr *attr);

/**
 * gpubp_unregister_watch() - unregister and free a watch
 * @consumer: watch
 *
 * May sleep, and waits for a running callback; on return no callback runs or
 * will run. Not from the callback of another watch.
 *
 * In the watch's own callback it does not sleep: no callback follows, and the
 * comparators are freed soon. If both a callback and other code may unregister
 * a watch, they must decide which of them does so, e.g. by xchg() of a
 * pointer. A module must then call gpubp_unregister_barrier() before it is
 * unloaded.
 */
void gpubp_unregister_watch(struct gpubp_consumer *consumer);

/**
 * gpubp_unregister_barrier() - wait for watches unregistered by their callbacks
 *
 * May sleep. On return these callbacks have returned and the comparators have
 * been freed.
 */
void gpubp_unregister_barrier(void);

#endif /* _LINUX_GPUBP_H */
