// SPDX-License-Identifier: GPL-2.0
/*
 * The mock's comparators: apply each program, after checking it against the
 * contract and against the previous program.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>

#include "mock.h"
#include "sched/sched.h"

static unsigned int nr_alive(const struct mock *m)
{
	unsigned int i, n = 0;

	for (i = 0; i < m->nr_ctxs; i++)
		n += m->ctxs[i].alive;
	return n;
}

/* the context of a part, if the program may include it */
static struct mock_ctx *known_ctx(struct mock *m,
				  const struct gpubp_ctx_prog *part)
{
	struct mock_ctx *c = part->ctx;

	if (c < m->ctxs || c >= m->ctxs + m->nr_ctxs) {
		mock_complain(m, "a program for an unknown context");
		return NULL;
	}
	if (!c->alive)
		mock_complain(m, "a program for a destroyed context");
	return c;
}

static u32 part_changes(const struct gpubp_ctx_prog *a,
			const struct gpubp_ctx_prog *b)
{
	u32 changed = a->valid ^ b->valid;
	unsigned int s;

	for (s = 0; s < MOCK_SLOTS; s++)
		if ((a->valid & b->valid & BIT(s)) &&
		    (a->mask[s] != b->mask[s] || a->mode[s] != b->mode[s]))
			changed |= BIT(s);
	return changed;
}

/* holes need a device that has them, and end below its largest block */
static bool mask_exists(const struct gpubp_caps *caps, u64 mask)
{
	u64 all = GENMASK_ULL(caps->va_bits - 1, 0), low = mask & -mask;
	u64 above = all & ~(caps->max_block - 1);

	return low >= caps->granule && !(mask & ~all) && !(above & ~mask) &&
	       (caps->ternary || mask == (all & -low));
}

static void check_slot_of_part(struct mock *m, const struct gpubp_program *prog,
			       const struct gpubp_ctx_prog *part,
			       unsigned int s)
{
	u64 mask = part->mask[s];

	if (!prog->slot[s].used)
		mock_complain(m, "slot %u is valid but not used", s);
	if (prog->slot[s].value & ~mask)
		mock_complain(m, "slot %u has value bits outside its mask", s);
	if (!mask_exists(&m->dev->desc.caps, mask))
		mock_complain(m, "slot %u: no comparator has mask %llx", s, mask);
	if (part->mode[s] > GPUBP_MODE_ALL)
		mock_complain(m, "slot %u: mode %u", s, part->mode[s]);
}

static void check_part(struct mock *m, const struct gpubp_program *prog,
		       const struct gpubp_ctx_prog *part)
{
	struct mock_ctx *c = known_ctx(m, part);
	unsigned int s;

	if (!c)
		return;
	if (!m->forgot && !m->loose && !memcmp(&c->prog, part, sizeof(*part)))
		mock_complain(m, "a part that does not differ");
	if (part->valid >> MOCK_SLOTS)
		mock_complain(m, "slots that do not exist: %x", part->valid);
	if (part->watch_traps && !c->tma && m->isa)
		mock_complain(m, "traps without a handler");
	if (part->valid && !part->watch_traps)
		mock_complain(m, "valid slots that cannot trap");
	for (s = 0; s < MOCK_SLOTS; s++)
		if (part->valid & BIT(s))
			check_slot_of_part(m, prog, part, s);
}

static void check_once(struct mock *m, const struct gpubp_program *prog)
{
	unsigned int i, j;

	for (i = 0; i < prog->nr_ctxs; i++)
		for (j = 0; j < i; j++)
			if (prog->ctxs[i].ctx == prog->ctxs[j].ctx)
				mock_complain(m,
					      "a program has a context twice");
}

static u32 changes(const struct mock *m, const struct gpubp_program *prog)
{
	u32 changed = 0;
	unsigned int i, s;

	for (s = 0; s < MOCK_SLOTS; s++)
		if (m->slot[s].value != prog->slot[s].value ||
		    m->slot[s].used != prog->slot[s].used)
			changed |= BIT(s);
	for (i = 0; i < prog->nr_ctxs; i++) {
		const struct mock_ctx *c = prog->ctxs[i].ctx;

		changed |= part_changes(&c->prog, &prog->ctxs[i]);
	}
	return changed;
}

/* a program that was built before slots were lost may use them */
static void check_acquired(struct mock *m, const struct gpubp_program *prog)
{
	unsigned int s;

	if (!m->dev->ops.acquire || m->acquired)
		return;
	for (s = 0; s < MOCK_SLOTS; s++)
		if (prog->slot[s].used)
			mock_complain(m, "slot %u is used, none was acquired",
				      s);
}

