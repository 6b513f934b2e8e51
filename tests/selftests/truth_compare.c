// SPDX-License-Identifier: GPL-2.0
/*
 * Expected accesses from the model, and their comparison with samples.
 *
 * Two watches are given to the model: the tested one, and the whole granules
 * that comparators see for it, with all kinds of accesses that their mode sees.
 * The second one counts what the device reports.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "truth.h"

/* accesses that a comparator sees if it is set up for these */
static unsigned int mode_accesses(unsigned int access)
{
	switch (access) {
	case GPUBP_ACCESS_LOAD:
	case GPUBP_ACCESS_ATOMIC:
		return access;
	case GPUBP_ACCESS_STORE:
	case GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC:
		return GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC;
	default:
		return EVENT_ANY;
	}
}

static void note_hit(const struct model_hit *hit, void *arg)
{
	struct truth *truth = arg;
	struct expected *e;

	/* for each instruction the granules precede the watch */
	if (hit->watch->len != truth->len || hit->watch->addr != truth->addr) {
		if (truth->nr < MAX_EXPECTED)
			truth->list[truth->nr] = (struct expected) {
				.order = truth->nr,
				.group = { hit->group[0], hit->group[1], hit->group[2] },
				.wave = hit->wave,
				.access = hit->access,
				.width = hit->width,
				.kept = hit->kept,
			};
		truth->nr++;
		return;
	}
	if (truth->nr > MAX_EXPECTED)
		return;
	e = &truth->list[truth->nr - 1];
	e->lanes = hit->lanes;
	e->addr = hit->addr;
}

uint64_t truth_granule(void)
{
	static uint64_t granule;
	FILE *in;

	if (granule)
		return granule;
	in = fopen("/sys/bus/event_source/devices/gpubp/caps/granule", "re");
	if (!in || fscanf(in, "%" SCNu64, &granule) != 1 || !granule)
		abort();
	fclose(in);
	return granule;
}

