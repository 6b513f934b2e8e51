// SPDX-License-Identifier: GPL-2.0
/*
 * Commit: program a node.
 *
 * If each process has its own control words (gen->banked), only addresses are
 * registers; the control words are given to the KFD, and firmware loads them:
 * with all queues unmapped in between (HWS), or by one message per process
 * (MES). On other generations everything is in registers.
 */
#include "amdgpu.h"
#include "kfd_debug.h"
#include "kfd_device_queue_manager.h"
#include <uapi/linux/kfd_ioctl.h>

#include "provider.h"
#include "run.h"

/*
 * How long a wave whose access matched may take to trap and to send its
 * interrupt. Not documented; a generous estimate.
 */
#define WINDOW_NS	(10 * NSEC_PER_MSEC)

static bool node_uses_mes(struct gpubp_amd_node *n)
{
	return n->node->kfd->shared_resources.enable_mes;
}

static void commit_run(struct gpubp_amd_node *n,
		       const struct gpubp_amd_steps *list)
{
	unsigned int xcc;

	for_each_inst(xcc, n->node->xcc_mask)
		gpubp_amd_run(n->node->adev, n->gen, xcc, list);
}

static void result_fail_slots(struct gpubp_commit_result *res, u32 slots,
			      int err)
{
	unsigned int i;

	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++)
		if (slots & BIT(i))
			res->slot_err[i] = err;
}

static void commit_write_addresses(struct gpubp_amd_node *n,
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
	commit_run(n, &list);
}

/* ---- control words ------------------------------------------------------- */

static struct gpubp_amd_traps ctx_traps(const struct gpubp_amd_ctx *ctx)
{
	return (struct gpubp_amd_traps){
		.watch = ctx->prog.watch_traps,
		.exceptions = ctx->prog.exceptions,
	};
}

static struct gpubp_amd_watch ctx_watch(const struct gpubp_amd_ctx *ctx,
					unsigned int slot, u32 vmid)
{
	return (struct gpubp_amd_watch){
		.mask = ctx->prog.mask[slot],
		.mode = ctx->prog.mode[slot],
		.vmid = vmid,
	};
}

/* set control words of @ctx, with comparators @hidden invalid */
static void ctx_set_words(struct gpubp_amd_ctx *ctx, u32 hidden)
{
	struct kfd_process_device *pdd = ctx->pdd;
	const struct gpubp_amd_gen *gen = ctx->node->gen;
	struct gpubp_amd_traps traps = ctx_traps(ctx);
	unsigned int i;

	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++) {
		struct gpubp_amd_watch watch = ctx_watch(ctx, i, 0);

		if (!(ctx->node->owned & BIT(i)))
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

static bool ctx_is_affected(const struct gpubp_amd_ctx *ctx,
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
		result_fail_slots(res, prog->changed_slots, err);
		return;
	}
	commit_write_addresses(n, prog);
	list_for_each_entry(ctx, &n->ctxs, link)
		if (ctx_is_affected(ctx, prog))
			ctx_set_words(ctx, 0);
	err = debug_map_and_unlock(dqm);
	if (err)
		result_fail_slots(res, prog->changed_slots, err);
}

/* send one message to firmware per context; returns slots that failed */
static u32 commit_send_words(struct gpubp_amd_node *n,
			     const struct gpubp_program *prog, u32 hidden,
			     int *err)
{
	struct gpubp_amd_ctx *ctx;
	u32 failed = 0;
	int ret;

	list_for_each_entry(ctx, &n->ctxs, link) {
		if (!ctx_is_affected(ctx, prog))
			continue;
		ctx_set_words(ctx, hidden);
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

	failed = commit_send_words(n, prog, prog->changed_slots, &err);
	commit_write_addresses(n, prog);
	failed |= commit_send_words(n, prog, failed, &err);
	result_fail_slots(res, failed, err);
}

/* ---- registers ----------------------------------------------------------- */

static u32 ctx_vmid(const struct gpubp_amd_ctx *ctx)
{
	if (ctx->node->reported)
		return READ_ONCE(ctx->vmid);
	return ctx->node->vmid_ctx == ctx ?
	       ctx->node->node->dqm->trap_debug_vmid : 0;
}

static void debug_vmid_release(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx = n->vmid_ctx;

	if (!ctx || ctx->watched)
		return;
	gpubp_ctx_evicted(ctx->core);
	WRITE_ONCE(n->vmid_ctx, NULL);
	if (release_debug_trap_vmid(n->node->dqm, &ctx->pdd->qpd))
		dev_err(n->node->adev->dev, "gpubp: debug VMID not released\n");
}

/* give the debug VMID of the node to the first context that needs it */
static void debug_vmid_reserve(struct gpubp_amd_node *n)
{
	struct device_queue_manager *dqm = n->node->dqm;
	struct gpubp_amd_ctx *ctx;

	debug_vmid_release(n);
	if (n->reported || n->vmid_ctx)
		return;
	list_for_each_entry(ctx, &n->ctxs, link) {
		if (!ctx->watched)
			continue;
		/* the mapping below calls gpubp_amd_ctx_watched() */
		WRITE_ONCE(n->vmid_ctx, ctx);
		if (reserve_debug_trap_vmid(dqm, &ctx->pdd->qpd))
			WRITE_ONCE(n->vmid_ctx, NULL);
		else
			gpubp_ctx_resident(ctx->core, dqm->trap_debug_vmid);
		return;
	}
}

static void commit_clear_slots(struct gpubp_amd_node *n, u32 slots)
{
	struct gpubp_amd_steps list = {};
	unsigned int i;

	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++)
		if (slots & BIT(i))
			gpubp_amd_watch_clear(n->gen, i, &list);
	commit_run(n, &list);
}

