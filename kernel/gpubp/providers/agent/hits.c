// SPDX-License-Identifier: GPL-2.0
/*
 * Hits: a message becomes a report. Its wave has gone on, so the registers and the code
 * that the core asks for are those that the message has.
 */
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "agent.h"

/**
 * struct agent_hit - a hit that is not resolved
 * @wave: id of its wave
 * @msg: the message, checked, with registers behind it
 */
struct agent_hit {
	u64 wave;
	struct gpubp_agent_hit msg;
};

/** agent_hits_init() - of a new agent */
void agent_hits_init(struct agent *a)
{
	spin_lock_init(&a->hits.lock);
	init_waitqueue_head(&a->hits.room);
}

/* ---- registers of a message ---------------------------------------------- */

/* values of a register */
static unsigned int file_lanes(unsigned int file)
{
	return file == GPUBP_REG_VECTOR ? GPUBP_AGENT_LANES : 1;
}

static size_t regs_size(const struct gpubp_agent_regs *regs)
{
	return sizeof(*regs) + regs->count * sizeof(u32) * file_lanes(regs->file);
}

/* from the end of the message; @left is what there is */
static bool regs_fit(const struct gpubp_agent_regs *regs, size_t left)
{
	return left >= sizeof(*regs) && regs->file <= GPUBP_REG_VECTOR &&
	       regs->count && !regs->reserved && regs_size(regs) <= left;
}

static bool message_regs_fit(const struct gpubp_agent_hit *msg)
{
	const u8 *at = (const u8 *)(msg + 1);
	size_t left = msg->header.size - sizeof(*msg);
	unsigned int i;

	for (i = 0; i < msg->nr_regs; i++) {
		const struct gpubp_agent_regs *regs = (const void *)at;

		if (!regs_fit(regs, left))
			return false;
		at += regs_size(regs);
		left -= regs_size(regs);
	}
	/* the size is a multiple of 8 */
	return left < 8;
}

/* the values of a request, which are all in one block of the message */
static const u32 *message_find(const struct gpubp_agent_hit *msg,
			       const struct gpubp_reg_req *req)
{
	const u8 *at = (const u8 *)(msg + 1);
	unsigned int i;

	for (i = 0; i < msg->nr_regs; i++) {
		const struct gpubp_agent_regs *regs = (const void *)at;

		if (regs->file == req->file && req->first >= regs->first &&
		    req->first + req->count <= regs->first + regs->count)
			return (const u32 *)(regs + 1) +
			       (req->first - regs->first) * file_lanes(req->file);
		at += regs_size(regs);
	}
	return NULL;
}

static int message_read(const struct gpubp_agent_hit *msg,
			const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	const u32 *values;
	unsigned int i, n;

	for (i = 0; i < nr; i++) {
		values = message_find(msg, &req[i]);
		if (!values)
			return -EINVAL;
		n = req[i].count * file_lanes(req[i].file);
		memcpy(out, values, n * sizeof(*out));
		out += n;
	}
	return 0;
}

/* ---- checks -------------------------------------------------------------- */

#define HIT_FLAGS (GPUBP_AGENT_HIT_ADDR | GPUBP_AGENT_HIT_DISPATCH | \
		   GPUBP_AGENT_HIT_COORDS)

static bool hit_addr_is_valid(const struct gpubp_agent_hit *msg)
{
	u64 end;

	if (!(msg->flags & GPUBP_AGENT_HIT_ADDR))
		return true;
	return msg->width && hweight8(msg->access) == 1 &&
	       !(msg->access & ~(GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC)) &&
	       !check_add_overflow(msg->addr, (u64)msg->width - 1, &end);
}

static int hit_check(struct agent *a, const struct gpubp_agent_hit *msg)
{
	if (msg->header.size < sizeof(*msg) || !msg->exec || !msg->slots ||
	    msg->flags & ~HIT_FLAGS || msg->code_len > GPUBP_AGENT_CODE ||
	    memchr_inv(msg->reserved, 0, sizeof(msg->reserved)) ||
	    !hit_addr_is_valid(msg) || !message_regs_fit(msg))
		return -EINVAL;
	/* without an ISA nothing else says what was accessed */
	if (!a->has_isa && !(msg->flags & GPUBP_AGENT_HIT_ADDR))
		return -EINVAL;
	if (msg->slots & ~agent_slots_in_use(a))
		return -EINVAL;
	return msg->queue != GPUBP_AGENT_NO_QUEUE &&
	       !xa_load(&a->queues, msg->queue) ? -ENOENT : 0;
}

