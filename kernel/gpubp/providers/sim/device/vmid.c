// SPDX-License-Identifier: GPL-2.0
/*
 * VMIDs: a few for any number of contexts. A context gets a VMID when it has
 * work and keeps it until another context needs one. The context that has
 * waited longest is served first. If no VMID is idle, the context that has had
 * its VMID longest is evicted once its quantum has expired: its workgroups are
 * saved (save.c), and it waits again.
 *
 * A VMID does not guarantee space on a compute unit. If the first workgroup of
 * a context does not fit, because other contexts' workgroups are halted there
 * or do not end, the context is starving: the contexts that have had their
 * VMIDs longest are evicted, one after the other, until the workgroup fits.
 * Space that becomes free until then is not given to other contexts. If its
 * user has a workgroup on the GPU, the context first waits for STARVING_QUANTA
 * quanta.
 *
 * Contexts of one user are served round robin. Between two users, the one whose
 * waves recently ran much less is served first: it waits for no more than a
 * tenth of the other user's quantum.
 *
 * A context that cannot be saved in time is reset.
 *
 * With a reserved VMID, watched contexts run on that VMID and all others on the
 * rest; each kind waits for its own VMIDs.
 */
#include <linux/gpubp.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "save.h"
#include "user.h"

#define STARVING_QUANTA	5
#define LEAST_STAY	10	/* stay at least a tenth of a quantum */

static bool reports_residency(const struct sim_device *dev)
{
	return dev->config.residency == GPUBP_RESIDENCY_REPORTED;
}

/* has the core armed a watch or a trap in @ctx? */
static bool is_watched(const struct sim_ctx *ctx)
{
	unsigned int n;

	for (n = 0; n < ctx->dev->config.nr_watch; n++)
		if (ctx->bank.watch_cntl[n] & TCP_WATCH_CNTL_VALID)
			return true;
	return ctx->bank.per_vmid_cntl & PER_VMID_CNTL_TRAP_EN;
}

/* the reserved VMID is the last one */
static bool vmid_allowed(const struct sim_ctx *ctx, u32 vmid)
{
	const struct sim_config *config = &ctx->dev->config;

	return config->residency != GPUBP_RESIDENCY_RESERVED ||
	       is_watched(ctx) == (vmid == config->nr_vmids);
}

/*
 * True: contexts on the reserved VMID, or all if none is reserved; false: the
 * rest.
 */
static bool vmid_kind(const struct sim_ctx *ctx)
{
	return vmid_allowed(ctx, ctx->dev->config.nr_vmids);
}

/** sim_vmid_is_allowed() - may @ctx keep its VMID, if it has one? */
bool sim_vmid_is_allowed(const struct sim_ctx *ctx)
{
	return !ctx->vmid || vmid_allowed(ctx, ctx->vmid);
}

/* VMID 0 is the kernel's */
static u32 find_free_vmid(const struct sim_ctx *ctx)
{
	const struct sim_device *dev = ctx->dev;
	u32 vmid;

	for (vmid = 1; vmid <= dev->config.nr_vmids; vmid++)
		if (!dev->vmid_owner[vmid] && vmid_allowed(ctx, vmid))
			return vmid;
	return 0;
}

/* also true if all saved waves are halted: they may be resumed */
static bool is_waiter(struct sim_ctx *ctx)
{
	return !ctx->suspended &&
	       (ctx->nr_runnable || sim_ctx_first_saved(ctx));
}

static bool ctx_has_work(struct sim_ctx *ctx)
{
	if (ctx->suspended)
		return false;
	/* no workgroup is launched while one is saved: claim_group_of() */
	return sim_ctx_first_saved(ctx) ? sim_saved_can_run(ctx) :
					  ctx->nr_runnable;
}

/* contexts that starving_blocks() held back may proceed */
static void end_starving(struct sim_device *dev)
{
	dev->starving = NULL;
	sim_cu_kick_all(dev);
}

static bool user_is_on_cus(struct sim_device *dev, const struct sim_user *user)
{
	struct sim_ctx *ctx;

	list_for_each_entry(ctx, &dev->resident, vmid_node)
		if (ctx->user == user && ctx->nr_groups)
			return true;
	return false;
}

