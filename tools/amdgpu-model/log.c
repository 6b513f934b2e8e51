// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <time.h>

#include "log.h"

static uint64_t clock_ahead;

uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec + clock_ahead;
}

uint64_t clock_ticks(void)
{
	return clock_ns() / 10;
}

void clock_advance(uint64_t ns)
{
	clock_ahead += ns;
}

void log_open(struct log *log, FILE *file)
{
	*log = (struct log){ .file = file, .start_ns = clock_ns() };
	if (file)
		setvbuf(file, NULL, _IOLBF, 0);
}

static void log_write(struct log *log, const char *kind, const char *room,
		      const char *format, va_list args)
{
	if (!log->file)
		return;
	fprintf(log->file, "%.3f %s%s: ",
		(clock_ns() - log->start_ns) / 1e9, kind, room);
	vfprintf(log->file, format, args);
	fputc('\n', log->file);
}

void log_line(struct log *log, const char *room, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_write(log, "", room, format, args);
	va_end(args);
}

void log_fault(struct log *log, const char *room, const char *format, ...)
{
	va_list args;

	log->faults++;
	va_start(args, format);
	log_write(log, "FAULT ", room, format, args);
	va_end(args);
}
