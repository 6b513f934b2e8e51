// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that the trap handler of isa/gfx9 records in its ring: what is in a place is what
 * the core would have read from the stopped wave, for each of its images.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "../tap.h"
#include "hits.h"

#define MAX_VALUES	(4 + 4 * SIM_LANES)
#define UNTOUCHED	0x5eed5eed

/* as ops->read_wave */
static void wave_read(const struct gpubp_reg_req *req, u32 *out)
{
	unsigned int n;

	for (n = 0; n < req->count; n++)
		if (req->file == GPUBP_REG_VECTOR)
			memcpy(out + n * SIM_LANES, w->v[req->first + n], sizeof(w->v[0]));
		else
			out[n] = w->s[req->first + n];
}

/* of an inactive lane nothing is written */
static bool values_agree(const struct gpubp_reg_req *req, const u32 *got, const u32 *want,
			 u64 exec)
{
	unsigned int n;

	if (req->file != GPUBP_REG_VECTOR)
		return !memcmp(got, want, req->count * sizeof(*got));
	for (n = 0; n < req->count * SIM_LANES; n++)
		if (got[n] != (exec >> n % SIM_LANES & 1 ? want[n] : UNTOUCHED))
			return false;
	return true;
}

static bool request_agrees(const u8 *place, const struct gpubp_reg_req *req, u64 exec,
			   u32 *got)
{
	u32 want[MAX_VALUES];
	unsigned int n;

	for (n = 0; n < req->count * SIM_LANES; n++)
		got[n] = UNTOUCHED;
	if (isa->recorded_read(place, place, req, got))
		return false;
	wave_read(req, want);
	return values_agree(req, got, want, exec);
}

/* what the core computes of lanes that were active */
static bool addrs_agree(const u8 *place, const struct hit *h,
			const struct gpubp_insn *insn)
{
	u32 got[MAX_VALUES], want[MAX_VALUES], *end = got;
	u64 addrs[SIM_LANES], wanted[SIM_LANES], lanes;
	unsigned int n, lane;

	for (n = 0; n < insn->nr_regs; n++) {
		if (!request_agrees(place, &insn->regs[n], h->exec, end))
			return false;
		end += insn->regs[n].count *
		       (insn->regs[n].file == GPUBP_REG_VECTOR ? SIM_LANES : 1);
	}
	insn_read_regs(insn, want);
	lanes = isa->lane_addrs(insn, want, h->exec, wanted);
	if (isa->lane_addrs(insn, got, h->exec, addrs) != lanes)
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (lanes >> lane & 1 && addrs[lane] != wanted[lane])
			return false;
	return true;
}

/*
 * Of accumulation registers nothing is recorded, nor of NV accesses of gfx900, but for
 * those that have the address, too.
 */
static bool data_agrees(const u8 *place, const struct hit *h,
			const struct gpubp_insn *insn, bool loaded)
{
	const struct gpubp_reg_req *req = loaded ? &insn->loaded : &insn->stored;
	u32 got[MAX_VALUES], want[MAX_VALUES];
	u8 bytes[SIM_LANES * GPUBP_MAX_DATA], wanted[GPUBP_MAX_DATA];
	unsigned int lane;

	if (!req->count)
		return true;
	if (h->words[1] & BIT_ACC && isa->recorded_read(place, place, req, got) == -ENOENT)
		return true;
	if (!request_agrees(place, req, h->exec, got))
		return false;
	wave_read(req, want);
	if (isa->lane_data(insn, loaded, got, 0, SIM_LANES, bytes) != insn->width)
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (h->exec >> lane & 1 &&
		    (isa->lane_data(insn, loaded, want, lane, 1, wanted) != insn->width ||
		     memcmp(bytes + lane * insn->width, wanted, insn->width)))
			return false;
	return true;
}

static bool is_of_queue(const u8 *place, u32 number)
{
	struct gpubp_recorded_place where;
	struct gpubp_trap_record rec;

	return !isa->recorded_parse(place, number, &rec, &where) &&
	       where.doorbell == DOORBELL;
}

