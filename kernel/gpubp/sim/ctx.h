/* SPDX-License-Identifier: GPL-2.0 */
/* A context: one open file of the device. */
#ifndef _GPUBP_SIM_CTX_H
#define _GPUBP_SIM_CTX_H

#include <linux/list.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/xarray.h>

#include "regs.h"
#include "vm.h"

struct gpubp_ctx;
struct sim_device;

/**
 * struct sim_ctx - a context
 * @ref: the file's; whoever takes the device away
 * @life: held for reading by system calls, for writing when it ends
 * @gone: no system call is let in any more
 * @dev: device; gone with @core
 * @core: the core's object; NULL once the context has ended. Its memory stays
 *	as long as its file. Under @life.
 * @pasid: as interrupts tell it
 * @vm: address space
 * @lock: changes of @queues
 * @queues: struct sim_queue by id, from 1
 * @node: in sim_device.ctxs; under sim_device.lock, as all that follows
 * @vmid: VMID, 0 none
 * @vmid_node: in sim_device.resident, .vmid_waiters or nowhere
 * @yield: launch nothing, so that another context gets the VMID
 * @nr_groups: workgroups on compute units
 * @nr_runnable: queues in sim_device.runq
 * @nr_untrapped: of @nr_groups, launched without entering the handler for hits
 * @pending: the core waits for @nr_untrapped to become 0
 * @bank: its banked registers, loaded whenever it gets a VMID
 */
struct sim_ctx {
	struct kref ref;
	struct rw_semaphore life;
	bool gone;
	struct sim_device *dev;
	struct gpubp_ctx *core;
	u32 pasid;
	struct sim_vm vm;
	struct mutex lock;
	struct xarray queues;
	struct list_head node;
	u32 vmid;
	struct list_head vmid_node;
	bool yield;
	unsigned int nr_groups;
	unsigned int nr_runnable;
	unsigned int nr_untrapped;
	bool pending;
	struct sim_bank bank;
};

struct sim_ctx *sim_ctx_create(struct sim_device *dev);
void sim_ctx_destroy(struct sim_ctx *ctx);
void sim_ctx_end_all(struct sim_device *dev);

/* vmid.c; all under sim_device.lock */
bool sim_vmid_get(struct sim_ctx *ctx);
void sim_vmid_work_gone(struct sim_ctx *ctx);
void sim_vmid_drop(struct sim_ctx *ctx);
void sim_vmid_load(struct sim_ctx *ctx);
void sim_vmid_reset(struct sim_device *dev);

#endif /* _GPUBP_SIM_CTX_H */