void truth_begin(struct truth *truth, struct model *model)
{
	uint64_t granule = truth_granule();
	uint64_t first = truth->addr & -granule;
	uint64_t end = (truth->addr + truth->len + granule - 1) & -granule;

	truth->nr = 0;
	model->on_hit = note_hit;
	model->arg = truth;
	model_watch(model, first, end - first, mode_accesses(truth->access));
	model_watch(model, truth->addr, truth->len, truth->access);
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int by_wave(const void *pa, const void *pb)
{
	const struct expected *a = pa, *b = pb;

	return compare_u32(a->group[2], b->group[2]) ?:
	       compare_u32(a->group[1], b->group[1]) ?:
	       compare_u32(a->group[0], b->group[0]) ?:
	       compare_u32(a->wave, b->wave) ?: compare_u32(a->order, b->order);
}

void truth_end(struct truth *truth)
{
	if (truth->nr > MAX_EXPECTED) {
		printf("Bail out! %u accesses\n", truth->nr);
		exit(1);
	}
	qsort(truth->list, truth->nr, sizeof(*truth->list), by_wave);
}

/* .common is free for this use: the order in the ring, which is that of each wave */
static int samples_by_wave(const void *pa, const void *pb)
{
	const struct gpubp_hit_record *a = &((const struct sample *)pa)->rec;
	const struct gpubp_hit_record *b = &((const struct sample *)pb)->rec;

	return compare_u32(a->wg_z, b->wg_z) ?:
	       compare_u32(a->wg_y, b->wg_y) ?:
	       compare_u32(a->wg_x, b->wg_x) ?:
	       compare_u32(a->wave_in_group, b->wave_in_group) ?:
	       compare_u32(a->common, b->common);
}

static void sort_samples(struct sample *samples, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		samples[i].rec.common = i;
	qsort(samples, nr, sizeof(*samples), samples_by_wave);
}

static bool same_wave(const struct expected *e, const struct gpubp_hit_record *rec)
{
	return e->group[0] == rec->wg_x && e->group[1] == rec->wg_y &&
	       e->group[2] == rec->wg_z && e->wave == rec->wave_in_group;
}

static bool is_possible(const struct gpubp_hit_record *rec)
{
	return rec->flags & GPUBP_HIT_POSSIBLE;
}

/* what is wrong with a sample whose address is exact */
static const char *check_exact(const struct expected *e, const struct sample *s)
{
	const struct gpubp_hit_record *rec = &s->rec;

	if (e->kept == ADDR_EATEN)
		return "exact, though the instruction overwrote its address";
	if (rec->addr_state != GPUBP_ADDR_EXACT)
		return "neither exact nor marked possible";
	if (!e->lanes)
		return "a lane without watched bytes";
	if (rec->addr != e->addr || s->addr != e->addr)
		return "wrong address";
	if (rec->lanes != e->lanes)
		return "wrong lanes";
	return NULL;
}

static const char *check_possible(const struct truth *truth,
				  const struct expected *e, const struct sample *s)
{
	const struct gpubp_hit_record *rec = &s->rec;

	if (e->kept == ADDR_KEPT)
		return "possible only, though the address was kept";
	if (rec->addr_state == GPUBP_ADDR_EXACT)
		return "exact and possible";
	if (rec->addr != truth->addr)
		return "possible, and not at the watch";
	return NULL;
}

static const char *check_sample(const struct truth *truth,
				const struct expected *e, const struct sample *s)
{
	const struct gpubp_hit_record *rec = &s->rec;

	if (!(rec->flags & GPUBP_HIT_COORDS))
		return "no workgroup";
	if (!same_wave(e, rec))
		return "a wave is missing, or one too many";
	if (!(rec->flags & GPUBP_HIT_PC_EXACT) || s->ip != rec->pc)
		return "wrong pc";
	if (rec->access != e->access)
		return "wrong kind of access";
	if (rec->width != e->width)
		return "wrong width";
	return is_possible(rec) ? check_possible(truth, e, s) : check_exact(e, s);
}

/* must, may or must not @e be reported? */
enum duty { MUST, MAY, MUST_NOT };

static enum duty duty_of(const struct truth *truth, const struct expected *e)
{
	if (!(e->access & truth->access))
		return MUST_NOT;
	if (e->lanes)
		return MUST;
	if (e->kept == ADDR_EATEN)
		return MUST;	/* as possible only: the lanes are unknown */
	return e->kept == ADDR_ANY ? MAY : MUST_NOT;
}

/* an expected hit that may be missing is skipped, unless the sample can be its own */
static bool skip(const struct truth *truth, const struct expected *e,
		 const struct sample *s)
{
	switch (duty_of(truth, e)) {
	case MUST:
		return false;
	case MAY:
		return !s || !same_wave(e, &s->rec) || !is_possible(&s->rec);
	default:
		return true;
	}
}

static const char *describe(const char *what, const struct sample *s)
{
	static char text[256];
	const struct gpubp_hit_record *rec = &s->rec;

	snprintf(text, sizeof(text),
		 "%s: group %u,%u,%u wave %u pc %#llx addr %#llx lanes %#llx width %u access %u state %u flags %#x",
		 what, rec->wg_x, rec->wg_y, rec->wg_z, rec->wave_in_group,
		 (unsigned long long)rec->pc, (unsigned long long)rec->addr,
		 (unsigned long long)rec->lanes, rec->width, rec->access,
		 rec->addr_state, rec->flags);
	return text;
}

const char *truth_compare(const struct truth *truth, struct sample *samples,
			  unsigned int nr)
{
	unsigned int i, n = 0;
	const char *wrong;

	sort_samples(samples, nr);
	for (i = 0; i < truth->nr; i++) {
		const struct expected *e = &truth->list[i];
		const struct sample *s = n < nr ? &samples[n] : NULL;

		if (skip(truth, e, s))
			continue;
		if (!s)
			return "samples are missing";
		wrong = check_sample(truth, e, s);
		if (wrong)
			return describe(wrong, s);
		n++;
	}
	return n < nr ? describe("not expected", &samples[n]) : NULL;
}
