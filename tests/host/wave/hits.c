// SPDX-License-Identifier: GPL-2.0
/*
 * Hits for the trap handler of isa/gfx9: of one lane, or random ones.
 */
#include <stdio.h>
#include <string.h>
#include "../kept_record.h"
#include "hits.h"

const struct image images[] = {
	{ "gfx9", { &gpubp_isa_gfx900, &gpubp_isa_gfx90a },
	  { GFX9_GFX900, GFX9_GFX90A }, 2, 4 },
	{ "gfx9, 16 comparators", { &gpubp_isa_gfx900_16, &gpubp_isa_gfx90a_16 },
	  { GFX9_GFX900, GFX9_GFX90A }, 2, 16 },
	{ "gfx9, second level", { &gpubp_isa_gfx900, &gpubp_isa_gfx90a },
	  { GFX9_GFX900, GFX9_GFX90A }, 2, 4, .second = true },
	{ "gfx942", { &gpubp_isa_gfx942 }, { GFX9_GFX942 }, 1, 4, .gfx942 = true },
	{ "gfx942, 16 comparators", { &gpubp_isa_gfx942_16 }, { GFX9_GFX942 }, 1, 16,
	  .gfx942 = true },
	{ "gfx942, second level", { &gpubp_isa_gfx942 }, { GFX9_GFX942 }, 1, 4,
	  .second = true, .gfx942 = true },
};

const struct image unattended_images[] = {
	{ "gfx9, unattended", { &gpubp_isa_gfx900, &gpubp_isa_gfx90a },
	  { GFX9_GFX900, GFX9_GFX90A }, 2, 4, .second = true,
	  .unattended = &gfx9_unattended },
	{ "gfx942, unattended", { &gpubp_isa_gfx942 }, { GFX9_GFX942 }, 1, 4,
	  .second = true, .gfx942 = true, .unattended = &gfx942_unattended },
};

const char *const verdict_names[] = {
	"gone on", "stray", "counted", "recorded", "reported", "at its limit", "broken",
};

const struct image *image;
const struct gpubp_isa *isa;
enum gfx9_arch arch;
struct sim_wave *w, before;
u8 *tma, tma_before[TMA_SIZE];
u8 *places;
u64 start = CODE;
unsigned int nr_insts;

static u32 vgprs[NR_VGPRS][SIM_LANES];
static u8 places_before[NR_PLACES * GFX9_PLACE_SIZE];
static u64 seed = 88172645463325252ull;

u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* one time in @n */
bool once_in(unsigned int n)
{
	return rnd() % n == 0;
}

u32 *ttmp(unsigned int n)
{
	return &w->s[SIM_TTMP_FIRST + n];
}

struct gpubp_handler_counter *counter(unsigned int slot)
{
	return (struct gpubp_handler_counter *)(tma + isa->handler->counter_offset) + slot;
}

struct gpubp_handler_filter *filter(unsigned int slot)
{
	return (struct gpubp_handler_filter *)(tma + isa->handler->filter_offset) + slot;
}

struct gpubp_handler_ring *ring(void)
{
	return (struct gpubp_handler_ring *)(tma + isa->handler->ring_offset);
}

/* in the ring of plain_ring() */
u8 *place_of(u32 number)
{
	return places + number % NR_PLACES * isa->handler->place_size;
}

u32 slot_bit(unsigned int slot)
{
	return !slot ? TRAPSTS_WATCH0 : 1u << (slot + (slot < 4 ? 11 : 12));
}

void image_load(const struct image *im)
{
	const struct gpubp_handler *h = im->isa[0]->handler;
	const u32 *words = im->second ? h->second : h->image;
	unsigned int nr = im->second ? h->nr_second : h->nr_words;

	if (im->unattended) {
		words = im->unattended->words;
		nr = im->unattended->nr;
	}
	machine_reset();
	image = im;
	isa = im->isa[0];
	arch = im->arch[0];
	w = machine_wave(NR_VGPRS);
	machine_map(CODE, 64);
	machine_map(CODE_LIKE_PARK, 64);
	tma = machine_map(TMA, TMA_SIZE);
	places = machine_map(RING, sizeof(places_before));
	memcpy(machine_map(HANDLER, nr * 4), words, nr * 4);
}

