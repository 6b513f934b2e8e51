// SPDX-License-Identifier: GPL-2.0
/*
 * The trap handler of isa/gfx9 that stops no wave: of random hits, what the core's own
 * functions say of them is what it counts and records, for one comparator or several; and
 * what it does not handle, the process's own handler gets as without a debugger.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../tap.h"
#include "hits.h"

#define ENTRY		0x600000000000ull	/* where waves enter: one s_nop */
#define THIRD		0x600100000000ull	/* the process's own handler */
#define THIRD_TMA	0x600200000000ull
#define FIRST_TMA	0x600300000000ull
#define MAX_STEPS	4000
#define MAX_VALUES	(4 + 4 * SIM_LANES)
#define S_TRAP_2	0xbf920002
#define TTMP_DEBUGGED	(1u << 23)
#define HOST_TRAP	(1u << 24 | 9u << 16)	/* ttmp1: HT, TrapID */
#define LANE		5

/* what is in the handler's memory, of one comparator, and of its ring */
struct sums {
	u32 counted, strays, undecided, lost, taken;
};

static unsigned int nr_entries, nr_thirds;
static bool level;	/* TRAPSTS bits that are set make the wave enter again */

static int undecided_parse(const void *head, u32 number, struct gpubp_trap_record *rec,
			   struct gpubp_recorded_place *where)
{
	return image->gfx942 ? gfx942_undecided_parse(head, number, rec, where) :
			       gfx9_undecided_parse(head, number, rec, where);
}

/* ---- the first level, and the third ------------------------------------------- */

static u32 *ttmp_debugged(void)
{
	return ttmp(image->gfx942 ? 13 : 11);
}

static void enter(void)
{
	enter_second(IB_STS);
	*ttmp_debugged() |= TTMP_DEBUGGED;
	w->ib_sts = 0;
	w->pc = HANDLER;
	nr_entries++;
}

/* it has what a first level passes without a debugger; it returns behind a trap */
static bool third_returns(void)
{
	bool trap = *ttmp(1) & 0xff0000;
	bool ok = *ttmp(14) == (u32)THIRD_TMA && *ttmp(15) == THIRD_TMA >> 32 &&
		  !(*ttmp_debugged() & TTMP_DEBUGGED) &&
		  *ttmp(12) == (before.status | STATUS_PRIV);

	nr_thirds++;
	w->pc = (*ttmp(0) | (u64)(*ttmp(1) & 0xffff) << 32) + (trap ? 4 : 0);
	w->trapsts &= ~TRAPSTS_MEM_VIOL;
	w->ib_sts = *ttmp_debugged() >> TTMP_IB_STS << IB_STS_SHIFT;
	w->status = (w->status & ~(STATUS_PRIV | STATUS_SCC)) | (*ttmp(12) & STATUS_SCC);
	return ok;
}

/* up to where the program goes on */
static bool run(void)
{
	bool ok = true, was_in = true;
	enum sim_stop stop;
	unsigned int n;

	nr_entries = nr_thirds = 0;
	for (n = 0; n < MAX_STEPS && w->pc != start + 12 && ok; n++) {
		stop = sim_wave_run(w, 1);
		ok = stop == SIM_STOP_BUDGET || stop == SIM_STOP_SLEEP;
		if (w->pc == ENTRY + 4)
			enter();
		else if (w->pc == THIRD)
			ok = third_returns();
		/* s_rfe */
		if (level && was_in && !(w->status & STATUS_PRIV))
			w->pending |= w->trapsts & ~(STICKY | TRAPSTS_XNACK_ERROR);
		was_in = w->status & STATUS_PRIV;
	}
	nr_insts = n;
	*ttmp_debugged() = (*ttmp_debugged() & ~TTMP_DEBUGGED) |
			   (before.s[SIM_TTMP_FIRST + (image->gfx942 ? 13 : 11)] &
			    TTMP_DEBUGGED);
	*ttmp_debugged() = (*ttmp_debugged() & ~(~0u << TTMP_IB_STS)) |
			   (before.s[SIM_TTMP_FIRST + (image->gfx942 ? 13 : 11)] &
			    ~0u << TTMP_IB_STS);
	return ok && w->pc == start + 12 && !(w->status & STATUS_PRIV);
}

