// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions: what they mean, as text for perf and as attr, and each sentence
 * that refuses one.
 */
#include <errno.h>
#include "gpubp_expr.h"
#include "mutate.h"

#define GRID	"named=1,code=0xaf871a91,"
#define ARRAY_SIZE(a)	((int)(sizeof(a) / sizeof((a)[0])))

static const struct gexpr_buffer list[] = {
	{ "grid", 0x200000000, 16384, "f32" },
	{ "tab", 0x200004000, 20, "u16" },
	{ "out", 0x200005000, 64, NULL },
	{ "two", 0x200006000, 16, NULL },
	{ "two", 0x200007000, 32, NULL },
};
static const struct gexpr_buffers known = { list, 5 };

/* the same 32-bit hash */
static const struct gexpr_buffer colliding[] = {
	{ "lsexqzd", 0, 64, NULL },
	{ "ztxtxde", 0, 64, NULL },
};

static const struct {
	const char *text;
	bool known;
	const char *event;
} right[] = {
	{ "grid[3]:w", false, "watch_w," GRID "addr=0xc,len=4,name=grid[3]" },
	{ "grid:f32[128..131]:w", false, "watch_w," GRID "addr=0x200,len=16,name=grid.f32[128..131]" },
	{ "grid[3]", false, "watch," GRID "addr=0xc,len=4,name=grid[3]" },
	{ "grid:u8[3]:r", false, "watch_r," GRID "addr=0x3,len=1,name=grid.u8[3].r" },
	{ "grid:f64[3]:rw", false, "watch_rw," GRID "addr=0x18,len=8,name=grid.f64[3].rw" },
	{ "grid+512,4:rw", false, "watch_rw," GRID "addr=0x200,len=4,name=grid.512.4.rw" },
	{ "grid+0x40,16:a", false, "watch_atomic," GRID "addr=0x40,len=16,name=grid.0x40.16.a" },
	{ "grid+0,3:wa", false, "watch," GRID "addr=0x0,len=3,name=grid.0.3.wa" },
	{ "grid+0,3:ar", false, "kind=1,access=5,period=1," GRID "addr=0x0,len=3,name=grid.0.3.ar" },
	{ " grid [ 3 ] : w ", false, "watch_w," GRID "addr=0xc,len=4,name=grid[3].w" },
	{ "0x7f2a40001200/4:rwa", false, "watch_rw,addr=0x7f2a40001200,len=4,name=at.0x7f2a40001200.4.rwa" },
	{ "4096/16", false, "watch,addr=0x1000,len=16,name=at.4096.16" },
	{ "0xffffffffffffffff/1:w", false, "watch_w,addr=0xffffffffffffffff,len=1,name=at.0xffffffffffffffff.1" },
	{ "grid[3]:w:changed", false, "watch_w,changed=1," GRID "addr=0xc,len=4,name=grid[3].changed" },
	{ "grid[3]:meter", false, "watch,meter=1," GRID "addr=0xc,len=4,name=grid[3].meter" },
	{ "grid[3]:w:possible:process", false, "watch_w,process=1,possible=1," GRID "addr=0xc,len=4,name=grid[3].possible.process" },
	{ "grid[3]:w:lost", false, "kind=1,access=2,lost=1," GRID "addr=0xc,len=4,name=grid[3].lost" },
	{ "\"my buf/2\"[0]:w", false, "watch_w,named=1,code=0xc37d8583,addr=0x0,len=4,name=mybuf.2[0]" },
	{ "grid[0]:r:exact", false, "watch_r," GRID "addr=0x0,len=4,name=grid[0].r.exact/pp" },
	{ "grid[0]:exact:changed", false, "watch,changed=1," GRID "addr=0x0,len=4,name=grid[0].exact.changed/pp" },
	{ "grid:w", false, "watch_w," GRID "addr=0x0,len=0,name=grid" },
	{ "grid:f32:r", false, "watch_r," GRID "addr=0x0,len=0,name=grid.f32.r" },
	{ "grid", true, "watch," GRID "addr=0x0,len=16384,name=grid" },
	{ "grid:w", true, "watch_w," GRID "addr=0x0,len=16384,name=grid" },
	{ "grid:f32:r", true, "watch_r," GRID "addr=0x0,len=16384,name=grid.f32.r" },
	{ "grid[4095]:w", true, "watch_w," GRID "addr=0x3ffc,len=4,name=grid[4095]" },
	{ "tab[9]:w", true, "watch_w,named=1,code=0x98f72e4c,addr=0x12,len=2,name=tab[9]" },
	{ "tab+19,1:w", true, "watch_w,named=1,code=0x98f72e4c,addr=0x13,len=1,name=tab.19.1" },
	{ "tab[0..9]", true, "watch,named=1,code=0x98f72e4c,addr=0x0,len=20,name=tab[0..9]" },
	{ "out:f64[7]:w", true, "watch_w,named=1,code=0xab1a365f,addr=0x38,len=8,name=out.f64[7]" },
	{ "two[7]:w", true, "watch_w,named=1,code=0xbe248829,addr=0x1c,len=4,name=two[7]" },
	{ "grid:f32[*]:w if isnan", true, "watch_w," GRID "addr=0x0,len=16384,cond=7,name=grid.f32[.].if.isnan" },
	{ "grid[*] if value in -1..1e3 and item 63", true, "watch," GRID "addr=0x0,len=16384,cond=7,name=grid[.].if.value.in.-1..1e3.and.item.63" },
	{ "grid:f32[3] if value <= 0.5", false, "watch," GRID "addr=0xc,len=4,cond=7,name=grid.f32[3].if.value.le.0.5" },
	{ "grid:i32[3] if value>-1", false, "watch," GRID "addr=0xc,len=4,cond=7,name=grid.i32[3].if.valuegt-1" },
	{ "grid:f32[*]:w if isnan", false, "watch_w," GRID "addr=0x0,len=0,cond=7,name=grid.f32[.].if.isnan" },
	{ "grid[3]:w if group 1,2", false, "watch_w," GRID "addr=0xc,len=4,cond=7,name=grid[3].if.group.1.2" },
};

