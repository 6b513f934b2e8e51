// SPDX-License-Identifier: GPL-2.0
/* Values: the watched bytes that a hit reports, old and new. */
#include "core/cell.h"
#include "event/event.h"
#include "mock.h"
#include "sched/old_value.h"
#include "sched/sched.h"
#include "sched/watch.h"

struct read_case {
	const char *name;
	u64 start, len;
	u8 want;
};

static const struct read_case read_cases[] = {
	{ "one_byte", MOCK_VA + 5, 1, 1 },
	{ "three_bytes", MOCK_VA + 5, 3, 3 },
	{ "as_many_as_are_kept", MOCK_VA, 64, 64 },
	{ "more_than_are_kept", MOCK_VA, 100, 64 },
	{ "not_mapped", MOCK_VA - 64, 4, 0 },
	{ "the_mapping_ends_within", MOCK_VA + MOCK_SIZE - 3, 8, 3 },
	{ "the_last_byte", MOCK_VA + MOCK_SIZE - 1, 1, 1 },
};
KUNIT_ARRAY_PARAM_DESC(read, read_cases, name);

static void bytes_read(struct kunit *test)
{
	const struct read_case *r = test->param_value;
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_reading read;
	int i;

	for (i = 0; i < MOCK_SIZE; i++)
		c->mem[i] = i * 37;
	memset(read.bytes, 0xee, sizeof(read.bytes));
	gpubp_value_read(c->ctx, r->start, r->start + r->len - 1, &read, 0);
	KUNIT_EXPECT_EQ(test, read.len, r->want);
	KUNIT_EXPECT_MEMEQ(test, read.bytes, c->mem + (r->start - MOCK_VA),
			   read.len);
	for (i = read.len; i < sizeof(read.bytes); i++)
		KUNIT_EXPECT_EQ(test, read.bytes[i], 0xee);
}

/* every match of a cell gets the bytes of its own watch */
static void all_matches_of_a_hit_are_read(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_hit_cell *cell = kunit_kzalloc(test, sizeof(*cell),
						    GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, cell);
	cell->ctx = c->ctx;
	cell->nr_matches = GPUBP_CELL_MATCHES;
	for (i = 0; i < GPUBP_CELL_MATCHES; i++) {
		c->mem[i * 8] = 0x10 + i;
		cell->matches[i].kind = GPUBP_KIND_WATCH;
		cell->matches[i].start = MOCK_VA + i * 8;
		cell->matches[i].last = MOCK_VA + i * 8 + i;
	}
	gpubp_values_read(cell);
	for (i = 0; i < GPUBP_CELL_MATCHES; i++) {
		KUNIT_EXPECT_EQ(test, cell->matches[i].read.len, i + 1);
		KUNIT_EXPECT_EQ(test, cell->matches[i].read.bytes[0], 0x10 + i);
	}
}

/* ---- old and new --------------------------------------------------------- */

struct value_fixture {
	struct gpubp_ctx ctx;
	struct gpubp_watch watch;
	struct gpubp_copy copy;
	struct gpubp_hit_match match;
};

static struct value_fixture *fixture(struct kunit *test, u64 len)
{
	struct value_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->watch.ctx = &f->ctx;
	f->watch.start = MOCK_VA;
	f->watch.last = MOCK_VA + len - 1;
	f->watch.copy = &f->copy;
	return f;
}

/* a hit that finds @nr bytes 1, 2, 3, ..., each xor @with */
static void hit_with(struct value_fixture *f, u8 nr, u8 with)
{
	u8 i;

	f->match = (struct gpubp_hit_match) { .read.len = nr };
	for (i = 0; i < nr; i++)
		f->match.read.bytes[i] = (i + 1) ^ with;
	gpubp_value_update(&f->watch, &f->match);
}

struct word_case {
	const char *name;
	u8 nr;
	u64 word;
};

/* little endian, zero-extended, the first eight bytes */
static const struct word_case word_cases[] = {
	{ "1_byte", 1, 0x01 },
	{ "3_bytes", 3, 0x030201 },
	{ "4_bytes", 4, 0x04030201 },
	{ "8_bytes", 8, 0x0807060504030201 },
	{ "9_bytes", 9, 0x0807060504030201 },
	{ "64_bytes", 64, 0x0807060504030201 },
};
KUNIT_ARRAY_PARAM_DESC(word, word_cases, name);

static void first_hit_has_no_old_value(struct kunit *test)
{
	const struct word_case *w = test->param_value;
	struct value_fixture *f = fixture(test, w->nr);

	hit_with(f, w->nr, 0);
	KUNIT_EXPECT_EQ(test, f->match.flags, GPUBP_HIT_NEW_VALUE);
	KUNIT_EXPECT_EQ(test, f->match.new_value, w->word);
	KUNIT_EXPECT_FALSE(test, f->match.unchanged);
}

