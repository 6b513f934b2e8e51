/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPUBP_ITEM_H
#define PERF_GPUBP_ITEM_H

#include "gpubp_run.h"

/**
 * item_of() - work-item of the first lane of a hit
 * @item: out: its global id
 * @code: code object
 * @name: function
 * @rec: hit
 *
 * Return: false if it is not known. The size of a workgroup is in no record, but
 * often in the code.
 */
bool item_of(uint32_t item[3], const struct grun_code *code, const char *name,
	     const struct gpubp_hit_record *rec);

#endif /* PERF_GPUBP_ITEM_H */
