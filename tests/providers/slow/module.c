// SPDX-License-Identifier: GPL-2.0
/* gpubp_slow: its capabilities and ops. */
#include <linux/module.h>
#include <linux/sizes.h>

#include "slow.h"

unsigned int slow_commit_ms = 20;
module_param_named(commit_ms, slow_commit_ms, uint, 0644);
MODULE_PARM_DESC(commit_ms, "duration of a commit in ms");

unsigned int slow_fail_percent = 10;
module_param_named(fail_percent, slow_fail_percent, uint, 0644);
MODULE_PARM_DESC(fail_percent,
		 "percentage of programmed slots that fail temporarily");

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "which ones");

static bool addr;
module_param(addr, bool, 0444);
MODULE_PARM_DESC(addr,
		 "hits report the address; no instruction set is declared");

static const struct gpubp_ops ops = {
	.commit		= slow_commit,
	.acquire	= slow_acquire,
	.release	= slow_release,
	.mem_rw		= toy_mem_rw,
	.mem_translate	= toy_mem_translate,
	.list_waves	= toy_list_waves,
	.read_wave	= toy_read_wave,
	.write_wave	= toy_write_wave,
	.ctx_suspend	= toy_ctx_suspend,
	.ctx_resume	= toy_ctx_resume,
	.halt		= toy_halt,
	.resume		= toy_resume,
	.step		= toy_step,
	.hit_done	= toy_hit_done,
	.quiesce	= slow_quiesce,
};

struct slow gpubp_slow = {
	.toy = {
		.desc = {
			.name	= "gpubp_slow",
			.owner	= THIS_MODULE,
			.isa	= &toy_isa,
			.caps	= {
				.nr_slots	= SLOW_SLOTS,
				.usable_slots	= GENMASK(SLOW_SLOTS - 1, 0),
				.granule	= 64,
				.max_block	= SZ_1G,
				.va_bits	= 48,
				.modes		= GENMASK(GPUBP_MODE_ALL, 0),
				.paths		= GPUBP_PATH_VECTOR,
				.residency	= GPUBP_RESIDENCY_REPORTED,
				.cntl_banked	= true,
				.precise	= true,
				.interrupts	= true,
				.ternary	= true,
				.commit_preempts = true,
				.stops		= GPUBP_STOPS_WAVE,
				.can_step	= true,
				.hit_fields	= GPUBP_HITF_VMID |
						  GPUBP_HITF_DOORBELL |
						  GPUBP_HITF_PC |
						  GPUBP_HITF_EXEC |
						  GPUBP_HITF_SLOTS |
						  GPUBP_HITF_TIME,
			},
			.ops	= &ops,
		},
		.matches = slow_matches,
		.traps_at_launch = true,
		.stopped = toy_hit_report,
	},
	.repair = __DELAYED_WORK_INITIALIZER(gpubp_slow.repair, slow_repair, 0),
};
EXPORT_SYMBOL_GPL(gpubp_slow);

static int __init slow_init(void)
{
	struct gpubp_device_desc *desc = &gpubp_slow.toy.desc;

	gpubp_slow.random = seed;
	if (addr) {
		desc->isa = NULL;
		gpubp_slow.toy.traps_at_launch = false;
		desc->caps.hit_fields |= GPUBP_HITF_ADDR;
	}
	return toy_gpu_init(&gpubp_slow.toy);
}

static void __exit slow_exit(void)
{
	toy_gpu_exit(&gpubp_slow.toy);
}

module_init(slow_init);
module_exit(slow_exit);

MODULE_DESCRIPTION("gpubp: test provider with slow, unreliable comparators");
MODULE_LICENSE("GPL");
