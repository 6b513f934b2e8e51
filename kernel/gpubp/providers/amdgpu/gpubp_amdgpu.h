/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What amdgpu and amdkfd tell the provider: amdgpu.patch puts these calls in.
 *
 * Context is process context, and what the KFD holds there, for each. None is
 * called for a node that gpubp_amd_node_add() did not take (node->gpubp NULL).
 */
#ifndef _GPUBP_PROVIDERS_AMDGPU_GPUBP_AMDGPU_H
#define _GPUBP_PROVIDERS_AMDGPU_GPUBP_AMDGPU_H

#include <linux/types.h>

struct kfd_node;
struct kfd_process;
struct kfd_process_device;
struct queue;

#ifdef CONFIG_GPUBP_AMDGPU
/* a node works; it goes: no process uses it any more */
void gpubp_amd_node_add(struct kfd_node *node);
void gpubp_amd_node_remove(struct kfd_node *node);

/* its queue manager is about to be stopped, for whatever reason; it runs again */
void gpubp_amd_node_stop(struct kfd_node *node);
void gpubp_amd_node_start(struct kfd_node *node);

/* a process has an address space on a node; it goes, without queues */
void gpubp_amd_ctx_add(struct kfd_process_device *pdd);
void gpubp_amd_ctx_remove(struct kfd_process_device *pdd);

/* without HWS: the process has a VMID now, or (0) none; DQM's lock is held */
void gpubp_amd_ctx_resident(struct kfd_process_device *pdd, u32 vmid);

/* current created a user queue; it is destroyed. process->mutex is held */
void gpubp_amd_queue_add(struct kfd_process_device *pdd, struct queue *q);
void gpubp_amd_queue_remove(struct queue *q);

/* true: a MAP_PROCESS packet carries the process's debug settings */
bool gpubp_amd_ctx_watched(struct kfd_process_device *pdd);

/* a debugger attaches; -EBUSY: it must not. process->mutex is held */
int gpubp_amd_attach(struct kfd_process *process);

/* the process sets its handler; true: kept for later, since ours is in */
bool gpubp_amd_set_handler(struct kfd_process_device *pdd, u64 tba, u64 tma);

/* the KFD gave an address watch back; node->watch_points_lock is held */
void gpubp_amd_watch_freed(struct kfd_node *node, u32 watch_id);

/* a privileged s_sendmsg of a wave; true: it was meant for us */
bool gpubp_amd_interrupt(struct kfd_node *node, const u32 *ih_ring_entry);
#else
static inline void gpubp_amd_node_add(struct kfd_node *node) { }
static inline void gpubp_amd_node_remove(struct kfd_node *node) { }
static inline void gpubp_amd_node_stop(struct kfd_node *node) { }
static inline void gpubp_amd_node_start(struct kfd_node *node) { }
static inline void gpubp_amd_ctx_add(struct kfd_process_device *pdd) { }
static inline void gpubp_amd_ctx_remove(struct kfd_process_device *pdd) { }
static inline void gpubp_amd_ctx_resident(struct kfd_process_device *pdd,
					  u32 vmid) { }
static inline void gpubp_amd_queue_add(struct kfd_process_device *pdd,
				       struct queue *q) { }
static inline void gpubp_amd_queue_remove(struct queue *q) { }

static inline bool gpubp_amd_ctx_watched(struct kfd_process_device *pdd)
{
	return false;
}

static inline int gpubp_amd_attach(struct kfd_process *process)
{
	return 0;
}

static inline bool gpubp_amd_set_handler(struct kfd_process_device *pdd,
					 u64 tba, u64 tma)
{
	return false;
}

static inline void gpubp_amd_watch_freed(struct kfd_node *node,
					 u32 watch_id) { }

static inline bool gpubp_amd_interrupt(struct kfd_node *node,
				       const u32 *ih_ring_entry)
{
	return false;
}
#endif

#endif /* _GPUBP_PROVIDERS_AMDGPU_GPUBP_AMDGPU_H */
