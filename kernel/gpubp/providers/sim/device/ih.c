// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupt ring: waves write entries, and the handler of a real Linux
 * interrupt consumes them. The interrupt is edge triggered: an entry written
 * while the handler runs makes the interrupt core call it once more, so that no
 * entry is missed.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "device.h"
#include "ih.h"

/* time stamps count at 100 MHz */
#define NS_PER_TICK	10

/* timeout of a flush: only a hung CPU delays the handler for that long */
#define FLUSH_TIMEOUT	(10 * HZ)

static void ih_assert_line(struct irq_work *work)
{
	struct sim_ih *ih = container_of(work, struct sim_ih, line);

	generic_handle_irq(ih->irq);
}

static bool ih_take_overflow(struct sim_ih *ih)
{
	bool overflow;

	guard(raw_spinlock_irqsave)(&ih->lock);
	overflow = ih->overflow;
	ih->overflow = false;
	return overflow;
}

static irqreturn_t ih_handle_irq(int irq, void *data)
{
	struct sim_device *dev = data;
	struct sim_ih *ih = &dev->ih;
	u32 rptr = ih->rptr;

	/*
	 * Read entries after the pointer: pairs with the release in
	 * ih_put_entry().
	 */
	while (rptr != smp_load_acquire(&ih->wptr)) {
		ih->handle(dev, ih->ring[rptr & (ih->nr - 1)]);
		rptr++;
		/* handle, then free the entry; pairs with sim_ih_flush() */
		smp_store_release(&ih->rptr, rptr);
	}
	if (ih_take_overflow(ih))
		ih->lost(dev);
	return IRQ_HANDLED;
}

static int ih_alloc_irq(struct sim_device *dev)
{
	/* no owner: request_irq() would take a reference to this module */
	int irq = __irq_alloc_descs(-1, 0, 1, NUMA_NO_NODE, NULL, NULL);
	int err;

	if (irq < 0)
		return irq;
	irq_set_chip_and_handler_name(irq, &dummy_irq_chip, handle_edge_irq,
				      "edge");
	irq_modify_status(irq, IRQ_NOREQUEST, IRQ_NOPROBE);
	err = request_irq(irq, ih_handle_irq, IRQF_NO_THREAD | IRQF_NO_SUSPEND,
			  dev->name, dev);
	if (!err)
		return irq;
	irq_free_descs(irq, 1);
	return err;
}

/**
 * sim_ih_init() - allocate ring and interrupt
 * @dev: device
 * @nr: entries, rounded up to a power of two
 * @handle: as in struct sim_ih
 * @lost: as in struct sim_ih
 *
 * Return: 0 or a negative errno.
 */
int sim_ih_init(struct sim_device *dev, unsigned int nr,
		void (*handle)(struct sim_device *dev, const u32 *entry),
		void (*lost)(struct sim_device *dev))
{
	struct sim_ih *ih = &dev->ih;

	ih->handle = handle;
	ih->lost = lost;
	raw_spin_lock_init(&ih->lock);
	ih->line = IRQ_WORK_INIT_HARD(ih_assert_line);
	ih->nr = roundup_pow_of_two(nr);
	ih->ring = kcalloc(ih->nr, sizeof(*ih->ring), GFP_KERNEL);
	if (!ih->ring)
		return -ENOMEM;
	ih->irq = ih_alloc_irq(dev);
	if (ih->irq >= 0)
		return 0;
	kfree(ih->ring);
	return ih->irq;
}

/**
 * sim_ih_stop() - wait for the interrupt handler
 * @dev: device that raises no interrupts any more, or is quiet
 */
void sim_ih_stop(struct sim_device *dev)
{
	irq_work_sync(&dev->ih.line);
	synchronize_irq(dev->ih.irq);
}