static void next_hit_has_both(struct kunit *test)
{
	const struct word_case *w = test->param_value;
	struct value_fixture *f = fixture(test, w->nr);

	hit_with(f, w->nr, 0xff);
	hit_with(f, w->nr, 0);
	KUNIT_EXPECT_EQ(test, f->match.flags,
			GPUBP_HIT_NEW_VALUE | GPUBP_HIT_OLD_VALUE);
	KUNIT_EXPECT_EQ(test, f->match.new_value, w->word);
	KUNIT_EXPECT_EQ(test, f->match.old_value,
			w->word ^ (U64_MAX >> (64 - min(w->nr, 8) * 8)));
	KUNIT_EXPECT_FALSE(test, f->match.unchanged);
}

static void the_same_bytes_again(struct kunit *test)
{
	const struct word_case *w = test->param_value;
	struct value_fixture *f = fixture(test, w->nr);

	hit_with(f, w->nr, 0);
	hit_with(f, w->nr, 0);
	KUNIT_EXPECT_TRUE(test, f->match.unchanged);
	KUNIT_EXPECT_EQ(test, f->match.old_value, f->match.new_value);
}

static void the_last_of_64_bytes_changed(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 64);

	hit_with(f, 64, 0);
	f->copy.read.bytes[63] ^= 1;
	hit_with(f, 64, 0);
	KUNIT_EXPECT_FALSE(test, f->match.unchanged);
	hit_with(f, 64, 0);
	KUNIT_EXPECT_TRUE(test, f->match.unchanged);
}

/* an event and a set member want the same bytes: both get old and new values */
static void two_matches_of_one_hit(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 1);
	int hit, i;

	for (hit = 1; hit < 4; hit++) {
		for (i = 0; i < 2; i++) {
			f->match = (struct gpubp_hit_match) {
				.hit = hit, .read = { .len = 1, .bytes = { hit } },
			};
			gpubp_value_update(&f->watch, &f->match);
			KUNIT_EXPECT_FALSE(test, f->match.unchanged);
			KUNIT_EXPECT_EQ(test, f->match.new_value, hit);
			if (hit > 1)
				KUNIT_EXPECT_EQ(test, f->match.old_value,
						hit - 1);
		}
	}
}

static void without_a_copy_every_hit_is_a_change(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 4);

	f->watch.copy = NULL;
	hit_with(f, 4, 0);
	hit_with(f, 4, 0);
	KUNIT_EXPECT_EQ(test, f->match.flags, GPUBP_HIT_NEW_VALUE);
	KUNIT_EXPECT_FALSE(test, f->match.unchanged);
}

/* bytes that were not read may have changed */
static void never_unchanged_if_not_all_was_read(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 100);

	hit_with(f, 64, 0);
	hit_with(f, 64, 0);
	KUNIT_EXPECT_FALSE(test, f->match.unchanged);
	f = fixture(test, 8);
	hit_with(f, 3, 0);
	hit_with(f, 3, 0);
	KUNIT_EXPECT_FALSE(test, f->match.unchanged);
}

static void unreadable_in_between(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 4);

	hit_with(f, 4, 0);
	hit_with(f, 0, 0);
	KUNIT_EXPECT_EQ(test, f->match.flags, 0);
	KUNIT_EXPECT_EQ(test, f->match.old_value, 0);
	KUNIT_EXPECT_FALSE(test, f->match.unchanged);
	hit_with(f, 4, 0);
	KUNIT_EXPECT_EQ(test, f->match.flags, GPUBP_HIT_NEW_VALUE);
	KUNIT_EXPECT_FALSE(test, f->match.unchanged);
}

/* a record has one number of bytes for both values */
static void old_and_new_value_have_as_many_bytes(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 8);

	hit_with(f, 3, 0);
	hit_with(f, 8, 0);
	KUNIT_EXPECT_EQ(test, f->match.flags, GPUBP_HIT_NEW_VALUE);
	KUNIT_EXPECT_EQ(test, f->match.old_value, 0);
	hit_with(f, 3, 0xff);
	KUNIT_EXPECT_EQ(test, f->match.flags,
			GPUBP_HIT_NEW_VALUE | GPUBP_HIT_OLD_VALUE);
	KUNIT_EXPECT_EQ(test, f->match.old_value, 0x030201);
	KUNIT_EXPECT_EQ(test, f->match.new_value, 0xfcfdfe);
}

/* ---- where a match was --------------------------------------------------- */

