/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gpubp: the contract between the core and a GPU driver ("provider"), and what
 * the core does for other parts of the kernel that watch ("consumers").
 *
 * A provider includes this header and nothing else of gpubp's. It registers a
 * device with its capabilities and its ops, tells the core of contexts,
 * queues, code objects and buffers as they come and go, and reports hits. The
 * core decides which comparator compares what, and calls the ops.
 *
 * A consumer includes it, too, and <uapi/linux/gpubp.h> for what a hit tells.
 * It registers a watch and is called back at each hit.
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

#define GPUBP_MAX_SLOTS		16
#define GPUBP_MAX_VMIDS		16

/**
 * enum gpubp_residency - how the core learns which contexts are resident
 * @GPUBP_RESIDENCY_REPORTED: the provider calls gpubp_ctx_resident/evicted
 * @GPUBP_RESIDENCY_RESERVED: one VMID is kept for watched contexts
 * @GPUBP_RESIDENCY_FIRMWARE: hidden; resident means: has queues
 */
enum gpubp_residency {
	GPUBP_RESIDENCY_REPORTED,
	GPUBP_RESIDENCY_RESERVED,
	GPUBP_RESIDENCY_FIRMWARE,
};

/**
 * enum gpubp_stops - what stops, and goes on, together
 * @GPUBP_STOPS_NONE: nothing can be stopped on demand
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
 * enum gpubp_trap_level - where in the chain of trap handlers the core's runs
 * @GPUBP_TRAP_FIRST: it is entered by the hardware
 * @GPUBP_TRAP_SECOND: the driver's first level, which saves waves that are
 *	preempted, goes on to it; the process's own handler comes after it
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

/* waves of a device: a place for a hit is about 1.7 KiB */
#define GPUBP_MAX_WAVES		65536

/**
 * struct gpubp_caps - what a device can do
 * @nr_slots: comparators, at most GPUBP_MAX_SLOTS; 0 is legal
 * @usable_slots: bitmap of those that the core may use now
 * @nr_waves: waves that may be stopped at a time, at most GPUBP_MAX_WAVES, 0 if
 *	unknown: the hit of each of them has a place, so that none is dropped for want of
 *	it. Otherwise some 900 hits at a time have one.
 * @granule: smallest block a comparator can tell apart, bytes, power of two
 * @max_block: largest block, bytes, power of two
 * @va_bits: bits of a GPU virtual address that are compared
 * @modes: bitmap of enum gpubp_mode
 * @paths: bitmap of GPUBP_PATH_*
 * @residency: enum gpubp_residency
 * @cntl_banked: mask, mode and valid bit of a comparator are per VMID (the
 *	address is not)
 * @precise: a wave can be made to stop right behind the access that hit
 * @interrupts: hits are reported by interrupt; else the core polls
 * @dispatch_waits: gpubp_ctx_wait_armed() is called before each dispatch of a context
 * @ternary: a mask may have holes: any bits from @granule up to @max_block may
 *	be left out of the comparison, so that {address & mask == value} of a
 *	field of every second struct of an array is one comparator. Otherwise it
 *	is a run of ones above a run of zeroes. Only for hardware that is known to
 *	compare so: where it does not, hits are missed. Needs @max_block above
 *	@granule.
 * @commit_preempts: a commit takes running queues off the GPU; the core
 *	commits less often
 * @saves_waves: waves can be preempted in mid-kernel, their state saved
 *	(AMD's CWSR); one that is stopped inside a trap handler cannot
 * @atomics: scalar atomic operations of waves work in memory of ops->code_alloc, and
 *	ops->flush of data makes limits seen and counts true: the handler can count
 *	hits (gpubp_handler.nr_counters)
 * @exceptions: GPUBP_EXC_* that gpubp_ctx_prog.exceptions may ask for: waves that
 *	are launched then stop for them, and the handler's record, or
 *	GPUBP_HITF_EXCEPTIONS, tells which
 * @stops: enum gpubp_stops, of ops->halt and of a hit
 * @can_step: ops->step executes one instruction
 * @trap_level: where the core's trap handler runs
 * @hit_fields: GPUBP_HITF_* that each reported hit carries. A device whose
 *	ISA has no trap handler tells of a comparator hit at least
 *	GPUBP_HITF_PC and GPUBP_HITF_SLOTS itself, and with @exceptions
 *	GPUBP_HITF_PC and GPUBP_HITF_EXCEPTIONS.
 * @poll_us: without @interrupts: time between two calls of ops->poll, about,
 *	while something may stop, in us; 0 lets the core choose
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
	u32 exceptions;
	enum gpubp_stops stops;
	bool can_step;
	enum gpubp_trap_level trap_level;
	u32 hit_fields;
	u32 poll_us;
};

/**
 * struct gpubp_slot_prog - the device-wide part of a comparator
 * @value: compared address; 0 in an unused slot
 * @used: some context validates it
 */
