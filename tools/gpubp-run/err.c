// SPDX-License-Identifier: GPL-2.0
/*
 * Error sentences.
 */
#include <stdarg.h>
#include <stdio.h>
#include "gpubp_run.h"

/* names out of damaged files may have anything in them */
static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

int grun_fail(struct grun_err *err, int code, const char *fmt, ...)
{
	va_list args;

	if (err) {
		va_start(args, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, args);
		va_end(args);
		make_printable(err->text);
	}
	return code;
}