/* the context that starved long enough for others to be evicted, or NULL */
static struct sim_ctx *starving_ctx(struct sim_device *dev, unsigned long *when)
{
	u64 patience, had;

	if (dev->starving && !ctx_has_work(dev->starving))
		end_starving(dev);
	if (!dev->starving)
		return NULL;
	/* another compute unit may have space and has not tried yet */
	if (dev->starving_cus != BIT(dev->nr_cus) - 1) {
		*when = jiffies + msecs_to_jiffies(dev->config.quantum_ms);
		return NULL;
	}
	if (!user_is_on_cus(dev, dev->starving->user))
		return dev->starving;
	patience =
		dev->config.quantum_ms * (u64)NSEC_PER_MSEC * STARVING_QUANTA;
	had = ktime_get_ns() - dev->starving_since;
	if (had >= patience)
		return dev->starving;
	*when = jiffies + nsecs_to_jiffies(patience - had) + 1;
	return NULL;
}

/* is free space reserved for the starving context, and @ctx is another? */
static bool starving_blocks(const struct sim_ctx *ctx)
{
	unsigned long when;
	const struct sim_ctx *starving = starving_ctx(ctx->dev, &when);

	return starving && starving != ctx &&
	       !sim_user_precedes(ctx->user, starving->user);
}

/** sim_vmid_load() - load the registers of @ctx's VMID from its bank */
void sim_vmid_load(struct sim_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	if (ctx->vmid && sim_vmid_is_allowed(ctx))
		sim_bank_write(ctx->dev, ctx->vmid, &ctx->bank);
}

/* the next waiter may have changed */
static void forget_next_waiters(struct sim_device *dev)
{
	memset(dev->next_waiter, 0, sizeof(dev->next_waiter));
}

static void wait_for_vmid(struct sim_ctx *ctx)
{
	forget_next_waiters(ctx->dev);
	list_add_tail(&ctx->vmid_node, &ctx->dev->vmid_waiters);
}

static void map_ctx(struct sim_ctx *ctx, u32 vmid)
{
	struct sim_device *dev = ctx->dev;

	forget_next_waiters(dev);
	dev->vmid_owner[vmid] = ctx;
	ctx->vmid = vmid;
	ctx->resident_since = ktime_get_ns();
	ctx->nr_maps++;
	list_move_tail(&ctx->vmid_node, &dev->resident);
	sim_vmid_load(ctx);
	sim_stat_inc(dev, SIM_STAT_VMID_MAPS);
	if (reports_residency(dev))
		gpubp_ctx_resident(ctx->core, vmid);
}

/** sim_vmid_recheck() - check for contexts to evict at @when or before */
void sim_vmid_recheck(struct sim_device *dev, unsigned long when)
{
	unsigned long delay = time_after(when, jiffies) ? when - jiffies : 0;

	if (delayed_work_pending(&dev->preempt) &&
	    !time_before(when, dev->preempt_due))
		return;
	dev->preempt_due = when;
	cancel_delayed_work(&dev->preempt);
	schedule_delayed_work(&dev->preempt, delay);
}

static void end_evicting(struct sim_ctx *ctx)
{
	if (!ctx->evicting)
		return;
	WRITE_ONCE(ctx->evicting, false);
	WRITE_ONCE(ctx->stuck, false);
	WRITE_ONCE(ctx->dev->nr_evicting, ctx->dev->nr_evicting - 1);
}

/* @ctx has no wave on the GPU, and all hits of its waves were reported */
static void unmap_ctx(struct sim_ctx *ctx)
{
	static const struct sim_bank none;
	struct sim_device *dev = ctx->dev;

	WARN_ON_ONCE(ctx->nr_groups);
	if (dev->starving == ctx)
		dev->starving = NULL;
	sim_bank_write(dev, ctx->vmid, &none);
	dev->vmid_owner[ctx->vmid] = NULL;
	/* after all waves are saved: pairs with sim_suspend() */
	smp_store_release(&ctx->vmid, 0);
	ctx->vmid_ns += ktime_get_ns() - ctx->resident_since;
	end_evicting(ctx);
	list_del_init(&ctx->vmid_node);
	if (reports_residency(dev))
		gpubp_ctx_evicted(ctx->core);
	if (is_waiter(ctx))
		wait_for_vmid(ctx);
	/* the pending recheck may be as late as this context's deadline */
	if (!list_empty(&dev->vmid_waiters))
		sim_vmid_recheck(dev, jiffies);
	wake_up_all(&dev->vmid_wait);
	sim_cu_kick_all(dev);
}

