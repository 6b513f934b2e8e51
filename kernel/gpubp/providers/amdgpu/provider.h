/* SPDX-License-Identifier: GPL-2.0 */
/* The provider's objects: a node, its contexts, their queues. */
#ifndef _GPUBP_PROVIDERS_AMDGPU_PROVIDER_H
#define _GPUBP_PROVIDERS_AMDGPU_PROVIDER_H

#include <linux/gpubp.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "gpubp_amdgpu.h"
#include "program.h"

/*
 * Locks, in the order in which they are taken, after those of the KFD that a
 * hook is called with and before those that the KFD's functions take:
 *
 * 1. gpubp_amd_node.lock: contexts, what they asked for, who has a VMID
 * 2. gpubp_amd_node.report_lock: shared while a hit is reported, exclusive
 *    to make contexts come and go; never with DQM's lock inside, so that hits
 *    are reported while a commit waits for firmware
 * 3. gpubp_amd_ctx.lock: handler and memory of a context
 * 4. node->watch_points_lock (the KFD's): which comparators are ours
 * 5. gpubp_amd_node.stop_lock: stopped waves
 * 6. gpubp_amd_ctx.old_lock: queues with waves that lack traps
 *
 * Hooks that are called with DQM's lock take none of the mutexes, since a
 * commit takes DQM's lock under the first of them.
 */

/**
 * struct gpubp_amd_node - a KFD node: a GPU, or a partition of one
 * @node: the KFD's
 * @gen: its registers
 * @core: gpubp's
 * @reported: the KFD tells which VMID a context has (no HWS)
 * @lock: of @ctxs, @holder, @traps
 * @report_lock: of @ctxs, for those that report hits
 * @ctxs: contexts
 * @holder: context that has the debug VMID, or NULL
 * @reload_work: programs comparators again, after VMIDs changed
 * @traps: waves trap on comparators, on a node where that is everybody's
 * @ours: comparators that the KFD does not give to debuggers
 * @wanted: comparators that shall be ours once they are given back
 * @value: compared addresses
 * @stop_lock: of @stopped, @going, @last_wave, @quiet
 * @stopped: waves that somebody holds
 * @going: waves that nobody holds any more
 * @none_stopped: woken when there is no stopped wave
 * @go_work: lets them go on
 * @last_wave: the newest wave's number
 * @quiet: nothing is reported any more
 */
struct gpubp_amd_node {
	struct kfd_node *node;
	const struct gpubp_amd_gen *gen;
	struct gpubp_device *core;
	bool reported;
	struct mutex lock;
	struct rw_semaphore report_lock;
	struct list_head ctxs;
	struct gpubp_amd_ctx *holder;
	struct work_struct reload_work;
	bool traps;
	u32 ours;
	u32 wanted;
	u64 value[GPUBP_AMD_NR_SLOTS];
	spinlock_t stop_lock;
	struct list_head stopped;
	struct list_head going;
	wait_queue_head_t none_stopped;
	struct work_struct go_work;
	u32 last_wave;
	bool quiet;
};

/**
 * struct gpubp_amd_ctx - a process's address space on a node
 * @link: in node->ctxs
 * @node: its node
 * @pdd: the KFD's
 * @mm: address space that the process had when it opened the node; mmgrab()bed
 * @core: gpubp's
 * @vmid: VMID it has now, where that is known; else 0
 * @prog: what the last commit asked for; @prog.ctx is not used
 * @watched: @prog asks for something
 * @nr_halts: how often everything was halted; under node->lock
 * @old_lock: of @old_queues, gpubp_amd_queue.old, @old_seq
 * @old_queues: queues whose waves may lack the traps of the last commit
 * @old_seq: the last commit that was told of them
 * @lock: of what follows
 * @handler: ours is installed
 * @user_tba: the process's own handler meanwhile
 * @user_tma: its memory
 * @blocks: memory that was allocated for the core
 */
struct gpubp_amd_ctx {
	struct list_head link;
	struct gpubp_amd_node *node;
	struct kfd_process_device *pdd;
	struct mm_struct *mm;
	struct gpubp_ctx *core;
	u32 vmid;
	struct gpubp_ctx_prog prog;
	bool watched;
	unsigned int nr_halts;
	spinlock_t old_lock;
	unsigned int old_queues;
	u64 old_seq;
	struct mutex lock;
	bool handler;
	u64 user_tba;
	u64 user_tma;
	struct list_head blocks;
};

