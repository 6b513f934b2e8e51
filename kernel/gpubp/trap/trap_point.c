// SPDX-License-Identifier: GPL-2.0
/* Traps: one object for equal traps of a context, and how long it is armed. */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/rbtree.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../core/core.h"
#include "break_sched.h"
#include "patch.h"
#include "trap.h"
#include "trap_point.h"

/** gpubp_traps_init_ctx() - initialise the traps of a new context: none */
void gpubp_traps_init_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_trap_ctx *traps = &ctx->trap->traps;

	INIT_LIST_HEAD(&traps->traps);
	traps->by_key = RB_ROOT;
	INIT_LIST_HEAD(&traps->patches);
	INIT_LIST_HEAD(&traps->retired);
	traps->changes = 1;
	gpubp_break_sched_init(ctx);
}

/** gpubp_traps_wanted() - must waves of a context trap; device lock held */
bool gpubp_traps_wanted(const struct gpubp_ctx *ctx)
{
	const struct gpubp_trap_ctx *traps = &ctx->trap->traps;

	lockdep_assert_held(&ctx->dev->lock);
	return !list_empty(&traps->traps) || !list_empty(&traps->patches) ||
	       !list_empty(&traps->retired);
}

/** gpubp_exceptions_of() - exception classes that a key selects on a device */
u32 gpubp_exceptions_of(const struct gpubp_device *dev, u64 key)
{
	return (key ?: GPUBP_EXC_ALL) & dev->desc.caps.exceptions;
}

/** gpubp_exceptions_wanted() - classes that events want; device lock held */
u32 gpubp_exceptions_wanted(const struct gpubp_ctx *ctx)
{
	const struct gpubp_trap_point *trap;
	u32 wanted = 0;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry(trap, &ctx->trap->traps.traps, node)
		if (trap->kind == GPUBP_KIND_EXCEPTION)
			wanted |= gpubp_exceptions_of(ctx->dev, trap->key);
	return wanted;
}

/** gpubp_trap_key() - key of a trap, which identifies it within its kind */
u64 gpubp_trap_key(const struct gpubp_spec *spec, u64 addr)
{
	return spec->kind == GPUBP_KIND_BREAK ? addr : spec->code;
}

static struct gpubp_trap_point *trap_from_rb(const struct rb_node *rb)
{
	return rb_entry(rb, struct gpubp_trap_point, rb);
}

static int trap_cmp(const struct gpubp_trap_point *trap, u8 kind, u64 key)
{
	if (trap->kind != kind)
		return trap->kind < kind ? -1 : 1;
	if (trap->key != key)
		return trap->key < key ? -1 : 1;
	return 0;
}

static bool trap_less(struct rb_node *a, const struct rb_node *b)
{
	return trap_cmp(trap_from_rb(a), trap_from_rb(b)->kind,
			trap_from_rb(b)->key) < 0;
}

/** gpubp_trap_find() - find a trap by its key, or NULL; device lock held */
struct gpubp_trap_point *gpubp_trap_find(struct gpubp_ctx *ctx, u8 kind,
					 u64 key)
{
	struct rb_node *rb = ctx->trap->traps.by_key.rb_node;

	lockdep_assert_held(&ctx->dev->lock);
	while (rb) {
		int cmp = trap_cmp(trap_from_rb(rb), kind, key);

		if (!cmp)
			return trap_from_rb(rb);
		rb = cmp < 0 ? rb->rb_right : rb->rb_left;
	}
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_trap_find);

static struct gpubp_trap_point *trap_alloc(struct gpubp_ctx *ctx, u8 kind,
					   u64 key)
{
	struct gpubp_trap_point *trap;

	trap = kzalloc(sizeof(*trap), GPUBP_GFP_LOCKED);
	if (!trap)
		return NULL;
	trap->ctx = ctx;
	trap->kind = kind;
	trap->key = key;
	INIT_LIST_HEAD(&trap->bindings);
	trap->since = ctx->dev->quantum + 1;
	trap->since_ns = ktime_get_ns();
	return trap;
}

/* only breaks have slots, and rotate: there may be more breaks than slots */
static int trap_charge_break(struct gpubp_trap_point *trap, bool reserved)
{
	int err = gpubp_user_charge_break(trap->share, reserved);

	if (err)
		return err;
	err = gpubp_break_sched_add(trap);
	if (err)
		gpubp_user_uncharge_break(trap->share);
	return err;
}

