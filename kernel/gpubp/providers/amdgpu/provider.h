/* SPDX-License-Identifier: GPL-2.0 */
/* The provider's objects: nodes, their contexts and queues. */
#ifndef _GPUBP_PROVIDERS_AMDGPU_PROVIDER_H
#define _GPUBP_PROVIDERS_AMDGPU_PROVIDER_H

#include <linux/gpubp.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "gpubp_amdgpu.h"
#include "program.h"

/* of a node's waves, thousands at most, and contexts */
#define GPUBP_AMD_HASH_BITS	9

/*
 * Lock order, outermost first; inside the KFD's locks that a hook is called
 * with, outside those that the KFD's functions take:
 *
 * 1. gpubp_amd_node.lock: contexts, their programs, owner of the debug VMID
 * 2. gpubp_amd_node.report_lock: shared while a hit is reported, exclusive
 *    to add or remove contexts; never with DQM's lock inside, so that hits
 *    are reported while a commit waits for firmware
 * 3. gpubp_amd_ctx.lock: handler and memory of a context
 * 4. node->watch_points_lock (the KFD's): comparators owned by the provider
 * 5. gpubp_amd_node.stop_lock: waves that are known
 * 6. gpubp_amd_ctx.stale_lock: queues with waves that lack traps
 * 7. gpubp_amd_fault.lock: a page fault that amdkfd gets later
 *
 * gpubp_amd_ctx.records_lock is outside of all but the first, and off_lock inside it and
 * outside of stop_lock.
 * gpubp_amd_ctx.lock is outside of blocks_lock; that and gpubp_amd_clock.lock
 * are inside of all.
 *
 * Hooks that are called with DQM's lock held take none of the mutexes, as a
 * commit takes DQM's lock inside the first of them.
 */

/**
 * struct gpubp_amd_clock - when the clock of waves was read
 * @lock: of the others
 * @ticks: what it was
 * @ns: when, CLOCK_MONOTONIC; 0: never
 */
struct gpubp_amd_clock {
	struct mutex lock;
	u64 ticks;
	u64 ns;
};

/**
 * struct gpubp_amd_node - a KFD node: a GPU, or a partition of one
 * @node: the KFD's node
 * @gen: its registers
 * @isa: its instruction set, with our trap handler; NULL: there is no handler
 * @core: the core's device
 * @reported: the KFD reports the VMID of each context (no HWS)
 * @lock: of @ctxs, @by_pasid, @vmid_ctx, @traps
 * @report_lock: of @ctxs and @by_pasid, for reports of hits
 * @ctxs: contexts
 * @by_pasid: contexts
 * @vmid_ctx: context that has the debug VMID, or NULL
 * @reload_work: programs contexts again after a change of VMIDs, or when a
 *	debugger has detached
 * @stale_work: looks for the end of stale waves
 * @stale_delay: until it looks once more, jiffies; under @lock
 * @traps: waves trap on comparators, on a node where this is set for all VMIDs
 * @missed: contexts may lack control words, as queues could not be unmapped for them;
 *	under @lock
 * @owned: comparators that are allocated from the KFD
 * @wanted: comparators to be allocated when a debugger frees them
 * @value: compared addresses
 * @stop_lock: of @stopped, @resuming, @lost, @listed, @by_id, @by_key, @last_wave,
 *	@last_call, @quiesced
 * @stopped: halted waves with at least one hold
 * @resuming: halted waves without a hold, to be resumed
 * @lost: the same, but they are not where they were
 * @listed: waves that run, and were listed
 * @by_id: waves, by the lower half of the id, which is the name of those that have one
 * @by_key: waves, by what tells their stops apart
 * @none_stopped: woken when there is no stopped wave
 * @none_using: woken when a context is not used any more
 * @step_wait: woken when a wave has made its step
 * @resume_work: resumes waves of @resuming
 * @find_lock: one search at a time; outside DQM's lock and @report_lock
 * @find_work: searches for waves that are not where they were
 * @find_pass: number of the last search
 * @find_tries: how often it did
 * @last_wave: id of the newest wave
 * @last_call: number of the last call that lists waves
 * @quiesced: no hit is reported, for ever or until gpubp_amd_waves_start()
 * @clock: that of its waves
 */