struct gpubp_slot_prog {
	u64 value;
	bool used;
};

/**
 * struct gpubp_ctx_prog - the part of the table that is one context's
 * @ctx: the provider's pointer of the context (gpubp_ctx_create)
 * @valid: bitmap of slots that compare this context's accesses
 * @mask: address bits compared, one word a slot
 * @mode: enum gpubp_mode, one a slot
 * @watch_traps: waves must enter the trap handler: for s_trap, and for
 *	comparator hits
 * @precise: make memory operations precise
 * @exceptions: GPUBP_EXC_* that enter the trap handler
 */
struct gpubp_ctx_prog {
	void *ctx;
	u32 valid;
	u64 mask[GPUBP_MAX_SLOTS];
	u8 mode[GPUBP_MAX_SLOTS];
	bool watch_traps;
	bool precise;
	u32 exceptions;
};

/**
 * struct gpubp_program - one commit: what the hardware shall be
 * @seq: its number, higher than those of all before; see gpubp_ctx_settled()
 * @nr_slots: entries of @slot
 * @slot: device-wide part, entry n for comparator n
 * @changed_slots: slots whose value, or anybody's control word, changed
 * @nr_ctxs: entries of @ctx: every context whose part differs from the last
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
 * struct gpubp_commit_result - what came of a commit
 * @slot_err: 0 or a negative errno for each slot; a slot that failed compares
 *	nothing and is quarantined
 * @drained: every hit of the old program has been reported. Otherwise hits
 *	of the old program may still come until @window_end.
 * @window_end: ns of CLOCK_MONOTONIC
 * @pending: bitmap, bit n for ctxs[n] (n < 64): waves launched before this
 *	commit run without the traps asked for; gpubp_ctx_settled() follows when
 *	they have ended, unless the core changed them before (ops->ctx_suspend)
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

/**
 * struct gpubp_hit - what a device tells of waves that stopped
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
 * @wave: provider's id of the wave, for read_wave, write_wave and hit_done; never
 *	reused while the wave is stopped. It may name this stop, and ops->list_waves
 *	know the wave by another id
 * @gpu_time: when the interrupt was raised, ns of CLOCK_MONOTONIC as the
 *	provider correlates it with its own clock
 * @stopped: what stopped with the wave; set always
 * @ctx: the context itself, where the device names no VMID. One of @ctx, @vmid
 *	and @doorbell must tell the context; a PASID is compared if it is told
 * @pc: where the wave goes on
 * @exec: active lanes; without it all lanes
 * @slots: comparators that matched since their bits were last cleared
 * @addr: first byte accessed
 * @width: bytes accessed at @addr
 * @access: GPUBP_ACCESS_* (include/uapi/linux/gpubp.h)
 * @exceptions: GPUBP_EXC_* since they were last cleared
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
};

/**
 * enum gpubp_verdict - what gpubp_report() did with a hit
 * @GPUBP_TAKEN: the wave stays stopped until hit_done()
 * @GPUBP_DROP: not taken (counted); the provider lets the wave go on
 */
enum gpubp_verdict {
	GPUBP_TAKEN,
	GPUBP_DROP,
};

/**
 * enum gpubp_space - address spaces of a context
 * @GPUBP_SPACE_GLOBAL: GPU virtual memory
 * @GPUBP_SPACE_LDS: the workgroup of a stopped wave's
 * @GPUBP_SPACE_PRIVATE: one lane's of a stopped wave
 * @GPUBP_SPACE_SCRATCH: a stopped wave's, as its queue laid it out
 */
