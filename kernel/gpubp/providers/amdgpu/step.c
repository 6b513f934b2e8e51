// SPDX-License-Identifier: GPL-2.0
/*
 * Single step: MODE.DEBUG_EN makes a wave enter the trap handler behind its next
 * instruction, where the handler halts it again. Both are set in the wave's record in
 * memory, as every change of a register is.
 *
 * Instructions that the ISA marks as such are simulated: s_setreg of MODE could clear
 * DEBUG_EN, and the wave would not stop.
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include "amdgpu.h"

#include "wave.h"

/* an instruction may wait for memory, and queues may be kept off the GPU */
#define STEP_TIMEOUT	(30 * HZ)

/* how often a wave that does not stop is looked at: it may wait at a barrier */
#define STEP_SLICE	HZ

#define S_BARRIER	0xbf8a0000

#define MAX_INSN	GPUBP_MAX_INSN

/**
 * struct step - of one wave
 * @n: node
 * @ctx: context
 * @id: wave
 * @rec: its record, while the context is off the GPU
 */
struct step {
	struct gpubp_amd_node *n;
	struct gpubp_amd_ctx *ctx;
	u64 id;
	struct gpubp_amd_record rec;
};

static ssize_t step_read_code(const struct step *s, u64 pc, void *code, size_t len)
{
	const struct gpubp_where where = { .space = GPUBP_SPACE_GLOBAL, .va = pc };

	return gpubp_amd_mem_rw(s->ctx, &where, code, len, 0);
}

/* ---- begin --------------------------------------------------------------- */

static int step_check(const struct step *s)
{
	struct gpubp_amd_wave *w;

	if (!READ_ONCE(s->ctx->handler) || READ_ONCE(s->ctx->hidden))
		return -EOPNOTSUPP;
	/* what is off for other reasons comes back */
	if (READ_ONCE(s->ctx->nr_halts))
		return -EBUSY;
	guard(spinlock)(&s->n->stop_lock);
	w = gpubp_amd_wave_find(s->n, s->id);
	if (!w || w->ctx != s->ctx || !w->holds)
		return -ESRCH;
	return w->stepping ? -EBUSY : 0;
}

/* takes its changes aside: they are written before the step */
static int step_take_edits(const struct step *s, struct gpubp_amd_wave *aside)
{
	struct gpubp_amd_wave *w;

	INIT_LIST_HEAD(&aside->edits);
	aside->ctx = s->ctx;
	guard(spinlock)(&s->n->stop_lock);
	w = gpubp_amd_wave_find(s->n, s->id);
	if (!w || !gpubp_amd_wave_is_stopped(w))
		return -ESRCH;
	list_splice_init(&w->edits, &aside->edits);
	return 0;
}

static int step_write_edits(const struct step *s)
{
	struct gpubp_amd_wave aside;
	int err = step_take_edits(s, &aside) ?: gpubp_amd_edits_apply(&aside, &s->rec);

	gpubp_amd_edits_free(&aside);
	return err;
}

static int step_simulate_insn(const struct step *s, const struct gpubp_insn *insn, u64 pc)
{
	u32 regs[GPUBP_MAX_STEP_VALUES] = {}, *out = regs;
	const struct gpubp_isa *isa = s->n->isa;
	struct gpubp_step_effect effect = {};
	const u32 *value = effect.value;
	unsigned int i;
	int err = 0;

	for (i = 0; i < insn->nr_step_regs && !err; i++) {
		err = gpubp_amd_saved_read(s->ctx, &s->rec, &insn->step_regs[i], out);
		out += insn->step_regs[i].count;
	}
	err = err ?: isa->simulate(insn, pc, regs, &effect);
	for (i = 0; i < effect.nr && !err; i++) {
		err = gpubp_amd_saved_write(s->ctx, &s->rec, &effect.reg[i], value);
		value += effect.reg[i].count;
	}
	return err ?: gpubp_amd_saved_move(s->ctx, &s->rec, effect.pc);
}

/* Return: 1: it has made the step. Illegal instructions trap by themselves. */
static int step_simulate(const struct step *s, const struct gpubp_amd_tail *tail)
{
	u8 code[MAX_INSN];
	struct gpubp_insn insn;
	u64 pc = gpubp_amd_tail_pc(tail);
	ssize_t len = step_read_code(s, pc, code, s->n->isa->insn_max);
	int err;

	if (len <= 0 || s->n->isa->decode(code, len, &insn) ||
	    insn.step != GPUBP_STEP_SIMULATED)
		return 0;
	err = step_simulate_insn(s, &insn, pc);
	return err == -EILSEQ ? 0 : err ?: 1;
}

