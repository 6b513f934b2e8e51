// SPDX-License-Identifier: GPL-2.0
/* struct gpubp_ops: operations that the core calls. */
#include <linux/err.h>
#include <linux/gpubp.h>
#include <linux/jiffies.h>
#include <linux/module.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "ids.h"
#include "provider.h"
#include "space.h"
#include "stop.h"
#include "sweep.h"
#include "wavectl.h"

#define HANDLER_ALIGN	256

static void set_handler(struct sim_ctx *ctx, u64 tba, u64 tma)
{
	struct sim_bank *bank = &ctx->bank;

	sim_vm_flush_code(&ctx->vm);
	guard(mutex)(&ctx->dev->lock);
	bank->tba_lo = tba >> 8;
	bank->tba_hi = tba >> 40;
	bank->tma_lo = tma >> 8;
	bank->tma_hi = tma >> 40;
	sim_vmid_load(ctx);
}

static int trap_install(void *priv, u64 tba, u64 tma)
{
	struct sim_ctx *ctx = priv;

	if (!IS_ALIGNED(tba | tma, HANDLER_ALIGN) || (tba | tma) >> SIM_VA_BITS)
		return -EIO;
	if (sim_fault(ctx->dev, SIM_FAULT_INSTALL))
		return -EIO;
	set_handler(ctx, tba, tma);
	/* waves may exist already whose registers are edited to trap */
	sim_sweep_start(ctx->dev);
	return 0;
}

/* waves read TBA when they trap: after the drain none is in the handler */
static void trap_remove(void *priv)
{
	struct sim_ctx *ctx = priv;

	set_handler(ctx, 0, 0);
	sim_cu_drain(ctx->dev, SIM_SLICE_TIMEOUT);
}

static int code_alloc(void *priv, size_t size, u64 *va)
{
	struct sim_ctx *ctx = priv;

	if (sim_fault(ctx->dev, SIM_FAULT_ALLOC))
		return -ENOMEM;
	*va = 0;
	return sim_vm_alloc(&ctx->vm, SIM_MAP_CODE, size, va);
}

static void code_free(void *priv, u64 va)
{
	struct sim_ctx *ctx = priv;

	sim_vm_free(&ctx->vm, va);
}

static void *code_map(void *priv, u64 va)
{
	struct sim_ctx *ctx = priv;

	return sim_vm_map_code(&ctx->vm, va);
}

/* data caches are coherent */
static int flush_caches(void *priv, u32 what, unsigned int timeout_ms)
{
	struct sim_ctx *ctx = priv;

	if (what & GPUBP_FLUSH_CODE)
		sim_vm_flush_code(&ctx->vm);
	return 0;
}

static void hit_done(void *priv, const struct gpubp_hit *hit)
{
	sim_stop_resume(priv, hit->wave);
}

/* s_memrealtime: see sim_env_time() */
static u64 clock_ns(void *priv, u64 clock)
{
	return clock * SIM_REALTIME_NS;
}

static void sim_quiesce(void *priv)
{
	struct sim_device *dev = priv;

	WRITE_ONCE(dev->quiet, true);
	sim_ih_stop(dev);
	sim_sweep_stop(dev);
	cancel_work_sync(&dev->reset);
	sim_stop_resume_all(dev);
}

static const struct gpubp_ops ops = {
	.commit		= sim_commit,
	.trap_install	= trap_install,
	.trap_remove	= trap_remove,
	.code_alloc	= code_alloc,
	.code_free	= code_free,
	.code_map	= code_map,
	.ctx_suspend	= sim_suspend,
	.ctx_resume	= sim_resume,
	.mem_rw		= sim_mem_rw,
	.mem_translate	= sim_mem_translate,
	.flush		= flush_caches,
	.list_waves	= sim_list_waves,
	.read_wave	= sim_read_wave,
	.write_wave	= sim_write_wave,
	.halt		= sim_halt,
	.resume		= sim_unhalt,
	.step		= sim_step,
	.hit_done	= hit_done,
	.clock_ns	= clock_ns,
	.quiesce	= sim_quiesce,
};

/*
 * Without a mask per VMID only comparators may be enabled: otherwise waves of
 * all other VMIDs would trap, too.
 */
static u32 config_exceptions(const struct sim_config *config)
{
	u32 always = GPUBP_EXC_MEM_VIOL | GPUBP_EXC_ILLEGAL;

	return sim_config_banked(config) ?
		always | GPUBP_EXC_INT_DIV0 | GPUBP_EXC_FP : always;
}

static struct gpubp_caps device_caps(const struct sim_device *dev)
{
	const struct sim_config *config = &dev->config;

	/* CNTL.MASK has 24 bits above the granule */
	return (struct gpubp_caps){
		.nr_slots	= config->nr_watch,
		.usable_slots	= GENMASK(config->nr_watch - 1, 0),
		.nr_waves	= sim_device_nr_slots(dev),
		.granule	= config->granule,
		.max_block	= (u64)config->granule << 24,
		.va_bits	= SIM_VA_BITS,
		.modes		= BIT(GPUBP_MODE_READ) |
				  BIT(GPUBP_MODE_NONREAD) |
				  BIT(GPUBP_MODE_ATOMIC) | BIT(GPUBP_MODE_ALL),
		.paths		= GPUBP_PATH_VECTOR,
		.residency	= config->residency,
		.cntl_banked	= sim_config_banked(config),
		.precise	= config->personality != SIM_GFX900,
		.interrupts	= true,
		.dispatch_waits	= true,
		.atomics	= true,
		.records	= true,
		.stray_ns	= 10000,	/* 150 instructions, interpreted */
		.ternary	= config->ternary,
		.can_step	= true,
		.can_catch	= true,
		.saves_waves	= true,
		.exceptions	= config_exceptions(config),
		.stops		= GPUBP_STOPS_WAVE,
	};
}

/* the handler has a record for each wave position */
static bool records_suffice(const struct sim_device *dev,
			    const struct gpubp_isa *isa)
{
	return isa->record_index(0, 0, dev->nr_cus - 1, SIM_NR_SIMDS - 1,
				 SIM_SIMD_SLOTS - 1) >= 0;
}

/*
 * sim_provider_register() - register the device with the core; 0 or an errno
 */
int sim_provider_register(struct sim_device *dev)
{
	struct gpubp_device_desc desc = {
		.name	= dev->name,
		.owner	= THIS_MODULE,
		.isa	= sim_config_isa(&dev->config),
		.caps	= device_caps(dev),
		.ops	= &ops,
	};

	if (!records_suffice(dev, desc.isa))
		return -EINVAL;
	dev->core = gpubp_device_register(&desc, dev);
	return PTR_ERR_OR_ZERO(dev->core);
}

/** sim_provider_unregister() - unregister it; no context exists any more */
void sim_provider_unregister(struct sim_device *dev)
{
	gpubp_device_unregister(dev->core);
}