enum gpubp_space {
	GPUBP_SPACE_GLOBAL,
	GPUBP_SPACE_LDS,
	GPUBP_SPACE_PRIVATE,
	GPUBP_SPACE_SCRATCH,
};

/**
 * struct gpubp_where - a place in one of them
 * @space: enum gpubp_space
 * @lane: for GPUBP_SPACE_PRIVATE
 * @wave: a stopped wave, for all but GPUBP_SPACE_GLOBAL
 * @va: address in that space
 */
struct gpubp_where {
	enum gpubp_space space;
	u32 lane;
	u64 wave;
	u64 va;
};

/*
 * gpubp_ops.mem_rw: by default nobody's pages are waited for, as the thread works for
 * all. Who waits does so for himself.
 */
#define GPUBP_MEM_WRITE		BIT(0)
#define GPUBP_MEM_WAIT		BIT(1)

/* gpubp_mapping.flags */
#define GPUBP_MAP_READ		BIT(0)
#define GPUBP_MAP_WRITE		BIT(1)
#define GPUBP_MAP_EXEC		BIT(2)
#define GPUBP_MAP_DEVICE	BIT(3)	/* device memory */
#define GPUBP_MAP_USERPTR	BIT(4)	/* pages of the process; fork() may copy them */
#define GPUBP_MAP_SHARED	BIT(5)	/* with another address space */
#define GPUBP_MAP_CPU		BIT(6)	/* the CPU can map it */

/**
 * struct gpubp_mapping - what lies at an address
 * @start: first address of the mapping
 * @size: bytes
 * @flags: GPUBP_MAP_*
 */
struct gpubp_mapping {
	u64 start;
	u64 size;
	u32 flags;
};

/* what ops->flush makes visible */
#define GPUBP_FLUSH_DATA	BIT(0)	/* data caches, to memory */
#define GPUBP_FLUSH_CODE	BIT(1)	/* instruction caches, invalidated */

/**
 * struct gpubp_wave_info - a wave that exists
 * @wave: its id, which no other wave of the device ever has: sessions show it to
 *	debuggers
 * @stopped: it is stopped: a hit or a halt stops it, or its context is suspended
 * @doorbell: of its queue
 * @pc: its pc; of a running wave a recent one
 */
struct gpubp_wave_info {
	u64 wave;
	bool stopped;
	u32 doorbell;
	u64 pc;
};

/**
 * struct gpubp_waves - what halt, resume and step concern
 * @ctx: the provider's pointer of the context
 * @wave: ids of waves of that context, those that ops->list_waves tells. Where
 *	gpubp_hit.wave names a stop instead, it is -ESRCH: a wave would have two
 *	names, and lose one while it is held by that
 * @nr: entries of @wave; 0 means every wave of the context
 *
 * A device that stops more than a wave together (caps.stops) does so for
 * everything that holds one of them.
 */
struct gpubp_waves {
	void *ctx;
	const u64 *wave;
	unsigned int nr;
};