static void prepare(const struct hit *h, u32 trapsts)
{
	hit_prepare(h, trapsts);
	w->ib_sts = IB_STS;
	w->tba = ENTRY;
	w->tma = FIRST_TMA;
	memcpy(tma + isa->handler->third_offset, (u64[]){ THIRD, THIRD_TMA }, 16);
	memcpy(tma_before, tma, TMA_SIZE);
}

static void image_begin(const struct image *im)
{
	const u32 nop = S_NOP;

	image_load(im);
	memcpy(machine_map(ENTRY, 8), (u32[]){ nop, nop }, 8);
	machine_map(THIRD, 8);
	memcpy(machine_map(FIRST_TMA, 16), (u64[]){ HANDLER, TMA }, 16);
}

/* ---- what the core says --------------------------------------------------------- */

static bool has_room(const struct hit *h, u32 taken)
{
	return h->ring.head + taken - h->ring.tail < h->ring.limit;
}

/* one more entry, of comparator @slot of those that have the same filter */
static void expect(const struct hit *h, bool access, const struct gpubp_insn *insn,
		   unsigned int slot, struct sums *s, u32 *taken)
{
	struct hit one = *h;
	bool on;

	one.slot = slot;
	if (!h->filter.nr) {
		s->strays++;
		return;
	}
	if (reason_of(h, access, insn) != DECIDED) {
		s->undecided++;
		on = true;
	} else if (is_touched(h, insn)) {
		s->counted++;
		on = ring_is_on(&one);
	} else {
		s->strays++;
		return;
	}
	if (on && has_room(h, *taken))
		s->taken = ++*taken;
	else if (on)
		s->lost++;
}

static struct sums sums_of(const u8 *memory, unsigned int slot)
{
	const struct gpubp_handler *hd = isa->handler;
	const struct gpubp_handler_counter *c =
		(const void *)(memory + hd->counter_offset);
	const struct gpubp_handler_filter *f =
		(const void *)(memory + hd->filter_offset);

	return (struct sums) { c[slot].value, f[slot].strays, f[slot].undecided,
			       f[slot].lost };
}

static bool sums_agree(unsigned int slot, const struct sums *want)
{
	struct sums was = sums_of(tma_before, slot), is = sums_of(tma, slot);

	return is.counted - was.counted == want->counted &&
	       is.strays - was.strays == want->strays &&
	       is.undecided - was.undecided == want->undecided &&
	       is.lost - was.lost == want->lost;
}

/* all else is what it was */
static bool memory_agrees(u32 taken)
{
	struct gpubp_handler_ring *was =
		(void *)(tma_before + isa->handler->ring_offset);
	unsigned int slot;

	if (ring()->head != was->head + taken)
		return false;
	was->head = ring()->head;
	for (slot = 0; slot < image->nr_slots; slot++) {
		struct gpubp_handler_filter *f =
			(void *)(tma_before + ((u8 *)filter(slot) - tma));

		f->strays = filter(slot)->strays;
		f->undecided = filter(slot)->undecided;
		f->lost = filter(slot)->lost;
		((struct gpubp_handler_counter *)(tma_before + ((u8 *)counter(slot) - tma)))
			->value = counter(slot)->value;
	}
	return !memcmp(tma, tma_before, TMA_SIZE);
}

/* ---- places ----------------------------------------------------------------------- */

static void wave_read(const struct gpubp_reg_req *req, u32 *out)
{
	unsigned int n;

	for (n = 0; n < req->count; n++)
		if (req->file == GPUBP_REG_VECTOR)
			memcpy(out + n * SIM_LANES, w->v[req->first + n], sizeof(w->v[0]));
		else
			out[n] = w->s[req->first + n];
}

static bool request_agrees(const u8 *place, const struct gpubp_reg_req *req, u64 exec)
{
	u32 got[MAX_VALUES] = {}, want[MAX_VALUES];
	unsigned int n;

	if (isa->recorded_read(place, place, req, got))
		return false;
	wave_read(req, want);
	for (n = 0; n < req->count * (req->file == GPUBP_REG_VECTOR ? SIM_LANES : 1); n++)
		if ((req->file != GPUBP_REG_VECTOR || exec >> n % SIM_LANES & 1) &&
		    got[n] != want[n])
			return false;
	return true;
}

