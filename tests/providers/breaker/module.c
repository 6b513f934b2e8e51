// SPDX-License-Identifier: GPL-2.0
/* gpubp_breaker: its capabilities and ops. */
#include <linux/module.h>

#include "breaker.h"

static const struct gpubp_ops ops = {
	.mem_rw		= toy_mem_rw,
	.mem_translate	= toy_mem_translate,
	.list_waves	= toy_list_waves,
	.read_wave	= toy_read_wave,
	.write_wave	= toy_write_wave,
	.halt		= toy_halt,
	.resume		= toy_resume,
	.step		= toy_step,
	.ctx_suspend	= toy_ctx_suspend,
	.ctx_resume	= toy_ctx_resume,
	.hit_done	= toy_hit_done,
	.quiesce	= breaker_quiesce,
};

struct breaker gpubp_breaker = {
	.toy = {
		.desc = {
			.name	= "gpubp_breaker",
			.owner	= THIS_MODULE,
			.isa	= &toy_isa,
			.caps	= {
				.va_bits	= 48,
				.residency	= GPUBP_RESIDENCY_FIRMWARE,
				.precise	= true,
				.interrupts	= true,
				.stops		= GPUBP_STOPS_UNIT,
				.can_step	= true,
				.hit_fields	= GPUBP_HITF_CTX |
						  GPUBP_HITF_DOORBELL |
						  GPUBP_HITF_PC |
						  GPUBP_HITF_EXEC |
						  GPUBP_HITF_TIME,
			},
			.ops	= &ops,
		},
		.stopped = breaker_stopped,
	},
	.irq = IRQ_WORK_INIT_HARD(breaker_irq),
};
EXPORT_SYMBOL_GPL(gpubp_breaker);

static int __init breaker_init(void)
{
	return toy_gpu_init(&gpubp_breaker.toy);
}

static void __exit breaker_exit(void)
{
	toy_gpu_exit(&gpubp_breaker.toy);
}

module_init(breaker_init);
module_exit(breaker_exit);

MODULE_DESCRIPTION("gpubp: test provider with breaks and no comparators");
MODULE_LICENSE("GPL");