/* a place with the hit @h; the wave is not beyond it */
static bool place_agrees(const u8 *place, const struct hit *h)
{
	const struct gpubp_handler *hd = isa->handler;
	struct gpubp_insn insn;

	return is_of_queue(place, h->ring.head) &&
	       !memcmp(place + hd->place_code, h->words, sizeof(h->words)) &&
	       isa->access_before(place + hd->place_code, hd->place_code_len, &insn) == 8 &&
	       addrs_agree(place, h, &insn) && data_agrees(place, h, &insn, false) &&
	       data_agrees(place, h, &insn, true);
}

static bool is_recorded(const struct hit *h)
{
	return hit_handle(h) == RECORDED && place_agrees(place_of(h->ring.head), h);
}

/* ---- random hits ----------------------------------------------------------- */

static enum verdict random_want(const struct hit *h, bool access,
				const struct gpubp_insn *insn)
{
	return reason_of(h, access, insn) != DECIDED ? REPORTED :
						       verdict_of(h, is_touched(h, insn));
}

static bool random_recorded(unsigned int nr)
{
	unsigned int n, recorded = 0, wrong = 0;
	struct gpubp_insn insn;
	enum verdict v, want;
	struct hit h;

	for (n = 0; n < nr; n++) {
		if (n % 64 == 0)
			random_regs();
		pick_arch(n);
		start = once_in(4) ? CODE_LIKE_PARK : CODE;
		want = BROKEN;
		while (want != RECORDED) {
			bool access = random_hit(&h, &insn);

			h.counter.limit = 0;
			want = random_want(&h, access, &insn);
		}
		v = hit_handle(&h);
		if ((v != want || !place_agrees(place_of(h.ring.head), &h)) && wrong++ < 5)
			hit_print(&h, "recorded", v, want);
		recorded += v == RECORDED;
	}
	start = CODE;
	return !wrong && recorded == nr;
}

/* ---- each access, with registers that matter --------------------------------- */

#define LANE	5

/* all kinds of access of a comparator */
#define ON(slot)	(1u << (slot) | 1u << ((slot) + GPUBP_HANDLER_ATOMICS_SHIFT))

/* a hit that is recorded, of one lane; word 1 is without a base */
static struct hit recorded_hit(u32 word0, u32 word1)
{
	struct hit h = plain_hit(word0, word1);

	h.counter.limit = 0;
	h.ring.on = ON(h.slot);
	h.exec = 1ull << LANE | 1ull << 63;
	return h;
}

static struct hit recorded_store(void)
{
	struct hit h = recorded_hit(FLAT(28, GFX9_SEG_GLOBAL), SADDR_OFF | VADDR | 60 << 8);

	w->v[VADDR][LANE] = (u32)ADDR;
	w->v[VADDR + 1][LANE] = ADDR >> 32;
	return h;
}

static void aim(const struct hit *h, bool base)
{
	unsigned int vaddr = h->words[1] & 0xff;

	sim_set_pair(w, SBASE, ADDR - 7);
	w->v[vaddr][LANE] = base ? 7 : (u32)ADDR;
	if (!base)
		w->v[vaddr + 1][LANE] = ADDR >> 32;
}

/* @tried counts those that are decided */
static bool access_is_recorded(u32 word0, u32 word1, bool base, unsigned int *tried)
{
	struct hit h = recorded_hit(word0, word1 | (base ? SBASE << 16 : 0));
	struct gpubp_insn insn;

	if (isa->access_before(h.words, 8, &insn) != 8 || insn.clobbers_addr ||
	    acc_overlaps(&h))
		return true;
	aim(&h, base);
	++*tried;
	return is_recorded(&h);
}

