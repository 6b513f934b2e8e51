// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions of watches. See expr_condition.h.
 *
 * The kernel knows ranges of values and NaNs, nothing else: all comparisons
 * become ranges of the type's values.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "expr_condition.h"
#include "internal.h"

#define TERMS	"value, isnan, group or item"

/* ---- words ---------------------------------------------------------------- */

static void read_group(struct parser *p, struct condition *c)
{
	static const char *const axes[] = { "x", "y", "z" };
	unsigned int i = 0;

	do {
		struct lex_pos pos = p->token.pos;
		uint64_t n = parse_int(p, "the coordinates of a workgroup");

		if (n > UINT32_MAX)
			parse_error(p, pos, "no workgroup has such a coordinate in %s",
				    axes[i]);
		c->group[i] = (uint32_t)n;
		c->places |= 1u << i;
	} while (++i < ARRAY_SIZE(axes) && parse_punct(p, ','));
}

static void read_item(struct parser *p, struct condition *c)
{
	struct lex_pos pos = p->token.pos;
	uint64_t n = parse_int(p, "the number of a work-item in its workgroup");

	if (n > UINT32_MAX)
		parse_error(p, pos, "no workgroup has so many work-items");
	c->item = (uint32_t)n;
	c->places |= GPUBP_PLACE_ITEM;
}

static void read_range(struct parser *p, struct condition *c, char op)
{
	c->op = op;
	c->low = parse_number(p, "a number");
	if (!parse_punct(p, '.'))
		parse_expected(p, "'..'");
	c->high = parse_number(p, "a number");
}

/* "==", "!=", "<", "<=", ">", ">="; 0 if it is none */
static char read_operator(struct parser *p)
{
	static const struct {
		char first, alone, with_equals;
	} operators[] = {
		{ '=', 0, '=' }, { '!', 0, '!' }, { '<', '<', 'l' },
		{ '>', '>', 'g' },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operators); i++)
		if (parse_punct(p, operators[i].first))
			return parse_punct(p, '=') ? operators[i].with_equals :
						     operators[i].alone;
	return 0;
}

static void read_value(struct parser *p, struct condition *c)
{
	if (parse_keyword(p, "in")) {
		read_range(p, c, 'i');
	} else if (parse_keyword(p, "not")) {
		if (!parse_keyword(p, "in"))
			parse_expected(p, "in");
		read_range(p, c, 'o');
	} else {
		c->op = read_operator(p);
		if (!c->op)
			parse_expected(p, "==, !=, <, <=, >, >=, in or not in");
		c->low = parse_number(p, "a number");
	}
}

static void read_once(struct parser *p, struct lex_pos pos, bool given,
		      const char *what)
{
	if (given)
		parse_error(p, pos, "%s once", what);
}

static void read_term(struct parser *p, struct condition *c)
{
	struct lex_pos pos = p->token.pos;

	if (parse_keyword(p, "isnan")) {
		read_once(p, pos, c->op, "a condition tests the value");
		c->op = 'n';
		c->pos = pos;
	} else if (parse_keyword(p, "value")) {
		read_once(p, pos, c->op, "a condition tests the value");
		c->pos = pos;
		read_value(p, c);
	} else if (parse_keyword(p, "group")) {
		read_once(p, pos, c->places & GPUBP_PLACE_WG_X,
			  "a condition has a group");
		read_group(p, c);
	} else if (parse_keyword(p, "item")) {
		read_once(p, pos, c->places & GPUBP_PLACE_ITEM,
			  "a condition has an item");
		read_item(p, c);
	} else {
		parse_expected(p, TERMS);
	}
}

void condition_read(struct parser *p, struct condition *c)
{
	c->given = true;
	do {
		read_term(p, c);
	} while (parse_keyword(p, "and"));
}

/* ---- values --------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t type;
	uint64_t lowest;
	uint64_t highest;
} value_types[] = {
	{ "u8", GPUBP_VALUE_U8, 0, UINT8_MAX },
	{ "u16", GPUBP_VALUE_U16, 0, UINT16_MAX },
	{ "u32", GPUBP_VALUE_U32, 0, UINT32_MAX },
	{ "u64", GPUBP_VALUE_U64, 0, UINT64_MAX },
	{ "i8", GPUBP_VALUE_I8, 0x80, INT8_MAX },
	{ "i16", GPUBP_VALUE_I16, 0x8000, INT16_MAX },
	{ "i32", GPUBP_VALUE_I32, 0x80000000, INT32_MAX },
	{ "i64", GPUBP_VALUE_I64, 1ULL << 63, INT64_MAX },
	/* infinities */
	{ "f16", GPUBP_VALUE_F16, 0xfc00, 0x7c00 },
	{ "f32", GPUBP_VALUE_F32, 0xff800000, 0x7f800000 },
	{ "f64", GPUBP_VALUE_F64, 0xfffULL << 52, 0x7ffULL << 52 },
	{ "bf16", GPUBP_VALUE_BF16, 0xff80, 0x7f80 },
};

