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

/*
 * How often queues are taken off the GPU in order to see whether their stale
 * waves have ended: twice as rarely after each time.
 */
#define STALE_DELAY_MIN	(HZ / 4)
#define STALE_DELAY_MAX	(16 * HZ)

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
	const struct gpubp_amd_gen *gen = ctx->node->gen;
	struct gpubp_amd_words *words = &ctx->words;
	struct gpubp_amd_traps traps = ctx_traps(ctx);
	u32 valid = ctx->prog.valid & ~hidden & ctx->node->owned;
	unsigned int i;

	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++) {
		struct gpubp_amd_watch watch = ctx_watch(ctx, i, 0);

		words->watch[i] = valid & BIT(i) ?
				  gpubp_amd_tcp_cntl(gen, &watch) : 0;
	}
	words->trap = gpubp_amd_trap_cntl(gen, &traps);
	words->precise = ctx->prog.precise;
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

/*
 * While queues are unmapped, no wave is in the trap handler. If they cannot be, waves
 * of the old program run on, and may be there, for an unknown time.
 */
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
		res->window_end = U64_MAX;
		n->missed = true;
		return;
	}
	commit_write_addresses(n, prog);
	list_for_each_entry(ctx, &n->ctxs, link) {
		gpubp_amd_ctx_clear_stale(ctx);
		if (n->missed || ctx_is_affected(ctx, prog))
			ctx_set_words(ctx, 0);
	}
	n->missed = false;
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
		if (!ctx->watched || !(ctx->prog.valid & BIT(slot)))
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

static bool prog_has_traps(const struct gpubp_ctx_prog *prog)
{
	return prog->watch_traps || prog->exceptions;
}

static void ctx_update_watched(struct gpubp_amd_ctx *ctx)
{
	WRITE_ONCE(ctx->watched, !ctx->debugged &&
		   (ctx->prog.valid || prog_has_traps(&ctx->prog)));
}

static void ctx_tell_debugged(struct gpubp_amd_ctx *ctx)
{
	struct device *dev = ctx->node->node->adev->dev;
	pid_t pid = ctx->pdd->process->lead_thread->tgid;

	dev_info_ratelimited(dev, "gpubp: process %d has a debugger: watches wait until it detaches\n",
			     pid);
}

static void commit_take_ctx(const struct gpubp_ctx_prog *prog)
{
	struct gpubp_amd_ctx *ctx = prog->ctx;
	bool more = (prog->watch_traps && !ctx->prog.watch_traps) ||
		    (prog->exceptions & ~ctx->prog.exceptions);

	ctx->prog = *prog;
	ctx_update_watched(ctx);
	if (ctx->debugged && prog_has_traps(prog))
		ctx_tell_debugged(ctx);
	if (more)
		gpubp_amd_ctx_mark_stale(ctx);
}

/* is a trap requested that running waves lack, or that a debugger excludes */
static bool ctx_is_pending(struct gpubp_amd_ctx *ctx)
{
	return prog_has_traps(&ctx->prog) &&
	       (ctx->debugged || gpubp_amd_ctx_is_stale(ctx));
}

static void commit_take_program(const struct gpubp_program *prog)
{
	unsigned int i;

	for (i = 0; i < prog->nr_ctxs; i++)
		commit_take_ctx(&prog->ctxs[i]);
}

/* look for the end of stale waves, sooner if there are new ones */
static void stale_check_later(struct gpubp_amd_node *n, bool is_new)
{
	struct gpubp_amd_ctx *ctx;
	bool stale = false;

	list_for_each_entry(ctx, &n->ctxs, link)
		stale |= prog_has_traps(&ctx->prog) &&
			 gpubp_amd_ctx_is_stale(ctx);
	/* where waves can be changed, the core enables their traps */
	if (!stale || !n->gen->banked || node_uses_mes(n) || n->isa)
		return;
	n->stale_delay = is_new ? STALE_DELAY_MIN :
			 min(2 * n->stale_delay, STALE_DELAY_MAX);
	cancel_delayed_work(&n->stale_work);
	schedule_delayed_work(&n->stale_work, n->stale_delay);
}

static void commit_report_pending(struct gpubp_amd_node *n,
				  const struct gpubp_program *prog,
				  struct gpubp_commit_result *res)
{
	unsigned int i;

	for (i = 0; i < prog->nr_ctxs && i < 64; i++) {
		struct gpubp_amd_ctx *ctx = prog->ctxs[i].ctx;

		if (!ctx_is_pending(ctx))
			continue;
		res->pending |= BIT_ULL(i);
		gpubp_amd_ctx_set_pending(ctx, prog->seq);
	}
	stale_check_later(n, res->pending);
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
	commit_take_program(prog);
	amdgpu_gfx_off_ctrl(n->node->adev, false);
	if (!n->gen->banked)
		commit_direct(n, prog, res);
	else if (node_uses_mes(n))
		commit_mes(n, prog, res);
	else
		commit_hws(n, prog, res);
	amdgpu_gfx_off_ctrl(n->node->adev, true);
	commit_report_pending(n, prog, res);
	mutex_unlock(&n->lock);
	commit_drain_interrupts(prog);
	res->drained = false;
	if (res->window_end != U64_MAX)
		res->window_end = ktime_get_ns() + WINDOW_NS;
}