struct gpubp_amd_node {
	struct kfd_node *node;
	const struct gpubp_amd_gen *gen;
	const struct gpubp_isa *isa;
	struct gpubp_device *core;
	bool reported;
	struct mutex lock;
	struct rw_semaphore report_lock;
	struct list_head ctxs;
	DECLARE_HASHTABLE(by_pasid, GPUBP_AMD_HASH_BITS);
	struct gpubp_amd_ctx *vmid_ctx;
	struct work_struct reload_work;
	struct delayed_work stale_work;
	unsigned long stale_delay;
	bool traps;
	bool missed;
	u32 owned;
	u32 wanted;
	u64 value[GPUBP_AMD_NR_SLOTS];
	spinlock_t stop_lock;
	struct list_head stopped;
	struct list_head resuming;
	struct list_head lost;
	struct list_head listed;
	DECLARE_HASHTABLE(by_id, GPUBP_AMD_HASH_BITS);
	DECLARE_HASHTABLE(by_key, GPUBP_AMD_HASH_BITS);
	wait_queue_head_t none_stopped;
	wait_queue_head_t none_using;
	wait_queue_head_t step_wait;
	struct work_struct resume_work;
	struct mutex find_lock;
	struct delayed_work find_work;
	u64 find_pass;
	atomic_t find_tries;
	u64 last_wave;
	u64 last_call;
	bool quiesced;
	struct gpubp_amd_clock clock;
};

/**
 * struct gpubp_amd_words - debug settings that are mapped with a process
 * @trap: bits of SPI_GDBG_PER_VMID_CNTL
 * @watch: TCP_WATCHn_CNTL, 0 for comparators that are not ours
 * @precise: single memory operations
 */
struct gpubp_amd_words {
	u32 trap;
	u32 watch[GPUBP_AMD_NR_SLOTS];
	bool precise;
};

/**
 * enum gpubp_amd_fault_state - of the page fault of a context
 * @GPUBP_AMD_FAULT_NONE: there is none
 * @GPUBP_AMD_FAULT_HELD: amdkfd does not have it
 * @GPUBP_AMD_FAULT_RESOLVED: the same; the hit of a wave that failed is resolved
 * @GPUBP_AMD_FAULT_RETURNED: it is on its way to amdkfd
 */
enum gpubp_amd_fault_state {
	GPUBP_AMD_FAULT_NONE,
	GPUBP_AMD_FAULT_HELD,
	GPUBP_AMD_FAULT_RESOLVED,
	GPUBP_AMD_FAULT_RETURNED,
};

/**
 * struct gpubp_amd_fault - a page fault that amdkfd gets later
 * @lock: of @state, @entry
 * @state: state
 * @until: amdkfd has it then at the latest, jiffies; does not change while it is held
 * @entry: its interrupt; does not change while it is on its way
 * @work: gives it to amdkfd
 */
struct gpubp_amd_fault {
	spinlock_t lock;
	enum gpubp_amd_fault_state state;
	unsigned long until;
	u32 entry[8];
	struct delayed_work work;
};

