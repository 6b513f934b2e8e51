/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The toy GPU: the common part of the test providers.
 *
 * Its waves execute instructions of 16 bytes from the memory of their context,
 * one after the other in one thread, so that everything is deterministic. They
 * stop and resume as <linux/gpubp.h> says, in the scope that the provider
 * declares. Breaches of the contract by the core are recorded as complaints.
 *
 * Locks, outermost first:
 * 1. toy_gpu.run (mutex): held while an instruction is executed and its
 *    stop is reported; no wave makes progress while it is held
 * 2. toy_gpu.lock (raw, irqs off): everything else
 */
#ifndef _GPUBP_TOY_H
#define _GPUBP_TOY_H

#include <linux/gpubp.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#define TOY_WAVES	32
#define TOY_SMS		16
#define TOY_REGS	16
#define TOY_CTLS	2
#define TOY_SIZE	0x10000

/* regions of each context; nothing else is mapped */
#define TOY_DATA	0x200000ULL
#define TOY_CODE	0x400000ULL
#define TOY_SAVE	0x600000ULL	/* registers of stopped waves */

enum toy_region {
	TOY_REGION_DATA,
	TOY_REGION_CODE,
	TOY_REGION_SAVE,
	TOY_NR_REGIONS,
};

enum toy_op {
	TOY_OP_END,
	TOY_OP_ACCESS,
	TOY_OP_NOP,
	TOY_OP_JUMP,		/* by toy_insn.offset */
	TOY_OP_BREAK = 0x42,	/* low byte of TOY_BREAK_WORD */
};

#define TOY_BREAK_WORD	0x21425442

/*
 * Faults that are injected on request. tests/conform/guest/faults.list has the
 * case of the conformance suite that must detect each.
 */
#define TOY_FAULTS(X)							\
	X(NONE)								\
	/* contexts */							\
	X(DOORBELL)	/* a queue is not found by its doorbell */	\
	X(CREATOR)	/* contexts belong to the first one's process */ \
	X(UNFENCED)	/* a fenced context is reported as unfenced */	\
	X(STALL_UNTOLD)	/* the limit of a wave's stop time is not reported */ \
	X(FORGETS_OWED)	/* a killed wave is freed before its hit_done */ \
	/* comparators */						\
	X(SPURIOUS)	/* every access stops the wave */		\
	X(END)		/* only the first byte of an access is compared */ \
	X(COARSE)	/* blocks and reported addresses are coarser by 2 */ \
	X(HOLES)	/* only the lowest bit of a mask is used */	\
	X(ATOMICS)	/* the mode of stores misses atomics */		\
	X(UNALIGNED)	/* unaligned accesses are not compared */	\
	X(STALE_VALUE)	/* a slot in use keeps its address */		\
	X(LINGERS)	/* invalid slots match, and hits are never done */ \
	X(TIRED)	/* a slot matches three times per commit of it */ \
	X(ONE_SLOT)	/* one valid slot matches only */		\
	X(SPENT)	/* once all slots are invalid, none matches again */ \
	/* hits */							\
	X(HIT_DONE)	/* a wave that hit is not resumed */		\
	X(GOES_ON)	/* a wave that hit does not wait for hit_done */ \
	X(TWICE)	/* a hit is reported twice */			\
	X(PER_SLOT)	/* a hit is reported once for each slot */	\
	X(BREAK)	/* a breakpoint in memory is ignored */		\
	X(DONE_RESUMES)	/* hit_done resumes halted waves */		\
	/* device events */						\
	X(UNTOLD)	/* a reset is not reported */			\
	X(FIRST_COMMIT)	/* the first program after a reset is lost */	\
	X(STAYS_QUIET)	/* a device reports nothing once plugged again */ \
	X(KEEPS_SLOTS)	/* slots are not released */			\
	X(LOSE_ALL)	/* all slots are lost, not only reported ones */ \
	X(RETURN_UNTOLD) /* returned slots are not reported */		\
	X(FAIL_UNTOLD)	/* slots that fail are not reported */		\
	/* memory */							\
	X(WRITE_SHORT)	/* the last byte is not written */		\
	X(LENGTH)	/* mem_rw always reports a full copy */		\
	X(NOWHERE)	/* mem_rw of unmapped memory copies 0 bytes */	\
	X(SPACE)	/* memory of waves is treated as global memory */ \
	X(NO_WAVE)	/* memory of waves: waves are never found */	\
	X(MAPPING)	/* a mapping is reported with half its size */	\
	X(FLUSH)	/* a flush ignores its timeout and succeeds */	\
	/* waves */							\
	X(LIST_STOPPED)	/* running waves are listed as stopped */	\
	X(SPLIT)	/* each request reads the first's registers */	\
	X(RUNNING)	/* registers of running waves can be read */	\
	X(WRITE_SOME)	/* a failing request writes some registers */	\
	X(SCOPE)	/* a halt stops one wave only */		\
	X(NESTING)	/* halts do not nest */				\
	X(HALT_SOME)	/* a halt that fails stops some waves */	\
	X(STEP_TWO)	/* a step executes two instructions */		\
	X(STEP_MISSES)	/* a step matches no slots */			\
	X(STEP_END)	/* a step that ends the wave succeeds */	\
	X(STEP_SUSPENDED) /* a suspended wave is stepped */		\
	X(STEP_LOST)	/* the first step after a suspension is lost */	\
	X(SUSPENDED_RUN) /* suspended contexts execute */		\
	X(SUSPENDED_READ) /* reads of suspended waves' registers fail */ \
	X(SUSPEND_HALF)	/* a failing suspension suspends */		\
	X(EDIT_LOST)	/* written control registers are lost */

