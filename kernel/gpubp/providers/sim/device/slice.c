// SPDX-License-Identifier: GPL-2.0
/*
 * A slice: some instructions of one wave, and their outcome.
 *
 * A slice does not end between a comparator's match and the end of the trap
 * handler. So once every compute unit has been between two slices, all hits of
 * an old program have been sent: sim_cu_drain(). Exception: a wave that skids
 * may be preempted or halted before it traps: sim_slice_has_pending_hits().
 */
#include <linux/gpubp.h>
#include <linux/kcov.h>
#include <linux/timekeeping.h>
#include <uapi/linux/gpubp_sim.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "group.h"
#include "queue.h"
#include "save.h"
#include "slice.h"
#include "stop.h"
#include "user.h"

#define SLICE_INSTS	256

/*
 * An instruction can need hundreds of pages of its process, each of which is
 * pinned under mmap_lock: 100 us, or milliseconds if the process contends for
 * the lock. Other users' waves and the drain of a commit wait for the end of
 * the slice.
 */
#define SLICE_NS	(500 * NSEC_PER_USEC)

/* instructions between two reads of the clock, if no page is pinned */
#define PIECE_INSTS	16

/* llvm.trap: abort */
#define TRAP_ID_ABORT	2

/*
 * Instructions after which a handler that does not end is preempted after all.
 */
#define TRAP_INSTS	(16 * SLICE_INSTS)

static bool slice_halted(const struct sim_wave *wave)
{
	return (wave->status & (STATUS_HALT | STATUS_PRIV)) == STATUS_HALT;
}

/* registers of the VMID that a wave reads at each use */
static void slice_load_regs(struct sim_slot *slot)
{
	struct sim_wave *wave = &slot->wave;
	struct sim_bank bank;

	sim_bank_read(slot->cu->dev, HW_ID_VMID(wave->hw_id), &bank);
	wave->tba = sim_bank_tba(&bank);
	wave->tma = sim_bank_tma(&bank);
	wave->single_memop = bank.debug & SQ_DEBUG_SINGLE_MEMOP;
}

static enum sim_stop slice_run_insts(struct sim_wave *wave)
{
	unsigned int piece = sim_env_may_wait(wave) ? 1 : PIECE_INSTS;
	u64 end = ktime_get_mono_fast_ns() + SLICE_NS;
	unsigned int left = SLICE_INSTS;
	enum sim_stop stop;

	do {
		stop = sim_wave_run(wave, piece);
		left -= piece;
	} while (stop == SIM_STOP_BUDGET && left &&
		 ktime_get_mono_fast_ns() < end);
	return stop;
}

/*
 * Also executes until the wave has noticed a halt by the handler:
 * SIM_STOP_HALTED wakes waiters for that. s_sleep in a handler counts as a
 * whole slice.
 */
static enum sim_stop slice_leave_trap(struct sim_wave *wave, enum sim_stop stop)
{
	int left = TRAP_INSTS;

	while (left > 0 && (sim_wave_in_trap(wave) || slice_halted(wave)) &&
	       (stop == SIM_STOP_BUDGET || stop == SIM_STOP_SLEEP)) {
		left -= stop == SIM_STOP_SLEEP ? SLICE_INSTS : 1;
		stop = sim_wave_run(wave, 1);
	}
	return stop;
}

static enum sim_stop slice_execute(struct sim_slot *slot)
{
	slice_load_regs(slot);
	return slice_leave_trap(&slot->wave, slice_run_insts(&slot->wave));
}

static void count_insts(struct sim_slot *slot)
{
	struct sim_cu *cu = slot->cu;

	WRITE_ONCE(cu->nr_insts,
		   cu->nr_insts + slot->wave.nr_insts - slot->seen_insts);
	slot->seen_insts = slot->wave.nr_insts;
}

/* read by the drain of a commit: pairs with sim_cu_drain() */
static void begin_slice(struct sim_cu *cu)
{
	WRITE_ONCE(cu->slices, cu->slices + 1);
	smp_mb();	/* count, then read the comparators */
}