/**
 * struct gpubp_ops - what the core asks of a provider
 *
 * @commit: make the hardware equal to @prog, in this order: invalidate slots
 *	whose value changes in every VMID, and others that changed where they
 *	did, wait for their hits (or give a window), write addresses,
 *	validate. A context whose part and whose slots' values stay compares
 *	all the time. One call a rotation; called by the
 *	device's worker only, never twice at once. May sleep. Must not fail
 *	as a whole: a slot that cannot be programmed is left invalid and
 *	reported in @res->slot_err. Required if caps.nr_slots or
 *	caps.exceptions.
 * @acquire: take comparators from other users (another debugger). May
 *	sleep. Returns the bitmap of those granted, which may be 0, or
 *	-EBUSY. Of the others the provider tells with gpubp_slots_returned()
 *	once they are free. Optional: all are granted.
 * @release: give them back. May sleep. Required with @acquire.
 * @trap_install: run the handler at GPU address @tba, its memory at @tma, at
 *	caps.trap_level, for waves of @ctx that are launched from the next
 *	commit on. May sleep. -EIO, -EBUSY. Required if the ISA has a handler.
 * @trap_remove: undo. May sleep. Required with @trap_install.
 * @code_alloc: @size bytes of memory in @ctx, executable and readable by
 *	waves, writable by the trap handler and, where the device can tell the
 *	two apart, not by user code; page-aligned, zeroed, not mapped for the
 *	context's owner. May sleep. -ENOMEM, -ESRCH (context is going).
 *	Required if the ISA has a handler.
 * @code_free: undo. May sleep. Required with @code_alloc.
 * @ctx_suspend: take @nr contexts off the GPU. On return their waves are saved,
 *	none runs and none is launched until @ctx_resume; they are listed as
 *	stopped, and @read_wave and @write_wave work on them as on any stopped
 *	wave, under the ids that they had. What stopped one before keeps it
 *	stopped afterwards: its hit is reported and done as ever, meanwhile,
 *	too. Other ops, commits included, are called while this waits and until
 *	@ctx_resume; a commit holds for what comes back. Waves that do not save
 *	themselves within @grace_ms may be given up as a GPU reset would. May
 *	sleep. -ETIMEDOUT and any other error: none is suspended. Optional, and
 *	in vain without @list_waves, @read_wave and @write_wave: running waves
 *	keep the traps that they were launched with.
 * @ctx_resume: undo. May sleep. Comes for each context that was suspended, even
 *	if a reset has left nothing of it. Required with @ctx_suspend.
 * @mem_rw: copy between @buf and memory of @ctx, as GPUBP_MEM_* in @how say.
 *	Returns the bytes copied, which may be fewer than @len at the end of a
 *	mapping, or an errno: -EFAULT (nothing is mapped at @where, or not so that
 *	GPUBP_MEM_WRITE is allowed, or the process that its pages belong to is gone),
 *	-ESRCH (no such stopped wave), -EOPNOTSUPP (a space it cannot reach).
 *	Without GPUBP_MEM_WAIT also -EAGAIN, at once: its pages are not there, or the
 *	process is busy with its address space. With it, -EINTR if current is
 *	killed. May sleep. Required.
 * @mem_translate: what is mapped at @where. -EFAULT, -ESRCH, -EOPNOTSUPP, or
 *	-EAGAIN: the process is changing that. May sleep, but waits for no process.
 *	Optional: nothing is known of mappings.
 * @flush: make writes by @mem_rw visible to waves of @ctx, or waves' writes to
 *	it: @what is GPUBP_FLUSH_*. May sleep. -ETIMEDOUT after @timeout_ms.
 *	Optional: memory is coherent.
 * @list_waves: waves of @ctx: those that run, are stopped or saved, each once.
 *	Returns how many there are and fills at most @max of @out. Of a context
 *	that is suspended they become fewer at most, and only as they are
 *	killed. May sleep. Optional: none can be listed.
 * @read_wave: registers of a wave that is stopped, on the GPU or saved, for
 *	@nr requests in @req, into @out as struct gpubp_reg_req says: one
 *	consistent snapshot. The id is that of gpubp_hit or of @list_waves.
 *	May sleep. -ESRCH if the wave is gone or not stopped, -EINVAL for a
 *	register it does not have. Required if hits are resolved with an ISA.
 * @write_wave: the same way from @in, of a wave that a hit or @halt stops, or
 *	that is off the GPU: no wave that runs is ever written. All registers or
 *	none. What it writes holds when the wave goes on, privileged control
 *	registers included; bits that hardware derives, or that say where the
 *	wave is, stay as they are. So does what holds a wave that is halted
 *	(AMD: STATUS.HALT): to let it go on is up to @resume and @hit_done, not
 *	to who writes its registers. The pc, where the ISA says in which registers
 *	it is, is that of the instruction executed next, whatever a handler does
 *	to it in order to save the wave; a trap that the wave has yet to take is
 *	taken at the one that is written. Optional.
 * @halt: stop waves; returns once they are, and none of them executes an
 *	instruction until it goes on, but for @step. Hits that stopped one of them
 *	before were reported when it returns: the core resolves them, and then
 *	nothing but a session moves the wave. May sleep. -ESRCH (gone; nothing
 *	else was stopped), -EBUSY (being saved). Required unless caps.stops is
 *	GPUBP_STOPS_NONE. Halts nest with those of hits: a wave goes on when
 *	nobody holds it.
 * @resume: undo one @halt. May sleep. -ESRCH. Required with @halt.
 * @step: let each of them, which a hit or @halt stops, execute one instruction;
 *	returns once they are stopped again, by what stopped them before, or go on
 *	as that is over. A hit in the instruction is reported as ever; the core
 *	steps no wave whose hit it has still to resolve. A trap that
 *	a wave has yet to take comes in place of the instruction; one that waits
 *	for others in it, at a barrier, stops there. -ESRCH (gone, not stopped, or
 *	it ends in it), -EBUSY (suspended, stepped already, or it takes very
 *	long), -EOPNOTSUPP (it takes the ISA's trap handler, which is not
 *	installed). None begins unless all can. May sleep. Required if
 *	caps.can_step.
 * @hit_done: a hit that was TAKEN has been resolved and delivered; the wave
 *	may resume unless a @halt still holds it, and not before: whatever tells
 *	a program that its work is over (a signal, a fence, an interrupt) comes
 *	after @hit_done of all hits of that work, so that events have them when
 *	the program looks. Process context; does not sleep. Required if the device
 *	reports hits at all: caps.nr_slots, caps.exceptions, an ISA with a break
 *	word, or no interrupts.
 * @poll: look for stopped waves and report them. Called by the device's
 *	worker, while events exist, about every caps.poll_us. May sleep.
 *	Required unless caps.interrupts.
 * @quiesce: report nothing any more; on return no gpubp_report() runs or
 *	will. Stopped waves go on. May sleep. Required.
 *
 * The pointers @dev and @ctx are the provider's own, as passed to
 * gpubp_device_register() and gpubp_ctx_create(). No op is called with a lock
 * of the core held, nor for a context after gpubp_ctx_destroy() returned.
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
	void (*poll)(void *dev);
	void (*quiesce)(void *dev);
};

/**
 * struct gpubp_device_desc - what a provider registers
 * @name: for messages and caps, e.g. "gpubp_sim0"
 * @owner: THIS_MODULE
 * @isa: instruction set of its waves; NULL if unknown: then a hit is worth
 *	what caps.hit_fields tell of it, and nothing can be patched or stepped
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
 * Provider to core. Unless said otherwise: process context, may sleep, and
 * calls about one object are not made concurrently by the provider.
 */

