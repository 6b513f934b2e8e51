/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places in programs on the CPU, as grun_callsite() records them.
 */
#ifndef PERF_GPUBP_SITE_H
#define PERF_GPUBP_SITE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * site_text() - "model.cc:41", or "model+0x1234" if that has no line
 * @frames: "PATH+0xADDRESS" of one or several, separated by tabs
 * @all: all of them, " < " between; else the innermost one
 * @out: out
 * @len: bytes of @out
 *
 * What is no such frame stays as it is. Return: @out.
 */
const char *site_text(const char *frames, bool all, char *out, size_t len);

/** site_resolve() - likewise, all, separated by tabs; those without a line stay as they are */
const char *site_resolve(const char *frames, char *out, size_t len);

#endif /* PERF_GPUBP_SITE_H */
