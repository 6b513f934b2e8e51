/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernels of a code object, from its NT_AMDGPU_METADATA note. Pure.
 */
#ifndef GRUN_METADATA_H
#define GRUN_METADATA_H

#include "gpubp_run.h"

#define GRUN_MAX_KERNELS	1024

/**
 * grun_metadata_parse() - read the note
 * @meta: its bytes
 * @size: how many
 * @kernels: out, to be freed with free(), but for those whose names are too long
 * @nr: out: entries of @kernels
 * @err: error
 *
 * Return: 0, -ENOEXEC, -ENOMEM.
 */
int grun_metadata_parse(const void *meta, size_t size,
			struct grun_kernel **kernels, unsigned int *nr,
			struct grun_err *err);

#endif /* GRUN_METADATA_H */
