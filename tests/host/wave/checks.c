// SPDX-License-Identifier: GPL-2.0
/*
 * The trap handler of isa/gfx9 when what it decides is checked (handler_check): it
 * decides as without, and the wave stops behind it and says so.
 */
#include <stdio.h>
#include <string.h>
#include "../tap.h"
#include "hits.h"

/* swap the words of the image with those that check */
static void checks_set(bool on)
{
	const struct gpubp_handler *h = isa->handler;
	const u32 *checks = image->second ? h->second_checks : h->checks;
	const u32 *words = image->second ? h->second : h->image;
	u32 i, nr = image->second ? h->nr_second_checks : h->nr_checks;

	for (i = 0; i < nr; i += 2)
		*(u32 *)machine_at(HANDLER + checks[i], 4) =
			on ? checks[i + 1] : words[checks[i] / 4];
}

/* what the kernel stores in each place */
static void places_prepare(void)
{
	u64 at = TMA;
	u32 n;

	for (n = 0; n < NR_PLACES; n++)
		memcpy(place_of(n) + isa->handler->place_memory, &at, sizeof(at));
}

/* the wave's record is of this decision, and memory shows that it was made */
static enum verdict decided_and_stopped(const struct hit *h)
{
	bool stray = filter(h->slot)->strays == h->filter.strays + 1;
	bool counted = counter(h->slot)->value == h->counter.value + 1;
	bool recorded = ring()->head == h->ring.head + 1;
	enum verdict v = hit_reported(1u << h->slot);
	struct gpubp_trap_record rec;

	if (v == BROKEN ||
	    isa->record_parse(tma + isa->handler->record_offset + 64 * RECORD_INDEX,
			      &rec))
		return BROKEN;
	switch (rec.decision) {
	case GPUBP_DECIDED_STRAY:
		return stray && !counted && !recorded ? STRAY : BROKEN;
	case GPUBP_DECIDED_COUNTED:
		return !stray && counted && !recorded ? COUNTED : BROKEN;
	case GPUBP_DECIDED_RECORDED:
		return !stray && !counted && recorded ? hit_recorded(h) : BROKEN;
	default:
		return !stray && !recorded ? v : BROKEN;
	}
}

static enum verdict handle_checked(const struct hit *h)
{
	enum verdict v;

	checks_set(true);
	hit_prepare(h, slot_bit(h->slot));
	v = hit_run() == SIM_STOP_HALTED ? decided_and_stopped(h) : GONE_ON;
	if (!state_kept() || !memory_kept(h->slot) || w->trapsts != STICKY)
		v = BROKEN;
	checks_set(false);
	return v;
}

static bool random_hits(unsigned int nr)
{
	unsigned int n, wrong = 0, verdicts[BROKEN + 1] = {};

	for (n = 0; n < nr; n++) {
		struct gpubp_insn insn;
		enum verdict v, want;
		struct hit h;

		if (n % 64 == 0)
			random_regs();
		pick_arch(n);
		places_prepare();
		random_hit(&h, &insn);
		want = hit_handle(&h);
		v = handle_checked(&h);
		verdicts[v]++;
		if (v != want && wrong++ < 5)
			hit_print(&h, "checked", v, want);
	}
	printf("# %s: %u strays, %u counted, %u recorded, %u reported, %u at the limit\n",
	       image->name, verdicts[STRAY], verdicts[COUNTED], verdicts[RECORDED],
	       verdicts[REPORTED], verdicts[AT_LIMIT]);
	return !wrong && verdicts[STRAY] && verdicts[COUNTED] && verdicts[RECORDED] &&
	       verdicts[REPORTED] && !verdicts[GONE_ON] && !verdicts[BROKEN];
}

int main(void)
{
	unsigned int n;

	tap_plan(NR_IMAGES);
	for (n = 0; n < NR_IMAGES; n++) {
		image_load(&images[n]);
		tap_ok(random_hits(2000), "%s: it stops behind what it decides", image->name);
	}
	return tap_status();
}