static void end_slice(struct sim_cu *cu)
{
	/* effects of the slice, then its end */
	smp_store_release(&cu->slices, cu->slices + 1);
	if (wq_has_sleeper(&cu->wait))
		wake_up_all(&cu->wait);
}

/* Outside the handler: forget the message and apply a command for its stop. */
static void leave_stop(struct sim_slot *slot)
{
	slot->msg_sent = false;
	if (slot->unhalt_pending)
		slot->wave.status &= ~STATUS_HALT;
	slot->unhalt_pending = false;
}

/* apply a command that arrived while the wave executed */
static void take_halt(struct sim_slot *slot)
{
	if (slot->halt_pending)
		slot->wave.status |= STATUS_HALT;
	slot->halt_pending = false;
}

static void set_ready(struct sim_slot *slot)
{
	guard(raw_spinlock_irqsave)(&slot->cu->lock);
	if (!sim_wave_in_trap(&slot->wave))
		leave_stop(slot);
	take_halt(slot);
	slot->state = slice_halted(&slot->wave) ? SIM_SLOT_HALTED :
					       SIM_SLOT_READY;
}

static void set_halted(struct sim_slot *slot)
{
	guard(raw_spinlock_irqsave)(&slot->cu->lock);
	slot->halted_at = ktime_get_mono_fast_ns();
	leave_stop(slot);
	take_halt(slot);
	slot->state = slice_halted(&slot->wave) ? SIM_SLOT_HALTED :
					       SIM_SLOT_READY;
}

static void set_barrier(struct sim_slot *slot)
{
	scoped_guard(raw_spinlock_irqsave, &slot->cu->lock) {
		take_halt(slot);
		slot->state = SIM_SLOT_BARRIER;
	}
	slot->group->nr_waiting++;
	sim_group_barrier(slot->group);
}

static void end_wave(struct sim_slot *slot)
{
	sim_stop_end(slot);
	/* it will never be halted: wake waiters for that */
	if (wq_has_sleeper(&slot->cu->wait))
		wake_up_all(&slot->cu->wait);
	WRITE_ONCE(slot->hit_pending, false);
	scoped_guard(raw_spinlock_irqsave, &slot->cu->lock)
		slot->state = SIM_SLOT_FREE;
	sim_group_wave_ended(slot);
}

static u32 fault_status(const struct sim_wave *wave)
{
	if (wave->fatal_trapsts & TRAPSTS_MEM_VIOL)
		return GPUBP_SIM_MEM_VIOL;
	if (wave->fatal_trapsts & TRAPSTS_ILLEGAL_INST)
		return GPUBP_SIM_ILLEGAL_INST;
	return GPUBP_SIM_TRAP;
}

static void end_by_fault(struct sim_slot *slot)
{
	struct sim_queue *queue = slot->group->queue;
	struct sim_device *dev = slot->cu->dev;
	struct sim_wave *wave = &slot->wave;
	u32 status = fault_status(wave);

	sim_stat_inc(dev, SIM_STAT_FAULTS);
	scoped_guard(mutex, &dev->lock)
		sim_queue_kill(queue, status, wave->fatal_pc,
			       status == GPUBP_SIM_MEM_VIOL ?
			       wave->fatal_addr : 0);
	end_wave(slot);
}

static void slice_settle(struct sim_slot *slot, enum sim_stop stop)
{
	switch (stop) {
	case SIM_STOP_PAGE:
		slot->cu->paging = true;
		return set_ready(slot);
	case SIM_STOP_BUDGET:
	case SIM_STOP_SLEEP:
		return set_ready(slot);
	case SIM_STOP_HALTED:
		return set_halted(slot);
	case SIM_STOP_BARRIER:
		return set_barrier(slot);
	case SIM_STOP_ENDED:
	case SIM_STOP_SAVED:
		return end_wave(slot);
	case SIM_STOP_FATAL:
		return end_by_fault(slot);
	}
}