/**
 * gpubp_device_register() - a GPU appears
 * @desc: description; ops are checked here, once, with a message
 * @priv: the provider's pointer, first argument of device ops
 *
 * Return: the device or ERR_PTR(-EINVAL), -ENOMEM, -ENOSPC (there are 255).
 */
struct gpubp_device *gpubp_device_register(const struct gpubp_device_desc *desc,
					   void *priv);

/**
 * gpubp_device_unregister() - a GPU goes
 * @dev: device; its contexts must have been destroyed
 *
 * Calls ops->quiesce. Events stay open; they stand still.
 */
void gpubp_device_unregister(struct gpubp_device *dev);

/**
 * gpubp_slots_lost() - comparators that somebody else took at run time
 * @dev: device
 * @slots: bitmap
 *
 * They compare nothing of ours from now on. Pinned events that have no
 * comparator left stand still, and their times say so. Any context.
 */
void gpubp_slots_lost(struct gpubp_device *dev, u32 slots);

/**
 * gpubp_slots_returned() - comparators that are ours (again)
 * @dev: device
 * @slots: bitmap; a slot that was quarantined is tried again
 *
 * Any context.
 */
void gpubp_slots_returned(struct gpubp_device *dev, u32 slots);

/**
 * gpubp_device_suspend() - power goes; commits stop
 * @dev: device
 *
 * On return no op but hit_done and quiesce is called until
 * gpubp_device_resume(), unless the provider destroys a context or unregisters
 * the device. Hits reported meanwhile are dropped. Events stay; they stand
 * still. May sleep.
 */
void gpubp_device_suspend(struct gpubp_device *dev);