/* MODE, STATUS and the mark that the handler looks for */
static int step_edit(const struct step *s, bool on)
{
	const struct gpubp_isa *isa = s->n->isa;
	u32 regs[GPUBP_MAX_TRAP_REGS], mark = 0;
	int err;

	err = gpubp_amd_saved_read(s->ctx, &s->rec, &isa->trap_regs, regs) ?:
	      gpubp_amd_saved_read(s->ctx, &s->rec, &isa->step_reg, &mark);
	if (err)
		return err;
	isa->step_edit(regs, on);
	mark = on ? mark | isa->step_bits : mark & ~isa->step_bits;
	return gpubp_amd_saved_write(s->ctx, &s->rec, &isa->trap_regs, regs) ?:
	       gpubp_amd_saved_write(s->ctx, &s->rec, &isa->step_reg, &mark);
}

/* by its name it is known when it has stopped again */
static int step_set_stepping(const struct step *s)
{
	int err = gpubp_amd_saved_name(s->ctx, &s->rec, s->id);
	struct gpubp_amd_wave *w;

	if (err)
		return err;
	guard(spinlock)(&s->n->stop_lock);
	w = gpubp_amd_wave_find(s->n, s->id);
	if (!w || !gpubp_amd_wave_is_stopped(w))
		return -ESRCH;
	w->at.mark.name = lower_32_bits(s->id);
	gpubp_amd_wave_set_key(s->n, w);
	w->is_listed = true;
	w->stepping = true;
	gpubp_amd_wave_move(w, &s->n->listed);
	return 0;
}

static int step_start_saved(struct step *s)
{
	struct gpubp_amd_tail tail;
	int err;

	err = gpubp_amd_saved_find(s->n, s->id, &s->rec, &tail) ?:
	      step_write_edits(s) ?: gpubp_amd_saved_tail(s->ctx, &s->rec, &tail) ?:
	      step_simulate(s, &tail);
	if (err)
		return err;
	return step_edit(s, true) ?: step_set_stepping(s) ?:
	       gpubp_amd_saved_halt(s->ctx, &s->rec, false);
}

/* Return: 1: it has made the step; 0: it makes it. */
static int step_start(struct step *s)
{
	int err;

	guard(mutex)(&s->ctx->records_lock);
	if (gpubp_amd_ctx_evict(s->ctx))
		return -EBUSY;
	err = step_start_saved(s);
	gpubp_amd_ctx_restore(s->ctx);
	return err;
}

/* ---- end ----------------------------------------------------------------- */

static bool step_is_made(const struct step *s)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&s->n->stop_lock);
	w = gpubp_amd_wave_find(s->n, s->id);
	return !w || !w->stepping;
}

static void step_set_stopped(const struct step *s, const struct gpubp_amd_tail *tail)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&s->n->stop_lock);
	w = gpubp_amd_wave_find(s->n, s->id);
	if (!w || !w->stepping)
		return;
	gpubp_amd_mark_set(s->n, &w->at.mark, &tail->ttmp[4]);
	w->moved = true;
	gpubp_amd_wave_stop(s->n, w);
}

static int step_halt_saved(const struct step *s, const struct gpubp_amd_tail *tail)
{
	int err = gpubp_amd_saved_halt(s->ctx, &s->rec, true);

	if (!err)
		step_set_stopped(s, tail);
	return err;
}

/*
 * A wave that waits at a barrier has executed that, and cannot trap. Return: 0: it is
 * stopped; -EAGAIN: it has not stopped yet; -ESRCH: it has ended.
 */
static int step_look_saved(struct step *s, bool give_up)
{
	struct gpubp_amd_tail tail;
	int err = gpubp_amd_saved_find(s->n, s->id, &s->rec, &tail);
	u64 pc;

	if (err)
		return err == -ESRCH ? err : -EAGAIN;
	if (gpubp_amd_tail_is_halted(&tail))
		return -EAGAIN;
	pc = gpubp_amd_tail_pc(&tail);
	/* one that is about to end could not be saved if it were halted */
	if (give_up && gpubp_amd_pc_is_end(s->ctx, pc))
		return -EAGAIN;
	return give_up || gpubp_amd_code_is(s->ctx, pc, S_BARRIER) ?
	       step_halt_saved(s, &tail) : -EAGAIN;
}

static int step_look(struct step *s, bool give_up)
{
	int err;

	if (step_is_made(s))
		return 0;
	guard(mutex)(&s->ctx->records_lock);
	if (gpubp_amd_ctx_evict(s->ctx))
		return -EAGAIN;
	err = step_look_saved(s, give_up);
	gpubp_amd_ctx_restore(s->ctx);
	return step_is_made(s) ? 0 : err;
}

