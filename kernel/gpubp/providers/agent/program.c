// SPDX-License-Identifier: GPL-2.0
/*
 * Programs: what the core commits becomes a message that the agent reads, and its answer
 * the result of the commit.
 *
 * The committer of the agent's own device waits for it, not longer than ack_ms. An agent
 * that did not answer in time is not waited for again until it does: its comparators
 * have failed until then, and maybe still compare what they did.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "agent.h"

static unsigned int ack_ms = 1000;
module_param(ack_ms, uint, 0644);
MODULE_PARM_DESC(ack_ms, "how long a commit waits for the agent of its device, ms");

/** agent_programs_init() - of a new agent: nothing is compared */
void agent_programs_init(struct agent *a)
{
	spin_lock_init(&a->programs.lock);
	init_waitqueue_head(&a->programs.news);
	init_waitqueue_head(&a->programs.acks);
}

/** agent_programs_destroy() - the agent is at its end, and so is its device */
void agent_programs_destroy(struct agent *a)
{
	gpubp_ranges_put(a->programs.want.ranges);
	gpubp_ranges_put(a->programs.sent.ranges);
	gpubp_ranges_put(a->programs.armed.ranges);
}

/* which comparators are not its own any more, or not yet */
static u32 programs_denied(const struct agent *a)
{
	return a->programs.part.valid & ~a->granted;
}

static void program_set(struct agent_program *to, const struct agent_program *from)
{
	struct gpubp_ranges *was = to->ranges;

	to->msg = from->msg;
	to->ranges = gpubp_ranges_get(from->ranges);
	gpubp_ranges_put(was);
}

static void slot_fill_ranges(struct gpubp_agent_slot *slot,
			     const struct gpubp_slot_ranges *ranges)
{
	const u64 addr = BIT_ULL(GPUBP_HANDLER_KINDS_SHIFT) - 1;
	unsigned int i;

	slot->nr_ranges = ranges->nr;
	for (i = 0; i < ranges->nr; i++) {
		const struct gpubp_handler_range *r = &ranges->range[i];

		slot->range[i] = (struct gpubp_agent_range) {
			.start = r->first,
			.len = (r->last & addr) - r->first + 1,
			.access = r->last >> GPUBP_HANDLER_KINDS_SHIFT,
			.flags = ranges->counted & BIT(i) ? GPUBP_AGENT_RANGE_COUNT : 0,
		};
	}
}

static void program_fill(const struct agent *a, const struct gpubp_program *prog,
			 struct agent_program *out)
{
	const struct gpubp_ctx_prog *part = &a->programs.part;
	unsigned long valid = part->valid & ~programs_denied(a);
	struct gpubp_slot_ranges ranges;
	unsigned int n;

	static_assert(GPUBP_AGENT_RANGES == GPUBP_HANDLER_RANGES);
	memset(&out->msg, 0, sizeof(out->msg));
	out->msg.valid = valid;
	out->msg.flags = part->precise ? GPUBP_AGENT_PRECISE : 0;
	out->ranges = part->ranges;
	for_each_set_bit(n, &valid, GPUBP_AGENT_SLOTS) {
		out->msg.slot[n] = (struct gpubp_agent_slot) {
			.value = prog->slot[n].value,
			.mask = part->mask[n],
			.mode = part->mode[n],
		};
		if (!part->ranges)
			continue;
		ranges = gpubp_ranges_of(part->ranges, n);
		slot_fill_ranges(&out->msg.slot[n], &ranges);
	}
}

/* Return: comparators that it does not get */
static u32 program_post(struct agent *a, const struct gpubp_program *prog)
{
	struct agent_programs *p = &a->programs;
	struct agent_program *next = &p->next;

	guard(spinlock)(&p->lock);
	if (prog->nr_ctxs)
		p->part = prog->ctxs[0];
	program_fill(a, prog, next);
	next->msg.seq = p->want.msg.seq;
	if (next->ranges != p->want.ranges ||
	    memcmp(&next->msg, &p->want.msg, sizeof(next->msg))) {
		next->msg.seq++;
		program_set(&p->want, next);
		wake_up_interruptible(&p->news);
	}
	return programs_denied(a);
}

static bool programs_are_acked(struct agent *a)
{
	guard(spinlock)(&a->programs.lock);
	return a->programs.armed.msg.seq == a->programs.want.msg.seq;
}

static bool programs_are_late(struct agent *a)
{
	guard(spinlock)(&a->programs.lock);
	return a->programs.late;
}

/* false: its answer did not come in time */
static bool program_await(struct agent *a)
{
	struct agent_programs *p = &a->programs;
	unsigned long timeout = msecs_to_jiffies(READ_ONCE(ack_ms));

	if (programs_are_late(a))
		timeout = 0;
	if (wait_event_timeout(p->acks, agent_is_dead(a) || programs_are_acked(a),
			       timeout))
		return true;
	guard(spinlock)(&p->lock);
	p->late = p->armed.msg.seq != p->want.msg.seq;
	return !p->late;
}

/**
 * agent_commit() - gpubp_ops.commit
 * @dev: agent
 * @prog: program
 * @res: (out) result
 *
 * The agent writes the hits of what it stops before it acknowledges the program. The
 * committer of its device; waits for the agent at most ack_ms.
 */
void agent_commit(void *dev, const struct gpubp_program *prog,
		  struct gpubp_commit_result *res)
{
	struct agent *a = dev;
	u32 denied = program_post(a, prog);
	bool in_time = program_await(a);
	unsigned int n;

