// SPDX-License-Identifier: GPL-2.0
/*
 * Resolve: the second step of the hit road, in the device's resolver thread.
 *
 * From the record that our trap handler stored, the instruction in front of
 * the wave's pc and the wave's registers: which lanes accessed what. Nothing
 * but the record, read_wave and mem_rw is used, because a GPU has nothing
 * else to offer.
 */
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "bind.h"
#include "context.h"
#include "deliver.h"
#include "device.h"
#include "event.h"
#include "filter.h"
#include "hit.h"
#include "late.h"
#include "meter.h"
#include "patch.h"
#include "resolve.h"
#include "set.h"
#include "stall.h"
#include "step.h"
#include "trap.h"
#include "value.h"
#include "watch.h"

/* registers of one access: a pair of vectors for the address, some scalars */
#define MAX_REGS	(GPUBP_MAX_LANES * 8)

#define MAX_TOLD	1024	/* watches that are told of a stray hit */

/**
 * struct gpubp_resolution - scratch of one hit
 * @trap: the handler's record
 * @insn: the instruction that hit; valid if @pc_exact
 * @access: what it did, lane by lane
 * @pc_exact: the instruction is known
 * @step: what the stop has to do with breaks
 * @reading: what a hit that the handler counted stands for
 * @metered: a match has it
 * @regs: register values
 */
struct gpubp_resolution {
	struct gpubp_trap_record trap;
	struct gpubp_insn insn;
	struct gpubp_access access;
	bool pc_exact;
	struct gpubp_step step;
	struct gpubp_reading reading;
	bool metered;
	u32 regs[MAX_REGS];
};

static ssize_t read_mem(struct gpubp_ctx *ctx, u64 va, void *buf, size_t len)
{
	return gpubp_ctx_global_rw(ctx, va, buf, len, false);
}

static bool read_record(struct gpubp_hit_cell *cell, struct gpubp_resolution *res)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	const struct gpubp_handler *handler = isa->handler;
	const struct gpubp_hit *hit = &cell->hit;
	u64 tma = READ_ONCE(cell->ctx->tma);
	u8 raw[128];
	int index;

	if (!tma || !(hit->valid & GPUBP_HITF_POSITION) ||
	    WARN_ON_ONCE(handler->record_size > sizeof(raw)))
		return false;
	index = isa->record_index(hit->se, hit->sh, hit->cu, hit->simd,
				  hit->wave_slot);
	if (index < 0)
		return false;
	if (read_mem(cell->ctx, tma + handler->record_offset +
		     (u64)index * handler->record_size, raw,
		     handler->record_size) != handler->record_size)
		return false;
	return !isa->record_parse(raw, &res->trap);
}

/*
 * Records are found by the place where the wave was when it stopped. Once a
 * wave that is stopped can be saved, another one may come to that place and
 * stop there: its record has another number.
 */
static bool is_own_record(struct gpubp_hit_cell *cell,
			  const struct gpubp_resolution *res)
{
	const struct gpubp_device *dev = cell->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	u32 seq;

	if (!dev->desc.caps.saves_waves || !isa->seq_reg.count)
		return true;
	return !dev->ops.read_wave(dev->priv, cell->hit.wave, &isa->seq_reg, 1,
				   &seq) && seq == res->trap.seq;
}

/*
 * Who came to that place may have begun to store his record while this one was
 * read: the number is read once more behind the rest.
 */
static bool is_whole_record(struct gpubp_hit_cell *cell,
			    struct gpubp_resolution *res)
{
	const struct gpubp_trap_record first = res->trap;
	bool same;

	if (!cell->dev->desc.caps.saves_waves)
		return true;
	same = read_record(cell, res) && res->trap.seq == first.seq;
	res->trap = first;
	return same;
}

/* a device whose waves run no handler of ours tells by itself */
static bool told_record(const struct gpubp_hit *hit,
			struct gpubp_resolution *res)
{
	if (!(hit->valid & GPUBP_HITF_PC))
		return false;
	res->trap = (struct gpubp_trap_record) {
		.pc = hit->pc,
		.exec = hit->valid & GPUBP_HITF_EXEC ? hit->exec : U64_MAX,
		.slots = hit->valid & GPUBP_HITF_SLOTS ? hit->slots : 0,
		.exceptions = hit->valid & GPUBP_HITF_EXCEPTIONS ?
			      hit->exceptions : 0,
	};
	return true;
}