/* v0, which the handler needs, and the last ones, in each place */
static bool registers_are_recorded(u32 word0, bool base, unsigned int nr,
				   unsigned int *tried)
{
	const u32 vaddrs[] = { 0, 1, VADDR, base ? 255 : 254 }, data[] = { 0, 1, 60, 256 - nr };
	u32 off = !base && field(word0, 14, 2) ? SADDR_OFF : 0, n;
	bool ok = true;

	for (n = 0; n < 128; n++)
		ok &= access_is_recorded(word0 | (n & 64 ? BIT_GLC : 0),
					 off | vaddrs[n & 3] | data[n >> 2 & 3] << 8 |
					 data[n >> 4 & 3] << 24, base, tried);
	return ok && access_is_recorded(word0, off | VADDR | 60 << 8 | 70u << 24 | BIT_ACC,
					base, tried);
}

static bool opcode_is_recorded(unsigned int seg, unsigned int op, unsigned int *tried)
{
	const struct gfx9_op *row = gfx9_op_find(arch, GFX9_FLAT, seg, op);
	bool ok;

	if (!row || !row->kind)
		return true;
	ok = registers_are_recorded(FLAT(op, seg), false, max(row->regs, (u8)1), tried);
	if (seg == GFX9_SEG_GLOBAL)
		ok &= registers_are_recorded(FLAT(op, seg), true, max(row->regs, (u8)1), tried);
	if (!ok)
		printf("# %s: opcode %u, segment %u\n", isa->name, op, seg);
	return ok;
}

static bool opcodes_are_recorded(void)
{
	unsigned int n, seg, op, tried = 0;
	bool ok = true;

	for (n = 0; n < image->nr_arch; n++) {
		random_regs();
		pick_arch(n);
		for (op = 0; op < 128; op++)
			for (seg = GFX9_SEG_FLAT; seg <= GFX9_SEG_GLOBAL; seg += 2)
				ok &= opcode_is_recorded(seg, op, &tried);
	}
	printf("# %s: %u accesses\n", image->name, tried);
	return ok && tried > 10000;
}

/* what an access only seems to name need not be a register of the wave */
static bool no_others_are_read(void)
{
	const u32 seeming[][2] = {
		{ FLAT(66, GFX9_SEG_GLOBAL), SADDR_OFF | 20 << 8 | 200u << 24 },
		{ FLAT(28, GFX9_SEG_GLOBAL), SADDR_OFF | 20 << 8 | 200u << 24 },
		{ FLAT(20, GFX9_SEG_GLOBAL), SADDR_OFF | 200 << 8 | 20u << 24 },
		{ FLAT(28, GFX9_SEG_GLOBAL), SADDR_OFF | 200 << 8 | BIT_ACC },
		{ FLAT(20, GFX9_SEG_GLOBAL), SADDR_OFF | 200u << 24 | BIT_ACC },
		{ FLAT(66, GFX9_SEG_GLOBAL) | BIT_GLC,
		  SADDR_OFF | 200 << 8 | 210u << 24 | BIT_ACC },
	};
	unsigned int n, tried = 0;
	bool ok = true;

	w->acc_offset = 64;
	for (n = 0; n < ARRAY_SIZE(seeming); n++)
		ok &= access_is_recorded(seeming[n][0], seeming[n][1] | VADDR, false, &tried);
	w->acc_offset = NR_VGPRS;
	return ok && tried == n;
}

/* what the place does not have */
static bool others_are_not_there(void)
{
	struct hit h = recorded_store();
	const struct gpubp_reg_req reqs[] = {
		{ GPUBP_REG_VECTOR, 1, VADDR + 2 }, { GPUBP_REG_VECTOR, 2, VADDR - 1 },
		{ GPUBP_REG_VECTOR, 3, VADDR }, { GPUBP_REG_VECTOR, 2, 60 },
		{ GPUBP_REG_VECTOR, 1, 0 }, { GPUBP_REG_SCALAR, 2, SBASE },
		{ GPUBP_REG_SCALAR, 1, 0 }, { GPUBP_REG_CONTROL, 1, HWREG_MODE },
		{ GPUBP_REG_VECTOR, 1, 256 + VADDR },
	};
	u32 got[MAX_VALUES];
	unsigned int n;
	bool ok = is_recorded(&h);

	for (n = 0; n < ARRAY_SIZE(reqs); n++)
		ok &= isa->recorded_read(place_of(h.ring.head), place_of(h.ring.head),
					 &reqs[n], got) == -ENOENT;
	return ok;
}

