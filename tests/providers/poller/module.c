// SPDX-License-Identifier: GPL-2.0
/* gpubp_poller: its capabilities and ops. */
#include <linux/delay.h>
#include <linux/module.h>

#include "poller.h"

#define TOO_LONG_MS	2000

/* bounded by the caller's timeout, never by the GPU */
static int poller_flush(void *priv, u32 what, unsigned int timeout_ms)
{
	struct toy_ctx *ctx = toy_check_ctx(priv, "flush");
	unsigned int ms = READ_ONCE(gpubp_poller.flush_ms);

	if (!what || (what & ~(GPUBP_FLUSH_DATA | GPUBP_FLUSH_CODE)))
		toy_complain(ctx->gpu, "flush of %x", what);
	msleep(min(ms, timeout_ms));
	if (toy_fault(TOY_FAULT_FLUSH)) {
		msleep(ms > timeout_ms ? TOO_LONG_MS : 0);
		return 0;
	}
	return ms > timeout_ms ? -ETIMEDOUT : 0;
}

static const struct gpubp_ops ops = {
	.mem_rw		= toy_mem_rw,
	.mem_translate	= toy_mem_translate,
	.flush		= poller_flush,
	.list_waves	= toy_list_waves,
	.read_wave	= poller_read_wave,
	.write_wave	= poller_write_wave,
	.halt		= toy_halt,
	.resume		= toy_resume,
	.hit_done	= toy_hit_done,
	.poll		= poller_poll,
	.quiesce	= poller_quiesce,
};

struct poller gpubp_poller = {
	.toy = {
		.desc = {
			.name	= "gpubp_poller",
			.owner	= THIS_MODULE,
			.caps	= {
				.va_bits	= 48,
				.residency	= GPUBP_RESIDENCY_FIRMWARE,
				.stops		= GPUBP_STOPS_CTX,
				.hit_fields	= GPUBP_HITF_CTX |
						  GPUBP_HITF_DOORBELL |
						  GPUBP_HITF_PC,
				.poll_us	= 5000,
			},
			.ops	= &ops,
		},
		.regs_in_memory = true,
		.stopped = poller_stopped,
	},
	.flush_ms = 5,
};
EXPORT_SYMBOL_GPL(gpubp_poller);

static int __init poller_init(void)
{
	return toy_gpu_init(&gpubp_poller.toy);
}

static void __exit poller_exit(void)
{
	toy_gpu_exit(&gpubp_poller.toy);
}

module_init(poller_init);
module_exit(poller_exit);

MODULE_DESCRIPTION("gpubp: test provider without comparators and interrupts");
MODULE_LICENSE("GPL");