/* a hit of @len bytes, @at bytes from the start; it finds what hit_with() does */
static void hit_at(struct value_fixture *f, unsigned int at, u8 len, u8 nr,
		   u8 with)
{
	u8 i;

	f->match = (struct gpubp_hit_match) {
		.start = MOCK_VA, .hit_addr = MOCK_VA + at, .hit_len = len,
		.read.len = nr,
	};
	for (i = 0; i < nr; i++)
		f->match.read.bytes[i] = (i + 1) ^ with;
	gpubp_value_update(&f->watch, &f->match);
}

/**
 * struct hit_case - a match of a watch with 100 bytes
 * @name: of the test
 * @at: first byte that was hit
 * @len: bytes that were
 * @nr: bytes that were read
 * @valid: those that were hit are among them
 * @word: they
 */
struct hit_case {
	const char *name;
	unsigned int at;
	u8 len, nr;
	bool valid;
	u64 word;
};

static const struct hit_case hit_cases[] = {
	{ "first_byte", 0, 1, 64, true, 0x01 },
	{ "in_the_middle", 31, 4, 64, true, 0x23222120 },
	{ "8_bytes", 8, 8, 64, true, 0x100f0e0d0c0b0a09 },
	{ "9_bytes", 8, 9, 64, true, 0x100f0e0d0c0b0a09 },
	{ "last_byte", 63, 1, 64, true, 0x40 },
	{ "up_to_the_last_byte", 60, 4, 64, true, 0x403f3e3d },
	{ "over_the_last_byte", 61, 4, 64, false, 0 },
	{ "its_first_word_up_to_the_last_byte", 56, 16, 64, true,
	  0x403f3e3d3c3b3a39 },
	{ "its_first_word_over_the_last_byte", 57, 16, 64, false, 0 },
	{ "behind_the_last_byte", 64, 1, 64, false, 0 },
	{ "far_behind", 96, 4, 64, false, 0 },
	{ "not_exact", 0, 0, 64, false, 0 },
	{ "few_were_read", 1, 2, 3, true, 0x0302 },
	{ "too_few_were_read", 1, 3, 3, false, 0 },
	{ "none_were_read", 0, 1, 0, false, 0 },
};
KUNIT_ARRAY_PARAM_DESC(hit, hit_cases, name);

#define SEEN_NOW	(GPUBP_HIT_SEEN | GPUBP_HIT_NOW)

static void expect_seen_now(struct kunit *test, const struct value_fixture *f,
			    u16 flags, u64 seen, u64 now)
{
	KUNIT_EXPECT_EQ(test, f->match.flags & SEEN_NOW, flags);
	KUNIT_EXPECT_EQ(test, f->match.seen, seen);
	KUNIT_EXPECT_EQ(test, f->match.now, now);
}

static void the_bytes_that_were_hit(struct kunit *test)
{
	const struct hit_case *h = test->param_value;
	struct value_fixture *f = fixture(test, 100);
	u64 flipped = h->word ^ (U64_MAX >> (64 - clamp(h->len, 1, 8) * 8));

	hit_at(f, h->at, h->len, h->nr, 0);
	expect_seen_now(test, f, h->valid ? GPUBP_HIT_NOW : 0, 0, h->word);
	hit_at(f, h->at, h->len, h->nr, 0xff);
	if (h->valid)
		expect_seen_now(test, f, SEEN_NOW, h->word, flipped);
	else
		expect_seen_now(test, f, 0, 0, 0);
}

/* the copy has all bytes, whichever were hit before */
static void another_place_was_hit_before(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 64);

	hit_at(f, 0, 4, 64, 0);
	hit_at(f, 40, 2, 64, 0xff);
	expect_seen_now(test, f, SEEN_NOW, 0x2a29, 0xd5d6);
	hit_at(f, 0, 0, 64, 0);
	expect_seen_now(test, f, 0, 0, 0);
	KUNIT_EXPECT_TRUE(test, f->match.flags & GPUBP_HIT_OLD_VALUE);
	hit_at(f, 1, 1, 64, 0xff);
	expect_seen_now(test, f, SEEN_NOW, 0x02, 0xfd);
}

static void fewer_bytes_were_read_before(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 8);

	hit_at(f, 0, 3, 3, 0);
	hit_at(f, 2, 2, 8, 0);
	expect_seen_now(test, f, GPUBP_HIT_NOW, 0, 0x0403);
	hit_at(f, 2, 2, 3, 0xff);
	expect_seen_now(test, f, GPUBP_HIT_SEEN, 0x0403, 0);
	hit_at(f, 2, 1, 8, 0);
	expect_seen_now(test, f, SEEN_NOW, 0xfc, 0x03);
}

