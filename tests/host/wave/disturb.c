// SPDX-License-Identifier: GPL-2.0
/*
 * What else happens to a wave while the trap handler of isa/gfx9 decides, counts and
 * records its hit: a context save is requested, another comparator matches, an access
 * fails, a host trap, a step. Each at every instruction of the handler, for each of its
 * images. Hardware takes it behind s_rfe; nothing is lost, and nothing happens twice.
 */
#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>
#include "../kept_record.h"
#include "../tap.h"
#include "isa/gfx9/excp.h"
#include "hits.h"

#define ENTRY		0x600000000000ull	/* where waves enter: one s_nop */
#define MAX_STEPS	4000			/* of a wave with its events */
#define OTHER		0			/* the other comparator */
#define LANE		5
#define TIME_AT		0x18			/* of a place: 8 bytes */
#define TTMP11_AT	0x3c
#define HOST_TRAP	(1u << 24 | 9u << 16)	/* ttmp1: HT, TrapID */
#define STATUS_NOT_SAVED	0x20006		/* SPI_PRIO, ECC_ERR */
#define ALWAYS		(TRAPSTS_MEM_VIOL | TRAPSTS_ILLEGAL_INST | 0x03c00000)
#define ALL_KINDS	(7ull << GPUBP_HANDLER_KINDS_SHIFT)

/**
 * struct event - what happens to the wave in the handler
 * @name: in messages
 * @trapsts: TRAPSTS bits that hardware sets
 * @in_flight: that is done by an access that the wave made before its hit: not once
 *	it has waited for all of them
 * @alike: comparator OTHER has the filter, the counter and the ring of the hit's
 * @counts: it only counts
 * @sifts: it has a range that nothing touches
 * @host_trap: SQ_CMD
 * @debug_en: MODE.DEBUG_EN is set
 * @stepped: by a session
 * @not_ours: second level: it does not handle memory violations, nor does another one
 */
struct event {
	const char *name;
	u32 trapsts;
	bool in_flight, alike, counts, sifts, host_trap, debug_en, stepped, not_ours;
};

static const struct event events[] = {
	{ "a context save", TRAPSTS_SAVECTX },
	{ "another comparator", TRAPSTS_WATCH0, .in_flight = true },
	{ "another comparator, decided", TRAPSTS_WATCH0, .in_flight = true, .alike = true },
	{ "another comparator, counted", TRAPSTS_WATCH0, .in_flight = true, .counts = true },
	{ "another comparator, a stray", TRAPSTS_WATCH0, .in_flight = true, .sifts = true },
	{ "another comparator and a context save", TRAPSTS_WATCH0 | TRAPSTS_SAVECTX,
	  .in_flight = true },
	{ "a memory violation", TRAPSTS_MEM_VIOL },
	{ "an XNACK error", TRAPSTS_MEM_VIOL | TRAPSTS_XNACK_ERROR, .in_flight = true },
	{ "a memory violation that no handler wants, and a context save",
	  TRAPSTS_MEM_VIOL | TRAPSTS_SAVECTX, .not_ours = true },
	{ "a host trap", .host_trap = true },
	{ "a host trap and a context save", TRAPSTS_SAVECTX, .host_trap = true },
	{ "a step of the program's own", .debug_en = true },
	{ "a step of the program's own and a context save", TRAPSTS_SAVECTX,
	  .debug_en = true },
	{ "a step", .debug_en = true, .stepped = true },
	{ "a step and a context save", TRAPSTS_SAVECTX, .debug_en = true,
	  .stepped = true },
	{ "another comparator and a host trap", TRAPSTS_WATCH0, .in_flight = true,
	  .host_trap = true },
	{ "a memory violation and a host trap", TRAPSTS_MEM_VIOL, .host_trap = true },
	{ "a step and a host trap", .host_trap = true, .debug_en = true,
	  .stepped = true },
};

