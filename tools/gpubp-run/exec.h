/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running a checked script.
 */
#ifndef GRUN_EXEC_H
#define GRUN_EXEC_H

#include "script.h"

/**
 * script_run() - run a script that script_check() passed
 * @script: script
 * @dev: device
 * @code: its code object, loaded
 * @timeout_ns: longest wait for dispatches where the script does not say, -1
 *	for ever
 * @err: error
 *
 * Results go to stdout.
 *
 * Return: 0; -EBADMSG when a check failed; what grun_wait() says of a dispatch
 * that did not end well; another errno when the device or a file failed.
 */
int script_run(const struct script *script, struct grun_device *dev,
	       struct grun_code *code, int64_t timeout_ns, struct grun_err *err);

/** pattern_fill() - fill @count elements of @type at @p */
int pattern_fill(const struct pattern *pattern, const struct elem_type *type,
		 void *p, uint64_t count, struct grun_err *err);

#endif /* GRUN_EXEC_H */
