/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gpubp: the contract between the core and a GPU driver ("provider").
 *
 * A provider includes this header and nothing else of gpubp's. It registers a
 * device with its capabilities and its ops, tells the core of contexts,
 * queues, code objects and buffers as they come and go, and reports hits. The
 * core decides which comparator compares what, and calls the ops.
 */
#ifndef _LINUX_GPUBP_H
#define _LINUX_GPUBP_H

#include <linux/bits.h>
#include <linux/gpubp_isa.h>
#include <linux/jump_label.h>
#include <linux/pid.h>
#include <linux/types.h>

struct module;

/* objects of the core; providers only hold pointers */
struct gpubp_device;
struct gpubp_ctx;
struct gpubp_queue;
struct gpubp_code;

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

/**
 * struct gpubp_caps - what a device can do
 * @nr_slots: comparators, at most GPUBP_MAX_SLOTS; 0 is legal
 * @usable_slots: bitmap of those that the core may use now
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
 * @can_hold: gpubp_ctx_hold() is called before each dispatch of a context
 */
struct gpubp_caps {
	u32 nr_slots;
	u32 usable_slots;
	u32 granule;
	u64 max_block;
	u32 va_bits;
	u32 modes;
	u32 paths;
	enum gpubp_residency residency;
	bool cntl_banked;
	bool precise;
	bool interrupts;
	bool can_hold;
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
 * @watch_traps: waves must enter the trap handler for comparator hits
 * @precise: make memory operations precise
 */
struct gpubp_ctx_prog {
	void *ctx;
	u32 valid;
	u64 mask[GPUBP_MAX_SLOTS];
	u8 mode[GPUBP_MAX_SLOTS];
	bool watch_traps;
	bool precise;
};

/**
 * struct gpubp_program - one commit: what the hardware shall be
 * @nr_slots: entries of @slot
 * @slot: device-wide part, entry n for comparator n
 * @changed_slots: slots whose value, or anybody's control word, changed
 * @nr_ctxs: entries of @ctx: every context whose part differs from the last
 *	program that was committed (all, after gpubp_device_reset())
 * @ctxs: per-context parts
 */
struct gpubp_program {
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
 *	commit run without the traps asked for; gpubp_ctx_settled() follows
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

/**
 * struct gpubp_hit - what an interrupt tells of a stopped wave
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
 * @wave: provider's id of the wave, for read_wave and hit_done; never reused
 *	while the wave is stopped
 * @gpu_time: when the interrupt was raised, ns of CLOCK_MONOTONIC as the
 *	provider correlates it with its own clock
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

/* address spaces for mem_rw */
enum gpubp_space {
	GPUBP_SPACE_GLOBAL,
};

/**
 * struct gpubp_ops - what the core asks of a provider
 *
 * @commit: make the hardware equal to @prog, in this order: invalidate the
 *	changed slots in every VMID, wait for their hits (or give a window),
 *	write addresses, validate. One call a rotation; called by the
 *	device's worker only, never twice at once. May sleep. Must not fail
 *	as a whole: a slot that cannot be programmed is left invalid and
 *	reported in @res->slot_err. Required if caps.nr_slots.
 * @acquire: take comparators from other users (another debugger) before the
 *	first commit; -EBUSY for none. May sleep. Optional: always granted.
 * @release: give them back. May sleep. Optional.
 * @trap_install: run the handler at GPU address @tba, its memory at @tma, for
 *	waves of @ctx that are launched from the next commit on. May sleep.
 *	-EIO, -EBUSY. Required if the ISA has a handler.
 * @trap_remove: undo. May sleep. Required with @trap_install.
 * @code_alloc: @size bytes of memory in @ctx, executable and readable by
 *	waves, not writable by user code, page-aligned, zeroed, invisible to
 *	the context's owner. May sleep. -ENOMEM, -ESRCH (context is going).
 * @code_free: undo. May sleep.
 * @mem_rw: copy between @buf and GPU memory of @ctx. Returns the bytes
 *	copied, which may be fewer than @len at the end of a mapping, or
 *	-EFAULT. May sleep. Required.
 * @read_wave: registers of a stopped wave, for @nr requests in @req, into
 *	@out as struct gpubp_reg_req says. May sleep. -ESRCH if the wave is
 *	gone, -EINVAL for a register it does not have. Required if
 *	caps.nr_slots.
 * @hit_done: a hit that was TAKEN is resolved; the wave may go on unless
 *	somebody else holds it. Process context; does not sleep. Required if
 *	caps.nr_slots.
 * @poll: look for stopped waves and report them. May sleep. Required unless
 *	caps.interrupts.
 * @quiesce: report nothing any more; on return no gpubp_report() runs or
 *	will. Stopped waves go on. May sleep. Required.
 *
 * The pointers @dev and @ctx are the provider's own, as passed to
 * gpubp_device_register() and gpubp_ctx_create().
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
	ssize_t (*mem_rw)(void *ctx, enum gpubp_space space, u64 va, void *buf,
			  size_t len, bool write);
	int (*read_wave)(void *dev, u64 wave, const struct gpubp_reg_req *req,
			 unsigned int nr, u32 *out);
	void (*hit_done)(void *dev, const struct gpubp_hit *hit);
	void (*poll)(void *dev);
	void (*quiesce)(void *dev);
};

/**
 * struct gpubp_device_desc - what a provider registers
 * @name: for messages and caps, e.g. "gpubp_sim0"
 * @owner: THIS_MODULE
 * @isa: instruction set of its waves; NULL if unknown (then no hit can be
 *	resolved and nr_slots must be 0)
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
 * Return: the device or ERR_PTR(-EINVAL), -ENOMEM, -ENOSPC (255 devices).
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

/** gpubp_device_number() - number of @dev among all devices, from 0 */
u32 gpubp_device_number(const struct gpubp_device *dev);

/**
 * gpubp_device_reset() - the GPU lost its state: comparators are invalid, no
 *	wave runs, hits that were TAKEN are gone (hit_done still comes)
 * @dev: device
 *
 * Any context.
 */
void gpubp_device_reset(struct gpubp_device *dev);

/**
 * gpubp_ctx_create() - a GPU address space appears
 * @dev: device
 * @priv: the provider's pointer, argument of context ops
 * @pid: thread group that owns it; a reference is taken
 * @pasid: process address space id as interrupts report it, 0 none
 *
 * Return: the context or ERR_PTR(-ENOMEM).
 */
struct gpubp_ctx *gpubp_ctx_create(struct gpubp_device *dev, void *priv,
				   struct pid *pid, u32 pasid);

/**
 * gpubp_ctx_destroy() - an address space goes; queues are destroyed already
 * @ctx: context
 *
 * Ops of this context are not called any more once it returns.
 */
void gpubp_ctx_destroy(struct gpubp_ctx *ctx);

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
 *
 * Any context.
 */
void gpubp_ctx_settled(struct gpubp_ctx *ctx);

/**
 * gpubp_queue_create() - a queue appears
 * @ctx: its context
 * @creator: the thread that owns its hits; a reference is taken
 * @id: the provider's number of the queue in @ctx, shown to users
 * @doorbell: doorbell as interrupts report it
 *
 * Return: the queue or ERR_PTR(-ENOMEM).
 */
struct gpubp_queue *gpubp_queue_create(struct gpubp_ctx *ctx,
				       struct pid *creator, u32 id,
				       u32 doorbell);

/** gpubp_queue_destroy() - no wave of the queue exists any more */
void gpubp_queue_destroy(struct gpubp_queue *queue);

/**
 * gpubp_buffer_name() - publish, move or withdraw the name of a range
 * @ctx: context
 * @va: first address
 * @size: bytes; 0 withdraws
 * @name: at most GPUBP_NAME_MAX - 1 bytes, not empty
 * @code: the range is a code object
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int gpubp_buffer_name(struct gpubp_ctx *ctx, u64 va, u64 size,
		      const char *name, bool code);

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
int __gpubp_ctx_hold(struct gpubp_ctx *ctx);

/**
 * gpubp_ctx_hold() - wait until what @ctx's events ask for is armed
 * @ctx: context about to dispatch
 *
 * For providers with caps.can_hold, before each dispatch. One patched nop
 * while no event exists. May sleep, for one commit; hold no lock that an op
 * takes.
 *
 * Return: 0, or -EINTR when a fatal signal came first.
 */
static inline int gpubp_ctx_hold(struct gpubp_ctx *ctx)
{
	if (static_branch_unlikely(&gpubp_active))
		return __gpubp_ctx_hold(ctx);
	return 0;
}

#endif /* _LINUX_GPUBP_H */