/* what became of hits and events */
static struct tally {
	u32 counted, strays, recorded, reported, at_limit;	/* of the hit's comparator */
	u32 other, other_at_limit;		/* of OTHER, all of them */
	u32 exceptions, steps, saves, halted, notices;
	bool wrong;
} tally;

static const struct event *event;
static bool host_trap;		/* is taken behind s_rfe */
static bool drained;		/* the wave has waited for its accesses */
static unsigned int in_handler;	/* instructions of it until now */
static bool at_end;		/* s_endpgm is behind the access */
static bool was_parked, ended;
static u8 place_undisturbed[GFX9_PLACE_SIZE];

static void wrong(const char *what)
{
	if (!tally.wrong)
		printf("# %s\n", what);
	tally.wrong = true;
}

/* ---- hardware, and amdkfd's handler in front of a second level ---------------- */

static bool is_own_step(void)
{
	return event->debug_en && !event->stepped;
}

static void enter_with(u32 trap)
{
	*ttmp(0) = (u32)w->pc;
	*ttmp(1) = ((u32)(w->pc >> 32) & 0xffff) | trap;
	w->status |= STATUS_PRIV;
	w->pending = 0;
	w->pc = ENTRY + 4;
}

static void enter(void);

/* TRAPSTS bits that make it enter again */
static u32 event_reasons(void)
{
	return event->trapsts & ~(TRAPSTS_SAVECTX | TRAPSTS_XNACK_ERROR);
}

/* s_rfe: what happened in the handler is taken now */
static void left(void)
{
	w->pending |= w->trapsts & event_reasons();
	if (!host_trap)
		return;
	host_trap = false;
	enter_with(HOST_TRAP);
	enter();
}

static u32 *ttmp_ib_sts(void)
{
	return ttmp(image->gfx942 ? 13 : 11);
}

static void restore_ib_sts(void)
{
	w->ib_sts = *ttmp_ib_sts() >> TTMP_IB_STS << IB_STS_SHIFT;
}

static bool is_parked(void)
{
	return gfx9_is_parked(HANDLER, w->pc);
}

/* all but those that have the pc of a wave that is parked */
static bool registers_kept(void)
{
	const u32 *was = &before.s[SIM_TTMP_FIRST];
	u32 seven = *ttmp(7), eleven = *ttmp(11), thirteen = *ttmp(13);
	bool kept;

	if (is_parked() || was_parked) {
		*ttmp(7) = was[7];
		*ttmp(11) = was[11];
		*ttmp(13) = was[13];
	}
	kept = state_kept();
	*ttmp(7) = seven;
	*ttmp(11) = eleven;
	*ttmp(13) = thirteen;
	return kept;
}

/*
 * L_SAVE, and the wave as it is restored: of the ttmps, 4 to 11 and 13 are saved.
 * Before gfx942 it saves no wave that steps itself until that is taken from it.
 */
static void first_level_saves(void)
{
	static const u8 lost[] = { 0, 1, 2, 3, 12, 14, 15 };
	unsigned int n;

	w->trapsts &= ~TRAPSTS_SAVECTX;
	w->pc = *ttmp(0) | (u64)(*ttmp(1) & 0xffff) << 32;
	restore_ib_sts();
	w->status &= ~STATUS_PRIV;
	for (n = 0; n < sizeof(lost); n++)
		*ttmp(lost[n]) = rnd();
	tally.saves++;
	if (is_own_step() && !image->gfx942)
		before.mode &= ~MODE_DEBUG_EN | w->mode;
	if (!registers_kept())
		wrong("saved with other registers");
	left();
}

/* L_FETCH_2ND_TRAP */
static void first_level_passes(void)
{
	*ttmp_ib_sts() = (*ttmp_ib_sts() & ~(~0u << TTMP_IB_STS)) |
			 w->ib_sts >> IB_STS_SHIFT << TTMP_IB_STS;
	w->ib_sts = 0;
	*ttmp(12) = w->status & ~STATUS_NOT_SAVED;
	*ttmp(14) = (u32)TMA;
	*ttmp(15) = TMA >> 32;
	w->pc = HANDLER;
}

