/* SPDX-License-Identifier: GPL-2.0 */
/* What the model tells: a file of lines "SECONDS ROOM: TEXT". */
#ifndef AMDGPU_MODEL_LOG_H
#define AMDGPU_MODEL_LOG_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct log - where lines go
 * @file: file, NULL: nowhere
 * @start_ns: time of the first line
 * @faults: lines of log_fault()
 */
struct log {
	FILE *file;
	uint64_t start_ns;
	uint64_t faults;
};

/** clock_ns() - monotonic time in nanoseconds */
uint64_t clock_ns(void);

/** clock_ticks() - the same in ticks of the GPU's clock, 100 MHz */
uint64_t clock_ticks(void);

/** clock_advance() - for tests: @ns of waiting that do not take so long */
void clock_advance(uint64_t ns);

/** log_open() - write to @file from now on, which stays the caller's */
void log_open(struct log *log, FILE *file);

/** log_line() - add a line about @room */
void log_line(struct log *log, const char *room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** log_fault() - add a line that begins with FAULT: the guest did what no driver does */
void log_fault(struct log *log, const char *room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* AMDGPU_MODEL_LOG_H */