static bool find_record(struct gpubp_hit_cell *cell,
			struct gpubp_resolution *res)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;

	if (!isa || !isa->handler)
		return told_record(&cell->hit, res);
	return read_record(cell, res) && is_own_record(cell, res) &&
	       is_whole_record(cell, res);
}

/* the code in front of a pc: less than asked for at the start of a mapping */
static size_t read_code_before(struct gpubp_hit_cell *cell, u64 pc, u8 *code)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	size_t len;

	for (len = isa->insn_max; len; len -= isa->insn_align)
		if (gpubp_patch_read(cell->ctx, pc - len, code, len) == len)
			break;
	return len;
}

/*
 * With precise memory the access is the instruction right before the pc. Without
 * it, it is some instructions back and perhaps behind a branch: what stands
 * before the pc may be another access, so nothing there proves anything.
 */
static void find_access(struct gpubp_hit_cell *cell,
			struct gpubp_resolution *res)
{
	u8 code[GPUBP_MAX_INSN];
	size_t len;

	if (!cell->dev->desc.caps.precise || !cell->dev->desc.isa)
		return;
	len = read_code_before(cell, res->trap.pc, code);
	res->pc_exact = cell->dev->desc.isa->access_before(code, len,
							   &res->insn) > 0;
}

static unsigned int nr_reg_values(const struct gpubp_isa *isa,
				  const struct gpubp_insn *insn)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < insn->nr_regs; i++)
		n += insn->regs[i].count * (insn->regs[i].file ==
			GPUBP_REG_VECTOR ? isa->nr_lanes : 1);
	return n;
}

static bool read_regs(struct gpubp_hit_cell *cell, struct gpubp_resolution *res)
{
	struct gpubp_device *dev = cell->dev;

	if (WARN_ON_ONCE(nr_reg_values(dev->desc.isa, &res->insn) > MAX_REGS))
		return false;
	return !dev->ops.read_wave(dev->priv, cell->hit.wave,
				   res->insn.regs, res->insn.nr_regs,
				   res->regs);
}

/* the device told the address: of the lowest lane, as far as we know */
static void told_lanes(const struct gpubp_hit *hit, struct gpubp_access *acc)
{
	acc->access = hit->access;
	acc->width = hit->width;
	acc->addr_state = GPUBP_ADDR_EXACT;
	acc->lanes = acc->exec & -acc->exec;
	acc->addr[__ffs64(acc->lanes)] = hit->addr;
}

/* the lanes that may have accessed: exec has changed, maybe, since they did */
static u64 possible_lanes(const struct gpubp_device *dev, u64 exec)
{
	const struct gpubp_isa *isa = dev->desc.isa;

	if (dev->desc.caps.precise || !isa)
		return exec;
	return GENMASK_ULL(isa->nr_lanes - 1, 0);
}

static void find_lanes(struct gpubp_hit_cell *cell, struct gpubp_resolution *res)
{
	struct gpubp_access *acc = &res->access;

	acc->exec = res->trap.exec;
	acc->lanes = possible_lanes(cell->dev, acc->exec);
	acc->addr_state = GPUBP_ADDR_UNKNOWN;
	if ((cell->hit.valid & GPUBP_HITF_ADDR) && acc->exec) {
		told_lanes(&cell->hit, acc);
		return;
	}
	if (!res->pc_exact)
		return;
	acc->access = res->insn.access;
	acc->width = res->insn.width;
	acc->addr_state = GPUBP_ADDR_BLOCK;
	if (res->insn.clobbers_addr || !read_regs(cell, res))
		return;
	acc->lanes = cell->dev->desc.isa->lane_addrs(&res->insn, res->regs,
						     acc->exec, acc->addr);
	acc->addr_state = GPUBP_ADDR_EXACT;
}

