// SPDX-License-Identifier: GPL-2.0
/* Hits: from the interrupt that a trap handler raises to the core. */
#include "amdgpu.h"
#include "kfd_priv.h"
#include "soc15_int.h"

#include "cookie.h"
#include "provider.h"

static unsigned int gfx_version(struct gpubp_amd_node *n)
{
	return IP_VERSION_MAJ(KFD_GC_VERSION(n->node));
}

/* gfx9.4.3: entry of four node ids a die: itself, two graphics cores, none */
static u8 xcc_of(struct gpubp_amd_node *n, u32 node_id)
{
	struct amdgpu_device *adev = n->node->adev;
	u8 physical = node_id / 4 * 2 + (node_id % 4 ? node_id % 4 - 1 : 0);
	unsigned int xcc;

	for_each_inst(xcc, n->node->xcc_mask)
		if (GET_INST(GC, xcc) == physical)
			return xcc;
	return ffs(n->node->xcc_mask) - 1;
}

static struct gpubp_amd_ctx *find_ctx(struct gpubp_amd_node *n, u32 pasid)
{
	struct gpubp_amd_ctx *ctx;

	lockdep_assert_held(&n->report_lock);
	list_for_each_entry(ctx, &n->ctxs, link)
		if (ctx->pdd->process->pasid == pasid)
			return ctx;
	return NULL;
}

static struct gpubp_amd_place place_of(struct gpubp_amd_node *n,
				       const struct gpubp_amd_cookie *cookie,
				       const u32 *entry)
{
	return (struct gpubp_amd_place){
		.xcc = xcc_of(n, SOC15_NODEID_FROM_IH_ENTRY(entry)),
		.se = cookie->se, .sh = cookie->sh, .cu = cookie->cu,
		.simd = cookie->simd, .wave = cookie->wave,
	};
}

static struct gpubp_hit hit_of(const struct gpubp_amd_cookie *cookie,
			       const u32 *entry)
{
	u32 pasid = SOC15_PASID_FROM_IH_ENTRY(entry);

	return (struct gpubp_hit){
		.valid = GPUBP_HITF_VMID | GPUBP_HITF_PASID |
			 GPUBP_HITF_DOORBELL | GPUBP_HITF_POSITION |
			 GPUBP_HITF_CODE,
		.vmid = SOC15_VMID_FROM_IH_ENTRY(entry),
		.pasid = pasid,
		.doorbell = gpubp_amd_doorbell(pasid, cookie->doorbell),
		.code = cookie->code,
		.stopped = GPUBP_STOPS_WAVE,
	};
}

static void set_position(struct gpubp_hit *hit,
			 const struct gpubp_amd_place *place)
{
	hit->se = place->se;
	hit->sh = place->sh;
	hit->cu = place->cu;
	hit->simd = place->simd;
	hit->wave_slot = place->wave;
}

/*
 * Of the shader engine, interrupts tell two bits before gfx11 and none from
 * there on. The first wave that fits is taken: halted, in that slot, of that
 * VMID, with a comparator that matched.
 */
static int locate(struct gpubp_amd_node *n, struct gpubp_amd_place *place,
		  struct gpubp_hit *hit)
{
	unsigned int step = gfx_version(n) < 11 ? 4 : 1;

	for (; place->se < n->node->adev->gfx.config.max_shader_engines;
	     place->se += step)
		if (!gpubp_amd_sq_state(n, place, hit) &&
		    hit->slots & n->ours)
			return 0;
	return -ESRCH;
}

/*
 * Only a comparator's hit is ours: a breakpoint or an abort of the process's
 * own program is for its runtime, which gets the interrupt from the KFD.
 */
static bool report(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
		   struct gpubp_amd_place *place, struct gpubp_hit *hit)
{
	if (locate(n, place, hit))
		return false;
	set_position(hit, place);
	hit->wave = gpubp_amd_wave_add(n, ctx, place, hit->vmid);
	if (!hit->wave)
		return false;
	if (gpubp_report(n->core, hit) != GPUBP_TAKEN)
		gpubp_amd_wave_put(n, hit->wave);
	return true;
}

bool gpubp_amd_interrupt(struct kfd_node *node, const u32 *entry)
{
	struct gpubp_amd_node *n = node->gpubp;
	struct gpubp_amd_cookie cookie;
	struct gpubp_amd_place place;
	struct gpubp_amd_ctx *ctx;
	struct gpubp_hit hit;

	if (!n)
		return false;
	cookie = gpubp_amd_cookie_parse(gfx_version(n),
					SOC15_CONTEXT_ID0_FROM_IH_ENTRY(entry),
					SOC15_CONTEXT_ID1_FROM_IH_ENTRY(entry));
	hit = hit_of(&cookie, entry);
	place = place_of(n, &cookie, entry);
	guard(rwsem_read)(&n->report_lock);
	ctx = find_ctx(n, hit.pasid);
	if (!ctx || !READ_ONCE(ctx->watched))
		return false;
	return report(n, ctx, &place, &hit);
}