/* Return: 0, -ESRCH; -EAGAIN: it has not stopped. */
static int step_wait(struct step *s)
{
	unsigned long end = jiffies + STEP_TIMEOUT;
	int err = -EAGAIN;

	while (err == -EAGAIN && !fatal_signal_pending(current) &&
	       time_before(jiffies, end)) {
		if (wait_event_timeout(s->n->step_wait, step_is_made(s), STEP_SLICE))
			return 0;
		err = step_look(s, false);
	}
	return err;
}

/* it exists no more */
static void step_forget(const struct step *s)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&s->n->stop_lock);
	w = gpubp_amd_wave_find(s->n, s->id);
	if (!w || !w->stepping)
		return;
	gpubp_amd_wave_free(w);
}

/* what the step needed is taken back as the wave goes on */
static int step_undo(const struct step *s)
{
	const struct gpubp_reg_req req[] = { s->n->isa->trap_regs, s->n->isa->step_reg };
	unsigned int nr_trap_regs = s->n->isa->nr_trap_regs;
	u32 regs[GPUBP_MAX_TRAP_REGS + 1];
	int err = gpubp_amd_read_wave(s->n, s->id, req, ARRAY_SIZE(req), regs);

	if (err)
		return err;
	s->n->isa->step_edit(regs, false);
	regs[nr_trap_regs] &= ~s->n->isa->step_bits;
	return gpubp_amd_write_wave(s->n, s->id, req, ARRAY_SIZE(req), regs);
}

/* if the last halt was resumed during the step, it goes on */
static void step_settle(const struct step *s)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&s->n->stop_lock);
	w = gpubp_amd_wave_find(s->n, s->id);
	if (!w || w->holds || list_empty(&w->edits))
		return;
	w->holds = 1;
	gpubp_amd_wave_put_hold(s->n, w);
}

/* a wave that has hit is made known as stopped first, and then its hit is reported */
static void step_wait_report(const struct step *s)
{
	guard(rwsem_write)(&s->n->report_lock);
}

static int step_end(struct step *s)
{
	int err = step_wait(s);

	step_wait_report(s);
	if (err == -EAGAIN)
		err = step_look(s, true) ?: -EBUSY;
	if (err == -ESRCH) {
		step_forget(s);
		return err;
	}
	step_undo(s);
	step_settle(s);
	return err == -EAGAIN ? -EBUSY : err;
}

static int step_one(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx, u64 id)
{
	struct step s = { .n = n, .ctx = ctx, .id = id };
	int err = step_check(&s) ?: step_start(&s);

	return err > 0 ? 0 : err ?: step_end(&s);
}

static int steps_check(struct gpubp_amd_node *n, const struct gpubp_waves *waves)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < waves->nr && !err; i++) {
		const struct step s = { .n = n, .ctx = waves->ctx, .id = waves->wave[i] };

		err = step_check(&s);
	}
	return err;
}

/* one after the other; a session steps one wave */
int gpubp_amd_step(void *dev, const struct gpubp_waves *waves)
{
	struct gpubp_amd_node *n = dev;
	int err = steps_check(n, waves), one;
	unsigned int i;

	if (!waves->nr)
		return -EOPNOTSUPP;
	for (i = 0; i < waves->nr && err >= 0; i++) {
		one = step_one(n, waves->ctx, waves->wave[i]);
		if (one)
			return one;
	}
	return err;
}

/* ---- the report of a step ------------------------------------------------ */

static bool record_is_step(const struct gpubp_trap_record *r)
{
	return r->other == GPUBP_TRAP_STEP && !r->slots && !r->exceptions && !r->trap_id;
}

static bool mark_read_record(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_mark *mark,
			     struct gpubp_trap_record *out)
{
	const struct gpubp_isa *isa = ctx->node->isa;
	const struct gpubp_handler *handler = isa->handler;
	u32 index = mark->record & isa->mark_index;
	const struct gpubp_where where = {
		.space = GPUBP_SPACE_GLOBAL,
		.va = READ_ONCE(ctx->tma) + handler->record_offset +
		      (u64)index * handler->record_size,
	};
	u8 buf[128];

	return handler->record_size <= sizeof(buf) &&
	       gpubp_amd_mem_rw(ctx, &where, buf, handler->record_size, 0) ==
	       handler->record_size && !isa->record_parse(buf, out) &&
	       isa->record_mark(index, out->seq) == mark->record;
}

/**
 * gpubp_amd_step_report() - a halted wave may have made a step, and nothing else
 * @n: node
 * @ctx: its context
 * @found: which wave, and where
 *
 * What else has happened in the instruction is reported as usual. May sleep. Return: it
 * is not to be reported.
 */
bool gpubp_amd_step_report(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
			   const struct gpubp_amd_found *found)
{
	struct gpubp_trap_record record;

	return n->isa && gpubp_amd_wave_may_step(n, ctx, found) &&
	       mark_read_record(ctx, &found->mark, &record) && record_is_step(&record) &&
	       gpubp_amd_wave_stepped(n, ctx, found);
}