/* does TRAPSTS have an exception that makes the wave enter? */
static bool has_exception(void)
{
	u32 excp = w->trapsts & (TRAPSTS_EXCP_MASK | TRAPSTS_WATCH123);

	if (excp & TRAPSTS_WATCH0_3)
		excp |= TRAPSTS_WATCH0;
	return w->trapsts & ALWAYS || excp << MODE_EXCP_EN_SHIFT & w->mode;
}

/* the decisions of cwsr_trap_handler_gfx9.asm, from L_SKIP_RESTORE on */
static void first_level(void)
{
	bool save = w->trapsts & TRAPSTS_SAVECTX, trap = *ttmp(1) & 0xff0000;

	*ttmp(2) = rnd();
	*ttmp(3) = rnd();
	if (w->status & STATUS_HALT) {
		if (!trap && !save)
			wrong("it waits in the first level for ever");
		if (!trap)
			return first_level_saves();
	} else if (save && !has_exception() && !trap &&
		   (image->gfx942 || !(w->mode & MODE_DEBUG_EN))) {
		return first_level_saves();
	}
	first_level_passes();
}

/*
 * Without a first level no wave is saved. Of a wave that has the bit all the same the
 * handler has nothing to do.
 */
static void entered_alone(void)
{
	if (w->trapsts & TRAPSTS_SAVECTX && !has_exception()) {
		w->trapsts &= ~TRAPSTS_SAVECTX;
		tally.saves++;
	}
	w->pc = HANDLER;
}

static void enter(void)
{
	if (image->second)
		first_level();
	else
		entered_alone();
}

/* ---- the wave, step by step ---------------------------------------------------- */

/* s_waitcnt of all vector accesses, of which none is in flight behind it */
static bool waits_for_vectors(void)
{
	u32 word;

	memcpy(&word, machine_at(w->pc, 4), 4);
	return word >> 16 == 0xbf8c && !(word & 0xc00f);
}

static void set_debug_en(bool on)
{
	w->mode = (w->mode & ~MODE_DEBUG_EN) | (on ? MODE_DEBUG_EN : 0);
	before.mode = (before.mode & ~MODE_DEBUG_EN) | (on ? MODE_DEBUG_EN : 0);
}

static void event_happens(void)
{
	w->trapsts |= event->trapsts;
	host_trap |= event->host_trap;
	if (event->debug_en)
		set_debug_en(true);
}

/* false: that cannot happen any more */
static bool event_can_happen(void)
{
	return !event->in_flight || !drained;
}

static enum sim_stop wave_step(void)
{
	bool was_in = w->status & STATUS_PRIV;
	enum sim_stop stop;

	drained |= was_in && waits_for_vectors();
	in_handler += was_in;
	stop = sim_wave_run(w, 1);
	if (w->status & STATUS_PRIV && w->pc == ENTRY + 4)
		enter();
	else if (was_in && !(w->status & STATUS_PRIV))
		left();
	return stop;
}

static u64 wave_pc(void)
{
	return is_parked() ? gfx9_parked_pc(&w->s[GFX9_PARK_REG], image->second) : w->pc;
}

/* the registers by which its stop is known */
static bool record_is_kept(const struct gpubp_trap_record *rec)
{
	const u32 mark = isa->record_mark(RECORD_INDEX, rec->seq);
	bool stepped_later = event->stepped && rec->other != GPUBP_TRAP_STEP;

	return is_parked() || stepped_later ? w->s[isa->mark_reg.first] == mark :
			     kept_record(w, isa, RECORD_INDEX, rec);
}

