// SPDX-License-Identifier: GPL-2.0
/* The memory of a program, lane by lane, and what watches may have seen of it. */
#include <string.h>
#include "gpu_device.h"
#include "shadow.h"

static void set_add(struct shadow_set *set, uint8_t value)
{
	set->bits[value / 64] |= 1ULL << value % 64;
}

unsigned int shadow_watched(const struct shadow_watch *w)
{
	return w->len < SHADOW_COPY ? w->len : SHADOW_COPY;
}

bool shadow_is_mapped(const struct shadow *s, unsigned int at, unsigned int len)
{
	unsigned int page;

	for (page = at / SHADOW_PAGE; page <= (at + len - 1) / SHADOW_PAGE; page++)
		if (page >= SHADOW_PAGES || !s->mapped[page])
			return false;
	return true;
}

static bool watch_is_mapped(const struct shadow *s, const struct shadow_watch *w)
{
	return shadow_is_mapped(s, w->place, shadow_watched(w));
}

/* its bytes may have been read now */
static void watch_may_read(struct shadow *s, struct shadow_watch *w, const uint8_t *bytes)
{
	unsigned int i;

	for (i = 0; i < shadow_watched(w); i++)
		if (shadow_is_mapped(s, w->place + i, 1))
			set_add(&w->seen[i], bytes[w->place + i]);
}

static bool watch_is_placed(const struct shadow_watch *w)
{
	return w->fd >= 0 && w->bound;
}

#define FOR_PLACED(s, w)						\
	for (w = (s)->watches; w < (s)->watches + SHADOW_WATCHES; w++)	\
		if (watch_is_placed(w))

static void watch_remap(struct shadow *s, struct shadow_watch *w, unsigned int page)
{
	unsigned int i;
	bool met = false;

	for (i = 0; i < shadow_watched(w); i++)
		if ((w->place + i) / SHADOW_PAGE == page) {
			w->seen[i] = (struct shadow_set){};
			met = true;
		}
	w->unread |= met;
	w->partial |= met;
	w->reused |= met && !s->mapped[page];
}

void shadow_wrote(struct shadow *s)
{
	struct shadow_watch *w;

	FOR_PLACED(s, w)
		if (w->unread && w->early)
			watch_may_read(s, w, s->now);
}

void shadow_map(struct shadow *s, unsigned int page, bool mapped)
{
	struct shadow_watch *w;

	s->mapped[page] = mapped;
	memset(s->now + page * SHADOW_PAGE, 0, SHADOW_PAGE);
	for (w = s->watches; w < s->watches + SHADOW_WATCHES; w++)
		watch_remap(s, w, page);
	/* a watch that is armed only now finds the zeros */
	if (mapped)
		shadow_wrote(s);
}

void shadow_place(struct shadow *s, struct shadow_watch *w, unsigned int place)
{
	unsigned int bit = 1U << place / SHADOW_PAGE;

	/* where the name was before, what it saw there is forgotten */
	if (w->place != place) {
		memset(w->seen, 0, sizeof(w->seen));
		w->reused = false;
		w->partial = w->places & bit;
	}
	w->places |= bit;
	w->place = place;
	w->bound = true;
	w->unread = true;
	w->early = true;
	w->partial |= !watch_is_mapped(s, w);
	watch_may_read(s, w, s->now);
}

void shadow_copies(struct shadow *s)
{
	struct shadow_watch *w;

	FOR_PLACED(s, w)
		if (w->unread) {
			watch_may_read(s, w, s->now);
			w->early = true;
		}
}

/* before the first work after bytes were mapped they are read */
static void watch_before_work(struct shadow *s, struct shadow_watch *w)
{
	if (!w->unread)
		return;
	watch_may_read(s, w, s->now);
	w->unread = w->early = !watch_is_mapped(s, w);
}

/* ---- launches -------------------------------------------------------------- */

static uint64_t number(const uint8_t *bytes, unsigned int len)
{
	uint64_t word = 0;

	memcpy(&word, bytes, len < 8 ? len : 8);
	return word;
}

static uint8_t byte_of(const uint64_t (*rows)[MODEL_LANES], unsigned int lane, unsigned int n)
{
	return (uint8_t)(rows[n / 8][lane] >> 8 * (n % 8));
}

/* what the rows have of @len bytes from the @from-th of a lane */
static uint64_t lane_number(const uint64_t (*rows)[MODEL_LANES], unsigned int lane,
			    unsigned int from, unsigned int len)
{
	uint8_t bytes[8];
	unsigned int i;

	for (i = 0; i < len && i < 8; i++)
		bytes[i] = byte_of(rows, lane, from + i);
	return number(bytes, len);
}

static bool lanes_differ(const struct model_hit *hit, uint64_t at, unsigned int len,
			 uint64_t word)
{
	unsigned int lane, i;
	uint64_t n;

	for (lane = 0; lane < MODEL_LANES; lane++)
		for (i = 0; hit->exec >> lane & 1 && i < len && i < 8; i++) {
			n = at + i - hit->at[lane];
			if (n < hit->width &&
			    byte_of(hit->data, lane, (unsigned int)n) !=
			    (uint8_t)(word >> 8 * i))
				return true;
		}
	return false;
}

