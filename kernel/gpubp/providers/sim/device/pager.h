/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pager of an address space: faults in pages of its process for its waves.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_PAGER_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_PAGER_H

#include <linux/atomic.h>
#include <linux/workqueue.h>

struct sim_ctx;

/**
 * struct sim_pager - faults in one page at a time
 * @work: tries to fault the page in
 * @busy: a request is active: the members below are valid, and other requests
 *	are rejected
 * @va: GPU address in the page
 * @write: for writing
 * @begin: start of the request, jiffies
 * @end: deadline of the request, or time of its failure, jiffies
 * @failed: the page failed, and the wave that needs it has not seen the error
 *	yet
 */
struct sim_pager {
	struct delayed_work work;
	atomic_t busy;
	u64 va;
	bool write;
	unsigned long begin;
	unsigned long end;
	bool failed;
};

int sim_pager_wq_init(void);
void sim_pager_wq_exit(void);
void sim_pager_init(struct sim_ctx *ctx);
void sim_pager_exit(struct sim_ctx *ctx);
int sim_pager_request(struct sim_ctx *ctx, u64 va, bool write);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_PAGER_H */