static void fill_record(struct gpubp_hit_cell *cell,
			const struct gpubp_resolution *res)
{
	const struct gpubp_trap_record *trap = &res->trap;
	struct gpubp_hit_record *rec = &cell->record;

	*rec = (struct gpubp_hit_record) {
		.pc = trap->pc - (res->pc_exact ? res->insn.len : 0),
		.exec = trap->exec,
		.gpu_time = cell->hit.gpu_time,
		.wave = cell->hit.wave,
		.context = cell->ctx->id,
		.queue = cell->queue ? cell->queue->id : 0,
		.dispatch = trap->dispatch,
		.wg_x = trap->wg[0],
		.wg_y = trap->wg[1],
		.wg_z = trap->wg[2],
		.wave_in_group = trap->wave_in_group,
		.nr_merged = 1,
		.width = res->access.width,
		.addr_state = res->access.addr_state,
		.access = res->access.access,
		.device = cell->dev->number,
		.exceptions = trap->exceptions,
		.trap_id = res->step.stop == GPUBP_STOP_OWN ? trap->trap_id : 0,
		.flags = (res->pc_exact ? GPUBP_HIT_PC_EXACT : 0) |
			 (trap->has_coords ? GPUBP_HIT_COORDS : 0) |
			 (trap->has_dispatch ? GPUBP_HIT_DISPATCH : 0),
	};
}

/* a block that is no wider than the watch leaves no room for a stranger */
static bool cover_is_tight(const struct gpubp_watch *w, u64 time)
{
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
	int i, nr = gpubp_watch_cover(w, GPUBP_MAX_BLOCKS, block);
	u64 covered = 0;

	if (w->wide_to && time <= w->wide_to)
		return false;
	for (i = 0; i < nr; i++)
		covered += gpubp_block_size(&block[i]);
	/* where slots are few one wider block may stand for two */
	return covered == w->last - w->start + 1 && hweight32(w->slots) >= nr;
}

/* of several reasons to be nobody's, the one that came closest */
static void raise_verdict(struct gpubp_hit_cell *cell, enum gpubp_stat s)
{
	cell->verdict = max(cell->verdict, s);
}

/*
 * Not where, but surely in the watched bytes and of a kind that is watched.
 * Never without precise memory: the hit may be older than the watch.
 */
static bool is_certain(const struct gpubp_watch *w,
		       const struct gpubp_hit_cell *cell)
{
	if (!w->ctx->dev->desc.caps.precise)
		return false;
	if (cell->record.addr_state == GPUBP_ADDR_UNKNOWN &&
	    w->access != (GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE |
			  GPUBP_ACCESS_ATOMIC))
		return false;
	return cover_is_tight(w, cell->hit.gpu_time);
}

static bool watch_matches(struct gpubp_watch *w, struct gpubp_hit_cell *cell,
			  const struct gpubp_resolution *res,
			  struct gpubp_match *match)
{
	u32 slots = gpubp_watch_slots_at(w, cell->hit.gpu_time);

	if (res->access.addr_state == GPUBP_ADDR_EXACT &&
	    !gpubp_filter(&res->access, w->start, w->last - w->start + 1,
			  GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE |
			  GPUBP_ACCESS_ATOMIC, match))
		return false;
	raise_verdict(cell, GPUBP_STAT_STRAY_STALE);
	if (!(slots & res->trap.slots))
		return false;
	raise_verdict(cell, GPUBP_STAT_STRAY_KIND);
	if (!gpubp_filter(&res->access, w->start, w->last - w->start + 1,
			  w->access, match))
		return false;
	raise_verdict(cell, GPUBP_STAT_STRAY_OWNER);
	return true;
}

/* NULL: there is no room for it */
static struct gpubp_hit_match *add_match(struct gpubp_hit_cell **cell)
{
	struct gpubp_hit_match *m;

	if ((*cell)->nr_matches == GPUBP_CELL_MATCHES) {
		*cell = gpubp_cell_more(*cell);
		if (!*cell)
			return NULL;
	}
	m = &(*cell)->matches[(*cell)->nr_matches++];
	m->hit = (*cell)->first->number;
	m->weight = 1;
	m->credited = 0;
	return m;
}

static struct gpubp_hit_cell *
note_match(struct gpubp_hit_cell *cell, struct gpubp_watch *w,
	   const struct gpubp_member_binding *mb,
	   const struct gpubp_match *match)
{
	struct gpubp_hit_match *m = add_match(&cell);

	if (!m)
		return NULL;
	m->kind = mb ? GPUBP_KIND_WATCH_SET : GPUBP_KIND_WATCH;
	m->watch = w->id;
	m->member = mb ? mb->member->id : 0;
	m->set = mb ? mb->bench->set->id : 0;
	m->start = w->start;
	m->last = w->last;
	m->addr = match->exact ? match->addr : w->start;
	m->lanes = match->lanes;
	if (!match->exact && !is_certain(w, cell))
		m->flags = GPUBP_HIT_POSSIBLE;
	return cell;
}