/* ---- without a commit ---------------------------------------------------- */

/* map all processes with the words of the last program, and see who is stale */
static void reload_hws(struct gpubp_amd_node *n)
{
	struct device_queue_manager *dqm = n->node->dqm;
	struct gpubp_amd_ctx *ctx;

	gpubp_amd_waves_wait(n);
	if (debug_lock_and_unmap(dqm))
		return;
	list_for_each_entry(ctx, &n->ctxs, link) {
		gpubp_amd_ctx_clear_stale(ctx);
		ctx_set_words(ctx, 0);
	}
	if (debug_map_and_unlock(dqm))
		dev_err(n->node->adev->dev, "gpubp: queues not mapped\n");
}

static void reload_mes(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx;

	list_for_each_entry(ctx, &n->ctxs, link) {
		if (!ctx->watched)
			continue;
		ctx_set_words(ctx, 0);
		kfd_dbg_set_mes_debug_mode(ctx->pdd, true);
	}
}

static void reload_direct(struct gpubp_amd_node *n)
{
	unsigned int i;

	commit_clear_slots(n, n->owned);
	debug_vmid_reserve(n);
	commit_set_traps(n);
	for (i = 0; i < GPUBP_AMD_NR_SLOTS; i++)
		if (n->owned & BIT(i))
			commit_validate_slot(n, i);
}

static void reload_settle(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx;

	list_for_each_entry(ctx, &n->ctxs, link)
		if (!ctx->debugged && !gpubp_amd_ctx_is_stale(ctx))
			gpubp_amd_ctx_settle(ctx);
	stale_check_later(n, false);
}

static void node_reload(struct gpubp_amd_node *n)
{
	guard(mutex)(&n->lock);
	amdgpu_gfx_off_ctrl(n->node->adev, false);
	if (!n->gen->banked)
		reload_direct(n);
	else if (node_uses_mes(n))
		reload_mes(n);
	else
		reload_hws(n);
	amdgpu_gfx_off_ctrl(n->node->adev, true);
	reload_settle(n);
}

/*
 * Program the last program again: without HWS, a context got or lost its VMID,
 * and until now its comparators matched no access, or accesses of another
 * process; or a debugger detached.
 */
static void reload_work(struct work_struct *work)
{
	node_reload(container_of(work, struct gpubp_amd_node, reload_work));
}

static void stale_work(struct work_struct *work)
{
	node_reload(container_of(to_delayed_work(work), struct gpubp_amd_node,
				 stale_work));
}

/** gpubp_amd_commit_init() - initialise a node without contexts */
void gpubp_amd_commit_init(struct gpubp_amd_node *n)
{
	mutex_init(&n->lock);
	init_rwsem(&n->report_lock);
	INIT_LIST_HEAD(&n->ctxs);
	hash_init(n->by_pasid);
	INIT_WORK(&n->reload_work, reload_work);
	INIT_DELAYED_WORK(&n->stale_work, stale_work);
}

/** gpubp_amd_commit_stop() - no commit follows: cancel what would follow it */
void gpubp_amd_commit_stop(struct gpubp_amd_node *n)
{
	cancel_work_sync(&n->reload_work);
	cancel_delayed_work_sync(&n->stale_work);
}

/** gpubp_amd_commit_exit_ctx() - a context is removed; node->lock is held */
void gpubp_amd_commit_exit_ctx(struct gpubp_amd_ctx *ctx)
{
	lockdep_assert_held(&ctx->node->lock);
	WRITE_ONCE(ctx->watched, false);
	if (ctx->node->vmid_ctx == ctx)
		debug_vmid_release(ctx->node);
}

/* ---- debuggers ----------------------------------------------------------- */

static int ctx_attach(struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&ctx->node->lock);
	if (ctx->watched)
		return -EBUSY;
	ctx->debugged = true;
	gpubp_amd_handler_hide(ctx, true);
	return 0;
}

/* waves that were launched under the debugger lack what waits in ctx->prog */
static void ctx_detach(struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&ctx->node->lock);
	if (!ctx->debugged)
		return;
	ctx->debugged = false;
	gpubp_amd_handler_hide(ctx, false);
	ctx_update_watched(ctx);
	if (!ctx->watched)
		return;
	gpubp_amd_ctx_mark_stale(ctx);
	schedule_work(&ctx->node->reload_work);
}

int gpubp_amd_attach(struct kfd_process *process)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < process->n_pdds && !err; i++)
		if (process->pdds[i]->gpubp)
			err = ctx_attach(process->pdds[i]->gpubp);
	if (err)
		gpubp_amd_detach(process);
	return err;
}

void gpubp_amd_detach(struct kfd_process *process)
{
	unsigned int i;

	for (i = 0; i < process->n_pdds; i++)
		if (process->pdds[i]->gpubp)
			ctx_detach(process->pdds[i]->gpubp);
}