static void check_program(struct mock *m, const struct gpubp_program *prog)
{
	unsigned int i;

	if (prog->seq <= m->seq)
		mock_complain(m, "commit %llu after %llu", prog->seq, m->seq);
	if (prog->nr_slots != MOCK_SLOTS)
		mock_complain(m, "%u slots", prog->nr_slots);
	check_once(m, prog);
	check_acquired(m, prog);
	for (i = 0; i < prog->nr_ctxs; i++)
		check_part(m, prog, &prog->ctxs[i]);
	/* a program that was built before the reset is followed by another one */
	if (m->forgot && !READ_ONCE(m->dev->lost) && prog->nr_ctxs != nr_alive(m))
		mock_complain(m, "%u contexts after a reset", prog->nr_ctxs);
	if (!m->loose && prog->changed_slots != changes(m, prog))
		mock_complain(m, "changed slots %x, not %x",
			      prog->changed_slots, changes(m, prog));
	/* but to wait for waves that are in a handler with filters */
	if (!prog->changed_slots && !prog->nr_ctxs &&
	    !m->dev->desc.caps.atomics)
		mock_complain(m, "a commit without changes");
}

static u32 valid_in(const struct mock *m, bool going_too)
{
	unsigned int i;
	u32 valid = 0;

	for (i = 0; i < m->nr_ctxs; i++)
		if (m->ctxs[i].alive && (going_too || !m->ctxs[i].unmap))
			valid |= m->ctxs[i].prog.valid;
	return valid;
}

/* used: some context, whether in this program or not, has the slot valid */
static void check_used(struct mock *m)
{
	u32 least = valid_in(m, false), most = valid_in(m, true);
	unsigned int s;

	for (s = 0; s < MOCK_SLOTS; s++) {
		const struct gpubp_slot_prog *slot = &m->slot[s];

		if (slot->used ? !(most & BIT(s)) : !!(least & BIT(s)))
			mock_complain(m, "slot %u: used %d, valid in %x", s,
				      slot->used, least);
		if (!slot->used && slot->value)
			mock_complain(m, "slot %u: a value, but not used", s);
	}
}

/* a control word with a VMID serves one context */
static void check_banks(struct mock *m)
{
	unsigned int i, j;

	if (m->dev->desc.caps.cntl_banked)
		return;
	for (i = 0; i < m->nr_ctxs; i++)
		for (j = 0; j < i; j++)
			if (m->ctxs[i].alive && m->ctxs[j].alive &&
			    (m->ctxs[i].prog.valid & m->ctxs[j].prog.valid))
				mock_complain(m, "a slot for two contexts");
}

static void apply(struct mock *m, const struct gpubp_program *prog,
		  struct gpubp_commit_result *res)
{
	unsigned int i, s;

	m->seq = prog->seq;
	memcpy(m->slot, prog->slot, sizeof(m->slot));
	for (i = 0; i < prog->nr_ctxs; i++) {
		struct mock_ctx *c = prog->ctxs[i].ctx;

		c->prog = prog->ctxs[i];
		c->valid = c->prog.valid & ~m->failing;
	}
	for (s = 0; s < MOCK_SLOTS; s++)
		if (prog->changed_slots & m->failing & BIT(s))
			res->slot_err[s] = -EIO;
	res->drained = !m->keep_window && !m->window_ns;
	res->window_end = m->keep_window ? U64_MAX :
					   ktime_get_ns() + m->window_ns;
	res->pending = m->pending;
}

static u32 slots_at(const struct mock_ctx *c, u64 addr)
{
	u32 slots = 0;
	unsigned int s;

	for (s = 0; s < MOCK_SLOTS; s++)
		if ((c->valid & BIT(s)) &&
		    (addr & c->prog.mask[s]) == c->m->slot[s].value)
			slots |= BIT(s);
	return slots;
}

/* count @nr quanta with the current slots */
static void update_probes(struct mock *m, unsigned int nr)
{
	unsigned int i;

	m->nr_quanta += nr;
	for (i = 0; nr && i < m->nr_probes; i++) {
		struct mock_probe *p = &m->probes[i];

		if (slots_at(p->ctx, p->addr)) {
			p->armed += nr;
			p->gap = 0;
		} else {
			p->gap += nr;
			p->max_gap = max(p->max_gap, p->gap);
		}
	}
}

/* a quantum without a change needs no commit: quanta since the last commit */
static unsigned int quanta_since(struct mock *m)
{
	u64 quantum = m->dev->sched->policy.fairq.quantum;
	unsigned int nr = m->quantum ? quantum - m->quantum - 1 : 0;

	m->quantum = quantum;
	return nr;
}

