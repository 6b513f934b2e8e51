// SPDX-License-Identifier: GPL-2.0
/*
 * Search for stopped waves that were saved and restored: they are halted in another
 * wave slot, and perhaps have another VMID.
 *
 * A wave that our handler halted has in two registers which record is its own, and
 * the number of that record. Both are saved with the wave.
 */
#include "amdgpu.h"
#include "kfd_priv.h"

#include "compat.h"
#include "provider.h"

/* until the first search is repeated, then twice as long each time */
#define FIND_DELAY_MIN	1
#define FIND_DELAY_MAX	HZ

/* searches before a wave is given up; all take some seconds */
#define FIND_TRIES	16

/* waves of one compute unit */
#define MAX_FOUND	40

static struct gpubp_amd_ctx *find_ctx(struct gpubp_amd_node *n, u8 vmid)
{
	struct kfd_node *node = n->node;
	u16 pasid;

	lockdep_assert_held(&n->report_lock);
	if (!node->kfd2kgd->get_atc_vmid_pasid_mapping_info(node->adev, vmid,
							    &pasid))
		return NULL;
	return gpubp_amd_ctx_find(n, pasid);
}

static void find_settle(struct gpubp_amd_node *n,
			const struct gpubp_amd_found *found)
{
	struct gpubp_amd_ctx *ctx;

	guard(rwsem_read)(&n->report_lock);
	ctx = find_ctx(n, found->mark.vmid);
	if (!ctx || gpubp_amd_wave_moved(n, ctx, found))
		return;
	if (atomic_read(&ctx->unseen) > 0)
		gpubp_amd_hit_found(n, ctx, found);
}

/* false: nothing is left to be searched for */
static bool find_in_unit(struct gpubp_amd_node *n, unsigned int se,
			 unsigned int cu)
{
	const struct gpubp_amd_place unit = { .se = se, .cu = cu };
	struct gpubp_amd_found found[MAX_FOUND];
	unsigned int i, nr;

	nr = gpubp_amd_sq_scan(n, &unit, found, MAX_FOUND);
	for (i = 0; i < nr; i++)
		find_settle(n, &found[i]);
	return !nr || gpubp_amd_find_wants(n);
}

/**
 * gpubp_amd_find_now() - search all compute units
 * @n: node; one with a handler of ours has one graphics core, and no shader arrays
 *
 * May sleep; takes report_lock and DQM's lock.
 */
void gpubp_amd_find_now(struct gpubp_amd_node *n)
{
	const struct amdgpu_gfx_config *config = &n->node->adev->gfx.config;
	unsigned int se, cu;

	guard(mutex)(&n->find_lock);
	if (!n->isa || !gpubp_amd_find_wants(n))
		return;
	for (se = 0; se < config->max_shader_engines; se++)
		for (cu = 0; cu < config->max_cu_per_sh; cu++)
			if (!find_in_unit(n, se, cu))
				return;
}

static bool ctxs_want(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx;

	guard(rwsem_read)(&n->report_lock);
	list_for_each_entry(ctx, &n->ctxs, link)
		if (atomic_read(&ctx->unseen) > 0)
			return true;
	return false;
}

/**
 * gpubp_amd_find_wants() - is there a wave to be searched for
 * @n: node
 *
 * One whose hit was reported and which is not where it was, or one that has sent an
 * interrupt and was not found since.
 */
bool gpubp_amd_find_wants(struct gpubp_amd_node *n)
{
	return gpubp_amd_waves_are_lost(n) || ctxs_want(n);
}

/* what was not found does not exist, unless its queues are off the GPU */
static void find_give_up(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx;

	guard(rwsem_read)(&n->report_lock);
	list_for_each_entry(ctx, &n->ctxs, link) {
		if (READ_ONCE(ctx->pdd->qpd.evicted))
			continue;
		atomic_set(&ctx->unseen, 0);
		gpubp_amd_waves_give_up(n, ctx);
	}
}

static void find_work(struct work_struct *work)
{
	struct gpubp_amd_node *n = container_of(to_delayed_work(work),
						struct gpubp_amd_node, find_work);
	unsigned int tries;

	gpubp_amd_find_now(n);
	if (!gpubp_amd_find_wants(n))
		return;
	tries = atomic_inc_return(&n->find_tries);
	if (tries < FIND_TRIES)
		schedule_delayed_work(&n->find_work,
				      min(FIND_DELAY_MIN << tries,
					  FIND_DELAY_MAX));
	else
		find_give_up(n);
}

/** gpubp_amd_find_init() - initialise a node that searches nothing */
void gpubp_amd_find_init(struct gpubp_amd_node *n)
{
	mutex_init(&n->find_lock);
	INIT_DELAYED_WORK(&n->find_work, find_work);
}

/**
 * gpubp_amd_find_later() - search soon, as often as it takes
 * @n: node; nothing is done while it is quiesced, as the GPU may be suspended
 *
 * Any context.
 */
void gpubp_amd_find_later(struct gpubp_amd_node *n)
{
	if (READ_ONCE(n->quiesced))
		return;
	atomic_set(&n->find_tries, 0);
	cancel_delayed_work(&n->find_work);
	schedule_delayed_work(&n->find_work, FIND_DELAY_MIN);
}

/** gpubp_amd_find_stop() - on return no search runs */
void gpubp_amd_find_stop(struct gpubp_amd_node *n)
{
	cancel_delayed_work_sync(&n->find_work);
}