/* evict a context that has a VMID which @waiter may use, and no work */
static void unmap_idle(struct sim_ctx *waiter)
{
	struct sim_device *dev = waiter->dev;
	struct sim_ctx *ctx;

	list_for_each_entry(ctx, &dev->resident, vmid_node) {
		if (!ctx->nr_groups && !ctx_has_work(ctx) &&
		    vmid_allowed(waiter, ctx->vmid)) {
			unmap_ctx(ctx);
			return;
		}
	}
}

/* Eviction */

/**
 * sim_vmid_evict() - evict @ctx from the GPU
 * @ctx: context with a VMID
 * @grace_ms: time until it is reset
 *
 * Does not wait: @ctx is off the GPU once sim_ctx.vmid is 0, see
 * sim_device.vmid_wait.
 */
void sim_vmid_evict(struct sim_ctx *ctx, unsigned int grace_ms)
{
	struct sim_device *dev = ctx->dev;
	unsigned long by = jiffies + msecs_to_jiffies(grace_ms);

	lockdep_assert_held(&dev->lock);
	if (!ctx->nr_groups) {
		unmap_ctx(ctx);
		return;
	}
	if (!ctx->evicting) {
		WRITE_ONCE(ctx->stuck, sim_fault(dev, SIM_FAULT_SAVE));
		WRITE_ONCE(ctx->evicting, true);
		WRITE_ONCE(dev->nr_evicting, dev->nr_evicting + 1);
		ctx->evict_deadline = by;
	} else if (time_before(by, ctx->evict_deadline)) {
		ctx->evict_deadline = by;
	}
	sim_vmid_recheck(dev, ctx->evict_deadline);
	sim_cu_kick_all(dev);
}

/**
 * sim_vmid_hurry() - a context that is evicted is to be reset earlier
 * @ctx: context
 * @grace_ms: time until then, at most
 *
 * Takes the device lock.
 */
void sim_vmid_hurry(struct sim_ctx *ctx, unsigned int grace_ms)
{
	unsigned long by = jiffies + msecs_to_jiffies(grace_ms);

	guard(mutex)(&ctx->dev->lock);
	if (!ctx->evicting || !time_before(by, ctx->evict_deadline))
		return;
	ctx->evict_deadline = by;
	sim_vmid_recheck(ctx->dev, by);
}

static void prune_waiters(struct sim_device *dev)
{
	struct sim_ctx *ctx, *tmp;

	list_for_each_entry_safe(ctx, tmp, &dev->vmid_waiters, vmid_node)
		if (!is_waiter(ctx)) {
			forget_next_waiters(dev);
			list_del_init(&ctx->vmid_node);
		}
}

/* jiffies from which @ctx may be evicted in favour of @waiter */
static unsigned long evictable_at(const struct sim_ctx *ctx,
				  const struct sim_ctx *waiter)
{
	u64 stay = ctx->dev->config.quantum_ms * (u64)NSEC_PER_MSEC;
	u64 had = ktime_get_ns() - ctx->resident_since;

	if (sim_user_precedes(waiter->user, ctx->user))
		stay /= LEAST_STAY;
	return jiffies + (had < stay ? nsecs_to_jiffies(stay - had) + 1 : 0);
}

static bool time_is_over(unsigned long when)
{
	return !time_before(jiffies, when);
}

/* evicting already, or resident for long enough; else recheck at that time */
static bool may_evict(const struct sim_ctx *ctx, const struct sim_ctx *waiter)
{
	unsigned long until;

	if (ctx->evicting)
		return true;
	until = evictable_at(ctx, waiter);
	if (time_is_over(until))
		return true;
	sim_vmid_recheck(ctx->dev, until);
	return false;
}

/*
 * Evict one context whose VMID @waiter may use; one that is being evicted
 * counts.
 */
