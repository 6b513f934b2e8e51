// SPDX-License-Identifier: GPL-2.0
/*
 * The members of a hit in words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "access.h"
#include "show.h"
#include "types.h"

static const char *hit_trap(const struct hit *hit)
{
	switch (hit->rec.kind) {
	case GPUBP_KIND_BREAK:
		return "break";
	case GPUBP_KIND_TRAP:
		return "s_trap";
	default:
		return "access";
	}
}

bool hit_is_stop(const struct hit *hit)
{
	return hit->rec.kind == GPUBP_KIND_BREAK ||
	       hit->rec.kind == GPUBP_KIND_TRAP;
}

const char *hit_access(const struct hit *hit)
{
	return hit->rec.access ? access_name(hit->rec.access) : hit_trap(hit);
}

static const struct {
	uint16_t exception;
	const char *name;
} exceptions[] = {
	{ GPUBP_EXC_MEM_VIOL, "memory violation" },
	{ GPUBP_EXC_ILLEGAL, "illegal instruction" },
	{ GPUBP_EXC_INT_DIV0, "integer division by zero" },
	{ GPUBP_EXC_FP_INVALID, "fp invalid" },
	{ GPUBP_EXC_FP_DENORMAL, "fp denormal" },
	{ GPUBP_EXC_FP_DIV0, "fp division by zero" },
	{ GPUBP_EXC_FP_OVERFLOW, "fp overflow" },
	{ GPUBP_EXC_FP_UNDERFLOW, "fp underflow" },
	{ GPUBP_EXC_FP_INEXACT, "fp inexact" },
	{ GPUBP_EXC_WAVE_START, "wave start" },
	{ GPUBP_EXC_WAVE_END, "wave end" },
};

const char *hit_exceptions(const struct hit *hit, char *out, size_t len)
{
	size_t i, at = 0;

	out[0] = '\0';
	for (i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		if ((hit->rec.exceptions & exceptions[i].exception) && at < len)
			at += snprintf(out + at, len - at, "%s%s",
				       at ? ", " : "", exceptions[i].name);
	return out;
}

const char *hit_state(const struct hit *hit)
{
	switch (hit->rec.addr_state) {
	case GPUBP_ADDR_EXACT:
		return "exact";
	case GPUBP_ADDR_BLOCK:
		return "block";
	default:
		return "unknown";
	}
}

bool hit_has_address(const struct hit *hit)
{
	return hit->rec.kind != GPUBP_KIND_EXCEPTION ||
	       hit->rec.addr_state != GPUBP_ADDR_UNKNOWN;
}

unsigned int hit_lane(const struct hit *hit)
{
	return hit->rec.lanes ? (unsigned int)__builtin_ctzll(hit->rec.lanes) : 0;
}

const struct elem_type *hit_type(const struct hit *hit)
{
	char name[8];

	if (sscanf(hit->event, "%*[^.:]%*1[.:]%7[a-z0-9]", name) != 1)
		return NULL;
	return elem_find(name);
}

/* of the bytes that are watched, as words without a type count them */
static unsigned int block_element_size(const struct gpubp_hit_record *rec)
{
	return !rec->value_len || rec->value_len >= 4 ? 4 : rec->value_len;
}

/*
 * Without a type, of a wide access to several elements, words: vectors of dwords are
 * what wide instructions are for. An access of 8 bytes may be of a double or of two
 * floats: a double. 3 bytes are no element, and neither is a part of a word.
 */
unsigned int hit_element_size(const struct hit *hit)
{
	const struct elem_type *type = hit_type(hit);
	const struct gpubp_hit_record *rec = &hit->rec;
	unsigned int len = rec->flags & GPUBP_HIT_BYTES ? rec->hit_len :
			   rec->width;

	if (type)
		return type->size;
	if (rec->addr_state != GPUBP_ADDR_EXACT)
		len = block_element_size(rec);
	else if (rec->width > 8 && len >= 4)
		len = 4;
	else if (len < 4 && len < rec->width)
		return 0;
	return len & (len - 1) ? 0 : len;
}

