// SPDX-License-Identifier: GPL-2.0
/* What a sample may say of a hit: what its record's members promise, and no more. */
#include <string.h>
#include "shadow.h"

static unsigned int min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

const struct shadow_hit *shadow_hit(const struct shadow *s, const struct shadow_watch *w,
				    uint32_t group)
{
	const struct shadow_hit *hit;

	for (hit = s->hits; hit < s->hits + s->nr_hits; hit++)
		if (&s->watches[hit->watch] == w && hit->group == group)
			return hit;
	return NULL;
}

/* ---- fields of one value --------------------------------------------------- */

enum need { FORBIDDEN, ALLOWED, REQUIRED };

static const uint16_t flag_of[FIELDS] = {
	[FIELD_BYTES] = GPUBP_HIT_BYTES,
	[FIELD_DATA] = GPUBP_HIT_DATA,
	[FIELD_BEFORE] = GPUBP_HIT_BEFORE,
	[FIELD_SEEN] = GPUBP_HIT_SEEN,
	[FIELD_NOW] = GPUBP_HIT_NOW,
	[FIELD_OLD] = GPUBP_HIT_OLD_VALUE,
	[FIELD_NEW] = GPUBP_HIT_NEW_VALUE,
};

/* may it be there, must it? counts that */
static const char *check_need(const struct gpubp_hit_record *rec, enum shadow_field field,
			      enum need need, struct shadow_score *score)
{
	bool has = rec->flags & flag_of[field];

	score->could[field] += need != FORBIDDEN;
	score->had[field] += has;
	if (has && need == FORBIDDEN)
		return "has a value that cannot be known";
	return !has && need == REQUIRED ? "has no value" : NULL;
}

static const char *check_value(const struct gpubp_hit_record *rec, enum shadow_field field,
			       enum need need, uint64_t is, uint64_t want,
			       struct shadow_score *score)
{
	if (rec->flags & flag_of[field] && need && is != want)
		return "has a wrong value";
	return check_need(rec, field, need, score);
}

static enum need need_of_data(const struct shadow *s, const struct shadow_hit *hit)
{
	switch (s->launch.kernel->quirk) {
	case QUIRK_CONVERTS:
	case QUIRK_EATS:
		return hit->differs ? FORBIDDEN : ALLOWED;
	case QUIRK_LOSES:
		return FORBIDDEN;
	default:
		return hit->differs ? FORBIDDEN : REQUIRED;
	}
}

static enum need need_of_before(const struct shadow *s, const struct shadow_hit *hit)
{
	enum shadow_quirk quirk = s->launch.kernel->quirk;

	if (!hit->returns)
		return FORBIDDEN;
	return quirk == QUIRK_CONVERTS || quirk == QUIRK_EATS ? ALLOWED : REQUIRED;
}

static const char *check_data(const struct shadow *s, const struct shadow_hit *hit,
			      const struct gpubp_hit_record *rec, struct shadow_score *score)
{
	const char *wrong = check_value(rec, FIELD_DATA, need_of_data(s, hit), rec->data,
					hit->data, score);

	return wrong ?: check_value(rec, FIELD_BEFORE, need_of_before(s, hit), rec->before,
				    hit->before, score);
}

/* ---- copies of the watched bytes ------------------------------------------- */

/* other waves may have been before the wave of the sample, or behind it */
static bool may_be_now(const struct shadow *s, unsigned int at, uint8_t byte)
{
	return byte == s->now[at] || (s->launch.groups > 1 && byte == s->was[at]);
}

static bool may_be_seen(const struct shadow *s, const struct shadow_watch *w,
			unsigned int at, uint8_t byte)
{
	if (shadow_set_has(&w->seen[at - w->place], byte))
		return true;
	return s->launch.groups > 1 && (byte == s->was[at] || byte == s->now[at]);
}

static bool all_now(const struct shadow *s, unsigned int at, unsigned int len, uint64_t word)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		if (!may_be_now(s, at + i, (uint8_t)(word >> 8 * i)))
			return false;
	return len == 8 || !(word >> 8 * len);
}

static bool all_seen(const struct shadow *s, const struct shadow_watch *w, unsigned int at,
		     unsigned int len, uint64_t word)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		if (!may_be_seen(s, w, at + i, (uint8_t)(word >> 8 * i)))
			return false;
	return len == 8 || !(word >> 8 * len);
}

/* what it has seen of the first bytes may be forgotten after these were not all mapped */
static enum need need_of_seen(const struct shadow_watch *w, enum need now)
{
	return now == REQUIRED && w->partial ? ALLOWED : now;
}

/*
 * The bytes are read after a wave that recorded its hit has gone on: what lanes left there
 * that disagree is not known, nor what an atomic did.
 */
static enum need need_of_left(const struct shadow_hit *hit,
			      const struct gpubp_hit_record *rec, enum need need)
{
	bool unsure = hit->differs || hit->access == GPUBP_ACCESS_ATOMIC;

	return need == REQUIRED && !rec->wave && unsure ? ALLOWED : need;
}

