/* SPDX-License-Identifier: GPL-2.0 */
/* The pager of an address space: brings pages of its process in for its waves. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_PAGER_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_PAGER_H

#include <linux/atomic.h>
#include <linux/workqueue.h>

struct sim_ctx;

/**
 * struct sim_pager - one page at a time
 * @work: tries to bring it in
 * @busy: the others are valid, and nobody else's page is taken
 * @va: GPU address in the page
 * @write: to be written to
 * @begin: since when it tries, jiffies
 * @end: until when it tries, or when it gave up
 * @failed: it did not come, which the wave that wants it has not been told yet
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