/* a hit of a watch whose hits the handler counts stands for a period of them */
static void note_metered(struct gpubp_hit_cell *cell, const struct gpubp_watch *w,
			 struct gpubp_resolution *res)
{
	struct gpubp_hit_match *m = &cell->matches[cell->nr_matches - 1];

	if (w->id != res->reading.watch)
		return;
	m->weight = res->reading.weight;
	m->credited = res->reading.credited;
	res->metered = true;
}

/* for its events, and for each member of a set that wants it */
static struct gpubp_hit_cell *note_watch(struct gpubp_hit_cell *cell,
					 struct gpubp_watch *w,
					 struct gpubp_resolution *res,
					 const struct gpubp_match *match)
{
	struct gpubp_member_binding *mb;

	if (!list_empty(&w->bindings)) {
		cell = note_match(cell, w, NULL, match);
		if (cell)
			note_metered(cell, w, res);
	}
	hlist_for_each_entry(mb, &w->members, watch_node) {
		if (!cell)
			break;
		cell = note_match(cell, w, mb, match);
	}
	return cell;
}

/* lowest and highest byte that an exact access can have touched */
static void access_span(const struct gpubp_access *acc, u64 *first, u64 *last)
{
	u64 lanes = acc->lanes;

	*first = U64_MAX;
	*last = 0;
	for (; lanes; lanes &= lanes - 1) {
		u64 addr = acc->addr[__ffs64(lanes)];

		*first = min(*first, addr);
		*last = max(*last, addr + acc->width - 1);
	}
}

static void tell_stray(struct gpubp_event *gev,
		       const struct gpubp_hit_cell *cell)
{
	u64 *last = &gev->last_stray[cell->dev->number % GPUBP_LAST_HITS];

	if (*last == cell->number)
		return;		/* it has another watch there */
	*last = cell->number;
	atomic64_inc(&gev->strays);
}

static void tell_strays(struct gpubp_watch *w,
			const struct gpubp_hit_cell *cell)
{
	struct gpubp_member_binding *mb;
	struct gpubp_binding *b;

	w->stats.strays++;
	list_for_each_entry(b, &w->bindings, watch_node)
		tell_stray(b->event, cell);
	hlist_for_each_entry(mb, &w->members, watch_node)
		list_for_each_entry(b, &mb->bench->bindings, watch_node)
			tell_stray(b->event, cell);
}

/* those who share a slot may be many: nobody waits until all are told */
static void count_strays(const struct gpubp_hit_cell *cell, u32 slots)
{
	unsigned int budget = MAX_TOLD;
	struct gpubp_watch *w;

	list_for_each_entry(w, &cell->dev->armed, node) {
		if (!budget--)
			break;
		if (w->ctx == cell->ctx &&
		    gpubp_watch_slots_at(w, cell->hit.gpu_time) & slots)
			tell_strays(w, cell);
	}
}

/* which watches: fills the cell's matches, in further cells if need be */
static void find_watches(struct gpubp_hit_cell *cell,
			 struct gpubp_resolution *res)
{
	const struct gpubp_hit_cell *hit = cell;
	struct gpubp_ctx *ctx = cell->ctx;
	struct gpubp_match match;
	struct gpubp_watch *w;
	u64 first = 0, last = U64_MAX;

	if (res->access.addr_state == GPUBP_ADDR_EXACT)
		access_span(&res->access, &first, &last);
	guard(mutex)(&cell->dev->lock);
	for (w = gpubp_watch_first(ctx, first, last); w && cell;
	     w = gpubp_watch_next(w, first, last))
		if (watch_matches(w, cell->first, res, &match))
			cell = note_watch(cell, w, res, &match);
	if (hit->verdict == GPUBP_STAT_STRAY_BYTES)
		count_strays(hit, res->trap.slots);
}

/* ---- traps --------------------------------------------------------------- */

/* NULL: there is no room for it */
static struct gpubp_hit_match *note_trap(struct gpubp_hit_cell **cell,
					 const struct gpubp_resolution *res,
					 const struct gpubp_trap *trap)
{
	struct gpubp_hit_match *m = add_match(cell);

	if (!m)
		return NULL;
	raise_verdict((*cell)->first, GPUBP_STAT_STRAY_OWNER);
	m->kind = trap->kind;
	m->watch = trap->id;
	m->start = trap->key;
	m->last = trap->key;
	m->addr = res->step.pc;
	m->lanes = res->trap.exec;
	m->flags = GPUBP_HIT_PC_EXACT;
	return m;
}