void pick_arch(unsigned int n)
{
	isa = image->isa[n % image->nr_arch];
	arch = image->arch[n % image->nr_arch];
}

/* like what a first level leaves */
void enter_second(u32 ib_sts)
{
	*ttmp(12) = w->status;
	*ttmp(14) = (u32)TMA;
	*ttmp(15) = TMA >> 32;
	*ttmp(image->gfx942 ? 13 : 11) =
		(*ttmp(image->gfx942 ? 13 : 11) & ~(~0u << TTMP_IB_STS)) |
		ib_sts >> IB_STS_SHIFT << TTMP_IB_STS;
}

/* the wave behind the access @h; its registers are as they are */
void wave_prepare(const struct hit *h, u32 trapsts)
{
	w->arch = arch;
	w->s[GFX9_SRC_EXEC] = h->exec;
	w->s[GFX9_SRC_EXEC + 1] = h->exec >> 32;
	w->pc = start + 8;
	w->mode = MODE_FP_DENORM | MODE_EXCP_EN_WATCH | h->mode;
	w->status = STATUS_VALID | STATUS_TRAP_EN | (rnd() & STATUS_SCC);
	w->trapsts = trapsts | STICKY;
	w->pending = trapsts;
	w->skid = 0;
	w->hw_id = HW_ID;
	w->xcc_id = image->gfx942 ? rnd() % 8 : 0;
	w->ib_sts = IB_STS;
	w->tba = HANDLER;
	w->tma = TMA;
	w->single_memop = true;
	w->fatal_trapsts = 0;
	w->fatal_trap_id = 0;
	*ttmp(11) &= ~GFX9_TTMP11_STEPPED;
	*ttmp(13) &= ~GFX942_TTMP13_STEPPED;
	if (image->second)
		enter_second(IB_STS);
}

/* and what the handler decides by */
void hit_prepare(const struct hit *h, u32 trapsts)
{
	memcpy(machine_at(start, 16),
	       (u32[]){ h->words[0], h->words[1], S_NOP, S_ENDPGM }, 16);
	memset(tma, 0, TMA_SIZE);
	*counter(h->slot) = h->counter;
	*filter(h->slot) = h->filter;
	*ring() = h->ring;
	machine.nr_messages = 0;
	wave_prepare(h, trapsts);
	memcpy(&before, w, sizeof(before));
	memcpy(vgprs, w->v, sizeof(vgprs));
	memcpy(tma_before, tma, TMA_SIZE);
	memcpy(places_before, places, sizeof(places_before));
	if (image->second)
		w->ib_sts = 0;
}

/* of the wave, its driver and its debugger */
bool state_kept(void)
{
	const u32 *was = &before.s[SIM_TTMP_FIRST];
	u32 kept13 = image->second ? ~0u : 0;

	return !memcmp(w->s, before.s, SIM_TTMP_FIRST * 4) &&
	       !memcmp(&w->s[GFX9_SRC_M0], &before.s[GFX9_SRC_M0], 16) &&
	       !memcmp(ttmp(6), &was[6], 6 * 4) &&
	       !((*ttmp(13) ^ was[13]) & kept13) &&
	       !memcmp(vgprs, w->v, sizeof(vgprs)) &&
	       w->mode == before.mode && w->ib_sts == IB_STS &&
	       !((w->status ^ before.status) & ~STATUS_HALT);
}

/* all but the place that was taken */
static bool places_kept(void)
{
	u32 number = ((struct gpubp_handler_ring *)(tma_before +
						    isa->handler->ring_offset))->head;
	u8 *place = place_of(number);

	if (ring()->head != number)
		memcpy(places_before + (place - places), place, GFX9_PLACE_SIZE);
	return !memcmp(places, places_before, sizeof(places_before));
}