/* ---- the ring ---------------------------------------------------------------- */

static enum verdict ring_verdict(u32 tail, u32 head, u32 limit, u32 on)
{
	struct hit h = recorded_store();

	h.ring.tail = tail;
	h.ring.head = head;
	h.ring.limit = limit;
	h.ring.on = on;
	return hit_handle(&h);
}

static bool room_is_limited(void)
{
	u32 tail, n;
	bool ok = true;

	for (tail = -4; tail != 4; tail++)
		for (n = 0; n < 2 * NR_PLACES; n++)
			ok &= ring_verdict(tail, tail + n, 5, ~0u) ==
			      (n < 5 ? RECORDED : REPORTED);
	return ok && ring_verdict(0, 0, 0, ~0u) == REPORTED &&
	       ring_verdict(7, 6, ~0u, ~0u) == REPORTED &&
	       ring_verdict(7, 6, NR_PLACES, ~0u) == REPORTED;
}

static bool each_comparator_is_switched(void)
{
	struct hit h = recorded_store();
	bool ok = true;

	for (h.slot = 0; h.slot < image->nr_slots; h.slot++) {
		h.ring.on = ~ON(h.slot);
		ok &= hit_handle(&h) == REPORTED;
		h.ring.on = 1u << h.slot;
		ok &= is_recorded(&h);
	}
	return ok;
}

static bool atomics_are_switched(void)
{
	struct hit h = recorded_hit(FLAT(66, GFX9_SEG_GLOBAL), SADDR_OFF | VADDR | 60 << 8);
	bool ok = true;

	aim(&h, false);
	h.ring.on = 1u << h.slot;
	ok &= hit_handle(&h) == REPORTED;
	h.ring.on <<= GPUBP_HANDLER_ATOMICS_SHIFT;
	ok &= is_recorded(&h);
	h = recorded_store();
	h.ring.on = 1u << (h.slot + GPUBP_HANDLER_ATOMICS_SHIFT);
	return ok && hit_handle(&h) == REPORTED;
}

/* numbers go on behind the last one, and so do places */
static bool numbers_wrap(void)
{
	struct hit h = recorded_store();
	bool ok = true;
	u32 n;

	for (n = -20; n != 20; n++) {
		h.ring.head = h.ring.tail = n;
		ok &= is_recorded(&h);
	}
	return ok;
}

/* without ranges it is not known that the access is what hit */
static bool others_are_reported(void)
{
	struct hit h = recorded_store();
	bool ok;

	h.filter.nr = 0;
	ok = hit_handle(&h) == REPORTED;
	h = recorded_store();
	h.words[1] |= 1 << 16;		/* no plain base: undecided */
	h.words[1] &= ~(2u << 16);
	ok &= hit_handle(&h) == REPORTED;
	h = recorded_store();
	h.counter.limit = ~0u;
	return ok && hit_handle(&h) == COUNTED;
}

static bool halts_with(const struct hit *h, u32 trapsts, u32 slots)
{
	hit_prepare(h, slot_bit(h->slot) | trapsts);
	return hit_run() == SIM_STOP_HALTED && hit_reported(slots) == REPORTED &&
	       state_kept() && memory_kept(h->slot) && ring()->head == h->ring.head;
}

static bool two_are_reported(void)
{
	struct hit h = recorded_store();

	h.ring.on = ~0u;
	return halts_with(&h, slot_bit(0), 1u << h.slot | 1);
}

/* vector stores may fail then */
static bool xnack_error_is_reported(void)
{
	struct hit h = recorded_store();

	hit_prepare(&h, slot_bit(h.slot));
	w->trapsts |= TRAPSTS_XNACK_ERROR;
	return hit_run() == SIM_STOP_HALTED && hit_reported(1u << h.slot) == REPORTED &&
	       state_kept() && memory_kept(h.slot) && ring()->head == h.ring.head;
}