/* an event and a set member: the second one compares no copy of its own hit */
static void two_matches_have_the_same(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 8);
	int hit, i;

	for (hit = 1; hit < 4; hit++)
		for (i = 0; i < 2; i++) {
			f->match = (struct gpubp_hit_match) {
				.hit = hit, .start = MOCK_VA,
				.hit_addr = MOCK_VA + 5, .hit_len = 1,
				.read = { .len = 8, .bytes = { [5] = hit } },
			};
			gpubp_value_update(&f->watch, &f->match);
			if (hit == 1)
				expect_seen_now(test, f, GPUBP_HIT_NOW, 0, 1);
			else
				expect_seen_now(test, f, SEEN_NOW, hit - 1,
						hit);
		}
}

static void without_a_copy_only_now(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 8);

	f->watch.copy = NULL;
	hit_at(f, 4, 2, 8, 0);
	hit_at(f, 4, 2, 8, 0);
	expect_seen_now(test, f, GPUBP_HIT_NOW, 0, 0x0605);
}

/* ---- bytes that are mapped after their watch was armed ------------------- */

#define UNMAPPED	(MOCK_VA + MOCK_SIZE)

static struct gpubp_watch *watch_at(struct kunit *test, struct mock_ctx *c,
				    u64 start, u64 len,
				    struct perf_event **event)
{
	struct perf_event *e = mock_open(test, start, len, GPUBP_ACCESS_STORE);
	struct gpubp_watch *w;

	if (event)
		*event = e;
	mock_settle(c->m);
	mutex_lock(&c->m->dev->lock);
	w = gpubp_watch_first(c->ctx, start, start);
	mutex_unlock(&c->m->dev->lock);
	KUNIT_ASSERT_NOT_NULL(test, w);
	KUNIT_ASSERT_NOT_NULL(test, w->copy);
	return w;
}

/* as if its memory had not been mapped when it was armed */
static void unread(struct mock_ctx *c, struct gpubp_watch *w, u8 len)
{
	const struct gpubp_reading none = { .len = len };

	guard(mutex)(&c->m->dev->lock);
	gpubp_watch_set_copy(w, &none);
}

static void bytes_mapped_later_are_read_by_the_next_work(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_watch *w = watch_at(test, c, MOCK_VA, 4, NULL);

	c->mem[0] = 5;
	unread(c, w, 0);
	KUNIT_EXPECT_EQ(test, c->ctx->nr_unread, 1);
	KUNIT_EXPECT_EQ(test, gpubp_ctx_wait_armed(c->ctx), 0);
	KUNIT_EXPECT_EQ(test, c->ctx->nr_unread, 0);
	KUNIT_EXPECT_EQ(test, w->copy->read.len, 4);
	KUNIT_EXPECT_EQ(test, w->copy->read.bytes[0], 5);
	KUNIT_EXPECT_TRUE(test, w->copy->caught_up);
	c->mem[0] = 6;
	KUNIT_EXPECT_EQ(test, gpubp_ctx_wait_armed(c->ctx), 0);
	KUNIT_EXPECT_EQ(test, w->copy->read.bytes[0], 5);
}

/* a store whose hit is still to be resolved was of the old bytes */
static void a_commit_reads_no_armed_bytes_again(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_watch *w = watch_at(test, c, MOCK_VA, 4, NULL);

	c->mem[0] = 5;
	watch_at(test, c, MOCK_VA + 0x1000, 4, NULL);
	KUNIT_EXPECT_EQ(test, w->copy->read.bytes[0], 0);
}

/*
 * a watch whose memory is never mapped does not prevent others from being read
 */
static void unmapped_bytes_take_turns(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *e;
	struct gpubp_watch *never = watch_at(test, c, UNMAPPED, 4, &e);
	struct gpubp_watch *half = watch_at(test, c, UNMAPPED - 2, 4, NULL);
	struct gpubp_watch *w = watch_at(test, c, MOCK_VA, 4, NULL);

	KUNIT_EXPECT_EQ(test, never->copy->read.len, 0);
	KUNIT_EXPECT_EQ(test, half->copy->read.len, 2);
	unread(c, w, 0);
	KUNIT_EXPECT_EQ(test, c->ctx->nr_unread, 3);
	gpubp_values_catch_up(c->ctx);
	KUNIT_EXPECT_EQ(test, c->ctx->nr_unread, 2);
	KUNIT_EXPECT_EQ(test, w->copy->read.len, 4);
	KUNIT_EXPECT_EQ(test, half->copy->read.len, 2);
	mock_close(c->m, e);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->ctx->nr_unread, 1);
}

/* bytes from here on are not mapped; 0: the mock's memory is */
static u64 hole;

static int translate(void *ctx, const struct gpubp_where *where,
		     struct gpubp_mapping *out)
{
	mock_check_ctx(ctx, "mem_translate");
	*out = (struct gpubp_mapping) {
		.start = MOCK_VA, .size = MOCK_SIZE, .flags = GPUBP_MAP_READ,
	};
	return where->va >= hole ? -EFAULT : 0;
}