/*
 * A comparator matches one VMID: -EBUSY if two contexts use it, or one without
 * a VMID.
 */
static int commit_validate_slot(struct gpubp_amd_node *n, unsigned int slot)
{
	struct gpubp_amd_ctx *ctx, *sole = NULL;
	struct gpubp_amd_steps list = {};
	struct gpubp_amd_watch watch;

	list_for_each_entry(ctx, &n->ctxs, link) {
		if (!(ctx->prog.valid & BIT(slot)))
			continue;
		if (sole)
			return -EBUSY;
		sole = ctx;
	}
	if (!sole)
		return 0;
	watch = ctx_watch(sole, slot, ctx_vmid(sole));
	/* without HWS, a context without queues gets its VMID later */
	if (!watch.vmid)
		return n->reported ? 0 : -EBUSY;
	gpubp_amd_watch_validate(n->gen, slot, &watch, &list);
	commit_run(n, &list);
	return 0;
}

/* TRAP_CONFIG is lost in GFXOFF unless RLC restores it */
static void commit_switch_traps(struct gpubp_amd_node *n, u32 vmid, bool traps)
{
	struct gpubp_amd_steps list = {};

	if (traps && !kfd_dbg_is_rlc_restore_supported(n->node))
		gpubp_amd_trap_config(n->gen, vmid, &list);
	gpubp_amd_trap_watch(n->gen, vmid, traps, &list);
	commit_run(n, &list);
	n->traps = traps;
}

static void commit_set_traps(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx;
	u32 vmid = n->node->vm_info.last_vmid_kfd;
	bool traps = false;

	list_for_each_entry(ctx, &n->ctxs, link)
		traps |= ctx->prog.watch_traps && ctx_vmid(ctx);
	if (traps != n->traps)
		commit_switch_traps(n, vmid, traps);
}

static void commit_direct(struct gpubp_amd_node *n,
			  const struct gpubp_program *prog,
			  struct gpubp_commit_result *res)
{
	unsigned int i;

	commit_clear_slots(n, prog->changed_slots);
	debug_vmid_reserve(n);
	commit_write_addresses(n, prog);
	commit_set_traps(n);
	for (i = 0; i < prog->nr_slots; i++)
		if (prog->changed_slots & BIT(i))
			res->slot_err[i] = commit_validate_slot(n, i);
}

/* ---- commit -------------------------------------------------------------- */

/* true: running waves lack a trap that is requested now */
static bool commit_take_ctx(const struct gpubp_ctx_prog *prog, u64 seq)
{
	struct gpubp_amd_ctx *ctx = prog->ctx;
	bool more = (prog->watch_traps && !ctx->prog.watch_traps) ||
		    (prog->exceptions & ~ctx->prog.exceptions);

	ctx->prog = *prog;
	WRITE_ONCE(ctx->watched, prog->valid || prog->watch_traps ||
		   prog->exceptions);
	if (more)
		gpubp_amd_ctx_mark_stale(ctx);
	return (prog->watch_traps || prog->exceptions) &&
	       gpubp_amd_ctx_is_stale(ctx, seq);
}

static void commit_take_program(const struct gpubp_program *prog,
				struct gpubp_commit_result *res)
{
	unsigned int i;

	for (i = 0; i < prog->nr_ctxs; i++)
		if (commit_take_ctx(&prog->ctxs[i], prog->seq) && i < 64)
			res->pending |= BIT_ULL(i);
}

/*
 * Handle interrupts that are in flight; a signal cannot interrupt this, as it
 * runs in a kthread. Not under DQM's lock, which the KFD's interrupt handling
 * may take.
 */
static void commit_drain_interrupts(const struct gpubp_program *prog)
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
	commit_take_program(prog, res);
	amdgpu_gfx_off_ctrl(n->node->adev, false);
	if (!n->gen->banked)
		commit_direct(n, prog, res);
	else if (node_uses_mes(n))
		commit_mes(n, prog, res);
	else
		commit_hws(n, prog, res);
	amdgpu_gfx_off_ctrl(n->node->adev, true);
	mutex_unlock(&n->lock);
	commit_drain_interrupts(prog);
	res->drained = false;
	res->window_end = ktime_get_ns() + WINDOW_NS;
}

/*
 * Without HWS, a context got or lost its VMID: program the last program again.
 * Until now its comparators matched no access, or accesses of another process.
 */
static void commit_reload(struct work_struct *work)
{
	struct gpubp_amd_node *n =
		container_of(work, struct gpubp_amd_node, reload_work);
	unsigned int i;

	guard(mutex)(&n->lock);
	amdgpu_gfx_off_ctrl(n->node->adev, false);
	commit_clear_slots(n, n->owned);
	commit_set_traps(n);
	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++)
		if (n->owned & BIT(i))
			commit_validate_slot(n, i);
	amdgpu_gfx_off_ctrl(n->node->adev, true);
}

/** gpubp_amd_commit_init() - initialise a node without contexts */
void gpubp_amd_commit_init(struct gpubp_amd_node *n)
{
	mutex_init(&n->lock);
	init_rwsem(&n->report_lock);
	INIT_LIST_HEAD(&n->ctxs);
	INIT_WORK(&n->reload_work, commit_reload);
}

/** gpubp_amd_commit_exit_ctx() - a context is removed; node->lock is held */
void gpubp_amd_commit_exit_ctx(struct gpubp_amd_ctx *ctx)
{
	lockdep_assert_held(&ctx->node->lock);
	WRITE_ONCE(ctx->watched, false);
	if (ctx->node->vmid_ctx == ctx)
		debug_vmid_release(ctx->node);
}
