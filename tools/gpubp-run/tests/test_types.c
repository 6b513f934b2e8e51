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

int main(void)
{
	tap_plan(1);
	test_types();
	return tap_status();
}