static int translate_init_caps(struct kunit *test, const struct gpubp_caps *caps)
{
	static struct gpubp_ops ops;

	hole = UNMAPPED;
	ops = mock_ops;
	ops.mem_translate = translate;
	return mock_init_ops(test, &ops, caps);
}

static int translate_init(struct kunit *test)
{
	return translate_init_caps(test, &mock_caps);
}

static int unannounced_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.dispatch_waits = false;
	return translate_init_caps(test, &caps);
}

static struct gpubp_places places_of(const struct perf_event *event)
{
	struct gpubp_places places = {};

	guard(mutex)(&gpubp_events_lock);
	gpubp_bind_places(event->pmu_private, &places);
	return places;
}

static void nothing_is_mapped_there(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *there, *half, *e;

	watch_at(test, c, UNMAPPED, 4, &there);
	watch_at(test, c, UNMAPPED - 2, 4, &half);
	watch_at(test, c, MOCK_VA, 4, &e);
	KUNIT_EXPECT_EQ(test, places_of(there).nr, 1);
	KUNIT_EXPECT_EQ(test, places_of(there).unmapped, 1);
	KUNIT_EXPECT_EQ(test, places_of(half).nr, 1);
	KUNIT_EXPECT_EQ(test, places_of(half).unmapped, 0);
	KUNIT_EXPECT_EQ(test, places_of(e).nr, 1);
	KUNIT_EXPECT_EQ(test, places_of(e).unmapped, 0);
	mock_ctx_destroy(c);
	mock_settle(test->priv);
	KUNIT_EXPECT_EQ(test, places_of(there).nr, 1);
	KUNIT_EXPECT_EQ(test, places_of(there).unmapped, 1);
	KUNIT_EXPECT_EQ(test, places_of(e).nr, 1);
	KUNIT_EXPECT_EQ(test, places_of(e).unmapped, 0);
}

/* others had the slots for so long that nothing else is kept of it */
static void it_waits_since_long(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *e;
	struct gpubp_watch *w = watch_at(test, c, UNMAPPED, 4, &e);

	scoped_guard(mutex, &c->m->dev->lock) {
		gpubp_watch_set_slots(w, 0, 1, 1);
		gpubp_watch_age(w, U64_MAX);
	}
	KUNIT_EXPECT_NULL(test, w->copy);
	KUNIT_EXPECT_EQ(test, places_of(e).unmapped, 1);
	mock_ctx_destroy(c);
	mock_settle(test->priv);
	KUNIT_EXPECT_EQ(test, places_of(e).unmapped, 1);
}

static void it_is_mapped_before_the_next_work(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *e;

	watch_at(test, c, UNMAPPED, 4, &e);
	gpubp_values_catch_up(c->ctx);
	KUNIT_EXPECT_EQ(test, places_of(e).unmapped, 1);
	hole = ~0ULL;
	gpubp_values_catch_up(c->ctx);
	KUNIT_EXPECT_EQ(test, places_of(e).unmapped, 0);
}

/* a process may free its memory before it ends */
static void it_was_mapped_before(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *e;

	hole = ~0ULL;
	watch_at(test, c, UNMAPPED, 4, &e);
	KUNIT_EXPECT_EQ(test, places_of(e).unmapped, 0);
	hole = UNMAPPED;
	gpubp_values_catch_up(c->ctx);
	KUNIT_EXPECT_EQ(test, places_of(e).unmapped, 0);
}

/* it may be mapped before a dispatch that is not announced */
static void it_may_be_mapped_later(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *e;

	watch_at(test, c, UNMAPPED, 4, &e);
	KUNIT_EXPECT_EQ(test, places_of(e).nr, 1);
	KUNIT_EXPECT_EQ(test, places_of(e).unmapped, 0);
}

static void what_a_hit_found_is_newer(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_watch *w = watch_at(test, c, MOCK_VA, 4, NULL);
	struct gpubp_hit_match m = { .hit = 9 };

	unread(c, w, 0);
	gpubp_value_update(w, &m);
	gpubp_values_catch_up(c->ctx);
	KUNIT_EXPECT_EQ(test, w->copy->read.len, 0);
	KUNIT_EXPECT_EQ(test, c->ctx->nr_unread, 0);
}

/* ---- memory that belongs to another buffer next ----------------------------- */

/**
 * struct forget_fixture - a context with two watches
 * @c: it
 * @inside: watch of the first bytes, in a buffer of 64 that is called "a"
 * @behind: watch of the first bytes behind it
 */