/* ---- the table ----------------------------------------------------------- */

static bool hits_insert(struct agent_hits *hits, struct agent_hit *hit)
{
	unsigned int i;

	guard(spinlock)(&hits->lock);
	if (hits->nr == AGENT_MAX_HITS)
		return false;
	for (i = 0; hits->hit[i]; i++)
		;
	hits->hit[i] = hit;
	hits->nr++;
	hits->nr_reported++;
	hit->wave = ++hits->serial * AGENT_MAX_HITS + i;
	return true;
}

static struct agent_hit *hits_remove(struct agent_hits *hits, u64 wave)
{
	unsigned int i = wave % AGENT_MAX_HITS;
	struct agent_hit *hit;

	guard(spinlock)(&hits->lock);
	hit = hits->hit[i];
	hits->hit[i] = NULL;
	hits->nr--;
	return hit;
}

static bool hits_have_room(struct agent_hits *hits)
{
	guard(spinlock)(&hits->lock);
	return hits->nr < AGENT_MAX_HITS;
}

static int hits_add(struct agent *a, struct agent_hit *hit, bool wait)
{
	int err = 0;

	while (!err && !hits_insert(&a->hits, hit))
		err = !wait ? -EAGAIN :
		      wait_event_interruptible(a->hits.room,
					       hits_have_room(&a->hits));
	return err;
}

static bool hits_have_any_until(struct agent_hits *hits, u64 serial)
{
	unsigned int i;

	guard(spinlock)(&hits->lock);
	for (i = 0; i < AGENT_MAX_HITS; i++)
		if (hits->hit[i] && hits->hit[i]->wave / AGENT_MAX_HITS <= serial)
			return true;
	return false;
}

/**
 * agent_hits_await() - wait until the hits that were written up to now are resolved
 * @a: agent
 * @wait: else -EAGAIN
 *
 * May sleep. Return: 0, -EAGAIN or -ERESTARTSYS.
 */
int agent_hits_await(struct agent *a, bool wait)
{
	u64 serial;

	scoped_guard(spinlock, &a->hits.lock)
		serial = a->hits.serial;
	if (!wait)
		return hits_have_any_until(&a->hits, serial) ? -EAGAIN : 0;
	return wait_event_interruptible(a->hits.room,
					!hits_have_any_until(&a->hits, serial));
}

static void hit_fill(const struct agent *a, const struct agent_hit *hit,
		     struct gpubp_hit *out)
{
	const struct gpubp_agent_hit *msg = &hit->msg;

	*out = (struct gpubp_hit) {
		.valid = GPUBP_HITF_CTX | GPUBP_HITF_TIME | GPUBP_HITF_PC |
			 GPUBP_HITF_EXEC | GPUBP_HITF_SLOTS,
		.ctx = a->ctx,
		.wave = hit->wave,
		.gpu_time = min(msg->time, ktime_get_ns()),
		.stopped = GPUBP_STOPS_NONE,
		.pc = msg->pc,
		.exec = msg->exec,
		.slots = msg->slots,
		.dispatch = msg->dispatch,
		.wg = { msg->wg[0], msg->wg[1], msg->wg[2] },
		.wave_in_group = msg->wave_in_group,
	};
	if (msg->queue != GPUBP_AGENT_NO_QUEUE) {
		out->valid |= GPUBP_HITF_DOORBELL;
		out->doorbell = msg->queue;
	}
	if (msg->flags & GPUBP_AGENT_HIT_ADDR) {
		out->valid |= GPUBP_HITF_ADDR;
		out->addr = msg->addr;
		out->width = msg->width;
		out->access = msg->access;
	}
	if (msg->flags & GPUBP_AGENT_HIT_DISPATCH)
		out->valid |= GPUBP_HITF_DISPATCH;
	if (msg->flags & GPUBP_AGENT_HIT_COORDS)
		out->valid |= GPUBP_HITF_COORDS;
}

/* ---- messages ------------------------------------------------------------ */

/**
 * agent_report() - report a hit
 * @a: agent
 * @msg: message, &gpubp_agent_header.size bytes of it
 * @wait: wait until there is room for it
 *
 * May sleep. Return: 0 or an errno as in <uapi/linux/gpubp_agent.h>.
 */