static u32 every_comparator(struct sim_wave *wave, enum sim_access kind, unsigned int width,
			    u64 lanes, const u64 *addrs)
{
	return (1u << image->nr_slots) - 1;
}

/* the handler's own vector accesses hit, but no wave enters it again for that */
static bool own_hits_are_forgotten(void)
{
	struct hit h = recorded_store();
	bool ok = true;

	machine.watch_fn = every_comparator;
	for (h.slot = 0; h.slot < image->nr_slots; h.slot++) {
		h.ring.on = 1u << h.slot;
		ok &= is_recorded(&h) && !w->pending;
	}
	machine.watch_fn = NULL;
	return ok;
}

static int parse(u32 number)
{
	struct gpubp_recorded_place where;
	struct gpubp_trap_record rec;

	return isa->recorded_parse(place_of(number), number, &rec, &where);
}

/* until the place is complete, it is not there */
static bool published_last(void)
{
	struct hit h = recorded_store();
	u32 number = rnd();
	u8 was[2048];
	unsigned int n, there = 0;
	bool ok = true;

	h.ring.head = h.ring.tail = number;
	memset(place_of(number), 0xff, isa->handler->place_size);
	hit_prepare(&h, slot_bit(h.slot));
	for (n = 0; n < 1000 && w->pc != start + 12; n++) {
		if (sim_wave_run(w, 1) != SIM_STOP_BUDGET)
			return false;
		ok &= parse(number) == (there ? 0 : -EAGAIN) || !there;
		if (!there && !parse(number)) {
			there = n;
			memcpy(was, place_of(number), sizeof(was));
		}
	}
	return ok && there && w->pc == start + 12 && place_agrees(place_of(number), &h) &&
	       !memcmp(was, place_of(number), sizeof(was)) &&
	       parse(number + NR_PLACES) == -EAGAIN && parse(number - NR_PLACES) == -EAGAIN;
}

/* behind what it says, once */
static bool notified_last(void)
{
	struct hit h = recorded_store();
	u32 number = rnd();
	unsigned int n;

	h.ring.head = h.ring.tail = h.ring.notify = number;
	memset(place_of(number), 0xff, isa->handler->place_size);
	hit_prepare(&h, slot_bit(h.slot));
	for (n = 0; n < 1000 && w->pc != start + 12; n++) {
		if (sim_wave_run(w, 1) != SIM_STOP_BUDGET)
			return false;
		if (machine.nr_messages && parse(number))
			return false;
	}
	if (w->pc != start + 12 || machine.nr_messages != 1 ||
	    !hit_is_notice(&machine.message[0]))
		return false;
	for (n = 1; n < 2 * NR_PLACES; n++) {
		h.ring.notify = number + n - NR_PLACES;
		if (h.ring.notify != number && (!is_recorded(&h) || machine.nr_messages))
			return false;
	}
	return true;
}

/* ---- many waves --------------------------------------------------------------- */

#define CROWD		24
#define CROWD_VGPRS	64
#define CROWD_RING	0x640000000000ull
#define DATA		60

/**
 * struct crowd - waves that hit again and again, and a reader that is slower
 * @wave: them
 * @was: their registers before the hit
 * @vectors: likewise
 * @hit: their hits
 * @id: numbers of these
 * @ring: places
 * @nr_places: how many
 * @nr: hits until now
 * @total: hits in total
 * @seen: hits that the reader found in the ring, by their numbers
 * @nr_recorded: those that went on
 * @nr_reported: the other ones
 * @most: places that were taken at a time
 * @reader: what the reader does if there is nothing to read
 * @nr_sleeps: how often it slept
 * @wrong: something is
 */
