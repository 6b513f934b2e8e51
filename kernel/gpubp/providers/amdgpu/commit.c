// SPDX-License-Identifier: GPL-2.0
/*
 * Commit: make the node equal to a program.
 *
 * Where control words are a process's (gen->banked), addresses are registers
 * and the words are given to the KFD, which has firmware load them: with all
 * queues unmapped in between (HWS), or by a message a process (MES). Elsewhere
 * all of it is registers.
 */
#include "amdgpu.h"
#include "kfd_debug.h"
#include "kfd_device_queue_manager.h"
#include <uapi/linux/kfd_ioctl.h>

#include "provider.h"
#include "run.h"

/*
 * How long a wave whose access matched may take to trap and to send its
 * interrupt: not documented anywhere; a generous guess.
 */
#define WINDOW_NS	(10 * NSEC_PER_MSEC)

static bool uses_mes(struct gpubp_amd_node *n)
{
	return n->node->kfd->shared_resources.enable_mes;
}

static void run(struct gpubp_amd_node *n, const struct gpubp_amd_steps *list)
{
	unsigned int xcc;

	for_each_inst(xcc, n->node->xcc_mask)
		gpubp_amd_run(n->node->adev, n->gen, xcc, list);
}

static void fail_slots(struct gpubp_commit_result *res, u32 slots, int err)
{
	unsigned int i;

	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++)
		if (slots & BIT(i))
			res->slot_err[i] = err;
}

static void write_addresses(struct gpubp_amd_node *n,
			    const struct gpubp_program *prog)
{
	struct gpubp_amd_steps list = {};
	unsigned int i;

	for (i = 0; i < prog->nr_slots; i++) {
		if (!(prog->changed_slots & BIT(i)) || !prog->slot[i].used)
			continue;
		n->value[i] = prog->slot[i].value;
		gpubp_amd_watch_address(n->gen, i, n->value[i], &list);
	}
	run(n, &list);
}

/* ---- control words ----------------------------------------------------------- */

static struct gpubp_amd_traps traps_of(const struct gpubp_amd_ctx *ctx)
{
	return (struct gpubp_amd_traps){
		.watch = ctx->prog.watch_traps,
		.exceptions = ctx->prog.exceptions,
	};
}

static struct gpubp_amd_watch watch_of(const struct gpubp_amd_ctx *ctx,
				       unsigned int slot, u32 vmid)
{
	return (struct gpubp_amd_watch){
		.mask = ctx->prog.mask[slot],
		.mode = ctx->prog.mode[slot],
		.vmid = vmid,
	};
}

/* words of @ctx, as if @hidden comparators were invalid */
static void set_words(struct gpubp_amd_ctx *ctx, u32 hidden)
{
	struct kfd_process_device *pdd = ctx->pdd;
	const struct gpubp_amd_gen *gen = ctx->node->gen;
	struct gpubp_amd_traps traps = traps_of(ctx);
	unsigned int i;

	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++) {
		struct gpubp_amd_watch watch = watch_of(ctx, i, 0);

		if (!(ctx->node->ours & BIT(i)))
			continue;
		pdd->watch_points[i] = ctx->prog.valid & ~hidden & BIT(i) ?
				       gpubp_amd_tcp_cntl(gen, &watch) : 0;
	}
	pdd->spi_dbg_override = gpubp_amd_trap_cntl(gen, &traps);
	if (ctx->prog.precise)
		pdd->process->dbg_flags |= KFD_DBG_TRAP_FLAG_SINGLE_MEM_OP;
	else
		pdd->process->dbg_flags &= ~KFD_DBG_TRAP_FLAG_SINGLE_MEM_OP;
}

static bool concerns(const struct gpubp_amd_ctx *ctx,
		     const struct gpubp_program *prog)
{
	unsigned int i;

	if (ctx->prog.valid & prog->changed_slots)
		return true;
	for (i = 0; i < prog->nr_ctxs; i++)
		if (prog->ctxs[i].ctx == ctx)
			return true;
	return false;
}

static void commit_hws(struct gpubp_amd_node *n,
		       const struct gpubp_program *prog,
		       struct gpubp_commit_result *res)
{
	struct device_queue_manager *dqm = n->node->dqm;
	struct gpubp_amd_ctx *ctx;
	int err;

