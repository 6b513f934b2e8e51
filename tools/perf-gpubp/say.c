// SPDX-License-Identifier: GPL-2.0
/*
 * Messages for people, one sentence each.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "verb.h"

static void say(const char *fmt, va_list args)
{
	fflush(stdout);
	fputs("perf-gpubp: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

int complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	return EXIT_ERROR;
}

int misuse(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	return EXIT_USAGE;
}

int finish_output(FILE *out, const char *path)
{
	if (!fflush(out) && !ferror(out))
		return EXIT_OK;
	/* of an earlier write, if not of this one: the last call that failed */
	return complain("%s: %s", path, strerror(errno ? errno : EIO));
}
