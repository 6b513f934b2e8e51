// SPDX-License-Identifier: GPL-2.0
/* Hits: from the interrupt of a trap handler to the core. */
#include "amdgpu.h"
#include "kfd_priv.h"
#include "soc15_int.h"

#include "compat.h"
#include "cookie.h"
#include "provider.h"

static unsigned int node_gfx_version(struct gpubp_amd_node *n)
{
	return IP_VERSION_MAJ(KFD_GC_VERSION(n->node));
}

/* gfx9.4.3: a die has four node ids: the die, two graphics cores, unused */
static u8 hit_xcc(struct gpubp_amd_node *n, u32 node_id)
{
	struct amdgpu_device *adev = n->node->adev;
	u8 physical = node_id / 4 * 2 + (node_id % 4 ? node_id % 4 - 1 : 0);
	unsigned int xcc;

	for_each_inst(xcc, n->node->xcc_mask)
		if (GET_INST(GC, xcc) == physical)
			return xcc;
	return ffs(n->node->xcc_mask) - 1;
}

static struct gpubp_amd_place hit_place(struct gpubp_amd_node *n,
					const struct gpubp_amd_cookie *cookie,
					const u32 *entry)
{
	return (struct gpubp_amd_place){
		.xcc = hit_xcc(n, SOC15_NODEID_FROM_IH_ENTRY(entry)),
		.se = cookie->se, .sh = cookie->sh, .cu = cookie->cu,
		.simd = cookie->simd, .wave = cookie->wave,
	};
}

static struct gpubp_hit hit_init(const struct gpubp_amd_cookie *cookie,
				 const u32 *entry)
{
	u32 pasid = SOC15_PASID_FROM_IH_ENTRY(entry);

	return (struct gpubp_hit){
		.valid = GPUBP_HITF_VMID | GPUBP_HITF_PASID |
			 GPUBP_HITF_DOORBELL | GPUBP_HITF_POSITION |
			 GPUBP_HITF_CODE | GPUBP_HITF_CTX,
		.vmid = SOC15_VMID_FROM_IH_ENTRY(entry),
		.pasid = pasid,
		.doorbell = gpubp_amd_doorbell(pasid, cookie->doorbell),
		.code = cookie->code,
		.stopped = GPUBP_STOPS_WAVE,
	};
}

static void hit_set_position(struct gpubp_hit *hit,
			     const struct gpubp_amd_place *place)
{
	hit->se = place->se;
	hit->sh = place->sh;
	hit->cu = place->cu;
	hit->simd = place->simd;
	hit->wave_slot = place->wave;
}

/* where the wave with this mark stopped; false: our handler did not stop it */
static bool mark_place(struct gpubp_amd_node *n, const struct gpubp_amd_mark *mark,
		       struct gpubp_amd_place *place)
{
	return mark->record &&
	       gpubp_amd_record_place(mark->record & n->isa->mark_index, place);
}

/* what our handler did not stop is found here, too: it has no record then */
static bool mark_is_of(struct gpubp_amd_node *n, const struct gpubp_amd_mark *mark,
		       const struct gpubp_amd_place *place)
{
	struct gpubp_amd_place stopped;

	if (!mark->record)
		return true;
	return mark_place(n, mark, &stopped) &&
	       !memcmp(&stopped, place, sizeof(stopped));
}

/* in a place is a wave that stopped there and was not reported yet */
static bool hit_is_at(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
		      struct gpubp_amd_found *found, struct gpubp_hit *hit)
{
	if (gpubp_amd_sq_state(n, found, hit) ||
	    gpubp_amd_wave_is_known(n, ctx, found))
		return false;
	return n->isa ? mark_is_of(n, &found->mark, &found->place) :
			hit->slots & n->owned;
}

/*
 * An interrupt has two bits of the shader engine before gfx11, and none from
 * gfx11 on. Use the first wave that fits: halted, in that slot, of that VMID,
 * with a comparator that matched, which our own handler has cleared. If waves
 * of two shader engines fit, both have sent an interrupt.
 */
static int hit_locate(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
		      struct gpubp_amd_found *found, struct gpubp_hit *hit)
{
	unsigned int step = node_gfx_version(n) < 11 ? 4 : 1;

	for (; found->place.se < n->node->adev->gfx.config.max_shader_engines;
	     found->place.se += step)
		if (hit_is_at(n, ctx, found, hit))
			return 0;
	return -ESRCH;
}