#define MODES	"expected a mode of the letters r (load), w (store), a (atomic), " \
		"or changed, meter, possible, lost, process, exact"
#define PLACE	"expected the name of a buffer, or an address"

static const struct {
	const char *text;
	bool known;
	const char *says;
} wrong[] = {
	{ "", false, "column 1: " PLACE },
	{ "[3]", false, "column 1: " PLACE ", not '['" },
	{ "\"\"[3]", false, "column 1: " PLACE ", not '\"\"'" },
	{ "-1/4", false, "column 1: expected an address, not '-1'" },
	{ "0x1000", false, "column 7: expected '/'" },
	{ "0x1000/0", false, "column 8: a watch of 0 bytes" },
	{ "0x10000000000000000/4", false, "column 1: '0x10000000000000000' is not a number or a size" },
	{ "0xffffffffffffffff/2", false, "the range is behind all addresses" },
	{ "grid:changed", false, "changed compares at most 64 bytes: give a range, as grid[0]" },
	{ "grid:f32[3]:x", false, "column 13: " MODES ", not 'x'" },
	{ "grid:s", false, "column 6: " MODES ", not 's'" },
	{ "grid:f32[3]:", false, "column 13: " MODES },
	{ "grid:f32[3]w", false, "column 12: expected the end of the watch, not 'w'" },
	{ "grid:f32[3]:w:r", false, "column 15: the mode comes first, and once" },
	{ "grid:f32[3]:meter:r", false, "column 19: the mode comes first, and once" },
	{ "grid:f32+0,4", false, "column 9: expected the end of the watch, not '+'" },
	{ "grid+4", false, "column 7: expected ','" },
	{ "grid+4,0", false, "column 8: a watch of 0 bytes" },
	{ "grid:f32[4..3]", false, "column 13: the last index is below the first" },
	{ "grid:f32[18446744073709551615]", false, "column 30: the index is too large" },
	{ "grid:f32[0..18446744073709551615]", false, "column 33: the index is too large" },
	{ "grid+18446744073709551615,2", false, "the range is behind all addresses" },
	{ "grid+0,65:changed", false, "changed compares at most 64 bytes, these are 65" },
	{ "grid[0]:possible:meter", false, "possible excludes lost and meter" },
	{ "grid[0]:exact:possible", false, "exact excludes possible, lost and meter" },
	{ "grid[0]:lost:exact", false, "exact excludes possible, lost and meter" },
	{ "grid[0]:meter:exact", false, "exact excludes possible, lost and meter" },
	{ "grid[0]:exact:w", false, "column 15: the mode comes first, and once" },
	{ "grid[0]:lost:changed", false, "lost excludes changed and meter" },
	{ "grid[4096]:w", true, "grid has 4096 elements: 4096 is out of range" },
	{ "grid[0..4096]:w", true, "grid has 4096 elements: 4096 is out of range" },
	{ "tab+19,2:w", true, "tab has 20 bytes: 20 is out of range" },
	{ "tab+20,1:w", true, "tab has 20 bytes: 20 is out of range" },
	{ "tab:f32[0]:w", true, "tab is a buffer of u16, not of f32" },
	{ "two:w", true, "there are buffers two of different sizes: give a range" },
	{ "lut:w", true, "there is no buffer lut; there are: grid, tab, out, two, two" },
	{ "grid[3]:w if", false, "column 13: expected value, isnan, group or item" },
	{ "grid[3]:w if 5", false, "column 14: expected value, isnan, group or item, not '5'" },
	{ "grid[3]:w if isnan", false, "the type of the elements is not known: give one, as grid:f32[*]" },
	{ "grid:u32[3]:w if isnan", false, "no u32 is a NaN" },
	{ "grid:f32[3]:w if isnan and value > 1", false, "column 28: a condition tests the value once" },
	{ "grid:f32[3] if value", false, "column 21: expected ==, !=, <, <=, >, >=, in or not in" },
	{ "grid:f32[3] if value = 1", false, "column 24: expected ==, !=, <, <=, >, >=, in or not in, not '1'" },
	{ "grid:f32[3] if value == x", false, "column 25: expected a number, not 'x'" },
	{ "grid:u8[3] if value == 256", false, "the condition compares with no value of u8" },
	{ "grid:u8[3] if value == 0.5", false, "the condition compares with no value of u8" },
	{ "grid:u8[3] if value < 0", false, "no value of u8 is below that" },
	{ "grid:i64[3] if value > 9223372036854775807", false, "no value of i64 is above that" },
	{ "grid:f16[3] if value <= 70000", false, "the condition compares with no value of f16" },
	{ "grid:i8[3] if value in 3..2", false, "the range of the condition is empty" },
	{ "grid:f64[3] if value not 2", false, "column 26: expected in, not '2'" },
	{ "grid[3] if group 1 and group 2", false, "column 24: a condition has a group once" },
	{ "grid[3] if item 1 and item 2", false, "column 23: a condition has an item once" },
	{ "grid[3] if item 4294967296", false, "column 17: no workgroup has so many work-items" },
	{ "grid[3] if group 0,4294967296", false, "column 20: no workgroup has such a coordinate in y" },
	{ "grid[3] if item 1 or item 2", false, "column 19: expected the end of the watch, not 'or'" },
	{ "grid[3]:lost if item 1", false, "a condition excludes lost and meter" },
	{ "grid[3]:meter if item 1", false, "a condition excludes lost and meter" },
	{ "0x1000/0x1000000000000", false, "no watch has more than 2^48 - 1 bytes" },
	{ "grid[*", false, "column 7: expected ']'" },
	{ "\"a name of sixty-four characters, which is one more than it can be\"[0]", false,
	  "column 1: a name of more than 63 characters" },
};