/* those of waves that went on do not say that it stopped */
static void notices_are_read(void)
{
	while (machine.nr_messages && hit_is_notice(&machine.message[0])) {
		memmove(machine.message, machine.message + 1,
			--machine.nr_messages * sizeof(machine.message[0]));
		tally.notices++;
	}
}

/* it stopped: that is reported, unless no handler wants it */
static void stop_is_seen(const struct hit *h)
{
	struct gpubp_trap_record rec;

	notices_are_read();
	if (!machine.nr_messages) {
		tally.halted++;
		return;
	}
	if (sim_wave_halts_at_end(w))
		wrong("halted where it cannot be saved");
	if (machine.nr_messages != 1 ||
	    isa->record_parse(tma + isa->handler->record_offset + 64 * RECORD_INDEX, &rec) ||
	    rec.pc != wave_pc() || !record_is_kept(&rec))
		wrong("a stop without its record");
	machine.nr_messages = 0;
	tally.reported += rec.slots >> h->slot & 1;
	tally.other += rec.slots >> OTHER & 1;
	tally.at_limit += rec.at_limit && rec.slots >> h->slot & 1;
	tally.other_at_limit += rec.at_limit && rec.slots >> OTHER & 1;
	tally.exceptions += !!rec.exceptions;
	tally.steps += rec.other == GPUBP_TRAP_STEP;
	if (rec.other == GPUBP_TRAP_STEP)
		set_debug_en(false);
}

/* it is resumed, but where it is to stay halted: false */
static bool goes_on(const struct hit *h)
{
	bool done = !w->pending && tally.steps == event->stepped;

	stop_is_seen(h);
	was_parked |= is_parked();
	if (tally.halted || (is_parked() && done))
		return false;
	w->status &= ~STATUS_HALT;
	return true;
}

/* behind two more instructions, or ended */
static bool has_gone_on(enum sim_stop stop)
{
	ended = stop == SIM_STOP_ENDED;
	if (ended)	/* a step of s_endpgm is none */
		set_debug_en(w->mode & MODE_DEBUG_EN);
	return ended || (w->pc == start + 16 && !w->pending);
}

/*
 * The wave with its hit, up to behind two more instructions; the event happens before
 * instruction @at of the handler. False: the handler has fewer.
 */
static bool wave_goes(const struct hit *h, unsigned int at)
{
	bool happened = false;
	unsigned int n;

	in_handler = 0;
	drained = false;
	for (n = 0; n < MAX_STEPS && !tally.wrong; n++) {
		enum sim_stop stop;

		if (!happened && w->status & STATUS_PRIV && in_handler == at) {
			happened = true;
			if (!event_can_happen())
				return false;
			event_happens();
		}
		stop = wave_step();
		if (stop != SIM_STOP_BUDGET && stop != SIM_STOP_HALTED &&
		    !(at_end && stop == SIM_STOP_ENDED))
			wrong("it ended");
		if (stop == SIM_STOP_HALTED ? !goes_on(h) : has_gone_on(stop))
			return happened;
	}
	wrong("it does not go on");
	return true;
}

/* ---- books --------------------------------------------------------------------- */

static u32 nr_places_taken(const struct hit *h)
{
	return ring()->head - h->ring.head;
}

/* each place that was taken has a hit */
static void ring_is_read(const struct hit *h)
{
	struct gpubp_recorded_place where;
	struct gpubp_trap_record rec;
	u32 n;

	for (n = h->ring.head; n != ring()->head; n++) {
		if (isa->recorded_parse(place_of(n), n, &rec, &where)) {
			wrong("a place is taken, and there is nothing in it");
			return;
		}
		tally.recorded += rec.slots >> h->slot & 1;
		tally.other += rec.slots >> OTHER & 1;
	}
}