	agent_node_settle(a);
	res->drained = in_time;
	res->window_end = in_time ? 0 : U64_MAX;
	guard(spinlock)(&a->programs.lock);
	for (n = 0; n < a->nr_slots; n++) {
		if (denied & BIT(n))
			res->slot_err[n] = -EBUSY;
		else if (!(a->programs.want.msg.valid & BIT(n)))
			res->slot_err[n] = 0;
		else if (agent_is_dead(a))
			res->slot_err[n] = -ENODEV;
		else
			res->slot_err[n] = in_time ? a->programs.err[n] :
						     -ETIMEDOUT;
	}
}

/** agent_has_program() - is there a program that the agent has not read */
bool agent_has_program(struct agent *a)
{
	guard(spinlock)(&a->programs.lock);
	return a->programs.sent.msg.seq != a->programs.want.msg.seq;
}

/**
 * agent_next_program() - the newest program
 * @a: agent
 * @out: (out) it, with a reference to its ranges; before, another one or zeroes
 *
 * Return: false if the agent has read it.
 */
bool agent_next_program(struct agent *a, struct agent_program *out)
{
	guard(spinlock)(&a->programs.lock);
	program_set(out, &a->programs.want);
	return a->programs.sent.msg.seq != a->programs.want.msg.seq;
}

/** agent_program_sent() - the agent has read it */
void agent_program_sent(struct agent *a, const struct agent_program *prog)
{
	guard(spinlock)(&a->programs.lock);
	if (prog->msg.seq > a->programs.sent.msg.seq)
		program_set(&a->programs.sent, prog);
}

/* Return: comparators that may be tried again, after it was late */
static int programs_acked(struct agent *a, const struct gpubp_agent_ack *ack,
			  u32 *again)
{
	struct agent_programs *p = &a->programs;
	unsigned int n;

	guard(spinlock)(&p->lock);
	*again = 0;
	if (ack->seq != p->sent.msg.seq || ack->seq == p->armed.msg.seq)
		return -EINVAL;
	for (n = 0; n < GPUBP_AGENT_SLOTS; n++)
		if (ack->err[n] > 0 || ack->err[n] < -MAX_ERRNO)
			return -EINVAL;
	program_set(&p->armed, &p->sent);
	for (n = 0; n < GPUBP_AGENT_SLOTS; n++) {
		p->err[n] = ack->err[n];
		if (ack->err[n])
			p->armed.msg.valid &= ~BIT(n);
	}
	if (p->late && p->armed.msg.seq == p->want.msg.seq) {
		p->late = false;
		*again = a->granted;
	}
	return 0;
}

/** agent_ack() - the agent has done what a program says; -EINVAL if it did not read it */
int agent_ack(struct agent *a, const struct gpubp_agent_ack *ack)
{
	u32 again;
	int err = programs_acked(a, ack, &again);

	if (err)
		return err;
	wake_up(&a->programs.acks);
	agent_node_settle(a);
	if (again)
		gpubp_slots_returned(a->device, again);
	return 0;
}

/** agent_retry() - comparators that failed are free now; -EINVAL if it has no such ones */
int agent_retry(struct agent *a, const struct gpubp_agent_retry *msg)
{
	u32 slots;

	if (!msg->slots || msg->slots & ~GENMASK(a->nr_slots - 1, 0) || msg->reserved)
		return -EINVAL;
	scoped_guard(spinlock, &a->programs.lock)
		slots = msg->slots & a->granted;
	if (slots)
		gpubp_slots_returned(a->device, slots);
	return 0;
}

/** agent_slots_in_use() - comparators that may hit */
u32 agent_slots_in_use(struct agent *a)
{
	guard(spinlock)(&a->programs.lock);
	return a->programs.armed.msg.valid | a->programs.sent.msg.valid;
}

/** agent_slots_in_program() - comparators that are, or may soon be, in use */
u32 agent_slots_in_program(struct agent *a)
{
	guard(spinlock)(&a->programs.lock);
	if (a->programs.armed.msg.seq == a->programs.want.msg.seq)
		return a->programs.armed.msg.valid;
	return a->programs.armed.msg.valid | a->programs.sent.msg.valid |
	       a->programs.want.msg.valid;
}

static const struct agent_program *program_of(const struct agent_programs *p, u64 seq)
{
	return seq == p->armed.msg.seq ? &p->armed :
	       seq == p->sent.msg.seq ? &p->sent : NULL;
}

static bool counts_are_of(const struct gpubp_agent_counts *msg,
			  const struct agent_program *prog)
{
	unsigned int i;

	if (msg->slot >= GPUBP_AGENT_SLOTS || !(prog->msg.valid & BIT(msg->slot)))
		return false;
	for (i = prog->msg.slot[msg->slot].nr_ranges; i < GPUBP_AGENT_RANGES; i++)
		if (msg->hits[i])
			return false;
	return prog->ranges && prog->msg.slot[msg->slot].nr_ranges;
}

/**
 * agent_counted_ranges() - find the ranges that a message counts hits of
 * @a: agent
 * @msg: message
 *
 * Return: the ranges, with a reference; NULL: the agent was not given such ones, or not
 * any more.
 */
struct gpubp_ranges *agent_counted_ranges(struct agent *a,
					  const struct gpubp_agent_counts *msg)
{
	const struct agent_program *prog;

	guard(spinlock)(&a->programs.lock);
	prog = program_of(&a->programs, msg->seq);
	return prog && counts_are_of(msg, prog) ? gpubp_ranges_get(prog->ranges) :
						  NULL;
}