static struct crowd {
	struct sim_wave *wave[CROWD];
	struct sim_wave was[CROWD];
	u32 vectors[CROWD][CROWD_VGPRS][SIM_LANES];
	struct hit hit[CROWD];
	u32 id[CROWD];
	u8 *ring;
	u32 nr_places, nr, total;
	u8 *seen;
	u32 nr_recorded, nr_reported, most;
	enum reader { READS, ASKED, SLEEPS } reader;
	u32 nr_sleeps;
	bool wrong;
} crowd;

static u64 crowd_exec(u32 id)
{
	return (id * 0x9e3779b97f4a7c15ull) | 1ull << LANE;
}

static void crowd_hit(unsigned int n)
{
	struct crowd *c = &crowd;
	unsigned int lane;

	w = c->wave[n];
	c->id[n] = c->nr++;
	c->hit[n].exec = crowd_exec(c->id[n]);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[DATA][lane] = c->id[n] * SIM_LANES + lane;
	wave_prepare(&c->hit[n], slot_bit(c->hit[n].slot));
	w->hw_id = n % 16 | n / 16 << 4;
	memcpy(&c->was[n], w, sizeof(*w));
	memcpy(c->vectors[n], w->v, sizeof(c->vectors[n]));
	if (image->second)
		w->ib_sts = 0;
}

static bool crowd_wave_kept(unsigned int n)
{
	const struct sim_wave *was = &crowd.was[n];

	return !memcmp(w->s, was->s, SIM_TTMP_FIRST * 4) &&
	       !memcmp(&w->s[GFX9_SRC_M0], &was->s[GFX9_SRC_M0], 16) &&
	       !memcmp(ttmp(6), &was->s[SIM_TTMP_FIRST + 6], 6 * 4) &&
	       !memcmp(crowd.vectors[n], w->v, sizeof(crowd.vectors[n])) &&
	       w->mode == was->mode && w->ib_sts == IB_STS && w->trapsts == STICKY &&
	       !((w->status ^ was->status) & ~STATUS_HALT);
}

/* an interrupt that is no stop's */
static void crowd_wake_reader(void)
{
	if (!machine.nr_messages || !hit_is_notice(&machine.message[0]))
		return;
	crowd.reader = READS;
	machine.nr_messages = 0;
}

/* one instruction of a wave; a hit that is done is followed by the next one */
static void crowd_step(unsigned int n)
{
	enum sim_stop stop;

	w = crowd.wave[n];
	stop = sim_wave_run(w, 1);
	crowd_wake_reader();
	if (stop == SIM_STOP_BUDGET && w->pc != start + 12)
		return;
	crowd.wrong |= !crowd_wave_kept(n) || (stop != SIM_STOP_BUDGET &&
					       stop != SIM_STOP_HALTED);
	if (stop == SIM_STOP_HALTED)
		crowd.nr_reported++;
	else
		crowd.nr_recorded++;
	machine.nr_messages = 0;
	if (crowd.nr < crowd.total)
		crowd_hit(n);
	else
		crowd.wave[n] = NULL;
}

static void crowd_check(const u8 *place, const struct gpubp_trap_record *rec,
			const struct gpubp_recorded_place *where)
{
	const struct gpubp_reg_req req = { GPUBP_REG_VECTOR, 1, DATA };
	u32 data[SIM_LANES] = {}, id;
	unsigned int lane;
	bool ok;

	ok = !isa->recorded_read(place, place, &req, data);
	id = data[LANE] / SIM_LANES;
	if (!ok || id >= crowd.nr || crowd.seen[id] || rec->exec != crowd_exec(id) ||
	    rec->pc != start + 8) {
		crowd.wrong = true;
		return;
	}
	crowd.seen[id] = 1;
	for (lane = 0; lane < SIM_LANES; lane++)
		crowd.wrong |= data[lane] != (rec->exec >> lane & 1 ?
					      id * SIM_LANES + lane : 0);
	crowd.wrong |= where->simd * 16 + where->wave_slot >= CROWD;
}