static void test_right(int i)
{
	char got[GEXPR_EVENT_MAX] = "", want[GEXPR_EVENT_MAX];
	struct grun_err err = {};
	struct gexpr e;

	if (!gexpr_watch(&e, right[i].text, right[i].known ? &known : NULL, &err)) {
		e.condition.id = 7;
		gexpr_event(&e, got, sizeof(got));
	}
	snprintf(want, sizeof(want), "gpubp/%s%s", right[i].event,
		 strchr(right[i].event, '/') ? "" : "/");
	if (!tap_ok(!strcmp(got, want), "%s", right[i].text))
		tap_note("%s, not %s; %s", got, want, err.text);
}

static void test_wrong(int i)
{
	struct grun_err err = {};
	struct gexpr e;
	bool ok = gexpr_watch(&e, wrong[i].text, wrong[i].known ? &known : NULL,
			      &err) == -EINVAL && !strcmp(err.text, wrong[i].says);

	if (!tap_ok(ok, "'%s' is refused", wrong[i].text))
		tap_note("%s", err.text[0] ? err.text : "no error");
}

static void test_collision(void)
{
	struct gexpr_buffers both = { colliding, 2 };
	struct grun_err err = {};
	struct gexpr e;

	tap_ok(gexpr_watch(&e, "ztxtxde[0]", &both, &err) == -EINVAL &&
	       !strcmp(err.text, "ztxtxde and lsexqzd have the same hash, so that an event would watch both"),
	       "a name with the hash of another one: %s", err.text);
}

