/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gpubp-run --list.
 */
#ifndef GRUN_LIST_H
#define GRUN_LIST_H

#include "gpubp_run.h"

/** list_code() - print the kernels of @code with their arguments */
void list_code(const struct grun_code *code);

/** list_devices() - print the software GPUs of this machine; their number */
unsigned int list_devices(void);

#endif /* GRUN_LIST_H */