/** gpubp_device_resume() - power is back, the hardware forgot everything. May sleep. */
void gpubp_device_resume(struct gpubp_device *dev);

/** gpubp_device_number() - number of @dev among all devices, from 0 */
u8 gpubp_device_number(const struct gpubp_device *dev);

/**
 * gpubp_device_reset() - the GPU lost its state: comparators are invalid, no
 *	wave runs, hits that were TAKEN are gone (hit_done still comes)
 * @dev: device
 *
 * Any context.
 */
void gpubp_device_reset(struct gpubp_device *dev);

/**
 * struct gpubp_ctx_desc - a GPU address space
 * @pid: thread group that owns it; the core takes a reference
 * @pasid: process address space id as interrupts report it, 0 none
 * @fenced: other work waits for its waves (graphics, kernel queues): they must
 *	never be halted, so nothing that halts them is armed in it
 * @max_stall_us: longest time that a hit may wait, its wave stopped, until it
 *	is looked at; one that waited longer is dropped (counted), and the wave
 *	goes on at once. What looking at it takes is up to the provider's
 *	mem_rw and read_wave. 0 means ten seconds.
 */
struct gpubp_ctx_desc {
	struct pid *pid;
	u32 pasid;
	bool fenced;
	u32 max_stall_us;
};

/**
 * gpubp_ctx_create() - a GPU address space appears
 * @dev: device
 * @priv: the provider's pointer, argument of context ops
 * @desc: description, copied
 *
 * Return: the context or ERR_PTR(-ENOMEM).
 */
struct gpubp_ctx *gpubp_ctx_create(struct gpubp_device *dev, void *priv,
				   const struct gpubp_ctx_desc *desc);

/**
 * gpubp_ctx_destroy() - an address space goes; queues are destroyed already
 * @ctx: context
 *
 * Ops of this context are not called any more once it returns.
 */
void gpubp_ctx_destroy(struct gpubp_ctx *ctx);

/**
 * gpubp_uid_of() - who pays for what somebody has
 * @cred: of whom
 *
 * For quotas. Ids that a user has to give away in namespaces of his own are he
 * himself. Any context.
 *
 * Return: the user, or of tasks in user namespaces who made the outermost of these.
 */
kuid_t gpubp_uid_of(const struct cred *cred);

/** gpubp_ctx_id() - id unique since the core was loaded, from 1 */
u32 gpubp_ctx_id(const struct gpubp_ctx *ctx);

/**
 * gpubp_ctx_resident() - a context has a VMID from now on
 * @ctx: context
 * @vmid: its VMID, below GPUBP_MAX_VMIDS
 *
 * Call it before waves of @ctx run there. Any context. The provider loads the
 * control words that the last commit gave for @ctx by itself.
 */
void gpubp_ctx_resident(struct gpubp_ctx *ctx, u32 vmid);

/** gpubp_ctx_evicted() - @ctx has no VMID now; all its hits are reported. Any context. */
void gpubp_ctx_evicted(struct gpubp_ctx *ctx);

/**
 * gpubp_ctx_settled() - the waves that made a commit's result *pending* have
 *	ended or been edited
 * @ctx: context
 * @seq: gpubp_program.seq of the last commit that was told *pending*. If a newer
 *	one is told so meanwhile, for other waves, this is not about it.
 *
 * Any context, also while that commit is still being made.
 */
void gpubp_ctx_settled(struct gpubp_ctx *ctx, u64 seq);

/**
 * struct gpubp_queue_desc - where work is submitted
 * @creator: the thread that owns its hits; the core takes a reference. Workers
 *	of io_uring come and go, and signals never reach them: name the leader of
 *	their thread group (PF_IO_WORKER)
 * @id: the provider's number of the queue in its context, shown to users
 * @doorbell: doorbell as interrupts report it; one queue of a device each. Where
 *	doorbells are those of a process, the provider adds what tells the
 *	process, here and in its hits
 */
struct gpubp_queue_desc {
	struct pid *creator;
	u32 id;
	u32 doorbell;
};

/**
 * gpubp_queue_create() - a queue appears
 * @ctx: its context
 * @desc: description, copied
 *
 * Return: the queue or ERR_PTR(-ENOMEM), -EBUSY (the doorbell is in use).
 */