/* the next place, if it is complete */
static bool crowd_read(void)
{
	u32 number = ring()->tail;
	const u8 *place = crowd.ring + number % crowd.nr_places * isa->handler->place_size;
	struct gpubp_recorded_place where;
	struct gpubp_trap_record rec;
	int err = isa->recorded_parse(place, number, &rec, &where);

	if (err) {
		crowd.wrong |= err != -EAGAIN;
		return false;
	}
	crowd_check(place, &rec, &where);
	ring()->tail++;
	return true;
}

/* as the core does: ask to be notified, look once more, sleep */
static void crowd_read_or_sleep(void)
{
	if (crowd.reader == SLEEPS || (crowd.reader == READS && crowd_read()))
		return;
	if (crowd.reader == READS && ring()->head == ring()->tail) {
		ring()->notify = ring()->head;
		crowd.reader = ASKED;
	} else if (crowd.reader == ASKED) {
		crowd.reader = ring()->head == ring()->notify ? SLEEPS : READS;
		crowd.nr_sleeps += crowd.reader == SLEEPS;
	}
}

static void crowd_prepare(u32 nr_places, u32 total)
{
	struct hit h = recorded_store();
	unsigned int n;

	crowd.nr_places = nr_places;
	crowd.total = total;
	crowd.nr = crowd.nr_recorded = crowd.nr_reported = crowd.most = 0;
	crowd.reader = READS;
	crowd.nr_sleeps = 0;
	crowd.wrong = false;
	crowd.ring = machine_map(CROWD_RING, nr_places * isa->handler->place_size);
	crowd.seen = calloc(1, total);
	h.ring = (struct gpubp_handler_ring) {
		.base = CROWD_RING, .mask = nr_places - 1, .limit = nr_places - CROWD,
		.head = -(nr_places / 2), .tail = -(nr_places / 2), .on = 1u << h.slot,
		.notify = -(nr_places / 2) - 1,
	};
	hit_prepare(&h, slot_bit(h.slot));
	for (n = 0; n < CROWD; n++) {
		w = crowd.wave[n] = machine_wave(CROWD_VGPRS);
		w->v[VADDR][LANE] = (u32)ADDR;
		w->v[VADDR + 1][LANE] = ADDR >> 32;
		crowd.hit[n] = h;
		crowd_hit(n);
	}
}

static void crowd_run(unsigned int slow)
{
	unsigned int n, left = CROWD;

	while (left && !crowd.wrong) {
		n = rnd() % CROWD;
		if (crowd.wave[n]) {
			crowd_step(n);
			left -= !crowd.wave[n];
		}
		crowd.most = max(crowd.most, ring()->head - ring()->tail);
		if (once_in(slow))
			crowd_read();
	}
	while (crowd_read())
		;
}

/* each hit is in the ring, once, or was reported */
static bool crowd_is_recorded(u32 nr_places, u32 total, unsigned int slow)
{
	u32 n, seen = 0;

	image_load(image);
	pick_arch(0);
	crowd_prepare(nr_places, total);
	crowd_run(slow);
	for (n = 0; n < total; n++)
		seen += crowd.seen[n];
	printf("# %s: %u places: %u recorded, %u reported, at most %u taken\n", image->name,
	       nr_places, seen, crowd.nr_reported, crowd.most);
	free(crowd.seen);
	image_load(image);
	return !crowd.wrong && seen == crowd.nr_recorded &&
	       seen + crowd.nr_reported == total && ring()->head == ring()->tail &&
	       crowd.most <= nr_places && crowd.most >= nr_places - CROWD &&
	       seen > 2 * nr_places && crowd.nr_reported;
}

/* few waves, so that there is nothing to read now and then */
#define FEW	3

