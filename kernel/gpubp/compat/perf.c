// SPDX-License-Identifier: GPL-2.0
/* What we do to perf core's objects from a module. */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/wait.h>
#include <asm/perf_event.h>
#include <uapi/linux/gpubp.h>

#include "../deliver.h"
#include "../event.h"
#include "../tracepoint.h"
#include "perf.h"

/**
 * gpubp_perf_enabled() - does the event want to count
 * @event: event
 *
 * RCU section, any context; a racy look, as nothing tells when it changes. A sibling
 * follows its leader: perf leaves it INACTIVE when only the leader is off.
 */
bool gpubp_perf_enabled(const struct perf_event *event)
{
	const struct perf_event *leader = READ_ONCE(event->group_leader);

	if (READ_ONCE(event->state) < PERF_EVENT_STATE_INACTIVE)
		return false;
	return !leader || leader == event ||
	       READ_ONCE(leader->state) >= PERF_EVENT_STATE_INACTIVE;
}

/**
 * gpubp_perf_task() - the task an event counts for at the moment
 * @event: event
 *
 * To be compared, never to be dereferenced: fork() may free it without asking
 * who looks. Perf swaps the contexts of a parent and its child, so the event
 * that was opened on a task need not serve it now.
 *
 * Return: the task, or NULL: not installed, CPU-wide, or the task has gone.
 */
struct task_struct *gpubp_perf_task(const struct perf_event *event)
{
	struct perf_event_context *ctx = READ_ONCE(event->ctx);
	struct task_struct *task;

	if (!ctx)
		return NULL;
	task = READ_ONCE(ctx->task);
	return task == (void *)-1L ? NULL : task;	/* TASK_TOMBSTONE */
}

/**
 * gpubp_perf_count() - one more for a counting event
 * @event: event; not a sampling one, whose count perf core adds to
 *
 * Any CPU: nobody else adds to it, and perf only stores (IOC_RESET) or
 * exchanges it (inherit_stat).
 */
void gpubp_perf_count(struct perf_event *event)
{
	BUILD_BUG_ON(sizeof(event->count) != sizeof(atomic_long_t));
	atomic_long_inc((atomic_long_t *)&event->count);
}

/**
 * gpubp_perf_note_time() - an armed event of a sleeping task has run
 * @event: event
 *
 * perf counts enabled and running time while the task is on a CPU only; tools
 * print "<not counted>" when that is 0. One nanosecond of each, now and then,
 * says that the event counted and scales nothing.
 *
 * The caller is in an RCU section, so that ctx stays.
 */
void gpubp_perf_note_time(struct perf_event *event)
{
	struct perf_event_context *ctx = READ_ONCE(event->ctx);
	unsigned long flags;

	if (!ctx)
		return;
	local_irq_save(flags);
	if (raw_spin_trylock(&ctx->lock)) {
		if (event->ctx == ctx && !ctx->is_active &&
		    event->state == PERF_EVENT_STATE_INACTIVE) {
			event->total_time_enabled++;
			event->total_time_running++;
		}
		raw_spin_unlock(&ctx->lock);
	}
	local_irq_restore(flags);
}

/**
 * gpubp_perf_block_swap() - this context is never exchanged at a switch
 * @event: event being added; interrupts off, ctx->lock held
 *
 * Otherwise a task can be scheduled in without any callback of ours, and its
 * waiting hits would stay. The counter dies with the context.
 */
void gpubp_perf_block_swap(struct perf_event *event)
{
	local_inc(&event->ctx->nr_no_switch_fast);
}

/**
 * gpubp_perf_start_period() - a sampling event starts a period
 * @event: event being added
 */
void gpubp_perf_start_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);

	hwc->last_period = hwc->sample_period;
	if (left >= 0)
		local64_set(&hwc->period_left, -(s64)hwc->sample_period);
}

void gpubp_perf_lost(struct perf_event *event)
{
	atomic64_inc(&event->lost_samples);
}

void gpubp_wake_interruptible(struct task_struct *task)
{
	wait_queue_entry_t wait = { .private = task };

	/* try_to_wake_up(task, TASK_INTERRUPTIBLE), by an exported name */
	default_wake_function(&wait, TASK_INTERRUPTIBLE, 0, NULL);
}

