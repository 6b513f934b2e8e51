/* SPDX-License-Identifier: GPL-2.0 */
/* A context: one open file of the device. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_CTX_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_CTX_H

#include <linux/kcov.h>
#include <linux/list.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/xarray.h>

#include "pager.h"
#include "regs.h"
#include "vm.h"

struct gpubp_ctx;
struct sim_device;
struct sim_save_area;
struct sim_user;

/**
 * struct sim_ctx - a context
 * @ref: held by the file, and by sim_ctx_end_all()
 * @life: read lock: system calls; write lock: end of the context
 * @gone: new system calls fail
 * @dev: device; invalid when @core is NULL
 * @core: the core's object; NULL once the context has ended. Memory of the
 *	context is freed with its file. Under @life.
 * @pasid: PASID in interrupt entries
 * @user: user to which the context and its queues are charged
 * @kcov: KCOV handle for coverage of its waves, as gpubp_ctx.kcov
 * @vm: address space
 * @pager: faults in pages of the process
 * @lock: changes of @queues
 * @queues: struct sim_queue by id, from 1
 * @node: in sim_device.ctxs; under sim_device.lock, as all that follows
 * @vmid: VMID, 0 none
 * @vmid_node: in sim_device.resident, .vmid_waiters or nowhere
 * @resident_since: when it got the VMID, ns
 * @vmid_ns: earlier residency, ns
 * @nr_maps: number of times it got a VMID
 * @evicting: its workgroups are being saved: no launches, and waves run only
 *	inside the trap handler; also read unlocked
 * @stuck: injected fault: its workgroups cannot be saved; also read unlocked
 * @evict_deadline: jiffies at which the context is reset
 * @suspended: number of suspend requests
 * @nr_groups: workgroups on compute units
 * @saved: workgroups off the GPU (sim_save_area.node)
 * @saved_waves: their waves (sim_saved_wave.ctx_node); under sim_device.sq_lock
 * @nr_can_run: number of @saved_waves with sim_saved_wave.can_run; likewise,
 *	and read without the lock
 * @saved_node: in sim_device.saved_ctxs if there are any
 * @nr_runnable: queues in sim_device.runq
 * @groups: save areas of its workgroups, saved or not
 *	(sim_save_area.group_node)
 * @pending: sequence number of the commit that is settled once all workgroups
 *	trap for the requested causes, or 0
 * @bank: its banked registers, loaded with each VMID
 */
struct sim_ctx {
	struct kref ref;
	struct rw_semaphore life;
	bool gone;
	struct sim_device *dev;
	struct gpubp_ctx *core;
	u32 pasid;
	struct sim_user *user;
	typeof(kcov_common_handle()) kcov;
	struct sim_vm vm;
	struct sim_pager pager;
	struct mutex lock;
	struct xarray queues;
	struct list_head node;
	u32 vmid;
	struct list_head vmid_node;
	u64 resident_since;
	u64 vmid_ns;
	u64 nr_maps;
	bool evicting;
	bool stuck;
	unsigned long evict_deadline;
	unsigned int suspended;
	unsigned int nr_groups;
	struct list_head saved;
	struct list_head saved_waves;
	unsigned int nr_can_run;
	struct list_head saved_node;
	unsigned int nr_runnable;
	struct list_head groups;
	u64 pending;
	struct sim_bank bank;
};

struct sim_ctx *sim_ctx_create(struct sim_device *dev);
void sim_ctx_destroy(struct sim_ctx *ctx);
void sim_ctx_end_all(struct sim_device *dev);

/* ctx_groups.c; under sim_device.lock */
void sim_ctx_update_saved(struct sim_ctx *ctx);
struct sim_save_area *sim_ctx_first_saved(struct sim_ctx *ctx);
bool sim_ctx_has_untrapped_group(const struct sim_ctx *ctx);

/* vmid.c; likewise */
void sim_vmid_init(struct sim_device *dev);
void sim_vmid_recheck(struct sim_device *dev, unsigned long when);
void sim_vmid_evict_for_waiters(struct sim_device *dev);
bool sim_vmid_get(struct sim_ctx *ctx);
u64 sim_vmid_ns(const struct sim_ctx *ctx);
void sim_vmid_evict(struct sim_ctx *ctx, unsigned int grace_ms);
void sim_vmid_hurry(struct sim_ctx *ctx, unsigned int grace_ms);
bool sim_vmid_is_allowed(const struct sim_ctx *ctx);
void sim_vmid_not_placed(struct sim_ctx *ctx, unsigned int cu);
void sim_vmid_placed(struct sim_ctx *ctx);
void sim_vmid_work_ended(struct sim_ctx *ctx);
void sim_vmid_release(struct sim_ctx *ctx);
void sim_vmid_load(struct sim_ctx *ctx);
void sim_vmid_reset(struct sim_device *dev);

/* preempt.c */
void sim_preempt_init(struct sim_device *dev);
void sim_preempt_exit(struct sim_device *dev);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_CTX_H */