static void test_place(void)
{
	struct grun_err err = {};
	struct gexpr e;

	tap_ok(!gexpr_watch(&e, "two[7]", &known, &err) &&
	       !gexpr_place(&e, &known, &err) && e.addr == 0x20000701c &&
	       !e.name[0] && !e.code, "the place of a name: %s", err.text);
	tap_ok(!gexpr_watch(&e, "two[8]", NULL, &err) &&
	       gexpr_place(&e, &known, &err) == -EINVAL &&
	       !strcmp(err.text, "the address of two is not known"),
	       "no place: %s", err.text);
}

static void test_attr(void)
{
	struct perf_event_attr attr = {};
	struct grun_err err = {};
	struct gexpr e;

	tap_ok(!gexpr_watch(&e, "grid[3]:w:changed", NULL, &err), "attr");
	gexpr_attr(&e, &attr);
	tap_ok(attr.config == 0xaf871a91000c0201 && attr.config1 == 12 &&
	       attr.config2 == 4 && attr.sample_period == 1, "its words: %llx",
	       attr.config);
	tap_ok(!gexpr_watch(&e, "0x1000/8:r:lost", NULL, &err), "attr of lost");
	gexpr_attr(&e, &attr);
	tap_ok(attr.config == 0x200101 && attr.config1 == 0x1000 &&
	       attr.config2 == 8 && !attr.sample_period, "its words: %llx",
	       attr.config);
}

static bool try_watch(const unsigned char *data, size_t size)
{
	struct grun_err err;
	char text[64], event[GEXPR_EVENT_MAX];
	struct gexpr e;

	memcpy(text, data, size);
	text[size] = 0;
	if (gexpr_watch(&e, text, &known, &err))
		return false;
	gexpr_event(&e, event, sizeof(event));
	return event[strlen(event) - 1] == '/';
}

static void test_damaged(void)
{
	static const char whole[] = "grid:f32[128..131]:rw:changed";
	size_t n = mutate_random(try_watch, (const unsigned char *)whole,
				 sizeof(whole) - 1, 50000);

	tap_ok(n > 0 && n < 50000, "%zu of 50000 changed watches are right", n);
}