struct forget_fixture {
	struct mock_ctx *c;
	struct gpubp_watch *inside, *behind;
};

static struct forget_fixture forget_fixture(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct forget_fixture f = {
		c, watch_at(test, c, MOCK_VA + 60, 4, NULL),
		watch_at(test, c, MOCK_VA + 64, 4, NULL),
	};

	KUNIT_ASSERT_EQ(test, gpubp_buffer_name(c->ctx, MOCK_VA, 64, "a"), 0);
	return f;
}

#define WAS	(GPUBP_HIT_OLD_VALUE | GPUBP_HIT_SEEN)

static void update_by_hit(const struct forget_fixture *f, struct gpubp_watch *w,
			  u64 hit, struct gpubp_hit_match *m)
{
	*m = (struct gpubp_hit_match) {
		.hit = hit, .start = w->start, .hit_addr = w->start,
		.hit_len = 4, .read = { .len = 4, .bytes = { hit } },
	};
	m->read.read_after = gpubp_ctx_nr_forgotten(f->c->ctx);
	guard(mutex)(&f->c->m->dev->lock);
	gpubp_value_update(w, m);
}

/* hits of both, in turn: which of them knows what was there */
static void expect_copies(struct kunit *test, const struct forget_fixture *f,
			  bool inside)
{
	static u64 hit = 1000;
	struct gpubp_hit_match m;

	update_by_hit(f, f->inside, ++hit, &m);
	KUNIT_EXPECT_EQ(test, m.flags & WAS, inside ? WAS : 0);
	update_by_hit(f, f->behind, ++hit, &m);
	KUNIT_EXPECT_EQ(test, m.flags & WAS, WAS);
}

static void a_withdrawn_name_takes_its_values_along(struct kunit *test)
{
	struct forget_fixture f = forget_fixture(test);
	struct gpubp_hit_match m;

	update_by_hit(&f, f.inside, 1, &m);
	KUNIT_EXPECT_EQ(test, m.flags & WAS, WAS);
	KUNIT_EXPECT_EQ(test, gpubp_buffer_name(f.c->ctx, 0, 0, "a"), 0);
	update_by_hit(&f, f.inside, 2, &m);
	KUNIT_EXPECT_EQ(test, m.flags & WAS, 0);
	KUNIT_EXPECT_FALSE(test, m.unchanged);
	/* another match of that hit */
	update_by_hit(&f, f.inside, 2, &m);
	KUNIT_EXPECT_EQ(test, m.flags & WAS, 0);
	expect_copies(test, &f, true);
}

static void a_name_that_moves_does_too(struct kunit *test)
{
	struct forget_fixture f = forget_fixture(test);

	KUNIT_EXPECT_EQ(test, gpubp_buffer_name(f.c->ctx, MOCK_VA, 64, "a"), 0);
	expect_copies(test, &f, true);
	KUNIT_EXPECT_EQ(test, gpubp_buffer_name(f.c->ctx, MOCK_VA, 64, "b"), 0);
	expect_copies(test, &f, true);
	KUNIT_EXPECT_EQ(test,
			gpubp_buffer_name(f.c->ctx, MOCK_VA + 128, 64, "a"), 0);
	expect_copies(test, &f, false);
}

static int forget_unmap_err;

static int forget_unmap(void *priv, u64 va, u64 size)
{
	return forget_unmap_err;
}

static void unmapped_memory_has_no_values(struct kunit *test)
{
	struct forget_fixture f = forget_fixture(test);

	forget_unmap_err = -EINVAL;
	KUNIT_EXPECT_EQ(test,
			gpubp_mem_unmap(f.c->ctx, MOCK_VA, 64, forget_unmap),
			-EINVAL);
	expect_copies(test, &f, true);
	forget_unmap_err = 0;
	KUNIT_EXPECT_EQ(test,
			gpubp_mem_unmap(f.c->ctx, MOCK_VA, 64, forget_unmap), 0);
	expect_copies(test, &f, false);
}

/* as many ranges as are kept, elsewhere, and one more */
static void very_many_are_forgotten(struct kunit *test)
{
	struct forget_fixture f = forget_fixture(test);
	unsigned int i, nr = ARRAY_SIZE(f.c->ctx->forgotten.range);
	struct gpubp_hit_match m;

	for (i = 0; i < 2 * nr + 1; i++) {
		if (!i || i == nr) {
			update_by_hit(&f, f.inside, 2 * i + 1, &m);
			KUNIT_EXPECT_EQ(test, m.flags & WAS, WAS);
		}
		scoped_guard(mutex, &f.c->m->dev->lock)
			gpubp_ctx_forget(f.c->ctx, MOCK_VA + 128, 64);
	}
	update_by_hit(&f, f.inside, 2 * i + 1, &m);
	KUNIT_EXPECT_EQ(test, m.flags & WAS, 0);
}