/* all but the slot's counter, its strays, the ring's head and the wave's record */
bool memory_kept(unsigned int slot)
{
	u32 record = isa->handler->record_offset + 64 * RECORD_INDEX;
	bool kept = places_kept();

	*(struct gpubp_handler_counter *)(tma_before + ((u8 *)counter(slot) - tma)) =
		*counter(slot);
	((struct gpubp_handler_filter *)(tma_before + ((u8 *)filter(slot) - tma)))->strays =
		filter(slot)->strays;
	((struct gpubp_handler_ring *)(tma_before + isa->handler->ring_offset))->head =
		ring()->head;
	memcpy(tma_before + record, tma + record, 64);
	return kept && !memcmp(tma, tma_before, TMA_SIZE);
}

enum verdict hit_reported(u32 slots)
{
	struct gpubp_trap_record rec;

	if (w->pc != start + 8 || machine.nr_messages != 1 ||
	    isa->record_parse(tma + isa->handler->record_offset + 64 * RECORD_INDEX,
			      &rec) ||
	    rec.pc != w->pc || rec.slots != slots || rec.exceptions || rec.trap_id ||
	    !kept_record(w, isa, RECORD_INDEX, &rec))
		return BROKEN;
	return rec.at_limit ? AT_LIMIT : REPORTED;
}

/* of a wave that has recorded and goes on */
bool hit_is_notice(const struct message *m)
{
	return m->priv && m->msg == MSG_INTERRUPT &&
	       m->m0 == (DOORBELL | isa->handler->notify_code << 10);
}

bool setup_agrees(const struct gpubp_trap_record *rec)
{
	bool has = image->gfx942 || !(*ttmp(6) >> 31);

	return rec->has_coords == has && rec->has_dispatch == has &&
	       (!has || (!memcmp(rec->wg, ttmp(8), sizeof(rec->wg)) &&
			 rec->wave_in_group == (*ttmp(11) & 63) &&
			 rec->dispatch == ((image->gfx942 ? *ttmp(11) >> 6 : *ttmp(6)) &
					   0x1ffffff)));
}

enum verdict hit_recorded(const struct hit *h)
{
	const struct gpubp_recorded_place at = {
		.clock = machine.time, .cu = 3, .simd = 2, .wave_slot = 5,
		.xcc = w->xcc_id,
	};
	struct gpubp_recorded_place where;
	struct gpubp_trap_record rec;

	if (ring()->head != h->ring.head + 1 ||
	    isa->recorded_parse(place_of(h->ring.head), h->ring.head, &rec, &where))
		return BROKEN;
	return rec.pc == start + 8 && rec.exec == h->exec && rec.slots == 1u << h->slot &&
	       rec.seq == 2 * h->ring.head + 1 && !rec.exceptions && !rec.other &&
	       !rec.at_limit && !rec.trap_id && setup_agrees(&rec) &&
	       where.clock == at.clock && where.se == at.se && where.sh == at.sh &&
	       where.cu == at.cu && where.simd == at.simd &&
	       where.wave_slot == at.wave_slot && where.xcc == at.xcc ? RECORDED : BROKEN;
}

/* of one that recorded its hit: its number may be the one that sends an interrupt */
static bool notified_as_wanted(const struct hit *h)
{
	if (h->ring.notify != h->ring.head)
		return !machine.nr_messages;
	return machine.nr_messages == 1 && hit_is_notice(&machine.message[0]);
}

/* as far as memory shows it */
static enum verdict hit_went_on(const struct hit *h)
{
	bool stray = filter(h->slot)->strays != h->filter.strays;
	bool counted = counter(h->slot)->value != h->counter.value;

	bool recorded = ring()->head != h->ring.head;

	if (w->pc != start + 12 || stray + counted + recorded > 1)
		return BROKEN;
	if (recorded)
		return notified_as_wanted(h) ? hit_recorded(h) : BROKEN;
	if (machine.nr_messages)
		return BROKEN;
	if (stray)
		return filter(h->slot)->strays == h->filter.strays + 1 ? STRAY : BROKEN;
	if (counted)
		return counter(h->slot)->value == h->counter.value + 1 ? COUNTED : BROKEN;
	return GONE_ON;
}

/* up to where the program goes on, which is not among nr_insts */
enum sim_stop hit_run(void)
{
	enum sim_stop stop = SIM_STOP_BUDGET;
	u64 from = w->nr_insts;