struct gpubp_queue *gpubp_queue_create(struct gpubp_ctx *ctx,
				       const struct gpubp_queue_desc *desc);

/** gpubp_queue_destroy() - no wave of the queue exists any more */
void gpubp_queue_destroy(struct gpubp_queue *queue);

/**
 * gpubp_buffer_name() - publish, move or withdraw the name of a range
 * @ctx: context
 * @va: first address
 * @size: bytes; 0 withdraws
 * @name: at most GPUBP_NAME_MAX - 1 bytes, not empty
 *
 * Return: 0, -EINVAL, -ENOMEM, -ENOSPC (the context has 8192 already).
 */
int gpubp_buffer_name(struct gpubp_ctx *ctx, u64 va, u64 size,
		      const char *name);

/**
 * gpubp_code_create() - a code object was loaded
 * @ctx: context
 * @va: first address
 * @size: bytes
 * @label: its name, as gpubp_buffer_name()'s
 *
 * Return: 0, -EINVAL, -EEXIST (code lies at @va already), -EINTR (killed while memory
 * there was being unmapped), -ENOMEM, -ENOSPC (as above).
 */
int gpubp_code_create(struct gpubp_ctx *ctx, u64 va, u64 size,
		      const char *label);

/** gpubp_code_destroy() - the code object at @va goes; no wave executes it */
void gpubp_code_destroy(struct gpubp_ctx *ctx, u64 va);

/**
 * gpubp_mem_unmap() - unmap memory of a context that may hold code
 * @ctx: context
 * @va: first address
 * @size: bytes, not 0
 * @unmap: unmaps it, given gpubp_ctx_create()'s @priv, @va and @size; 0, or an errno:
 *	also if that is not what is mapped there any more
 *
 * The memory may still be seen elsewhere, by CPUs or in a mapping that comes later:
 * nothing of the core is in it when @unmap is called, and nothing comes. Code objects in
 * it are destroyed with it. Not needed where the context is destroyed. May sleep, for
 * some commits; killable.
 *
 * Return: as @unmap, or it was not called: -EINTR, -EBUSY: a word of the core's cannot be
 * taken out now.
 */
int gpubp_mem_unmap(struct gpubp_ctx *ctx, u64 va, u64 size,
		    int (*unmap)(void *ctx, u64 va, u64 size));

/**
 * gpubp_report() - a wave stopped
 * @dev: device
 * @hit: what the interrupt told; copied
 *
 * Any context, hard interrupts included. Return: enum gpubp_verdict.
 */
enum gpubp_verdict gpubp_report(struct gpubp_device *dev,
				const struct gpubp_hit *hit);

DECLARE_STATIC_KEY_FALSE(gpubp_active);
int __gpubp_ctx_wait_armed(struct gpubp_ctx *ctx);

/**
 * gpubp_ctx_wait_armed() - wait until what @ctx's events ask for is armed
 * @ctx: context about to dispatch
 *
 * For providers with caps.dispatch_waits, before each dispatch. One patched nop
 * while no event exists. May sleep, for a quantum and a commit if something
 * changed in @ctx, and where waves of @ctx run
 * that lack their traps for at most the module parameter suspend_grace_ms until
 * they were changed; for other contexts' waves never. Then up to 64 watches'
 * bytes are read by mem_rw, of those that were not mapped before. Hold no lock
 * that an op takes.
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
 * Consumers: what register_user_hw_breakpoint() is to the CPU.
 */

/* a registered watch */
struct gpubp_consumer;

/**
 * struct gpubp_watch_hit - what a callback is told
 * @record: the hit; its .common is not meant to be read
 * @pid: process of the task that the hit belongs to, in the initial namespace;
 *	0 if there is none any more
 * @tid: likewise that task itself
 *
 * Valid during the call.
 */
struct gpubp_watch_hit {
	const struct gpubp_hit_record *record;
	pid_t pid;
	pid_t tid;
};

