// SPDX-License-Identifier: GPL-2.0
/*
 * Values: a watch keeps a copy of its first bytes, read when it was armed (or
 * before the first work after they were mapped) and at each hit. So a hit can
 * report what was last seen there beside what is there now.
 */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "../core/core.h"
#include "watch.h"
#include "../trap/trap.h"
#include "old_value.h"
#include "sched.h"

#define CATCH_UP_MAX	64U	/* maximum number of reads before a dispatch */

/**
 * gpubp_value_read() - read the first bytes of a range
 * @ctx: context; no lock is held
 * @start: first address
 * @last: last address
 * @read: (out) they; fewer than the range has if it is longer than
 *	GPUBP_CHANGED_MAX, or not all of it is mapped and present
 * @how: GPUBP_MEM_WAIT or 0
 *
 * May sleep.
 */
void gpubp_value_read(struct gpubp_ctx *ctx, u64 start, u64 last,
		      struct gpubp_reading *read, unsigned int how)
{
	size_t len = min_t(u64, last - start + 1, GPUBP_CHANGED_MAX);
	ssize_t n;

	read->read_after = gpubp_ctx_nr_forgotten(ctx);
	n = gpubp_program_read(ctx, start, read->bytes, len, how);
	read->len = max(n, 0);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_value_read);

static bool va_is_unmapped(struct gpubp_ctx *ctx, u64 va)
{
	struct gpubp_where where = { .space = GPUBP_SPACE_GLOBAL, .va = va };
	struct gpubp_mapping map;

	return ctx->dev->ops.mem_translate(ctx->priv, &where, &map) == -EFAULT;
}

/**
 * gpubp_value_is_unmapped() - are the first and the last byte of a range not mapped
 * @ctx: context; no lock is held
 * @start: first address
 * @last: last address
 *
 * May sleep. Return: false also if it is not known, as where the next dispatch
 * is not announced, before which they may be mapped.
 */
bool gpubp_value_is_unmapped(struct gpubp_ctx *ctx, u64 start, u64 last)
{
	return ctx->dev->desc.caps.dispatch_waits &&
	       va_is_unmapped(ctx, start) && va_is_unmapped(ctx, last);
}

/**
 * gpubp_match_value_read() - read the bytes of the watch of a match
 * @ctx: context; no lock is held
 * @m: match; (out) ->read
 *
 * May sleep.
 */
void gpubp_match_value_read(struct gpubp_ctx *ctx, struct gpubp_hit_match *m)
{
	gpubp_value_read(ctx, m->start, m->last, &m->read, 0);
}

/** gpubp_values_read() - read the bytes of a stopped wave's watches */
void gpubp_values_read(struct gpubp_hit_cell *cell)
{
	unsigned int i;

	for (i = 0; i < cell->nr_matches; i++)
		if (!gpubp_kind_is_trap(cell->matches[i].kind))
			gpubp_match_value_read(cell->ctx, &cell->matches[i]);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_values_read);

static struct gpubp_watch *next_unread_watch(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	return gpubp_watch_next_unread(ctx);
}

static void copy_catch_up(struct gpubp_ctx *ctx, struct gpubp_watch *watch)
{
	struct gpubp_reading read;
	bool unmapped;

	gpubp_value_read(ctx, watch->start, watch->last, &read, GPUBP_MEM_WAIT);
	unmapped = !read.len &&
		   gpubp_value_is_unmapped(ctx, watch->start, watch->last);
	guard(mutex)(&ctx->dev->lock);
	gpubp_watch_catch_up(watch, &read);
	gpubp_watch_set_unmapped(watch, unmapped);
	gpubp_watch_put(watch);
}

/**
 * gpubp_values_catch_up() - read bytes that had not been mapped
 * @ctx: context, whose next work is about to start; no lock is held
 *
 * A process usually maps memory and fills it by the CPU between the creation of
 * a context and its first work. May sleep: the submitter waits for its own
 * memory.
 */
void gpubp_values_catch_up(struct gpubp_ctx *ctx)
{
	unsigned int n = min(READ_ONCE(ctx->nr_unread), CATCH_UP_MAX);
	struct gpubp_watch *watch;

	while (n-- && (watch = next_unread_watch(ctx)))
		copy_catch_up(ctx, watch);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_values_catch_up);

static u64 first_word(const u8 *bytes, u8 len)
{
	u8 word[8] = {};

	memcpy(word, bytes, min_t(u8, len, 8));
	return get_unaligned_le64(word);
}

/* what the first @len of the watched bytes have where a match accessed them */
static bool hit_word(const struct gpubp_hit_match *m, const u8 *bytes, u8 len,
		     u64 *word)
{
	u8 nr = min_t(u8, m->hit_len, sizeof(*word));
	u64 at = m->hit_addr - m->start;

	if (!nr || at + nr > len)
		return false;
	*word = first_word(bytes + at, nr);
	return true;
}

/* this hit has updated the copy already, for another match of the same watch */
static bool copy_has_hit(const struct gpubp_copy *copy,
			 const struct gpubp_hit_match *m)
{
	return copy->hit && copy->hit == m->hit;
}

/* what was freed since belongs to another buffer now, or to none */
static bool reading_is_stale(const struct gpubp_watch *watch,
			     const struct gpubp_reading *read)
{
	return read->len && read->read_after != watch->ctx->forgotten.nr &&
	       gpubp_ctx_has_forgotten(watch->ctx, read->read_after,
				       watch->start,
				       watch->start + (read->len - 1));
}

static void copy_forget(const struct gpubp_watch *watch)
{
	struct gpubp_copy *copy = watch->copy;

	if (!reading_is_stale(watch, &copy->read))
		return;
	copy->read.len = 0;
	copy->hit = 0;
}

