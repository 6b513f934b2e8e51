/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of gpubp_expr.h share.
 */
#ifndef GRUN_EXPR_H
#define GRUN_EXPR_H

#include "gpubp_expr.h"

/**
 * gexpr_label() - make the label of an expression
 *
 * perf takes letters, digits and "_.[]-" without quotes; blanks and ":w" are
 * left out, all other characters become ".".
 */
void gexpr_label(struct gexpr *e, const char *text);

#endif /* GRUN_EXPR_H */