static void books_are_read(const struct hit *h)
{
	notices_are_read();
	if (machine.nr_messages)
		wrong("an interrupt that is none");
	tally.strays = filter(h->slot)->strays - h->filter.strays;
	if (!tally.at_limit)
		tally.counted = counter(h->slot)->value - h->counter.value;
	else if (counter(h->slot)->value)
		wrong("a counter is beyond its limit");
	if (event->counts)
		tally.other += counter(OTHER)->value;
	if (event->sifts)
		tally.other += filter(OTHER)->strays;
	if (event->alike)
		tally.other += filter(OTHER)->strays - h->filter.strays;
	if (event->alike && !tally.other_at_limit)
		tally.other += counter(OTHER)->value - h->counter.value;
	ring_is_read(h);
}

static struct gpubp_handler_ring *ring_before(void)
{
	return (struct gpubp_handler_ring *)(tma_before + isa->handler->ring_offset);
}

/* in the memory as it was: what may differ */
static void forget_books(unsigned int slot)
{
	u32 c = (u8 *)counter(slot) - tma, f = (u8 *)filter(slot) - tma;

	memcpy(tma_before + c, tma + c, sizeof(struct gpubp_handler_counter));
	((struct gpubp_handler_filter *)(tma_before + f))->strays = filter(slot)->strays;
}

static bool other_memory_kept(const struct hit *h)
{
	u32 record = isa->handler->record_offset + 64 * RECORD_INDEX;

	forget_books(h->slot);
	forget_books(OTHER);
	ring_before()->head = ring()->head;
	memcpy(tma_before + record, tma + record, 64);
	return !memcmp(tma, tma_before, TMA_SIZE) && nr_places_taken(h) <= 2;
}

static u32 trapsts_left(void)
{
	return STICKY | (event->trapsts & TRAPSTS_XNACK_ERROR) |
	       (event->not_ours && image->second ? TRAPSTS_MEM_VIOL : 0);
}

static bool wave_is_as_it_was(void)
{
	bool waits = w->pending & ~trapsts_left() || host_trap;

	return registers_kept() && w->trapsts == trapsts_left() && (ended || !waits);
}

/* ---- what was to come of it ------------------------------------------------------- */

static void prepare(const struct hit *h)
{
	const u32 nops[] = { S_NOP, S_NOP };

	memset(&tally, 0, sizeof(tally));
	host_trap = false;
	was_parked = ended = false;
	memset(places, 0, NR_PLACES * GFX9_PLACE_SIZE);
	hit_prepare(h, slot_bit(h->slot));
	w->status = before.status |= STATUS_SCC;
	w->xcc_id = before.xcc_id = 2 * image->gfx942;
	memcpy(machine_at(start + 8, 8), nops, 8);
	if (at_end)
		memcpy(machine_at(start + 8, 4), &(u32){ S_ENDPGM }, 4);
	if (event->alike) {
		*counter(OTHER) = h->counter;
		*filter(OTHER) = h->filter;
		ring()->on |= (h->ring.on >> h->slot & 0x10001) << OTHER;
	}
	if (event->counts)
		counter(OTHER)->limit = ~0u;
	filter(OTHER)->nr += event->sifts;
	if (!event->not_ours)
		((struct gpubp_handler_wanted *)(tma + isa->handler->wanted_offset))->reasons =
			TRAPSTS_MEM_VIOL;
	if (event->stepped) {
		*ttmp(image->gfx942 ? 13 : 11) |= isa->step_bits;
		before.s[SIM_TTMP_FIRST + (image->gfx942 ? 13 : 11)] |= isa->step_bits;
	}
	memcpy(tma_before, tma, TMA_SIZE);
	w->ib_sts = IB_STS;
	w->tba = ENTRY;
}

static enum verdict verdict_of_tally(void)
{
	const struct tally *t = &tally;

	if (t->counted + t->strays + t->recorded + t->reported != 1)
		return BROKEN;
	return t->counted ? COUNTED : t->strays ? STRAY : t->recorded ? RECORDED :
	       t->at_limit ? AT_LIMIT : REPORTED;
}