static void find_trap(struct gpubp_hit_cell *cell,
		      const struct gpubp_resolution *res, u8 kind, u64 key)
{
	struct gpubp_trap *trap = gpubp_trap_find(cell->ctx, kind, key);

	if (trap)
		note_trap(&cell, res, trap);
}

/* which breaks and s_traps: fills the cell's matches */
static void find_traps(struct gpubp_hit_cell *cell,
		       const struct gpubp_resolution *res)
{
	guard(mutex)(&cell->dev->lock);
	if (res->step.stop == GPUBP_STOP_BREAK)
		find_trap(cell, res, GPUBP_KIND_BREAK, res->step.pc);
	else if (res->step.stop == GPUBP_STOP_OWN)
		find_trap(cell, res, GPUBP_KIND_TRAP, res->trap.trap_id);
}

/* ---- exceptions ---------------------------------------------------------- */

/*
 * An illegal instruction is where the wave stands. It stands behind what failed
 * to access memory: right behind it with precise memory. Of arithmetic nothing is
 * known but that it came before.
 */
static u16 exception_pc(const struct gpubp_hit_cell *cell,
			const struct gpubp_resolution *res, u64 *pc)
{
	*pc = res->trap.pc;
	if (res->trap.exceptions == GPUBP_EXC_ILLEGAL)
		return GPUBP_HIT_PC_EXACT;
	if (!(res->trap.exceptions & GPUBP_EXC_MEM_VIOL) || !res->pc_exact)
		return 0;
	*pc -= res->insn.len;
	return GPUBP_HIT_PC_EXACT;
}

/* one for each different wish, whatever number of its classes it was */
static void match_exceptions(struct gpubp_hit_cell *cell,
			     const struct gpubp_resolution *res)
{
	struct gpubp_hit_match *m;
	struct gpubp_trap *trap;

	guard(mutex)(&cell->dev->lock);
	list_for_each_entry(trap, &cell->ctx->traps.traps, node) {
		if (trap->kind != GPUBP_KIND_EXCEPTION ||
		    !(gpubp_exceptions_of(cell->dev, trap->key) &
		      res->trap.exceptions))
			continue;
		m = note_trap(&cell, res, trap);
		if (!m)
			break;
		m->flags = exception_pc(cell, res, &m->addr);
	}
}

static u32 unwanted_exceptions(const struct gpubp_hit_cell *cell, u32 raised)
{
	guard(mutex)(&cell->dev->lock);
	return raised & ~gpubp_exceptions_wanted(cell->ctx);
}

static bool can_mute(const struct gpubp_device *dev)
{
	return dev->late.able && dev->desc.isa->trap_mute;
}

static int read_traps(const struct gpubp_hit_cell *cell, u32 *regs)
{
	const struct gpubp_device *dev = cell->dev;

	return dev->ops.read_wave(dev->priv, cell->hit.wave,
				  &dev->desc.isa->trap_regs, 1, regs);
}

static int write_traps(const struct gpubp_hit_cell *cell, const u32 *regs)
{
	const struct gpubp_device *dev = cell->dev;

	return dev->ops.write_wave(dev->priv, cell->hit.wave,
				   &dev->desc.isa->trap_regs, 1, regs);
}

/* some can be masked, others are taken in any case */
static bool traps_for(const struct gpubp_isa *isa, const u32 *regs,
		      u32 exceptions)
{
	u32 copy[GPUBP_MAX_TRAP_REGS];

	memcpy(copy, regs, isa->nr_trap_regs * sizeof(*regs));
	return isa->trap_mute(copy, exceptions);
}

/*
 * Nobody wants these any more, but the wave was launched to trap for them: it is
 * told not to, while it stands here anyway.
 */
static void mute(struct gpubp_hit_cell *cell, u32 exceptions)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	u32 regs[GPUBP_MAX_TRAP_REGS];

	guard(gpubp_edit)(cell->dev);
	if (read_traps(cell, regs) || !traps_for(isa, regs, exceptions))
		return;
	exceptions = gpubp_late_mute(cell->ctx, exceptions);
	if (isa->trap_mute(regs, exceptions))
		write_traps(cell, regs);
}