/** sim_ih_exit() - undo sim_ih_init(); no wave exists any more */
void sim_ih_exit(struct sim_device *dev)
{
	sim_ih_stop(dev);
	free_irq(dev->ih.irq, dev);
	irq_free_descs(dev->ih.irq, 1);
	kfree(dev->ih.ring);
}

static bool ih_is_full(struct sim_ih *ih)
{
	/* pairs with the release in ih_handle_irq() */
	return ih->wptr - smp_load_acquire(&ih->rptr) == ih->nr;
}

static bool ih_put_entry(struct sim_device *dev, const u32 *entry)
{
	struct sim_ih *ih = &dev->ih;

	guard(raw_spinlock_irqsave)(&ih->lock);
	if (ih_is_full(ih) || sim_fault(dev, SIM_FAULT_OVERFLOW)) {
		ih->overflow = true;
		sim_stat_inc(dev, SIM_STAT_OVERFLOWS);
		return false;
	}
	memcpy(ih->ring[ih->wptr & (ih->nr - 1)], entry, sizeof(*ih->ring));
	/* write the entry, then the pointer: pairs with ih_handle_irq() */
	smp_store_release(&ih->wptr, ih->wptr + 1);
	return true;
}

/**
 * sim_ih_raise() - write an entry of SQ and raise the interrupt
 * @dev: device
 * @vmid: VMID of the wave
 * @pasid: PASID of its context
 * @ctx0: SQ's first dword
 * @ctx1: SQ's second dword
 *
 * Any context.
 *
 * Return: false if the entry is lost: the ring is full, or a fault was
 * injected.
 */
bool sim_ih_raise(struct sim_device *dev, u32 vmid, u32 pasid, u32 ctx0,
		  u32 ctx1)
{
	u64 ticks = div_u64(ktime_get_mono_fast_ns(), NS_PER_TICK);
	u32 entry[SIM_IH_DWORDS] = {
		IH_CLIENT_SE0SH | IH_SRC_SQ << IH_DW0_SOURCE_SHIFT |
			vmid << IH_DW0_VMID_SHIFT,
		lower_32_bits(ticks),
		upper_32_bits(ticks) & GENMASK(IH_TIME_BITS - 32 - 1, 0),
		pasid,
		ctx0,
		ctx1,
	};
	bool done;

	if (sim_fault(dev, SIM_FAULT_MESSAGE))
		return false;
	done = ih_put_entry(dev, entry);
	if (!sim_fault(dev, SIM_FAULT_INTERRUPT))
		irq_work_queue(&dev->ih.line);
	return done;
}

/**
 * sim_ih_time_ns() - time stamp of an entry
 * @entry: entry, not older than a month
 *
 * Return: ns of CLOCK_MONOTONIC.
 */
u64 sim_ih_time_ns(const u32 *entry)
{
	u64 mask = GENMASK_ULL(IH_TIME_BITS - 1, 0);
	u64 now = div_u64(ktime_get_mono_fast_ns(), NS_PER_TICK);
	u64 stamp = entry[1] | (u64)entry[2] << 32;

	return (now - ((now - stamp) & mask)) * NS_PER_TICK;
}

/**
 * sim_ih_flush() - wait until all entries written so far are handled
 * @dev: device
 *
 * Includes entries whose interrupt was lost: the handler is triggered for all
 * that are not handled yet.
 *
 * May sleep.
 *
 * Return: false on timeout.
 */
bool sim_ih_flush(struct sim_device *dev)
{
	unsigned long end = jiffies + FLUSH_TIMEOUT;
	struct sim_ih *ih = &dev->ih;
	u32 wptr = READ_ONCE(ih->wptr);

	if (READ_ONCE(ih->rptr) != wptr)
		irq_work_queue(&ih->line);
	/* effects of the handler are visible: pairs with its release */
	while ((s32)(smp_load_acquire(&ih->rptr) - wptr) < 0) {
		if (WARN_ON_ONCE(time_after(jiffies, end)))
			return false;
		usleep_range(10, 100);
	}
	return true;
}