/**
 * struct gpubp_amd_ctx - a process's address space on a node
 * @link: in node->ctxs
 * @by_pasid: in node->by_pasid
 * @node: its node
 * @pdd: the KFD's process data of the node
 * @mm: address space that the process had when it opened the node; mmgrab()bed
 * @core: the core's context
 * @vmid: its VMID now, if that is known; else 0
 * @prog: program of the last commit; @prog.ctx is not used
 * @debugged: a debugger is attached, and has the debug settings for itself:
 *	@prog waits; under node->lock
 * @watched: @prog has a valid comparator or a trap, and does not wait
 * @words: with gen->banked, what the last commit gave to firmware
 * @unseen: interrupts of waves that were not where they should be
 * @find_pass: the last search that looked here; under node->find_lock
 * @nr_halts: number of pending halts of all its waves; under node->lock
 * @users: works that use it: it is not freed; under node->stop_lock
 * @records_lock: held while waves in memory are halted or let go on, so that each halted
 *	one is either known, or has yet to be reported
 * @off_lock: held while its queues are evicted or restored; outside DQM's lock
 * @nr_suspended: suspensions and halts by the core
 * @nr_off: evictions by the provider; under @off_lock
 * @dequeued: the KFD destroys its queues: they are not touched any more; under @off_lock
 * @off_seq: counts the times that @nr_off was 0: its waves may have moved; changed
 *	with @off_lock and node->stop_lock held
 * @stale_lock: of @stale_queues, gpubp_amd_queue.stale, @stale_seq
 * @stale_queues: queues whose waves may lack the traps of the last commit
 * @stale_seq: the last commit that was reported pending, because of them or of
 *	a debugger; 0: none, or it is settled
 * @fault: page fault
 * @lock: of the following
 * @handler: the core's trap handler is installed, unless @hidden
 * @hidden: a debugger is attached, and expects the process's own handler
 * @tba: the core's handler
 * @tma: its memory
 * @user_tba: the process's own handler, which ours calls
 * @user_tma: the memory of that handler
 * @blocks: memory allocated for the core; also under @blocks_lock
 * @blocks_lock: of @blocks, inside @lock; held while one is read or written
 */
struct gpubp_amd_ctx {
	struct list_head link;
	struct hlist_node by_pasid;
	struct gpubp_amd_node *node;
	struct kfd_process_device *pdd;
	struct mm_struct *mm;
	struct gpubp_ctx *core;
	u32 vmid;
	struct gpubp_ctx_prog prog;
	bool debugged;
	bool watched;
	struct gpubp_amd_words words;
	atomic_t unseen;
	u64 find_pass;
	unsigned int nr_halts;
	unsigned int users;
	struct mutex records_lock;
	struct mutex off_lock;
	atomic_t nr_suspended;
	unsigned int nr_off;
	bool dequeued;
	u64 off_seq;
	spinlock_t stale_lock;
	unsigned int stale_queues;
	u64 stale_seq;
	struct gpubp_amd_fault fault;
	struct mutex lock;
	bool handler;
	bool hidden;
	u64 tba;
	u64 tma;
	u64 user_tba;
	u64 user_tma;
	struct list_head blocks;
	struct rw_semaphore blocks_lock;
};

/**
 * struct gpubp_amd_queue - a user queue
 * @ctx: its context
 * @core: the core's queue
 * @stale: ctx->stale_queues counts it; under ctx->stale_lock
 */
struct gpubp_amd_queue {
	struct gpubp_amd_ctx *ctx;
	struct gpubp_queue *core;
	bool stale;
};

/**
 * struct gpubp_amd_place - hardware location of a wave
 * @xcc: graphics core of the node
 * @se: shader engine
 * @sh: shader array
 * @cu: compute unit; workgroup processor from gfx10 on
 * @simd: SIMD
 * @wave: wave slot
 */
struct gpubp_amd_place {
	u8 xcc;
	u8 se;
	u8 sh;
	u8 cu;
	u8 simd;
	u8 wave;
};

/**
 * struct gpubp_amd_mark - tells a wave from others
 * @record: gpubp_isa.record_mark() of its last stop; 0: the wave has no record, or there
 *	is no handler of ours
 * @vmid: VMID that it has now
 * @doorbell: of its queue, as the core has it; 0: not known
 * @name: lower half of its id, if it was listed (wave.h)
 * @own: what is its own since its launch, if the dispatcher says that: number of the
 *	dispatch in the queue, workgroup, number in that
 */
struct gpubp_amd_mark {
	u32 record;
	u8 vmid;
	u32 doorbell;
	u32 name;
	u32 own[5];
};

/* ttmp4 to ttmp11, in which these are */
#define GPUBP_AMD_MARK_REGS	8