/* who sleeps is woken for each hit that is in the ring then */
static bool crowd_wakes_reader(void)
{
	unsigned int n, left = FEW;
	const u32 total = 2000;

	image_load(image);
	pick_arch(0);
	crowd_prepare(64, total + CROWD - FEW);
	for (n = FEW; n < CROWD; n++)
		crowd.wave[n] = NULL;
	while (left && !crowd.wrong) {
		n = rnd() % FEW;
		if (crowd.wave[n]) {
			crowd_step(n);
			left -= !crowd.wave[n];
		}
		if (once_in(2))
			crowd_read_or_sleep();
	}
	crowd.wrong |= crowd.reader == SLEEPS && ring()->head != ring()->tail;
	while (crowd_read())
		;
	printf("# %s: %u recorded, the reader slept %u times\n", image->name,
	       crowd.nr_recorded, crowd.nr_sleeps);
	free(crowd.seen);
	image_load(image);
	return !crowd.wrong && crowd.nr_recorded == total && ring()->head == ring()->tail &&
	       crowd.nr_sleeps > 100;
}

/* ---- what it takes ------------------------------------------------------------ */

static unsigned int insts(struct hit *h, enum verdict want)
{
	return hit_handle(h) == want ? nr_insts : 0;
}

static bool costs(void)
{
	struct hit h = recorded_store();
	unsigned int pair, notice, based, load, cas;

	sim_set_pair(w, SBASE, ADDR - 7);
	w->v[30][LANE] = 7;
	notice = insts(&h, RECORDED);
	h.ring.notify--;
	pair = insts(&h, RECORDED);
	h.words[1] = SBASE << 16 | 50 << 8 | 30;
	based = insts(&h, RECORDED);
	h.words[0] = FLAT(23, GFX9_SEG_GLOBAL);
	h.words[1] = SADDR_OFF | 50 << 24 | VADDR;
	load = insts(&h, RECORDED);
	h.words[0] = FLAT(97, GFX9_SEG_GLOBAL) | BIT_GLC;
	h.words[1] |= 60 << 8;
	cas = insts(&h, RECORDED);
	printf("# %s, %s: wave instructions: recorded %u, with an interrupt %u, with a base %u\n",
	       image->name, isa->name, pair, notice, based);
	printf("#   16 bytes loaded %u, two dwords compared and swapped %u\n", load, cas);
	return notice > pair && based && load && cas &&
	       cost_is_within(pair, MAX_RECORDED);
}

static void image_test(const char *nr)
{
	tap_ok(random_recorded(nr ? atoi(nr) : 2000), "%s: random hits", image->name);
	tap_ok(opcodes_are_recorded(), "%s: each opcode", image->name);
	pick_arch(image->nr_arch - 1);
	tap_ok(others_are_not_there(), "%s: other registers", image->name);
	tap_ok(no_others_are_read(), "%s: registers that are none", image->name);
	tap_ok(room_is_limited(), "%s: reported if there is no room", image->name);
	tap_ok(each_comparator_is_switched(), "%s: each comparator", image->name);
	tap_ok(atomics_are_switched(), "%s: atomics", image->name);
	tap_ok(numbers_wrap(), "%s: numbers wrap", image->name);
	tap_ok(others_are_reported(), "%s: what is not decided, and what is counted",
	       image->name);
	tap_ok(two_are_reported(), "%s: two comparators at once", image->name);
	tap_ok(xnack_error_is_reported(), "%s: an XNACK error", image->name);
	tap_ok(own_hits_are_forgotten(), "%s: hits of the handler's own", image->name);
	tap_ok(published_last(), "%s: published last", image->name);
	tap_ok(notified_last(), "%s: the interrupt behind that", image->name);
	tap_ok(crowd_is_recorded(64, 2000, 400), "%s: many waves, few places", image->name);
	tap_ok(crowd_is_recorded(4096, 16000, 400), "%s: many waves", image->name);
	tap_ok(crowd_wakes_reader(), "%s: a reader that sleeps", image->name);
	tap_ok(in_each_arch(costs), "%s: what it takes", image->name);
}

int main(void)
{
	const char *nr = getenv("RECORD_HITS");
	unsigned int n;

	tap_plan(18 * NR_IMAGES);
	for (n = 0; n < NR_IMAGES; n++) {
		image_load(&images[n]);
		image_test(nr);
	}
	return tap_status();
}
