// SPDX-License-Identifier: GPL-2.0
/* Ops: checks of a provider's ops, and defaults for missing ones. */
#include <linux/errno.h>
#include <linux/gpubp.h>

#include "ops.h"

/* ---- required ops -------------------------------------------------------- */

static bool has_handler(const struct gpubp_device_desc *desc)
{
	return desc->isa && desc->isa->handler;
}

static bool reports_hits(const struct gpubp_device_desc *desc)
{
	return desc->caps.nr_slots || desc->caps.exceptions ||
	       !desc->caps.interrupts || (desc->isa && desc->isa->break_len);
}

static const char *ops_slots_fault(const struct gpubp_device_desc *desc)
{
	u32 least = GPUBP_HITF_PC | GPUBP_HITF_SLOTS;

	if (!desc->caps.nr_slots)
		return NULL;
	if (!desc->ops->commit)
		return "comparators need commit";
	if (!has_handler(desc) && (desc->caps.hit_fields & least) != least)
		return "comparators need a trap handler, or hits that report pc and slots";
	return NULL;
}

static const char *ops_exceptions_fault(const struct gpubp_device_desc *desc)
{
	u32 least = GPUBP_HITF_PC | GPUBP_HITF_EXCEPTIONS;

	if (!desc->caps.exceptions)
		return NULL;
	if (!desc->ops->commit)
		return "exceptions need commit";
	if (!has_handler(desc) && (desc->caps.hit_fields & least) != least)
		return "exceptions need a trap handler, or hits that report pc and exceptions";
	return NULL;
}

static const char *ops_hits_fault(const struct gpubp_device_desc *desc)
{
	const struct gpubp_ops *ops = desc->ops;

	if (!desc->caps.interrupts && !ops->poll)
		return "neither interrupts nor poll";
	if (reports_hits(desc) && !ops->hit_done)
		return "hits need hit_done";
	if (desc->isa && desc->caps.nr_slots && !ops->read_wave)
		return "comparators and an ISA need read_wave";
	return NULL;
}

static bool lacks_level(const struct gpubp_device_desc *desc)
{
	return desc->caps.trap_level == GPUBP_TRAP_SECOND &&
	       (!desc->isa->handler->second || !desc->isa->trap_reasons);
}

static const char *ops_records_fault(const struct gpubp_device_desc *desc)
{
	const struct gpubp_caps *caps = &desc->caps;

	if (!caps->records)
		return NULL;
	if (!has_handler(desc) || !desc->isa->handler->ring_offset ||
	    !desc->isa->recorded_parse || !desc->isa->recorded_read)
		return "records need an ISA whose trap handler has a ring";
	if (desc->isa->handler->place_head > GPUBP_MAX_PLACE_HEAD ||
	    desc->isa->handler->place_code_len > GPUBP_MAX_INSN)
		return "the head of a place, or the code in it, is too long";
	if (!desc->ops->clock_ns || !desc->ops->code_map)
		return "records need clock_ns and code_map";
	return NULL;
}

static const char *ops_handler_fault(const struct gpubp_device_desc *desc)
{
	const struct gpubp_ops *ops = desc->ops;

	if (has_handler(desc) && (!ops->trap_install || !ops->trap_remove ||
				  !ops->code_alloc || !ops->code_free))
		return "a trap handler needs trap_install, trap_remove, code_alloc and code_free";
	if (has_handler(desc) && lacks_level(desc))
		return "the ISA has no second-level trap handler";
	return NULL;
}

static const char *ops_pairs_fault(const struct gpubp_ops *ops)
{
	if (!ops->acquire != !ops->release)
		return "acquire and release need each other";
	if (!ops->trap_install != !ops->trap_remove)
		return "trap_install and trap_remove need each other";
	if (!ops->code_alloc != !ops->code_free)
		return "code_alloc and code_free need each other";
	if (!ops->ctx_suspend != !ops->ctx_resume)
		return "ctx_suspend and ctx_resume need each other";
	if (!ops->halt != !ops->resume)
		return "halt and resume need each other";
	return NULL;
}