static void find_exceptions(struct gpubp_hit_cell *cell,
			    struct gpubp_resolution *res)
{
	u32 raised = res->trap.exceptions, unwanted;

	if (!raised)
		return;
	if (raised & GPUBP_EXC_MEM_VIOL)
		find_access(cell, res);
	match_exceptions(cell, res);
	unwanted = unwanted_exceptions(cell, raised);
	if (unwanted && can_mute(cell->dev))
		mute(cell, unwanted);
}

static bool stalled_too_long(const struct gpubp_hit_cell *cell)
{
	s64 age = ktime_get_ns() - cell->hit.gpu_time;

	return age > (s64)cell->ctx->max_stall_ns;
}

/*
 * With precise memory a wave stops right behind the access that hit. If it
 * executed something else since, what says "comparator" is of no hit: programs
 * can set these bits, and a wave that takes no traps collects them.
 */
static bool came_otherwise(const struct gpubp_hit_cell *cell,
			   const struct gpubp_trap_record *trap)
{
	return cell->dev->desc.caps.precise &&
	       (trap->trap_id || (trap->exceptions & GPUBP_EXC_ILLEGAL));
}

static void resolve(struct gpubp_hit_cell *cell, struct gpubp_resolution *res)
{
	bool stalled = stalled_too_long(cell);

	memset(res, 0, offsetof(struct gpubp_resolution, regs));
	cell->verdict = GPUBP_STAT_DROP_STALL;
	if (stalled && !gpubp_trap_ctx_any(&cell->ctx->traps))
		return;
	cell->verdict = GPUBP_STAT_DROP_RECORD;
	if (!find_record(cell, res))
		return;
	/* a wave that came too late is to be sent past its break, too */
	gpubp_step_find(cell, &res->trap, &res->step);
	gpubp_meter_read(cell->ctx, &res->trap, &res->reading);
	cell->verdict = GPUBP_STAT_DROP_STALL;
	if (stalled)
		return;
	cell->verdict = gpubp_step_verdict(&res->step);
	fill_record(cell, res);
	find_traps(cell, res);
	find_exceptions(cell, res);
	if (!res->trap.slots || came_otherwise(cell, &res->trap))
		return;
	find_access(cell, res);
	find_lanes(cell, res);
	fill_record(cell, res);
	cell->verdict = GPUBP_STAT_STRAY_BYTES;
	find_watches(cell, res);
}

/* what is not known was most probably a hit of some slot */
static u32 hit_slots(const struct gpubp_hit_cell *cell,
		     const struct gpubp_resolution *res)
{
	if (cell->verdict == GPUBP_STAT_DROP_STALL ||
	    cell->verdict == GPUBP_STAT_DROP_RECORD)
		return READ_ONCE(cell->ctx->prog.valid);
	return came_otherwise(cell, &res->trap) ? 0 : res->trap.slots;
}

static void resolve_one(struct gpubp_hit_cell *cell, struct gpubp_resolution *res)
{
	struct gpubp_device *dev = cell->dev;
	struct gpubp_hit_cell *next;

	/* unique among devices: an event may be hit on several */
	cell->number = (++dev->nr_resolved << 8) | dev->number;
	resolve(cell, res);
	gpubp_meter_told(&res->reading, res->metered);
	for (next = cell; next; next = next->next)
		gpubp_values_read(next);
	gpubp_step_go(cell, &res->step);
	dev->ops.hit_done(dev->priv, &cell->hit);
	gpubp_stall_note(cell, hit_slots(cell, res));
	gpubp_deliver(cell);
	gpubp_cell_put(cell);
}

static void resolve_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_device,
						resolve_work);
	struct llist_node *list = llist_del_all(&dev->reported);
	struct gpubp_hit_cell *cell, *tmp;

	list = llist_reverse_order(list);
	llist_for_each_entry_safe(cell, tmp, list, lnode) {
		resolve_one(cell, dev->resolution);
		cond_resched();
	}
}

/** gpubp_resolve_init() - scratch and work of a device; 0 or -ENOMEM */
int gpubp_resolve_init(struct gpubp_device *dev)
{
	kthread_init_work(&dev->resolve_work, resolve_fn);
	dev->resolution = kmalloc(sizeof(*dev->resolution), GFP_KERNEL);
	return dev->resolution ? 0 : -ENOMEM;
}

void gpubp_resolve_exit(struct gpubp_device *dev)
{
	kfree(dev->resolution);
}
