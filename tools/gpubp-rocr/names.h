/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of a ROCm program's addresses, for events that ask for a name, for perf and
 * for tools that listen. What fails is reported by gpubp_rocr_name() only: the program
 * runs as without names.
 */
#ifndef GPUBP_ROCR_NAMES_H
#define GPUBP_ROCR_NAMES_H

#include <stdint.h>

#include "internal.h"

/* a function that programs call in place of the library's */
#define WRAPPER __attribute__((visibility("default")))

/**
 * names_buffer() - name a buffer
 * @va: first address
 * @size: bytes; 0: it is freed
 * @name: name
 *
 * Perf and tools have the name in any case.
 *
 * Return: 0, or the kernel's error: -EINVAL, -ENOSPC, -ENOMEM, -EAGAIN.
 */
int names_buffer(uint64_t va, uint64_t size, const char *name);

/** names_code() - name a code object that is loaded, from its first address on */
void names_code(const struct grun_code *code, const char *name);

/** names_no_code() - the code object at @va is unloaded */
void names_no_code(uint64_t va);

/** names_of_loaded_code() - name the code objects that ROCr has loaded, and their variables */
void names_of_loaded_code(void);

#endif /* GPUBP_ROCR_NAMES_H */
