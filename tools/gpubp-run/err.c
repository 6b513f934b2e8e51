// SPDX-License-Identifier: GPL-2.0
/*
 * Error sentences.
 */
#include <stdarg.h>
#include <stdio.h>
#include "gpubp_run.h"

int grun_fail(struct grun_err *err, int code, const char *fmt, ...)
{
	va_list args;

	if (err) {
		va_start(args, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, args);
		va_end(args);
	}
	return code;
}