static const char *ops_stops_fault(const struct gpubp_device_desc *desc)
{
	const struct gpubp_caps *caps = &desc->caps;
	bool never = caps->stops == GPUBP_STOPS_NONE;

	if (!desc->ops->halt != never)
		return "halt and caps.stops contradict each other";
	if (!desc->ops->step == caps->can_step)
		return "step and caps.can_step contradict each other";
	if (caps->can_step && !desc->ops->halt)
		return "step without halt";
	if (caps->can_catch && (!desc->ops->halt || !desc->ops->list_waves))
		return "caps.can_catch without halt and list_waves";
	return NULL;
}

static const char *ops_ranges_fault(const struct gpubp_device_desc *desc)
{
	if (desc->caps.ranges && has_handler(desc))
		return "the core's trap handler has the ranges";
	return NULL;
}

/**
 * gpubp_ops_fault() - check ops and capabilities of a provider
 * @desc: device to be registered
 *
 * Return: NULL, or a message for the provider's author.
 */
const char *gpubp_ops_fault(const struct gpubp_device_desc *desc)
{
	const struct gpubp_ops *ops = desc->ops;

	if (!ops || !ops->quiesce || !ops->mem_rw)
		return "quiesce and mem_rw are required";
	return ops_slots_fault(desc) ?:
	       ops_exceptions_fault(desc) ?:
	       ops_records_fault(desc) ?:
	       ops_ranges_fault(desc) ?:
	       ops_hits_fault(desc) ?:
	       ops_handler_fault(desc) ?:
	       ops_pairs_fault(ops) ?:
	       ops_stops_fault(desc);
}

/* ---- defaults ------------------------------------------------------------ */

static void no_commit(void *dev, const struct gpubp_program *prog,
		      struct gpubp_commit_result *res)
{
}

static int no_acquire(void *dev, u32 slots)
{
	return slots;
}

static void no_release(void *dev, u32 slots)
{
}

static int no_ctx_suspend(void *dev, void * const *ctxs, unsigned int nr,
			  unsigned int grace_ms)
{
	return -EOPNOTSUPP;
}

static void no_ctx_resume(void *dev, void * const *ctxs, unsigned int nr)
{
}

static int no_mem_translate(void *ctx, const struct gpubp_where *where,
			    struct gpubp_mapping *out)
{
	return -EOPNOTSUPP;
}

/* memory is coherent */
static int no_flush(void *ctx, u32 what, unsigned int timeout_ms)
{
	return 0;
}

static int no_list_waves(void *ctx, struct gpubp_wave_info *out,
			 unsigned int max)
{
	return -EOPNOTSUPP;
}

static int no_read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
			unsigned int nr, u32 *out)
{
	return -EOPNOTSUPP;
}

static int no_write_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
			 unsigned int nr, const u32 *in)
{
	return -EOPNOTSUPP;
}

static int no_run_control(void *dev, const struct gpubp_waves *waves)
{
	return -EOPNOTSUPP;
}

static void no_hit_done(void *dev, const struct gpubp_hit *hit)
{
}

static void no_poll(void *dev)
{
}

/**
 * gpubp_ops_complete() - set the core's defaults where a provider has no op
 * @ops: copy of ops that passed gpubp_ops_fault()
 *
 * Ops that only an ISA with a trap handler needs have no default.
 */
void gpubp_ops_complete(struct gpubp_ops *ops)
{
	ops->commit = ops->commit ?: no_commit;
	ops->acquire = ops->acquire ?: no_acquire;
	ops->release = ops->release ?: no_release;
	ops->ctx_suspend = ops->ctx_suspend ?: no_ctx_suspend;
	ops->ctx_resume = ops->ctx_resume ?: no_ctx_resume;
	ops->mem_translate = ops->mem_translate ?: no_mem_translate;
	ops->flush = ops->flush ?: no_flush;
	ops->list_waves = ops->list_waves ?: no_list_waves;
	ops->read_wave = ops->read_wave ?: no_read_wave;
	ops->write_wave = ops->write_wave ?: no_write_wave;
	ops->halt = ops->halt ?: no_run_control;
	ops->resume = ops->resume ?: no_run_control;
	ops->step = ops->step ?: no_run_control;
	ops->hit_done = ops->hit_done ?: no_hit_done;
	ops->poll = ops->poll ?: no_poll;
}