/**
 * struct gpubp_amd_queue - a user queue
 * @ctx: its context
 * @core: gpubp's
 * @old: ctx->old_queues counts it; under ctx->old_lock
 */
struct gpubp_amd_queue {
	struct gpubp_amd_ctx *ctx;
	struct gpubp_queue *core;
	bool old;
};

/**
 * struct gpubp_amd_place - where a wave is
 * @xcc: graphics core of the node
 * @se: shader engine
 * @sh: shader array
 * @cu: compute unit; workgroup processor from gfx10 on
 * @simd: SIMD
 * @wave: slot
 */
struct gpubp_amd_place {
	u8 xcc;
	u8 se;
	u8 sh;
	u8 cu;
	u8 simd;
	u8 wave;
};

/* doorbell ids are a process's own; the core's are a node's */
static inline u32 gpubp_amd_doorbell(u32 pasid, u32 doorbell_id)
{
	return pasid << 10 | (doorbell_id & 0x3ff);
}

/* commit.c */
void gpubp_amd_commit_init(struct gpubp_amd_node *node);
void gpubp_amd_commit(void *dev, const struct gpubp_program *prog,
		      struct gpubp_commit_result *res);
void gpubp_amd_commit_forget(struct gpubp_amd_ctx *ctx);

/* slots.c */
int gpubp_amd_acquire(void *dev, u32 slots);
void gpubp_amd_release(void *dev, u32 slots);

/* ctx.c */
int gpubp_amd_ctx_suspend(void *dev, void * const *ctxs, unsigned int nr,
			  unsigned int grace_ms);
void gpubp_amd_ctx_resume(void *dev, void * const *ctxs, unsigned int nr);
int gpubp_amd_ctx_evict(struct gpubp_amd_ctx *ctx);
void gpubp_amd_ctx_restore(struct gpubp_amd_ctx *ctx);
void gpubp_amd_ctx_age_queues(struct gpubp_amd_ctx *ctx);
bool gpubp_amd_ctx_is_old(struct gpubp_amd_ctx *ctx, u64 seq);

/* handler.c */
int gpubp_amd_trap_install(void *ctx, u64 tba, u64 tma);
void gpubp_amd_trap_remove(void *ctx);
int gpubp_amd_code_alloc(void *ctx, size_t size, u64 *va);
void gpubp_amd_code_free(void *ctx, u64 va);

/* memory.c */
ssize_t gpubp_amd_mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
			 size_t len, unsigned int how);
int gpubp_amd_mem_translate(void *ctx, const struct gpubp_where *where,
			    struct gpubp_mapping *out);
int gpubp_amd_flush(void *ctx, u32 what, unsigned int timeout_ms);

/* sq.c */
int gpubp_amd_sq_state(struct gpubp_amd_node *node,
		       const struct gpubp_amd_place *place,
		       struct gpubp_hit *hit);
bool gpubp_amd_sq_has(const struct gpubp_reg_req *req, unsigned int nr);
void gpubp_amd_sq_read(struct gpubp_amd_node *node,
		       const struct gpubp_amd_place *place,
		       const struct gpubp_reg_req *req, unsigned int nr,
		       u32 *out);
void gpubp_amd_sq_go(struct gpubp_amd_node *node,
		     const struct gpubp_amd_place *place, u32 vmid);

/* wave.c */
void gpubp_amd_waves_init(struct gpubp_amd_node *node);
u64 gpubp_amd_wave_add(struct gpubp_amd_node *node, struct gpubp_amd_ctx *ctx,
		       const struct gpubp_amd_place *place, u32 vmid);
void gpubp_amd_wave_put(struct gpubp_amd_node *node, u64 wave);
void gpubp_amd_waves_wait(struct gpubp_amd_node *node);
void gpubp_amd_waves_drop(struct gpubp_amd_node *node,
			  struct gpubp_amd_ctx *ctx);
int gpubp_amd_read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
			unsigned int nr, u32 *out);
int gpubp_amd_halt(void *dev, const struct gpubp_waves *waves);
int gpubp_amd_resume(void *dev, const struct gpubp_waves *waves);
void gpubp_amd_hit_done(void *dev, const struct gpubp_hit *hit);
void gpubp_amd_quiesce(void *dev);

#endif /* _GPUBP_PROVIDERS_AMDGPU_PROVIDER_H */