	while (stop == SIM_STOP_BUDGET && w->pc != start + 12 &&
	       w->nr_insts - from < 2000)
		stop = sim_wave_run(w, 1);
	nr_insts = w->nr_insts - from - 1;
	return stop;
}

/* on each processor that the image is for */
bool in_each_arch(bool (*test)(void))
{
	unsigned int n;
	bool ok = true;

	for (n = 0; n < image->nr_arch; n++) {
		pick_arch(n);
		ok &= test();
	}
	return ok;
}

/* it was measured, and is not above what it may be for the image */
bool cost_is_within(unsigned int insts, unsigned int max)
{
	return insts && insts <= max + (image->second ? MAX_SECOND : 0) +
				 (image->nr_slots > 4 ? MAX_TABLE_16 : 0);
}

enum verdict hit_handle(const struct hit *h)
{
	enum verdict v;

	hit_prepare(h, slot_bit(h->slot));
	v = hit_run() == SIM_STOP_HALTED ? hit_reported(1u << h->slot) :
					   hit_went_on(h);
	if (!state_kept() || !memory_kept(h->slot) || w->trapsts != STICKY)
		return BROKEN;
	return v;
}

/* ---- what the core says ---------------------------------------------------- */

void insn_read_regs(const struct gpubp_insn *insn, u32 *out)
{
	unsigned int n, r;

	for (n = 0; n < insn->nr_regs; n++)
		for (r = 0; r < insn->regs[n].count; r++) {
			unsigned int reg = insn->regs[n].first + r;

			if (insn->regs[n].file == GPUBP_REG_SCALAR) {
				*out++ = reg < 128 ? w->s[reg] : 0;
				continue;
			}
			memcpy(out, w->v[reg % NR_VGPRS], sizeof(w->v[0]));
			out += SIM_LANES;
		}
}

static bool range_touched(const struct gpubp_handler_range *r,
			  const struct gpubp_insn *insn, u64 addr)
{
	u64 last = (u64)((s64)(r->last << 16) >> 16);

	return (r->last >> GPUBP_HANDLER_KINDS_SHIFT & insn->access) &&
	       addr <= last && addr + insn->width - 1 >= r->first;
}

bool is_touched(const struct hit *h, const struct gpubp_insn *insn)
{
	u32 regs[4 + 2 * SIM_LANES];
	u64 addrs[SIM_LANES], lanes;
	unsigned int lane, n;

	insn_read_regs(insn, regs);
	lanes = isa->lane_addrs(insn, regs, h->exec, addrs);
	for (lane = 0; lane < SIM_LANES; lane++)
		for (n = 0; n < h->filter.nr && lanes >> lane & 1; n++)
			if (range_touched(&h->filter.range[n], insn, addrs[lane]))
				return true;
	return false;
}

static bool is_atomic(const struct hit *h)
{
	unsigned int seg = field(h->words[0], 14, 2), op = field(h->words[0], 18, 7);
	const struct gfx9_op *row = gfx9_op_find(arch, GFX9_FLAT, seg, op);

	return row && row->kind == GFX9_MEM_ATOMIC;
}

bool ring_is_on(const struct hit *h)
{
	return h->ring.on >> (is_atomic(h) ? GPUBP_HANDLER_ATOMICS_SHIFT : 0) >> h->slot & 1;
}

enum verdict verdict_of(const struct hit *h, bool touched)
{
	if (!touched)
		return STRAY;
	if (!h->counter.limit)
		return ring_is_on(h) &&
		       h->ring.head - h->ring.tail < h->ring.limit ? RECORDED : REPORTED;
	if (image->second || h->counter.value < h->counter.limit)
		return COUNTED;
	return AT_LIMIT;
}

/* ---- what need not be decided ---------------------------------------------- */


const char *const reason_names[] = {
	"decided", "no access", "private memory", "LDS", "MODE", "address overwritten",
	"NV, or AccVGPRs of the same numbers", "no plain base", "base beyond 48 bits",
};

u32 field(u32 word, unsigned int low, unsigned int bits)
{
	return word >> low & ((1u << bits) - 1);
}