static const char *check_copy(const struct shadow *s, const struct shadow_watch *w,
			      const struct shadow_hit *hit,
			      const struct gpubp_hit_record *rec, struct shadow_score *score)
{
	bool whole = shadow_is_mapped(s, w->place, shadow_watched(w));
	unsigned int len = min(hit->len, 8);
	enum need need = hit->at + len - w->place > SHADOW_COPY ? FORBIDDEN :
			 whole ? REQUIRED : ALLOWED;

	if (rec->flags & GPUBP_HIT_NOW && need && !all_now(s, hit->at, len, rec->now))
		return "has a wrong value now";
	if (rec->flags & GPUBP_HIT_SEEN && need &&
	    !all_seen(s, w, hit->at, len, rec->seen))
		return "has seen a wrong value";
	return check_need(rec, FIELD_NOW, need_of_left(hit, rec, need), score) ?:
	       check_need(rec, FIELD_SEEN, need_of_seen(w, need), score);
}

/*
 * The first watched bytes, whichever were hit. Of a wave that has gone on, those that it
 * did not touch may have been written since.
 */
static const char *check_first(const struct shadow *s, const struct shadow_watch *w,
			       const struct gpubp_hit_record *rec, struct shadow_score *score)
{
	enum need old = shadow_is_mapped(s, w->place, shadow_watched(w)) ? REQUIRED : ALLOWED;
	enum need need = rec->wave || old != REQUIRED ? old : ALLOWED;
	unsigned int len = min(w->len, 8);

	if (rec->value_len > len || (rec->value_len != len && need == REQUIRED))
		return "has a wrong number of first bytes";
	if (rec->flags & GPUBP_HIT_NEW_VALUE &&
	    !all_now(s, w->place, rec->value_len, rec->new_value))
		return "has a wrong new value";
	if (rec->flags & GPUBP_HIT_OLD_VALUE &&
	    !all_seen(s, w, w->place, rec->value_len, rec->old_value))
		return "has a wrong old value";
	return check_need(rec, FIELD_NEW, need, score) ?:
	       check_need(rec, FIELD_OLD, need_of_seen(w, rec->value_len ? old : need), score);
}

/* ---- the record ------------------------------------------------------------ */

static const char *check_place(const struct shadow *s, const struct gpubp_hit_record *rec)
{
	if (!(rec->flags & GPUBP_HIT_COORDS) || rec->wg_x >= s->launch.groups ||
	    rec->wg_y || rec->wg_z || rec->wave_in_group)
		return "is of an unknown wave";
	if (!(rec->flags & GPUBP_HIT_DISPATCH) || rec->device != s->device ||
	    rec->context != s->context)
		return "is of an unknown dispatch";
	if (rec->kind != GPUBP_KIND_WATCH || rec->exceptions || rec->trap_id || !rec->nr_merged)
		return "is of another kind";
	return NULL;
}

static const char *check_lanes(const struct shadow *s, const struct shadow_hit *hit,
			       const struct sample *sample, struct shadow_score *score)
{
	const struct gpubp_hit_record *rec = &sample->rec;

	if (!(rec->flags & GPUBP_HIT_PC_EXACT) || rec->flags & GPUBP_HIT_POSSIBLE)
		return "is not exact";
	if (rec->access != hit->access || rec->width != hit->width)
		return "is of another access";
	if (rec->lanes != hit->lanes || rec->exec != hit->exec)
		return "has wrong lanes";
	if (rec->addr != hit->addr || sample->addr != hit->addr)
		return "has a wrong address";
	if (rec->flags & GPUBP_HIT_BYTES &&
	    (rec->hit_addr != SHADOW_VA + hit->at || rec->hit_len != hit->len))
		return "has wrong bytes";
	return check_need(rec, FIELD_BYTES, REQUIRED, score);
}

#define OF_BYTES	(GPUBP_HIT_BYTES | GPUBP_HIT_DATA | GPUBP_HIT_BEFORE | \
			 GPUBP_HIT_SEEN | GPUBP_HIT_NOW)

/* the address was overwritten */
static const char *check_inexact(const struct shadow *s, const struct shadow_watch *w,
				 const struct gpubp_hit_record *rec,
				 struct shadow_score *score)
{
	if (s->launch.kernel->quirk != QUIRK_EATS)
		return "has no address";
	if (rec->flags & OF_BYTES)
		return "knows bytes without an address";
	return check_first(s, w, rec, score);
}

const char *shadow_check(const struct shadow *s, const struct shadow_watch *w,
			 const struct sample *sample, struct shadow_score *score)
{
	const struct gpubp_hit_record *rec = &sample->rec;
	const struct shadow_hit *hit = shadow_hit(s, w, rec->wg_x);
	const char *wrong = check_place(s, rec);

	score->hits++;
	score->reused += w->reused;
	if (!record_is_clean(rec))
		return "has stale bytes";
	if (wrong)
		return wrong;
	if (rec->addr_state != GPUBP_ADDR_EXACT)
		return check_inexact(s, w, rec, score);
	if (!hit)
		return "is of no hit";
	wrong = check_lanes(s, hit, sample, score);
	if (wrong)
		return wrong;
	return check_data(s, hit, rec, score) ?: check_copy(s, w, hit, rec, score) ?:
	       check_first(s, w, rec, score);
}