/* what is reported with something else is not decided */
static bool is_expected(enum verdict v, enum verdict want)
{
	bool reason = event->trapsts & ~TRAPSTS_SAVECTX || event->stepped;

	return v == want || (v == REPORTED && reason);
}

static bool is_notified(const struct hit *h)
{
	return tally.notices == (h->ring.notify == h->ring.head && nr_places_taken(h));
}

/* each thing exactly once */
static bool is_once(void)
{
	bool viol = event->trapsts & TRAPSTS_MEM_VIOL;
	bool unhandled = image->second && event->not_ours;

	return tally.other == !!(event->trapsts & TRAPSTS_WATCH0) &&
	       tally.exceptions == (viol && !unhandled) && tally.halted == (viol && unhandled) &&
	       (tally.steps == event->stepped || (ended && !tally.steps)) &&
	       tally.saves == !!(event->trapsts & TRAPSTS_SAVECTX);
}

/* what it recorded is what it records undisturbed, but for the time */
static bool place_is_as_undisturbed(const struct hit *h)
{
	u8 *place = place_of(h->ring.head);

	if (event->stepped && !image->gfx942)
		*(u32 *)(place + TTMP11_AT) &= ~isa->step_bits;
	return !memcmp(place, place_undisturbed, TIME_AT) &&
	       !memcmp(place + TIME_AT + 8, place_undisturbed + TIME_AT + 8,
		       GFX9_PLACE_SIZE - TIME_AT - 8);
}

static const struct event nothing = { "nothing" };

/* the verdict, and the place */
static enum verdict undisturbed(const struct hit *h)
{
	event = &nothing;
	prepare(h);
	wave_goes(h, ~0u);
	books_are_read(h);
	memcpy(place_undisturbed, place_of(h->ring.head), GFX9_PLACE_SIZE);
	return tally.wrong || !wave_is_as_it_was() ? BROKEN : verdict_of_tally();
}

static bool hit_is_right(const struct hit *h, enum verdict want)
{
	enum verdict v;

	books_are_read(h);
	v = verdict_of_tally();
	if (!is_expected(v, want))
		wrong(verdict_names[v]);
	else if (!is_once() || !is_notified(h))
		wrong("lost, or twice");
	else if (v == RECORDED && !place_is_as_undisturbed(h))
		wrong("something else is recorded");
	else if (!wave_is_as_it_was())
		wrong("the wave has other registers");
	else if (!other_memory_kept(h))
		wrong("other memory has changed");
	return !tally.wrong;
}

/* at each instruction of the handler; @tried counts them */
static bool hit_is_disturbed(const struct hit *h, enum verdict want, unsigned int *tried)
{
	unsigned int at;

	for (at = 0; ; at++) {
		prepare(h);
		if (!wave_goes(h, at) && !tally.wrong)
			return at > 10;
		++*tried;
		if (!hit_is_right(h, want)) {
			printf("# %s: %s before instruction %u of a hit that is %s\n",
			       image->name, event->name, at, verdict_names[want]);
			return false;
		}
	}
}

/* ---- hits ------------------------------------------------------------------------- */

/**
 * struct example - a hit
 * @name: what is special
 * @op: opcode
 * @seg: segment
 * @word1: the second word
 * @based: the address is in SBASE and v30
 * @limit: of the counter
 * @nr: ranges; the last one that the handler looks at is the one that is touched
 * @kinds: of this range
 * @on: hits are recorded
 * @notify: whose wave sends an interrupt
 * @taken: places of the ring that are taken
 * @exec: besides LANE
 * @mode: MODE bits
 * @at_end: s_endpgm is behind it
 * @want: what becomes of it; at a limit a second level counts on
 */
