/* SPDX-License-Identifier: GPL-2.0 */
/* A queue: dispatches that run one after the other. */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_QUEUE_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_QUEUE_H

#include <linux/bitmap.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/wait.h>

#include "../wave/wave.h"
#include "device.h"

struct gpubp_queue;
struct gpubp_sim_dispatch;
struct gpubp_sim_wait;
struct sim_ctx;

/* most dispatches queued at once; also packets in a queue's page */
#define SIM_QUEUE_DEPTH		64

/**
 * struct sim_dispatch - a grid
 * @node: in sim_queue.dispatches
 * @queue: its queue
 * @seq: number in the queue
 * @kernel: from the kernel descriptor
 * @launch: launch state common to all waves
 * @nr_groups: workgroups in each dimension
 * @nr_resets: resets of the device when its events were found armed
 * @next: number of the next workgroup to launch; under sim_device.lock
 * @total: number of workgroups
 */
struct sim_dispatch {
	struct list_head node;
	struct sim_queue *queue;
	u64 seq;
	struct sim_kernel kernel;
	struct sim_launch launch;
	u32 nr_groups[3];
	unsigned int nr_resets;
	u64 next;
	u64 total;
};

/**
 * struct sim_queue - a queue
 * @ref: held by the table, and by each system call
 * @ctx: context
 * @core: the core's object
 * @id: id in @ctx
 * @doorbell: doorbell number in the device
 * @packets: GPU address of the page of dispatch packets
 * @node: in sim_device.queues; under sim_device.lock
 * @submit: serialises submissions: @scratch, order of @submitted
 * @scratch: GPU address of private memory, 0 none
 * @scratch_wave: bytes of @scratch per wave, for all waves that can be on the
 *	device
 * @run_node: in sim_device.runq while there are workgroups to launch; under
 *	sim_device.lock, as all that follows
 * @dispatches: submitted and not ended; the first one executes
 * @submitted: number of the last one submitted; also read unlocked
 * @ended: number of the last one ended; also read unlocked
 * @save_areas: save areas of workgroups (sim_save_area.pool_node)
 * @scratch_map: scratch indices in use
 * @busy: gpubp_ctx_dispatch_begins() was called for it
 * @nr_groups: workgroups that have not ended; also read unlocked
 * @killed: no more launches, waves are ended; also read unlocked
 * @status: GPUBP_SIM_*: first exception
 * @pc: pc of the exception
 * @addr: faulting address
 * @wait: waiters for @ended, @nr_groups
 */
struct sim_queue {
	struct kref ref;
	struct sim_ctx *ctx;
	struct gpubp_queue *core;
	u32 id;
	u32 doorbell;
	u64 packets;
	struct list_head node;
	struct mutex submit;
	u64 scratch;
	u32 scratch_wave;
	struct list_head run_node;
	struct list_head dispatches;
	u64 submitted;
	u64 ended;
	struct list_head save_areas;
	DECLARE_BITMAP(scratch_map, SIM_MAX_CUS * SIM_CU_SLOTS);
	bool busy;
	unsigned int nr_groups;
	bool killed;
	u32 status;
	u64 pc;
	u64 addr;
	wait_queue_head_t wait;
};

/* queue.c */
int sim_queue_create(struct sim_ctx *ctx, u32 *id);
struct sim_queue *sim_queue_get(struct sim_ctx *ctx, u32 id);
void sim_queue_put(struct sim_queue *queue);
int sim_queue_remove(struct sim_ctx *ctx, u32 id);
void sim_queue_destroy(struct sim_queue *queue);
int sim_queue_wait(struct sim_queue *queue, struct gpubp_sim_wait *args);

/* run.c; all but sim_queue_add() under sim_device.lock */
bool sim_queue_add(struct sim_queue *queue, struct sim_dispatch *dispatch);
struct sim_dispatch *sim_queue_next(struct sim_queue *queue);
void sim_queue_launched(struct sim_queue *queue, struct sim_dispatch *dispatch);
void sim_queue_group_ended(struct sim_queue *queue);
void sim_queue_kill(struct sim_queue *queue, u32 status, u64 pc, u64 addr);

/* dispatch.c */
int sim_dispatch_submit(struct sim_queue *queue,
			struct gpubp_sim_dispatch *args);

/* grid.c */
unsigned int sim_dispatch_nr_waves(const struct sim_dispatch *dispatch);
unsigned int sim_dispatch_max_groups(const struct sim_dispatch *dispatch);
void sim_dispatch_wg(const struct sim_dispatch *dispatch, u64 n, u32 wg[3]);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_QUEUE_H */