int agent_report(struct agent *a, const struct gpubp_agent_hit *msg, bool wait)
{
	size_t more = msg->header.size - sizeof(*msg);
	int err = hit_check(a, msg);
	struct agent_hit *hit;
	struct gpubp_hit report;

	if (err)
		return err;
	hit = kmalloc(sizeof(*hit) + more, GFP_KERNEL_ACCOUNT);
	if (!hit)
		return -ENOMEM;
	memcpy(&hit->msg, msg, sizeof(*msg));
	memcpy(hit + 1, msg + 1, more);
	err = hits_add(a, hit, wait);
	if (err) {
		kfree(hit);
		return err;
	}
	hit_fill(a, hit, &report);
	if (gpubp_report(a->device, &report) == GPUBP_DROP)
		agent_hit_done(a, &report);
	return 0;
}

/** agent_lost() - hits were lost before they became messages; -EINVAL */
int agent_lost(struct agent *a, const struct gpubp_agent_lost *msg)
{
	if (msg->header.size != sizeof(*msg) || msg->nr > U32_MAX)
		return -EINVAL;
	scoped_guard(spinlock, &a->hits.lock)
		a->hits.nr_lost += msg->nr;
	gpubp_report_lost(a->ctx, msg->nr);
	return 0;
}

static bool counts_are_bounded(const struct gpubp_agent_counts *msg)
{
	u64 sum = msg->strays;
	unsigned int i;

	for (i = 0; i < GPUBP_AGENT_RANGES; i++)
		sum += msg->hits[i];
	return sum <= U32_MAX;
}

static void counts_note(struct agent *a, const struct gpubp_agent_counts *msg)
{
	unsigned int i;

	guard(spinlock)(&a->hits.lock);
	a->hits.nr_strays += msg->strays;
	for (i = 0; i < GPUBP_AGENT_RANGES; i++)
		a->hits.nr_counted += msg->hits[i];
}

/**
 * agent_counts() - hits that the agent has counted
 * @a: agent
 * @msg: message
 *
 * May sleep. Return: 0 or an errno as in <uapi/linux/gpubp_agent.h>.
 */
int agent_counts(struct agent *a, const struct gpubp_agent_counts *msg)
{
	struct gpubp_slot_counts counts = { .strays = msg->strays };
	struct gpubp_ranges *ranges;

	if (msg->header.size != sizeof(*msg) || !counts_are_bounded(msg))
		return -EINVAL;
	ranges = agent_counted_ranges(a, msg);
	if (!ranges)
		return -EINVAL;
	memcpy(counts.hits, msg->hits, sizeof(counts.hits));
	counts_note(a, msg);
	gpubp_report_counts(a->ctx, ranges, msg->slot, &counts);
	gpubp_ranges_put(ranges);
	return 0;
}

/* ---- ops ----------------------------------------------------------------- */

/** agent_read_wave() - gpubp_ops.read_wave, of the wave of a hit that is being resolved */
int agent_read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		    unsigned int nr, u32 *out)
{
	struct agent *a = dev;
	const struct agent_hit *hit;

	/* the resolver asks, and it alone ends a hit */
	scoped_guard(spinlock, &a->hits.lock)
		hit = a->hits.hit[wave % AGENT_MAX_HITS];
	if (!hit || hit->wave != wave)
		return -ESRCH;
	return message_read(&hit->msg, req, nr, out);
}

static bool message_code(const struct gpubp_agent_hit *msg, u64 va, void *buf,
			 size_t len)
{
	u64 behind = msg->pc - va;

	if (behind < len || behind > msg->code_len)
		return false;
	memcpy(buf, msg->code + GPUBP_AGENT_CODE - behind, len);
	return true;
}

/** agent_hit_code() - code of a hit that is not resolved; false if none has it */
bool agent_hit_code(struct agent *a, u64 va, void *buf, size_t len)
{
	unsigned int i;

	guard(spinlock)(&a->hits.lock);
	for (i = 0; i < AGENT_MAX_HITS; i++)
		if (a->hits.hit[i] &&
		    message_code(&a->hits.hit[i]->msg, va, buf, len))
			return true;
	return false;
}

/** agent_hit_done() - gpubp_ops.hit_done: free it */
void agent_hit_done(void *dev, const struct gpubp_hit *hit)
{
	struct agent *a = dev;

	kfree(hits_remove(&a->hits, hit->wave));
	wake_up_interruptible(&a->hits.room);
}