/* which comparator it is of; -1: it is wrong */
static int place_slot(const struct hit *h, const struct gpubp_insn *insn, u32 number,
		      bool decided)
{
	const u8 *place = place_of(number);
	struct gpubp_recorded_place where;
	struct gpubp_trap_record rec;
	unsigned int n;
	bool ok;

	ok = decided ? !isa->recorded_parse(place, number, &rec, &where) &&
		       undecided_parse(place, number, &rec, &where) == -EINVAL &&
		       !isa->recorded_parse(place, number, &rec, &where) :
		       isa->recorded_parse(place, number, &rec, &where) == -EINVAL &&
		       !undecided_parse(place, number, &rec, &where);
	if (!ok || rec.pc != start + 8 || rec.exec != h->exec || !setup_agrees(&rec) ||
	    where.doorbell != DOORBELL || where.cu != 3 || where.simd != 2 ||
	    where.wave_slot != 5 || where.xcc != w->xcc_id ||
	    memcmp(place + isa->handler->place_code, h->words, sizeof(h->words)))
		return -1;
	for (n = 0; decided && n < insn->nr_regs; n++)
		ok &= request_agrees(place, &insn->regs[n], h->exec);
	if (decided && !(h->words[1] & BIT_ACC) && insn->stored.count)
		ok &= request_agrees(place, &insn->stored, h->exec);
	return ok ? __builtin_ctz(rec.slots) : -1;
}

/* the one of the awaited number, and no other, sends an interrupt */
static bool notices_agree(const struct hit *h, u32 taken)
{
	if (h->ring.notify - h->ring.head >= taken)
		return !machine.nr_messages;
	return machine.nr_messages == 1 && hit_is_notice(&machine.message[0]);
}

/* ---- random hits ------------------------------------------------------------------ */

static struct totals {
	struct sums of;
	unsigned int reasons[NR_REASONS], none, multiple, wrong;
} totals;

static bool hit_agrees(const struct hit *h, bool access, const struct gpubp_insn *insn,
		       u32 slots)
{
	struct sums want[4] = {};
	u32 taken = 0, trapsts = 0;
	unsigned int slot;
	bool ok, decided;
	int at;

	for (slot = 0; slot < image->nr_slots; slot++)
		trapsts |= slots >> slot & 1 ? slot_bit(slot) : 0;
	prepare(h, trapsts);
	for (slot = 0; slot < image->nr_slots; slot++) {
		if (!(slots >> slot & 1))
			continue;
		*filter(slot) = h->filter;
		*counter(slot) = h->counter;
		expect(h, access, insn, slot, &want[slot], &taken);
	}
	memcpy(tma_before, tma, TMA_SIZE);
	ok = run() && state_kept() && w->trapsts == STICKY && !nr_thirds &&
	     nr_entries == 1 &&
	     notices_agree(h, taken);
	decided = reason_of(h, access, insn) == DECIDED;
	for (slot = 0; slot < image->nr_slots; slot++) {
		ok &= sums_agree(slot, &want[slot]);
		if (want[slot].taken) {
			at = place_slot(h, insn, h->ring.head + want[slot].taken - 1, decided);
			ok &= at == (int)slot;
		}
		totals.of.counted += want[slot].counted;
		totals.of.strays += want[slot].strays;
		totals.of.undecided += want[slot].undecided;
		totals.of.lost += want[slot].lost;
	}
	totals.of.taken += taken;
	return ok & memory_agrees(taken);
}

static u32 random_slots(const struct hit *h)
{
	return once_in(4) ? 1u << h->slot | rnd() % (1u << image->nr_slots) : 1u << h->slot;
}

static bool random_hits(unsigned int nr)
{
	struct gpubp_insn insn;
	unsigned int n;
	struct hit h;
	bool access;
	u32 slots;

	memset(&totals, 0, sizeof(totals));
	for (n = 0; n < nr; n++) {
		if (n % 64 == 0)
			random_regs();
		pick_arch(n);
		start = once_in(4) ? CODE_LIKE_PARK : CODE;
		access = random_hit(&h, &insn);
		h.counter.limit = rnd();
		h.filter.nr = once_in(64) ? 0 : h.filter.nr;
		h.filter.undecided = rnd();
		h.filter.lost = rnd();
		h.mode |= once_in(16) ? MODE_DEBUG_EN : 0;
		slots = random_slots(&h);
		level = once_in(2);
		totals.reasons[reason_of(&h, access, &insn)]++;
		totals.none += !h.filter.nr;
		totals.multiple += slots & (slots - 1) ? 1 : 0;
		if (!hit_agrees(&h, access, &insn, slots) && totals.wrong++ < 5)
			hit_print(&h, "hit", BROKEN, GONE_ON);
	}
	start = CODE;
	printf("# %s: %u counted, %u strays, %u undecided; %u recorded, %u lost; %u of several comparators, %u without ranges\n",
	       image->name, totals.of.counted, totals.of.strays, totals.of.undecided,
	       totals.of.taken, totals.of.lost, totals.multiple, totals.none);
	return !totals.wrong && totals.of.counted > nr / 8 && totals.of.strays > nr / 8 &&
	       totals.of.undecided > nr / 16 && totals.of.taken > nr / 4 &&
	       totals.of.lost > nr / 64 && totals.none && totals.multiple > nr / 8;
}

