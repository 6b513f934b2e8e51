// SPDX-License-Identifier: GPL-2.0
/*
 * Element types.
 */
#include "mutate.h"
#include "script.h"

/* what is printed reads back as the same bits */
static void test_types(void)
{
	static const char *const types[] = {
		"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16",
		"bf16", "f32", "f64",
	};
	unsigned long long seed = 4;
	size_t i, n, bad = 0;

	for (i = 0; i < 12; i++) {
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
			lex_init(&lex, text, strlen(text), 1);
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

static void test_halves(void)
{
	static const struct {
		const char *type;
		double real;
		uint16_t bits;
	} rows[] = {
		{ "f16", 1, 0x3c00 }, { "f16", -2.5, 0xc100 }, { "f16", 65504, 0x7bff },
		{ "f16", 65519, 0x7bff }, { "f16", 65520, 0x7c00 }, { "f16", 1e9, 0x7c00 },
		{ "f16", 5.9604644775390625e-8, 0x0001 }, { "f16", 2e-8, 0x0000 },
		{ "f16", 2.98023223876953125e-8, 0x0000 }, { "f16", 6.1035156e-5, 0x0400 },
		{ "f16", 1.00048828125, 0x3c00 }, { "f16", 1.00146484375, 0x3c02 },
		{ "f16", 0, 0 }, { "f16", 0.1, 0x2e66 },
		{ "bf16", 1, 0x3f80 }, { "bf16", 0.1, 0x3dcd }, { "bf16", -3e38, 0xff62 },
		{ "bf16", 3.4e38, 0x7f80 }, { "bf16", 1e-40, 0x0001 },
	};
	struct number number = { .is_float = true };
	size_t i, bad = 0;
	uint16_t bits;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		number.real = rows[i].real;
		bad += !elem_put(elem_find(rows[i].type), &bits, &number) ||
		       bits != rows[i].bits;
		if (bits != rows[i].bits)
			tap_note("%s %.9g is %#x, not %#x", rows[i].type,
				 rows[i].real, bits, rows[i].bits);
	}
	tap_ok(!bad, "floats of 16 bits are rounded to the nearest");
}

int main(void)
{
	tap_plan(2);
	test_types();
	test_halves();
	return tap_status();
}