static size_t value_type(const struct elem_type *type)
{
	size_t i = 0;

	while (strcmp(value_types[i].name, type->name))
		i++;
	return i;
}

static int number_bits(const struct elem_type *type, const struct number *n,
		       uint64_t *bits, struct grun_err *err)
{
	*bits = 0;
	/* a number beyond the largest would be infinity */
	if (elem_put(type, bits, n) &&
	    (type->kind != ELEM_FLOAT || !isinf(elem_get(type, bits).real)))
		return 0;
	return grun_fail(err, -EINVAL, "the condition compares with no value of %s",
			 type->name);
}

/* the next value of the type, upwards or downwards; there is one */
static uint64_t bits_next(const struct elem_type *type, uint64_t bits, bool up)
{
	uint64_t sign = 1ULL << (8 * type->size - 1);
	uint64_t mask = sign | (sign - 1);

	if (type->kind != ELEM_FLOAT)
		return (up ? bits + 1 : bits - 1) & mask;
	if (!(bits & ~sign))
		return up ? 1 : sign | 1;
	/* away from 0, or towards it */
	return up == !(bits & sign) ? bits + 1 : bits - 1;
}

/* the range for < and >, which has no value beyond the end of the type */
static int strict_range(const struct elem_type *type, bool above, uint64_t bits,
			uint64_t end, struct gpubp_condition *out,
			struct grun_err *err)
{
	if (bits == end)
		return grun_fail(err, -EINVAL, "no value of %s is %s that",
				 type->name, above ? "above" : "below");
	bits = bits_next(type, bits, above);
	if (above)
		out->low = bits;
	else
		out->high = bits;
	return 0;
}

static bool range_is_empty(const struct elem_type *type, uint64_t low,
			   uint64_t high)
{
	struct number a = elem_get(type, &low), b = elem_get(type, &high);

	if (a.is_float)
		return !(a.real <= b.real);
	if (type->kind == ELEM_SIGNED)
		return (int64_t)a.num > (int64_t)b.num;
	return a.num > b.num;
}

static int resolve_range(const struct condition *c, const struct elem_type *type,
			 uint64_t low, struct gpubp_condition *out,
			 struct grun_err *err)
{
	uint64_t high;
	int ret = number_bits(type, &c->high, &high, err);

	if (ret)
		return ret;
	if (range_is_empty(type, low, high))
		return grun_fail(err, -EINVAL, "the range of the condition is empty");
	out->test = c->op == 'i' ? GPUBP_TEST_INSIDE : GPUBP_TEST_OUTSIDE;
	out->low = low;
	out->high = high;
	return 0;
}

static int resolve_compare(const struct condition *c, const struct elem_type *type,
			   struct gpubp_condition *out, struct grun_err *err)
{
	size_t i = value_type(type);
	uint64_t bits;
	int ret = number_bits(type, &c->low, &bits, err);

	if (ret)
		return ret;
	out->test = c->op == '!' ? GPUBP_TEST_OUTSIDE : GPUBP_TEST_INSIDE;
	out->low = value_types[i].lowest;
	out->high = value_types[i].highest;
	switch (c->op) {
	case '<':
		return strict_range(type, false, bits, out->low, out, err);
	case 'l':
		out->high = bits;
		return 0;
	case '>':
		return strict_range(type, true, bits, out->high, out, err);
	case 'g':
		out->low = bits;
		return 0;
	case '=':
	case '!':
		out->low = bits;
		out->high = bits;
		return 0;
	default:
		return resolve_range(c, type, bits, out, err);
	}
}

static int resolve_value(const struct condition *c, const struct elem_type *type,
			 struct gpubp_condition *out, struct grun_err *err)
{
	if (!type)
		return grun_fail(err, -EINVAL,
				 "the type of the elements is not known: give one, as grid:f32[*]");
	out->type = value_types[value_type(type)].type;
	if (c->op != 'n')
		return resolve_compare(c, type, out, err);
	if (type->kind != ELEM_FLOAT)
		return grun_fail(err, -EINVAL, "no %s is a NaN", type->name);
	out->test = GPUBP_TEST_NAN;
	return 0;
}

int condition_resolve(const struct condition *c, const struct elem_type *type,
		      struct gpubp_condition *out, struct grun_err *err)
{
	*out = (struct gpubp_condition) {
		.places = c->places, .wg_x = c->group[0], .wg_y = c->group[1],
		.wg_z = c->group[2], .item = c->item,
	};
	return c->op ? resolve_value(c, type, out, err) : 0;
}
