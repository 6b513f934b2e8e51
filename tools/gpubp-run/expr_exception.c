// SPDX-License-Identifier: GPL-2.0
/*
 * Classes of exceptions by name. See gpubp_expr.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "expr.h"
#include "internal.h"

/* the PMU's aliases are these names with exc_ in front; all has none */
static const struct {
	const char *name;
	uint32_t bits;
} exception_classes[] = {
	{ "mem_viol", GPUBP_EXC_MEM_VIOL },
	{ "illegal_inst", GPUBP_EXC_ILLEGAL },
	{ "int_div0", GPUBP_EXC_INT_DIV0 },
	{ "fp", GPUBP_EXC_FP },
	{ "fp_invalid", GPUBP_EXC_FP_INVALID },
	{ "fp_denormal", GPUBP_EXC_FP_DENORMAL },
	{ "fp_div0", GPUBP_EXC_FP_DIV0 },
	{ "fp_overflow", GPUBP_EXC_FP_OVERFLOW },
	{ "fp_underflow", GPUBP_EXC_FP_UNDERFLOW },
	{ "fp_inexact", GPUBP_EXC_FP_INEXACT },
	{ "wave_start", GPUBP_EXC_WAVE_START },
	{ "wave_end", GPUBP_EXC_WAVE_END },
};

const char *gexpr_exception_name(unsigned int n, uint32_t *bits)
{
	if (n >= ARRAY_SIZE(exception_classes))
		return NULL;
	*bits = exception_classes[n].bits;
	return exception_classes[n].name;
}

/* 0 if there is none of that name */
static uint32_t class_bits(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(exception_classes); i++)
		if (strlen(exception_classes[i].name) == len &&
		    !memcmp(exception_classes[i].name, name, len))
			return exception_classes[i].bits;
	return 0;
}

static int class_unknown(const char *name, size_t len, struct grun_err *err)
{
	char names[160];
	size_t at = 0, i;

	for (i = 0; i < ARRAY_SIZE(exception_classes); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
				       i ? ", " : "", exception_classes[i].name);
	return grun_fail(err, -EINVAL,
			 "no class '%.*s'; there are: %s, all",
			 len > 40 ? 40 : (int)len, name, names);
}

int gexpr_exception(struct gexpr *e, const char *text, struct grun_err *err)
{
	const char *word = text;
	size_t len;

	memset(e, 0, sizeof(*e));
	e->kind = GPUBP_KIND_EXCEPTION;
	gexpr_label(e, text);
	/* code 0 is all that the device can report */
	if (!strcmp(text, "all"))
		return 0;
	for (;; word += len + 1) {
		uint32_t bits;

		len = strcspn(word, ",");
		bits = class_bits(word, len);
		if (!bits)
			return class_unknown(word, len, err);
		e->code |= bits;
		if (!word[len])
			return 0;
	}
}
