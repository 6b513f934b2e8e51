/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of C++ functions, as perf prints them.
 */
#ifndef PERF_GPUBP_DEMANGLE_H
#define PERF_GPUBP_DEMANGLE_H

#include <stdbool.h>
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

/**
 * demangle_is_const() - is a parameter a pointer to const?
 * @name: of a function, as a symbol table has it
 * @nr: parameters that it has
 * @n: number of the parameter
 *
 * Return: false also if the name does not say.
 */
bool demangle_is_const(const char *name, unsigned int nr, unsigned int n);

#endif /* PERF_GPUBP_DEMANGLE_H */
