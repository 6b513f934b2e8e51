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

/**
 * struct gexpr_lines - what the line tables of code objects have of a line
 * @offsets: instructions with which it begins, from the load address
 * @nr: entries of @offsets
 * @has_tables: there is a line table
 * @has_file: it has the file
 * @next: the next line in the file that has an instruction, 0 none
 */
struct gexpr_lines {
	uint64_t *offsets;
	size_t nr;
	bool has_tables;
	bool has_file;
	unsigned int next;
};

/** gexpr_lines_read() - add what @code has of @file:@line; 0 or -ENOMEM */
int gexpr_lines_read(struct gexpr_lines *lines, const struct grun_code *code,
		     const char *file, unsigned int line);

/** gexpr_append() - a new entry, zero, at the end of a list, or NULL */
struct gexpr *gexpr_append(struct gexpr **list, size_t *nr);

#endif /* GRUN_EXPR_H */