/* what the comparison becomes: the range of values, as bits */
static const struct {
	const char *text;
	uint32_t type, test;
	uint64_t low, high;
} conditions[] = {
	{ "a:u8[0] if value == 5", GPUBP_VALUE_U8, GPUBP_TEST_INSIDE, 5, 5 },
	{ "a:u8[0] if value != 5", GPUBP_VALUE_U8, GPUBP_TEST_OUTSIDE, 5, 5 },
	{ "a:u8[0] if value < 5", GPUBP_VALUE_U8, GPUBP_TEST_INSIDE, 0, 4 },
	{ "a:u8[0] if value <= 5", GPUBP_VALUE_U8, GPUBP_TEST_INSIDE, 0, 5 },
	{ "a:u8[0] if value > 5", GPUBP_VALUE_U8, GPUBP_TEST_INSIDE, 6, 255 },
	{ "a:u8[0] if value >= 5", GPUBP_VALUE_U8, GPUBP_TEST_INSIDE, 5, 255 },
	{ "a:i16[0] if value < 0", GPUBP_VALUE_I16, GPUBP_TEST_INSIDE, 0x8000, 0xffff },
	{ "a:i32[0] if value > -1", GPUBP_VALUE_I32, GPUBP_TEST_INSIDE, 0, 0x7fffffff },
	{ "a:i64[0] if value not in -2..2", GPUBP_VALUE_I64, GPUBP_TEST_OUTSIDE, ~1ULL, 2 },
	{ "a:u64[0] if value >= 1", GPUBP_VALUE_U64, GPUBP_TEST_INSIDE, 1, ~0ULL },
	{ "a:f32[0] if value < 0", GPUBP_VALUE_F32, GPUBP_TEST_INSIDE, 0xff800000, 0x80000001 },
	{ "a:f32[0] if value > 0", GPUBP_VALUE_F32, GPUBP_TEST_INSIDE, 1, 0x7f800000 },
	{ "a:f32[0] if value > 1", GPUBP_VALUE_F32, GPUBP_TEST_INSIDE, 0x3f800001, 0x7f800000 },
	{ "a:f32[0] if value > -1", GPUBP_VALUE_F32, GPUBP_TEST_INSIDE, 0xbf7fffff, 0x7f800000 },
	{ "a:f32[0] if value < -1", GPUBP_VALUE_F32, GPUBP_TEST_INSIDE, 0xff800000, 0xbf800001 },
	{ "a:f32[0] if value in -1.5..2e3", GPUBP_VALUE_F32, GPUBP_TEST_INSIDE, 0xbfc00000, 0x44fa0000 },
	{ "a:f64[0] if value >= 0.5", GPUBP_VALUE_F64, GPUBP_TEST_INSIDE, 0x3feULL << 52, 0x7ffULL << 52 },
	{ "a:f64[0] if isnan", GPUBP_VALUE_F64, GPUBP_TEST_NAN, 0, 0 },
	{ "a:f16[0] if value > 1", GPUBP_VALUE_F16, GPUBP_TEST_INSIDE, 0x3c01, 0x7c00 },
	{ "a:f16[0] if value < 0", GPUBP_VALUE_F16, GPUBP_TEST_INSIDE, 0xfc00, 0x8001 },
	{ "a:bf16[0] if isnan", GPUBP_VALUE_BF16, GPUBP_TEST_NAN, 0, 0 },
	{ "a[0] if item 9", GPUBP_VALUE_NONE, 0, 0, 0 },
	{ "grid[0] if isnan", GPUBP_VALUE_F32, GPUBP_TEST_NAN, 0, 0 },
	{ "grid[*] if isnan", GPUBP_VALUE_F32, GPUBP_TEST_NAN, 0, 0 },
};

static void test_condition(int i)
{
	const struct gpubp_condition *c;
	struct grun_err err = {};
	struct gexpr e;
	int ret = gexpr_watch(&e, conditions[i].text,
			      conditions[i].text[0] == 'g' ? &known : NULL, &err);

	c = &e.condition;
	if (!tap_ok(!ret && e.conditional && c->type == conditions[i].type &&
		    c->test == conditions[i].test && c->low == conditions[i].low &&
		    c->high == conditions[i].high, "%s", conditions[i].text))
		tap_note("%s: type %u test %u [%#llx, %#llx]", err.text, c->type,
			 c->test, (unsigned long long)c->low,
			 (unsigned long long)c->high);
}

static void test_places(void)
{
	struct grun_err err = {};
	struct gexpr e;

	tap_ok(!gexpr_watch(&e, "a[0] if item 7 and group 3,0,9", NULL, &err) &&
	       e.condition.places == GPUBP_PLACE_ALL && e.condition.item == 7 &&
	       e.condition.wg_x == 3 && !e.condition.wg_y &&
	       e.condition.wg_z == 9, "all places");
	tap_ok(!gexpr_watch(&e, "a[0] if group 3", NULL, &err) &&
	       e.condition.places == GPUBP_PLACE_WG_X, "one coordinate");
}

int main(void)
{
	int i;

	tap_plan(ARRAY_SIZE(right) + ARRAY_SIZE(wrong) + 1 + 2 + 4 + 1 +
		 ARRAY_SIZE(conditions) + 2);
	for (i = 0; i < ARRAY_SIZE(right); i++)
		test_right(i);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		test_wrong(i);
	test_collision();
	test_place();
	test_attr();
	for (i = 0; i < ARRAY_SIZE(conditions); i++)
		test_condition(i);
	test_places();
	test_damaged();
	return tap_status();
}