/*
 * The next read of memory finds what is there, and then @forget_in the memory is
 * unmapped, before the reader does anything with it.
 */
static struct mock_ctx *forget_in;

static ssize_t read_and_unmap(void *ctx, const struct gpubp_where *where,
			      void *buf, size_t len, unsigned int how)
{
	ssize_t n = mock_ops.mem_rw(ctx, where, buf, len, how);
	struct mock_ctx *c = forget_in;

	if (!c || where->va < MOCK_VA || where->va >= MOCK_VA + 64)
		return n;
	forget_in = NULL;
	gpubp_mem_unmap(c->ctx, MOCK_VA, 64, forget_unmap);
	return n;
}

static int race_init(struct kunit *test)
{
	static struct gpubp_ops ops;

	ops = mock_ops;
	ops.mem_rw = read_and_unmap;
	forget_in = NULL;
	forget_unmap_err = 0;
	return mock_init_ops(test, &ops, &mock_caps);
}

/* the bytes of a hit of @w, as the resolver reads them */
static void read_by_hit(struct kunit *test, struct mock_ctx *c,
			const struct gpubp_watch *w, u64 hit,
			struct gpubp_hit_match *m)
{
	struct gpubp_hit_cell *cell;

	cell = kunit_kzalloc(test, sizeof(*cell), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cell);
	cell->ctx = c->ctx;
	cell->nr_matches = 1;
	cell->matches[0] = (struct gpubp_hit_match) {
		.hit = hit, .kind = GPUBP_KIND_WATCH, .start = w->start,
		.last = w->last, .hit_addr = w->start, .hit_len = 4,
	};
	gpubp_values_read(cell);
	*m = cell->matches[0];
	KUNIT_EXPECT_EQ(test, m->read.len, 4);
}

static void unmapped_while_a_hit_is_resolved(struct kunit *test)
{
	struct forget_fixture f = forget_fixture(test);
	struct gpubp_hit_match m;

	forget_in = f.c;
	read_by_hit(test, f.c, f.inside, 1, &m);
	scoped_guard(mutex, &f.c->m->dev->lock)
		gpubp_value_update(f.inside, &m);
	KUNIT_EXPECT_EQ(test, m.flags & (WAS | GPUBP_HIT_NOW), GPUBP_HIT_NOW);
	KUNIT_EXPECT_FALSE(test, m.unchanged);
	/* another match of that hit */
	m.flags = 0;
	scoped_guard(mutex, &f.c->m->dev->lock)
		gpubp_value_update(f.inside, &m);
	KUNIT_EXPECT_EQ(test, m.flags & WAS, 0);
	expect_copies(test, &f, false);
	expect_copies(test, &f, true);
}

/* and the watch was armed again, with the bytes of the next buffer */
static void armed_again_while_a_hit_is_resolved(struct kunit *test)
{
	struct forget_fixture f = forget_fixture(test);
	struct gpubp_reading read;
	struct gpubp_hit_match m;

	forget_in = f.c;
	read_by_hit(test, f.c, f.inside, 1, &m);
	f.c->mem[60] = 7;
	gpubp_value_read(f.c->ctx, f.inside->start, f.inside->last, &read, 0);
	scoped_guard(mutex, &f.c->m->dev->lock) {
		gpubp_watch_set_copy(f.inside, &read);
		gpubp_value_update(f.inside, &m);
	}
	KUNIT_EXPECT_EQ(test, m.flags & WAS, 0);
	update_by_hit(&f, f.inside, 2, &m);
	KUNIT_EXPECT_EQ(test, m.flags & WAS, WAS);
	KUNIT_EXPECT_EQ(test, m.seen, 7);
}

static void unmapped_while_a_watch_is_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct forget_fixture f = { .c = c };

	forget_in = c;
	f.inside = watch_at(test, c, MOCK_VA + 60, 4, NULL);
	f.behind = watch_at(test, c, MOCK_VA + 64, 4, NULL);
	KUNIT_EXPECT_NULL(test, forget_in);
	expect_copies(test, &f, false);
	expect_copies(test, &f, true);
}

static void unmapped_before_a_dispatch(struct kunit *test)
{
	struct forget_fixture f = forget_fixture(test);

	unread(f.c, f.inside, 0);
	forget_in = f.c;
	gpubp_values_catch_up(f.c->ctx);
	KUNIT_EXPECT_NULL(test, forget_in);
	KUNIT_EXPECT_EQ(test, f.inside->copy->read.len, 4);
	expect_copies(test, &f, false);
	expect_copies(test, &f, true);
}

