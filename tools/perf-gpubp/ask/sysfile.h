/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small files of /proc and /sys, below a root directory, and files in /tmp.
 */
#ifndef PERF_GPUBP_SYSFILE_H
#define PERF_GPUBP_SYSFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SYS_PMU		"/sys/bus/event_source/devices/gpubp"

/* sysfs shows at most a page */
#define SYS_FILE_MAX	4096

/**
 * sys_read() - the contents of a file, without trailing newlines
 * @root: directory in front of the path, "" none
 * @path: file
 * @text: out: "" if it cannot be read
 *
 * Return: bytes, or a negative errno.
 */
int sys_read(const char *root, const char *path, char text[SYS_FILE_MAX]);

/**
 * sys_fopen() - a file in /tmp, which may be any user's
 * @path: file
 *
 * No link is followed, and only a plain file is opened: a pipe would never end.
 *
 * Return: NULL with errno.
 */
FILE *sys_fopen(const char *path);

/**
 * sys_temporary() - make an empty file in TMPDIR, or else /tmp
 * @path: (out) its path
 * @name: what that begins with
 *
 * Return: 0, or -1 with errno, and @path is what was tried.
 */
int sys_temporary(char path[PATH_MAX], const char *name);

/** sys_same_file() - is an input, - the standard one, the file that is to be written? */
bool sys_same_file(const char *input, const char *output);

/** sys_exists() - is there such a file? */
bool sys_exists(const char *root, const char *path);

/** sys_number() - the number in a file, or @otherwise */
long sys_number(const char *root, const char *path, long otherwise);

/** sys_word() - word number @n of @text, separated by spaces; false if there are fewer */
bool sys_word(const char *text, unsigned int n, char *word, size_t len);

#endif /* PERF_GPUBP_SYSFILE_H */
