/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A watch set from a file.
 */
#ifndef PERF_GPUBP_PICK_SET_H
#define PERF_GPUBP_PICK_SET_H

#include "gpubp_expr.h"

/**
 * pick_set() - create a watch set
 * @session: fd of /dev/gpubp, opened if it is -1
 * @path: file, see gexpr_watches()
 * @known: buffers of the target, for watches by name; NULL unknown
 * @id: out: of the set
 * @err: error
 *
 * Return: 0 or a negative errno.
 */
int pick_set(int *session, const char *path, const struct gexpr_buffers *known,
	     unsigned int *id, struct grun_err *err);

#endif /* PERF_GPUBP_PICK_SET_H */