/*
 * A wave that our handler has stopped has to be resumed here, even if the last
 * watch was removed since.
 */
static bool hit_is_ours(struct gpubp_amd_node *n,
			const struct gpubp_amd_ctx *ctx,
			const struct gpubp_hit *hit)
{
	if (!n->isa)
		return READ_ONCE(ctx->watched);
	return READ_ONCE(ctx->handler) &&
	       hit->code == n->isa->handler->second_code;
}

/* @stopped: where it stopped, which tells its record; it may be elsewhere now */
static bool hit_report(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
		       const struct gpubp_amd_found *found,
		       const struct gpubp_amd_place *stopped,
		       struct gpubp_hit *hit)
{
	if (gpubp_amd_step_report(n, ctx, found))
		return true;
	hit_set_position(hit, stopped);
	/* with HWS, the core does not know the VMID */
	hit->ctx = ctx->core;
	hit->wave = gpubp_amd_wave_add(n, ctx, found);
	if (!hit->wave)
		return false;
	hit->listed = hit->wave;
	if (gpubp_report(n->core, hit) != GPUBP_TAKEN)
		gpubp_amd_wave_put(n, hit->wave);
	return true;
}

/**
 * gpubp_amd_hit_found() - report a wave whose interrupt was read too late
 * @n: node
 * @ctx: its context
 * @found: the wave
 *
 * It was taken off the GPU before, and is in memory. Its interrupt is counted in
 * @ctx->unseen; which of them it was is not known.
 *
 * Return: false: it cannot be reported, and is to go on.
 */
bool gpubp_amd_hit_found(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
			 const struct gpubp_amd_found *found)
{
	struct gpubp_amd_place stopped;
	struct gpubp_hit hit = {
		.valid = GPUBP_HITF_PASID | GPUBP_HITF_DOORBELL |
			 GPUBP_HITF_POSITION | GPUBP_HITF_CODE | GPUBP_HITF_CTX,
		.pasid = gpubp_amd_pasid(ctx->pdd),
		.doorbell = found->mark.doorbell,
		.code = n->isa->handler->second_code,
		.stopped = GPUBP_STOPS_WAVE,
	};

	lockdep_assert_held(&n->report_lock);
	if (!ctx->core || !mark_place(n, &found->mark, &stopped))
		return true;
	atomic_dec(&ctx->unseen);
	return hit_report(n, ctx, found, &stopped, &hit);
}

/* its wave was saved before: it is searched for where it comes back */
static bool hit_search(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	if (!n->isa)
		return false;
	atomic_inc(&ctx->unseen);
	gpubp_amd_find_later(n);
	return true;
}

/* its wave has recorded a hit, and goes on */
static bool hit_is_notice(const struct gpubp_amd_node *n,
			  const struct gpubp_amd_ctx *ctx,
			  const struct gpubp_hit *hit)
{
	return n->isa && READ_ONCE(ctx->handler) &&
	       hit->code == n->isa->handler->notify_code;
}

/*
 * Only hits of comparators, or what our handler reports, are handled: a
 * breakpoint or an abort in the process's own program is for its runtime, which
 * gets the interrupt from the KFD.
 */
bool gpubp_amd_interrupt(struct kfd_node *node, const u32 *entry)
{
	struct gpubp_amd_node *n = node->gpubp;
	struct gpubp_amd_cookie cookie;
	struct gpubp_amd_found found;
	struct gpubp_amd_ctx *ctx;
	struct gpubp_hit hit;

	if (!n)
		return false;
	cookie = gpubp_amd_cookie_parse(node_gfx_version(n),
					SOC15_CONTEXT_ID0_FROM_IH_ENTRY(entry),
					SOC15_CONTEXT_ID1_FROM_IH_ENTRY(entry));
	hit = hit_init(&cookie, entry);
	found = (struct gpubp_amd_found){
		.is_placed = true, .place = hit_place(n, &cookie, entry),
	};
	guard(rwsem_read)(&n->report_lock);
	ctx = gpubp_amd_ctx_find(n, hit.pasid);
	if (!ctx || !ctx->core)
		return false;
	if (hit_is_notice(n, ctx, &hit)) {
		gpubp_recorded(n->core);
		return true;
	}
	if (!hit_is_ours(n, ctx, &hit))
		return false;
	if (hit_locate(n, ctx, &found, &hit))
		return hit_search(n, ctx);
	found.mark.doorbell = hit.doorbell;
	return hit_report(n, ctx, &found, &found.place, &hit);
}