/**
 * struct gpubp_amd_found - a halted wave
 * @is_placed: @place is known; else it was found in memory
 * @in_handler: it had not left its handler when it was found at @place
 * @packets: how much of packets firmware had been sent then: until more are sent, the wave
 *	stays; 0: it may have moved
 * @place: where
 * @mark: which
 */
struct gpubp_amd_found {
	bool is_placed;
	bool in_handler;
	u64 packets;
	struct gpubp_amd_place place;
	struct gpubp_amd_mark mark;
};

/* doorbell ids, which waves find out, are unique in a process; the core's in a node */
static inline u32 gpubp_amd_doorbell(u32 pasid, u32 doorbell_id)
{
	return pasid << 10 | (doorbell_id & 0x3ff);
}

/* shader arrays that the trap handler distinguishes */
#define GPUBP_AMD_HANDLER_ARRAYS	16

/* device.c */
u32 gpubp_amd_nr_waves(const struct kfd_node *node);
void gpubp_amd_first_records(u32 first[GPUBP_AMD_HANDLER_ARRAYS]);
bool gpubp_amd_record_place(u32 index, struct gpubp_amd_place *place);

/* records.c */
void gpubp_amd_mark_set(const struct gpubp_amd_node *n, struct gpubp_amd_mark *mark,
			const u32 ttmp4[GPUBP_AMD_MARK_REGS]);

/* edit.c, list.c, step.c */
int gpubp_amd_write_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
			 unsigned int nr, const u32 *in);
int gpubp_amd_list_waves(void *ctx, struct gpubp_wave_info *out, unsigned int max);
int gpubp_amd_step(void *dev, const struct gpubp_waves *waves);
bool gpubp_amd_step_report(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
			   const struct gpubp_amd_found *found);

/* find.c */
void gpubp_amd_find_init(struct gpubp_amd_node *node);
void gpubp_amd_find_stop(struct gpubp_amd_node *node);
void gpubp_amd_find_now(struct gpubp_amd_node *node);
void gpubp_amd_find_later(struct gpubp_amd_node *node);
bool gpubp_amd_find_wants(struct gpubp_amd_node *node);

/* hit.c */
bool gpubp_amd_hit_found(struct gpubp_amd_node *node, struct gpubp_amd_ctx *ctx,
			 const struct gpubp_amd_found *found);

/* commit.c */
void gpubp_amd_commit_init(struct gpubp_amd_node *node);
void gpubp_amd_commit_stop(struct gpubp_amd_node *node);
void gpubp_amd_commit(void *dev, const struct gpubp_program *prog,
		      struct gpubp_commit_result *res);
void gpubp_amd_commit_exit_ctx(struct gpubp_amd_ctx *ctx);

/* slots.c */
int gpubp_amd_acquire(void *dev, u32 slots);
void gpubp_amd_release(void *dev, u32 slots);

/* ctx.c */
struct gpubp_amd_ctx *gpubp_amd_ctx_find(struct gpubp_amd_node *node, u32 pasid);
int gpubp_amd_ctx_suspend(void *dev, void * const *ctxs, unsigned int nr,
			  unsigned int grace_ms);
void gpubp_amd_ctx_resume(void *dev, void * const *ctxs, unsigned int nr);
int gpubp_amd_ctx_stop(struct gpubp_amd_ctx *ctx);
void gpubp_amd_ctx_go_on(struct gpubp_amd_ctx *ctx);
bool gpubp_amd_ctx_is_off(const struct gpubp_amd_ctx *ctx);
int gpubp_amd_ctx_evict(struct gpubp_amd_ctx *ctx);
void gpubp_amd_ctx_restore(struct gpubp_amd_ctx *ctx);
void gpubp_amd_ctx_mark_stale(struct gpubp_amd_ctx *ctx);
bool gpubp_amd_ctx_is_stale(struct gpubp_amd_ctx *ctx);
void gpubp_amd_ctx_clear_stale(struct gpubp_amd_ctx *ctx);
void gpubp_amd_ctx_set_pending(struct gpubp_amd_ctx *ctx, u64 seq);
void gpubp_amd_ctx_settle(struct gpubp_amd_ctx *ctx);