static const struct example {
	const char *name;
	u8 op, seg;
	u32 word1;
	bool glc, based;
	u32 limit, value;
	u8 nr;
	u64 kinds;
	bool on, notify;
	u32 taken;
	u64 exec;
	u32 mode;
	bool at_end;
	enum verdict want;
} examples[] = {
#define STORE(...)	.op = 28, .seg = GFX9_SEG_GLOBAL,	\
			.word1 = SADDR_OFF | 60 << 8 | VADDR, __VA_ARGS__
	{ "a stray", STORE(.nr = 1, .kinds = 1, .want = STRAY) },
	{ "a counted store", STORE(.nr = 1, .kinds = 7, .limit = ~0u, .want = COUNTED) },
	{ "a recorded store", STORE(.nr = 1, .kinds = 2, .on = true, .want = RECORDED) },
	{ "a recorded store that is notified",
	  STORE(.nr = 1, .kinds = 2, .on = true, .notify = true, .want = RECORDED) },
	{ "the last place", STORE(.nr = 1, .kinds = 2, .on = true, .taken = NR_PLACES - 2,
				  .exec = ~0ull, .want = RECORDED) },
	{ "no place", STORE(.nr = 1, .kinds = 2, .on = true, .taken = NR_PLACES - 1,
			    .want = REPORTED) },
	{ "no ranges", STORE(.nr = 0, .limit = ~0u, .want = COUNTED) },
	{ "the last access", STORE(.nr = 0, .at_end = true, .want = REPORTED) },
	{ "eight ranges", STORE(.nr = 8, .kinds = 2, .on = true, .want = RECORDED) },
	{ "a stray of eight ranges", STORE(.nr = 8, .kinds = 5, .want = STRAY) },
	{ "nothing decided", STORE(.nr = 0, .on = true, .want = REPORTED) },
	{ "the limit", STORE(.nr = 1, .kinds = 7, .limit = 3, .value = 3,
			     .want = AT_LIMIT) },
	{ "relative registers", STORE(.nr = 1, .kinds = 7, .on = true,
				      .mode = MODE_GPR_IDX_EN, .want = REPORTED) },
#define BASED(_op, ...)	.op = _op, .seg = GFX9_SEG_GLOBAL, .based = true,	\
			.word1 = SBASE << 16 | 50u << 24 | 60 << 8 | 30, __VA_ARGS__
	{ "a stray with a base", BASED(28, .nr = 2, .kinds = 1, .want = STRAY) },
	{ "a byte with a base", BASED(24, .nr = 1, .kinds = 7, .limit = 9,
				      .want = COUNTED) },
	{ "16 bytes with a base", BASED(31, .nr = 3, .kinds = 2, .on = true,
					.exec = 0xf0f0f0f0, .want = RECORDED) },
	{ "an atomic with a base", BASED(66, .nr = 1, .kinds = 4, .on = true,
					 .want = RECORDED) },
	{ "a compare and swap", .op = 97, .seg = GFX9_SEG_GLOBAL, .glc = true,
	  .word1 = SADDR_OFF | 50u << 24 | 60 << 8 | VADDR, .nr = 1, .kinds = 4,
	  .on = true, .exec = 1, .want = RECORDED },
	{ "a FLAT load of 16 bytes", .op = 23, .seg = GFX9_SEG_FLAT,
	  .word1 = 50u << 24 | VADDR, .nr = 1, .kinds = 1, .on = true, .exec = 1ull << 63,
	  .want = RECORDED },
	{ "a FLAT store of v0", .op = 26, .seg = GFX9_SEG_FLAT, .word1 = VADDR, .nr = 1,
	  .kinds = 2, .on = true, .want = RECORDED },
	{ "an address that is overwritten", .op = 20, .seg = GFX9_SEG_GLOBAL,
	  .word1 = SADDR_OFF | VADDR << 24 | VADDR, .nr = 1, .kinds = 7, .on = true,
	  .want = REPORTED },
};