static void evict_for_waiter(struct sim_ctx *waiter, unsigned long *taken)
{
	struct sim_device *dev = waiter->dev;
	struct sim_ctx *ctx;

	list_for_each_entry(ctx, &dev->resident, vmid_node) {
		if ((*taken & BIT(ctx->vmid)) ||
		    !vmid_allowed(waiter, ctx->vmid) || ctx == dev->starving ||
		    !may_evict(ctx, waiter))
			continue;
		*taken |= BIT(ctx->vmid);
		if (!ctx->evicting)
			sim_vmid_evict(ctx, dev->config.preempt_ms);
		return;
	}
}

static void evict_for_waiters(struct sim_device *dev)
{
	unsigned long taken = 0;
	struct sim_ctx *waiter, *tmp;

	prune_waiters(dev);
	/*
	 * A context that is evicted at once is appended to the list, but no
	 * other one is evicted for it.
	 */
	list_for_each_entry_safe(waiter, tmp, &dev->vmid_waiters, vmid_node)
		if (ctx_has_work(waiter) && !find_free_vmid(waiter) &&
		    !starving_blocks(waiter))
			evict_for_waiter(waiter, &taken);
}

/* next context to evict from the compute units, or NULL for now */
static struct sim_ctx *next_to_evict(const struct sim_ctx *starving)
{
	struct sim_device *dev = starving->dev;
	struct sim_ctx *ctx;

	list_for_each_entry(ctx, &dev->resident, vmid_node) {
		if (ctx == starving || !ctx->nr_groups)
			continue;
		if (may_evict(ctx, starving))
			return ctx;
	}
	return NULL;
}

/*
 * Free space on compute units for the starving context: one eviction at a time.
 */
static void evict_for_starving(struct sim_device *dev)
{
	unsigned long when = jiffies;
	struct sim_ctx *ctx, *starving = starving_ctx(dev, &when);

	if (!starving) {
		if (dev->starving)
			sim_vmid_recheck(dev, when);
		return;
	}
	ctx = next_to_evict(starving);
	/* after the eviction compute units retry, and request another one */
	if (ctx && !ctx->evicting)
		sim_vmid_evict(ctx, dev->config.preempt_ms);
}

/*
 * sim_vmid_evict_for_waiters() - evict contexts whose quantum expired, for
 * waiters
 */
void sim_vmid_evict_for_waiters(struct sim_device *dev)
{
	evict_for_waiters(dev);
	evict_for_starving(dev);
}

/** sim_vmid_init() - no context has a VMID or waits for one */
void sim_vmid_init(struct sim_device *dev)
{
	INIT_LIST_HEAD(&dev->resident);
	INIT_LIST_HEAD(&dev->vmid_waiters);
	INIT_LIST_HEAD(&dev->saved_ctxs);
	init_waitqueue_head(&dev->vmid_wait);
	hash_init(dev->saved_waves);
	hash_init(dev->saved_ids);
}

/* Allocation */

static struct sim_ctx *find_next_waiter(struct sim_device *dev, bool kind)
{
	struct sim_ctx *waiter, *next = NULL;

	list_for_each_entry(waiter, &dev->vmid_waiters, vmid_node) {
		if (vmid_kind(waiter) != kind || !ctx_has_work(waiter))
			continue;
		if (!next || sim_user_precedes(waiter->user, next->user))
			next = waiter;
	}
	return next;
}

/* is @ctx the waiter of its kind with work that is served next? */
static bool is_next_waiter(const struct sim_ctx *ctx)
{
	struct sim_device *dev = ctx->dev;
	bool kind = vmid_kind(ctx);
	struct sim_ctx **next = &dev->next_waiter[kind];

	if (!*next || vmid_kind(*next) != kind || !ctx_has_work(*next))
		*next = find_next_waiter(dev, kind);
	return *next == ctx;
}

/**
 * sim_vmid_get() - is @ctx resident, or can it become resident now?
 * @ctx: context with work
 *
 * Return: true if waves of @ctx may be launched or restored.
 */