/* those bytes of the hit that the access left */
static bool hit_is_left(const struct gpubp_hit_match *m)
{
	u64 at = m->hit_addr - m->start;
	u8 nr = min_t(u8, m->hit_len, sizeof(m->now));

	return nr && at + nr <= GPUBP_CHANGED_MAX &&
	       !(~m->left & GENMASK_ULL(at + nr - 1, at));
}

static u64 low_bits(unsigned int nr)
{
	return nr ? GENMASK_ULL(nr - 1, 0) : 0;
}

static unsigned int nr_low_bits(u64 bits)
{
	return ~bits ? __ffs64(~bits) : BITS_PER_TYPE(bits);
}

#define EACH_BYTE(x)	(~0ULL / U8_MAX * (x))

/* bit n: byte n is 0 */
static u64 zero_bytes(u64 word)
{
	const u64 low = EACH_BYTE(0x7f);
	u64 high = ~(((word & low) + low) | word | low);

	/* the highest bits of bytes, one behind another: no two of the sums meet */
	return (high >> 7) * 0x0102040810204080ULL >> 56;
}

static u64 same_bytes(const u8 *a, const u8 *b, unsigned int nr)
{
	unsigned int i = 0;
	u64 same = 0;

	for (; i + sizeof(u64) <= nr; i += sizeof(u64))
		same |= zero_bytes(get_unaligned_le64(a + i) ^
				   get_unaligned_le64(b + i)) << i;
	for (; i < nr; i++)
		same |= (u64)(a[i] == b[i]) << i;
	return same;
}

/*
 * The bytes of a match were read late. What the access did not touch was then what it was
 * at the hit before, if it is that still: if not, it was written before or after the hit,
 * and is not known; the hit before is the last that has seen it, unless this is the latest
 * of the hits that waves recorded.
 * @old: first bytes at the hit before; @nr_old: how many
 * @m: (out) as many of the first bytes as are known
 * @next: (out) what the next hit takes for seen
 */
static void reading_settle(const u8 *old, unsigned int nr_old,
			   struct gpubp_hit_match *m, struct gpubp_reading *next)
{
	unsigned int nr = m->read.len, nr_seen = min(nr_old, nr);
	u64 left = m->touched & m->left, others = ~m->touched;
	u64 same = same_bytes(old, m->read.bytes, nr_seen);
	u64 seen = m->latest ? ~0ULL : low_bits(nr_seen);
	unsigned int i;

	*next = m->read;
	m->read.len = min(nr, nr_low_bits(left | (others & same)));
	next->len = min(nr, nr_low_bits(left | (others & seen)));
	if (m->latest)
		return;
	/* what is the same is there already */
	for (others &= low_bits(next->len) & ~same; others; others &= others - 1) {
		i = __ffs64(others);
		next->bytes[i] = old[i];
	}
}

/* likewise, if the bytes were read while the wave was stopped */
static void match_settle(const struct gpubp_copy *copy,
			 struct gpubp_hit_match *m, struct gpubp_reading *next)
{
	if (!m->late)
		*next = m->read;
	else if (!copy)
		reading_settle(NULL, 0, m, next);
	else if (copy_has_hit(copy, m))
		reading_settle(copy->old, copy->old_len, m, next);
	else
		reading_settle(copy->read.bytes, copy->read.len, m, next);
}

static void copy_compare(const struct gpubp_watch *watch,
			 const struct gpubp_hit_match *m,
			 const struct gpubp_reading *next)
{
	bool full = m->read.len == watch->last - watch->start + 1;
	struct gpubp_copy *copy = watch->copy;
	struct gpubp_reading *read = &copy->read;

	copy->old_len = read->len;
	memcpy(copy->old, read->bytes, read->len);
	copy->unchanged = full && read->len == m->read.len &&
			  !copy->caught_up &&
			  !memcmp(read->bytes, m->read.bytes, read->len);
	copy->caught_up = false;
	copy->hit = m->hit;
	*read = *next;
}

/**
 * gpubp_value_update() - set old and new value of a match, and update the copy
 * @watch: watch; the device lock is held, as gpubp_watch_find() in the caller
 *	asserts
 * @m: its match, with the bytes read
 *
 * Bytes that were freed since they were read have no old value, and are the old
 * value of nothing.
 */
void gpubp_value_update(struct gpubp_watch *watch, struct gpubp_hit_match *m)
{
	struct gpubp_copy *copy = watch->copy;
	struct gpubp_reading next;
	u8 word;

	if (copy)
		copy_forget(watch);
	if (m->late && reading_is_stale(watch, &m->read))
		m->read.len = 0;
	match_settle(copy, m, &next);
	word = min_t(u8, m->read.len, sizeof(m->old_value));
	if (m->read.len) {
		m->new_value = first_word(m->read.bytes, m->read.len);
		m->flags |= GPUBP_HIT_NEW_VALUE;
	}
	if (hit_word(m, m->read.bytes,
		     m->late && hit_is_left(m) ? GPUBP_CHANGED_MAX :
						 m->read.len, &m->now))
		m->flags |= GPUBP_HIT_NOW;
	if (!copy || reading_is_stale(watch, &m->read))
		return;
	if (!copy_has_hit(copy, m))
		copy_compare(watch, m, &next);
	m->unchanged = copy->unchanged;
	/* as many bytes as the new value has, which is what a record can say */
	if (word && copy->old_len >= word) {
		m->old_value = first_word(copy->old, word);
		m->flags |= GPUBP_HIT_OLD_VALUE;
	}
	if (hit_word(m, copy->old, copy->old_len, &m->seen))
		m->flags |= GPUBP_HIT_SEEN;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_value_update);
