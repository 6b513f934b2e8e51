/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions of watches: "if value > 0.5 and group 3,0 and item 5".
 */
#ifndef GRUN_EXPR_CONDITION_H
#define GRUN_EXPR_CONDITION_H

#include "parse.h"

/**
 * struct condition - a condition, as it was written
 * @given: there is one
 * @op: what the value is compared by: "=!<l>g" for == != < <= > >=, 'i' and 'o'
 *	for inside and outside of a range, 'n' for isnan; 0 not at all
 * @pos: where
 * @low: number that it is compared with, or the first of a range
 * @high: the last of a range
 * @places: GPUBP_PLACE_*
 * @group: workgroup
 * @item: work-item in its workgroup
 */
struct condition {
	bool given;
	char op;
	struct lex_pos pos;
	struct number low;
	struct number high;
	uint32_t places;
	uint32_t group[3];
	uint32_t item;
};

/** condition_read() - read what follows "if", up to the end */
void condition_read(struct parser *p, struct condition *c);

/**
 * condition_resolve() - what the kernel takes
 * @c: condition
 * @type: of the watched elements, NULL unknown
 * @out: out
 * @err: error
 *
 * Return: 0 or -EINVAL.
 */
int condition_resolve(const struct condition *c, const struct elem_type *type,
		      struct gpubp_condition *out, struct grun_err *err);

#endif /* GRUN_EXPR_CONDITION_H */
