/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of GPUBP_LISTENER that a tool has: messages of the commands that it starts,
 * each of which waits for an answer. See gpubp_run.h.
 */
#ifndef PERF_GPUBP_LISTEN_H
#define PERF_GPUBP_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>
#include "gpubp_run.h"

#define LISTEN_MAX	8192	/* bytes of a message, with its NUL */

/**
 * listen_begin() - listen to the commands that are started from now on
 * @ours: (out) for the functions below; to be closed
 * @theirs: (out) a file for the commands, to be closed once they have it
 * @err: error
 *
 * Return: 0 or a negative errno.
 */
int listen_begin(int *ours, int *theirs, struct grun_err *err);

/**
 * listen_receive() - wait for a message
 * @ours: of listen_begin()
 * @timeout_ms: for so long
 * @text: (out) the message
 *
 * Return: its bytes; 0 none came; -1 no command has the other end any more.
 */
ssize_t listen_receive(int ours, int timeout_ms, char text[LISTEN_MAX]);

/** listen_answer() - let the command go on; false: it has gone */
bool listen_answer(int ours);

#endif /* PERF_GPUBP_LISTEN_H */