static int trap_charge(struct gpubp_trap_point *trap, struct gpubp_user *user,
		       bool reserved)
{
	int err;

	trap->share = gpubp_user_charge(user, trap->ctx->dev, reserved);
	if (IS_ERR(trap->share))
		return PTR_ERR(trap->share);
	if (trap->kind != GPUBP_KIND_BREAK)
		return 0;
	err = trap_charge_break(trap, reserved);
	if (err)
		gpubp_user_uncharge(trap->share);
	return err;
}

/**
 * gpubp_trap_get() - find the trap with a key, or add one
 * @ctx: context; the device lock is held
 * @kind: GPUBP_KIND_BREAK, _TRAP or _EXCEPTION
 * @key: pc of a break, id of an s_trap, or exception classes
 * @user: user that a new trap is charged to
 * @reserved: slots were reserved at open: the user's limit does not apply
 *
 * The caller adds a binding, or calls gpubp_trap_free_unused().
 *
 * Return: the trap, or ERR_PTR: -ENOMEM; -EDQUOT: the user is at his limit.
 */
struct gpubp_trap_point *gpubp_trap_get(struct gpubp_ctx *ctx, u8 kind, u64 key,
					struct gpubp_user *user, bool reserved)
{
	struct gpubp_trap_point *trap = gpubp_trap_find(ctx, kind, key);
	int err;

	if (trap)
		return trap;
	trap = trap_alloc(ctx, kind, key);
	if (!trap)
		return ERR_PTR(-ENOMEM);
	err = trap_charge(trap, user, reserved);
	if (err) {
		kfree(trap);
		return ERR_PTR(err);
	}
	trap->id = gpubp_new_id();
	list_add_tail(&trap->node, &ctx->trap->traps.traps);
	rb_add(&trap->rb, &ctx->trap->traps.by_key, trap_less);
	WRITE_ONCE(ctx->trap->traps.nr[kind], ctx->trap->traps.nr[kind] + 1);
	return trap;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_trap_get);

/** gpubp_trap_binding_added() - a binding was added; the device lock is held */
void gpubp_trap_binding_added(struct gpubp_trap_point *trap)
{
	lockdep_assert_held(&trap->ctx->dev->lock);
	trap->new_binding = true;
}

/**
 * gpubp_trap_free_unused() - free a trap that has no binding
 * @trap: trap; the device lock is held
 *
 * The patch of a break stays, and the committer removes it.
 */
void gpubp_trap_free_unused(struct gpubp_trap_point *trap)
{
	struct gpubp_ctx *ctx = trap->ctx;

	lockdep_assert_held(&ctx->dev->lock);
	if (!list_empty(&trap->bindings))
		return;
	if (trap->patch)
		trap->patch->trap = NULL;
	list_del(&trap->node);
	rb_erase(&trap->rb, &ctx->trap->traps.by_key);
	WRITE_ONCE(ctx->trap->traps.nr[trap->kind],
		   ctx->trap->traps.nr[trap->kind] - 1);
	if (trap->kind == GPUBP_KIND_BREAK) {
		gpubp_break_sched_remove(trap);
		gpubp_user_uncharge_break(trap->share);
	}
	gpubp_user_uncharge(trap->share);
	kfree(trap);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_trap_free_unused);

/* ---- accounting ---------------------------------------------------------- */

/** gpubp_trap_gap() - how long a trap has not been armed; device lock held */
struct gpubp_gap gpubp_trap_gap(const struct gpubp_trap_point *trap)
{
	u64 now = trap->ctx->dev->quantum;

	lockdep_assert_held(&trap->ctx->dev->lock);
	if (trap->accounted || now <= trap->since)
		return (struct gpubp_gap) {};
	return (struct gpubp_gap) {
		.quanta = now - trap->since,
		.ns = ktime_get_ns() - trap->since_ns,
	};
}

/* Return: if it is armed from now on: how long it was not. */
static struct gpubp_gap trap_set_accounted(struct gpubp_trap_point *trap,
					   bool armed)
{
	u64 now = trap->ctx->dev->quantum;
	struct gpubp_gap gap = {};

	if (armed == trap->accounted)
		return gap;
	if (armed)
		gap = gpubp_trap_gap(trap);
	else
		trap->quanta += now - trap->since;
	gpubp_gap_raise(&trap->gap, &gap);
	trap->since = now;
	trap->since_ns = ktime_get_ns();
	trap->accounted = armed;
	return gap;
}

/**
 * trap_account() - account a trap and its bindings after a commit
 * @trap: trap; the device lock is held
 * @armed: waves trap for it now
 */
static void trap_account(struct gpubp_trap_point *trap, bool armed)
{
	struct gpubp_binding *b;
	struct gpubp_gap gap;

	lockdep_assert_held(&trap->ctx->dev->lock);
	if (armed == trap->accounted && !trap->new_binding)
		return;
	gap = trap_set_accounted(trap, armed);
	trap->new_binding = false;
	list_for_each_entry(b, &trap->bindings, watch_node)
		gpubp_binding_account(b, armed, &gap);
}