/* ---- what goes to the process's own handler --------------------------------------- */

static struct hit recorded_store(void)
{
	struct hit h = plain_hit(FLAT(28, GFX9_SEG_GLOBAL), SADDR_OFF | VADDR | 60 << 8);

	h.counter.limit = 0;
	h.ring.on = ~0u;
	h.ring.notify = h.ring.head - 1;
	h.exec = 1ull << LANE | 1ull << 63;
	w->v[VADDR][LANE] = (u32)ADDR;
	w->v[VADDR + 1][LANE] = ADDR >> 32;
	return h;
}

static bool thirds_are(unsigned int entries, unsigned int thirds, u32 counted)
{
	return run() && nr_entries == entries && nr_thirds == thirds &&
	       state_kept() && w->trapsts == STICKY && !machine.nr_messages &&
	       counter(2)->value == counted;
}

static void hit_of_2(const struct hit *h, u32 trapsts)
{
	prepare(h, trapsts);
	*filter(2) = h->filter;
	counter(2)->value = 0;
}

/* the pc of an s_trap is behind the access, too: the wave executes it when it goes on */
static bool traps_are_passed_on(void)
{
	struct hit h = recorded_store();
	bool ok;

	h.slot = 2;
	hit_of_2(&h, 0);
	memcpy(machine_at(start + 8, 4), (u32[]){ S_TRAP_2 }, 4);
	ok = thirds_are(1, 1, 0);
	hit_of_2(&h, slot_bit(2));
	memcpy(machine_at(start + 8, 4), (u32[]){ S_TRAP_2 }, 4);
	return ok && thirds_are(2, 1, 1);
}

static bool exceptions_are_passed_on(void)
{
	struct hit h = recorded_store();
	bool ok;

	h.slot = 2;
	hit_of_2(&h, TRAPSTS_MEM_VIOL);
	ok = thirds_are(1, 1, 0);
	hit_of_2(&h, TRAPSTS_MEM_VIOL | slot_bit(2));
	return ok && thirds_are(1, 1, 1);
}

/* without one, an s_trap does nothing */
static bool no_third(void)
{
	struct hit h = recorded_store();

	h.slot = 2;
	hit_of_2(&h, 0);
	memset(tma + isa->handler->third_offset, 0, 16);
	memcpy(machine_at(start + 8, 4), (u32[]){ S_TRAP_2 }, 4);
	return thirds_are(1, 0, 0);
}

static bool xnack_errors_are_lost(void)
{
	struct hit h = recorded_store();

	h.slot = 2;
	hit_of_2(&h, slot_bit(2));
	w->trapsts |= TRAPSTS_XNACK_ERROR;
	return run() && ring()->head == h.ring.head && filter(2)->lost == h.filter.lost + 1 &&
	       counter(2)->value == 1 && state_kept();
}

/* how long the handler waits for a place, in looks at the clock, until the hit is lost; -1: wrong */
static int looks_for_a_place(u32 until)
{
	struct hit h = recorded_store();
	u64 before = machine.time;

	h.slot = 2;
	h.ring.limit = 0;
	h.ring.until = until;
	hit_of_2(&h, slot_bit(2));
	if (!run() || ring()->head != h.ring.head || filter(2)->lost != h.filter.lost + 1 ||
	    counter(2)->value != 1 || !state_kept())
		return -1;
	return machine.time - before;
}