	gpubp_amd_waves_wait(n);
	err = debug_lock_and_unmap(dqm);
	if (err) {
		fail_slots(res, prog->changed_slots, err);
		return;
	}
	write_addresses(n, prog);
	list_for_each_entry(ctx, &n->ctxs, link)
		if (concerns(ctx, prog))
			set_words(ctx, 0);
	err = debug_map_and_unlock(dqm);
	if (err)
		fail_slots(res, prog->changed_slots, err);
}

/* one message to firmware for each context; returns slots that failed */
static u32 send_words(struct gpubp_amd_node *n,
		      const struct gpubp_program *prog, u32 hidden, int *err)
{
	struct gpubp_amd_ctx *ctx;
	u32 failed = 0;
	int ret;

	list_for_each_entry(ctx, &n->ctxs, link) {
		if (!concerns(ctx, prog))
			continue;
		set_words(ctx, hidden);
		ret = kfd_dbg_set_mes_debug_mode(ctx->pdd, true);
		if (!ret)
			continue;
		*err = ret;
		failed |= ctx->prog.valid & prog->changed_slots;
	}
	return failed;
}

static void commit_mes(struct gpubp_amd_node *n,
		       const struct gpubp_program *prog,
		       struct gpubp_commit_result *res)
{
	u32 failed;
	int err = 0;

	failed = send_words(n, prog, prog->changed_slots, &err);
	write_addresses(n, prog);
	failed |= send_words(n, prog, failed, &err);
	fail_slots(res, failed, err);
}

/* ---- registers ------------------------------------------------------------------ */

static u32 vmid_of(const struct gpubp_amd_ctx *ctx)
{
	if (ctx->node->reported)
		return READ_ONCE(ctx->vmid);
	return ctx->node->holder == ctx ?
	       ctx->node->node->dqm->trap_debug_vmid : 0;
}

static void release_vmid(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx = n->holder;

	if (!ctx || ctx->watched)
		return;
	gpubp_ctx_evicted(ctx->core);
	WRITE_ONCE(n->holder, NULL);
	if (release_debug_trap_vmid(n->node->dqm, &ctx->pdd->qpd))
		dev_err(n->node->adev->dev, "gpubp: debug VMID not released\n");
}

/* the first context that needs the node's debug VMID gets it */
static void reserve_vmid(struct gpubp_amd_node *n)
{
	struct device_queue_manager *dqm = n->node->dqm;
	struct gpubp_amd_ctx *ctx;

	release_vmid(n);
	if (n->reported || n->holder)
		return;
	list_for_each_entry(ctx, &n->ctxs, link) {
		if (!ctx->watched)
			continue;
		/* the mapping that follows asks who holds it */
		WRITE_ONCE(n->holder, ctx);
		if (reserve_debug_trap_vmid(dqm, &ctx->pdd->qpd))
			WRITE_ONCE(n->holder, NULL);
		else
			gpubp_ctx_resident(ctx->core, dqm->trap_debug_vmid);
		return;
	}
}

static void clear_slots(struct gpubp_amd_node *n, u32 slots)
{
	struct gpubp_amd_steps list = {};
	unsigned int i;

	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++)
		if (slots & BIT(i))
			gpubp_amd_watch_clear(n->gen, i, &list);
	run(n, &list);
}

/* a comparator has one VMID: -EBUSY if two contexts, or one without, want it */
static int validate_slot(struct gpubp_amd_node *n, unsigned int slot)
{
	struct gpubp_amd_ctx *ctx, *only = NULL;
	struct gpubp_amd_steps list = {};
	struct gpubp_amd_watch watch;

	list_for_each_entry(ctx, &n->ctxs, link) {
		if (!(ctx->prog.valid & BIT(slot)))
			continue;
		if (only)
			return -EBUSY;
		only = ctx;
	}
	if (!only)
		return 0;
	watch = watch_of(only, slot, vmid_of(only));
	/* a context without HWS and without queues gets its VMID later */
	if (!watch.vmid)
		return n->reported ? 0 : -EBUSY;
	gpubp_amd_watch_validate(n->gen, slot, &watch, &list);
	run(n, &list);
	return 0;
}

/* TRAP_CONFIG is lost in GFXOFF where RLC does not restore it */
static void switch_traps(struct gpubp_amd_node *n, u32 vmid, bool traps)
{
	struct gpubp_amd_steps list = {};

	if (traps && !kfd_dbg_is_rlc_restore_supported(n->node))
		gpubp_amd_trap_config(n->gen, vmid, &list);
	gpubp_amd_trap_watch(n->gen, vmid, traps, &list);
	run(n, &list);
	n->traps = traps;
}