/* of the first element, where there are several; numbers are little-endian */
static const char *value_text(const struct hit *hit, bool known, uint64_t value,
			      unsigned int bytes, char *out, size_t len)
{
	const struct elem_type *type = hit_type(hit);

	if (type && type->size < bytes)
		bytes = type->size;
	if (bytes < 8)
		value &= (1ULL << 8 * bytes) - 1;
	if (!known)
		snprintf(out, len, "?");
	else if (type && type->size == bytes)
		elem_format(type, &value, out, len);
	else
		snprintf(out, len, "0x%0*" PRIx64, (int)(2 * bytes), value);
	return out;
}

void hit_first_element(const struct hit *hit, struct hit *first)
{
	struct gpubp_hit_record *rec = &first->rec;
	unsigned int size = hit_element_size(hit);

	*first = *hit;
	if (size && size < rec->hit_len)
		rec->hit_len = (uint8_t)size;
	if (size && size < rec->value_len)
		rec->value_len = (uint8_t)size;
}

/* of the bytes that were hit, in a record that says which they were */
static const char *hit_word(const struct hit *hit, uint16_t flag, uint64_t value,
			    char *out, size_t len)
{
	return value_text(hit, hit->rec.flags & flag, value,
			  hit->rec.hit_len < 8 ? hit->rec.hit_len : 8, out, len);
}

const char *hit_old(const struct hit *hit, char *out, size_t len)
{
	return hit_word(hit, GPUBP_HIT_BEFORE, hit->rec.before, out, len);
}

/* what an atomic wrote follows from its operation, which is not recorded */
const char *hit_new(const struct hit *hit, char *out, size_t len)
{
	return hit_word(hit, hit->rec.access == GPUBP_ACCESS_ATOMIC ? 0 :
			GPUBP_HIT_DATA, hit->rec.data, out, len);
}

const char *hit_operand(const struct hit *hit, char *out, size_t len)
{
	return hit_word(hit, hit->rec.access == GPUBP_ACCESS_ATOMIC ?
			GPUBP_HIT_DATA : 0, hit->rec.data, out, len);
}

const char *hit_seen(const struct hit *hit, char *out, size_t len)
{
	if (hit->rec.flags & GPUBP_HIT_BYTES)
		return hit_word(hit, GPUBP_HIT_SEEN, hit->rec.seen, out, len);
	return value_text(hit, hit->rec.flags & GPUBP_HIT_OLD_VALUE,
			  hit->rec.old_value, hit->rec.value_len, out, len);
}

const char *hit_now(const struct hit *hit, char *out, size_t len)
{
	if (hit->rec.flags & GPUBP_HIT_BYTES)
		return hit_word(hit, GPUBP_HIT_NOW, hit->rec.now, out, len);
	return value_text(hit, hit->rec.flags & GPUBP_HIT_NEW_VALUE,
			  hit->rec.new_value, hit->rec.value_len, out, len);
}

/**
 * struct value - a value in words
 * @text: room for them
 * @between: what separates them
 */
struct value {
	char text[128];
	const char *between;
};

static void value_add(struct value *v, const char *before, const char *text)
{
	size_t at = strlen(v->text);

	if (text[0] != '?')
		snprintf(v->text + at, sizeof(v->text) - at, "%s%s%s",
			 at ? v->between : "", before, text);
}

/* what the access did, by proof */
static void value_of_access(const struct hit *hit, struct value *v)
{
	char text[24];

	value_add(v, "", hit_new(hit, text, sizeof(text)));
	if (hit->rec.access != GPUBP_ACCESS_ATOMIC)
		return;
	value_add(v, "from ", hit_old(hit, text, sizeof(text)));
	value_add(v, "by ", hit_operand(hit, text, sizeof(text)));
}

/* what was seen before and behind it, where that is not the same */
static void value_around(const struct hit *hit, struct value *v)
{
	char text[24];

	if (!(hit->rec.flags & GPUBP_HIT_BEFORE))
		value_add(v, "last seen ", hit_seen(hit, text, sizeof(text)));
	if (hit_new(hit, text, sizeof(text))[0] == '?')
		value_add(v, "now ", hit_now(hit, text, sizeof(text)));
}

const char *hit_value(const struct hit *hit, char *out, size_t len)
{
	struct value access = { .between = " " }, around = { .between = ", " };

	value_of_access(hit, &access);
	value_around(hit, &around);
	snprintf(out, len, around.text[0] ? "%s (%s)" : "%s",
		 access.text[0] ? access.text : "?", around.text);
	return out;
}
