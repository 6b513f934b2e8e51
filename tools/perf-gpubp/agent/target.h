/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that runs, and is to load a library: may it, and where are its functions?
 */
#ifndef PERF_GPUBP_TARGET_H
#define PERF_GPUBP_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "gpubp_run.h"

/**
 * struct target_map - a mapping of a process
 * @start: first byte
 * @end: behind the last one
 * @offset: in its file
 * @executes: it may be executed
 * @grows: it is the first thread's stack
 * @path: file, or ""
 */
struct target_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	bool executes;
	bool grows;
	char path[256];
};

/**
 * target_check() - can a library be loaded into a process?
 * @pid: process
 * @err: why not
 *
 * Nothing is changed. The right to do so is ptrace()'s, which is asked later.
 *
 * Return: 0 or a negative errno.
 */
int target_check(pid_t pid, struct grun_err *err);

/** target_map_at() - the mapping that has @at; false: there is none */
bool target_map_at(pid_t pid, uint64_t at, struct target_map *map);

/** target_has() - is a file mapped whose name, without folders, begins with @name? */
bool target_has(pid_t pid, const char *name);

/**
 * target_function() - the address of a function
 * @pid: process
 * @name: how the name of the file that has it begins, without folders
 * @function: its name
 *
 * Return: 0 if there is no such file, or no such function in it.
 */
uint64_t target_function(pid_t pid, const char *name, const char *function);

/**
 * target_code() - the address of some code in a file
 * @pid: process
 * @name: as above
 * @code: the code
 * @len: its bytes
 *
 * Return: 0 if it has none.
 */
uint64_t target_code(pid_t pid, const char *name, const void *code, size_t len);

/** target_may() - has this process the rights of ptrace() on it? */
bool target_may(pid_t pid);

/** target_read() - read its memory; false: not all of it is there */
bool target_read(pid_t pid, uint64_t at, void *to, size_t len);

/** target_write() - write it, likewise */
bool target_write(pid_t pid, uint64_t at, const void *from, size_t len);

#endif /* PERF_GPUBP_TARGET_H */