#define TOY_FAULT_ENUM(_name)	TOY_FAULT_##_name,
enum toy_fault {
	TOY_FAULTS(TOY_FAULT_ENUM)
};

bool toy_fault(enum toy_fault fault);

/* control registers of a wave */
enum toy_ctl {
	TOY_CTL_TRAPS,	/* stops for matches; initially as launched */
	TOY_CTL_MATCHED, /* slots matched since the last stop for one */
};

/**
 * struct toy_insn - an instruction
 * @op: enum toy_op
 * @access: one GPUBP_ACCESS_*
 * @width: bytes accessed
 * @base: first register of the pair with the base address
 * @offset: added to the base
 */
struct toy_insn {
	u8 op;
	u8 access;
	u16 width;
	u32 base;
	u64 offset;
};

extern const struct gpubp_isa toy_isa;

/**
 * struct toy_hold - stops a set of waves
 * @halts: number of halts minus resumes
 * @hit: a hit of @wave is pending
 * @wave: id of that wave
 */
struct toy_hold {
	unsigned int halts;
	bool hit;
	u64 wave;
};

/**
 * struct toy_wave - a wave, kept until the core's hit_done even if it has ended
 * @id: never reused, 0: free
 * @ctx: context
 * @ended: it does not run any more
 * @hit_pending: a hit of it was reported and hit_done is outstanding
 * @pc: next instruction
 * @reg: registers: @file, or a save area in memory
 * @file: see above
 * @ctl: control registers
 * @launched_untrapped: launched without traps because nothing was watched
 * @sm: multiprocessor
 * @hold: its hold, if waves stop individually
 */
struct toy_wave {
	u64 id;
	struct toy_ctx *ctx;
	bool ended;
	bool hit_pending;
	u64 pc;
	u32 *reg;
	u32 file[TOY_REGS];
	u32 ctl[TOY_CTLS];
	bool launched_untrapped;
	unsigned int sm;
	struct toy_hold hold;
};

/**
 * struct toy_ctx - an address space; freed with the GPU, so that late ops are
 *	detected
 * @node: in toy_gpu.ctxs
 * @gpu: its GPU
 * @core: the core's object
 * @queue: its queue
 * @nr: number from which all its ids are derived
 * @alive: ops may be called
 * @going: it is being destroyed: programs may include it or not
 * @fenced: it must never be halted
 * @suspended: number of ctx_suspend minus ctx_resume
 * @nr_waves: waves that have not ended
 * @code_used: bytes of code
 * @mem: regions
 * @hold: its hold, if its waves stop together
 * @prog: its part of the last program
 * @valid: slots that match
 * @pending: the commit that stays pending until waves launched without traps
 *	have ended, or 0
 * @creator: thread that created it
 * @spent: all its slots were invalidated once (TOY_FAULT_SPENT)
 * @back: it was suspended since the last step (TOY_FAULT_STEP_LOST)
 */
struct toy_ctx {
	struct list_head node;
	struct toy_gpu *gpu;
	struct gpubp_ctx *core;
	struct gpubp_queue *queue;
	unsigned int nr;
	bool alive;
	bool going;
	bool fenced;
	unsigned int suspended;
	unsigned int nr_waves;
	u32 code_used;
	u8 *mem[TOY_NR_REGIONS];
	struct toy_hold hold;
	struct gpubp_ctx_prog prog;
	u32 valid;
	u64 pending;
	struct pid *creator;
	bool spent;
	bool back;
};

/**
 * struct toy_gpu - a GPU; a provider sets @desc, @matches and @stopped
 * @desc: description for registration
 * @matches: slots that an access matches; NULL without comparators. Under @lock
 * @stopped: report a hit to the core, now or later; called with @run held
 * @regs_in_memory: registers of waves are in memory (toy_wave_save_va)
 * @traps_at_launch: waves keep the trap setting that they were launched with
 * @core: the core's object
 * @run: see above
 * @lock: see above
 * @thread: executes waves
 * @ctxs: contexts, dead ones included
 * @nr_ctxs: number of contexts created
 * @wave: waves
 * @next: index at which the thread looks for a runnable wave next
 * @last_id: last wave id used
 * @sm: holds of the multiprocessors
 * @slot: the device-wide part of the last program
 * @acquired: slots that the core has acquired
 * @registered: ops may be called
 * @quiet: do not report hits
 * @suspended: between suspend and resume
 * @preempted: no wave runs
 * @forgot: the next program must name every context
 * @no_suspend: contexts cannot be suspended
 * @read_ms: duration of reads of memory and registers
 * @raised: number of hits reported
 * @nr_complaints: breaches of the contract
 * @complaint: the first of them
 */