static s64 insn_offset(const u32 *words)
{
	return field(words[0], 14, 2) ? (s64)((u64)words[0] << 51) >> 51 :
					field(words[0], 0, 12);
}

/* with a base: it, with the offset */
static u64 base_of(const u32 *words)
{
	return sim_pair(w, field(words[1], 16, 7)) + insn_offset(words);
}

/* for gfx900 bit 55 is NV; the image does not know which of the two it is on */
bool acc_overlaps(const struct hit *h)
{
	struct gpubp_insn insn;
	u32 words[2] = { h->words[0], h->words[1] & ~BIT_ACC };

	return !image->gfx942 && (h->words[1] & BIT_ACC) &&
	       isa->access_before(words, 8, &insn) > 0 && insn.clobbers_addr;
}

static enum reason base_reason(const struct hit *h)
{
	u32 saddr = field(h->words[1], 16, 7);

	if (saddr > LAST_SADDR || saddr % 2)
		return SCALAR_BASE;
	return base_of(h->words) >> 48 ? FAR_BASE : DECIDED;
}

/* @insn is valid if it is an access */
enum reason reason_of(const struct hit *h, bool access,
			     const struct gpubp_insn *insn)
{
	if (h->mode & (MODE_VSKIP | MODE_GPR_IDX_EN))
		return MODES;
	if (field(h->words[0], 26, 6) == 0x37 && field(h->words[0], 14, 2) == 1)
		return PRIVATE;
	if (!access || field(h->words[0], 26, 6) != 0x37)
		return NO_ACCESS;
	if (h->words[0] & BIT_LDS)
		return LDS_BIT;
	if (insn->clobbers_addr)
		return OVERWRITTEN;
	if (acc_overlaps(h))
		return NV_BIT;
	if (field(h->words[0], 14, 2) && field(h->words[1], 16, 7) != 0x7f)
		return base_reason(h);
	return DECIDED;
}

/* ---- random hits ----------------------------------------------------------- */

static const u64 blocks[] = {
	0x7f0000aa0000, 0x7f0000aa1fc0, 0x7f00ffffff80, 0x100000000, 0xffffffc0, 0x2000,
	0x7fffffff0000, 0x1000, 0x40, 0, 0xffffff0000001000, 0xffff800000001000,
};

#define BLOCK_SIZE	256

static u64 random_block(void)
{
	return blocks[once_in(12) ? rnd() % ARRAY_SIZE(blocks) : rnd() % 6];
}

/* an access of this processor, as its assembler makes it */
static void random_access(struct hit *h)
{
	unsigned int op, seg;

	do {
		op = rnd() % 128;
		seg = once_in(64) ? GFX9_SEG_SCRATCH : rnd() & GFX9_SEG_GLOBAL;
	} while (!gfx9_op_find(arch, GFX9_FLAT, seg, op));
	h->words[0] = FLAT(op, seg) | (rnd() & 0x1fff) | (rnd() & 3 * BIT_GLC);
	h->words[1] = (rnd() & 0xff00ff00) | (once_in(8) ? BIT_ACC : 0) | rnd() % 255;
	if (once_in(8))		/* near the address, so that some overlap */
		h->words[1] = (h->words[1] & 0xffffff) |
			      ((h->words[1] + rnd() % 8 - 5) & 0xff) << 24;
	if (seg != GFX9_SEG_FLAT)
		h->words[1] |= once_in(2) ? SADDR_OFF : once_in(16) ?
			       (u32)(rnd() % 127) << 16 : (u32)(rnd() % 51) << 17;
}

bool has_opcode(const struct image *im, unsigned int seg, unsigned int op)
{
	unsigned int n;

	for (n = 0; n < im->nr_arch; n++)
		if (gfx9_op_find(im->arch[n], GFX9_FLAT, seg, op))
			return true;
	return false;
}

/* of another encoding, or of an opcode that none of the image's processors has */
static void random_other(struct hit *h)
{
	unsigned int op;

	h->words[0] = rnd();
	h->words[1] = rnd() & ~1u;
	if (h->words[0] >> 26 != 0x37)
		return;
	do
		op = rnd() % 128;
	while (has_opcode(image, GFX9_SEG_FLAT, op) ||
	       has_opcode(image, GFX9_SEG_GLOBAL, op));
	h->words[0] = FLAT(op, rnd() & GFX9_SEG_GLOBAL);
}