/* a break is armed by its patch, other traps by how waves were launched */
static bool trap_is_armed(const struct gpubp_trap_point *trap)
{
	const struct gpubp_ctx *ctx = trap->ctx;

	if (!gpubp_ctx_can_arm(ctx))
		return false;
	if (trap->kind == GPUBP_KIND_BREAK)
		return trap->patch &&
		       trap->patch->state == GPUBP_PATCH_INSTALLED;
	/* the program lacks an exception that was added during the commit */
	if (trap->kind == GPUBP_KIND_EXCEPTION &&
	    (gpubp_exceptions_of(ctx->dev, trap->key) & ~ctx->prog.exceptions))
		return false;
	return ctx->prog.watch_traps;
}

/*
 * It was in memory, and the code object that it was in has been withdrawn since: no wave
 * executes that, so nothing is missed until its bindings go. An unmapping may yet fail.
 */
static bool trap_code_is_gone(const struct gpubp_trap_point *trap)
{
	return trap->accounted && trap->err == -ENOENT &&
	       !gpubp_name_is_unmapping(trap->ctx, trap->key, 1);
}

/** gpubp_traps_committed() - account traps after a commit; device lock held */
void gpubp_traps_committed(struct gpubp_ctx *ctx)
{
	struct gpubp_trap_point *trap;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry(trap, &ctx->trap->traps.traps, node) {
		bool armed = trap_is_armed(trap) || trap_code_is_gone(trap);

		trap_account(trap, armed || trap->throttled);
	}
}

/**
 * gpubp_traps_suspended() - account traps as not armed until the next commit
 * @dev: device; its lock is held
 */
void gpubp_traps_suspended(struct gpubp_device *dev)
{
	struct gpubp_trap_point *trap;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		list_for_each_entry(trap, &ctx->trap->traps.traps, node)
			trap_account(trap, false);
}

static bool trap_is_waiting(const struct gpubp_trap_point *trap)
{
	return trap->kind == GPUBP_KIND_EXCEPTION ?
		       gpubp_clock_pending(trap->ctx) :
		       gpubp_trap_enable_no_handler(trap->ctx);
}

static bool trap_is_unserved(const struct gpubp_trap_point *trap)
{
	const struct gpubp_ctx *ctx = trap->ctx;

	return !gpubp_ctx_can_arm(ctx) || ctx->dev->suspended || trap->err;
}

/**
 * gpubp_trap_is_pending() - will the next run try to put a break into memory
 * @trap: trap; the device lock is held
 *
 * One run decodes a limited amount of code, so that other contexts need not
 * wait: a break may need several runs.
 */
bool gpubp_trap_is_pending(const struct gpubp_trap_point *trap)
{
	lockdep_assert_held(&trap->ctx->dev->lock);
	return trap->kind == GPUBP_KIND_BREAK && trap->chosen && !trap->patch &&
	       !trap_is_unserved(trap) && !trap_is_waiting(trap);
}

/** gpubp_trap_sync() - count a trap by its state; the device lock is held */
void gpubp_trap_sync(const struct gpubp_trap_point *trap,
		     struct gpubp_sync *sync)
{
	lockdep_assert_held(&trap->ctx->dev->lock);
	sync->nr_watches++;
	if (trap_is_unserved(trap))
		sync->nr_unserved++;
	else if (trap_is_waiting(trap))
		sync->nr_pending++;
	else if (trap->accounted)
		sync->nr_armed++;
	else
		sync->nr_rotating++;
}

/**
 * gpubp_traps_still_stop() - may waves still stop for breaks without events
 * @dev: device
 *
 * True while patches are in memory or retired, or waves are in XOL buffers.
 * Takes the device lock; may sleep.
 */
bool gpubp_traps_still_stop(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;

	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (gpubp_trap_ctx_any_patch(&ctx->trap->traps) ||
		    !list_empty(&ctx->trap->traps.retired) ||
		    gpubp_xol_any_inside(ctx))
			return true;
	return false;
}

/** gpubp_traps_show() - print patches and buffers in use; device lock held */
void gpubp_traps_show(struct gpubp_device *dev, struct seq_file *m)
{
	unsigned int patches = 0, buffers = 0;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		patches += ctx->trap->traps.nr_patches;
		buffers += gpubp_xol_in_use(ctx);
	}
	seq_printf(m, "breaks %u\n", patches);
	seq_printf(m, "buffers_in_use %u\n", buffers);
}