/* a context that is being evicted executes only its trap handler */
static bool may_execute(const struct sim_slot *slot)
{
	return sim_wave_in_trap(&slot->wave) ||
	       !READ_ONCE(slot->group->queue->ctx->evicting);
}

static bool slice_run_wave(struct sim_slot *slot)
{
	struct sim_cu *cu = slot->cu;
	enum sim_stop stop = SIM_STOP_BUDGET;
	u64 start = ktime_get_mono_fast_ns();
	bool done;

	/* a command may have halted it in between */
	scoped_guard(raw_spinlock_irqsave, &cu->lock) {
		if (slot->state != SIM_SLOT_READY)
			return false;
		slot->state = SIM_SLOT_RUNNING;
	}
	begin_slice(cu);
	done = may_execute(slot);
	if (done)
		stop = slice_execute(slot);
	done = done && stop != SIM_STOP_PAGE;
	sim_tlb_slice_end(&cu->tlb);
	count_insts(slot);
	/* charged even if it only found that it has to wait */
	sim_user_ran(slot->group->queue->ctx->user, cu->nr,
		     ktime_get_mono_fast_ns() - start);
	WRITE_ONCE(slot->hit_pending, slot->wave.pending & TRAPSTS_WATCH);
	/* waiters for a halted wave wait for the end of slices, too */
	if (stop == SIM_STOP_HALTED)
		set_halted(slot);
	end_slice(cu);
	if (stop != SIM_STOP_HALTED)
		slice_settle(slot, stop);
	return done;
}

/*
 * The wave continues after a stop whose cause was not repaired: it ends as it
 * would without a handler.
 */
static bool has_unhandled_fault(const struct sim_wave *wave)
{
	return !sim_wave_in_trap(wave) && (wave->fatal_trapsts ||
				  wave->fatal_trap_id == TRAP_ID_ABORT);
}

static bool any_slot_hit_pending(struct sim_device *dev)
{
	unsigned int i;

	for (i = 0; i < sim_device_nr_slots(dev); i++)
		/* pairs with save_wave() */
		if (smp_load_acquire(&sim_slot_at(dev, i)->hit_pending))
			return true;
	return false;
}

/**
 * sim_slice_has_pending_hits() - does any wave have a hit for which it has not
 *	trapped?
 * @dev: device, after sim_cu_drain()
 */
bool sim_slice_has_pending_hits(struct sim_device *dev)
{
	/* a wave may be saved or restored during the scan */
	return sim_saved_has_pending_hits(dev) || any_slot_hit_pending(dev) ||
	       sim_saved_has_pending_hits(dev);
}

static enum sim_slot_state slot_state(struct sim_slot *slot)
{
	guard(raw_spinlock_irqsave)(&slot->cu->lock);
	return slot->state;
}

/**
 * sim_slice_is_urgent() - does another party wait for the wave in a slot?
 * @slot: slot with a wave, of the calling thread's compute unit
 *
 * A commit waits for the trap of a wave that has hit; a wave of a context that
 * is being evicted has to leave the handler, and a killed wave has to end.
 */
bool sim_slice_is_urgent(const struct sim_slot *slot)
{
	const struct sim_queue *queue = slot->group->queue;

	return slot->hit_pending || READ_ONCE(queue->killed) ||
	       READ_ONCE(queue->ctx->evicting);
}

/**
 * sim_slice_run() - execute a slice of the wave in a slot
 * @slot: slot of the calling thread's compute unit
 *
 * Return: true if anything was done.
 */
bool sim_slice_run(struct sim_slot *slot)
{
	enum sim_slot_state state = slot_state(slot);
	bool done = true;

	if (state == SIM_SLOT_FREE)
		return false;
	if (READ_ONCE(slot->group->queue->killed)) {
		end_wave(slot);
		return true;
	}
	if (state != SIM_SLOT_READY)
		return false;
	kcov_remote_start_common(slot->group->queue->ctx->kcov);
	if (has_unhandled_fault(&slot->wave))
		end_by_fault(slot);
	else
		done = slice_run_wave(slot);
	kcov_remote_stop();
	return done;
}