/* there are no registers behind the last one */
static bool has_registers(const struct hit *h, const struct gpubp_insn *insn)
{
	unsigned int nr = DIV_ROUND_UP(insn->width, 4);

	return (h->words[1] >> 24) + nr <= NR_VGPRS &&
	       field(h->words[1], 8, 8) + nr <= NR_VGPRS;
}

/* what no processor executes, for bits that must be 0, is not behind any wave */
static bool random_words(struct hit *h, struct gpubp_insn *insn)
{
	bool access = false;

	if (once_in(64)) {
		random_other(h);
		return false;
	}
	while (!access) {
		random_access(h);
		access = isa->access_before(h->words, 8, insn) == 8 &&
			 has_registers(h, insn);
	}
	if (once_in(64))
		h->words[0] |= BIT_LDS;
	return access;
}

void random_regs(void)
{
	unsigned int n, lane;

	for (n = 0; n < 128; n++)
		w->s[n] = rnd();
	for (n = 0; n < NR_VGPRS; n++)
		for (lane = 0; lane < SIM_LANES; lane++)
			w->v[n][lane] = rnd();
}

static u64 random_base(u64 block)
{
	switch (rnd() % 16) {
	case 0:
		return rnd();
	case 1:
		return block + rnd() % 0x10000;
	case 2:
		return block - 0x100000000 + rnd() % 1024 - 512;
	default:
		return block - (once_in(2) ? rnd() % 0x4000 : rnd() % 0xffff0000);
	}
}

/* an address for which lanes may be watched, or one that is none */
static u64 random_addr(u64 block)
{
	switch (rnd() % 24) {
	case 0:
		return rnd();
	case 1:
		return block ^ 1ull << (47 + rnd() % 17);	/* no global memory */
	case 2:
		return block + (rnd() % 3 - 1) * 0x100000000;
	default:
		return block + rnd() % (BLOCK_SIZE + 64) - 32;
	}
}

/* few different addresses, so that there are strays */
static void random_lanes(const struct hit *h, u64 block)
{
	unsigned int vaddr = h->words[1] & 0xff, saddr = field(h->words[1], 16, 7);
	bool has_base = field(h->words[0], 14, 2) && saddr != 0x7f;
	unsigned int lane, nr = 1 + rnd() % (once_in(4) ? 64 : 3);
	u64 addr[SIM_LANES], add = insn_offset(h->words);

	if (has_base && saddr <= LAST_SADDR) {
		sim_set_pair(w, saddr, random_base(block));
		add = base_of(h->words);
	}
	for (lane = 0; lane < nr; lane++)
		addr[lane] = random_addr(block) - add;
	for (lane = 0; lane < SIM_LANES; lane++) {
		w->v[vaddr][lane] = addr[lane % nr];
		if (!has_base)
			w->v[vaddr + 1][lane] = addr[lane % nr] >> 32;
	}
}

static void random_ranges(struct hit *h, u64 block)
{
	unsigned int n;

	h->filter.nr = once_in(2) ? 1 : 1 + rnd() % GPUBP_HANDLER_RANGES;
	for (n = 0; n < GPUBP_HANDLER_RANGES; n++) {
		struct gpubp_handler_range *r = &h->filter.range[n];
		u64 len = 1 + rnd() % (once_in(3) ? BLOCK_SIZE : 8);

		r->first = block + rnd() % BLOCK_SIZE;
		r->last = (r->first + len - 1) & (~0ull >> 16);
		r->last |= (1 + rnd() % 7) << GPUBP_HANDLER_KINDS_SHIFT;
	}
}

