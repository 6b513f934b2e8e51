/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_ITEM_H
#define PERF_GPUBP_ITEM_H

#include "gpubp_run.h"

struct launch;

/**
 * item_of() - work-item of the first lane of a hit
 * @item: out: its global id
 * @launch: how the kernel was launched, NULL unknown
 * @kernel: it, NULL unknown
 * @rec: hit
 *
 * The size of a workgroup is in no record: it is that of the launch, or often in the
 * code.
 *
 * Return: false if it is not known.
 */
bool item_of(uint32_t item[3], const struct launch *launch,
	     const struct grun_kernel *kernel, const struct gpubp_hit_record *rec);

#endif /* PERF_GPUBP_ITEM_H */
