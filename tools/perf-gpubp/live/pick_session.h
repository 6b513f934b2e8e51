/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session of watch sets and conditions, which exist as long as it is open.
 */
#ifndef PERF_GPUBP_PICK_SESSION_H
#define PERF_GPUBP_PICK_SESSION_H

#include "gpubp_expr.h"

/**
 * pick_session() - open /dev/gpubp, which stays open as long as this process is
 * @session: its fd, opened if it is -1
 * @err: error
 *
 * Return: 0 or a negative errno.
 */
int pick_session(int *session, struct grun_err *err);

/**
 * pick_condition() - create the condition of an expression
 * @session: fd of /dev/gpubp, opened if it is -1
 * @e: expression; its condition gets an id, if it has one
 * @err: error
 *
 * Return: 0 or a negative errno.
 */
int pick_condition(int *session, struct gexpr *e, struct grun_err *err);

#endif /* PERF_GPUBP_PICK_SESSION_H */
