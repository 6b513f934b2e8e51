// SPDX-License-Identifier: GPL-2.0
/* Checks of calls by the core, op by op. The first breach is recorded. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "toy.h"

#define FAULT_NAME(_name)	#_name,
static const char * const fault_names[] = {
	TOY_FAULTS(FAULT_NAME)
};

static int fault;

static int fault_set(const char *val, const struct kernel_param *kp)
{
	int which = sysfs_match_string(fault_names, val);

	if (which < 0)
		return which;
	WRITE_ONCE(fault, which);
	return 0;
}

static int fault_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", fault_names[READ_ONCE(fault)]);
}

static const struct kernel_param_ops fault_ops = {
	.set = fault_set,
	.get = fault_get,
};

module_param_cb(fault, &fault_ops, NULL, 0644);
MODULE_PARM_DESC(fault, "injected fault (TOY_FAULTS)");

bool toy_fault(enum toy_fault which)
{
	return READ_ONCE(fault) == which;
}
EXPORT_SYMBOL_GPL(toy_fault);

void toy_complain(struct toy_gpu *gpu, const char *fmt, ...)
{
	va_list args;

	if (atomic_inc_return(&gpu->nr_complaints) > 1)
		return;
	va_start(args, fmt);
	vsnprintf(gpu->complaint, sizeof(gpu->complaint), fmt, args);
	va_end(args);
}
EXPORT_SYMBOL_GPL(toy_complain);

/* an op that may sleep: the core holds no locks, the device is registered */
void toy_check_op(struct toy_gpu *gpu, const char *op)
{
	might_sleep();
#ifdef CONFIG_LOCKDEP
	if (debug_locks && current->lockdep_depth)
		toy_complain(gpu, "%s called with a lock held", op);
#endif
	if (!READ_ONCE(gpu->registered))
		toy_complain(gpu, "%s of a device that is not registered", op);
	if (READ_ONCE(gpu->suspended))
		toy_complain(gpu, "%s of a device that is suspended", op);
}
EXPORT_SYMBOL_GPL(toy_check_op);

struct toy_ctx *toy_check_ctx(void *priv, const char *op)
{
	struct toy_ctx *ctx = priv;

	toy_check_op(ctx->gpu, op);
	if (!READ_ONCE(ctx->alive))
		toy_complain(ctx->gpu, "%s for a destroyed context", op);
	return ctx;
}
EXPORT_SYMBOL_GPL(toy_check_ctx);

static struct toy_ctx *known_ctx(struct toy_gpu *gpu, void *priv)
{
	struct toy_ctx *ctx;

	list_for_each_entry(ctx, &gpu->ctxs, node)
		if (ctx == priv)
			return ctx;
	toy_complain(gpu, "a program for an unknown context");
	return NULL;
}

static bool is_run_of_ones(u64 mask)
{
	u64 low = mask & -mask;

	return mask && !((mask + low) & mask);
}

static void check_slot(struct toy_gpu *gpu, const struct gpubp_program *prog,
		       const struct gpubp_ctx_prog *part, unsigned int s)
{
	const struct gpubp_caps *caps = &gpu->desc.caps;
	u64 mask = part->mask[s];

	if (!prog->slot[s].used)
		toy_complain(gpu, "slot %u is valid but not used", s);
	if (prog->slot[s].value & ~mask)
		toy_complain(gpu, "slot %u has value bits outside its mask", s);
	if ((mask & -mask) < caps->granule || (mask & -mask) > caps->max_block ||
	    mask >> (caps->va_bits - 1) >> 1)
		toy_complain(gpu, "slot %u: no comparator has mask %llx", s, mask);
	if (!caps->ternary && !is_run_of_ones(mask))
		toy_complain(gpu, "slot %u: mask %llx has holes", s, mask);
	if (part->mode[s] > GPUBP_MODE_ALL || !(caps->modes & BIT(part->mode[s])))
		toy_complain(gpu, "slot %u: mode %u", s, part->mode[s]);
}

static void check_part(struct toy_gpu *gpu, const struct gpubp_program *prog,
		       const struct gpubp_ctx_prog *part)
{
	struct toy_ctx *ctx = known_ctx(gpu, part->ctx);
	unsigned int s;

	if (!ctx)
		return;
	if (!ctx->alive)
		toy_complain(gpu, "a program for a destroyed context");
	if (ctx->fenced && (part->valid || part->watch_traps ||
			    part->exceptions))
		toy_complain(gpu, "a fenced context is armed");
	if (part->valid >> gpu->desc.caps.nr_slots)
		toy_complain(gpu, "slots that do not exist: %x", part->valid);
	for (s = 0; s < gpu->desc.caps.nr_slots; s++)
		if (part->valid & BIT(s))
			check_slot(gpu, prog, part, s);
}

static void check_once(struct toy_gpu *gpu, const struct gpubp_program *prog)
{
	unsigned int i, j;

	for (i = 0; i < prog->nr_ctxs; i++)
		for (j = 0; j < i; j++)
			if (prog->ctxs[i].ctx == prog->ctxs[j].ctx)
				toy_complain(gpu,
					     "a program has a context twice");
}

static bool names(const struct gpubp_program *prog, const struct toy_ctx *ctx)
{
	unsigned int i;

	for (i = 0; i < prog->nr_ctxs; i++)
		if (prog->ctxs[i].ctx == ctx)
			return true;
	return false;
}

/* after a reset the program must describe the complete hardware state */
static void check_complete(struct toy_gpu *gpu, const struct gpubp_program *prog)
{
	struct toy_ctx *ctx;

	list_for_each_entry(ctx, &gpu->ctxs, node)
		if (ctx->alive && !ctx->going && !names(prog, ctx))
			toy_complain(gpu, "a context is missing after a reset");
}

void toy_check_program(struct toy_gpu *gpu, const struct gpubp_program *prog)
{
	unsigned int i;

	if (prog->nr_slots != gpu->desc.caps.nr_slots)
		toy_complain(gpu, "%u slots", prog->nr_slots);
	if (!prog->changed_slots && !prog->nr_ctxs)
		toy_complain(gpu, "a commit without changes");
	check_once(gpu, prog);
	for (i = 0; i < prog->nr_ctxs; i++)
		check_part(gpu, prog, &prog->ctxs[i]);
	if (gpu->forgot)
		check_complete(gpu, prog);
}
EXPORT_SYMBOL_GPL(toy_check_program);