/* two lanes stored different things to one of these bytes */
static bool lanes_disagree(const struct model_hit *hit, uint64_t at, unsigned int len)
{
	int stored[SHADOW_COPY];
	unsigned int lane, i, n;

	memset(stored, -1, sizeof(stored));
	for (lane = 0; lane < MODEL_LANES; lane++)
		for (n = 0; hit->exec >> lane & 1 && n < hit->width; n++) {
			uint64_t byte = hit->at[lane] + n - at;
			int is = byte_of(hit->data, lane, n);

			if (byte >= len || byte >= SHADOW_COPY)
				continue;
			i = (unsigned int)byte;
			if (stored[i] >= 0 && stored[i] != is)
				return true;
			stored[i] = is;
		}
	return false;
}

/* all watches are in it, those without a place for no access */
static struct model model;

static void hit_note(const struct model_hit *hit, void *arg)
{
	const struct model_watch *watch = hit->watch;
	unsigned int lane = (unsigned int)__builtin_ctzll(hit->lanes), skip, len;
	uint64_t at = hit->addr > watch->addr ? hit->addr : watch->addr;
	uint64_t end = hit->addr + hit->width;
	struct shadow *s = arg;
	struct shadow_hit *h = &s->hits[s->nr_hits++];

	end = end < watch->addr + watch->len ? end : watch->addr + watch->len;
	len = (unsigned int)(end - at);
	skip = (unsigned int)(at - hit->addr);
	*h = (struct shadow_hit){
		.watch = (unsigned int)(watch - model.watches),
		.group = hit->group[0],
		.lanes = hit->lanes,
		.exec = hit->exec,
		.access = hit->access,
		.width = hit->width,
		.addr = hit->addr,
		.at = (unsigned int)(at - SHADOW_VA),
		.len = len,
		.data = lane_number(hit->data, lane, skip, len),
		.before = hit->old ? lane_number(hit->old, lane, skip, len) : 0,
		.returns = hit->old,
	};
	h->differs = hit->access == GPUBP_ACCESS_STORE &&
		     lanes_differ(hit, at, len, h->data);
	h->unsure = hit->access == GPUBP_ACCESS_STORE &&
		    lanes_disagree(hit, watch->addr, (unsigned int)watch->len);
}

/* one map for each run of pages: an access may begin in one buffer and end in the next */
static void map_runs(struct shadow *s)
{
	unsigned int page, n;

	for (page = 0; page < SHADOW_PAGES; page += n + 1) {
		for (n = 0; page + n < SHADOW_PAGES && s->mapped[page + n]; n++)
			;
		if (n)
			model_map(&model, SHADOW_VA + page * SHADOW_PAGE,
				  s->now + page * SHADOW_PAGE, n * SHADOW_PAGE);
	}
	model_map(&model, s->out_va, s->out, sizeof(s->out));
}

unsigned int shadow_args(const struct shadow *s, uint64_t *args)
{
	const struct shadow_launch *l = &s->launch;

	memcpy(args, (uint64_t [SHADOW_ARGS]){ SHADOW_VA + l->at, l->stride, l->wrap,
					       l->mask, l->salt, s->out_va },
	       SHADOW_ARGS * sizeof(*args));
	return SHADOW_ARGS;
}

bool shadow_run(struct shadow *s)
{
	const uint32_t size[3] = { 64, 1, 1 }, grid[3] = { 64 * s->launch.groups, 1, 1 };
	struct shadow_watch *w;
	uint64_t args[SHADOW_ARGS];

	memset(&model, 0, sizeof(model));
	model.on_hit = hit_note;
	model.arg = s;
	s->nr_hits = 0;
	map_runs(s);
	for (w = s->watches; w < s->watches + SHADOW_WATCHES; w++)
		model_watch(&model, SHADOW_VA + w->place, w->len,
			    watch_is_placed(w) ? w->access : 0);
	FOR_PLACED(s, w)
		watch_before_work(s, w);
	memcpy(s->was, s->now, sizeof(s->was));
	shadow_args(s, args);
	return model_run(&model, s->launch.kernel->name, grid, size, args) &&
	       !model.faults;
}

static bool watch_was_hit(const struct shadow *s, const struct shadow_watch *w)
{
	unsigned int i;

	for (i = 0; i < s->nr_hits; i++)
		if (&s->watches[s->hits[i].watch] == w)
			return true;
	return false;
}

void shadow_ran(struct shadow *s)
{
	bool sure = s->launch.kernel->quirk != QUIRK_EATS;
	struct shadow_watch *w;

	FOR_PLACED(s, w) {
		if (sure && !watch_was_hit(s, w))
			continue;
		/* with a part of it not mapped or not known, the rest may be what it was */
		if (sure && watch_is_mapped(s, w) && gpu_device_knows_latest())
			memset(w->seen, 0, sizeof(w->seen));
		watch_may_read(s, w, s->now);
		if (s->launch.groups > 1 || !sure)
			watch_may_read(s, w, s->was);
	}
}