/* a range that ends before, or begins behind, what some lane accesses */
static void random_edge(struct hit *h, const struct gpubp_insn *insn)
{
	struct gpubp_handler_range *r = &h->filter.range[rnd() % h->filter.nr];
	u32 regs[4 + 2 * SIM_LANES];
	u64 addrs[SIM_LANES], lanes, kinds = r->last & ~0ull << 48, at;

	insn_read_regs(insn, regs);
	lanes = isa->lane_addrs(insn, regs, h->exec, addrs);
	if (!lanes)
		return;
	at = addrs[__builtin_ctzll(lanes)];
	if (at >> 47)
		return;
	if (once_in(2)) {
		r->first = at + insn->width - rnd() % 2;
		r->last = (r->first + rnd() % 4) | kinds;
	} else if (at > 16) {
		r->last = at - rnd() % 2;
		r->first = r->last - rnd() % 4;
		r->last |= kinds;
	}
}

/* nothing is recorded */
struct gpubp_handler_ring plain_ring(void)
{
	return (struct gpubp_handler_ring) {
		.base = RING, .mask = NR_PLACES - 1, .limit = NR_PLACES - 1,
	};
}

/* sometimes full, or with numbers that wrap */
static struct gpubp_handler_ring random_ring(void)
{
	struct gpubp_handler_ring r = plain_ring();

	r.on = once_in(4) ? rnd() : ~0u;
	r.tail = once_in(4) ? -(rnd() % 8) : rnd();
	r.head = r.tail + rnd() % (once_in(4) ? NR_PLACES : NR_PLACES - 1);
	r.notify = once_in(4) ? r.head : r.tail + rnd() % NR_PLACES;
	return r;
}

static u32 random_limit(void)
{
	static const u32 limits[] = { 0, ~0u, 1, 7 };

	if (image->second)
		return limits[rnd() % 2];
	return limits[rnd() % 4];
}

/* the registers that it uses, too; false: it is no access */
bool random_hit(struct hit *h, struct gpubp_insn *insn)
{
	u64 block = random_block();
	bool access;

	memset(h, 0, sizeof(*h));
	access = random_words(h, insn);
	random_lanes(h, block);
	h->exec = once_in(3) ? rnd() & rnd() & rnd() : once_in(2) ? rnd() : ~0ull;
	h->slot = rnd() % image->nr_slots;
	if (once_in(64))
		h->mode = once_in(2) ? MODE_VSKIP : MODE_GPR_IDX_EN;
	h->counter.limit = random_limit();
	h->counter.value = h->counter.limit ? rnd() % (h->counter.limit + 1ull) : 0;
	h->filter.strays = rnd();
	h->ring = random_ring();
	random_ranges(h, block);
	if (access && once_in(3))
		random_edge(h, insn);
	return access;
}

void hit_print(const struct hit *h, const char *what, enum verdict v,
		      enum verdict want)
{
	unsigned int n;

	printf("# %s, %s: %08x %08x exec %llx slot %u limit %x value %x mode %x: %s, not %s\n",
	       image->name, what, h->words[0], h->words[1],
	       (unsigned long long)h->exec, h->slot, h->counter.limit,
	       h->counter.value, h->mode, verdict_names[v], verdict_names[want]);
	printf("#   ring on %x tail %x head %x\n", h->ring.on, h->ring.tail, h->ring.head);
	for (n = 0; n < h->filter.nr; n++)
		printf("#   %llx to %llx\n", (unsigned long long)h->filter.range[n].first,
		       (unsigned long long)h->filter.range[n].last);
}

/* ---- one lane, one range ---------------------------------------------------- */

void set_lane0(u64 addr)
{
	w->v[VADDR][0] = addr;
	w->v[VADDR + 1][0] = addr >> 32;
}

struct hit plain_hit(u32 word0, u32 word1)
{
	struct hit h = {
		.words = { word0, word1 }, .exec = 1, .slot = image->nr_slots - 1,
		.counter = { .limit = ~0u, .value = 5 },
		.filter = {
			.nr = 1, .strays = ~0u,
			.range = { { ADDR, ADDR | 7ull << GPUBP_HANDLER_KINDS_SHIFT } },
		},
		.ring = plain_ring(),
	};

	set_lane0(ADDR);
	return h;
}

struct hit store_hit(void)
{
	return plain_hit(FLAT(28, GFX9_SEG_GLOBAL), SADDR_OFF | VADDR);
}