/**
 * typedef gpubp_watch_fn - a watch was hit
 * @consumer: the watch
 * @hit: the hit
 * @data: as registered
 *
 * Interrupts are off, in a hard interrupt but where the kernel looks for calls by
 * itself: on a CPU that is idle or goes offline, and before a task is moved to
 * another one; no lock of the scheduler's or of perf's is held, so that it may
 * print and wake up a process. @current is the task that the hit belongs to, unless that
 * was leaving its CPU or the watch is of every process: @hit tells in any case.
 *
 * Calls of one watch come one at a time, on any CPU. It may call
 * gpubp_unregister_watch() for its own @consumer, and nothing else of this
 * section. It delays the task, and other hits of the watch: be short.
 */
typedef void (*gpubp_watch_fn)(struct gpubp_consumer *consumer,
			       const struct gpubp_watch_hit *hit, void *data);

/**
 * gpubp_watch_attr_init() - what most watches are
 * @attr: result
 * @addr: first GPU address
 * @len: bytes
 * @access: GPUBP_ACCESS_*, 0 as GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC
 *
 * A watch with comparators of its own (pinned) that is called back at each hit.
 * Without .pinned it takes turns with others' watches; .inherit has it watch
 * the target's children, too; .disabled has it wait for gpubp_modify_watch();
 * more is in .config: see <uapi/linux/gpubp.h>.
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
 * May sleep. Callbacks may come before it returns; the watch is armed by the
 * next commit. It ends, without a word, when @target exits or executes a
 * program that may not be dumped, and stays registered. For every process,
 * those hits are seen whose owner's CPU was online at this call.
 *
 * Hits beyond the module parameter max_sample_rate are not called back, nor
 * those that a task has left when it leaves its CPU if 64 of the watch wait
 * already. Without CAP_PERFMON of the caller, records of every process have no
 * values of memory.
 *
 * Return: the watch; or ERR_PTR() of -ENOENT (.type is not gpubp's), -EINVAL
 * (no @fn, .freq, no .sample_period, .sigtrap, .inherit of every process, or
 * what the PMU says it for), -EOPNOTSUPP, -ENOSPC (.pinned and no comparator is
 * left), -ERANGE (.pinned and too long for what a watch may reserve), -EACCES
 * (the caller may not watch every process, or not reserve more than one
 * comparator), -ESRCH (@target exits), -ENODEV (no such device), -ENOMEM.
 */
struct gpubp_consumer *gpubp_register_watch(struct task_struct *target,
					    const struct perf_event_attr *attr,
					    gpubp_watch_fn fn, void *data);

/**
 * gpubp_modify_watch() - watch something else
 * @consumer: watch
 * @attr: as for gpubp_register_watch()
 *
 * In place: what was promised to a pinned watch is kept. To what it is already
 * it changes nothing. .config, .config1, .config2 and .disabled may differ from
 * the last ones; of .config neither kind, process nor device. .disabled keeps
 * the comparators that were promised, too.
 *
 * May sleep. On return the change is wanted, and is armed by the next commit;
 * hits of what was watched before may still be called back until then.
 *
 * Return: 0; or, with nothing changed, -EINVAL (something else differs, or as
 * for gpubp_register_watch()), -EOPNOTSUPP (.disabled differs with .inherit, or
 * as there), -ENOSPC, -ERANGE, -EACCES, -ENODEV, -ENOMEM.
 */
int gpubp_modify_watch(struct gpubp_consumer *consumer,
		       const struct perf_event_attr *attr);

/**
 * gpubp_unregister_watch() - no more callbacks
 * @consumer: watch, which is gone with this call
 *
 * May sleep, and waits for a running callback; when it returns none runs, and
 * none will. Not from another watch's callback.
 *
 * From the watch's own callback it does not sleep: no callback comes after
 * that one, and the comparators are given back soon. Who may do so and who
 * unregisters elsewhere must agree on who does it, e.g. by xchg() of a pointer;
 * and a module must call gpubp_unregister_barrier() before it goes.
 */
void gpubp_unregister_watch(struct gpubp_consumer *consumer);

/**
 * gpubp_unregister_barrier() - wait for callbacks that unregistered themselves
 *
 * May sleep. When it returns, those have returned, and their comparators were
 * given back.
 */
void gpubp_unregister_barrier(void);

#endif /* _LINUX_GPUBP_H */
