// SPDX-License-Identifier: GPL-2.0
/*
 * Watches by name, and element types.
 */
#include "mutate.h"
#include "script.h"

#define SCRIPT	"buf grid f32 64x64; buf tab u16 10"

static const struct {
	const char *watch;
	bool script;
	const char *event;	/* behind the name's hash */
} right[] = {
	{ "grid:f32[3]:w", false, "6 addr=0xc,len=4" },
	{ "grid:f32[128..131]:w", false, "6 addr=0x200,len=16" },
	{ "grid:f32[3]", false, "6 addr=0xc,len=4" },
	{ "grid:u8[3]:r", false, "1 addr=0x3,len=1" },
	{ "grid+512,4:rw", false, "7 addr=0x200,len=4" },
	{ "grid+0,1:a", false, "4 addr=0x0,len=1" },
	{ "grid+0x10,0x20:s", false, "2 addr=0x10,len=32" },
	{ "grid+0,3:rs", false, "3 addr=0x0,len=3" },
	{ "grid", true, "6 addr=0x0,len=16384" },
	{ "grid:ra", true, "5 addr=0x0,len=16384" },
	{ "grid:f32:r", true, "1 addr=0x0,len=16384" },
	{ "grid[4095]:w", true, "6 addr=0x3ffc,len=4" },
	{ "tab[9]:w", true, "6 addr=0x12,len=2" },
	{ "tab+19,1:w", true, "6 addr=0x13,len=1" },
	{ "tab[0..9]:sa", true, "6 addr=0x0,len=20" },
};

static const struct {
	const char *watch;
	bool script;
	const char *says;
} wrong[] = {
	{ "", false, "line 1, column 1: expected the name of a buffer" },
	{ "[3]", false, "line 1, column 1: expected the name of a buffer, not '['" },
	{ "grid[3]:w", false, "the element type of grid is not known: give a script, or say grid:f32[...]" },
	{ "grid", false, "the size of grid is not known: give a script, or a range" },
	{ "grid:w", false, "the size of grid is not known: give a script, or a range" },
	{ "grid:f32[3]:x", false, "line 1, column 13: expected a mode of the letters r (load), s (store), a (atomic), w (store and atomic), not 'x'" },
	{ "grid:f32[3]:", false, "line 1, column 13: expected a mode of the letters r (load), s (store), a (atomic), w (store and atomic)" },
	{ "grid:f32[3]w", false, "line 1, column 12: expected the end of the watch, not 'w'" },
	{ "grid:f32[3]:w:r", false, "line 1, column 14: expected the end of the watch, not ':'" },
	{ "grid+4", false, "line 1, column 7: expected ','" },
	{ "grid+4,0", false, "line 1, column 8: a watch of 0 bytes" },
	{ "grid:f32[4..3]", false, "line 1, column 13: the last index is below the first" },
	{ "grid:f32[18446744073709551615]", false, "line 1, column 30: the index is too large" },
	{ "grid:f32[0..18446744073709551615]", false, "line 1, column 33: the index is too large" },
	{ "grid+18446744073709551615,1", false, "the range is out of any buffer" },
	{ "grid[4096]:w", true, "grid has 4096 elements: 4096 is out of range" },
	{ "grid[0..4096]:w", true, "grid has 4096 elements: 4096 is out of range" },
	{ "tab+19,2:w", true, "tab has 20 bytes: 20 is out of range" },
	{ "tab+20,1:w", true, "tab has 20 bytes: 20 is out of range" },
	{ "tab:f32[0]:w", true, "tab is a buffer of u16, not of f32" },
	{ "lut:w", true, "the script declares no buffer lut" },
};

#define NR_RIGHT	((int)(sizeof(right) / sizeof(right[0])))
#define NR_WRONG	((int)(sizeof(wrong) / sizeof(wrong[0])))

static struct script script;

static int resolve(const char *text, bool with_script, struct watch *watch,
		   uint64_t *offset, uint64_t *size, struct grun_err *err)
{
	int ret = watch_parse(watch, text, err);

	if (ret)
		return ret;
	return watch_resolve(watch, with_script ? &script : NULL, offset, size, err);
}

static void test_right(int i)
{
	char got[192], want[192];
	struct grun_err err = {};
	uint64_t offset, size;
	struct watch watch;

	got[0] = 0;
	if (!resolve(right[i].watch, right[i].script, &watch, &offset, &size, &err))
		grun_event_string(got, sizeof(got), watch.name, offset, size,
				  watch.access);
	snprintf(want, sizeof(want),
		 "gpubp/kind=1,access=%c,named=1,code=0x%x,%s,period=1/",
		 right[i].event[0],
		 strncmp(right[i].watch, "tab", 3) ? 0xaf871a91 : 0x98f72e4c,
		 right[i].event + 2);
	if (!tap_ok(!strcmp(got, want), "%s", right[i].watch))
		tap_note("%s, not %s; %s", got, want, err.text);
}

static void test_wrong(int i)
{
	struct grun_err err = {};
	uint64_t offset, size;
	struct watch watch;
	bool ok;

	ok = resolve(wrong[i].watch, wrong[i].script, &watch, &offset, &size, &err) &&
	     !strcmp(err.text, wrong[i].says);
	if (!tap_ok(ok, "'%s' is refused", wrong[i].watch))
		tap_note("%s", err.text[0] ? err.text : "no error");
}

static bool try_watch(const unsigned char *data, size_t size)
{
	uint64_t offset, bytes;
	struct grun_err err;
	struct watch watch;
	char text[64];

	memcpy(text, data, size);
	text[size] = 0;
	return !resolve(text, false, &watch, &offset, &bytes, &err);
}

static void test_damaged(void)
{
	static const char whole[] = "grid:f32[128..131]:w";
	size_t n = mutate_random(try_watch, (const unsigned char *)whole,
				 sizeof(whole) - 1, 50000);

	tap_ok(n > 0 && n < 50000, "%zu of 50000 changed watches are right", n);
}

/* what is printed reads back as the same bits */
static void test_types(void)
{
	static const char *const types[] = {
		"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64",
	};
	unsigned long long seed = 4;
	size_t i, n, bad = 0;

	for (i = 0; i < 10; i++) {
		const struct elem_type *type = elem_find(types[i]);

		for (n = 0; n < 1000; n++) {
			unsigned long long bits = tap_random(&seed), back = 0, cut = 0;
			struct lex_token token;
			struct grun_err err;
			struct number number;
			struct lexer lex;
			char text[32];

			memcpy(&cut, &bits, type->size);
			number = elem_get(type, &cut);
			if (number.is_float && number.real != number.real)
				continue;
			elem_format(type, &cut, text, sizeof(text));
			if (strpbrk(text, "in"))
				continue;
			lex_init(&lex, text, strlen(text));
			bad += !!lex_next(&lex, &token, &err);
			number = (struct number){
				token.type == LEX_FLOAT, token.negative, token.num,
				token.real,
			};
			bad += !elem_put(type, &back, &number);
			bad += back != cut;
		}
	}
	tap_ok(!bad, "what is printed reads back the same");
}

int main(void)
{
	struct grun_err err;
	int i;

	tap_plan(1 + NR_RIGHT + NR_WRONG + 2);
	tap_ok(!script_parse(&script, SCRIPT, strlen(SCRIPT), &err), "the script");
	for (i = 0; i < NR_RIGHT; i++)
		test_right(i);
	for (i = 0; i < NR_WRONG; i++)
		test_wrong(i);
	test_damaged();
	test_types();
	script_free(&script);
	return tap_status();
}
