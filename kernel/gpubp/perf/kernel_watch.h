/* SPDX-License-Identifier: GPL-2.0 */
/* Consumers: watches that other kernel code registers; see <linux/gpubp.h>. */
#ifndef _GPUBP_PERF_KERNEL_WATCH_H
#define _GPUBP_PERF_KERNEL_WATCH_H

int gpubp_consumers_init(void);
void gpubp_consumers_exit(void);

#endif /* _GPUBP_PERF_KERNEL_WATCH_H */