void mock_commit(void *priv, const struct gpubp_program *prog,
		 struct gpubp_commit_result *res)
{
	struct mock *m = priv;

	mock_check_caller(m, "commit");
	if (atomic_xchg(&m->committing, 1))
		mock_complain(m, "concurrent commits");
	WRITE_ONCE(m->commit_began, ktime_get_ns());
	if (m->commit_ms)
		msleep(m->commit_ms);
	mutex_lock(&m->lock);
	check_program(m, prog);
	update_probes(m, quanta_since(m));
	apply(m, prog, res);
	/* likewise, a program that names slots whose contexts the reset cleared */
	if (!READ_ONCE(m->dev->lost))
		check_used(m);
	check_banks(m);
	update_probes(m, 1);
	if (!READ_ONCE(m->dev->lost))
		m->forgot = false;
	m->nr_commits++;
	mutex_unlock(&m->lock);
	if (m->in_commit)
		m->in_commit(m, prog->seq);
	WRITE_ONCE(m->commit_ended, ktime_get_ns());
	atomic_set(&m->committing, 0);
}

/* the comparators that match an access of this context to @addr */
u32 mock_slots(struct mock_ctx *c, u64 addr)
{
	guard(mutex)(&c->m->lock);
	return slots_at(c, addr);
}

/* the active slots */
u32 mock_valid(struct mock *m)
{
	guard(mutex)(&m->lock);
	return valid_in(m, true);
}

/* the GPU loses all state; its driver notifies the core before a commit ends */
void mock_reset(struct mock *m)
{
	unsigned int i;

	mutex_lock(&m->lock);
	m->forgot = true;
	memset(m->slot, 0, sizeof(m->slot));
	for (i = 0; i < m->nr_ctxs; i++) {
		memset(&m->ctxs[i].prog, 0, sizeof(m->ctxs[i].prog));
		m->ctxs[i].valid = 0;
	}
	gpubp_device_reset(m->dev);
	mutex_unlock(&m->lock);
}

/*
 * a reset while suspended, then a resume: the core may reprogram all after each
 */
void mock_resume(struct mock *m)
{
	m->loose = true;
	mock_reset(m);
	gpubp_device_resume(m->dev);
}

unsigned int mock_commits(struct mock *m)
{
	guard(mutex)(&m->lock);
	return m->nr_commits;
}

/* count the quanta in which @addr is armed, from now on */
void mock_probe(struct mock_ctx *c, u64 addr)
{
	struct mock *m = c->m;

	guard(mutex)(&m->lock);
	m->probes[m->nr_probes++] = (struct mock_probe) {
		.ctx = c,
		.addr = addr,
	};
}

void mock_probes_restart(struct mock *m)
{
	unsigned int i;

	guard(mutex)(&m->lock);
	m->nr_commits = 0;
	m->nr_quanta = 0;
	m->quantum = 0;
	for (i = 0; i < m->nr_probes; i++) {
		m->probes[i].armed = 0;
		m->probes[i].gap = 0;
		m->probes[i].max_gap = 0;
	}
}

/**
 * struct jam - a work item that blocks the committer
 * @work: the item
 * @begun: it is running
 * @over: it may return
 */
struct jam {
	struct kthread_work work;
	struct completion begun;
	struct completion over;
};

static struct jam jam;

static void jam_fn(struct kthread_work *work)
{
	complete(&jam.begun);
	wait_for_completion(&jam.over);
}

/* block all commits until mock_commits_go_on() */
void mock_commits_wait(struct mock *m)
{
	kthread_init_work(&jam.work, jam_fn);
	init_completion(&jam.begun);
	init_completion(&jam.over);
	kthread_queue_work(m->dev->requests.worker, &jam.work);
	wait_for_completion(&jam.begun);
}

void mock_commits_go_on(struct mock *m)
{
	complete(&jam.over);
	kthread_flush_work(&jam.work);
}

/* false if the rotation stopped; a slow machine is given a minute */
bool mock_wait_commits(struct mock *m, unsigned int nr)
{
	int ms;

	for (ms = 0; ms < 60000; ms += 5) {
		if (mock_commits(m) >= nr)
			return true;
		msleep(5);
	}
	return false;
}

/* true if the worker is idle and has no run scheduled */
bool mock_is_idle(struct mock *m)
{
	kthread_flush_worker(m->dev->requests.worker);
	guard(raw_spinlock_irqsave)(&m->dev->requests.lock);
	return !m->dev->requests.running && m->dev->requests.due == U64_MAX;
}