/**
 * gpubp_perf_may_count() - may the event count while it is not scheduled in
 * @event: event
 *
 * RCU section. A member of a group on a CPU's counters counts while the group
 * is on them: perf scales its count by their time.
 */
bool gpubp_perf_may_count(const struct perf_event *event)
{
	const struct perf_event_pmu_context *epc = READ_ONCE(event->pmu_ctx);

	return !epc || epc->pmu->task_ctx_nr == perf_sw_context ||
	       READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE;
}

static unsigned int signal_pending_id(const struct perf_event *event)
{
	return READ_ONCE(event->pending_work);
}

/*
 * A CPU register file for perf: user mode of the owner, at the GPU's pc. The
 * pc must not change while a SIGTRAP is pending, or perf core believes that
 * the task got around the signal; the sample's own ip is data->ip.
 */
static void fill_regs(struct gpubp_event *gev, u64 pc, struct pt_regs *regs)
{
	if (user_mode(task_pt_regs(current)) && !(current->flags & PF_KTHREAD))
		*regs = *task_pt_regs(current);
	else
		memset(regs, 0, sizeof(*regs));
	if (!signal_pending_id(gev->event))
		gev->pending_ip = pc;
	instruction_pointer_set(regs, gev->pending_ip);
#ifdef CONFIG_X86
	regs->cs = __USER_CS;
	regs->flags |= PERF_EFLAGS_EXACT;
#endif
}

static void after_sigtrap(struct perf_event *event, u64 addr)
{
	if (!event->attr.sigtrap || !signal_pending_id(event))
		return;
	if (!event->pending_addr)
		event->pending_addr = addr;
	/* what TWA_SIGNAL does: a sleeping task takes the signal now */
	set_tsk_thread_flag(current, TIF_NOTIFY_SIGNAL);
}

/**
 * gpubp_perf_emit() - hand one hit to perf core for an ACTIVE event
 * @gev: event of current, on this CPU, interrupts off
 * @em: the hit
 *
 * Return: 0, or -EAGAIN while perf core is busy on this level.
 */
int gpubp_perf_emit(struct gpubp_event *gev, struct gpubp_emission *em)
{
	struct perf_event *event = gev->event;
	struct pt_regs regs;
	int rctx;

	lockdep_assert_irqs_disabled();
	if (event->attr.sigtrap && (current->flags & PF_EXITING))
		return 0;	/* no task work any more; perf would complain */
	rctx = perf_swevent_get_recursion_context();
	if (rctx < 0)
		return -EAGAIN;
	fill_regs(gev, em->record.pc, &regs);
	gev->cur = em;
	perf_tp_event(gpubp_hit_event_type(), 1, &em->record,
		      sizeof(em->record), &regs, &gev->head, rctx, NULL);
	gev->cur = NULL;
	after_sigtrap(event, em->record.addr);
	return 0;
}

static u64 data_source(const struct gpubp_hit_record *rec)
{
	u64 op = rec->access == GPUBP_ACCESS_LOAD ? PERF_MEM_OP_LOAD :
						    PERF_MEM_OP_STORE;

	return PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) |
	       PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA) |
	       (op << PERF_MEM_OP_SHIFT);
}

/**
 * gpubp_perf_overflow() - overflow handler: the GPU's values, then perf's own
 * @event: event
 * @data: sample
 * @regs: as gpubp_perf_emit() made them
 *
 * Sets what perf would take from the CPU's registers, and zeroes what it
 * would derive from a GPU address as if it were one of current's.
 */
void gpubp_perf_overflow(struct perf_event *event,
			 struct perf_sample_data *data, struct pt_regs *regs)
{
	struct gpubp_event *gev = event->pmu_private;
	const struct gpubp_emission *em = gev->cur;

	if (em) {
		data->ip = em->record.pc;
		data->addr = em->record.addr;
		data->data_src.val = data_source(&em->record);
		data->phys_addr = 0;
		data->data_page_size = 0;
		data->code_page_size = 0;
		data->sample_flags |= PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR |
			PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
	}
	gev->orig_handler(event, data, regs);
}