static void set_traps(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx;
	u32 vmid = n->node->vm_info.last_vmid_kfd;
	bool traps = false;

	list_for_each_entry(ctx, &n->ctxs, link)
		traps |= ctx->prog.watch_traps && vmid_of(ctx);
	if (traps != n->traps)
		switch_traps(n, vmid, traps);
}

static void commit_direct(struct gpubp_amd_node *n,
			  const struct gpubp_program *prog,
			  struct gpubp_commit_result *res)
{
	unsigned int i;

	clear_slots(n, prog->changed_slots);
	reserve_vmid(n);
	write_addresses(n, prog);
	set_traps(n);
	for (i = 0; i < prog->nr_slots; i++)
		if (prog->changed_slots & BIT(i))
			res->slot_err[i] = validate_slot(n, i);
}

/* ---- commit ------------------------------------------------------------------------ */

/* true: waves that run now lack traps that are asked for */
static bool take_ctx_prog(const struct gpubp_ctx_prog *prog, u64 seq)
{
	struct gpubp_amd_ctx *ctx = prog->ctx;
	bool more = (prog->watch_traps && !ctx->prog.watch_traps) ||
		    (prog->exceptions & ~ctx->prog.exceptions);

	ctx->prog = *prog;
	WRITE_ONCE(ctx->watched, prog->valid || prog->watch_traps ||
		   prog->exceptions);
	if (more)
		gpubp_amd_ctx_age_queues(ctx);
	return (prog->watch_traps || prog->exceptions) &&
	       gpubp_amd_ctx_is_old(ctx, seq);
}

static void take_program(const struct gpubp_program *prog,
			 struct gpubp_commit_result *res)
{
	unsigned int i;

	for (i = 0; i < prog->nr_ctxs; i++)
		if (take_ctx_prog(&prog->ctxs[i], prog->seq) && i < 64)
			res->pending |= BIT_ULL(i);
}

/*
 * Interrupts that are on their way; a signal cannot come, this is a kthread.
 * Without DQM's lock, which the KFD's interrupt handling may take.
 */
static void drain_interrupts(const struct gpubp_program *prog)
{
	unsigned int i;

	for (i = 0; i < prog->nr_ctxs; i++) {
		struct gpubp_amd_ctx *ctx = prog->ctxs[i].ctx;

		kfd_process_drain_interrupts(ctx->pdd);
	}
}

void gpubp_amd_commit(void *dev, const struct gpubp_program *prog,
		      struct gpubp_commit_result *res)
{
	struct gpubp_amd_node *n = dev;

	mutex_lock(&n->lock);
	take_program(prog, res);
	amdgpu_gfx_off_ctrl(n->node->adev, false);
	if (!n->gen->banked)
		commit_direct(n, prog, res);
	else if (uses_mes(n))
		commit_mes(n, prog, res);
	else
		commit_hws(n, prog, res);
	amdgpu_gfx_off_ctrl(n->node->adev, true);
	mutex_unlock(&n->lock);
	drain_interrupts(prog);
	res->drained = false;
	res->window_end = ktime_get_ns() + WINDOW_NS;
}

/*
 * A context got or lost its VMID, without HWS: the last program again. Its
 * comparators have compared nothing since, or another process's accesses.
 */
static void reload(struct work_struct *work)
{
	struct gpubp_amd_node *n =
		container_of(work, struct gpubp_amd_node, reload_work);
	unsigned int i;

	guard(mutex)(&n->lock);
	amdgpu_gfx_off_ctrl(n->node->adev, false);
	clear_slots(n, n->ours);
	set_traps(n);
	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++)
		if (n->ours & BIT(i))
			validate_slot(n, i);
	amdgpu_gfx_off_ctrl(n->node->adev, true);
}

/** gpubp_amd_commit_init() - of a node that has no context yet */
void gpubp_amd_commit_init(struct gpubp_amd_node *n)
{
	mutex_init(&n->lock);
	init_rwsem(&n->report_lock);
	INIT_LIST_HEAD(&n->ctxs);
	INIT_WORK(&n->reload_work, reload);
}

/** gpubp_amd_commit_forget() - a context goes; node->lock is held */
void gpubp_amd_commit_forget(struct gpubp_amd_ctx *ctx)
{
	lockdep_assert_held(&ctx->node->lock);
	WRITE_ONCE(ctx->watched, false);
	if (ctx->node->holder == ctx)
		release_vmid(ctx->node);
}
