/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_IH_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_IH_H

#include <linux/bits.h>
#include <linux/irq_work.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct sim_device;

#define SIM_IH_DWORDS		8	/* of an entry */

/* entry: dw0 client[7:0] source[15:8] ring[23:16] vmid[27:24], dw1-2 time,
 * dw3 pasid[15:0], dw4 and dw5 the source's
 */
#define IH_DW0_CLIENT(x)	((x) & 0xff)
#define IH_DW0_SOURCE_SHIFT	8
#define IH_DW0_SOURCE(x)	(((x) >> IH_DW0_SOURCE_SHIFT) & 0xff)
#define IH_DW0_VMID_SHIFT	24
#define IH_DW0_VMID(x)		(((x) >> IH_DW0_VMID_SHIFT) & 0xf)
#define IH_TIME_BITS		48
#define IH_DW3_PASID(x)		((x) & 0xffff)

/* SQ's dw4: payload[11:0], position, payload[15:12]; dw5: payload[23:16] */
#define SQ_CTX0_DATA		0x00000fff
#define SQ_CTX0_SH_SHIFT	12
#define SQ_CTX0_PRIV		BIT(13)
#define SQ_CTX0_WAVE_SHIFT	14
#define SQ_CTX0_SIMD_SHIFT	18
#define SQ_CTX0_CU_SHIFT	20
#define SQ_CTX0_SE_SHIFT	24
#define SQ_CTX0_ENC_SHIFT	26
#define SQ_CTX0_DATA_HI_SHIFT	28

/**
 * struct sim_ih - the interrupt ring
 * @lock: protects writers of the ring: @wptr, @overflow
 * @ring: entries
 * @nr: number of entries, a power of two
 * @wptr: entries written so far
 * @rptr: entries handled so far; only the interrupt handler writes it, and
 *	never concurrently
 * @overflow: an entry was lost since the last run of the handler
 * @irq: Linux interrupt number
 * @line: triggers the interrupt
 * @handle: handles an entry of SIM_IH_DWORDS; hard interrupt context
 * @lost: called when an entry was lost; hard interrupt context
 */
struct sim_ih {
	raw_spinlock_t lock;
	u32 (*ring)[SIM_IH_DWORDS];
	u32 nr;
	u32 wptr;
	u32 rptr;
	bool overflow;
	int irq;
	struct irq_work line;
	void (*handle)(struct sim_device *dev, const u32 *entry);
	void (*lost)(struct sim_device *dev);
};

int sim_ih_init(struct sim_device *dev, unsigned int nr,
		void (*handle)(struct sim_device *dev, const u32 *entry),
		void (*lost)(struct sim_device *dev));
void sim_ih_exit(struct sim_device *dev);
bool sim_ih_raise(struct sim_device *dev, u32 vmid, u32 pasid, u32 ctx0,
		  u32 ctx1);
bool sim_ih_flush(struct sim_device *dev);
void sim_ih_stop(struct sim_device *dev);
u64 sim_ih_time_ns(const u32 *entry);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_IH_H */