static bool waits_for_a_place(void)
{
	u32 now = machine.time;

	/* 0 does not wait; a time that is over, or far away, is looked at once */
	return looks_for_a_place(0) == 1 && looks_for_a_place(now) == 1 &&
	       looks_for_a_place(now + GPUBP_HANDLER_RING_WAIT + 100) == 1 &&
	       looks_for_a_place((u32)machine.time + 20) == 21;
}

static u32 every_comparator(struct sim_wave *wave, enum sim_access kind, unsigned int width,
			    u64 lanes, const u64 *addrs)
{
	return (1u << image->nr_slots) - 1;
}

/* where the places themselves are watched, the wave goes on all the same */
static bool own_hits_end(void)
{
	struct hit h = recorded_store();
	bool ok;

	h.slot = 2;
	machine.watch_fn = every_comparator;
	hit_of_2(&h, slot_bit(2));
	ok = run() && w->trapsts == STICKY && counter(2)->value == 1 && state_kept() &&
	     ring()->head == h.ring.head + 1;
	machine.watch_fn = NULL;
	return ok;
}

/* the process can write all of it: the handler ends, whatever it decides */
static bool forged(void)
{
	struct hit h = recorded_store();
	unsigned int n, r;

	for (n = 0; n < 200; n++) {
		h.filter.nr = n ? (u32)rnd() : ~0u;
		for (r = 0; r < GPUBP_HANDLER_RANGES; r++)
			h.filter.range[r] = (struct gpubp_handler_range) { rnd(), rnd() };
		h.ring.head = rnd();
		h.ring.tail = once_in(2) ? h.ring.head : rnd();
		h.ring.limit = rnd();
		h.ring.until = (u32)machine.time + rnd() % 16 - (once_in(2) ? rnd() >> 34 : 0);
		prepare(&h, slot_bit(h.slot));
		if (!run() || !state_kept())
			return false;
	}
	return true;
}

/* ---- what it takes ------------------------------------------------------------------ */

/* instructions from the entry on; the first level's s_nop and s_nop behind are none */
static unsigned int insts(const struct hit *h)
{
	prepare(h, slot_bit(h->slot));
	return run() && nr_entries == 1 ? nr_insts - 2 : 0;
}

static bool costs(void)
{
	struct hit h = recorded_store();
	unsigned int stray, counted, lost, recorded, notice, undecided;

	recorded = insts(&h);
	h.ring.notify = h.ring.head;
	notice = insts(&h);
	h.ring.limit = 0;
	lost = insts(&h);
	h.ring.on = 0;
	counted = insts(&h);
	h.filter.range[0].last &= ~((u64)GPUBP_ACCESS_STORE << GPUBP_HANDLER_KINDS_SHIFT);
	stray = insts(&h);
	h = recorded_store();
	h.words[1] = (h.words[1] & ~0x7f0000u) | 21 << 16;
	undecided = insts(&h);
	printf("# %s: wave instructions: a stray of another kind %u, counted %u, lost %u, recorded %u, with an interrupt %u, undecided and recorded %u\n",
	       image->name, stray, counted, lost, recorded, notice, undecided);
	return counted > stray && lost > counted && recorded > lost &&
	       notice > recorded && undecided && cost_is_within(stray, MAX_STRAY) &&
	       cost_is_within(counted, MAX_COUNTED) &&
	       cost_is_within(recorded, MAX_RECORDED);
}

static void image_test(const char *nr)
{
	tap_ok(random_hits(nr ? atoi(nr) : 6000), "%s: random hits", image->name);
	pick_arch(image->nr_arch - 1);
	tap_ok(traps_are_passed_on(), "%s: s_trap is the process's own", image->name);
	tap_ok(exceptions_are_passed_on(), "%s: exceptions are, too", image->name);
	tap_ok(no_third(), "%s: or no handler's", image->name);
	tap_ok(xnack_errors_are_lost(), "%s: an XNACK error", image->name);
	tap_ok(waits_for_a_place(), "%s: no place for a while", image->name);
	tap_ok(own_hits_end(), "%s: hits of the handler's own", image->name);
	tap_ok(forged(), "%s: any memory", image->name);
	tap_ok(costs(), "%s: what it takes", image->name);
}

int main(void)
{
	const char *nr = getenv("UNATTENDED_HITS");
	unsigned int n;

	tap_plan(9 * NR_UNATTENDED);
	for (n = 0; n < NR_UNATTENDED; n++) {
		image_begin(&unattended_images[n]);
		image_test(nr);
	}
	return tap_status();
}
