/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of C++ functions, as perf prints them.
 */
#ifndef PERF_GPUBP_DEMANGLE_H
#define PERF_GPUBP_DEMANGLE_H

#include <stddef.h>

/**
 * demangle() - the name of a function for people, without its parameters
 * @name: as a symbol table has it
 * @out: "ns::fill<float>" for _ZN2ns4fillIfEEvPT_; @name if it is no such name
 * @len: bytes of @out
 *
 * Return: @out.
 */
const char *demangle(const char *name, char *out, size_t len);

#endif /* PERF_GPUBP_DEMANGLE_H */