struct toy_gpu {
	struct gpubp_device_desc desc;
	u32 (*matches)(struct toy_ctx *ctx, u64 va, const struct toy_insn *insn);
	void (*stopped)(struct toy_gpu *gpu, const struct gpubp_hit *hit);
	bool regs_in_memory;
	bool traps_at_launch;
	struct gpubp_device *core;
	struct mutex run;
	raw_spinlock_t lock;
	struct task_struct *thread;
	struct list_head ctxs;
	unsigned int nr_ctxs;
	struct toy_wave wave[TOY_WAVES];
	unsigned int next;
	u64 last_id;
	struct toy_hold sm[TOY_SMS];
	struct gpubp_slot_prog slot[GPUBP_MAX_SLOTS];
	u32 acquired;
	bool registered;
	bool quiet;
	bool suspended;
	bool preempted;
	bool forgot;
	bool no_suspend;
	unsigned int read_ms;
	u64 raised;
	atomic_t nr_complaints;
	char complaint[128];
};

/* gpu.c: the device */
int toy_gpu_init(struct toy_gpu *gpu);
void toy_gpu_exit(struct toy_gpu *gpu);
int toy_gpu_plug(struct toy_gpu *gpu);
void toy_gpu_unplug(struct toy_gpu *gpu);
void toy_gpu_reset(struct toy_gpu *gpu);
void toy_gpu_suspend(struct toy_gpu *gpu);
void toy_gpu_resume(struct toy_gpu *gpu);
void toy_gpu_quiesce(void *priv);
void toy_gpu_wake(struct toy_gpu *gpu);

/* check.c: breaches of the contract */
__printf(2, 3) void toy_complain(struct toy_gpu *gpu, const char *fmt, ...);
void toy_check_op(struct toy_gpu *gpu, const char *op);
struct toy_ctx *toy_check_ctx(void *ctx, const char *op);
void toy_check_program(struct toy_gpu *gpu, const struct gpubp_program *prog);

/* ctx.c: contexts and their memory */
struct toy_ctx *toy_ctx_create(struct toy_gpu *gpu, bool fenced,
			       u32 max_stall_us);
void toy_ctx_destroy(struct toy_ctx *ctx);
void toy_ctx_free(struct toy_ctx *ctx);
u8 *toy_ctx_mem(struct toy_ctx *ctx, u64 va, size_t *len,
		enum toy_region *region);
u64 toy_ctx_load(struct toy_ctx *ctx, const struct toy_insn *insn,
		 unsigned int nr);
u32 toy_ctx_doorbell(const struct toy_ctx *ctx);
u32 toy_ctx_vmid(const struct toy_ctx *ctx);

/* wave.c: execution; under toy_gpu.lock but for _start() and toy_gpu_*() */
u64 toy_wave_start(struct toy_ctx *ctx, u64 pc);
struct toy_wave *toy_wave_find(struct toy_gpu *gpu, u64 id);
struct toy_hold *toy_wave_hold(struct toy_wave *wave);
bool toy_wave_stopped(struct toy_wave *wave);
bool toy_ctx_pending(struct toy_ctx *ctx, u64 seq);
void toy_wave_end(struct toy_wave *wave);
u64 toy_wave_save_va(const struct toy_wave *wave);
bool toy_gpu_runnable(struct toy_gpu *gpu);
void toy_gpu_run_one(struct toy_gpu *gpu);
void toy_wave_execute(struct toy_wave *wave);

/* hit.c: reports of hits */
void toy_hit_report(struct toy_gpu *gpu, const struct gpubp_hit *hit);
void toy_hit_done(void *priv, const struct gpubp_hit *hit);

/* mem.c, halt.c, regs.c: ops that providers share */
ssize_t toy_mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
		   size_t len, unsigned int how);
int toy_mem_translate(void *ctx, const struct gpubp_where *where,
		      struct gpubp_mapping *out);
int toy_list_waves(void *ctx, struct gpubp_wave_info *out, unsigned int max);
int toy_read_wave(void *priv, u64 wave, const struct gpubp_reg_req *req,
		  unsigned int nr, u32 *out);
int toy_write_wave(void *priv, u64 wave, const struct gpubp_reg_req *req,
		   unsigned int nr, const u32 *in);
int toy_halt(void *priv, const struct gpubp_waves *waves);
int toy_resume(void *priv, const struct gpubp_waves *waves);
int toy_step(void *priv, const struct gpubp_waves *waves);
int toy_ctx_suspend(void *priv, void * const *ctxs, unsigned int nr,
		    unsigned int grace_ms);
void toy_ctx_resume(void *priv, void * const *ctxs, unsigned int nr);

#endif /* _GPUBP_TOY_H */