/* the store may have preceded the read */
static void caught_up_bytes_prove_no_change(struct kunit *test)
{
	struct value_fixture *f = fixture(test, 4);

	hit_with(f, 4, 0);
	f->copy.caught_up = true;
	hit_with(f, 4, 0);
	KUNIT_EXPECT_FALSE(test, f->match.unchanged);
	KUNIT_EXPECT_EQ(test, f->match.old_value, f->match.new_value);
	hit_with(f, 4, 0);
	KUNIT_EXPECT_TRUE(test, f->match.unchanged);
}

static struct kunit_case catch_up_test_cases[] = {
	KUNIT_CASE(bytes_mapped_later_are_read_by_the_next_work),
	KUNIT_CASE(a_commit_reads_no_armed_bytes_again),
	KUNIT_CASE(unmapped_bytes_take_turns),
	KUNIT_CASE(what_a_hit_found_is_newer),
	{}
};

static struct kunit_case unmapped_test_cases[] = {
	KUNIT_CASE(nothing_is_mapped_there),
	KUNIT_CASE(it_waits_since_long),
	KUNIT_CASE(it_is_mapped_before_the_next_work),
	KUNIT_CASE(it_was_mapped_before),
	{}
};

static struct kunit_case forget_test_cases[] = {
	KUNIT_CASE(a_withdrawn_name_takes_its_values_along),
	KUNIT_CASE(a_name_that_moves_does_too),
	KUNIT_CASE(unmapped_memory_has_no_values),
	KUNIT_CASE(very_many_are_forgotten),
	{}
};

static struct kunit_case race_test_cases[] = {
	KUNIT_CASE(unmapped_while_a_hit_is_resolved),
	KUNIT_CASE(armed_again_while_a_hit_is_resolved),
	KUNIT_CASE(unmapped_while_a_watch_is_armed),
	KUNIT_CASE(unmapped_before_a_dispatch),
	{}
};

static struct kunit_case unannounced_test_cases[] = {
	KUNIT_CASE(it_may_be_mapped_later),
	{}
};

static struct kunit_case read_test_cases[] = {
	KUNIT_CASE_PARAM(bytes_read, read_gen_params),
	KUNIT_CASE(all_matches_of_a_hit_are_read),
	{}
};

static struct kunit_case update_test_cases[] = {
	KUNIT_CASE_PARAM(first_hit_has_no_old_value, word_gen_params),
	KUNIT_CASE_PARAM(next_hit_has_both, word_gen_params),
	KUNIT_CASE_PARAM(the_same_bytes_again, word_gen_params),
	KUNIT_CASE(the_last_of_64_bytes_changed),
	KUNIT_CASE(two_matches_of_one_hit),
	KUNIT_CASE(without_a_copy_every_hit_is_a_change),
	KUNIT_CASE(never_unchanged_if_not_all_was_read),
	KUNIT_CASE(unreadable_in_between),
	KUNIT_CASE(old_and_new_value_have_as_many_bytes),
	KUNIT_CASE(caught_up_bytes_prove_no_change),
	KUNIT_CASE_PARAM(the_bytes_that_were_hit, hit_gen_params),
	KUNIT_CASE(another_place_was_hit_before),
	KUNIT_CASE(fewer_bytes_were_read_before),
	KUNIT_CASE(two_matches_have_the_same),
	KUNIT_CASE(without_a_copy_only_now),
	{}
};

static struct kunit_suite read_test_suite = {
	.name = "gpubp_value_read",
	.suite_exit = mock_suite_exit,
	.init = mock_init_shared,
	.exit = mock_exit_shared,
	.test_cases = read_test_cases,
};

static struct kunit_suite update_test_suite = {
	.name = "gpubp_value_update",
	.test_cases = update_test_cases,
};

static struct kunit_suite catch_up_test_suite = {
	.name = "gpubp_value_catch_up",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = catch_up_test_cases,
};

static struct kunit_suite unmapped_test_suite = {
	.name = "gpubp_value_unmapped",
	.init = translate_init,
	.exit = mock_exit,
	.test_cases = unmapped_test_cases,
};

static struct kunit_suite forget_test_suite = {
	.name = "gpubp_value_forget",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = forget_test_cases,
};

static struct kunit_suite race_test_suite = {
	.name = "gpubp_value_race",
	.init = race_init,
	.exit = mock_exit,
	.test_cases = race_test_cases,
};

static struct kunit_suite unannounced_test_suite = {
	.name = "gpubp_value_unannounced",
	.init = unannounced_init,
	.exit = mock_exit,
	.test_cases = unannounced_test_cases,
};

kunit_test_suites(&read_test_suite, &catch_up_test_suite, &unmapped_test_suite,
		  &unannounced_test_suite, &forget_test_suite, &race_test_suite,
		  &update_test_suite);