/* fault.c */
void gpubp_amd_fault_init(struct gpubp_amd_ctx *ctx);
void gpubp_amd_fault_exit(struct gpubp_amd_ctx *ctx);
bool gpubp_amd_fault_resolved(struct gpubp_amd_ctx *ctx);

/* handler.c */
int gpubp_amd_trap_install(void *ctx, u64 tba, u64 tma);
void gpubp_amd_trap_remove(void *ctx);
void gpubp_amd_handler_hide(struct gpubp_amd_ctx *ctx, bool hide);

/* clock.c */
void gpubp_amd_clock_init(struct gpubp_amd_node *node);
bool gpubp_amd_has_clock(const struct kfd_node *node);
u64 gpubp_amd_clock_ns(void *dev, u64 clock);

/* blocks.c */
int gpubp_amd_code_alloc(void *ctx, size_t size, u64 *va);
void gpubp_amd_code_free(void *ctx, u64 va);
void *gpubp_amd_code_map(void *ctx, u64 va);
size_t gpubp_amd_block_rw(struct gpubp_amd_ctx *ctx, u64 va, void *buf, size_t len,
			  bool write);

/*
 * memory.c. GPUBP_AMD_MEM_FAULT: pages of the process may be faulted in if that waits for
 * no other process, without GPUBP_MEM_WAIT, too.
 */
#define GPUBP_AMD_MEM_FAULT	BIT(31)
ssize_t gpubp_amd_mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
			 size_t len, unsigned int how);
int gpubp_amd_mem_translate(void *ctx, const struct gpubp_where *where,
			    struct gpubp_mapping *out);
int gpubp_amd_flush(void *ctx, u32 what, unsigned int timeout_ms);

/* sq.c */
int gpubp_amd_sq_state(struct gpubp_amd_node *node,
		       struct gpubp_amd_found *found, struct gpubp_hit *hit);
bool gpubp_amd_sq_has(const struct gpubp_reg_req *req, unsigned int nr);
bool gpubp_amd_sq_read(struct gpubp_amd_node *node,
		       struct gpubp_amd_found *wave,
		       const struct gpubp_reg_req *req, unsigned int nr,
		       u32 *out);
bool gpubp_amd_sq_resume(struct gpubp_amd_node *node,
			 struct gpubp_amd_found *wave);

/* wave.c */
void gpubp_amd_waves_init(struct gpubp_amd_node *node);
bool gpubp_amd_wave_is_known(struct gpubp_amd_node *node,
			     const struct gpubp_amd_ctx *ctx,
			     const struct gpubp_amd_found *found);
bool gpubp_amd_waves_are_lost(struct gpubp_amd_node *node,
			      const struct gpubp_amd_ctx *ctx);
void gpubp_amd_waves_give_up(struct gpubp_amd_node *node,
			     const struct gpubp_amd_ctx *ctx);
u64 gpubp_amd_wave_add(struct gpubp_amd_node *node, struct gpubp_amd_ctx *ctx,
		       const struct gpubp_amd_found *found);
void gpubp_amd_wave_put(struct gpubp_amd_node *node, u64 wave);
void gpubp_amd_waves_wait(struct gpubp_amd_node *node);
bool gpubp_amd_waves_any(struct gpubp_amd_node *node,
			 const struct gpubp_amd_ctx *ctx);
void gpubp_amd_waves_drop(struct gpubp_amd_node *node,
			  struct gpubp_amd_ctx *ctx);
void gpubp_amd_waves_stop(struct gpubp_amd_node *node);
void gpubp_amd_waves_start(struct gpubp_amd_node *node);
int gpubp_amd_read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
			unsigned int nr, u32 *out);
int gpubp_amd_halt(void *dev, const struct gpubp_waves *waves);
int gpubp_amd_resume(void *dev, const struct gpubp_waves *waves);
void gpubp_amd_hit_done(void *dev, const struct gpubp_hit *hit);
void gpubp_amd_quiesce(void *dev);

#endif /* _GPUBP_PROVIDERS_AMDGPU_PROVIDER_H */