bool sim_vmid_get(struct sim_ctx *ctx)
{
	struct sim_device *dev = ctx->dev;

	lockdep_assert_held(&dev->lock);
	if (ctx->vmid)
		return !ctx->evicting && !starving_blocks(ctx);
	if (!ctx_has_work(ctx))
		return false;
	if (list_empty(&ctx->vmid_node)) {
		wait_for_vmid(ctx);
		sim_vmid_recheck(dev, jiffies);
	}
	if (!is_next_waiter(ctx) || starving_blocks(ctx))
		return false;
	if (!find_free_vmid(ctx))
		unmap_idle(ctx);
	if (!find_free_vmid(ctx)) {
		if (!delayed_work_pending(&dev->preempt))
			sim_vmid_recheck(dev, jiffies);
		return false;
	}
	map_ctx(ctx, find_free_vmid(ctx));
	return true;
}

static bool may_starve(const struct sim_ctx *ctx)
{
	const struct sim_ctx *starving = ctx->dev->starving;

	/* it is served when one of its own workgroups ends */
	if (ctx->nr_groups)
		return false;
	return !starving || starving == ctx ||
	       sim_user_precedes(ctx->user, starving->user);
}

/**
 * sim_vmid_not_placed() - a workgroup did not fit on a compute unit
 * @ctx: its context, which has a VMID
 * @cu: number of the compute unit
 */
void sim_vmid_not_placed(struct sim_ctx *ctx, unsigned int cu)
{
	struct sim_device *dev = ctx->dev;
	unsigned long when = jiffies;

	lockdep_assert_held(&dev->lock);
	if (!may_starve(ctx))
		return;
	if (dev->starving != ctx) {
		dev->starving = ctx;
		dev->starving_since = ktime_get_ns();
		dev->starving_cus = 0;
		sim_cu_kick_all(dev);
	} else if (dev->starving_cus & BIT(cu)) {
		return;
	}
	dev->starving_cus |= BIT(cu);
	starving_ctx(dev, &when);
	sim_vmid_recheck(dev, when);
}

/** sim_vmid_placed() - a workgroup of @ctx was placed */
void sim_vmid_placed(struct sim_ctx *ctx)
{
	struct sim_device *dev = ctx->dev;

	lockdep_assert_held(&dev->lock);
	if (dev->starving == ctx)
		end_starving(dev);
}

/**
 * sim_vmid_work_ended() - the last workgroup or the last runnable queue of @ctx
 *	ended
 * @ctx: context
 */
void sim_vmid_work_ended(struct sim_ctx *ctx)
{
	struct sim_device *dev = ctx->dev;

	lockdep_assert_held(&dev->lock);
	if (ctx->vmid && !ctx->nr_groups && ctx->evicting)
		unmap_ctx(ctx);
	/* a waiter may be served, or is no longer blocked */
	if (!list_empty(&dev->runq) || !list_empty(&dev->saved_ctxs))
		sim_cu_kick_all(dev);
}

/** sim_vmid_release() - release the VMID of @ctx, which has no queues */
void sim_vmid_release(struct sim_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	if (ctx->vmid)
		unmap_ctx(ctx);
	forget_next_waiters(ctx->dev);
	list_del_init(&ctx->vmid_node);
	sim_vmid_work_ended(ctx);
}

/**
 * sim_vmid_ns() - total time that @ctx had a VMID, ns
 * @ctx: context
 */
u64 sim_vmid_ns(const struct sim_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	return ctx->vmid_ns +
	       (ctx->vmid ? ktime_get_ns() - ctx->resident_since : 0);
}

static void bank_clear_control(struct sim_bank *bank)
{
	memset(bank->watch_cntl, 0, sizeof(bank->watch_cntl));
	bank->per_vmid_cntl = 0;
	bank->debug = 0;
}

/**
 * sim_vmid_reset() - take away all VMIDs and clear all watches
 * @dev: device without waves
 *
 * Trap handler addresses of contexts survive the reset: they are loaded with
 * the next VMID.
 */
void sim_vmid_reset(struct sim_device *dev)
{
	static const struct sim_bank none;
	struct sim_ctx *ctx;
	u32 vmid;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		if (ctx->vmid)
			unmap_ctx(ctx);
		bank_clear_control(&ctx->bank);
	}
	for (vmid = 0; vmid < SIM_NR_VMIDS; vmid++)
		sim_bank_write(dev, vmid, &none);
}