static void aim(const struct example *e)
{
	unsigned int vaddr = e->word1 & 0xff, lane;

	sim_set_pair(w, SBASE, ADDR - 7);
	for (lane = 0; lane < SIM_LANES; lane++) {
		u64 at = e->based ? 7 : ADDR;

		if (lane != LANE)
			at += 0x1000 + 4 * lane;
		w->v[vaddr][lane] = at;
		if (!e->based)
			w->v[vaddr + 1][lane] = at >> 32;
	}
}

/* the handler begins with the last range */
static void set_ranges(const struct example *e, struct gpubp_handler_filter *f)
{
	unsigned int n;

	f->nr = e->nr;
	for (n = 0; n < e->nr; n++)
		f->range[n] = (struct gpubp_handler_range) {
			ADDR + 0x100, (ADDR + 0x103) | ALL_KINDS,
		};
	f->range[0] = (struct gpubp_handler_range) {
		ADDR, ADDR | e->kinds << GPUBP_HANDLER_KINDS_SHIFT,
	};
}

static struct hit example_hit(const struct example *e)
{
	struct hit h = {
		.words = { FLAT(e->op, e->seg) | (e->glc ? BIT_GLC : 0), e->word1 },
		.exec = 1ull << LANE | e->exec, .mode = e->mode,
		.slot = image->nr_slots - 1,
		.counter = { e->limit, e->value },
		.ring = plain_ring(),
	};

	set_ranges(e, &h.filter);
	h.filter.strays = 7;
	h.ring.head = h.ring.tail = -3;
	h.ring.head += e->taken;
	h.ring.notify = h.ring.head - !e->notify;
	h.ring.on = e->on ? 0x10001u << h.slot : 0;
	aim(e);
	return h;
}

/* who saves a wave that is halted is in front of a second level */
static bool event_is_possible(const struct image *im, const struct event *ev)
{
	bool halts = ev->trapsts & ~TRAPSTS_SAVECTX || ev->stepped;

	return im->second || !(ev->trapsts & TRAPSTS_SAVECTX) || !halts;
}

/* for some, only what a handler may lose at once */
static bool example_is_tried(const struct example *e, const struct event *ev)
{
	return e < examples + 9 || ev < events + 3;
}

static bool event_is_survived(const struct event *ev)
{
	const struct example *e;
	unsigned int tried = 0;
	bool ok = true;

	for (e = examples; e < examples + ARRAY_SIZE(examples); e++) {
		struct hit h = example_hit(e);
		enum verdict want = e->want == AT_LIMIT && image->second ? COUNTED : e->want;

		if (!example_is_tried(e, ev))
			continue;
		at_end = e->at_end;
		if (undisturbed(&h) != want) {
			printf("# %s: %s: undisturbed it is %s\n", image->name, e->name,
			       verdict_names[verdict_of_tally()]);
			return false;
		}
		event = ev;
		if (!hit_is_disturbed(&h, want, &tried)) {
			printf("#   %s\n", e->name);
			ok = false;
		}
	}
	printf("# %s: %s: %u instructions\n", image->name, ev->name, tried);
	return ok && tried > 500;
}

static void image_test(unsigned int n)
{
	unsigned int ev, a;

	for (ev = 0; ev < ARRAY_SIZE(events); ev++) {
		bool ok = true;

		if (!event_is_possible(&images[n], &events[ev]))
			continue;
		image_load(&images[n]);
		memcpy(machine_map(ENTRY, 4), &(u32){ S_NOP }, 4);
		random_regs();
		for (a = 0; a < image->nr_arch; a++) {
			pick_arch(a);
			ok &= event_is_survived(&events[ev]);
		}
		tap_ok(ok, "%s: %s", image->name, events[ev].name);
	}
}

int main(void)
{
	unsigned int n, ev, nr = 0;

	for (n = 0; n < NR_IMAGES; n++)
		for (ev = 0; ev < ARRAY_SIZE(events); ev++)
			nr += event_is_possible(&images[n], &events[ev]);
	tap_plan(nr);
	for (n = 0; n < NR_IMAGES; n++)
		image_test(n);
	return tap_status();
}
